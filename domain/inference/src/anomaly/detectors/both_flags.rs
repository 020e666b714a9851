//! `both-flags`: neither player of a board has time left, and nobody has claimed.
//!
//! ```text
//! confidence = min(s_White, s_Black)   if both displays read 0 or less, otherwise no finding
//! ```
//!
//! s is the certainty, 0 to 1, that a display without time is a fallen flag of that player
//! ([`Allowance::flags`](crate::anomaly::segments::clock_allowance::Allowance::flags)). It is below 1 only where a
//! period may end.
//!
//! Serves the topic both flags: the game is then drawn, unless mate comes before anybody notices.

use crate::anomaly::findings::finding::prelude::*;

/// A finding for one clock reading of a game that has begun. `left_ms`: White's and Black's time,
/// milliseconds. `sure`: how certainly no time left is a [fallen flag](super::flag_fallen) of each
/// player, 0 to 1.
pub(crate) fn both_flags(
    board: BoardId,
    t_us: u64,
    left_ms: [i64; 2],
    sure: [f64; 2],
) -> Option<Finding> {
    let confidence = sure[0].min(sure[1]);
    (left_ms.iter().all(|&left_ms| left_ms <= 0) && confidence > 0.0).then(|| {
        let evidence = format!("The clock of board {board} shows no time left for either player.");
        Finding::new(AnomalyCode::BothFlags, t_us, confidence, evidence)
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
