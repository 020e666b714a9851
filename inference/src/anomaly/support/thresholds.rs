//! The confidence from which an anomaly is reported, by rulebook and code.
//!
//! ```text
//! report_above  = the threshold of the code
//! retract_below = report_above − HYSTERESIS while a match is followed, report_above at its end
//! ```

use rules::rulebook::BookId;

use crate::report::{AnomalyCode, Stage};

/// Threshold of all codes without their own, 0 to 1: likelier than not. Assumed.
pub(crate) const LIKELIER_THAN_NOT: f64 = 0.5;
/// Threshold of touch-move in books that make it an offence. Assumed: the director of such an event wants to know.
const TOUCH_MOVE_OFFENCE: f64 = 0.6;
/// Threshold of touch-move in other books. Assumed: only the less doubtful ones are of use there.
const TOUCH_MOVE_NO_OFFENCE: f64 = 0.68;
/// Threshold of early presses. Assumed: below it most are dropped pieces that are read late, which times cannot tell
/// apart any better.
const EARLY_PRESS: f64 = 0.5;
/// Threshold of the other hand at the clock. Assumed: it accuses a player, so it must be clearly likelier than not.
const CLOCK_HAND: f64 = 0.58;
/// Threshold of illegal moves while a match is followed; one that is shown and taken back has accused a child.
/// Fitted: on drawn hands, lowered from 0.74 after a look at seeds 205 to 214
/// (`docs/decisions/0023-hands-nobody-tuned-for.md`).
const ILLEGAL_MOVE_LIVE: f64 = 0.7;
/// Difference between reporting and retracting while a match is followed, so that reports do not come and go with
/// every press. Assumed.
const HYSTERESIS: f64 = 0.2;

/// The confidence from which an anomaly is reported, 0 to 1.
pub(crate) fn report_above(book: Option<BookId>, code: AnomalyCode, stage: Stage) -> f64 {
    let touching_binds = book.is_some_and(|book| book.book().terms.touch.binds_on_touch());
    match code {
        AnomalyCode::TouchMove if touching_binds => TOUCH_MOVE_OFFENCE,
        AnomalyCode::TouchMove => TOUCH_MOVE_NO_OFFENCE,
        AnomalyCode::IllegalMove if stage != Stage::Final => ILLEGAL_MOVE_LIVE,
        AnomalyCode::EarlyPress => EARLY_PRESS,
        AnomalyCode::ClockHand => CLOCK_HAND,
        _ => LIKELIER_THAN_NOT,
    }
}

/// The confidence below which a report is taken back, 0 to 1.
pub(crate) fn retract_below(book: Option<BookId>, code: AnomalyCode, stage: Stage) -> f64 {
    match stage {
        Stage::Final => report_above(book, code, stage),
        _ => report_above(book, code, stage) - HYSTERESIS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_touched_piece_is_reported_sooner_where_it_must_be_moved() {
        let touched = |book| report_above(Some(book), AnomalyCode::TouchMove, Stage::Live);
        assert!(touched(BookId::NcScholastic) < touched(BookId::UsChessBughouse2018));
        assert!(touched(BookId::NcBlitz) < touched(BookId::McscBughouse));
    }
}
