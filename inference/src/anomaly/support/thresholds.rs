//! The confidence from which an anomaly is reported, by code.
//!
//! ```text
//! report_above  = the threshold of the code
//! retract_below = report_above − HYSTERESIS while a match is followed, report_above at its end
//! ```

use crate::report::{AnomalyCode, Stage};

/// Threshold of all codes without their own, 0 to 1: likelier than not. Assumed.
pub(crate) const LIKELIER_THAN_NOT: f64 = 0.5;
/// Threshold of touched pieces. Fitted: drawn scholastic hands, seeds 1 to 22; .94 of the reports from there on are
/// true.
const TOUCH_MOVE: f64 = 0.52;
/// Threshold of the other hand at the clock. Assumed: it accuses a player, so it must be clearly likelier than not.
const CLOCK_HAND: f64 = 0.58;
/// Threshold of illegal moves while a match is followed; one that is shown and taken back has accused a child.
/// Fitted: drawn hands of clubs and of children, seeds 1 to 22.
const ILLEGAL_MOVE_LIVE: f64 = 0.57;
/// Threshold of pieces passed early. Fitted: drawn scholastic hands, reed boards with trays, seeds 1 to 8.
const EARLY_PASS: f64 = 0.87;
/// Difference between reporting and retracting while a match is followed, so that reports do not come and go with
/// every press. Assumed.
const HYSTERESIS: f64 = 0.2;

/// The confidence from which an anomaly is reported, 0 to 1.
pub(crate) fn report_above(code: AnomalyCode, stage: Stage) -> f64 {
    match code {
        AnomalyCode::TouchMove => TOUCH_MOVE,
        AnomalyCode::IllegalMove if stage != Stage::Final => ILLEGAL_MOVE_LIVE,
        AnomalyCode::ClockHand => CLOCK_HAND,
        AnomalyCode::EarlyPass => EARLY_PASS,
        _ => LIKELIER_THAN_NOT,
    }
}

/// The confidence below which a report is taken back, 0 to 1.
pub(crate) fn retract_below(code: AnomalyCode, stage: Stage) -> f64 {
    match stage {
        Stage::Final => report_above(code, stage),
        _ => report_above(code, stage) - HYSTERESIS,
    }
}
