//! An adjudicator that dies in the middle of matches: nothing lost, nothing twice.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use adjudicator::log::sqlite::StoreLock;

use crate::support::{self, Hub, SCHOLARS_MATE, Server, scholars_mate};
use proto::mqtt::message::{Board, Side};
use tokio::runtime::Runtime;

const TABLES: [&str; 3] = ["1", "2", "3"];

#[test]
fn three_matches_survive_a_server_that_is_gone_from_one_moment_to_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let config = support::config(folder.path());
    // Every hub has committed another part of its match when the server dies.
    for committed in [[2, 6, 9], [5, 8, 12], [13, 13, 13]] {
        let runtime = Runtime::new().unwrap();
        runtime.block_on(async {
            let server = Server::start(config.clone()).await;
            for (table, committed) in TABLES.into_iter().zip(committed) {
                let script = scholars_mate(table, &format!("m{table}"));
                let hub_id = format!("hub{table}");
                let mut hub = Hub::connect(server.mqtt_port, &hub_id, 7, &[table]).await;
                // A hub that comes back sends everything again that it has not seen acknowledged.
                hub.send_until_committed(&script.rows[..committed]).await;
                hub.send(&script.rows[committed..]).await;
            }
            std::mem::forget(server);
        });
        // Tasks, connections and the database's pool vanish without a word.
        runtime.shutdown_background();
        until_nobody_has(&config.store.path);
    }
    Runtime::new().unwrap().block_on(async {
        let server = Server::start(config.clone()).await;
        for table in TABLES {
            let script = scholars_mate(table, &format!("m{table}"));
            let mut hub = Hub::connect(server.mqtt_port, &format!("hub{table}"), 7, &[table]).await;
            hub.send_until_committed(&script.rows).await;
            let shown = server.json(&format!("/api/v1/matches/m{table}")).await;
            let plies = shown["plies"].as_array().unwrap();
            let ucis: Vec<_> = plies.iter().map(|ply| ply["uci"].as_str().unwrap()).collect();
            assert_eq!(ucis, SCHOLARS_MATE);
        }
        let record = server.get("/api/v1/event.bpgn").await.text().await.unwrap();
        assert_eq!(rules::bpgn::read(record.as_bytes()).len(), TABLES.len());
        server.stop().await;
    });
}

/// A process that is killed lets go of its files at once; threads of this one take a moment.
fn until_nobody_has(store: &Path) {
    let deadline = Instant::now() + support::PATIENCE;
    while let Err(error) = StoreLock::take(store) {
        assert!(Instant::now() < deadline, "{error}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[tokio::test]
async fn the_same_log_gives_the_same_answers_after_every_restart() {
    let folder = tempfile::tempdir().unwrap();
    let config = support::config(folder.path());
    let mut script = scholars_mate("1", "m1");
    script.revise(2, 1, Board::B, Side::White, "e2e3", 0.8, &[("d2d4", 0.2)]);
    let server = Server::start(config.clone()).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows).await;
    let before = server
        .until("/api/v1/matches/m1", "the revision", |shown| shown["plies"][1]["uci"] == "e2e3")
        .await;
    drop(hub);
    server.stop().await;
    let server = Server::start(config).await;
    let after = server.json("/api/v1/matches/m1").await;
    assert_eq!(before["plies"], after["plies"]);
    assert_eq!(after["table"]["sensors"], "lost", "nothing is heard until a hub is back");
    assert!(after["table"]["stale_since_ms"].is_u64());
    server.stop().await;
}
