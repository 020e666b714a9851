//! The clock at a DGT board: whole seconds, perhaps one second late, and a lever that is exact.
//!
//! The lever's moving is the press. Times are emitted as they are shown; the table's header informs inference that they are
//! whole seconds. A display at zero is no fallen flag before the clock reports one itself.
//! Releases differ in which player's time comes first, and in which bit says whose turn it is: both are settings, and a
//! clock that contradicts its lever for a while is reported, with the setting to check.

use readings::ReadingKind;
use rules::Color;

/// Time that is emitted for a display at zero while its flag is up: its last second.
const LAST_SECOND_MS: i64 = 500;
/// Rise above which a time counts as an error of the line until it is repeated.
const RISE_MAX_MS: i64 = 3_600_000;
/// A reading may show what stood there so long ago.
const LATE_MS: i64 = 1_000;
/// Contradictions in a row before a person gets a notice.
const CONTRADICTIONS_MAX: u8 = 5;

/// A side of the clock, seen from its front.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClockSide {
    /// Its left.
    Left,
    /// Its right.
    Right,
}

/// Settings on which sources disagree, or that depend on the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockSettings {
    /// White's side of the clock, while the board lies with its first rank at White.
    pub white: ClockSide,
    /// Side whose time comes first in a message.
    pub first_time: ClockSide,
    /// Side whose turn the lower of the two turn bits means.
    pub low_turn_bit: ClockSide,
}

impl Default for ClockSettings {
    fn default() -> ClockSettings {
        ClockSettings {
            white: ClockSide::Right,
            first_time: ClockSide::Right,
            low_turn_bit: ClockSide::Right,
        }
    }
}

/// A clock's display.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockDisplay {
    /// The two times, in the message's order, milliseconds.
    times_ms: [i64; 2],
    running: bool,
    /// The right player's side of the lever is up.
    right_up: bool,
    turn_bits: [bool; 2],
}

impl ClockDisplay {
    /// While a clock runs without a press, no time rises: one that does so by a second is late, and what was known
    /// before, perhaps from the press itself, is nearer.
    fn without_late_times(mut self, before: ClockDisplay) -> ClockDisplay {
        if before.running && self.running && before.right_up == self.right_up {
            for (now_ms, before_ms) in self.times_ms.iter_mut().zip(before.times_ms) {
                if (before_ms..=before_ms + LATE_MS).contains(now_ms) {
                    *now_ms = before_ms;
                }
            }
        }
        self
    }
}

/// Content of a clock message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockMessage {
    /// Times and lever.
    Shown(ClockDisplay),
    /// An answer to a command, or nothing at all.
    Nothing,
    /// No clock is connected.
    Absent,
    /// Not what a clock can show: an error of the line.
    Impossible,
}

/// Understands a clock's seven bytes.
pub fn decode(bytes: &[u8; 7]) -> ClockMessage {
    let [hours0, minutes0, seconds0, hours1, minutes1, seconds1, status] = *bytes;
    let acknowledgement = |hours: u8| hours & 0x0F == 0x0A;
    if *bytes == [0; 7] || acknowledgement(hours0) || acknowledgement(hours1) {
        return ClockMessage::Nothing;
    }
    if status & 0x20 != 0 {
        return ClockMessage::Absent;
    }
    let times = (time_ms(hours0, minutes0, seconds0), time_ms(hours1, minutes1, seconds1));
    let (Some(first), Some(second)) = times else { return ClockMessage::Impossible };
    ClockMessage::Shown(ClockDisplay {
        times_ms: [first, second],
        running: status & 0x01 != 0,
        right_up: status & 0x02 != 0,
        turn_bits: [status & 0x08 != 0, status & 0x10 != 0],
    })
}

/// A time of three bytes, milliseconds; none if no clock can show it.
pub(super) fn time_ms(hours: u8, minutes: u8, seconds: u8) -> Option<i64> {
    let two_digits = |byte: u8| {
        let (tens, ones) = (byte >> 4, byte & 0x0F);
        (tens < 6 && ones < 10).then_some(i64::from(tens * 10 + ones))
    };
    let fallen = hours & 0x50 != 0;
    let hours = Some(hours & 0x0F).filter(|&hours| hours < 10).map(i64::from)?;
    let ms = 1_000 * (3_600 * hours + 60 * two_digits(minutes)? + two_digits(seconds)?);
    Some(if ms == 0 && !fallen { LAST_SECOND_MS } else { ms })
}

/// State of a clock.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    settings: ClockSettings,
    /// The board lies the other way round.
    turned: bool,
    shown: Option<ClockDisplay>,
    /// A time that rose too much, until it is repeated.
    suspect: Option<[i64; 2]>,
    contradictions: Contradictions,
}

/// Number of contradictions of the lever in a row.
#[derive(Clone, Copy, Debug, Default)]
struct Contradictions {
    by_turn: u8,
    by_times: u8,
}

/// A message of the clock was an error of the line.
pub(super) struct ClockLineError;

impl Clock {
    pub(super) fn new(settings: ClockSettings) -> Clock {
        let contradictions = Contradictions::default();
        Clock { settings, turned: false, shown: None, suspect: None, contradictions }
    }

    /// Forgets the lever and the times.
    pub(super) fn forget(&mut self) {
        self.shown = None;
        self.suspect = None;
    }

    /// The board lies the other way round, or not.
    pub(super) fn turn(&mut self, turned: bool) {
        self.turned = turned;
    }

    /// Player at a side of the clock.
    pub(super) fn player(&self, side: ClockSide) -> Color {
        if (side == self.settings.white) != self.turned { Color::White } else { Color::Black }
    }

    /// Player of the `index`th time of a message.
    pub(super) fn player_of_time(&self, index: usize) -> Color {
        let first = self.player(self.settings.first_time);
        if index == 0 { first } else { first.other() }
    }

    /// Handles a press of the lever, which stopped the `index`th time of a message at `ms`, if the message has it.
    pub(super) fn press(&mut self, index: usize, ms: Option<i64>) -> Vec<ReadingKind> {
        let by = self.player_of_time(index);
        let mut news = vec![ReadingKind::Press { by }];
        let right_up = by == self.player(ClockSide::Left);
        if let Some(shown) = &mut self.shown {
            shown.times_ms[index] = ms.unwrap_or(shown.times_ms[index]);
            shown.right_up = right_up;
            let shown = *shown;
            // Whether a press starts a stopped clock is the clock's business.
            if shown.running {
                news.push(self.reading(shown));
            }
        }
        news
    }

    /// Whether the lever of a running clock has another position than is known.
    pub(super) fn lever_moved(&self, now: &ClockDisplay) -> bool {
        self.shown.is_some_and(|before| {
            before.right_up != now.right_up && (before.running || now.running)
        })
    }

    /// Index of the time, in a message's order, that the last move of this lever stopped.
    pub(super) fn index_pressed(&self, now: &ClockDisplay) -> usize {
        let stopped = if now.right_up { ClockSide::Left } else { ClockSide::Right };
        usize::from(stopped != self.settings.first_time)
    }

    /// News of a message: a press if `lever` is believed, and the display.
    pub(super) fn take(
        &mut self,
        now: ClockDisplay,
        lever: bool,
    ) -> Result<Vec<ReadingKind>, ClockLineError> {
        let before = self.shown;
        let rose = before.is_some_and(|before| {
            (0..2).any(|index| now.times_ms[index] - before.times_ms[index] > RISE_MAX_MS)
        });
        if rose && self.suspect != Some(now.times_ms) {
            self.suspect = Some(now.times_ms);
            return Err(ClockLineError);
        }
        self.suspect = None;
        let now = before.map_or(now, |before| now.without_late_times(before));
        self.shown = Some(now);
        self.look_for_contradictions(before, now);
        let mut news = Vec::new();
        if let Some(before) = before.filter(|before| before.right_up != now.right_up)
            && lever
            && (before.running || now.running)
        {
            let pressed = if now.right_up { ClockSide::Left } else { ClockSide::Right };
            news.push(ReadingKind::Press { by: self.player(pressed) });
        }
        if before != Some(now) {
            news.push(self.reading(now));
        }
        Ok(news)
    }

    /// Notice about a setting that cannot be right.
    pub(super) fn contradiction(&self) -> Option<&'static str> {
        let Contradictions { by_turn, by_times } = self.contradictions;
        if by_times >= CONTRADICTIONS_MAX {
            return Some(
                "the clock counts down the time of the player whose side of the lever is down: change clock_first_time",
            );
        }
        (by_turn >= CONTRADICTIONS_MAX).then_some(
            "the clock's turn bits contradict its lever: change clock_low_turn_bit; the lever is believed",
        )
    }

    fn look_for_contradictions(&mut self, before: Option<ClockDisplay>, now: ClockDisplay) {
        let Some(before) = before.filter(|before| before.running && now.running) else { return };
        let runs = if now.right_up { ClockSide::Right } else { ClockSide::Left };
        let count = |counter: &mut u8, contradicts: bool| {
            *counter = if contradicts { counter.saturating_add(1) } else { 0 };
        };
        let [low, high] = now.turn_bits;
        if low != high {
            let turn = if low == (self.settings.low_turn_bit == ClockSide::Right) {
                ClockSide::Right
            } else {
                ClockSide::Left
            };
            count(&mut self.contradictions.by_turn, turn != runs);
        }
        let fell = [0, 1].map(|index| now.times_ms[index] < before.times_ms[index]);
        if before.right_up == now.right_up && fell[0] != fell[1] {
            let first_runs = runs == self.settings.first_time;
            count(&mut self.contradictions.by_times, fell[0] != first_runs);
        }
    }

    fn reading(&self, shown: ClockDisplay) -> ReadingKind {
        let [first_ms, second_ms] = shown.times_ms;
        let (white_ms, black_ms) = if self.player_of_time(0).is_white() {
            (first_ms, second_ms)
        } else {
            (second_ms, first_ms)
        };
        let runs = if shown.right_up { ClockSide::Right } else { ClockSide::Left };
        let running = shown.running.then(|| self.player(runs));
        ReadingKind::Clock { white_ms, black_ms, running }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 4:59 for the first, 5:00 for the second time; running; the right side up.
    const RUNS: [u8; 7] = [0, 0x04, 0x59, 0, 0x05, 0x00, 0b0000_1011];

    fn shown(bytes: [u8; 7]) -> ClockDisplay {
        match decode(&bytes) {
            ClockMessage::Shown(shown) => shown,
            other => panic!("{other:?}"),
        }
    }

    fn take(clock: &mut Clock, bytes: [u8; 7]) -> Vec<ReadingKind> {
        clock.take(shown(bytes), true).unwrap_or_else(|ClockLineError| panic!("a line error"))
    }

    #[test]
    fn times_are_read_as_whole_seconds_and_the_running_side_by_the_lever() {
        let mut clock = Clock::new(ClockSettings::default());
        let news = take(&mut clock, RUNS);
        let running = Some(Color::White);
        assert_eq!(news, [ReadingKind::Clock { white_ms: 299_000, black_ms: 300_000, running }]);
    }

    #[test]
    fn the_lever_is_the_press_of_the_side_that_went_down() {
        let mut clock = Clock::new(ClockSettings::default());
        take(&mut clock, RUNS);
        let mut pressed = RUNS;
        pressed[6] = 0b0001_0001;
        let news = take(&mut clock, pressed);
        assert_eq!(news[0], ReadingKind::Press { by: Color::White });
        assert!(matches!(news[1], ReadingKind::Clock { running: Some(Color::Black), .. }));
        assert!(take(&mut clock, pressed).is_empty(), "the same again is no news");
    }

    #[test]
    fn either_convention_and_either_seat_is_a_setting() {
        let conventions = ClockSettings { first_time: ClockSide::Left, ..ClockSettings::default() };
        let news = take(&mut Clock::new(conventions), RUNS);
        let running = Some(Color::White);
        assert_eq!(news, [ReadingKind::Clock { white_ms: 300_000, black_ms: 299_000, running }]);
        let mut turned = Clock::new(ClockSettings::default());
        turned.turn(true);
        let running = Some(Color::Black);
        let clock = ReadingKind::Clock { white_ms: 300_000, black_ms: 299_000, running };
        assert_eq!(take(&mut turned, RUNS), std::slice::from_ref(&clock));
        let left = ClockSettings { white: ClockSide::Left, ..ClockSettings::default() };
        assert_eq!(take(&mut Clock::new(left), RUNS), [clock]);
    }

    #[test]
    fn acknowledgements_and_zeros_are_no_times() {
        assert_eq!(decode(&[0; 7]), ClockMessage::Nothing);
        assert_eq!(decode(&[0x0A, 0x10, 0, 0, 0, 0, 1]), ClockMessage::Nothing);
        assert_eq!(decode(&[0, 5, 0, 0x1A, 0, 0, 1]), ClockMessage::Nothing);
        assert_eq!(decode(&[0, 0, 0, 0, 0, 0, 0x20]), ClockMessage::Absent);
    }

    #[test]
    fn what_no_clock_shows_is_an_error_of_the_line() {
        for wrong in [[0, 0x60, 0], [0, 0x0F, 0], [0x0F, 0, 0], [0, 0, 0x7A]] {
            let bytes = [wrong[0], wrong[1], wrong[2], 0, 5, 0, 1];
            assert_eq!(decode(&bytes), ClockMessage::Impossible, "{wrong:?}");
        }
    }

    #[test]
    fn a_rise_of_more_than_an_hour_is_believed_when_it_is_said_twice() {
        let mut clock = Clock::new(ClockSettings::default());
        take(&mut clock, RUNS);
        let mut risen = RUNS;
        risen[0] = 2;
        assert!(clock.take(shown(risen), true).is_err());
        assert_eq!(take(&mut clock, RUNS), []);
        assert!(clock.take(shown(risen), true).is_err());
        assert_eq!(take(&mut clock, risen).len(), 1);
    }

    #[test]
    fn a_late_reading_after_a_press_does_not_change_the_time_at_the_press() {
        let mut clock = Clock::new(ClockSettings::default());
        take(&mut clock, RUNS);
        // White, whose time comes first, is stopped at 4:57; the clock then says 4:58 once.
        clock.press(0, Some(297_000));
        let late = [0, 0x04, 0x58, 0, 0x05, 0x00, 0b0001_0001];
        take(&mut clock, late);
        let shown = clock.shown.map(|shown| shown.times_ms);
        assert_eq!(shown, Some([297_000, 300_000]));
    }

    #[test]
    fn a_display_at_nothing_has_fallen_only_when_the_clock_says_so() {
        assert_eq!(time_ms(0, 0, 0), Some(LAST_SECOND_MS));
        assert_eq!(time_ms(0x10, 0, 0), Some(0));
        assert_eq!(time_ms(0x40, 0, 0), Some(0));
    }

    #[test]
    fn a_wrong_convention_is_found_out_and_named() {
        for (settings, key) in [
            (
                ClockSettings { low_turn_bit: ClockSide::Left, ..ClockSettings::default() },
                "clock_low_turn_bit",
            ),
            (
                ClockSettings { first_time: ClockSide::Left, ..ClockSettings::default() },
                "clock_first_time",
            ),
        ] {
            let mut clock = Clock::new(settings);
            for second in 0..10 {
                let mut bytes = RUNS;
                bytes[2] = 0x59 - second;
                take(&mut clock, bytes);
            }
            assert!(clock.contradiction().is_some_and(|said| said.contains(key)), "{key}");
        }
    }
}
