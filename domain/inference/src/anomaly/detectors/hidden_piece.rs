//! `hidden-piece`: a captured piece came neither into the tray nor onto the board for ten seconds.
//!
//! ```text
//! confidence = CONFIDENCE · p(capture) · p(not seen)   if the piece was neither laid down nor dropped in time
//!            = 0                                       if it was
//! ```
//!
//! p(capture) is the probability of the capturing ply.
//! [`tray_matching`](crate::anomaly::trays::matching) assigns arrivals and drops to captures, and
//! says with which probability none is left for this one. Only boards with trays tell.
//!
//! Serves the topic hiding: captured pieces stay in sight. A captor who hands a piece over late
//! hides nothing, and neither does a partner who keeps it in the open hand for a moment. Both take
//! less than ten seconds. A piece beside the tray or in an open hand looks the same as a hidden
//! one. The evidence says only that it was not seen; a director sees where it is.

use crate::anomaly::{
    findings::finding::prelude::*,
    trays::matching::{Capture, HIDDEN_US, Matched},
};

/// Time after which a due piece is searched without a press, microseconds. Assumed:
/// a piece that was dropped in time is known from the press of the drop, which comes within a few
/// seconds.
const SEARCHED_AFTER_US: u64 = 5_000_000;
/// Confidence if the capture is certain. The doubt: a slot that does not sense, or an arrival that
/// belongs to another capture. Assumed.
const CONFIDENCE: f64 = 0.9;

/// Time at which a captured piece counts as hidden if it has not been seen, microseconds.
pub(crate) const fn due_us(capture: &Capture) -> u64 {
    capture.press_us.saturating_add(HIDDEN_US)
}

/// Time at which the piece of a capture is searched without a press, microseconds.
pub(crate) const fn searched_us(capture: &Capture) -> u64 {
    due_us(capture).saturating_add(SEARCHED_AFTER_US)
}

/// A finding for the piece of a capture that `owner` should have shown, at the time when it counts
/// as hidden if it has not been seen. Its confidence is 0 if the piece was shown.
pub(crate) fn hidden_piece(owner: Color, matched: &Matched) -> Finding {
    // The match has only arrivals and drops that came in time.
    let Matched { capture, shown, p } = matched;
    let owner_name = words::side(owner);
    let evidence = format!(
        "{owner_name}'s partner captured a {}; {} s after the press it had been seen neither in {owner_name}'s tray nor on the board. A piece in an \
             open hand or beside the tray looks the same.",
        words::name(capture.role),
        words::seconds(HIDDEN_US),
    );
    let confidence = if shown.is_some() { 0.0 } else { CONFIDENCE * capture.p * p };
    Finding::new(AnomalyCode::HiddenPiece, due_us(capture), confidence, evidence).by(owner)
}

#[cfg(test)]
mod tests {
    use rules::Role;

    use super::*;
    use crate::anomaly::trays::matching::{Capture, TrayPiece};

    const CAPTURE: Capture = Capture {
        place: (1, 0),
        begun_us: 3_000_000,
        press_us: 5_000_000,
        role: Role::Knight,
        p: 1.0,
    };

    #[test]
    fn a_piece_that_is_neither_laid_down_nor_dropped_in_time_is_hidden() {
        let never = Matched { capture: CAPTURE, shown: None, p: 1.0 };
        let found = hidden_piece(Color::Black, &never);
        assert_eq!(found.confidence, CONFIDENCE);
        assert!(found.evidence.starts_with("Black's partner captured a knight; 10.0 s after"));
        let confidence = |matched: Matched| hidden_piece(Color::Black, &matched).confidence;
        assert_eq!(confidence(Matched { p: 0.5, ..never }), 0.5 * CONFIDENCE);
        let laid = TrayPiece { t_us: 6_000_000, dropped: None };
        assert_eq!(confidence(Matched { shown: Some(laid), ..never }), 0.0);
    }
}
