//! Accuracy of the tracker, measured over the whole matrix and written to docs/accuracy.md.

use crate::workspace::{cargo, execute};

/// Runs the bench, which is an example of the crate `sim`, with the arguments given.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let mut command = vec![
        "run",
        "--quiet",
        "--release",
        "--locked",
        "--package",
        "sim",
        "--example",
        "accuracy",
        "--",
    ];
    command.extend(arguments.iter().map(String::as_str));
    execute("", &cargo(), &command)
}
