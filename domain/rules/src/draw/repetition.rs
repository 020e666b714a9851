//! Repetition: number of occurrences of a position.
//!
//! Two positions are the same when the same pieces are on the same squares, the same side is to move, and the same moves are possible.
//! So castling rights and a capture in passing count. A capture in passing counts only when it is legal, as in the rules of FIDE and US
//! Chess.

use shakmaty::{Bitboard, attacks};

use crate::Position;

/// Occurrences after which a player may claim a draw.
pub const THREEFOLD: usize = 3;
/// Occurrences after which the game is drawn without a claim, under the laws of FIDE.
pub const FIVEFOLD: usize = 5;

/// The positions of one game since its last capture or pawn move. Earlier ones cannot come back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repetitions {
    seen: Vec<Position>,
}

impl Repetitions {
    /// Takes the next position of the game, the initial one included, and returns how often it has
    /// now been on the board: 1 for the first time.
    pub fn note(&mut self, position: &Position) -> usize {
        self.take(position);
        self.latest()
    }

    /// Takes the next position of the game without asking how often it has been there: of a long game that is asked about once.
    pub fn take(&mut self, position: &Position) {
        if position.halfmove_clock() == 0 {
            self.seen.clear();
        }
        self.seen.push(position.for_repetition());
    }

    /// Number of occurrences of the latest position; 0 before the first.
    #[must_use]
    pub fn latest(&self) -> usize {
        self.seen.last().map_or(0, |latest| self.seen.iter().filter(|seen| *seen == latest).count())
    }
}

impl Position {
    /// Whether the two positions count as the same one for a repetition.
    #[must_use]
    pub fn repeats(&self, other: &Position) -> bool {
        self.for_repetition() == other.for_repetition()
    }

    /// The position without what makes no difference to a repetition: promoted marks, and an en
    /// passant square that no legal capture uses.
    fn for_repetition(&self) -> Position {
        let mut position = self.clone();
        position.promoted = Bitboard::EMPTY;
        position.en_passant = self.en_passant.filter(|&to| {
            let own = self.board.by_piece(self.turn.pawn());
            let capturers = attacks::pawn_attacks(self.turn.other(), to) & own;
            let king = self.board.king_of(self.turn);
            capturers
                .into_iter()
                .any(|from| king.is_none_or(|king| self.en_passant_is_safe(king, from, to)))
        });
        position
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ply, Supply, fen};

    fn position(text: &str) -> Position {
        fen::parse_board(text).expect("a board").position
    }

    /// Number of occurrences of each position of a game, the first one included.
    fn counts(start: &str, plies: &str) -> Vec<usize> {
        let mut now = position(start);
        let mut repetitions = Repetitions::default();
        let mut counts = vec![repetitions.note(&now)];
        for text in plies.split_whitespace() {
            now.play_with(text.parse::<Ply>().expect("a ply"), Supply::Nobody);
            counts.push(repetitions.note(&now));
        }
        counts
    }

    const INITIAL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const KNIGHTS_OUT_AND_BACK: &str = "g1f3 g8f6 f3g1 f6g8";

    #[test]
    fn initial_position_occurs_a_third_time_after_two_rounds_of_knights() {
        let plies = format!("{KNIGHTS_OUT_AND_BACK} {KNIGHTS_OUT_AND_BACK}");
        assert_eq!(counts(INITIAL, &plies), [1, 1, 1, 1, 2, 2, 2, 2, THREEFOLD]);
    }

    #[test]
    fn position_without_a_former_castling_right_is_another_one() {
        let start = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
        assert_eq!(counts(start, "h1g1 e8d8 g1h1 d8e8"), [1; 5]);
    }

    #[test]
    fn capture_in_passing_makes_a_difference_only_while_it_is_legal() {
        let with = position("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1");
        let without = position("4k3/8/8/8/3pP3/8/8/4K3 b - - 0 1");
        assert!(!with.repeats(&without));
        // The pawn is pinned to its king by the rook.
        let pinned = position("3k4/8/8/8/3pP3/8/8/3RK3 b - e3 0 1");
        let unusable = position("3k4/8/8/8/3pP3/8/8/3RK3 b - - 0 1");
        assert_ne!(pinned, unusable);
        assert!(pinned.repeats(&unusable));
    }

    #[test]
    fn pawn_move_begins_the_count_again() {
        let plies = format!("{KNIGHTS_OUT_AND_BACK} e2e4 {KNIGHTS_OUT_AND_BACK}");
        let plies = plies.replace("e2e4 g1f3 g8f6 f3g1 f6g8", "e2e4 g8f6 g1f3 f6g8 f3g1");
        assert_eq!(counts(INITIAL, &plies), [1, 1, 1, 1, 2, 1, 1, 1, 1, 2]);
    }

    #[test]
    fn nothing_has_been_on_the_board_before_the_first_position() {
        let mut repetitions = Repetitions::default();
        assert_eq!(repetitions.latest(), 0);
        assert_eq!(repetitions.note(&Position::initial()), repetitions.latest());
    }
}
