//! The opponent's ply was illegal.
//!
//! Topics: `IllegalPly`, `IllegalClaim`, `IllegalClaimLapses`, `ClaimOrder`, `KingBesideKing`, `MatingMaterial`, `MaterialDraw`.

use rules::{
    Seat,
    rulebook::{
        Cite, Topic,
        terms::{IllegalCost, KingBesideKing, Promotion},
    },
};

use super::remedy::{illegal_move, loses_or_draws};
use crate::{
    act::{Reinstatement, Remedy},
    case::Case,
    claim::{Call, Timing, Verdict},
    draws,
    ids::PlyId,
    names,
    offences::{illegality, is_beside_king, leaves_pawn_on_last_rank},
    timeline::TimedPly,
    window::{self, Window},
};

/// Minimum probability from which an inference counts as certain.
const SURE_FROM: f64 = 0.9;

/// Judges the claim. `flag_was_claimed_first`: whether the opponent claimed on time before.
pub(super) fn judge(
    case: &Case<'_>,
    call: &Call,
    flag_was_claimed_first: impl FnOnce() -> bool,
) -> Verdict {
    let (claimant, offender) = call.sides();
    let Some(index) = target(case, call) else {
        let says = format!("No ply of {offender} on this board is known to be illegal.");
        return Verdict::denied(
            [case.cite(Topic::IllegalClaim), case.cite(Topic::IllegalPly)],
            says,
        );
    };
    let ply = &case.timeline.plies()[index];
    let id = ply.report.id;
    let offender = names::side(ply.report.side);
    let otherwise = match call.call.against.is_some_and(|named| named != id) {
        true => "Not the ply that was named: ",
        false => "",
    };
    let why = illegality::why(case, ply);
    let what = format!("{otherwise}{offender} played {}: {why}.", ply.san);
    if ply.report.t_us > call.stopped_us {
        let says = format!("{what} {offender} had not pressed when the clocks were stopped.");
        return Verdict::denied(
            [case.cite(Topic::IllegalCompletion), case.cite(Topic::Completion)],
            says,
        )
        .timed(Timing::TooEarly)
        .against(id);
    }
    if let Some(closed) = window::of_ply(case, index, call.stopped_us).says(case) {
        let says = format!("{what} {closed}");
        let because = [window::cite(case), case.cite(Topic::IllegalUnnoticed)];
        return Verdict::denied(because, says).timed(Timing::Late).against(id);
    }
    if let Some(verdict) = caught_by_own_king(case, call, index) {
        return verdict.against(id);
    }
    let rule = rule_of(case, ply);
    let p = illegality::probability(case, index, ply);
    if p < SURE_FROM {
        let says = format!("{what} That it was this ply is not sure ({:.0} %).", p * 100.0);
        return Verdict::unclear(rule, says).against(id).if_upheld(cost(case, call, index).0);
    }
    if flag_was_claimed_first() {
        let says = format!("{what} {offender} claimed on time before {claimant} claimed it.");
        return Verdict::denied([case.cite(Topic::ClaimOrder)], says).against(id);
    }
    let (remedy, by_material) = cost(case, call, index);
    let mut because = by_material.to_vec();
    because.extend(rule);
    because.push(case.cite(Topic::IllegalAgain));
    Verdict::upheld(because, what).against(id).if_upheld(remedy)
}

/// The clauses that make the ply illegal and say what that costs.
fn rule_of(case: &Case<'_>, ply: &TimedPly) -> [Option<Cite>; 3] {
    let beside = is_beside_king(ply).then(|| case.cite(Topic::KingBesideKing));
    [beside.flatten(), case.cite(Topic::IllegalClaim), illegality::rule(case, ply)]
}

/// The ply that the claim is against: the one that is named, if it is illegal as far as known and could be claimed when the
/// clocks stood. Otherwise the opponent's last illegal one that could, because a player claims that some ply is illegal, and
/// the named one may have been revised by now. Where none could, the named one, else the last that was complete, else the one
/// that was under way.
fn target(case: &Case<'_>, call: &Call) -> Option<usize> {
    let offender = call.seat().opponent();
    let of_offender = || {
        let plies = case.timeline.on_board(offender.board);
        plies.filter(|(_, ply)| ply.report.seat() == offender)
    };
    let is_illegal = |&(_, ply): &(usize, &TimedPly)| illegality::is_illegal(case, ply);
    let is_complete = |&(_, ply): &(usize, &TimedPly)| ply.report.t_us <= call.stopped_us;
    let is_open = |&index: &usize| window::of_ply(case, index, call.stopped_us) == Window::Open;
    let complete = || of_offender().filter(is_complete).filter(is_illegal).map(|(index, _)| index);
    let under_way = || of_offender().find(|ply| !is_complete(ply)).filter(is_illegal);
    let named = call.call.against.and_then(|id| named(case, call, id));
    let in_time = named.filter(is_open).or_else(|| complete().filter(is_open).max());
    in_time.or(named).or_else(|| complete().max()).or_else(|| Some(under_way()?.0))
}

/// The ply that is named, if it is illegal and may be claimed from this seat.
fn named(case: &Case<'_>, call: &Call, id: PlyId) -> Option<usize> {
    // Where the position is put back, players may point out plies of their own, too.
    let may_be_own = match case.terms().illegal.costs {
        IllegalCost::Game => false,
        IllegalCost::Reinstated { .. } | IllegalCost::ReinstatedThenGame { .. } => true,
    };
    case.timeline.index_of(id).filter(|&index| {
        let ply = &case.timeline.plies()[index];
        let seat = ply.report.seat();
        (seat == call.seat().opponent() || (may_be_own && seat == call.seat()))
            && illegality::is_illegal(case, ply)
    })
}

/// Cost of the illegal ply at `index`, and the clauses that make it a draw.
fn cost(case: &Case<'_>, call: &Call, index: usize) -> (Remedy, [Option<Cite>; 2]) {
    let ply = &case.timeline.plies()[index];
    let can_mate = |offender: Seat| {
        let position = ply.after.boards.position(offender.board);
        draws::can_mate(case, position, offender.color.other())
    };
    match case.terms().illegal.costs {
        IllegalCost::Game => {
            let offender = call.seat().opponent();
            loses_or_draws(case, offender, can_mate(offender))
        }
        IllegalCost::ReinstatedThenGame { opponent_s } => {
            let offender = ply.report.seat();
            let stays = case.terms().promotion == Promotion::IllegalBecomesQueen
                && leaves_pawn_on_last_rank(ply);
            illegal_move(case, offender, can_mate(offender), |penalty| match (stays, penalty) {
                (true, Some(penalty)) => Remedy::Penalty { whom: offender, penalty },
                _ => Remedy::Reinstate(reinstatement(case, index, opponent_s)),
            })
        }
        IllegalCost::Reinstated { opponent_s } => {
            (Remedy::Reinstate(reinstatement(case, index, opponent_s)), [None; 2])
        }
    }
}

/// The position before the ply at `index`, to be reinstated.
fn reinstatement(case: &Case<'_>, index: usize, opponent_s: u32) -> Reinstatement {
    let report = &case.timeline.plies()[index].report;
    let reading = case.clocks.reading(report.board);
    Reinstatement {
        before: report.id,
        fen: rules::fen::format_match_board(&case.timeline.before(index).boards, report.board),
        touched: report.ply.from(),
        opponent: report.seat().opponent(),
        opponent_s,
        clocks_ms: [
            reading.map(|reading| reading.white_ms),
            reading.map(|reading| reading.black_ms),
        ],
    }
}

/// A player who moved the king beside the other king and claims that the check was not noticed.
fn caught_by_own_king(case: &Case<'_>, call: &Call, index: usize) -> Option<Verdict> {
    if case.terms().king_beside_king != KingBesideKing::ClaimantLoses {
        return None;
    }
    let board = call.seat().board;
    let (_, own) = case.timeline.on_board(board).take_while(|&(at, _)| at < index).last()?;
    let is_own = own.report.seat() == call.seat() && is_beside_king(own);
    let (claimant, _) = call.sides();
    let says = format!(
        "{claimant} had moved the king beside the other king and claims the check that followed from it."
    );
    is_own.then(|| {
        Verdict::denied([case.cite(Topic::KingBesideKing), case.cite(Topic::IllegalClaim)], says)
            .if_denied(Remedy::LosesGame(call.seat()))
    })
}

/// Whether the claim would be upheld without a claim on time: for the other half of the order of claims.
pub(super) fn stands_alone(case: &Case<'_>, call: &Call) -> bool {
    target(case, call).is_some_and(|index| {
        let ply = &case.timeline.plies()[index];
        ply.report.t_us <= call.stopped_us
            && window::of_ply(case, index, call.stopped_us) == Window::Open
            && caught_by_own_king(case, call, index).is_none()
            && illegality::probability(case, index, ply) >= SURE_FROM
    })
}
