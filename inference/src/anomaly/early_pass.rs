//! `early-pass`: a captured piece was handed over before its capture was complete.
//!
//! Serves the rules by which a captured piece goes to the partner only after the press
//! (`us-chess-bughouse-2018 9` and the same number of the other bughouse books). A tray says when the piece was laid
//! down; after a press, a hand has to go to the partner and the partner's to the slot, which takes half a second
//! at the least.

use rules::Color;

use super::{Finding, words};
use crate::{answer::PlyAnswer, output::AnomalyCode};

/// A piece that is laid down less than this after the press, microseconds, was handed over before it: two hands
/// cannot be so quick.
const TWO_HANDS_US: u64 = 420_000;
/// Laid down before the press: nothing else explains it but an arrival that belongs to another capture.
const BEFORE_THE_PRESS: f64 = 0.98;
/// Laid down right after the press.
const RIGHT_AFTER: f64 = 0.9;

/// A finding for a ply by `side` that captured, if its piece arrived too soon.
pub(super) fn early_pass(
    ply: &PlyAnswer,
    slot: usize,
    side: Color,
    arrival_us: u64,
) -> Option<Finding> {
    if arrival_us >= ply.t_us.saturating_add(TWO_HANDS_US) {
        return None;
    }
    let before = arrival_us < ply.t_us;
    Some(Finding {
        code: AnomalyCode::EarlyPass,
        side: Some(side),
        t_us: ply.t_us,
        confidence: if before { BEFORE_THE_PRESS } else { RIGHT_AFTER },
        slot: Some(slot),
        reason: None,
        evidence: format!(
            "{} captured with {}; the piece lay in the partner's tray {} ms {} the press.",
            words::side(side),
            words::ply(ply.ply),
            arrival_us.abs_diff(ply.t_us) / 1_000,
            if before { "before" } else { "after" },
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ply() -> PlyAnswer {
        PlyAnswer {
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

    #[test]
    fn a_piece_in_the_tray_before_the_press_was_passed_early() {
        let found = early_pass(&ply(), 0, Color::White, 4_600_000).expect("a finding");
        assert!(found.evidence.ends_with("in the partner's tray 400 ms before the press."));
    }

    #[test]
    fn a_piece_that_two_hands_can_have_brought_was_not() {
        assert!(early_pass(&ply(), 0, Color::White, 5_200_000).is_some());
        assert_eq!(early_pass(&ply(), 0, Color::White, 5_600_000), None);
    }
}
