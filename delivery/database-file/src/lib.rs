//! The files of a SQLite database: its lock, its rights, copies of it, and a restore.
//!
//! | noun | what it is |
//! |---|---|
//! | [`Lock`] | the right to write a database, held by one process |
//! | [`Copied`] | a finished copy, checked, with its content |
//! | [`Kind`] | the hub's journal or the adjudicator's store: tables and content of a copy |
//! | [`Checksum`] | a checksum of one row |
//! | [`CopyError`] | why a copy was not made or not restored, in words for the operator |
//!
//! ```
//! use database_file::Checksum;
//!
//! let row = || Checksum::default().number(7_i64).text("e2e4");
//! assert_eq!(row().value(), row().value());
//! assert_ne!(row().value(), Checksum::default().number(7_i64).text("e2e3").value());
//! ```
//!
//! The hub's journal and the adjudicator's store use the same code. A database consists of several files: a log beside another
//! file than its own destroys that file. So no other code touches these files.

mod checksum;
mod copy;
mod error;
mod folder;
mod lock;
mod private;
mod put_back;
mod schema;
pub mod write_ahead_log;

pub use checksum::Checksum;
pub use copy::{Copied, copy};
pub use error::CopyError;
pub use lock::Lock;
pub use private::{Unfinished, hold_finished, make_private};
pub use put_back::{Kind, put_back};

use std::path::{Path, PathBuf};
use std::time::Duration;

/// Maximum time that a statement waits for another process to release the database.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Endings of the files that SQLite keeps beside a database and that may hold committed rows, or rows to be rolled back.
const LOGS: [&str; 2] = ["-wal", "-journal"];
/// Ending of the log's index, which SQLite makes again from the log.
const INDEX: &str = "-shm";

/// The file that becomes a copy, or a database, once it is whole.
fn part(of: &Path) -> PathBuf {
    beside(of, ".part")
}

/// The file into which a copy that is put back is read, so that the copy itself stays as it is.
fn source(of: &Path) -> PathBuf {
    beside(of, ".source")
}

/// The file whose name is that of another and more.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
