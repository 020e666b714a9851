//! The life of a match: one state machine for every kind of table. Pure.
//!
//! That clocks are stopped ends nothing: a player may have stopped them to make a claim, and a director walks as long as it takes. A match is
//! over for the hub when the next one is prepared. The winner is not decided here.
//!
//! ```text
//!            all boards set up              play begins              all clocks stop
//!  WAITING ────────────────────► READY ──────────────────► PLAYING ◄──────────────────► PAUSED
//!      ▲                         ▲   │ cleared away           │ ▲                         │
//!      │                         └─ SET UP                    │ │ play goes on from where │
//!      └───── 30 minutes ────────────── OVER ◄────────────────┘─┘ the pieces were ────────┘
//! ```
//!
//! # Evidence
//!
//! *Near the start*: every board differs from the initial position by at most [`MISPLACED_MAX`] squares. *Set up*: near the start, and what differs
//! is no play: nothing differs, or only what differed when the match began, or pieces are only missing or only too many, or at least five squares
//! were changed since the last ply. *Put back*: at least three squares of a board were changed since its last ply, or a piece returned to the home
//! of the side that moved last. A board that is put back while the other one plays on leaves the other one off the start: the match goes on.
//! At a board without a clock nothing but that tells what is done there from plies: the match goes on without it, unless its pieces come
//! back to where they were.
//!
//! | from | to | evidence for | evidence against | displays | levers | mixed | makers' boards | no clock |
//! |---|---|---|---|---|---|---|---|---|
//! | waiting | ready | all boards exactly at the start for 1 s, or but for faults of squares for 5 s | – | ✓ | ✓ | ✓ | ✓ | ✓ |
//! | waiting, set up | playing | play begins near the start | a board is elsewhere | press, clock starts | press | either | as displays | a complete ply |
//! | ready | set up | a board is not near the start | plies explain the changes | ✓ | ✓ | ✓ | ✓ | ✓ |
//! | ready | ready | pieces were moved and are back for 1 s; or fewer squares differ, or others at a board that was read anew; or some are missing for 20 s, or for 5 s when another is lifted | – | ✓ | ✓ | ✓ | ✓ | ✓ |
//! | ready | ready | stopped displays are set to the start | a piece was moved | ✓ | – | ✓ | ✓ | – |
//! | ready, paused | playing | play begins | – | press, clock starts | press | either | as displays | a complete ply |
//! | playing | paused | all displays stopped | a lever may run | ✓ | – | – | ✓ | – |
//! | paused | ready | no ply, and the clock ran for less than 10 s: it was tried | – | ✓ | – | – | ✓ | – |
//! | paused | over + next | set up for 1 s (5 s if not exactly), or play begins so | nothing changed since the last ply; a reinstated start | ✓ | – | – | ✓ | – |
//! | playing | over + next | set up and put back for 3 s (8 s if not exactly), or a press then | the same; a ply ends there | ✓ | ✓ | ✓ | ✓ | ✓ |
//! | playing | playing, without a board | it alone is put back for 3 s (8 s if not exactly) | its pieces are again where they were | – | – | – | – | ✓ |
//! | playing, paused | over | all boards cleared for 5 s | a display runs | ✓ | ✓ | ✓ | ✓ | ✓ |
//! | playing, paused | over | stopped displays are set to the start | a board without display is neither at the start nor cleared | ✓ | – | ✓ | ✓ | – |
//! | playing | over + next | no ply, and a press after the mover's whole time | a display | – | ✓ | – | – | – |
//! | set up, ready, playing, paused | over, or over + next | no ply, and people have decided it | – | ✓ | ✓ | ✓ | ✓ | ✓ |
//! | over | paused, playing | play goes on, or the clocks show again what they showed, where the pieces were | set up with new clocks | ✓ | ✓ | ✓ | ✓ | ✓ |
//! | over | next | set up for 1 s (5 s if not exactly), or play begins near the start | – | ✓ | ✓ | ✓ | ✓ | ✓ |
//!
//! Only a match with a ply, or of which a clock has run for 10 s, can be over. The next one is opened at once where it is set up.

mod board;
mod deadlines;

use std::collections::BTreeMap;

use rules::{BoardId, Color};

pub(super) use board::{BoardLife, MISPLACED_MAX, PAWNS};

use super::view::{BoardView, Display};
use super::{HubTime, SessionConfig};
use crate::time::after;

/// Minimum time that a clock runs without a ply before the match counts as begun: less is a clock that was tried.
const BEGUN_US: u64 = 10_000_000;
/// A clock that gains so much was set, milliseconds: no increment is as large.
const SET_MIN_MS: i64 = 65_000;
/// Maximum difference of a clock that was set back by hand, milliseconds.
const SET_BACK_MAX_MS: i64 = 10_000;

/// Stage of a match's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// No match.
    Waiting,
    /// Pieces are being set up again, before any play.
    SetUp,
    /// Set up and followed.
    Ready,
    /// Played.
    Playing,
    /// All clocks are stopped.
    Paused,
    /// Over, as far as is known.
    Over,
}

/// A session's next act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Opens the next match; one that is over is closed.
    Open,
    /// Follows the match from the boards' present squares.
    Follow,
    /// Follows it no more: it is being set up again.
    Drop,
    /// Play begins, or goes on.
    Play,
    /// All clocks are stopped.
    Pause,
    /// The match is over.
    End,
    /// Takes the end back: the match goes on.
    TakeBack,
    /// Ends the match for good.
    Close,
    /// Goes on without a board whose pieces were put back.
    PutBack(BoardId),
    /// Goes on with it: its pieces are again where they were.
    Restore(BoardId),
}

use Step::{Close, Drop, End, Follow, Open, Pause, Play, PutBack, Restore, TakeBack};

/// The life of a table's matches.
#[derive(Clone, Debug)]
pub(super) struct Life {
    state: State,
    boards: BTreeMap<BoardId, BoardLife>,
    /// Last change of a square.
    changed: HubTime,
    /// Time at which the state was entered.
    entered: HubTime,
    /// Time of the match's first ply or press.
    began: Option<HubTime>,
    /// The last press at any board.
    pressed: Option<HubTime>,
    /// Whether the match has a ply.
    has_plies: bool,
    /// Whether a clock has run for long enough without one.
    has_run: bool,
    /// Squares that differed when it began to be followed, and whether any has changed since.
    misplaced_at_start: usize,
    is_touched: bool,
    /// Whether a board has been away from the start since.
    has_strayed: bool,
    start_ms: [i64; 2],
    base_us: u64,
}

impl Life {
    pub(super) fn new(config: &SessionConfig) -> Life {
        let time = &config.time;
        let start_ms = i64::try_from(time.start_ms()).unwrap_or(i64::MAX);
        // Some clocks add the increment or delay of the first move before it.
        let first_share_ms = i64::from(time.increment_s() + time.delay_s()) * 1_000;
        let board = |(&id, header): (&BoardId, &readings::BoardHeader)| {
            (id, BoardLife::new(header.clockless, &BoardView::default()))
        };
        Life {
            state: State::Waiting,
            boards: config.boards.iter().map(board).collect(),
            changed: HubTime::ZERO,
            entered: HubTime::ZERO,
            began: None,
            pressed: None,
            has_plies: false,
            has_run: false,
            misplaced_at_start: 0,
            is_touched: false,
            has_strayed: false,
            start_ms: [start_ms, start_ms.saturating_add(first_share_ms)],
            base_us: time.start_ms().saturating_mul(1_000),
        }
    }

    /// Whether a match is played, or stopped in its middle.
    pub(super) fn is_in_play(&self) -> bool {
        matches!(self.state, State::Playing | State::Paused)
    }

    /// Without a match; the boards show this since `changed`.
    pub(super) fn wait(&mut self, views: &BTreeMap<BoardId, BoardView>, changed: HubTime) {
        for (id, board) in &mut self.boards {
            let view = views.get(id).cloned().unwrap_or_default();
            *board = BoardLife::new(board.clockless, &view);
        }
        (self.changed, self.entered) = (changed, changed);
        self.reset(State::Waiting);
    }

    /// A match that was opened at `at`, and nothing was read since.
    pub(super) fn reopen(&mut self, at: HubTime) -> Vec<Step> {
        self.step(at, Open);
        self.go(at, vec![Follow])
    }

    fn reset(&mut self, state: State) {
        self.state = state;
        (self.began, self.pressed, self.has_plies, self.has_run) = (None, None, false, false);
    }

    pub(super) fn changed(&self) -> HubTime {
        self.changed
    }

    /// Resets the plies for the next match: those that were reported while the last one ended belong to it.
    pub(super) fn forget_plies(&mut self) {
        self.has_plies = false;
    }

    /// A ply of the open match was reported.
    pub(super) fn note_ply(&mut self) {
        self.has_plies = true;
    }

    /// Play begins, or goes on: a press, a clock that starts, or a complete ply at a board without a clock.
    pub(super) fn play(&mut self, at: HubTime, is_reinstated: bool) -> Vec<Step> {
        let near = self.boards.values().all(BoardLife::is_near_start);
        let steps = match self.state {
            State::Waiting if near => vec![Open, Follow, Play],
            State::SetUp if near => vec![Follow, Play],
            State::Waiting | State::SetUp => vec![],
            State::Ready if self.is_touched && self.is_as_begun() => vec![Follow, Play],
            State::Ready => vec![Play],
            State::Playing if !is_reinstated && (self.next_put_back() || self.is_no_show(at)) => {
                vec![End, Open, Follow, Play]
            }
            State::Playing => vec![],
            State::Paused if !is_reinstated && self.next_set_up() => vec![End, Open, Follow, Play],
            State::Paused => vec![Play],
            State::Over => self.play_when_over(near),
        };
        self.go(at, steps)
    }

    /// People have decided the match before its first ply: what is played next is another one.
    pub(super) fn decide(&mut self, at: HubTime) -> Vec<Step> {
        let steps = match self.state {
            State::Waiting | State::Over => vec![],
            _ if self.is_as_begun() => vec![End, Open, Follow],
            // Nothing was played that could go on.
            _ => vec![End, Close],
        };
        self.go(at, steps)
    }

    fn play_when_over(&self, near: bool) -> Vec<Step> {
        let is_as_stopped = self.boards.values().all(BoardLife::is_as_stopped);
        let has_new_clocks =
            self.clocks().next().is_some() && self.clocks().all(|clock| self.shows_start(clock));
        // Pieces that were not touched were not set up.
        let is_untouched =
            self.has_plies && self.boards.values().all(BoardLife::is_exactly_as_stopped);
        let is_next =
            near && (self.is_exact() || (!is_untouched && (has_new_clocks || !is_as_stopped)));
        match (is_next, is_as_stopped) {
            (true, _) => vec![Open, Follow, Play],
            (false, true) => vec![TakeBack, Play],
            (false, false) => vec![],
        }
    }

    /// A press: what stands on its board is complete.
    pub(super) fn complete(&mut self, at: HubTime, board: BoardId, by: Color) {
        self.pressed = Some(at);
        if let Some(board) = self.boards.get_mut(&board).filter(|board| !board.is_done) {
            board.complete(by);
        }
    }

    /// Whether the match goes on without a board.
    pub(super) fn is_done(&self, board: BoardId) -> bool {
        self.boards.get(&board).is_some_and(|board| board.is_done)
    }

    /// Whether pieces were moved at a board after the match went on without it.
    pub(super) fn is_played_alone(&self) -> bool {
        self.boards.values().any(|board| board.is_done && !board.shows_its_start())
    }

    /// A piece is lifted. Pieces that hands would have put down by now are lost: the match is followed without them.
    pub(super) fn lift(&mut self, at: HubTime) -> Vec<Step> {
        let is_lost = self.state == State::Ready
            && self.is_touched
            && !self.is_as_begun()
            && self.is_set_up_but_for_faults()
            && after(self.changed, deadlines::NEARLY_SET_UP_STABLE) <= at;
        self.go(at, if is_lost { vec![Follow] } else { vec![] })
    }

    /// The squares of a board changed. `shows_play`: plies explain what has changed since it was set up. `all_at_once`: all were read together.
    pub(super) fn see_squares(
        &mut self,
        at: HubTime,
        id: BoardId,
        view: &BoardView,
        (shows_play, all_at_once): (bool, bool),
    ) -> Vec<Step> {
        let Some(board) = self.boards.get_mut(&id) else { return vec![] };
        let occupied = view.occupied.map(|occupied| occupied.0);
        if board.occupied == occupied {
            return vec![];
        }
        (board.occupied, board.changed) = (occupied, Some(at));
        (self.changed, self.is_touched) = (at, true);
        if board.is_done && board.is_as_played() {
            return self.go(at, vec![Restore(id)]);
        }
        if all_at_once && self.state == State::Ready {
            // Another board came to this cable, with other faults: what differed before says nothing about it.
            self.misplaced_at_start = usize::MAX;
        }
        let is_elsewhere = !self.boards.values().all(BoardLife::is_near_start);
        self.has_strayed |= is_elsewhere;
        if self.state == State::Ready && is_elsewhere && !shows_play {
            return self.go(at, vec![Drop]);
        }
        vec![]
    }

    /// A clock was read.
    pub(super) fn see_clock(&mut self, at: HubTime, id: BoardId, display: Display) -> Vec<Step> {
        let Some(board) = self.boards.get_mut(&id) else { return vec![] };
        let before = board.clock.replace(display);
        let gained = |before: Display| {
            (display.white_ms - before.white_ms).max(display.black_ms - before.black_ms)
        };
        // Before the first ply nothing is added to a clock that runs.
        let set_min_ms = if self.has_plies { SET_MIN_MS } else { 1 };
        let was_set = before.is_some_and(|before| {
            (before.white_runs.is_none() && before != display) || gained(before) >= set_min_ms
        });
        if matches!(self.state, State::Playing | State::Paused) {
            self.note_run(at);
        }
        let is_new_game = was_set && self.clocks().all(|clock| self.shows_start(clock));
        let is_running = self.clocks().any(|clock| clock.white_runs.is_some());
        let steps = match (self.state, is_running) {
            (State::Playing, true) => {
                let is_next = is_new_game && !self.has_plies && self.has_run && self.is_exact();
                if is_next { vec![End, Open, Follow, Play] } else { vec![] }
            }
            // It was set up while its clocks still ran for the last match: its time begins here.
            (State::Ready, false) if is_new_game && self.is_as_begun() => vec![Follow],
            (State::Playing | State::Paused, false) => self.stopped(is_new_game),
            (State::Over, false) if was_set && self.is_set_back() => vec![TakeBack, Pause],
            _ => vec![],
        };
        self.go(at, steps)
    }

    fn clocks(&self) -> impl Iterator<Item = Display> + '_ {
        self.boards.values().filter_map(|board| board.clock)
    }

    /// All displays are stopped.
    fn stopped(&mut self, is_new_game: bool) -> Vec<Step> {
        let may_be_over = self.may_be_over();
        if is_new_game && may_be_over && self.rest_is_done() {
            return vec![End];
        }
        // A board without a display may be played on.
        if self.boards.values().any(|board| board.clock.is_none()) {
            return vec![];
        }
        if !may_be_over && self.boards.values().all(BoardLife::is_set_up) {
            // A person tried the clocks.
            return vec![Follow];
        }
        let start_ms = self.start_ms;
        for board in self.boards.values_mut() {
            let shows_start =
                |it: Display| start_ms.contains(&it.white_ms) && start_ms.contains(&it.black_ms);
            if self.state != State::Paused {
                board.stop();
            } else if !board.clock.is_some_and(shows_start) {
                // The display of a reset clock belongs to the next match.
                board.shown_at_stop = board.clock;
            }
        }
        if self.state == State::Paused { vec![] } else { vec![Pause] }
    }

    /// Whether the clocks show again what they showed when the match was stopped, and its pieces are where they were.
    fn is_set_back(&self) -> bool {
        let is_back = |board: &BoardLife| {
            let (Some(now), Some(then)) = (board.clock, board.shown_at_stop) else {
                return board.clock.is_none();
            };
            let differ =
                (now.white_ms - then.white_ms).abs().max((now.black_ms - then.black_ms).abs());
            differ <= SET_BACK_MAX_MS && !self.shows_start(now)
        };
        self.boards.values().all(|board| board.is_as_stopped() && is_back(board))
            && self.boards.values().any(|board| board.clock.is_some())
    }

    /// Whether every board without a display is done with, where the displays are set to a new game.
    fn rest_is_done(&self) -> bool {
        let mut rest = self.boards.values().filter(|board| board.clock.is_none());
        rest.all(|board| board.misplaced() == 0 || board.is_cleared())
    }

    fn note_run(&mut self, at: HubTime) {
        let ran = self.began.is_some_and(|began| at.micros_since(began) >= BEGUN_US);
        self.has_run |= ran && self.state == State::Playing;
    }

    fn may_be_over(&self) -> bool {
        self.has_plies || self.has_run
    }

    /// Whether both sides have the time of the start.
    fn shows_start(&self, clock: Display) -> bool {
        [clock.white_ms, clock.black_ms].iter().all(|ms| self.start_ms.contains(ms))
    }

    fn is_exact(&self) -> bool {
        self.boards.values().all(|board| board.misplaced() == 0)
    }

    /// Whether the boards show the start, but for squares that differed when the match began to be followed.
    fn is_as_begun(&self) -> bool {
        self.boards.values().all(BoardLife::shows_its_start)
    }

    /// Whether the boards are in the initial position apart from squares that read wrongly: moves before a forgotten clock is started are
    /// found from there.
    fn is_set_up_but_for_faults(&self) -> bool {
        self.is_exact()
            || (self.state == State::SetUp && self.is_as_begun())
            || self.boards.values().all(BoardLife::is_set_up_but_for_faults)
    }

    /// Whether the boards of a stopped match are set up for the next one.
    fn next_set_up(&self) -> bool {
        self.may_be_over()
            && self.boards.values().all(BoardLife::is_set_up)
            && (self.has_strayed || self.boards.values().any(BoardLife::has_changed))
            && (self.has_plies || self.has_strayed)
    }

    /// The same while clocks may run: pieces were put back.
    fn next_put_back(&self) -> bool {
        self.has_plies
            && self.boards.values().all(BoardLife::is_set_up)
            && self.boards.values().any(BoardLife::was_put_back)
    }

    /// Whether no piece has moved for a player's whole time, at a table whose clocks do not show it.
    fn is_no_show(&self, at: HubTime) -> bool {
        !self.has_plies
            && self.boards.values().all(|board| board.clock.is_none() && board.is_near_start())
            && self.pressed.is_some_and(|pressed| at.micros_since(pressed) >= self.base_us)
    }

    /// Goes the steps.
    fn go(&mut self, at: HubTime, steps: Vec<Step>) -> Vec<Step> {
        for &step in &steps {
            self.step(at, step);
        }
        steps
    }

    fn step(&mut self, at: HubTime, step: Step) {
        let state = match step {
            Open | Close => {
                self.reset(State::Waiting);
                State::Waiting
            }
            Follow => {
                self.boards.values_mut().for_each(BoardLife::begin);
                self.misplaced_at_start = self.boards.values().map(BoardLife::misplaced).sum();
                (self.is_touched, self.has_strayed, self.began) = (false, false, None);
                State::Ready
            }
            Drop => State::SetUp,
            Play => {
                self.boards.values_mut().for_each(BoardLife::go_on);
                self.began.get_or_insert(at);
                State::Playing
            }
            Pause => State::Paused,
            End => {
                self.boards.values_mut().for_each(BoardLife::end);
                State::Over
            }
            // Later readings decide whether it is played.
            TakeBack => {
                self.boards.values_mut().for_each(|board| board.is_done = false);
                State::Paused
            }
            PutBack(id) | Restore(id) => {
                let board = self.boards.get_mut(&id);
                board.into_iter().for_each(|board| board.is_done = step == PutBack(id));
                self.state
            }
        };
        if state != self.state {
            (self.state, self.entered) = (state, at);
        }
    }
}
