//! Questions on trellises written by hand.

use rules::RESERVE_ROLES;

use super::*;
use crate::{
    answers::marginals,
    facts::{Fact, PlyFact, Said},
    trellis::{Edge, conditioned::small},
};

fn choose(trellis: &Trellis, most: usize) -> Vec<Asked> {
    choose_knowing(trellis, most, &Facts::default())
}

fn choose_knowing(trellis: &Trellis, most: usize, known: &Facts) -> Vec<Asked> {
    let answers = answers(trellis);
    Asking { trellis, answers: &answers, known }.choose(&SoftEvidence::default(), most)
}

fn answers(trellis: &Trellis) -> Vec<(BoardId, SegmentEstimate)> {
    let explanations = ConditionedTrellis::new(trellis, &SoftEvidence::default()).explanations();
    let weighed = trellis.layers().iter().zip(&explanations).enumerate();
    let weighed = weighed.map(|(index, (layer, masses))| WeightedLayer { index, layer, masses });
    let around = AroundPress::each(weighed);
    around.iter().map(|around| (around.at.layer.board, marginals::answer(around, None))).collect()
}

/// Two nodes that say which of two pieces was dropped first, second and third, one of them with
/// probability `p`, and a fourth drop that is uncertain by itself and says nothing about the
/// others.
fn three_that_hang_together(p: f64) -> Trellis {
    let edge = |from, to, explanation, weight| Edge { from, to, explanation, weight };
    let first = vec![edge(0, 0, 0, p), edge(0, 1, 1, 1.0 - p)];
    let alike = vec![edge(0, 0, 1, 1.0), edge(1, 1, 0, 1.0)];
    let alone =
        vec![edge(0, 0, 0, 0.5), edge(0, 0, 1, 0.5), edge(1, 1, 0, 0.5), edge(1, 1, 1, 0.5)];
    small::trellis(&[1.0], &[(2, first), (2, alike.clone()), (2, alike), (2, alone)])
}

fn layers(asked: &[Asked]) -> Vec<usize> {
    asked.iter().map(|asked| asked.layer).collect()
}

#[test]
fn what_an_answer_settles_is_not_asked() {
    let asked = choose(&three_that_hang_together(0.5), 5);
    assert_eq!(layers(&asked), [0, 3], "after one answer the other two are known");
}

#[test]
fn the_least_certain_ply_is_asked_about_first() {
    let asked = choose(&three_that_hang_together(0.6), 5);
    assert_eq!(layers(&asked), [3, 0], "certain to 0.5, or to 0.6");
    let [best, other] = asked[1].candidates.as_slice() else { panic!("two candidates") };
    assert_eq!(best.uci, Ply::Drop { role: RESERVE_ROLES[0], to: best.uci.to() });
    assert!((best.p - 0.6).abs() < 1e-9 && (other.p - 0.4).abs() < 1e-9);
}

#[test]
fn nothing_is_asked_about_what_is_certain() {
    let edges = vec![Edge { from: 0, to: 0, explanation: 0, weight: 1.0 }];
    let trellis = small::trellis(&[1.0], &[(2, edges.clone()), (2, edges)]);
    assert!(choose(&trellis, 5).is_empty());
}

#[test]
fn nobody_is_asked_when_an_answer_stood_if_it_is_known_what_it_was() {
    assert!(choose(&small::answered_early_or_not(0.4), 5).is_empty());
}

#[test]
fn what_has_been_asserted_is_not_asked_again() {
    let trellis = three_that_hang_together(0.5);
    let fact = |asked: &Asked| {
        let layer = &trellis.layers()[asked.layer];
        let said = Said { uci: Some(asked.candidates[0].uci), ..Said::default() };
        let (board, t_us) = (Some(layer.board), Some(layer.t_us));
        Fact::Ply(PlyFact { ply: None, board, side: layer.presser, t_us, said })
    };
    let asked = choose(&trellis, 5);
    let known: Facts = asked.iter().take(1).map(fact).collect();
    let left = choose_knowing(&trellis, 5, &known);
    assert!(!left.is_empty() && left.iter().all(|left| left.layer != asked[0].layer));
}
