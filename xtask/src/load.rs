//! Costs and times of a hall, measured at the release program.

use crate::{
    pages,
    workspace::{cargo, execute},
};

/// File of the figures that are kept.
const FIGURES: &str = "docs/load.csv";

/// Builds pages, program and measurement, and runs it with the arguments given. Without arguments the figures are added to those that are kept.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    pages::build()?;
    let of = ["--release", "--locked", "--package", "twinboard"];
    let build = [&["build", "--quiet"][..], &of, &["--bin", "twinboard"]].concat();
    execute("", &cargo(), &build)?;
    let mut run = [&["run", "--quiet"][..], &of, &["--example", "load", "--"]].concat();
    match arguments {
        [] => run.extend(["--csv", FIGURES]),
        given => run.extend(given.iter().map(String::as_str)),
    }
    execute("", &cargo(), &run)
}
