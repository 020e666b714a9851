//! ```text
//! a fact about a ply is unreconciled if   min over its segments of p(fact holds | readings, facts) < BORNE_OUT
//! a final board is unreconciled if        E[differing squares] + E[differing reserves] >= BORNE_OUT
//! a mate is unreconciled if               p(mate at the end | readings, facts) < BORNE_OUT
//! ```
//!
//! Facts as evidence on the trellis, and the facts that the posterior contradicts.

use rules::{BoardId, Color};

use crate::{
    beam::Beam,
    explanation::Explanation,
    facts::{About, Fact, Facts, PlyFact, Unreconciled},
    trellis::{Layer, Trellis, conditioned::ConditionedTrellis},
};

/// A fact with a posterior below this, 0 to 1, is unreconciled. A final board is unreconciled from so many
/// expected differences on. Assumed: set by hand.
const BORNE_OUT: f64 = 0.5;

/// An answer that stood before the press it answers is dated by its own press. That press comes at
/// most this much later, microseconds. Assumed: set by hand.
const OWN_PRESS_US: u64 = 3_000_000;

/// The facts about the plies of the segment of this board that ends now.
pub(crate) fn about(facts: &Facts, trellis: &Trellis, board: BoardId, until_us: u64) -> Vec<About> {
    let since_us = previous(trellis, board, trellis.end()).map(|layer| layer.t_us);
    facts_about(facts.plies(), board, since_us, until_us)
}

/// The facts that are about a segment, or about an answer that stood at its end.
fn facts_about<'a>(
    facts: impl Iterator<Item = &'a PlyFact>,
    board: BoardId,
    since_us: Option<u64>,
    until_us: u64,
) -> Vec<About> {
    let mut facts_about: Vec<About> = facts
        .filter_map(|fact| {
            let later = fact.is_within(board, Some(until_us), until_us + OWN_PRESS_US);
            let within = later || fact.is_within(board, since_us, until_us);
            within.then(|| About { fact: fact.clone(), later })
        })
        .collect();
    // Only the first later fact about a player can mean the answer: the next means a ply of its own.
    let next = |side: Option<Color>| {
        let later = facts_about.iter().filter(|about| about.later && about.fact.side == side);
        later.filter_map(|about| about.fact.t_us).min()
    };
    let next = [None, Some(Color::White), Some(Color::Black)].map(|side| (side, next(side)));
    facts_about.retain(|About { fact, later }| !later || next.contains(&(fact.side, fact.t_us)));
    facts_about
}

/// The segment of this board before the layer `before`.
fn previous(trellis: &Trellis, board: BoardId, before: usize) -> Option<&Layer> {
    (trellis.first_open()..before)
        .rev()
        .filter_map(|index| trellis.layer(index))
        .find(|layer| layer.board == board && !layer.is_repair())
}

/// The least probability that a fact about a ply has in a segment that it is about. None if there
/// is no such segment. `explanations` has the probabilities of the explanations of all open layers.
fn least_probability(fact: &PlyFact, trellis: &Trellis, explanations: &[Vec<f64>]) -> Option<f64> {
    let mut p: Option<f64> = None;
    for (index, masses) in (trellis.first_open()..).zip(explanations) {
        let layer = trellis.layer(index).filter(|layer| !layer.is_repair());
        let Some(layer) = layer else { continue };
        let since_us = previous(trellis, layer.board, index).map(|layer| layer.t_us);
        let about = facts_about([fact].into_iter(), layer.board, since_us, layer.t_us);
        let agrees = |explanation: &Explanation| {
            let Explanation { pattern, plies } = explanation;
            about.iter().all(|about| about.agrees(*pattern, layer.presser, plies))
        };
        if !about.is_empty() {
            let weighed = masses.iter().zip(&layer.explanations);
            let agreeing = weighed.filter(|(_, explanation)| agrees(explanation));
            let here: f64 = agreeing.map(|(p, _)| p).sum();
            p = Some(p.map_or(here, |p| p.min(here)));
        }
    }
    p
}

/// The facts that the posterior contradicts.
pub(crate) fn unreconciled(
    beam: &Beam,
    conditioned: &ConditionedTrellis<'_>,
    facts: &Facts,
) -> Vec<Unreconciled> {
    let trellis = &beam.filter.trellis;
    let explanations = conditioned.explanations();
    let ends = conditioned.ends();
    let weighing = beam.weighing();
    let against = |fact: &Fact| match fact {
        Fact::Ply(fact) => {
            match least_probability(fact, trellis, &explanations) {
                None => Some("nothing was read there and then".to_owned()),
                Some(p) if p < BORNE_OUT => {
                    // Rounding may leave the sum a little below nothing.
                    Some(format!("the readings give it a probability of {:.2}", p.max(0.0)))
                }
                Some(_) => None,
            }
        }
        Fact::Final(end) => {
            let (mut squares, mut reserves) = (0.0, 0.0);
            for (state, p) in weighing.states.iter().zip(&ends) {
                let (on_squares, held) = weighing.differences(end, state);
                squares += p * on_squares as f64;
                reserves += p * held as f64;
            }
            (squares + reserves >= BORNE_OUT).then(|| {
                format!("{squares:.0} squares and {reserves:.0} pieces in reserve are otherwise")
            })
        }
        Fact::Ending(ending) => {
            let states = weighing.states.iter().zip(&ends);
            let p: f64 =
                states.filter(|(state, _)| weighing.ended_so(ending, state)).map(|(_, p)| p).sum();
            (p < BORNE_OUT).then(|| format!("the boards give it a probability of {p:.2}"))
        }
        // `reinstatements.rs` judges positions: it knows when they stood, and the readings then. Nothing
        // that is read speaks against a delay: a clock shows its times and not what it adds to
        // them.
        Fact::Stands(_) | Fact::PerMove(_) => None,
    };
    let judged = facts
        .iter()
        .filter_map(|fact| Some(Unreconciled { fact: fact.clone(), reason: against(fact)? }));
    judged.collect()
}

#[cfg(test)]
mod tests {
    use rules::Ply;

    use super::*;
    use crate::facts::Said;

    #[test]
    fn the_next_ply_but_one_of_a_player_is_no_answer() {
        let (board, side) = (BoardId::A, Some(Color::Black));
        let asserted = |t_us: u64, ply: &str| {
            let uci = Some(ply.parse::<Ply>().expect("a ply"));
            let said = Said { uci, ..Said::default() };
            PlyFact { ply: None, board: Some(board), side, t_us: Some(t_us), said }
        };
        let (answer, next) = (asserted(1_300_000, "f8c5"), asserted(3_500_000, "d7d6"));
        let about = facts_about([&next, &answer].into_iter(), board, Some(0), 1_000_000);
        let later: Vec<_> = about.iter().map(|about| (&about.fact, about.later)).collect();
        assert_eq!(later, [(&answer, true)]);
    }
}
