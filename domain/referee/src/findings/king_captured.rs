//! A king was taken as a claim: after an illegal ply of the opponent's, by a piece that goes there.
//!
//! Topics: `IllegalClaim`. A king that is taken otherwise is an illegal ply like others ([`illegal_move`](super::illegal_move)).

use rules::rulebook::Finding;

use super::about_ply;
use crate::{alert::Alert, case::Case, names, timeline::TimedPly};

pub(super) fn find(case: &Case<'_>) -> Vec<Alert> {
    let claims = case.timeline.plies().iter().filter(|ply| ply.is_king_capture_claim());
    claims
        .map(|ply: &TimedPly| {
            let mut alert = about_ply(case, ply, Finding::KingCaptured);
            alert.evidence = format!(
                "Board {}: {} took the king with {}, which claims the illegal ply before it.",
                ply.report.board,
                names::side(ply.report.side),
                ply.san
            );
            alert
        })
        .collect()
}
