//! Room on the log's disk: checked once a minute, and reported to directors before the disk is full.
//!
//! A full disk loses nothing: no row is acknowledged, hubs keep their rows, and acts stay on the directors' phones. But nothing new
//! is shown or recorded until there is room, so directors hear of it early. The notices are not in the log, which cannot grow on a full
//! disk.

use std::{io, path::Path, sync::Arc, time::Duration};

use nix::sys::statvfs::statvfs;
use tokio::{sync::watch, time::interval};
use tokio_util::sync::CancellationToken;

use crate::time::now_ms;

/// Interval between two checks of the disk.
const LOOK_EVERY: Duration = Duration::from_secs(60);
/// Free room below which the disk counts as full, bytes: a transaction and SQLite's own files need some.
const FULL_BYTES: u64 = 20_000_000;

/// State of the disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Room {
    /// Free room for this program, bytes; none where it is unknown.
    pub(crate) free_bytes: Option<u64>,
    /// The shortage, if there is one.
    pub(crate) trouble: Option<Trouble>,
}

/// A shortage of room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trouble {
    /// Free room, bytes.
    free_bytes: u64,
    /// Time of the first check that found it, Unix milliseconds.
    pub(crate) since_ms: u64,
}

impl Trouble {
    /// Whether nothing new can be recorded.
    pub(crate) fn is_full(self) -> bool {
        self.free_bytes < FULL_BYTES
    }

    /// The notice to directors.
    pub(crate) fn words(self) -> String {
        let left = self.free_bytes / 1_000_000;
        match self.is_full() {
            true => format!(
                "{left} MB are left on the adjudicator's disk: nothing new is recorded. Hubs and phones keep what they have; free space now."
            ),
            false => format!(
                "{left} MB are left on the adjudicator's disk: free space before the next round. A full disk records nothing."
            ),
        }
    }
}

/// The disk at its last check.
#[derive(Clone, Debug)]
pub(crate) struct Disk(watch::Receiver<Room>);

impl Disk {
    /// The state of a file's disk from now on until shutdown, and the task that checks it. `file`: none for a log at a database server,
    /// whose disk is checked there; the log reports its refusals.
    pub(crate) fn watch(
        file: Option<&Path>,
        warn_below_mb: u64,
        shutdown: CancellationToken,
    ) -> (Disk, impl Future<Output = ()> + use<>) {
        let (room, disk) = watch::channel(Room::default());
        let folder = file.map(|file| {
            let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
            Arc::<Path>::from(folder.unwrap_or(Path::new(".")))
        });
        let low_bytes = warn_below_mb.saturating_mul(1_000_000);
        let watching = async move {
            match folder {
                Some(folder) => look_on(folder, low_bytes, room, shutdown).await,
                None => shutdown.cancelled().await,
            }
        };
        (Disk(disk), watching)
    }

    /// State of the disk at the last check.
    pub(crate) fn room(&self) -> Room {
        *self.0.borrow()
    }
}

async fn look_on(
    folder: Arc<Path>,
    low_bytes: u64,
    room: watch::Sender<Room>,
    shutdown: CancellationToken,
) {
    let mut tick = interval(LOOK_EVERY);
    loop {
        tokio::select! {
            _ = tick.tick() => {}
            () = shutdown.cancelled() => return,
        }
        let folder = folder.clone();
        // A disk on a network may be slow.
        let looked = tokio::task::spawn_blocking(move || free_bytes(&folder)).await;
        let free = match looked {
            Ok(Ok(free)) => Some(free),
            Ok(Err(problem)) => {
                tracing::warn!("the free space of the log's disk cannot be read: {problem}");
                None
            }
            Err(_) => None,
        };
        let before = *room.borrow();
        let now = before.after(free, low_bytes, now_ms());
        // Free bytes vary: the same shortage is reported once.
        match (before.trouble, now.trouble) {
            (was, Some(is)) if was.map(Trouble::is_full) != Some(is.is_full()) => {
                tracing::error!("{}", is.words());
            }
            (Some(_), None) => tracing::info!("the log's disk has room"),
            _ => {}
        }
        room.send_replace(now);
    }
}

impl Room {
    /// The state after a check that found `free` bytes.
    fn after(self, free_bytes: Option<u64>, low_bytes: u64, now_ms: u64) -> Room {
        let trouble = free_bytes.filter(|free| *free < low_bytes).map(|free_bytes| Trouble {
            free_bytes,
            since_ms: self.trouble.map_or(now_ms, |before| before.since_ms),
        });
        Room { free_bytes, trouble }
    }
}

/// Free bytes on the disk of a folder, as far as this user may have them.
fn free_bytes(folder: &Path) -> io::Result<u64> {
    let disk = statvfs(folder).map_err(io::Error::from)?;
    Ok(disk.blocks_available().saturating_mul(disk.fragment_size()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOW_BYTES: u64 = 500_000_000;

    #[test]
    fn people_are_told_before_the_disk_is_full_when_it_is_and_no_more_when_it_has_room() {
        let well = Room::default().after(Some(LOW_BYTES), LOW_BYTES, 1);
        assert_eq!(well.trouble, None);
        let low = well.after(Some(123_456_789), LOW_BYTES, 2);
        assert!(low.trouble.unwrap().words().starts_with("123 MB are left"));
        let full = low.after(Some(1_000_000), LOW_BYTES, 3).trouble.unwrap();
        assert!(full.is_full() && full.words().contains("nothing new is recorded"));
        assert_eq!(full.since_ms, 2, "the trouble began when room was low");
        assert_eq!(low.after(Some(LOW_BYTES), LOW_BYTES, 4).trouble, None);
        assert_eq!(low.after(None, LOW_BYTES, 4), Room::default(), "nobody knows");
    }
}
