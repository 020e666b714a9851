//! Plies were made after the match was decided.
//!
//! Topics: `MatchEnd`. They are kept in the record and marked.

use rules::rulebook::Finding;

use super::about_ply;
use crate::{alert::Alert, case::Case};

pub(super) fn find(case: &Case<'_>) -> Vec<Alert> {
    let plies = case.timeline.plies();
    let Some((proposal, end)) =
        case.proposal.and_then(|proposal| Some((proposal, case.timeline.index_of(proposal.ply?)?)))
    else {
        return Vec::new();
    };
    let Some(first) = plies.get(end + 1) else { return Vec::new() };
    let mut alert = about_ply(case, first, Finding::PliesAfterEnd);
    alert.id = Finding::PliesAfterEnd.code().to_owned();
    alert.side = None;
    alert.confidence = proposal.confidence;
    alert.evidence = format!(
        "Board {} played on after board {} was decided ({} so far): kept in the record, marked after the end.",
        first.report.board,
        plies[end].report.board,
        plies.len() - end - 1
    );
    vec![alert]
}
