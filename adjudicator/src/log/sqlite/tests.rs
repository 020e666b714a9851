//! The store keeps every row once, also over crashes and repeats.

use super::*;
use crate::limits::HUB_BYTES_MAX;

fn rows(sequences: impl IntoIterator<Item = u64>) -> Vec<NewRow> {
    let row = |sequence: u64| NewRow {
        sequence,
        table: "1".to_owned(),
        match_id: Some("m1".to_owned()),
        payload: sequence.to_le_bytes().to_vec(),
    };
    sequences.into_iter().map(row).collect()
}

fn batch<'a>(hub: &'a str, boot_id: u64, rows: &'a [NewRow]) -> Batch<'a> {
    Batch { hub, boot_id, first_available: 1, rows }
}

async fn take(store: &Store, received_ms: u64, batch: Batch<'_>) -> Accepted {
    store.append_group(received_ms, &[batch]).await.unwrap()[0]
}

async fn stored_sequences(store: &Store) -> Vec<u64> {
    let inputs = store.read(0).await.unwrap();
    let ids: Vec<u64> = inputs.iter().map(|input| input.id).collect();
    assert_eq!(ids, (1..=ids.len() as u64).collect::<Vec<_>>(), "ids have no holes");
    let sequence = |input: &Input| u64::from_le_bytes(input.payload.as_slice().try_into().unwrap());
    inputs.iter().map(sequence).collect()
}

#[tokio::test]
async fn rows_are_taken_only_in_sequence() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("event.sqlite")).await.unwrap();
    let taken = take(&store, 1, batch("north", 7, &rows(1..=3))).await;
    assert_eq!(taken, Accepted { position: 3, accepted: 3, duplicates: 0, gap: false, lost: None });
    let repeated = take(&store, 2, batch("north", 7, &rows(2..=4))).await;
    assert_eq!(
        repeated,
        Accepted { position: 4, accepted: 1, duplicates: 2, gap: false, lost: None }
    );
    let gap = take(&store, 3, batch("north", 7, &rows(6..=8))).await;
    assert_eq!(gap, Accepted { position: 4, accepted: 0, duplicates: 0, gap: true, lost: None });
    let torn = take(&store, 4, batch("north", 7, &rows([5, 7]))).await;
    assert_eq!(torn, Accepted { position: 5, accepted: 1, duplicates: 0, gap: true, lost: None });
    assert_eq!(stored_sequences(&store).await, [1, 2, 3, 4, 5]);
}

#[tokio::test]
async fn every_boot_of_every_hub_has_its_own_sequence() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("event.sqlite")).await.unwrap();
    for (hub, boot_id) in [("north", u64::MAX), ("north", 2), ("south", 2)] {
        let taken = take(&store, boot_id >> 1, batch(hub, boot_id, &rows(1..=2))).await;
        assert_eq!(taken.position, 2);
    }
    let latest = store.latest_positions().await.unwrap();
    let latest: Vec<_> = latest.iter().map(|at| (at.hub.as_str(), at.boot_id)).collect();
    assert_eq!(latest, [("north", u64::MAX), ("south", 2)]);
}

#[tokio::test]
async fn messages_of_several_hubs_are_one_commit_and_each_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("event.sqlite")).await.unwrap();
    let (first, second, other) = (rows(1..=2), rows(3..=4), rows([1, 3]));
    let group = [
        batch("north", 7, &first),
        batch("south", 9, &other),
        batch("north", 7, &second),
        batch("north", 7, &first),
    ];
    let taken = store.append_group(1, &group).await.unwrap();
    let positions: Vec<_> = taken.iter().map(|accepted| accepted.position).collect();
    assert_eq!(positions, [2, 1, 4, 4]);
    assert_eq!((taken[1].gap, taken[3].duplicates), (true, 2));
    assert_eq!(stored_sequences(&store).await, [1, 2, 1, 3, 4]);
    assert_eq!(store.position("north", 7).await.unwrap(), 4);
}

#[tokio::test]
async fn a_store_that_was_never_closed_reopens_with_everything_committed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("event.sqlite");
    let crashed = Store::open(&path).await.unwrap();
    take(&crashed, 1, batch("north", 7, &rows(1..=3))).await;
    // The first store stays open, its pool never flushed or closed: what a killed process leaves.
    let store = Store::open(&path).await.unwrap();
    assert_eq!(store.last_id().await.unwrap(), 3);
    let again = take(&store, 2, batch("north", 7, &rows(1..=5))).await;
    assert_eq!((again.accepted, again.duplicates), (2, 3));
    assert_eq!(stored_sequences(&store).await, [1, 2, 3, 4, 5]);
}

#[tokio::test]
async fn a_missing_folder_is_named_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nowhere").join("event.sqlite");
    let message = Store::open(&path).await.err().unwrap().to_string();
    assert!(message.contains("nowhere") && message.contains("store.path"), "{message}");
}

#[tokio::test]
async fn rows_that_no_hub_has_any_more_are_noted_and_their_boot_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("event.sqlite")).await.unwrap();
    take(&store, 1, batch("north", 7, &rows(1..=3))).await;
    // The hub has rows from 6 on and sends the 9th, then what is asked for.
    let nine = rows([9]);
    let later = Batch { first_available: 6, ..batch("north", 7, &nine) };
    let taken = take(&store, 2, later).await;
    let expected =
        Accepted { position: 5, accepted: 0, duplicates: 0, gap: true, lost: Some((4, 5)) };
    assert_eq!(taken, expected);
    let rest = rows(6..=9);
    let taken = take(&store, 3, Batch { first_available: 6, ..batch("north", 7, &rest) }).await;
    assert_eq!((taken.position, taken.lost), (9, None));
    let inputs = store.read(0).await.unwrap();
    let ids: Vec<u64> = inputs.iter().map(|input| input.id).collect();
    assert_eq!(ids, (1..=8).collect::<Vec<_>>());
    assert_eq!((inputs[3].kind, &inputs[3].payload[..]), (InputKind::RowsLost, &b"7 4 5"[..]));
    assert_eq!(store.position("north", 7).await.unwrap(), 9);
    assert_eq!(store.position("north", 8).await.unwrap(), 0);
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
    // With what a row costs besides, four are more than there is room for.
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
