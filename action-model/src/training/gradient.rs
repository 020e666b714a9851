//! ```text
//! loss = -ln P(played) - e · ln P(type of the drop | square)
//! ∂loss / ∂score(a) = P(a) - [a played]  +  e · (P(a | drops on the square) - [a played])   (second term: those drops)
//! ```
//!
//! The surprise of a choice, and its slope by every weight: backpropagation through the hidden layer. `P` is the
//! conditional logit over all possible actions `a`, and `e` the role emphasis.

use std::ops::Range;

use super::{
    Example,
    forward::{through_hidden, with_rows},
    listing::{Group, Listing},
};
use crate::{
    Weights,
    learnt::{LANES, ROLE_LANES, exp},
};

/// Smaller slopes are skipped: they belong to actions whose probability is nearly 0 already. Bound: on work.
const NEGLIGIBLE: f32 = 1e-6;

/// Computes the gradients of one choice after the other, and reuses its memory.
#[derive(Debug, Default)]
pub(super) struct Differentiator {
    listing: Listing,
    sums: Vec<[f32; LANES]>,
    scores: Vec<f32>,
}

impl Differentiator {
    /// Adds the slope of the loss of an example to `gradient`. Returns the surprise -ln P(played), nats. None if there
    /// was nothing to choose.
    pub(super) fn add(
        &mut self,
        weights: &Weights,
        example: &Example,
        role_emphasis: f32,
        gradient: &mut Weights,
    ) -> Option<f64> {
        let circumstances = self.listing.fill(example);
        let played = self.listing.played?;
        if self.listing.actions.len() < 2 {
            return None;
        }
        let factors = circumstances.sums(&weights.circumstances);
        self.forward(weights, &factors);
        let most = self.scores.iter().copied().fold(f32::MIN, f32::max);
        let mut total = 0.0;
        for score in &mut self.scores {
            *score = exp(*score - most);
            total += *score;
        }
        let surprise = -libm::log(f64::from(self.scores[played].max(f32::MIN_POSITIVE) / total));
        let mut by_class = [0.0; crate::ACTION_CLASSES];
        let there = self.drops_on_the_same_square(played);
        let there_total: f32 = self.scores[there.clone()].iter().sum();
        for (index, (score, action)) in
            self.scores.iter_mut().zip(&self.listing.actions).enumerate()
        {
            let (weight, made) = (*score, if index == played { 1.0 } else { 0.0 });
            *score = weight / total - made;
            if there.contains(&index) {
                *score += role_emphasis * (weight / there_total - made);
            }
            by_class[action.class.index()] += *score;
        }
        for class in crate::ActionClass::ALL {
            for clue in circumstances.for_class(class) {
                gradient.circumstances[usize::from(clue)][class.index()] += by_class[class.index()];
            }
        }
        self.backward(weights, gradient);
        Some(surprise)
    }

    /// The drops on the square of the drop that was played. None if a move was played.
    fn drops_on_the_same_square(&self, played: usize) -> Range<usize> {
        let drop = self.listing.actions[played].class.slot().is_some();
        let groups = self.listing.groups.iter().filter(|_| drop);
        groups.map(|group| group.actions.clone()).find(|on| on.contains(&played)).unwrap_or(0..0)
    }

    fn forward(&mut self, weights: &Weights, factors: &[f32]) {
        let Differentiator { listing, sums, scores } = self;
        sums.clear();
        scores.clear();
        let position = with_rows([0.0; LANES], listing.position(), weights);
        for group in &listing.groups {
            let shared = with_rows(position, listing.of_group(group), weights);
            let of_all: f32 =
                listing.shared(group).iter().map(|&clue| weights.wide[usize::from(clue)]).sum();
            let mut by_role = [0.0; ROLE_LANES];
            for &row in listing.by_role(group) {
                add(&mut by_role, &weights.by_role[usize::from(row)]);
            }
            for action in &listing.actions[group.actions.clone()] {
                let own = with_rows(shared, listing.deep(action), weights);
                let mut score = through_hidden(&own, &weights.out) + of_all;
                score += action.class.slot().map_or(0.0, |slot| by_role[slot]);
                for &clue in listing.wide(action) {
                    score += weights.wide[usize::from(clue)];
                }
                sums.push(own);
                scores.push(score + factors[action.class.index()]);
            }
        }
    }

    fn backward(&self, weights: &Weights, gradient: &mut Weights) {
        let mut of_position = [0.0; LANES];
        for group in &self.listing.groups {
            let of_group = self.backward_group(group, weights, gradient);
            add_to_rows(&mut gradient.deep, self.listing.of_group(group), &of_group);
            add(&mut of_position, &of_group);
        }
        // A term that all actions share cancels out. The optimiser would take its rounding error for a slope.
        of_position[0] = 0.0;
        add_to_rows(&mut gradient.deep, self.listing.position(), &of_position);
    }

    fn backward_group(
        &self,
        group: &Group,
        weights: &Weights,
        gradient: &mut Weights,
    ) -> [f32; LANES] {
        let mut of_group = [0.0; LANES];
        let (mut of_all, mut by_role) = (0.0, [0.0; ROLE_LANES]);
        for index in group.actions.clone() {
            let (action, slope) = (&self.listing.actions[index], self.scores[index]);
            if slope.abs() < NEGLIGIBLE {
                continue;
            }
            let sums = &self.sums[index];
            let mut own = [0.0; LANES];
            for lane in 0..LANES {
                let open = if sums[lane] > 0.0 { 1.0 } else { 0.0 };
                own[lane] = slope * weights.out[lane] * open;
                gradient.out[lane] += slope * sums[lane].max(0.0);
            }
            own[0] = slope;
            add_to_rows(&mut gradient.deep, self.listing.deep(action), &own);
            for &clue in self.listing.wide(action) {
                gradient.wide[usize::from(clue)] += slope;
            }
            add(&mut of_group, &own);
            of_all += slope;
            if let Some(slot) = action.class.slot() {
                by_role[slot] += slope;
            }
        }
        for &clue in self.listing.shared(group) {
            gradient.wide[usize::from(clue)] += of_all;
        }
        for &row in self.listing.by_role(group) {
            add(&mut gradient.by_role[usize::from(row)], &by_role);
        }
        of_group
    }
}

fn add<const N: usize>(sums: &mut [f32; N], more: &[f32; N]) {
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum += more;
    }
}

fn add_to_rows(rows: &mut [[f32; LANES]], clues: &[u16], slopes: &[f32; LANES]) {
    for &clue in clues {
        add(&mut rows[usize::from(clue)], slopes);
    }
}

/// Surprise of an example, nats. None if there was nothing to choose.
#[cfg(test)]
pub(crate) fn surprise(weights: &Weights, example: &Example) -> Option<f64> {
    Differentiator::default().add(weights, example, 0.0, &mut Weights::zero())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::{TrainingMatch, train::tests::SHORT_GAME};

    #[test]
    fn the_gradient_is_the_slope_found_by_trying() {
        let game = rules::bpgn::read(SHORT_GAME.as_bytes()).remove(0).expect("a game");
        let mut examples = Vec::new();
        TrainingMatch::new(&game).expect("a start").visit(|example| examples.push(example));
        let example = examples.iter().rfind(|example| example.played.is_drop()).expect("a drop");
        let weights = Weights::base();
        let mut gradient = Weights::zero();
        Differentiator::default().add(&weights, example, 0.0, &mut gradient);
        // The steepest weights of each part: the surprise must change as they say.
        for part in 0..5 {
            let slopes = gradient.parts()[part];
            let mut order: Vec<usize> = (0..slopes.len()).collect();
            order.sort_by(|&a, &b| slopes[b].abs().total_cmp(&slopes[a].abs()));
            for &at in order.iter().take(12) {
                let tried = |change: f32| {
                    let mut weights = weights.clone();
                    weights.parts_mut()[part][at] += change;
                    surprise(&weights, example).expect("a choice")
                };
                let slope = (tried(2e-3) - tried(-2e-3)) / 4e-3;
                let stated = f64::from(slopes[at]);
                // Far from any kink the two agree; the base weights are in no kink of these.
                assert!(
                    (slope - stated).abs() < 2e-2 * (1.0 + stated.abs()),
                    "{part} {at}: {slope} {stated}"
                );
            }
        }
    }
}
