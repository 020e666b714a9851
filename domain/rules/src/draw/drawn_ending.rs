//! Endings that blitz books call drawn when a player claims it.
//!
//! The books describe them by where pieces stand, so these are tests of geometry and not of play.
//! Most of the books add that the opponent may show a forced win. That is for people to judge.

use shakmaty::{Bitboard, Color, File, Rank, Role, Square, attacks};

use crate::Position;

/// An ending that a book may call drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DrawnEnding {
    /// Each side has its king and one piece, both pieces of one kind. Pawns are no pieces here.
    OneIdenticalPieceEach,
    /// Each side has its king and a bishop, the bishops stand on squares of different colours, and
    /// there is exactly one pawn.
    OppositeBishopsWithOnePawn,
    /// Bishops as before, two pawns against one, and the two are blockaded: an enemy piece or pawn
    /// stands directly in front of each, and neither can capture.
    OppositeBishopsBlockaded,
    /// King and rook pawn against king: the defender stands on the file in front of the pawn, at any
    /// distance.
    RookPawnHeld,
    /// King and pawn against king: the defender stands directly in front of the pawn, and the pawn
    /// is not on its seventh rank.
    PawnHeld,
    /// King, rook and rook pawn against king and rook: the defender's king stands directly in front
    /// of the pawn.
    RookAndRookPawnHeld,
}

impl DrawnEnding {
    /// Every ending, in the order of the declaration.
    pub const ALL: [DrawnEnding; 6] = [
        DrawnEnding::OneIdenticalPieceEach,
        DrawnEnding::OppositeBishopsWithOnePawn,
        DrawnEnding::OppositeBishopsBlockaded,
        DrawnEnding::RookPawnHeld,
        DrawnEnding::PawnHeld,
        DrawnEnding::RookAndRookPawnHeld,
    ];

    /// The ending in words, as the end of a sentence that begins with "the position is".
    #[must_use]
    pub const fn explanation(self) -> &'static str {
        match self {
            DrawnEnding::OneIdenticalPieceEach => "one identical piece each",
            DrawnEnding::OppositeBishopsWithOnePawn => "opposite-coloured bishops with one pawn",
            DrawnEnding::OppositeBishopsBlockaded => {
                "opposite-coloured bishops with two blockaded pawns against one"
            }
            DrawnEnding::RookPawnHeld => {
                "king and rook pawn against a king that stands on the file in front of the pawn"
            }
            DrawnEnding::PawnHeld => {
                "king and pawn against a king directly in front of the pawn, which is not on the \
                 seventh rank"
            }
            DrawnEnding::RookAndRookPawnHeld => {
                "rook and rook pawn against a rook, with the king directly in front of the pawn"
            }
        }
    }

    /// Whether the position is such an ending.
    #[must_use]
    pub fn holds(self, position: &Position) -> bool {
        match self {
            DrawnEnding::OneIdenticalPieceEach => one_identical_piece_each(position),
            DrawnEnding::OppositeBishopsWithOnePawn => {
                has_opposite_bishops(position) && position.board.pawns().count() == 1
            }
            DrawnEnding::OppositeBishopsBlockaded => {
                has_opposite_bishops(position)
                    && Color::ALL.into_iter().any(|two| two_blockaded(position, two))
            }
            DrawnEnding::RookPawnHeld => lone_pawn(position, &[]).is_some_and(|held| {
                held.is_rook_pawn() && held.king.file() == held.pawn.file() && held.is_ahead()
            }),
            DrawnEnding::PawnHeld => lone_pawn(position, &[]).is_some_and(|held| {
                held.is_directly_in_front()
                    && held.pawn.rank() != held.attacker.relative_rank(Rank::Seventh)
            }),
            DrawnEnding::RookAndRookPawnHeld => lone_pawn(position, &[Role::Rook])
                .is_some_and(|held| held.is_rook_pawn() && held.is_directly_in_front()),
        }
    }
}

impl Position {
    /// The endings of this kind that the position is, in the order of [`DrawnEnding::ALL`].
    pub fn drawn_endings(&self) -> impl Iterator<Item = DrawnEnding> {
        DrawnEnding::ALL.into_iter().filter(|ending| ending.holds(self))
    }
}

/// The roles of a side without its king, cheapest first; none when it has no king.
fn roles(position: &Position, color: Color) -> Option<Vec<Role>> {
    position.board.king_of(color)?;
    let men = position.board.by_color(color) & !position.board.kings();
    let mut roles: Vec<Role> =
        men.into_iter().filter_map(|square| position.board.role_at(square)).collect();
    roles.sort_unstable();
    Some(roles)
}

fn one_identical_piece_each(position: &Position) -> bool {
    let (white, black) = (roles(position, Color::White), roles(position, Color::Black));
    let Some([role]) = white.as_deref() else { return false };
    *role != Role::Pawn && white == black
}

/// Kings, pawns and one bishop each, on squares of different colours.
fn has_opposite_bishops(position: &Position) -> bool {
    let board = &position.board;
    let others = board.occupied() & !board.kings() & !board.pawns() & !board.bishops();
    let one_each = Color::ALL
        .into_iter()
        .all(|color| board.by_piece(color.bishop()).count() == 1 && board.king_of(color).is_some());
    one_each && others.is_empty() && (board.bishops() & Bitboard::DARK_SQUARES).count() == 1
}

/// Whether `two` has two pawns against one, and both are blockaded.
fn two_blockaded(position: &Position, two: Color) -> bool {
    let board = &position.board;
    let (pawns, enemy) = (board.by_piece(two.pawn()), board.by_color(two.other()));
    pawns.count() == 2
        && board.by_piece(two.other().pawn()).count() == 1
        && pawns.into_iter().all(|pawn| {
            let in_front = pawn.offset(forward(two));
            let can_capture = (attacks::pawn_attacks(two, pawn) & enemy).any();
            in_front.is_some_and(|square| enemy.contains(square)) && !can_capture
        })
}

/// From a square to the one in front of it, as a pawn of `color` goes.
const fn forward(color: Color) -> i32 {
    match color {
        Color::White => 8,
        Color::Black => -8,
    }
}

/// One pawn, and the king that it must pass.
struct LonePawn {
    attacker: Color,
    pawn: Square,
    king: Square,
}

impl LonePawn {
    fn is_rook_pawn(&self) -> bool {
        matches!(self.pawn.file(), File::A | File::H)
    }

    /// Whether the king stands on a rank that the pawn has still to pass.
    fn is_ahead(&self) -> bool {
        match self.attacker {
            Color::White => self.king.rank() > self.pawn.rank(),
            Color::Black => self.king.rank() < self.pawn.rank(),
        }
    }

    fn is_directly_in_front(&self) -> bool {
        self.pawn.offset(forward(self.attacker)) == Some(self.king)
    }
}

/// The only pawn of an ending in which both sides have these other pieces besides their kings.
fn lone_pawn(position: &Position, others: &[Role]) -> Option<LonePawn> {
    let pawn = position.board.pawns().single_square()?;
    let attacker = position.board.color_at(pawn)?;
    let king = position.board.king_of(attacker.other())?;
    let mut with_pawn = vec![Role::Pawn];
    with_pawn.extend(others);
    let fits = roles(position, attacker)? == with_pawn
        && roles(position, attacker.other())?.as_slice() == others;
    fits.then_some(LonePawn { attacker, pawn, king })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fen;

    fn endings(placement: &str) -> Vec<DrawnEnding> {
        let setup = fen::parse_board(&format!("{placement} w - - 0 1")).expect("a board");
        setup.position.drawn_endings().collect()
    }

    /// The same with colours and ranks exchanged.
    fn mirrored(placement: &str) -> String {
        let ranks: Vec<String> = placement
            .split('/')
            .rev()
            .map(|rank| {
                let swap = |letter: char| {
                    if letter.is_ascii_uppercase() {
                        letter.to_ascii_lowercase()
                    } else {
                        letter.to_ascii_uppercase()
                    }
                };
                rank.chars().map(swap).collect()
            })
            .collect();
        ranks.join("/")
    }

    fn check(placement: &str, expected: &[DrawnEnding]) {
        assert_eq!(endings(placement), expected, "{placement}");
        let mirrored = mirrored(placement);
        assert_eq!(endings(&mirrored), expected, "{mirrored}");
    }

    #[test]
    fn one_piece_each_of_one_kind_is_drawn() {
        let drawn = [DrawnEnding::OneIdenticalPieceEach];
        check("4k3/8/8/3q4/8/8/8/3QK3", &drawn);
        check("4k3/8/8/3r4/8/8/8/3RK3", &drawn);
        check("4k3/8/8/3n4/8/8/8/3NK3", &drawn);
        check("4k3/8/8/3r4/8/8/8/3QK3", &[]);
        check("4k3/8/8/3p4/8/8/8/3RK3", &[]);
        check("4k3/3p4/8/8/8/8/3P4/4K3", &[]);
        check("4k3/8/8/3r4/8/8/3P4/3RK3", &[]);
    }

    #[test]
    fn opposite_bishops_with_one_pawn_are_drawn() {
        let drawn = [DrawnEnding::OppositeBishopsWithOnePawn];
        check("4kb2/8/8/8/8/8/P7/4KB2", &drawn);
        // Both bishops on light squares, then two pawns, then a further piece.
        check("2b1k3/8/8/8/8/8/P7/4KB2", &[]);
        check("4kb2/8/8/8/8/8/PP6/4KB2", &[]);
        check("4kbn1/8/8/8/8/8/P7/4KB2", &[]);
    }

    #[test]
    fn opposite_bishops_with_two_blockaded_pawns_against_one_are_drawn() {
        let drawn = [DrawnEnding::OppositeBishopsBlockaded];
        // The pawn on a5 stands before a4, the bishop on d6 before d5.
        check("4k3/8/3b4/p2P4/P7/8/8/4KB2", &drawn);
        // The pawn on d5 is free to go on.
        check("4kb2/8/8/p2P4/P7/8/8/4KB2", &[]);
        // Two pawns against two, and two against none.
        check("4k3/8/3b4/p2P4/P7/8/7p/4KB2", &[]);
        check("4k3/8/b2b4/P2P4/8/8/8/4KB2", &[]);
        // Both pawns can capture on c6.
        check("8/8/1kpb4/1P1P4/8/8/8/4KB2", &[]);
    }

    #[test]
    fn rook_pawn_is_held_by_a_king_on_its_file() {
        check("k7/8/8/8/P7/8/8/4K3", &[DrawnEnding::RookPawnHeld]);
        check("7k/8/8/8/7P/8/8/4K3", &[DrawnEnding::RookPawnHeld]);
        check("1k6/8/8/8/P7/8/8/4K3", &[]);
        check("8/8/8/8/P7/8/k7/4K3", &[]);
        check("2k5/8/8/8/2P5/8/8/4K3", &[]);
    }

    #[test]
    fn pawn_is_held_by_a_king_directly_in_front_unless_it_is_on_the_seventh_rank() {
        check("8/8/8/3k4/3P4/8/8/4K3", &[DrawnEnding::PawnHeld]);
        check("8/8/3k4/8/3P4/8/8/4K3", &[]);
        check("3k4/3P4/3K4/8/8/8/8/8", &[]);
        check("k7/P7/K7/8/8/8/8/8", &[DrawnEnding::RookPawnHeld]);
        check("8/8/8/k7/P7/8/8/4K3", &[DrawnEnding::RookPawnHeld, DrawnEnding::PawnHeld]);
        check("8/8/8/3k4/3P4/8/3P4/4K3", &[]);
    }

    #[test]
    fn rook_and_rook_pawn_are_held_by_a_king_directly_in_front() {
        check("8/8/8/k7/P7/8/8/r3K2R", &[DrawnEnding::RookAndRookPawnHeld]);
        check("8/8/k7/8/P7/8/8/r3K2R", &[]);
        check("8/8/8/2k5/2P5/8/8/r3K2R", &[]);
        check("8/8/8/k7/P7/8/8/4K2R", &[]);
    }

    #[test]
    fn every_ending_has_words_of_its_own() {
        for (index, ending) in DrawnEnding::ALL.into_iter().enumerate() {
            for other in &DrawnEnding::ALL[index + 1..] {
                assert_ne!(ending.explanation(), other.explanation());
            }
        }
    }
}
