//! The files of a SQLite database: who has it, who may read it, copies of it, and one put back.
//!
//! The hub's journal and the adjudicator's store need the same of it. What one of them committed is in several files, and only together
//! are they the database: a log beside another file than its own destroys that file. So nobody else touches these files.

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

/// How long a statement waits for another process to let go of the database.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// What SQLite keeps beside a database: in a log, or a journal, may be what was committed or what is to be taken back.
const LOGS: [&str; 2] = ["-wal", "-journal"];
/// The log's index, which is made anew from it.
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
