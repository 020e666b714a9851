//! Tests of the choice of the stream's table.

use reqwest::StatusCode;
use serde_json::json;

use crate::{
    phone::{Phone, config},
    support::{Hub, Server, scholars_mate},
};

#[tokio::test]
async fn a_director_puts_a_table_on_the_stream_and_takes_it_off() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&scholars_mate("1", "m1").rows).await;
    let mut chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    let on_stream = |wanted: serde_json::Value| {
        move |round: &serde_json::Value| round["tables"][0]["on_stream"] == wanted
    };
    chief.done(json!({ "of": "show", "table": "1" })).await;
    server.until("/api/v1/round", "the table on the stream", on_stream(json!(true))).await;
    assert_eq!(chief.json("/api/v1/td/round").await["tables"][0]["on_stream"], true);
    let (status, _) = chief.act(json!({ "of": "show", "table": "99" })).await;
    assert_eq!(status, StatusCode::CONFLICT);
    chief.done(json!({ "of": "show", "table": null })).await;
    server.until("/api/v1/round", "no table on the stream", on_stream(json!(null))).await;
    server.stop().await;
}

#[tokio::test]
async fn the_stream_is_not_in_the_hands_of_scorekeepers_or_of_another_section() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&scholars_mate("1", "m1").rows).await;
    for (person, rank, scope) in
        [("Sam", "scorekeeper", json!({})), ("Flo", "floor", json!({ "tables": ["2"] }))]
    {
        let mut phone = Phone::paired(&server, person, rank, scope).await;
        let (status, answer) = phone.act(json!({ "of": "show", "table": "1" })).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{answer}");
    }
    let round = server.json("/api/v1/round").await;
    assert!(round["tables"][0]["on_stream"].is_null());
    assert_eq!(server.get("/api/v1/td/round").await.status(), StatusCode::UNAUTHORIZED);
    server.stop().await;
}
