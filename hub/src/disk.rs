//! Room on the journal's disk: looked at once a minute, told to directors before it is gone, and a ballast that buys time when it is.
//!
//! A full disk stops every table of the hub: nothing is acknowledged, and a node keeps what it reads for less than a minute. So people
//! are told while there is time, and the ballast is given up when there is none.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::sys::statvfs::statvfs;
use tokio::time::interval;
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

use crate::journal::{BALLAST_BYTES, Ballast};
use crate::liveness::{Health, Heartbeat};
use crate::troubles::Troubles;

/// With less room than this, people are told: an evening's journal of sixteen tables is below it, bytes.
const LOW_BYTES: u64 = 500_000_000;
/// Ballast is taken only where this much is left beside it, bytes.
const BALLAST_SPARES_BYTES: u64 = 2 * LOW_BYTES;
/// How often the disk is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(60);
/// How often the task shows that it moves, and looks whether the journal can be written.
const TICK: Duration = Duration::from_secs(1);

/// Free bytes on the disk of a folder, as far as this user may have them.
fn free_bytes(folder: &Path) -> io::Result<u64> {
    let disk = statvfs(folder).map_err(io::Error::from)?;
    Ok(disk.blocks_available().saturating_mul(disk.fragment_size()))
}

/// What a director has to know of a disk, in words.
fn trouble(free_bytes: Option<u64>, is_halted: bool) -> Option<String> {
    let left = free_bytes.map(|free| format!("{} MB", free / 1_000_000));
    match (is_halted, left) {
        (true, left) => Some(format!(
            "its journal cannot be written ({} free): no table of it is recorded; free space on its disk or give it another one",
            left.as_deref().unwrap_or("nobody knows how much")
        )),
        (false, Some(left)) if free_bytes < Some(LOW_BYTES) => Some(format!(
            "{left} are left on its disk: free space before the next round, a full disk stops all of its tables"
        )),
        (false, _) => None,
    }
}

/// Looks after the disk of `journal` until `shutdown`, and tells what is wrong with it.
pub(crate) async fn watch(
    journal: PathBuf,
    writer: Heartbeat,
    heartbeat: Heartbeat,
    troubles: Troubles,
    shutdown: CancellationToken,
) {
    let folder = journal.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).to_owned();
    let ballast = Ballast::beside(&journal);
    let mut tick = interval(TICK);
    let mut looked = None;
    let mut free = None;
    let mut said = (false, false);
    while !shutdown.is_cancelled() {
        tokio::select! {
            _ = tick.tick() => heartbeat.beat(),
            () = shutdown.cancelled() => return,
        }
        let is_halted = writer.is(Health::Halted);
        let is_due = looked.is_none_or(|at: tokio::time::Instant| at.elapsed() >= LOOK_EVERY);
        if is_due || is_halted {
            looked = Some(tokio::time::Instant::now());
            free = look(&folder, &ballast, is_halted).await;
        }
        let now = trouble(free, is_halted);
        // Bytes come and go: the same trouble is told once.
        let kind = (is_halted, now.is_some());
        if std::mem::replace(&mut said, kind) != kind {
            match &now {
                Some(words) => error!(journal = %journal.display(), "the hub's disk: {words}"),
                None => info!(journal = %journal.display(), "the hub's disk has room"),
            }
            troubles.tell("disk", now);
        }
    }
}

/// Free bytes, off the runtime; takes ballast where there is plenty.
async fn look(folder: &Path, ballast: &Ballast, is_halted: bool) -> Option<u64> {
    let (folder, ballast) = (folder.to_owned(), ballast.clone());
    let looked = tokio::task::spawn_blocking(move || {
        let free = free_bytes(&folder)?;
        if !is_halted && free >= BALLAST_SPARES_BYTES + BALLAST_BYTES {
            ballast.take()?;
        }
        Ok::<u64, io::Error>(free)
    });
    match looked.await {
        Ok(Ok(free)) => Some(free),
        Ok(Err(problem)) => {
            warn!("the hub's disk cannot be looked at: {problem}");
            None
        }
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_told_before_the_disk_is_full_and_when_it_is() {
        assert_eq!(trouble(Some(LOW_BYTES), false), None);
        assert_eq!(trouble(None, false), None);
        let low = trouble(Some(123_456_789), false).expect("a trouble");
        assert!(low.starts_with("123 MB are left"), "{low}");
        let full = trouble(Some(0), true).expect("a trouble");
        assert!(full.contains("(0 MB free)"), "{full}");
        assert!(trouble(None, true).expect("a trouble").contains("nobody knows"));
    }

    #[tokio::test]
    async fn a_journal_that_cannot_be_written_is_told_and_taken_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let (writer, stop) = (Heartbeat::default(), CancellationToken::new());
        let (sender, mut troubles) = Troubles::none();
        let journal = folder.path().join("hub.sqlite");
        let task = watch(journal, writer.clone(), Heartbeat::default(), sender, stop.clone());
        let task = tokio::spawn(task);
        writer.set_health(Health::Halted);
        let halted =
            |words: &Vec<String>| words.iter().any(|word| word.contains("cannot be written"));
        troubles.wait_for(halted).await.expect("it is told");
        writer.set_health(Health::Well);
        troubles.wait_for(|words| !halted(words)).await.expect("it is taken back");
        stop.cancel();
        task.await.expect("it ends");
    }
}
