//! Three directors with phones in Chromium work a round of simulated children, while the adjudicator is killed beneath them.

use crate::{
    pages,
    prerequisite::Prerequisite,
    workspace::{cargo, execute, root},
};

/// Where pictures of it are put, below the build's folder.
const FOLDER: &str = "target/three-directors";
/// How much faster than in a hall a whole round is played, and a short one.
const SPEED: &str = "3";
const SHORT_SPEED: &str = "6";

/// A whole round at eight tables, some five minutes: `--watch` shows the browser's windows.
///
/// # Errors
///
/// What to install, or what went wrong in the round.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    if let Some(sentence) = Prerequisite::Chromium.missing() {
        return Err(format!("the directors need Chromium: {sentence}"));
    }
    pages::build()?;
    let options: Vec<&str> = arguments.iter().map(String::as_str).collect();
    round(SPEED, &options)
}

/// A round of less than a minute at three tables, as every run of the suites plays it; the pages are built.
///
/// # Errors
///
/// What went wrong in the round.
pub(crate) fn short() -> Result<(), String> {
    round(SHORT_SPEED, &["--short"])
}

fn round(speed: &str, options: &[&str]) -> Result<(), String> {
    execute("", &cargo(), &["build", "--locked", "--package", "twinboard"])?;
    let (program, folder) = (root().join("target/debug/twinboard"), root().join(FOLDER));
    let (program, folder) = (program.to_string_lossy(), folder.to_string_lossy());
    let mut command = vec!["checks/three_directors.mjs", &program, speed, &folder];
    command.extend(options);
    execute("adjudicator/web", "node", &command)
}
