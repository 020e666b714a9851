//! Tests of silence: findings that players must claim show on no public path before the claim.

use proto::mqtt::message::{AnomalyReported, Board, MatchState, Side, row::Event};

use crate::{
    live::events,
    support::{self, Hub, Script, Server},
    web_host::{WebHost, mirrored, until},
};

/// An anomaly about the first ply, White's at A.
fn anomaly(script: &mut Script, id: u32, code: &str) {
    script.push(Event::AnomalyReported(AnomalyReported {
        match_id: "m1".to_owned(),
        anomaly_id: id,
        revision: 0,
        code: code.to_owned(),
        board: Board::A as i32,
        side: Some(Side::White as i32),
        t_us: 1_000_000,
        confidence: 0.9,
        ply_id: Some(1),
        evidence: "The board showed it.".to_owned(),
        ..AnomalyReported::default()
    }));
}

#[tokio::test]
async fn a_silent_alert_makes_no_event_of_the_public_stream() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(support::config(folder.path())).await;
    let mut script = Script::new("1", "m1");
    script.state(MatchState::Playing, 0);
    script.ply(Board::A, Side::White, "e2e4");
    let before = script.rows.len();
    anomaly(&mut script, 1, "touch-move");
    anomaly(&mut script, 2, "illegal-move");
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows[..before]).await;
    let round = server
        .until("/api/v1/round", "a ply and live sensors", |round| {
            let table = &round["tables"][0];
            table["ply_count"] == 1 && table["sensors"] == "live"
        })
        .await;
    let cursor = round["last_event_id"].as_str().unwrap();
    let inputs = server.metric("inputs_total").await;
    hub.send_until_committed(&script.rows).await;
    let deadline = tokio::time::Instant::now() + support::PATIENCE;
    while server.metric("inputs_total").await < inputs + 2.0 {
        assert!(tokio::time::Instant::now() < deadline, "both anomalies");
    }
    let later = server.json("/api/v1/round").await;
    assert_eq!(later["last_event_id"], cursor, "nor does a number tell that there was something");
    let received =
        events(&server, "?match=m1", Some(cursor), |received| !received.is_empty()).await;
    assert!(received.iter().all(|event| event.name == "beat"), "{received:?}");
    server.stop().await;
}

#[tokio::test]
async fn a_fallen_flag_is_shown_as_a_second_until_somebody_claims() {
    let folder = tempfile::tempdir().unwrap();
    let (address, host) = WebHost::start().await;
    let server = Server::start(mirrored(support::config(folder.path()), &address, "")).await;
    let mut script = Script::new("1", "m1");
    script.state(MatchState::Playing, 0);
    script.ply(Board::A, Side::White, "e2e4");
    script.clock(Board::A, 200_000, 0, Some(Side::Black), 2_000_000);
    let before = script.rows.len();
    script.state(MatchState::Ended, 9_000_000);
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows[..before]).await;
    let shown = |ms: i64| {
        move |round: &serde_json::Value| {
            round["tables"][0]["boards"]["A"]["clock"]["black_ms"] == ms
        }
    };
    server.until("/api/v1/round", "the clock", shown(1000)).await;
    let copied = |ms: &str| host.puts().iter().any(|put| put.text.contains(ms));
    until("the clock at the mirror", || copied("\"black_ms\":1000")).await;
    assert!(!copied("\"black_ms\":0"), "a fallen flag is in the copy");
    hub.send_until_committed(&script.rows).await;
    server.until("/api/v1/round", "the flag, once a result rests on it", shown(0)).await;
    server.stop().await;
}

#[tokio::test]
async fn a_king_taken_as_a_claim_is_marked_as_nothing_and_the_illegal_ply_once_it_is_ruled() {
    let folder = tempfile::tempdir().unwrap();
    let (address, host) = WebHost::start().await;
    let server = Server::start(mirrored(support::config(folder.path()), &address, "")).await;
    let mut script = Script::new("1", "m1");
    script.state(MatchState::Playing, 0);
    let plies = ["f2f3", "e7e5", "e1f2", "d8h4", "a2a3", "h4f2"];
    for (index, uci) in plies.into_iter().enumerate() {
        let side = if index % 2 == 0 { Side::White } else { Side::Black };
        script.ply(Board::A, side, uci);
    }
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows).await;
    let all =
        |shown: &serde_json::Value| shown["plies"].as_array().is_some_and(|plies| plies.len() == 6);
    let shown = server.until("/api/v1/matches/m1", "all plies", all).await;
    assert!(shown["plies"][5]["illegal"].is_null(), "the capture is the claim");
    assert!(shown["plies"][4]["illegal"].is_null(), "nobody has ruled yet");
    let record = server.get("/api/v1/matches/m1.bpgn").await.text().await.unwrap();
    assert!(!record.contains("illegal"), "{record}");
    until("the match at the mirror", || host.file("api/v1/matches/m1.json.gz").contains("h4f2"))
        .await;
    for put in host.puts().iter().filter(|put| put.path.starts_with("api/")) {
        let text = put.text.replace("\"illegal\":null", "");
        assert!(!text.contains("illegal"), "{put:?}");
    }
    server.stop().await;
}
