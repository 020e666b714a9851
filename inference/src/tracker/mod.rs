//! The tracker of one match: readings go in, reports come out.

mod closing;
mod config;
mod evidence;
mod inputs;
mod judged;
mod put_up;
mod put_ups;
mod record;
mod reporting;
mod restart;

use std::{collections::VecDeque, sync::Arc};

use action_model::LearntPrior;
use readings::{InferredLine, Reading, ReadingKind, TraceHeader};
use rules::{BoardId, Seat};

pub use config::TrackerConfig;

use self::put_ups::PutUps;
use crate::second_pass;
use crate::{
    anomaly::{
        monitors::{clock::ClockMonitor, hands::HandMonitor},
        support::{press_context::PressNotes, register::Register},
    },
    answers::ledger::Ledger,
    beam::Beam,
    facts::{Facts, Unreconciled},
    questions::{Asked, Asking},
    report::TrackerOutput,
    sensing::{
        board_input::{BoardInput, Phase},
        tray_log::TrayLog,
    },
    setting::Setting,
    state::reanchor::Disagreement,
    trellis::{
        Backward,
        conditioned::{ConditionedTrellis, SoftEvidence},
    },
};

/// Questions in a record, at most.
const MAX_QUESTIONS: usize = 5;
/// Widest beam: hypotheses are numbered with 16 bits, and memory is bounded by it.
const MAX_BEAM: usize = 4_096;

/// Follows one match. Give it every reading in order with [`handle`](Self::handle), and after each,
/// take what it says with [`poll_output`](Self::poll_output) until there is nothing left.
#[derive(Clone, Debug)]
pub struct Tracker {
    lag: usize,
    facts: Facts,
    put_ups: PutUps,
    setting: Setting,
    base_s: u32,
    now_us: u64,
    inputs: [BoardInput; 2],
    beam: Beam,
    disagreement: [Disagreement; 2],
    ledger: Ledger,
    register: Register,
    notes: PressNotes,
    trays: TrayLog,
    /// What each board's readings say by themselves.
    clock_monitors: [ClockMonitor; 2],
    hand_monitor: HandMonitor,
    out: VecDeque<TrackerOutput>,
    /// First layer whose lagged answer is not given yet.
    unlagged: usize,
    finished: bool,
}

/// Latest time of a match, microseconds: a year. Whatever is added to a time stays far from its end.
const TIME_MAX_US: u64 = 366 * 24 * 3_600_000_000;
/// Longest time between two readings that is believed, microseconds: boards may stand set up over a weekend.
const LEAP_MAX_US: u64 = 4 * 24 * 3_600_000_000;
/// Most that a clock can show, milliseconds: a hundred hours.
const SHOWN_MAX_MS: i64 = 100 * 3_600_000;

/// What a clock shows, or the most that one can.
fn in_range(shown_ms: i64) -> i64 {
    shown_ms.clamp(-SHOWN_MAX_MS, SHOWN_MAX_MS)
}

impl Tracker {
    /// A tracker for a match described by a trace header.
    #[must_use]
    pub fn new(header: &TraceHeader, config: TrackerConfig) -> Tracker {
        let width = config.beam.clamp(1, MAX_BEAM);
        let (setting, trays) = (Setting::of(header), TrayLog::new(header));
        let prior = config.prior.unwrap_or_else(|| Arc::new(LearntPrior::of(header.game)));
        Tracker {
            lag: config.lag,
            put_ups: PutUps::of(&config.facts),
            facts: config.facts,
            setting,
            base_s: header.base_s,
            now_us: 0,
            inputs: BoardId::ALL.map(|board| BoardInput::new(header, board)),
            beam: Beam::new(setting, &trays, width, prior),
            disagreement: Default::default(),
            ledger: Ledger::default(),
            register: Register::of(header),
            notes: PressNotes::default(),
            trays,
            clock_monitors: BoardId::ALL.map(|board| ClockMonitor::of(header, board)),
            hand_monitor: HandMonitor::new(header),
            out: VecDeque::new(),
            unlagged: 0,
            finished: false,
        }
    }

    /// A tracker that has followed a whole match to its end; what it said meanwhile is passed over.
    #[must_use]
    pub fn over(header: &TraceHeader, readings: &[Reading], config: TrackerConfig) -> Tracker {
        let mut tracker = Tracker::new(header, config);
        for reading in readings {
            tracker.handle(reading);
            tracker.out.clear();
        }
        tracker.finish();
        tracker.out.clear();
        tracker
    }

    /// Takes one reading. Readings come in the order of their times; one that claims to be earlier than
    /// the last is taken to be as late. Readings after [`finish`](Self::finish) are passed over.
    pub fn handle(&mut self, reading: &Reading) {
        if self.finished {
            return;
        }
        let leap = self.pass_time_to(reading.t_us);
        for board in BoardId::ALL {
            self.clock_monitors[board.index()].wait(self.now_us);
            self.report_readings(board);
        }
        // A board without sensors has nothing to say.
        let told_of = |board: &BoardId| self.setting.is_sensed(*board);
        let Some(board) = reading.board.filter(told_of) else { return };
        if leap {
            self.clock_monitors[board.index()].leap(self.now_us);
        }
        match &reading.kind {
            ReadingKind::Snapshot { occupied, squares } => {
                let input = &mut self.inputs[board.index()];
                if input.read_snapshot(self.now_us, *occupied, squares.as_deref()) {
                    self.squares_changed(board, true);
                }
            }
            ReadingKind::Square { .. } => {
                for event in self.inputs[board.index()].read_square(self.now_us, &reading.kind) {
                    self.clock_monitors[board.index()].square(event);
                    self.hand_monitor.square(board, event);
                    self.squares_changed(board, event.occupied);
                }
            }
            ReadingKind::Press { by } => self.pressed(board, *by),
            ReadingKind::Clock { white_ms, black_ms, running } => {
                let [white_ms, black_ms] = [*white_ms, *black_ms].map(in_range);
                self.clock_read(board, white_ms, black_ms, *running);
            }
            ReadingKind::Tray { side, slot, reading: said } => {
                if let Some(event) = self.trays.read(self.now_us, (board, *side), *slot, *said) {
                    let seat = Seat { board, color: *side };
                    self.hand_monitor.tray(seat, event.t_us, event.filled);
                }
                if self.inputs.iter().all(|input| input.phase == Phase::BeforeStart) {
                    // Trays are cleared for the next match.
                    self.trays.forget_until(self.now_us);
                }
            }
            ReadingKind::Tilt { on } => self.clock_monitors[board.index()].tilt(self.now_us, *on),
            ReadingKind::Hand { side, near } => {
                self.clock_monitors[board.index()].hand(self.now_us, *side, *near);
                self.hand_monitor.hand(board, self.now_us, *side, *near);
            }
            // What was lost shows in the next snapshot.
            ReadingKind::Gap { lost } => self.clock_monitors[board.index()].gap(self.now_us, *lost),
            ReadingKind::End => {}
        }
        self.look_at_put_up(board);
        self.report_readings(board);
    }

    /// Lets time pass to a reading, never back. A time that lies so far ahead that nobody can have played until then is not
    /// believed, and the reading counts as made now: whether it was so.
    fn pass_time_to(&mut self, t_us: u64) -> bool {
        let leap = t_us.saturating_sub(self.now_us) > LEAP_MAX_US;
        if !leap {
            let t_us = t_us.min(TIME_MAX_US);
            self.explain_overdue(t_us);
            self.now_us = self.now_us.max(t_us);
        }
        leap
    }

    /// When time alone will make the tracker say something, microseconds since the trace began: a press waits for a piece that may
    /// still be read. None while nothing waits.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<u64> {
        let deadlines = self.inputs.iter().filter_map(BoardInput::deadline_us);
        let deadlines = deadlines.chain(self.put_up_deadline_us());
        deadlines.min().filter(|_| !self.finished).map(|deadline_us| deadline_us.saturating_add(1))
    }

    /// Lets time pass without a reading. What it says is the same as if the next reading had brought the time.
    pub fn handle_timeout(&mut self, t_us: u64) {
        if !self.finished {
            self.pass_time_to(t_us);
        }
    }

    /// The next thing the tracker has to say, oldest first.
    pub fn poll_output(&mut self) -> Option<TrackerOutput> {
        self.out.pop_front()
    }

    /// Ends the match: what is still open is explained, and every answer is given anew with all of the
    /// match known.
    pub fn finish(&mut self) {
        if self.finished {
            return;
        }
        for board in BoardId::ALL {
            self.explain_pending(board);
            if self.inputs[board.index()].phase == Phase::Playing && !self.is_being_put_up(board) {
                self.close_stopped(board);
            }
        }
        self.finished = true;
        self.follow_again();
        self.report_set_up();
        let evidence = self.evidence();
        self.publish_given(&evidence);
        self.report_hidden();
    }

    /// Follows the finished match once more, knowing all of it.
    fn follow_again(&mut self) {
        let later = self.posterior();
        second_pass::follow_again(&mut self.beam, &later);
        self.beam.forget_steps();
    }

    /// Probabilities of all choices, given everything.
    fn posterior(&self) -> Backward {
        let evidence = self.evidence();
        ConditionedTrellis::new(self.beam.trellis(), &evidence).posterior()
    }

    /// The match as lines of an inferred file: plies in order with their answers at each stage,
    /// anomalies, and questions about the least certain plies. Complete after
    /// [`finish`](Self::finish).
    #[must_use]
    pub fn record(&self) -> Vec<InferredLine> {
        let asked = self.asked(&self.evidence());
        record::lines(&self.ledger, &self.register, &asked)
    }

    /// Probability that every ply of the finished match's [`record`](Self::record) is right and none is missing, 0 to 1, as far as its
    /// beginning is not settled for good yet (which takes a match longer than any that is played).
    #[must_use]
    pub fn probability_of_record(&self) -> f64 {
        let trellis = self.beam.trellis();
        let mut record = [Vec::new(), Vec::new()];
        for entry in (trellis.first_open()..trellis.end()).flat_map(|at| self.ledger.entries(at)) {
            record[entry.report.board.index()].push((entry.report.side, entry.report.ply));
        }
        ConditionedTrellis::new(trellis, &self.evidence()).probability_of(&record)
    }

    /// The configured facts that the finished match does not bear out.
    #[must_use]
    pub fn unreconciled(&self) -> Vec<Unreconciled> {
        let evidence = self.evidence();
        let conditioned = ConditionedTrellis::new(self.beam.trellis(), &evidence);
        let by_trellis = evidence::unreconciled(&self.beam, &conditioned, &self.facts);
        by_trellis.into_iter().chain(self.put_ups.unreconciled()).collect()
    }

    /// What is known of the end. What is known of plies has weighed them while the match was followed.
    fn evidence(&self) -> SoftEvidence {
        let ends = self.facts.iter().filter(|fact| fact.is_of_end());
        evidence::of_end(&self.beam, &ends.cloned().collect())
    }

    /// The plies about which an answer would settle most, the best first.
    fn asked(&self, evidence: &SoftEvidence) -> Vec<Asked> {
        let (trellis, answers) = (self.beam.trellis(), self.final_answers(evidence));
        Asking { trellis, answers: &answers, known: &self.facts }.choose(evidence, MAX_QUESTIONS)
    }

    /// Memory that the hypotheses, their history and what was said about it take, bytes. Bounded
    /// whatever the readings are: see the limits beside each of them.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.beam.memory_bytes()
            + self.ledger.memory_bytes()
            + self.notes.memory_bytes()
            + self.register.memory_bytes()
            + self.clock_monitors.iter().map(ClockMonitor::memory_bytes).sum::<usize>()
            + self.hand_monitor.memory_bytes()
            + self.out.capacity() * size_of::<TrackerOutput>()
    }
}
