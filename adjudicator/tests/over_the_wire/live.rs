//! The event stream: resumption over restarts, catching up, resetting.

use std::time::Duration;

use crate::support::{self, Hub, PATIENCE, Server, scholars_mate};
use futures::StreamExt as _;
use proto::mqtt::message::{Board, Side};
use serde_json::Value;

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
