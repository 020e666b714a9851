//! Why the database cannot be used.

use std::path::PathBuf;

use super::damage;

/// The database cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// It cannot be opened.
    #[error(
        "cannot open the database {}: {source}; check that its folder exists and that this user may \
         write there (store.path)", path.display()
    )]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        source: sqlx::Error,
    },
    /// It was made by another version of the program.
    #[error(
        "the database {} does not fit this version: {source}; use the version that made it, or give \
         another file in store.path", path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Why.
        source: sqlx::migrate::MigrateError,
    },
    /// Another process has it.
    #[error(
        "the database {} is in use by a running adjudicator: stop that one first, or give another file in store.path",
        path.display()
    )]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// A copy was being put in its place.
    #[error(transparent)]
    Unfinished(#[from] database_file::Unfinished),
    /// A statement failed; a full disk shows here.
    #[error(
        "the database refused: {0}; nothing of it was acknowledged, so the hubs keep their rows"
    )]
    Statement(#[from] sqlx::Error),
    /// The file is not what was written.
    #[error("the database {} is damaged: {found}. It is this machine's disk, and no hub or phone did it: {}", path.display(), damage::restore_words(path))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found.
        found: String,
    },
}
