//! What one hub can make the log hold, and what is read of it at once.

use std::time::{Duration, Instant};

use delivery::Accepted;
use sqlx::{SqlitePool, sqlite::SqliteConnectOptions};

use super::{
    Batch, Store,
    conformance_tests::{batch, rows, take},
    input::NewRow,
};
use crate::limits::HUB_BYTES_MAX;

/// More boots than any hub has.
const BOOTS: u64 = 40_000;

fn row(sequence: u64, bytes: usize) -> NewRow {
    NewRow { sequence, table: "1".to_owned(), match_id: None, payload: vec![0; bytes] }
}

async fn begin_boots(store: &Store, hub: &str, boots: std::ops::Range<u64>) -> usize {
    let rows = [row(1, 8)];
    let boots: Vec<u64> = boots.collect();
    let mut taken = 0;
    for group in boots.chunks(64) {
        let batch = |&boot_id: &u64| Batch { hub, boot_id, first_available: 1, rows: &rows };
        let batches: Vec<Batch<'_>> = group.iter().map(batch).collect();
        let accepted = store.append_group(1, &batches).await.unwrap();
        taken += accepted.iter().map(|accepted| accepted.accepted).sum::<usize>();
    }
    taken
}

#[tokio::test]
async fn the_latest_boot_of_a_hub_is_found_at_once_among_very_many() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("event.sqlite");
    let store = Store::open(&path).await.unwrap();
    // Past every limit: a database of an earlier release may hold so many.
    sqlx::query(
        "WITH RECURSIVE boot(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM boot WHERE id < $1) \
         INSERT INTO hub_position SELECT 'mad', id, 1, 1700000000000 + id / 5 FROM boot",
    )
    .bind(BOOTS as i64)
    .execute(&SqlitePool::connect_with(SqliteConnectOptions::new().filename(&path)).await.unwrap())
    .await
    .unwrap();
    begin_boots(&store, "north", 7..8).await;
    let began = Instant::now();
    let latest = store.latest_positions().await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    let latest: Vec<_> = latest.iter().map(|at| (at.hub.as_str(), at.boot_id)).collect();
    assert_eq!(latest, [("mad", BOOTS), ("north", 7)]);
}

#[tokio::test]
async fn a_hub_that_begins_again_without_end_is_taken_no_more_boots_of_and_others_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("event.sqlite");
    let store = Store::open(&path).await.unwrap();
    let taken = begin_boots(&store, "mad", 1..6_000).await as u64;
    assert!((1_000..5_000).contains(&taken), "{taken} boots were taken");
    assert_eq!(begin_boots(&store, "north", 7..8).await, 1);
    let goes_on = Batch { hub: "mad", boot_id: 1, first_available: 1, rows: &[row(2, 8)] };
    assert_eq!(store.append_group(1, &[goes_on]).await.unwrap()[0].accepted, 1, "it goes on");
    store.close().await;
    let store = Store::open(&path).await.unwrap();
    assert_eq!(begin_boots(&store, "mad", 9_000..9_001).await, 0, "it is known again");
}

#[tokio::test]
async fn what_a_hub_says_is_lost_fills_its_share_too() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("event.sqlite")).await.unwrap();
    let before = store.written("mad").await;
    for first_available in (10..100).step_by(10) {
        let lost = Batch { hub: "mad", boot_id: 1, first_available, rows: &[] };
        assert!(store.append_group(1, &[lost]).await.unwrap()[0].lost.is_some());
    }
    assert!(store.written("mad").await > before + 9 * 64);
}

#[tokio::test]
async fn what_is_read_at_once_is_bounded_by_bytes_and_nothing_is_left_out() {
    const MEGABYTE: usize = 1024 * 1024;
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("event.sqlite")).await.unwrap();
    for sequence in 1..=40 {
        let rows = [row(sequence, MEGABYTE)];
        let batch = Batch { hub: "mad", boot_id: 1, first_available: 1, rows: &rows };
        store.append_group(1, &[batch]).await.unwrap();
    }
    let mut read = 0;
    while read < 40 {
        let inputs = store.read(read).await.unwrap();
        let bytes: usize = inputs.iter().map(|input| input.payload.len()).sum();
        assert!((1..=10 * MEGABYTE).contains(&bytes), "{bytes} bytes at once");
        read = inputs.last().unwrap().id;
    }
}

#[tokio::test]
async fn a_hub_that_has_filled_its_share_is_taken_nothing_of_and_others_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("event.sqlite");
    let store = Store::open(&path).await.unwrap();
    let heavy = |sequence: u64| NewRow {
        payload: vec![0; HUB_BYTES_MAX as usize / 4],
        ..rows([sequence]).remove(0)
    };
    for sequence in 1..=3 {
        assert_eq!(take(&store, 1, batch("mad", 7, &[heavy(sequence)])).await.position, sequence);
    }
    // With the overhead of each row, four exceed the room.
    let refused = take(&store, 1, batch("mad", 7, &[heavy(4)])).await;
    assert_eq!(refused, Accepted { position: 3, ..Accepted::default() });
    assert_eq!(take(&store, 1, batch("north", 7, &rows(1..=3))).await.position, 3);
    assert_eq!(
        take(&store, 1, batch("mad", 7, &rows(4..=4))).await.position,
        4,
        "a small one fits"
    );
    store.close().await;
    let store = Store::open(&path).await.unwrap();
    assert_eq!(
        take(&store, 1, batch("mad", 7, &[heavy(5)])).await.position,
        4,
        "it is known again"
    );
}

#[tokio::test]
async fn a_missing_folder_is_named_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nowhere").join("event.sqlite");
    let message = Store::open(&path).await.err().unwrap().to_string();
    assert!(message.contains("nowhere") && message.contains("store.path"), "{message}");
}
