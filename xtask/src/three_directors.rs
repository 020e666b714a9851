//! Directors with phones in Chromium before simulated children: three work a round while the adjudicator is killed beneath them, and one
//! looks at every page as a screen reader, a keyboard and an eye by day and by night meet it.

use crate::{
    pages,
    prerequisite::Prerequisite,
    workspace::{build_program, execute, target},
};

/// Folder of its pictures, below the target folder.
const FOLDER: &str = "three-directors";
/// Speed of a whole round, and of a short one.
const SPEED: &str = "3";
const SHORT_SPEED: &str = "6";

/// A whole round at eight tables, some five minutes: `--watch` shows the browser's windows.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    built("the directors")?;
    let options: Vec<&str> = arguments.iter().map(String::as_str).collect();
    round(SPEED, &options)
}

/// A championship of three rounds through the pages alone, with an organiser's mistakes; some half a minute.
pub(crate) fn championship() -> Result<(), String> {
    built("organisers")?;
    check("checks/championship.mjs", &[])
}

/// Every page at five widths, by day and by night, in an empty event and in one that is played; some ten minutes.
pub(crate) fn every_page() -> Result<(), String> {
    built("the pages")?;
    check("checks/every_page.mjs", &[])
}

/// Each page once, in one cell of that matrix; pages and program are built.
pub(crate) fn every_page_once() -> Result<(), String> {
    check("checks/every_page.mjs", &["--sample"])
}

/// Builds pages and program for `who`.
fn built(who: &str) -> Result<(), String> {
    if let Some(sentence) = Prerequisite::Chromium.missing() {
        return Err(format!("{who} need Chromium: {sentence}"));
    }
    pages::build()?;
    build_program()
}

/// A round of less than a minute at three tables, as every run of the suites plays it; pages and program are built.
pub(crate) fn short() -> Result<(), String> {
    round(SHORT_SPEED, &["--short"])
}

/// One director looks at every page, of which all states that matter are made; pages and program are built.
///
/// # Errors
///
/// Problem of accessibility.
pub(crate) fn pages_for_everybody() -> Result<(), String> {
    check("checks/td_pages.mjs", &[])
}

fn round(speed: &str, options: &[&str]) -> Result<(), String> {
    check("checks/three_directors.mjs", &[&[speed], options].concat())
}

/// Runs a check with the program and the folder for its pictures.
fn check(script: &str, options: &[&str]) -> Result<(), String> {
    let (program, folder) = (target().join("debug/twinboard"), target().join(FOLDER));
    let (program, folder) = (program.to_string_lossy(), folder.to_string_lossy());
    let mut command = vec![script, &program, &folder];
    command.extend(options);
    execute("adjudicator/web", "node", &command)
}
