//! Reads a trace from standard input and writes what is inferred from it to standard output.
//!
//! The tracker promises the same bits for a match on every machine and in every build. This program checks it: it is `twinboard infer`
//! without the parts that are hard to build for another processor. Decimal numbers are written so that they read back as the same bits,
//! so equal text means equal bits.

use std::{
    io::{Read, Write},
    process::ExitCode,
};

use inference::{Tracker, TrackerConfig};
use readings::{read_trace, write_lines};

fn main() -> ExitCode {
    match replay() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("replay: {message}");
            ExitCode::FAILURE
        }
    }
}

fn replay() -> Result<(), String> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .read_to_end(&mut bytes)
        .map_err(|error| format!("standard input cannot be read: {error}"))?;
    let (trace, unreadable) = read_trace(&bytes).map_err(|error| error.to_string())?;
    if let Some(error) = unreadable.first() {
        return Err(format!("{error}; give a whole trace"));
    }
    let mut tracker = Tracker::new(&trace.header, TrackerConfig::default());
    let mut said = 0_usize;
    for reading in &trace.readings {
        tracker.handle(reading);
        while tracker.poll_output().is_some() {
            said += 1;
        }
    }
    tracker.finish();
    while tracker.poll_output().is_some() {
        said += 1;
    }
    let lines = write_lines(&tracker.record()).map_err(|error| error.to_string())?;
    let mut out = std::io::stdout().lock();
    out.write_all(lines.as_bytes())
        .and_then(|()| writeln!(out, "{{\"kind\":\"outputs\",\"count\":{said}}}"))
        .map_err(|error| format!("standard output cannot be written: {error}"))
}
