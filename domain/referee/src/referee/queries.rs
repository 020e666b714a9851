//! Queries to a referee.

use rules::{
    BoardId, BoardState, Match, Seat,
    rulebook::{ClaimKind, Offence, Penalty},
};

use super::Referee;
use crate::{
    Alert, CaseState, ClaimCase, ClaimState, ClockErrors, ClockReading, Conditions, FlagFall,
    LedgerEntry, Phase, PhotoFinish, Points, Proposal, ResultReason, StandingResult, TimedPly,
    Timeline, Timing, Verdict, act::ClaimCall, claims, findings, photo_finish, public,
};

impl Referee {
    /// The number of the last output. An act names the version that the page showed.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Cost of the inputs so far, in plies that were read once. Each input judges the whole match again, so that a long or much
    /// revised match costs more with each.
    #[must_use]
    pub fn effort(&self) -> u64 {
        self.effort
    }

    /// Conditions of the match.
    #[must_use]
    pub fn conditions(&self) -> &Conditions {
        &self.conditions
    }

    /// The plies in order.
    #[must_use]
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// Phase of the match, as the hub sees it.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The latest match time of any input, microseconds.
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
        self.decisions.claims.values().filter_map(|claim| claim.said.as_ref())
    }

    /// The ply that a director should identify at the board, because the boards alone do not support an open claim of an illegal ply.
    /// It is the verdict's ply, or else the last one that the opponent had completed. `None` once it was corrected.
    #[must_use]
    pub fn ply_to_look_at(&self, claim: &ClaimCase) -> Option<&TimedPly> {
        let is_open = claim.state == CaseState::Open && claim.verdict.timing == Timing::InTime;
        let is_borne_out = claim.verdict.points == Points::Upheld;
        if claim.kind != ClaimKind::IllegalPly || !is_open || is_borne_out {
            return None;
        }
        let opponent = claim.by.opponent();
        let mut of_opponent = self
            .timeline
            .on_board(opponent.board)
            .map(|(_, ply)| ply)
            .filter(|ply| ply.report.seat() == opponent && ply.report.t_us <= claim.stopped_us);
        let named = claim.verdict.against.and_then(|id| self.timeline.ply(id));
        named.or_else(|| of_opponent.next_back()).filter(|ply| !ply.is_pinned)
    }

    /// The kinds of claims that the book knows.
    pub fn claim_kinds(&self) -> impl Iterator<Item = ClaimKind> {
        let book = self.conditions.rulebook();
        ClaimKind::ALL.iter().copied().filter(|&kind| book.claim(kind).is_some())
    }

    /// Verdict about a claim if it were opened now.
    #[must_use]
    pub fn consider(&self, call: ClaimCall) -> Verdict {
        let case = self.case(self.proposal.as_ref());
        claims::judge(&case, &claims::call(&case, call, self.now_us))
    }

    /// The result that the evidence points to.
    #[must_use]
    pub fn proposal(&self) -> Option<&Proposal> {
        self.proposal.as_ref()
    }

    /// Decisive moments of both teams within seconds, and who was first, where the times have these errors.
    #[must_use]
    pub fn photo_finish(&self, errors: &ClockErrors) -> Option<PhotoFinish> {
        photo_finish::photo_finish(&self.case(self.proposal.as_ref()), errors)
    }

    /// The result that people have entered, if they have.
    #[must_use]
    pub fn result(&self) -> Option<&StandingResult> {
        self.decisions.result.as_ref()
    }

    /// Ledger of decisions, oldest first.
    #[must_use]
    pub fn ledger(&self) -> &[LedgerEntry] {
        &self.decisions.ledger
    }

    /// Offences of a kind that a player has been penalised for in this match.
    #[must_use]
    pub fn offences(&self, offence: Offence, whom: Seat) -> u32 {
        self.decisions.offences(offence, whom)
    }

    /// Number that a player's next offence of its kind would have, from 1, and its penalty by the book's ladder. `earlier`
    /// counts offences in other matches of the event.
    #[must_use]
    pub fn next_penalty(
        &self,
        offence: Offence,
        whom: Seat,
        earlier: u32,
    ) -> (u32, Option<Penalty>) {
        self.decisions.next_penalty(self.conditions.rulebook(), offence, whom, earlier)
    }

    /// Whether directors may call illegal plies and flags.
    #[must_use]
    pub fn td_calls(&self) -> bool {
        self.case(None).td_calls()
    }

    /// Whether a claim waits for a ruling.
    #[must_use]
    pub fn is_disputed(&self) -> bool {
        self.decisions.open_claims().next().is_some()
    }

    /// State of the side to move at a board.
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
        self.has_next || self.decisions.result.as_ref().is_some_and(StandingResult::is_final)
    }

    /// The claim against the ply at `index`, if that ply is illegal as far as known.
    #[must_use]
    pub fn claim_against(&self, index: usize) -> Option<ClaimState> {
        let id = self.timeline.plies().get(index)?.report.id;
        let alert = self.alerts.get(&findings::illegal_move::alert_id(id))?;
        (!alert.retracted).then_some(alert.claim)
    }

    /// Whether the public may see that the ply at `index` is illegal: once it cannot be claimed any more, or where the players
    /// agreed that directors call.
    #[must_use]
    pub fn may_be_said(&self, index: usize) -> bool {
        let is_pending = match self.claim_against(index) {
            Some(ClaimState::Open | ClaimState::Claimed) => true,
            Some(ClaimState::Closed | ClaimState::NotClaimable) | None => false,
        };
        self.case(None).calls_are_public() || !is_pending
    }

    /// Whether the public may see that a seat's flag is down: once a result rests on it, or where the players agreed that directors call.
    fn flag_may_be_said(&self, seat: Seat) -> bool {
        let rests_on_flag = |reason: ResultReason| {
            matches!(reason, ResultReason::Flag | ResultReason::BothFlags | ResultReason::Material)
        };
        let is_shown = self.proposal.as_ref().is_some_and(|proposal| {
            proposal.settled && proposal.board == seat.board && rests_on_flag(proposal.reason)
        });
        is_shown || self.is_over() || self.case(None).calls_are_public()
    }

    /// Whether a ply was played after the match had been decided elsewhere.
    #[must_use]
    pub fn is_after_end(&self, index: usize) -> bool {
        self.end().is_some_and(|end| index > end)
    }

    /// The position of the ply that decided.
    pub(super) fn end(&self) -> Option<usize> {
        self.timeline.index_of(self.proposal.as_ref()?.ply?)
    }

    /// Current state of both boards.
    #[must_use]
    pub fn boards(&self) -> &Match {
        &self.timeline.now().boards
    }
}
