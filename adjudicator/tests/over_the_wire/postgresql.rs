//! A whole hall on a PostgreSQL server: a match over a restart, a second adjudicator, a server that is down for a while, and the records.

#[path = "../../src/log/postgres/test_server.rs"]
pub(crate) mod test_server;

use adjudicator::{
    Config,
    log::{Place, copy},
    views::records::{Format, Which},
};

use crate::support::{self, Hub, Server, scholars_mate};
use test_server::TestServer;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test programs"]
async fn a_hall_on_a_postgresql_server_loses_nothing_over_restarts_of_either() {
    let (folder, mut database) = (tempfile::tempdir().unwrap(), TestServer::start().await);
    let mut config = support::config(folder.path());
    config.store.url = Some(database.address("hall").await);
    let script = scholars_mate("1", "m1");
    let server = Server::start(config.clone()).await;
    let mut hub = Hub::connect(server.mqtt_port, "hub1", 7, &["1"]).await;
    hub.send_until_committed(&script.rows[..4]).await;
    // Rows that are sent while the database is down are accepted when it is back.
    database.kill();
    hub.send(&script.rows[4..6]).await;
    database.go_on().await;
    hub.send_until_committed(&script.rows[..8]).await;
    server.stop().await;
    assert!(!config.store.path.exists(), "there is no file beside the server");

    let server = Server::start(config.clone()).await;
    let mut hub = Hub::connect(server.mqtt_port, "hub1", 7, &["1"]).await;
    hub.send_until_committed(&script.rows).await;
    // A row is acknowledged when it is committed, and shown a moment later.
    let all = support::SCHOLARS_MATE.len();
    let has_all =
        |shown: &serde_json::Value| shown["plies"].as_array().is_some_and(|it| it.len() == all);
    server.until("/api/v1/matches/m1", "match with all its plies", has_all).await;
    server.stop().await;

    // The records of a hall that has moved to a file are the same.
    let file = folder.path().join("moved.sqlite");
    copy::copy(&config.log_place().unwrap(), &Place::from(&file), &|_| {}).await.unwrap();
    let mut moved = Config { store: Default::default(), ..config.clone() };
    moved.store.path = file;
    let records = async |config: &Config| {
        adjudicator::export(config, &Which::default(), Format::Bpgn).await.unwrap()
    };
    assert_eq!(records(&config).await, records(&moved).await);
}
