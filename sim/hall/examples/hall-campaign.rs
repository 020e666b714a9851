//! Many runs of the hall with all their faults, or one of them with its log. `cargo xtask hall` runs this.
//!
//! An example, and not a part of xtask, so that `cargo xtask` stays built in seconds.

#[path = "../../link/examples/support/campaign.rs"]
mod campaign;

use std::ops::Range;
use std::process::ExitCode;

use clap::Parser;
use hall_sim::{Failure, Log, Nobody, Plan, Totals, run};

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
    #[arg(long, value_parser = campaign::seeds, conflicts_with_all = ["runs", "seed"])]
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

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match (arguments.seeds, arguments.runs, arguments.seed) {
        (None, None, Some(seed)) if arguments.plain => replay(&Plan::plain(seed)),
        (None, None, Some(seed)) if arguments.mixed => replay(&Plan::mixed(seed)),
        (None, None, Some(seed)) if arguments.makers => replay(&Plan::makers(seed)),
        (None, None, Some(seed)) => replay(&Plan::new(seed)),
        (seeds, runs, first) => {
            let totals = |seed| {
                let outcome = run(&Plan::new(seed), &mut Nobody)?;
                Ok::<_, Failure>(Totals::default().with(seed, &outcome))
            };
            let plus = |one: Totals, other: Totals| one.plus(&other);
            campaign::campaign(
                "cargo xtask hall",
                campaign::range(seeds, runs, first),
                totals,
                plus,
            )
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
