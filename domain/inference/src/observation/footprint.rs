//! ```text
//! occupied after = (occupied before \ vacated) + arrived
//! mover's after  = mover's before \ vacated + arrived + exchanged
//! unseen after   = unseen before \ vacated \ exchanged,  + arrived + exchanged if a promoted piece of bughouse arrives
//! ```
//!
//! Squares that a ply concerns, and their expected readings before and after. `vacated`,
//! `arrived` and `exchanged` are the squares of a [`Footprint`]. The other side's pieces leave the
//! squares that are vacated or exchanged. `unseen` are the squares whose piece may lie on its side.
//!
//! The likelihood of a segment compares both with what was read. Masks of squares are enough for
//! that, so a candidate is weighed without being played.

use rules::{Bitboard, Color, Ply, Position, Role, Square, Supply};
use shakmaty::attacks;

/// Expected readings of the squares of one board.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PredictedSquares {
    /// Squares with a piece.
    pub(crate) occupied: Bitboard,
    /// Squares whose promoted piece may lie on its side, where no reed sees it: a pawn of bughouse.
    /// In chess the new piece replaces the pawn and stands.
    pub(crate) may_be_unseen: Bitboard,
    white: Bitboard,
}

impl PredictedSquares {
    /// Expected readings of `position`.
    pub(crate) fn of(position: &Position) -> PredictedSquares {
        PredictedSquares {
            occupied: position.occupied(),
            may_be_unseen: position.promoted(),
            white: position.board().white(),
        }
    }

    /// Squares of the pieces of `color`.
    pub(crate) fn side(&self, color: Color) -> Bitboard {
        if color.is_white() { self.white } else { self.occupied & !self.white }
    }
}

/// The squares that a ply concerns; by default none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Footprint {
    /// Occupied before, empty after.
    pub(crate) vacated: Bitboard,
    /// Empty before, occupied after.
    pub(crate) arrived: Bitboard,
    /// Occupied before and after, by different pieces.
    pub(crate) exchanged: Bitboard,
    /// Squares that a piece sliding on the board would cross.
    pub(crate) path: Bitboard,
    /// Whether the arriving piece is a promoted one and may lie on its side.
    promoted: bool,
}

impl Footprint {
    /// The squares that `ply`, legal or not, concerns in `position`, in a game with this supply.
    pub(crate) fn of(position: &Position, ply: Ply, supply: Supply) -> Footprint {
        match ply {
            Ply::Drop { to, .. } => Footprint::arriving(position, to),
            Ply::Move { from, to, promotion } => {
                let mut footprint = Footprint::arriving(position, to);
                footprint.vacated = Bitboard::from_square(from) & position.occupied();
                footprint.promoted = supply.has_partner()
                    && (promotion.is_some() || position.promoted().contains(from));
                footprint.path = path(position, from, to);
                match position.board().role_at(from) {
                    Some(Role::King) if from.file().distance(to.file()) == 2 => {
                        let castling = position.clone().play(ply).castling_rook;
                        if let Some((rook_from, rook_to)) = castling {
                            footprint.vacated.add(rook_from);
                            footprint.arrived.add(rook_to);
                            footprint.path |= attacks::between(rook_from, rook_to);
                        }
                    }
                    Some(Role::Pawn)
                        if position.en_passant() == Some(to) && from.file() != to.file() =>
                    {
                        footprint.vacated.add(Square::from_coords(to.file(), from.rank()));
                    }
                    _ => {}
                }
                footprint
            }
        }
    }

    /// The squares on which pieces arrive.
    pub(crate) fn arrivals(&self) -> Bitboard {
        self.arrived | self.exchanged
    }

    /// All of these squares.
    pub(crate) fn squares(&self) -> Bitboard {
        self.vacated | self.arrivals()
    }

    /// Squares onto which a captured piece may have been pushed.
    pub(crate) fn beside_capture(&self) -> Bitboard {
        self.exchanged.single_square().map_or(Bitboard::EMPTY, attacks::king_attacks)
    }

    fn arriving(position: &Position, to: Square) -> Footprint {
        let to = Bitboard::from_square(to);
        let exchanged = to & position.occupied();
        Footprint { exchanged, arrived: to & !exchanged, ..Footprint::default() }
    }

    /// Expected readings of the squares after the ply, from those before it.
    pub(crate) fn apply(&self, before: &PredictedSquares, mover: Color) -> PredictedSquares {
        let arrivals = self.arrivals();
        let gone = self.vacated | self.exchanged;
        let white = before.white & !gone;
        let unseen = before.may_be_unseen & !gone;
        PredictedSquares {
            occupied: (before.occupied & !self.vacated) | self.arrived,
            white: if mover.is_white() { white | arrivals } else { white },
            may_be_unseen: if self.promoted { unseen | arrivals } else { unseen },
        }
    }
}

/// Squares that a dragged piece would cross. A knight is dragged over the two squares of its corner
/// or over the squares beside the straight line; all of them count. The squares that a diagonal
/// touches at their corners count as well: no hand keeps to the middle of a line.
fn path(position: &Position, from: Square, to: Square) -> Bitboard {
    let straight = attacks::between(from, to);
    if straight.any() || attacks::king_attacks(from).contains(to) {
        let on_rank_or_file = from.file() == to.file() || from.rank() == to.rank();
        return if on_rank_or_file { straight } else { straight | corners(from, to) };
    }
    if position.board().role_at(from) == Some(Role::Knight) {
        return attacks::king_attacks(from) & attacks::king_attacks(to)
            | attacks::king_attacks(from) & attacks::rook_attacks(to, Bitboard::EMPTY)
            | attacks::king_attacks(to) & attacks::rook_attacks(from, Bitboard::EMPTY);
    }
    Bitboard::EMPTY
}

/// Squares that a diagonal touches at their corners. Each has neighbours on the diagonal both in
/// its rank and in its file.
fn corners(from: Square, to: Square) -> Bitboard {
    let line = attacks::between(from, to).with(from).with(to);
    let in_files = line.shift(8) | line.shift(-8);
    let in_ranks = line.shift(1) | line.shift(-1);
    in_files & in_ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(plies: &[&str]) -> Position {
        let mut position = Position::initial();
        for ply in plies {
            position.play(ply.parse().expect("a ply"));
        }
        position
    }

    /// The masks must say the same as playing the ply does.
    fn assert_agrees_with_play(plies: &[&str], ply: &str) -> Footprint {
        let position = after(plies);
        let ply: Ply = ply.parse().expect("a ply");
        let mover = position.turn();
        let footprint = Footprint::of(&position, ply, Supply::Partner);
        let expected = footprint.apply(&PredictedSquares::of(&position), mover);
        let mut played = position;
        played.play(ply);
        assert_eq!(expected.occupied, played.occupied());
        assert_eq!(expected.may_be_unseen, played.promoted());
        assert_eq!(expected.side(Color::White), played.board().white());
        footprint
    }

    #[test]
    fn the_masks_of_a_ply_agree_with_playing_it() {
        assert_agrees_with_play(&[], "e2e4");
        assert_agrees_with_play(&["e2e4", "d7d5"], "e4d5");
        assert_agrees_with_play(&["e2e4", "d7d5"], "N@d4");
        assert_agrees_with_play(&["e2e4", "a7a6", "e4e5", "d7d5"], "e5d6");
        assert_agrees_with_play(&["e2e4", "e7e5", "g1f3", "g8f6", "f1c4", "f8c5"], "e1g1");
        assert_agrees_with_play(&["P@b7", "e7e6"], "b7a8q");
        assert_agrees_with_play(&["P@b7", "e7e6", "b7a8q", "e6e5"], "a8b8");
    }

    #[test]
    fn promoted_piece_of_chess_stands_where_a_reed_sees_it() {
        let mut position = after(&["P@b7", "e7e6"]);
        let ply: Ply = "b7a8q".parse().expect("a ply");
        let footprint = Footprint::of(&position, ply, Supply::Nobody);
        let expected = footprint.apply(&PredictedSquares::of(&position), Color::White);
        position.play_with(ply, Supply::Nobody);
        assert_eq!(expected.occupied, position.occupied());
        assert_eq!(
            (expected.may_be_unseen, position.promoted()),
            (Bitboard::EMPTY, Bitboard::EMPTY)
        );
    }

    #[test]
    fn a_dragged_queen_crosses_the_squares_between() {
        let footprint = assert_agrees_with_play(&["e2e4", "e7e5"], "d1h5");
        let middle = [Square::E2, Square::F3, Square::G4];
        let corners = [
            Square::D2,
            Square::E1,
            Square::E3,
            Square::F2,
            Square::F4,
            Square::G3,
            Square::G5,
            Square::H4,
        ];
        assert_eq!(footprint.path, Bitboard::from_iter(middle.into_iter().chain(corners)));
    }

    #[test]
    fn a_pawn_that_captures_crosses_the_squares_beside_both_of_its_own() {
        let footprint = assert_agrees_with_play(&["e2e4", "d7d5"], "e4d5");
        assert_eq!(footprint.path, Bitboard::from_iter([Square::D4, Square::E5]));
    }
}
