//! The live hypotheses, the trellis behind them, and the positions they refer to.
//!
//! Filter, trellis and tables refer to each other by index. They change together or not at all, so
//! one type owns them.

pub(crate) mod action_weight_cache;
pub(crate) mod choice_probability;
pub(crate) mod choice_weights;
pub(crate) mod combine;
pub(crate) mod expansion;
pub(crate) mod filter;
pub(crate) mod input_log;
mod reconsider;
pub(crate) mod resample;
mod second_pass;
pub(crate) mod set_ups;
pub(crate) mod step;

use std::sync::Arc;

use action_model::ActionPrior;
use rules::{Bitboard, BoardId, Color, Piece, Square, Supply};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::{
    back_rank::BackRank,
    beam::{
        action_weight_cache::ActionWeightCache,
        expansion::Expansion,
        filter::Filter,
        input_log::{ClosedStep, InputLog, InputStep},
        set_ups::SetUp,
    },
    explanation::{Explanation, PressPattern},
    facts::{StandsFact, Weighing},
    params::Setting,
    proposal::closed_segment::ClosedSegment,
    state::{
        joint_state::{Holding, JointState},
        position_table::{MANY_POSITIONS, PositionEntry, PositionId, PositionTable, no_positions},
        reanchor,
        trays::{MANY_TRAYS, TrayBook},
    },
    trellis::{Edge, Layer},
};

/// A piece is taken as known from this probability on. Assumed.
const CERTAIN_PIECE: f64 = 0.99;
/// The belief about a match: its filter, and everything the filter refers to.
#[derive(Clone, Debug)]
pub(crate) struct Beam {
    pub(crate) setting: Setting,
    pub(crate) positions: PositionTable,
    /// Action weights of each board.
    action_weights: [ActionWeightCache; 2],
    trays: TrayBook,
    pub(crate) filter: Filter,
    /// The first run, while the second pass is under way.
    pub(crate) previous: Option<Filter>,
    /// Peak memory of the second pass, bytes.
    pub(crate) second_pass_bytes: usize,
    /// The steps of the match, with the evidence of each.
    pub(crate) log: InputLog,
    /// Set-ups with other pieces exchanged than king and queen, and the prior of each.
    odd_set_ups: Vec<(SetUp, f64)>,
    prior: Arc<ActionPrior>,
    pub(crate) width: usize,
    /// Nodes and transitions of all searches so far. It grows with the time they take.
    pub(crate) work: usize,
}

impl Beam {
    /// A match about to begin. `trays` names the seats with a tray, in the order of
    /// [`Seat::ALL`](rules::Seat::ALL).
    pub(crate) fn new(
        setting: Setting,
        trays: [bool; 4],
        width: usize,
        prior: Arc<ActionPrior>,
    ) -> Beam {
        let mut positions = no_positions();
        let filter = Filter::new(setting, &[], width, &mut positions);
        Beam {
            setting,
            positions,
            action_weights: Default::default(),
            trays: TrayBook::new(trays),
            filter,
            previous: None,
            second_pass_bytes: 0,
            log: InputLog::default(),
            odd_set_ups: Vec::new(),
            prior,
            width,
            work: 0,
        }
    }

    /// The unusual back ranks of each side of `board`, White first, each with its posterior
    /// probability, 0 to 1. None once the beginning of the match is closed for good.
    pub(crate) fn odd_ranks(&self, board: BoardId) -> Option<[Vec<(BackRank, f64)>; 2]> {
        let beginnings = self.filter.trellis.beginnings()?;
        let mut odd: [Vec<(BackRank, f64)>; 2] = Default::default();
        for (set_up, mass) in self.filter.roots.iter().zip(beginnings) {
            for (rank, found) in set_up[board.index()].into_iter().zip(&mut odd) {
                if rank == BackRank::default() {
                    continue;
                }
                match found.iter_mut().find(|(known, _)| *known == rank) {
                    Some((_, sum)) => *sum += mass,
                    None => found.push((rank, mass)),
                }
            }
        }
        Some(odd)
    }

    /// Forgets positions and trays that no live hypothesis refers to, if there are many.
    fn make_room(&mut self) {
        let filters = [&mut self.filter].into_iter().chain(&mut self.previous);
        let mut states: Vec<&mut JointState> =
            filters.flat_map(|filter| &mut filter.states).collect();
        if self.positions.len() > MANY_POSITIONS {
            self.positions.compact(states.iter_mut().flat_map(|state| &mut state.boards));
            self.action_weights = Default::default();
        }
        if self.trays.known.len() > MANY_TRAYS {
            let used = states.into_iter().map(|state| &mut state.trays);
            self.trays.known.compact([&mut 0].into_iter().chain(used));
        }
    }

    /// Accepts the result of a step.
    pub(crate) fn commit(&mut self, closed: ClosedSegment, expansion: Expansion) {
        let (effort, log_evidence) = (expansion.effort, expansion.log_kept);
        self.adopt(closed.board, expansion);
        self.log.push(InputStep::Closed(Box::new(ClosedStep { closed, log_evidence, effort })));
    }

    pub(crate) fn adopt(&mut self, board: BoardId, expansion: Expansion) {
        let Expansion { layer, states, set_ups, log_kept, .. } = expansion;
        self.action_weights[board.index()].count = 0;
        self.filter.adopt(layer, states, set_ups, log_kept);
    }

    /// Memory taken, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.positions.memory_bytes()
            + self.trays.known.memory_bytes()
            + self.filter.memory_bytes()
            + self.previous.as_ref().map_or(0, Filter::memory_bytes)
            + self.log.memory_bytes()
            + self.action_weights.iter().map(ActionWeightCache::memory_bytes).sum::<usize>()
    }

    /// The newest hypotheses, to weigh facts about the end of the match.
    pub(crate) fn weighing(&self) -> Weighing<'_> {
        let Beam { positions, filter, setting, .. } = self;
        Weighing { positions, states: &filter.states, supply: setting.supply }
    }

    /// Closes the layers before this index for good. The match can no longer be followed again from
    /// its beginning, so its steps are not kept either.
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

    /// Whether a king of `board` was taken in some hypothesis.
    pub(crate) fn is_king_taken(&self, board: BoardId) -> bool {
        self.filter.states.iter().any(|state| {
            let position = &self.positions.get(state.boards[board.index()]).position;
            position.board().kings().count() < 2
        })
    }

    /// The piece on a square, if it is no promoted one and the newest hypotheses give it
    /// [`CERTAIN_PIECE`] or more.
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
        (sure >= CERTAIN_PIECE).then_some(piece)
    }

    /// Squares of `board` that read otherwise than the likeliest hypothesis expects. A promoted
    /// piece that may lie unseen makes no difference.
    pub(crate) fn different(&self, board: BoardId, read: Bitboard) -> Bitboard {
        self.likeliest(board).map_or(Bitboard::EMPTY, |PositionEntry { position, .. }| {
            (position.occupied() ^ read) & !(position.promoted() & !read)
        })
    }

    /// Makes every hypothesis agree with the occupied squares of `board`.
    pub(crate) fn reanchor(&mut self, board: BoardId, occupied: Bitboard, t_us: u64) {
        self.log.push(InputStep::Reanchored { board, occupied, t_us });
        let supply = self.setting.supply;
        self.repair(board, t_us, |positions, _, state| {
            let position = &positions.get(state.boards[board.index()]).position;
            let agreed = reanchor::agree(position, occupied, board, state, supply);
            positions.intern(PositionEntry::of(agreed))
        });
    }

    /// Makes every hypothesis agree with a position that a director ordered to be reinstated.
    /// The slots of the trays that are occupied then get what the players hold.
    pub(crate) fn reinstate(&mut self, fact: &StandsFact, occupied: [u16; 4], t_us: u64) {
        self.log.push(InputStep::Reinstated(Box::new(fact.clone()), occupied, t_us));
        let supply = self.setting.supply;
        self.repair(fact.board, t_us, |positions, trays, state| {
            if supply == Supply::Partner {
                for (&of, reserves) in &fact.reserves {
                    for color in Color::ALL {
                        *state.holding_mut(of, color) = Holding::of(*reserves.get(color));
                    }
                }
                let held = state.holdings.map(|holding| holding.reserve);
                state.trays = trays.put_right(state.trays, occupied, &held);
            }
            positions.intern(PositionEntry::of(fact.position.clone()))
        });
    }

    /// Changes every hypothesis at `board` without a ply: `change` gives the new position, and a
    /// hypothesis without one is dropped.
    fn repair(
        &mut self,
        board: BoardId,
        t_us: u64,
        mut change: impl FnMut(&mut PositionTable, &mut TrayBook, &mut JointState) -> Option<PositionId>,
    ) {
        let mut nodes: FxHashMap<JointState, u16> = FxHashMap::default();
        let (mut states, mut forward, mut edges) = (Vec::new(), Vec::new(), Vec::new());
        // Hypotheses come likeliest first, so the first that becomes one with others gives it its set-up.
        let mut set_ups = Vec::new();
        let weighed = self.filter.states.iter().zip(self.filter.trellis.forward());
        for ((&state, &mass), from) in weighed.zip(0..) {
            let mut next = state;
            let Some(id) = change(&mut self.positions, &mut self.trays, &mut next) else {
                continue;
            };
            next.boards[board.index()] = id;
            let fresh = states.len() as u16;
            let to = *nodes.entry(next).or_insert_with(|| {
                states.push(next);
                set_ups.push(self.filter.set_ups[usize::from(from)]);
                forward.push(0.0);
                fresh
            });
            forward[usize::from(to)] += mass;
            edges.push(Edge { from, to, explanation: 0, weight: 1.0 });
        }
        if states.is_empty() {
            return;
        }
        self.action_weights[board.index()].count = 0;
        let nothing = Explanation { plies: SmallVec::new(), pattern: PressPattern::Nothing };
        let explanations = vec![nothing];
        let layer = Layer { board, presser: None, t_us, explanations, edges, forward };
        self.filter.adopt(layer, states, set_ups, 0.0);
    }
}

#[cfg(test)]
mod tests;
