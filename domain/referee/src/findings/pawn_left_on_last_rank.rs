//! The clock was pressed with a pawn on its last rank.
//!
//! Topics: `Promotion`. In bughouse books the pawn stays there on its side; in blitz the opponent may have it put right.

use rules::rulebook::{ClaimKind, Finding, terms::Promotion};

use super::about::about_ply;
use crate::{
    alert::{Alert, ClaimState},
    case::Case,
    names,
    offences::leaves_pawn_on_last_rank,
    window,
};

pub(super) fn find(case: &Case<'_>) -> Vec<Alert> {
    match case.terms().promotion {
        Promotion::PawnOnItsSide | Promotion::SparePiecePreferred => return Vec::new(),
        Promotion::ClockRestarted
        | Promotion::ClockStopped
        | Promotion::Replaced
        | Promotion::IllegalBecomesQueen => {}
    }
    let plies = case.timeline.plies();
    let left =
        plies.iter().enumerate().filter(|(_, ply)| leaves_pawn_on_last_rank(ply) && !ply.is_undone);
    left.map(|(index, ply)| {
        let mut alert = about_ply(case, ply, Finding::PawnLeftOnLastRank);
        let is_answered = case.timeline.later_on_board(ply.report.board, index).next().is_some();
        alert.claim = match case.book().claim(ClaimKind::PawnLeftOnLastRank) {
            None => ClaimState::NotClaimable,
            Some(_) if case.terms().promotion == Promotion::IllegalBecomesQueen => {
                window::of_ply(case, index, case.as_of_us(ply.report.board)).state()
            }
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
