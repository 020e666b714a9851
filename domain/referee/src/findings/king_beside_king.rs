//! A king was moved beside the other king.
//!
//! Topics: `KingBesideKing`. The ply is illegal in every book; two books say more about it.

use rules::{
    Ply, Role,
    rulebook::{Finding, terms::KingBesideKing},
};

use super::about_ply;
use crate::{alert::Alert, case::Case, names, timeline::TimedPly};

pub(super) fn find(case: &Case<'_>) -> Vec<Alert> {
    let consequence = match case.terms().king_beside_king {
        KingBesideKing::Illegal => return Vec::new(),
        KingBesideKing::ClaimantLoses => "Whoever does it and then claims the unseen check loses.",
        KingBesideKing::Forfeits => "It forfeits the game.",
    };
    let beside = case.timeline.plies().iter().filter(|ply| is_beside(ply) && !ply.is_undone);
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

/// Whether the ply put its king beside the other king.
pub(crate) fn is_beside(ply: &TimedPly) -> bool {
    let position = ply.after.boards.position(ply.report.board);
    let Ply::Move { to, .. } = ply.report.ply else { return false };
    let is_king = position
        .piece_at(to)
        .is_some_and(|piece| piece.role == Role::King && piece.color == ply.report.side);
    let other = position.board().king_of(ply.report.side.other());
    is_king && other.is_some_and(|other| to.distance(other) == 1)
}
