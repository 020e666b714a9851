//! Measures photo finishes on every kind of line: `cargo run --release --package hub --example photo_finish [PAIRS [SEED]]`. The lines are
//! those of the test `node_time`, which measures a sample.

#[path = "../tests/node_time/equipment.rs"]
mod equipment;
#[path = "../tests/node_time/node.rs"]
mod node;
#[path = "../tests/node_time/photo_finish.rs"]
mod photo_finish;
#[path = "../tests/node_time/table.rs"]
mod table;

use std::process::ExitCode;

/// Pairs of each kind of line without arguments.
const PAIRS: usize = 10_000;
/// The first run's seed without arguments: the estimator was made without seeing any from here on.
const SEED: u64 = 30_000;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, otherwise: u64| match arguments.get(at).map(|it| it.parse()) {
        None => Ok(otherwise),
        Some(Ok(number)) => Ok(number),
        Some(Err(_)) => Err("give numbers: photo_finish [PAIRS [SEED]]"),
    };
    let (pairs, seed) = match (number(0, PAIRS as u64), number(1, SEED)) {
        (Ok(pairs), Ok(seed)) => (usize::try_from(pairs).unwrap_or(PAIRS), seed),
        (Err(error), _) | (_, Err(error)) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let mut is_well = true;
    for equipment in photo_finish::equipments() {
        let tally = photo_finish::measure(equipment, seed, pairs);
        println!("{}", tally.line(equipment.name));
        is_well &= tally.wrong == 0 && tally.within * 100 >= tally.pairs * 99;
    }
    if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
