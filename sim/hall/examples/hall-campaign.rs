//! Many runs of the hall with all their faults, or one of them with its log: on all cores, with progress, totals and the first failures.
//! `cargo xtask hall` runs this, and `cargo xtask link` runs the class in which a serial link is under fire.
//!
//! An example, and not a part of xtask, so that `cargo xtask` stays built in seconds.

use std::io::IsTerminal as _;
use std::ops::Range;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use hall_sim::{Failure, Log, Nobody, Plan, Sabotage, Totals, run, run_sabotaged};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

/// Number of runs by default, one for each seed.
const RUNS: u64 = 10_000;
/// Maximum number of failing seeds that are printed.
const FAILURES_SHOWN: usize = 10;
/// Runs after which a campaign without a terminal prints its progress.
const PIECE: u64 = 10_000;

#[derive(Parser)]
#[command(
    name = "cargo xtask hall",
    about = "Put the way from the sensors to the adjudicator's store under fire"
)]
struct Arguments {
    /// Number of runs, each with its own seed.
    #[arg(long)]
    runs: Option<u64>,
    /// The first seed; without --runs, this one run with its log.
    #[arg(long)]
    seed: Option<u64>,
    /// The seeds from the first up to the last, which is left out: 0..500000 and 500000..1000000 are a million runs in two parts.
    #[arg(long, value_parser = seeds, conflicts_with_all = ["runs", "seed"])]
    seeds: Option<Range<u64>>,
    /// The serial link of one table is under fire, and little else.
    #[arg(long, conflicts_with_all = ["plain", "mixed", "makers"])]
    link: bool,
    /// Four nodes of one table read things close to each other: their order must be the true one.
    #[arg(long, conflicts_with_all = ["link", "plain", "mixed", "makers", "programs"])]
    order: bool,
    /// With --seed: no orders, and no programs of other releases, as in runs that failed before there were any.
    #[arg(long, requires = "seed", conflicts_with = "mixed")]
    plain: bool,
    /// With --seed: no boards of DGT, ChessLink and Certabo.
    #[arg(long, requires = "seed", conflicts_with = "makers")]
    mixed: bool,
    /// With --seed: no table without faults.
    #[arg(long, requires = "seed", conflicts_with = "plain")]
    makers: bool,
    /// With --seed: no weak contacts, and no ports that are found.
    #[arg(long, requires = "seed", conflicts_with_all = ["plain", "mixed", "makers"])]
    programs: bool,
    /// With --seed: no hub but the first has tables with nodes.
    #[arg(long, requires = "seed", conflicts_with_all = ["plain", "mixed", "makers", "programs"])]
    one_hub: bool,
    /// With --seeds: for each planted defect whose name has these letters, print the first seed that finds it and how many of the runs do.
    #[arg(long, requires = "seeds", num_args = 0..=1, default_missing_value = "")]
    sabotages: Option<String>,
}

impl Arguments {
    fn plan(&self, seed: u64) -> Plan {
        match self {
            Arguments { link: true, .. } => Plan::link(seed),
            Arguments { order: true, .. } => Plan::order(seed),
            Arguments { plain: true, .. } => Plan::plain(seed),
            Arguments { mixed: true, .. } => Plan::mixed(seed),
            Arguments { makers: true, .. } => Plan::makers(seed),
            Arguments { programs: true, .. } => Plan::programs(seed),
            Arguments { one_hub: true, .. } => Plan::one_hub(seed),
            _ => Plan::new(seed),
        }
    }
}

/// Parses a range of seeds.
fn seeds(text: &str) -> Result<Range<u64>, String> {
    let (first, end) = text.split_once("..").ok_or("write them as 0..1000")?;
    let number =
        |text: &str| text.trim().parse::<u64>().map_err(|error| format!("{text}: {error}"));
    let seeds = number(first)?..number(end)?;
    if seeds.is_empty() { Err("no seed is in there".to_owned()) } else { Ok(seeds) }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match (&arguments.seeds, arguments.runs, arguments.seed) {
        (None, None, Some(seed)) => replay(&arguments.plan(seed)),
        (Some(seeds), ..) => match &arguments.sabotages {
            Some(letters) => sabotages(&arguments, letters, seeds),
            None => campaign(&arguments, seeds.clone()),
        },
        (None, runs, first) => {
            let first = first.unwrap_or(0);
            campaign(&arguments, first..first.saturating_add(runs.unwrap_or(RUNS)))
        }
    }
}

/// Runs all seeds with each planted defect whose name has these letters, and prints which find it.
fn sabotages(arguments: &Arguments, letters: &str, seeds: &Range<u64>) -> ExitCode {
    let mut is_any_missed = false;
    let has_letters = |sabotage: &&Sabotage| format!("{sabotage:?}").contains(letters);
    for &sabotage in Sabotage::ALL.iter().filter(has_letters) {
        let finds =
            |seed: &u64| run_sabotaged(&arguments.plan(*seed), sabotage, &mut Nobody).is_err();
        let found: Vec<u64> = seeds.clone().into_par_iter().filter(finds).collect();
        is_any_missed |= found.is_empty();
        let first = found.first().map_or_else(|| "-".to_owned(), u64::to_string);
        println!("{sabotage:?}: first found by seed {first}, by {} runs in all", found.len());
    }
    if is_any_missed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Runs all seeds and prints their outcomes.
fn campaign(arguments: &Arguments, seeds: Range<u64>) -> ExitCode {
    let runs = seeds.end - seeds.start;
    let is_terminal = std::io::stderr().is_terminal();
    let bar = if is_terminal { progress(runs) } else { ProgressBar::hidden() };
    let one = |seed| {
        let outcome = run(&arguments.plan(seed), &mut Nobody);
        bar.inc(1);
        match outcome {
            Ok(outcome) => (Totals::default().with(seed, &outcome), Vec::new()),
            Err(failure) => (Totals::default(), vec![failure]),
        }
    };
    let both = |(a, a_failures): (Totals, Vec<Failure>),
                (b, b_failures): (Totals, Vec<Failure>)| {
        (a.plus(&b), joined(a_failures, b_failures))
    };
    let (mut totals, mut failures) = (Totals::default(), Vec::new());
    for first in seeds.clone().step_by(PIECE as usize) {
        let piece = first..first.saturating_add(PIECE).min(seeds.end);
        let played = piece.clone().into_par_iter().map(one).reduce(Default::default, both);
        if !is_terminal {
            played.1.iter().for_each(|failure| eprintln!("FAILED: {failure}"));
        }
        (totals, failures) = both((totals, failures), played);
        if !is_terminal && piece.end < seeds.end {
            let (done, failed) = (piece.end - seeds.start, failures.len());
            eprintln!(
                "{done} of {runs} runs, {failed} failures kept; the rest is --seeds {}..{}",
                piece.end, seeds.end
            );
        }
    }
    bar.finish_and_clear();
    println!("seeds {}..{}: {totals}", seeds.start, seeds.end);
    if failures.is_empty() {
        return ExitCode::SUCCESS;
    }
    let task = match (arguments.link, arguments.order) {
        (true, _) => "link",
        (_, true) => "hall --order",
        _ => "hall",
    };
    println!("FAILED: {} of {runs} runs or more; the first:", failures.len());
    for failure in &failures {
        println!("  {failure}\n    cargo xtask {task} --seed {}", failure.seed);
    }
    ExitCode::FAILURE
}

fn progress(runs: u64) -> ProgressBar {
    let style = "{bar:40} {human_pos}/{human_len} runs, {per_sec}, {eta} left";
    let style =
        ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(runs).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Both, of which those with the least seeds are kept.
fn joined(mut a: Vec<Failure>, b: Vec<Failure>) -> Vec<Failure> {
    a.extend(b);
    a.sort_by_key(|failure| failure.seed);
    a.truncate(FAILURES_SHOWN);
    a
}

fn replay(plan: &Plan) -> ExitCode {
    let seed = plan.seed;
    println!(
        "seed {seed}: {} hubs, {} incidents; a journal commits within {} µs and keeps {} rows, the store within {} µs, a message \
         travels up to {} µs, the broker queues {}",
        plan.rows_us.len(),
        plan.incidents.len(),
        plan.journal_commit_us,
        plan.rows_kept,
        plan.store_commit_us,
        plan.latency_us,
        plan.broker_queue
    );
    match run(plan, &mut Log) {
        Ok(outcome) => {
            println!("{}", Totals::default().with(seed, &outcome));
            println!("hash of the log: {:016x}", outcome.log_hash);
            ExitCode::SUCCESS
        }
        Err(failure) => {
            println!("FAILED: {failure}");
            ExitCode::FAILURE
        }
    }
}
