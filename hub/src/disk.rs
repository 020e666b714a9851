//! Room on the journal's disk: checked once a minute and reported to directors before the disk is full, with a ballast that buys time then.
//!
//! A full disk stops every table of the hub: nothing is acknowledged, and a node keeps what it reads for less than a minute. So people
//! hear of it early, and the ballast is released when the disk is full.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::sys::statvfs::statvfs;
use tokio::time::interval;
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

use crate::journal::{BALLAST_BYTES, Ballast};
use crate::liveness::{Health, Heartbeat};
use crate::metrics::Machine;
use crate::troubles::Troubles;

/// With less room than this, people are told: an evening's journal of sixteen tables is below it, bytes.
const LOW_BYTES: u64 = 500_000_000;
/// Free room that must remain beside the ballast when it is made, bytes.
const BALLAST_SPARES_BYTES: u64 = 2 * LOW_BYTES;
/// Interval between two checks of the disk.
const LOOK_EVERY: Duration = Duration::from_secs(60);
/// Interval between two signs of life of the task, each with a check whether the journal can be written.
const TICK: Duration = Duration::from_secs(1);

/// Free space below which directors are notified, and notified again, bytes.
const STEPS_BYTES: [u64; 3] = [LOW_BYTES, 200_000_000, 50_000_000];

/// The folder of a file.
pub(crate) fn folder_of(file: &Path) -> &Path {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Number of [`STEPS_BYTES`] that the free bytes are below, when it was `before`. A step is withdrawn when there is a tenth more room, so that
/// bytes which come and go are reported once.
fn step(free_bytes: Option<u64>, before: usize) -> usize {
    let Some(free) = free_bytes else { return before };
    let is_below = |(index, bytes): (usize, &u64)| {
        let margin = if index < before { bytes / 10 } else { 0 };
        free < bytes + margin
    };
    STEPS_BYTES.iter().enumerate().filter(|&step| is_below(step)).count()
}

/// Free bytes on the disk of a folder, as far as this user may have them.
pub(crate) fn free_bytes(folder: &Path) -> io::Result<u64> {
    let disk = statvfs(folder).map_err(io::Error::from)?;
    Ok(disk.blocks_available().saturating_mul(disk.fragment_size()))
}

/// The notice to directors about a disk.
fn trouble(free_bytes: Option<u64>, step: usize, is_halted: bool) -> Option<String> {
    let left = free_bytes.map(|free| format!("{} MB", free / 1_000_000));
    match (is_halted, left) {
        (true, left) => Some(format!(
            "its journal cannot be written ({} free): no table of it is recorded; free space on its disk or give it another one",
            left.as_deref().unwrap_or("nobody knows how much")
        )),
        (false, Some(left)) if step > 0 => Some(format!(
            "{left} are left on its disk: free space before the next round, a full disk stops all of its tables"
        )),
        (false, _) => None,
    }
}

/// Watches the disk of `journal` until `shutdown`, and reports its problems.
pub(crate) async fn watch(
    journal: PathBuf,
    writer: Heartbeat,
    heartbeat: Heartbeat,
    troubles: Troubles,
    machine: Machine,
    shutdown: CancellationToken,
) {
    let folder = folder_of(&journal).to_owned();
    let ballast = Ballast::beside(&journal);
    let mut tick = interval(TICK);
    let mut looked = None;
    let mut free = None;
    let mut said = (false, 0);
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
            machine.set_free_bytes(free);
        }
        let step = step(free, said.1);
        let now = trouble(free, step, is_halted);
        let kind = (is_halted, step);
        if std::mem::replace(&mut said, kind) != kind {
            match &now {
                Some(words) => {
                    error!(journal = %journal.display(), "the hub's disk needs attention: {words}")
                }
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
            warn!("the free space of the hub's disk cannot be read: {problem}");
            None
        }
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use delivery::HubReport;

    use super::*;

    #[test]
    fn people_are_told_before_the_disk_is_full_and_when_it_is() {
        assert_eq!(trouble(Some(LOW_BYTES), 0, false), None);
        assert_eq!(trouble(None, 0, false), None);
        let low = trouble(Some(123_456_789), 2, false).expect("a trouble");
        assert!(low.starts_with("123 MB are left"), "{low}");
        let full = trouble(Some(0), 3, true).expect("a trouble");
        assert!(full.contains("(0 MB free)"), "{full}");
        assert!(trouble(None, 0, true).expect("a trouble").contains("nobody knows"));
    }

    #[test]
    fn a_disk_that_fills_further_is_told_at_each_step() {
        let megabytes = [600, 499, 480, 501, 199, 210, 150, 40, 52, 60, 300, 700];
        let steps = megabytes.iter().scan(0, |before, free| {
            *before = step(Some(free * 1_000_000), *before);
            Some(*before)
        });
        assert_eq!(steps.collect::<Vec<_>>(), [0, 1, 1, 1, 2, 2, 2, 3, 3, 2, 1, 0]);
        assert_eq!(step(None, 2), 2, "nobody knows better");
    }

    #[tokio::test]
    async fn a_journal_that_cannot_be_written_is_told_and_taken_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let (writer, stop) = (Heartbeat::default(), CancellationToken::new());
        let (sender, mut troubles) = Troubles::none();
        let journal = folder.path().join("hub.sqlite");
        let machine = Machine::default();
        let task =
            watch(journal, writer.clone(), Heartbeat::default(), sender, machine, stop.clone());
        let task = tokio::spawn(task);
        writer.set_health(Health::Halted);
        let halted =
            |report: &HubReport| report.troubles.iter().any(|it| it.contains("cannot be written"));
        troubles.wait_for(halted).await.expect("it is told");
        writer.set_health(Health::Well);
        troubles.wait_for(|report| !halted(report)).await.expect("it is taken back");
        stop.cancel();
        task.await.expect("it ends");
    }
}
