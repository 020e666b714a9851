//! `both-flags`: neither player has time left, and nobody has claimed.
//!
//! Serves the rules by which the game is then drawn unless mate comes before anybody notices
//! (`us-chess-bughouse-2018 16b`, `mcsc-bughouse 16`, `uscf-bughouse 16b`, `nc-bughouse 16`,
//! `us-chess-blitz-2020 8c`, `nc-blitz 8`, `nc-scholastic 9`).

use rules::BoardId;

use super::support::finding::Finding;
use crate::report::AnomalyCode;

/// A finding for a reading of a game that has begun: White's and Black's time, and how surely no time left is a
/// [fallen flag](super::flag_fallen) of each.
pub(crate) fn both_flags(
    board: BoardId,
    t_us: u64,
    left_ms: [i64; 2],
    sure: [f64; 2],
) -> Option<Finding> {
    let confidence = sure[0].min(sure[1]);
    (left_ms.iter().all(|&left_ms| left_ms <= 0) && confidence > 0.0).then(|| Finding {
        code: AnomalyCode::BothFlags,
        side: None,
        t_us,
        confidence,
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
        let both = |left_ms, sure| both_flags(BoardId::A, 5, left_ms, sure);
        assert!(both([0, 0], [1.0; 2]).is_some());
        assert_eq!(both([0, 1], [1.0; 2]), None);
        assert_eq!(both([0, 0], [1.0, 0.0]), None, "a period ends");
    }
}
