//! Which hypotheses the second pass should keep.
//!
//! ```text
//! bias(e) = ((p(e | all) + UNSEEN) / (p(e | readings until its press) + UNSEEN))^(1/4)
//! rank(h) = SUM over the edges to h of rank(source) * bias(explanation) * w
//! ```
//!
//! `e` is an explanation of a layer, `all` are the readings and facts of the whole match, and `w` is the weight of an edge.
//! The first pass cuts hypotheses by what is known at each press. A later reading or an answer may speak for one that is
//! gone. The second pass cuts by rank: places are spent on what the first pass found likely in the end. Ranks decide
//! which hypotheses go on and nothing else. The probabilities of those that go on are the same products as without them.

use rustc_hash::FxHashMap;

use crate::{
    explanation::{Explanation, ExplanationKey},
    trellis::{Layer, Trellis, normalise},
};

/// Added to both probabilities, so that an explanation that was cut early does not count as refuted. Assumed.
const UNSEEN: f64 = 1e-3;

/// For each layer, the bias of every explanation that the first pass had.
#[derive(Clone, Debug, Default)]
pub(crate) struct RankBias {
    layers: Vec<FxHashMap<ExplanationKey, f64>>,
}

impl RankBias {
    /// The biases from the trellis of the first pass, none of whose layers is closed, and from the probabilities of all
    /// explanations in the end.
    pub(crate) fn of(trellis: &Trellis, later: &[Vec<f64>]) -> RankBias {
        let mut before = trellis.roots();
        let mut layers = Vec::with_capacity(later.len());
        for (layer, later) in trellis.layers().iter().zip(later) {
            let keys = layer.explanations.iter().map(ExplanationKey::of);
            let first = filtered(before, layer);
            layers.push(keys.zip(later.iter().zip(first).map(bias)).collect());
            before = &layer.forward;
        }
        RankBias { layers }
    }

    /// The bias of each of these explanations of a layer; 1 for one that the first pass did not have.
    pub(crate) fn factors(&self, layer: usize, explanations: &[Explanation]) -> Vec<f64> {
        let known = self.layers.get(layer);
        let factor = |explanation| known?.get(&ExplanationKey::of(explanation)).copied();
        explanations.iter().map(|explanation| factor(explanation).unwrap_or(1.0)).collect()
    }
}

/// The bias of an explanation with these probabilities, in the end and at first. The power is 1/4, because the change is
/// known only from the hypotheses that were kept. Assumed.
fn bias((later, first): (&f64, f64)) -> f64 {
    libm::sqrt(libm::sqrt((later + UNSEEN) / (first + UNSEEN)))
}

/// Probabilities of the explanations of a layer, given the readings until its press. `before` are those of the nodes
/// that its edges start from.
fn filtered(before: &[f64], layer: &Layer) -> Vec<f64> {
    let mut masses = vec![0.0; layer.explanations.len()];
    for edge in &layer.edges {
        masses[edge.explanation as usize] += before[usize::from(edge.from)] * edge.weight;
    }
    normalise(&mut masses);
    masses
}

#[cfg(test)]
mod tests {
    use rules::BoardId;

    use super::*;
    use crate::{explanation::PressPattern, trellis::Edge};

    fn explained(pattern: PressPattern) -> Explanation {
        Explanation { plies: Default::default(), pattern }
    }

    #[test]
    fn an_explanation_that_later_readings_speak_for_is_ranked_higher() {
        let mut trellis = Trellis::new(vec![1.0]);
        let explanations =
            vec![explained(PressPattern::Regular), explained(PressPattern::MissedPress)];
        let edge = |explanation: u16, weight| Edge {
            from: 0,
            to: explanation,
            explanation: u32::from(explanation),
            weight,
        };
        trellis.push(Layer {
            board: BoardId::A,
            presser: None,
            t_us: 0,
            explanations: explanations.clone(),
            edges: vec![edge(0, 0.03), edge(1, 0.01)],
            forward: vec![0.75, 0.25],
        });
        let bias = RankBias::of(&trellis, &[vec![0.25, 0.75]]);
        let unknown = explained(PressPattern::OutOfTurn);
        let factors = bias.factors(0, &[explanations, vec![unknown.clone()]].concat());
        let changes: Vec<f64> =
            factors.iter().map(|factor| factor * factor * factor * factor).collect();
        for (change, expected) in changes.iter().zip([0.251 / 0.751, 0.751 / 0.251, 1.0]) {
            assert!((change - expected).abs() < 1e-12, "{changes:?}");
        }
        assert_eq!(bias.factors(1, &[unknown]), [1.0], "a layer that the first pass had not");
    }
}
