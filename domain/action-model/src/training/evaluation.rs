//! ```text
//! cross-entropy = mean over choices of -ln P(played)
//! ```
//!
//! Evaluation of a prior on choices that it was not trained on.

use super::{Example, TrainingMatch};
use crate::{ActionPrior, RoleSet, WeightedAction};

/// Cross-entropy of the plies of some matches, nats a choice; 0 without any choice.
#[must_use]
pub fn cross_entropy<'a>(
    prior: &ActionPrior,
    matches: impl IntoIterator<Item = &'a TrainingMatch>,
) -> f64 {
    let (mut surprise, mut choices) = (0.0, 0usize);
    for each in matches {
        each.visit(|example| {
            if let Some(p) = probability(prior, &example) {
                surprise -= libm::log(p.clamp(f64::MIN_POSITIVE, 1.0));
                choices += 1;
            }
        });
    }
    surprise / choices.max(1) as f64
}

/// P(played); none if there was nothing to choose.
fn probability(prior: &ActionPrior, example: &Example) -> Option<f64> {
    let action_weights = prior.action_weights(&example.position, &example.recent, RoleSet::ALL);
    let (factors, totals) = (prior.factors(&example.circumstances), &action_weights.totals);
    let held = RoleSet::held(&example.circumstances.held);
    let of_played = |found: WeightedAction| found.weight * factors[found.class.index()];
    let played = action_weights.weight(example.played).map_or(0.0, of_played);
    (totals.count(held) > 1)
        .then(|| played / (totals.of_moves(&factors) + totals.of_drops(&factors, held)))
}
