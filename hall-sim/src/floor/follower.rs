//! A light follower in the place of inference: says plies by readings and by time, and fails on a clock that is tilted.

use std::collections::VecDeque;

use hub_core::session::Follow;
use inference::facts::Facts;
use inference::{PlyId, PlyReport, Stage, TrackerOutput};
use readings::{Reading, ReadingKind, SquareReading, TraceHeader};
use rules::{BoardId, Color, Ply};

/// A ply is revised so long after a press, µs.
const REVISED_AFTER_US: u64 = 200_000;

/// The follower of one match.
#[derive(Debug)]
struct Stub {
    ply: Ply,
    plies: u32,
    squares: u32,
    revise_at: Option<u64>,
    outputs: VecDeque<TrackerOutput>,
}

/// Makes the follower of a match.
pub(crate) fn stub(_header: &TraceHeader, _facts: Facts) -> Box<dyn Follow> {
    let ply = "e2e4".parse().expect("a ply");
    let outputs = VecDeque::new();
    Box::new(Stub { ply, plies: 0, squares: 0, revise_at: None, outputs })
}

impl Stub {
    fn say(&mut self, t_us: u64, stage: Stage, revision: u32) {
        self.outputs.push_back(TrackerOutput::Ply(PlyReport {
            id: PlyId(self.plies),
            revision,
            stage,
            board: BoardId::A,
            side: Color::White,
            t_us,
            ply: self.ply,
            p: 0.5,
            legal: true,
            alternatives: Vec::new(),
            clock_ms: None,
            touched_us: None,
            released_us: None,
        }));
    }
}

impl Follow for Stub {
    fn handle(&mut self, reading: &Reading) {
        self.handle_timeout(reading.t_us);
        match reading.kind {
            // Not by panic!, which prints.
            ReadingKind::Tilt { .. } => std::panic::resume_unwind(Box::new("a tilted clock")),
            ReadingKind::Square { reading: Some(says), .. } if says != SquareReading::Empty => {
                self.squares += 1;
                if self.squares.is_multiple_of(2) {
                    self.plies += 1;
                    self.say(reading.t_us, Stage::Live, 0);
                }
            }
            ReadingKind::Press { .. } if self.plies > 0 => {
                self.revise_at.get_or_insert(reading.t_us + REVISED_AFTER_US);
            }
            _ => {}
        }
    }

    fn poll_output(&mut self) -> Option<TrackerOutput> {
        self.outputs.pop_front()
    }

    fn poll_timeout(&self) -> Option<u64> {
        self.revise_at
    }

    fn handle_timeout(&mut self, t_us: u64) {
        if let Some(at_us) = self.revise_at.filter(|&at_us| at_us <= t_us) {
            self.revise_at = None;
            self.say(at_us, Stage::Live, 1);
        }
    }

    fn finish(&mut self) {
        if self.plies > 0 {
            self.say(0, Stage::Final, 2);
        }
    }
}
