//! A disk that is full under the journal: said once in plain words, waited out, nothing lost, and the
//! tables of another hub go on.

#[path = "support/log.rs"]
mod log;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use hub::HubTime;
use hub::journal::{Entry, InputLine, Journal, JournalOptions, NodeOffset, Opened, OutgoingEvent};
use hub::liveness::Liveness;
use log::{collect_log, logged};
use proto::link::ResumePoint;
use proto::mqtt::message::PlyRetracted;
use proto::mqtt::message::row::Event;
use tokio::sync::watch;

/// A small disk, as a memory file system; unmounted when dropped.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    /// None (and a printed line) where this process may not mount; under CI that is a failure.
    fn mount(megabytes: u32) -> Option<SmallDisk> {
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={megabytes}m"), "tmpfs"])
            .arg(folder.path())
            .output();
        if mounted.is_ok_and(|output| output.status.success()) {
            return Some(SmallDisk(folder));
        }
        assert!(std::env::var_os("CI").is_none(), "cannot mount a small disk");
        println!("not run: mounting a small disk needs root");
        None
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Takes all the room that there is.
    fn fill(&self) {
        let mut filler = std::fs::File::create(self.path("filler")).unwrap();
        while filler.write_all(&[0; 4096]).is_ok() {}
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("-l").arg(self.0.path()).output());
    }
}

async fn open(file: &Path, hub_id: &str) -> Opened {
    Journal::open(JournalOptions {
        file: file.to_owned(),
        hub_id: hub_id.to_owned(),
        keep_matches: 10,
        now: HubTime::from_micros(1),
        heartbeat: Liveness::default().task("journal"),
    })
    .await
    .unwrap()
}

fn entry(n: u32) -> Entry {
    let at = HubTime::from_micros(n.into());
    let event = PlyRetracted { match_id: "m".to_owned(), ply_id: n, t_us: 0 };
    let line = format!("{{\"t_us\":{n},\"kind\":\"end\"}}{}", " ".repeat(4_000));
    let reached = ResumePoint { boot_id: 1, sequence: n };
    Entry {
        table: "1".to_owned(),
        inputs: vec![InputLine { at, made: at, match_id: None, line }],
        rows: vec![OutgoingEvent { at, event: Event::PlyRetracted(event) }],
        offsets: vec![NodeOffset { node_id: "board-a".to_owned(), reached }],
        ..Entry::default()
    }
}

#[tokio::test]
#[ignore = "needs a small disk: cargo xtask test programs"]
async fn a_full_disk_is_reported_and_waited_out_and_nothing_is_lost() {
    collect_log();
    let Some(disk) = SmallDisk::mount(1) else { return };
    let file = disk.path("hub.sqlite");
    let full = open(&file, "hub-1").await;
    let elsewhere = tempfile::tempdir().unwrap();
    let other = open(&elsewhere.path().join("hub.sqlite"), "hub-2").await;
    std::fs::write(disk.path("filler"), vec![0; 400 * 1024]).unwrap();
    let committed = watch::Sender::new(0);
    let mut written = 0;
    // The writer's queue is bounded: in the end giving it more waits too.
    let told = ["no space left for the journal", file.to_str().unwrap(), "free space on its disk"];
    while logged(&told).is_empty() {
        written += 1;
        assert!(written < 5_000, "the disk is never full");
        drop(
            tokio::time::timeout(
                Duration::from_millis(200),
                full.journal.commit(entry(written), committed.clone()),
            )
            .await
            .map_err(|_| written -= 1),
        );
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let acknowledged = || *committed.borrow();
    let before = acknowledged();
    assert!(before < u64::from(written), "a node is not told what is not on the disk");
    other.journal.write(entry(1)).await.unwrap();
    other.journal.flush().await.unwrap();
    assert_eq!(other.reader.rows_after(0, 10).await.unwrap().len(), 1, "another hub goes on");
    assert_eq!(acknowledged(), before);
    std::fs::remove_file(disk.path("filler")).unwrap();
    tokio::time::timeout(Duration::from_secs(30), full.journal.flush()).await.unwrap().unwrap();
    assert_eq!(acknowledged(), u64::from(written));
    let rows = full.reader.rows_after(0, 10_000).await.unwrap();
    let sequences: Vec<u64> = rows.iter().map(|row| row.sequence).collect();
    assert_eq!(sequences, (1..=u64::from(written)).collect::<Vec<_>>());
    assert_eq!(logged(&told).len(), 1, "said once, not at every try");
    assert!(!logged(&["can be written again"]).is_empty());
}

/// A journal on a small disk that a hub has left, as a cut of the power leaves it: what it committed last is in SQLite's log still.
async fn leave_behind(disk: &SmallDisk) -> PathBuf {
    let file = disk.path("hub.sqlite");
    let opened = open(&file, "hub-1").await;
    opened.journal.write(entry(1)).await.unwrap();
    opened.journal.flush().await.unwrap();
    let copies = tempfile::tempdir().unwrap();
    for ending in ["", "-wal"] {
        let name = format!("hub.sqlite{ending}");
        std::fs::copy(disk.path(&name), copies.path().join(&name)).unwrap();
    }
    let Opened { journal, reader, writer, .. } = opened;
    drop((journal, reader));
    writer.await.unwrap();
    for ending in ["", "-wal"] {
        let name = format!("hub.sqlite{ending}");
        std::fs::copy(copies.path().join(&name), disk.path(&name)).unwrap();
    }
    file
}

#[tokio::test]
#[ignore = "needs a small disk: cargo xtask test programs"]
async fn a_hub_that_starts_on_a_full_disk_gives_up_its_ballast_and_records() {
    collect_log();
    let Some(disk) = SmallDisk::mount(3) else { return };
    let file = leave_behind(&disk).await;
    let ballast = disk.path("hub.sqlite.ballast");
    std::fs::write(&ballast, vec![0; 1 << 20]).unwrap();
    disk.fill();
    let opened = tokio::time::timeout(Duration::from_secs(20), open(&file, "hub-1"))
        .await
        .expect("the ballast is room enough");
    assert!(!ballast.exists());
    opened.journal.write(entry(2)).await.unwrap();
    opened.journal.flush().await.unwrap();
    assert_eq!(opened.reader.rows_after(0, 10).await.unwrap().len(), 2);
}

#[tokio::test]
#[ignore = "needs a small disk: cargo xtask test programs"]
async fn a_hub_that_starts_on_a_full_disk_without_ballast_says_so_once_and_waits() {
    collect_log();
    let Some(disk) = SmallDisk::mount(2) else { return };
    let file = leave_behind(&disk).await;
    disk.fill();
    let opening = open(&file, "hub-1");
    tokio::pin!(opening);
    let waited = tokio::time::timeout(Duration::from_secs(2), &mut opening).await;
    assert!(waited.is_err(), "nothing can be recorded, and it gives no reason to start anew");
    let told = ["no space left for the journal", file.to_str().unwrap(), "free space on its disk"];
    assert_eq!(logged(&told).len(), 1, "said once, not at every try");
    std::fs::remove_file(disk.path("filler")).unwrap();
    let opened = tokio::time::timeout(Duration::from_secs(30), opening).await.unwrap();
    assert_eq!(opened.reader.rows_after(0, 10).await.unwrap().len(), 1);
}
