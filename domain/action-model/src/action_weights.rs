//! ```text
//! share(legal ply) = weight · factor(class) / Σ over classes c of sum(c) · factor(c)
//! share(role on a square) = weight · factor / Σ over held roles on that square of weight · factor
//! ```
//!
//! The weights of all actions of the side to move in one position. `sum(c)` is the sum of the weights of the class
//! `c`: of moves, and of drops of held roles. A drop of a role that is not held is no part of the sum, hence the bound.
//!
//! A prior weighs a position once. All joint hypotheses with this position take the weights and sums, and multiply
//! them with the [`Factors`] of their reserves and clocks.

use rules::{Bitboard, Ply, Reserve, Square};
use smallvec::SmallVec;

use super::{ACTION_CLASSES, ActionClass, RoleSet};

/// The factor of each class of actions in the circumstances of a joint hypothesis, by [`ActionClass::index`]. Finite
/// and above 0.
pub type Factors = [f64; ACTION_CLASSES];

/// The weight of one action. Only ratios within one position matter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightedAction {
    /// The weight without the factor of the class. Finite and above 0.
    pub weight: f64,
    /// Its class.
    pub class: ActionClass,
}

/// The drops on one square, as if one piece of each weighed role were held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DropsThere {
    /// Weights by the slots of a reserve. 0 if the drop is not legal or was not weighed.
    pub weights: [f32; 5],
    /// Whether each drop gives check.
    pub checks: [bool; 5],
}

impl DropsThere {
    /// Probability of the role in this slot among the held ones, given the square, 0 to 1. The role itself counts as
    /// held.
    #[must_use]
    pub fn share(&self, slot: usize, factors: &Factors, held: RoleSet) -> f64 {
        let weight = |slot: usize| {
            let class = ActionClass::drop(slot, self.checks[slot]);
            f64::from(self.weights[slot]) * factors[class.index()]
        };
        let all: f64 = (0..5).filter(|&at| at == slot || held.has_slot(at)).map(weight).sum();
        if all > 0.0 { weight(slot) / all } else { 0.0 }
    }
}

/// Sums over all legal actions, as if one piece of each weighed role were held.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ActionTotals {
    /// Sums of weights by [`ActionClass::index`].
    pub sums: [f64; ACTION_CLASSES],
    /// Number of legal moves.
    pub moves: u16,
    /// Number of legal drop squares of each role.
    pub drops: [u16; 5],
}

impl ActionTotals {
    /// The sum over the legal moves.
    #[must_use]
    pub fn of_moves(&self, factors: &Factors) -> f64 {
        self.sums[0] * factors[0] + self.sums[1] * factors[1]
    }

    /// The sum over the legal drops of a player with `held`.
    #[must_use]
    pub fn of_drops(&self, factors: &Factors, held: RoleSet) -> f64 {
        let slots = (0..5).filter(|&slot| held.has_slot(slot));
        slots.map(|slot| self.of_slot(factors, slot)).sum()
    }

    /// The sum over the legal drops of one role.
    #[must_use]
    pub fn of_slot(&self, factors: &Factors, slot: usize) -> f64 {
        let (quiet, check) = (2 + 2 * slot, 3 + 2 * slot);
        self.sums[quiet] * factors[quiet] + self.sums[check] * factors[check]
    }

    /// Number of legal actions of a player with `held`.
    #[must_use]
    pub fn count(&self, held: RoleSet) -> usize {
        let drops = (0..5).filter(|&slot| held.has_slot(slot));
        usize::from(self.moves) + drops.map(|slot| usize::from(self.drops[slot])).sum::<usize>()
    }
}

/// All weights of one position. About 2 kB.
#[derive(Clone, Debug)]
pub struct ActionWeights {
    /// The sums.
    pub totals: ActionTotals,
    moves: SmallVec<[(Ply, f32, ActionClass); 48]>,
    drops: [[f32; 64]; 5],
    /// The squares on which a drop of each role gives check.
    checks: [Bitboard; 5],
}

impl ActionWeights {
    /// No action.
    pub(super) fn empty() -> ActionWeights {
        ActionWeights {
            totals: ActionTotals::default(),
            moves: SmallVec::new(),
            drops: [[0.0; 64]; 5],
            checks: [Bitboard::EMPTY; 5],
        }
    }

    /// Adds a legal action. A king cannot be dropped.
    pub(super) fn push(&mut self, ply: Ply, weight: f32, class: ActionClass) {
        match ply {
            Ply::Move { .. } => {
                self.moves.push((ply, weight, class));
                self.totals.moves += 1;
            }
            Ply::Drop { role, to } => {
                let Some(slot) = Reserve::slot(role) else { return };
                self.drops[slot][usize::from(to)] = weight;
                if class == ActionClass::drop(slot, true) {
                    self.checks[slot].add(to);
                }
                self.totals.drops[slot] += 1;
            }
        }
        self.totals.sums[class.index()] += f64::from(weight);
    }

    /// The weight of a legal ply, as if a dropped piece were held. None if it is not legal.
    #[must_use]
    pub fn weight(&self, ply: Ply) -> Option<WeightedAction> {
        match ply {
            Ply::Drop { role, to } => {
                let slot = Reserve::slot(role)?;
                let weight = f64::from(self.drops[slot][usize::from(to)]);
                let class = ActionClass::drop(slot, self.checks[slot].contains(to));
                (weight > 0.0).then_some(WeightedAction { weight, class })
            }
            Ply::Move { .. } => self
                .moves
                .iter()
                .find(|(known, ..)| *known == ply)
                .map(|&(_, weight, class)| WeightedAction { weight: f64::from(weight), class }),
        }
    }

    /// The drops on a square.
    #[must_use]
    pub fn drops_on(&self, to: Square) -> DropsThere {
        DropsThere {
            weights: self.drops.map(|drops| drops[usize::from(to)]),
            checks: self.checks.map(|checks| checks.contains(to)),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;
    use rules::{Game, Position};

    use super::*;
    use crate::{ActionPrior, Recent};

    /// Factors that change nothing.
    pub(crate) const NO_FACTORS: Factors = [1.0; ACTION_CLASSES];

    /// Every legal action of a position, drops as if one piece of each of `roles` were held.
    pub(crate) fn legal_actions(position: &Position, roles: RoleSet) -> Vec<Ply> {
        let one_of_each = std::array::from_fn(|slot| i8::from(roles.has_slot(slot)));
        let mut plies = Vec::new();
        position.legal_plies(&Reserve::from_counts(one_of_each), &mut plies);
        plies
    }

    /// Probability of a legal ply among all actions of a player with `held`.
    pub(crate) fn share(
        weights: &ActionWeights,
        ply: Ply,
        factors: &Factors,
        held: RoleSet,
    ) -> f64 {
        let WeightedAction { weight, class } = weights.weight(ply).expect("it is legal");
        let totals = &weights.totals;
        weight * factors[class.index()]
            / (totals.of_moves(factors) + totals.of_drops(factors, held))
    }

    /// A position after some legal plies, chosen by numbers, with pieces of any role at hand.
    fn positions() -> impl Strategy<Value = Position> {
        proptest::collection::vec(any::<u16>(), 0..60).prop_map(|choices| {
            let mut position = Position::initial();
            for choice in choices {
                let plies = legal_actions(&position, RoleSet::ALL);
                if plies.is_empty() {
                    break;
                }
                position.play(plies[usize::from(choice) % plies.len()]);
            }
            position
        })
    }

    proptest! {
        #[test]
        fn sums_are_those_of_the_single_weights(position in positions()) {
            let learnt = ActionPrior::of(Game::Bughouse);
            for prior in [&ActionPrior::uniform(), &learnt] {
                let weights = prior.action_weights(&position, &Recent::default(), RoleSet::ALL);
                let mut sums = [0.0; ACTION_CLASSES];
                let plies = legal_actions(&position, RoleSet::ALL);
                for &ply in &plies {
                    let WeightedAction { weight, class } = weights.weight(ply).expect("it is legal");
                    prop_assert!(weight.is_finite() && weight > 0.0);
                    sums[class.index()] += weight;
                }
                prop_assert_eq!(weights.totals.count(RoleSet::ALL), plies.len());
                for (sum, found) in sums.iter().zip(weights.totals.sums) {
                    prop_assert!((sum - found).abs() <= 1e-9 * sum.abs());
                }
            }
        }

        #[test]
        fn shares_of_all_that_can_be_done_add_up_to_one(
            position in positions(),
            held in proptest::array::uniform5(0i8..2),
        ) {
            let held = RoleSet::held(&Reserve::from_counts(held));
            let prior = ActionPrior::of(Game::Bughouse);
            let weights = prior.action_weights(&position, &Recent::default(), held);
            let mut plies = legal_actions(&position, RoleSet::ALL);
            plies.retain(|ply| match ply {
                Ply::Drop { role, .. } => held.has_slot(Reserve::slot(*role).expect("no king")),
                Ply::Move { .. } => true,
            });
            let sum: f64 = plies.iter().map(|&ply| share(&weights, ply, &NO_FACTORS, held)).sum();
            prop_assert!(plies.is_empty() || (sum - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn an_illegal_ply_has_no_weight() {
        let weights = ActionPrior::uniform().action_weights(
            &Position::initial(),
            &Recent::default(),
            RoleSet::NONE,
        );
        assert_eq!(weights.weight("e2e5".parse().expect("a ply")), None);
    }
}
