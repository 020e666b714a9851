//! Two boards that end within seconds: directors alone see the order of the two ends.

use proto::mqtt::message::{Board, Side};
use serde_json::json;

use crate::{
    phone::{Phone, config},
    support::{Hub, Server, scholars_mate},
};

#[tokio::test]
async fn who_was_first_is_on_the_directors_page_with_its_error_and_nowhere_public() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let ann = Phone::paired(&server, "Ann", "floor", json!({})).await;
    let mut hub = Hub::connect(server.mqtt_port, "hub-1", 7, &["1"]).await;
    let mut script = scholars_mate("1", "m1");
    hub.send_until_committed(&script.rows).await;
    server.until("/api/v1/round", "a mate", |it| it["tables"][0]["ply_count"] == 9).await;
    assert_eq!(ann.json("/api/v1/td/matches/m1").await["photo_finish"], json!(null));
    let before = script.rows.len();
    for (side, uci) in [
        (Side::White, "e2e4"),
        (Side::Black, "d5e4"),
        (Side::White, "f1c4"),
        (Side::Black, "e7e5"),
        (Side::White, "d1h5"),
        (Side::Black, "b8c6"),
        (Side::White, "h5f7"),
    ] {
        script.ply(Board::B, side, uci);
    }
    hub.send_until_committed(&script.rows[before..]).await;
    server.until("/api/v1/round", "another mate", |it| it["tables"][0]["ply_count"] == 16).await;
    let finish = ann.json("/api/v1/td/matches/m1").await["photo_finish"].clone();
    assert_eq!(finish["first"], "team-1", "{finish}");
    let [one, other] = [0, 1].map(|at| finish["moments"][at].clone());
    assert_eq!(
        (&one["what"], &other["what"]),
        (&json!("White at A mates"), &json!("White at B mates"))
    );
    let error_us = one["until_us"].as_u64().unwrap() - one["from_us"].as_u64().unwrap();
    assert!((1..1_000_000).contains(&error_us), "{finish}");
    assert!(finish["because"][0]["text"].as_str().unwrap().contains("first game"), "{finish}");
    for path in ["/api/v1/round", "/api/v1/matches/m1"] {
        assert!(!server.json(path).await.to_string().contains("photo_finish"), "{path}");
    }
    server.stop().await;
}
