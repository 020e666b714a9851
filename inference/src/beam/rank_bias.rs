//! Which hypotheses the second pass should keep alive.
//!
//! ```text
//! bias(e) = ((p(e | all readings) + UNSEEN) / (p(e | readings until its press) + UNSEEN))^(1/4)
//! ```
//!
//! `e` is an explanation of a layer. The beam cuts hypotheses by the readings so far, and later readings may speak for
//! a hypothesis that is gone. At the end of the match it is known how later readings changed the probability of each
//! explanation. The second pass multiplies ranks by this change, so that no places are spent on explanations that will
//! be refuted. Ranks decide which hypotheses survive and nothing else: the probabilities of survivors are the same
//! products of the same numbers as before.

use rustc_hash::FxHashMap;

use crate::{
    explanation::{Explanation, ExplanationKey},
    trellis::{Backward, Trellis},
};

/// Added to both probabilities of an explanation, so that one that was cut early does not count as refuted. Assumed.
const UNSEEN: f64 = 1e-3;

/// The change to the power of 1/4. Part of the later readings is in the probability of a hypothesis by the time it is
/// ranked, and the change is known from surviving hypotheses only. Assumed: the power.
fn tempered(change: f64) -> f64 {
    libm::sqrt(libm::sqrt(change))
}

/// For every layer of a trellis, the bias of each explanation.
#[derive(Clone, Debug)]
pub(crate) struct RankBias {
    layers: Vec<FxHashMap<ExplanationKey, f64>>,
}

impl RankBias {
    /// The biases of a trellis that begins with the match, from the probabilities of all explanations at its end,
    /// `later`.
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

    /// The bias of each of these explanations of a layer; 1 for one that the first pass did not have.
    pub(crate) fn factors(&self, layer: usize, explanations: &[Explanation]) -> Vec<f64> {
        let known = self.layers.get(layer);
        let factor = |explanation: &Explanation| {
            let known = known.and_then(|known| known.get(&ExplanationKey::of(explanation)));
            known.copied().unwrap_or(1.0)
        };
        explanations.iter().map(factor).collect()
    }
}
