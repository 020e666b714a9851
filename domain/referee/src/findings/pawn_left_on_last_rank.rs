//! The clock was pressed with a pawn on its last rank.
//!
//! Topics: `Promotion`. In bughouse books the pawn stays there on its side; in blitz the opponent may have it put right.

use rules::{
    Color, IllegalReason, Piece, Ply, Rank, Role,
    rulebook::{ClaimKind, Finding, terms::Promotion},
};

use super::about_ply;
use crate::{
    alert::{Alert, ClaimState},
    case::Case,
    names,
    timeline::TimedPly,
};

pub(super) fn find(case: &Case<'_>) -> Vec<Alert> {
    match case.terms().promotion {
        Promotion::PawnOnItsSide | Promotion::SparePiecePreferred => return Vec::new(),
        Promotion::ClockRestarted | Promotion::ClockStopped | Promotion::Replaced => {}
    }
    let plies = case.timeline.plies();
    let left = plies.iter().enumerate().filter(|(_, ply)| is_left(ply) && !ply.is_undone);
    left.map(|(index, ply)| {
        let mut alert = about_ply(case, ply, Finding::PawnLeftOnLastRank);
        let is_answered = case.timeline.later_on_board(ply.report.board, index).next().is_some();
        alert.claim = match case.book().claim(ClaimKind::PawnLeftOnLastRank) {
            None => ClaimState::NotClaimable,
            Some(_) if case.is_over || is_answered => ClaimState::Closed,
            Some(_) => ClaimState::Open,
        };
        alert.silent = alert.claim != ClaimState::NotClaimable && !case.td_calls();
        alert.evidence = format!(
            "{} pressed after {} with the pawn still on its last rank.",
            names::side(ply.report.side),
            ply.san
        );
        alert
    })
    .collect()
}

/// Whether the ply left a pawn on its last rank.
pub(crate) fn is_left(ply: &TimedPly) -> bool {
    let Ply::Move { to, .. } = ply.report.ply else { return false };
    let last = match ply.report.side {
        Color::White => Rank::Eighth,
        Color::Black => Rank::First,
    };
    let piece = ply.after.boards.position(ply.report.board).piece_at(to);
    ply.illegal == Some(IllegalReason::PromotionMissing)
        || to.rank() == last && piece == Some(Piece { role: Role::Pawn, color: ply.report.side })
}
