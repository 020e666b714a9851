//! One run of the filter: the live hypotheses and the trellis behind them.
//!
//! ```text
//! p(root)         ~ PROD over boards of (1, ONE_SWAPPED or BOTH_SWAPPED);  ALL_SWAPPED if all four sides are swapped
//! log p(readings) = SUM over layers of log(evidence that survived the cut)
//! ```
//!
//! A root is a set-up of both boards: king and queen of each side as they should stand, or swapped. A board without
//! sensors has the correct set-up only.

use action_model::ActionPrior;
use rules::{BoardId, Position};

use crate::{
    beam::{
        expansion::Expansion,
        set_ups::{self, SetUp},
        step::FilterStep,
    },
    params,
    proposal::closed_segment::ClosedSegment,
    setting::Setting,
    state::{joint_state::JointState, position_table::PositionTable, takeback::Takeback},
    trellis::{Layer, Trellis},
};

/// The live hypotheses and how they came about.
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    pub(crate) states: Vec<JointState>,
    pub(crate) trellis: Trellis,
    /// The set-up of each root of the trellis.
    pub(crate) roots: Vec<SetUp>,
    /// Of each state the number of its set-up: the root from which most of its probability comes.
    pub(crate) set_ups: Vec<u8>,
    /// Of each layer, the natural logarithm of the probability of its readings, given all before, in the paths that
    /// survived.
    pub(crate) logs: Vec<f64>,
}

impl Filter {
    /// A match about to begin: the boards set up, king and queen of each side perhaps swapped on boards with sensors.
    pub(crate) fn new(setting: Setting, width: usize, positions: &mut PositionTable) -> Filter {
        let set_ups: Vec<_> = [(false, false), (true, true), (true, false), (false, true)]
            .into_iter()
            .filter_map(|(white, black)| {
                let id =
                    positions.intern(Position::initial_swapped(white, black), Takeback::Nothing)?;
                let weight = match (white, black) {
                    (false, false) => 1.0,
                    (true, true) => params::BOTH_SWAPPED,
                    _ => params::ONE_SWAPPED,
                };
                Some((id, [white, black], weight))
            })
            .collect();
        let (mut states, mut roots, mut swapped) = (Vec::new(), Vec::new(), Vec::new());
        let of = |board| match setting.is_sensed(board) {
            true => &set_ups[..],
            false => &set_ups[..set_ups.len().min(1)],
        };
        for &(a, swapped_a, weight_a) in of(BoardId::A) {
            for &(b, swapped_b, weight_b) in of(BoardId::B) {
                swapped.push([swapped_a, swapped_b]);
                states.push(JointState::empty_handed([a, b]));
                roots.push(match swapped_a == [true; 2] && swapped_b == [true; 2] {
                    true => params::ALL_SWAPPED,
                    false => weight_a * weight_b,
                });
            }
        }
        // The set-ups come likeliest first, so a narrow beam keeps the right ones.
        states.truncate(width);
        roots.truncate(width);
        let total: f64 = roots.iter().sum();
        roots.iter_mut().for_each(|weight| *weight /= total);
        Filter {
            set_ups: (0..).take(states.len()).collect(),
            roots: swapped,
            states,
            trellis: Trellis::new(roots),
            logs: Vec::new(),
        }
    }

    /// The step that expands the newest hypotheses over a segment.
    pub(crate) fn step_over<'a>(
        &'a self,
        closing: &'a ClosedSegment,
        prior: &'a ActionPrior,
        beam: usize,
    ) -> FilterStep<'a> {
        let Filter { states, set_ups, roots, trellis, .. } = self;
        FilterStep { closing, states, set_ups, roots, forward: trellis.forward(), prior, beam }
    }

    /// Adds the result of a step.
    pub(crate) fn adopt(&mut self, closing: &ClosedSegment, expansion: Expansion) {
        self.logs.push(expansion.log_kept());
        let Expansion { states, set_ups, forward, explanations, edges, .. } = expansion;
        self.states = states;
        self.set_ups = set_ups;
        self.trellis.push(Layer {
            board: closing.board,
            presser: closing.presser,
            t_us: closing.t_us,
            explanations,
            edges,
            forward,
        });
    }

    /// The likeliest set-up of the newest hypotheses.
    pub(crate) fn likeliest_set_up(&self) -> Option<SetUp> {
        let number = set_ups::likeliest(self.trellis.forward(), &self.set_ups)?;
        self.roots.get(usize::from(number)).copied()
    }

    /// Natural logarithm of the probability of all readings in the paths that survived.
    pub(crate) fn log_evidence(&self) -> f64 {
        self.logs.iter().sum()
    }

    /// Memory taken, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.trellis.memory_bytes()
            + self.states.capacity() * size_of::<JointState>()
            + self.logs.capacity() * size_of::<f64>()
    }
}
