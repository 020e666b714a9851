//! Reasons why a log cannot be used.

use super::Place;

/// The log cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The log cannot be opened.
    #[error(
        "cannot open the database {place}: {source}; {} ({})", open_words(place), place.key()
    )]
    Open {
        /// The database.
        place: Place,
        /// The reason.
        source: sqlx::Error,
    },
    /// Another version of the program made the log.
    #[error(
        "the database {place} does not fit this version: {source}; use the version that made it, or give \
         another one in {}", place.key()
    )]
    Version {
        /// The database.
        place: Place,
        /// The reason.
        source: sqlx::migrate::MigrateError,
    },
    /// No adjudicator has written a log there yet.
    #[error("the database {place} has no log of an adjudicator yet: `twinboard serve` makes it")]
    NoLog {
        /// The database.
        place: Place,
    },
    /// Another process has it.
    #[error(
        "the database {place} is in use by a running adjudicator{}: stop that one first, or give another one in {}",
        holder.as_ref().map(|holder| format!(" ({holder})")).unwrap_or_default(), place.key()
    )]
    InUse {
        /// The database.
        place: Place,
        /// Its owner, as far as it is known.
        holder: Option<String>,
    },
    /// Another owner has taken the log over.
    #[error(
        "the log in {place} has had another owner since epoch {epoch}, which this program ({holder}) held. This program no longer writes there, \
         and the hubs keep their rows"
    )]
    Stale {
        /// The database.
        place: Place,
        /// The epoch in which this program had it.
        epoch: u64,
        /// The epoch now, and who has it.
        holder: String,
    },
    /// The server lets nothing be written.
    #[error(
        "the database {place} is read-only: {found}. No row was acknowledged, so the hubs keep their rows; name the primary server in \
         store.url, or end what makes this one read-only"
    )]
    ReadOnly {
        /// The database.
        place: Place,
        /// The server's error.
        found: String,
    },
    /// No host of several can be written.
    #[error(
        "no host of the database {place} is a primary that answers: {found}. No row was acknowledged, so the hubs keep their rows; promote a \
         standby, or start the primary (store.url)"
    )]
    NoPrimary {
        /// The database.
        place: Place,
        /// Each host and its state.
        found: String,
    },
    /// The server is set up so that what it has committed may be lost, or too old.
    #[error("the database {place} cannot keep a log: {found}")]
    Unfit {
        /// The database.
        place: Place,
        /// The problem and the remedy.
        found: String,
    },
    /// The file with its password cannot be used.
    #[error("store.password_file: {0}")]
    Password(String),
    /// Its address cannot be used.
    #[error("configuration value store.url: {0}")]
    Address(String),
    /// A copy was being put in its place.
    #[error(transparent)]
    Unfinished(#[from] database_file::Unfinished),
    /// A file cannot be copied.
    #[error(transparent)]
    Copy(#[from] database_file::CopyError),
    /// The destination of a copy has something.
    #[error(
        "{place} has {inputs} inputs already, and a copy needs an empty one: nothing was copied"
    )]
    NotEmpty {
        /// The destination.
        place: Place,
        /// Their number.
        inputs: u64,
    },
    /// An input cannot be copied.
    #[error(
        "input {input} is not what was written, and nothing was copied: start the adjudicator on this log once, which sets aside what is damaged"
    )]
    DamagedInput {
        /// Its number.
        input: u64,
    },
    /// The log does not end where this program believes.
    #[error(
        "the log ended at another input than expected: no row was committed, and its end is read again"
    )]
    Moved,
    /// A statement failed; a full disk shows here.
    #[error("the database refused: {0}; no row was acknowledged, so the hubs keep their rows")]
    Statement(#[from] sqlx::Error),
    /// The file is not what was written.
    #[error("the database {place} is damaged: {found}. It is {}, and no hub or phone did it: {}", place.disk().to_lowercase(), place.restore_words())]
    Damaged {
        /// The database.
        place: Place,
        /// The damage.
        found: String,
    },
}

fn open_words(place: &Place) -> &'static str {
    match place {
        Place::File(_) => "check that its folder exists and that this user may write there",
        Place::Server(_) => {
            "check that the server runs, admits this user from here, and has the database"
        }
    }
}
