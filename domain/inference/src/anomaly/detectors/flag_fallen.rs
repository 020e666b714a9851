//! `flag-fallen`: a clock shows that a player's time has run out.
//!
//! ```text
//! confidence = s   if the player's display reads 0 or less, otherwise no finding
//! ```
//!
//! s is the certainty, 0 to 1, that a display without time is a fallen flag
//! ([`Allowance::flags`](crate::anomaly::segments::clock_allowance::Allowance::flags)). It is 1 except where a
//! period may end. Only a reading counts: time extrapolated between readings is no evidence.
//!
//! A reading without time that is the only one of its kind is refuted by the next: the clock goes on
//! with time left. Then the finding has confidence 0.
//!
//! Serves the topic flag claim: a player wins who points the fallen flag out and stops the clock
//! with the own flag still up.

use crate::anomaly::{findings::finding::prelude::*, segments::clock_allowance::ms};
use crate::sensing::clock::DisplayReading;

/// Findings for one clock reading of a game that has begun. `left_ms`: White's and Black's time,
/// milliseconds. `sure`: how certainly no time left is a fallen flag of each player, 0 to 1.
pub(crate) fn flag_fallen(
    board: BoardId,
    t_us: u64,
    left_ms: [i64; 2],
    sure: [f64; 2],
) -> Vec<Finding> {
    let flags = Color::ALL.into_iter().zip(left_ms).zip(sure);
    let fallen = flags.filter(|&((_, own_ms), sure)| own_ms <= 0 && sure > 0.0);
    let found = fallen.map(|((side, _), confidence)| {
        let other_ms = left_ms[usize::from(side.is_white())];
        let evidence = format!(
            "The clock of board {board} shows no time left for {}; {} has {}.",
            words::side(side),
            words::side(side.other()),
            if other_ms <= 0 {
                "none left either".to_owned()
            } else {
                format!("{} s left", words::seconds(other_ms.unsigned_abs() * 1_000))
            },
        );
        Finding::new(AnomalyCode::FlagFallen, t_us, confidence, evidence).by(side)
    });
    found.collect()
}

/// Three readings are compared if they come within this time, microseconds. Later, somebody may have
/// set the clock. Assumed.
const REFUTES_WITHIN_US: u64 = 10_000_000;
/// Difference that late readings and rounding displays explain, milliseconds. Assumed.
const TOLERANCE_MS: i64 = 2_500;

/// The sides whose fallen flag the last of three readings refutes, White first: it shows what the
/// first one had left, less the time that passed. The next period of a time control does not.
pub(crate) fn refuted([first, second, last]: [DisplayReading; 3]) -> [bool; 2] {
    let passed_us = last.t_us.saturating_sub(first.t_us);
    let is_soon = passed_us <= REFUTES_WITHIN_US;
    [0, 1].map(|side| {
        let [first_ms, second_ms, last_ms] = [first, second, last].map(|shown| shown.left_ms[side]);
        let least_ms = first_ms.saturating_sub(ms(passed_us)).saturating_sub(TOLERANCE_MS);
        let goes_on = (least_ms..=first_ms.saturating_add(TOLERANCE_MS)).contains(&last_ms);
        is_soon
            && last.running.is_some()
            && second_ms <= 0
            && first_ms > 0
            && last_ms > 0
            && goes_on
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_reading_without_time_is_refuted_by_the_next() {
        let shown = |t_s: u64, white_ms: i64| DisplayReading {
            t_us: t_s * 1_000_000,
            left_ms: [white_ms, 90_000],
            running: Some(Color::White),
        };
        let of = |readings: [i64; 3], last_s| {
            refuted([shown(1, readings[0]), shown(2, readings[1]), shown(last_s, readings[2])])
        };
        assert_eq!(of([90_000, 0, 89_000], 3), [true, false]);
        assert_eq!(of([0, 0, 89_000], 3), [false, false], "it had shown none before");
        assert_eq!(of([90_000, 0, 89_000], 12), [false, false], "somebody may have set it");
        assert_eq!(of([1_000, 0, 30_000], 3), [false, false], "the next period began");
        assert_eq!(of([90_000, 0, 0], 3), [false, false]);
    }

    #[test]
    fn a_clock_at_nothing_is_a_fallen_flag() {
        let found = flag_fallen(BoardId::A, 7, [0, 12_340], [1.0; 2]);
        let [finding] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(finding.side, Some(Color::White));
        assert!(finding.evidence.ends_with("Black has 12.3 s left."));
    }

    #[test]
    fn a_clock_with_a_millisecond_left_is_not() {
        assert!(flag_fallen(BoardId::A, 7, [1, 1], [1.0; 2]).is_empty());
    }

    #[test]
    fn both_flags_may_be_down() {
        assert_eq!(flag_fallen(BoardId::B, 7, [-3, 0], [1.0; 2]).len(), 2);
    }

    #[test]
    fn end_of_a_period_is_a_fallen_flag_only_as_far_as_moves_are_missing() {
        let found = flag_fallen(BoardId::A, 7, [0, 0], [0.0, 0.6]);
        let [finding] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((finding.side, finding.confidence), (Some(Color::Black), 0.6));
    }
}
