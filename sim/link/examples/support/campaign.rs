//! The command line of a campaign: many runs on all cores, with progress, totals and the first failures. Used by the link's and by the hall's.

use std::fmt::Display;
use std::io::IsTerminal as _;
use std::ops::Range;
use std::process::ExitCode;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

/// Number of runs by default, one for each seed.
const RUNS: u64 = 10_000;
/// Maximum number of failing seeds that are printed.
const FAILURES_SHOWN: usize = 10;
/// Runs after which a campaign without a terminal prints its progress.
const PIECE: u64 = 10_000;

/// Failures with their seeds, in order.
type Failures<F> = Vec<(u64, F)>;

/// Parses a range of seeds.
///
/// # Errors
///
/// What is wrong with it, in words.
pub(crate) fn seeds(text: &str) -> Result<Range<u64>, String> {
    let (first, end) = text.split_once("..").ok_or("write them as 0..1000")?;
    let number =
        |text: &str| text.trim().parse::<u64>().map_err(|error| format!("{text}: {error}"));
    let seeds = number(first)?..number(end)?;
    if seeds.is_empty() { Err("no seed is in there".to_owned()) } else { Ok(seeds) }
}

/// The seeds of a campaign: those that are given, or so many runs from the first on.
pub(crate) fn range(
    seeds: Option<Range<u64>>,
    runs: Option<u64>,
    first: Option<u64>,
) -> Range<u64> {
    let first = first.unwrap_or(0);
    seeds.unwrap_or_else(|| first..first.saturating_add(runs.unwrap_or(RUNS)))
}

/// Runs all seeds and prints what came of them. `command`: replays one seed; `plus`: adds up two totals, in any order.
pub(crate) fn campaign<T, F>(
    command: &str,
    seeds: Range<u64>,
    run: impl Fn(u64) -> Result<T, F> + Sync,
    plus: impl Fn(T, T) -> T + Sync,
) -> ExitCode
where
    T: Default + Display + Send,
    F: Display + Send,
{
    let runs = seeds.end - seeds.start;
    let is_terminal = std::io::stderr().is_terminal();
    let bar = if is_terminal { progress(runs) } else { ProgressBar::hidden() };
    let one = |seed| {
        let outcome = run(seed);
        bar.inc(1);
        match outcome {
            Ok(totals) => (totals, Vec::new()),
            Err(failure) => (T::default(), vec![(seed, failure)]),
        }
    };
    let both = |(a, a_failures): (T, Failures<F>), (b, b_failures): (T, Failures<F>)| {
        (plus(a, b), joined(a_failures, b_failures))
    };
    let (mut totals, mut failures) = (T::default(), Vec::new());
    for first in seeds.clone().step_by(PIECE as usize) {
        let piece = first..first.saturating_add(PIECE).min(seeds.end);
        let played = piece.clone().into_par_iter().map(one).reduce(Default::default, both);
        if !is_terminal {
            played.1.iter().for_each(|(_, failure)| eprintln!("FAILED: {failure}"));
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
    println!("FAILED: {} of {runs} runs or more; the first:", failures.len());
    for (seed, failure) in &failures {
        println!("  {failure}\n    {command} --seed {seed}");
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
fn joined<F>(mut a: Failures<F>, b: Failures<F>) -> Failures<F> {
    a.extend(b);
    a.sort_by_key(|(seed, _)| *seed);
    a.truncate(FAILURES_SHOWN);
    a
}
