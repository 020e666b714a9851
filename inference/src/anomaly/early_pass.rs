//! `early-pass`: a captured piece was handed over before its capture was complete.
//!
//! Serves the rules by which a captured piece goes to the partner only after the press
//! (`us-chess-bughouse-2018 9` and the same number of the other bughouse books). A tray says when the piece was laid
//! down; after a press, a hand has to go to the partner and the partner's to the slot. How long that takes depends on the hands and
//! on where the clock stands: only what no hands can do is reported.

use super::support::{finding::Finding, words};
use crate::{answers::marginals::PlyEstimate, report::AnomalyCode};

/// A piece that is laid down less than this after the press, microseconds, was handed over before it: two hands
/// cannot be so quick.
const TWO_HANDS_US: u64 = 150_000;
/// Laid down before the press: nothing else explains it but an arrival that belongs to another capture.
const BEFORE_THE_PRESS: f64 = 0.99;
/// Laid down right after the press.
const RIGHT_AFTER: f64 = 0.9;
/// Who hands a victim over and then takes so long to put the own piece down and press, microseconds, has captured something else.
const LONG_BEFORE_US: u64 = 6_000_000;

/// The press that completes a capture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Press {
    /// When it was made, or was due, microseconds.
    pub(crate) t_us: u64,
    /// Whether it was made, and not forgotten or late.
    pub(crate) made: bool,
}

/// A finding for a ply that captured, if its piece arrived too soon for its press.
pub(crate) fn early_pass(
    ply: &PlyEstimate,
    slot: usize,
    press: Press,
    arrival_us: u64,
) -> Option<Finding> {
    let soon = arrival_us < press.t_us.saturating_add(TWO_HANDS_US);
    if !soon || arrival_us.saturating_add(LONG_BEFORE_US) < press.t_us {
        return None;
    }
    let before = arrival_us < press.t_us;
    Some(Finding {
        code: AnomalyCode::EarlyPass,
        side: Some(ply.side),
        t_us: ply.t_us,
        confidence: if before { BEFORE_THE_PRESS } else { RIGHT_AFTER },
        slot: Some(slot),
        reason: None,
        evidence: format!(
            "{} captured with {}; the piece lay in the partner's tray {} ms {} the press{}.",
            words::side(ply.side),
            words::ply(ply.ply),
            arrival_us.abs_diff(press.t_us) / 1_000,
            if before { "before" } else { "after" },
            if press.made { "" } else { " was due" },
        ),
    })
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
            captures: false,
            alternatives: Vec::new(),
        }
    }

    /// What is found if the ply's press was made at this time and its piece arrived at that, milliseconds.
    fn found(press_ms: u64, arrival_ms: u64) -> Option<Finding> {
        let press = Press { t_us: press_ms * 1_000, made: true };
        early_pass(&ply(), 0, press, arrival_ms * 1_000)
    }

    #[test]
    fn a_piece_in_the_tray_before_the_press_was_passed_early() {
        let finding = found(5_000, 4_600).expect("a finding");
        assert!(finding.evidence.ends_with("in the partner's tray 400 ms before the press."));
        let due = Press { t_us: 5_000_000, made: false };
        let finding = early_pass(&ply(), 0, due, 4_600_000).expect("a finding");
        assert!(
            finding.evidence.ends_with("in the partner's tray 400 ms before the press was due.")
        );
    }

    #[test]
    fn a_piece_that_two_hands_can_have_brought_was_not() {
        assert!(found(5_000, 5_100).is_some());
        assert_eq!(found(5_000, 5_600), None);
    }

    #[test]
    fn a_piece_that_came_long_before_the_capture_was_no_victim_of_it() {
        assert!(found(25_000, 21_000).is_some());
        assert_eq!(found(25_000, 14_000), None);
    }
}
