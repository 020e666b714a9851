//! The opponent pressed with a pawn on its last rank.
//!
//! Topics: `Promotion`.

use rules::rulebook::{Topic, terms::Promotion};

use super::remedy::illegal_move;
use crate::{
    act::Remedy,
    case::Case,
    claim::{Call, Timing, Verdict},
    draws,
    offences::leaves_pawn_on_last_rank,
    window,
};

pub(super) fn judge(case: &Case<'_>, call: &Call) -> Verdict {
    let rule = [case.cite(Topic::Promotion), case.cite(Topic::IllegalAgain)];
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
    let is_illegal = case.terms().promotion == Promotion::IllegalBecomesQueen;
    if is_illegal && let Some(closed) = window::of_ply(case, index, call.stopped_us).says(case) {
        let because = [window::cite(case)];
        return Verdict::denied(because, closed).timed(Timing::Late).against(ply.report.id);
    }
    if let Some((_, answer)) = answer.filter(|_| !is_illegal) {
        let says = format!("{claimant} has answered with {}.", answer.san);
        return Verdict::denied(rule, says).timed(Timing::Late).against(ply.report.id);
    }
    let becomes = match case.terms().promotion {
        Promotion::IllegalBecomesQueen => " The pawn becomes a queen.",
        _ => "",
    };
    let says = format!(
        "{offender} pressed after {} with the pawn still on its last rank.{becomes}",
        ply.san
    );
    Verdict::upheld(rule, says).against(ply.report.id).if_upheld(remedy(case, call))
}

fn remedy(case: &Case<'_>, call: &Call) -> Remedy {
    match case.terms().promotion {
        Promotion::ClockRestarted => Remedy::RestartClock(call.seat().opponent()),
        Promotion::ClockStopped => Remedy::ClocksStand,
        Promotion::PawnOnItsSide | Promotion::SparePiecePreferred | Promotion::Replaced => {
            Remedy::Nothing
        }
        Promotion::IllegalBecomesQueen => {
            let (offender, position) =
                (call.seat().opponent(), case.timeline.now().boards.position(call.seat().board));
            let can_mate = draws::can_mate(case, position, call.seat().color);
            let first = |penalty: Option<_>| match penalty {
                Some(penalty) => Remedy::Penalty { whom: offender, penalty },
                None => Remedy::Nothing,
            };
            illegal_move(case, offender, can_mate, first).0
        }
    }
}
