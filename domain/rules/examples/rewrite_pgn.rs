//! Reads a PGN file and writes its games to another, for programs that judge what is written.
//!
//!     cargo run -p rules --example rewrite_pgn -- GAMES.pgn WRITTEN.pgn
#![allow(clippy::disallowed_methods)]

use std::{env, fs, process::ExitCode};

use rules::pgn;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [from, to] = arguments.as_slice() else {
        eprintln!("usage: rewrite_pgn GAMES.pgn WRITTEN.pgn");
        return ExitCode::from(2);
    };
    match rewrite(from, to) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn rewrite(from: &str, to: &str) -> Result<(), String> {
    let bytes = fs::read(from).map_err(|error| format!("{from} cannot be read: {error}"))?;
    let mut written = String::new();
    for (game, error) in pgn::read(&bytes) {
        if let Some(error) = error {
            return Err(format!("{from}: {error}"));
        }
        written.push_str(&pgn::write(&game));
    }
    fs::write(to, written).map_err(|error| format!("{to} cannot be written: {error}"))
}
