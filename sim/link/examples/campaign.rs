//! Many runs of the link with all their faults, or one of them with its log. `cargo xtask link` runs this.
//!
//! An example, and not a part of xtask, so that `cargo xtask` stays built in seconds.

#[path = "support/campaign.rs"]
mod campaign;

use std::ops::Range;
use std::process::ExitCode;

use clap::Parser;
use link_sim::{Failure, Nobody, Observer, Plan, Totals, Who, run};

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
    #[arg(long, value_parser = campaign::seeds, conflicts_with_all = ["runs", "seed"])]
    seeds: Option<Range<u64>>,
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
        (seeds, runs, first) => {
            let totals = |seed| {
                let outcome = run(&Plan::new(seed), &mut Nobody)?;
                Ok::<_, Failure>(Totals::default().with(seed, &outcome))
            };
            let plus = |one: Totals, other: Totals| one.plus(&other);
            campaign::campaign(
                "cargo xtask link",
                campaign::range(seeds, runs, first),
                totals,
                plus,
            )
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
