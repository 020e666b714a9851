//! The plies that could explain one observation in one position, each with its weight.
//!
//! ```text
//! weight(ply) = p(squares | ply) * t                  if it takes the last ply of its side back
//!             = p(squares | ply) * PLY * (1 - t)      if it is another legal ply
//!             = p(squares | ply) * PLY * (1 - t) * s  if it is another illegal ply
//! ```
//!
//! `t` is the probability that the side to move takes its last ply back, 0 if there is nothing to take back
//! (`state/takeback.rs`). [`PLY`](crate::params::PLY) is the probability of an average ply, and `s` the weight of a
//! [slip](slip::weight). A candidate below the floor is left out, unless a person says that it was made: then it weighs
//! the floor.
//!
//! Candidates come from the squares that changed, not from the list of legal plies. A square that a piece has left and
//! a square that has become occupied name a ply at once, legal or not. Only where no such ply explains the readings are
//! quieter ones tried: their target has not been read yet, or never read empty.

use action_model::RoleSet;
use rules::{
    Bitboard, Color, IllegalReason, PROMOTION_ROLES, Ply, Position, Rank, Reserve, Role, Square,
    Supply,
};

use crate::{
    observation::{
        footprint::{Footprint, PredictedSquares},
        summary::Observation,
    },
    proposal::slip,
    state::takeback::Takeback,
};

/// A ply that could explain an observation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) ply: Ply,
    /// Probability of the observation times that of an average, illegal or taking-back ply, 0 to 1: the formula of this
    /// module. The choice among legal plies is weighed later.
    pub(crate) weight: f64,
    pub(crate) illegal: Option<IllegalReason>,
    /// Whether it takes a ply back. Nobody chooses such a ply among alternatives.
    pub(crate) takes_back: bool,
}

/// An explanation less likely than this is not worth a place in any beam. Bound: on work.
pub(crate) const FLOOR: f64 = 1e-18;
/// The same for a segment that is explained anew. An accident amid plies without a press is less likely than [`FLOOR`],
/// and may be what happened there. Bound: on work.
pub(crate) const FLOOR_IN_DOUBT: f64 = 1e-30;

/// One position and one observation, which a ply of the side to move is to explain.
pub(crate) struct CandidateContext<'a> {
    pub(crate) position: &'a Position,
    pub(crate) expected: &'a PredictedSquares,
    pub(crate) observation: &'a Observation,
    /// Whose press ends the segment.
    pub(crate) presser: Color,
    /// Where droppable pieces come from.
    pub(crate) supply: Supply,
    /// Roles that may be dropped.
    pub(crate) roles: RoleSet,
    /// What the side to move may take back.
    pub(crate) takeback: Takeback,
    /// Explanations less likely than this are left out.
    pub(crate) floor: f64,
}

/// A reserve that holds everything. Whether a piece was there to be dropped is weighed for each joint hypothesis.
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

    /// Squares that became occupied right after the press and had no own piece before.
    fn landed_at_once(&self) -> Bitboard {
        self.observation.filled_at_once & !self.expected.side(self.position.turn())
    }

    /// Own pieces that left their squares right after the press.
    fn lifted_at_once(&self) -> Bitboard {
        self.observation.emptied_at_once
            & self.observation.after
            & self.expected.side(self.position.turn())
    }

    /// Adds the plies whose target has been read to change.
    pub(crate) fn settled(&self, out: &mut Vec<Candidate>) {
        let arrivals = self.arrivals();
        for from in self.departures() {
            for to in arrivals {
                self.consider_move(from, to, out);
            }
        }
        for to in arrivals & !self.expected.occupied {
            self.consider_drops(to, out);
        }
    }

    /// Adds the plies whose target has not been read to change: a piece not read yet, a capture by an exchange without
    /// a trace, a promoted piece that lies on its side. For drops without a trace, see
    /// [`unseen_drops`](Self::unseen_drops).
    pub(crate) fn unsettled(&self, out: &mut Vec<Candidate>) {
        let departures = self.departures();
        let arrivals = self.arrivals();
        let mut plies = Vec::new();
        self.position.pseudo_legal_moves(departures, &mut plies);
        plies.retain(|ply| !arrivals.contains(ply.to()));
        let landed = self.landed_at_once();
        for from in departures {
            self.consider_quiet(&plies, from, out);
            // The piece landed right after the press, perhaps beside the square where it belongs.
            for to in landed & !(self.expected.occupied | arrivals) {
                if !plies.iter().any(|ply| (ply.from(), ply.to()) == (Some(from), to)) {
                    self.consider_move(from, to, out);
                }
            }
        }
        self.lifted_late(departures, landed, out);
        if (departures & !self.expected.may_be_unseen).is_empty() {
            for to in self.glimpsed() {
                self.consider_drops(to, out);
            }
        } else {
            // The opponent lifted the missing pieces for a capture, before the press and before the dropped piece was
            // read.
            for to in landed & !(self.expected.occupied | self.observation.after) {
                self.consider_drops(to, out);
            }
        }
    }

    /// Free squares on which a piece was read for a moment, or soon after the segment.
    fn glimpsed(&self) -> Bitboard {
        let free = !(self.expected.occupied | self.observation.after);
        free & (self.observation.filled_soon | self.observation.filled)
    }

    /// Adds drops of which nothing has been read, on any free square, if no square names a ply.
    pub(crate) fn unseen_drops(&self, out: &mut Vec<Candidate>) {
        let departed = self.departures() & !self.expected.may_be_unseen;
        if departed.is_empty() && self.glimpsed().is_empty() {
            for to in !(self.expected.occupied | self.observation.after) {
                self.consider_drops(to, out);
            }
        }
    }

    /// Adds moves whose piece was lifted only after the press: the hand was still busy with the victim.
    fn lifted_late(&self, departures: Bitboard, landed: Bitboard, out: &mut Vec<Candidate>) {
        for from in self.lifted_at_once() & !departures {
            for to in landed {
                self.consider_move(from, to, out);
            }
        }
    }

    /// Adds moves of a piece that stands on another square while its own still reads occupied.
    pub(crate) fn stuck(&self, out: &mut Vec<Candidate>) {
        let stands = self.expected.side(self.position.turn()) & self.observation.after;
        let arrivals = self.arrivals();
        let mut plies = Vec::new();
        self.position.pseudo_legal_moves(stands, &mut plies);
        for ply in plies {
            let known = |candidate: &Candidate| candidate.ply == ply;
            if arrivals.contains(ply.to()) && !out.iter().any(known) {
                self.consider(ply, out);
            }
        }
    }

    /// Adds the plies whose target is one of these squares, which were read after the press.
    pub(crate) fn landed(&self, squares: Bitboard, out: &mut Vec<Candidate>) {
        let landed = squares & !self.expected.side(self.position.turn()) & !self.arrivals();
        if landed.is_empty() {
            return;
        }
        let departures = self.departures();
        for from in departures {
            for to in landed {
                self.consider_move(from, to, out);
            }
        }
        self.lifted_late(departures, landed, out);
        if departures.is_empty() {
            for to in landed & !self.expected.occupied {
                self.consider_drops(to, out);
            }
        }
    }

    /// Adds the plies that leave no piece to be read: captures by an exchange without a trace, and plies whose piece
    /// may lie unseen or was read for a moment only.
    pub(crate) fn unread(&self, out: &mut Vec<Candidate>) {
        let departures = self.departures();
        let exchanged = self.expected.side(self.position.turn().other())
            & self.observation.after
            & !self.observation.touched;
        let mut plies = Vec::new();
        self.position.pseudo_legal_moves(departures, &mut plies);
        plies.retain(|ply| {
            let Ply::Move { from, to, promotion } = *ply else { return false };
            let lies = promotion.is_some() && self.supply.has_partner()
                || self.expected.may_be_unseen.contains(from);
            exchanged.contains(to) || lies && !self.observation.after.contains(to)
        });
        let glimpsed = self.observation.filled & !self.observation.after;
        for from in departures {
            self.consider_quiet(&plies, from, out);
            for to in glimpsed & !Bitboard::from_square(from) {
                if !plies.iter().any(|ply| (ply.from(), ply.to()) == (Some(from), to)) {
                    self.consider_move(from, to, out);
                }
            }
        }
        if (departures & !self.expected.may_be_unseen).is_empty() {
            for to in glimpsed & !self.expected.occupied {
                self.consider_drops(to, out);
            }
        }
    }

    /// Adds drops whose piece is read on one of these squares only after later plies were read.
    pub(crate) fn landed_later(&self, squares: Bitboard, out: &mut Vec<Candidate>) {
        for to in squares & !(self.expected.occupied | self.observation.after) {
            self.consider_drops(to, out);
        }
    }

    /// Adds those of `plies` that one piece made. Nothing has been read of it but that it left its square.
    fn consider_quiet(&self, plies: &[Ply], from: Square, out: &mut Vec<Candidate>) {
        for &ply in plies.iter().filter(|ply| ply.from() == Some(from)) {
            self.consider(ply, out);
        }
    }

    fn consider_move(&self, from: Square, to: Square, out: &mut Vec<Candidate>) {
        let pawn = self.position.board().role_at(from) == Some(Role::Pawn);
        if pawn && last_rank(self.position.turn()).contains(to) {
            self.consider_alike(
                PROMOTION_ROLES.map(|role| Ply::Move { from, to, promotion: Some(role) }),
                out,
            );
        } else {
            self.consider(Ply::Move { from, to, promotion: None }, out);
        }
    }

    fn consider_drops(&self, to: Square, out: &mut Vec<Candidate>) {
        self.consider_alike(self.roles.iter().map(|role| Ply::Drop { role, to }), out);
    }

    /// Adds a ply that a person says was made, however badly it fits the readings.
    pub(crate) fn said(&self, ply: Ply, out: &mut Vec<Candidate>) {
        if out.iter().any(|known| known.ply == ply) {
            return;
        }
        let before = out.len();
        self.consider(ply, out);
        if out.len() == before {
            let illegal = self.position.illegality(ply, &FULL_RESERVE, self.supply);
            let takes_back = self.takeback.is_done_by(ply);
            out.push(Candidate { ply, weight: self.floor, illegal, takes_back });
        }
    }

    fn consider(&self, ply: Ply, out: &mut Vec<Candidate>) {
        self.consider_alike([ply], out);
    }

    /// Adds plies that differ only in the role that arrives: the squares read the same for all of them.
    fn consider_alike(&self, plies: impl IntoIterator<Item = Ply>, out: &mut Vec<Candidate>) {
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
            let weight = match illegal {
                Some(reason) if !takes_back => weight * slip::weight(self.position, ply, reason),
                _ => weight,
            };
            if weight >= self.floor {
                out.push(Candidate { ply, weight, illegal, takes_back });
            }
        }
    }
}

fn last_rank(color: Color) -> Bitboard {
    Bitboard::from_rank(color.relative_rank(Rank::Eighth))
}

#[cfg(test)]
mod tests;
