//! Files of organisers become acts: first a preview, which names every problem by its line, then all acts or none.
//!
//! Lists of teams, players, pairings and results come as CSV or TSV in any common encoding; whole events as WinTD's
//! JSON, or as FIDE's tournament report (TRF16) for chess; single deeds may be typed as JSON. Every reader proposes
//! deeds to a trial copy of the event. A refusal there is a problem at the line it came from, so that a preview
//! without errors is accepted by the event as a whole.

mod bye_text;
mod delimited;
mod draft;
mod encoding;
mod headers;
mod mapping;
mod margins;
mod members;
mod newest;
mod numbers;
mod outcome_text;
mod outlook;
mod pairings;
mod people;
mod result_columns;
mod tables;
mod trf;
mod typed;
mod wintd;
mod wintd_file;

use std::fmt;

use rules::rulebook::BookId;
use serde::Serialize;

use crate::{Author, Change, Event, EventAct, Refusal};

pub use mapping::{Column, Field, Mapping, Source};
pub use outcome_text::{outcomes_from_text, outcomes_to_text};
pub use outlook::{Outlook, Part, PartKind};

use draft::Draft;
pub(crate) use numbers::number_of;

/// Largest file that is read, in bytes. An event of five thousand players stays below a tenth of it.
pub const FILE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Maximum number of rows of a list, and of records of any kind in another file.
pub const ROWS_MAX: usize = 20_000;
/// Maximum number of columns of a list.
pub const COLUMNS_MAX: usize = 100;
/// Maximum number of characters of a field.
pub const FIELD_CHARACTERS_MAX: usize = 200;
/// Maximum number of problems that a preview names; the last one then says that there are more.
pub const PROBLEMS_MAX: usize = 200;
/// Maximum number of changes that a preview names one by one.
pub const DIFFERENCES_MAX: usize = 1_000;

/// Content of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A list of teams of two with their players.
    Teams,
    /// A list of players.
    Players,
    /// A list of pairings, with results where there are any.
    Pairings,
    /// A list of results by round and table.
    Results,
    /// A tournament of WinTD, in its own JSON.
    WinTd,
    /// A tournament report of FIDE's format TRF16.
    Trf,
    /// Deeds typed as JSON, one a line.
    Deeds,
}

/// Severity of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Worth a look; the file can be imported.
    Warning,
    /// The import is refused until it is corrected.
    Error,
}

/// Problem of a file: its place, the error, the remedy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The line of the file, from 1; none where the file is not made of lines, or where it concerns all of it.
    pub line: Option<u64>,
    /// The column by its header, or the place in a JSON file.
    pub column: Option<String>,
    /// The error.
    pub what: String,
    /// The remedy.
    pub todo: String,
    /// Severity.
    pub severity: Severity,
}

impl Problem {
    pub(crate) fn error(
        line: Option<u64>,
        column: Option<&str>,
        what: impl Into<String>,
        todo: impl Into<String>,
    ) -> Problem {
        let column = column.map(ToOwned::to_owned);
        let (what, todo) = (what.into(), todo.into());
        Problem { line, column, what, todo, severity: Severity::Error }
    }

    pub(crate) fn warning(self) -> Problem {
        Problem { severity: Severity::Warning, ..self }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = if self.severity == Severity::Error { "error" } else { "warning" };
        match self.line {
            Some(line) => write!(f, "line {line}")?,
            None => f.write_str("the file")?,
        }
        if let Some(column) = &self.column {
            write!(f, ", {column}")?;
        }
        write!(f, ": {severity}: {}; {}", self.what, self.todo)
    }
}

/// Difference between file and event: a result, a pairing, a bye, a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The line of the file, from 1.
    pub line: Option<u64>,
    /// The change in words.
    pub what: String,
    /// Whether it is among the acts; if not, the event keeps what it has.
    pub is_taken: bool,
    /// Reason why it is not made, or the way to have it made.
    pub todo: Option<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: ")?,
            None => f.write_str("the file: ")?,
        }
        f.write_str(if self.is_taken { "change: " } else { "not taken: " })?;
        f.write_str(&self.what)?;
        match &self.todo {
            Some(todo) => write!(f, "; {todo}"),
            None => Ok(()),
        }
    }
}

/// Options of a reader, beside the file.
#[derive(Clone, Debug)]
pub struct Options {
    /// In whose name the acts are made.
    pub author: Author,
    /// Meanings of the columns; none: guessed from the header.
    pub mapping: Option<Mapping>,
    /// The rulebook of sections that the file names and the event does not know; none: they are problems.
    pub rulebook: Option<BookId>,
    /// Number of rounds of such a section, where the file has none; none: a list's unknown sections are problems.
    pub rounds: Option<u8>,
    /// The section of rows without one; not needed where the event has only one.
    pub section: Option<String>,
    /// Section of people without one in the list or in `section`, for a look without an event.
    pub section_otherwise: Option<String>,
    /// The round of rows without one.
    pub round: Option<u8>,
    /// The first table for pairings of a file that has no tables; none: tables that no other section has.
    pub first_table: Option<u16>,
    /// Reason for changes to the event's entries, such as a confirmed result; none: such changes are named and not made.
    pub note: Option<String>,
}

impl Options {
    /// The options of an author, and nothing else.
    #[must_use]
    pub const fn new(author: Author) -> Options {
        Options {
            author,
            mapping: None,
            rulebook: None,
            rounds: None,
            section: None,
            section_otherwise: None,
            round: None,
            first_table: None,
            note: None,
        }
    }
}

/// Effect of a file on an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// The acts, numbered to follow the event's.
    pub acts: Vec<EventAct>,
    /// All problems, in the order of the file.
    pub problems: Vec<Problem>,
    /// Differences between file and event, in the order of the file.
    pub differences: Vec<Difference>,
    /// The event after the import: sections, people, pairings.
    pub outlook: Outlook,
    /// The encoding that was found, for lists and TRF.
    pub encoding: Option<&'static str>,
    /// The character between columns, for lists.
    pub delimiter: Option<char>,
    /// The names of the columns, for lists: what a mapping can choose from.
    pub header: Vec<String>,
    /// Meanings of a list's columns, to be remembered.
    pub mapping: Option<Mapping>,
}

impl Preview {
    /// Whether the file can be imported.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.problems.iter().all(|problem| problem.severity < Severity::Error)
    }

    /// Takes the file as a whole.
    ///
    /// # Errors
    ///
    /// [`ImportError::Unsound`] when there are errors, [`ImportError::Refused`] when the event has changed since the
    /// preview so that an act cannot be. The event is then as it was.
    pub fn apply(self, event: &mut Event) -> Result<Vec<Change>, ImportError> {
        if !self.is_sound() {
            let errors = self.problems.iter().filter(|it| it.severity == Severity::Error).count();
            return Err(ImportError::Unsound { errors });
        }
        event.apply_all(self.acts).map_err(|(_, refusal)| ImportError::Refused(refusal))
    }
}

/// Reason why a preview was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// The file has errors.
    #[error(
        "nothing was changed: put right what is wrong in the file ({errors} found), and try again"
    )]
    Unsound {
        /// Their number.
        errors: usize,
    },
    /// The event is no longer what the preview was made for.
    #[error("the event has changed since the preview, and nothing was changed: {0}")]
    Refused(Refusal),
}

/// Effect of a file on an event. The event is not changed.
#[must_use]
pub fn preview(event: &Event, kind: FileKind, bytes: &[u8], options: &Options) -> Preview {
    let mut draft = Draft::new(event, options);
    if bytes.len() > FILE_BYTES_MAX {
        let what = format!("the file has {} bytes, more than {FILE_BYTES_MAX}", bytes.len());
        draft.note(Problem::error(None, None, what, "is it the right file? Split it if so"));
        return draft.finish();
    }
    match kind {
        FileKind::Teams => people::read_teams(&mut draft, bytes),
        FileKind::Players => people::read_players(&mut draft, bytes),
        FileKind::Pairings => pairings::read_pairings(&mut draft, bytes),
        FileKind::Results => pairings::read_results(&mut draft, bytes),
        FileKind::WinTd => wintd::read(&mut draft, bytes),
        FileKind::Trf => trf::read(&mut draft, bytes),
        FileKind::Deeds => typed::read(&mut draft, bytes),
    }
    draft.finish()
}
