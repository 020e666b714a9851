//! The clock at a DGT board, and its check: the journal has displays that it showed, each press of its lever once, and its display at the end.

use std::sync::{Arc, Mutex, PoisonError};

use readings::ReadingKind;
use rules::Color;

use crate::floor::device::Act;

/// Time of each side at the beginning, µs.
const START_US: u64 = 180_000_000;
/// Maximum age of the times in a board's report, µs.
const LATE_US: u64 = 1_300_000;
/// Distance of the times at which a display is compared, µs: whole seconds are shown.
const STEP_US: u64 = 100_000;
/// Maximum absence of a board that is not reported as silent, µs: acts meanwhile count when it is back.
const AWAY_US: u64 = 2_000_000;
/// The board reads its clock once a scan. A press is seen for certain if the clock is otherwise untouched for this time before and after it, µs.
const ALONE_US: u64 = 800_000;
/// Before that a board may not be known yet, µs.
const KNOWN_US: u64 = 5_000_000;

/// State of a clock at a time.
#[derive(Clone, Copy, Debug)]
struct Stand {
    at_us: u64,
    white_us: u64,
    black_us: u64,
    white_down: bool,
    runs: bool,
}

impl Stand {
    fn running(&self) -> Option<Color> {
        let running = if self.white_down { Color::Black } else { Color::White };
        self.runs.then_some(running)
    }

    fn left_us(&self, color: Color) -> u64 {
        if color.is_white() { self.white_us } else { self.black_us }
    }

    /// The same later, if nobody touches it.
    fn after(mut self, at_us: u64) -> Stand {
        let ran_us = at_us.saturating_sub(self.at_us);
        match self.running() {
            Some(Color::White) => self.white_us = self.white_us.saturating_sub(ran_us),
            Some(Color::Black) => self.black_us = self.black_us.saturating_sub(ran_us),
            None => {}
        }
        Stand { at_us, ..self }
    }

    /// A display of whole seconds.
    fn shown_ms(&self, color: Color) -> i64 {
        (self.left_us(color) / 1_000_000).cast_signed() * 1_000
    }
}

/// A press of the lever.
#[derive(Clone, Copy, Debug)]
struct LeverPress {
    at_us: u64,
    by: Color,
    /// Whether the clock ran, and its hub receives the press.
    counts: bool,
}

/// A clock, with all that was done at it.
#[derive(Clone, Debug)]
pub(crate) struct LeverClock {
    stands: Vec<Stand>,
    presses: Vec<LeverPress>,
    /// The first press that may still be reported.
    next: usize,
    /// Presses in the journal: the earliest time of each, the time at which it was received, and its side.
    told: Vec<(u64, u64, Color)>,
    /// Display in the journal.
    journalled: Option<(i64, i64, Option<Color>)>,
    /// The first wrong reading in the journal, in words.
    pub(super) wrong: Option<String>,
}

/// A clock at which the board looks.
pub(crate) type SharedClock = Arc<Mutex<LeverClock>>;

/// Does something with a clock.
pub(super) fn with<T>(clock: &SharedClock, does: impl FnOnce(&mut LeverClock) -> T) -> T {
    does(&mut clock.lock().unwrap_or_else(PoisonError::into_inner))
}

impl LeverClock {
    pub(super) fn new() -> LeverClock {
        let stand = Stand {
            at_us: 0,
            white_us: START_US,
            black_us: START_US,
            white_down: false,
            runs: false,
        };
        let (stands, presses) = (vec![stand], Vec::new());
        LeverClock { stands, presses, next: 0, told: Vec::new(), journalled: None, wrong: None }
    }

    fn at(&self, at_us: u64) -> Stand {
        let behind = self.stands.partition_point(|stand| stand.at_us <= at_us).max(1);
        self.stands[behind - 1].after(at_us)
    }

    pub(super) fn left_us(&self, color: Color, at_us: u64) -> u64 {
        self.at(at_us).left_us(color)
    }

    pub(super) fn running(&self, at_us: u64) -> Option<Color> {
        self.at(at_us).running()
    }

    pub(super) fn white_down(&self, at_us: u64) -> bool {
        self.at(at_us).white_down
    }

    /// A hand acts at it.
    pub(super) fn act(&mut self, at_us: u64, act: Act, is_heard: bool) {
        let stand = self.at(at_us);
        let stand = match act {
            Act::Lever => Stand { white_down: !stand.white_down, ..stand },
            Act::Start => Stand { runs: true, ..stand },
            Act::Stop => Stand { runs: false, ..stand },
            Act::SetUp => Stand { white_us: START_US, black_us: START_US, runs: false, ..stand },
            Act::Touch | Act::Hand | Act::Poison => return,
        };
        if act == Act::Lever {
            let by = if stand.white_down { Color::White } else { Color::Black };
            let press = LeverPress { at_us, by, counts: stand.runs && is_heard };
            self.presses.push(press);
        }
        self.stands.push(stand);
    }

    /// The journal has a reading that was received at `heard_us`, at most `slack_us` after its time.
    pub(super) fn committed(&mut self, kind: &ReadingKind, heard_us: u64, slack_us: u64) {
        let from_us = heard_us.saturating_sub(slack_us + AWAY_US);
        let wrong = match *kind {
            ReadingKind::Clock { white_ms, black_ms, running } => {
                self.journalled = Some((white_ms, black_ms, running));
                (!self.showed(from_us, heard_us, (white_ms, black_ms, running)))
                    .then_some("a display")
            }
            ReadingKind::Press { by } => {
                self.told.push((heard_us.saturating_sub(slack_us), heard_us, by));
                (!self.take_press(from_us, heard_us, by)).then_some("a press")
            }
            _ => None,
        };
        if let Some(what) = wrong {
            let words = format!("{what} that was not, heard at {heard_us} µs: {kind:?}");
            self.wrong.get_or_insert(words);
        }
    }

    /// Whether each part of a display was to be seen between two times, the times some time before, too.
    fn showed(
        &self,
        from_us: u64,
        to_us: u64,
        (white_ms, black_ms, running): (i64, i64, Option<Color>),
    ) -> bool {
        let times = || {
            // Displays that were shown for a moment, until a hand set the clock, too.
            let until_acts = self.stands.iter().map(|stand| stand.at_us.saturating_sub(1));
            let from_us = from_us.saturating_sub(LATE_US);
            let times = (from_us..to_us).step_by(STEP_US as usize);
            times.chain([to_us]).chain(until_acts.filter(move |it| (from_us..to_us).contains(it)))
        };
        let of_acts = self.stands.iter().filter(|it| (from_us..=to_us).contains(&it.at_us));
        let runs = |stand: &Stand| stand.running() == running;
        (runs(&self.at(from_us)) || of_acts.clone().any(runs))
            && times().any(|at_us| self.at(at_us).shown_ms(Color::White) == white_ms)
            && times().any(|at_us| self.at(at_us).shown_ms(Color::Black) == black_ms)
    }

    /// Whether there was such a press between two times, and neither it nor a later one was reported.
    fn take_press(&mut self, from_us: u64, to_us: u64, by: Color) -> bool {
        let is_it = |press: &LeverPress| press.by == by && (from_us..=to_us).contains(&press.at_us);
        let found = self.presses.iter().skip(self.next).position(is_it);
        if let Some(place) = found {
            self.next += place + 1;
        }
        found.is_some()
    }

    /// Whether the journal has its present display.
    pub(super) fn is_known(&self, now_us: u64) -> bool {
        let stand = self.at(now_us);
        let shown = (stand.shown_ms(Color::White), stand.shown_ms(Color::Black), stand.running());
        self.journalled == Some(shown)
    }

    /// A press that the board has seen for certain, and the journal lacks.
    pub(super) fn untold(&self) -> Option<String> {
        let is_alone = |press: &LeverPress| {
            let is_near = |stand: &&Stand| stand.at_us.abs_diff(press.at_us) < ALONE_US;
            self.stands.iter().filter(is_near).count() == 1
        };
        let is_told = |press: &LeverPress| {
            let is_it = |&(from_us, to_us, by): &(u64, u64, Color)| {
                by == press.by && (from_us..=to_us).contains(&press.at_us)
            };
            self.told.iter().any(is_it)
        };
        let is_missing = |press: &&LeverPress| {
            press.counts && press.at_us > KNOWN_US && is_alone(press) && !is_told(press)
        };
        let press = self.presses.iter().find(is_missing)?;
        Some(format!("the press of {:?} at {} µs is not in the journal", press.by, press.at_us))
    }
}
