//! The serial link under fire: as many runs as wanted, or one of them with its log.

use crate::workspace::{cargo, execute};

/// Runs the campaign, which is an example of the crate `link-sim`, with the arguments given.
///
/// # Errors
///
/// That a run failed; the campaign has said which and why.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let mut command = vec![
        "run",
        "--quiet",
        "--release",
        "--locked",
        "--package",
        "link-sim",
        "--example",
        "campaign",
        "--",
    ];
    command.extend(arguments.iter().map(String::as_str));
    execute("", &cargo(), &command)
}

/// Ten thousand runs, optimised, and the proof that they find what is broken.
///
/// # Errors
///
/// That a test failed.
pub(crate) fn test() -> Result<(), String> {
    execute("", &cargo(), &["test", "--release", "--locked", "--package", "link-sim"])
}
