//! A player who is not in check has no legal ply, and nobody supplies a piece.
//!
//! Topics: `Stalemate`. In bughouse a piece may still come, so that it ends nothing there.

use rules::{
    BoardState,
    rulebook::{Finding, terms::DrawRule},
};

use super::about_last_plies;
use crate::{alert::Alert, case::Case, draws};

pub(super) fn find(case: &Case<'_>) -> Vec<Alert> {
    if !draws::has_any(case, &[DrawRule::Stalemate]) {
        return Vec::new();
    }
    about_last_plies(case, Finding::Stalemate, |_, ply| {
        (ply.state == BoardState::Stalemate && ply.king_taken.is_none())
            .then(|| format!("{} leaves no legal ply and no check.", ply.san))
    })
}
