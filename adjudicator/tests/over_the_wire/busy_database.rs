//! A database that another program keeps busy for a while.

use std::{path::Path, sync::mpsc, thread, time::Duration};

use sqlx::{ConnectOptions as _, Executor as _, sqlite::SqliteConnectOptions};

use crate::support::{self, Hub, Server, scholars_mate};

/// Longer than the store waits for the file.
const BUSY: Duration = Duration::from_secs(7);

/// Keeps everybody from writing into the database for a while. Returns once that is so, and lets nothing else run on this thread before.
fn keep_busy(path: &Path) -> thread::JoinHandle<()> {
    let (path, (sender, is_busy)) = (path.to_owned(), mpsc::channel());
    let keeping = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let options = SqliteConnectOptions::new().filename(path);
            let mut other = options.connect().await.unwrap();
            other.execute("BEGIN IMMEDIATE").await.unwrap();
            sender.send(()).unwrap();
            tokio::time::sleep(BUSY).await;
            other.execute("ROLLBACK").await.unwrap();
        });
    });
    is_busy.recv().unwrap();
    keeping
}

#[tokio::test]
async fn a_line_that_comes_while_the_database_is_busy_is_logged_afterwards() {
    let folder = tempfile::tempdir().unwrap();
    let config = support::config(folder.path());
    let path = config.store.path.clone();
    let server = Server::start(config).await;
    // Nothing has run yet that could log the line.
    let keeping = keep_busy(&path);
    assert_eq!(server.json("/healthz").await["broker"], "not connected");
    tokio::task::spawn_blocking(|| keeping.join().unwrap()).await.unwrap();
    server.until("/healthz", "line", |health| health["broker"] == "connected").await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&scholars_mate("1", "m1").rows).await;
    server.until("/api/v1/round", "a table", |round| round["tables"][0]["sensors"] == "live").await;
    server.stop().await;
}
