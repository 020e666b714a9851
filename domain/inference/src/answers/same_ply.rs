//! ```text
//! p(ply) = Σ over e here with the ply of P(e)  +  s · Σ over e' in the other segment with the ply of P(e')
//! s = min(1, P(this segment lacks the ply) / Σ over e' with any ply in its place of P(e'))
//! ```
//!
//! One ply may stand before or after the press that it answers. `e` are the explanations of a
//! segment, and `e'` the explanations of the segment before or after it on the board. A ply in the
//! other segment is the same ply only where this segment lacks it, so `s` limits its mass.
//!
//! Children answer before the press. Often the ply is certain, and only its time is doubtful. One
//! path has the answer in the segment that the press ends, and nothing but the answer's own press
//! in the next segment. Another path has the answer in the next segment. Both paths count for the
//! ply. Otherwise a certain ply would look doubtful, and people would be asked questions whose
//! answers settle nothing.

use rules::Color;
use smallvec::SmallVec;

use crate::{
    explanation::{ExplainedPly, Explanation, PressPattern},
    trellis::Layer,
};

/// A layer and the posterior of its explanations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WeightedLayer<'a> {
    /// Its index in the trellis.
    pub(crate) index: usize,
    pub(crate) layer: &'a Layer,
    pub(crate) masses: &'a [f64],
}

/// A layer with the layers before and after it on its board, if they are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AroundPress<'a> {
    pub(crate) before: Option<WeightedLayer<'a>>,
    pub(crate) at: WeightedLayer<'a>,
    pub(crate) after: Option<WeightedLayer<'a>>,
}

/// Selects one ply of an explanation.
type PlyOf = fn(&Explanation) -> Option<&ExplainedPly>;

/// Plies with probabilities.
pub(crate) type WeightedPlies = SmallVec<[(ExplainedPly, f64); 4]>;

impl<'a> WeightedLayer<'a> {
    /// The explanations that are possible, with their masses.
    pub(crate) fn explanations(self) -> impl Iterator<Item = (&'a Explanation, f64)> {
        self.layer
            .explanations
            .iter()
            .zip(self.masses.iter().copied())
            .filter(|(_, mass)| *mass > 0.0)
    }

    fn mass_of(self, such: impl Fn(&Explanation) -> bool) -> f64 {
        self.explanations().filter(|(explanation, _)| such(explanation)).map(|(_, mass)| mass).sum()
    }
}

impl<'a> AroundPress<'a> {
    /// Each of these layers, which come in order, with the layers before and after it on its board.
    pub(crate) fn each(layers: impl Iterator<Item = WeightedLayer<'a>>) -> Vec<AroundPress<'a>> {
        let mut found: Vec<AroundPress<'a>> = Vec::new();
        let mut last: [Option<usize>; 2] = [None; 2];
        for (place, at) in layers.enumerate() {
            let last = &mut last[at.layer.board.index()];
            let before = last.map(|before| found[before].at);
            found.push(AroundPress { before, at, after: None });
            if at.layer.is_repair() {
                continue;
            }
            if let Some(before) = last.replace(place) {
                found[before].after = Some(at);
            }
        }
        found
    }

    /// The other segment in which paths may have a ply by `side`, one of `count` plies in this segment.
    pub(crate) fn there(&self, count: usize, side: Color) -> Option<(WeightedLayer<'a>, PlyOf)> {
        match (count, self.at.layer.presser == Some(side)) {
            // The ply stood before the previous press.
            (1, true) => self.before.map(|before| (before, answer_of as PlyOf)),
            // The ply came after the press.
            (2, false) => self.after.map(|after| (after, only_of as PlyOf)),
            _ => None,
        }
    }

    /// The plies that paths have in the other segment, with masses scaled by s.
    pub(crate) fn plies_there(&self, count: usize, side: Color) -> WeightedPlies {
        let Some((there, ply_of)) = self.there(count, side) else { return WeightedPlies::new() };
        let of_side = |(explanation, mass)| {
            Some((*ply_of(explanation).filter(|made| made.side == side)?, mass))
        };
        let mut plies: WeightedPlies = there.explanations().filter_map(of_side).collect();
        // Where this segment has its own ply, a ply there is another one. So the mass is limited.
        let left_out = match count {
            1 => self.at.mass_of(|explanation| explanation.pattern == PressPattern::Nothing),
            _ => self.at.mass_of(|explanation| only_of(explanation).is_some()),
        };
        let total: f64 = plies.iter().map(|(_, mass)| mass).sum();
        if total > left_out {
            plies.iter_mut().for_each(|(_, mass)| *mass *= left_out / total);
        }
        plies
    }

    /// The presser's ply in this segment by explanations with one ply more, an answer, or with one ply fewer.
    pub(crate) fn plies_beside(&self, count: usize, side: Color) -> WeightedPlies {
        if self.at.layer.presser != Some(side) {
            return WeightedPlies::new();
        }
        let first = |(explanation, mass): (&Explanation, f64)| {
            let beside = match count {
                1 => answer_of(explanation).is_some(),
                2 => only_of(explanation).is_some(),
                _ => false,
            };
            let made = explanation.plies.first().filter(|made| beside && made.side == side)?;
            Some((*made, mass))
        };
        self.at.explanations().filter_map(first).collect()
    }
}

/// The answer that stood before the press, if this explanation has one.
fn answer_of(explanation: &Explanation) -> Option<&ExplainedPly> {
    match explanation.plies.as_slice() {
        [_, answer] if explanation.pattern == PressPattern::Answered => Some(answer),
        _ => None,
    }
}

/// The only ply of the segment, if this explanation is a ply and its press.
fn only_of(explanation: &Explanation) -> Option<&ExplainedPly> {
    match explanation.plies.as_slice() {
        [made] if explanation.pattern == PressPattern::Regular => Some(made),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        answers::marginals::{SegmentEstimate, answer},
        trellis::{
            Trellis,
            conditioned::{ConditionedTrellis, SoftEvidence, small},
        },
    };

    fn answers(trellis: &Trellis) -> Vec<SegmentEstimate> {
        let evidence = SoftEvidence::default();
        let explanations = ConditionedTrellis::new(trellis, &evidence).explanations();
        let weighed = trellis.layers().iter().zip(&explanations).enumerate();
        let weighed =
            weighed.map(|(index, (layer, masses))| WeightedLayer { index, layer, masses });
        AroundPress::each(weighed).iter().map(|around| answer(around, None)).collect()
    }

    #[test]
    fn both_plies_are_certain_whether_the_answer_stood_before_the_press_or_came_after() {
        for early in [0.2, 0.8] {
            let answers = answers(&small::answered_early_or_not(early));
            let plies: Vec<_> = answers.iter().flat_map(|answer| &answer.plies).collect();
            let [moved, answered] = plies.as_slice() else { panic!("two plies: {answers:?}") };
            assert_eq!((moved.side, answered.side), (Color::White, Color::Black));
            for ply in [moved, answered] {
                assert!((ply.p - 1.0).abs() < 1e-9, "{early}: {ply:?}");
                assert!(ply.alternatives.is_empty(), "{early}: {ply:?}");
            }
        }
    }

    #[test]
    fn a_players_next_ply_is_not_taken_for_an_answer_that_was_made() {
        let trellis = small::answered_early_or_not(0.5);
        let [first, second] = trellis.layers() else { panic!("two layers") };
        let weighed = [(0, first, [0.0, 1.0]), (1, second, [1.0, 0.0])];
        let around = weighed.each_ref().map(|(index, layer, masses)| WeightedLayer {
            index: *index,
            layer,
            masses,
        });
        let around = AroundPress::each(around.into_iter());
        let total: f64 = around[0].plies_there(2, Color::Black).iter().map(|(_, mass)| mass).sum();
        assert!(total < 1e-9, "{total}");
        let total: f64 = around[1].plies_there(1, Color::Black).iter().map(|(_, mass)| mass).sum();
        assert!(total < 1e-9, "{total}");
    }
}
