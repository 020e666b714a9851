//! Work that one hub's account can cause, and the delays of others by it.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use prost::Message as _;
use proto::mqtt::message::{Board, HubState, Row, Rows, Side};
use rumqttc::{MqttOptions, PublishOptions};

use crate::{
    hubs::{notices, until, with_directors},
    support::{self, Hub, PATIENCE, Script, Server, scholars_mate},
};

/// Longest wait of others for a page or an acknowledgement, for every input of one hub. A quiet machine needs a
/// hundredth of it.
const LONGEST_WAIT: Duration = Duration::from_secs(4);

/// Bytes of the database's files.
fn database_bytes(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap());
    let of_log = files.filter(|file| file.file_name().to_string_lossy().contains("sqlite"));
    of_log.map(|file| file.metadata().unwrap().len()).sum()
}

/// A hub that says as much at once as the broker takes.
async fn mad_hub(server: &Server) -> Hub {
    let mut options = MqttOptions::new("twinboard-hub-mad", ("127.0.0.1", server.mqtt_port));
    options.set_max_packet_size(256 * 1024, 256 * 1024);
    Hub::connect_with(options, "mad", 1, &["9"]).await
}

async fn is_born(hub: &Hub, boot_id: u64, version: &str, troubles: &[&str]) {
    let state = HubState {
        hub_id: hub.id.clone(),
        boot_id,
        online: true,
        version: version.to_owned(),
        tables: vec!["9".to_owned()],
        troubles: troubles.iter().map(|&it| it.to_owned()).collect(),
        update_ended: 0,
        ..Default::default()
    };
    let topic = format!("twinboard/1/hall/hub/{}/state", hub.id);
    hub.client
        .publish(topic, state.encode_to_vec(), PublishOptions::at_least_once().retained())
        .await
        .unwrap();
}

#[tokio::test]
async fn births_without_end_fill_neither_log_nor_memory_and_the_last_one_counts() {
    const BIRTHS: u64 = 150;
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(with_directors(folder.path())).await;
    let mad = mad_hub(&server).await;
    let long = "x".repeat(100_000);
    for boot_id in 2..BIRTHS {
        is_born(&mad, boot_id, &long, &[&long]).await;
    }
    is_born(&mad, BIRTHS, "test", &["its disk is full"]).await;
    until(&server, |notices| notices.contains("its disk is full")).await;
    let mut north = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    north.send_until_committed(&scholars_mate("1", "m1").rows).await;
    let bytes = database_bytes(folder.path());
    assert!(bytes < 8_000_000, "{bytes} bytes of database");
    server.stop().await;
}

#[tokio::test]
async fn losses_of_one_hub_hide_no_other_hubs_loss() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(with_directors(folder.path())).await;
    let lose = async |hub: &Hub, boot_id: u64| {
        let row = Row { sequence: 9, ..Script::new("9", "m9").rows[0].clone() };
        let (hub_id, rows) = (hub.id.clone(), vec![row]);
        let rows = Rows { hub_id, boot_id, rows, first_available: 9 };
        let topic = format!("twinboard/1/hall/hub/{}/rows", hub.id);
        hub.client
            .publish(topic, rows.encode_to_vec(), PublishOptions::at_least_once())
            .await
            .unwrap();
    };
    // Repeated as a hub does until an answer: messages before the adjudicator's subscription are lost.
    let lose_until = async |hub: &Hub, boots: u64, words: &str| {
        let deadline = Instant::now() + PATIENCE;
        while !notices(&server).await.contains(words) {
            assert!(Instant::now() < deadline, "the directors do not hear: {words}");
            for boot_id in 1..=boots {
                lose(hub, boot_id).await;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    };
    let mad = mad_hub(&server).await;
    lose_until(&mad, 100, "hub mad has lost rows").await;
    let north = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    lose_until(&north, 1, "rows of hub north are lost").await;
    let said = notices(&server).await.matches("rows of hub mad are lost").count();
    assert!(said <= 10, "{said} notices about one hub");
    server.stop().await;
}

/// A match whose first ply is revised a number of times, each time to another one: all later plies follow from it.
fn revised_without_end(plies: u32, revisions: u32) -> Vec<Row> {
    const ROUND: [&str; 4] = ["g1f3", "g8f6", "f3g1", "f6g8"];
    let mut script = Script::playing("9", "mad-1");
    for id in 1..=plies {
        let side = if id.is_multiple_of(2) { Side::Black } else { Side::White };
        script.ply(Board::A, side, ROUND[(id as usize - 1) % ROUND.len()]);
    }
    for revision in 1..=revisions {
        let uci = ["b1c3", "g1f3"][revision as usize % 2];
        script.revise(1, revision, Board::A, Side::White, uci, 0.9, &[]);
    }
    script.rows
}

#[tokio::test]
async fn a_match_that_is_revised_without_end_keeps_nobody_waiting_and_no_start() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(with_directors(folder.path())).await;
    let mut mad = mad_hub(&server).await;
    for rows in revised_without_end(300, 3_000).chunks(400) {
        mad.send_until_committed(rows).await;
    }
    let mut north = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    let began = Instant::now();
    north.send_until_committed(&scholars_mate("1", "m1").rows).await;
    assert!(began.elapsed() < LONGEST_WAIT, "acknowledged after {:?}", began.elapsed());
    let began = Instant::now();
    server.json("/healthz").await;
    assert!(began.elapsed() < LONGEST_WAIT, "an answer after {:?}", began.elapsed());
    server.until("/api/v1/matches/m1", "the honest match", |_| true).await;
    drop((mad, north));
    server.stop().await;
    let began = Instant::now();
    let server = Server::start(support::config(folder.path())).await;
    assert!(began.elapsed() < PATIENCE, "it starts after {:?}", began.elapsed());
    server.json("/api/v1/matches/m1").await;
    server.stop().await;
}
