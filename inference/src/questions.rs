//! ```text
//! worth(question) = Σ over its answers a of max over records r of P(r, a)
//! chosen = the least certain ply among the questions with worth >= greatest worth - AS_GOOD
//! ```
//!
//! Questions for people: the plies whose answers would settle most. `worth` is the probability that the likeliest
//! record is right in every ply, once the answer is known. Its negative logarithm is the conditional min-entropy of
//! the path (Smith, “On the Foundations of Quantitative Information Flow”, 2009). `P` is estimated from paths that are
//! drawn from the posterior.
//!
//! An answer settles more than its own ply: if one drop is known, the rest of that reserve settles another drop.
//! So a question is judged by the whole posterior over paths in the trellis. Each further question is judged as if
//! the ones before it had got their likeliest answers.

use readings::Alternative;
use rules::{BoardId, Color, Ply};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::{
    answers::{
        marginals::{MAX_ALTERNATIVES, MENTIONABLE, SegmentEstimate},
        same_ply::{AroundPress, WeightedLayer},
    },
    explanation::{Explanation, USUAL_PLIES},
    facts::{Facts, Place},
    trellis::{
        Trellis,
        conditioned::{ConditionedTrellis, SoftEvidence},
        path_samples::{EdgesInto, PathSamples},
    },
};

/// A ply more probable than this, 0 to 1, is not asked about. Assumed: set by hand.
const SURE: f64 = 0.995;
/// Most plies that are compared as the next question: the least certain ones. Bound: on work.
const MAX_WEIGHED: usize = 24;
/// Paths that are drawn to judge questions. Bound: on work.
const SAMPLES: usize = 1_000;
/// Questions whose worth differs by no more than this, 0 to 1, are equally good. So many paths show no smaller
/// difference, and a hopeless match needs a question too. Assumed: set by hand.
const AS_GOOD: f64 = 0.01;

/// A question: a ply, and its candidates.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Asked {
    /// Index of the layer.
    pub(crate) layer: usize,
    /// Index of the ply in the layer.
    pub(crate) slot: usize,
    /// The candidates for the ply, likeliest first.
    pub(crate) candidates: Vec<Alternative>,
    /// The answer of each explanation of the layer: an index into the candidates, or their number for any other
    /// ply.
    classes: Vec<usize>,
    /// Another layer and the answers of its explanations, for paths that have the ply there: the same layer if no path
    /// can.
    elsewhere: (usize, Vec<usize>),
    /// Probability, 0 to 1, that the likeliest record is right in every ply once the question is answered.
    worth: f64,
}

/// Chooses questions about the open layers.
pub(crate) struct Asking<'a> {
    pub(crate) trellis: &'a Trellis,
    /// The answers of all open layers.
    pub(crate) answers: &'a [(BoardId, SegmentEstimate)],
    /// The facts that people have asserted. They are not asked again.
    pub(crate) known: &'a Facts,
}

impl Asking<'_> {
    /// The `most` questions that settle most, the best first. Each is chosen as if the ones before it had got
    /// their likeliest answers.
    pub(crate) fn choose(&self, evidence: &SoftEvidence, most: usize) -> Vec<Asked> {
        let mut evidence = evidence.clone();
        let mut chosen: Vec<Asked> = Vec::new();
        let into: Vec<EdgesInto> = self.trellis.layers().iter().map(EdgesInto::nodes_of).collect();
        let mut samples = PathSamples::none(into.len());
        while chosen.len() < most {
            let conditioned = ConditionedTrellis::new(self.trellis, &evidence);
            let Some(asked) = self.best(&conditioned, &into, &chosen, &mut samples) else { break };
            let unknown = || vec![1.0; asked.classes.len()];
            let known = evidence.layers.entry(asked.layer).or_insert_with(unknown);
            for (likelihood, &class) in known.iter_mut().zip(&asked.classes) {
                *likelihood *= f64::from(u8::from(class == 0));
            }
            let at = asked.layer - self.trellis.first_open();
            samples.retain(at, |explanation| asked.classes[explanation as usize] == 0);
            chosen.push(asked);
        }
        chosen
    }

    /// The question that settles most, judged by these `samples` and as many more as are missing.
    fn best(
        &self,
        conditioned: &ConditionedTrellis<'_>,
        into: &[EdgesInto],
        chosen: &[Asked],
        samples: &mut PathSamples,
    ) -> Option<Asked> {
        let mut open = self.open(&conditioned.explanations(), chosen);
        if open.is_empty() {
            return None;
        }
        samples.draw(conditioned, into, SAMPLES);
        let records = records(self.trellis, samples);
        for asked in &mut open {
            asked.worth = asked.worth(samples, self.trellis.first_open(), &records);
        }
        let best = open.iter().map(|asked| asked.worth).fold(0.0, f64::max);
        open.into_iter().find(|asked| asked.worth >= best - AS_GOOD)
    }

    /// The plies that are not certain, the least certain first.
    fn open(&self, explanations: &[Vec<f64>], chosen: &[Asked]) -> Vec<Asked> {
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
        open.sort_by(|a, b| likeliest(a).total_cmp(&likeliest(b)));
        open.truncate(MAX_WEIGHED);
        open
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
    let elsewhere = match around.there(count, side) {
        Some((there, ply_of)) => {
            let made = there.layer.explanations.iter().map(ply_of);
            let meant = made.map(|made| Some(made.filter(|made| made.side == side)?.ply));
            (there.index, meant.map(class).collect())
        }
        None => (index, classes.clone()),
    };
    Some(Asked { layer: index, slot, candidates, classes, elsewhere, worth: 0.0 })
}

type Plies = SmallVec<[(Ply, Color); USUAL_PLIES]>;

/// The number of each path's record: paths with the same plies throughout share it. Patterns do not matter.
fn records(trellis: &Trellis, samples: &PathSamples) -> Vec<u32> {
    let mut records = vec![0; samples.explanations.first().map_or(0, Vec::len)];
    for (layer, chosen) in trellis.layers().iter().zip(&samples.explanations) {
        let mut outcomes: FxHashMap<Plies, u32> = FxHashMap::default();
        let mut of_explanation: Vec<Option<u32>> = vec![None; layer.explanations.len()];
        let mut outcome = |explanation: u32| {
            *of_explanation[explanation as usize].get_or_insert_with(|| {
                let plies = &layer.explanations[explanation as usize].plies;
                let next = outcomes.len() as u32;
                let plies = plies.iter().map(|made| (made.ply, made.side)).collect();
                *outcomes.entry(plies).or_insert(next)
            })
        };
        let chosen: Vec<u32> = chosen.iter().map(|&explanation| outcome(explanation)).collect();
        if outcomes.len() > 1 {
            let mut known: FxHashMap<(u32, u32), u32> = FxHashMap::default();
            for (record, outcome) in records.iter_mut().zip(chosen) {
                let next = known.len() as u32;
                *record = *known.entry((*record, outcome)).or_insert(next);
            }
        }
    }
    records
}

impl Asked {
    /// Probability, 0 to 1, that the likeliest record is right in every ply, once each path has given its answer. The
    /// paths begin with the layer `first`.
    fn worth(&self, samples: &PathSamples, first: usize, records: &[u32]) -> f64 {
        let none = self.candidates.len();
        let (layer, elsewhere) = &self.elsewhere;
        let mut alike: FxHashMap<(usize, u32), u32> = FxHashMap::default();
        let paths = samples.explanations[self.layer - first].iter();
        let paths = paths.zip(&samples.explanations[layer - first]).zip(records);
        for ((&here, &there), &record) in paths {
            let answer = match self.classes[here as usize] {
                answer if answer == none => elsewhere[there as usize],
                answer => answer,
            };
            *alike.entry((answer, record)).or_default() += 1;
        }
        let mut most = vec![0u32; none + 1];
        for ((answer, _), samples) in alike {
            most[answer] = most[answer].max(samples);
        }
        f64::from(most.iter().sum::<u32>()) / records.len().max(1) as f64
    }
}

#[cfg(test)]
mod tests;
