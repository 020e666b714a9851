//! Set-ups that nothing speaks for until a ply does, two pieces of a back rank exchanged, or the
//! squares when play begins: a piece is missing, or one too many.
//!
//! ```text
//! p(odd set-up) = p(set-up without it) · EXCHANGED, MISSING or EXTRA
//! ```
//!
//! There are too many such set-ups to follow all from the beginning. When a piece moves
//! as it cannot move, and another piece of its rank could move so, the match is followed
//! again from its beginning, with those set-ups beside the others.

use readings::Occupancy;
use rules::{Bitboard, BoardId, Color, IllegalReason, Piece, Ply, Role, Square};

use crate::{
    back_rank::BackRank,
    beam::{Beam, set_ups::SetUp},
};

/// Probability that two pieces of a back rank were exchanged, on one wing or on both, once a piece
/// has moved as the other one does. Assumed: few pieces move so by a slip.
const EXCHANGED: f64 = 1e-2;
/// Odds that a piece is missing rather than unread, if its square reads empty when play begins. Assumed.
const MISSING: f64 = 0.5;
/// The same of each piece that may stand on a square that should be empty. Assumed: as likely as a
/// contact that sticks, all together.
const EXTRA: f64 = 0.1;
/// A board with more wrong squares than this is not set up. Assumed.
const MAX_WRONG_SQUARES: usize = 4;
/// A set-up is the origin of odd ones if its posterior is at least this, 0 to 1. Bound: on work.
const MIN_ORIGIN: f64 = 1e-2;
/// Maximum number of odd set-ups of a match. Bound: on work and on places in the beam.
const MAX_ODD: usize = 16;
/// Layers after which no set-up is reconsidered: pieces have left their home squares by then. Bound: on work.
const MAX_LAYERS: usize = 80;
/// Maximum work of following the match again, nodes and transitions. Bound: on work.
const MAX_WORK: usize = 60_000;

/// Possible types of a surplus piece.
const EXTRA_ROLES: [Role; 5] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

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
            let Some(home) = self.home(board, side, from) else { continue };
            is_new |= self
                .consider(board, side, EXCHANGED, |rank| rank.explaining(side, home, (from, to)));
        }
        is_new && self.rerun(f64::INFINITY, MAX_WORK)
    }

    /// The square from which the piece came that stood here before the last layer, by the likeliest
    /// plies. None if it was dropped.
    fn home(&self, board: BoardId, side: Color, mut on: Square) -> Option<Square> {
        let trellis = &self.filter.trellis;
        let first = trellis.first_open();
        let last = trellis.end().saturating_sub(1);
        let layers: Vec<_> = (first..last).zip(trellis.backward(first)).collect();
        for (at, masses) in layers.into_iter().rev() {
            let Some(layer) = trellis.layer(at).filter(|layer| layer.board == board) else {
                continue;
            };
            let best = layer.explanations.iter().zip(&masses).max_by(|a, b| a.1.total_cmp(b.1));
            let plies = best.into_iter().flat_map(|(of, _)| of.plies.iter().rev());
            for made in plies.filter(|made| made.side == side) {
                if made.ply.to() == on {
                    on = made.ply.from()?;
                }
            }
        }
        Some(on)
    }

    /// Follows the match again with a set-up in which a side has this back rank, as its sensors read it.
    pub(crate) fn read_rank(&mut self, board: BoardId, side: Color, rank: BackRank) -> bool {
        let known = self.filter.roots.iter();
        let is_known =
            known.clone().any(|set_up| set_up[board.index()][usize::from(side.is_black())] == rank);
        !is_known
            && self.consider(board, side, EXCHANGED, |_| vec![rank])
            && self.rerun(f64::INFINITY, MAX_WORK)
    }

    /// Follows the match again with set-ups without the pieces whose squares read empty when play
    /// begins, and with a piece on one square that should be empty. `named` is what its sensor calls it.
    pub(crate) fn read_squares(
        &mut self,
        board: BoardId,
        read: Bitboard,
        named: impl Fn(Square) -> Option<Piece>,
    ) -> bool {
        let initial = Occupancy::INITIAL.0;
        if read == initial || (read ^ initial).count() > MAX_WRONG_SQUARES {
            return false;
        }
        let extra = (read & !initial).first();
        let mut is_new = false;
        for color in Color::ALL {
            let half = color.fold_wb(Bitboard::SOUTH, Bitboard::NORTH);
            let missing = initial & !read & half;
            if missing.any() {
                is_new |= self
                    .consider(board, color, MISSING, |rank| vec![BackRank { missing, ..rank }])
                    && self.rerun(f64::INFINITY, MAX_WORK);
            }
            let Some(square) = extra else { continue };
            let is_of_side = |role: &Role| {
                named(square).is_none_or(|piece| piece == Piece { color, role: *role })
            };
            let roles: Vec<Role> = EXTRA_ROLES.into_iter().filter(is_of_side).collect();
            let with = |rank: BackRank| {
                let each =
                    roles.iter().map(|&role| BackRank { extra: Some((square, role)), ..rank });
                each.collect()
            };
            is_new |=
                self.consider(board, color, EXTRA, with) && self.rerun(f64::INFINITY, MAX_WORK);
        }
        is_new
    }

    /// Adds set-ups in which one side has other back ranks than in the likely set-ups. Returns
    /// whether any is new.
    fn consider(
        &mut self,
        board: BoardId,
        side: Color,
        factor: f64,
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
                    self.odd_set_ups.push((odd, prior * factor));
                }
            }
        }
        self.odd_set_ups.len() > before
    }
}
