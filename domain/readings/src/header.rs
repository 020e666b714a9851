//! The first line of a trace: which game, with which boards and how much time.

use std::collections::BTreeMap;

use rules::{BoardId, Game, Supply, TimeControl};
use serde::{Deserialize, Serialize};

/// The version of the trace format that this crate reads and writes.
pub(crate) const TRACE_VERSION: u32 = 1;

/// The first line of a trace: what was played, with which boards.
///
/// Reading one [checks](Self::check) that it agrees with itself; what is put together in a program can be checked too.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written")]
pub struct TraceHeader {
    /// Always `"trace"`.
    pub twinboard: String,
    /// Format version, 1.
    pub version: u32,
    /// Match identifier, also the file's stem.
    #[serde(rename = "match")]
    pub match_id: String,
    /// Rulebook identifier, for example `us-chess-bughouse-2018`.
    pub rulebook: String,
    /// The game that is played.
    #[serde(skip_serializing_if = "is_bughouse")]
    pub game: Game,
    /// Time each player starts with, seconds: that of the first period. 0 if it is not known.
    pub base_s: u32,
    /// Delay before a clock runs, seconds.
    pub delay_s: u32,
    /// The whole time control, if it is more than `base_s` and `delay_s` say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<TimeControl>,
    /// The boards that have sensors and how they sense: board A for chess, one or both for bughouse.
    pub boards: BTreeMap<BoardId, BoardHeader>,
    /// Mean level of each piece letter for hall boards with magnitude, for all boards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub levels: Option<BTreeMap<char, f64>>,
    /// Spread of the levels, in the same unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sigma: Option<f64>,
}

/// A header in a file: `base_s` may be left to `time`.
#[derive(Deserialize)]
struct Written {
    twinboard: String,
    version: u32,
    #[serde(rename = "match")]
    match_id: String,
    rulebook: String,
    #[serde(default)]
    game: Game,
    base_s: Option<u32>,
    #[serde(default)]
    delay_s: u32,
    time: Option<TimeControl>,
    boards: BTreeMap<BoardId, BoardHeader>,
    levels: Option<BTreeMap<char, f64>>,
    sigma: Option<f64>,
}

impl TryFrom<Written> for TraceHeader {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        let Written { time, base_s, .. } = written;
        let first_s = time.as_ref().map(first_base_s);
        let base_s = base_s.map(Ok).or(first_s.map(u32::try_from));
        let header = TraceHeader {
            twinboard: written.twinboard,
            version: written.version,
            match_id: written.match_id,
            rulebook: written.rulebook,
            game: written.game,
            base_s: base_s.and_then(Result::ok).ok_or(
                "the time is missing: give \"base_s\" in seconds, or \"time\" with its periods",
            )?,
            delay_s: match written.delay_s {
                0 => time.as_ref().map_or(0, TimeControl::delay_s),
                stated => stated,
            },
            time,
            boards: written.boards,
            levels: written.levels,
            sigma: written.sigma,
        };
        header.check()?;
        Ok(header)
    }
}

impl TraceHeader {
    /// A header of bughouse with these boards, without a name: `base_s` seconds for each player.
    #[must_use]
    pub fn new(rulebook: &str, base_s: u32, boards: BTreeMap<BoardId, BoardHeader>) -> TraceHeader {
        TraceHeader {
            twinboard: "trace".to_owned(),
            version: TRACE_VERSION,
            rulebook: rulebook.to_owned(),
            base_s,
            boards,
            ..TraceHeader::default()
        }
    }

    /// Whether the header agrees with itself.
    ///
    /// # Errors
    ///
    /// No board; chess on other boards than A alone; `time` with another base time or delay than
    /// `base_s` and `delay_s`.
    pub fn check(&self) -> Result<(), String> {
        if self.boards.is_empty() {
            return Err("\"boards\" names no board: describe board \"A\" at least".to_owned());
        }
        if self.game == Game::Chess && !self.boards.keys().eq([&BoardId::A]) {
            let named: Vec<String> =
                self.boards.keys().map(|board| format!("\"{board}\"")).collect();
            return Err(format!(
                "\"game\" is \"chess\", which is played on board \"A\" alone, and \"boards\" names {}: \
                 leave board \"A\" only, or \"game\" out for bughouse",
                named.join(" and ")
            ));
        }
        let TraceHeader { base_s, delay_s, .. } = self;
        let Some(time) = &self.time else { return Ok(()) };
        let (first_s, time_delay_s) = (first_base_s(time), time.delay_s());
        if u64::from(*base_s) != first_s {
            return Err(format!(
                "\"base_s\" is {base_s} and the first period of \"time\" has {first_s} s: make them equal, \
                 or leave \"base_s\" out"
            ));
        }
        if *delay_s != time_delay_s {
            return Err(format!(
                "\"delay_s\" is {delay_s} and \"time\" has a delay of {time_delay_s} s: make them equal, or \
                 leave \"delay_s\" out"
            ));
        }
        Ok(())
    }

    /// Source of droppable pieces: none in chess; in bughouse the partner, who is unseen if one board alone has sensors.
    #[must_use]
    pub fn supply(&self) -> Supply {
        match self.game {
            Game::Bughouse if self.boards.len() < Game::Bughouse.boards() => Supply::Unseen,
            game => game.supply(),
        }
    }

    /// The time control: `time`, or else one period of `base_s` with `delay_s`. None if that is no time control.
    #[must_use]
    pub fn time_control(&self) -> Option<TimeControl> {
        self.time.clone().or_else(|| TimeControl::sudden_death(self.base_s, self.delay_s).ok())
    }
}

fn first_base_s(time: &TimeControl) -> u64 {
    time.start_ms() / 1_000
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde passes the field by reference.
fn is_bughouse(game: &Game) -> bool {
    *game == Game::Bughouse
}

/// Sensors of one board.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BoardHeader {
    /// Kind of the squares' sensors.
    pub sensor: SensorKind,
    /// Whether the reserve trays have sensed slots.
    #[serde(default)]
    pub trays: bool,
    /// Levels as in [`TraceHeader::levels`], for this board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<BTreeMap<char, f64>>,
    /// Spread as in [`TraceHeader::sigma`], for this board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sigma: Option<f64>,
    /// Resolution of the board's clock, milliseconds: a shown time may be wrong by this much either way, by rounding or delay.
    /// None for a clock that tells exact times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_resolution_ms: Option<u32>,
    /// Maximum delay of a square's reading, milliseconds; the board may miss shorter changes. None for a board that tells after
    /// its debounce time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scan_ms: Option<u32>,
    /// Whether the board has no clock that is read. Its plies are completed by stillness or by the opponent's answer.
    #[serde(default, skip_serializing_if = "is_false")]
    pub clockless: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde passes the field by reference.
fn is_false(flag: &bool) -> bool {
    !*flag
}

impl BoardHeader {
    /// A board that senses so, with a clock that tells exact times; without trays and stated levels.
    #[must_use]
    pub fn new(sensor: SensorKind) -> BoardHeader {
        BoardHeader { sensor, ..BoardHeader::default() }
    }
}

/// Kind of a board's sensors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SensorKind {
    /// Occupied or not.
    #[default]
    Reed,
    /// Empty, white or black.
    HallPolarity,
    /// A signed level that hints at the piece's type.
    HallMagnitude,
    /// The piece itself.
    PieceId,
}

#[cfg(test)]
mod tests;
