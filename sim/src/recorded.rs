//! A recorded game, whatever notation it was read from: what hands can play again.
//!
//! A match of bughouse comes from BPGN, a game of chess from PGN. What the simulation needs of both is
//! the same: who made which ply, how long it took, how the clocks were set, and whose flag fell.
//! Everything behind this module knows recorded games alone, so there is one way to plan and to stage
//! them.

use std::convert::Infallible;

use rules::{
    BoardId, Color, DelayKind, Game, MAX_BASE_S, Period, Ply, Seat, TimeControl, TimeControlError,
    bpgn::{self, BpgnGame, BpgnPly, EndReason},
    pgn::{GameResult, PgnGame},
};

use crate::SimError;

/// Default time of players where a record has none, seconds: G/5, no delay (`us-chess-bughouse-2018 4`).
const BASE_S: u32 = 300;
/// Base times below this are probably minutes, seconds.
const SHORT_BASE_S: u32 = 30;
/// The tag of a delay, which PGN's own tags cannot tell: seconds and kind, as in `5 us` or `3 bronstein`.
pub const DELAY_TAG: &str = "Delay";

/// A game that was played and written down, from the initial position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedGame {
    /// The game. Chess is played on board A.
    pub game: Game,
    /// Name in the record, if it has one: a word that can name a file.
    pub name: Option<String>,
    /// The plies of all boards, in order of play.
    pub plies: Vec<RecordedPly>,
    /// Time control of the table's clocks.
    pub time: TimeControl,
    /// Player whose flag fell at the end.
    pub flagged: Option<Seat>,
    /// Result of the record; White of a game of chess is team 1.
    pub result: bpgn::MatchResult,
    /// Warnings about the record, in words.
    pub warnings: Vec<String>,
}

/// A ply of a recorded game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedPly {
    /// The board it was made at.
    pub board: BoardId,
    /// The side that made it.
    pub color: Color,
    /// The move or drop.
    pub ply: Ply,
    /// Its duration.
    pub think: Think,
}

/// Duration of a ply by the recorded clocks, from the opponent's press to the own, microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Think {
    /// Exact duration.
    Took(u64),
    /// Upper bound: less than the delay, which the clock does not show.
    AtMost(u64),
    /// No clock was written down.
    Unknown,
}

impl TryFrom<&BpgnGame> for RecordedGame {
    type Error = SimError;

    /// The lever clocks of a bughouse table add no time: an increment in the record only serves to read thinking times
    /// off the recorded clocks.
    fn try_from(record: &BpgnGame) -> Result<Self, Self::Error> {
        if record.has_set_up() {
            return Err(SimError::StartPosition);
        }
        let mut warnings: Vec<String> = record.warnings.iter().map(ToString::to_string).collect();
        let recorded = bughouse_time(record.tag("TimeControl"));
        let shown = record.plies.iter().filter_map(|ply| ply.clock_ms);
        let recorded = or_usual(recorded, shown, &mut warnings)?;
        let base_s = recorded.periods().first().map_or(BASE_S, |period| period.base_s);
        let time = TimeControl::sudden_death(base_s, 0)
            .map_err(|source| bad_time(&recorded.to_pgn_tag(), source))?;
        let mut clocks = [PlayerClock::new(&recorded); 4];
        let plies = record.plies.iter().map(|&BpgnPly { board, color, ply, clock_ms, .. }| {
            let clock = &mut clocks[Seat { board, color }.index()];
            RecordedPly { board, color, ply, think: clock.think(&recorded, clock_ms) }
        });
        let ending = record.ending.as_ref();
        let lost = ending.filter(|ending| ending.reason == EndReason::ForfeitsOnTime);
        Ok(RecordedGame {
            game: Game::Bughouse,
            name: last_word(record.tag("Event")),
            plies: plies.collect(),
            time,
            flagged: lost.and_then(|ending| ending.loser),
            result: record.result,
            warnings,
        })
    }
}

impl TryFrom<&PgnGame> for RecordedGame {
    type Error = SimError;

    fn try_from(record: &PgnGame) -> Result<Self, Self::Error> {
        if record.has_set_up() {
            return Err(SimError::StartPosition);
        }
        let mut warnings: Vec<String> = record.warnings.iter().map(ToString::to_string).collect();
        let time = time_control(record.tag("TimeControl"), record.tag(DELAY_TAG));
        let shown = record.plies.iter().filter_map(|ply| ply.clock_ms);
        let time = or_usual(time, shown, &mut warnings)?;
        let mut clocks = [PlayerClock::new(&time); 2];
        let mut to_move = Color::White;
        let mut plies = Vec::with_capacity(record.plies.len());
        for ply in &record.plies {
            let clock = &mut clocks[usize::from(to_move.is_black())];
            plies.push(RecordedPly {
                board: BoardId::A,
                color: to_move,
                ply: ply.ply,
                think: clock.think(&time, ply.clock_ms),
            });
            to_move = to_move.other();
        }
        let on_time = record.tag("Termination").is_some_and(|text| {
            let text = text.to_lowercase();
            text.contains("time forfeit") || text.contains("on time")
        });
        let flagged = on_time.then_some(match record.result {
            GameResult::White => Color::Black,
            GameResult::Black => Color::White,
            // Against a bare king: the flag of the side to move fell.
            _ => to_move,
        });
        Ok(RecordedGame {
            game: Game::Chess,
            name: last_word(record.tag("GameId")),
            plies,
            time,
            flagged: flagged.map(|color| Seat { board: BoardId::A, color }),
            result: match record.result {
                GameResult::White => bpgn::MatchResult::TeamOne,
                GameResult::Black => bpgn::MatchResult::TeamTwo,
                GameResult::Draw => bpgn::MatchResult::Draw,
                GameResult::BothLost | GameResult::Unknown => bpgn::MatchResult::Unknown,
            },
            warnings,
        })
    }
}

impl From<&RecordedGame> for RecordedGame {
    fn from(game: &RecordedGame) -> RecordedGame {
        game.clone()
    }
}

impl From<Infallible> for SimError {
    fn from(never: Infallible) -> SimError {
        match never {}
    }
}

/// Default time control of a table's clocks.
///
/// # Errors
///
/// None that can happen: the usual time is a time control.
pub(crate) fn usual_time() -> Result<TimeControl, SimError> {
    time_control(None, None)
}

/// The time control of two tags.
fn time_control(tag: Option<&str>, delay: Option<&str>) -> Result<TimeControl, SimError> {
    let value = tag.unwrap_or_default();
    let of_tag = TimeControl::from_pgn_tag(value).map_err(|source| bad_time(value, source))?;
    let whole = vec![Period { base_s: BASE_S, moves: None }];
    let (periods, increment_s) = match &of_tag {
        Some(time) => (time.periods().to_vec(), time.increment_s()),
        None => (whole, 0),
    };
    let (delay_s, kind) = match delay {
        None => (0, DelayKind::Us),
        Some(text) => parse_delay(text).ok_or_else(|| SimError::Delay(shortened(text)))?,
    };
    TimeControl::new(periods, increment_s, delay_s, kind).map_err(|source| bad_time(value, source))
}

/// The time control of a match of bughouse, which has one period.
fn bughouse_time(tag: Option<&str>) -> Result<TimeControl, SimError> {
    let time = time_control(tag, None)?;
    match time.periods() {
        [Period { moves: None, .. }] => Ok(time),
        _ => Err(SimError::BughousePeriods(time.to_pgn_tag())),
    }
}

/// The time control that a record says, or the usual one with a warning: tags are remarks and cost no game. The usual one is at least
/// what a clock of the record showed.
fn or_usual(
    said: Result<TimeControl, SimError>,
    shown_ms: impl Iterator<Item = i64>,
    warnings: &mut Vec<String>,
) -> Result<TimeControl, SimError> {
    let error = match said {
        Ok(time) => {
            let base_s = time.periods().first().map_or(0, |period| period.base_s);
            if (1..SHORT_BASE_S).contains(&base_s) {
                warnings.push(format!(
                    "the TimeControl tag says {base_s} seconds; if minutes are meant, write \"{}+{}\"",
                    base_s * 60,
                    time.increment_s()
                ));
            }
            return Ok(time);
        }
        Err(error) => error,
    };
    let shown_s = shown_ms.max().map_or(0, |ms| u32::try_from(ms / 1_000 + 1).unwrap_or(0));
    let base_s = BASE_S.max(shown_s.min(MAX_BASE_S));
    warnings.push(format!("{error}. The clocks are set to {base_s} seconds"));
    TimeControl::sudden_death(base_s, 0).map_err(|source| bad_time("", source))
}

fn bad_time(value: &str, source: TimeControlError) -> SimError {
    SimError::TimeControl { value: shortened(value), source }
}

fn parse_delay(text: &str) -> Option<(u32, DelayKind)> {
    let (seconds, kind) = text.trim().split_once(' ')?;
    let kind = match kind.trim() {
        "us" => DelayKind::Us,
        "bronstein" => DelayKind::Bronstein,
        _ => return None,
    };
    Some((seconds.parse().ok()?, kind))
}

/// Text for an error: nobody reads more than this of it.
fn shortened(text: &str) -> String {
    text.chars().take(64).collect()
}

/// The last word of a tag, if it can be part of a file's name.
fn last_word(tag: Option<&str>) -> Option<String> {
    let is_fit = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let word = tag?.split_whitespace().next_back()?;
    word.chars().all(is_fit).then(|| word.to_owned())
}

/// A player's clock as it was written down after each ply.
#[derive(Clone, Copy)]
struct PlayerClock {
    before_ms: Option<i64>,
    plies: u32,
}

impl PlayerClock {
    fn new(time: &TimeControl) -> PlayerClock {
        PlayerClock { before_ms: i64::try_from(time.start_ms()).ok(), plies: 0 }
    }

    /// Duration of the player's next ply, given the clock's time after it:
    ///
    /// `used = before + increment + base of the period that begins − after`, and a delay goes on top of it: the clock
    /// stood for that long, or gave it back.
    fn think(&mut self, time: &TimeControl, after_ms: Option<i64>) -> Think {
        self.plies = self.plies.saturating_add(1);
        let before_ms = std::mem::replace(&mut self.before_ms, after_ms);
        let (Some(before_ms), Some(after_ms)) = (before_ms, after_ms) else {
            return Think::Unknown;
        };
        // A flag that had fallen is shown as no time, however long ago it fell.
        let after_ms = after_ms.max(0);
        // With no time used, a Bronstein clock gives nothing back.
        let gained_ms = i64::try_from(time.gain_ms(self.plies, 0)).unwrap_or(i64::MAX);
        let used_ms = before_ms.max(0).saturating_add(gained_ms).saturating_sub(after_ms).max(0);
        let us = |ms: i64| u64::try_from(ms).unwrap_or(0).saturating_mul(1_000);
        let delay_us = u64::from(time.delay_s()) * 1_000_000;
        if delay_us > 0 && used_ms == 0 {
            return Think::AtMost(delay_us);
        }
        Think::Took(us(used_ms) + delay_us)
    }
}

#[cfg(test)]
mod tests;
