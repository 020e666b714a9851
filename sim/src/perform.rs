//! A match in virtual time: what the sensors said and what happened, as fast as it can be computed.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    str::FromStr,
};

use inference::record::{BoardHeader, Reading, SensorKind, TraceHeader, TruthLine};
use rules::{BoardId, bpgn::BpgnGame};
use serde::Serialize;

use crate::{
    BoardSensors, ParseSensorsError, Sensors, SimError, magnet,
    profile::{Players, Profile},
    script::Script,
    sense,
    staging::stage,
};

/// The rulebook that simulated matches are played under.
const RULEBOOK: &str = "us-chess-bughouse-2018";

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
    /// How the boards sense. Trays change what hands do (a drop waits until its piece lies in the tray); the
    /// kind of sensor does not.
    pub sensors: Sensors,
}

impl FromStr for Equipment {
    type Err = ParseSensorsError;

    /// As [`Sensors`], with `+trays` at the end for reserve trays at both boards and `+hands` for clocks that see
    /// hands.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.split('+');
        let sensors: Sensors = parts.next().unwrap_or_default().parse()?;
        let mut equipment = Equipment { sensors, hand_sensors: false };
        for part in parts {
            match part {
                "trays" => equipment.sensors = equipment.sensors.with_trays(&BoardId::ALL),
                "hands" => equipment.hand_sensors = true,
                _ => return Err(ParseSensorsError::new(text)),
            }
        }
        Ok(equipment)
    }
}

/// Plays a recorded game with simulated hands. The same arguments give the same result, bit for
/// bit, on every machine.
///
/// # Errors
///
/// If hands cannot make a recorded ply, the time control is not understood, or `match_id` could
/// not name a file.
pub fn perform(
    game: &BpgnGame,
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
    game: &BpgnGame,
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
    game: &BpgnGame,
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
    game: &BpgnGame,
    players: &Players,
    equipment: &Equipment,
    seed: u64,
    match_id: &str,
) -> Result<Script, SimError> {
    script_with_base(game, players, equipment, seed, match_id, 0)
}

/// [`script_with`] and with clocks that are set to at least `least_base_s` seconds.
pub(crate) fn script_with_base(
    game: &BpgnGame,
    players: &Players,
    equipment: &Equipment,
    seed: u64,
    match_id: &str,
    least_base_s: u32,
) -> Result<Script, SimError> {
    let letters = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    if match_id.is_empty() || match_id.starts_with('.') || !match_id.chars().all(letters) {
        return Err(SimError::MatchId(match_id.chars().take(64).collect()));
    }
    stage(game, players, equipment.sensors, seed, match_id, least_base_s)
}

/// The first line of a script's trace.
pub(crate) fn header(script: &Script) -> TraceHeader {
    let board = |board| {
        let BoardSensors { kind, trays, stated_levels } = script.sensors.board(board);
        let stated = kind == SensorKind::HallMagnitude && stated_levels;
        let levels = stated.then(magnet::stated_levels);
        let sigma = stated.then_some(magnet::SIGMA);
        (board, BoardHeader { trays, levels, sigma, ..BoardHeader::new(kind) })
    };
    let boards = BTreeMap::from(BoardId::ALL.map(board));
    let header = TraceHeader::new(RULEBOOK, script.base_s, boards);
    TraceHeader { match_id: script.match_id.clone(), ..header }
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
