//! SQLite's write-ahead log after a sync that failed: the hub's journal and the adjudicator's store need the same of it.
//!
//! Linux says once that it could not write something. The kernel goes on to show it to readers, counts it as written, and
//! reports no error at the next sync. SQLite syncs again, finds nothing wrong, and writes behind it; after a power cut all that
//! is behind it is lost. So what is in the log is written once more before anybody relies on it.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

/// Bytes that are written at once.
const PART: usize = 1 << 16;

/// Writes the log of a database once more, as it is, and makes sure of it. There must be no writer meanwhile; readers see no
/// difference. SQLite has no locks on this file, which would be lost when it is closed here.
///
/// # Errors
///
/// It cannot be read or written.
pub async fn rewrite(database: &Path) -> io::Result<()> {
    let mut name = database.as_os_str().to_owned();
    name.push("-wal");
    let log = PathBuf::from(name);
    tokio::task::spawn_blocking(move || rewrite_file(&log)).await.map_err(io::Error::other)?
}

fn rewrite_file(log: &Path) -> io::Result<()> {
    let file = match OpenOptions::new().read(true).write(true).open(log) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let (mut part, mut at) = (vec![0; PART], 0);
    loop {
        let read = file.read_at(&mut part, at)?;
        if read == 0 {
            return file.sync_all();
        }
        file.write_all_at(&part[..read], at)?;
        at += read as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_log_is_the_same_after_it_was_written_once_more_and_need_not_be_there() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("event.sqlite");
        rewrite(&database).await.unwrap();
        let bytes: Vec<u8> = (0..3 * PART + 5).map(|at| (at % 251) as u8).collect();
        let log = folder.path().join("event.sqlite-wal");
        std::fs::write(&log, &bytes).unwrap();
        rewrite(&database).await.unwrap();
        assert!(std::fs::read(&log).unwrap() == bytes);
    }
}
