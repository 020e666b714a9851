//! Many runs of the link with all their faults, or one of them with its log. `cargo xtask link` runs this.
//!
//! An example, and not a part of xtask, so that `cargo xtask` stays built in seconds.

use std::io::IsTerminal as _;
use std::ops::Range;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use link_sim::{Failure, Nobody, Observer, Plan, Totals, Who, run};
use rayon::prelude::*;

/// Runs of one seed each, unless told otherwise.
const RUNS: u64 = 10_000;
/// Failing seeds that are shown.
const FAILURES_SHOWN: usize = 10;
/// Runs after which a campaign whose progress nobody sees on a terminal says how far it is.
const PIECE: u64 = 10_000;

#[derive(Parser)]
#[command(name = "cargo xtask link", about = "Put the serial link under fire")]
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
}

fn seeds(text: &str) -> Result<Range<u64>, String> {
    let (first, end) = text.split_once("..").ok_or("write them as 0..1000")?;
    let number =
        |text: &str| text.trim().parse::<u64>().map_err(|error| format!("{text}: {error}"));
    let seeds = number(first)?..number(end)?;
    if seeds.is_empty() { Err("no seed is in there".to_owned()) } else { Ok(seeds) }
}

/// Prints the log.
struct Log;

impl Observer for Log {
    fn is_reading_log(&self) -> bool {
        true
    }

    fn log(&mut self, at_us: u64, who: Who, what: String) {
        let who = match who {
            Who::Node => "node",
            Who::Hub => "hub",
            Who::Fate => "····",
        };
        println!("{:>12.6} s  {who:<4}  {what}", at_us as f64 / 1e6);
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match (arguments.seeds, arguments.runs, arguments.seed) {
        (None, None, Some(seed)) => replay(seed),
        (Some(seeds), ..) => campaign(seeds),
        (None, runs, first) => {
            let first = first.unwrap_or(0);
            campaign(first..first.saturating_add(runs.unwrap_or(RUNS)))
        }
    }
}

fn replay(seed: u64) -> ExitCode {
    let plan = Plan::new(seed);
    println!(
        "seed {seed}: {:?}, event buffer {:?}, writes {:?}",
        plan.kind, plan.buffer, plan.writes
    );
    println!("to the hub {:?}\nto the node {:?}", plan.up, plan.down);
    match run(&plan, &mut Log) {
        Ok(outcome) => {
            println!("{}", Totals::default().with(seed, &outcome));
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
        println!("  {failure}\n    cargo xtask link --seed {}", failure.seed);
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
