//! Many runs of the hall with all their faults, or one of them with its log. `cargo xtask hall` runs this.
//!
//! An example, and not a part of xtask, so that `cargo xtask` stays built in seconds.

use std::io::IsTerminal as _;
use std::ops::Range;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use hall_sim::{Failure, Log, Nobody, Plan, Totals, run};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

/// Runs of one seed each, unless told otherwise.
const RUNS: u64 = 10_000;
/// Failing seeds that are shown.
const FAILURES_SHOWN: usize = 10;
/// Runs after which a campaign whose progress nobody sees on a terminal says how far it is.
const PIECE: u64 = 10_000;

#[derive(Parser)]
#[command(
    name = "cargo xtask hall",
    about = "Put the way from the hubs to the adjudicator under fire"
)]
struct Arguments {
    /// How many runs, each with a seed of its own.
    #[arg(long)]
    runs: Option<u64>,
    /// The first seed; without --runs, this one run with its log.
    #[arg(long)]
    seed: Option<u64>,
    /// The seeds from the first up to the last, which is left out: 0..500000 and 500000..1000000 are a million runs in two parts.
    #[arg(long, value_parser = seeds, conflicts_with_all = ["runs", "seed"])]
    seeds: Option<Range<u64>>,
    /// With --seed: no orders, and no programs of other releases, as in runs that failed before there were any.
    #[arg(long, requires = "seed", conflicts_with = "mixed")]
    plain: bool,
    /// With --seed: no boards of DGT, ChessLink and Certabo.
    #[arg(long, requires = "seed", conflicts_with = "makers")]
    mixed: bool,
    /// With --seed: no table that nothing befalls.
    #[arg(long, requires = "seed", conflicts_with = "plain")]
    makers: bool,
}

fn seeds(text: &str) -> Result<Range<u64>, String> {
    let (first, end) = text.split_once("..").ok_or("write them as 0..1000")?;
    let number =
        |text: &str| text.trim().parse::<u64>().map_err(|error| format!("{text}: {error}"));
    let seeds = number(first)?..number(end)?;
    if seeds.is_empty() { Err("no seed is in there".to_owned()) } else { Ok(seeds) }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match (arguments.seeds, arguments.runs, arguments.seed) {
        (None, None, Some(seed)) if arguments.plain => replay(&Plan::plain(seed)),
        (None, None, Some(seed)) if arguments.mixed => replay(&Plan::mixed(seed)),
        (None, None, Some(seed)) if arguments.makers => replay(&Plan::makers(seed)),
        (None, None, Some(seed)) => replay(&Plan::new(seed)),
        (Some(seeds), ..) => campaign(seeds),
        (None, runs, first) => {
            let first = first.unwrap_or(0);
            campaign(first..first.saturating_add(runs.unwrap_or(RUNS)))
        }
    }
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

fn campaign(seeds: Range<u64>) -> ExitCode {
    let runs = seeds.end - seeds.start;
    let is_terminal = std::io::stderr().is_terminal();
    let bar = if is_terminal { progress(runs) } else { ProgressBar::hidden() };
    let (mut totals, mut failures) = (Totals::default(), Vec::new());
    for first in seeds.clone().step_by(PIECE as usize) {
        let piece = first..first.saturating_add(PIECE).min(seeds.end);
        let (more, more_failures) = play(piece.clone(), &bar);
        totals = totals.plus(&more);
        if !is_terminal {
            more_failures.iter().for_each(|failure| eprintln!("FAILED: {failure}"));
        }
        failures = joined(failures, more_failures);
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
    println!("FAILED: {} of {runs} runs or more; the first:", failures.len());
    for failure in &failures {
        println!("  {failure}\n    cargo xtask hall --seed {}", failure.seed);
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

/// Plays a piece of a campaign on all cores.
fn play(seeds: Range<u64>, bar: &ProgressBar) -> (Totals, Vec<Failure>) {
    let run_of = |seed| {
        let outcome = run(&Plan::new(seed), &mut Nobody);
        bar.inc(1);
        (seed, outcome)
    };
    let add = |(totals, failures): (Totals, Vec<Failure>), (seed, outcome)| match outcome {
        Ok(outcome) => (totals.with(seed, &outcome), failures),
        Err(failure) => (totals, joined(failures, vec![failure])),
    };
    let both = |(a, a_failures): (Totals, Vec<Failure>),
                (b, b_failures): (Totals, Vec<Failure>)| {
        (a.plus(&b), joined(a_failures, b_failures))
    };
    seeds.into_par_iter().map(run_of).fold(Default::default, add).reduce(Default::default, both)
}

/// Both, of which those with the least seeds are kept.
fn joined(mut a: Vec<Failure>, b: Vec<Failure>) -> Vec<Failure> {
    a.extend(b);
    a.sort_by_key(|failure| failure.seed);
    a.truncate(FAILURES_SHOWN);
    a
}
