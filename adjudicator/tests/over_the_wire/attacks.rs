//! Attacks with one hub's account, or with a cable in the hall's network, against the real program.

use std::time::Duration;

use adjudicator::pki::secrets;
use prost::Message as _;
use proto::mqtt::message::{Ack, Board, PlyReported, Side, row::Event};
use rumqttc::{
    AsyncClient, ConnectReturnCode, ConnectionError, Incoming, MqttOptions, NetworkOptions,
    PublishOptions, QoS, SubscribeFilter, SubscribeReasonCode,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
};

use crate::support::{self, Hub, PATIENCE, Script, Server, scholars_mate};

/// Connects once; returns the broker's acceptance or its reason to refuse.
async fn knock(
    port: u16,
    client_id: &str,
    account: Option<(&str, &str)>,
) -> Result<(), ConnectReturnCode> {
    let mut options = MqttOptions::new(client_id, ("127.0.0.1", port));
    options.set_keep_alive(5);
    if let Some((name, password)) = account {
        options.set_credentials(name, password.to_owned());
    }
    let (_client, mut event_loop) = AsyncClient::builder(options).capacity(10).build();
    // A password's hash takes its time, and five may be before this one.
    let mut network = NetworkOptions::new();
    network.set_connection_timeout(PATIENCE.as_secs());
    event_loop.set_network_options(network);
    let answer = tokio::time::timeout(PATIENCE, event_loop.poll()).await.expect("an answer");
    match answer {
        Ok(rumqttc::Event::Incoming(Incoming::ConnAck(_))) => Ok(()),
        Err(ConnectionError::ConnectionRefused(code)) => Err(code),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_account_can_connect_under_its_own_client_id_only() {
    let folder = tempfile::tempdir().unwrap();
    let accounts = folder.path().join("hubs.passwd");
    for hub in ["north", "south"] {
        secrets::write_account(&accounts, hub, "a password").unwrap();
    }
    let mut config = support::config(folder.path());
    config.broker.credentials_file = Some(accounts);
    let server = Server::start(config).await;
    server.until("/healthz", "a broker", |health| health["broker"] == "connected").await;
    let port = server.mqtt_port;
    let north = Some(("north", "a password"));
    assert_eq!(knock(port, "twinboard-hub-north", north).await, Ok(()));
    for id in ["twinboard-adjudicator-hall-main", "twinboard-hub-south", "anything"] {
        assert_eq!(knock(port, id, north).await, Err(ConnectReturnCode::BadClientId), "{id}");
    }
    let wrong = Some(("north", "another password"));
    assert!(knock(port, "twinboard-hub-north", wrong).await.is_err());
    assert!(knock(port, "twinboard-hub-north", None).await.is_err());
    assert_eq!(server.json("/healthz").await["broker"], "connected");
    server.stop().await;
}

#[tokio::test]
async fn a_hubs_account_acknowledges_nothing_and_hears_nothing_of_another_hub() {
    let folder = tempfile::tempdir().unwrap();
    let accounts = folder.path().join("hubs.passwd");
    for hub in ["north", "south"] {
        secrets::write_account(&accounts, hub, "a password").unwrap();
    }
    let mut config = support::config(folder.path());
    config.broker.credentials_file = Some(accounts);
    let server = Server::start(config).await;
    let account = |hub: &str| {
        let id = format!("twinboard-hub-{hub}");
        let mut options = MqttOptions::new(id, ("127.0.0.1", server.mqtt_port));
        options.set_credentials(hub, "a password");
        options
    };
    let mut south = Hub::connect_with(account("south"), "south", 8, &["2"]).await;
    let (north, mut line) = AsyncClient::builder(account("north")).capacity(10).build();
    for filter in ["#", "twinboard/1/hall/hub/south/ack", "twinboard/1/hall/hub/+/rows"] {
        north.subscribe(filter, rumqttc::QoS::AtLeastOnce).await.unwrap();
    }
    let lie = Ack { boot_id: 8, sequence: u64::MAX, ..Ack::default() }.encode_to_vec();
    for topic in ["twinboard/1/hall/hub/south/ack", "twinboard/1/adjudicator/main/state"] {
        north
            .publish(topic, lie.clone(), PublishOptions::at_least_once().retained())
            .await
            .unwrap();
    }
    let (heard, told) = tokio::sync::mpsc::unbounded_channel();
    let listening = tokio::spawn(async move {
        let mut heard = Some(heard);
        loop {
            match line.poll().await {
                Ok(rumqttc::Event::Incoming(Incoming::Publish(publish))) => {
                    if let Some(heard) = &heard {
                        let _ = heard.send(publish.topic);
                    }
                }
                Ok(_) => {}
                // The broker has closed the connection for its request: nothing more comes.
                Err(_) => {
                    heard = None;
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        }
    });
    let script = scholars_mate("2", "m2");
    south.send_until_committed(&script.rows).await;
    assert_eq!(south.last_ack(), script.rows.len() as u64, "and no lie of another");
    listening.abort();
    let mut told = told;
    while let Ok(topic) = told.try_recv() {
        assert!(topic.starts_with(b"twinboard/1/adjudicator/"), "north hears {topic:?}");
    }
    server.stop().await;
}

#[tokio::test]
async fn without_accounts_nobody_takes_the_adjudicators_place_either() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(support::config(folder.path())).await;
    let refused = Err(ConnectReturnCode::BadClientId);
    assert_eq!(knock(server.mqtt_port, "twinboard-adjudicator-hall-main", None).await, refused);
    assert_eq!(knock(server.mqtt_port, "twinboard-hub-north", None).await, Ok(()));
    server.stop().await;
}

#[tokio::test]
async fn a_hub_changes_nothing_at_another_hubs_table_and_its_rows_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let token = folder.path().join("td-token");
    secrets::write(&token, "a token of a director\n").unwrap();
    let mut config = support::config(folder.path());
    config.http.td_token_file = Some(token);
    let server = Server::start(config).await;
    let script = scholars_mate("1", "m1");
    let mut north = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    north.send_until_committed(&script.rows).await;
    let mut south = Hub::connect(server.mqtt_port, "south", 8, &["1", "2"]).await;
    // Its ply in north's match, a match of its own at north's table, and one of its own where it may.
    let mut foreign = scholars_mate("1", "m1");
    foreign.rows.retain(|row| matches!(row.event, Some(Event::PlyReported(_))));
    foreign.revise(1, 90, Board::A, Side::White, "a2a3", 1.0, &[]);
    foreign.rows.extend(Script::new("1", "stolen").rows);
    foreign.rows.extend(Script::new("2", "m2").rows);
    for (row, sequence) in foreign.rows.iter_mut().zip(1..) {
        row.sequence = sequence;
    }
    south.send_until_committed(&foreign.rows).await;
    server
        .until("/api/v1/matches", "the honest matches", |list| {
            list["matches"].as_array().is_some_and(|list| list.len() == 2)
        })
        .await;
    let shown = server.json("/api/v1/matches/m1").await;
    let ucis: Vec<_> = shown["plies"].as_array().unwrap().iter().map(|ply| &ply["uci"]).collect();
    assert_eq!(ucis, support::SCHOLARS_MATE);
    let round = server.json("/api/v1/round").await;
    assert_eq!(round["tables"][0]["match"], "m1");
    let client = reqwest::Client::new();
    let alerts = client
        .get(format!("{}/api/v1/td/alerts", server.http))
        .bearer_auth("a token of a director")
        .send()
        .await
        .unwrap()
        .text()
        .await
        .unwrap();
    assert!(alerts.contains("south") && alerts.contains("table 1"), "{alerts}");
    server.stop().await;
}

#[tokio::test]
async fn a_revision_or_a_time_that_cannot_be_silences_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(support::config(folder.path())).await;
    let mut script = Script::new("1", "m1");
    script.ply(Board::A, Side::White, "e2e4");
    script.revise(1, u32::MAX, Board::A, Side::White, "a2a3", 1.0, &[]);
    let ahead = PlyReported {
        t_us: u64::MAX,
        ply_id: 2,
        uci: "h7h6".to_owned(),
        board: Board::A as i32,
        side: Side::Black as i32,
        match_id: "m1".to_owned(),
        stage: 1,
        p: 1.0,
        ..PlyReported::default()
    };
    let mut row = script.rows[1].clone();
    (row.sequence, row.event) = (script.rows.len() as u64 + 1, Some(Event::PlyReported(ahead)));
    script.rows.push(row);
    script.revise(1, 1, Board::A, Side::White, "d2d4", 0.9, &[]);
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows).await;
    let shown = server
        .until("/api/v1/matches/m1", "the revision", |shown| shown["plies"][0]["uci"] == "d2d4")
        .await;
    assert_eq!(shown["plies"].as_array().unwrap().len(), 1);
    assert_eq!(server.metric("inputs_refused_total").await, 2.0);
    server.stop().await;
}

#[tokio::test]
async fn connections_to_the_broker_that_say_nothing_keep_no_hub_out() {
    // More than the broker has clients.
    const IDLE: usize = 1_200;
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(support::config(folder.path())).await;
    let address = format!("127.0.0.1:{}", server.mqtt_port).parse().unwrap();
    let mut idle = Vec::new();
    for _ in 0..IDLE {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.2:0".parse().unwrap()).unwrap();
        idle.push(socket.connect(address).await.unwrap());
    }
    let script = scholars_mate("1", "m1");
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows).await;
    drop(idle);
    server.stop().await;
}

#[tokio::test]
async fn a_thousand_guesses_of_a_password_keep_no_hub_out() {
    const GUESSES: usize = 1_000;
    const AT_ONCE: usize = 50;
    let folder = tempfile::tempdir().unwrap();
    let accounts = folder.path().join("hubs.passwd");
    for hub in ["north", "south"] {
        secrets::write_account(&accounts, hub, "a password").unwrap();
    }
    let mut config = support::config(folder.path());
    config.broker.credentials_file = Some(accounts);
    let server = Server::start(config).await;
    server.until("/healthz", "a broker", |health| health["broker"] == "connected").await;
    let port = server.mqtt_port;
    let mut refused = Vec::new();
    for first in (0..GUESSES).step_by(AT_ONCE) {
        let guesses = (first..first + AT_ONCE).map(|number| async move {
            knock(port, "twinboard-hub-north", Some(("north", &format!("guess {number}")))).await
        });
        refused.extend(futures::future::join_all(guesses).await);
    }
    assert!(refused.iter().all(Result::is_err));
    let unverified =
        |answer: &&Result<_, _>| matches!(answer, Err(ConnectReturnCode::ServiceUnavailable));
    assert!(refused.iter().filter(unverified).count() > GUESSES - 50, "they cost next to nothing");
    let south = Some(("south", "a password"));
    assert_eq!(knock(port, "twinboard-hub-south", south).await, Ok(()));
    assert_eq!(server.json("/healthz").await["broker"], "connected");
    server.stop().await;
}

#[tokio::test]
async fn a_packet_that_is_too_large_ends_nobodys_connection_but_its_senders() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(support::config(folder.path())).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    let mut watcher = MqttOptions::new("a-watcher", ("127.0.0.1", server.mqtt_port));
    watcher.set_keep_alive(5);
    let (client, mut event_loop) = AsyncClient::builder(watcher).capacity(10).build();
    client.subscribe("twinboard/1/adjudicator/+/state", QoS::AtLeastOnce).await.unwrap();
    // The adjudicator's own state: present, once, and no lost connection.
    let (told, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let watching = tokio::spawn(async move {
        while let Ok(event) = event_loop.poll().await {
            if let rumqttc::Event::Incoming(Incoming::Publish(publish)) = event {
                told.send(publish.payload.to_vec()).unwrap();
            }
        }
    });
    tokio::time::timeout(PATIENCE, heard.recv()).await.expect("it is there").unwrap();
    for bytes in [300_000, 1_000_000, 2_000_000] {
        let mut evil = MqttOptions::new("twinboard-hub-evil", ("127.0.0.1", server.mqtt_port));
        evil.set_max_packet_size(4_000_000, 4_000_000);
        let (client, mut event_loop) = AsyncClient::builder(evil).capacity(10).build();
        let topic = "twinboard/1/hall/hub/evil/rows";
        client.publish(topic, vec![0xff; bytes], PublishOptions::at_least_once()).await.unwrap();
        let sent = async { while event_loop.poll().await.is_ok() {} };
        tokio::time::timeout(PATIENCE, sent).await.expect("the broker ends the connection");
    }
    hub.send_until_committed(&scholars_mate("1", "m1").rows).await;
    assert!(heard.try_recv().is_err(), "the adjudicator was thrown off its own broker");
    watching.abort();
    server.stop().await;
}

#[tokio::test]
async fn connections_that_say_nothing_keep_nobody_else_out() {
    // More than one address may have, and both ends of each in this process.
    const IDLE: usize = 540;
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(support::config(folder.path())).await;
    let address = server.http.strip_prefix("http://").unwrap().parse().unwrap();
    let mut idle = Vec::new();
    for _ in 0..IDLE {
        let socket = TcpSocket::new_v4().unwrap();
        // Not the address that is taken for a proxy of this machine.
        socket.bind("127.0.0.2:0".parse().unwrap()).unwrap();
        idle.push(socket.connect(address).await.unwrap());
    }
    let mut last = idle.pop().unwrap();
    let said = tokio::time::timeout(PATIENCE, last.read(&mut [0; 64])).await.expect("a word");
    assert!(matches!(said, Ok(0) | Err(_)), "one more than its share: {said:?}");
    let script = scholars_mate("1", "m1");
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows).await;
    server.until("/api/v1/matches/m1", "the match", |_| true).await;
    drop(idle);
    server.stop().await;
}

/// Number of these topics to which the broker lets a client subscribe.
async fn granted(port: u16, client_id: &str, filters: impl Iterator<Item = String>) -> usize {
    const IN_A_PACKET: usize = 100;
    let (client, mut event_loop) =
        AsyncClient::builder(MqttOptions::new(client_id, ("127.0.0.1", port))).capacity(10).build();
    let filters: Vec<String> = filters.collect();
    let mut granted = 0;
    for some in filters.chunks(IN_A_PACKET) {
        let some = some.iter().map(|filter| SubscribeFilter::new(filter.clone(), QoS::AtLeastOnce));
        client.try_subscribe_many(some).unwrap();
        let answer = async {
            loop {
                if let rumqttc::Event::Incoming(Incoming::SubAck(answer)) =
                    event_loop.poll().await.expect("a connection")
                {
                    return answer.return_codes;
                }
            }
        };
        let codes = tokio::time::timeout(PATIENCE, answer).await.expect("an answer");
        granted += codes.iter().filter(|code| **code != SubscribeReasonCode::Failure).count();
    }
    granted
}

#[tokio::test]
async fn subscriptions_without_end_are_not_kept() {
    const ASKED: usize = 1_000;
    // As many as the broker keeps of one client.
    const MOST: usize = 16;
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(support::config(folder.path())).await;
    let port = server.mqtt_port;
    let adjudicators = ["+", "main"].map(|id| format!("twinboard/1/adjudicator/{id}/state"));
    assert_eq!(granted(port, "twinboard-hub-a", adjudicators.into_iter()).await, 2);
    let invented = (0..ASKED).map(|number| format!("twinboard/1/adjudicator/{number}/state"));
    assert_eq!(granted(port, "twinboard-hub-b", invented).await, 0, "there is one adjudicator");
    let hubs = (0..ASKED).map(|number| format!("twinboard/1/hall/hub/hub-{number}/ack"));
    assert_eq!(granted(port, "twinboard-hub-c", hubs).await, MOST);
    let long = ["x".repeat(9_000), "a hub".to_owned()];
    let long = long.map(|hub| format!("twinboard/1/hall/hub/{hub}/ack"));
    assert_eq!(
        granted(port, "twinboard-hub-d", long.into_iter()).await,
        0,
        "no hub has such an id"
    );
    server.stop().await;
}

/// A packet of MQTT whose body is shorter than 16,384 bytes.
fn packet(kind: u8, body: &[u8]) -> Vec<u8> {
    let (low, high) = (body.len() % 128, body.len() / 128);
    let length = [u8::try_from(low | 0x80).unwrap(), u8::try_from(high).unwrap()];
    [&[kind], &length[..], body].concat()
}

#[tokio::test]
async fn names_for_topics_are_not_kept() {
    const PUBLISH: u8 = 0x30;
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(support::config(folder.path())).await;
    let mut evil = TcpStream::connect(("127.0.0.1", server.mqtt_port)).await.unwrap();
    // CONNECT of MQTT 5, the only one that knows such names (aliases), without properties.
    let connect = b"\0\x04MQTT\x05\x02\0\0\0\0\x12twinboard-hub-evil";
    evil.write_all(&packet(0x10, connect)).await.unwrap();
    let mut answer = [0; 4];
    evil.read_exact(&mut answer).await.unwrap();
    assert_eq!((answer[0], answer[3]), (0x20, 0), "it is taken in");
    // To a topic that is not its own, which is to be called 1 from now on.
    let topic = vec![b'y'; 10_000];
    let topic_length = u16::try_from(topic.len()).unwrap().to_be_bytes();
    let publish = [&topic_length[..], &topic, b"\x03\x23\0\x01"].concat();
    evil.write_all(&packet(PUBLISH, &publish)).await.unwrap();
    let ended = tokio::time::timeout(PATIENCE, evil.read_to_end(&mut Vec::new())).await;
    assert!(ended.is_ok(), "the broker has kept the name");
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&scholars_mate("1", "m1").rows).await;
    server.stop().await;
}

#[tokio::test]
async fn connections_that_say_nothing_to_the_metrics_are_few_and_keep_nobody_out() {
    const IDLE: usize = 100;
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(support::config(folder.path())).await;
    let mut idle = Vec::new();
    for _ in 0..IDLE {
        let socket = TcpSocket::new_v4().unwrap();
        // Not the address that is taken for a proxy of this machine.
        socket.bind("127.0.0.2:0".parse().unwrap()).unwrap();
        idle.push(socket.connect(server.metrics.unwrap()).await.unwrap());
    }
    let mut last = idle.pop().unwrap();
    let said = tokio::time::timeout(PATIENCE, last.read(&mut [0; 64])).await.expect("a word");
    assert!(matches!(said, Ok(0) | Err(_)), "one more than its share: {said:?}");
    assert_eq!(server.metric("hubs").await, 0.0);
    drop(idle);
    server.stop().await;
}

/// The listed attacks, with their tests.
const TABLE: &str = include_str!("../../../docs/attacks.md");

/// The sources below some folders, one after the other.
fn sources(folders: &[&str]) -> String {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut sources = String::new();
    let mut unread: Vec<std::path::PathBuf> =
        folders.iter().map(|folder| root.join(folder)).collect();
    while let Some(path) = unread.pop() {
        if path.is_dir() {
            unread.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|ending| ending == "rs" || ending == "ts") {
            sources.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
    sources
}

#[test]
fn every_test_of_the_table_is_there() {
    let over_sockets = sources(&["adjudicator/tests/over_the_wire", "tests"]);
    let of_parts = sources(&[
        "adjudicator/src",
        "adjudicator/web/src/model",
        "delivery/src",
        "domain/event/src",
        "hub/src",
        "proto/src",
        "proto/tests",
        "domain/referee/src",
        "twinboard/src",
    ]);
    let rows: Vec<&str> = TABLE.lines().filter(|line| line.starts_with("| ")).collect();
    let attacks = rows.iter().filter(|row| !row.starts_with("| Attack |"));
    let mut count = 0;
    for row in attacks {
        let tests = row.trim_end_matches(" |").rsplit('|').next().unwrap();
        let mut words = tests.split('`').skip(1);
        let mut names = 0;
        while let Some(name) = words.next() {
            let is_of_a_part = words.next().is_some_and(|after| after.starts_with(" (part)"));
            let sources = if is_of_a_part { &of_parts } else { &over_sockets };
            // A test of the pages has its name as a sentence.
            let is_there = sources.contains(&format!("fn {name}("))
                || sources.contains(&format!("it('{}'", name.replace('_', " ")));
            assert!(is_there, "there is no test {name} where it is said to be: {row}");
            names += 1;
        }
        assert!(names > 0, "no test: {row}");
        count += 1;
    }
    assert!(count > 30, "the table is written otherwise by now");
}
