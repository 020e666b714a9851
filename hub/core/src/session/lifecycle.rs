//! A session's acts when a match begins, pauses, ends, or turns out not to be over. [`super::life`] decides their time.

use inference::facts::Facts;
use proto::mqtt::message::MatchState;
use readings::{Reading, ReadingKind};
use rules::BoardId;

use super::life::Step;
use super::mated::{is_after_mate, mated};
use super::open_match::{OpenMatch, Phase, Retold};
use super::unpressed::{Unpressed, without_put_back_at};
use super::view::BoardView;
use super::{Session, SessionOutput, clock_rows::ClockRows, events, exchange::Exchange, match_id};
use crate::HubTime;
use crate::journal::MatchRecord;

/// Minimum number of plies that are seen at a board without a clock for its match to count as played, whatever inference reports by then.
const PLAYED_MIN: u32 = 2;

impl Session {
    /// Time at which the session must be called again.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<HubTime> {
        let life = self.life.deadline(self.is_reinstated());
        let others = [self.followed_at(), self.still_at(), self.unfollowed.deadline()];
        life.into_iter().chain(others.into_iter().flatten()).min()
    }

    /// Time at which the follower of the open match must be called again.
    fn followed_at(&self) -> Option<HubTime> {
        let open = self.phase.open()?;
        let t_us = open.follower.as_ref()?.poll_timeout()?;
        Some(open.opened.plus_micros(t_us))
    }

    /// Time at which stillness completes a ply at a board without a clock.
    fn still_at(&self) -> Option<HubTime> {
        let open = self.phase.open()?;
        Some(open.opened.plus_micros(open.unpressed.poll_timeout()?))
    }

    /// Whether pieces on their first squares are a reinstated position of the open match.
    pub(super) fn is_reinstated(&self) -> bool {
        self.phase.open().is_some_and(|open| open.retold.put_ups.is_set_up_again())
    }

    /// Does what is due.
    pub(super) fn expire(&mut self) {
        let now = self.now;
        let is_due = |at: Option<HubTime>| at.is_some_and(|at| at <= now);
        if is_due(self.followed_at()) {
            self.follow_to_now();
        } else if is_due(self.still_at()) {
            if let Some(open) = self.phase.open_mut() {
                open.unpressed.advance(now.micros_since(open.opened));
            }
            self.complete_unpressed();
        } else if is_due(self.unfollowed.deadline()) {
            self.look_at_unfollowed();
        } else {
            let steps = self.life.expire(now, self.is_reinstated());
            self.carry_out(steps);
        }
    }

    /// Play begins, or goes on.
    pub(super) fn begin_play(&mut self) {
        let steps = self.life.play(self.now, self.is_reinstated());
        self.carry_out(steps);
    }

    /// Notes the plies that were completed without a press at boards without a clock.
    pub(super) fn complete_unpressed(&mut self) {
        let now = self.now;
        while let Some(open) = self.phase.open_mut() {
            let Some(reading) = open.unpressed.poll() else { return };
            let (Some(board), ReadingKind::Press { by }) = (reading.board, reading.kind) else {
                continue;
            };
            if self.config.boards.get(&board).is_some_and(|header| header.clockless) {
                let is_played = open.unpressed.plies(board) >= PLAYED_MIN;
                self.life.complete(now, board, by);
                if is_played {
                    self.life.note_ply();
                }
            }
        }
    }

    /// Gives a reading to what finds plies without presses. At a board without a clock play begins with the first.
    pub(super) fn look_for_unpressed(&mut self, board: BoardId, kind: &ReadingKind) {
        let clockless = self.config.boards.get(&board).is_some_and(|header| header.clockless);
        let Some(open) = self.phase.open_mut() else { return };
        let t_us = self.now.micros_since(open.opened);
        open.unpressed.take(&Reading { t_us, board: Some(board), kind: kind.clone() });
        let begins = clockless
            && matches!(kind, ReadingKind::Square { .. })
            // Before the boards are set up, what looks like a ply puts a piece right.
            && open.state == MatchState::Ready
            && open.unpressed.plies(board) > 0;
        self.complete_unpressed();
        if begins {
            self.begin_play();
        }
    }

    /// Carries out what the life of the match has decided.
    pub(super) fn carry_out(&mut self, steps: Vec<Step>) {
        for step in steps {
            match step {
                Step::Open => self.open(),
                Step::Follow => self.ready(),
                Step::Drop => {
                    // What is done until the boards are set up is no play.
                    let header = self.phase.open().map(|open| self.trace_header(&open.id));
                    if let (Some(open), Some(header)) = (self.phase.open_mut(), header) {
                        (open.follower, open.unpressed) = (None, Unpressed::new(&header));
                    }
                    self.enter(MatchState::Setup);
                }
                Step::Play => {
                    if let Some(open) = self.phase.open_mut() {
                        open.retold.put_ups.go_on();
                    }
                    self.enter(MatchState::Playing);
                }
                Step::Pause => {
                    self.note_stand();
                    self.enter(MatchState::Paused);
                }
                Step::End => self.end(),
                Step::TakeBack => self.take_back(),
                Step::Close => {
                    self.forget_exchange();
                    self.phase = Phase::Waiting;
                }
                Step::PutBack(board) => self.go_on_without(board),
                Step::Restore(board) => {
                    if let Some(open) = self.phase.open_mut() {
                        open.put_back.retain(|other| *other != board);
                    }
                    self.forward_view(board);
                }
            }
        }
    }

    /// A display was read: rows, pauses, and clocks that are set to a new game.
    pub(super) fn look_at_clock(&mut self, board: BoardId) {
        let Some(display) = self.boards.get(&board).and_then(|view| view.clock) else { return };
        self.tell_clock(board);
        let steps = self.life.see_clock(self.now, board, display);
        self.carry_out(steps);
    }

    /// Tells what a clock shows, if it is news.
    fn tell_clock(&mut self, board: BoardId) {
        let Some(display) = self.boards.get(&board).and_then(|view| view.clock) else { return };
        let resolution_ms = self.clock_resolution_ms(board);
        let Some(open) = self.phase.open_mut() else { return };
        let t_us = self.now.micros_since(open.opened);
        if open.clock_rows.is_news(board, t_us, display, resolution_ms) {
            let event = events::clock(&open.id, board, display, t_us);
            self.row(event);
        }
    }

    fn open(&mut self) {
        self.named_after_s = second(self.now).max(self.named_after_s + 1);
        self.open_as(match_id::at(&self.config.hub_id, &self.config.table, self.named_after_s));
    }

    pub(super) fn open_as(&mut self, id: String) {
        self.life.forget_plies();
        self.forget_exchange();
        let header = self.trace_header(&id);
        self.row(events::opened(&header, &self.config.time));
        let record = MatchRecord {
            match_id: id.clone(),
            opened: self.now,
            header: self.header_text(&id),
            prologue: String::new(),
            ended: false,
        };
        self.phase = Phase::Open(Box::new(OpenMatch {
            id,
            opened: self.now,
            state: MatchState::Unspecified,
            follower: None,
            unpressed: Unpressed::new(&header),
            turned_by_half: None,
            stood_us: 0,
            put_back: Vec::new(),
            is_untouched: false,
            plies: 0,
            retold: Retold::default(),
            clock_rows: ClockRows::new(&self.config.time),
            exchange: Exchange::default(),
            record,
        }));
    }

    /// Resolution of the times of a board's clock.
    fn clock_resolution_ms(&self, board: BoardId) -> u32 {
        self.config.boards.get(&board).and_then(|board| board.clock_resolution_ms).unwrap_or(0)
    }

    /// Starts the open match's follower from the boards' present squares.
    pub(super) fn ready(&mut self) {
        let Some(open) = self.phase.open() else { return };
        let t_us = self.now.micros_since(open.opened);
        let header = self.trace_header(&open.id);
        let mut follower = self.follower(&header, Facts::default());
        let mut unpressed = Unpressed::new(&header);
        let mut prologue = String::new();
        let mut readings = Vec::new();
        for (&board, view) in &self.boards {
            for kind in view.readings() {
                let reading = Reading { t_us, board: Some(board), kind };
                follower.handle(&reading);
                unpressed.take(&reading);
                prologue.push_str(&serde_json::to_string(&reading).unwrap_or_default());
                prologue.push('\n');
                readings.push(reading);
            }
        }
        let Some(open) = self.phase.open_mut() else { return };
        let is_first = open.state == MatchState::Unspecified;
        while unpressed.poll().is_some() {}
        open.follower = Some(follower);
        open.unpressed = unpressed;
        open.put_back.clear();
        let mut turned = self.boards.iter().filter(|(_, view)| view.is_turned_by_half());
        open.turned_by_half = turned.next().map(|(&board, _)| board);
        open.retold.begin(readings);
        open.record.prologue = prologue;
        self.outputs.push_back(SessionOutput::Match(open.record.clone()));
        self.enter(MatchState::Ready);
        self.drain_follower(None);
        if is_first {
            let boards: Vec<BoardId> = self.boards.keys().copied().collect();
            boards.into_iter().for_each(|board| self.tell_clock(board));
        }
        let now = self.now;
        if let Some(open) = self.phase.open_mut() {
            open.is_untouched = is_first && open.opened == now;
        }
    }

    /// A board that was turned since it was set up is followed as it lies now.
    pub(super) fn look_for_turned_board(&mut self) {
        let mut turned = self.boards.iter().filter(|(_, view)| view.is_turned_by_half());
        let turned = turned.next().map(|(&board, _)| board);
        let was_turned =
            |open: &OpenMatch| open.state == MatchState::Ready && open.turned_by_half != turned;
        if self.phase.open().is_some_and(was_turned) {
            self.ready();
        }
    }

    /// The pieces are where play goes on from.
    pub(super) fn note_stand(&mut self) {
        let now = self.now;
        if let Some(open) = self.phase.open_mut() {
            open.stood_us = now.micros_since(open.opened);
        }
    }

    /// Follows a match that ends again without what came after a mate and without the pieces that were put back, where nothing tells them
    /// from plies.
    fn follow_without_put_back(&mut self) {
        let Some(open) = self.phase.open() else { return };
        let header = self.trace_header(&open.id);
        let mated = mated(&self.config, open.retold.shown.plies.values().cloned());
        let Some(open) = self.phase.open_mut() else { return };
        let is_whole = open.retold.is_whole();
        let boards: Vec<BoardId> =
            BoardId::ALL.into_iter().filter(|board| !open.put_back.contains(board)).collect();
        let kept = |readings: &[Reading]| {
            let played = readings.iter().filter(|it| !is_after_mate(&mated, it));
            without_put_back_at(&header, &played.cloned().collect::<Vec<_>>(), &boards)
        };
        if is_whole && open.retold.keep_only(kept) {
            self.follow_anew();
        }
    }

    /// Ends the open match, as far as is known: smoothing over the whole of it, then the news that it is over.
    fn end(&mut self) {
        self.follow_without_put_back();
        let Some(open) = self.phase.open_mut() else { return };
        if let Some(follower) = &mut open.follower {
            let t_us = self.now.micros_since(open.opened);
            follower.handle(&Reading { t_us, board: None, kind: ReadingKind::End });
            follower.finish();
        }
        self.drain_follower(None);
        self.enter(MatchState::Ended);
        if let Phase::Open(mut open) = std::mem::replace(&mut self.phase, Phase::Waiting) {
            open.follower = None;
            let record = MatchRecord { ended: true, ..open.record.clone() };
            self.outputs.push_back(SessionOutput::Match(record));
            self.phase = Phase::Over(open);
        }
    }

    /// The match that seemed over goes on: it is followed again from its first reading.
    fn take_back(&mut self) {
        match std::mem::replace(&mut self.phase, Phase::Waiting) {
            Phase::Over(mut open) => {
                open.put_back.clear();
                // The pieces are where they were: what was done with them meanwhile is no play.
                let stood_us = open.stood_us;
                open.retold.keep_only(|readings| {
                    let is_play = |it: &&Reading| {
                        let of_squares = matches!(
                            it.kind,
                            ReadingKind::Square { .. } | ReadingKind::Snapshot { .. }
                        );
                        it.t_us <= stood_us || !of_squares
                    };
                    readings.iter().filter(is_play).cloned().collect()
                });
                self.outputs.push_back(SessionOutput::Match(open.record.clone()));
                self.phase = Phase::Open(open);
            }
            other => {
                self.phase = other;
                return;
            }
        }
        self.enter(MatchState::Paused);
        if self.phase.open().is_some_and(|open| open.retold.is_whole()) {
            self.follow_anew();
        }
        // Changes of the boards while the match seemed over.
        let boards: Vec<BoardId> = self.boards.keys().copied().collect();
        boards.into_iter().for_each(|board| self.forward_view(board));
    }

    /// Gives the follower what a board shows now.
    fn forward_view(&mut self, board: BoardId) {
        let view = self.boards.get(&board).into_iter();
        let readings: Vec<ReadingKind> = view.flat_map(BoardView::readings).collect();
        readings.iter().for_each(|kind| self.forward(board, kind));
    }

    /// Follows the match again without the pieces that were put back at one board.
    fn go_on_without(&mut self, board: BoardId) {
        let Some(open) = self.phase.open() else { return };
        let header = self.trace_header(&open.id);
        let Some(open) = self.phase.open_mut() else { return };
        open.put_back.push(board);
        let kept = |readings: &[Reading]| without_put_back_at(&header, readings, &[board]);
        if open.retold.is_whole() && open.retold.keep_only(kept) {
            self.follow_anew();
        }
    }

    pub(super) fn enter(&mut self, state: MatchState) {
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
