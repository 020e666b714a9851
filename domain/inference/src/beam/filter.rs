//! One run of the filter: the live hypotheses and the trellis behind them.
//!
//! ```text
//! p(root)         ~ PROD over boards of (1, ONE_SWAPPED or BOTH_SWAPPED);  ALL_SWAPPED if all four sides are swapped
//! log p(readings) = SUM over layers of log(evidence that survived the cut)
//! ```
//!
//! A root is a set-up of both boards: king and queen of each side as they should stand, or swapped.
//! Other exchanged pieces become roots once a ply speaks for them (`beam/reconsider.rs`).
//! A board without sensors has the correct set-up only.

use rules::BoardId;

use crate::{
    back_rank::{self, BackRank},
    beam::set_ups::{self, SetUp},
    params,
    params::Setting,
    state::{
        joint_state::JointState,
        position_table::{PositionEntry, PositionTable},
    },
    trellis::{Layer, Trellis},
};

/// The live hypotheses and how they came about.
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    pub(crate) states: Vec<JointState>,
    pub(crate) trellis: Trellis,
    /// The set-up of each root of the trellis.
    pub(crate) roots: Vec<SetUp>,
    /// Number of each state's set-up: the root from which most of its probability comes.
    pub(crate) set_ups: Vec<u8>,
    /// For each layer, the natural logarithm of the probability of its readings, given all before,
    /// in the paths that survived.
    pub(crate) logs: Vec<f64>,
}

impl Filter {
    /// A match about to begin: the boards set up, king and queen of each side perhaps swapped on
    /// boards with sensors.
    pub(crate) fn new(
        setting: Setting,
        odd: &[(SetUp, f64)],
        width: usize,
        positions: &mut PositionTable,
    ) -> Filter {
        let (usual, swapped) = (BackRank::default(), BackRank::king_and_queen_swapped());
        let sides = [[usual; 2], [swapped; 2], [swapped, usual], [usual, swapped]];
        let of = |board: BoardId| &sides[..if setting.sensed[board.index()] { 4 } else { 1 }];
        let weight = |ranks: [BackRank; 2]| match ranks.map(|rank| rank == swapped) {
            [false, false] => 1.0,
            [true, true] => params::BOTH_SWAPPED,
            _ => params::ONE_SWAPPED,
        };
        let (mut states, mut set_ups, mut roots) = (Vec::new(), Vec::new(), Vec::new());
        for &a in of(BoardId::A) {
            for &b in of(BoardId::B) {
                set_ups.push([a, b]);
                roots.push(match [a, b] == [[swapped; 2]; 2] {
                    true => params::ALL_SWAPPED,
                    false => weight(a) * weight(b),
                });
            }
        }
        for &(set_up, weight) in odd {
            set_ups.push(set_up);
            roots.push(weight);
        }
        for set_up in &set_ups {
            let ids =
                set_up.map(|ranks| positions.intern(PositionEntry::of(back_rank::position(ranks))));
            // A table that has just been made or that follows a match again has room for these.
            let ids = ids.map(Option::unwrap_or_default);
            states.push(JointState::empty_handed(ids));
        }
        // The set-ups come likeliest first, so a narrow beam keeps the right ones.
        states.truncate(width);
        roots.truncate(width);
        set_ups.truncate(width);
        let total: f64 = roots.iter().sum();
        roots.iter_mut().for_each(|weight| *weight /= total);
        Filter {
            set_ups: (0..).take(states.len()).collect(),
            roots: set_ups,
            states,
            trellis: Trellis::new(roots),
            logs: Vec::new(),
        }
    }

    /// Adds a layer that leads to these hypotheses. `log` is the natural logarithm of its evidence
    /// that survived.
    pub(crate) fn adopt(
        &mut self,
        layer: Layer,
        states: Vec<JointState>,
        set_ups: Vec<u8>,
        log: f64,
    ) {
        self.trellis.push(layer);
        (self.states, self.set_ups) = (states, set_ups);
        self.logs.push(log);
    }

    /// The likeliest set-up of the newest hypotheses.
    pub(crate) fn likeliest_set_up(&self) -> Option<SetUp> {
        let number = set_ups::likeliest(self.trellis.forward(), &self.set_ups)?;
        self.roots.get(usize::from(number)).copied()
    }

    /// Memory taken, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.trellis.memory_bytes()
            + self.states.capacity() * size_of::<JointState>()
            + self.logs.capacity() * size_of::<f64>()
    }
}
