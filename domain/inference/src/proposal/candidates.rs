//! The plies that could explain one observation in one position, each with its weight.
//!
//! ```text
//! weight(ply) = p(squares | ply) * t                  if it takes the last ply of its side back
//!             = p(squares | ply) * KING_TAKEN         if it takes a king that was left in check just before
//!             = p(squares | ply) * PLY * (1 - t)      if it is another legal ply
//!             = p(squares | ply) * PLY * (1 - t) * s  if it is another illegal ply
//! ```
//!
//! `t` is the probability that the side to move takes its last ply back, 0 if there is nothing to
//! take back (`state/takeback.rs`). [`PLY`](crate::params::PLY) is the probability of an average
//! ply, and `s` the weight of a [slip](slip::weight). A candidate below the floor is left out,
//! unless a person says that it was made: then it weighs the floor.
//!
//! Candidates come from the squares that changed, not from the list of legal plies. A square that a
//! piece has left and a square that has become occupied name a ply at once, legal or not. Only
//! where no such ply explains the readings are quieter ones tried: their target has not been read
//! yet, or never read empty.

use action_model::RoleSet;
use rules::{
    Bitboard, Color, IllegalReason, PROMOTION_ROLES, Ply, Position, Rank, Reserve, Role, Supply,
};

use crate::{
    observation::{
        footprint::{Footprint, PredictedSquares},
        summary::Observation,
    },
    params,
    proposal::slip,
    state::takeback::Takeback,
};

/// A ply that could explain an observation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) ply: Ply,
    /// Probability of the observation times that of an average, illegal or taking-back ply, 0 to 1:
    /// the formula of this module. The choice among legal plies is weighed later.
    pub(crate) weight: f64,
    pub(crate) illegal: Option<IllegalReason>,
    /// Whether it takes a ply back, or claims by taking the king. Nobody chooses such a ply among
    /// alternatives.
    pub(crate) is_unchosen: bool,
}

/// An explanation less likely than this is not worth a place in any beam. Bound: on work.
pub(crate) const FLOOR: f64 = 1e-18;
/// The same for a segment that is explained again. An accident amid plies without a press is less
/// likely than [`FLOOR`], and may be what happened there. Bound: on work.
pub(crate) const FLOOR_IN_DOUBT: f64 = 1e-30;

/// One position and one observation, which a ply of the side to move is to explain.
pub(crate) struct CandidateContext<'a> {
    pub(crate) position: &'a Position,
    pub(crate) expected: &'a PredictedSquares,
    pub(crate) observation: &'a Observation,
    /// Side whose press ends the segment.
    pub(crate) presser: Color,
    /// Source of droppable pieces.
    pub(crate) supply: Supply,
    /// Roles that may be dropped.
    pub(crate) roles: RoleSet,
    /// Plies that the side to move may take back.
    pub(crate) takeback: Takeback,
    /// Explanations less likely than this are left out.
    pub(crate) floor: f64,
    /// The plies found so far.
    pub(crate) found: Vec<Candidate>,
}

/// A reserve that holds everything. Whether a piece was there to be dropped is weighed for each
/// joint hypothesis.
const FULL_RESERVE: Reserve = Reserve::from_counts([1; 5]);

impl CandidateContext<'_> {
    /// Squares of own pieces that read empty.
    fn departures(&self) -> Bitboard {
        self.expected.side(self.position.turn()) & !self.observation.after
    }

    /// Squares without an own piece that read occupied, and changed or should be empty.
    fn arrivals(&self) -> Bitboard {
        let own = self.expected.side(self.position.turn());
        self.observation.after & (self.observation.touched | !self.expected.occupied) & !own
    }

    /// Adds the plies whose target has been read to change.
    pub(crate) fn settled(&mut self) {
        let arrivals = self.arrivals();
        self.consider_moves(self.departures(), arrivals);
        self.consider_drops(arrivals & !self.expected.occupied);
    }

    /// Adds the plies whose target has not been read to change: a piece not read yet, a capture by
    /// an exchange without a trace, a promoted piece that lies on its side. For drops without a
    /// trace, see [`unseen_drops`](Self::unseen_drops).
    pub(crate) fn unsettled(&mut self) {
        let departures = self.departures();
        let arrivals = self.arrivals();
        let landed = self.observation.filled_at_once & !self.expected.side(self.position.turn());
        // The piece landed right after the press, perhaps beside the square where it belongs.
        let beside = landed & !(self.expected.occupied | arrivals);
        self.consider_quiet(|ply| !arrivals.contains(ply.to()), beside);
        self.lifted_late(departures, landed);
        if (departures & !self.expected.may_be_unseen).is_empty() {
            self.consider_drops(self.glimpsed());
        } else {
            // The opponent lifted the missing pieces for a capture, before the press and before the
            // dropped piece was read.
            self.landed_later(landed);
        }
    }

    /// Free squares on which a piece was read for a moment, or soon after the segment.
    fn glimpsed(&self) -> Bitboard {
        let free = !(self.expected.occupied | self.observation.after);
        free & (self.observation.filled_soon | self.observation.filled)
    }

    /// Adds drops of which nothing has been read, on any free square, if no square names a ply.
    pub(crate) fn unseen_drops(&mut self) {
        let departed = self.departures() & !self.expected.may_be_unseen;
        if departed.is_empty() && self.glimpsed().is_empty() {
            self.landed_later(Bitboard::FULL);
        }
    }

    /// Adds moves whose piece was lifted only after the press: the hand was still busy with the victim.
    fn lifted_late(&mut self, departures: Bitboard, landed: Bitboard) {
        let Observation { emptied_at_once, after, .. } = *self.observation;
        let lifted = emptied_at_once & after & self.expected.side(self.position.turn());
        self.consider_moves(lifted & !departures, landed);
    }

    /// Adds moves of a piece that stands on another square while its own still reads occupied.
    pub(crate) fn stuck(&mut self) {
        let stands = self.expected.side(self.position.turn()) & self.observation.after;
        let arrivals = self.arrivals();
        let mut plies = Vec::new();
        self.position.pseudo_legal_moves(stands, &mut plies);
        for ply in plies {
            let known = |candidate: &Candidate| candidate.ply == ply;
            if arrivals.contains(ply.to()) && !self.found.iter().any(known) {
                self.consider_alike([ply]);
            }
        }
    }

    /// Adds the plies whose target is one of these squares, which were read after the press.
    pub(crate) fn landed(&mut self, squares: Bitboard) {
        let landed = squares & !self.expected.side(self.position.turn()) & !self.arrivals();
        if landed.is_empty() {
            return;
        }
        let departures = self.departures();
        self.consider_moves(departures, landed);
        self.lifted_late(departures, landed);
        if departures.is_empty() {
            self.consider_drops(landed & !self.expected.occupied);
        }
    }

    /// Adds the plies that leave no piece to be read: captures by an exchange without a trace, and
    /// plies whose piece may lie unseen or was read for a moment only.
    pub(crate) fn unread(&mut self) {
        let exchanged = self.expected.side(self.position.turn().other())
            & self.observation.after
            & !self.observation.touched;
        let (expected, after) = (self.expected, self.observation.after);
        let lies_promoted = self.supply.has_partner();
        let is_unread = |ply: &Ply| {
            let Ply::Move { from, to, promotion } = *ply else { return false };
            let lies =
                promotion.is_some() && lies_promoted || expected.may_be_unseen.contains(from);
            exchanged.contains(to) || lies && !after.contains(to)
        };
        let glimpsed = self.observation.filled & !self.observation.after;
        self.consider_quiet(is_unread, glimpsed);
        if (self.departures() & !self.expected.may_be_unseen).is_empty() {
            self.consider_drops(glimpsed & !self.expected.occupied);
        }
    }

    /// Adds drops on those of these squares that are free. Their pieces are read later, or never.
    pub(crate) fn landed_later(&mut self, squares: Bitboard) {
        self.consider_drops(squares & !(self.expected.occupied | self.observation.after));
    }

    /// Adds the moves of each piece that left its square: those that a rule could allow and that
    /// may be `quiet`, and those to any of the `others`.
    fn consider_quiet(&mut self, quiet: impl Fn(&Ply) -> bool, others: Bitboard) {
        let departures = self.departures();
        let mut plies = Vec::new();
        self.position.pseudo_legal_moves(departures, &mut plies);
        plies.retain(quiet);
        for from in departures {
            let mut rest = others.without(from);
            for &ply in plies.iter().filter(|ply| ply.from() == Some(from)) {
                self.consider_alike([ply]);
                rest.discard(ply.to());
            }
            self.consider_moves(Bitboard::from_square(from), rest);
        }
    }

    fn consider_moves(&mut self, departures: Bitboard, targets: Bitboard) {
        let last_rank = self.position.turn().relative_rank(Rank::Eighth);
        for from in departures {
            let pawn = self.position.board().role_at(from) == Some(Role::Pawn);
            for to in targets {
                if pawn && to.rank() == last_rank {
                    let promotions =
                        PROMOTION_ROLES.map(|role| Ply::Move { from, to, promotion: Some(role) });
                    self.consider_alike(promotions);
                } else {
                    self.consider_alike([Ply::Move { from, to, promotion: None }]);
                }
            }
        }
    }

    fn consider_drops(&mut self, squares: Bitboard) {
        for to in squares {
            self.consider_alike(self.roles.iter().map(|role| Ply::Drop { role, to }));
        }
    }

    /// Adds a ply that a person says was made, however badly it fits the readings.
    pub(crate) fn add_stated(&mut self, ply: Ply) {
        if self.found.iter().any(|known| known.ply == ply) {
            return;
        }
        let before = self.found.len();
        self.consider_alike([ply]);
        if self.found.len() == before {
            let illegal = self.position.illegality(ply, &FULL_RESERVE, self.supply);
            let takes_back = self.takeback.is_done_by(ply);
            self.found.push(Candidate {
                ply,
                weight: self.floor,
                illegal,
                is_unchosen: takes_back,
            });
        }
    }

    /// Adds plies that differ only in the role that arrives: the squares read the same for all of them.
    fn consider_alike(&mut self, plies: impl IntoIterator<Item = Ply>) {
        let mut plies = plies.into_iter().peekable();
        let Some(&any) = plies.peek() else { return };
        let footprint = Footprint::of(self.position, any, self.supply);
        let after = footprint.apply(self.expected, self.position.turn());
        let seen = self.observation.likelihood(&footprint, self.expected, &after, self.presser);
        let takes_back = self.takeback.is_done_by(any);
        let weight = seen * self.takeback.weight_of(any);
        if weight < self.floor {
            return;
        }
        for ply in plies {
            let illegal = self.position.illegality(ply, &FULL_RESERVE, self.supply);
            let (weight, illegal, is_unchosen) = match illegal {
                // The claim of an illegal ply is none itself.
                Some(IllegalReason::KingCaptured) if self.takeback.is_king_exposed() => {
                    (seen * params::KING_TAKEN * slip::promotion_weight(ply), None, true)
                }
                Some(reason) if !takes_back => {
                    (weight * slip::weight(self.position, ply, reason), illegal, false)
                }
                _ => (weight, illegal, takes_back),
            };
            if weight >= self.floor {
                self.found.push(Candidate { ply, weight, illegal, is_unchosen });
            }
        }
    }
}

#[cfg(test)]
mod tests;
