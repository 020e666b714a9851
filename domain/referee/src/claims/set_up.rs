//! Pieces were set up wrongly, or a clock was set wrongly.
//!
//! Topics: `SetUp`, `SwappedSetUp`, `TimeControl`.

use rules::rulebook::{Finding, Topic, terms::WrongKingCastling};

use crate::{
    act::Remedy,
    case::Case,
    claim::{Call, Timing, Verdict},
    window,
};

pub(super) fn pieces(case: &Case<'_>, call: &Call) -> Verdict {
    let board = call.seat().board;
    let rule = case.cite(Topic::SetUp);
    let (swapped, lapses) = (case.cite(Topic::SwappedSetUp), case.cite(Topic::SetUpLapses));
    let is_swapped = case.is_swapped(board);
    let is_seen =
        is_swapped || case.anomalies.of(Finding::SetupWrong).any(|seen| seen.board == board);
    if let Some(closed) = window::of_set_up(case, board, call.stopped_us).says(case) {
        let stays = match (is_swapped, case.terms().set_up.castling) {
            (false, _) => "",
            (true, WrongKingCastling::Lost) => {
                " King and queen stay where they are, and that king may not castle."
            }
            (true, WrongKingCastling::OtherWayRound | WrongKingCastling::NotRuled) => {
                " King and queen stay where they are, and castle the other way round."
            }
        };
        let because = [lapses.or(rule), swapped.filter(|_| is_swapped)];
        let verdict = Verdict::denied(because, format!("{closed}{stays}"));
        let restart = case.terms().set_up.restart_by_td && is_seen;
        let verdict = verdict.timed(Timing::Late);
        return if restart { verdict.if_upheld(Remedy::Restart) } else { verdict };
    }
    let because = [rule, swapped.filter(|_| is_swapped)];
    match is_seen {
        true => Verdict::upheld(because, "The pieces of this board stood wrongly at the start."),
        false => Verdict::unclear(because, "The boards do not show it: look at the position."),
    }
    .if_upheld(match case.terms().set_up.new_game {
        true => Remedy::Restart,
        false => Remedy::SetRight,
    })
}

pub(super) fn clock(case: &Case<'_>, call: &Call) -> Verdict {
    let board = call.seat().board;
    let rule = case.cite(Topic::ClockSetting).or_else(|| case.cite(Topic::SetUp));
    let because = [rule, case.cite(Topic::TimeControl)];
    let seen = case.anomalies.of(Finding::ClockSetWrong).find(|seen| seen.board == board);
    if let Some(closed) = window::of_set_up(case, board, call.stopped_us).says(case) {
        let may_be_reduced = case.terms().set_up.long_clock_reducible && seen.is_some();
        let lapses = case.cite(Topic::SetUpLapses);
        let because = lapses.map_or(because, |lapses| [Some(lapses), rule]);
        return match (may_be_reduced, case.was_set_too_long(board)) {
            (false, _) => Verdict::denied(because, closed),
            (true, Some(false)) => {
                let says = format!("{closed} The clock was not set for too long.");
                Verdict::denied(because, says)
            }
            (true, Some(true)) => {
                let says = format!("{closed} The clock was set for too long and may be shortened.");
                Verdict::upheld(because, says).if_upheld(Remedy::ReduceClock)
            }
            (true, None) => {
                let says = format!(
                    "{closed} Only a clock that was set for too long may still be shortened."
                );
                Verdict::unclear(because, says).if_upheld(Remedy::ReduceClock)
            }
        }
        .timed(Timing::Late);
    }
    match seen {
        Some(seen) => Verdict::upheld(because, seen.evidence.clone()),
        None => {
            Verdict::unclear(because, "The clock has not been seen to start with another time.")
        }
    }
    .if_upheld(Remedy::SetRight)
}
