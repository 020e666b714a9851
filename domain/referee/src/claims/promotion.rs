//! The opponent pressed with a pawn on its last rank.
//!
//! Topics: `Promotion`.

use rules::rulebook::{Topic, terms::Promotion};

use crate::{
    act::Remedy,
    case::Case,
    claim::{Call, Timing, Verdict},
    offences::leaves_pawn_on_last_rank,
};

pub(super) fn judge(case: &Case<'_>, call: &Call) -> Verdict {
    let rule = [case.cite(Topic::Promotion)];
    let (claimant, offender) = call.sides();
    let seat = call.seat().opponent();
    let plies =
        case.timeline.on_board(seat.board).filter(|(_, ply)| ply.report.t_us <= call.stopped_us);
    let Some((index, ply)) = plies.clone().rfind(|(_, ply)| ply.report.seat() == seat) else {
        return Verdict::denied(rule, format!("{offender} has not moved yet."));
    };
    if !leaves_pawn_on_last_rank(ply) {
        let says = format!("The board shows no pawn of {offender} that was left on its last rank.");
        return Verdict::unclear(rule, says).if_upheld(remedy(case, call));
    }
    let answer = plies.clone().find(|&(at, ply)| at > index && ply.report.seat() == call.seat());
    if let Some((_, answer)) = answer {
        let says = format!("{claimant} has answered with {}.", answer.san);
        return Verdict::denied(rule, says).timed(Timing::Late).against(ply.report.id);
    }
    let says =
        format!("{offender} pressed after {} with the pawn still on its last rank.", ply.san);
    Verdict::upheld(rule, says).against(ply.report.id).if_upheld(remedy(case, call))
}

fn remedy(case: &Case<'_>, call: &Call) -> Remedy {
    match case.terms().promotion {
        Promotion::ClockRestarted => Remedy::RestartClock(call.seat().opponent()),
        Promotion::ClockStopped => Remedy::ClocksStand,
        Promotion::PawnOnItsSide | Promotion::SparePiecePreferred | Promotion::Replaced => {
            Remedy::Nothing
        }
    }
}
