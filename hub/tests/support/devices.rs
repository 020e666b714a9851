//! Simulated devices of other makers, their drivers, and records to compare.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]

#[path = "games.rs"]
mod games;

use std::collections::BTreeMap;
use std::path::Path;

use hub::drivers::certabo::rfid::TagBook;
use hub::drivers::{Driver, DriverSettings, Memory, Output, Unit};
use inference::record::{
    BoardHeader, InferredLine, Reading, ReadingKind, SensorKind, TraceHeader, TruthLine,
};
use inference::{Tracker, TrackerConfig};
use proto::link::HubTime;
use rules::bpgn::{BpgnGame, BpgnPly};
use rules::{BoardId, Match};
use sim::devices::{SerialDevice, World};
use sim::{Equipment, Performance, Players, Profile, Script, Sensors};

/// When the match begins, on the devices' time: drivers have met their devices by then.
pub const BEGIN_US: u64 = 5_000_000;
/// Longest step of virtual time.
const STEP_US: u64 = 20_000;

/// The first game of the project's own.
pub fn own_game() -> BpgnGame {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim/games/engine-001.bpgn");
    rules::bpgn::read(&std::fs::read(file).unwrap()).remove(0).unwrap()
}

/// The first long match of the collection of real ones, which is not part of the repository.
pub fn corpus_game() -> Option<BpgnGame> {
    let games = games::corpus()?;
    games.into_iter().find(|game| game.plies.len() > 60 && game.tag("FEN").is_none())
}

/// A match played by hands at boards that know their pieces.
pub fn script(game: &BpgnGame, players: &Players, seed: u64, name: &str) -> Script {
    sim::script_with(game, players, &equipment(SensorKind::PieceId), seed, name).unwrap()
}

pub fn equipment(kind: SensorKind) -> Equipment {
    Equipment { sensors: Sensors::both(kind), ..Equipment::default() }
}

/// The same match, read by our own nodes.
pub fn own_nodes(game: &BpgnGame, players: &Players, kind: SensorKind, seed: u64) -> Performance {
    sim::perform_with(game, players, &equipment(kind), seed, "m").unwrap()
}

pub fn world(script: &Script, board: BoardId) -> World {
    World::new(script, board, BEGIN_US)
}

/// What may happen to bytes on the line.
pub type Line<'a> = &'a mut dyn FnMut(Vec<u8>) -> Vec<u8>;

/// A quiet line.
pub fn quiet(bytes: Vec<u8>) -> Vec<u8> {
    bytes
}

/// A device and its driver in virtual time: what each unit read until `end_us`, times from the match's beginning.
pub fn listen(
    device: &mut dyn SerialDevice,
    settings: &[DriverSettings],
    book: &TagBook,
    end_us: u64,
    line: Line<'_>,
) -> BTreeMap<Unit, Vec<(u64, ReadingKind)>> {
    let mut driver = DriverSettings::driver_of_line(settings.iter(), book);
    driver.opened(HubTime::ZERO);
    let mut heard = BTreeMap::<Unit, Vec<(u64, ReadingKind)>>::new();
    let mut admitted = Vec::new();
    let (mut now_us, mut buffer) = (0, [0; 256]);
    while now_us <= end_us {
        let now = HubTime::from_micros(now_us);
        device.run_until(now_us);
        loop {
            let sent = driver.transmit(&mut buffer);
            device.receive(&buffer[..sent]);
            let answered = device.transmit(&mut buffer);
            driver.receive(now, &line(buffer[..answered].to_vec()));
            if driver.next_due() <= now {
                driver.poll(now);
            }
            take(&mut *driver, &mut admitted, &mut heard);
            if sent == 0 && answered == 0 {
                break;
            }
        }
        let due_us = device.next_due_us().min(driver.next_due().as_micros());
        now_us = due_us.clamp(now_us + 1, now_us + STEP_US);
    }
    heard
}

fn take(
    driver: &mut dyn Driver,
    admitted: &mut Vec<Unit>,
    heard: &mut BTreeMap<Unit, Vec<(u64, ReadingKind)>>,
) {
    while let Some(output) = driver.poll_output() {
        match output {
            Output::Present(device) if !admitted.contains(&device.unit) => {
                admitted.push(device.unit);
                driver.admit(device.unit, Memory::New { resume: None, kept: None });
            }
            Output::Readings { unit, readings, .. } => {
                let from_begin = |at: HubTime| at.as_micros().saturating_sub(BEGIN_US);
                let readings = readings.into_iter().map(|(at, kind)| (from_begin(at), kind));
                heard.entry(unit).or_default().extend(readings);
            }
            _ => {}
        }
    }
}

/// The trace of a table whose boards read this.
pub fn trace(
    script: &Script,
    boards: [Vec<(u64, ReadingKind)>; 2],
    header: BoardHeader,
) -> (TraceHeader, Vec<Reading>) {
    let header = TraceHeader {
        twinboard: "trace".to_owned(),
        version: 1,
        match_id: "m".to_owned(),
        rulebook: "us-chess-bughouse-2018".to_owned(),
        base_s: script.base_s,
        delay_s: 0,
        boards: BoardId::ALL.map(|board| (board, header.clone())).into(),
        levels: None,
        sigma: None,
    };
    let of = |board: BoardId, readings: Vec<(u64, ReadingKind)>| {
        readings.into_iter().map(move |(t_us, kind)| Reading { t_us, board: Some(board), kind })
    };
    let [a, b] = boards;
    let mut readings: Vec<Reading> = of(BoardId::A, a).chain(of(BoardId::B, b)).collect();
    readings.sort_by_key(|reading| reading.t_us);
    readings.push(Reading { t_us: script.end_us, board: None, kind: ReadingKind::End });
    (header, readings)
}

/// What our own clock nodes say at this match, for boards that bring no clock.
pub fn clocks(own: &Performance, board: BoardId) -> Vec<(u64, ReadingKind)> {
    let of_clock = |reading: &&Reading| {
        reading.board == Some(board)
            && matches!(reading.kind, ReadingKind::Press { .. } | ReadingKind::Clock { .. })
    };
    let readings = own.readings.iter().filter(of_clock);
    readings.map(|reading| (reading.t_us, reading.kind.clone())).collect()
}

/// The record of a trace, with its anomalies' codes.
pub fn infer(header: &TraceHeader, readings: &[Reading]) -> (BpgnGame, Vec<String>) {
    let lines = Tracker::over(header, readings, TrackerConfig::default()).record();
    let mut codes: Vec<String> = lines
        .iter()
        .filter_map(|line| match line {
            InferredLine::Anomaly(anomaly) if !anomaly.retracted && anomaly.confidence > 0.5 => {
                Some(anomaly.code.clone())
            }
            _ => None,
        })
        .collect();
    codes.sort();
    let plies = lines.iter().filter_map(|line| match line {
        InferredLine::Ply(ply) => Some((ply.board, ply.uci)),
        _ => None,
    });
    (record(plies), codes)
}

/// What happened.
pub fn truth(script: &Script) -> BpgnGame {
    record(script.truth.iter().filter_map(|line| match line {
        TruthLine::Ply(ply) => Some((ply.board, ply.uci)),
        TruthLine::Anomaly(_) => None,
    }))
}

/// A record of plies without clock times: whole seconds and milliseconds would differ everywhere.
fn record(plies: impl Iterator<Item = (BoardId, rules::Ply)>) -> BpgnGame {
    let mut game = BpgnGame::default();
    let mut played = Match::initial();
    for (board, ply) in plies {
        let position = played.position(board);
        let (color, number) = (position.turn(), position.fullmove_number().into());
        game.plies.push(BpgnPly { board, color, ply, clock_ms: None, number, comment: None });
        played.play(board, ply);
    }
    game
}

/// The plies of one board, which with those of the other make the BPGN: in which order two boards' plies come, a device that is
/// up to 250 ms late cannot tell.
pub fn of_board(game: &BpgnGame, board: BoardId) -> String {
    let mut game = game.clone();
    game.plies.retain(|ply| ply.board == board);
    let words: Vec<String> = game.plies.iter().map(|ply| ply.ply.to_string()).collect();
    words.join(" ")
}

pub fn ideal() -> Players {
    Profile::Ideal.into()
}
