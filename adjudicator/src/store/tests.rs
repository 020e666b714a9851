//! The store keeps every row once, also over crashes and repeats.

use super::*;

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
    let taken = store.append_rows(1, batch("north", 7, &rows(1..=3))).await.unwrap();
    assert_eq!(taken, Appended { position: 3, accepted: 3, duplicates: 0, gap: false, lost: None });
    let repeated = store.append_rows(2, batch("north", 7, &rows(2..=4))).await.unwrap();
    assert_eq!(
        repeated,
        Appended { position: 4, accepted: 1, duplicates: 2, gap: false, lost: None }
    );
    let gap = store.append_rows(3, batch("north", 7, &rows(6..=8))).await.unwrap();
    assert_eq!(gap, Appended { position: 4, accepted: 0, duplicates: 0, gap: true, lost: None });
    let torn = store.append_rows(4, batch("north", 7, &rows([5, 7]))).await.unwrap();
    assert_eq!(torn, Appended { position: 5, accepted: 1, duplicates: 0, gap: true, lost: None });
    assert_eq!(stored_sequences(&store).await, [1, 2, 3, 4, 5]);
}

#[tokio::test]
async fn every_boot_of_every_hub_has_its_own_sequence() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("event.sqlite")).await.unwrap();
    for (hub, boot_id) in [("north", u64::MAX), ("north", 2), ("south", 2)] {
        let taken =
            store.append_rows(boot_id >> 1, batch(hub, boot_id, &rows(1..=2))).await.unwrap();
        assert_eq!(taken.position, 2);
    }
    let latest = store.latest_positions().await.unwrap();
    let latest: Vec<_> = latest.iter().map(|at| (at.hub.as_str(), at.boot_id)).collect();
    assert_eq!(latest, [("north", u64::MAX), ("south", 2)]);
}

#[tokio::test]
async fn a_store_that_was_never_closed_reopens_with_everything_committed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("event.sqlite");
    let crashed = Store::open(&path).await.unwrap();
    crashed.append_rows(1, batch("north", 7, &rows(1..=3))).await.unwrap();
    // The first store stays open, its pool never flushed or closed: what a killed process leaves.
    let store = Store::open(&path).await.unwrap();
    assert_eq!(store.last_id().await.unwrap(), 3);
    let again = store.append_rows(2, batch("north", 7, &rows(1..=5))).await.unwrap();
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
    store.append_rows(1, batch("north", 7, &rows(1..=3))).await.unwrap();
    // The hub has rows from 6 on and sends the 9th, then what is asked for.
    let nine = rows([9]);
    let later = Batch { first_available: 6, ..batch("north", 7, &nine) };
    let taken = store.append_rows(2, later).await.unwrap();
    let expected =
        Appended { position: 5, accepted: 0, duplicates: 0, gap: true, lost: Some((4, 5)) };
    assert_eq!(taken, expected);
    let rest = rows(6..=9);
    let taken = store
        .append_rows(3, Batch { first_available: 6, ..batch("north", 7, &rest) })
        .await
        .unwrap();
    assert_eq!((taken.position, taken.lost), (9, None));
    let inputs = store.read(0).await.unwrap();
    let ids: Vec<u64> = inputs.iter().map(|input| input.id).collect();
    assert_eq!(ids, (1..=8).collect::<Vec<_>>());
    assert_eq!((inputs[3].kind, &inputs[3].payload[..]), (InputKind::RowsLost, &b"7 4 5"[..]));
    assert_eq!(store.position("north", 7).await.unwrap(), 9);
    assert_eq!(store.position("north", 8).await.unwrap(), 0);
}
