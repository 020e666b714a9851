//! Several plies within one segment: presses that were forgotten.
//!
//! ```text
//! weight(ply_1 .. ply_n) = max over cuts PROD_i p(squares of part i | ply_i) * p(ply_i)
//! ```
//!
//! The segment is [cut](SplitPoints) where a piece had just been set down, as if the clock had been pressed there, and
//! each part is explained by one ply. `p(squares | ply) * p(ply)` is the weight of a [candidate](Candidate). All cuts
//! are tried, and the best one gives the weight of the sequence.

use std::ops::RangeInclusive;

use rules::{Bitboard, Color, Position};
use smallvec::SmallVec;

use crate::explanation::USUAL_PLIES;
use crate::{
    observation::{footprint::PredictedSquares, summary::Observation},
    params,
    proposal::{
        candidates::{Candidate, CandidateContext},
        closed_segment::SearchEffort,
        split_points::SplitPoints,
    },
    state::{packed_reserve::Droppable, takeback::Takeback},
};

/// Where a sequence has this weight, no sequence with an unread piece is looked for. Assumed.
const LIKELY: f64 = 1e-9;
/// A part of a segment with more changed squares than this is no ply but a disturbance. Bound: on work.
const MAX_TOUCHED: usize = 10;
/// The same for a segment that is explained anew: four pieces that fell, squares onto which they rolled or were put by
/// mistake, and a ply. Bound: on work.
const MAX_TOUCHED_IN_DOUBT: usize = 16;

/// Nodes that are left for the search for sequences over one segment. A node is one part of the segment, explained from
/// one position. Likelier positions come first. The wide search has nodes of its own, so that it takes none from what
/// every effort looks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeBudget {
    /// Of the search with one unread piece at most.
    pub(crate) narrow: usize,
    /// Of the search with accidents and several unread pieces.
    pub(crate) wide: usize,
}

/// Most nodes of each search over one segment. Bound: on work, where a whole hand has swept over the board.
const MAX_NODES: usize = 3_000;

impl NodeBudget {
    /// Nothing spent yet.
    pub(crate) const WHOLE: NodeBudget = NodeBudget { narrow: MAX_NODES, wide: MAX_NODES };

    /// The nodes that are not left of [`WHOLE`](Self::WHOLE).
    pub(crate) const fn spent(&self) -> usize {
        2 * MAX_NODES - self.narrow - self.wide
    }
}

/// Candidates of a part that there is room for at first. Bound: on memory, not on their number.
const USUAL_CANDIDATES: usize = 16;

/// A ply of a sequence and when it was completed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SequenceStep {
    pub(crate) side: Color,
    pub(crate) candidate: Candidate,
    /// Times of its last event and of the first event after it, microseconds. The latter shows the ply to be complete.
    /// None for the last ply, which the press completes.
    pub(crate) times_us: Option<(u64, u64)>,
}

/// Plies that explain a segment together.
#[derive(Clone, Debug)]
pub(crate) struct Sequence {
    pub(crate) steps: SmallVec<[SequenceStep; USUAL_PLIES]>,
    pub(crate) weight: f64,
}

impl SplitPoints {
    /// All sequences in which `sides` make one ply each, in this order, from a position.
    ///
    /// One ply may leave no piece to be read if no other sequence is likely. At exhaustive effort, two plies may in any
    /// case. A sequence of less weight than `least` is left out. A search ends when its `nodes` are spent.
    pub(crate) fn explain(
        &self,
        from: (&Position, Takeback),
        sides: &[Color],
        droppable: Droppable,
        least: f64,
        effort: SearchEffort,
        nodes: &mut NodeBudget,
    ) -> Vec<Sequence> {
        let mut found = Vec::new();
        let exhaustive = effort == SearchEffort::Exhaustive;
        for silent in [0, if exhaustive { 2 } else { 1 }] {
            let wide = exhaustive && silent > 0;
            let likely = found.iter().any(|sequence: &Sequence| sequence.weight >= LIKELY);
            // The last ply may leave no cut.
            if likely && !wide || self.points.len() + silent.min(1) <= sides.len() {
                continue;
            }
            let steps = SmallVec::new();
            let search = Search {
                split_points: self,
                landed_later: if wide { self.landed_later } else { Bitboard::EMPTY },
                wide,
                droppable,
                least,
                nodes: if wide { &mut nodes.wide } else { &mut nodes.narrow },
                steps,
                found,
            };
            found = search.run(from, sides, silent);
        }
        found
    }
}

struct Search<'a> {
    split_points: &'a SplitPoints,
    /// Squares on which a piece of any but the last ply may have landed after the segment.
    landed_later: Bitboard,
    /// Whether accidents and pieces that are read late are considered.
    wide: bool,
    droppable: Droppable,
    least: f64,
    nodes: &'a mut usize,
    steps: SmallVec<[SequenceStep; USUAL_PLIES]>,
    found: Vec<Sequence>,
}

/// Where the search for the next ply of a sequence stands.
struct Node<'a> {
    position: &'a Position,
    expected: PredictedSquares,
    takeback: Takeback,
    side: Color,
    /// Number of plies after this one.
    later: usize,
    /// How many plies from here on may have left no piece in their part.
    silent: usize,
}

impl Search<'_> {
    fn run(mut self, from: (&Position, Takeback), sides: &[Color], silent: usize) -> Vec<Sequence> {
        self.extend(from, 0, sides, 1.0, silent);
        self.found
    }

    fn extend(
        &mut self,
        (position, takeback): (&Position, Takeback),
        from: usize,
        sides: &[Color],
        weight: f64,
        silent: usize,
    ) {
        let Some((&side, later)) = sides.split_first() else { return };
        // A candidate weighs at most PLY, unless it takes a ply back. A search for that case finds no more.
        let least = self.least / params::power(params::PLY, later.len());
        if weight * params::PLY < least {
            return;
        }
        let position = position.clone().with_turn(side);
        let expected = PredictedSquares::of(&position);
        let node =
            Node { position: &position, expected, takeback, side, later: later.len(), silent };
        let mut candidates = Vec::with_capacity(USUAL_CANDIDATES);
        for to in self.ends(&node, from) {
            candidates.clear();
            let part = self.split_points.part(from, to);
            let Some(settled) = self.explain_part(&node, part, &mut candidates) else { return };
            for (index, &candidate) in candidates.iter().enumerate() {
                let weight = weight * candidate.weight;
                if weight < least {
                    continue;
                }
                let times_us = (!later.is_empty()).then(|| self.split_points.times_us[to]);
                self.steps.push(SequenceStep { side, candidate, times_us });
                if later.is_empty() {
                    self.keep(weight);
                } else {
                    let mut next = position.clone();
                    next.play_with(candidate.ply, self.droppable.supply);
                    let takeback = takeback.after(candidate.ply, candidate.illegal);
                    let left = if index < settled { silent } else { silent - 1 };
                    self.extend((&next, takeback), to, later, weight, left);
                }
                self.steps.pop();
            }
        }
    }

    /// Whether the part of the next ply may be empty: its piece is read after the segment.
    fn may_be_unread(&self, node: &Node<'_>) -> bool {
        node.silent > 0 && self.landed_later.any()
    }

    /// The points at which the part of the next ply, which begins at point `from`, may end.
    fn ends(&self, node: &Node<'_>, from: usize) -> RangeInclusive<usize> {
        let last = self.split_points.points.len() - 1;
        match node.later {
            0 => last..=last,
            later => from + usize::from(!self.may_be_unread(node))..=last - later,
        }
    }

    /// Adds the candidates of the next ply, from the readings in its part. Returns how many of them have settled, or
    /// none if the budget is spent.
    fn explain_part(
        &mut self,
        node: &Node<'_>,
        observation: &Observation,
        candidates: &mut Vec<Candidate>,
    ) -> Option<usize> {
        let max_touched = if self.wide { MAX_TOUCHED_IN_DOUBT } else { MAX_TOUCHED };
        if observation.touched.count() > max_touched {
            return Some(0);
        }
        *self.nodes = self.nodes.checked_sub(1)?;
        let context = CandidateContext {
            position: node.position,
            expected: &node.expected,
            observation,
            presser: node.side,
            supply: self.droppable.supply,
            roles: self.droppable.of(node.side),
            takeback: node.takeback,
            floor: self.least,
        };
        let is_last = node.later == 0;
        context.settled(candidates);
        if is_last {
            let Observation { filled_soon, filled_at_once, .. } = *observation;
            context.landed(if self.wide { filled_soon } else { filled_at_once }, candidates);
        }
        let settled = candidates.len();
        if node.silent > 0 {
            context.unread(candidates);
        }
        if !is_last && self.may_be_unread(node) {
            context.landed_later(self.landed_later, candidates);
        }
        Some(settled)
    }

    fn keep(&mut self, weight: f64) {
        let same = |known: &Sequence| {
            known
                .steps
                .iter()
                .map(|step| step.candidate.ply)
                .eq(self.steps.iter().map(|step| step.candidate.ply))
        };
        match self.found.iter_mut().find(|known| same(known)) {
            Some(known) if known.weight >= weight => {}
            Some(known) => *known = Sequence { steps: self.steps.clone(), weight },
            None => self.found.push(Sequence { steps: self.steps.clone(), weight }),
        }
    }
}

#[cfg(test)]
mod tests;
