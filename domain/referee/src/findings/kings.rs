//! Kings: mate, check that a supplied piece could block, a king that was taken, a king beside the other.
//!
//! Topics: `Mate`, `DropChecks`, `Waiting`, `IllegalClaim`, `KingBesideKing`.

use rules::{
    BoardState,
    rulebook::{
        Finding, Topic,
        terms::{KingBesideKing, Waiting},
    },
};

use super::about::{about_last_plies, about_ply};
use crate::{alert::Alert, case::Case, names, offences::is_beside_king};

/// A king is in check, and neither a ply nor a supplied piece can help. On a board without supply a mate at a distance is a
/// mate.
pub(super) fn mate(case: &Case<'_>) -> Vec<Alert> {
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

/// A king was taken as a claim: after an illegal ply of the opponent's, by a piece that goes there. A king that is taken otherwise
/// is an illegal ply like others.
pub(super) fn captured(case: &Case<'_>) -> Vec<Alert> {
    let claims = case.timeline.plies().iter().filter(|ply| ply.is_king_capture_claim());
    claims
        .map(|ply| {
            let evidence = format!(
                "Board {}: {} took the king with {}, which claims the illegal ply before it.",
                ply.report.board,
                names::side(ply.report.side),
                ply.san
            );
            Alert { evidence, ..about_ply(case, ply, Finding::KingCaptured) }
        })
        .collect()
}

/// A player in check has no ply, but a supplied piece could still block the check, and the clocks are stopped. The alert shows the
/// basis of a claim of mate.
pub(super) fn blockable_check(case: &Case<'_>) -> Vec<Alert> {
    about_last_plies(case, Finding::BlockableCheck, |_, ply| {
        let is_stopped = case.clocks.stopped_us(ply.report.board).is_some();
        (is_stopped && ply.state == BoardState::BlockableCheck).then(|| {
            let may_wait = match case.terms().waiting {
                Waiting::OnMove | Waiting::InBlockableCheck => "may wait for it",
                Waiting::NobodySupplies => "gets no piece to wait for",
            };
            format!(
                "Board {}: play stopped after {}. It is check without a legal reply, and a piece from the partner \
                 could still block: not mate while time remains. {} {may_wait}.",
                ply.report.board,
                ply.san,
                names::side(ply.report.side.other())
            )
        })
    })
}

/// A king was moved beside the other king. The ply is illegal in every book; two books say more about it.
pub(super) fn beside_king(case: &Case<'_>) -> Vec<Alert> {
    let consequence = match case.terms().king_beside_king {
        KingBesideKing::Illegal => return Vec::new(),
        KingBesideKing::ClaimantLoses => {
            "A player who does it and then claims the unseen check loses."
        }
        KingBesideKing::Forfeits => "It forfeits the game.",
    };
    let beside = case.timeline.plies().iter().filter(|ply| is_beside_king(ply) && !ply.is_undone);
    beside
        .map(|ply| {
            let mut alert = about_ply(case, ply, Finding::KingBesideKing);
            alert.silent = !case.td_calls();
            alert.evidence = format!(
                "{} put the king beside the other king with {}. {consequence}",
                names::side(ply.report.side),
                ply.san
            );
            alert
        })
        .collect()
}
