//! Files that their owner alone can read: they hold what children did, and judgments that only directors may see.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::{INDEX, LOGS, beside, part};

/// The owner alone reads and writes it.
pub(crate) const OWNER_ONLY: u32 = 0o600;
/// Permission bits of everybody but the owner.
const OTHERS: u32 = 0o077;

/// A restore ended in its middle, and an empty database in its place would hide what there was.
#[derive(Debug, thiserror::Error)]
#[error(
    "{} is not there, but {} is: a restore was interrupted. Give the same command `twinboard restore` again, or remove the latter to \
     begin with nothing. The replaced file is kept beside it, as .before-…", database.display(), part.display()
)]
pub struct Unfinished {
    database: PathBuf,
    part: PathBuf,
}

/// Refuses a database that is to be written if a restore of it ended in its middle.
///
/// # Errors
///
/// It did.
pub fn hold_finished(database: &Path) -> Result<(), Unfinished> {
    let part = part(database);
    match !database.exists() && part.exists() {
        true => Err(Unfinished { database: database.to_owned(), part }),
        false => Ok(()),
    }
}

/// Creates the file of a database, if it is missing, and restricts it to the owner. SQLite gives its log the same rights.
///
/// # Errors
///
/// The file cannot be made.
pub fn make_private(database: &Path) -> io::Result<()> {
    OpenOptions::new().append(true).create(true).mode(OWNER_ONLY).open(database)?;
    let logs = LOGS.iter().chain([&INDEX]).map(|ending| beside(database, ending));
    for file in logs.chain([database.to_owned()]) {
        let Ok(about) = fs::metadata(&file) else { continue };
        if about.permissions().mode() & OTHERS != 0 {
            // Only its owner can change the rights.
            drop(fs::set_permissions(&file, Permissions::from_mode(OWNER_ONLY)));
        }
    }
    Ok(())
}

/// Creates a new file.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(OWNER_ONLY).open(path)
}
