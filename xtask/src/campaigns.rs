//! Campaigns in virtual time, of the serial link, of whole halls, and of days of rounds: any number of runs, or one of them with its log.

use crate::workspace::{cargo, execute};

/// Runs the campaign of a crate, which is an example there, with the arguments given.
///
/// # Errors
///
/// That a run failed; the campaign has said which and why.
pub(crate) fn run(package: &str, arguments: &[String]) -> Result<(), String> {
    let mut command = vec!["run", "--quiet", "--release", "--locked", "--package", package];
    command.extend(["--example", example(package), "--"]);
    command.extend(arguments.iter().map(String::as_str));
    execute("", &cargo(), &command)
}

/// Examples of a workspace share a folder: each has a name of its own.
fn example(package: &str) -> &str {
    match package {
        HALL => "hall-campaign",
        DAY => "day-campaign",
        _ => "campaign",
    }
}

/// The crate in which the serial link is simulated.
pub(crate) const LINK: &str = "link-sim";
/// The crate in which the way from the hubs to the adjudicator is simulated.
pub(crate) const HALL: &str = "hall-sim";

/// The crate in which days of a hall are simulated.
pub(crate) const DAY: &str = "day-sim";

/// Thousands of runs of each, optimised, and the proof that they find what is broken.
///
/// # Errors
///
/// That a test failed.
pub(crate) fn test(package: &str) -> Result<(), String> {
    execute("", &cargo(), &["test", "--release", "--locked", "--package", package])
}
