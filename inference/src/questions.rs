//! Which plies a person should be asked about: those whose answers would settle most.
//!
//! An answer settles more than the ply it is about: once it is known what was dropped on one square, what
//! is left in that reserve settles what was dropped on another. So a question is judged by the whole posterior
//! over paths in the trellis, and the next one given the answers so far: first by how likely the record is to be right in every
//! ply once it is answered (the conditional min-entropy of the path: Smith, “On the Foundations of Quantitative Information
//! Flow”, 2009), and where several are as good in that, the one about the least certain ply.
//!
//! ```text
//! worth(question) = Σ over its answers max over records P(record, answer)
//! ```

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

/// A ply more probable than this is not asked about.
const SURE: f64 = 0.995;
/// Plies weighed against each other as the next question, at most: the least certain ones.
const MAX_WEIGHED: usize = 24;
/// PathSamples drawn to judge questions by.
const SAMPLES: usize = 1_000;
/// Questions after which the record is right with probabilities that differ by no more than this are as good as each other: less cannot be
/// told from so many paths, and in a hopeless match something is to be settled all the same.
const AS_GOOD: f64 = 0.01;

/// A question: which ply, and what it may have been.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Asked {
    /// Index of the layer.
    pub(crate) layer: usize,
    /// Which of the layer's plies.
    pub(crate) slot: usize,
    /// What it may have been, likeliest first.
    pub(crate) candidates: Vec<Alternative>,
    /// The class of answer that each choice of the layer belongs to: an index into the candidates, or
    /// beyond them for everything else.
    classes: Vec<usize>,
    /// The same of another layer, for paths that have the ply there.
    elsewhere: Option<(usize, Vec<usize>)>,
    /// Probability, once it is answered, that the likeliest path is right in every ply, 0 to 1.
    worth: f64,
}

/// What could be asked about the open layers, whose answers these are.
pub(crate) struct Asking<'a> {
    pub(crate) trellis: &'a Trellis,
    /// The answers of all open layers.
    pub(crate) answers: &'a [(BoardId, SegmentEstimate)],
    /// What has been told already, which is not asked again.
    pub(crate) known: &'a Facts,
}

impl Asking<'_> {
    /// The `most` questions that settle most, the best first; each is chosen as if those before it had
    /// been given their likeliest answers.
    pub(crate) fn choose(&self, evidence: &SoftEvidence, most: usize) -> Vec<Asked> {
        let mut evidence = evidence.clone();
        let mut chosen: Vec<Asked> = Vec::new();
        let into: Vec<EdgesInto> = self.trellis.layers().iter().map(EdgesInto::nodes_of).collect();
        let mut samples = PathSamples::none(into.len());
        while chosen.len() < most {
            let conditioned = ConditionedTrellis::new(self.trellis, &evidence);
            let Some(asked) = self.best(&conditioned, &into, &chosen, &mut samples) else { break };
            let likeliest = asked.classes.iter().map(|&class| f64::from(u8::from(class == 0)));
            let known: Vec<f64> = match evidence.layers.get(&asked.layer) {
                Some(before) => likeliest.zip(before).map(|(a, b)| a * b).collect(),
                None => likeliest.collect(),
            };
            evidence.layers.insert(asked.layer, known);
            let at = asked.layer - self.trellis.first_open();
            samples.retain(at, |explanation| asked.classes[explanation as usize] == 0);
            chosen.push(asked);
        }
        chosen
    }

    /// The question that settles most, judged by these `paths` and as many more as it takes.
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
        let outcomes = Outcomes::of(self.trellis, samples);
        for asked in &mut open {
            asked.worth = outcomes.worth_of(asked, self.trellis.first_open());
        }
        let best = open.iter().map(|asked| asked.worth).fold(0.0, f64::max);
        open.into_iter().find(|asked| asked.worth >= best - AS_GOOD)
    }

    /// The plies that are not certain, the least certain first.
    fn open(&self, explanations: &[Vec<f64>], chosen: &[Asked]) -> Vec<Asked> {
        let mut open: Vec<Asked> = Vec::new();
        let weighed =
            self.trellis.layers().iter().zip(self.trellis.first_open()..).zip(explanations);
        let around = AroundPress::each(weighed.map(|((layer, index), masses)| WeightedLayer {
            index,
            layer,
            masses,
        }));
        for ((_, answer), around) in self.answers.iter().zip(&around) {
            let WeightedLayer { index, layer, .. } = around.at;
            for (slot, ply) in answer.plies.iter().enumerate() {
                let chosen = chosen.iter().any(|known| (known.layer, known.slot) == (index, slot));
                let place = Place { board: layer.board, side: Some(ply.side), t_us: ply.t_us };
                if ply.p > SURE || chosen || self.known.plies().any(|fact| fact.settles(place)) {
                    continue;
                }
                open.extend(asked(around, slot, answer.plies.len(), place));
            }
        }
        let likeliest = |asked: &Asked| asked.candidates.first().map_or(1.0, |best| best.p);
        open.retain(|asked| likeliest(asked) <= SURE);
        open.sort_by(|a, b| likeliest(a).total_cmp(&likeliest(b)));
        open.truncate(MAX_WEIGHED);
        open
    }
}

/// What the ply of this place, one of so many, may have been, with probabilities, and which of that each choice says.
fn asked(around: &AroundPress<'_>, slot: usize, count: usize, place: Place) -> Option<Asked> {
    let side = place.side?;
    let WeightedLayer { index, layer, masses } = around.at;
    let nearest = |explanation: &Explanation| {
        crate::facts::nearest(&explanation.plies, place).map(|made| made.ply)
    };
    let meant: Vec<Option<Ply>> = layer.explanations.iter().map(nearest).collect();
    let here = meant.iter().zip(masses).filter_map(|(ply, &mass)| Some(((*ply)?, mass)));
    let there = around.told_there(count, side).into_iter().map(|(made, mass)| (made.ply, mass));
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
    let classes = meant.into_iter().map(class).collect();
    let elsewhere = around.there(count, side).map(|(there, told)| {
        let meant =
            |explanation| told(explanation).filter(|made| made.side == side).map(|made| made.ply);
        (
            there.index,
            there.layer.explanations.iter().map(|explanation| class(meant(explanation))).collect(),
        )
    });
    Some(Asked { layer: index, slot, candidates, classes, elsewhere, worth: 0.0 })
}

/// What was played in each layer of each path, whatever the patterns; layers that are alike in all
/// paths are left out.
struct Outcomes<'a> {
    samples: &'a PathSamples,
    /// Of each path a number that it shares with those in which the same was played throughout.
    records: Vec<u32>,
}

/// What was played in one layer. Most paths have the same there: the others are listed.
struct Column {
    /// The paths whose outcome is not that of most, with their outcomes.
    unusual: Vec<(u32, u32)>,
}

type Key = SmallVec<[(Ply, Color); USUAL_PLIES]>;

impl<'a> Outcomes<'a> {
    fn of(trellis: &Trellis, samples: &'a PathSamples) -> Outcomes<'a> {
        let columns = trellis.layers().iter().zip(&samples.explanations);
        let open = columns.filter_map(|(layer, chosen)| Column::of(&layer.explanations, chosen));
        let open: Vec<Column> = open.collect();
        let records = records(&open, samples.explanations.first().map_or(0, Vec::len));
        Outcomes { samples, records }
    }

    /// What the answer to a question is worth. The paths begin with the layer `first`.
    fn worth_of(&self, asked: &Asked, first: usize) -> f64 {
        self.right_after(&self.answers(asked, first), asked.candidates.len() + 1)
    }

    /// Which class of answer each path gives.
    fn answers(&self, asked: &Asked, first: usize) -> Vec<usize> {
        let none = asked.candidates.len();
        let chosen = |layer: usize| &self.samples.explanations[layer - first];
        let mut answers: Vec<usize> = chosen(asked.layer)
            .iter()
            .map(|&explanation| asked.classes[explanation as usize])
            .collect();
        if let Some((layer, classes)) = &asked.elsewhere {
            for (answer, &explanation) in answers.iter_mut().zip(chosen(*layer)) {
                if *answer == none {
                    *answer = classes[explanation as usize];
                }
            }
        }
        answers
    }

    /// Probability that the likeliest path is right in every ply, once one of these answers, of so many classes, is known.
    fn right_after(&self, answers: &[usize], classes: usize) -> f64 {
        let mut alike: FxHashMap<(usize, u32), u32> = FxHashMap::default();
        for (&answer, &record) in answers.iter().zip(&self.records) {
            *alike.entry((answer, record)).or_default() += 1;
        }
        let mut most = vec![0u32; classes];
        for ((answer, _), samples) in alike {
            most[answer] = most[answer].max(samples);
        }
        f64::from(most.iter().sum::<u32>()) / answers.len().max(1) as f64
    }
}

/// Numbers of the records that so many paths give: the same for paths with the same outcome in every column.
fn records(columns: &[Column], samples: usize) -> Vec<u32> {
    let mut unusual: Vec<Vec<(u32, u32)>> = vec![Vec::new(); samples];
    for (at, column) in (0..).zip(columns) {
        for &(story, outcome) in &column.unusual {
            if let Some(unusual) = unusual.get_mut(story as usize) {
                unusual.push((at, outcome));
            }
        }
    }
    let mut known: FxHashMap<Vec<(u32, u32)>, u32> = FxHashMap::default();
    let number = |outcomes| {
        let next = known.len() as u32;
        *known.entry(outcomes).or_insert(next)
    };
    unusual.into_iter().map(number).collect()
}

impl Column {
    /// The outcomes in a layer with these choices, of which the paths took these; none if all are alike.
    fn of(explanations: &[Explanation], chosen: &[u32]) -> Option<Column> {
        let mut known: FxHashMap<Key, u32> = FxHashMap::default();
        let mut of_choice: Vec<Option<u32>> = vec![None; explanations.len()];
        let outcomes: Vec<u32> = chosen
            .iter()
            .map(|&explanation| {
                *of_choice[explanation as usize].get_or_insert_with(|| {
                    let plies = &explanations[explanation as usize].plies;
                    let next = known.len() as u32;
                    let key = plies.iter().map(|made| (made.ply, made.side)).collect();
                    *known.entry(key).or_insert(next)
                })
            })
            .collect();
        if known.len() <= 1 {
            return None;
        }
        let mut counts = vec![0u32; known.len()];
        outcomes.iter().for_each(|&outcome| counts[outcome as usize] += 1);
        let usual = (0..counts.len()).max_by_key(|&outcome| counts[outcome])?;
        let others = (0..).zip(outcomes).filter(|&(_, outcome)| outcome as usize != usual);
        Some(Column { unusual: others.collect() })
    }
}

#[cfg(test)]
mod tests;
