//! `twinboard hands`: what traces tell of the hands that made them, beside what the reader assumes.

use std::{fmt::Write as _, path::PathBuf};

use anyhow::{Context, Result, bail};
use inference::TrackerConfig;
use rayon::prelude::*;
use readings::{Trace, read_trace};
use sim::measured::HandSamples;

use crate::{
    files::{self, Found},
    progress, stdout,
};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Trace files, or folders with traces below them. They need no labels.
    #[arg(required = true)]
    traces: Vec<PathBuf>,
}

/// Follows every trace, and prints each assumption about hands beside its estimate and interval.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let traces = files::find(&arguments.traces, &[".trace.jsonl"])?;
    let bar = progress::over_matches(traces.len(), "measuring");
    let measured: Vec<Result<HandSamples>> = traces
        .par_iter()
        .map(|trace| {
            let samples = measure(trace).with_context(|| trace.path.display().to_string());
            bar.inc(1);
            samples
        })
        .collect();
    bar.finish_and_clear();
    let (mut all, mut failures) = (HandSamples::default(), Vec::new());
    for samples in measured {
        match samples {
            Ok(samples) => all.merge(samples),
            Err(error) => failures.push(format!("{error:#}")),
        }
    }
    stdout::print(table(&all, traces.len() - failures.len()))?;
    if !failures.is_empty() {
        bail!("{} traces were not measured:\n{}", failures.len(), failures.join("\n"));
    }
    Ok(())
}

fn measure(trace: &Found) -> Result<HandSamples> {
    let (Trace { header, readings }, unreadable) = read_trace(&files::read(&trace.path)?)
        .context("this is no trace that can be read: give files as `twinboard journal FILE trace` writes them")?;
    for error in &unreadable {
        eprintln!("{}: {error}; the readings around it are used", trace.path.display());
    }
    let mut samples = HandSamples::default();
    samples.follow(&header, &readings, TrackerConfig::default());
    Ok(samples)
}

/// What is assumed beside what was measured, one line each, and what lies outside.
fn table(samples: &HandSamples, traces: usize) -> String {
    let number = |x: f64| if x.abs() < 10.0 { format!("{x:.3}") } else { format!("{x:.0}") };
    let mut text = format!("{traces} traces\n\n");
    let _ = writeln!(
        text,
        "{:38} {:>8} {:>9}   {:16} from",
        "", "assumed", "measured", "95 % interval"
    );
    let mut outside = Vec::new();
    for row in samples.measured() {
        let assumed = number(row.assumed);
        let from = format!("{} {}", row.sample, row.of);
        let (value, interval) = match row.estimate {
            Some(found) => {
                (number(found.value), format!("{} to {}", number(found.low), number(found.high)))
            }
            None => ("–".to_owned(), "too few".to_owned()),
        };
        let _ = writeln!(text, "{:38} {assumed:>8} {value:>9}   {interval:16} {from}", row.name);
        if row.is_outside() {
            outside.push(row.name);
        }
    }
    let _ = match outside.is_empty() {
        true => writeln!(text, "\nNothing that is assumed lies outside its interval."),
        false => writeln!(text, "\nAssumed outside the interval: {}.", outside.join("; ")),
    };
    if samples.boards_left_out > 0 {
        let _ = writeln!(
            text,
            "{} boards send levels only and were left out: hands are measured on boards that say which squares are occupied.",
            samples.boards_left_out
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_of_no_samples_says_that_there_were_too_few() {
        let text = table(&HandSamples::default(), 1);
        assert!(text.contains("too few"), "{text}");
        assert!(text.contains("Nothing that is assumed lies outside"), "{text}");
    }
}
