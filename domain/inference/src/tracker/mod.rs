//! The tracker of one match: readings go in, reports come out.

mod closing;
mod evidence;
mod inputs;
mod jump;
mod last_start;
mod leaps;
mod lie;
mod record;
mod reinstate;
mod reinstatements;
mod reporting;
mod time;

use std::{collections::VecDeque, sync::Arc};

use action_model::ActionPrior;
use readings::{Reading, ReadingKind, SensorKind, TraceHeader};
use rules::{BoardId, Seat};

pub use last_start::since_last_start;

use self::{leaps::Leaps, reinstatements::Reinstatement};
use crate::{
    anomaly::{
        findings::register::Register,
        monitors::{clock::ClockMonitor, hands::HandMonitor},
        segments::{illegal_history::IllegalHistory, supply_history::SupplyHistory},
    },
    answers::published_plies::PublishedPlies,
    beam::{Beam, set_ups::SetUp},
    facts::{Fact, Facts, PerMoveFact, Unreconciled},
    params::Setting,
    report::{Stage, TrackerOutput},
    sensing::{
        board_input::{BoardInput, Phase},
        clock::DisplayReading,
        placing::{Lie, Placing},
        tray_log::TrayLog,
    },
    trellis::conditioned::{ConditionedTrellis, SoftEvidence},
};

/// Widest beam, hypotheses. Bound: on memory, and hypotheses are numbered with 16 bits.
const MAX_BEAM: usize = 4_096;

/// The configuration of a tracker.
#[derive(Clone, Debug)]
pub struct TrackerConfig {
    /// Maximum number of joint hypotheses, 1 to 4096; other values are clamped. The default 512 is measured:
    /// `docs/decisions/0009-limits-of-reed-boards.md`.
    pub beam: usize,
    /// Number of later plies of both boards after which a lagged answer is given.
    pub lag: usize,
    /// The model of the players' choices. None means the weights that ship with the program for the game.
    pub prior: Option<Arc<ActionPrior>>,
    /// The facts of people about the match, every ply [anchored](Facts::anchored).
    pub facts: Facts,
}

impl Default for TrackerConfig {
    fn default() -> TrackerConfig {
        TrackerConfig { beam: 512, lag: 8, prior: None, facts: Facts::default() }
    }
}

/// Follows one match. Give it every reading in order with [`handle`](Self::handle). After each reading, call
/// [`poll_output`](Self::poll_output) until it returns None.
#[derive(Clone, Debug)]
pub struct Tracker {
    lag: usize,
    facts: Facts,
    /// The positions that directors have ordered to be reinstated, in the order of their times.
    reinstatements: Vec<Reinstatement>,
    /// Delays and increments that directors have ordered, in the order of their future times.
    per_moves: VecDeque<PerMoveFact>,
    setting: Setting,
    now_us: u64,
    leaps: Leaps,
    inputs: [BoardInput; 2],
    /// Orientation of boards and clocks, as far as the readings show it.
    placings: [Placing; 2],
    /// Orientation that the tracker assumes.
    lies: [Lie; 2],
    lies_reported: [bool; 2],
    /// The readings since a board began to play of which it is not certain how it lies.
    trial: Option<Box<Trial>>,
    beam: Beam,
    /// The likeliest set-up at the last press.
    set_up: Option<SetUp>,
    /// For how many closings of each board in a row each square has differed from the likeliest hypothesis.
    disagreement: [[u8; 64]; 2],
    published: PublishedPlies,
    register: Register,
    illegal_history: IllegalHistory,
    supply_history: SupplyHistory,
    trays: TrayLog,
    /// The monitors of clock, contacts and tilt switch, one for each board.
    clock_monitors: [ClockMonitor; 2],
    hand_monitor: HandMonitor,
    out: VecDeque<TrackerOutput>,
    /// First layer without a lagged answer.
    unlagged: usize,
    /// Layers that were answered so far, each as often as it was.
    answered: usize,
    finished: bool,
}

/// The readings since a board began to play of which it is not certain how it lies.
#[derive(Clone, Debug)]
struct Trial {
    /// The tracker before them.
    before: Tracker,
    readings: Vec<Reading>,
    /// Number of them that were followed; the others wait.
    followed: usize,
}

impl Trial {
    /// Memory taken, bytes.
    fn memory_bytes(&self) -> usize {
        self.before.memory_bytes() + self.readings.capacity() * size_of::<Reading>()
    }
}

/// The work of the answer for one layer, as that of so many nodes. Measured, roughly.
const ANSWER_WORK: usize = 50;
impl Tracker {
    /// A tracker for a match described by a trace header.
    #[must_use]
    pub fn new(header: &TraceHeader, config: TrackerConfig) -> Tracker {
        let width = config.beam.clamp(1, MAX_BEAM);
        let (setting, trays) = (Setting::of(header), TrayLog::new(header));
        let prior = config.prior.unwrap_or_else(|| Arc::new(ActionPrior::of(header.game)));
        let per_moves = config.facts.iter().filter_map(|fact| match fact {
            Fact::PerMove(fact) => Some(fact.clone()),
            _ => None,
        });
        let mut per_moves: Vec<PerMoveFact> = per_moves.collect();
        per_moves.sort_by_key(|fact| fact.t_us);
        Tracker {
            lag: config.lag,
            reinstatements: reinstatements::in_order(&config.facts),
            per_moves: per_moves.into(),
            facts: config.facts,
            setting,
            now_us: 0,
            leaps: Leaps::default(),
            inputs: BoardId::ALL.map(|board| BoardInput::new(header, board)),
            placings: BoardId::ALL.map(|board| {
                let described = header.boards.get(&board);
                let sensor = described.map_or(SensorKind::Reed, |board| board.sensor);
                Placing::new(sensor, described.is_some_and(|board| board.clockless))
            }),
            lies: Default::default(),
            lies_reported: [false; 2],
            trial: None,
            set_up: Some(SetUp::default()),
            beam: Beam::new(setting, trays.sensed, width, prior),
            disagreement: [[0; 64]; 2],
            published: PublishedPlies::default(),
            register: Register::of(header),
            illegal_history: IllegalHistory::default(),
            supply_history: SupplyHistory::default(),
            trays,
            clock_monitors: BoardId::ALL.map(|board| ClockMonitor::of(header, board)),
            hand_monitor: HandMonitor::new(header),
            out: VecDeque::new(),
            unlagged: 0,
            answered: 0,
            finished: false,
        }
    }

    /// A tracker that has followed a whole match to its end: the last one, if the table
    /// [started over](since_last_start). Its outputs are discarded.
    #[must_use]
    pub fn over(header: &TraceHeader, readings: &[Reading], config: TrackerConfig) -> Tracker {
        let mut tracker = Tracker::new(header, config);
        for reading in since_last_start(header, readings) {
            tracker.handle(reading);
            tracker.out.clear();
        }
        tracker.finish();
        tracker.out.clear();
        tracker
    }

    /// Takes one reading. Readings come in the order of their times. A reading with an earlier time than the
    /// last one gets the time of the last one. Readings after [`finish`](Self::finish) are ignored.
    pub fn handle(&mut self, reading: &Reading) {
        if !self.finished {
            self.take_or_hold(reading);
        }
    }

    /// Takes one reading of a table on which everything lies right.
    fn take_right(&mut self, reading: &Reading) {
        self.pass_time_to_reading(reading);
        for board in BoardId::ALL {
            self.clock_monitors[board.index()].wait(self.now_us);
            self.report_readings(board);
        }
        // Readings of a board without sensors are ignored.
        let is_sensed = |board: &BoardId| self.setting.sensed[board.index()];
        let Some(board) = reading.board.filter(is_sensed) else { return };
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
                self.clock_read(
                    board,
                    DisplayReading::new(self.now_us, [*white_ms, *black_ms], *running),
                );
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
            ReadingKind::Hand { side, near, from } => {
                let is_near = self.hand_monitor.hand(board, self.now_us, *side, (*near, *from));
                self.clock_monitors[board.index()].hand(self.now_us, *side, is_near);
            }
            // The next snapshot shows the lost changes.
            ReadingKind::Gap { lost } => self.clock_monitors[board.index()].gap(self.now_us, *lost),
            ReadingKind::End => {}
        }
        self.look_at_reinstatement(board);
        self.report_readings(board);
    }

    /// Lets time pass without a reading, to `t_us` microseconds since the trace began. The outputs
    /// are the same as if the next reading had brought the time. The caller's clock is believed,
    /// however far ahead it is.
    pub fn handle_timeout(&mut self, t_us: u64) {
        // Readings that wait come before this time.
        if !self.finished && !self.is_holding() {
            self.pass_time_to(t_us);
        }
    }

    /// The next output, oldest first.
    pub fn poll_output(&mut self) -> Option<TrackerOutput> {
        self.out.pop_front()
    }

    /// Ends the match. Open segments are explained, and every answer is given again from the whole match.
    pub fn finish(&mut self) {
        if self.finished {
            return;
        }
        self.decide(true);
        self.trial = None;
        for board in BoardId::ALL {
            self.explain_pending(board);
            if self.inputs[board.index()].phase == Phase::Playing
                && !self.is_being_reinstated(board)
            {
                self.close_stopped(board);
            }
        }
        self.finished = true;
        self.beam.follow_again();
        self.report_set_up(Stage::Final);
        let answers = self.final_answers(&self.evidence());
        let first = self.beam.filter.trellis.first_open();
        self.publish_answers(first, &answers, Some(Stage::Final));
        self.report_hidden();
    }

    /// Probability that every ply of the finished match's [`record`](Self::record) is right and
    /// none is missing, 0 to 1. Only open layers count. A match has closed layers only if it is
    /// longer than any real one.
    #[must_use]
    pub fn probability_of_record(&self) -> f64 {
        let trellis = &self.beam.filter.trellis;
        let mut record = [Vec::new(), Vec::new()];
        for entry in (trellis.first_open()..trellis.end()).flat_map(|at| self.published.entries(at))
        {
            record[entry.report.board.index()].push((entry.report.side, entry.report.ply));
        }
        ConditionedTrellis::new(trellis, &self.evidence()).probability_of(&record)
    }

    /// The configured facts that do not agree with the finished match.
    #[must_use]
    pub fn unreconciled(&self) -> Vec<Unreconciled> {
        let evidence = self.evidence();
        let conditioned = ConditionedTrellis::new(&self.beam.filter.trellis, &evidence);
        let by_trellis = evidence::unreconciled(&self.beam, &conditioned, &self.facts);
        by_trellis
            .into_iter()
            .chain(self.reinstatements.iter().filter_map(Reinstatement::unreconciled))
            .collect()
    }

    /// The evidence of the facts about the end. Facts about plies have weighed the transitions already.
    fn evidence(&self) -> SoftEvidence {
        SoftEvidence { ends: self.beam.weighing().of_ends(&self.facts), ..SoftEvidence::default() }
    }

    /// The work done so far: nodes and transitions of all searches for explanations, and layers
    /// that were answered, each as 50 nodes. One takes about a microsecond. Equal readings take
    /// equal work on every machine.
    #[must_use]
    pub const fn work(&self) -> usize {
        self.beam.work + self.answered * ANSWER_WORK
    }

    /// Memory of the readings that wait, the hypotheses, their history and the reports, bytes. It
    /// is bounded for all readings: the limit is given beside each part.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.beam.memory_bytes() + self.beside_beam_bytes()
    }

    /// The same while [`finish`](Self::finish) followed the match once more: then there are two
    /// runs of it. 0 if it was followed once only.
    #[must_use]
    pub fn second_pass_bytes(&self) -> usize {
        match self.beam.second_pass_bytes {
            0 => 0,
            most => most + self.beside_beam_bytes(),
        }
    }

    fn beside_beam_bytes(&self) -> usize {
        let inputs = self.inputs.iter().map(BoardInput::memory_bytes).sum::<usize>();
        inputs
            + self.trial.as_ref().map_or(0, |trial| trial.memory_bytes())
            + self.trays.memory_bytes()
            + self.published.memory_bytes()
            + self.register.memory_bytes()
            + self.illegal_history.memory_bytes()
            + self.supply_history.memory_bytes()
            + self.clock_monitors.iter().map(ClockMonitor::memory_bytes).sum::<usize>()
            + self.hand_monitor.memory_bytes()
            + self.out.capacity() * size_of::<TrackerOutput>()
    }
}
