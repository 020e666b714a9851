//! `twinboard score`: how right the inferred records are, with a hobby board's tracker beside.

use std::path::PathBuf;

use anyhow::Result;
use sim::score::score_directories;

use crate::{progress, stdout};

/// Questions asked about a match, at most.
const MAX_QUESTIONS: usize = 50;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Folder with `<match>.truth.jsonl` and the traces beside them, or with folders of these: each
    /// folder is reported on its own.
    truth: PathBuf,
    /// Folder with `<match>.inferred.jsonl`, in the same subfolders.
    inferred: PathBuf,
    /// Also infer the traces beside the truth here, answer this number of questions about each from the truth, and print how many matches are exact then.
    #[arg(long, value_name = "N", default_value_t = 0)]
    questions: usize,
    /// Print the whole report as JSON.
    #[arg(long)]
    json: bool,
}

/// Scores every match of the truth folder.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let bar = progress::over_matches(0, "scoring");
    let report = score_directories(
        &arguments.truth,
        &arguments.inferred,
        arguments.questions.min(MAX_QUESTIONS),
        |done, total| {
            bar.set_length(total as u64);
            bar.set_position(done as u64);
        },
    );
    bar.finish_and_clear();
    let report = report?;
    if arguments.json {
        stdout::print_line(serde_json::to_string_pretty(&report)?)
    } else {
        stdout::print(report)
    }
}
