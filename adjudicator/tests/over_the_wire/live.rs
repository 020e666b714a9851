//! The event stream: resumption over restarts, catching up, resetting.

use std::{io::Write as _, time::Duration};

use crate::support::{self, Hub, PATIENCE, Server, scholars_mate};
use flate2::write::GzDecoder;
use futures::StreamExt as _;
use proto::mqtt::message::{Board, Row, Side};
use serde_json::{Map, Value, json};

/// One server-sent event.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) name: String,
    pub(crate) id: Option<String>,
    pub(crate) data: Value,
}

/// Reads events until `enough` is true, then closes the connection.
pub(crate) async fn events(
    server: &Server,
    query: &str,
    last_event_id: Option<&str>,
    enough: impl Fn(&[Received]) -> bool,
) -> Vec<Received> {
    let mut request = reqwest::Client::new().get(format!("{}/api/v1/live{query}", server.http));
    if let Some(id) = last_event_id {
        request = request.header("Last-Event-ID", id);
    }
    let answer = request.send().await.expect("a stream");
    assert!(answer.status().is_success(), "{}", answer.status());
    let mut body = answer.bytes_stream();
    let mut text = String::new();
    let mut received = Vec::new();
    let reading = async {
        while !enough(&received) {
            let part = body.next().await.expect("more of the stream").expect("bytes");
            text.push_str(std::str::from_utf8(&part).expect("UTF-8"));
            while let Some((event, rest)) = text.split_once("\n\n") {
                received.extend(parse(event));
                text = rest.to_owned();
            }
        }
    };
    let in_time = tokio::time::timeout(PATIENCE, reading).await;
    assert!(in_time.is_ok(), "not enough events came: {received:#?}");
    received
}

fn parse(event: &str) -> Option<Received> {
    let field = |name: &str| {
        let prefix = format!("{name}: ");
        event.lines().find_map(|line| line.strip_prefix(&prefix).map(str::to_owned))
    };
    Some(Received {
        name: field("event")?,
        id: field("id"),
        data: serde_json::from_str(&field("data")?).expect("JSON"),
    })
}

pub(crate) fn named<'a>(received: &'a [Received], name: &str) -> Vec<&'a Received> {
    received.iter().filter(|event| event.name == name).collect()
}

#[tokio::test]
async fn a_stream_resumes_over_a_restart_without_a_hole_and_without_doubles() {
    let folder = tempfile::tempdir().unwrap();
    let script = scholars_mate("1", "m1");
    let server = Server::start(support::config(folder.path())).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows[..6]).await;
    server.until("/api/v1/round", "two plies", |round| round["tables"][0]["ply_count"] == 2).await;
    let seen = server.json("/api/v1/matches/m1").await;
    let mut plies = seen["plies"].as_array().unwrap().clone();
    let cursor = seen["last_event_id"].as_str().unwrap().to_owned();
    drop(hub);
    server.stop().await;

    let server = Server::start(support::config(folder.path())).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows).await;
    let received = events(&server, "?match=m1", Some(&cursor), |received| {
        named(received, "plies").last().is_some_and(|event| event.data["total"] == 9)
            && named(received, "table").last().is_some_and(|event| event.data["sensors"] == "live")
    })
    .await;
    // Behind the delays' own number and that of changes without a section.
    let number = |id: &str| u64::from_str_radix(id.split('-').nth(2).unwrap(), 16).unwrap();
    let ids: Vec<u64> =
        received.iter().filter_map(|event| Some(number(event.id.as_ref()?))).collect();
    assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "{ids:?}");
    assert!(ids.iter().all(|&id| id > number(&cursor)), "{ids:?} after {cursor}");
    for event in named(&received, "plies") {
        let from = event.data["from"].as_u64().unwrap() as usize;
        assert!(from >= 2, "what was seen is not sent again");
        plies.truncate(from);
        plies.extend(event.data["plies"].as_array().unwrap().iter().cloned());
        assert_eq!(plies.len() as u64, event.data["total"].as_u64().unwrap());
    }
    let whole = server.json("/api/v1/matches/m1").await;
    assert_eq!(Value::Array(plies), whole["plies"]);
    server.stop().await;
}

#[tokio::test]
async fn a_client_that_has_seen_everything_gets_only_beats() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(support::config(folder.path())).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&scholars_mate("1", "m1").rows[..5]).await;
    let round = server
        .until("/api/v1/round", "live sensors", |round| {
            round["tables"][0]["sensors"] == "live" && round["tables"][0]["ply_count"] == 1
        })
        .await;
    let cursor = round["last_event_id"].as_str().unwrap().to_owned();
    let query = format!("?match=m1&last_event_id={cursor}");
    let received = events(&server, &query, None, |received| !received.is_empty()).await;
    assert!(
        received.iter().all(|event| event.name == "beat" && event.id.is_none()),
        "{received:?}"
    );
    assert!(received[0].data["now_ms"].as_u64().is_some());
    server.stop().await;
}

#[tokio::test]
async fn an_id_that_was_never_given_out_resets_the_client() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(support::config(folder.path())).await;
    let received = events(&server, "", Some("1-ff"), |received| !received.is_empty()).await;
    assert_eq!(received[0].name, "reset");
    server.stop().await;
}

#[tokio::test]
async fn a_revision_replaces_plies_from_where_it_changed_them() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(support::config(folder.path())).await;
    let mut script = scholars_mate("1", "m1");
    let before = script.rows.len();
    script.revise(3, 1, Board::A, Side::Black, "e7e6", 0.97, &[("e7e5", 0.03)]);
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows[..before]).await;
    let shown = server
        .until("/api/v1/matches/m1", "all plies", |shown| {
            shown["plies"].as_array().is_some_and(|plies| plies.len() == 9)
        })
        .await;
    let cursor = shown["last_event_id"].as_str().unwrap().to_owned();
    hub.send_until_committed(&script.rows).await;
    let received = events(&server, "?match=m1", Some(&cursor), |received| {
        !named(received, "plies").is_empty()
    })
    .await;
    let revision = &named(&received, "plies")[0].data;
    assert_eq!((&revision["from"], &revision["total"]), (&2.into(), &9.into()));
    assert_eq!(revision["plies"][0]["san"], "e6");
    assert_eq!(revision["plies"][0]["was"], "e5");
    server.stop().await;
}

#[tokio::test]
async fn a_public_delay_holds_back_pages_and_stream_but_not_alerts() {
    let folder = tempfile::tempdir().unwrap();
    let token = folder.path().join("token");
    adjudicator::pki::secrets::write(&token, "a-token-for-the-test\n").unwrap();
    let mut config = support::config(folder.path());
    config.http.public_delay_s = 3;
    config.http.td_token_file = Some(token);
    let server = Server::start(config).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&scholars_mate("1", "m1").rows).await;
    let committed = std::time::Instant::now();
    let alerts = async || {
        let request = reqwest::Client::new()
            .get(format!("{}/api/v1/td/alerts?match=m1", server.http))
            .bearer_auth("a-token-for-the-test");
        request.send().await.unwrap().status()
    };
    // Committed rows are acknowledged before the hall has taken them in: that is a matter of milliseconds.
    while alerts().await != 200 && committed.elapsed() < Duration::from_secs(2) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(alerts().await, 200, "directors see it at once");
    let public = server.get("/api/v1/matches/m1").await.status();
    if committed.elapsed() < Duration::from_secs(2) {
        assert_eq!(public, 404, "the public does not");
    }
    server
        .until("/api/v1/matches/m1", "the match", |shown| {
            shown["plies"].as_array().is_some_and(|plies| plies.len() == 9)
        })
        .await;
    assert!(committed.elapsed() > Duration::from_secs(2));
    server.stop().await;
}

/// The bytes of a stream as a browser gets them that reads gzip.
async fn packed(server: &Server, query: &str) -> reqwest::Response {
    let request = reqwest::Client::new().get(format!("{}/api/v1/live{query}", server.http));
    let answer = request.header("accept-encoding", "gzip").send().await.expect("a stream");
    assert_eq!(answer.headers()["content-encoding"], "gzip");
    answer
}

/// Reads a packed stream until its text is as wanted, or until it ends.
async fn unpacked(stream: reqwest::Response, wanted: impl Fn(&str) -> bool) -> String {
    let (mut body, mut decoder) = (stream.bytes_stream(), GzDecoder::new(Vec::new()));
    let reading = async {
        while let Some(part) = body.next().await {
            decoder.write_all(&part.expect("bytes")).expect("gzip");
            decoder.flush().expect("gzip");
            if wanted(&String::from_utf8_lossy(decoder.get_ref())) {
                break;
            }
        }
    };
    tokio::time::timeout(PATIENCE, reading).await.expect("enough in time");
    String::from_utf8(decoder.get_ref().clone()).expect("UTF-8")
}

#[tokio::test]
async fn packed_streams_say_the_same_in_fewer_bytes_and_that_the_server_will_be_back() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(support::config(folder.path())).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    let script = scholars_mate("1", "m1");
    hub.send_until_committed(&script.rows[..4]).await;
    server.until("/api/v1/matches/m1", "the match", |shown| shown["plies"].is_array()).await;
    let streams = [packed(&server, "?match=m1").await, packed(&server, "?last_event_id=0").await];
    hub.send_until_committed(&script.rows).await;
    let shown = server
        .until("/api/v1/matches/m1", "all plies", |shown| {
            shown["plies"].as_array().is_some_and(|plies| plies.len() == 9)
        })
        .await;
    let all = |text: &str| text.contains("\"ply_count\":9");
    let [at_match, resumed] = streams.map(|stream| unpacked(stream, all));
    let (at_match, resumed) = tokio::join!(at_match, resumed);
    let last =
        at_match.lines().filter_map(|line| line.strip_prefix("data: {\"match\"")).next_back();
    let plies: Value = serde_json::from_str(&format!("{{\"match\"{}", last.unwrap())).unwrap();
    assert_eq!(plies["total"], 9);
    assert_eq!(
        plies["plies"].as_array().unwrap().last(),
        shown["plies"].as_array().unwrap().last()
    );
    assert!(resumed.contains("\nid: ") && resumed.contains("event: table"), "{resumed}");

    let stream = packed(&server, "").await;
    let text = tokio::spawn(unpacked(stream, |_| false));
    server.stop().await;
    assert!(text.await.unwrap().ends_with("event: restart\ndata: {}\n\n"));
}

#[tokio::test]
async fn whoever_comes_back_when_nobody_watched_misses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(support::config(folder.path())).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    let script = scholars_mate("1", "m1");
    hub.send_until_committed(&script.rows[..5]).await;
    let last = events(&server, "?last_event_id=0", None, |received| {
        let tables = named(received, "table");
        tables.iter().any(|event| event.data["ply_count"] == 1 && event.id.is_some())
    })
    .await;
    let cursor = last.iter().rev().find_map(|event| event.id.clone()).unwrap();
    hub.send_until_committed(&script.rows).await;
    server.until("/api/v1/round", "all plies", |round| round["tables"][0]["ply_count"] == 9).await;
    let received = events(&server, "", Some(&cursor), |received| {
        named(received, "table").iter().any(|event| event.data["ply_count"] == 9)
    })
    .await;
    assert!(named(&received, "reset").is_empty(), "{received:?}");
    server.stop().await;
}

/// A value after a JSON Merge Patch (RFC 7396).
fn patched(value: &mut Value, patch: &Value) {
    let Value::Object(changes) = patch else { return patch.clone_into(value) };
    if !value.is_object() {
        *value = json!({});
    }
    for (name, change) in changes {
        match change {
            Value::Null => drop(value.as_object_mut().unwrap().remove(name)),
            change => patched(&mut value[name.as_str()], change),
        }
    }
}

/// The same without members that are null, which say that there is none.
fn without_nulls(value: &Value) -> Value {
    let Value::Object(members) = value else { return value.clone() };
    let there = members.iter().filter(|(_, value)| !value.is_null());
    there.map(|(name, value)| (name.clone(), without_nulls(value))).collect::<Map<_, _>>().into()
}

/// Watches table 1 from a snapshot on while these rows come, until it is so: then the round has the same table.
async fn follow(
    server: &Server,
    hub: &mut Hub,
    rows: &[Row],
    is_so: impl Fn(&Value) -> bool,
) -> Vec<Received> {
    let round = server.json("/api/v1/round").await;
    let after = |received: &[Received]| {
        let mut table = round["tables"][0].clone();
        for event in received {
            match event.name.as_str() {
                "table" => table = event.data.clone(),
                "patch" => patched(&mut table, &event.data),
                _ => {}
            }
        }
        table
    };
    let (query, cursor) = ("?tables=patches", round["last_event_id"].as_str());
    let watching = events(server, query, cursor, |received| is_so(&after(received)));
    let playing = async {
        for row in rows.chunks(1) {
            hub.send_until_committed(row).await;
        }
    };
    let (received, ()) = tokio::join!(watching, playing);
    let round = server.until("/api/v1/round", "the same", |round| is_so(&round["tables"][0])).await;
    assert_eq!(without_nulls(&after(&received)), without_nulls(&round["tables"][0]));
    received
}

#[tokio::test]
async fn tables_that_are_sent_as_patches_are_those_of_the_round() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(support::config(folder.path())).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    let rows = scholars_mate("1", "m1").rows;
    let has = |plies: u64| move |table: &Value| table["ply_count"] == plies;
    let received = follow(&server, &mut hub, &rows[..10], has(6)).await;
    // Plies that come close together share a batch: this test does not depend on which of them do.
    let a_ply = named(&received, "patch").into_iter().find(|it| it.data["ply_count"].is_u64());
    let a_ply = &a_ply.expect("a ply is a patch").data;
    assert!(a_ply["table"] == "1" && a_ply.get("label").is_none(), "{a_ply}");
    // A ply that nobody watches, and one after which the same side is to move as when the table was sent last.
    hub.send_until_committed(&rows[10..11]).await;
    let seen = |round: &Value| round["tables"][0]["ply_count"] == 7;
    server.until("/api/v1/round", "a ply", seen).await;
    follow(&server, &mut hub, &rows[11..12], has(8)).await;
    follow(&server, &mut hub, &rows[12..], |table| table["result"].is_object()).await;
    server.stop().await;
}
