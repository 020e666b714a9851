//! A king is in check, and neither a ply nor a supplied piece can help.
//!
//! Topics: `Mate`, `DropChecks`. On a board to which nobody supplies a piece, a mate at a distance is a mate.

use rules::{
    BoardState,
    rulebook::{Finding, Topic},
};

use super::about_ply;
use crate::{alert::Alert, case::Case, names};

pub(super) fn find(case: &Case<'_>) -> Vec<Alert> {
    let mates =
        case.timeline.plies().iter().filter(|ply| {
            ply.state == BoardState::Mate && ply.king_taken.is_none() && !ply.is_undone
        });
    mates
        .map(|ply| {
            let mut alert = about_ply(case, ply, Finding::Mate);
            let proposed = case.proposal.filter(|proposal| proposal.ply == Some(ply.report.id));
            if let Some(proposal) = proposed {
                alert.confidence = proposal.confidence;
            }
            let then = match proposed {
                Some(_) => "",
                None => " Play went on, so the table did not see it so.",
            };
            // Only a drop comes under the clause about drops.
            alert.further = case
                .cite(Topic::DropChecks)
                .filter(|_| ply.report.ply.is_drop())
                .into_iter()
                .collect();
            alert.evidence = format!(
                "Board {}: {} gave mate with {}.{then}",
                ply.report.board,
                names::side(ply.report.side),
                ply.san
            );
            alert
        })
        .collect()
}
