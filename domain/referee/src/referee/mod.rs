//! One match under its rulebook: inputs in, judgments out.
//!
//! Without I/O and without a clock: time comes in as a value. [`Referee::handle`] takes an input;
//! afterwards [`Referee::poll_output`] gives what changed until it is empty, and
//! [`Referee::poll_timeout`] the match time at which the referee wants [`Input::Timeout`]. Everything
//! else can be asked at any time.
//!
//! All judgments are computed again from the whole match after every change and compared with the published ones. So a revised
//! ply visibly revises or retracts what rested on it, and a match gets the same judgments in whatever order its plies arrived.

mod queries;

use std::collections::{BTreeMap, VecDeque};

use crate::{
    Alert, CaseState, ClaimCase, ClaimState, Conditions, Input, LedgerEntry, Output, Phase,
    Proposal, RESULT_SETTLES_AFTER_US, StandingResult, Timeline,
    act::{Act, ClaimCall},
    anomalies::Anomalies,
    case::Case,
    claims,
    clocks::Clocks,
    decisions::Decisions,
    evaluate, findings, proposal,
    public::{self, Mark, Public},
};

/// Cost of playing a ply, of judging an alert or an anomaly, and of publishing an alert, where reading a ply once costs 1: some
/// 8 ns. The first three were measured (0.3 µs, 2 µs, 0.1 µs); a published alert is kept for ever, and costs more than time.
const PLY_PLAYED: u64 = 32;
const ALERT_JUDGED: u64 = 256;
const ANOMALY_JUDGED: u64 = 16;
const ALERT_TOLD: u64 = 2_000;
/// Cost of comparing an earlier alert.
const ALERT_COMPARED: u64 = 2;

/// The referee of one match.
#[derive(Clone)]
pub struct Referee {
    conditions: Conditions,
    timeline: Timeline,
    clocks: Clocks,
    anomalies: Anomalies,
    decisions: Decisions,
    phase: Phase,
    /// Whether the next match is being set up at the table.
    has_next: bool,
    now_us: u64,
    alerts: BTreeMap<String, Alert>,
    proposal: Option<Proposal>,
    public: Public,
    version: u64,
    effort: u64,
    outputs: VecDeque<Output>,
}

impl std::fmt::Debug for Referee {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Referee")
            .field("book", &self.conditions.book)
            .field("plies", &self.timeline.plies().len())
            .field("phase", &self.phase)
            .finish_non_exhaustive()
    }
}

impl Referee {
    /// A referee for a match that is about to begin.
    #[must_use]
    pub fn new(conditions: Conditions) -> Referee {
        let king_capture = conditions.rulebook().terms.king_capture;
        let timeline = Timeline::new(conditions.start.clone(), king_capture);
        Referee {
            conditions,
            timeline,
            clocks: Clocks::default(),
            anomalies: Anomalies::default(),
            decisions: Decisions::default(),
            phase: Phase::default(),
            has_next: false,
            now_us: 0,
            alerts: BTreeMap::new(),
            proposal: None,
            public: Public::default(),
            version: 0,
            effort: 0,
            outputs: VecDeque::new(),
        }
    }

    /// Takes an input at match time `now_us`.
    pub fn handle(&mut self, now_us: u64, input: Input) {
        self.now_us = self.now_us.max(now_us);
        let played = self.timeline.played();
        let mut changed = None;
        match input {
            Input::Ply(report) => {
                changed = self.timeline.report(report).map(|from| self.check_set_up(from));
            }
            Input::PlyRetracted(id) => {
                changed = self.timeline.retract(id).map(|from| self.check_set_up(from));
            }
            Input::Anomaly(report) => self.anomalies.report(report),
            Input::AnomalyRetracted(id) => self.anomalies.retract(id),
            Input::Clock(reading) => self.clocks.read(reading, self.phase),
            Input::PerMove(board, per_move) => self.clocks.give(board, per_move),
            Input::Phase(phase) => {
                self.phase = phase;
                self.clocks.enter(phase, self.now_us);
            }
            Input::Act(act) => changed = self.take(&act),
            Input::NextMatch => self.has_next = true,
            Input::Timeout => {}
        }
        self.judge(changed);
        self.effort += PLY_PLAYED * (self.timeline.played() - played);
    }

    /// Judges the match under other conditions of play, from its first ply on. It is played from the same position.
    pub fn judge_by(&mut self, conditions: Conditions) {
        let start = self.conditions.start.clone();
        self.conditions = Conditions { start, ..conditions };
        let changed = self.timeline.play_under(self.conditions.rulebook().terms.king_capture);
        self.judge(Some(changed));
    }

    /// Looks, after plies changed from a position on, whether the set-up must have been another one.
    fn check_set_up(&mut self, from: usize) -> usize {
        if self.timeline.follow_set_up() { 0 } else { from }
    }

    /// Takes an act, or refuses it. Returns the position from which plies changed.
    fn take(&mut self, act: &Act) -> Option<usize> {
        let written = self.decisions.ledger.len();
        let result = self.decisions.result.clone();
        match evaluate::plan(&self.case(self.proposal.as_ref()), act) {
            Err(why) => {
                self.tell(Output::Refused { act: act.id, why });
                None
            }
            Ok(effects) => {
                let changed = self.decisions.apply(act.id, act.t_us, effects, &mut self.timeline);
                let lines: Vec<LedgerEntry> = self.decisions.ledger[written..].to_vec();
                lines.into_iter().for_each(|line| self.tell(Output::Ledger(line)));
                if self.decisions.result != result {
                    let result = self.decisions.result.clone();
                    self.tell(Output::Result(result));
                    self.decisions.note_result(self.version);
                }
                changed
            }
        }
    }

    /// Reason for which an act would be refused; changes nothing.
    #[must_use]
    pub fn refusal(&self, act: &Act) -> Option<crate::Refusal> {
        evaluate::plan(&self.case(self.proposal.as_ref()), act).err()
    }

    fn case<'a>(&'a self, proposal: Option<&'a Proposal>) -> Case<'a> {
        Case {
            conditions: &self.conditions,
            timeline: &self.timeline,
            clocks: &self.clocks,
            anomalies: &self.anomalies,
            decisions: &self.decisions,
            phase: self.phase,
            now_us: self.now_us,
            is_over: self.is_over(),
            proposal,
        }
    }

    fn tell(&mut self, output: Output) {
        self.version += 1;
        self.outputs.push_back(output);
    }

    /// Computes all judgments from the whole match and reports what differs from before.
    fn judge(&mut self, changed: Option<usize>) {
        self.follow_claims();
        let proposal = proposal::propose(&self.case(None));
        let alerts = findings::all(&self.case(proposal.as_ref()));
        self.effort += self.effort_of(&alerts);
        self.compare_alerts(alerts);
        self.compare_claims(proposal.as_ref());
        if proposal != self.proposal {
            self.proposal.clone_from(&proposal);
            self.tell(Output::Proposal(proposal));
        }
        let public = self.shown();
        let marked = self.public.first_marked_differently(&public);
        if let Some(from) = changed.into_iter().chain(marked).min() {
            self.tell(Output::Plies { from });
        }
        if changed.is_some() || self.public.shows_another(&public) {
            self.tell(Output::Shown);
        }
        self.public = public;
    }

    /// Brings open claims up to what is known by now: against which ply they are, and whether the clocks stood.
    fn follow_claims(&mut self) {
        let case = self.case(None);
        let open = case.decisions.claims.iter().filter(|(_, claim)| claim.state == CaseState::Open);
        let followed = open.map(|(&id, claim)| {
            let call = claims::updated(&case, claim.call);
            let verdict = claims::judge(&case, &call);
            let offender = claims::offender(&case, &call, verdict.against);
            (id, call, verdict, offender)
        });
        for (id, call, verdict, offender) in followed.collect::<Vec<_>>() {
            self.decisions.follow_claim(id, call, &verdict, offender);
        }
    }

    /// Cost of finding these alerts.
    fn effort_of(&self, alerts: &BTreeMap<String, Alert>) -> u64 {
        let plies = self.timeline.plies().len() as u64;
        let of_alert = |alert: &Alert| {
            let about = alert.ply.and_then(|id| self.timeline.ply(id));
            let alternatives = about.map_or(0, |ply| ply.report.alternatives.len() as u64);
            // A dropped piece may have been captured at any earlier time, and an open claim answered at any later one.
            let is_drop = about.is_some_and(|ply| ply.report.ply.is_drop());
            let looks_through_all = is_drop || alert.claim == ClaimState::Open;
            ALERT_JUDGED + PLY_PLAYED * alternatives + if looks_through_all { plies } else { 0 }
        };
        plies
            + ANOMALY_JUDGED * self.anomalies.count() as u64
            + ALERT_COMPARED * self.alerts.len() as u64
            + alerts.values().map(of_alert).sum::<u64>()
    }

    fn compare_alerts(&mut self, mut alerts: BTreeMap<String, Alert>) {
        let mut told = Vec::new();
        for alert in self.alerts.values_mut() {
            match alerts.remove(&alert.id) {
                Some(mut now) => {
                    now.revision = alert.revision;
                    if now != *alert {
                        now.revision += 1;
                        *alert = now;
                        told.push(alert.clone());
                    }
                }
                None if !alert.retracted => {
                    alert.retracted = true;
                    alert.revision += 1;
                    told.push(alert.clone());
                }
                None => {}
            }
        }
        told.extend(alerts.values().cloned());
        self.alerts.append(&mut alerts);
        self.effort += ALERT_TOLD * told.len() as u64;
        told.into_iter().for_each(|alert| self.tell(Output::Alert(alert)));
    }

    fn compare_claims(&mut self, proposal: Option<&Proposal>) {
        let case = self.case(proposal);
        let mut told = Vec::new();
        for (&id, claim) in &case.decisions.claims {
            // A decided claim keeps its verdict.
            let verdict = match (&claim.said, claim.state) {
                (Some(said), CaseState::Ruled(_) | CaseState::Withdrawn) => said.verdict.clone(),
                _ => claims::judge(&case, &claim.call),
            };
            let since = match claim.state {
                CaseState::Ruled(decided) => {
                    claims::since(&case, &claim.call, decided, &verdict).map(Box::new)
                }
                CaseState::Open | CaseState::Withdrawn => None,
            };
            let revision = claim.said.as_ref().map_or(0, |said| said.revision);
            let ClaimCall { kind, by, .. } = claim.call.call;
            let now = ClaimCase {
                id,
                revision,
                kind,
                by,
                against: verdict.against,
                stopped_us: claim.call.stopped_us,
                verdict,
                state: claim.state,
                since,
            };
            match &claim.said {
                Some(said) if *said == now => {}
                Some(_) => told.push(ClaimCase { revision: revision + 1, ..now }),
                None => told.push(now),
            }
        }
        for claim in told {
            self.tell(Output::Claim(claim.clone()));
            self.decisions.note_claim(claim, self.version);
        }
    }

    /// Public state.
    fn shown(&self) -> Public {
        let end = self.end();
        let plies = self.timeline.plies().iter().enumerate();
        let marks = plies.map(|(index, ply)| Mark {
            ply: ply.report.id,
            illegal: ply.illegal.filter(|_| self.may_be_said(index)),
            is_after_end: end.is_some_and(|end| index > end),
            is_undone: ply.is_undone,
            clock_ms: self.shown_clock_ms(index),
        });
        Public {
            phase: self.phase,
            clocks: public::both(|board| self.shown_clock(board)),
            proposal: self.proposal.clone().filter(|proposal| proposal.settled),
            result: self.decisions.result.clone().filter(StandingResult::is_final),
            marks: marks.collect(),
        }
    }

    /// Returns the next change, oldest first; `None` if there is no more.
    pub fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// Match time, in microseconds, at which the referee wants [`Input::Timeout`].
    #[must_use]
    pub fn poll_timeout(&self) -> Option<u64> {
        let waits = |proposal: &&Proposal| !proposal.settled && !proposal.is_claimed;
        let proposal = self.proposal.as_ref().filter(waits)?;
        Some(proposal.t_us.saturating_add(RESULT_SETTLES_AFTER_US))
    }
}
