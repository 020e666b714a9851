//! Hubs' reports about themselves, and their readers.

use std::{os::unix::fs::PermissionsExt as _, path::Path};

use prost::Message as _;
use proto::mqtt::message::{
    Board, HubState, MatchOpened, NodeState, NodeStateChanged, Row, row::Event,
};
use reqwest::StatusCode;
use rumqttc::PublishOptions;
use serde_json::{Value, json};

use crate::{
    phone::{Phone, config},
    support::{self, Hub, Server},
};

const TOKEN: &str = "a-token-of-the-directors";
const TROUBLE: &str = "123 MB are left on its disk";

/// A configuration in which directors may see the list of alerts.
pub(crate) fn with_directors(folder: &Path) -> adjudicator::Config {
    let mut config = support::config(folder);
    let token_file = folder.join("td-token");
    std::fs::write(&token_file, TOKEN).unwrap();
    std::fs::set_permissions(&token_file, std::fs::Permissions::from_mode(0o600)).unwrap();
    config.http.td_token_file = Some(token_file);
    config
}

pub(crate) async fn notices(server: &Server) -> String {
    let request = reqwest::Client::new().get(format!("{}/api/v1/td/alerts", server.http));
    let answer: Value = request.bearer_auth(TOKEN).send().await.unwrap().json().await.unwrap();
    answer["notices"].to_string()
}

pub(crate) async fn until(server: &Server, holds: impl Fn(&str) -> bool) {
    let look = async {
        while !holds(&notices(server).await) {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(support::PATIENCE, look).await.expect("the directors hear it");
}

#[tokio::test]
async fn directors_hear_what_is_wrong_with_a_hub_for_as_long_as_it_is_and_nobody_else_does() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(with_directors(folder.path())).await;
    let hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    let says = async |troubles: Vec<String>| {
        let state = HubState {
            hub_id: "north".to_owned(),
            boot_id: 7,
            online: true,
            version: "test".to_owned(),
            tables: vec!["1".to_owned()],
            troubles,
            update_ended: 0,
            ..Default::default()
        };
        let topic = "twinboard/1/hall/hub/north/state";
        hub.client
            .publish(topic, state.encode_to_vec(), PublishOptions::at_least_once().retained())
            .await
            .unwrap();
    };
    // More troubles than a hub may report, and longer ones.
    let mut troubles = vec![TROUBLE.to_owned(), "x".repeat(5_000)];
    troubles.extend((0..50).map(|number| format!("trouble {number}")));
    says(troubles).await;
    until(&server, |notices| notices.contains("hub north: 123 MB are left")).await;
    assert!(notices(&server).await.len() < 4_000, "a hub cannot flood the directors' page");
    let public = reqwest::get(format!("{}/api/v1/round", server.http)).await.unwrap();
    assert!(!public.text().await.unwrap().contains("123 MB"));
    says(Vec::new()).await;
    until(&server, |notices| !notices.contains("hub north")).await;
    server.stop().await;
}

#[tokio::test]
async fn what_a_hub_of_a_later_release_says_is_kept_and_told_once_and_its_match_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(with_directors(folder.path())).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    let mut rows = support::scholars_mate("1", "m1").rows;
    // An event that this release does not know, in the middle of the match.
    let later = proto::mqtt::message::Row { event: None, ..rows[2].clone() };
    rows.insert(2, later);
    for (sequence, row) in (1..).zip(&mut rows) {
        row.sequence = sequence;
    }
    hub.send_until_committed(&rows).await;
    until(&server, |notices| notices.matches("does not know").count() == 1).await;
    let game = server.json("/api/v1/matches/m1").await;
    assert_eq!(game["plies"].as_array().map(Vec::len), Some(9), "{game}");
    server.stop().await;
}

#[tokio::test]
async fn two_hubs_with_one_id_are_named_to_the_directors() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(with_directors(folder.path())).await;
    // A copied card: each comes back under its own boot and puts the other out.
    let rows = support::scholars_mate("1", "m1").rows;
    for (round, boot_id) in [(0, 7), (0, 8), (1, 7), (1, 8)] {
        let mut hub = Hub::connect(server.mqtt_port, "north", boot_id, &["1"]).await;
        // Its birth is processed once its next message is.
        hub.send_until_committed(&rows[..=round]).await;
    }
    let other = Hub::connect(server.mqtt_port, "south", 1, &["2"]).await;
    let _north = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    until(&server, |notices| notices.contains("two hubs use the id north")).await;
    assert!(!notices(&server).await.contains("the id south"));
    drop(other);
    server.stop().await;
}

#[tokio::test]
async fn one_hub_cannot_use_up_the_tables_of_the_hall() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(with_directors(folder.path())).await;
    let names: Vec<String> = (0..5_000).map(|number| format!("x{number}")).collect();
    let rows = support::scholars_mate("x0", "g1").rows;
    for (round, some) in names.chunks(500).enumerate() {
        let some: Vec<&str> = some.iter().map(String::as_str).collect();
        let mut hub = Hub::connect(server.mqtt_port, "greedy", 7, &some).await;
        hub.send_until_committed(&rows[..=round]).await;
    }
    let mut honest = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    honest.send_until_committed(&support::scholars_mate("1", "m1").rows).await;
    let is_there = |round: &Value| {
        round["tables"].as_array().unwrap().iter().any(|table| table["table"] == "1")
    };
    let round = server.until("/api/v1/round", "the honest table", is_there).await;
    let tables = round["tables"].as_array().unwrap();
    assert!(tables.len() <= 40, "{} tables", tables.len());
    server.stop().await;
}

#[tokio::test]
async fn one_hub_cannot_use_up_the_matches_of_the_hall() {
    const OPENED: usize = 2_100;
    const MOST: usize = 2_048;
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(with_directors(folder.path())).await;
    let mut script = support::Script::new("1", "m0");
    for number in 1..OPENED {
        let match_id = format!("m{number}");
        script.push(Event::MatchOpened(MatchOpened { match_id, ..support::bughouse() }));
    }
    let mut greedy = Hub::connect(server.mqtt_port, "greedy", 7, &["1"]).await;
    // As many as fit into a packet of the client.
    for some in script.rows.chunks(80) {
        greedy.send_until_committed(some).await;
    }
    let mut honest = Hub::connect(server.mqtt_port, "north", 7, &["2"]).await;
    honest.send_until_committed(&support::scholars_mate("2", "honest").rows).await;
    server.until("/api/v1/matches/honest", "the honest match", |_| true).await;
    let list = server.json("/api/v1/matches").await;
    assert_eq!(list["matches"].as_array().unwrap().len(), MOST + 1);
    server.stop().await;
}

/// Opens a match of each of these names, one after the other, at a table.
fn opening(table: &str, match_ids: impl IntoIterator<Item = String>) -> support::Script {
    let mut script = support::Script::new(table, "own");
    for match_id in match_ids {
        script.push(Event::MatchOpened(MatchOpened { match_id, ..support::bughouse() }));
    }
    script
}

/// The rows of two scripts of one hub.
fn one_after_the_other(first: support::Script, second: support::Script) -> Vec<Row> {
    let (mut rows, mut more) = (first.rows, second.rows);
    rows.append(&mut more);
    rows.iter_mut().zip(1..).for_each(|(row, sequence)| row.sequence = sequence);
    rows
}

#[tokio::test]
async fn a_hub_opens_no_match_under_a_name_that_another_hub_will_use() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(with_directors(folder.path())).await;
    let names = || (0..60).map(|second| format!("hub-1-1-20260307T1405{second:02}"));
    let (first, second) = ("hub-1-1-20260307T140502", "hub-1-1-20260307T140530");
    let honest_rows = one_after_the_other(
        support::scholars_mate("1", first),
        support::scholars_mate("1", second),
    );
    let (of_first, of_second) = honest_rows.split_at(honest_rows.len() / 2);
    let mut evil = Hub::connect(server.mqtt_port, "evil", 7, &["x"]).await;
    let evil_rows = one_after_the_other(opening("x", names()), opening("x", names()));
    let (before, after) = evil_rows.split_at(evil_rows.len() / 2);
    // Before the other was ever heard, and when it is known.
    evil.send_until_committed(before).await;
    let mut honest = Hub::connect(server.mqtt_port, "hub-1", 7, &["1"]).await;
    honest.send_until_committed(of_first).await;
    server.until("/api/v1/round", "the match", |it| it.to_string().contains(first)).await;
    evil.send_until_committed(after).await;
    honest.send_until_committed(of_second).await;
    let path = format!("/api/v1/matches/{second}");
    let game = server.until(&path, "its plies", |it| it["table"]["ply_count"] == 9).await;
    assert_eq!(game["table"]["table"], "1", "{game}");
    let list = server.json("/api/v1/matches").await;
    assert_eq!(list["matches"].as_array().unwrap().len(), 3, "{list}");
    until(&server, |notices| {
        notices.contains("hub evil reports matches of table 1, which hub hub-1 serves")
    })
    .await;
    assert!(!notices(&server).await.contains("hub hub-1 reports"));
    server.stop().await;
}

#[tokio::test]
async fn a_name_that_fits_two_hubs_is_that_ones_whose_table_was_there_first() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(with_directors(folder.path())).await;
    let name = "hall-b-1-20260307T140502";
    let rows = one_after_the_other(
        support::scholars_mate("1", "before"),
        support::scholars_mate("1", name),
    );
    let (before, named) = rows.split_at(rows.len() / 2);
    let mut honest = Hub::connect(server.mqtt_port, "hall-b", 7, &["1"]).await;
    honest.send_until_committed(before).await;
    let mut evil = Hub::connect(server.mqtt_port, "hall", 7, &["b-1"]).await;
    evil.send_until_committed(&opening("b-1", [name.to_owned()]).rows).await;
    honest.send_until_committed(named).await;
    let path = format!("/api/v1/matches/{name}");
    let game = server.until(&path, "its plies", |it| it["table"]["ply_count"] == 9).await;
    assert_eq!(game["table"]["table"], "1", "{game}");
    until(&server, |notices| notices.contains("hub hall reports matches of table 1")).await;
    server.stop().await;
}

#[tokio::test]
async fn a_switch_that_flickers_is_told_to_directors_and_does_not_take_the_table_away() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(with_directors(folder.path())).await;
    let mut script = support::Script::playing("1", "m1");
    let mut node = |state: NodeState, detail: &str| {
        script.push(Event::NodeStateChanged(NodeStateChanged {
            node_id: "b0a7d001".to_owned(),
            board: Some(Board::A as i32),
            state: state as i32,
            detail: detail.to_owned(),
        }));
    };
    node(NodeState::Faulty, "flickering: e4; check these switches");
    node(NodeState::Lost, "its cable is out");
    node(NodeState::Connected, "");
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    let needs = async || {
        let request = reqwest::Client::new().get(format!("{}/api/v1/td/needs", server.http));
        request.bearer_auth(TOKEN).send().await.unwrap().text().await.unwrap()
    };
    let sensors = async || server.json("/api/v1/round").await["tables"][0]["sensors"].clone();
    let (flickers, rest) = script.rows.split_at(script.rows.len() - 2);
    hub.send_until_committed(flickers).await;
    server.until("/api/v1/round", "the match", |it| it["tables"][0]["match"] == "m1").await;
    assert_eq!(sensors().await, "live");
    let list = needs().await;
    assert!(list.contains("b0a7d001 at board A: flickering: e4; check these switches"), "{list}");
    let (lost, back) = rest.split_at(1);
    hub.send_until_committed(lost).await;
    server.until("/api/v1/round", "it is lost", |it| it["tables"][0]["sensors"] == "lost").await;
    let list = needs().await;
    assert!(list.contains("its cable is out") && !list.contains("flicker"), "{list}");
    hub.send_until_committed(back).await;
    server.until("/api/v1/round", "it is back", |it| it["tables"][0]["sensors"] == "live").await;
    assert!(!needs().await.contains("b0a7d001"));
    server.stop().await;
}

#[tokio::test]
async fn play_that_is_not_followed_is_on_the_list_and_on_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(with_directors(folder.path())).await;
    let mut script = support::Script::new("1", "m1");
    for (state, detail) in [(NodeState::Faulty, "start the clock"), (NodeState::Connected, "")] {
        script.push(Event::NodeStateChanged(NodeStateChanged {
            node_id: proto::mqtt::NOT_FOLLOWED.to_owned(),
            board: Some(Board::A as i32),
            state: state as i32,
            detail: detail.to_owned(),
        }));
    }
    let (unfollowed, followed) = script.rows.split_at(script.rows.len() - 1);
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    let needs = async || {
        let request = reqwest::Client::new().get(format!("{}/api/v1/td/needs", server.http));
        request.bearer_auth(TOKEN).send().await.unwrap().text().await.unwrap()
    };
    let is = |what: &'static str| move |it: &serde_json::Value| it["tables"][0]["state"] == what;
    hub.send_until_committed(unfollowed).await;
    server.until("/api/v1/round", "it is not followed", is("not-followed")).await;
    let list = needs().await;
    assert!(
        list.contains("Play is not followed") && list.contains("Board A: start the clock"),
        "{list}"
    );
    hub.send_until_committed(followed).await;
    server.until("/api/v1/round", "it is", |it| it["tables"][0]["state"] != "not-followed").await;
    assert!(!needs().await.contains("start the clock"));
    server.stop().await;
}

#[tokio::test]
async fn invented_nodes_are_forgotten() {
    const INVENTED: usize = 1_000;
    const REMEMBERED: usize = 64;
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(with_directors(folder.path())).await;
    let mut script = support::Script::new("1", "m1");
    let mut node = |number: usize, state: NodeState| {
        script.push(Event::NodeStateChanged(NodeStateChanged {
            node_id: format!("node-{number}"),
            board: None,
            state: state as i32,
            detail: String::new(),
        }));
    };
    (0..INVENTED).for_each(|number| node(number, NodeState::Lost));
    (0..REMEMBERED).for_each(|number| node(number, NodeState::Connected));
    let (lost, back) = script.rows.split_at(1 + INVENTED);
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    let sensors =
        |wanted: &'static str| move |it: &serde_json::Value| it["tables"][0]["sensors"] == wanted;
    for some in lost.chunks(80) {
        hub.send_until_committed(some).await;
    }
    server.until("/api/v1/round", "lost sensors", sensors("lost")).await;
    for some in back.chunks(80) {
        hub.send_until_committed(some).await;
    }
    let what = "live sensors, when all that is remembered is back";
    server.until("/api/v1/round", what, sensors("live")).await;
    server.stop().await;
}

#[tokio::test]
async fn the_chief_alone_updates_the_nodes_of_all_hubs_by_one_act() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut flo = Phone::paired(&server, "Flo", "section-chief", json!({})).await;
    let mut ann = Phone::paired(&server, "Ann", "chief", json!({})).await;
    let mut hubs = [
        Hub::connect(server.mqtt_port, "north", 7, &["1"]).await,
        Hub::connect(server.mqtt_port, "south", 8, &["2"]).await,
    ];
    let (status, answer) = flo.act(json!({ "of": "update-nodes" })).await;
    assert_eq!(status, StatusCode::FORBIDDEN, "{answer}");
    assert_eq!(*hubs[0].update.borrow(), 0);
    ann.done(json!({ "of": "update-nodes" })).await;
    for hub in &mut hubs {
        let asked = hub.update.wait_for(|&request| request != 0);
        tokio::time::timeout(support::PATIENCE, asked).await.expect("it is asked").unwrap();
    }
    server.stop().await;
}
