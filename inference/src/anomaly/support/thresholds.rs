//! From which confidence on an anomaly is reported, by rulebook and code.

use rules::rulebook::BookId;

use crate::report::{AnomalyCode, Stage};

/// Likelier than not.
pub(crate) const LIKELIER_THAN_NOT: f64 = 0.5;
/// Where a book makes touching a piece an offence, its director wants to know of it…
const TOUCH_MOVE_OFFENCE: f64 = 0.6;
/// …and where it is none, only of what is hardly to be doubted.
const TOUCH_MOVE_NO_OFFENCE: f64 = 0.68;
/// A piece that is dropped and read late cannot be told from an early press any better than this; what is more
/// doubtful is mostly such a piece.
const EARLY_PRESS: f64 = 0.5;
/// Another hand at the clock is an accusation: reported when it is clearly likelier than not.
const CLOCK_HAND: f64 = 0.58;
/// An illegal move that is shown and taken back has accused a child: while more is to come, it is reported when it is this
/// sure. UnweighedPly on hands drawn anew, as `docs/decisions/0023-hands-nobody-tuned-for.md` says.
const ILLEGAL_MOVE_LIVE: f64 = 0.7;
/// While a match is followed, reports are retracted only when they are clearly more doubtful than what is reported, so that they
/// do not come and go with every press. The last word on a match knows no such patience.
const HYSTERESIS: f64 = 0.2;

/// The confidence from which on an anomaly is reported.
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

/// The confidence below which a report is taken back.
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
