//! The record of a finished match that is likeliest as a whole.
//!
//! ```text
//! record = the plies of the likeliest path;  taken if p(record) >= LIKELY_AS_A_WHOLE and p(record) > p(other)
//! ```
//!
//! `p` is the posterior probability of a whole record, and `other` the record of the likeliest
//! answers for each ply. These answers need not fit together: two drops of one knight may each be
//! likelier than the alternatives, and no path has both. Such a record is certainly wrong, and
//! nobody can play it through. Where a whole path is likely enough, its plies are the answers, each
//! with its own probability. Where every path is unlikely, one path is no better, and each ply has
//! its likeliest answer.

use rules::{Color, Ply};

use crate::trellis::{Layer, conditioned::ConditionedTrellis};

/// A record less probable than this as a whole is not worth a less likely answer for any ply.
/// Assumed; its effect is measured in `docs/decisions/0009-limits-of-reed-boards.md`.
const LIKELY_AS_A_WHOLE: f64 = 0.1;

/// Plies in order, of each board.
pub(crate) type Record = [Vec<(Color, Ply)>; 2];

/// The likeliest path, if its record is likely enough and likelier than `other`: the explanation of
/// each open layer.
pub(crate) fn likelier_than(
    other: &Record,
    conditioned: &ConditionedTrellis<'_>,
) -> Option<Vec<u32>> {
    let path = conditioned.likeliest_path()?;
    let record = record(conditioned.trellis.layers(), &path);
    let p = if record == *other { 0.0 } else { conditioned.probability_of(&record) };
    (p >= LIKELY_AS_A_WHOLE && p > conditioned.probability_of(other)).then_some(path)
}

/// The plies of a path.
fn record(layers: &[Layer], path: &[u32]) -> Record {
    let mut record = Record::default();
    for (layer, &explanation) in layers.iter().zip(path) {
        let plies = layer.explanations[explanation as usize].plies.iter();
        record[layer.board.index()].extend(plies.map(|made| (made.side, made.ply)));
    }
    record
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::trellis::conditioned::{SoftEvidence, small};

    /// The records of all paths of a trellis, with their probabilities.
    fn records(
        conditioned: &ConditionedTrellis<'_>,
        samples: &[(Vec<u32>, f64)],
    ) -> Vec<(Record, f64)> {
        let mut records: Vec<(Record, f64)> = Vec::new();
        for (explanations, p) in samples {
            let record = record(conditioned.trellis.layers(), explanations);
            match records.iter_mut().find(|(known, _)| *known == record) {
                Some((_, sum)) => *sum += p,
                None => records.push((record, *p)),
            }
        }
        records
    }

    proptest! {
        #[test]
        fn the_likeliest_path_is_the_one_that_listing_all_paths_finds(trellis in small::any()) {
            let evidence = SoftEvidence::default();
            let conditioned = ConditionedTrellis::new(&trellis, &evidence);
            let found = conditioned.likeliest_path().expect("a path");
            let paths = small::samples(&trellis, &evidence);
            let most = paths.iter().map(|(_, p)| *p).fold(0.0, f64::max);
            let alike = paths.iter().filter(|(explanations, _)| *explanations == found);
            let p = alike.map(|(_, p)| *p).fold(0.0, f64::max);
            prop_assert!(p > most * (1.0 - 1e-9), "{} of {}", p, most);
        }

        #[test]
        fn a_record_that_is_taken_is_likely_enough(trellis in small::any()) {
            let evidence = SoftEvidence::default();
            let conditioned = ConditionedTrellis::new(&trellis, &evidence);
            let records = records(&conditioned, &small::samples(&trellis, &evidence));
            if let Some(path) = likelier_than(&Record::default(), &conditioned) {
                let record = record(conditioned.trellis.layers(), &path);
                let found = records.iter().find(|(known, _)| *known == record);
                prop_assert!(found.is_some_and(|found| found.1 > LIKELY_AS_A_WHOLE - 1e-9));
            }
        }

        #[test]
        fn no_path_is_taken_instead_of_the_likeliest_record(trellis in small::any()) {
            let evidence = SoftEvidence::default();
            let conditioned = ConditionedTrellis::new(&trellis, &evidence);
            let records = records(&conditioned, &small::samples(&trellis, &evidence));
            let likeliest = records.iter().max_by(|a, b| a.1.total_cmp(&b.1)).expect("a record");
            prop_assert_eq!(likelier_than(&likeliest.0, &conditioned), None);
        }
    }
}
