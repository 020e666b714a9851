//! The last stretch of a game that every program can replay: what was played since the last illegal ply, from the position after it.
//!
//! A program that follows games while they are played refuses a game with an illegal move, and with it the result. From the position
//! after the illegal ply it goes on.

use super::{Item, PgnPly};
use crate::{Color, Position, Reserve, Supply, san};

/// A game since its last illegal ply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The position from which it is replayed.
    pub start: Position,
    /// Its plies, all of them legal.
    pub items: Vec<Item>,
    /// The position after its last ply.
    pub end: Position,
    /// Number of illegal plies before it.
    pub illegal: usize,
}

/// The last stretch of the plies that were played from a position, each with the side that played it.
#[must_use]
pub fn last_stretch<'a>(
    start: &Position,
    plies: impl IntoIterator<Item = (Color, &'a PgnPly)>,
) -> Stretch {
    let mut stretch =
        Stretch { start: start.clone(), items: Vec::new(), end: start.clone(), illegal: 0 };
    for (color, played) in plies {
        let is_in_turn = stretch.end.turn() == color;
        let before = match is_in_turn {
            true => stretch.end.clone(),
            false => stretch.end.clone().with_turn(color),
        };
        let is_legal = before.is_legal(played.ply, &Reserve::EMPTY, Supply::Nobody);
        stretch.end = before.clone();
        stretch.end.play_with(played.ply, Supply::Nobody);
        if is_in_turn && is_legal {
            stretch.items.push(Item {
                number: u32::from(before.fullmove_number()),
                color,
                san: san::to_san(&before, Supply::Nobody, played.ply),
                clock_ms: played.clock_ms,
                comments: played.comment.iter().cloned().collect(),
            });
        } else {
            stretch.start = stretch.end.clone();
            stretch.items.clear();
            stretch.illegal += 1;
        }
    }
    stretch
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(text: &str) -> Vec<PgnPly> {
        let plies = text.split_whitespace().map(|ply| ply.parse().expect("a ply"));
        plies.map(|ply| PgnPly { ply, clock_ms: None, comment: None }).collect()
    }

    fn in_turn(plies: &[PgnPly]) -> impl Iterator<Item = (Color, &PgnPly)> {
        [Color::White, Color::Black].into_iter().cycle().zip(plies)
    }

    #[test]
    fn game_goes_on_from_the_position_after_its_last_illegal_ply() {
        let plies = played("e2e4 e7e5 e1e3 b8c6 e3e1 g8f6");
        let stretch = last_stretch(&Position::initial(), in_turn(&plies));
        let moves: Vec<&str> = stretch.items.iter().map(|item| item.san.as_str()).collect();
        assert_eq!((moves, stretch.illegal), (vec!["Nf6"], 2));
        let mut end = Position::initial();
        for ply in &plies {
            end.play_with(ply.ply, Supply::Nobody);
        }
        assert_eq!(stretch.end, end);
        let whole = last_stretch(&Position::initial(), in_turn(&plies[..2]));
        assert_eq!((whole.items.len(), whole.illegal), (2, 0));
        assert_eq!(whole.start, Position::initial());
        let none_since = last_stretch(&Position::initial(), in_turn(&plies[..3]));
        assert_eq!((none_since.items.len(), &none_since.start), (0, &none_since.end));
    }

    #[test]
    fn ply_out_of_turn_begins_another_stretch() {
        let plies = played("e2e4 d2d4 d7d5");
        let colors = [Color::White, Color::White, Color::Black];
        let stretch = last_stretch(&Position::initial(), colors.into_iter().zip(&plies));
        assert_eq!((stretch.items.len(), stretch.illegal), (1, 1));
    }
}
