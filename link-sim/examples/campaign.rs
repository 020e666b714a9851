//! Many runs of the link with all their faults, or one of them with its log. `cargo xtask link` runs this.
//!
//! An example, and not a part of xtask, so that `cargo xtask` stays built in seconds.

use std::io::IsTerminal as _;
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

#[derive(Parser)]
#[command(name = "cargo xtask link", about = "Put the serial link under fire")]
struct Arguments {
    /// How many runs, each with a seed of its own.
    #[arg(long)]
    runs: Option<u64>,
    /// The first seed; without --runs, this one run with its log.
    #[arg(long)]
    seed: Option<u64>,
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
    match (arguments.runs, arguments.seed) {
        (None, Some(seed)) => replay(seed),
        (runs, first) => campaign(first.unwrap_or(0), runs.unwrap_or(RUNS)),
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

fn campaign(first: u64, runs: u64) -> ExitCode {
    let bar = if std::io::stderr().is_terminal() {
        let style = "{bar:40} {human_pos}/{human_len} runs, {per_sec}, {eta} left";
        let style =
            ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new(runs).with_style(style);
        bar.enable_steady_tick(Duration::from_millis(200));
        bar
    } else {
        ProgressBar::hidden()
    };
    let (totals, failures) = (first..first.saturating_add(runs))
        .into_par_iter()
        .map(|seed| {
            let outcome = run(&Plan::new(seed), &mut Nobody);
            bar.inc(1);
            (seed, outcome)
        })
        .fold(Default::default, |(totals, failures), (seed, outcome)| match outcome {
            Ok(outcome) => (Totals::with(totals, seed, &outcome), failures),
            Err(failure) => (totals, joined(failures, vec![failure])),
        })
        .reduce(Default::default, |(a, a_failures), (b, b_failures)| {
            (a.plus(&b), joined(a_failures, b_failures))
        });
    bar.finish_and_clear();
    println!("{totals}");
    if failures.is_empty() {
        return ExitCode::SUCCESS;
    }
    println!("FAILED: {} of {runs} runs or more; the first:", failures.len());
    for failure in &failures {
        println!("  {failure}\n    cargo xtask link --seed {}", failure.seed);
    }
    ExitCode::FAILURE
}

/// Both, of which those with the least seeds are kept.
fn joined(mut a: Vec<Failure>, b: Vec<Failure>) -> Vec<Failure> {
    a.extend(b);
    a.sort_by_key(|failure| failure.seed);
    a.truncate(FAILURES_SHOWN);
    a
}
