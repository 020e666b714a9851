//! `twinboard event check` and `import`: a file of an organiser, with everything that is wrong with it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use event::{
    Event,
    import::{FileKind, Mapping, Options, Preview, Severity, preview},
};
use rules::{rulebook::BookId, standings::ROUNDS_MAX};
use serde_json::json;

use super::file;
use crate::{files, stdout};

/// A file to be checked or taken, and what to know beside it.
#[derive(clap::Args)]
pub(super) struct ImportArguments {
    /// The file of the organiser.
    file: PathBuf,
    /// Kind of its content.
    #[arg(long = "as", value_name = "WHAT")]
    kind: ImportKind,
    /// The event: its file, or the configuration (.toml) of the adjudicator that serves it. A list may be checked without one, as if
    /// every section in it existed.
    #[arg(long, value_name = "EVENT.json|EVENT.toml")]
    event: Option<PathBuf>,
    /// Meaning of the columns, as JSON: read if the file exists, else written with the guesses.
    #[arg(long, value_name = "FILE.json")]
    mapping: Option<PathBuf>,
    /// Open sections that the event does not know, to be played by this rulebook.
    #[arg(long, value_name = "ID")]
    rulebook: Option<BookId>,
    /// Number of rounds of such sections, where the file does not contain it.
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
    /// Reason to change confirmed entries, such as a result; without it such changes are listed and not imported.
    #[arg(long, value_name = "WHY", alias = "supersede")]
    note: Option<String>,
    /// Print the problems as JSON.
    #[arg(long)]
    json: bool,
}

/// Kind of a file's content.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ImportKind {
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

impl From<ImportKind> for FileKind {
    fn from(kind: ImportKind) -> FileKind {
        match kind {
            ImportKind::Teams => FileKind::Teams,
            ImportKind::Players => FileKind::Players,
            ImportKind::Pairings => FileKind::Pairings,
            ImportKind::Results => FileKind::Results,
            ImportKind::Wintd => FileKind::WinTd,
            ImportKind::Trf => FileKind::Trf,
            ImportKind::Deeds => FileKind::Deeds,
        }
    }
}

/// Says everything that is wrong with a file.
pub(super) fn check(arguments: &ImportArguments) -> Result<()> {
    let event = match &arguments.event {
        Some(path) => file::read(path)?,
        None if matches!(arguments.kind, ImportKind::Pairings | ImportKind::Results) => {
            bail!("pairings and results are checked against an event: name it with --event")
        }
        None => Event::default(),
    };
    let preview = look(arguments, &event)?;
    report(arguments, &preview)?;
    write_mapping(arguments, &preview)?;
    if preview.is_sound() { Ok(()) } else { bail!("{} has errors", arguments.file.display()) }
}

/// Takes a file into an event.
pub(super) fn import(arguments: &ImportArguments) -> Result<()> {
    let Some(path) = &arguments.event else {
        bail!(
            "say which event the file is taken into: --event EVENT.json, or --event EVENT.toml for the one that is served"
        );
    };
    let mut event = file::read_or_begin(path)?;
    let before = event.acts().len();
    let preview = look(arguments, &event)?;
    report(arguments, &preview)?;
    write_mapping(arguments, &preview)?;
    preview.apply(&mut event)?;
    file::keep(path, &event, before)
}

/// Writes which column was taken for what, also when that is not enough: fields that have yet to be mapped are there
/// with an empty header.
fn write_mapping(arguments: &ImportArguments, preview: &Preview) -> Result<()> {
    match (&arguments.mapping, &preview.mapping) {
        (Some(path), Some(mapping)) if !path.exists() => {
            let text = serde_json::to_string_pretty(mapping).context("the mapping")?;
            files::write(path, format!("{text}\n").as_bytes())?;
            if mapping.is_complete() || arguments.json {
                return Ok(());
            }
            let path = path.display();
            stdout::print_line(format_args!(
                "{path} was written: put a column's header between the empty quotation marks, and try again"
            ))
        }
        _ => Ok(()),
    }
}

fn look(arguments: &ImportArguments, event: &Event) -> Result<Preview> {
    let bytes = files::read(&arguments.file)?;
    let mapping = arguments.mapping.as_deref().filter(|path| path.exists());
    // Without an event every section that a list names is as good as another.
    let alone = arguments.event.is_none();
    let any_book = || match arguments.kind {
        ImportKind::Players | ImportKind::Trf => BookId::NcScholastic,
        _ => BookId::default(),
    };
    let options = Options {
        mapping: mapping.map(read_mapping).transpose()?,
        rulebook: arguments.rulebook.or_else(|| alone.then(any_book)),
        rounds: arguments.rounds.or_else(|| alone.then_some(ROUNDS_MAX)),
        section: arguments.section.clone(),
        section_otherwise: alone.then(|| "Section".to_owned()),
        round: arguments.round,
        first_table: arguments.first_table,
        note: arguments.note.clone(),
        ..Options::new(file::author())
    };
    Ok(preview(event, FileKind::from(arguments.kind), &bytes, &options))
}

fn read_mapping(path: &Path) -> Result<Mapping> {
    serde_json::from_slice(&files::read(path)?)
        .with_context(|| format!("{} is no mapping of columns", path.display()))
}

fn report(arguments: &ImportArguments, preview: &Preview) -> Result<()> {
    if arguments.json {
        let report = json!({
            "file": arguments.file.display().to_string(),
            "sound": preview.is_sound(),
            "acts": preview.acts.len(),
            "encoding": preview.encoding,
            "delimiter": preview.delimiter,
            "header": preview.header,
            "mapping": preview.mapping,
            "problems": preview.problems,
            "changes": preview.differences,
            "outlook": preview.outlook,
        });
        return stdout::print_line(report);
    }
    for problem in &preview.problems {
        stdout::print_line(format_args!("{problem}"))?;
    }
    for difference in &preview.differences {
        stdout::print_line(format_args!("{difference}"))?;
    }
    if preview.is_sound() {
        for line in preview.outlook.lines() {
            stdout::print_line(line)?;
        }
    }
    let unread = preview.mapping.as_ref().map(|it| it.unread(&preview.header)).unwrap_or_default();
    if !unread.is_empty() {
        stdout::print_line(format_args!("columns that are not read: {}", unread.join(", ")))?;
    }
    let errors = preview.problems.iter().filter(|it| it.severity == Severity::Error).count();
    let encoding = preview.encoding.map(|it| format!(", {it}")).unwrap_or_default();
    let delimiter =
        preview.delimiter.map(|it| format!(", columns between {it:?}")).unwrap_or_default();
    let file = arguments.file.display();
    let acts = preview.acts.len();
    let errors = if errors == 1 { "1 error".to_owned() } else { format!("{errors} errors") };
    stdout::print_line(format_args!("{file}{encoding}{delimiter}: {acts} acts, {errors}"))
}
