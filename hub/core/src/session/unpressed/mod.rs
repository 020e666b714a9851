//! Presses that stillness implies at boards without clocks. Pure.
//!
//! Inference completes a ply by the press of its mover. Two kinds of play have none: a board without a clock, and the moves before a
//! clock that was forgotten is started. Here the readings get the presses that a clock would have told.
//!
//! | board | a ply is complete when |
//! |---|---|
//! | without a clock | the opponent answers: lifts a piece of the other colour, or drops one; or the board is left alone for [`STILL_US`] |
//! | with a clock, before its first press | the opponent answers. It counts when a clock is started after [`FORGOTTEN_MIN`] plies; where only the other board's clock was started, at once if its display is stopped |
//! | with a clock, after it | its mover presses: nothing is added |
//!
//! A ply that is not complete is none: a piece in the hand, an own piece put right, a captured piece that was lifted first. A piece that
//! replaces another faster than the board is read leaves no trace; then two plies get one press, and inference separates them.

mod board_plies;
mod put_back;

use std::collections::VecDeque;

use readings::{Reading, ReadingKind, TraceHeader};
use rules::{BoardId, Color};

use board_plies::BoardPlies;
pub use put_back::without_put_back;
pub(super) use put_back::without_put_back_at;

/// Time without a change after which a ply counts as complete at a board without a clock, microseconds.
pub(super) const STILL_US: u64 = 2_500_000;
/// Minimum number of plies before the first press that show that a clock was forgotten: one or two are a start that came too early.
pub(super) const FORGOTTEN_MIN: u32 = 3;
/// Maximum number of readings before the first press that are held. Beyond them they are passed on as they are.
const HELD_MAX: usize = 4_096;

/// Readings with the implied presses.
#[derive(Clone, Debug)]
pub(super) struct Unpressed {
    boards: [UnpressedBoard; 2],
    /// Readings since the first change of a square, and presses among them, while no clock has been started.
    held: Vec<Held>,
    /// Whether readings are held until a clock is started.
    holds: bool,
    ready: VecDeque<Reading>,
}

#[derive(Clone, Debug)]
struct UnpressedBoard {
    clockless: bool,
    /// Whether its clock has a display that is read, and whether it was started.
    has_display: bool,
    is_started: bool,
    plies: BoardPlies,
}

#[derive(Clone, Debug)]
enum Held {
    Read(Reading),
    /// Would have been made.
    Press(Reading),
}

impl Unpressed {
    /// The readings of a match that begins.
    #[must_use]
    pub(in crate::session) fn new(header: &TraceHeader) -> Unpressed {
        let clockless = |id| header.boards.get(&id).is_some_and(|board| board.clockless);
        let board = |id| UnpressedBoard {
            clockless: clockless(id),
            has_display: false,
            is_started: false,
            plies: BoardPlies::new(header.game),
        };
        Unpressed {
            boards: BoardId::ALL.map(board),
            held: Vec::new(),
            holds: !BoardId::ALL.into_iter().any(clockless),
            ready: VecDeque::new(),
        }
    }

    /// Takes the next reading; [`Self::poll`] returns what is passed on.
    pub(in crate::session) fn take(&mut self, reading: &Reading) {
        let Some(board) = reading.board else {
            self.release(true);
            self.ready.push_back(reading.clone());
            return;
        };
        if starts(&reading.kind) {
            self.boards[board.index()].is_started = true;
            if self.holds {
                self.release(true);
            }
        }
        if matches!(reading.kind, ReadingKind::Clock { running: None, .. }) && !self.has_begun() {
            // It was left on after the last game, or tried.
            self.boards[board.index()].is_started = false;
            self.holds = !self.boards.iter().any(|it| it.clockless || it.is_started);
        }
        let is_clock = matches!(reading.kind, ReadingKind::Clock { .. });
        self.boards[board.index()].has_display |= is_clock;
        let of_board = &mut self.boards[board.index()];
        let complete = of_board.plies.take(reading.t_us, &reading.kind).into_iter();
        let presses = complete.map(|by| press(reading.t_us, board, by));
        if self.holds {
            self.hold(presses.collect(), reading);
            return;
        }
        // Once its clock runs, its presses are read.
        let is_stopped = of_board.has_display && !of_board.is_started;
        let is_missing = of_board.clockless || is_stopped || of_board.is_forgotten();
        self.ready.extend(presses.filter(|_| is_missing));
        self.ready.push_back(reading.clone());
    }

    /// Whether a piece was moved.
    fn has_begun(&self) -> bool {
        let moved = |it: &UnpressedBoard| it.plies.count() > 0 || it.plies.pending().is_some();
        !self.held.is_empty() || self.boards.iter().any(moved)
    }

    fn hold(&mut self, presses: Vec<Reading>, reading: &Reading) {
        let is_change = matches!(reading.kind, ReadingKind::Square { .. });
        if self.held.is_empty() && !is_change {
            self.ready.push_back(reading.clone());
            return;
        }
        self.held.extend(presses.into_iter().map(Held::Press));
        self.held.push(Held::Read(reading.clone()));
        if self.held.len() > HELD_MAX {
            self.release(false);
        }
    }

    /// Passes on what is held.
    fn release(&mut self, with_presses: bool) {
        self.holds = false;
        // The last of them is completed by the press that starts the clock.
        let made = |plies: &BoardPlies| plies.count() + u32::from(plies.pending().is_some());
        let is_forgotten =
            BoardId::ALL.map(|id| made(&self.boards[id.index()].plies) >= FORGOTTEN_MIN);
        let mut to_start = is_forgotten.map(|it| it && with_presses);
        for held in std::mem::take(&mut self.held) {
            match held {
                Held::Read(reading) => {
                    // Black would have started the clock before the first change.
                    let to_start = reading.board.map(|board| (board, &mut to_start[board.index()]));
                    if let Some((board, true)) = to_start.map(|(id, it)| (id, std::mem::take(it))) {
                        self.ready.push_back(press(reading.t_us, board, Color::Black));
                    }
                    self.ready.push_back(reading);
                }
                Held::Press(press) => {
                    let of = press.board.is_some_and(|board| is_forgotten[board.index()]);
                    self.ready.extend(Some(press).filter(|_| with_presses && of));
                }
            }
        }
    }

    /// The next reading to pass on.
    pub(in crate::session) fn poll(&mut self) -> Option<Reading> {
        self.ready.pop_front()
    }

    /// Whether readings are held: then time must not pass for the follower.
    #[must_use]
    pub(in crate::session) fn is_holding(&self) -> bool {
        !self.held.is_empty()
    }

    /// Time at which stillness completes a ply, match time.
    #[must_use]
    pub(in crate::session) fn poll_timeout(&self) -> Option<u64> {
        self.still().map(|(at_us, ..)| at_us).min()
    }

    /// Lets time pass.
    pub(in crate::session) fn advance(&mut self, t_us: u64) {
        let due: Vec<_> = self.still().filter(|&(at_us, ..)| at_us <= t_us).collect();
        for (at_us, board, by) in due {
            self.boards[board.index()].plies.complete();
            self.ready.push_back(press(at_us, board, by));
        }
    }

    fn still(&self) -> impl Iterator<Item = (u64, BoardId, Color)> + '_ {
        BoardId::ALL.into_iter().filter_map(|id| {
            let board = &self.boards[id.index()];
            let mover = board.plies.pending().filter(|_| board.clockless)?;
            Some((board.plies.changed_us() + STILL_US, id, mover))
        })
    }

    /// Plies of a board so far.
    pub(super) fn plies(&self, board: BoardId) -> u32 {
        self.boards[board.index()].plies.count()
    }

    /// Whether plies were made at a board whose clock was not started.
    pub(super) fn is_forgotten(&self, board: BoardId) -> bool {
        self.boards[board.index()].is_forgotten()
    }

    /// Whether plies explain all that has changed on the boards.
    pub(super) fn shows_play(&self) -> bool {
        BoardId::ALL.into_iter().all(|id| {
            let plies = &self.boards[id.index()].plies;
            plies.count() == 0 || plies.explains_all()
        }) && BoardId::ALL.into_iter().any(|id| self.plies(id) > 0)
    }
}

/// The readings of a whole match with the presses that were implied while it was played, and without what put the pieces back after it.
#[must_use]
pub fn with_implied_presses(header: &TraceHeader, readings: &[Reading]) -> Vec<Reading> {
    let mut unpressed = Unpressed::new(header);
    let mut pressed = Vec::with_capacity(readings.len());
    let readings = without_put_back(header, readings);
    for reading in &readings {
        unpressed.advance(reading.t_us);
        unpressed.take(reading);
        pressed.extend(std::iter::from_fn(|| unpressed.poll()));
    }
    // Whoever moved last left the board alone.
    let still_us = readings.last().map_or(0, |last| last.t_us.saturating_add(STILL_US));
    unpressed.advance(still_us);
    pressed.extend(std::iter::from_fn(|| unpressed.poll()));
    pressed
}

impl UnpressedBoard {
    fn is_forgotten(&self) -> bool {
        !self.clockless && !self.is_started && self.plies.count() >= FORGOTTEN_MIN
    }
}

const fn press(t_us: u64, board: BoardId, by: Color) -> Reading {
    Reading { t_us, board: Some(board), kind: ReadingKind::Press { by } }
}

/// Whether a reading shows that a clock was started.
const fn starts(kind: &ReadingKind) -> bool {
    matches!(kind, ReadingKind::Press { .. } | ReadingKind::Clock { running: Some(_), .. })
}

#[cfg(test)]
mod tests;
