//! Joint hypotheses after a segment: transitions combined with hypotheses, equal results merged, and the beam cut.
//!
//! ```text
//! w(h -> h')  = weight(transition) * PROD over its plies of preference(ply) * p(reserves) * p(trays)
//! p(h')       = SUM over h of p(h) * w(h -> h')      times the factor of resampling, scaled to the sum 1
//! p(reserves) = PROD over plies of (DEBT_SUPPORTED or DEBT_UNSUPPORTED of a drop on credit, else 1)
//!                                * (DEBT_UNPAID if the partner's debt stays, else 1)
//! ```
//!
//! `weight(transition)` is the probability of pattern and readings with average plies (`proposal/explain.rs`).
//! `preference(ply)` is how much likelier its choice was than that of an average ply (`beam/choice_probability.rs`), 1
//! for a ply that is not weighed. `p(reserves)` is 1 where partners do not supply the pieces. `p(trays)` is the
//! likelihood of what the trays' slots did (`state/trays/`).

use std::ops::Range;

use action_model::{ActionPrior, RoleSet};
use rules::{BoardId, Reserve, Seat, Supply};
use rustc_hash::FxHashMap;

use crate::{
    beam::{choice_probability::ChoiceProbability, combined::Combined},
    params,
    proposal::transitions::{ReserveChange, Transition, Transitions},
    sensing::clock::Timing,
    state::{
        joint_state::JointState,
        position_table::PositionId,
        trays::{TrayAction, TrayStep},
    },
    trellis::Edge,
};

/// Results less likely than this, relative to the likeliest so far, are left out. Bound: on work.
const MIN_TRANSITION_WEIGHT: f64 = 1e-10;
/// Transitions followed for each place in the beam, about. Bound: on work.
const TRANSITIONS_PER_PLACE: usize = 10;
/// Most hypotheses that there is room for at first. Bound: on memory, not on their number.
const MAX_ROOM: usize = 2_048;

/// Factors by which a transition can change a probability, known before it is followed. They stand side by side in one array,
/// because nearly all transitions are rejected on them.
struct UpperBound {
    /// If every ply counts as an average one.
    first: f64,
    /// If every ply was the only one its player could make: an upper bound, reserves and trays aside.
    most: f64,
}

impl UpperBound {
    fn of(transition: &Transition) -> UpperBound {
        // Every ply is the only one its player could make.
        let likelier = params::power(1.0 / params::PLY, transition.reserve_changes.len());
        UpperBound { first: transition.weight, most: transition.weight * likelier }
    }
}

/// The hypotheses and the transitions that their positions have.
pub(crate) struct Combiner<'a> {
    pub(crate) board: BoardId,
    pub(crate) states: &'a [JointState],
    /// Of each state the number of its set-up.
    pub(crate) set_ups: &'a [u8],
    /// The factors that make [standings](crate::beam::set_ups) of probabilities.
    pub(crate) standing: Vec<f64>,
    pub(crate) forward: &'a [f64],
    pub(crate) supply: Supply,
    /// For each position of the partner board, the roles of each colour whose capture may be under way.
    pub(crate) supported: &'a FxHashMap<PositionId, [RoleSet; 2]>,
    pub(crate) transitions: &'a Transitions,
    pub(crate) prior: &'a ActionPrior,
    pub(crate) timing: Timing,
    pub(crate) beam: usize,
}

impl Combiner<'_> {
    fn transitions_of(&self, state: &JointState) -> &[Transition] {
        self.transitions.from(state.boards[self.board.index()])
    }

    /// The greatest `weight * p(reserves)` of the settled transitions of a hypothesis, the choice of players left out.
    pub(crate) fn cleanest(&self, state: &JointState) -> f64 {
        let supported = self.supported_by(state);
        let mut clean = 0.0f64;
        for transition in self.transitions_of(state).iter().filter(|transition| transition.settled)
        {
            // Another hypothesis may have a ply here. So no ply counts as one average ply.
            let no_ply = transition.reserve_changes.is_empty();
            let most = if no_ply { transition.weight * params::PLY } else { transition.weight };
            if most > clean {
                let mut next = *state;
                let reserve_changes = transition.reserve_changes.iter();
                let possible = reserve_changes.map(|reserve_change| {
                    self.reserve_change(&mut next, reserve_change, &supported)
                });
                clean = clean.max(most * possible.product::<f64>());
            }
        }
        clean
    }

    /// The roles of each colour whose capture may be under way at the partner board, White's first.
    fn supported_by(&self, state: &JointState) -> [RoleSet; 2] {
        let partner = state.boards[self.board.other().index()];
        self.supported.get(&partner).copied().unwrap_or_default()
    }

    /// Follows the transitions of every hypothesis and merges equal results.
    pub(crate) fn join(&self, trays: &mut TrayStep<'_>) -> Combined {
        let numbers: Vec<Range<usize>> =
            self.states.iter().map(|state| self.numbers_of(state)).collect();
        let bounds: Vec<UpperBound> = self.transitions.list.iter().map(UpperBound::of).collect();
        let count = numbers.iter().map(Range::len).sum();
        let least = self.least_promising(&numbers, &bounds, count);
        let mut combined = Combined::with_room(count.min(MAX_ROOM));
        let of_table = (self.board, self.supply);
        let mut choice_probability =
            ChoiceProbability::new(self.prior, of_table, self.timing, &self.transitions.totals);
        for (index, (state, numbers)) in self.states.iter().zip(numbers).enumerate() {
            let supported = self.supported_by(state);
            let (mass, factor) = (self.forward[index], self.standing[index]);
            let standing = mass * factor;
            let entered = trays.enter(state.trays);
            for (number, bound) in numbers.clone().zip(&bounds[numbers]) {
                if standing * bound.first < least {
                    continue;
                }
                for &(now, arrived) in &entered {
                    if standing * bound.most * arrived <= combined.best * MIN_TRANSITION_WEIGHT {
                        continue;
                    }
                    let transition = &self.transitions.list[number];
                    let before = (JointState { trays: now, ..*state }, arrived);
                    let (state, explanation, weight) = self.follow(
                        before,
                        transition,
                        &supported,
                        (trays, &mut choice_probability),
                    );
                    let reached = mass * weight;
                    if reached * factor <= combined.best * MIN_TRANSITION_WEIGHT {
                        continue;
                    }
                    let edge = Edge { from: index as u16, to: 0, explanation, weight };
                    let origin = (self.set_ups[index], factor);
                    combined.add(edge, state, transition.settled, reached, origin);
                }
            }
        }
        combined
    }

    /// Follows a transition from one hypothesis, which has the factor `chosen` so far. Returns the new hypothesis, the
    /// index of the explanation, and the weight of the edge.
    #[inline]
    fn follow(
        &self,
        (mut state, mut chosen): (JointState, f64),
        transition: &Transition,
        supported: &[RoleSet; 2],
        (trays, choice_probability): (&mut TrayStep<'_>, &mut ChoiceProbability<'_>),
    ) -> (JointState, u32, f64) {
        let (mut possible, mut explanation) = (transition.weight, transition.explanation);
        for (at, reserve_change) in transition.reserve_changes.iter().enumerate() {
            if let Some(made) = &reserve_change.made {
                let number = choice_probability.circumstances(&state, reserve_change.side, at == 0);
                chosen *= choice_probability.preference(made, number);
            }
            if self.is_on_credit(&state, reserve_change) {
                explanation = transition.on_credit;
            }
            if trays.are_used() {
                chosen *= self.lay_and_take(trays, &mut state, reserve_change);
            }
            possible *= self.reserve_change(&mut state, reserve_change, supported);
        }
        state.boards[self.board.index()] = transition.target;
        (state, explanation, possible * chosen)
    }

    /// The indices of the transitions from the position of a hypothesis.
    fn numbers_of(&self, state: &JointState) -> Range<usize> {
        self.transitions.numbers_from(state.boards[self.board.index()])
    }

    /// The standing, before choices are weighed, below which no transition is followed: more than enough better ones fill
    /// the beam.
    fn least_promising(
        &self,
        numbers: &[Range<usize>],
        bounds: &[UpperBound],
        count: usize,
    ) -> f64 {
        let enough = self.beam * TRANSITIONS_PER_PLACE;
        if count <= enough {
            return 0.0;
        }
        let mut promising: Vec<f64> = Vec::with_capacity(count);
        for (index, numbers) in numbers.iter().enumerate() {
            let standing = self.forward[index] * self.standing[index];
            let bounds = bounds[numbers.clone()].iter();
            promising.extend(bounds.map(|transition| standing * transition.first));
        }
        let (_, least, _) = promising.select_nth_unstable_by(enough, |a, b| b.total_cmp(a));
        *least
    }

    /// Moves pieces between the trays; returns the likelihood of what the slots did.
    fn lay_and_take(
        &self,
        trays: &mut TrayStep<'_>,
        state: &mut JointState,
        reserve_change: &ReserveChange,
    ) -> f64 {
        let own = Seat { board: self.board, color: reserve_change.side };
        let partner = own.partner();
        let theirs = match reserve_change.captured {
            Some(role) => {
                let owed = state.holding(partner.board, partner.color).count(role) < 0;
                TrayAction::Gets(role, owed)
            }
            None => TrayAction::GetsNothing,
        };
        trays.follow(
            &mut state.trays,
            own,
            reserve_change.drop.map_or(TrayAction::Other, TrayAction::Drop),
        ) * trays.follow(&mut state.trays, partner, theirs)
    }

    /// Whether a piece is dropped before its capture is complete. Known only where partners supply the pieces.
    fn is_on_credit(&self, state: &JointState, reserve_change: &ReserveChange) -> bool {
        if self.supply != Supply::Partner {
            return false;
        }
        let held = |role| state.holding(self.board, reserve_change.side).count(role) > 0;
        reserve_change.drop.is_some_and(|role| !held(role))
    }

    /// Moves pieces between the players' reserves; returns `p(reserves)` of the ply. Reserves that do not exist, or
    /// that nobody can know, stay empty.
    fn reserve_change(
        &self,
        state: &mut JointState,
        reserve_change: &ReserveChange,
        supported: &[RoleSet; 2],
    ) -> f64 {
        if self.supply != Supply::Partner {
            return 1.0;
        }
        let mut weight = 1.0;
        let own = state.holding_mut(self.board, reserve_change.side);
        if let Some(role) = reserve_change.drop {
            if own.count(role) <= 0 {
                let supported = supported[usize::from(reserve_change.side.is_black())];
                let in_the_making =
                    Reserve::slot(role).is_some_and(|slot| supported.has_slot(slot));
                weight *=
                    if in_the_making { params::DEBT_SUPPORTED } else { params::DEBT_UNSUPPORTED };
            }
            own.take(role);
        }
        own.settle();
        let partner = Seat { board: self.board, color: reserve_change.side }.partner();
        let theirs = state.holding_mut(partner.board, partner.color);
        let owed = theirs.debt();
        if let Some(role) = reserve_change.captured {
            theirs.add(role);
        }
        if owed > 0 && theirs.debt() == owed {
            weight *= params::DEBT_UNPAID;
        }
        weight
    }
}

#[cfg(test)]
mod tests;
