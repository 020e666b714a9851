//! Many days of a hall, or one day with its findings. `cargo xtask day` runs this.
//!
//! An example, and not a part of xtask, so that `cargo xtask` stays built in seconds.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use day_sim::{Plan, Reading, Report, Size, run, run_logged};
use rayon::prelude::*;

/// Seeds that are shown of a campaign, and faults of each kind.
const FAULTS_SHOWN: usize = 20;

#[derive(Parser)]
#[command(
    name = "cargo xtask day",
    about = "Let days of a hall happen, and compare them with what was played"
)]
struct Arguments {
    /// Number of days, each with its own seed.
    #[arg(long, default_value_t = 1)]
    days: u64,
    /// The first seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Tables of a day.
    #[arg(long, default_value_t = 40)]
    tables: usize,
    /// Rounds of a day.
    #[arg(long, default_value_t = 5)]
    rounds: u8,
    /// The shipped inference reads the plies; without it a light reader does.
    #[arg(long)]
    read: bool,
    /// Also with the habits kept for measuring only: development does not look at them.
    #[arg(long)]
    held_out: bool,
    /// Prints the hub's rows of this table on the first day.
    #[arg(long)]
    table: Option<String>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let size = Size { tables: arguments.tables, rounds: arguments.rounds };
    let reading = if arguments.read { Reading::Tracker } else { Reading::Light };
    if let Some(table) = &arguments.table {
        let plan = Plan::drawn(arguments.seed, size, reading, arguments.held_out);
        println!("{}", run_logged(&plan, table));
        return ExitCode::SUCCESS;
    }
    let seeds = arguments.seed..arguments.seed.saturating_add(arguments.days);
    let began = Instant::now();
    let day = |seed| {
        let report = run(&Plan::drawn(seed, size, reading, arguments.held_out));
        ((!report.faults.is_empty()).then_some(seed), report)
    };
    let mut days: Vec<(Option<u64>, Report)> = seeds.clone().into_par_iter().map(day).collect();
    days.retain(|(failed, report)| failed.is_some() || report.results.0 > 0);
    let failed: Vec<u64> = days.iter().filter_map(|(failed, _)| *failed).collect();
    let mut of_kind: BTreeMap<&str, usize> = BTreeMap::new();
    for (seed, report) in &days {
        for fault in &report.faults {
            let count = of_kind.entry(fault.kind()).or_default();
            *count += 1;
            if *count <= FAULTS_SHOWN {
                println!("seed {}: {fault}", seed.unwrap_or_default());
            }
        }
    }
    if !of_kind.is_empty() {
        println!("faults: {of_kind:?}");
    }
    let all = days.into_iter().fold(Report::default(), |all, (_, report)| all.plus(report));
    println!(
        "{} days of {} tables and {} rounds in {:.1} s: {all}",
        arguments.days,
        arguments.tables,
        arguments.rounds,
        began.elapsed().as_secs_f64()
    );
    if !all.most_items.is_empty() {
        println!("the most other items on the list at a time: {}", all.most_items.join("; "));
    }
    if failed.is_empty() {
        return ExitCode::SUCCESS;
    }
    println!(
        "FAILED: {} days; seeds {:?}",
        failed.len(),
        &failed[..failed.len().min(FAULTS_SHOWN)]
    );
    ExitCode::FAILURE
}
