//! `twinboard event`: sections and tables, files of organisers checked and imported, standings and results.
//!
//! The same acts make the same event wherever they are kept: in a file, as lines of JSON that are appended, so that an event can be prepared
//! without a server; or in the database of the adjudicator that serves it, whether that runs or not.

mod exports;
mod file;
mod imports;
mod reports;
mod sections;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Subcommand, ValueEnum};
use event::import::FileKind;
use rules::rulebook::BookId;

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
    Check(ImportArguments),
    /// Take a file into an event, as a whole or not at all.
    Import(ImportArguments),
    /// Print standings, and on demand the wall chart and the crosstable.
    Standings(reports::StandingsArguments),
    /// Print the results as CSV, by round and board, without names.
    Results(reports::ResultsArguments),
    /// Write the event for FIDE, US Chess or WinTD, with names.
    Export(exports::ExportArguments),
    /// Copy an event: from a file into the one that is served, or from that into a file.
    Copy(reports::CopyArguments),
}

/// A file to be checked or taken, and what to know beside it.
#[derive(clap::Args)]
struct ImportArguments {
    /// The file of the organiser.
    file: PathBuf,
    /// What it holds.
    #[arg(long = "as", value_name = "WHAT")]
    kind: Kind,
    /// The event: its file, or the configuration (.toml) of the adjudicator that serves it. A list may be checked without one, as if
    /// every section in it existed.
    #[arg(long, value_name = "EVENT.json|EVENT.toml")]
    event: Option<PathBuf>,
    /// Which column is what, as JSON: read if the file is there, else written with what was guessed.
    #[arg(long, value_name = "FILE.json")]
    mapping: Option<PathBuf>,
    /// Open sections that the event does not know, to be played by this rulebook.
    #[arg(long, value_name = "ID")]
    rulebook: Option<BookId>,
    /// How many rounds such sections have, where the file does not say.
    #[arg(long, value_name = "N")]
    rounds: Option<u8>,
    /// The section of rows that name none.
    #[arg(long, value_name = "NAME")]
    section: Option<String>,
    /// The round of rows that name none.
    #[arg(long, value_name = "N")]
    round: Option<u8>,
    /// The first table for the pairings of a report that has no tables; without it tables that no other section has.
    #[arg(long, value_name = "N")]
    first_table: Option<u16>,
    /// Why the file changes what is confirmed, such as a result; without it such changes are named and not taken.
    #[arg(long, value_name = "WHY", alias = "supersede")]
    note: Option<String>,
    /// Print the problems as JSON.
    #[arg(long)]
    json: bool,
}

/// What a file holds.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// CSV or TSV: section, team, two players.
    Teams,
    /// CSV or TSV: section, player, club.
    Players,
    /// CSV or TSV: round, table, two sides, result.
    Pairings,
    /// CSV or TSV: round, table or board, result.
    Results,
    /// A tournament that WinTD saved.
    Wintd,
    /// A tournament report of FIDE (TRF16 or TRF26), for chess.
    Trf,
    /// Deeds as JSON, one a line.
    Deeds,
}

impl From<Kind> for FileKind {
    fn from(kind: Kind) -> FileKind {
        match kind {
            Kind::Teams => FileKind::Teams,
            Kind::Players => FileKind::Players,
            Kind::Pairings => FileKind::Pairings,
            Kind::Results => FileKind::Results,
            Kind::Wintd => FileKind::WinTd,
            Kind::Trf => FileKind::Trf,
            Kind::Deeds => FileKind::Deeds,
        }
    }
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
