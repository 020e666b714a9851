//! `twinboard infer`: from sensor readings to plies.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use action_model::{ActionPrior, Weights};
use anyhow::{Context, Result, anyhow, bail};
use hub::session::with_implied_presses;
use inference::{
    Tracker, TrackerConfig,
    facts::{Facts, FactsFile, Unreconciled},
};
use rayon::prelude::*;
use readings::{InferredLine, Reading, Trace, TraceHeader, read_trace, write_lines};
use rules::Game;

use crate::{
    files::{self, Found},
    progress, record, stdout,
};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Trace files, or folders with traces below them.
    #[arg(required = true)]
    traces: Vec<PathBuf>,
    /// Folder to write `<match>.inferred.jsonl` and `<match>.bpgn` (of chess `<match>.pgn`) into, in the
    /// traces' subfolders.
    #[arg(long)]
    out: PathBuf,
    /// Hypotheses kept at each step.
    #[arg(long, default_value_t = TrackerConfig::default().beam)]
    beam: usize,
    /// Facts about the matches from people, one a line: {"kind":"fact","ply":17,"uci":"N@e6"}. Ply
    /// numbers are those of the inferred file without facts; where there are several traces, each
    /// line names its "match".
    #[arg(long, value_name = "FILE")]
    facts: Option<PathBuf>,
    /// Weights of players' choices, as `twinboard train` writes them; without it, those of the program. `uniform` has everything equally likely.
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
}

/// Infers every trace; one that cannot be read is reported and the others go on.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    if arguments.beam == 0 {
        bail!("--beam 0 keeps no hypothesis: give 1 or more, 512 is usual");
    }
    let prior = prior(arguments.model.as_deref())?;
    let traces = files::find(&arguments.traces, &[".trace.jsonl"])?;
    let facts = read_facts(arguments, traces.len())?;
    files::create_folder(&arguments.out)?;
    let bar = progress::over_matches(traces.len(), "inferring");
    let (plies, started) = (AtomicUsize::new(0), Instant::now());
    let failures: Vec<String> = traces
        .par_iter()
        .filter_map(|trace| {
            let outcome = infer_file(trace, arguments, prior.as_ref(), &facts);
            bar.inc(1);
            match outcome {
                Ok(inferred) => {
                    let total = plies.fetch_add(inferred, Ordering::Relaxed) + inferred;
                    bar.set_message(format!(
                        "{:.0} plies/s",
                        total as f64 / started.elapsed().as_secs_f64()
                    ));
                    None
                }
                Err(error) => Some(format!("{}: {error:#}", trace.path.display())),
            }
        })
        .collect();
    bar.finish_and_clear();
    let (plies, seconds) = (plies.into_inner(), started.elapsed().as_secs_f64());
    stdout::print_line(format_args!(
        "{} matches, {plies} plies in {seconds:.1} s ({:.0} plies/s), in {}",
        traces.len() - failures.len(),
        plies as f64 / seconds.max(f64::EPSILON),
        arguments.out.display()
    ))?;
    if !failures.is_empty() {
        bail!("{} traces were not inferred:\n{}", failures.len(), failures.join("\n"));
    }
    Ok(())
}

fn read_facts(arguments: &Arguments, traces: usize) -> Result<FactsFile> {
    let Some(path) = &arguments.facts else { return Ok(FactsFile::default()) };
    let file = FactsFile::read(&files::read(path)?).map_err(|errors| {
        let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
        anyhow!("{}: nothing was inferred:\n{}", path.display(), lines.join("\n"))
    })?;
    if let Some(line) = file.first_unnamed().filter(|_| traces > 1) {
        bail!(
            "{}: line {line} names no match, and there are {traces} traces: add \"match\":\"<match>\"",
            path.display()
        );
    }
    Ok(file)
}

/// Model of players' choices; `None` for the program's weights.
fn prior(model: Option<&Path>) -> Result<Option<Arc<ActionPrior>>> {
    let Some(model) = model else { return Ok(None) };
    Ok(Some(match model {
        name if name == "uniform" => Arc::new(ActionPrior::uniform()),
        path => {
            let weights = Weights::from_bytes(&files::read(path)?);
            Arc::new(ActionPrior::new(weights.with_context(|| path.display().to_string())?))
        }
    }))
}

fn infer_file(
    trace: &Found,
    arguments: &Arguments,
    prior: Option<&Arc<ActionPrior>>,
    facts: &FactsFile,
) -> Result<usize> {
    let (Trace { header, readings }, unreadable) = read_trace(&files::read(&trace.path)?)
        .context("this is no trace that can be read: give files as `twinboard sim` writes them, <match>.trace.jsonl")?;
    for error in &unreadable {
        eprintln!("{}: {error}; the readings around it are used", trace.path.display());
    }
    let (lines, unreconciled) =
        infer(&header, &readings, arguments.beam, prior, &facts.of(&header.match_id));
    for each in &unreconciled {
        eprintln!("{}: {each}", trace.path.display());
    }
    let stem = &header.match_id;
    if stem.is_empty()
        || !stem.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter))
    {
        bail!("the match name {stem:?} cannot name a file: use letters, digits, '-', '_' and '.'");
    }
    let out = arguments.out.join(&trace.below);
    files::create_folder(&out)?;
    files::write(&out.join(format!("{stem}.inferred.jsonl")), write_lines(&lines)?.as_bytes())?;
    let (extension, text) = match header.game {
        Game::Bughouse => ("bpgn", rules::bpgn::write(&record::bpgn(&header, &readings, &lines))),
        Game::Chess => ("pgn", rules::pgn::write(&record::pgn(&header, &readings, &lines))),
    };
    files::write(&out.join(format!("{stem}.{extension}")), text.as_bytes())?;
    Ok(lines.iter().filter(|line| matches!(line, InferredLine::Ply(_))).count())
}

/// The lines that follow from a trace and what people know of the match, and the facts that do not fit.
pub(crate) fn infer(
    header: &TraceHeader,
    readings: &[Reading],
    beam: usize,
    prior: Option<&Arc<ActionPrior>>,
    facts: &Facts,
) -> (Vec<InferredLine>, Vec<Unreconciled>) {
    // Boards without clocks have no presses, and a hub follows them by those that stillness and answers imply.
    let readings = with_implied_presses(header, readings);
    let track = |facts: Facts| {
        let prior = prior.map(Arc::clone);
        let config = TrackerConfig { beam, prior, facts, ..TrackerConfig::default() };
        Tracker::over(header, &readings, config)
    };
    let record = track(Facts::default()).record();
    if facts.is_empty() {
        return (record, Vec::new());
    }
    // The numbers of the plies are those of the record without facts.
    let (anchored, mut unreconciled) = facts.anchored(&record);
    let tracker = track(anchored);
    unreconciled.extend(tracker.unreconciled());
    (tracker.record(), unreconciled)
}
