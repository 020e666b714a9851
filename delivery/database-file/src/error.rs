//! Errors of copying and restoring, in words for the operator.

use std::io;
use std::path::{Path, PathBuf};

/// A copy that was not made or not restored.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// There is nothing to be copied.
    #[error("there is no database {}: is that the right file?", .0.display())]
    Missing(PathBuf),
    /// There is nowhere to put it.
    #[error("there is no folder {}: make it, for the user whose program is to write there (install -d -o USER -m 750)", .0.display())]
    NoFolder(PathBuf),
    /// A file is in the way.
    #[error("{} is there already: choose another name, or remove it", .0.display())]
    Exists(PathBuf),
    /// A file's name cannot be given to SQLite.
    #[error("the name {} is not written in Unicode: choose another", .0.display())]
    Name(PathBuf),
    /// Another process has the database.
    #[error("the database {} is in use: stop the program that has it, then try again", .0.display())]
    InUse(PathBuf),
    /// A copy would fill the disk.
    #[error("a copy needs {needed_bytes} bytes, and {} has {free_bytes}: free space there, or copy to another disk", folder.display())]
    NoRoom {
        /// The folder of the copy.
        folder: PathBuf,
        /// Needed free space, bytes.
        needed_bytes: u64,
        /// Free space, bytes.
        free_bytes: u64,
    },
    /// The database cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The database.
        path: PathBuf,
        /// SQLite's error.
        source: sqlx::Error,
    },
    /// The copy cannot be made.
    #[error("cannot make the copy {}: {source}; the incomplete copy was removed, and the database is unchanged",
        path.display())]
    Copy {
        /// The copy.
        path: PathBuf,
        /// SQLite's error.
        source: sqlx::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}; is there room, and may you write there?", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// The copy is damaged, or one of something else.
    #[error("{} is no whole copy: {found}", path.display())]
    Damaged {
        /// The copy.
        path: PathBuf,
        /// Reason.
        found: String,
    },
}

/// Converts a file's error.
pub(crate) fn written<T>(path: &Path, outcome: io::Result<T>) -> Result<T, CopyError> {
    outcome.map_err(|source| CopyError::Write { path: path.to_owned(), source })
}
