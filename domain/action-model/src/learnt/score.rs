//! ```text
//! weight(action) = exp(score(action) - greatest score in the position)
//! score = s_0 + Σ over hidden units i of out_i · clamp(s_i, 0, 16) + Σ wide + by_role
//! s = Σ over deep clues c of the action of deep(c)
//! ```
//!
//! The weights of all actions of a position, for the tracker. `s` is a vector of 16 sums: the first one counts as it
//! is, and the others are hidden units. `wide` are the single weights of the wide clues. `by_role` is the weight of
//! the surroundings of a drop for its role. All sums are whole numbers in steps of 1/2048.

use rules::{Ply, Position};

use super::{
    super::{ActionClass, ActionWeights, Recent, RoleSet},
    exponential::exp,
    features::{Sink, visit},
    tables::{LANES, ROLE_LANES},
    weights::{STEPS, Weights, steps},
};

/// Weights in whole steps, as in the file. They take half the memory of the numbers of training, and sums of whole
/// numbers are the same on every machine.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    deep: Vec<[i16; LANES]>,
    out: [i16; LANES],
    wide: Vec<i16>,
    by_role: Vec<[i16; ROLE_LANES]>,
}

/// Largest weight of a hidden unit, in steps: 1. Trained weights are below it. Bound: see `UNIT_MOST`.
const OUT_MOST: i16 = 1 << 11;
/// Largest value of a hidden unit, in steps: 16. Bound: the sum of 15 products with `OUT_MOST` fits 32 bits.
const UNIT_MOST: i16 = i16::MAX;

impl Steps {
    /// The weights in steps.
    pub(super) fn of(weights: &Weights) -> Steps {
        let mut out = weights.out.map(|weight| steps(weight).clamp(-OUT_MOST, OUT_MOST));
        out[0] = 0;
        Steps {
            deep: weights.deep.iter().map(|row| row.map(steps)).collect(),
            out,
            wide: weights.wide.iter().map(|&weight| steps(weight)).collect(),
            by_role: weights.by_role.iter().map(|row| row.map(steps)).collect(),
        }
    }

    fn sum_of_wide(&self, clues: &[u16]) -> i32 {
        clues.iter().map(|&clue| i32::from(self.wide[usize::from(clue)])).sum()
    }

    /// The contribution of the hidden units, in steps of steps: 1/2048².
    #[inline]
    fn through_hidden(&self, sums: &[i16; LANES]) -> i32 {
        let units = sums.iter().map(|&sum| i32::from(sum.clamp(0, UNIT_MOST)));
        units.zip(&self.out).map(|(unit, &weight)| unit * i32::from(weight)).sum()
    }

    /// The weights of all actions of the side to move, with drops as if one piece of each of `roles` were held.
    pub(super) fn weigh(
        &self,
        position: &Position,
        recent: &Recent,
        roles: RoleSet,
    ) -> ActionWeights {
        let mut scorer = Scorer {
            steps: self,
            position: [0; LANES],
            group: [0; LANES],
            shared: 0,
            by_role: [0; ROLE_LANES],
            scored: Vec::with_capacity(USUAL_ACTIONS),
        };
        visit(position, recent, roles, &mut scorer);
        let scored = scorer.scored;
        // Only ratios matter. The greatest weight is 1, so no weight that matters is out of range.
        let most = scored.iter().map(|&(.., score)| score).fold(f32::MIN, f32::max);
        let mut weights = ActionWeights::empty();
        for (ply, class, score) in scored {
            weights.push(ply, exp(score - most), class);
        }
        weights
    }
}

/// Room for actions at first. Bound: none, the list grows.
const USUAL_ACTIONS: usize = 320;

struct Scorer<'a> {
    steps: &'a Steps,
    position: [i16; LANES],
    group: [i16; LANES],
    /// Sum of the wide clues that the group shares.
    shared: i32,
    /// Sums of the rows by role that the group shares.
    by_role: [i16; ROLE_LANES],
    scored: Vec<(Ply, ActionClass, f32)>,
}

impl Sink for Scorer<'_> {
    fn position(&mut self, deep: &[u16]) {
        self.position = with_steps([0; LANES], deep, &self.steps.deep);
    }

    fn group(&mut self, deep: &[u16], wide: &[u16], by_role: &[u16]) {
        self.group = with_steps(self.position, deep, &self.steps.deep);
        self.shared = self.steps.sum_of_wide(wide);
        self.by_role = with_steps([0; ROLE_LANES], by_role, &self.steps.by_role);
    }

    fn action(&mut self, ply: Ply, class: ActionClass, deep: &[u16], wide: &[u16]) {
        let sums = with_steps(self.group, deep, &self.steps.deep);
        let of_role = class.slot().map_or(0, |slot| i32::from(self.by_role[slot]));
        let linear = i32::from(sums[0]) + self.shared + of_role + self.steps.sum_of_wide(wide);
        let hidden = self.steps.through_hidden(&sums);
        self.scored.push((ply, class, (linear as f32 + hidden as f32 / STEPS) / STEPS));
    }
}

/// The sum of some rows, in steps. A sum out of range stays at the end of the range, where it decides nothing more.
#[inline]
fn with_steps<const N: usize>(mut sums: [i16; N], clues: &[u16], rows: &[[i16; N]]) -> [i16; N] {
    for &clue in clues {
        for (sum, &weight) in sums.iter_mut().zip(&rows[usize::from(clue)]) {
            *sum = sum.saturating_add(weight);
        }
    }
    sums
}

#[cfg(test)]
mod tests;
