//! A disk that gives back what it was not given: noticed or harmless, and nothing damaged is believed.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

use sqlx::{Connection as _, SqliteConnection, sqlite::SqliteConnectOptions};

use super::{
    Store,
    conformance_tests::{batch, notices, rows, take},
    input::{Input, InputKind, NewInput},
};

/// Bits that are flipped, unless the environment variable says more.
const FLIPS: u64 = 300;
const FLIPS_VARIABLE: &str = "TWINBOARD_FLIPPED_BITS";

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

async fn act(store: &Store, number: u64) -> u64 {
    let payload = format!("{{\"act\":{number}}}").into_bytes();
    let input = NewInput { kind: InputKind::Act, hub: None, match_id: None, payload };
    store.append(number, input).await.unwrap()
}

async fn all(store: &Store) -> Vec<Input> {
    store.read(0).await.unwrap()
}

/// Executes statements on a database that nobody has open.
async fn by_hand(path: &Path, statement: &'static str) {
    let options = SqliteConnectOptions::new().filename(path);
    let mut database = SqliteConnection::connect_with(&options).await.unwrap();
    sqlx::query(statement).execute(&mut database).await.unwrap();
}

/// A closed database with rows of two hubs and acts; what is in it.
async fn written(path: &Path) -> Vec<Input> {
    let store = Store::open(path).await.unwrap();
    for turn in 0..8 {
        take(&store, 1, batch("north", 7, &rows(5 * turn + 1..=5 * turn + 5))).await;
        act(&store, 2 * turn).await;
        take(&store, 1, batch("south", 7, &rows(turn + 1..=turn + 1))).await;
        act(&store, 2 * turn + 1).await;
    }
    let inputs = all(&store).await;
    store.close().await;
    inputs
}

#[tokio::test]
async fn flipped_bits_are_noticed_or_harmless_and_none_is_believed() {
    let flips = std::env::var(FLIPS_VARIABLE).map_or(FLIPS, |flips| flips.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("event.sqlite");
    let inputs = written(&path).await;
    let by_id: HashMap<u64, &Input> = inputs.iter().map(|input| (input.id, input)).collect();
    let whole = [fs::read(&path).unwrap(), fs::read(beside(&path, ".acts")).unwrap()];
    let mut random = StdRng::seed_from_u64(20_261_127);
    let (mut refused, mut named, mut harmless) = (0, 0, 0);
    for _ in 0..flips {
        let (mut files, of) = (whole.clone(), usize::from(random.random_bool(0.15)));
        let bit = random.random_range(0..files[of].len() * 8);
        files[of][bit / 8] ^= 1 << (bit % 8);
        for ending in ["-wal", "-shm"] {
            let _ = fs::remove_file(beside(&path, ending));
        }
        fs::write(&path, &files[0]).unwrap();
        fs::write(beside(&path, ".acts"), &files[1]).unwrap();
        let store = match Store::open(&path).await {
            Ok(store) => store,
            Err(_) => {
                refused += 1;
                continue;
            }
        };
        let found = match store.read(0).await {
            Ok(found) => found,
            Err(error) => panic!(
                "bit {bit} of file {of}: opened, and cannot be read: {error}; {}",
                notices(&store)
            ),
        };
        let mut there = 0;
        for input in found.iter().filter(|input| input.kind != InputKind::Damaged) {
            let is_put_back =
                inputs.iter().any(|it| it.kind == InputKind::Act && it.payload == input.payload);
            let is_it = by_id.get(&input.id).is_some_and(|written| **written == *input);
            assert!(is_it || is_put_back, "bit {bit} of file {of} is believed: {input:?}");
            there += usize::from(is_it);
        }
        let words = notices(&store);
        assert!(
            there == inputs.len() || !words.is_empty(),
            "bit {bit} of file {of}: lost in silence"
        );
        for hub in ["north", "south"] {
            let sequences =
                |input: &&Input| input.hub.as_deref() == Some(hub) && input.kind == InputKind::Row;
            let rows = found.iter().filter(sequences).count() as u64;
            assert!(store.position(hub, 7).await.unwrap() <= rows, "bit {bit}: ahead of its rows");
        }
        if words.is_empty() {
            harmless += 1
        } else {
            named += 1
        }
        store.close().await;
    }
    println!("{flips} bits: {refused} refused at the start, {named} named, {harmless} harmless");
    assert!(named + refused > flips / 10, "{refused} {named} {harmless}");
}

#[tokio::test]
async fn acts_behind_a_break_in_the_write_ahead_log_are_put_back_and_named() {
    const ACTS: u64 = 30;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("event.sqlite");
    Store::open(&path).await.unwrap().close().await;
    let (main, store) = (fs::read(&path).unwrap(), Store::open(&path).await.unwrap());
    for number in 0..ACTS {
        act(&store, number).await;
    }
    let acts = all(&store).await;
    let mut log = fs::read(beside(&path, "-wal")).unwrap();
    let copy = fs::read(beside(&path, ".acts")).unwrap();
    store.close().await;
    let middle = log.len() / 2;
    log[middle] ^= 4;
    for (file, bytes) in [("", &main), ("-wal", &log), (".acts", &copy)] {
        fs::write(beside(&path, file), bytes).unwrap();
    }
    let store = Store::open(&path).await.unwrap();
    let found = all(&store).await;
    let said = |inputs: &[Input]| -> Vec<Vec<u8>> {
        inputs.iter().map(|input| input.payload.clone()).collect()
    };
    assert_eq!(said(&found), said(&acts));
    let words = notices(&store);
    assert!(
        words.contains("acts that had been answered") && words.contains("this machine's disk"),
        "{words}"
    );
    store.close().await;
    // Once: the next start finds nothing amiss.
    let store = Store::open(&path).await.unwrap();
    assert_eq!((all(&store).await.len() as u64, notices(&store)), (ACTS, String::new()));
}

#[tokio::test]
async fn a_damaged_act_is_mended_from_the_copy_beside_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("event.sqlite");
    let inputs = written(&path).await;
    by_hand(&path, "UPDATE input SET payload = x'00' WHERE kind = 'act' AND received_ms = 4").await;
    let store = Store::open(&path).await.unwrap();
    assert_eq!(all(&store).await, inputs);
    assert!(notices(&store).contains("damaged 1 input"), "{}", notices(&store));
}

#[tokio::test]
async fn a_log_of_an_earlier_release_is_taken_as_it_is_and_marked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("event.sqlite");
    let inputs = written(&path).await;
    by_hand(&path, "UPDATE input SET checksum = NULL").await;
    let until =
        "UPDATE meta SET value = (SELECT MAX(id) FROM input) WHERE name = 'unchecked_until'";
    by_hand(&path, until).await;
    let store = Store::open(&path).await.unwrap();
    assert_eq!((all(&store).await, notices(&store)), (inputs, String::new()));
    let id = act(&store, 99).await;
    store.close().await;
    // What came since must have one.
    by_hand(&path, "UPDATE input SET checksum = NULL WHERE received_ms = 99").await;
    let _ = fs::remove_file(beside(&path, ".acts"));
    let store = Store::open(&path).await.unwrap();
    let last = all(&store).await.pop().unwrap();
    assert_eq!((last.id, last.kind), (id, InputKind::Damaged));
}
