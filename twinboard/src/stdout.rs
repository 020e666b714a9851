//! Standard output of commands: a reader that closes early, as `head` does, is no error.

use std::{
    fmt::Display,
    io::{self, Write},
};

use anyhow::{Context, Result};

/// Prints `text` as it is.
///
/// # Errors
///
/// Standard output cannot be written, on a full disk for example.
pub(crate) fn print(text: impl Display) -> Result<()> {
    let mut out = io::stdout().lock();
    match write!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome.context("cannot write to standard output"),
    }
}

/// Prints `text` and ends the line.
///
/// # Errors
///
/// As [`print`].
pub(crate) fn print_line(text: impl Display) -> Result<()> {
    print(format_args!("{text}\n"))
}
