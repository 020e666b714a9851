//! One writer a database: a lock beside it, which the system releases however the process ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use nix::fcntl::OFlag;

use crate::private::OWNER_ONLY;
use crate::{beside, folder};

/// Lock of a database, against another writer and against a restore. It is released when it is dropped.
#[derive(Debug)]
pub struct Lock(#[allow(dead_code, reason = "it is held, not read")] File);

impl Lock {
    /// Takes the lock of a database that is to be written; `None` if another process has it.
    ///
    /// # Errors
    ///
    /// Its file cannot be made.
    pub fn take(database: &Path) -> io::Result<Option<Lock>> {
        let path = beside(database, ".lock");
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(OWNER_ONLY)
            // Root writes in folders of others: not to where one of them points.
            .custom_flags(OFlag::O_NOFOLLOW.bits())
            .open(&path)?;
        folder::give_to_owner(&path, &file)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Lock(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}
