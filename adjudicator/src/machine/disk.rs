//! Room on the log's disk: looked at once a minute, and told to directors before it is gone.
//!
//! A full disk loses nothing: no row is acknowledged, and hubs keep theirs; what directors decide stays on their phones. But nothing new
//! is shown or recorded until there is room, so people are told while there is time. Nothing of this is in the log, which a full disk
//! does not take.

use std::{io, path::Path, sync::Arc, time::Duration};

use nix::sys::statvfs::statvfs;
use tokio::{sync::watch, time::interval};
use tokio_util::sync::CancellationToken;

use crate::{config, time::now_ms};

/// How often the disk is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(60);
/// With less room than this it is as good as full: a transaction and SQLite's own files take a part of it, bytes.
const FULL_BYTES: u64 = 20_000_000;

/// What is known of the disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Room {
    /// What is free for this program, bytes; nothing where nobody knows.
    pub(crate) free_bytes: Option<u64>,
    /// What is wrong.
    pub(crate) trouble: Option<Trouble>,
}

/// Too little room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trouble {
    /// What is left, bytes.
    free_bytes: u64,
    /// Since when, Unix milliseconds.
    pub(crate) since_ms: u64,
}

impl Trouble {
    /// Whether nothing new can be kept.
    pub(crate) fn is_full(self) -> bool {
        self.free_bytes < FULL_BYTES
    }

    /// What a director has to know.
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

/// The disk as it was when it was looked at last.
#[derive(Clone, Debug)]
pub(crate) struct Disk(watch::Receiver<Room>);

impl Disk {
    /// A disk that is looked at from now on until shutdown, and the task that looks.
    pub(crate) fn watch(
        store: &config::Store,
        shutdown: CancellationToken,
    ) -> (Disk, impl Future<Output = ()> + use<>) {
        let (room, disk) = watch::channel(Room::default());
        let folder = store.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder: Arc<Path> = folder.unwrap_or(Path::new(".")).into();
        // The disk of a database server is looked at there; what it refuses is told by the log.
        let is_ours = store.url.is_none();
        let low_bytes = store.warn_below_mb.saturating_mul(1_000_000);
        let watching = async move {
            match is_ours {
                true => look_on(folder, low_bytes, room, shutdown).await,
                false => shutdown.cancelled().await,
            }
        };
        (Disk(disk), watching)
    }

    /// How it is.
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
        // A network's disk may take its time.
        let looked = tokio::task::spawn_blocking(move || free_bytes(&folder)).await;
        let free = match looked {
            Ok(Ok(free)) => Some(free),
            Ok(Err(problem)) => {
                tracing::warn!("the log's disk cannot be looked at: {problem}");
                None
            }
            Err(_) => None,
        };
        let before = *room.borrow();
        let now = before.after(free, low_bytes, now_ms());
        // Bytes come and go: the same trouble is told once.
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
    /// What is known after a look that found so much free.
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
