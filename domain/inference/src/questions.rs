//! ```text
//! chosen = argmin over open plies of max over its candidates c of P(c | facts, likeliest answers so far)
//! ```
//!
//! Questions for people: the plies that are least certain. `P` is the posterior of the trellis. An
//! answer settles more than its own ply: if one drop is known, the rest of that reserve settles
//! another drop. So each further question is chosen as if the ones before it had got their
//! likeliest answers. To judge questions by what the whole record gains, over paths drawn from the
//! posterior, chose no better (decision 0027).

use readings::Alternative;
use rules::{BoardId, Ply};

use crate::{
    answers::{
        marginals::{MAX_ALTERNATIVES, MENTIONABLE, SegmentEstimate},
        same_ply::{AroundPress, WeightedLayer},
    },
    explanation::Explanation,
    facts::{Facts, Place},
    trellis::{
        Trellis,
        conditioned::{ConditionedTrellis, SoftEvidence},
    },
};

/// A ply more probable than this, 0 to 1, is not asked about. Assumed: set by hand.
const SURE: f64 = 0.995;
/// A question: a ply, and its candidates.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Asked {
    /// Index of the layer.
    pub(crate) layer: usize,
    /// Index of the ply in the layer.
    pub(crate) slot: usize,
    /// The candidates for the ply, likeliest first.
    pub(crate) candidates: Vec<Alternative>,
    /// The answer of each explanation of the layer: an index into the candidates, or their number
    /// for any other ply.
    classes: Vec<usize>,
}

/// Chooses questions about the open layers.
pub(crate) struct Asking<'a> {
    pub(crate) trellis: &'a Trellis,
    /// The answers of all open layers.
    pub(crate) answers: &'a [(BoardId, SegmentEstimate)],
    /// The facts that people have asserted. No question repeats them.
    pub(crate) known: &'a Facts,
}

impl Asking<'_> {
    /// The `most` questions, the best first. Each is chosen as if the ones before it had got
    /// their likeliest answers.
    pub(crate) fn choose(&self, evidence: &SoftEvidence, most: usize) -> Vec<Asked> {
        let mut evidence = evidence.clone();
        let mut chosen: Vec<Asked> = Vec::new();
        while chosen.len() < most {
            let conditioned = ConditionedTrellis::new(self.trellis, &evidence);
            let Some(asked) = self.least_certain(&conditioned.explanations(), &chosen) else {
                break;
            };
            let unknown = || vec![1.0; asked.classes.len()];
            let known = evidence.layers.entry(asked.layer).or_insert_with(unknown);
            for (likelihood, &class) in known.iter_mut().zip(&asked.classes) {
                *likelihood *= f64::from(u8::from(class == 0));
            }
            chosen.push(asked);
        }
        chosen
    }

    /// The question about the least certain ply; none if all are certain.
    fn least_certain(&self, explanations: &[Vec<f64>], chosen: &[Asked]) -> Option<Asked> {
        let mut open: Vec<Asked> = Vec::new();
        let weighed =
            self.trellis.layers().iter().zip(self.trellis.first_open()..).zip(explanations);
        let weighed =
            weighed.map(|((layer, index), masses)| WeightedLayer { index, layer, masses });
        for ((board, answer), around) in self.answers.iter().zip(&AroundPress::each(weighed)) {
            let at = |slot| (around.at.index, slot);
            for (slot, ply) in answer.plies.iter().enumerate() {
                let chosen = chosen.iter().any(|known| (known.layer, known.slot) == at(slot));
                let place = Place { board: *board, side: Some(ply.side), t_us: ply.t_us };
                let settled = chosen || self.known.plies().any(|fact| fact.settles(place));
                if ply.p <= SURE && !settled {
                    open.extend(asked(around, slot, answer.plies.len(), place));
                }
            }
        }
        let likeliest = |asked: &Asked| asked.candidates.first().map_or(1.0, |best| best.p);
        open.retain(|asked| likeliest(asked) <= SURE);
        open.into_iter().min_by(|a, b| likeliest(a).total_cmp(&likeliest(b)))
    }
}

/// The question about one ply, or None if it has no candidate. The segment has `count` plies.
fn asked(around: &AroundPress<'_>, slot: usize, count: usize, place: Place) -> Option<Asked> {
    let side = place.side?;
    let WeightedLayer { index, layer, masses } = around.at;
    let nearest = |explanation: &Explanation| {
        crate::facts::nearest(&explanation.plies, place).map(|made| made.ply)
    };
    let meant: Vec<Option<Ply>> = layer.explanations.iter().map(nearest).collect();
    let here = meant.iter().zip(masses).filter_map(|(ply, &mass)| Some(((*ply)?, mass)));
    let there = around.plies_there(count, side).into_iter().map(|(made, mass)| (made.ply, mass));
    let mut candidates: Vec<Alternative> = Vec::new();
    for (uci, mass) in here.chain(there) {
        match candidates.iter_mut().find(|known| known.uci == uci) {
            Some(known) => known.p += mass,
            None => candidates.push(Alternative { uci, p: mass }),
        }
    }
    candidates.sort_by(|a, b| b.p.total_cmp(&a.p).then(a.uci.cmp(&b.uci)));
    candidates.retain(|candidate| candidate.p >= MENTIONABLE);
    candidates.truncate(MAX_ALTERNATIVES + 1);
    if candidates.is_empty() {
        return None;
    }
    let class = |ply: Option<Ply>| {
        ply.and_then(|ply| candidates.iter().position(|candidate| candidate.uci == ply))
            .unwrap_or(candidates.len())
    };
    let classes: Vec<usize> = meant.into_iter().map(class).collect();
    Some(Asked { layer: index, slot, candidates, classes })
}

#[cfg(test)]
mod tests;
