//! The plies of a record with reinstated positions: a reader plays the valid plies, and those taken back are written beside them.

use std::collections::BTreeMap;

use referee::TimedPly;
use rules::{BoardId, Color};

use crate::hall::Game;

/// The plies that stand, in their order.
pub(super) struct Standing {
    /// Their places among all plies of the match.
    places: Vec<usize>,
    /// Plies that were taken back, by the place of the ply beside which they are written.
    taken_back: BTreeMap<usize, String>,
}

impl Standing {
    pub(super) fn of(game: &Game) -> Standing {
        let plies = game.referee().timeline().plies();
        let (mut places, mut taken_back) = (Vec::new(), BTreeMap::<usize, Vec<String>>::new());
        for (place, ply) in plies.iter().enumerate() {
            if !ply.is_undone {
                places.push(place);
                continue;
            }
            // Before the first ply that stands there is none to tell it with.
            let first = || plies.iter().position(|ply| !ply.is_undone);
            if let Some(with) = places.last().copied().or_else(first) {
                taken_back.entry(with).or_default().push(words(game.game, ply));
            }
        }
        let told = |plies: Vec<String>| format!("taken back: {}", plies.join(", "));
        let taken_back = taken_back.into_iter().map(|(with, plies)| (with, told(plies)));
        Standing { places, taken_back: taken_back.collect() }
    }

    /// The places of the plies that stand.
    pub(super) fn places(&self) -> &[usize] {
        &self.places
    }

    /// The place of the ply with this number in the record, from 0.
    pub(super) fn place(&self, index: usize) -> usize {
        self.places.get(index).copied().unwrap_or(usize::MAX)
    }

    /// Plies that were taken back, beside the ply at a place.
    pub(super) fn taken_back(&self, place: usize) -> Option<&String> {
        self.taken_back.get(&place)
    }
}

/// A ply with its number: `12a. Nf3` of Black at board A of bughouse, `12... Nf3` in chess.
fn words(game: rules::Game, ply: &TimedPly) -> String {
    let number = match (game, ply.report.board, ply.report.side) {
        (rules::Game::Chess, _, Color::White) => ".",
        (rules::Game::Chess, _, Color::Black) => "...",
        (rules::Game::Bughouse, BoardId::A, Color::White) => "A.",
        (rules::Game::Bughouse, BoardId::A, Color::Black) => "a.",
        (rules::Game::Bughouse, BoardId::B, Color::White) => "B.",
        (rules::Game::Bughouse, BoardId::B, Color::Black) => "b.",
    };
    format!("{}{number} {}", ply.number, ply.san)
}
