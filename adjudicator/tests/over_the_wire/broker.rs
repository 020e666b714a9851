//! Hubs and adjudicator over a real broker: ours, and Mosquitto.

use std::{
    path::Path,
    process::{Child, Command, Stdio},
};

use prost::Message as _;
use proto::mqtt::message::Rows;
use rumqttc::{AsyncClient, MqttOptions, PublishOptions};

use crate::support::{self, Hub, Script, Server, scholars_mate};
use adjudicator::config::BrokerMode;

async fn a_match_goes_through(server: &Server) {
    let script = scholars_mate("1", "m1");
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows).await;
    let round = server
        .until("/api/v1/round", "all plies and sensors", |round| {
            round["tables"][0]["ply_count"] == 9 && round["tables"][0]["sensors"] == "live"
        })
        .await;
    assert_eq!(round["tables"][0]["boards"]["A"]["state"], "mate");
    assert_eq!(round["tables"][0]["state"], "playing");
}

#[tokio::test]
async fn a_match_reaches_the_page_over_the_embedded_broker() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(support::config(folder.path())).await;
    a_match_goes_through(&server).await;
    server.stop().await;
}

#[tokio::test]
async fn duplicates_and_gaps_are_answered_with_the_ack_that_stands() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(support::config(folder.path())).await;
    let script = scholars_mate("1", "m1");
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows[..5]).await;
    hub.send(&script.rows[7..]).await;
    hub.send(&script.rows[..5]).await;
    hub.send(&script.rows[3..6]).await;
    hub.acked(6).await;
    assert_eq!(hub.last_ack(), 6);
    hub.send_until_committed(&script.rows).await;
    let shown = server
        .until("/api/v1/matches/m1", "all plies", |shown| {
            shown["plies"].as_array().is_some_and(|plies| plies.len() >= 9)
        })
        .await;
    let ucis: Vec<_> = shown["plies"].as_array().unwrap().iter().map(|ply| &ply["uci"]).collect();
    assert_eq!(ucis, support::SCHOLARS_MATE);
    server.stop().await;
}

#[tokio::test]
async fn rows_in_another_hubs_name_and_rows_that_make_no_sense_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(support::config(folder.path())).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    let mut script = Script::new("1", "m1");
    script.revise(
        1,
        0,
        proto::mqtt::message::Board::A,
        proto::mqtt::message::Side::White,
        "castles",
        0.9,
        &[],
    );
    script.ply(proto::mqtt::message::Board::A, proto::mqtt::message::Side::White, "e2e4");
    hub.send_until_committed(&script.rows).await;
    let shown = server
        .until("/api/v1/matches/m1", "the good ply", |shown| {
            shown["plies"].as_array().is_some_and(|plies| !plies.is_empty())
        })
        .await;
    assert_eq!(shown["plies"].as_array().unwrap().len(), 1);
    assert_eq!(server.metric("inputs_refused_total").await, 1.0);
    server.stop().await;
}

#[tokio::test]
async fn a_taken_port_is_named_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let mut mqtt_taken = support::config(folder.path());
    mqtt_taken.broker.address = address.to_string();
    let mut http_taken = support::config(folder.path());
    http_taken.http.address = address;
    for (config, value) in [(mqtt_taken, "broker.address"), (http_taken, "http.address")] {
        let shutdown = tokio_util::sync::CancellationToken::new();
        let refused = adjudicator::start(config, shutdown).await.err().unwrap().to_string();
        assert!(refused.contains(&address.to_string()) && refused.contains(value), "{refused}");
    }
}

/// Mosquitto on a free port, gone when dropped.
struct Mosquitto {
    process: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl Drop for Mosquitto {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Mosquitto {
    /// A broker without accounts. None, with a logged line, where Mosquitto is not installed; a failure under CI.
    fn start() -> Option<Mosquitto> {
        Mosquitto::with(|port, _| format!("listener {port} 127.0.0.1\nallow_anonymous true\n"))
    }

    /// The one that is shipped as an example, with an account for each of these, whose password is its name.
    fn of_the_example(accounts: &[&str]) -> Option<Mosquitto> {
        Mosquitto::with(|port, folder| {
            let passwords = folder.join("passwd");
            for (index, account) in accounts.iter().enumerate() {
                let mut command = Command::new("mosquitto_passwd");
                command.args(if index == 0 { &["-c", "-b"][..] } else { &["-b"] });
                let made = command.arg(&passwords).args([account, account]).output().unwrap();
                assert!(made.status.success(), "{made:?}");
            }
            let acl = folder.join("acl.conf");
            std::fs::write(&acl, include_str!("../../../deploy/mosquitto-acl.conf")).unwrap();
            let conf = include_str!("../../../deploy/mosquitto.conf")
                .replace("listener 1883", &format!("listener {port} 127.0.0.1\nuser root"))
                .replace("/etc/mosquitto/twinboard.passwd", &passwords.display().to_string())
                .replace("/etc/mosquitto/twinboard-acl.conf", &acl.display().to_string());
            format!("{conf}persistence_location {}/\n", folder.display())
        })
    }

    fn with(configure: impl Fn(u16, &Path) -> String) -> Option<Mosquitto> {
        let program = ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/usr/bin/mosquitto"]
            .into_iter()
            .find(|path| std::path::Path::new(path).exists());
        let Some(program) = program else {
            assert!(
                std::env::var_os("CI").is_none(),
                "Mosquitto is not installed: apt install mosquitto"
            );
            println!("not run: Mosquitto is not installed (apt install mosquitto)");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let configuration = folder.path().join("mosquitto.conf");
        std::fs::write(&configuration, configure(port, folder.path())).unwrap();
        let process = Command::new(program)
            .arg("-c")
            .arg(&configuration)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Some(Mosquitto { process, port, _folder: folder })
    }
}

#[tokio::test]
#[ignore = "needs Mosquitto: cargo xtask test programs"]
async fn a_match_reaches_the_page_over_mosquitto() {
    let Some(broker) = Mosquitto::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut config = support::config(folder.path());
    config.broker.mode = BrokerMode::External;
    config.broker.address = format!("127.0.0.1:{}", broker.port);
    let server = Server::start(config).await;
    a_match_goes_through(&server).await;
    server.stop().await;
}

fn logged_in(broker: &Mosquitto, account: &str, client_id: &str) -> MqttOptions {
    let mut options = MqttOptions::new(client_id, ("127.0.0.1", broker.port));
    options.set_credentials(account, account.to_owned());
    options
}

#[tokio::test]
#[ignore = "needs Mosquitto: cargo xtask test programs"]
async fn the_mosquitto_of_the_example_keeps_hubs_apart() {
    let Some(broker) = Mosquitto::of_the_example(&["adjudicator", "north", "evil"]) else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut config = support::config(folder.path());
    let password = folder.path().join("password");
    adjudicator::pki::secrets::write(&password, "adjudicator").unwrap();
    config.broker.mode = BrokerMode::External;
    config.broker.address = format!("127.0.0.1:{}", broker.port);
    config.broker.username = Some("adjudicator".to_owned());
    config.broker.password_file = Some(password);
    let server = Server::start(config).await;
    let script = scholars_mate("1", "north-1-1");
    while server.metric("broker_connected").await < 1.0 {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let before = server.metric("inputs_total").await;

    // Another hub's account speaks in the name of north, under the client ids of the adjudicator and of north.
    for client_id in ["twinboard-adjudicator-hall-main", "twinboard-hub-north"] {
        let (client, mut events) =
            AsyncClient::builder(logged_in(&broker, "evil", client_id)).capacity(10).build();
        let polling = tokio::spawn(async move { while events.poll().await.is_ok() {} });
        let rows = Rows {
            hub_id: "north".to_owned(),
            boot_id: 7,
            rows: script.rows.clone(),
            ..Rows::default()
        };
        let topic = "twinboard/1/hall/hub/north/rows";
        client.publish(topic, rows.encode_to_vec(), PublishOptions::at_least_once()).await.unwrap();
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        polling.abort();
    }
    let after = server.metric("inputs_total").await;
    assert_eq!(after, before, "nothing of it is heard, and the adjudicator stays on its line");

    let north = logged_in(&broker, "north", "twinboard-hub-north");
    let mut hub = Hub::connect_with(north, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows).await;
    let round = server
        .until("/api/v1/round", "the match of north", |round| round["tables"][0]["ply_count"] == 9)
        .await;
    assert_eq!(round["tables"][0]["boards"]["A"]["state"], "mate");
    server.stop().await;
}
