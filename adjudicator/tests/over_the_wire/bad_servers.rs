//! A hall whose database takes nothing, or has the form of another release: directors read why, the hub keeps its rows, and everything comes when
//! the database is well.

use reqwest::StatusCode;
use serde_json::json;

use crate::{
    owners::{OWNERS, Site, act},
    phone::{self, Phone},
    postgresql::test_server::{SmallDisk, TestServer},
    support::{Hub, PATIENCE, Script, Server, scholars_mate},
};

/// Ends the connections of adjudicators: the settings of a database hold for new ones.
const NEW_CONNECTIONS: &str =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'twinboard'";
/// Bytes of a note of which some fill a small disk, and the most notes.
const NOTE_BYTES: usize = 100_000;
const ACTS_MAX: usize = 390;

/// A hall on a database.
async fn hall(folder: &std::path::Path, address: String) -> (Server, Phone) {
    let mut config = phone::config(folder);
    config.store.url = Some(address);
    let server = Server::start(config).await;
    let chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    (server, chief)
}

/// Waits until directors read something on their list.
async fn until_needed(chief: &Phone, words: &str) {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    loop {
        let needs = chief.json("/api/v1/td/needs").await.to_string();
        if needs.contains(words) {
            return;
        }
        assert!(tokio::time::Instant::now() < deadline, "{needs}");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}

/// Fills the disk: with long names of the event, and with shorter ones where those do not fit any more.
async fn fill(chief: &Phone) {
    let (mut bytes, mut key) = (NOTE_BYTES, 0);
    while bytes > 0 {
        key += 1;
        let letter = |at: usize| char::from(b'a' + (at * at % 251 % 26) as u8);
        let name: String = (0..bytes).map(letter).collect();
        let deed = json!({ "of": "event", "deeds": [{ "kind": "named", "name": name }] });
        let sent = json!({ "key": format!("fill {key}"), "deed": deed });
        match chief.post("/api/v1/td/acts", &sent).await {
            (StatusCode::SERVICE_UNAVAILABLE, _) => bytes /= 4,
            // A name that is too long is refused, and in the log.
            (status, answer) => assert!(key < ACTS_MAX, "{status} {answer}"),
        }
    }
}

/// While the database takes nothing an act is refused, no row is acknowledged, and directors read why.
async fn takes_nothing(chief: &Phone, hub: &mut Hub, script: &Script, words: &str) {
    let before = hub.last_ack();
    hub.send(&script.rows).await;
    until_needed(chief, words).await;
    let shown = json!({ "key": "shown", "deed": { "of": "show", "table": "1" } });
    let (status, answer) = chief.post("/api/v1/td/acts", &shown).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE, "{answer}");
    assert_eq!(hub.last_ack(), before, "what is not in the log is not acknowledged");
}

/// All that was refused comes.
async fn takes_everything(chief: &Phone, hub: &mut Hub, script: &Script) {
    hub.send_until_committed(&script.rows).await;
    act(chief, "shown", json!({ "of": "show", "table": "1" })).await;
    let needs = chief.json("/api/v1/td/needs").await.to_string();
    assert!(!needs.contains("Nothing new is recorded"), "{needs}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test programs"]
async fn a_database_that_is_read_only_is_named_and_nothing_is_lost() {
    let (folder, database) = (tempfile::tempdir().unwrap(), TestServer::start().await);
    let (server, chief) = hall(folder.path(), database.address("hall").await).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    let script = scholars_mate("1", "m1");
    hub.send_until_committed(&script.rows[..4]).await;
    database.query("ALTER DATABASE postgres SET default_transaction_read_only = on").await;
    database.query(NEW_CONNECTIONS).await;
    takes_nothing(&chief, &mut hub, &script, "read-only").await;
    database
        .query("SET transaction_read_only = off; ALTER DATABASE postgres RESET default_transaction_read_only")
        .await;
    takes_everything(&chief, &mut hub, &script).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test programs"]
async fn a_database_whose_disk_is_full_is_named_and_nothing_is_lost() {
    let (folder, database) = (tempfile::tempdir().unwrap(), TestServer::start().await);
    let Some(disk) = SmallDisk::of(&database).await else { return };
    let address = database.address("hall").await + "&options[default_tablespace]=small";
    let (server, chief) = hall(folder.path(), address).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    let script = scholars_mate("1", "m1");
    hub.send_until_committed(&script.rows[..4]).await;
    fill(&chief).await;
    takes_nothing(&chief, &mut hub, &script, "No space left").await;
    disk.grow();
    takes_everything(&chief, &mut hub, &script).await;
    server.stop().await;
    database.query("DROP SCHEMA hall CASCADE").await;
    database.query("DROP TABLESPACE small").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL, Mosquitto and nats-server: cargo xtask test programs"]
async fn an_owner_leaves_a_log_of_a_newer_release_alone_until_it_fits() {
    let Some(site) = Site::open().await else { return };
    let mut owner = site.owner(OWNERS[0]);
    let front = site.front().await;
    let mut hub = Hub::connect(site.mosquitto.port, "north", 7, &["1"]).await;
    let script = scholars_mate("1", "m1");
    hub.send_until_committed(&script.rows[..4]).await;
    owner.stop();
    site.database.query("UPDATE event._sqlx_migrations SET version = 1234 WHERE version = 1").await;
    let mut owner = site.owner(OWNERS[0]);
    hub.send(&script.rows).await;
    assert_eq!(front.json("/healthz").await["nats"], "connected");
    site.database.query("UPDATE event._sqlx_migrations SET version = 1 WHERE version = 1234").await;
    hub.send_until_committed(&script.rows).await;
    let expected: Vec<u64> = script.rows.iter().map(|row| row.sequence).collect();
    assert_eq!(site.logged().await, expected);
    front.stop().await;
    owner.stop();
}
