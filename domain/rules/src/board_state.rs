//! State of the side to move: in check, mated, waiting for a piece, or free to play.

use std::fmt;

use serde::{Deserialize, Serialize};
use shakmaty::attacks;

use crate::{Position, Reserve, Supply};

/// State of the side to move, with its present reserve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BoardState {
    /// Not in check, and there is a legal ply.
    Normal,
    /// In check, and there is a legal ply.
    Check,
    /// In check without a legal ply, but a piece supplied by the partner could be dropped between:
    /// no mate while time remains (`us-chess-bughouse-2018 15a`).
    BlockableCheck,
    /// In check, and neither a legal ply nor any piece that could be supplied helps.
    Mate,
    /// Not in check and without a legal ply. In bughouse a supplied piece may end it; in chess the
    /// game is drawn.
    Stalemate,
}

impl fmt::Display for BoardState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BoardState::Normal => "normal",
            BoardState::Check => "check",
            BoardState::BlockableCheck => "blockable-check",
            BoardState::Mate => "mate",
            BoardState::Stalemate => "stalemate",
        })
    }
}

impl Position {
    /// State of the side to move with `reserve`.
    ///
    /// With an [unseen](Supply::Unseen) supply a check that a drop could answer is always
    /// [`BlockableCheck`](BoardState::BlockableCheck) when no move answers it. The reason: it is unknown whether the player holds the
    /// piece. A player with a free square for any drop is not stalemated then. In chess ([`Nobody`](Supply::Nobody)) every check
    /// without a legal ply is a mate.
    #[must_use]
    pub fn state(&self, reserve: &Reserve, supply: Supply) -> BoardState {
        let checkers = self.checkers();
        let is_check = checkers.any();
        // In check only what is known to be held counts. Out of check an unknown piece may be.
        let held = match supply {
            Supply::Unseen if is_check => Reserve::EMPTY,
            _ => supply.droppable(reserve),
        };
        let can_play = self.has_legal_ply(&held);
        match (is_check, can_play) {
            (false, true) => BoardState::Normal,
            (false, false) => BoardState::Stalemate,
            (true, true) => BoardState::Check,
            (true, false) if supply.has_partner() && self.supplied_piece_could_block() => {
                BoardState::BlockableCheck
            }
            (true, false) => BoardState::Mate,
        }
    }

    /// Whether a drop on some square between the king and the only checker would end the check. Any
    /// role but the pawn may stand on any of those squares.
    fn supplied_piece_could_block(&self) -> bool {
        let (Some(king), Some(checker)) =
            (self.board.king_of(self.turn), self.checkers().single_square())
        else {
            return false;
        };
        attacks::between(king, checker).any()
    }
}
