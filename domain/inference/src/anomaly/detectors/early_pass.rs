//! `early-pass`: a captured piece was handed over before its capture was complete.
//!
//! ```text
//! confidence = p · BEFORE_THE_PRESS  if arrival < press
//!            = p · RIGHT_AFTER       if press ≤ arrival < press + TWO_HANDS_US
//!            = no finding            otherwise
//! ```
//!
//! `arrival` is when the piece was laid into the partner's tray, `press` when the capture was
//! pressed or should have been; p is the probability that this arrival is the captured piece's
//! ([`tray_assignment`](crate::anomaly::trays::assignment)). After a press, one hand carries the
//! piece to the partner and the partner's hand lays it into the slot. The time of that depends on
//! the hands and on the place of the clock, so only times that no hands reach are reported. Only
//! boards with trays tell.
//!
//! Serves the topic passing: a captured piece goes to the partner only after the press.

use crate::anomaly::findings::finding::prelude::*;

/// Shortest time from the press to the arrival of a piece that was handed over after it,
/// microseconds. Assumed: two hands cannot be quicker.
const TWO_HANDS_US: u64 = 150_000;
/// Confidence for an arrival before the press. The doubt: the arrival may belong to another capture. Assumed.
const BEFORE_THE_PRESS: f64 = 0.99;
/// Confidence for an arrival right after the press. Assumed.
const RIGHT_AFTER: f64 = 0.9;

/// The press that completes a capture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Press {
    /// Time at which it was made, or when it was due, microseconds.
    pub(crate) t_us: u64,
    /// Whether it was made in time: not forgotten, and not late.
    pub(crate) made: bool,
}

/// A finding for a ply that captured, if its piece arrived too soon for its press. `arrival_us`:
/// when it arrived, microseconds, with the probability that it was this piece.
pub(crate) fn early_pass(
    ply: &PlyEstimate,
    slot: usize,
    press: Press,
    (arrival_us, p): (u64, f64),
) -> Option<Finding> {
    if arrival_us >= press.t_us.saturating_add(TWO_HANDS_US) {
        return None;
    }
    let (confidence, when) = match arrival_us < press.t_us {
        true => (BEFORE_THE_PRESS, "before"),
        false => (RIGHT_AFTER, "after"),
    };
    let (side, made) = (words::side(ply.side), words::ply(ply.ply));
    let apart_ms = arrival_us.abs_diff(press.t_us) / 1_000;
    let due = if press.made { "" } else { " was due" };
    let evidence = format!(
        "{side} captured with {made}; the piece lay in the partner's tray {apart_ms} ms {when} the press{due}."
    );
    let finding = Finding::new(AnomalyCode::EarlyPass, ply.t_us, p * confidence, evidence);
    Some(finding.by(ply.side).at(slot))
}

#[cfg(test)]
mod tests {
    use rules::Color;

    use super::*;

    fn ply() -> PlyEstimate {
        PlyEstimate {
            ply: "e4d5".parse().expect("a ply"),
            side: Color::White,
            p: 1.0,
            t_us: 5_000_000,
            landed_us: 4_500_000,
            legal: true,
            illegal: None,
            captured: None,
            is_unsupplied: false,
            claimed: 0.0,
            alternatives: Vec::new(),
        }
    }

    /// The finding for a press and an arrival at these times, milliseconds.
    fn found(press_ms: u64, arrival_ms: u64) -> Option<Finding> {
        let press = Press { t_us: press_ms * 1_000, made: true };
        early_pass(&ply(), 0, press, (arrival_ms * 1_000, 1.0))
    }

    #[test]
    fn a_piece_in_the_tray_before_the_press_was_passed_early() {
        let finding = found(5_000, 4_600).expect("a finding");
        assert!(finding.evidence.ends_with("in the partner's tray 400 ms before the press."));
        let due = Press { t_us: 5_000_000, made: false };
        let finding = early_pass(&ply(), 0, due, (4_600_000, 1.0)).expect("a finding");
        assert!(
            finding.evidence.ends_with("in the partner's tray 400 ms before the press was due.")
        );
    }

    #[test]
    fn a_piece_that_two_hands_can_have_brought_was_not() {
        assert!(found(5_000, 5_100).is_some());
        assert_eq!(found(5_000, 5_600), None);
    }
}
