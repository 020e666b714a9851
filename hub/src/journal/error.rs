//! Reasons why the journal cannot be opened or written, in words for the person beside the hub.

use std::io;
use std::path::{Path, PathBuf};

/// SQLite's result code for a full disk: SQLITE_FULL.
const SQLITE_FULL_CODE: &str = "13";
/// Failed writes of the file or of the shared memory beside it (SQLITE_IOERR_WRITE, SQLITE_IOERR_SHMSIZE): a full disk or a
/// failing card causes them.
const SQLITE_WRITE_CODES: [&str; 2] = ["778", "4874"];
/// With less room than this a failed write means a full disk, bytes: more than a batch and the log need.
const ROOM_MIN_BYTES: u64 = 8_000_000;

/// A problem of the journal.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be opened or made.
    #[error("cannot open the journal {}: {source}; check that its folder exists and that the hub may write there", file.display())]
    Open {
        /// The journal's file.
        file: PathBuf,
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Another process writes it.
    #[error("the journal {} is in use by another hub: stop that one, or give this one a journal of its own (hub.journal)", file.display())]
    InUse {
        /// The journal's file.
        file: PathBuf,
    },
    /// The journal was written for another hub.
    #[error("the journal {} belongs to hub {found:?}, not to {wanted:?}: correct hub.id or hub.journal", file.display())]
    OtherHub {
        /// The journal's file.
        file: PathBuf,
        /// The hub that wrote it.
        found: String,
        /// The hub that opened it.
        wanted: String,
    },
    /// Another version of this program wrote the journal.
    #[error("the journal {} has layout {found}, this program writes layout {wanted}: use the program that wrote it, or name a new file as hub.journal", file.display())]
    OtherLayout {
        /// The journal's file.
        file: PathBuf,
        /// Its layout.
        found: i64,
        /// This program's layout.
        wanted: i64,
    },
    /// The file is something else.
    #[error("{} is no journal of a hub: give the file that hub.journal names", file.display())]
    NoJournal {
        /// The file.
        file: PathBuf,
    },
    /// A copy was being put in its place.
    #[error(transparent)]
    Unfinished(#[from] database_file::Unfinished),
    /// No space is left for it.
    #[error("no space left for the journal {}: free space on its disk; until then readings wait in the nodes and nothing is sent on", file.display())]
    Full {
        /// The journal's file.
        file: PathBuf,
    },
    /// The journal can be neither read nor written for another reason.
    #[error("cannot use the journal {}: {source}; check the disk", file.display())]
    Broken {
        /// The journal's file.
        file: PathBuf,
        /// SQLite's error.
        source: sqlx::Error,
    },
    /// A line in it cannot be understood.
    #[error("the journal {} holds a line that is no input: {reason}", file.display())]
    Line {
        /// The journal's file.
        file: PathBuf,
        /// The problem of the line.
        reason: String,
    },
    /// The journal's task has ended.
    #[error("the journal is closed")]
    Closed,
}

impl JournalError {
    /// The problem of `file` that `source` stands for.
    pub(super) fn from_sqlx(file: &Path, source: sqlx::Error) -> JournalError {
        let is_full = is_full(&source, file);
        let file = file.to_owned();
        if is_full { JournalError::Full { file } } else { JournalError::Broken { file, source } }
    }

    /// The same while `file` is opened.
    pub(super) fn opening(file: &Path, source: sqlx::Error) -> JournalError {
        match JournalError::from_sqlx(file, source) {
            JournalError::Broken { file, source } => {
                JournalError::Open { file, source: Box::new(source) }
            }
            full => full,
        }
    }

    /// The problem when a file beside `file` cannot be made.
    pub(super) fn from_io(file: &Path, source: io::Error) -> JournalError {
        let file = file.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull => JournalError::Full { file },
            _ => JournalError::Open { file, source: Box::new(source) },
        }
    }
}

fn is_full(error: &sqlx::Error, file: &Path) -> bool {
    let sqlx::Error::Database(error) = error else { return false };
    let free_bytes = || crate::disk::free_bytes(crate::disk::folder_of(file)).ok();
    error.code().is_some_and(|code| is_full_code(&code, free_bytes))
}

fn is_full_code(code: &str, free_bytes: impl FnOnce() -> Option<u64>) -> bool {
    let writes = SQLITE_WRITE_CODES.contains(&code);
    code == SQLITE_FULL_CODE || (writes && free_bytes().is_some_and(|free| free < ROOM_MIN_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_that_fails_with_room_left_is_not_called_full() {
        assert!(is_full_code("13", || Some(1_000_000_000)));
        for code in SQLITE_WRITE_CODES {
            assert!(is_full_code(code, || Some(4_096)));
            assert!(!is_full_code(code, || Some(1_000_000_000)));
            assert!(!is_full_code(code, || None));
        }
        assert!(!is_full_code("266", || Some(0)), "a failed read");
    }
}
