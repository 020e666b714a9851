//! One match under its rulebook: inputs in, judgments out.
//!
//! Without I/O and without a clock: time comes in as a value. [`Referee::handle`] takes an input;
//! afterwards [`Referee::poll_output`] gives what changed until it is empty, and
//! [`Referee::poll_timeout`] the match time at which the referee wants [`Input::Timeout`]. Everything
//! else can be asked at any time.
//!
//! All judgments are computed anew from the whole match after every change and compared with what was
//! said before: so a revised ply revises or retracts what rested on it, visibly, and the same match
//! gets the same judgments in whatever order its plies came.

use std::collections::{BTreeMap, VecDeque};

use rules::{BoardId, BoardState, Match, Seat, rulebook::ClaimKind};

use crate::{
    Alert, CaseState, ClaimCase, ClaimState, ClockReading, Conditions, FlagFall, Input,
    LedgerEntry, Output, Phase, Proposal, RESULT_SETTLES_AFTER_US, ResultReason, StandingResult,
    Timeline, Verdict,
    act::{Act, ClaimCall},
    anomalies::Anomalies,
    case::Case,
    claims::{self, Call},
    clocks::Clocks,
    decisions::{self, Decisions},
    findings,
    public::{self, Mark, Public},
    result,
};

/// The referee of one match.
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
            outputs: VecDeque::new(),
        }
    }

    /// Takes an input at match time `now_us`.
    pub fn handle(&mut self, now_us: u64, input: Input) {
        self.now_us = self.now_us.max(now_us);
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
            Input::Phase(phase) => {
                self.phase = phase;
                self.clocks.enter(phase, self.now_us);
            }
            Input::Act(act) => changed = self.take(&act),
            Input::NextMatch => self.has_next = true,
            Input::Timeout => {}
        }
        self.judge(changed);
    }

    /// Looks, after plies changed from a position on, whether the set-up must have been another one.
    fn check_set_up(&mut self, from: usize) -> usize {
        if self.timeline.follow_set_up() { 0 } else { from }
    }

    /// Takes an act, or refuses it. Returns the position from which plies changed.
    fn take(&mut self, act: &Act) -> Option<usize> {
        let written = self.decisions.ledger().len();
        let result = self.decisions.result().cloned();
        match decisions::plan(&self.case(self.proposal.as_ref()), act) {
            Err(why) => {
                self.tell(Output::Refused { act: act.id, why });
                None
            }
            Ok(effects) => {
                let changed = self.decisions.apply(act.id, act.t_us, effects, &mut self.timeline);
                let lines: Vec<LedgerEntry> = self.decisions.ledger()[written..].to_vec();
                lines.into_iter().for_each(|line| self.tell(Output::Ledger(line)));
                if self.decisions.result() != result.as_ref() {
                    let result = self.decisions.result().cloned();
                    self.tell(Output::Result(result));
                    self.decisions.note_result(self.version);
                }
                changed
            }
        }
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
        let proposal = result::propose(&self.case(None));
        let alerts = findings::all(&self.case(proposal.as_ref()));
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

    fn compare_alerts(&mut self, mut alerts: BTreeMap<String, Alert>) {
        let mut told = Vec::new();
        for alert in self.alerts.values_mut() {
            match alerts.remove(&alert.id) {
                Some(mut now) => {
                    now.revision = alert.revision;
                    if !now.says_the_same(alert) {
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
        told.into_iter().for_each(|alert| self.tell(Output::Alert(alert)));
    }

    fn compare_claims(&mut self, proposal: Option<&Proposal>) {
        let case = self.case(proposal);
        let mut told = Vec::new();
        for (id, claim) in case.decisions.claims() {
            // What was ruled on stays as it was ruled on.
            let verdict = match (&claim.said, claim.state) {
                (Some(said), CaseState::Ruled(_) | CaseState::Withdrawn) => said.verdict.clone(),
                _ => claims::judge(&case, &claim.call),
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

    /// What everybody may see.
    fn shown(&self) -> Public {
        let plies = self.timeline.plies().iter().enumerate();
        let marks = plies.map(|(index, ply)| Mark {
            ply: ply.report.id,
            illegal: ply.illegal.filter(|_| self.may_be_said(index)),
            is_after_end: self.is_after_end(index),
            is_undone: ply.is_undone,
            clock_ms: self.shown_clock_ms(index),
        });
        Public {
            phase: self.phase,
            clocks: public::both(|board| self.shown_clock(board)),
            proposal: self.proposal.clone().filter(|proposal| proposal.settled),
            result: self.decisions.result().filter(|result| result.is_final()).cloned(),
            marks: marks.collect(),
        }
    }

    /// What changed, oldest first; none when everything has been given out.
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

    /// The number of the last output. Whoever decides says which one the page showed.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// What the match is played under.
    #[must_use]
    pub fn conditions(&self) -> &Conditions {
        &self.conditions
    }

    /// The plies in order.
    #[must_use]
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// How far the match has come, as the hub sees it.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The latest match time heard of, microseconds.
    #[must_use]
    pub fn now_us(&self) -> u64 {
        self.now_us
    }

    /// The last reading of a board's clock. Directors see it; the public sees [`shown_clock`](Self::shown_clock).
    #[must_use]
    pub fn clock(&self, board: BoardId) -> Option<ClockReading> {
        self.clocks.reading(board)
    }

    /// The last reading of a board's clock as everybody may see it.
    #[must_use]
    pub fn shown_clock(&self, board: BoardId) -> Option<ClockReading> {
        let reading = self.clocks.reading(board)?;
        Some(public::shown_clock(reading, |seat| self.flag_may_be_said(seat)))
    }

    /// The mover's remaining time after the ply at `index` as everybody may see it, milliseconds.
    #[must_use]
    pub fn shown_clock_ms(&self, index: usize) -> Option<i64> {
        let report = &self.timeline.plies().get(index)?.report;
        report.clock_ms.map(|ms| match self.flag_may_be_said(report.seat()) {
            true => ms,
            false => ms.max(public::LEAST_SHOWN_MS),
        })
    }

    /// Whether a seat's flag is down, and since when.
    #[must_use]
    pub fn flag(&self, seat: Seat) -> Option<FlagFall> {
        self.clocks.flag(&self.anomalies, seat)
    }

    /// All alerts, retracted ones too.
    pub fn alerts(&self) -> impl Iterator<Item = &Alert> {
        self.alerts.values()
    }

    /// The claims that directors have opened, in the order in which they did.
    pub fn claims(&self) -> impl Iterator<Item = &ClaimCase> {
        self.decisions.claims().filter_map(|(_, claim)| claim.said.as_ref())
    }

    /// The kinds of claims that the book knows.
    pub fn claim_kinds(&self) -> impl Iterator<Item = ClaimKind> {
        let book = self.conditions.rulebook();
        ClaimKind::ALL.iter().copied().filter(|&kind| book.claim(kind).is_some())
    }

    /// What the rules would say about a claim if it were opened now.
    #[must_use]
    pub fn consider(&self, call: ClaimCall) -> Verdict {
        let case = self.case(self.proposal.as_ref());
        claims::judge(&case, &Call::new(&case, call, self.now_us))
    }

    /// The result that the evidence points to.
    #[must_use]
    pub fn proposal(&self) -> Option<&Proposal> {
        self.proposal.as_ref()
    }

    /// The result that people have entered, if they have.
    #[must_use]
    pub fn result(&self) -> Option<&StandingResult> {
        self.decisions.result()
    }

    /// What people have decided, oldest first.
    #[must_use]
    pub fn ledger(&self) -> &[LedgerEntry] {
        self.decisions.ledger()
    }

    /// Whether directors may call illegal plies and flags.
    #[must_use]
    pub fn td_calls(&self) -> bool {
        self.case(None).td_calls()
    }

    /// Whether somebody has claimed something that nobody has ruled on.
    #[must_use]
    pub fn is_disputed(&self) -> bool {
        self.decisions.open_claims().next().is_some()
    }

    /// How the side to move stands at a board.
    #[must_use]
    pub fn state(&self, board: BoardId) -> BoardState {
        let last = self.timeline.on_board(board).next_back();
        match last {
            Some((_, ply)) if ply.king_taken.is_some() => BoardState::Normal,
            _ => self.timeline.now().boards.state(board),
        }
    }

    /// Whether nothing about the match can be claimed any more: its result is confirmed, or the next match is being set up.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.has_next || self.decisions.result().is_some_and(StandingResult::is_final)
    }

    /// The claim against the ply at `index`, if that ply is illegal as far as known.
    #[must_use]
    pub fn claim_against(&self, index: usize) -> Option<ClaimState> {
        let id = self.timeline.plies().get(index)?.report.id;
        let alert = self.alerts.get(&findings::illegal_move::alert_id(id))?;
        (!alert.retracted).then_some(alert.claim)
    }

    /// Whether everybody may be told that the ply at `index` is illegal, if it is: once nobody can claim it any more, or where
    /// directors call.
    #[must_use]
    pub fn may_be_said(&self, index: usize) -> bool {
        let is_pending = match self.claim_against(index) {
            Some(ClaimState::Open | ClaimState::Claimed) => true,
            Some(ClaimState::Closed | ClaimState::NotClaimable) | None => false,
        };
        self.td_calls() || !is_pending
    }

    /// Whether everybody may be told that a seat's flag is down: once a result rests on it, or where directors call.
    fn flag_may_be_said(&self, seat: Seat) -> bool {
        let rests_on_flag = |reason: ResultReason| {
            matches!(reason, ResultReason::Flag | ResultReason::BothFlags | ResultReason::Material)
        };
        let is_shown = self.proposal.as_ref().is_some_and(|proposal| {
            proposal.settled && proposal.board == seat.board && rests_on_flag(proposal.reason)
        });
        is_shown || self.is_over() || self.td_calls()
    }

    /// Whether a ply was played after the match had been decided elsewhere.
    #[must_use]
    pub fn is_after_end(&self, index: usize) -> bool {
        let end = self.proposal.as_ref().and_then(|proposal| self.timeline.index_of(proposal.ply?));
        end.is_some_and(|end| index > end)
    }

    /// Both boards as they stand.
    #[must_use]
    pub fn boards(&self) -> &Match {
        &self.timeline.now().boards
    }
}
