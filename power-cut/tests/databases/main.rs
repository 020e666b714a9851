//! The hub's journal and the adjudicator's store over power cuts, and over disks that are full or broken.
//!
//! The programs that are recorded are tests of this same file that are ignored otherwise: they write with the real code, and note what
//! they have promised once the code says that it is committed. Whatever a cut leaves, all that was promised is there, what is there is
//! a beginning of what was written, and the code goes on from it.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use adjudicator::store::{Batch, NewRow, Store};
use hub::HubTime;
use hub::journal::{Entry, InputLine, Journal, JournalOptions, OutgoingEvent, Reader};
use hub::liveness::Heartbeat;
use power_cut::{Fault, Loss, Recording};
use prost::Message as _;
use proto::mqtt::message::row::Event;
use proto::mqtt::message::{PlyRetracted, Row};

/// Where the program that is recorded finds its folder.
const FOLDER: &str = "TWINBOARD_POWER_CUT_FOLDER";
/// …and how much it is to write.
const COUNT: &str = "TWINBOARD_POWER_CUT_COUNT";
/// Entries and groups that are written: enough for the log to be carried over into the main file.
const WRITTEN: u32 = 130;
/// The same where the disk fails.
const WRITTEN_ON_FAILING_DISK: u32 = 25;
/// Inputs of one entry of the journal, rows of one group of the store.
const INPUTS: u32 = 100;
const ROWS: u64 = 40;
/// How long a row of the store is, bytes: about as a ply's.
const ROW_BYTES: usize = 500;
/// How often a group is given to a store that refuses it.
const TRIES: u32 = 4;
/// Cuts that are tried beside those at the beginning and around the main file's writes.
const EVENLY: usize = 30;
/// Cuts at the beginning, where the file is made.
const FIRST: usize = 16;

#[tokio::test]
#[ignore = "is recorded by the tests below"]
async fn writes_a_journal() {
    let folder = folder();
    let opened = Journal::open(options(&folder)).await.expect("a journal");
    for number in 0..count() {
        let input = |nth: u32| {
            let t_us = u64::from(number * INPUTS + nth);
            let line = format!(r#"{{"t_us":{t_us},"board":"A","kind":"press","by":"white"}}"#);
            let at = HubTime::from_micros(t_us);
            InputLine { at, made: at, match_id: None, line }
        };
        let retracted = |ply_id| {
            let event = PlyRetracted { match_id: "m".to_owned(), ply_id, t_us: 0 };
            let event = Event::PlyRetracted(event);
            OutgoingEvent { at: HubTime::from_micros(1), event }
        };
        let entry = Entry {
            table: "1".to_owned(),
            inputs: (0..INPUTS).map(input).collect(),
            rows: vec![retracted(2 * number), retracted(2 * number + 1)],
            ..Entry::default()
        };
        if opened.journal.write(entry).await.is_err() || opened.journal.flush().await.is_err() {
            return;
        }
        promise(&folder, number + 1);
    }
}

#[tokio::test]
#[ignore = "is recorded by the tests below"]
async fn writes_a_store() {
    let folder = folder();
    let store = Store::open(&folder.join("event.sqlite")).await.expect("a store");
    for number in 0..u64::from(count()) {
        let row = |sequence: u64| NewRow {
            sequence,
            table: "1".to_owned(),
            match_id: Some("m".to_owned()),
            payload: vec![sequence as u8; ROW_BYTES],
        };
        let rows: Vec<NewRow> = (number * ROWS + 1..=(number + 1) * ROWS).map(row).collect();
        let batch = Batch { hub: "north", boot_id: 7, first_available: 1, rows: &rows };
        // What is refused is sent again by its hub.
        let mut tries = 1;
        while let Err(error) = store.append_group(1, &[batch]).await {
            assert!(tries < TRIES, "{error}");
            tries += 1;
        }
        promise(&folder, u32::try_from(number + 1).expect("few"));
    }
}

fn folder() -> PathBuf {
    PathBuf::from(std::env::var_os(FOLDER).expect("run by the tests below"))
}

fn count() -> u32 {
    let count = std::env::var(COUNT).ok();
    count.and_then(|count| count.parse().ok()).expect("run by the tests below")
}

fn options(folder: &Path) -> JournalOptions {
    JournalOptions {
        file: folder.join("hub.sqlite"),
        hub_id: "hub-1".to_owned(),
        keep_matches: 2,
        now: HubTime::from_micros(1_000),
        heartbeat: Heartbeat::default(),
    }
}

/// Notes that so many are committed, by one write.
fn promise(folder: &Path, count: u32) {
    let file = OpenOptions::new().create(true).append(true).open(folder.join("promised"));
    file.and_then(|mut file| file.write_all(format!("{count}\n").as_bytes())).expect("noted");
}

/// This file's test of that name, as a program.
fn program(name: &str, folder: &Path, count: u32) -> Command {
    let mut program = Command::new(std::env::current_exe().expect("this program"));
    program.args(["--exact", name, "--ignored", "--test-threads", "1"]);
    program.env(FOLDER, folder).env(COUNT, count.to_string());
    program
}

fn last(promised: &[String]) -> u32 {
    promised.last().and_then(|line| line.parse().ok()).unwrap_or(0)
}

/// How many entries a journal holds, each whole; it can be written on.
async fn entries_of(folder: &Path) -> u32 {
    let opened = Journal::open(options(folder)).await.expect("the journal opens after the cut");
    opened.journal.write(Entry { table: "1".to_owned(), ..Entry::default() }).await.expect("taken");
    opened.journal.flush().await.expect("the journal can be written on");
    let rows = opened.reader.rows_after(0, 10_000).await.expect("rows");
    let id = |body: &[u8]| match Row::decode(body).map(|row| row.event) {
        Ok(Some(Event::PlyRetracted(event))) => event.ply_id,
        other => panic!("{other:?}"),
    };
    let found: Vec<u32> = rows.iter().map(|row| id(&row.body)).collect();
    let count = u32::try_from(found.len()).expect("few");
    assert_eq!(found, (0..count).collect::<Vec<u32>>(), "a beginning of what was written");
    assert_eq!(count % 2, 0, "an entry is there as a whole");
    let reader: &Reader = &opened.reader;
    let inputs = reader.replay("1", 0, |_| ()).await.expect("inputs");
    assert_eq!(inputs, u64::from(count / 2 * INPUTS), "rows and what they came of");
    count / 2
}

/// How many groups a store holds, each whole; it can be written on.
async fn groups_of(folder: &Path) -> u32 {
    let path = folder.join("event.sqlite");
    let store = Store::open(&path).await.expect("the store opens after the cut");
    let (mut after, mut count) = (0, 0u64);
    loop {
        let inputs = store.read(after).await.expect("inputs");
        let Some(newest) = inputs.last() else { break };
        after = newest.id;
        for input in inputs {
            count += 1;
            assert_eq!((input.id, input.payload.len()), (count, ROW_BYTES));
            assert!(input.payload.iter().all(|&byte| byte == count as u8));
        }
    }
    assert_eq!(store.position("north", 7).await.expect("a position"), count);
    assert_eq!(count % ROWS, 0, "a group is there as a whole");
    let next = [NewRow {
        sequence: count + 1,
        table: "1".to_owned(),
        match_id: None,
        payload: Vec::new(),
    }];
    let batch = Batch { hub: "north", boot_id: 7, first_available: 1, rows: &next };
    let taken = store.append_group(2, &[batch]).await.expect("the store can be written on");
    assert_eq!(taken[0].accepted, 1);
    store.close().await;
    u32::try_from(count / ROWS).expect("few")
}

/// Cuts at the beginning, around the writes of the main file, and evenly over the whole.
fn cuts(recording: &Recording, main_file: &str) -> Vec<usize> {
    let main: Vec<usize> = recording.around(main_file).collect();
    let near_main = main.iter().step_by(main.len().div_ceil(EVENLY).max(1)).copied();
    let evenly = (0..recording.len()).step_by((recording.len() / EVENLY).max(1));
    let mut cuts: Vec<usize> = (0..FIRST).chain(near_main).chain(evenly).collect();
    cuts.push(recording.len());
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}

/// Whether system calls can be recorded here; under CI they must be.
fn can_record() -> bool {
    let found = Command::new("strace").arg("-V").output().is_ok();
    assert!(found || std::env::var_os("CI").is_none(), "install strace");
    if !found {
        eprintln!("left out: there is no strace (Debian: apt-get install strace)");
    }
    found
}

/// Records a program, cuts the power at many of its steps in every way, and has what is left looked at.
async fn survives_cuts(name: &str, main_file: &str, count: impl AsyncFn(&Path) -> u32) {
    if !can_record() {
        return;
    }
    let work = tempfile::tempdir().expect("a folder");
    let folder = work.path().join("disk");
    std::fs::create_dir(&folder).expect("a folder");
    let recording = Recording::of(&program(name, &folder, WRITTEN), &folder).expect("recorded");
    assert!(recording.around(main_file).count() > 20, "the log was carried over into the file");
    let mut held = std::collections::BTreeSet::new();
    for cut in cuts(&recording, main_file) {
        for loss in Loss::ALL {
            let seed = cut as u64;
            let left = tempfile::tempdir().expect("a folder");
            let promised = recording.disk_after(cut, loss, seed, left.path()).expect("written");
            let found = count(left.path()).await;
            assert!(
                found >= last(&promised),
                "cut after step {cut} of {}, {loss:?}: {found} are there and {} were promised",
                recording.len(),
                last(&promised)
            );
            held.insert(found);
        }
    }
    assert!(held.len() > EVENLY / 2, "the cuts fell all over the run: {held:?}");
    assert_eq!(held.last(), Some(&WRITTEN));
}

#[tokio::test]
async fn a_journal_holds_what_it_promised_wherever_the_power_is_cut() {
    survives_cuts("writes_a_journal", "hub.sqlite", async |left| entries_of(left).await).await;
}

#[tokio::test]
async fn a_store_holds_what_it_promised_wherever_the_power_is_cut() {
    survives_cuts("writes_a_store", "event.sqlite", async |left| groups_of(left).await).await;
}

/// What disks do: no room, a sync that fails once or for good, a device that breaks.
const FAULTS: [Fault; 7] = [
    Fault { call: "pwrite64", error: "ENOSPC", from: 60, lasts: true },
    Fault { call: "pwrite64", error: "ENOSPC", from: 80, lasts: false },
    Fault { call: "pwrite64", error: "EIO", from: 100, lasts: true },
    Fault { call: "fdatasync", error: "EIO", from: 9, lasts: false },
    Fault { call: "fdatasync", error: "EIO", from: 12, lasts: true },
    Fault { call: "pread64", error: "EIO", from: 40, lasts: false },
    Fault { call: "ftruncate", error: "EIO", from: 1, lasts: true },
];

/// Whatever the disk does, nothing is promised that is not kept, and the next start goes on from there.
async fn survives_faults(name: &str, count: impl AsyncFn(&Path) -> u32) {
    for fault in FAULTS.into_iter().filter(|_| can_record()) {
        let work = tempfile::tempdir().expect("a folder");
        let folder = work.path().join("disk");
        std::fs::create_dir(&folder).expect("a folder");
        let mut program = program(name, &folder, WRITTEN_ON_FAILING_DISK);
        program.env("RUST_BACKTRACE", "0");
        let (_, promised) =
            Recording::under_fault(&program, &folder, fault).expect("strace is there");
        let found = count(&folder).await;
        assert!(found >= last(&promised), "{fault:?}: {found} of {} promised", last(&promised));
    }
}

#[tokio::test]
async fn a_journal_on_a_failing_disk_promises_nothing_that_it_does_not_keep() {
    survives_faults("writes_a_journal", async |left| entries_of(left).await).await;
}

#[tokio::test]
async fn a_store_on_a_failing_disk_promises_nothing_that_it_does_not_keep() {
    survives_faults("writes_a_store", async |left| groups_of(left).await).await;
}
