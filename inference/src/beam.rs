//! The live hypotheses, the trellis behind them, and the positions they refer to.

use std::sync::Arc;

use rules::{Bitboard, BoardId, Piece, Position, Square};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::{
    boards::{Known, MANY_POSITIONS, Positions},
    expand::{Breadth, Closing, Expander, Expansion},
    facts::Weighing,
    joint::JointState,
    legality,
    prior::ActionPrior,
    reanchor,
    surveys::Surveys,
    tray::{TrayBook, TrayLog},
    trellis::{Choice, Edge, Layer, Pattern, Trellis},
};

/// A piece is taken as known from this probability on.
const CERTAIN: f64 = 0.99;

/// All that is believed about a match.
#[derive(Clone, Debug)]
pub(crate) struct Beam {
    positions: Positions,
    /// Of each board.
    surveys: [Surveys; 2],
    trays: TrayBook,
    states: Vec<JointState>,
    trellis: Trellis,
    prior: Arc<dyn ActionPrior>,
    width: usize,
    /// Of each root of the trellis: whose king and queen were set up swapped, White first, on each board.
    set_ups: Vec<[[bool; 2]; 2]>,
}

impl Beam {
    /// A match about to begin: both boards set up, king and queen of each side perhaps swapped.
    pub(crate) fn new(
        boards: usize,
        trays: &TrayLog,
        width: usize,
        prior: Arc<dyn ActionPrior>,
    ) -> Beam {
        let mut positions = Positions::default();
        let set_ups: Vec<_> = [(false, false), (true, false), (false, true), (true, true)]
            .into_iter()
            .filter_map(|(white, black)| {
                let id = positions.intern(Position::initial_swapped(white, black))?;
                let swapped = usize::from(white) + usize::from(black);
                Some((id, [white, black], legality::power(legality::SETUP_SWAPPED, swapped)))
            })
            .collect();
        let (mut states, mut roots, mut swapped) = (Vec::new(), Vec::new(), Vec::new());
        for &(a, swapped_a, weight_a) in &set_ups {
            for &(b, swapped_b, weight_b) in if boards > 1 { &set_ups[..] } else { &set_ups[..1] } {
                swapped.push([swapped_a, swapped_b]);
                states.push(JointState::empty_handed([a, b]));
                roots.push(weight_a * weight_b);
            }
        }
        // The set-ups come likeliest first, so a narrow beam keeps the right ones.
        states.truncate(width);
        roots.truncate(width);
        let total: f64 = roots.iter().sum();
        roots.iter_mut().for_each(|weight| *weight /= total);
        Beam {
            positions,
            surveys: Default::default(),
            trays: TrayBook::new(trays.sensed()),
            states,
            trellis: Trellis::new(roots),
            prior,
            width,
            set_ups: swapped,
        }
    }

    /// Probabilities, given everything seen, that king and queen of each side of `board` were set up swapped,
    /// White first; none when the beginning of the match is closed for good.
    pub(crate) fn swapped(&self, board: BoardId) -> Option<[f64; 2]> {
        let beginnings = self.trellis.beginnings()?;
        let mut swapped = [0.0; 2];
        for (set_up, mass) in self.set_ups.iter().zip(beginnings) {
            for (side, sum) in swapped.iter_mut().enumerate() {
                *sum += if set_up[board.index()][side] { mass } else { 0.0 };
            }
        }
        Some(swapped)
    }

    /// What the hypotheses would become if the segment were closed like this.
    pub(crate) fn propose(&mut self, closing: &Closing<'_>, breadth: Breadth) -> Expansion {
        if self.positions.len() > MANY_POSITIONS {
            self.positions.forget(self.states.iter_mut().flat_map(|state| state.boards.iter_mut()));
            self.surveys.iter_mut().for_each(Surveys::clear);
        }
        if self.trays.is_long() {
            self.trays.forget(self.states.iter_mut().map(|state| &mut state.trays));
        }
        Expander {
            closing,
            states: &self.states,
            forward: self.trellis.forward(),
            prior: self.prior.as_ref(),
            beam: self.width,
        }
        .run(
            &mut self.positions,
            &mut self.surveys[closing.board.index()],
            &mut self.trays,
            breadth,
        )
    }

    /// Makes a proposal the state of things.
    pub(crate) fn commit(&mut self, closing: &Closing<'_>, expansion: Expansion) {
        let Expansion { states, forward, choices, edges, .. } = expansion;
        self.states = states;
        self.surveys[closing.board.index()].clear();
        self.trellis.push(Layer {
            board: closing.board,
            presser: closing.presser,
            t_us: closing.t_us,
            choices,
            edges,
            forward,
        });
    }

    /// Memory taken, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.positions.memory_bytes()
            + self.trellis.memory_bytes()
            + self.trays.memory_bytes()
            + self.states.capacity() * size_of::<JointState>()
            + self.surveys.iter().map(Surveys::memory_bytes).sum::<usize>()
    }

    /// What the newest hypotheses say about the end of the match.
    pub(crate) fn weighing(&self) -> Weighing<'_> {
        Weighing { positions: &self.positions, states: &self.states }
    }

    /// The trellis.
    pub(crate) fn trellis(&self) -> &Trellis {
        &self.trellis
    }

    /// The trellis, to close its oldest layers.
    pub(crate) fn trellis_mut(&mut self) -> &mut Trellis {
        &mut self.trellis
    }

    /// The position of `board` in the likeliest hypothesis.
    pub(crate) fn likeliest(&self, board: BoardId) -> Option<&Known> {
        let forward = self.trellis.forward();
        let best = (0..self.states.len())
            .max_by(|&a, &b| forward[a].total_cmp(&forward[b]).then(b.cmp(&a)))?;
        Some(self.positions.get(self.states[best].boards[board.index()]))
    }

    /// The piece on a square that is no promoted one, if it is all but certain.
    pub(crate) fn certain_piece(&self, board: BoardId, square: Square) -> Option<Piece> {
        let at = |state: &JointState| {
            let position = &self.positions.get(state.boards[board.index()]).position;
            position.piece_at(square).filter(|_| !position.promoted().contains(square))
        };
        let weighed = || self.states.iter().zip(self.trellis.forward());
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
        let mut nodes: FxHashMap<JointState, u16> = FxHashMap::default();
        let (mut states, mut forward, mut edges) = (Vec::new(), Vec::new(), Vec::new());
        for (from, (state, &mass)) in self.states.iter().zip(self.trellis.forward()).enumerate() {
            let mut next = *state;
            let position = &self.positions.get(state.boards[board.index()]).position;
            let agreed = reanchor::agree(position, occupied, board, &mut next);
            let Some(id) = self.positions.intern(agreed) else { continue };
            next.boards[board.index()] = id;
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
        self.surveys[board.index()].clear();
        self.states = states;
        let nothing = Choice { plies: SmallVec::new(), pattern: Pattern::Nothing };
        let choices = vec![nothing];
        self.trellis.push(Layer { board, presser: None, t_us, choices, edges, forward });
    }
}
