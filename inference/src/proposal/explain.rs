//! All transitions from one position over one segment, and the position each leads to.
//!
//! ```text
//! weight(plies)  = p(pattern) * PROD_i weight(ply_i) * p(identity | position after) * p(facts | plies)
//! weight(no ply) = max(p(pattern) * p(squares | no ply) * p(identity | position), floor) * p(facts | no ply)
//! ```
//!
//! `p(pattern)` says how the plies relate to the press ([`params`]). `weight(ply)` is that of a [candidate](Candidate);
//! of several plies, the product of the [best cut](crate::proposal::sequences). `p(identity | position)` is the
//! likelihood of what the squares say about the pieces on them, `p(facts | plies)` that of what people say. Each legal
//! ply counts as an average one here: the choice of players, the reserves and the trays are weighed for each joint
//! hypothesis (`beam/combine.rs`).

mod play;

use action_model::RoleSet;
use rules::Color;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::{
    explanation::{Explanation, ExplanationKey, MAX_PLIES, PressPattern},
    observation::{footprint::Footprint, summary::Observation},
    params,
    proposal::{
        candidates::{Candidate, CandidateContext, FLOOR, FLOOR_IN_DOUBT},
        closed_segment::{ClosedSegment, SearchEffort},
        press_orders::{self, Order},
        sequences::{NodeBudget, SequenceStep},
        split_points::{MAX_CUTS, MAX_CUTS_OF_MANY, SplitPoints},
        transitions::{SourcePosition, Transition, Transitions},
    },
    state::{
        packed_reserve::Droppable,
        position_table::{PositionEntry, PositionId, PositionTable},
    },
};

/// Positions for which sequences of plies are tried, the likeliest first. Bound: on work.
/// A segment that is explained anew has no such bound, only its [nodes](NodeBudget): the position that was followed
/// wrongly until then may be far down.
const MAX_SEQUENCE_POSITIONS: usize = 48;
/// From this many squares on that read otherwise than expected, pieces count as displaced. Assumed.
const DISPLACED: usize = 3;
/// Transitions of less weight than this, relative to the best of this and likelier positions, are left out. Bound: on
/// work.
const PRUNE_BELOW_BEST: f64 = 1e-8;
/// The same for sequences of several plies. Bound: on work.
const PRUNE_SEQUENCE_BELOW_BEST: f64 = 1e-6;
/// Sequences are left out as well if weight times probability of the position is below this part of the greatest such
/// product. Bound: on work.
const PRUNE_POSITION_BELOW_BEST: f64 = 1e-9;
/// Where no transition weighs this much, more than [`USUAL_PLIES`](crate::explanation::USUAL_PLIES) within one segment
/// are looked for. Assumed.
const HARDLY_EXPLAINED: f64 = 1e-9;
/// In a position less likely than this, drops of which nothing was read are not looked for. Bound: on work.
const MIN_POSITION_MASS: f64 = 1e-3;

/// Explains one segment from one position after the other.
pub(crate) struct Proposer<'a> {
    closing: &'a ClosedSegment,
    observation: Observation,
    /// Time of the last event before the press, microseconds.
    landed_us: u64,
    split_points: Option<SplitPoints>,
    /// The same for many plies, if they were looked for.
    many_split_points: Option<SplitPoints>,
    nodes: NodeBudget,
    effort: SearchEffort,
    positions: &'a mut PositionTable,
    transitions: Transitions,
    /// The position that is being explained.
    from: PositionId,
    /// Its probability.
    mass: f64,
    /// The greatest probability of a position times the weight of a transition from it.
    likeliest: f64,
    /// Roles that each colour may hold in the position that is being explained, White first.
    held: [RoleSet; 2],
    explanation_ids: FxHashMap<ExplanationKey, u32>,
    candidates: Vec<Candidate>,
}

impl<'a> Proposer<'a> {
    /// A proposer for this segment that adds to `transitions`.
    pub(crate) fn new(
        closing: &'a ClosedSegment,
        transitions: Transitions,
        effort: SearchEffort,
        positions: &'a mut PositionTable,
    ) -> Proposer<'a> {
        let mut observation = Observation::of(&closing.segment, closing.count, closing.t_us);
        observation.stopped = closing.presser.is_none();
        Proposer {
            closing,
            landed_us: observation.last_t_us.unwrap_or(closing.t_us),
            observation,
            split_points: (effort >= SearchEffort::Full)
                .then(|| SplitPoints::new(MAX_CUTS, &closing.segment, closing.count, closing.t_us)),
            many_split_points: None,
            nodes: NodeBudget::WHOLE,
            effort,
            positions,
            explanation_ids: FxHashMap::default(),
            transitions,
            from: PositionId::default(),
            mass: 0.0,
            likeliest: 0.0,
            held: [RoleSet::NONE; 2],
            candidates: Vec::new(),
        }
    }

    /// The nodes that sequences of plies have taken so far.
    pub(crate) const fn nodes_spent(&self) -> usize {
        self.nodes.spent()
    }

    /// All transitions found. Their plies are still to be weighed among their
    /// [alternatives](crate::beam::choice_weights).
    pub(crate) fn finish(self) -> Transitions {
        self.transitions
    }

    /// Finds the transitions from one position, if they are not known. Likelier positions are to come first.
    pub(crate) fn explain(&mut self, from: &SourcePosition) {
        let SourcePosition { id, mass, held } = *from;
        self.held = held;
        (self.from, self.mass) = (id, mass);
        let begin = self.transitions.list.len();
        let known = self.positions.get(id).clone();
        let turn = known.position.turn();
        let patterns = match self.closing.presser {
            None => [Some((turn, params::stopped::ONE_PLY, PressPattern::Regular)), None],
            Some(presser) if presser == turn => [Some((turn, 1.0, PressPattern::Regular)), None],
            Some(presser) => [
                Some((turn, params::other_turn::PRESSED_FOR_OTHER, PressPattern::PressedForOther)),
                Some((presser, params::other_turn::OUT_OF_TURN, PressPattern::OutOfTurn)),
            ],
        };
        for (side, weight, pattern) in patterns.into_iter().flatten() {
            self.explain_with_ply(&known, side, weight, pattern);
        }
        self.explain_without_ply(&known, id);
        let is_doubted = self.effort == SearchEffort::Exhaustive;
        if is_doubted || self.transitions.explained() < MAX_SEQUENCE_POSITIONS {
            let usual = press_orders::several(self.closing.presser, known.position.turn());
            self.explain_with_several(&known, usual);
            if self.transitions.best < HARDLY_EXPLAINED {
                self.explain_with_many(&known);
            }
        }
        self.transitions.note_explained(id, begin);
    }

    /// The weight below which an explanation is left out.
    fn floor(&self) -> f64 {
        if self.effort == SearchEffort::Exhaustive { FLOOR_IN_DOUBT } else { FLOOR }
    }

    /// Roles that may be dropped in some hypothesis.
    fn droppable(&self) -> Droppable {
        Droppable { supply: self.positions.supply(), roles: self.transitions.roles }
    }

    fn explain_with_ply(
        &mut self,
        known: &PositionEntry,
        side: Color,
        prior: f64,
        pattern: PressPattern,
    ) {
        let position = known.position.clone().with_turn(side);
        let context = CandidateContext {
            position: &position,
            expected: &known.expected,
            observation: &self.observation,
            presser: self.closing.presser.unwrap_or(side),
            supply: self.positions.supply(),
            roles: self.droppable().of(side),
            takeback: known.takeback,
            floor: self.floor(),
        };
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        context.settled(&mut candidates);
        let settled = candidates.len();
        if self.effort >= SearchEffort::Full && pattern == PressPattern::Regular {
            context.unsettled(&mut candidates);
            if self.mass >= MIN_POSITION_MASS {
                context.unseen_drops(&mut candidates);
            }
        }
        if self.effort == SearchEffort::Exhaustive && pattern == PressPattern::Regular {
            context.stuck(&mut candidates);
        }
        if self.effort >= SearchEffort::Full {
            self.closing.said_of(side).for_each(|ply| context.said(ply, &mut candidates));
        }
        for candidate in &mut candidates {
            let step = SequenceStep { side, candidate: *candidate, times_us: None };
            candidate.weight *= self.fact_likelihood(pattern, &[step]);
            self.transitions.best = self.transitions.best.max(prior * candidate.weight);
        }
        for (index, &candidate) in candidates.iter().enumerate() {
            let weight = prior * candidate.weight;
            if weight >= self.transitions.best * PRUNE_BELOW_BEST {
                let seen = self.observation.filled_soon.contains(candidate.ply.to());
                let step = SequenceStep { side, candidate, times_us: None };
                let settled = index < settled || seen;
                self.add((&position, known.takeback), &[step], weight, pattern, settled);
            }
        }
        self.candidates = candidates;
    }

    fn explain_without_ply(&mut self, known: &PositionEntry, id: PositionId) {
        let turn = known.position.turn();
        let (weight, pattern) = match self.closing.presser {
            None => (params::stopped::NO_PLY, PressPattern::Nothing),
            Some(presser) if presser == turn => {
                (self.no_ply_in_turn(known), PressPattern::PressWithoutMove)
            }
            Some(_) => (params::other_turn::NO_PLY, PressPattern::Nothing),
        };
        let (presser, expected) = (self.closing.presser.unwrap_or(turn), &known.expected);
        let squares =
            self.observation.likelihood(&Footprint::default(), expected, expected, presser);
        // Never impossible, so that no segment can empty the beam.
        let said = self.closing.identity_likelihood(&known.position, []);
        let weight =
            (weight * squares * said).max(self.floor()) * self.fact_likelihood(pattern, &[]);
        let explanation = self.explanation(Explanation { plies: SmallVec::new(), pattern });
        self.transitions.list.push(Transition {
            weight,
            target: id,
            explanation,
            on_credit: explanation,
            settled: pattern == PressPattern::Nothing,
            reserve_changes: SmallVec::new(),
        });
    }

    /// Probability that the side to move pressed without a ply.
    fn no_ply_in_turn(&self, known: &PositionEntry) -> f64 {
        let displaced = known.expected.occupied ^ self.observation.before;
        let since_press_us = self.closing.timing.thought_ms.map(|ms| 1_000 * u64::from(ms));
        if displaced.count() >= DISPLACED {
            params::own_turn::NO_PLY_DISPLACED
        } else if since_press_us.is_some_and(|us| us <= params::own_turn::SPRINGS_BACK_US) {
            params::own_turn::NO_PLY_SPRUNG
        } else {
            params::own_turn::NO_PLY
        }
    }

    /// Adds sequences of several plies, for each of these orders.
    fn explain_with_several(&mut self, known: &PositionEntry, orders: &[Order]) {
        let Some(split_points) = self.split_points.take() else { return };
        for &(count, weight, pattern) in orders {
            let mut sides: SmallVec<[Color; MAX_PLIES]> = SmallVec::new();
            let mut side = known.position.turn();
            for _ in 0..count {
                sides.push(side);
                side = side.other();
            }
            let droppable = self.droppable();
            let effort = self.effort;
            let exhaustive = effort == SearchEffort::Exhaustive;
            let prune_below = if exhaustive { PRUNE_BELOW_BEST } else { PRUNE_SEQUENCE_BELOW_BEST };
            let least = self.transitions.best * prune_below;
            let least = least.max(self.likeliest * PRUNE_POSITION_BELOW_BEST / self.mass) / weight;
            let least = least.max(self.floor());
            let nodes = &mut self.nodes;
            let from = (&known.position, known.takeback);
            for sequence in split_points.explain(from, &sides, droppable, least, effort, nodes) {
                let weight =
                    weight * sequence.weight * self.fact_likelihood(pattern, &sequence.steps);
                self.add(from, &sequence.steps, weight, pattern, true);
            }
        }
        self.split_points = Some(split_points);
    }

    /// Adds sequences of more plies than usual, where nothing else explains the readings.
    fn explain_with_many(&mut self, known: &PositionEntry) {
        let turn = known.position.turn();
        let Some(few) = self.split_points.take() else { return };
        let many = self.many_split_points.take().unwrap_or_else(|| {
            let ClosedSegment { ref segment, count, t_us, .. } = *self.closing;
            SplitPoints::new(MAX_CUTS_OF_MANY, segment, count, t_us)
        });
        self.split_points = Some(many);
        self.explain_with_several(known, press_orders::many_plies(self.closing.presser, turn));
        if self.effort == SearchEffort::Exhaustive {
            // Where displaced pieces are put back, pieces are set down more often than plies are made.
            self.explain_with_several(known, press_orders::several(self.closing.presser, turn));
        }
        self.many_split_points = self.split_points.replace(few);
    }
}

#[cfg(test)]
mod tests;
