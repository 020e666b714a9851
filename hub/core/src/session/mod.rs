//! One table's session: from readings in hub time to matches, plies and anomalies. Sans-IO.
//!
//! # Use
//!
//! - [`Session::handle`] takes one [`Line`]; times must not go back. [`Session::advance`] lets time
//!   pass without one; `handle` does that first.
//! - [`Session::poll_output`] after either, until it returns none.
//! - [`Session::poll_timeout`] says when time alone will change something.
//!
//! # Determinism
//!
//! Effects of time happen at their deadlines, however late `advance` is called. So the lines alone
//! determine the outputs and their order: a session that is given them again says the same again,
//! and that is how a hub that was killed finds its place. [`Session::checkpoint`] shortens the way:
//! between matches the whole state is a few numbers.
//!
//! When a match begins, pauses and ends: [`life`].

mod checkpoint;
mod clock_rows;
mod events;
mod exchange;
mod follower;
mod life;
mod lifecycle;
mod match_id;
mod node_book;
mod open_match;
mod refollow;
mod reinstatement;
mod standing;
mod unfollowed;
mod unpressed;
mod view;

use std::collections::{BTreeMap, VecDeque};

use inference::facts::Facts;
use proto::mqtt::message::row::Event;
use readings::{BoardHeader, Reading, ReadingKind, TraceHeader};
use rules::rulebook::BookId;
use rules::{BoardId, Game, TimeControl};

pub use checkpoint::{Checkpoint, CheckpointError};
pub use events::{sensor as sensor_name, tracked};
pub use follower::{Follow, NewFollower, tracker, with_presses};

use crate::HubTime;
use crate::journal::{MatchRecord, OutgoingEvent};
use crate::journal_line::{Line, NodeLine, NodeState};
use follower::Follower;
use life::Life;
use node_book::NodeBook;
use open_match::Phase;
use unfollowed::Unfollowed;
pub use unpressed::{with_implied_presses, without_put_back};
use view::BoardView;
pub use view::BoardViews;

/// Settings of a session's table.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionConfig {
    /// The hub: part of match ids.
    pub hub_id: String,
    /// The table: part of match ids.
    pub table: String,
    /// The game that is played.
    pub game: Game,
    /// The rulebook.
    pub rulebook: BookId,
    /// The time that each player has.
    pub time: TimeControl,
    /// The boards that have sensors, and how they sense: A in chess, one or both in bughouse.
    pub boards: BTreeMap<BoardId, BoardHeader>,
    /// Whether any board has a clock that is read. Without one, plies are completed by stillness and by the answer.
    pub clocks: bool,
    /// Nodes whose readings belong to a board.
    pub nodes: BTreeMap<BoardId, BoardNodes>,
}

/// The ids of the nodes of one board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoardNodes {
    /// Reads its squares.
    pub squares: Option<String>,
    /// Reads its clock; may be the same.
    pub clock: Option<String>,
}

/// An output of a session.
#[derive(Clone, Debug, PartialEq)]
pub enum SessionOutput {
    /// A row for the adjudicator.
    Row(OutgoingEvent),
    /// Entry of a match for the journal. It directly follows the inputs before it.
    Match(MatchRecord),
    /// Notice for the person who looks after the table, in words. A replay repeats it.
    Notice(String),
}

/// The session of one table.
#[derive(Debug)]
pub struct Session {
    config: SessionConfig,
    now: HubTime,
    boards: BTreeMap<BoardId, BoardView>,
    nodes: NodeBook,
    phase: Phase,
    life: Life,
    unfollowed: Unfollowed,
    /// The second after which the last match was named, Unix time. Matches that are read late may be opened in one second: the next one is
    /// named after a later one.
    named_after_s: u64,
    outputs: VecDeque<SessionOutput>,
    new_follower: NewFollower,
}

impl Session {
    /// A session that has heard nothing.
    #[must_use]
    pub fn new(config: SessionConfig) -> Session {
        let boards = config.boards.keys().map(|&board| (board, BoardView::default())).collect();
        Session {
            life: Life::new(&config),
            unfollowed: Unfollowed::default(),
            config,
            now: HubTime::ZERO,
            boards,
            nodes: NodeBook::default(),
            phase: Phase::Waiting,
            named_after_s: 0,
            outputs: VecDeque::new(),
            new_follower: follower::tracker,
        }
    }

    /// Takes what happened; lets time pass to it first. A line that is earlier than the session
    /// counts as now.
    pub fn handle(&mut self, line: &Line) {
        self.advance(line.at());
        match line {
            Line::Reading(reading) => {
                if let Some(board) = reading.board {
                    self.take_reading(board, &reading.kind);
                }
            }
            Line::Node(node) => self.take_node(node),
            Line::Fact(fact) => self.take_fact(fact),
        }
    }

    /// Lets time pass.
    pub fn advance(&mut self, now: HubTime) {
        while let Some(deadline) = self.poll_timeout().filter(|&deadline| deadline <= now) {
            self.now = self.now.max(deadline);
            self.expire();
        }
        self.now = self.now.max(now);
    }

    /// The next thing to say.
    pub fn poll_output(&mut self) -> Option<SessionOutput> {
        self.outputs.pop_front()
    }

    /// The time of the session: of its last line, or later.
    #[must_use]
    pub fn now(&self) -> HubTime {
        self.now
    }

    /// The match that is open.
    #[must_use]
    pub fn match_id(&self) -> Option<&str> {
        self.phase.open().map(|open| open.id.as_str())
    }

    /// Whether a match is played, or stopped in its middle.
    #[must_use]
    pub fn is_in_play(&self) -> bool {
        self.life.is_in_play()
    }

    /// Whether what is recorded at one board may belong to the other.
    #[must_use]
    pub fn is_doubtful(&self) -> bool {
        self.phase.open().is_some_and(|open| open.exchange.is_doubtful())
    }

    fn take_node(&mut self, node: &NodeLine) {
        self.note_absence(node);
        let news = self.nodes.note(&node.node, node.state, &node.detail);
        self.publish_node(&node.node, node.board, news);
    }

    /// A node's state and words, if they are news.
    fn publish_node(&mut self, node: &str, board: BoardId, news: Option<(NodeState, String)>) {
        if let Some((state, detail)) = news {
            self.row(events::node_state(node, board, state, detail));
        }
    }

    fn take_reading(&mut self, board: BoardId, kind: &ReadingKind) {
        if !self.boards.contains_key(&board) {
            return;
        }
        if self.starts_play(board, kind) {
            self.begin_play();
        }
        self.forward(board, kind);
        if let &ReadingKind::Press { by } = kind {
            self.life.complete(self.now, board, by);
            self.note_stand();
        }
        let view = self.boards.entry(board).or_default();
        let before = view.occupied;
        view.take(kind);
        self.look_for_exchange(board, kind, before);
        self.tell_squares(board, before);
        self.look_for_unpressed(board, kind);
        match kind {
            ReadingKind::Square { .. } | ReadingKind::Snapshot { .. } => {
                self.look_at_squares(board)
            }
            ReadingKind::Clock { .. } => self.look_at_clock(board),
            _ => {}
        }
        self.note_activity(board, kind, before);
    }

    /// Whether a reading means that play begins or goes on: a press, or a clock that starts.
    fn starts_play(&self, board: BoardId, kind: &ReadingKind) -> bool {
        let runs = |board| self.boards.get(&board).and_then(|view| view.clock?.running());
        match kind {
            ReadingKind::Press { .. } => true,
            ReadingKind::Clock { running, .. } => running.is_some() && *running != runs(board),
            _ => false,
        }
    }

    fn look_at_squares(&mut self, board: BoardId) {
        let shows_play = self.phase.open().is_some_and(|open| open.unpressed.shows_play());
        let Some(view) = self.boards.get(&board) else { return };
        let steps = self.life.see_squares(self.now, board, view, shows_play);
        self.carry_out(steps);
    }

    /// Gives a reading to the follower of the match that is open.
    fn forward(&mut self, board: BoardId, kind: &ReadingKind) {
        let Some(open) = self.phase.open_mut() else { return };
        open.is_untouched = false;
        let Some(follower) = &mut open.follower else { return };
        let t_us = self.now.micros_since(open.opened);
        let reading = Reading { t_us, board: Some(board), kind: kind.clone() };
        follower.handle(&reading);
        open.retold.keep(reading);
        self.drain_follower(Some(board));
    }

    /// Lets time pass for the follower of the match that is open.
    fn follow_to_now(&mut self) {
        let Some(open) = self.phase.open_mut() else { return };
        open.is_untouched = false;
        let Some(follower) = &mut open.follower else { return };
        follower.handle_timeout(self.now.micros_since(open.opened));
        self.drain_follower(None);
    }

    /// Turns what the follower has to say, of a reading of `board`, into rows.
    fn drain_follower(&mut self, board: Option<BoardId>) {
        let at = self.now;
        let Some(open) = self.phase.open_mut() else { return };
        let Some(follower) = &mut open.follower else { return };
        while let Some(output) = follower.poll_output() {
            let event = events::tracked(&open.id, output);
            if let Some(event) = event.and_then(|event| open.retold.tell(event)) {
                open.plies += u32::from(matches!(event, Event::PlyReported(_)));
                self.outputs.push_back(SessionOutput::Row(OutgoingEvent { at, event }));
            }
        }
        if let Some(failure) = follower.take_failure() {
            let board = board.unwrap_or(BoardId::A);
            let t_us = at.micros_since(open.opened);
            let event = events::not_followed(&open.id, board, t_us, &failure);
            let words = format!(
                "match {} is not followed any more, because inference failed ({failure}); everything that is read goes on being \
                 recorded, and the next match is followed anew: report this with the hub's journal",
                open.id
            );
            self.outputs.push_back(SessionOutput::Row(OutgoingEvent { at, event }));
            self.outputs.push_back(SessionOutput::Notice(words));
            // The plies are unknown, but the next set-up ends this match as it ends others.
            open.plies = open.plies.max(1);
        }
        if open.plies > 0 {
            self.life.note_ply();
        }
    }

    fn row(&mut self, event: Event) {
        self.outputs.push_back(SessionOutput::Row(OutgoingEvent { at: self.now, event }));
    }

    fn trace_header(&self, match_id: &str) -> TraceHeader {
        let base_s = self.config.time.periods().first().map_or(0, |period| period.base_s);
        let (rulebook, boards) = (self.config.rulebook.name(), self.config.boards.clone());
        // `base_s` and `delay_s` say it all for one period with a delay of the US kind.
        let plain = TimeControl::sudden_death(base_s, self.config.time.delay_s());
        let time = Some(self.config.time.clone()).filter(|time| plain.as_ref() != Ok(time));
        TraceHeader {
            match_id: match_id.to_owned(),
            game: self.config.game,
            delay_s: self.config.time.delay_s(),
            time,
            ..TraceHeader::new(rulebook, base_s, boards)
        }
    }

    fn header_text(&self, match_id: &str) -> String {
        serde_json::to_string(&self.trace_header(match_id)).unwrap_or_default()
    }

    /// Lets `new` make the followers of the matches that are opened from here on; the default is [`tracker`].
    pub fn follow_with(&mut self, new: NewFollower) {
        self.new_follower = new;
        self.refollow_untouched();
    }

    fn follower(&self, header: &TraceHeader, facts: Facts) -> Follower {
        Follower::new(self.new_follower, header, facts)
    }
}

#[cfg(test)]
mod days;
#[cfg(test)]
mod refollow_tests;
#[cfg(test)]
mod reinstatement_tests;
#[cfg(test)]
mod tests;
