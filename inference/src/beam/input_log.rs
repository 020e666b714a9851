//! What a match was made of, kept so that it can be followed once more.

use rules::{Bitboard, BoardId, Color};

use crate::{
    facts::{About, PlyFact, StandsFact},
    observation::summary::AT_ONCE_US,
    proposal::{
        closed_segment::{Breadth, Closing},
        transitions::Ways,
    },
    sensing::{clock::Timing, identity::Testimony, segment::Segment, tray_log::TrayEvent},
    state::position_table::Positions,
};

/// Steps kept. A match has about 150; one that has more than this is not followed again.
const MAX_STEPS: usize = 2_048;
/// Room for what was read in them, bytes. The same holds beyond that.
const MAX_READ_BYTES: usize = 2 << 20;
/// Room for the ways that were found, bytes: enough for nearly all segments of most matches. What is
/// not kept is found once more.
const MAX_WAYS_BYTES: usize = 4 << 20;

/// One step of the beam.
#[derive(Clone, Debug)]
pub(crate) enum Step {
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
    testimony: Option<Box<Testimony<'static>>>,
    /// What people know of its plies, and whether it is [about an answer](About::later).
    facts: Vec<(PlyFact, bool)>,
    /// Logarithm of the probability of the segment, given all before.
    log_evidence: f64,
    /// How far explanations were looked for.
    pub(crate) breadth: Breadth,
    /// What was found, if there was room to keep it, and how often positions had new numbers then.
    ways: Option<(Ways, u32)>,
}

impl Closed {
    /// Keeps what was closed.
    pub(crate) fn of(closing: &Closing<'_>, breadth: Breadth, log_evidence: f64) -> Closed {
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
            testimony: closing.testimony.keep(),
            facts: closing.facts.iter().map(|about| (about.fact.clone(), about.later)).collect(),
            log_evidence,
            breadth,
            ways: None,
        }
    }

    /// Forgets how it was explained, to be explained thoroughly, knowing what the `later` steps read at once
    /// after, before anybody can have answered. Says how many bytes that sets free.
    fn doubt(&mut self, later: &[Step]) -> usize {
        self.breadth = Breadth::Thorough;
        let free = self.ways.take().map_or(0, |(ways, _)| ways.memory_bytes());
        let until_us = self.t_us.saturating_add(AT_ONCE_US);
        let of_board = later.iter().filter_map(|step| match step {
            Step::Closed(next) if next.board == self.board => Some(next),
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

    /// Memory that what was read takes, bytes.
    fn read_bytes(&self) -> usize {
        size_of_val(self.segment.events())
            + size_of_val(&self.tray_events[..])
            + size_of_val(&self.facts[..])
            + self.testimony.as_ref().map_or(0, |said| said.memory_bytes())
    }

    /// As it was about to be closed.
    pub(crate) fn closing(&self) -> Closing<'_> {
        Closing {
            board: self.board,
            presser: self.presser,
            t_us: self.t_us,
            segment: &self.segment,
            count: self.count,
            recent: self.recent,
            timing: self.timing,
            partner_touched: self.partner_touched,
            tray_events: self.tray_events.clone(),
            testimony: match &self.testimony {
                Some(said) => said.again(),
                None => Testimony::silent(),
            },
            facts: self.facts.iter().map(|(fact, later)| About { fact, later: *later }).collect(),
        }
    }
}

/// All steps since the match began, unless there were too many.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recording {
    steps: Vec<Step>,
    read_bytes: usize,
    ways_bytes: usize,
    lost: bool,
}

impl Recording {
    /// Keeps a segment that was closed, and the ways found to explain it if there is room.
    pub(crate) fn push_closed(&mut self, closed: Closed, ways: Ways, positions: &Positions) {
        self.read_bytes += closed.read_bytes();
        self.push(Step::Closed(Box::new(closed)));
        self.keep_ways(self.steps.len().saturating_sub(1), ways, positions);
    }

    /// Keeps the ways found to explain the segment of a step, which has none, if there is room.
    pub(crate) fn keep_ways(&mut self, at: usize, mut ways: Ways, positions: &Positions) {
        let Some(Step::Closed(closed)) = self.steps.get_mut(at) else { return };
        ways.pack();
        let bytes = ways.memory_bytes();
        if self.ways_bytes + bytes <= MAX_WAYS_BYTES {
            self.ways_bytes += bytes;
            closed.ways = Some((ways, positions.renumbered()));
        }
    }

    /// Gives away what was found to explain the segment of a step, unless that is not known any more.
    pub(crate) fn take_ways(&mut self, at: usize, positions: &Positions) -> Option<Ways> {
        let Some(Step::Closed(closed)) = self.steps.get_mut(at) else { return None };
        let (mut ways, renumbered) = closed.ways.take()?;
        self.ways_bytes = self.ways_bytes.saturating_sub(ways.memory_bytes());
        (renumbered == positions.renumbered()).then(|| {
            ways.unpack();
            ways
        })
    }

    /// Keeps a step.
    pub(crate) fn push(&mut self, step: Step) {
        if self.steps.len() == MAX_STEPS || self.read_bytes > MAX_READ_BYTES {
            *self = Recording { lost: true, ..Recording::default() };
        }
        if !self.lost {
            self.steps.push(step);
        }
    }

    /// Of each step its board and the logarithm of the probability of what was read in it; none for a step that is no segment.
    pub(crate) fn evidence(&self) -> Vec<Option<(BoardId, f64)>> {
        let segments = self.steps.iter().map(|step| match step {
            Step::Closed(closed) => Some((closed.board, closed.log_evidence)),
            Step::Reanchored { .. } | Step::PutUp(..) => None,
        });
        segments.collect()
    }

    /// Has the segments at these places explained anew when the match is followed again: as thoroughly as can
    /// be, and with what was read right after them.
    pub(crate) fn doubt(&mut self, places: &[usize]) {
        for &at in places {
            let (steps, later) = self.steps.split_at_mut(at + 1);
            if let Some(Step::Closed(closed)) = steps.last_mut() {
                self.ways_bytes -= closed.doubt(later);
            }
        }
    }

    /// How many steps there are; none if they were not all kept.
    pub(crate) fn steps(&self) -> usize {
        self.steps.len()
    }

    /// The step with this number, from 0.
    pub(crate) fn step(&self, at: usize) -> Option<&Step> {
        self.steps.get(at)
    }

    /// Memory taken, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.steps.capacity() * (size_of::<Step>() + size_of::<Closed>())
            + self.read_bytes
            + self.ways_bytes
    }
}
