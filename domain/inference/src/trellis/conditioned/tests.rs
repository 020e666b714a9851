//! Conditioning against enumeration of all paths.

use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn evidence_weighs_paths_as_listing_all_of_them_does(
        trellis in small::any(),
        factors in proptest::collection::vec(0.0f64..1.0, 3),
        ends in proptest::option::of(proptest::collection::vec(0.01f64..1.0, 3)),
    ) {
        let last = trellis.end() - 1;
        let evidence = SoftEvidence {
            layers: FxHashMap::from_iter([(last / 2, factors)]),
            ends: ends.filter(|ends| ends.len() == trellis.forward().len()),
        };
        let mut expected = vec![vec![0.0; 3]; trellis.end()];
        for (explanations, p) in small::samples(&trellis, &evidence) {
            for (layer, explanation) in explanations.into_iter().enumerate() {
                expected[layer][explanation as usize] += p;
            }
        }
        let found = ConditionedTrellis::new(&trellis, &evidence).explanations();
        for (expected, found) in expected.iter().flatten().zip(found.iter().flatten()) {
            prop_assert!((expected - found).abs() < 1e-9, "{expected:?} {found:?}");
        }
    }

    #[test]
    fn a_record_is_as_probable_as_the_paths_that_have_it(
        trellis in small::any(),
        picked in any::<prop::sample::Index>(),
    ) {
        let evidence = SoftEvidence::default();
        let samples = small::samples(&trellis, &evidence);
        let record_of = |explanations: &[u32]| -> Vec<(Color, Ply)> {
            let layers = trellis.layers().iter().zip(explanations);
            let plies = layers.flat_map(|(layer, &explanation)| &layer.explanations[explanation as usize].plies);
            plies.map(|made| (made.side, made.ply)).collect()
        };
        let record = record_of(&samples[picked.index(samples.len())].0);
        let same = samples.iter().filter(|(explanations, _)| record_of(explanations) == record);
        let expected: f64 = same.map(|(_, p)| p).sum();
        let found = ConditionedTrellis::new(&trellis, &evidence).probability_of(&[record, Vec::new()]);
        prop_assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }

    #[test]
    fn without_evidence_the_trellis_is_as_it_was(trellis in small::any()) {
        let evidence = SoftEvidence::default();
        let found = ConditionedTrellis::new(&trellis, &evidence).explanations();
        let before = trellis.backward(0);
        for (found, before) in found.iter().flatten().zip(before.iter().flatten()) {
            prop_assert!((found - before).abs() < 1e-12);
        }
    }
}

#[test]
fn an_answer_before_the_press_and_one_after_it_make_the_same_record() {
    let trellis = small::answered_early_or_not(0.3);
    let ply = |ply: &str| ply.parse().expect("a ply");
    let record = |plies: &[(Color, &str)]| {
        let a = plies.iter().map(|&(side, text)| (side, ply(text))).collect();
        ConditionedTrellis::new(&trellis, &SoftEvidence::default()).probability_of(&[a, Vec::new()])
    };
    let both = [(Color::White, "e2e4"), (Color::Black, "e7e5")];
    assert!((record(&both) - 1.0).abs() < 1e-12);
    assert_eq!(record(&both[..1]), 0.0);
}

#[test]
fn evidence_that_excludes_every_path_leaves_none_and_breaks_nothing() {
    let edges = vec![crate::trellis::Edge { from: 0, to: 0, explanation: 0, weight: 1.0 }];
    let trellis = small::trellis(&[1.0], &[(2, edges.clone()), (2, edges)]);
    let evidence = SoftEvidence { layers: FxHashMap::from_iter([(0, vec![0.0, 1.0])]), ends: None };
    let conditioned = ConditionedTrellis::new(&trellis, &evidence);
    assert_eq!(conditioned.ends(), [0.0]);
    assert!(conditioned.explanations().iter().flatten().all(|&p| p == 0.0));
}
