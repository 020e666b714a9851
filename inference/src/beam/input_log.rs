//! The steps of a match, kept so that the second pass can follow them once more.
//!
//! The trellis forgets what was cut, so the second pass needs the readings themselves. Their room is bounded: a match
//! that outgrows it is followed once only.

use rules::{Bitboard, BoardId, Color};

use crate::{
    facts::{About, PlyFact, StandsFact},
    observation::summary::AT_ONCE_US,
    proposal::{
        closed_segment::{ClosedSegment, SearchEffort},
        transitions::Transitions,
    },
    sensing::{clock::Timing, identity::IdentityLikelihood, segment::Segment, tray_log::TrayEvent},
    state::position_table::PositionTable,
};

/// Most steps kept. A match has about 150; one with more than this is not followed again. Bound: on memory and work.
const MAX_STEPS: usize = 2_048;
/// Room for the readings of all steps, bytes. A match with more is not followed again. Bound: on memory.
const MAX_READ_BYTES: usize = 2 << 20;
/// Room for the transitions that were found, bytes: enough for nearly all segments of most matches. Transitions that
/// are not kept are found once more. Bound: on memory.
const MAX_TRANSITIONS_BYTES: usize = 4 << 20;

/// One step of the beam.
#[derive(Clone, Debug)]
pub(crate) enum InputStep {
    /// A segment was closed.
    Closed(Box<Closed>),
    /// Every hypothesis was made to agree with these occupied squares.
    Reanchored {
        /// Of this board.
        board: BoardId,
        occupied: Bitboard,
        /// When, microseconds since the trace began.
        t_us: u64,
    },
    /// A position was put up again, at this time.
    PutUp(Box<StandsFact>, u64),
}

/// A segment as it was closed.
#[derive(Clone, Debug)]
pub(crate) struct Closed {
    board: BoardId,
    presser: Option<Color>,
    t_us: u64,
    segment: Segment,
    count: usize,
    recent: [Bitboard; 2],
    timing: Timing,
    partner_touched: Bitboard,
    tray_events: Vec<TrayEvent>,
    identity: Option<Box<IdentityLikelihood<'static>>>,
    /// Facts about its plies, each with whether it is [about an answer](About::later).
    facts: Vec<(PlyFact, bool)>,
    /// Natural logarithm of the probability of the segment, given all before.
    log_evidence: f64,
    /// How far to look for explanations.
    pub(crate) effort: SearchEffort,
    /// The transitions, if there was room to keep them, and how often positions had been renumbered then.
    transitions: Option<(Transitions, u32)>,
}

impl Closed {
    /// Keeps what was closed.
    pub(crate) fn of(
        closing: &ClosedSegment<'_>,
        effort: SearchEffort,
        log_evidence: f64,
    ) -> Closed {
        Closed {
            board: closing.board,
            presser: closing.presser,
            t_us: closing.t_us,
            segment: closing.segment.clone(),
            count: closing.count,
            recent: closing.recent,
            timing: closing.timing,
            partner_touched: closing.partner_touched,
            tray_events: closing.tray_events.clone(),
            identity: closing.identity.keep(),
            facts: closing.facts.iter().map(|about| (about.fact.clone(), about.later)).collect(),
            log_evidence,
            effort,
            transitions: None,
        }
    }

    /// Forgets how it was explained, to be explained exhaustively. Adds the readings that the `later` steps have at
    /// once after it, before anybody can have answered. Returns how many bytes this frees.
    fn doubt(&mut self, later: &[InputStep]) -> usize {
        self.effort = SearchEffort::Exhaustive;
        let free = self.transitions.take().map_or(0, |(transitions, _)| transitions.memory_bytes());
        let until_us = self.t_us.saturating_add(AT_ONCE_US);
        let of_board = later.iter().filter_map(|step| match step {
            InputStep::Closed(next) if next.board == self.board => Some(next),
            _ => None,
        });
        for next in of_board {
            self.segment.look_further(&next.segment, until_us);
            if next.t_us > until_us {
                break;
            }
        }
        free
    }

    /// Memory taken by the readings, bytes.
    fn read_bytes(&self) -> usize {
        size_of_val(self.segment.events())
            + size_of_val(&self.tray_events[..])
            + size_of_val(&self.facts[..])
            + self.identity.as_ref().map_or(0, |said| said.memory_bytes())
    }

    /// As it was about to be closed.
    pub(crate) fn closing(&self) -> ClosedSegment<'_> {
        ClosedSegment {
            board: self.board,
            presser: self.presser,
            t_us: self.t_us,
            segment: &self.segment,
            count: self.count,
            recent: self.recent,
            timing: self.timing,
            partner_touched: self.partner_touched,
            tray_events: self.tray_events.clone(),
            identity: match &self.identity {
                Some(said) => said.again(),
                None => IdentityLikelihood::silent(),
            },
            facts: self.facts.iter().map(|(fact, later)| About { fact, later: *later }).collect(),
        }
    }
}

/// All steps since the match began, unless there were too many.
#[derive(Clone, Debug, Default)]
pub(crate) struct InputLog {
    steps: Vec<InputStep>,
    read_bytes: usize,
    transitions_bytes: usize,
    lost: bool,
}

impl InputLog {
    /// Keeps a segment that was closed, and the transitions found to explain it if there is room.
    pub(crate) fn push_closed(
        &mut self,
        closed: Closed,
        transitions: Transitions,
        positions: &PositionTable,
    ) {
        self.read_bytes += closed.read_bytes();
        self.push(InputStep::Closed(Box::new(closed)));
        self.keep_transitions(self.steps.len().saturating_sub(1), transitions, positions);
    }

    /// Keeps the transitions of the segment of a step, which has none, if there is room.
    pub(crate) fn keep_transitions(
        &mut self,
        at: usize,
        mut transitions: Transitions,
        positions: &PositionTable,
    ) {
        let Some(InputStep::Closed(closed)) = self.steps.get_mut(at) else { return };
        transitions.pack();
        let bytes = transitions.memory_bytes();
        if self.transitions_bytes + bytes <= MAX_TRANSITIONS_BYTES {
            self.transitions_bytes += bytes;
            closed.transitions = Some((transitions, positions.renumbered()));
        }
    }

    /// Takes the transitions of the segment of a step out of the log. None if they were not kept or positions were
    /// renumbered.
    pub(crate) fn take_transitions(
        &mut self,
        at: usize,
        positions: &PositionTable,
    ) -> Option<Transitions> {
        let Some(InputStep::Closed(closed)) = self.steps.get_mut(at) else { return None };
        let (mut transitions, renumbered) = closed.transitions.take()?;
        self.transitions_bytes = self.transitions_bytes.saturating_sub(transitions.memory_bytes());
        (renumbered == positions.renumbered()).then(|| {
            transitions.unpack();
            transitions
        })
    }

    /// Keeps a step.
    pub(crate) fn push(&mut self, step: InputStep) {
        if self.steps.len() == MAX_STEPS || self.read_bytes > MAX_READ_BYTES {
            *self = InputLog { lost: true, ..InputLog::default() };
        }
        if !self.lost {
            self.steps.push(step);
        }
    }

    /// Of each step its board and the natural logarithm of the probability of its readings; none for a step that is no
    /// segment.
    pub(crate) fn evidence(&self) -> Vec<Option<(BoardId, f64)>> {
        let segments = self.steps.iter().map(|step| match step {
            InputStep::Closed(closed) => Some((closed.board, closed.log_evidence)),
            InputStep::Reanchored { .. } | InputStep::PutUp(..) => None,
        });
        segments.collect()
    }

    /// Has the segments at these indices explained anew in the second pass: at exhaustive effort, and with the readings
    /// right after them.
    pub(crate) fn doubt(&mut self, places: &[usize]) {
        for &at in places {
            let (steps, later) = self.steps.split_at_mut(at + 1);
            if let Some(InputStep::Closed(closed)) = steps.last_mut() {
                self.transitions_bytes -= closed.doubt(later);
            }
        }
    }

    /// How many steps there are; none if they were not all kept.
    pub(crate) fn steps(&self) -> usize {
        self.steps.len()
    }

    /// The step with this number, from 0.
    pub(crate) fn step(&self, at: usize) -> Option<&InputStep> {
        self.steps.get(at)
    }

    /// Memory taken, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.steps.capacity() * (size_of::<InputStep>() + size_of::<Closed>())
            + self.read_bytes
            + self.transitions_bytes
    }
}
