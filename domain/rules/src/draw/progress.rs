//! Moves since the last capture or pawn move.

use crate::{Position, Reserve};

/// Plies without a capture or pawn move after which a player may claim a draw: fifty moves each.
pub const FIFTY_MOVES_PLIES: u16 = 100;
/// Plies after which the game is drawn without a claim, under the laws of FIDE.
pub const SEVENTY_FIVE_MOVES_PLIES: u16 = 150;

impl Position {
    /// Whether a player may claim a draw by the fifty-move rule: [`FIFTY_MOVES_PLIES`] have gone by,
    /// and the game has not ended by mate or stalemate.
    #[must_use]
    pub fn is_fifty_moves(&self) -> bool {
        self.is_without_progress(FIFTY_MOVES_PLIES)
    }

    /// Whether the game is drawn by the seventy-five-move rule, as for
    /// [`is_fifty_moves`](Self::is_fifty_moves).
    #[must_use]
    pub fn is_seventy_five_moves(&self) -> bool {
        self.is_without_progress(SEVENTY_FIVE_MOVES_PLIES)
    }

    fn is_without_progress(&self, plies: u16) -> bool {
        self.halfmove_clock() >= plies && self.has_legal_ply(&Reserve::EMPTY)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Position, fen};

    fn position(text: &str) -> Position {
        fen::parse_board(text).expect("a board").position
    }

    #[test]
    fn draw_may_be_claimed_from_the_hundredth_ply_on() {
        let after = |plies: u16| position(&format!("4k3/8/8/8/8/8/8/R3K3 w - - {plies} 90"));
        assert_eq!(
            [98, 99, 100, 101].map(|plies| after(plies).is_fifty_moves()),
            [false, false, true, true]
        );
        assert_eq!([149, 150].map(|plies| after(plies).is_seventy_five_moves()), [false, true]);
    }

    #[test]
    fn mate_on_the_hundredth_ply_is_a_mate() {
        let mated = position("R5k1/5ppp/8/8/8/8/8/4K3 b - - 100 90");
        assert!(!mated.is_fifty_moves());
    }
}
