//! The record of a finished match that is likeliest as a whole.
//!
//! The likeliest answer for each ply need not be one record: two drops of one knight may each be likelier than what else was
//! dropped there, and no story has both. Such a record is wrong for certain, and nobody can play it through. Where some whole story is
//! likely enough to be told, its plies are the answers, each with its own probability; where every story
//! is unlikely, nothing is gained by telling one, and each ply has its likeliest answer.

use std::cmp::Reverse;

use rules::{Color, Ply};
use rustc_hash::FxHashMap;

use crate::{
    explanation::Choice,
    trellis::{
        Layer,
        conditioned::Given,
        path_samples::{Stories, WaysInto},
    },
};

/// Stories drawn to find the likeliest record.
const STORIES: usize = 1_000;
/// A record less probable than this as a whole is not worth a less likely answer for any ply.
const WORTH_TELLING: f64 = 0.1;

/// Plies in order, of each board.
pub(crate) type Record = [Vec<(Color, Ply)>; 2];

/// What was played in every open layer, according to one record.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Whole {
    /// Index of the first open layer.
    first: usize,
    /// The choice of each.
    choices: Vec<u32>,
}

impl Whole {
    /// The likeliest record, if it is likely enough and likelier than `other`.
    pub(crate) fn likelier_than(other: &Record, given: &Given<'_>, first: usize) -> Option<Whole> {
        let whole = Whole { first, choices: most_told(given)? };
        let record = whole.record(given.layers());
        let is_other = record == *other;
        let p = if is_other { 0.0 } else { given.probability_of(&record) };
        (p >= WORTH_TELLING && p > given.probability_of(other)).then_some(whole)
    }

    /// The choice of the layer with this index.
    pub(crate) fn choice<'a>(&self, index: usize, layer: &'a Layer) -> Option<&'a Choice> {
        let choice = *self.choices.get(index.checked_sub(self.first)?)?;
        layer.choices.get(choice as usize)
    }

    fn record(&self, layers: &[Layer]) -> Record {
        let mut record = Record::default();
        for (layer, &choice) in layers.iter().zip(&self.choices) {
            let plies = layer.choices.get(choice as usize).into_iter().flat_map(|made| &made.plies);
            record[layer.board.index()].extend(plies.map(|made| (made.side, made.ply)));
        }
        record
    }
}

/// The choices of a story that tells what most of those drawn tell; none if no story is left.
fn most_told(given: &Given<'_>) -> Option<Vec<u32>> {
    let layers = given.layers();
    let into: Vec<WaysInto> = layers.iter().map(WaysInto::nodes_of).collect();
    let mut stories = Stories::none(into.len());
    stories.draw(given, &into, STORIES);
    let count = stories.choices.first().map_or(0, Vec::len);
    let mut told: Vec<Vec<(usize, u32)>> = vec![Vec::new(); count];
    for (at, (layer, chosen)) in layers.iter().zip(&stories.choices).enumerate() {
        let same = first_alike(&layer.choices);
        let plies = |choice: u32| same.get(choice as usize).copied().unwrap_or(choice);
        let usual = chosen.first().map(|&choice| plies(choice));
        for (told, &choice) in told.iter_mut().zip(chosen) {
            let plies = plies(choice);
            if Some(plies) != usual {
                told.push((at, plies));
            }
        }
    }
    // How often each is told, and by which story first.
    let mut times: FxHashMap<&[_], (usize, Reverse<usize>)> = FxHashMap::default();
    for (story, told) in told.iter().enumerate() {
        times.entry(told).or_insert((0, Reverse(story))).0 += 1;
    }
    let (_, Reverse(story)) = times.into_values().max()?;
    stories.choices.iter().map(|chosen| chosen.get(story).copied()).collect()
}

/// For each choice the first one that has the same plies.
fn first_alike(choices: &[Choice]) -> Vec<u32> {
    let mut first: FxHashMap<Vec<(Color, Ply)>, u32> = FxHashMap::default();
    let plies = |choice: &Choice| choice.plies.iter().map(|made| (made.side, made.ply)).collect();
    (0..).zip(choices).map(|(at, choice)| *first.entry(plies(choice)).or_insert(at)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::trellis::conditioned::{Evidence, small};

    /// All records that stories of a trellis tell, with their probabilities.
    fn records(given: &Given<'_>, stories: &[(Vec<u32>, f64)]) -> Vec<(Record, f64)> {
        let mut records: Vec<(Record, f64)> = Vec::new();
        for (choices, p) in stories {
            let whole = Whole { first: 0, choices: choices.clone() };
            let record = whole.record(given.layers());
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
            let evidence = Evidence::default();
            let given = Given::new(&trellis, &evidence);
            let records = records(&given, &small::stories(&trellis, &evidence));
            let most = records.iter().map(|(_, p)| *p).fold(0.0, f64::max);
            // It is found among as many as are drawn: five standard errors.
            let missed = 5.0 * (0.25 / STORIES as f64).sqrt();
            match Whole::likelier_than(&Record::default(), &given, 0) {
                Some(whole) => {
                    let record = whole.record(given.layers());
                    let told = records.iter().find(|(known, _)| *known == record);
                    let p = told.map_or(0.0, |told| told.1);
                    prop_assert!(p >= WORTH_TELLING && p > most - missed, "{} of {}", p, most);
                }
                None => prop_assert!(most < WORTH_TELLING + missed, "{}", most),
            }
        }

        #[test]
        fn nothing_is_told_instead_of_the_likeliest_record(trellis in small::any()) {
            let evidence = Evidence::default();
            let given = Given::new(&trellis, &evidence);
            let records = records(&given, &small::stories(&trellis, &evidence));
            let likeliest = records.iter().max_by(|a, b| a.1.total_cmp(&b.1)).expect("a record");
            prop_assert_eq!(Whole::likelier_than(&likeliest.0, &given, 0), None);
        }
    }
}
