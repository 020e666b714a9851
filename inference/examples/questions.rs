//! How many matches are exact after a few questions to a person who knows the truth:
//! `cargo run --release -p inference --example questions -- GAMES.bpgn [PROFILE] [SEED] [BEAM] [part/of]`.
#![allow(clippy::disallowed_methods)] // An example is a shell: it reads files and the clock.

use std::{process::ExitCode, time::Instant};

use inference::{TrackerConfig, record::InferredLine};
use sim::{
    Profile,
    score::{interview, score_match},
};

/// Questions asked of a match.
const MOST: usize = 5;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(path) = arguments.first() else {
        eprintln!("usage: questions GAMES.bpgn [PROFILE] [SEED] [BEAM] [part/of]");
        return ExitCode::from(2);
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
    let (mut exact, mut right, mut drops) = ([0; MOST + 1], [0; MOST + 1], [0; MOST + 1]);
    let (mut matches, mut plies, mut all_drops, mut seconds) = (0, 0, 0, 0.0);
    for (index, game) in rules::bpgn::read(&bytes).into_iter().flatten().enumerate() {
        let id = format!("g{:03}", index + 1);
        if index % of != part % of {
            continue;
        }
        let performance = match sim::perform(&game, profile, seed, &id) {
            Ok(performance) => performance,
            Err(error) => {
                eprintln!("{id}: {error}");
                continue;
            }
        };
        let config = TrackerConfig { beam, ..TrackerConfig::default() };
        let start = Instant::now();
        let records = interview(
            &performance.header,
            &performance.readings,
            &config,
            &performance.truth,
            MOST,
        );
        seconds += start.elapsed().as_secs_f64();
        matches += 1;
        for (after, record) in records.iter().enumerate() {
            let Ok(score) = score_match(&id, &performance.truth, record) else { continue };
            exact[after] += score.exact.right;
            right[after] += score.plies.end.right;
            drops[after] += score.drop_types.end.right;
            if after == MOST {
                plies += score.plies.end.of;
                all_drops += score.drop_types.end.of;
                if score.exact.right == 0 && std::env::var_os("MISTAKES").is_some() {
                    show(&id, record, &performance.truth);
                }
            }
        }
    }
    println!("questions  exact of {matches}   plies right of {plies}   drop types of {all_drops}");
    for after in 0..=MOST {
        println!(
            "{after:>9} {:>6} {:>5.1} % {:>8} {:>6.2} % {:>6} {:>5.1} %",
            exact[after],
            100.0 * exact[after] as f64 / f64::from(matches.max(1)),
            right[after],
            100.0 * right[after] as f64 / (plies.max(1)) as f64,
            drops[after],
            100.0 * drops[after] as f64 / (all_drops.max(1)) as f64,
        );
    }
    println!("{:.3} s a match", seconds / f64::from(matches.max(1)));
    ExitCode::SUCCESS
}

/// Prints the plies that are still wrong.
fn show(id: &str, record: &[InferredLine], truth: &[inference::record::TruthLine]) {
    use inference::record::TruthLine;
    for board in rules::BoardId::ALL {
        let made: Vec<_> = truth
            .iter()
            .filter_map(|line| match line {
                TruthLine::Ply(ply) if ply.board == board => Some(ply),
                _ => None,
            })
            .collect();
        let found: Vec<_> = record
            .iter()
            .filter_map(|line| match line {
                InferredLine::Ply(ply) if ply.board == board => Some(ply),
                _ => None,
            })
            .collect();
        for step in sim::score::align(&made, &found) {
            match step {
                sim::score::Step::Paired { truth, inferred }
                    if made[truth].uci != found[inferred].uci =>
                {
                    let found = found[inferred];
                    let others: Vec<String> = found
                        .alternatives
                        .iter()
                        .map(|other| format!("{} {:.3}", other.uci, other.p))
                        .collect();
                    println!(
                        "{id} ply {}: {} was {} p {:.3} ({})",
                        found.n,
                        made[truth].uci,
                        found.uci,
                        found.p,
                        others.join(", ")
                    );
                }
                sim::score::Step::Paired { .. } => {}
                other => println!("{id} {board}: {other:?}"),
            }
        }
    }
}
