//! The steps of a match, kept so that the second pass can follow them once more.
//!
//! The trellis forgets what was cut, so the second pass needs the readings themselves. Their room
//! is bounded: a match that outgrows it is followed once only.

use rules::{Bitboard, BoardId};

use crate::{
    facts::StandsFact,
    hand_times::AT_ONCE_US,
    proposal::closed_segment::{ClosedSegment, SearchEffort},
};

/// Maximum number of steps. A match has about 150; one with more than this is not followed again. Bound: on
/// memory and work.
const MAX_STEPS: usize = 2_048;
/// Room for the readings of all steps, bytes. A match with more is not followed again. Bound: on memory.
const MAX_READ_BYTES: usize = 2 << 20;
/// One step of the beam.
#[derive(Clone, Debug)]
pub(crate) enum InputStep {
    /// A segment was closed.
    Closed(Box<ClosedStep>),
    /// Every hypothesis was made to agree with these occupied squares.
    Reanchored {
        /// Board of the step.
        board: BoardId,
        occupied: Bitboard,
        /// Time, microseconds since the trace began.
        t_us: u64,
    },
    /// A position was reinstated with these tray slots occupied, at this time.
    Reinstated(Box<StandsFact>, [u16; 4], u64),
}

/// A segment as it was closed.
#[derive(Clone, Debug)]
pub(crate) struct ClosedStep {
    pub(crate) closed: ClosedSegment,
    /// Natural logarithm of the probability of the segment, given all before.
    pub(crate) log_evidence: f64,
    /// Effort of the search for explanations.
    pub(crate) effort: SearchEffort,
}

impl ClosedStep {
    /// Memory taken by the readings, bytes.
    fn read_bytes(&self) -> usize {
        let ClosedSegment { segment, tray_events, facts, identity, .. } = &self.closed;
        size_of_val(&segment.events[..])
            + size_of_val(&tray_events[..])
            + size_of_val(&facts[..])
            + identity.as_ref().map_or(0, |identity| identity.memory_bytes())
    }
}

/// All steps since the match began, unless there were too many.
#[derive(Clone, Debug, Default)]
pub(crate) struct InputLog {
    /// The steps in order; none if they were not all kept.
    pub(crate) steps: Vec<InputStep>,
    read_bytes: usize,
    lost: bool,
}

impl InputLog {
    /// Keeps a step.
    pub(crate) fn push(&mut self, step: InputStep) {
        if let InputStep::Closed(step) = &step {
            self.read_bytes += step.read_bytes();
        }
        if self.steps.len() == MAX_STEPS || self.read_bytes > MAX_READ_BYTES {
            self.lose();
        }
        if !self.lost {
            self.steps.push(step);
        }
    }

    /// Forgets all steps, those to come as well.
    pub(crate) fn lose(&mut self) {
        *self = InputLog { lost: true, ..InputLog::default() };
    }

    /// Marks a segment for a new explanation in the second pass: exhaustively, and with the readings that
    /// later steps have at once after it, before anybody can have answered.
    pub(crate) fn doubt(&mut self, at: usize) {
        let Some((InputStep::Closed(step), later)) = self.steps[at..].split_first_mut() else {
            return;
        };
        step.effort = SearchEffort::Exhaustive;
        let before = step.read_bytes();
        let ClosedSegment { board, t_us, segment, .. } = &mut step.closed;
        let until_us = t_us.saturating_add(AT_ONCE_US);
        let of_board = later.iter().filter_map(|step| match step {
            InputStep::Closed(next) if next.closed.board == *board => Some(&next.closed),
            _ => None,
        });
        for next in of_board {
            segment.look_further(&next.segment, until_us);
            if next.t_us > until_us {
                break;
            }
        }
        self.read_bytes += step.read_bytes() - before;
    }

    /// Memory taken, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.steps.capacity() * (size_of::<InputStep>() + size_of::<ClosedStep>()) + self.read_bytes
    }
}
