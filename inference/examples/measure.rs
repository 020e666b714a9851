//! Plays the games of a BPGN file with simulated hands, tracks them, and prints how right the tracker
//! was and how long it took: `cargo run --release -p inference --example measure -- GAMES.bpgn
//! [PROFILE] [SEED] [BEAM] [part/of]`. `1/2` takes every match whose number is odd, `2/2` the others.
//! With `MISTAKES` in the environment it shows the first ply of each board with wrong squares (`MISTAKES=types`: or
//! of the wrong type); with `ONLY=g012,g034`
//! it takes only these matches. `PRIOR=uniform|frequency|FILE|DIR` chooses what players are thought to
//! choose: a file of weights, or a folder with `fold-0.weights` and so on, as `cross_validate --out` makes
//! it: match number n is then tracked with those of fold n modulo their number, which have not seen it.
//! `QUESTIONS=5` has a person who knows the truth answer so many questions a match, and prints what the
//! records are worth then.
//! `SENSOR` and `TRAYS` choose the boards as in `twinboard sim`: `SENSOR=A=reed,B=piece-id TRAYS=1` (or
//! `A`, `B` for trays at one board).
#![allow(clippy::disallowed_methods)] // An example is a shell: it reads files and the clock.

use std::{process::ExitCode, sync::Arc, time::Instant};

use inference::{
    Tracker, TrackerConfig,
    prior::{ActionPrior, FrequencyPrior, LearntPrior, UniformPrior},
    record::{InferredLine, InferredPly, Reading, ReadingKind, TruthLine},
};
use sim::{
    Equipment, Performance, Players, Profile, profile,
    score::{Answered, MatchRecord, Report, interview},
};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(path) = arguments.first() else {
        eprintln!("usage: measure GAMES.bpgn [PROFILE] [SEED] [BEAM] [part/of]");
        return ExitCode::from(2);
    };
    let priors = match priors() {
        Ok(priors) => priors,
        Err(error) => {
            eprintln!("PRIOR: {error}");
            return ExitCode::from(2);
        }
    };
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::FAILURE;
        }
    };
    let profile: Profile =
        arguments.get(1).and_then(|name| name.parse().ok()).unwrap_or(Profile::Ideal);
    let seed: u64 = arguments.get(2).and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let beam: usize = arguments.get(3).and_then(|beam| beam.parse().ok()).unwrap_or(512);
    let (part, of) = arguments
        .get(4)
        .and_then(|text| text.split_once('/'))
        .and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)))
        .unwrap_or((1usize, 1usize));
    let sensors: sim::Sensors = match std::env::var("SENSOR").unwrap_or("reed".into()).parse() {
        Ok(sensors) => sensors,
        Err(error) => {
            eprintln!("SENSOR: {error}");
            return ExitCode::from(2);
        }
    };
    let sensors = match std::env::var("TRAYS").as_deref() {
        Err(_) | Ok("0") => sensors,
        Ok("A") => sensors.with_trays(&[rules::BoardId::A]),
        Ok("B") => sensors.with_trays(&[rules::BoardId::B]),
        Ok(_) => sensors.with_trays(&rules::BoardId::ALL),
    };
    let players = players(profile);
    let hand_sensors = std::env::var_os("HANDS").is_some();
    let equipment = Equipment { hand_sensors, sensors };
    let questions: usize =
        std::env::var("QUESTIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut answered = Answered::default();
    let mut records = Vec::new();
    let (mut plies, mut seconds, mut slowest) = (0usize, 0.0f64, (0.0f64, String::new()));
    for (index, game) in rules::bpgn::read(&bytes).into_iter().flatten().enumerate() {
        let id = name_of(&game, index);
        if index % of != part % of || std::env::var("ONLY").is_ok_and(|only| !only.contains(&id)) {
            continue;
        }
        let performance = match sim::perform_with(&game, &players, &equipment, seed, &id) {
            Ok(performance) => performance,
            Err(error) => {
                eprintln!("{id}: {error}");
                continue;
            }
        };
        let (inferred, took) = track(&performance, beam, &priors[index % priors.len()]);
        let count =
            performance.truth.iter().filter(|line| matches!(line, TruthLine::Ply(_))).count();
        plies += count;
        seconds += took;
        let each = took / count.max(1) as f64;
        if each > slowest.0 {
            slowest = (each, id.clone());
        }
        if std::env::var_os("MISTAKES").is_some() {
            show_mistakes(&id, &performance.truth, &inferred, &performance.readings);
        }
        if questions > 0 {
            let prior = Arc::clone(&priors[index % priors.len()]);
            let config = TrackerConfig { beam, prior, ..TrackerConfig::default() };
            let (header, readings) = (&performance.header, &performance.readings);
            let rounds = interview(header, readings, &config, &performance.truth, questions);
            match Answered::score(&id, &performance.truth, &rounds) {
                Ok(one) => answered += &one,
                Err(error) => eprintln!("{error}"),
            }
            if let Some(last) = rounds.last()
                && std::env::var_os("MISTAKES").is_some()
            {
                show_mistakes(&id, &performance.truth, last, &performance.readings);
            }
        }
        records.push(MatchRecord { id, truth: performance.truth, inferred, baseline: None });
    }
    let mut report = Report::default();
    if let Err(error) = report.add(&profile.to_string(), &records) {
        eprintln!("{error}");
        return ExitCode::FAILURE;
    }
    println!("{report}");
    if questions > 0 {
        println!("{answered}");
    }
    println!(
        "{plies} plies, {:.3} ms a ply on average; slowest match {}: {:.3} ms a ply",
        1e3 * seconds / plies.max(1) as f64,
        slowest.1,
        1e3 * slowest.0
    );
    ExitCode::SUCCESS
}

/// The players of a profile, with the rates of `RATES=ClockHover=0.1,SensorFault=1` in the environment.
fn players(profile: Profile) -> Players {
    let rates = std::env::var("RATES").unwrap_or_default();
    let rates = rates.split(',').filter_map(|rate| rate.split_once('='));
    rates.fold(profile.into(), |players: Players, (name, rate)| {
        let row = profile::TABLE.iter().find(|(behaviour, _)| format!("{behaviour:?}") == name);
        match (row, rate.parse()) {
            (Some(&(behaviour, _)), Ok(rate)) => players.with_rate(behaviour, rate),
            _ => {
                eprintln!("no such rate: {name}={rate}");
                players
            }
        }
    })
}

/// The last word of the match's Event tag, as `twinboard sim` names the matches of a file whose events
/// are all named differently: the hands depend on the name.
fn name_of(game: &rules::bpgn::BpgnGame, index: usize) -> String {
    game.tag("Event")
        // Files whose events are all named alike would have all their matches played by the same hands.
        .filter(|event| event.contains(|c: char| c.is_ascii_digit()))
        .and_then(|event| event.split_whitespace().next_back())
        .map_or_else(|| format!("m{:03}", index + 1), str::to_owned)
}

/// The priors that `PRIOR` in the environment names, one for each fold of the matches.
fn priors() -> Result<Vec<Arc<dyn ActionPrior>>, Box<dyn std::error::Error>> {
    let name = match std::env::var("PRIOR") {
        Err(_) => return Ok(vec![TrackerConfig::default().prior]),
        Ok(name) => name,
    };
    let learnt = |path: &str| -> Result<Arc<dyn ActionPrior>, Box<dyn std::error::Error>> {
        let bytes = std::fs::read(path).map_err(|error| format!("{path}: {error}"))?;
        Ok(Arc::new(LearntPrior::from_bytes(&bytes)?))
    };
    Ok(match name.as_str() {
        "uniform" => vec![Arc::new(UniformPrior)],
        "frequency" => vec![Arc::new(FrequencyPrior::default())],
        folder if std::path::Path::new(folder).is_dir() => {
            let paths = (0..).map(|fold| format!("{folder}/fold-{fold}.weights"));
            let paths = paths.take_while(|path| std::path::Path::new(path).is_file());
            let folds = paths.map(|path| learnt(&path)).collect::<Result<Vec<_>, _>>()?;
            if folds.is_empty() {
                return Err(format!("{folder} holds no fold-0.weights").into());
            }
            folds
        }
        file => vec![learnt(file)?],
    })
}

fn track(
    performance: &Performance,
    beam: usize,
    prior: &Arc<dyn ActionPrior>,
) -> (Vec<InferredLine>, f64) {
    let config = TrackerConfig { beam, prior: Arc::clone(prior), ..TrackerConfig::default() };
    let mut tracker = Tracker::new(&performance.header, config);
    let start = Instant::now();
    for reading in &performance.readings {
        tracker.handle(reading);
        while let Some(output) = tracker.poll_output() {
            if let inference::TrackerOutput::Reanchored { board, t_us, squares } = output {
                eprintln!("re-anchored {squares} squares of board {board} at {t_us}");
            }
        }
    }
    tracker.finish();
    (tracker.record(), start.elapsed().as_secs_f64())
}

/// Prints the first ply of each board whose squares are wrong at the end, and what was found around it.
fn show_mistakes(id: &str, truth: &[TruthLine], inferred: &[InferredLine], readings: &[Reading]) {
    let types = std::env::var("MISTAKES").is_ok_and(|kind| kind == "types");
    let squares = |ply: rules::Ply| (ply.from(), ply.to(), Some(ply).filter(|_| types));
    for board in rules::BoardId::ALL {
        let truth: Vec<_> = truth
            .iter()
            .filter_map(|line| match line {
                TruthLine::Ply(ply) if ply.board == board => Some(ply),
                _ => None,
            })
            .collect();
        let found: Vec<&InferredPly> = inferred
            .iter()
            .filter_map(|line| match line {
                InferredLine::Ply(ply) if ply.board == board => Some(ply),
                _ => None,
            })
            .collect();
        let wrong = truth.iter().enumerate().find(|(at, ply)| {
            found.get(*at).is_none_or(|found| {
                found.side != ply.side || squares(found.uci) != squares(ply.uci)
            })
        });
        let Some((at, ply)) = wrong else { continue };
        println!("{id} board {board}, ply {} of {} (found {})", at + 1, truth.len(), found.len());
        for at in at.saturating_sub(2)..at + 4 {
            if let Some(made) = truth.get(at) {
                println!(
                    "    made  {:?} {} legal {} t {}",
                    made.side, made.uci, made.legal, made.t_us
                );
            }
            if let Some(found) = found.get(at) {
                let others = found.alternatives.iter();
                let others: Vec<_> =
                    others.map(|other| format!("{} {:.3}", other.uci, other.p)).collect();
                println!(
                    "    found {:?} {} p {:.3} t {} ({})",
                    found.side,
                    found.uci,
                    found.p,
                    found.t_us,
                    others.join(", ")
                );
            }
        }
        show_readings(readings, board, ply.t_us);
    }
}

/// Prints what the board said around a moment.
fn show_readings(readings: &[Reading], board: rules::BoardId, t_us: u64) {
    let near = readings
        .iter()
        .filter(|reading| reading.board == Some(board))
        .filter(|reading| reading.t_us + 6_000_000 > t_us && reading.t_us < t_us + 7_000_000);
    for Reading { t_us, kind, .. } in near {
        match kind {
            ReadingKind::Square { square, reading, level } => {
                println!("    {t_us} {square} {reading:?} {level:?}")
            }
            ReadingKind::Tray { side, slot, reading } => {
                println!("    {t_us} tray of {side:?}: slot {slot} {reading:?}")
            }
            ReadingKind::Press { by } => println!("    {t_us} press {by:?}"),
            _ => {}
        }
    }
}
