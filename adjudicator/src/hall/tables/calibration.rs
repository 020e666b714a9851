//! Calibration of hall boards: a director asks for it while the match is not played.

use rules::BoardId;
use serde::{Deserialize, Serialize};

use super::{
    Tables,
    orders::{Giving, Ordered},
};

/// Pieces on a board during its calibration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BoardContent {
    /// None: all squares are calibrated.
    Empty,
    /// The initial position: ranks 3 to 6 are calibrated.
    SetUp,
}

impl Tables {
    /// Orders the calibration of a board of the match at its table.
    pub(in crate::hall) fn order_calibration(
        &mut self,
        giving: &Giving<'_>,
        match_id: &str,
        (board, content): (BoardId, BoardContent),
    ) -> Result<(), String> {
        let game = self.matches.get(match_id).filter(|game| self.is_at_table(game));
        let game = game.ok_or("this match is not at its table any more")?;
        if !game.has(board) {
            return Err(format!("board {board} of this match has no sensors"));
        }
        if !game.referee().timeline().plies().is_empty() && !game.is_done() {
            return Err(
                "the match is being played: a board is calibrated before or after it".to_owned()
            );
        }
        self.order(giving, match_id, Ordered::Baseline(board, content), None)
    }
}
