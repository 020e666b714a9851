//! Which paths a second look at a match should keep alive.
//!
//! The beam cuts hypotheses by what is known when it must cut; what comes later may speak for one that
//! is gone. Once the match has been followed to its end, it is known how much what came later changed
//! the probability of each choice of each segment. Following it again, hypotheses are ranked by their
//! probability times (a power of) these changes, so that places are not spent on what will be refuted.
//! Ranks decide which hypotheses survive and nothing else: the probabilities of those that do are the same
//! products of the same numbers as before.

use rustc_hash::FxHashMap;

use crate::{
    explanation::{Explanation, ExplanationKey},
    trellis::{Backward, Trellis},
};

/// Added to a choice's probabilities, before and after what came later: a choice that was cut early was not
/// refuted.
const UNSEEN: f64 = 1e-3;

/// The change of a choice's probability, tempered: part of what came later has entered the probability of
/// a hypothesis by the time it is ranked, and what the survivors say of it is not all there is to say.
fn tempered(change: f64) -> f64 {
    libm::sqrt(libm::sqrt(change))
}

/// For every layer of a trellis, how what came later changed the probability of its choices.
#[derive(Clone, Debug)]
pub(crate) struct RankBias {
    layers: Vec<FxHashMap<ExplanationKey, f64>>,
}

impl RankBias {
    /// What the probabilities of all choices in the end, `later`, say about the layers of a trellis that begins
    /// with the match.
    pub(crate) fn of(trellis: &Trellis, later: &Backward) -> RankBias {
        let layers = (0..trellis.end())
            .map(|index| {
                let (Some(layer), Some(later)) = (trellis.layer(index), later.explanations(index))
                else {
                    return FxHashMap::default();
                };
                let first = trellis.filtered(index);
                let changes = later
                    .iter()
                    .zip(first)
                    .map(|(later, first)| tempered((later + UNSEEN) / (first + UNSEEN)));
                layer.explanations.iter().map(ExplanationKey::of).zip(changes).collect()
            })
            .collect();
        RankBias { layers }
    }

    /// The factor of each of these choices of a layer. One that was not known before has 1.
    pub(crate) fn factors(&self, layer: usize, explanations: &[Explanation]) -> Vec<f64> {
        let known = self.layers.get(layer);
        let factor = |explanation: &Explanation| {
            let known = known.and_then(|known| known.get(&ExplanationKey::of(explanation)));
            known.copied().unwrap_or(1.0)
        };
        explanations.iter().map(factor).collect()
    }
}
