//! A match in virtual time: what the sensors said and what happened, as fast as it can be computed.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    str::FromStr,
};

use readings::{BoardHeader, Reading, SensorKind, TraceHeader, TruthLine};
use rules::{BoardId, Game, TimeControl};
use serde::Serialize;

use crate::{
    BoardSensors, ParseSensorsError, RecordedGame, Sensors, SimError, magnet, players::Players,
    profile::Profile, script::Script, sense, staging::stage,
};

/// The rulebook that simulated matches of bughouse are played under.
const BUGHOUSE_RULEBOOK: &str = "us-chess-bughouse-2018";
/// The rulebook of chess with little time…
const BLITZ_RULEBOOK: &str = "us-chess-blitz-2020";
/// …and with more.
const SLOW_RULEBOOK: &str = "nc-scholastic";
/// The most time a game of blitz gives, seconds: base time, and the increment or delay of [`BLITZ_MOVES`] moves.
const BLITZ_MOST_S: u32 = 600;
/// Moves that count for the time of a game of blitz.
const BLITZ_MOVES: u32 = 60;

/// A performed match.
#[derive(Clone, Debug, PartialEq)]
pub struct Performance {
    /// First line of the trace.
    pub header: TraceHeader,
    /// The trace, in time order.
    pub readings: Vec<Reading>,
    /// What happened, in time order.
    pub truth: Vec<TruthLine>,
}

/// What a table is equipped with, besides lever clocks with a tilt switch: by default reed boards without
/// trays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Equipment {
    /// Whether the clocks see a hand near their sides.
    pub hand_sensors: bool,
    /// Whether they see it with two sensors a player, one on the board's side and one away from it.
    pub hand_sides: bool,
    /// How the boards sense. Trays change what hands do (a drop waits until its piece lies in the tray); the
    /// kind of sensor does not.
    pub sensors: Sensors,
}

impl FromStr for Equipment {
    type Err = ParseSensorsError;

    /// As [`Sensors`], with `+trays` at the end for reserve trays at both boards, `+hands` for clocks that see
    /// hands, and `+hand-sides` for clocks that see from which side they come.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.split('+');
        let sensors: Sensors = parts.next().unwrap_or_default().parse()?;
        let mut equipment = Equipment { sensors, hand_sensors: false, hand_sides: false };
        for part in parts {
            match part {
                "trays" => equipment.sensors = equipment.sensors.with_trays(&BoardId::ALL),
                "hands" => equipment.hand_sensors = true,
                "hand-sides" => equipment.hand_sides = true,
                _ => return Err(ParseSensorsError::new(text)),
            }
        }
        Ok(equipment)
    }
}

/// Plays a recorded game (of any notation, or a [`RecordedGame`]) with simulated hands. The same arguments give the same result, bit for
/// bit, on every machine.
///
/// # Errors
///
/// If hands cannot make a recorded ply, the time control is not understood, or `match_id` could
/// not name a file.
pub fn perform(
    game: impl TryInto<RecordedGame, Error: Into<SimError>>,
    profile: Profile,
    seed: u64,
    match_id: &str,
) -> Result<Performance, SimError> {
    perform_with(game, &profile.into(), &Equipment::default(), seed, match_id)
}

/// [`perform`] with rates of behaviours, and with equipment, that differ from the usual.
///
/// # Errors
///
/// As [`perform`].
pub fn perform_with(
    game: impl TryInto<RecordedGame, Error: Into<SimError>>,
    players: &Players,
    equipment: &Equipment,
    seed: u64,
    match_id: &str,
) -> Result<Performance, SimError> {
    let script = script_with(game, players, equipment, seed, match_id)?;
    Ok(Performance {
        header: header(&script),
        readings: sense::readings(&script, equipment)?,
        truth: script.truth,
    })
}

/// The same performance before any sensor has looked at it, for the hall.
///
/// # Errors
///
/// As [`perform`].
pub fn script(
    game: impl TryInto<RecordedGame, Error: Into<SimError>>,
    profile: Profile,
    seed: u64,
    match_id: &str,
) -> Result<Script, SimError> {
    script_with(game, &profile.into(), &Equipment::default(), seed, match_id)
}

/// [`script`] with rates of behaviours, and with equipment, that differ from the usual.
///
/// # Errors
///
/// As [`perform`].
pub fn script_with(
    game: impl TryInto<RecordedGame, Error: Into<SimError>>,
    players: &Players,
    equipment: &Equipment,
    seed: u64,
    match_id: &str,
) -> Result<Script, SimError> {
    let game = game.try_into().map_err(Into::into)?;
    script_with_time(&game, players, equipment, seed, match_id, &game.time)
}

/// [`script_with`] with clocks that are set otherwise than the record says, and in the first period to no less than the hands need.
pub(crate) fn script_with_time(
    game: &RecordedGame,
    players: &Players,
    equipment: &Equipment,
    seed: u64,
    match_id: &str,
    time: &TimeControl,
) -> Result<Script, SimError> {
    let letters = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    if match_id.is_empty() || match_id.starts_with('.') || !match_id.chars().all(letters) {
        return Err(SimError::MatchId(match_id.chars().take(64).collect()));
    }
    stage(game, players, equipment.sensors, seed, match_id, time)
}

/// The first line of a script's trace.
pub(crate) fn header(script: &Script) -> TraceHeader {
    let sensors = script.sensors;
    let board = |board| {
        let BoardSensors { kind, trays, stated_levels } = sensors.board(board)?;
        let stated = kind == SensorKind::HallMagnitude && stated_levels;
        let levels = stated.then(magnet::stated_levels);
        let sigma = stated.then_some(magnet::SIGMA);
        Some((board, BoardHeader { trays, levels, sigma, ..BoardHeader::new(kind) }))
    };
    let boards = BoardId::ALL.into_iter().filter_map(board).collect();
    let plain = TimeControl::sudden_death(script.base_s, 0);
    TraceHeader {
        match_id: script.match_id.clone(),
        game: script.game,
        delay_s: script.time.delay_s(),
        // Without increment, delay and further periods `base_s` says it all.
        time: (plain.as_ref() != Ok(&script.time)).then(|| script.time.clone()),
        ..TraceHeader::new(rulebook(script), script.base_s, boards)
    }
}

/// The rulebook that a match is played under.
fn rulebook(script: &Script) -> &'static str {
    let time = &script.time;
    let per_move_s = time.increment_s() + time.delay_s();
    let has_one_period = time.periods().len() == 1;
    match script.game {
        Game::Bughouse => BUGHOUSE_RULEBOOK,
        Game::Chess
            if has_one_period && script.base_s + BLITZ_MOVES * per_move_s <= BLITZ_MOST_S =>
        {
            BLITZ_RULEBOOK
        }
        Game::Chess => SLOW_RULEBOOK,
    }
}

impl Performance {
    /// Writes `<match>.trace.jsonl` and `<match>.truth.jsonl` into a folder that exists, and
    /// returns their paths.
    ///
    /// # Errors
    ///
    /// If a file cannot be written; it may then be left incomplete.
    pub fn write(&self, folder: &Path) -> Result<[PathBuf; 2], SimError> {
        let path = |kind: &str| folder.join(format!("{}.{kind}.jsonl", self.header.match_id));
        let (trace, truth) = (path("trace"), path("truth"));
        write_lines(&trace, Some(&self.header), &self.readings)?;
        write_lines(&truth, None::<&TraceHeader>, &self.truth)?;
        Ok([trace, truth])
    }
}

fn write_lines<H: Serialize, L: Serialize>(
    path: &Path,
    header: Option<&H>,
    lines: &[L],
) -> Result<(), SimError> {
    let write = || -> io::Result<()> {
        let mut file = BufWriter::new(File::create(path)?);
        if let Some(header) = header {
            serde_json::to_writer(&mut file, header)?;
            file.write_all(b"\n")?;
        }
        for line in lines {
            serde_json::to_writer(&mut file, line)?;
            file.write_all(b"\n")?;
        }
        file.flush()
    };
    write().map_err(|source| SimError::Write { path: path.to_owned(), source })
}
