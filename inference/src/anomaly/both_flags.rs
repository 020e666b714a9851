//! `both-flags`: neither player has time left, and nobody has claimed.
//!
//! Serves the rules by which the game is then drawn unless mate comes before anybody notices
//! (`us-chess-bughouse-2018 16b`, `mcsc-bughouse 16`, `uscf-bughouse 16b`, `nc-bughouse 16`,
//! `us-chess-blitz-2020 8c`, `nc-blitz 8`, `nc-scholastic 9`).

use rules::BoardId;

use super::Finding;
use crate::output::AnomalyCode;

/// A finding for a reading of a game that has begun. It is certain: the display shows it.
pub(crate) fn both_flags(
    board: BoardId,
    t_us: u64,
    white_ms: i64,
    black_ms: i64,
) -> Option<Finding> {
    (white_ms <= 0 && black_ms <= 0).then(|| Finding {
        code: AnomalyCode::BothFlags,
        side: None,
        t_us,
        confidence: 1.0,
        slot: None,
        reason: None,
        evidence: format!("The clock of board {board} shows no time left for either player."),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_must_be_down() {
        assert!(both_flags(BoardId::A, 5, 0, 0).is_some());
        assert_eq!(both_flags(BoardId::A, 5, 0, 1), None);
    }
}
