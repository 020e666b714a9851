//! The live hypotheses, the trellis behind them, and the positions they refer to.
//!
//! Filter, trellis and tables refer to each other by index. They change together or not at all, so one type owns them.

pub(crate) mod action_weight_cache;
pub(crate) mod choice_probability;
pub(crate) mod choice_weights;
pub(crate) mod combine;
pub(crate) mod combined;
pub(crate) mod expansion;
pub(crate) mod filter;
pub(crate) mod input_log;
pub(crate) mod rerun;
pub(crate) mod resample;
pub(crate) mod set_ups;
pub(crate) mod step;

use std::sync::Arc;

use rules::{Bitboard, BoardId, Color, Piece, Square, Supply};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use self::filter::Filter;
use action_model::ActionPrior;

use crate::{
    beam::{
        action_weight_cache::ActionWeightCache,
        expansion::Expansion,
        input_log::{Closed, InputLog, InputStep},
        set_ups::SetUp,
        step::Proposal,
    },
    explanation::{Explanation, PressPattern},
    facts::{StandsFact, Weighing},
    proposal::closed_segment::{ClosedSegment, SearchEffort},
    sensing::tray_log::TrayLog,
    setting::Setting,
    state::{
        joint_state::JointState,
        packed_reserve::PackedReserve,
        position_table::{MANY_POSITIONS, PositionEntry, PositionTable},
        reanchor,
        takeback::Takeback,
        trays::TrayBook,
    },
    trellis::{Edge, Layer, Trellis},
};

/// A piece is taken as known from this probability on. Assumed.
const CERTAIN: f64 = 0.99;
/// The belief about a match: its filter, and everything the filter refers to.
#[derive(Clone, Debug)]
pub(crate) struct Beam {
    setting: Setting,
    positions: PositionTable,
    /// Action weights of each board.
    action_weights: [ActionWeightCache; 2],
    trays: TrayBook,
    filter: Filter,
    /// The first run, while the second pass is under way.
    previous: Option<Filter>,
    log: InputLog,
    prior: Arc<ActionPrior>,
    width: usize,
    /// Nodes and transitions of all searches so far.
    work: usize,
}

impl Beam {
    /// A match about to begin.
    pub(crate) fn new(
        setting: Setting,
        trays: &TrayLog,
        width: usize,
        prior: Arc<ActionPrior>,
    ) -> Beam {
        let mut positions = PositionTable::new(setting.supply());
        let filter = Filter::new(setting, width, &mut positions);
        Beam {
            setting,
            positions,
            action_weights: Default::default(),
            trays: TrayBook::new(trays.sensed()),
            filter,
            previous: None,
            log: InputLog::default(),
            prior,
            width,
            work: 0,
        }
    }

    /// Posterior probabilities, 0 to 1, that king and queen of each side of `board` were set up swapped, White first.
    /// None once the beginning of the match is closed for good.
    pub(crate) fn swapped(&self, board: BoardId) -> Option<[f64; 2]> {
        let beginnings = self.filter.trellis.beginnings()?;
        let mut swapped = [0.0; 2];
        for (set_up, mass) in self.filter.roots.iter().zip(beginnings) {
            for (side, sum) in swapped.iter_mut().enumerate() {
                *sum += if set_up[board.index()][side] { mass } else { 0.0 };
            }
        }
        Some(swapped)
    }

    /// The likeliest set-up of the newest hypotheses.
    pub(crate) fn likeliest_set_up(&self) -> Option<SetUp> {
        self.filter.likeliest_set_up()
    }

    /// Forgets everything: a match about to begin, as in [`new`](Self::new).
    pub(crate) fn restart(&mut self, trays: &TrayLog) {
        *self = Beam::new(self.setting, trays, self.width, Arc::clone(&self.prior));
    }

    /// Of each layer, the natural logarithm of the probability of its readings, given all before.
    pub(crate) fn logs(&self) -> &[f64] {
        &self.filter.logs
    }

    /// The explanations of the segment if it is closed like this.
    pub(crate) fn find(&mut self, closing: &ClosedSegment, effort: SearchEffort) -> Proposal {
        self.make_room();
        let Beam { filter, prior, width, positions, .. } = self;
        let found = filter.step_over(closing, prior, *width).find(positions, effort);
        self.work += found.work;
        found
    }

    /// Nodes and transitions of all searches so far. It grows with the time they take.
    pub(crate) const fn work(&self) -> usize {
        self.work
    }

    /// How [well](FilterStep::clean) this explains the readings.
    pub(crate) fn clean(&self, closing: &ClosedSegment, found: &Proposal) -> f64 {
        self.filter.step_over(closing, &self.prior, self.width).clean(found)
    }

    /// The hypotheses that would follow if this explains the segment.
    pub(crate) fn propose(&mut self, closing: &ClosedSegment, found: Proposal) -> Expansion {
        let action_weights = &mut self.action_weights[closing.board.index()];
        let step = self.filter.step_over(closing, &self.prior, self.width);
        step.weigh(found, &self.positions, action_weights, &mut self.trays)
    }

    /// Forgets positions and trays that no live hypothesis refers to, if there are many.
    fn make_room(&mut self) {
        if self.positions.len() > MANY_POSITIONS {
            let filters = std::iter::once(&mut self.filter).chain(&mut self.previous);
            let states = filters.flat_map(|filter| filter.states.iter_mut());
            self.positions.compact(states.flat_map(|state| state.boards.iter_mut()));
            self.action_weights.iter_mut().for_each(ActionWeightCache::compact);
        }
        if self.trays.is_long() {
            let filters = std::iter::once(&mut self.filter).chain(&mut self.previous);
            let states = filters.flat_map(|filter| filter.states.iter_mut());
            self.trays.compact(states.map(|state| &mut state.trays));
        }
    }

    /// Accepts the result of a step.
    pub(crate) fn commit(&mut self, closing: ClosedSegment, expansion: Expansion) {
        let (effort, log_evidence) = (expansion.effort, expansion.log_kept());
        self.adopt(&closing, expansion);
        self.log.push_closed(Closed { closing, log_evidence, effort });
    }

    fn adopt(&mut self, closing: &ClosedSegment, expansion: Expansion) {
        self.action_weights[closing.board.index()].begin_ply();
        self.filter.adopt(closing, expansion);
    }

    /// Memory taken, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.positions.memory_bytes()
            + self.trays.memory_bytes()
            + self.filter.memory_bytes()
            + self.log.memory_bytes()
            + self.action_weights.iter().map(ActionWeightCache::memory_bytes).sum::<usize>()
    }

    /// The newest hypotheses, to weigh facts about the end of the match.
    pub(crate) fn weighing(&self) -> Weighing<'_> {
        Weighing { positions: &self.positions, states: &self.filter.states }
    }

    /// The trellis.
    pub(crate) fn trellis(&self) -> &Trellis {
        &self.filter.trellis
    }

    /// Closes the layers before this index for good. The match can no longer be followed again from its beginning, so its
    /// steps are not kept either.
    pub(crate) fn close_until(&mut self, until: usize) {
        self.filter.trellis.close_until(until);
        self.log.lose();
    }

    /// The position of `board` in the likeliest hypothesis.
    pub(crate) fn likeliest(&self, board: BoardId) -> Option<&PositionEntry> {
        let forward = self.filter.trellis.forward();
        let best = (0..self.filter.states.len())
            .max_by(|&a, &b| forward[a].total_cmp(&forward[b]).then(b.cmp(&a)))?;
        Some(self.positions.get(self.filter.states[best].boards[board.index()]))
    }

    /// The piece on a square, if it is no promoted one and the newest hypotheses give it [`CERTAIN`] or more.
    pub(crate) fn certain_piece(&self, board: BoardId, square: Square) -> Option<Piece> {
        let at = |state: &JointState| {
            let position = &self.positions.get(state.boards[board.index()]).position;
            position.piece_at(square).filter(|_| !position.promoted().contains(square))
        };
        let weighed = || self.filter.states.iter().zip(self.filter.trellis.forward());
        let (likeliest, _) = weighed().max_by(|a, b| a.1.total_cmp(b.1))?;
        let piece = at(likeliest)?;
        let sure: f64 =
            weighed().filter(|(state, _)| at(state) == Some(piece)).map(|on| on.1).sum();
        (sure >= CERTAIN).then_some(piece)
    }

    /// Squares of `board` that read otherwise than the likeliest hypothesis expects. A promoted piece that may lie
    /// unseen makes no difference.
    pub(crate) fn different(&self, board: BoardId, read: Bitboard) -> Bitboard {
        self.likeliest(board).map_or(Bitboard::EMPTY, |known| {
            (known.expected.occupied ^ read) & !(known.expected.may_be_unseen & !read)
        })
    }

    /// Makes every hypothesis agree with the occupied squares of `board`.
    pub(crate) fn reanchor(&mut self, board: BoardId, occupied: Bitboard, t_us: u64) {
        self.log.push(InputStep::Reanchored { board, occupied, t_us });
        self.agree(board, occupied, t_us);
    }

    pub(super) fn agree(&mut self, board: BoardId, occupied: Bitboard, t_us: u64) {
        self.repair(board, t_us, |positions, state| {
            let mut next = *state;
            let position = &positions.get(state.boards[board.index()]).position;
            let agreed = reanchor::agree(position, occupied, board, &mut next, positions.supply());
            next.boards[board.index()] = positions.intern(agreed, Takeback::Nothing)?;
            Some(next)
        });
    }

    /// Makes every hypothesis agree with a position that a director had put up again.
    pub(crate) fn put_up(&mut self, fact: &StandsFact, t_us: u64) {
        self.log.push(InputStep::PutUp(Box::new(fact.clone()), t_us));
        self.stand(fact, t_us);
    }

    pub(super) fn stand(&mut self, fact: &StandsFact, t_us: u64) {
        let board = fact.board;
        self.repair(board, t_us, |positions, state| {
            let mut next = *state;
            let id = positions.intern(fact.position.clone(), Takeback::Nothing)?;
            next.boards[board.index()] = id;
            if positions.supply() == Supply::Partner {
                for (&of, reserves) in &fact.reserves {
                    for color in Color::ALL {
                        *next.holding_mut(of, color) = PackedReserve::of(reserves.get(color));
                    }
                }
            }
            Some(next)
        });
    }

    /// Changes every hypothesis at `board` without a ply. A hypothesis that cannot be changed is dropped.
    fn repair(
        &mut self,
        board: BoardId,
        t_us: u64,
        mut change: impl FnMut(&mut PositionTable, &JointState) -> Option<JointState>,
    ) {
        let mut nodes: FxHashMap<JointState, u16> = FxHashMap::default();
        let (mut states, mut forward, mut edges) = (Vec::new(), Vec::new(), Vec::new());
        // Hypotheses come likeliest first, so the first that becomes one with others gives it its set-up.
        let mut set_ups = Vec::new();
        for (from, (state, &mass)) in
            self.filter.states.iter().zip(self.filter.trellis.forward()).enumerate()
        {
            let Some(next) = change(&mut self.positions, state) else { continue };
            let fresh = states.len() as u16;
            let to = *nodes.entry(next).or_insert_with(|| {
                states.push(next);
                set_ups.push(self.filter.set_ups[from]);
                forward.push(0.0);
                fresh
            });
            forward[usize::from(to)] += mass;
            edges.push(Edge { from: from as u16, to, explanation: 0, weight: 1.0 });
        }
        if states.is_empty() {
            return;
        }
        self.action_weights[board.index()].begin_ply();
        self.filter.states = states;
        self.filter.set_ups = set_ups;
        self.filter.logs.push(0.0);
        let nothing = Explanation { plies: SmallVec::new(), pattern: PressPattern::Nothing };
        let explanations = vec![nothing];
        self.filter.trellis.push(Layer {
            board,
            presser: None,
            t_us,
            explanations,
            edges,
            forward,
        });
    }
}

#[cfg(test)]
mod tests;
