//! One match under its rulebook: plies in, judgments out.
//!
//! Without I/O and without a clock: time comes in as a value. [`Referee::handle`] takes an input;
//! afterwards [`Referee::poll_output`] gives what changed until it is empty, and
//! [`Referee::poll_timeout`] the match time at which the referee wants [`Input::Timeout`]. Everything
//! else can be asked at any time.
//!
//! A referee never rules. It replays the plies as they happened, illegal ones too, and from the state of
//! boards and clocks derives alerts with rule, evidence and confidence, and at most one proposed
//! result. Both are computed anew from the whole match after every change and compared with what was
//! said before: so a revised ply revises or retracts what rested on it, visibly, and the same match
//! gets the same judgments in whatever order its reports came.

mod alert;
mod claims;
mod flags;
mod input;
mod judge;
mod result;
mod set_up;
mod timeline;

use std::collections::{BTreeMap, VecDeque};

pub use alert::{Alert, ClaimState, Proposal, ResultReason};
pub use flags::FlagFall;
pub use input::{
    Alternative, AnomalyId, AnomalyReport, ClockReading, Input, Phase, PlyId, PlyReport,
};
use rules::{BoardId, BoardState, Color, Match, Seat};
pub use timeline::{MAX_PLIES, Standing, TimedPly, Timeline};

/// Most anomalies kept of one match.
const MAX_ANOMALIES: usize = 1024;

/// How long, in microseconds of match time, a decisive position stands before the public sees a result: live
/// inference may take the ply back, and a hall that has cheered cannot uncheer.
pub const RESULT_SETTLES_AFTER_US: u64 = 3_000_000;

/// Something that changed.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Plies from this position on are no longer what they were.
    Plies {
        /// Position of the first ply that changed.
        from: usize,
    },
    /// An alert is new, revised or retracted.
    Alert(Alert),
    /// The proposed result is another one, or none any more.
    Proposal(Option<Proposal>),
}

/// The terms a match is judged on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Id of the rulebook.
    pub rulebook: String,
    /// Whether the players agreed that tournament directors call illegal plies and flags.
    pub td_calls: bool,
    /// Both boards at the start.
    pub start: Match,
}

impl Terms {
    /// A match from the initial position in which players call everything themselves.
    pub fn new(rulebook: &str) -> Terms {
        Terms { rulebook: rulebook.to_owned(), td_calls: false, start: Match::initial() }
    }

    fn rule(&self, number: &str) -> String {
        format!("{} {number}", self.rulebook)
    }
}

/// The referee of one match.
#[derive(Debug)]
pub struct Referee {
    terms: Terms,
    timeline: Timeline,
    clocks: [Option<ClockReading>; 2],
    flags: [Option<FlagFall>; 4],
    anomalies: BTreeMap<AnomalyId, AnomalyReport>,
    phase: Phase,
    now_us: u64,
    alerts: BTreeMap<String, Alert>,
    proposal: Option<Proposal>,
    outputs: VecDeque<Output>,
}

impl Referee {
    /// A referee for a match that is about to begin.
    pub fn new(terms: Terms) -> Referee {
        let timeline = Timeline::new(terms.start.clone());
        Referee {
            terms,
            timeline,
            clocks: [None; 2],
            flags: Default::default(),
            anomalies: BTreeMap::new(),
            phase: Phase::default(),
            now_us: 0,
            alerts: BTreeMap::new(),
            proposal: None,
            outputs: VecDeque::new(),
        }
    }

    /// Takes an input at match time `now_us`.
    pub fn handle(&mut self, now_us: u64, input: Input) {
        self.now_us = self.now_us.max(now_us);
        let changed = match input {
            Input::Ply(report) => self.timeline.report(report).map(|from| self.check_set_up(from)),
            Input::PlyRetracted(id) => {
                self.timeline.retract(id).map(|from| self.check_set_up(from))
            }
            Input::Anomaly(report) => {
                self.take_anomaly(report);
                None
            }
            Input::AnomalyRetracted(id) => {
                self.anomalies.remove(&id);
                None
            }
            Input::Clock(reading) => {
                self.take_clock(reading);
                None
            }
            Input::Phase(phase) => {
                self.phase = phase;
                None
            }
            Input::Timeout => None,
        };
        self.judge(changed);
    }

    /// Looks, after plies changed from a position on, whether the set-up must have been another one.
    fn check_set_up(&mut self, from: usize) -> usize {
        if self.terms.start == Match::initial() && self.timeline.follow_set_up() { 0 } else { from }
    }

    fn take_anomaly(&mut self, report: AnomalyReport) {
        let known = self.anomalies.get(&report.id).map(|known| known.revision);
        let is_news = known.is_none_or(|revision| report.revision > revision);
        if is_news && (known.is_some() || self.anomalies.len() < MAX_ANOMALIES) {
            self.anomalies.insert(report.id, report);
        }
    }

    fn take_clock(&mut self, reading: ClockReading) {
        self.clocks[reading.board.index()] = Some(reading);
        // After the end clocks are set anew for the next match: that raises no flag again.
        if self.phase != Phase::Ended {
            for color in Color::ALL {
                let seat = Seat { board: reading.board, color };
                flags::read(&mut self.flags[seat.index()], seat, reading);
            }
        }
    }

    /// Computes all judgments from the whole match and reports what differs from before.
    fn judge(&mut self, changed: Option<usize>) {
        let proposal = result::propose(self);
        let mut alerts = judge::alerts(self, proposal.as_ref());
        let mut outputs = Vec::new();
        for alert in self.alerts.values_mut() {
            match alerts.remove(&alert.id) {
                Some(mut now) => {
                    now.revision = alert.revision;
                    if !now.says_the_same(alert) {
                        now.revision += 1;
                        *alert = now;
                        outputs.push(Output::Alert(alert.clone()));
                    }
                }
                None if !alert.retracted => {
                    alert.retracted = true;
                    alert.revision += 1;
                    outputs.push(Output::Alert(alert.clone()));
                }
                None => {}
            }
        }
        for (id, alert) in alerts {
            outputs.push(Output::Alert(alert.clone()));
            self.alerts.insert(id, alert);
        }
        if let Some(from) = self.first_ply_shown_differently(changed, &outputs) {
            self.outputs.push_back(Output::Plies { from });
        }
        self.outputs.extend(outputs);
        if proposal != self.proposal {
            self.proposal = proposal.clone();
            self.outputs.push_back(Output::Proposal(proposal));
        }
    }

    /// A ply is shown differently when it changed, and when the claim against it opened or closed.
    fn first_ply_shown_differently(
        &self,
        changed: Option<usize>,
        outputs: &[Output],
    ) -> Option<usize> {
        let judged = outputs.iter().filter_map(|output| match output {
            Output::Alert(alert) => self.timeline.index_of(alert.ply?),
            _ => None,
        });
        judged.chain(changed).min()
    }

    /// What changed, oldest first; none when everything has been given out.
    pub fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// Match time, in microseconds, at which the referee wants [`Input::Timeout`].
    pub fn poll_timeout(&self) -> Option<u64> {
        let proposal = self.proposal.as_ref().filter(|proposal| !proposal.settled)?;
        Some(proposal.t_us.saturating_add(RESULT_SETTLES_AFTER_US))
    }

    /// The plies in order.
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// How far the match has come.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The latest match time heard of, microseconds.
    pub fn now_us(&self) -> u64 {
        self.now_us
    }

    /// The last reading of a board's clock.
    pub fn clock(&self, board: BoardId) -> Option<ClockReading> {
        self.clocks[board.index()]
    }

    /// Whether a seat's flag is down, and since when.
    pub fn flag(&self, seat: Seat) -> Option<&FlagFall> {
        self.flags[seat.index()].as_ref()
    }

    /// All alerts, retracted ones too.
    pub fn alerts(&self) -> impl Iterator<Item = &Alert> {
        self.alerts.values()
    }

    /// The result that the evidence points to.
    pub fn proposal(&self) -> Option<&Proposal> {
        self.proposal.as_ref()
    }

    /// The terms the match is judged on.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// How the side to move stands at a board.
    pub fn state(&self, board: BoardId) -> BoardState {
        let king_taken = self.timeline.plies().iter().rev();
        let mut on_board = king_taken.filter(|ply| ply.report.board == board);
        match on_board.next() {
            Some(last) if last.king_taken.is_some() => BoardState::Normal,
            _ => self.timeline.now().boards.state(board),
        }
    }

    /// Whether play on this board is decided or over, so that nothing about it can be claimed.
    pub fn is_over(&self) -> bool {
        self.phase == Phase::Ended
    }

    /// The claim against the ply at `index`, if that ply is illegal as far as known.
    pub fn claim_against(&self, index: usize) -> Option<ClaimState> {
        let id = self.timeline.plies().get(index)?.report.id;
        let alert = self.alerts.get(&judge::illegal_ply_alert(id))?;
        (!alert.retracted).then_some(alert.claim)
    }

    /// Whether a ply was played after the match had been decided elsewhere.
    pub fn is_after_end(&self, index: usize) -> bool {
        let end = self.proposal.as_ref().and_then(|proposal| self.timeline.index_of(proposal.ply?));
        end.is_some_and(|end| index > end)
    }

    fn anomalies(&self) -> impl Iterator<Item = &AnomalyReport> {
        self.anomalies.values()
    }
}

#[cfg(test)]
mod tests;
