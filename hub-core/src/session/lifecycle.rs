//! When matches begin, pause and end.
//!
//! That clocks stand ends nothing: a player may have stopped them to make a claim, and a director walks as long as it
//! takes. A match is over for the hub when the next one is prepared: boards set up anew, boards cleared, or clocks set
//! anew. Who has won is not decided here.

use std::time::Duration;

use inference::facts::Facts;
use proto::mqtt::message::MatchState;
use readings::{Reading, ReadingKind};
use rules::BoardId;

use super::follower::Follower;
use super::retelling::Retold;
use super::view::Display;
use super::{Session, SessionOutput, clock_rows::ClockRows, events, exchange::Exchange, match_id};
use crate::HubTime;
use crate::journal::MatchRecord;
use crate::time::after;

/// How long all boards must show the initial position before it counts.
const SET_UP_STABLE: Duration = Duration::from_secs(1);
/// How long all boards must be empty before they count as cleared: pieces that fell off are put back sooner.
const CLEARED_STABLE: Duration = Duration::from_secs(5);
/// Squares a board may differ from the initial position and still count as set up when its clock is
/// started: a sensor may be dead, or White's first move made too early.
const MISPLACED_AT_START_MAX: u32 = 4;

/// Where a session is between two matches.
#[derive(Debug)]
pub(super) enum Phase {
    /// No match.
    Waiting,
    /// A match.
    Open(Box<OpenMatch>),
}

/// A match that was opened and has not ended.
#[derive(Debug)]
pub(super) struct OpenMatch {
    pub(super) id: String,
    /// The beginning of its trace.
    pub(super) opened: HubTime,
    pub(super) state: MatchState,
    /// None while the pieces are being set up again.
    pub(super) follower: Option<Follower>,
    /// Reports of plies so far.
    pub(super) plies: u32,
    pub(super) retold: Retold,
    pub(super) clock_rows: ClockRows,
    pub(super) exchange: Exchange,
    record: MatchRecord,
}

impl Phase {
    pub(super) fn open(&self) -> Option<&OpenMatch> {
        match self {
            Phase::Waiting => None,
            Phase::Open(open) => Some(open),
        }
    }

    pub(super) fn open_mut(&mut self) -> Option<&mut OpenMatch> {
        match self {
            Phase::Waiting => None,
            Phase::Open(open) => Some(open),
        }
    }
}

impl Session {
    /// When time alone will change something.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<HubTime> {
        let set_up = self.set_up_since.filter(|_| !self.set_up_noted && self.set_up_matters());
        let set_up = set_up.map(|since| after(since, SET_UP_STABLE));
        set_up.into_iter().chain(self.cleared_at()).chain(self.followed_at()).min()
    }

    /// When the follower of the open match has something to say by time alone.
    fn followed_at(&self) -> Option<HubTime> {
        let open = self.phase.open()?;
        let t_us = open.follower.as_ref()?.poll_timeout()?;
        Some(open.opened.plus_micros(t_us))
    }

    /// Does what is due.
    pub(super) fn expire(&mut self) {
        if self.followed_at().is_some_and(|at| at <= self.now) {
            self.follow_to_now();
            return;
        }
        if self.cleared_at().is_some_and(|at| at <= self.now) {
            self.end();
            return;
        }
        self.set_up_noted = true;
        match self.phase.open().map(|open| open.state) {
            None => self.open(),
            Some(MatchState::Setup) => self.ready(),
            Some(_) => {
                self.end();
                self.open();
            }
        }
    }

    /// Whether boards that are set up mean something new: not when they were just opened, nor while a
    /// clock runs, nor before anything was played.
    fn set_up_matters(&self) -> bool {
        self.phase
            .open()
            .is_none_or(|open| open.state == MatchState::Setup || self.may_be_over(open))
    }

    /// Whether something was played and no clock runs. Without clocks nobody can tell that play is stopped.
    fn may_be_over(&self, open: &OpenMatch) -> bool {
        let stopped = match open.state {
            MatchState::Paused => true,
            MatchState::Playing => !self.config.clocks,
            _ => false,
        };
        stopped && open.plies > 0 && !open.retold.put_ups.is_set_up_again()
    }

    /// When the open match is over for its boards having been cleared.
    fn cleared_at(&self) -> Option<HubTime> {
        let over = self.phase.open().is_some_and(|open| self.may_be_over(open));
        self.cleared_since.filter(|_| over).map(|since| after(since, CLEARED_STABLE))
    }

    /// Notes whether all boards show the initial position, or no pieces.
    pub(super) fn look_at_set_up(&mut self) {
        let cleared = self.boards.values().all(super::BoardView::is_cleared);
        self.cleared_since = cleared.then(|| self.cleared_since.unwrap_or(self.now));
        if self.boards.values().all(|board| board.misplaced() == 0) {
            self.set_up_since.get_or_insert(self.now);
            return;
        }
        self.set_up_since = None;
        self.set_up_noted = false;
        let cleared = self.boards.values().any(|board| board.misplaced() > MISPLACED_AT_START_MAX);
        let ready = self.phase.open().is_some_and(|open| open.state == MatchState::Ready);
        if cleared && ready {
            if let Some(open) = self.phase.open_mut() {
                open.follower = None;
            }
            self.enter(MatchState::Setup);
        }
    }

    /// Something runs: play begins, or goes on.
    pub(super) fn begin_play(&mut self) {
        let near = self.boards.values().all(|board| board.misplaced() <= MISPLACED_AT_START_MAX);
        match self.phase.open().map(|open| open.state) {
            None if near => self.open(),
            Some(MatchState::Setup) if near => self.ready(),
            // Boards in the middle of a game: it cannot be followed from here.
            None | Some(MatchState::Setup | MatchState::Playing) => return,
            Some(_) => {}
        }
        if let Some(open) = self.phase.open_mut() {
            open.retold.put_ups.go_on();
        }
        self.enter(MatchState::Playing);
    }

    /// A display was read where `before` was: rows, pauses, and clocks that are set to a new game.
    pub(super) fn look_at_clocks(&mut self, board: BoardId, before: Option<Display>) {
        let Some(display) = self.boards.get(&board).and_then(|view| view.clock) else { return };
        let resolution_ms = self.clock_resolution_ms(board);
        let Some(open) = self.phase.open_mut() else { return };
        let t_us = self.now.micros_since(open.opened);
        if open.clock_rows.is_news(board, t_us, display, resolution_ms) {
            let event = events::clock(&open.id, board, display, t_us);
            self.row(event);
        }
        let known = || self.boards.values().filter_map(|view| view.clock);
        let stopped = known().all(|clock| clock.white_runs.is_none());
        // With an increment players may have as much time as at the start: only a standing clock that changes was set.
        let set = before.is_some_and(|before| before.white_runs.is_none() && before != display);
        let reset = set && known().all(|clock| self.shows_start(clock));
        let Some(open) = self.phase.open() else { return };
        if !stopped || !matches!(open.state, MatchState::Playing | MatchState::Paused) {
            return;
        }
        if open.plies > 0 && reset {
            self.end();
        } else if open.plies == 0 && self.set_up_since.is_some() {
            // Somebody tried the clocks.
            self.ready();
        } else {
            self.enter(MatchState::Paused);
        }
    }

    /// Whether both sides have the time of the start; some clocks add the increment or delay of the first move before it.
    fn shows_start(&self, clock: Display) -> bool {
        let time = &self.config.time;
        let start_ms = i64::try_from(time.start_ms()).unwrap_or(i64::MAX);
        let first_share_ms = i64::from(time.increment_s() + time.delay_s()) * 1_000;
        let shown = [start_ms, start_ms.saturating_add(first_share_ms)];
        [clock.white_ms, clock.black_ms].iter().all(|ms| shown.contains(ms))
    }

    fn open(&mut self) {
        self.named_after_s = second(self.now).max(self.named_after_s + 1);
        let id = match_id::at(&self.config.hub_id, &self.config.table, self.named_after_s);
        let header = self.trace_header(&id);
        self.row(events::opened(&header, &self.config.time));
        let record = MatchRecord {
            match_id: id.clone(),
            opened: self.now,
            header: serde_json::to_string(&header).unwrap_or_default(),
            prologue: String::new(),
            ended: false,
        };
        self.phase = Phase::Open(Box::new(OpenMatch {
            id,
            opened: self.now,
            state: MatchState::Unspecified,
            follower: None,
            plies: 0,
            retold: Retold::default(),
            clock_rows: ClockRows::new(&self.config.time),
            exchange: Exchange::default(),
            record,
        }));
        self.ready();
        let clocks: Vec<_> =
            self.boards.iter().filter_map(|(&board, view)| Some((board, view.clock?))).collect();
        for (board, display) in clocks {
            let resolution_ms = self.clock_resolution_ms(board);
            let Some(open) = self.phase.open_mut() else { return };
            if open.clock_rows.is_news(board, 0, display, resolution_ms) {
                let event = events::clock(&open.id, board, display, 0);
                self.row(event);
            }
        }
    }

    /// How coarse the times of a board's clock are.
    fn clock_resolution_ms(&self, board: BoardId) -> u32 {
        self.config.boards.get(&board).and_then(|board| board.clock_resolution_ms).unwrap_or(0)
    }

    /// Starts the open match's follower from what the boards show.
    fn ready(&mut self) {
        let Some(open) = self.phase.open() else { return };
        let t_us = self.now.micros_since(open.opened);
        let mut follower = self.follower(&self.trace_header(&open.id), Facts::default());
        let mut prologue = String::new();
        let mut readings = Vec::new();
        for (&board, view) in &self.boards {
            for kind in view.readings() {
                let reading = Reading { t_us, board: Some(board), kind };
                follower.handle(&reading);
                prologue.push_str(&serde_json::to_string(&reading).unwrap_or_default());
                prologue.push('\n');
                readings.push(reading);
            }
        }
        let Some(open) = self.phase.open_mut() else { return };
        open.follower = Some(follower);
        open.retold.begin(readings);
        open.record.prologue = prologue;
        self.outputs.push_back(SessionOutput::Match(open.record.clone()));
        self.enter(MatchState::Ready);
        self.drain_follower(None);
    }

    /// Ends the open match: smoothing over the whole of it, then the news that it is over.
    fn end(&mut self) {
        let Some(open) = self.phase.open_mut() else { return };
        if let Some(follower) = &mut open.follower {
            let t_us = self.now.micros_since(open.opened);
            follower.handle(&Reading { t_us, board: None, kind: ReadingKind::End });
            follower.finish();
        }
        self.drain_follower(None);
        self.forget_exchange();
        self.enter(MatchState::Ended);
        if let Phase::Open(open) = std::mem::replace(&mut self.phase, Phase::Waiting) {
            let record = MatchRecord { ended: true, ..open.record };
            self.outputs.push_back(SessionOutput::Match(record));
        }
        self.look_for_next();
    }

    /// No match is open any more.
    pub(super) fn look_for_next(&mut self) {
        // What stood there during the match is not the next one's set-up.
        self.set_up_noted = false;
        self.set_up_since = None;
        self.cleared_since = None;
        self.look_at_set_up();
    }

    fn enter(&mut self, state: MatchState) {
        let Some(open) = self.phase.open_mut() else { return };
        if open.state == state {
            return;
        }
        open.state = state;
        let event = events::state(&open.id, state, self.now.micros_since(open.opened));
        self.row(event);
    }
}

/// The second of a time, Unix time.
pub(super) const fn second(at: HubTime) -> u64 {
    at.as_micros() / 1_000_000
}
