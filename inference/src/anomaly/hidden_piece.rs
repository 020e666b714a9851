//! `hidden-piece`: a captured piece did not come into the tray, nor onto the board, for long.
//!
//! Serves the rules against hiding captured pieces (`us-chess-bughouse-2018 11` and the same number of the other
//! bughouse books). Only with trays; a piece that lies beside its tray looks the same, which is for the director to see.

use rules::Color;

use super::{
    Finding,
    passing::{Capture, Matched},
    words,
};
use crate::output::AnomalyCode;

/// From the capture's press until the partner holds the piece, microseconds.
const HANDED_OVER_US: u64 = 650_000;
/// How long a piece may be held before it counts as hidden, microseconds.
const HIDDEN_US: u64 = 5_000_000;
/// From taking a piece to its landing on the board, microseconds.
const DROP_US: u64 = 350_000;
/// What is left of doubt: a slot that does not sense, an arrival taken for another's.
const CONFIDENCE: f64 = 0.97;

/// When a captured piece counts as hidden if it has not been seen.
pub(super) const fn due_us(capture: &Capture) -> u64 {
    capture.press_us.saturating_add(HANDED_OVER_US + HIDDEN_US)
}

/// A finding for a capture's piece that `owner` should have shown. Confidence 0 if it was shown after all.
pub(super) fn hidden_piece(owner: Color, matched: &Matched) -> Finding {
    let Matched { capture, arrival_us, dropped_us } = matched;
    let due_us = due_us(capture);
    let shown = arrival_us.is_some_and(|arrival_us| arrival_us <= due_us)
        || dropped_us.is_some_and(|dropped_us| dropped_us <= due_us + DROP_US);
    Finding {
        code: AnomalyCode::HiddenPiece,
        side: Some(owner),
        t_us: due_us,
        confidence: if shown { 0.0 } else { CONFIDENCE * capture.p },
        slot: None,
        reason: None,
        evidence: format!(
            "{}'s partner captured a {}; {} s after the press it was neither in {}'s tray nor on the board.",
            words::side(owner),
            words::name(capture.role),
            words::seconds(due_us - capture.press_us),
            words::side(owner),
        ),
    }
}

#[cfg(test)]
mod tests {
    use rules::Role;

    use super::*;

    const CAPTURE: Capture = Capture {
        place: (1, 0),
        begun_us: 3_000_000,
        press_us: 5_000_000,
        role: Role::Knight,
        p: 1.0,
    };

    #[test]
    fn a_piece_that_is_neither_laid_down_nor_dropped_in_time_is_hidden() {
        let never = Matched { capture: CAPTURE, arrival_us: None, dropped_us: None };
        let found = hidden_piece(Color::Black, &never);
        assert_eq!(found.confidence, CONFIDENCE);
        assert!(found.evidence.starts_with("Black's partner captured a knight; 5.6 s after"));
        let confidence = |matched: Matched| hidden_piece(Color::Black, &matched).confidence;
        assert_eq!(confidence(Matched { arrival_us: Some(6_000_000), ..never }), 0.0);
        assert_eq!(confidence(Matched { dropped_us: Some(8_000_000), ..never }), 0.0);
        assert_eq!(confidence(Matched { dropped_us: Some(60_000_000), ..never }), CONFIDENCE);
    }
}
