//! Joint hypotheses after a segment: transitions combined with hypotheses, equal results merged,
//! and the beam cut.
//!
//! ```text
//! w(h -> h')  = weight(transition) * PROD over its plies of preference(ply) * p(reserves) * p(trays)
//! p(h')       = SUM over h of p(h) * w(h -> h')      times the factor of resampling, scaled to the sum 1
//! p(reserves) = PROD over plies of (DEBT_SUPPORTED or DEBT_UNSUPPORTED of a drop on credit, else 1)
//!                                * (DEBT_UNPAID if the partner's debt stays, else 1)
//! ```
//!
//! `weight(transition)` is the probability of pattern and readings with average plies
//! (`proposal/explain.rs`). `preference(ply)` is how much likelier its choice was than that of an
//! average ply (`beam/choice_probability.rs`), 1 for a ply that is not weighed. `p(reserves)` is 1
//! where partners do not supply the pieces. `p(trays)` is the likelihood of what the trays' slots
//! did (`state/trays/`).

use std::ops::Range;

use action_model::{ActionPrior, RoleSet};
use rules::{Seat, Supply};

use crate::{
    beam::{
        choice_probability::ChoiceProbability, choice_weights::Proposal, expansion::Combined,
        filter::Filter, set_ups,
    },
    params,
    proposal::{
        closed_segment::ClosedSegment,
        transitions::{ReserveChange, Transition, Transitions},
    },
    state::{
        joint_state::JointState,
        trays::{TrayAction, TrayStep},
    },
    trellis::Edge,
};

/// Results less likely than this, relative to the likeliest so far, are left out. Bound: on work.
const MIN_TRANSITION_WEIGHT: f64 = 1e-10;
/// Transitions followed for each place in the beam, about. Bound: on work.
const TRANSITIONS_PER_PLACE: usize = 10;
/// The hypotheses and the transitions that their positions have.
pub(crate) struct Combiner<'a> {
    pub(super) closed: &'a ClosedSegment,
    pub(super) filter: &'a Filter,
    pub(super) prior: &'a ActionPrior,
    /// Maximum number of hypotheses that go on.
    pub(super) width: usize,
    pub(super) found: &'a Proposal,
}

impl Combiner<'_> {
    /// The greatest `weight * p(reserves)` of the settled transitions of a hypothesis, the choice
    /// of players left out.
    pub(crate) fn cleanest(&self, state: &JointState) -> f64 {
        let supported = self.supported_by(state);
        let mut clean = 0.0f64;
        let transitions = self.found.transitions.from(state.boards[self.closed.board.index()]);
        for transition in transitions.iter().filter(|transition| transition.settled) {
            // Another hypothesis may have a ply here. So no ply counts as one average ply.
            let no_ply = transition.reserve_changes.is_empty();
            let most = if no_ply { transition.weight * params::PLY } else { transition.weight };
            if most > clean {
                let mut next = *state;
                let reserve_changes = transition.reserve_changes.iter();
                let possible = reserve_changes.map(|reserve_change| {
                    self.reserve_change(&mut next, reserve_change, &supported).0
                });
                clean = clean.max(most * possible.product::<f64>());
            }
        }
        clean
    }

    /// The roles of each colour whose capture may be under way at the partner board, White's first.
    fn supported_by(&self, state: &JointState) -> [RoleSet; 2] {
        let partner = state.boards[self.closed.board.other().index()];
        self.found.supported.get(&partner).copied().unwrap_or_default()
    }

    /// Follows the transitions of every hypothesis and merges equal results.
    pub(super) fn join(&self, trays: &mut TrayStep<'_>) -> Combined {
        let Filter { states, set_ups, trellis, .. } = self.filter;
        let Transitions { list, totals, .. } = &self.found.transitions;
        // Factors that turn probabilities into ranks (`beam/set_ups.rs`).
        let factors = set_ups::factors(trellis.forward(), set_ups);
        // The weight of each transition if every ply counts as an average one, and an upper bound
        // if every ply was the only one its player could make, reserves and trays aside. They stand
        // side by side in one list, because nearly all transitions are rejected on them.
        let bounds: Vec<(f64, f64)> = list
            .iter()
            .map(|transition| {
                let likelier = params::power(1.0 / params::PLY, transition.reserve_changes.len());
                (transition.weight, transition.weight * likelier)
            })
            .collect();
        let numbers: Vec<Range<usize>> =
            states.iter().map(|state| self.numbers_of(state)).collect();
        let least = self.least_promising(&numbers, &factors);
        let mut combined = Combined::new();
        let mut choice_probability = ChoiceProbability::new(self.prior, self.closed, totals);
        for (index, (state, &mass)) in states.iter().zip(trellis.forward()).enumerate() {
            let supported = self.supported_by(state);
            let factor = factors[index];
            let standing = mass * factor;
            let entered = trays.enter(state.trays);
            for number in numbers[index].clone() {
                let (first, most) = bounds[number];
                if standing * first < least {
                    continue;
                }
                for &(now, arrived) in &entered {
                    if standing * most * arrived <= combined.best * MIN_TRANSITION_WEIGHT {
                        continue;
                    }
                    let transition = &list[number];
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
                    let origin = (set_ups[index], factor);
                    combined.add(edge, state, transition.settled, reached, origin);
                }
            }
        }
        combined
    }

    /// Follows a transition from one hypothesis, which has the factor `chosen` so far. Returns the
    /// new hypothesis, the index of the explanation, and the weight of the edge.
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
            if trays.are_used() {
                chosen *= self.lay_and_take(trays, &mut state, reserve_change);
            }
            let (p, is_on_credit) = self.reserve_change(&mut state, reserve_change, supported);
            possible *= p;
            if is_on_credit {
                explanation = transition.on_credit;
            }
        }
        state.boards[self.closed.board.index()] = transition.target;
        (state, explanation, possible * chosen)
    }

    /// The indices of the transitions from the position of a hypothesis.
    fn numbers_of(&self, state: &JointState) -> Range<usize> {
        self.found.transitions.numbers_from(state.boards[self.closed.board.index()])
    }

    /// The standing, before choices are weighed, below which no transition is followed: more than
    /// enough better ones fill the beam.
    fn least_promising(&self, numbers: &[Range<usize>], factors: &[f64]) -> f64 {
        let enough = self.width * TRANSITIONS_PER_PLACE;
        let count = numbers.iter().map(Range::len).sum();
        if count <= enough {
            return 0.0;
        }
        let mut promising: Vec<f64> = Vec::with_capacity(count);
        let weighed = numbers.iter().zip(self.filter.trellis.forward()).zip(factors);
        for ((numbers, mass), factor) in weighed {
            let transitions = self.found.transitions.list[numbers.clone()].iter();
            promising.extend(transitions.map(|transition| mass * factor * transition.weight));
        }
        let (_, least, _) = promising.select_nth_unstable_by(enough, |a, b| b.total_cmp(a));
        *least
    }

    /// Moves pieces between the trays; returns the likelihood of the slots' changes.
    fn lay_and_take(
        &self,
        trays: &mut TrayStep<'_>,
        state: &mut JointState,
        reserve_change: &ReserveChange,
    ) -> f64 {
        let own = Seat { board: self.closed.board, color: reserve_change.side };
        let partner = own.partner();
        let owns = reserve_change.drop.map_or(TrayAction::Other, TrayAction::Drop);
        let weight = trays.follow(&mut state.trays, own, owns);
        let partners = match reserve_change.captured {
            // It has been dropped already, on credit.
            Some(role) if state.holding(partner.board, partner.color).reserve.count(role) < 0 => {
                return weight;
            }
            captured => captured.map_or(TrayAction::GetsNothing, TrayAction::Gets),
        };
        weight * trays.follow(&mut state.trays, partner, partners)
    }

    /// Moves pieces between the players' reserves; returns `p(reserves)` of the ply, and whether it
    /// drops a piece before its capture is complete. Reserves that do not exist, or that nobody can
    /// know, stay empty.
    fn reserve_change(
        &self,
        state: &mut JointState,
        reserve_change: &ReserveChange,
        supported: &[RoleSet; 2],
    ) -> (f64, bool) {
        if self.closed.supply != Supply::Partner {
            return (1.0, false);
        }
        let (mut weight, mut is_on_credit) = (1.0, false);
        let own = state.holding_mut(self.closed.board, reserve_change.side);
        if let Some(role) = reserve_change.drop {
            is_on_credit = own.reserve.count(role) <= 0;
            if is_on_credit {
                let supported = supported[usize::from(reserve_change.side.is_black())];
                let in_the_making = supported.iter().any(|supported| supported == role);
                weight *=
                    if in_the_making { params::DEBT_SUPPORTED } else { params::DEBT_UNSUPPORTED };
            }
            own.take(role);
        }
        own.fresh = RoleSet::NONE;
        let partner = Seat { board: self.closed.board, color: reserve_change.side }.partner();
        let theirs = state.holding_mut(partner.board, partner.color);
        let owed = theirs.reserve.debt();
        if let Some(role) = reserve_change.captured {
            theirs.add(role);
        }
        if owed > 0 && theirs.reserve.debt() == owed {
            weight *= params::DEBT_UNPAID;
        }
        (weight, is_on_credit)
    }
}

#[cfg(test)]
mod tests;
