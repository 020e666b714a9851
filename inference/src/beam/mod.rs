//! The live hypotheses, the trellis behind them, and the positions they refer to.

pub(crate) mod action_weight_cache;
pub(crate) mod choice_probability;
pub(crate) mod choice_weights;
pub(crate) mod combine;
pub(crate) mod expansion;
pub(crate) mod filter;
pub(crate) mod input_log;
pub(crate) mod rank_bias;
pub(crate) mod rerun;
pub(crate) mod resample;
pub(crate) mod step;

use std::sync::Arc;

use rules::{Bitboard, BoardId, Color, Piece, Square, Supply};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use self::filter::Story;
use action_model::ActionPrior;

use crate::{
    beam::{
        action_weight_cache::Surveys,
        expansion::Expansion,
        input_log::{Closed, Recording, Step},
        rank_bias::Guide,
        step::Found,
    },
    explanation::{Choice, Pattern},
    facts::{StandsFact, Weighing},
    proposal::{
        closed_segment::{Breadth, Closing},
        transitions::Ways,
    },
    sensing::tray_log::TrayLog,
    setting::Setting,
    state::{
        joint_state::JointState,
        packed_reserve::Holding,
        position_table::{Known, MANY_POSITIONS, Positions},
        reanchor,
        takeback::Takeback,
        trays::TrayBook,
    },
    trellis::{Edge, Layer, Trellis},
};

/// A piece is taken as known from this probability on.
const CERTAIN: f64 = 0.99;
/// All that is believed about a match.
#[derive(Clone, Debug)]
pub(crate) struct Beam {
    setting: Setting,
    positions: Positions,
    /// Of each board.
    surveys: [Surveys; 2],
    trays: TrayBook,
    story: Story,
    /// An earlier one, while the match is followed again.
    aside: Option<Story>,
    guide: Option<Guide>,
    recording: Recording,
    prior: Arc<dyn ActionPrior>,
    width: usize,
}

impl Beam {
    /// A match about to begin.
    pub(crate) fn new(
        setting: Setting,
        trays: &TrayLog,
        width: usize,
        prior: Arc<dyn ActionPrior>,
    ) -> Beam {
        let mut positions = Positions::new(setting.supply());
        let story = Story::new(setting, width, &mut positions);
        Beam {
            setting,
            positions,
            surveys: Default::default(),
            trays: TrayBook::new(trays.sensed()),
            story,
            aside: None,
            guide: None,
            recording: Recording::default(),
            prior,
            width,
        }
    }

    /// Probabilities, given everything seen, that king and queen of each side of `board` were set up swapped,
    /// White first; none when the beginning of the match is closed for good.
    pub(crate) fn swapped(&self, board: BoardId) -> Option<[f64; 2]> {
        let beginnings = self.story.trellis.beginnings()?;
        let mut swapped = [0.0; 2];
        for (set_up, mass) in self.story.set_ups.iter().zip(beginnings) {
            for (side, sum) in swapped.iter_mut().enumerate() {
                *sum += if set_up[board.index()][side] { mass } else { 0.0 };
            }
        }
        Some(swapped)
    }

    /// Forgets everything: a match about to begin, as in [`new`](Self::new).
    pub(crate) fn restart(&mut self, trays: &TrayLog) {
        *self = Beam::new(self.setting, trays, self.width, Arc::clone(&self.prior));
    }

    /// Of each layer, the logarithm of the probability of what was read in it, given all before.
    pub(crate) fn logs(&self) -> &[f64] {
        &self.story.logs
    }

    /// What explains the segment if it is closed like this.
    pub(crate) fn find(&mut self, closing: &Closing<'_>, breadth: Breadth) -> Found {
        self.make_room();
        self.find_beside(closing, breadth, None)
    }

    /// How [well](Expander::clean) this explains the readings.
    pub(crate) fn clean(&self, closing: &Closing<'_>, found: &Found) -> f64 {
        self.story
            .expander(closing, self.prior.as_ref(), self.width, self.guide.as_ref())
            .clean(found)
    }

    /// What the hypotheses would become if this explains the segment.
    pub(crate) fn propose(&mut self, closing: &Closing<'_>, found: Found) -> Expansion {
        self.story.expander(closing, self.prior.as_ref(), self.width, self.guide.as_ref()).weigh(
            found,
            &self.positions,
            &mut self.surveys[closing.board.index()],
            &mut self.trays,
        )
    }

    /// Forgets what no live hypothesis refers to, if there is much of it.
    fn make_room(&mut self) {
        if self.is_crowded() {
            let stories = std::iter::once(&mut self.story).chain(&mut self.aside);
            let states = stories.flat_map(|story| story.states.iter_mut());
            self.positions.forget(states.flat_map(|state| state.boards.iter_mut()));
            self.surveys.iter_mut().for_each(Surveys::forget);
        }
        if self.trays.is_long() {
            let stories = std::iter::once(&mut self.story).chain(&mut self.aside);
            let states = stories.flat_map(|story| story.states.iter_mut());
            self.trays.forget(states.map(|state| &mut state.trays));
        }
    }

    /// Whether many positions are known that perhaps no live hypothesis refers to.
    fn is_crowded(&self) -> bool {
        self.positions.len() > MANY_POSITIONS
    }

    fn find_beside(
        &mut self,
        closing: &Closing<'_>,
        breadth: Breadth,
        known: Option<Ways>,
    ) -> Found {
        self.story.expander(closing, self.prior.as_ref(), self.width, self.guide.as_ref()).find(
            &mut self.positions,
            breadth,
            known,
        )
    }

    /// Makes a proposal the state of things.
    pub(crate) fn commit(&mut self, closing: &Closing<'_>, mut expansion: Expansion) {
        let ways = std::mem::take(&mut expansion.ways);
        let closed = Closed::of(closing, expansion.breadth, expansion.log_kept());
        self.recording.push_closed(closed, ways, &self.positions);
        self.adopt(closing, expansion);
    }

    fn adopt(&mut self, closing: &Closing<'_>, expansion: Expansion) {
        self.surveys[closing.board.index()].begin_ply();
        self.story.adopt(closing, expansion);
    }

    /// Memory taken, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.positions.memory_bytes()
            + self.trays.memory_bytes()
            + self.story.memory_bytes()
            + self.recording.memory_bytes()
            + self.surveys.iter().map(Surveys::memory_bytes).sum::<usize>()
    }

    /// What the newest hypotheses say about the end of the match.
    pub(crate) fn weighing(&self) -> Weighing<'_> {
        Weighing { positions: &self.positions, states: &self.story.states }
    }

    /// The trellis.
    pub(crate) fn trellis(&self) -> &Trellis {
        &self.story.trellis
    }

    /// The trellis, to close its oldest layers.
    pub(crate) fn trellis_mut(&mut self) -> &mut Trellis {
        &mut self.story.trellis
    }

    /// The position of `board` in the likeliest hypothesis.
    pub(crate) fn likeliest(&self, board: BoardId) -> Option<&Known> {
        let forward = self.story.trellis.forward();
        let best = (0..self.story.states.len())
            .max_by(|&a, &b| forward[a].total_cmp(&forward[b]).then(b.cmp(&a)))?;
        Some(self.positions.get(self.story.states[best].boards[board.index()]))
    }

    /// The piece on a square that is no promoted one, if it is all but certain.
    pub(crate) fn certain_piece(&self, board: BoardId, square: Square) -> Option<Piece> {
        let at = |state: &JointState| {
            let position = &self.positions.get(state.boards[board.index()]).position;
            position.piece_at(square).filter(|_| !position.promoted().contains(square))
        };
        let weighed = || self.story.states.iter().zip(self.story.trellis.forward());
        let (likeliest, _) = weighed().max_by(|a, b| a.1.total_cmp(b.1))?;
        let piece = at(likeliest)?;
        let sure: f64 =
            weighed().filter(|(state, _)| at(state) == Some(piece)).map(|on| on.1).sum();
        (sure >= CERTAIN).then_some(piece)
    }

    /// Squares of `board` that read otherwise than the likeliest hypothesis expects, promoted pieces
    /// that may lie unseen excepted.
    pub(crate) fn different(&self, board: BoardId, read: Bitboard) -> Bitboard {
        self.likeliest(board).map_or(Bitboard::EMPTY, |known| {
            (known.expected.occupied ^ read) & !(known.expected.may_be_unseen & !read)
        })
    }

    /// Makes every hypothesis agree with the occupied squares of `board`.
    pub(crate) fn reanchor(&mut self, board: BoardId, occupied: Bitboard, t_us: u64) {
        self.recording.push(Step::Reanchored { board, occupied, t_us });
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

    /// Makes every hypothesis stand as a director had it put up again.
    pub(crate) fn put_up(&mut self, fact: &StandsFact, t_us: u64) {
        self.recording.push(Step::PutUp(Box::new(fact.clone()), t_us));
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
                        *next.holding_mut(of, color) = Holding::of(reserves.get(color));
                    }
                }
            }
            Some(next)
        });
    }

    /// Changes every hypothesis at `board` without a ply; those that cannot be changed are dropped.
    fn repair(
        &mut self,
        board: BoardId,
        t_us: u64,
        mut change: impl FnMut(&mut Positions, &JointState) -> Option<JointState>,
    ) {
        let mut nodes: FxHashMap<JointState, u16> = FxHashMap::default();
        let (mut states, mut forward, mut edges) = (Vec::new(), Vec::new(), Vec::new());
        for (from, (state, &mass)) in
            self.story.states.iter().zip(self.story.trellis.forward()).enumerate()
        {
            let Some(next) = change(&mut self.positions, state) else { continue };
            let fresh = states.len() as u16;
            let to = *nodes.entry(next).or_insert_with(|| {
                states.push(next);
                forward.push(0.0);
                fresh
            });
            forward[usize::from(to)] += mass;
            edges.push(Edge { from: from as u16, to, choice: 0, weight: 1.0 });
        }
        if states.is_empty() {
            return;
        }
        self.surveys[board.index()].begin_ply();
        self.story.states = states;
        self.story.ranks.clone_from(&forward);
        self.story.logs.push(0.0);
        let nothing = Choice { plies: SmallVec::new(), pattern: Pattern::Nothing };
        let choices = vec![nothing];
        self.story.trellis.push(Layer { board, presser: None, t_us, choices, edges, forward });
    }
}

#[cfg(test)]
mod tests;
