//! All transitions from one position over one segment, and the position each leads to.
//!
//! ```text
//! weight(plies)  = p(pattern) * PROD_i weight(ply_i) * p(identity | position after) * p(facts | plies)
//! weight(no ply) = max(p(pattern) * p(squares | no ply) * p(identity | position), floor) * p(facts | no ply)
//! ```
//!
//! `p(pattern)` says how the plies relate to the press ([`params`]). Of two plies more than usual
//! it has the factor `own_turn::MISSED_PRESS`, of one ply more `own_turn::ANSWERED`, or
//! `stopped::ONE_PLY` if nobody pressed. `weight(ply)` is that of a
//! [candidate](crate::proposal::candidates::Candidate); of several plies, the product of the [best
//! cut](crate::proposal::sequences). `p(identity | position)` is the likelihood of what the squares
//! say about the pieces on them, `p(facts | plies)` that of what people say. Each legal ply counts
//! as an average one here: the choice of players, the reserves and the trays are weighed for each
//! joint hypothesis (`beam/combine.rs`).

mod play;

use std::rc::Rc;

use action_model::RoleSet;
use readings::Occupancy;
use rules::{BoardState, Color, Ply, Position, Reserve};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::hand_times::SPRINGS_BACK_US;
use crate::{
    explanation::{Explanation, ExplanationKey, MAX_PLIES, PressPattern},
    observation::{
        footprint::{Footprint, PredictedSquares},
        summary::Observation,
    },
    params,
    proposal::{
        candidates::{CandidateContext, FLOOR, FLOOR_IN_DOUBT},
        closed_segment::{ClosedSegment, SearchEffort},
        sequences::{self, NodeBudget, SequenceStep},
        split_points::{MAX_CUTS, MAX_CUTS_OF_MANY, SplitPoints},
        transitions::{SourcePosition, Transition, Transitions},
    },
    state::{
        position_table::{PositionEntry, PositionId, PositionTable},
        takeback::Takeback,
    },
};

/// Positions for which sequences of plies are tried, the likeliest first. Bound: on work. A segment
/// that is explained again has no such bound, only its [nodes](NodeBudget): the position that was
/// followed wrongly until then may be far down.
const MAX_SEQUENCE_POSITIONS: usize = 48;
/// From this many squares on that read otherwise than expected, pieces count as displaced. Assumed.
const DISPLACED: usize = 3;
/// Transitions of less weight than this, relative to the best of this and likelier positions, are
/// left out. Bound: on work.
const PRUNE_BELOW_BEST: f64 = 1e-8;
/// The same for sequences of several plies. Bound: on work.
const PRUNE_SEQUENCE_BELOW_BEST: f64 = 1e-6;
/// Sequences are left out as well if weight times probability of the position is below this part of
/// the greatest such product. Bound: on work.
const PRUNE_POSITION_BELOW_BEST: f64 = 1e-9;
/// Where no transition weighs this much, more than [`USUAL_PLIES`](crate::explanation::USUAL_PLIES)
/// within one segment are searched. Assumed.
const HARDLY_EXPLAINED: f64 = 1e-9;
/// In a position less likely than this, drops without readings are not searched. Bound: on work.
const MIN_POSITION_MASS: f64 = 1e-3;

/// Explains one segment from one position after the other.
pub(crate) struct Proposer<'a> {
    closed: &'a ClosedSegment,
    observation: Observation,
    /// Time of the last event before the press, microseconds.
    landed_us: u64,
    split_points: Option<Rc<SplitPoints>>,
    /// The same for many plies, if they were searched.
    many_split_points: Option<Rc<SplitPoints>>,
    pub(crate) nodes: NodeBudget,
    effort: SearchEffort,
    positions: &'a mut PositionTable,
    /// All transitions found. Their plies are still to be weighed among their
    /// [alternatives](crate::beam::choice_weights).
    pub(crate) transitions: Transitions,
    /// The position that is being explained.
    from: SourcePosition,
    /// The greatest probability of a position times the weight of a transition from it.
    likeliest: f64,
    explanation_ids: FxHashMap<ExplanationKey, u32>,
}

impl<'a> Proposer<'a> {
    /// A proposer for this segment, if each colour may drop these `roles` in some hypothesis, White first.
    pub(crate) fn new(
        closed: &'a ClosedSegment,
        roles: [RoleSet; 2],
        effort: SearchEffort,
        positions: &'a mut PositionTable,
    ) -> Proposer<'a> {
        let mut observation = Observation::of(&closed.segment, closed.count, closed.t_us);
        observation.stopped = closed.presser.is_none();
        Proposer {
            closed,
            landed_us: observation.last_t_us.unwrap_or(closed.t_us),
            observation,
            split_points: (effort >= SearchEffort::Full).then(|| cut(MAX_CUTS, closed)),
            many_split_points: None,
            nodes: NodeBudget::WHOLE,
            effort,
            positions,
            explanation_ids: FxHashMap::default(),
            transitions: Transitions { roles, ..Transitions::default() },
            from: SourcePosition::default(),
            likeliest: 0.0,
        }
    }

    /// Finds the transitions from one position. Likelier positions are to come first.
    pub(crate) fn explain(&mut self, from: SourcePosition) {
        self.from = from;
        let begin = self.transitions.list.len();
        let known = self.positions.get(from.id).clone();
        let turn = known.position.turn();
        let patterns: &[(Color, f64, PressPattern)] = match self.closed.presser {
            None => &[(turn, params::stopped::ONE_PLY, PressPattern::Regular)],
            Some(presser) if presser == turn => &[(turn, 1.0, PressPattern::Regular)],
            Some(presser) => &[
                (turn, params::other_turn::PRESSED_FOR_OTHER, PressPattern::PressedForOther),
                (presser, params::other_turn::OUT_OF_TURN, PressPattern::OutOfTurn),
            ],
        };
        for &(side, weight, pattern) in patterns {
            self.explain_with_ply(&known, side, weight, pattern);
        }
        self.explain_without_ply(&known);
        if self.effort >= SearchEffort::Full {
            self.explain_undone(&known);
        }
        if self.is_doubted() || self.transitions.spans.len() < MAX_SEQUENCE_POSITIONS {
            self.explain_with_several(&known);
        }
        self.transitions.spans.insert(from.id, begin..self.transitions.list.len());
    }

    fn is_doubted(&self) -> bool {
        self.effort == SearchEffort::Exhaustive
    }

    /// The weight below which an explanation is left out.
    fn floor(&self) -> f64 {
        if self.is_doubted() { FLOOR_IN_DOUBT } else { FLOOR }
    }

    fn explain_with_ply(
        &mut self,
        known: &PositionEntry,
        side: Color,
        prior: f64,
        pattern: PressPattern,
    ) {
        let position = known.position.clone().with_turn(side);
        let mut context = CandidateContext {
            position: &position,
            expected: &PredictedSquares::of(&position),
            observation: &self.observation,
            presser: self.closed.presser.unwrap_or(side),
            supply: self.closed.supply,
            roles: self.transitions.roles[usize::from(side.is_black())],
            takeback: known.takeback,
            floor: self.floor(),
            found: Vec::new(),
        };
        context.settled();
        let settled = context.found.len();
        if self.effort >= SearchEffort::Full && pattern == PressPattern::Regular {
            context.unsettled();
            if self.from.mass >= MIN_POSITION_MASS {
                context.unseen_drops();
            }
        }
        if self.is_doubted() && pattern == PressPattern::Regular {
            context.stuck();
        }
        if self.effort >= SearchEffort::Full {
            self.closed.stated_of(side).for_each(|ply| context.add_stated(ply));
        }
        let mut candidates = context.found;
        let step = |candidate| [SequenceStep { side, candidate, times_us: None }];
        for candidate in &mut candidates {
            candidate.weight *= self.fact_likelihood(pattern, &step(*candidate));
            self.transitions.best = self.transitions.best.max(prior * candidate.weight);
        }
        for (index, candidate) in candidates.into_iter().enumerate() {
            let weight = prior * candidate.weight;
            if weight >= self.transitions.best * PRUNE_BELOW_BEST {
                let seen = self.observation.filled_soon.contains(candidate.ply.to());
                let from = (&position, known.takeback);
                self.add(from, &step(candidate), weight, pattern, index < settled || seen);
                self.add_shown(from, &step(candidate), candidate.weight);
            }
        }
    }

    fn explain_without_ply(&mut self, known: &PositionEntry) {
        let turn = known.position.turn();
        let (weight, pattern) = match self.closed.presser {
            None => (params::stopped::NO_PLY, PressPattern::Nothing),
            Some(presser) if presser == turn => {
                (self.no_ply_in_turn(known), PressPattern::PressWithoutMove)
            }
            Some(_) => (params::other_turn::NO_PLY, PressPattern::Nothing),
        };
        let expected = PredictedSquares::of(&known.position);
        let presser = self.closed.presser.unwrap_or(turn);
        let squares =
            self.observation.likelihood(&Footprint::default(), &expected, &expected, presser);
        // Never impossible, so that no segment can empty the beam.
        let said = self.closed.identity_likelihood(&known.position, []);
        let weight = (weight * squares * said * self.stop_likelihood(&known.position))
            .max(self.floor())
            * self.fact_likelihood(pattern, &[]);
        self.add_nothing(weight, self.from.id, pattern);
        if pattern == PressPattern::PressWithoutMove && turn.is_white() && self.begins(known) {
            let entry = PositionEntry::of(known.position.clone().with_turn(Color::Black));
            let target = self.positions.intern(entry).unwrap_or(self.from.id);
            self.add_nothing(weight * params::own_turn::BLACK_BEGINS, target, pattern);
        }
    }

    fn add_nothing(&mut self, weight: f64, target: PositionId, pattern: PressPattern) {
        let explanation = self.explanation(Explanation { plies: SmallVec::new(), pattern });
        self.transitions.list.push(Transition {
            weight,
            target,
            explanation,
            on_credit: explanation,
            settled: pattern == PressPattern::Nothing,
            reserve_changes: SmallVec::new(),
        });
    }

    /// Probability that the side to move pressed without a ply.
    fn no_ply_in_turn(&self, known: &PositionEntry) -> f64 {
        let displaced = known.position.occupied() ^ self.observation.before;
        let since_press_us = self.closed.timing.thought_ms.map(|ms| 1_000 * u64::from(ms));
        if displaced.count() >= DISPLACED {
            params::own_turn::NO_PLY_DISPLACED
        } else if self.begins(known) {
            params::own_turn::NO_PLY_AT_START
        } else if since_press_us.is_some_and(|us| us <= SPRINGS_BACK_US) {
            params::own_turn::NO_PLY_SPRUNG
        } else {
            params::own_turn::NO_PLY
        }
    }

    /// Whether this board has no ply yet.
    fn begins(&self, known: &PositionEntry) -> bool {
        self.closed.recent.iter().all(|arrived| arrived.is_empty())
            && known.position.occupied() == Occupancy::INITIAL.0
    }

    /// Adds sequences of several plies, and of more plies than usual where nothing else explains
    /// the readings.
    fn explain_with_several(&mut self, known: &PositionEntry) {
        let Some(few) = self.split_points.clone() else { return };
        let [usual, more] = several(self.closed.presser, known.position.turn());
        self.add_sequences(known, &few, usual);
        if self.transitions.best < HARDLY_EXPLAINED {
            let closed = self.closed;
            let many = self.many_split_points.get_or_insert_with(|| cut(MAX_CUTS_OF_MANY, closed));
            let many = Rc::clone(many);
            self.add_sequences(known, &many, more);
            if self.is_doubted() {
                // Where displaced pieces are put back, pieces are set down more often than plies are made.
                self.add_sequences(known, &many, usual);
            }
        }
    }

    /// Adds second thoughts: the presser puts back the own last ply, a legal one, and makes another.
    /// The trip of that ply is known by the squares that its segment left and reached.
    fn explain_undone(&mut self, known: &PositionEntry) {
        let (Some(presser), Some(split_points)) = (self.closed.presser, &self.split_points) else {
            return;
        };
        let split_points = Rc::clone(split_points);
        let at = usize::from(presser.is_black());
        let board = known.position.board();
        let left = self.closed.left[at] & !board.occupied() & self.observation.after_or_filled();
        let reached = self.closed.recent[at] & board.by_color(presser);
        let weight = if presser == known.position.turn() {
            params::own_turn::UNDONE
        } else {
            params::other_turn::UNDONE
        };
        let droppable = (self.closed.supply, self.transitions.roles);
        let least = (self.transitions.best * PRUNE_SEQUENCE_BELOW_BEST / weight).max(self.floor());
        for (from, to) in
            reached.into_iter().flat_map(|to| left.into_iter().map(move |from| (from, to)))
        {
            let Some(own) = Takeback::of_own(Ply::Move { from, to, promotion: None }) else {
                continue;
            };
            let source = (&known.position, own);
            let (effort, nodes) = (self.effort, &mut self.nodes);
            let sides = [presser; 2];
            for sequence in
                sequences::explain(&split_points, source, &sides, droppable, least, effort, nodes)
            {
                let pattern = PressPattern::OutOfTurn;
                let weight =
                    weight * sequence.weight * self.fact_likelihood(pattern, &sequence.steps);
                self.add(source, &sequence.steps, weight, pattern, true);
            }
        }
    }

    /// Adds sequences of several plies, for each of these orders.
    fn add_sequences(
        &mut self,
        known: &PositionEntry,
        split_points: &SplitPoints,
        orders: &[Order],
    ) {
        let turn = known.position.turn();
        for &(count, weight, pattern) in orders {
            let sides: SmallVec<[Color; MAX_PLIES]> =
                [turn, turn.other()].into_iter().cycle().take(count).collect();
            let droppable = (self.closed.supply, self.transitions.roles);
            let prune_below =
                if self.is_doubted() { PRUNE_BELOW_BEST } else { PRUNE_SEQUENCE_BELOW_BEST };
            let least = self.transitions.best * prune_below;
            let least =
                least.max(self.likeliest * PRUNE_POSITION_BELOW_BEST / self.from.mass) / weight;
            let least = least.max(self.floor());
            let (effort, nodes) = (self.effort, &mut self.nodes);
            let from = (&known.position, known.takeback);
            for sequence in
                sequences::explain(split_points, from, &sides, droppable, least, effort, nodes)
            {
                let weight =
                    weight * sequence.weight * self.fact_likelihood(pattern, &sequence.steps);
                self.add(from, &sequence.steps, weight, pattern, true);
                self.add_shown(from, &sequence.steps, sequence.weight);
            }
        }
    }

    /// Adds the same changes of the board as plies that were only shown after the game: nobody
    /// pressed for them, and the clock was stopped later. A mate is believed to have been played.
    fn add_shown(&mut self, from: (&Position, Takeback), steps: &[SequenceStep], weight: f64) {
        if self.closed.presser.is_some() {
            return;
        }
        let mut after = from.0.clone();
        for step in steps {
            after = after.with_turn(step.side);
            after.play_with(step.candidate.ply, self.closed.supply);
        }
        let state = after.state(&Reserve::EMPTY, self.closed.supply);
        if !matches!(state, BoardState::Mate | BoardState::BlockableCheck) {
            let pattern = PressPattern::Nothing;
            let weight = params::stopped::SHOWN * weight * self.fact_likelihood(pattern, &[]);
            self.add(from, steps, weight, pattern, true);
        }
    }
}

fn cut(most: usize, closed: &ClosedSegment) -> Rc<SplitPoints> {
    Rc::new(SplitPoints::new(most, &closed.segment, closed.count, closed.t_us))
}

/// Number of plies, its probability (0 to 1), and its pattern. The sides take turns.
type Order = (usize, f64, PressPattern);

/// Several plies in a segment before which `turn` was to move, and more plies than these: one more
/// press was forgotten, or an answer came before the press as well. Who pressed and who was to move
/// say which presses were forgotten, since the sides take turns. `presser` ended the segment, or
/// nobody if the clock was stopped.
fn several(presser: Option<Color>, turn: Color) -> [&'static [Order]; 2] {
    use PressPattern::{Answered, MissedPress};
    use params::{
        other_turn,
        own_turn::{ANSWERED, MISSED_PRESS},
        stopped::{ONE_PLY, TWO_PLIES},
    };
    match presser {
        None => [
            &[(2, TWO_PLIES, MissedPress)],
            &[(3, TWO_PLIES * ONE_PLY, MissedPress), (4, TWO_PLIES * MISSED_PRESS, MissedPress)],
        ],
        Some(presser) if presser == turn => [
            &[(2, ANSWERED, Answered), (3, MISSED_PRESS, MissedPress)],
            &[
                (4, MISSED_PRESS * ANSWERED, Answered),
                (5, MISSED_PRESS * MISSED_PRESS, MissedPress),
            ],
        ],
        Some(_) => [
            &[(2, other_turn::MISSED_PRESS, MissedPress)],
            &[
                (3, other_turn::MISSED_PRESS * ANSWERED, MissedPress),
                (4, other_turn::MISSED_PRESS * MISSED_PRESS, MissedPress),
            ],
        ],
    }
}

#[cfg(test)]
mod tests;
