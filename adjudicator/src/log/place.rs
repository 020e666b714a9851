//! Place of a log, as the configuration and the command line name it.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use super::{StoreError, postgres::Server, sqlite::StoreLock};

/// Place of a log.
#[derive(Clone, Debug)]
pub enum Place {
    /// A SQLite file.
    File(PathBuf),
    /// A shard in a PostgreSQL database.
    Server(Server),
}

impl Place {
    /// The configuration value that names it.
    pub(super) fn key(&self) -> &'static str {
        match self {
            Place::File(_) => "store.path",
            Place::Server(_) => "store.url",
        }
    }

    /// Keeps a second process from writing a file. A server's log has a lease, which opening it takes.
    ///
    /// # Errors
    ///
    /// Another process has the file, or its lock cannot be made.
    pub fn lock(&self) -> Result<Option<StoreLock>, StoreError> {
        match self {
            Place::File(path) => StoreLock::take(path).map(Some),
            Place::Server(_) => Ok(None),
        }
    }

    /// Whether no owner has it now. Whose a file is its lock decides, when it is opened.
    ///
    /// # Errors
    ///
    /// The server cannot be asked.
    pub async fn has_no_owner(&self) -> Result<bool, StoreError> {
        match self {
            Place::File(_) => Ok(true),
            Place::Server(server) => server.has_no_owner().await,
        }
    }

    /// The remedy for a damaged log.
    pub(super) fn restore_words(&self) -> String {
        match self {
            Place::File(path) => format!(
                "stop the adjudicator and put the latest copy in its place (`twinboard restore --config CONFIGURATION COPY`; the database is {}): hubs give again what it \
                 lacks",
                path.display()
            ),
            Place::Server(server) => format!(
                "stop the adjudicator and copy the latest copy into an empty database (`twinboard store copy COPY URL`; the damaged one is {server}): hubs give \
                 again what it lacks"
            ),
        }
    }

    /// Words for the log's disk, for directors.
    pub(super) fn disk(&self) -> &'static str {
        match self {
            Place::File(_) => "This machine's disk",
            Place::Server(_) => "The database server's disk",
        }
    }
}

impl Default for Place {
    fn default() -> Self {
        Place::File(PathBuf::new())
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::File(path) => path.display().fmt(f),
            Place::Server(server) => server.fmt(f),
        }
    }
}

impl From<&Path> for Place {
    fn from(path: &Path) -> Self {
        Place::File(path.to_owned())
    }
}

impl From<&PathBuf> for Place {
    fn from(path: &PathBuf) -> Self {
        Place::File(path.clone())
    }
}

impl From<&Place> for Place {
    fn from(place: &Place) -> Self {
        place.clone()
    }
}
