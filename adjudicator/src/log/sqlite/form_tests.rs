//! Databases of other releases, and a store of which readers want more than there is.

use std::time::Duration;

use sqlx::{Connection as _, migrate::Migrator};

use super::*;
use crate::log::{
    Batch, Place, Store,
    input::{InputKind, NewInput, NewRow},
};

/// Longest wait for a commit.
const PATIENCE: Duration = Duration::from_secs(10);

fn input() -> NewInput {
    NewInput { kind: InputKind::LinkUp, hub: None, match_id: None, payload: vec![7] }
}

/// A database of the first release with one input.
async fn first_release(path: &Path) {
    let options = SqliteConnectOptions::new().filename(path).create_if_missing(true);
    let pool = connect(path, options.journal_mode(SqliteJournalMode::Wal), 1).await.unwrap();
    let steps = migrations::of_sqlite();
    let first = steps.iter().take(1).cloned().collect::<Vec<_>>();
    Migrator::with_migrations(first).run(&pool).await.unwrap();
    let insert = "INSERT INTO input (id, received_ms, kind, payload) VALUES (1, 5, $1, $2)";
    let NewInput { kind, payload, .. } = input();
    sqlx::query(insert).bind(kind.name()).bind(payload).execute(&pool).await.unwrap();
    pool.close().await;
}

async fn tables(path: &Path) -> Vec<String> {
    let mut connection =
        SqliteConnection::connect(&format!("sqlite://{}", path.display())).await.unwrap();
    let names = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name";
    sqlx::query_scalar(names).fetch_all(&mut connection).await.unwrap()
}

#[tokio::test]
async fn an_older_database_is_read_beside_its_adjudicator_and_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("event.sqlite");
    first_release(&path).await;
    let before = tables(&path).await;
    let store = Store::open_existing(&path).await.unwrap();
    assert_eq!(store.read(0).await.unwrap().len(), 1);
    assert!(store.append(6, input()).await.is_err(), "nothing is written");
    store.close().await;
    assert_eq!(tables(&path).await, before);
    assert!(before.contains(&"match_summary".to_owned()), "{before:?}");
}

#[tokio::test]
async fn an_older_database_that_is_opened_keeps_its_log_and_loses_unread_tables() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("event.sqlite");
    first_release(&path).await;
    let store = Store::open(&path).await.unwrap();
    assert_eq!(store.read(0).await.unwrap().len(), 1);
    assert_eq!(store.append(6, input()).await.unwrap(), 2);
    store.close().await;
    assert_eq!(tables(&path).await, ["_sqlx_migrations", "hub_position", "input", "meta"]);
}

#[tokio::test]
async fn readers_that_hold_every_connection_keep_no_row_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("event.sqlite");
    let sqlite = Sqlite::open(&path).await.unwrap();
    let readers = sqlite.readers.clone();
    let store = Store::over(Place::from(&path), Box::new(sqlite)).await.unwrap();
    let mut held = Vec::new();
    for _ in 0..READERS_MAX {
        held.push(readers.acquire().await.unwrap());
    }
    let row = NewRow { sequence: 1, table: "1".to_owned(), match_id: None, payload: vec![1] };
    let rows = [row];
    let batch = Batch { hub: "north", boot_id: 7, first_available: 1, rows: &rows };
    let batches = [batch];
    let taken = tokio::time::timeout(PATIENCE, store.append_group(1, &batches)).await;
    assert_eq!(taken.expect("in time").unwrap()[0].position, 1);
    let position = tokio::time::timeout(PATIENCE, store.position("north", 7)).await;
    assert_eq!(position.expect("in time").unwrap(), 1);
}
