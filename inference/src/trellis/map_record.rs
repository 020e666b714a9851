//! The record of a finished match that is likeliest as a whole.
//!
//! ```text
//! record = the plies that most of SAMPLES drawn paths tell;  told if p(record) >= WORTH_TELLING and p(record) > p(other)
//! ```
//!
//! `p` is the posterior probability of a whole record, and `other` the record of the likeliest answers for each ply.
//! These answers need not fit together: two drops of one knight may each be likelier than the alternatives, and no path
//! has both. Such a record is certainly wrong, and nobody can play it through. Where a whole path is likely enough, its
//! plies are the answers, each with its own probability. Where every path is unlikely, one path is no better, and each
//! ply has its likeliest answer.

use std::cmp::Reverse;

use rules::{Color, Ply};
use rustc_hash::FxHashMap;

use crate::{
    explanation::Explanation,
    trellis::{
        Layer,
        conditioned::ConditionedTrellis,
        path_samples::{EdgesInto, PathSamples},
    },
};

/// Paths drawn to find the likeliest record. Bound: on work; the share of a record among so many has a standard error
/// of 0.016 at most.
const SAMPLES: usize = 1_000;
/// A record less probable than this as a whole is not worth a less likely answer for any ply. Assumed; its effect is
/// measured in `docs/decisions/0009-limits-of-reed-boards.md`.
const WORTH_TELLING: f64 = 0.1;

/// Plies in order, of each board.
pub(crate) type Record = [Vec<(Color, Ply)>; 2];

/// The explanation of every open layer, according to one record.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MapRecord {
    /// Index of the first open layer.
    first: usize,
    /// The explanation of each.
    explanations: Vec<u32>,
}

impl MapRecord {
    /// The likeliest record, if it is likely enough and likelier than `other`.
    pub(crate) fn likelier_than(
        other: &Record,
        conditioned: &ConditionedTrellis<'_>,
        first: usize,
    ) -> Option<MapRecord> {
        let map_record = MapRecord { first, explanations: most_told(conditioned)? };
        let record = map_record.record(conditioned.layers());
        let is_other = record == *other;
        let p = if is_other { 0.0 } else { conditioned.probability_of(&record) };
        (p >= WORTH_TELLING && p > conditioned.probability_of(other)).then_some(map_record)
    }

    /// The explanation of the layer with this index.
    pub(crate) fn explanation<'a>(
        &self,
        index: usize,
        layer: &'a Layer,
    ) -> Option<&'a Explanation> {
        let explanation = *self.explanations.get(index.checked_sub(self.first)?)?;
        layer.explanations.get(explanation as usize)
    }

    fn record(&self, layers: &[Layer]) -> Record {
        let mut record = Record::default();
        for (layer, &explanation) in layers.iter().zip(&self.explanations) {
            let plies = layer
                .explanations
                .get(explanation as usize)
                .into_iter()
                .flat_map(|made| &made.plies);
            record[layer.board.index()].extend(plies.map(|made| (made.side, made.ply)));
        }
        record
    }
}

/// The explanations of a path that tells the record most often drawn; none if no path is left.
fn most_told(conditioned: &ConditionedTrellis<'_>) -> Option<Vec<u32>> {
    let layers = conditioned.layers();
    let into: Vec<EdgesInto> = layers.iter().map(EdgesInto::nodes_of).collect();
    let mut samples = PathSamples::none(into.len());
    samples.draw(conditioned, &into, SAMPLES);
    let count = samples.explanations.first().map_or(0, Vec::len);
    let mut told: Vec<Vec<(usize, u32)>> = vec![Vec::new(); count];
    for (at, (layer, chosen)) in layers.iter().zip(&samples.explanations).enumerate() {
        let same = first_alike(&layer.explanations);
        let plies =
            |explanation: u32| same.get(explanation as usize).copied().unwrap_or(explanation);
        let usual = chosen.first().map(|&explanation| plies(explanation));
        for (told, &explanation) in told.iter_mut().zip(chosen) {
            let plies = plies(explanation);
            if Some(plies) != usual {
                told.push((at, plies));
            }
        }
    }
    // How often each record is told, and by which path first.
    let mut times: FxHashMap<&[_], (usize, Reverse<usize>)> = FxHashMap::default();
    for (story, told) in told.iter().enumerate() {
        times.entry(told).or_insert((0, Reverse(story))).0 += 1;
    }
    let (_, Reverse(story)) = times.into_values().max()?;
    samples.explanations.iter().map(|chosen| chosen.get(story).copied()).collect()
}

/// For each explanation the first one that has the same plies.
fn first_alike(explanations: &[Explanation]) -> Vec<u32> {
    let mut first: FxHashMap<Vec<(Color, Ply)>, u32> = FxHashMap::default();
    let plies = |explanation: &Explanation| {
        explanation.plies.iter().map(|made| (made.side, made.ply)).collect()
    };
    (0..)
        .zip(explanations)
        .map(|(at, explanation)| *first.entry(plies(explanation)).or_insert(at))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::trellis::conditioned::{SoftEvidence, small};

    /// All records that paths of a trellis tell, with their probabilities.
    fn records(
        conditioned: &ConditionedTrellis<'_>,
        samples: &[(Vec<u32>, f64)],
    ) -> Vec<(Record, f64)> {
        let mut records: Vec<(Record, f64)> = Vec::new();
        for (explanations, p) in samples {
            let map_record = MapRecord { first: 0, explanations: explanations.clone() };
            let record = map_record.record(conditioned.layers());
            match records.iter_mut().find(|(known, _)| *known == record) {
                Some((_, sum)) => *sum += p,
                None => records.push((record, *p)),
            }
        }
        records
    }

    proptest! {
        #[test]
        fn the_record_that_is_told_is_the_likeliest_or_nearly_so(trellis in small::any()) {
            let evidence = SoftEvidence::default();
            let conditioned = ConditionedTrellis::new(&trellis, &evidence);
            let records = records(&conditioned, &small::samples(&trellis, &evidence));
            let most = records.iter().map(|(_, p)| *p).fold(0.0, f64::max);
            // Five standard errors of a share among so many draws.
            let missed = 5.0 * (0.25 / SAMPLES as f64).sqrt();
            match MapRecord::likelier_than(&Record::default(), &conditioned, 0) {
                Some(map_record) => {
                    let record = map_record.record(conditioned.layers());
                    let told = records.iter().find(|(known, _)| *known == record);
                    let p = told.map_or(0.0, |told| told.1);
                    prop_assert!(p >= WORTH_TELLING && p > most - missed, "{} of {}", p, most);
                }
                None => prop_assert!(most < WORTH_TELLING + missed, "{}", most),
            }
        }

        #[test]
        fn nothing_is_told_instead_of_the_likeliest_record(trellis in small::any()) {
            let evidence = SoftEvidence::default();
            let conditioned = ConditionedTrellis::new(&trellis, &evidence);
            let records = records(&conditioned, &small::samples(&trellis, &evidence));
            let likeliest = records.iter().max_by(|a, b| a.1.total_cmp(&b.1)).expect("a record");
            prop_assert_eq!(MapRecord::likelier_than(&likeliest.0, &conditioned, 0), None);
        }
    }
}
