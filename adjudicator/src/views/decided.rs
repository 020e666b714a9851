//! Claims that directors have ruled on, as everybody may see them.
//!
//! A player raised a hand and the hall saw a director come: that is no secret. Open claims are for directors alone, and so
//! is everything that the boards showed of it.

use referee::{CaseState, ClaimCase};
use rules::BoardId;
use serde::Serialize;

use super::side_name;
use crate::hall::Game;

/// A claim with its ruling.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DecidedView {
    /// Time at which the claimant stopped the clocks, milliseconds of match time.
    pub t_ms: u64,
    /// The claimant's board.
    pub board: BoardId,
    /// The claimant's side.
    pub side: &'static str,
    /// Code of the claim.
    pub claim: &'static str,
    /// In words.
    pub about: &'static str,
    /// Id of the ply that the claim named, if it named one.
    pub ply: Option<u32>,
    /// `upheld`, `denied`, `play on`.
    pub ruling: String,
}

impl DecidedView {
    /// The decided claims of a match.
    pub(crate) fn all(game: &Game) -> Vec<DecidedView> {
        let mut all: Vec<DecidedView> =
            game.referee().claims().filter_map(DecidedView::of).collect();
        all.sort_by_key(|one| one.t_ms);
        all
    }

    fn of(claim: &ClaimCase) -> Option<DecidedView> {
        let CaseState::Ruled(decision) = claim.state else { return None };
        Some(DecidedView {
            t_ms: claim.stopped_us / 1000,
            board: claim.by.board,
            side: side_name(claim.by.color),
            claim: claim.kind.code(),
            about: claim.kind.about(),
            ply: claim.against,
            ruling: decision.to_string(),
        })
    }
}
