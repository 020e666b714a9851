//! The pairing of a match, and the pairings that a director may choose for it.

use event::{Names, PairingId};
use serde::Serialize;

use crate::hall::{Binding, Game, Hall};

/// Maximum number of pairings that are offered.
const CHOICES_MAX: usize = 200;

/// The pairing of a match.
#[derive(Clone, Debug, Serialize)]
pub struct BelongsView {
    /// `expected`: it is set up, and this pairing is to be played; `played`: so it was when it began; `said`: a director has said it.
    pub bound: &'static str,
    /// The pairings that it may be of, those of its table first.
    pub choices: Vec<PairingChoice>,
}

/// A pairing that a match may be of.
#[derive(Clone, Debug, Serialize)]
pub struct PairingChoice {
    /// Its id.
    pub pairing: u32,
    /// The section.
    pub section: String,
    /// The round.
    pub round: u8,
    /// The table it is to be played at.
    pub table: String,
    /// Names of the sides.
    pub names: [String; 2],
    /// Score so far.
    pub result: Option<String>,
}

impl BelongsView {
    /// The pairing of a match.
    #[must_use]
    pub fn of(hall: &Hall, game: &Game) -> BelongsView {
        let pairings = hall.event().pairings();
        let section = hall.section_of(&game.table, Some(game));
        let own = game.pairing.and_then(|id| pairings.get(&id)).map(|pairing| pairing.round);
        let opened =
            section.as_deref().and_then(|name| Some(hall.event().section(name).ok()?.opened));
        let round = own.or(opened);
        let mut near: Vec<(bool, u8, PairingId)> = pairings
            .iter()
            .filter(|(_, pairing)| pairing.withdrawn.is_none())
            .filter_map(|(&id, pairing)| {
                let is_here = pairing.table == game.table;
                let is_of_round =
                    Some(&pairing.section) == section.as_ref() && Some(pairing.round) == round;
                (is_here || is_of_round).then_some((!is_here, pairing.round, id))
            })
            .collect();
        near.sort_unstable();
        near.truncate(CHOICES_MAX);
        BelongsView {
            bound: match game.binding() {
                Binding::Expected => "expected",
                Binding::Played => "played",
                Binding::Said => "said",
            },
            choices: near.into_iter().filter_map(|(.., id)| PairingChoice::of(hall, id)).collect(),
        }
    }
}

impl PairingChoice {
    fn of(hall: &Hall, id: PairingId) -> Option<PairingChoice> {
        let pairing = hall.event().pairings().get(&id)?;
        Some(PairingChoice {
            pairing: id.0,
            section: pairing.section.clone(),
            round: pairing.round,
            table: pairing.table.clone(),
            names: hall.sides_of(id, Names::Shown),
            result: (!pairing.outcomes.is_empty())
                .then(|| event::import::outcomes_to_text(&pairing.outcomes)),
        })
    }
}
