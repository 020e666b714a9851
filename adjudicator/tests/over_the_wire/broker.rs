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

/// The document for other programs.
const DOCUMENT: &str = include_str!("../../../docs/mqtt.md");

/// The indented block of the document that begins so.
fn indented(start: &str) -> String {
    let lines = DOCUMENT.lines().skip_while(|line| line.trim_start() != start);
    let block = lines.take_while(|line| line.is_empty() || line.starts_with("    "));
    block.map(|line| format!("{}\n", line.strip_prefix("    ").unwrap_or(line))).collect()
}

/// Mosquitto on a free port, gone when dropped.
pub(crate) struct Mosquitto {
    process: Child,
    pub(crate) port: u16,
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
    pub(crate) fn start() -> Option<Mosquitto> {
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
            let listener = indented("user scoreboard");
            let shipped = include_str!("../../../deploy/mosquitto-acl.conf");
            std::fs::write(&acl, format!("{shipped}\n{listener}")).unwrap();
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

/// A configuration with a broker without accounts.
fn at(folder: &Path, broker: &Mosquitto) -> adjudicator::Config {
    let mut config = support::config(folder);
    config.broker.mode = BrokerMode::External;
    config.broker.address = format!("127.0.0.1:{}", broker.port);
    config
}

/// The same with the account that the example gives the adjudicator.
fn at_the_example(folder: &Path, broker: &Mosquitto) -> adjudicator::Config {
    let password = folder.join("password");
    adjudicator::pki::secrets::write(&password, "adjudicator").unwrap();
    let mut config = at(folder, broker);
    config.broker.username = Some("adjudicator".to_owned());
    config.broker.password_file = Some(password);
    config
}

#[tokio::test]
#[ignore = "needs Mosquitto: cargo xtask test programs"]
async fn a_match_reaches_the_page_over_mosquitto() {
    let Some(broker) = Mosquitto::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let config = at(folder.path(), &broker);
    let server = Server::start(config).await;
    a_match_goes_through(&server).await;
    server.stop().await;
}

/// A program that ends when dropped, and the lines that it prints.
struct Printing {
    process: Child,
    lines: tokio::sync::mpsc::Receiver<String>,
}

impl Drop for Printing {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Printing {
    /// The example of the document, against a broker.
    fn example(broker: &Mosquitto, folder: &Path) -> Printing {
        let definition = concat!(env!("CARGO_MANIFEST_DIR"), "/../proto/mqtt");
        let made = Command::new("python3")
            .args(["-m", "grpc_tools.protoc", "-I", definition])
            .arg(format!("--python_out={}", folder.display()))
            .arg(format!("{definition}/twinboard.proto"))
            .status()
            .unwrap();
        assert!(made.success(), "the types are made from the definition");
        let program = indented("import paho.mqtt.client as mqtt")
            .replace("its password", "scoreboard")
            .replace("\"192.168.1.10\", 1883", &format!("\"127.0.0.1\", {}", broker.port));
        std::fs::write(folder.join("example.py"), program).unwrap();
        let mut process = Command::new("python3")
            .args(["-u", "example.py"])
            .current_dir(folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let printed = std::io::BufReader::new(process.stdout.take().unwrap());
        let (sender, lines) = tokio::sync::mpsc::channel(1_000);
        std::thread::spawn(move || {
            for line in std::io::BufRead::lines(printed).map_while(Result::ok) {
                let _ = sender.blocking_send(line);
            }
        });
        Printing { process, lines }
    }

    async fn until(&mut self, is_wanted: impl Fn(&str) -> bool) -> String {
        loop {
            let next = tokio::time::timeout(std::time::Duration::from_secs(30), self.lines.recv());
            let line = next.await.expect("a line in time").expect("the program goes on");
            if is_wanted(&line) {
                return line;
            }
        }
    }
}

#[tokio::test]
#[ignore = "needs Mosquitto and paho-mqtt: cargo xtask test programs"]
async fn the_example_of_the_document_prints_every_ply_of_the_hall() {
    let accounts = ["adjudicator", "north", "scoreboard"];
    let Some(broker) = Mosquitto::of_the_example(&accounts) else { return };
    let folder = tempfile::tempdir().unwrap();
    let config = at_the_example(folder.path(), &broker);
    let server = Server::start(config).await;
    let mut example = Printing::example(&broker, folder.path());
    let north = logged_in(&broker, "north", "twinboard-hub-north");
    let mut hub = Hub::connect_with(north, "north", 7, &["1"]).await;
    assert_eq!(example.until(|line| line.starts_with("north")).await, "north online 1");
    hub.send_until_committed(&scholars_mate("1", "north-1-1").rows).await;
    for uci in support::SCHOLARS_MATE {
        let line = example.until(|line| line.starts_with("1 north-1-1 ")).await;
        assert!(line.contains(&format!(" {uci} ")), "{line}, not {uci}");
    }
    server.stop().await;
}

#[tokio::test]
#[ignore = "needs Mosquitto: cargo xtask test programs"]
async fn each_hub_is_a_device_of_home_assistant_and_nothing_of_a_game_goes_there() {
    let Some(broker) = Mosquitto::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut config = at(folder.path(), &broker);
    config.broker.home_assistant = Some("homeassistant".to_owned());
    let server = Server::start(config).await;
    let mut seen = Retained::of(&broker).await;
    a_match_goes_through(&server).await;
    let state = "twinboard/1/hall/home-assistant/north";
    seen.until(state, |it| it["connected"] == "ON" && it["tables_live"] == 1).await;
    let config = "homeassistant/device/twinboard_hall_north/config";
    let device = seen.until(config, |it| it["o"]["name"] == "Twinboard").await;
    assert_eq!(device["state_topic"], state);
    let components = device["cmps"].as_object().unwrap();
    let now = seen.until(state, |_| true).await;
    for component in components.values() {
        // Each message has Home Assistant's required fields, and the template's field is in the state.
        assert!(component["p"].is_string() && component["unique_id"].is_string(), "{component}");
        let template = component["value_template"].as_str().unwrap();
        let field = template.trim_matches(['{', '}', ' ']).strip_prefix("value_json.").unwrap();
        assert!(!now[field].is_null(), "{field} of {now}");
    }
    // Home Assistant has started again, or was given a new broker: devices that it may have lost are sent again.
    seen.payloads.clear();
    seen.client
        .publish("homeassistant/status", "online", PublishOptions::at_least_once())
        .await
        .unwrap();
    assert_eq!(seen.until(config, |_| true).await, device);
    let availability = device["availability_topic"].as_str().unwrap().to_owned();
    server.stop().await;
    seen.until(&availability, |it| it == "offline").await;
    for (topic, payload) in &seen.payloads {
        assert!(!payload.to_string().contains("e2e4"), "{topic}: {payload}");
    }
}

/// Messages that are retained for Home Assistant, by topic; a text that is no JSON as a string.
struct Retained {
    client: AsyncClient,
    payloads: std::collections::BTreeMap<String, serde_json::Value>,
    messages: tokio::sync::mpsc::Receiver<(String, serde_json::Value)>,
}

impl Retained {
    async fn of(broker: &Mosquitto) -> Retained {
        let options = MqttOptions::new("home-assistant", ("127.0.0.1", broker.port));
        let (client, mut events) = AsyncClient::builder(options).capacity(10).build();
        let (sender, messages) = tokio::sync::mpsc::channel(1_000);
        for filter in ["homeassistant/#", "twinboard/1/+/home-assistant/+"] {
            client.subscribe(filter, rumqttc::QoS::AtLeastOnce).await.unwrap();
        }
        tokio::spawn(async move {
            while let Ok(event) = events.poll().await {
                let rumqttc::Event::Incoming(rumqttc::Incoming::Publish(publish)) = event else {
                    continue;
                };
                let text = String::from_utf8_lossy(&publish.payload).into_owned();
                let value = serde_json::from_str(&text).unwrap_or(serde_json::Value::String(text));
                let topic = String::from_utf8_lossy(&publish.topic).into_owned();
                let _ = sender.send((topic, value)).await;
            }
        });
        Retained { client, payloads: Default::default(), messages }
    }

    /// The payload of a topic once it is as wanted.
    async fn until(
        &mut self,
        topic: &str,
        is_wanted: impl Fn(&serde_json::Value) -> bool,
    ) -> serde_json::Value {
        loop {
            if let Some(payload) = self.payloads.get(topic).filter(|it| is_wanted(it)) {
                return payload.clone();
            }
            let next =
                tokio::time::timeout(std::time::Duration::from_secs(30), self.messages.recv());
            let seen = next.await.unwrap_or_else(|_| panic!("{topic}: {:?}", self.payloads));
            self.payloads.extend(seen);
        }
    }
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
    let config = at_the_example(folder.path(), &broker);
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
