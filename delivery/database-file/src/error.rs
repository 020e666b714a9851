//! Why a copy was not made or not put back, in words for the person who asked for it.

use std::io;
use std::path::{Path, PathBuf};

/// What kept a copy from being made or put back.
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
    /// Somebody has the database.
    #[error("the database {} is in use: stop the program that has it, then try again", .0.display())]
    InUse(PathBuf),
    /// A copy would fill the disk.
    #[error("a copy needs {needed_bytes} bytes, and {} has {free_bytes}: free space there, or copy to another disk", folder.display())]
    NoRoom {
        /// The folder of the copy.
        folder: PathBuf,
        /// What must be free, bytes.
        needed_bytes: u64,
        /// What is free, bytes.
        free_bytes: u64,
    },
    /// The database cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The database.
        path: PathBuf,
        /// What SQLite said.
        source: sqlx::Error,
    },
    /// The copy cannot be made.
    #[error("cannot make the copy {}: {source}; nothing of it is left, and the database is what it was", path.display())]
    Copy {
        /// The copy.
        path: PathBuf,
        /// What SQLite said.
        source: sqlx::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}; is there room, and may you write there?", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The copy is damaged, or one of something else.
    #[error("{} is no whole copy: {found}", path.display())]
    Damaged {
        /// The copy.
        path: PathBuf,
        /// What was found.
        found: String,
    },
}

/// What it means that something could not be done to a file.
pub(crate) fn written<T>(path: &Path, outcome: io::Result<T>) -> Result<T, CopyError> {
    outcome.map_err(|source| CopyError::Write { path: path.to_owned(), source })
}
