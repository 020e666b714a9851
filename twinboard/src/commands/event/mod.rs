//! `twinboard event`: sections and tables, files of organisers checked and imported, standings and results.
//!
//! The same acts make the same event wherever they are kept: in a file, as lines of JSON that are appended, so that an event can be prepared
//! without a server; or in the database of the adjudicator that serves it, whether that runs or not.

mod exports;
mod file;
mod imports;
mod reports;
mod sections;

use anyhow::Result;
use clap::Subcommand;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Name the event, list its tables, open a section; makes the file if there is none.
    Open(sections::Open),
    /// Say everything that is wrong with a file, by its lines. Nothing is changed.
    Check(imports::ImportArguments),
    /// Take a file into an event, as a whole or not at all.
    Import(imports::ImportArguments),
    /// Print standings, and on demand the wall chart and the crosstable.
    Standings(reports::StandingsArguments),
    /// Print the results as CSV, by round and board, without names.
    Results(reports::ResultsArguments),
    /// Write the event for FIDE, US Chess or WinTD, with names.
    Export(exports::ExportArguments),
    /// Copy an event: from a file into the one that is served, or from that into a file.
    Copy(reports::CopyArguments),
}

/// Does one of the tasks.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.task {
        Task::Open(arguments) => sections::open(arguments),
        Task::Check(arguments) => imports::check(arguments),
        Task::Import(arguments) => imports::import(arguments),
        Task::Standings(arguments) => reports::standings(arguments),
        Task::Results(arguments) => reports::results(arguments),
        Task::Export(arguments) => exports::export(arguments),
        Task::Copy(arguments) => reports::copy(arguments),
    }
}
