//! Order of two claims: an illegal ply and a fallen flag, each claimed by one of two opponents.
//!
//! Topics: `ClaimOrder`.

use rules::rulebook::ClaimKind;

use super::{flag_fall, illegal_ply};
use crate::{case::Case, claim::Call};

/// Whether the opponent claimed an illegal ply of the claimant's before, or at the same moment.
pub(super) fn illegal_ply_was_claimed(case: &Case<'_>, call: &Call) -> bool {
    let other = call.seat().opponent();
    case.terms().illegal.order_with_flag
        && case.decisions.open_claims().any(|claim| {
            claim.call.kind == ClaimKind::IllegalPly
                && claim.call.by == other
                && claim.stopped_us <= call.stopped_us
                && illegal_ply::stands_alone(case, claim)
        })
}

/// Whether the opponent claimed on time before the clocks were stopped for this claim.
pub(super) fn flag_was_claimed_first(case: &Case<'_>, call: &Call) -> bool {
    let offender = call.seat().opponent();
    case.terms().illegal.order_with_flag
        && case.decisions.open_claims().any(|claim| {
            claim.call.kind == ClaimKind::FlagFall
                && claim.call.by == offender
                && claim.stopped_us < call.stopped_us
                && flag_fall::stands_alone(case, claim)
        })
}
