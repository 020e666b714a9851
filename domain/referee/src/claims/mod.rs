//! Judgments of claims: whether in time, which way the rule points, and what it would cost.
//!
//! [`judge`] is a function of the match as it is known now. It decides nothing: a director does.

mod displaced;
mod drawn;
mod endings;
mod flag_fall;
mod illegal_ply;
mod losing_chances;
mod order;
mod promotion;
mod remedy;
mod repetition;
mod set_up;
mod touch_move;

use rules::{Seat, rulebook::ClaimKind};

use crate::{
    act::{ClaimCall, Decision},
    case::Case,
    claim::{Call, Points, Timing, Verdict},
    ids::PlyId,
};

/// Makes a call of a claim, with the moment that counts: the act's, or the clocks', or the time of the act.
pub(crate) fn call(case: &Case<'_>, call: ClaimCall, act_us: u64) -> Call {
    let stopped_us = call.stopped_us.or_else(|| case.clocks.stopped_us(call.by.board));
    Call {
        call,
        stopped_us: stopped_us.unwrap_or(act_us),
        is_stopped: stopped_us.is_some(),
        is_after_end: case.is_over,
    }
}

/// Updates a call with later knowledge: clocks that had been stopped, and the match's end.
pub(crate) fn updated(case: &Case<'_>, known: Call) -> Call {
    let stopped_us = case.clocks.stopped_us(known.call.by.board).filter(|_| !known.is_stopped);
    Call {
        stopped_us: stopped_us.unwrap_or(u64::MAX).min(known.stopped_us),
        is_stopped: known.is_stopped || stopped_us.is_some(),
        is_after_end: case.is_over,
        ..known
    }
}

/// The player whose doing is claimed: whose ply it is against, or else the claimant's opponent.
pub(crate) fn offender(case: &Case<'_>, call: &Call, against: Option<PlyId>) -> Seat {
    let ply = against.and_then(|id| case.timeline.ply(id));
    ply.map_or(call.seat().opponent(), |ply| ply.report.seat())
}

/// Judges a claim by the rules.
pub(crate) fn judge(case: &Case<'_>, call: &Call) -> Verdict {
    let kind = call.call.kind;
    if case.book().claim(kind).is_none() {
        return not_offered(case, kind);
    }
    match kind {
        ClaimKind::IllegalPly => {
            illegal_ply::judge(case, call, || order::flag_was_claimed_first(case, call))
        }
        ClaimKind::FlagFall => {
            flag_fall::judge(case, call, || order::illegal_ply_was_claimed(case, call))
        }
        ClaimKind::SetUp => set_up::pieces(case, call),
        ClaimKind::ClockSetting => set_up::clock(case, call),
        ClaimKind::TouchMove => touch_move::judge(case, call),
        ClaimKind::PawnLeftOnLastRank => promotion::judge(case, call),
        ClaimKind::Displaced => displaced::judge(case, call),
        ClaimKind::Mate => endings::mate(case, call),
        ClaimKind::Stalemate => endings::stalemate(case, call),
        ClaimKind::BothFlags => endings::both_flags(case, call),
        ClaimKind::Repetition => repetition::repetition(case, call),
        ClaimKind::FiftyMoves => repetition::fifty_moves(case, call),
        ClaimKind::Material => drawn::material(case, call),
        ClaimKind::DrawnEnding => drawn::ending(case, call),
        ClaimKind::DirectorsDraw => drawn::by_director(case, call),
        ClaimKind::LosingChances => losing_chances::judge(case, call),
    }
}

/// Judges a decided claim again. Returns the new verdict if it contradicts the decision and did not do so when the decision was
/// given (`then`). A match that was over by then is over for it; and of a ply that a decision took back nothing more is known.
pub(crate) fn since(
    case: &Case<'_>,
    claim: &Call,
    decided: Decision,
    then: &Verdict,
) -> Option<Verdict> {
    let against = then.against.and_then(|id| case.timeline.ply(id));
    if against.is_some_and(|ply| ply.is_undone) {
        return None;
    }
    let verdict = judge(&Case { is_over: claim.is_after_end, ..*case }, claim);
    let speaks_against = match (decided, verdict.points) {
        (Decision::Upheld, Points::Denied) | (Decision::Denied, Points::Upheld) => true,
        (Decision::Upheld | Decision::Denied | Decision::PlayOn, _) => false,
    };
    (speaks_against && verdict.points != then.points).then_some(verdict)
}

/// Verdict about a claim that the book does not know, with its clause on the matter.
fn not_offered(case: &Case<'_>, kind: ClaimKind) -> Verdict {
    let says = format!("The book knows no claim of this kind ({}).", kind.code());
    Verdict::denied([case.cite(kind.topic())], says).timed(Timing::NotOffered)
}
