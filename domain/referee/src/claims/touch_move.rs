//! The opponent touched one piece and moved another.
//!
//! Topics: `TouchMove`. Evidence of boards is never conclusive: adjusting a piece looks the same.

use rules::rulebook::{Finding, Offence, Topic, terms::Touch};

use super::remedy::next_step;
use crate::{
    act::Remedy,
    case::Case,
    claim::{Call, Timing, Verdict},
    ids::PlyId,
};

pub(super) fn judge(case: &Case<'_>, call: &Call) -> Verdict {
    let rule = [case.cite(Topic::TouchMove)];
    let offender = call.seat().opponent();
    let (claimant, name) = call.sides();
    let mut seen = case.anomalies.of(Finding::TouchMove);
    let seen = seen.find(|seen| {
        seen.board == offender.board
            && seen.side == Some(offender.color)
            && call.call.against.is_none_or(|ply| seen.ply == Some(ply))
    });
    let Some(seen) = seen else {
        let says = format!("The board did not show that {name} touched another piece.");
        return Verdict::unclear(rule, says).if_upheld(remedy(case, call));
    };
    let ply = seen.ply.and_then(|id| case.timeline.index_of(id));
    let mut later = case.timeline.on_board(offender.board);
    let answer = later.find(|&(at, ply)| {
        ply_is_after(at, seen.t_us, ply.report.t_us, case, seen.ply)
            && ply.report.seat() == call.seat()
            && ply.report.let_go_us() < call.stopped_us
    });
    let verdict = match answer {
        Some((_, answer)) => {
            let says =
                format!("{} {claimant} had let go of the piece of {}.", seen.evidence, answer.san);
            Verdict::denied(rule, says).timed(Timing::Late)
        }
        None => {
            let says = format!("{} Adjusting a piece looks the same.", seen.evidence);
            Verdict::unclear(rule, says).if_upheld(remedy(case, call))
        }
    };
    match ply {
        Some(index) => verdict.against(case.timeline.plies()[index].report.id),
        None => verdict,
    }
}

fn ply_is_after(
    at: usize,
    seen_us: u64,
    ply_us: u64,
    case: &Case<'_>,
    about: Option<PlyId>,
) -> bool {
    match about.and_then(|id| case.timeline.index_of(id)) {
        Some(index) => at > index,
        None => ply_us > seen_us,
    }
}

/// Cost under the book.
fn remedy(case: &Case<'_>, call: &Call) -> Remedy {
    let offender = call.seat().opponent();
    match case.terms().touch {
        Touch::PenaltyAfterPress => next_step(case, Offence::TouchMove, offender),
        Touch::MustMove | Touch::ReleasedStays | Touch::OnBoardOnly => {
            Remedy::MoveTouched(offender)
        }
        Touch::NotRuled => Remedy::Nothing,
    }
}
