//! One match of the hall: its referee, its clocks in the server's time, and what of it changed when.

use std::collections::BTreeMap;

use event::PairingId;
use referee::{
    CaseState, ClockReading, Conditions, Input, Output, Phase, PlyId, Referee, act::ActId,
};
use rules::{BoardId, TimeControl, rulebook::BookId};

use super::{
    orders::OrderCase,
    put_ups::PutUp,
    row_limits::Bounds,
    withheld::Withheld,
    zero_test::{NodeErrors, ZeroTest},
};
use crate::{
    config::Judged,
    hall::{
        Moment, Partition,
        binding::Bound,
        change_ids::{Changes, EventId},
        report::{Clip, Opened, QuestionAsked},
    },
};

/// A match.
#[derive(Clone, Debug)]
pub struct Game {
    /// Its id.
    pub id: String,
    /// The table it is played at.
    pub table: String,
    /// The hub that opened it, and that alone may report about it.
    pub hub: String,
    /// The game that is played.
    pub game: rules::Game,
    /// The rulebook that its hub names.
    pub(in crate::hall) hub_book: String,
    /// The rulebook it is judged by.
    pub rulebook: BookId,
    /// Notice to directors about the choice of the rulebook.
    pub notice: Option<String>,
    /// The time of each player.
    pub time: TimeControl,
    /// The boards that have sensors: A in chess, one or both in bughouse.
    pub boards: Vec<BoardId>,
    /// The input that opened it.
    pub opened_input: u64,
    /// Time of its opening, Unix milliseconds of this machine.
    pub opened_ms: u64,
    /// The input that last changed it.
    pub changed_input: u64,
    /// The pairing that it is of.
    pub pairing: Option<PairingId>,
    pub(in crate::hall) bound: Bound,
    /// The work that its hub's reports have been.
    pub(in crate::hall) effort: u64,
    referee: Referee,
    read_at_ms: [u64; 2],
    /// For each board, since when the time runs that the last reading shows running, match time in microseconds.
    running_since_us: [u64; 2],
    /// Moment here and match time there of the last thing heard.
    heard: (u64, u64),
    bounds: Bounds,
    changes: Changes,
    /// Time since which both clocks stand, match time in microseconds.
    stopped_us: Option<u64>,
    /// Reasons of entered results, by their acts.
    pub(in crate::hall) notes: BTreeMap<u64, String>,
    /// Rows that came under it after it was decided without a ply.
    pub(in crate::hall) withheld: Withheld,
    /// Reason why the last act was refused.
    refusal: Option<(ActId, String)>,
    /// Orders of directors, oldest first.
    pub(in crate::hall) orders: Vec<OrderCase>,
    /// Clips of readings, with the acts that requested them, oldest first.
    pub(in crate::hall) clips: Vec<(u64, Clip)>,
    /// Positions that were put up again, oldest first.
    pub(in crate::hall) put_ups: Vec<PutUp>,
    pub(in crate::hall) node_errors: NodeErrors,
    pub(in crate::hall) zero_tests: Vec<ZeroTest>,
    /// Questions to an eyewitness, the best first.
    questions: Vec<QuestionAsked>,
}

/// A moment at which a referee judges without a new report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadline {
    /// The match.
    pub match_id: String,
    /// The moment in match time, microseconds.
    pub t_us: u64,
    /// The same in Unix milliseconds of this machine.
    pub at_ms: u64,
    /// Time from the last report to the moment, milliseconds.
    pub wait_ms: u64,
    /// The input that opened the match.
    pub opened_input: u64,
    /// The input that last changed the match.
    pub changed_input: u64,
}

impl Game {
    pub(in crate::hall) fn new(
        table: String,
        hub: &str,
        opened: Opened,
        judged: Judged,
        moment: Moment,
    ) -> Game {
        let Moment { input, at_ms: opened_ms, hub_us } = moment;
        let conditions = Conditions {
            td_calls: judged.td_calls,
            losing_chances: judged.losing_chances,
            base_ms: u32::try_from(opened.time.start_ms()).unwrap_or(u32::MAX),
            delay_ms: opened.time.delay_s().saturating_mul(1000),
            start: opened.start(),
            ..Conditions::new(judged.book)
        };
        Game {
            id: opened.match_id,
            table,
            hub: hub.to_owned(),
            hub_book: opened.rulebook,
            game: opened.game,
            rulebook: judged.book,
            notice: judged.notice,
            time: opened.time,
            boards: opened.boards,
            opened_input: input,
            opened_ms,
            changed_input: input,
            pairing: None,
            bound: Bound::default(),
            effort: 0,
            referee: Referee::new(conditions),
            read_at_ms: [opened_ms; 2],
            running_since_us: [0; 2],
            heard: (opened_ms, 0),
            bounds: Bounds::new(hub_us),
            changes: Changes::default(),
            stopped_us: None,
            notes: BTreeMap::new(),
            withheld: Withheld::default(),
            refusal: None,
            orders: Vec::new(),
            clips: Vec::new(),
            put_ups: Vec::new(),
            node_errors: NodeErrors::new(),
            zero_tests: Vec::new(),
            questions: Vec::new(),
        }
    }

    /// Whether a report can be: of a row that its hub made at `hub_us`, about match time `t_us`.
    pub(in crate::hall) fn check(
        &mut self,
        hub_us: u64,
        t_us: u64,
        report: &Input,
    ) -> Result<(), String> {
        self.bounds.check(hub_us, t_us, report)
    }

    /// Judges it as is announced where it is played by now.
    pub(in crate::hall) fn judge_by(&mut self, judged: Judged) {
        let before = self.referee.conditions();
        let conditions = Conditions {
            book: judged.book,
            td_calls: judged.td_calls,
            losing_chances: judged.losing_chances,
            ..before.clone()
        };
        if *before != conditions {
            self.referee.judge_by(conditions);
        }
        (self.rulebook, self.notice) = (judged.book, judged.notice);
    }

    /// Takes an input; plies that change with it do so at this event. Returns whether anything has changed that everybody may see.
    pub(in crate::hall) fn handle(
        &mut self,
        input: u64,
        (partition, event): (Partition, EventId),
        read_ms: u64,
        t_us: u64,
        report: Input,
    ) -> bool {
        if let Input::Clock(reading) = report {
            let board = reading.board.index();
            self.read_at_ms[board] = read_ms;
            let before = self.referee.clock(reading.board);
            if before.is_none_or(|before| before.running != reading.running) {
                self.running_since_us[board] = reading.t_us;
            }
            self.note_shown(&reading, read_ms);
        }
        if let Input::Phase(phase) = report {
            self.stopped_us = (phase == Phase::Paused).then_some(t_us);
        }
        if t_us >= self.heard.1 {
            self.heard = (read_ms, t_us);
        }
        self.judge(input, (partition, event), t_us, report)
    }

    /// Gives the referee an input. Returns whether the public view has changed.
    pub(in crate::hall) fn judge(
        &mut self,
        input: u64,
        (partition, event): (Partition, EventId),
        t_us: u64,
        report: Input,
    ) -> bool {
        self.changed_input = input;
        let mut is_shown = false;
        self.referee.handle(t_us, report);
        while let Some(output) = self.referee.poll_output() {
            is_shown |= output.is_public();
            match output {
                Output::Plies { from } => self.changes.note(partition, event, from),
                Output::Refused { act, why } => self.refusal = Some((act, why.to_string())),
                // Read from the referee whenever the match is shown.
                Output::Shown
                | Output::Alert(_)
                | Output::Claim(_)
                | Output::Proposal(_)
                | Output::Result(_)
                | Output::Ledger(_) => {}
            }
        }
        is_shown
    }

    /// Whether a director has decided about the match and nothing waits for a decision: only then is the evidence
    /// shown to directors who decide first.
    pub fn is_decided(&self) -> bool {
        let mut states = self.referee.claims().map(|claim| claim.state).peekable();
        let has_claims = states.peek().is_some();
        self.referee.is_over() || (has_claims && !states.any(|state| state == CaseState::Open))
    }

    /// The match's referee.
    pub fn referee(&self) -> &Referee {
        &self.referee
    }

    /// Orders of directors, oldest first.
    pub fn orders(&self) -> &[OrderCase] {
        &self.orders
    }

    /// Clips of readings, with the acts that requested them, oldest first.
    pub fn clips(&self) -> &[(u64, Clip)] {
        &self.clips
    }

    /// Unanswered questions, the best first.
    pub fn questions(&self) -> impl Iterator<Item = &QuestionAsked> {
        let is_answered = |ply: PlyId| {
            let mut plies = self.referee.timeline().plies().iter();
            plies.any(|known| known.report.id == ply && known.is_pinned)
        };
        self.questions.iter().filter(move |question| !is_answered(question.ply))
    }

    /// The hub has looked at the whole match.
    pub(in crate::hall) fn ask(&mut self, input: u64, questions: Vec<QuestionAsked>) {
        self.questions = questions;
        self.changed_input = input;
    }

    /// The last reading of a board's clock as everybody may see it, and when it was read in this machine's Unix
    /// milliseconds.
    pub fn clock(&self, board: BoardId) -> Option<(ClockReading, u64)> {
        self.referee.shown_clock(board).map(|reading| (reading, self.read_at_ms[board.index()]))
    }

    /// Whether a board has sensors.
    pub fn has(&self, board: BoardId) -> bool {
        self.boards.contains(&board)
    }

    /// Remaining delay of a board's clock when it is read, milliseconds of match time: a clock with a
    /// US delay waits before it runs.
    pub fn delay_left_ms(&self, reading: &ClockReading) -> u64 {
        if reading.running.is_none() {
            return 0;
        }
        let since_us = self.running_since_us[reading.board.index()];
        let gone_ms = reading.t_us.saturating_sub(since_us) / 1000;
        (u64::from(self.per_move(reading.board).held_s()) * 1000).saturating_sub(gone_ms)
    }

    /// Changes of the match: the first changed ply, by the time of the change.
    pub fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Counts all its plies again, in another partition.
    pub(in crate::hall) fn move_to(&mut self, partition: Partition, event: EventId) {
        if self.changes.last().is_some() {
            self.changes.note(partition, event, 0);
        }
    }

    /// Reason of an entered result, if one was given.
    pub fn note_of(&self, act: ActId) -> Option<&str> {
        self.notes.get(&act.0).map(String::as_str)
    }

    /// Time since which both clocks stand in play, match time in microseconds.
    pub fn stopped_us(&self) -> Option<u64> {
        self.stopped_us
    }

    /// Reason why an act was refused, if it was the last refused one.
    pub(in crate::hall) fn take_refusal(&mut self, act: ActId) -> Option<String> {
        self.refusal.take().filter(|(of, _)| *of == act).map(|(_, why)| why)
    }

    /// A match time as Unix milliseconds of this machine, as far as the received rows show it.
    pub fn at_ms(&self, t_us: u64, clock_rate: f64) -> u64 {
        let (heard_ms, heard_us) = self.heard;
        let apart_ms = (t_us as f64 - heard_us as f64) / 1000.0 / clock_rate;
        (heard_ms as f64 + apart_ms).max(0.0) as u64
    }

    /// Match time of the latest row, microseconds.
    pub(crate) fn heard_us(&self) -> u64 {
        self.heard.1
    }

    /// The match time at a moment of this machine, microseconds.
    pub fn match_time_us(&self, now_ms: u64, clock_rate: f64) -> u64 {
        let (heard_ms, heard_us) = self.heard;
        let passed_us = (now_ms as f64 - heard_ms as f64) * 1000.0 * clock_rate;
        (heard_us as f64 + passed_us).max(0.0) as u64
    }

    /// The referee's next deadline.
    pub fn deadline(&self, clock_rate: f64) -> Option<Deadline> {
        let t_us = self.referee.poll_timeout()?;
        let (heard_ms, heard_us) = self.heard;
        let wait_ms = t_us.saturating_sub(heard_us) as f64 / 1000.0 / clock_rate;
        let wait_ms = wait_ms.ceil() as u64;
        Some(Deadline {
            match_id: self.id.clone(),
            t_us,
            at_ms: heard_ms.saturating_add(wait_ms),
            wait_ms,
            opened_input: self.opened_input,
            changed_input: self.changed_input,
        })
    }
}
