//! Zero tests: a director asks for one at a table that is set up, and the result stands at the desk and in the record.

use adjudicator::views::records::Which;
use proto::mqtt::message::{
    Board, MatchState, NodeTimed, OrderOutcome, Side, ZeroTestWanted, ZeroTested, order, row::Event,
};
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::{
    api::unpacked,
    orders::{ended, state},
    phone::{Phone, config},
    support::{Hub, Script, Server},
};

/// Presses of both clocks by two hands, where board B's clock is 20 ms late, microseconds.
const PRESSED_US: [i32; 8] = [11_000, 24_000, 32_000, 17_000, 27_000, 8_000, 21_000, 23_000];

#[tokio::test]
async fn an_offset_that_a_zero_test_finds_is_at_the_desk_and_in_the_record() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut ann = Phone::paired(&server, "Ann", "floor", json!({})).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    let mut script = Script::new("1", "m1");
    script.state(MatchState::Ready, 0);
    for (node_id, board) in [("clock-a", Board::A), ("clock-b", Board::B)] {
        let (node_id, board) = (node_id.to_owned(), board.into());
        script.push(Event::NodeTimed(NodeTimed { node_id, board, error_us: 1_000 }));
    }
    hub.send_until_committed(&script.rows).await;
    ann.match_there("m1").await;
    let act = ann.done(json!({ "of": "zero-test", "match": "m1" })).await;
    let asked = hub.order().await;
    assert_eq!(asked.what, Some(order::What::ZeroTest(ZeroTestWanted {})));
    let tested = |order_id| ZeroTested {
        match_id: "m1".to_owned(),
        order_id,
        differences_us: PRESSED_US.to_vec(),
    };
    script.push(Event::ZeroTested(tested(asked.order_id + 1)));
    script.push(Event::ZeroTested(tested(asked.order_id)));
    script.push(ended(asked.order_id, OrderOutcome::Done, ""));
    hub.send_until_committed(&script.rows).await;
    state(&ann, "m1", "done").await;
    let shown = ann.json("/api/v1/td/matches/m1").await;
    let tests = shown["zero_tests"].as_array().unwrap();
    assert_eq!(tests.len(), 1, "nobody has asked for the other");
    assert_eq!((&tests[0]["act"], &tests[0]["pairs"]), (&json!(act), &json!(8)));
    assert_eq!((&tests[0]["finding"], &tests[0]["stated_us"]), (&json!("differ"), &json!(2_000)));
    let middle_us = tests[0]["middle_us"].as_i64().unwrap();
    assert!((15_000..25_000).contains(&middle_us), "{shown}");
    // A match that has begun is not tested.
    script.state(MatchState::Playing, 100_000);
    script.ply(Board::A, Side::White, "e2e4");
    hub.send_until_committed(&script.rows).await;
    server.until("/api/v1/round", "a ply", |it: &Value| it["tables"][0]["ply_count"] == 1).await;
    let (status, refused) = ann.act(json!({ "of": "zero-test", "match": "m1" })).await;
    assert_eq!(status, StatusCode::CONFLICT, "{refused}");
    assert!(refused.to_string().contains("has begun"), "{refused}");
    for path in ["/api/v1/round", "/api/v1/matches/m1"] {
        assert!(!server.json(path).await.to_string().contains("zero_test"), "{path}");
    }
    server.stop().await;
    let zip = adjudicator::export_archive(&config(folder.path()), &Which::default()).await.unwrap();
    let files = unpacked(zip);
    let incidents = files.iter().find(|(name, _)| name == "incidents/m1.json").expect("a record");
    let incidents: Value = serde_json::from_str(&incidents.1).unwrap();
    assert_eq!(incidents["zero_tests"][0]["finding"], "differ");
}
