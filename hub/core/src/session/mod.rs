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
mod facts;
mod follower;
mod following;
mod life;
mod lifecycle;
mod match_id;
mod mated;
mod node_book;
mod open_match;
mod refollow;
mod reinstatement;
mod rows;
mod standing;
mod unfollowed;
mod unpressed;
mod view;

use std::collections::{BTreeMap, VecDeque};

use readings::{BoardHeader, ReadingKind, SquareReading};
use rules::rulebook::BookId;
use rules::{BoardId, Game, TimeControl};

pub use checkpoint::{Checkpoint, CheckpointError};
pub use events::{sensor as sensor_name, tracked};
pub use follower::{Follow, NewFollower, tracker, with_presses};

use crate::HubTime;
use crate::journal::{MatchRecord, OutgoingEvent};
use crate::journal_line::{Line, NodeLine};
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
        match &self.phase {
            Phase::Waiting => false,
            Phase::Open(open) | Phase::Over(open) => open.exchange.is_doubtful(),
        }
    }

    fn take_node(&mut self, node: &NodeLine) {
        self.note_absence(node);
        let news = self.nodes.note(&node.node, node.state, &node.detail);
        self.publish_node(&node.node, node.board, news);
    }

    fn take_reading(&mut self, board: BoardId, kind: &ReadingKind) {
        if !self.boards.contains_key(&board) {
            return;
        }
        if self.starts_play(board, kind) {
            self.begin_play();
        }
        if self.lifts_piece(board, kind) {
            let steps = self.life.lift(self.now);
            self.carry_out(steps);
        }
        self.forward(board, kind);
        if let &ReadingKind::Press { by } = kind {
            self.life.complete(self.now, board, by);
            self.note_stand();
        }
        let view = self.boards.entry(board).or_default();
        let before = view.occupied;
        view.take(kind);
        let was_forgotten = self.is_forgotten(board);
        self.look_for_exchange(board, kind, before);
        self.tell_squares(board, before);
        self.look_for_unpressed(board, kind);
        match kind {
            ReadingKind::Square { .. } => self.look_at_squares(board, false),
            ReadingKind::Snapshot { .. } => self.look_at_squares(board, true),
            ReadingKind::Clock { .. } => self.look_at_clock(board),
            _ => {}
        }
        self.note_activity(board, kind, (before, was_forgotten));
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

    fn lifts_piece(&self, board: BoardId, kind: &ReadingKind) -> bool {
        let &ReadingKind::Square { square, reading: Some(SquareReading::Empty), .. } = kind else {
            return false;
        };
        let occupied = self.boards.get(&board).and_then(|view| view.occupied);
        occupied.is_some_and(|occupied| occupied.0.contains(square))
    }

    fn look_at_squares(&mut self, board: BoardId, all_at_once: bool) {
        let shows_play = self.phase.open().is_some_and(|open| open.unpressed.shows_play());
        let Some(view) = self.boards.get(&board) else { return };
        let steps = self.life.see_squares(self.now, board, view, (shows_play, all_at_once));
        self.carry_out(steps);
        self.look_for_turned_board();
    }

    /// Lets `new` make the followers of the matches that are opened from here on; the default is [`tracker`].
    pub fn follow_with(&mut self, new: NewFollower) {
        self.new_follower = new;
        self.refollow_untouched();
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
