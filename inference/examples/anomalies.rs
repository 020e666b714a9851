//! Plays the games of a BPGN file with simulated hands, tracks them, and shows which reports of an anomaly
//! were false and which events were missed: `cargo run --release -p inference --example anomalies --
//! GAMES.bpgn CODE [PROFILE] [SEED…]`. With `READINGS` in the environment it shows what the board said
//! around each; with `TRAYS` and `HANDS` the tables have trays and clocks that see hands; with `LIVE` it judges what was said when it happened, retracted later or not.
#![allow(clippy::disallowed_methods)] // An example is a shell: it reads files.

use std::{collections::BTreeMap, process::ExitCode};

use inference::{
    Tracker, TrackerConfig,
    record::{InferredAnomaly, InferredLine, InferredPly, Reading, ReadingKind, TruthLine},
};
use rules::{BoardId, Color, Match};
use sim::{Equipment, Performance, Profile, Sensors};

/// As the score pairs events and reports.
const WINDOW_US: u64 = 10_000_000;
/// A live report comes within this time of what it is about.
const LIVE_US: u64 = 3_000_000;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, code, rest @ ..] = arguments.as_slice() else {
        eprintln!("usage: anomalies GAMES.bpgn CODE [PROFILE] [SEED…]");
        return ExitCode::from(2);
    };
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::FAILURE;
        }
    };
    let profile = rest.first().and_then(|name| name.parse().ok()).unwrap_or(Profile::Scholastic);
    let seeds: Vec<u64> = rest.iter().skip(1).filter_map(|seed| seed.parse().ok()).collect();
    let mut sensors = Sensors::default();
    if std::env::var_os("TRAYS").is_some() {
        sensors = sensors.with_trays(&BoardId::ALL);
    }
    let hand_sensors = std::env::var_os("HANDS").is_some();
    let equipment = Equipment { hand_sensors, sensors };
    let mut tally: BTreeMap<String, usize> = BTreeMap::new();
    for &seed in if seeds.is_empty() { &[2][..] } else { &seeds[..] } {
        for (index, game) in rules::bpgn::read(&bytes).into_iter().flatten().enumerate() {
            let id = name_of(&game, index);
            if std::env::var("ONLY").is_ok_and(|only| !only.contains(&id)) {
                continue;
            }
            let performed = sim::perform_with(&game, &profile.into(), &equipment, seed, &id);
            if let Ok(performance) = performed {
                judge(&format!("{id} seed {seed}"), code, &performance, &mut tally);
            }
        }
    }
    for (what, count) in tally {
        println!("{count:5} {what}");
    }
    ExitCode::SUCCESS
}

fn name_of(game: &rules::bpgn::BpgnGame, index: usize) -> String {
    game.tag("Event")
        .filter(|event| event.chars().any(|c| c.is_ascii_digit()))
        .and_then(|event| event.split_whitespace().next_back())
        .map_or_else(|| format!("m{:03}", index + 1), str::to_owned)
}

struct Event {
    t_us: u64,
    board: BoardId,
    side: Option<Color>,
    reason: String,
}

fn judge(id: &str, code: &str, performance: &Performance, tally: &mut BTreeMap<String, usize>) {
    let beam = std::env::var("BEAM").ok().and_then(|beam| beam.parse().ok()).unwrap_or(512);
    let config = TrackerConfig { beam, ..TrackerConfig::default() };
    let mut tracker = Tracker::new(&performance.header, config);
    for reading in &performance.readings {
        tracker.handle(reading);
        while tracker.poll_output().is_some() {}
    }
    tracker.finish();
    let lines = tracker.record();
    let live = std::env::var_os("LIVE").is_some();
    let events = events(code, performance);
    let reports: Vec<&InferredAnomaly> = lines
        .iter()
        .filter_map(|line| match line {
            InferredLine::Anomaly(anomaly) if anomaly.code == code => Some(anomaly),
            _ => None,
        })
        .filter(|report| match live {
            true => report.first_t_us <= report.t_us + LIVE_US,
            false => !report.retracted,
        })
        .collect();
    let mut used = vec![false; reports.len()];
    for event in &events {
        let found = (0..reports.len())
            .filter(|&at| !used[at] && reports[at].board == event.board)
            .filter(|&at| reports[at].side.is_none() || reports[at].side == event.side)
            .filter(|&at| reports[at].t_us.abs_diff(event.t_us) <= WINDOW_US)
            .min_by_key(|&at| reports[at].t_us.abs_diff(event.t_us));
        if let Some(at) = found {
            used[at] = true;
            *tally.entry(format!("found  {}", event.reason)).or_default() += 1;
        } else {
            *tally.entry(format!("missed {}", event.reason)).or_default() += 1;
            let reason = &event.reason;
            println!("{id} {} {:?} {}: MISSED {reason}", event.board, event.side, event.t_us);
            show(performance, &lines, event.board, event.t_us);
        }
    }
    for (report, used) in reports.iter().zip(&used) {
        let tenth = (report.confidence * 10.0).min(9.0) as u32;
        let truth = if *used { "true" } else { "false" };
        *tally.entry(format!("confidence from 0.{tenth}: {truth}")).or_default() += 1;
    }
    for (report, _) in reports.iter().zip(&used).filter(|(_, used)| !**used) {
        let reason = report.reason.as_deref().unwrap_or("");
        *tally.entry(format!("false  {reason}")).or_default() += 1;
        println!(
            "{id} {} {:?} {}: FALSE {reason} {:.4} {}",
            report.board, report.side, report.t_us, report.confidence, report.evidence
        );
        show(performance, &lines, report.board, report.t_us);
    }
}

/// What happened, with the reason that the rules give for an illegal ply.
fn events(code: &str, performance: &Performance) -> Vec<Event> {
    let swapped = performance.truth.iter().filter_map(|line| match line {
        TruthLine::Anomaly(anomaly) if anomaly.code == "setup-wrong" => Some(anomaly.board),
        _ => None,
    });
    let swapped: Vec<BoardId> = swapped.collect();
    let position = |board| {
        let swapped = swapped.contains(&board);
        rules::Position::initial_swapped(swapped, swapped)
    };
    let empty = [rules::Reserve::EMPTY; 4];
    let mut now = Match::new([position(BoardId::A), position(BoardId::B)], empty);
    let mut found = Vec::new();
    for line in &performance.truth {
        match line {
            TruthLine::Ply(ply) => {
                let reason = now.illegality(ply.board, ply.uci);
                now.play(ply.board, ply.uci);
                if code == "illegal-move" && !ply.legal {
                    let reason = reason.map_or("unknown", rules::IllegalReason::code).to_owned();
                    let (t_us, board) = (ply.t_us, ply.board);
                    found.push(Event { t_us, board, side: Some(ply.side), reason });
                }
            }
            TruthLine::Anomaly(anomaly) if anomaly.code == code && code != "illegal-move" => {
                let (t_us, board, side) = (anomaly.t_us, anomaly.board, anomaly.side);
                found.push(Event { t_us, board, side, reason: String::new() });
            }
            TruthLine::Anomaly(_) => {}
        }
    }
    found
}

fn show(performance: &Performance, inferred: &[InferredLine], board: BoardId, t_us: u64) {
    if std::env::var_os("READINGS").is_none() {
        return;
    }
    let near = |at: u64| at + 4_000_000 > t_us && at < t_us + 5_000_000;
    for line in &performance.truth {
        match line {
            TruthLine::Ply(ply) if ply.board == board && near(ply.t_us) => {
                println!("    made  {} {:?} {} legal {}", ply.t_us, ply.side, ply.uci, ply.legal);
            }
            TruthLine::Anomaly(other) if other.board == board && near(other.t_us) => {
                println!("    truth {} {:?} {}", other.t_us, other.side, other.code);
            }
            _ => {}
        }
    }
    for line in inferred {
        match line {
            InferredLine::Ply(InferredPly { t_us, board: on, side, uci, p, live, .. })
                if *on == board && near(*t_us) =>
            {
                let live = live.map_or(String::new(), |live| format!("{} {:.3}", live.uci, live.p));
                println!("    found {t_us} {side:?} {uci} {p:.3} live {live}");
            }
            InferredLine::Anomaly(other) if other.board == board && near(other.t_us) => {
                println!(
                    "    said  {} {:?} {} {:.3} retracted {}",
                    other.t_us, other.side, other.code, other.confidence, other.retracted
                );
            }
            _ => {}
        }
    }
    for Reading { t_us, board: on, kind } in &performance.readings {
        if !near(*t_us) {
            continue;
        }
        match kind {
            // A board's captures go into the other board's trays.
            ReadingKind::Tray { side, slot, reading } => {
                println!("    {t_us} {on:?} tray {side:?} {slot} {reading:?}");
            }
            _ if *on != Some(board) => {}
            ReadingKind::Square { square, reading, .. } => {
                println!("    {t_us} {square} {reading:?}");
            }
            ReadingKind::Press { by } => println!("    {t_us} press {by:?}"),
            _ => {}
        }
    }
}
