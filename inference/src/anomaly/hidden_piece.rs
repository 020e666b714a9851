//! `hidden-piece`: a captured piece did not come into the tray, nor onto the board, for ten seconds.
//!
//! Serves the rules against hiding captured pieces (`us-chess-bughouse-2018 11` and the same number of the other
//! bughouse books), which are about what is kept from view. A captor who hands a piece over late, or a partner who keeps it in the open
//! hand for a moment, hides nothing: ten seconds are more than any of that takes. Only with trays. A piece that lies beside its tray looks
//! the same, and so does one in an open hand: the words say what was seen, and what it may be is for the director to see.

use rules::Color;

use super::support::{
    finding::Finding,
    tray_matching::{Capture, Matched},
    words,
};
use crate::anomaly::support::tray_matching::HIDDEN_US;
use crate::report::AnomalyCode;

/// What is left of doubt: a slot that does not sense, an arrival taken for another's.
const CONFIDENCE: f64 = 0.9;

/// When a captured piece counts as hidden if it has not been seen.
pub(crate) const fn due_us(capture: &Capture) -> u64 {
    capture.press_us.saturating_add(HIDDEN_US)
}

/// A finding for a capture's piece that `owner` should have shown. Confidence 0 if it was shown after all.
pub(crate) fn hidden_piece(owner: Color, matched: &Matched) -> Finding {
    let Matched { capture, arrival_us, dropped_us } = matched;
    let due_us = due_us(capture);
    // Only what was in time is matched.
    let shown = arrival_us.is_some() || dropped_us.is_some();
    Finding {
        code: AnomalyCode::HiddenPiece,
        side: Some(owner),
        t_us: due_us,
        confidence: if shown { 0.0 } else { CONFIDENCE * capture.p },
        slot: None,
        reason: None,
        evidence: format!(
            "{}'s partner captured a {}; {} s after the press it had been seen neither in {}'s tray nor on the board. A piece in an \
             open hand or beside the tray looks the same.",
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
        assert!(found.evidence.starts_with("Black's partner captured a knight; 10.0 s after"));
        let confidence = |matched: Matched| hidden_piece(Color::Black, &matched).confidence;
        assert_eq!(confidence(Matched { arrival_us: Some(6_000_000), ..never }), 0.0);
        assert_eq!(confidence(Matched { dropped_us: Some(8_000_000), ..never }), 0.0);
    }
}
