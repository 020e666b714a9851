//! The command line: the only program users meet.
//!
//! Nothing is decided here. Each command reads its arguments, calls the crate that does the work, and
//! says what happened.

#[cfg(test)]
mod cli_page;
mod commands;
mod diagnostics;
mod exit;
mod files;
mod invite;
mod progress;
mod record;
mod shell;
mod stdout;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Follows over-the-board bughouse through the table.
///
/// Shows evidence with probabilities and cites the rule; a tournament director decides.
#[derive(Parser)]
#[command(name = "twinboard", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show a simulated hall, live in the browser.
    Demo(commands::demo::Arguments),
    /// Rehearse an event through its own hubs, phones and screens, on a copy of its database.
    Rehearse(commands::rehearse::Arguments),
    /// Run the hub of one or more tables.
    Hub(commands::hub::Arguments),
    /// Run the adjudicator: broker, store, referee, live pages.
    Serve(commands::serve::Arguments),
    /// Give hubs accounts at the adjudicator's broker, or take them away.
    Account(commands::account::Arguments),
    /// Certify the adjudicator and its hubs, so that only they connect, encrypted.
    Enroll(commands::enroll::Arguments),
    /// Make the tournament directors' token.
    Token(commands::token::Arguments),
    /// Let a director or a scorekeeper in.
    Invite(commands::invite::Arguments),
    /// Look at nodes, boards and clocks: list, live view, guided check, places and labels.
    Doctor(commands::doctor::Arguments),
    /// Put a firmware image onto a Raspberry Pi Pico in its boot mode, and look what runs afterwards.
    Flash(commands::flash::Arguments),
    /// Play games with simulated hands; write the readings and the truth.
    Sim(commands::sim::Arguments),
    /// Infer plies and anomalies from sensor readings.
    Infer(commands::infer::Arguments),
    /// Estimate from traces what the reader assumes about hands, and name what lies outside.
    Hands(commands::hands::Arguments),
    /// Compare what was inferred with what happened.
    Score(commands::score::Arguments),
    /// Learn from records of matches what players choose.
    Train(commands::train::Arguments),
    /// Write the records of an event.
    Export(commands::export::Arguments),
    /// Judge one match again, by its own rulebook or by another.
    Judge(commands::judge::Arguments),
    /// Copy the adjudicator's database, or a hub's journal, while it is written.
    Backup(commands::backup::Arguments),
    /// Put a copy in the place of the adjudicator's database, or of a hub's journal.
    Restore(commands::restore::Arguments),
    /// Move the log of an event between a file and a PostgreSQL database.
    Store(commands::store::Arguments),
    /// Look into a hub's journal: matches, their traces, the rows for the adjudicator.
    Journal(commands::journal::Arguments),
    /// Keep an event: sections, teams, pairings, results, standings; check and import organisers' files.
    Event(commands::event::Arguments),
    /// Print what Twinboard does about the rules of a rulebook.
    Rulebook(commands::rulebook::Arguments),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match arguments.command {
        Command::Demo(arguments) => commands::demo::run(&arguments),
        Command::Rehearse(arguments) => commands::rehearse::run(&arguments),
        Command::Hub(arguments) => match commands::hub::run(&arguments) {
            Ok(code) => return code,
            Err(error) => Err(error),
        },
        Command::Serve(arguments) => commands::serve::run(&arguments),
        Command::Account(arguments) => commands::account::run(&arguments),
        Command::Enroll(arguments) => commands::enroll::run(&arguments),
        Command::Token(arguments) => commands::token::run(&arguments),
        Command::Invite(arguments) => commands::invite::run(&arguments),
        Command::Doctor(arguments) => match commands::doctor::run(&arguments) {
            Ok(code) => return code,
            Err(error) => Err(error),
        },
        Command::Flash(arguments) => match commands::flash::run(&arguments) {
            Ok(code) => return code,
            Err(error) => Err(error),
        },
        Command::Sim(arguments) => commands::sim::run(&arguments),
        Command::Infer(arguments) => commands::infer::run(&arguments),
        Command::Hands(arguments) => commands::hands::run(&arguments),
        Command::Score(arguments) => commands::score::run(&arguments),
        Command::Train(arguments) => commands::train::run(&arguments),
        Command::Export(arguments) => commands::export::run(&arguments),
        Command::Judge(arguments) => commands::judge::run(&arguments),
        Command::Backup(arguments) => commands::backup::run(&arguments),
        Command::Restore(arguments) => commands::restore::run(&arguments),
        Command::Store(arguments) => commands::store::run(&arguments),
        Command::Journal(arguments) => commands::journal::run(&arguments),
        Command::Event(arguments) => commands::event::run(&arguments),
        Command::Rulebook(arguments) => commands::rulebook::run(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("twinboard: {}", sentence(&error));
            ExitCode::from(exit::code(&error))
        }
    }
}

/// An error with its causes in one line. Many of our errors name their cause themselves; a cause is not printed twice.
fn sentence(error: &anyhow::Error) -> String {
    let mut said = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !said.contains(&cause) {
            said = format!("{said}: {cause}");
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_that_the_error_names_itself_is_said_once() {
        let error = anyhow::anyhow!("no room").context("cannot write a.bpgn: no room");
        assert_eq!(sentence(&error), "cannot write a.bpgn: no room");
        let error = anyhow::anyhow!("no room").context("cannot write a.bpgn");
        assert_eq!(sentence(&error), "cannot write a.bpgn: no room");
    }
}
