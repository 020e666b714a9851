//! Campaigns in virtual time, of whole halls and their serial links, and of days of rounds: any number of runs, or one of them with its log.

use crate::workspace::{TEST, cargo, execute};

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
        DAY => "day-campaign",
        _ => "hall-campaign",
    }
}

/// Runs the class of the hall's campaign in which a serial link is under fire.
///
/// # Errors
///
/// As [`run`].
pub(crate) fn run_link(arguments: &[String]) -> Result<(), String> {
    let link = std::iter::once("--link".to_owned());
    run(HALL, &link.chain(arguments.iter().cloned()).collect::<Vec<_>>())
}

/// The crate in which the way from the hubs to the adjudicator is simulated.
pub(crate) const HALL: &str = "hall-sim";

/// The crate in which days of a hall are simulated.
pub(crate) const DAY: &str = "day-sim";

/// Thousands of runs of the hall, and the proof that they find planted defects. The other suites build the hall's crates, optimised.
///
/// # Errors
///
/// That a test failed.
pub(crate) fn test_hall() -> Result<(), String> {
    let cargo = cargo();
    let whole = ["TWINBOARD_WHOLE_CAMPAIGN=1", &cargo];
    let campaign = ["--test", "campaign", "--", "--include-ignored", "--nocapture"];
    execute("", "env", &[&whole[..], &TEST, &campaign].concat())
}
