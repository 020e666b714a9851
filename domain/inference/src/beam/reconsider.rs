//! Set-ups that nothing spoke for until a ply did: two pieces of a back rank exchanged.
//!
//! ```text
//! p(odd set-up) = p(set-up without it) · EXCHANGED
//! ```
//!
//! There are too many such set-ups to follow all from the beginning. When a piece leaves its home
//! square as it cannot move, and another piece of its rank could move so, the match is followed
//! again from its beginning, with those set-ups beside the others.

use rules::{BoardId, Color, IllegalReason, Ply};

use crate::{
    back_rank::BackRank,
    beam::{Beam, set_ups::SetUp},
};

/// Probability that two pieces of a back rank were exchanged, on one wing or on both, once a piece
/// has moved as the other one does. Assumed: few pieces move so by a slip.
const EXCHANGED: f64 = 1e-2;
/// A set-up is the origin of odd ones if its posterior is at least this, 0 to 1. Bound: on work.
const MIN_ORIGIN: f64 = 1e-2;
/// Maximum number of odd set-ups of a match. Bound: on work and on places in the beam.
const MAX_ODD: usize = 16;
/// Layers after which no set-up is reconsidered: pieces have left their home squares by then. Bound: on work.
const MAX_LAYERS: usize = 80;
/// Maximum work of following the match again, nodes and transitions. Bound: on work.
const MAX_WORK: usize = 60_000;

impl Beam {
    /// Follows the match again if the likeliest plies of the last layer speak for exchanged pieces.
    /// Returns whether it did.
    pub(crate) fn reconsider_last(&mut self) -> bool {
        let trellis = &self.filter.trellis;
        let Some(last) = trellis.end().checked_sub(1).filter(|_| trellis.end() <= MAX_LAYERS)
        else {
            return false;
        };
        let (Some(layer), Some(masses)) = (trellis.layer(last), trellis.backward(last).pop())
        else {
            return false;
        };
        let board = layer.board;
        let best = layer.explanations.iter().zip(&masses).max_by(|a, b| a.1.total_cmp(b.1));
        let odd = |side: Color, ply: Ply| match ply {
            Ply::Move { from, to, .. } => Some((side, from, to)),
            Ply::Drop { .. } => None,
        };
        let slips =
            best.into_iter().flat_map(|(explanation, _)| &explanation.plies).filter(|made| {
                matches!(
                    made.illegal,
                    Some(IllegalReason::WrongGeometry | IllegalReason::BlockedPath)
                )
            });
        let slips: Vec<_> = slips.filter_map(|made| odd(made.side, made.ply)).collect();
        let mut is_new = false;
        for (side, from, to) in slips {
            is_new |= self.consider(board, side, |rank| rank.explaining(side, from, to));
        }
        is_new && self.rerun(f64::INFINITY, MAX_WORK)
    }

    /// Follows the match again with a set-up in which a side has this back rank, as its sensors read it.
    pub(crate) fn read_rank(&mut self, board: BoardId, side: Color, rank: BackRank) -> bool {
        let known = self.filter.roots.iter();
        let is_known =
            known.clone().any(|set_up| set_up[board.index()][usize::from(side.is_black())] == rank);
        !is_known
            && self.consider(board, side, |_| vec![rank])
            && self.rerun(f64::INFINITY, MAX_WORK)
    }

    /// Adds set-ups in which one side has other back ranks than in the likely set-ups. Returns
    /// whether any is new.
    fn consider(
        &mut self,
        board: BoardId,
        side: Color,
        ranks: impl Fn(BackRank) -> Vec<BackRank>,
    ) -> bool {
        let trellis = &self.filter.trellis;
        let is_whole = trellis.first_open() == 0 && self.log.steps.len() == trellis.end();
        let Some(masses) = trellis.beginnings().filter(|_| is_whole) else { return false };
        let likely = self.filter.roots.iter().zip(&masses).zip(&trellis.roots);
        let likely: Vec<(SetUp, f64)> = likely
            .filter(|((_, mass), _)| **mass >= MIN_ORIGIN)
            .map(|((set_up, _), prior)| (*set_up, *prior))
            .collect();
        let before = self.odd_set_ups.len();
        for (set_up, prior) in likely {
            let place = (board.index(), usize::from(side.is_black()));
            for rank in ranks(set_up[place.0][place.1]) {
                let mut odd = set_up;
                odd[place.0][place.1] = rank;
                let is_known = self.filter.roots.contains(&odd)
                    || self.odd_set_ups.iter().any(|(known, _)| *known == odd);
                if !is_known && self.odd_set_ups.len() < MAX_ODD {
                    self.odd_set_ups.push((odd, prior * EXCHANGED));
                }
            }
        }
        self.odd_set_ups.len() > before
    }
}
