//! Families' views: one child by its link, as long as the link is valid; and the public notices of the round.

use proto::mqtt::message::{Board, MatchState, Side};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    description::check,
    event::prepared,
    phone::{Phone, config},
    support::{Hub, Script, Server, scholars_mate},
    web_host::{WebHost, mirrored, until},
};

/// Answer to a family's link.
async fn child(server: &Server, secret: &str) -> (StatusCode, Value) {
    let request = reqwest::Client::new().get(format!("{}/api/v1/child", server.http));
    let answer = request.header("x-twinboard-link", secret).send().await.unwrap();
    let (status, value) = (answer.status(), answer.json().await.unwrap());
    check(&Method::GET, "/api/v1/child", None, (status, &value));
    (status, value)
}

/// Makes the link of a child; its secret.
async fn link(chief: &Phone, player: &Value) -> String {
    let wanted = json!({ "players": [player] });
    let (status, made) = chief.post("/api/v1/td/children/links", &wanted).await;
    assert_eq!(status, StatusCode::OK, "{made}");
    made[0]["path"].as_str().unwrap().strip_prefix("/child#").unwrap().to_owned()
}

#[tokio::test]
async fn a_link_shows_one_child_and_nobody_else_until_it_is_revoked() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = config(folder.path());
    // Even where everybody is named in public.
    config.event.show_player_names = true;
    let (address, host) = WebHost::start().await;
    let server = Server::start(mirrored(config, &address, "")).await;
    let mut chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    prepared(&server, &mut chief).await;
    let sheet = chief.json("/api/v1/td/event").await;
    let ada = sheet["sections"][0]["entrants"][0]["players"][0]["player"].clone();
    assert_eq!(child(&server, "guessed").await.0, StatusCode::NOT_FOUND);
    let secret = link(&chief, &ada).await;
    let mut hub = Hub::connect(server.mqtt_port, "hub-1", 7, &["1"]).await;
    let mut script = Script::new("1", "m1");
    script.state(MatchState::Playing, 100_000);
    script.ply(Board::A, Side::White, "e2e4");
    hub.send_until_committed(&script.rows).await;
    let plays = |it: &Value| it["sections"][0]["pairings"][0]["running"] == true;
    server.until("/api/v1/event", "a match that runs", plays).await;
    let (status, seen) = child(&server, &secret).await;
    assert_eq!(status, StatusCode::OK, "{seen}");
    assert_eq!((&seen["name"], &seen["team"]), (&json!("Ada"), &json!("Knights")));
    let round = &seen["rounds"][0];
    assert_eq!(
        (&round["state"], &round["table"], &round["board"], &round["color"], &round["against"]),
        (&json!("playing"), &json!("1"), &json!("A"), &json!("white"), &json!("Rooks")),
        "{seen}"
    );
    for other in ["Bo", "Cy", "Di", "Example"] {
        assert!(!seen.to_string().contains(other), "{other}: {seen}");
    }
    // Another link of the same child makes the first one void; revoked, both are.
    let second = link(&chief, &ada).await;
    assert_eq!(child(&server, &secret).await.0, StatusCode::NOT_FOUND);
    assert_eq!(child(&server, &second).await.0, StatusCode::OK);
    let is_named = |name| host.files().values().any(|text| text.contains(name));
    until("everybody at the mirror", || is_named("Ada Example") && is_named("Bo Example")).await;
    let by_number = json!([{ "kind": "consent-given", "player": ada, "consent": "number" }]);
    chief.done(json!({ "of": "event", "deeds": by_number })).await;
    assert_eq!(child(&server, &second).await.1["name"], "No. 1");
    let round = server.json("/api/v1/round").await;
    assert!(!round.to_string().contains("Ada"), "{round}");
    assert!(round.to_string().contains("Bo Example"), "{round}");
    until("no file of the mirror names the child", || !is_named("Ada")).await;
    assert!(is_named("Bo Example") && !is_named(&secret) && !is_named(&second));
    let revoked = json!([{ "kind": "link-revoked", "player": ada }]);
    chief.done(json!({ "of": "event", "deeds": revoked })).await;
    assert_eq!(child(&server, &second).await.0, StatusCode::NOT_FOUND);
    // A director of a part of the hall may make no links.
    let scope = json!({ "tables": ["1"] });
    let floor = Phone::paired(&server, "Flo", "floor", scope).await;
    let wanted = json!({ "players": [ada] });
    let (status, _) = floor.post("/api/v1/td/children/links", &wanted).await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    server.stop().await;
}

#[tokio::test]
async fn everybody_is_told_when_the_round_begins_when_it_ends_and_what_is_announced() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    prepared(&server, &mut chief).await;
    let deeds = json!([
        { "kind": "announced", "text": "Pizza at noon" },
        { "kind": "round-timed", "section": "K-6", "round": 1, "starts_ms": 5 },
        { "kind": "round-timed", "section": "K-6", "round": 2, "starts_ms": 7 },
    ]);
    chief.done(json!({ "of": "event", "deeds": deeds })).await;
    let before = server.json("/api/v1/notices").await;
    assert_eq!(before["announcements"][0]["text"], "Pizza at noon");
    let round = &before["rounds"][0];
    assert_eq!((&round["round"], &round["starts_ms"]), (&json!(1), &json!(5)), "{before}");
    assert_eq!((&round["without_clock"], &round["pairings"]), (&json!(["1"]), &json!(1)));
    let mut hub = Hub::connect(server.mqtt_port, "hub-1", 7, &["1"]).await;
    let mut script = Script::new("1", "m1");
    script.state(MatchState::Playing, 100_000);
    script.clock(Board::A, 290_000, 280_000, Some(Side::White), 200_000);
    script.ply(Board::A, Side::White, "e2e4");
    hub.send_until_committed(&script.rows).await;
    let ends = |it: &Value| it["rounds"][0]["ends"]["likely_ms"].is_u64();
    server.until("/api/v1/notices", "a likely end", ends).await;
    let running = server.json("/api/v1/notices").await;
    let (now_ms, of) = (running["now_ms"].as_u64().unwrap(), &running["rounds"][0]["ends"]);
    let [from, until] = [0, 1].map(|at| of["range_ms"][at].as_u64().unwrap());
    let likely = of["likely_ms"].as_u64().unwrap();
    assert!(now_ms < from && from < likely && likely < until, "{running}");
    let latest = of["latest_ms"].as_u64().unwrap();
    assert!(until <= latest && latest <= now_ms + 570_000, "{running}");
    // It has begun: now the next one's beginning counts.
    let round = &running["rounds"][0];
    assert_eq!((&round["starts_ms"], &round["starts_round"]), (&json!(7), &json!(2)), "{round}");
    let ended = json!([{ "kind": "announcement-ended", "text": "Pizza at noon" }]);
    chief.done(json!({ "of": "event", "deeds": ended })).await;
    assert_eq!(server.json("/api/v1/notices").await["announcements"], json!([]));
    server.stop().await;
}

#[tokio::test]
async fn records_of_a_match_that_is_over_follow_rulings_and_families_wishes() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = config(folder.path());
    config.event.show_player_names = true;
    let server = Server::start(config).await;
    let mut chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    prepared(&server, &mut chief).await;
    let sheet = chief.json("/api/v1/td/event").await;
    let of = |team: usize, at: usize| {
        sheet["sections"][0]["entrants"][team]["players"][at]["player"].clone()
    };
    let seats = [of(0, 0), of(1, 0), of(1, 1), of(0, 1)];
    let seated = json!([{ "kind": "seats-chosen", "pairing": 1, "seats": seats }]);
    chief.done(json!({ "of": "event", "deeds": seated })).await;
    let mut hub = Hub::connect(server.mqtt_port, "hub-1", 7, &["1"]).await;
    let mut script = scholars_mate("1", "m1");
    script.state(MatchState::Ended, 20_000_000);
    hub.send_until_committed(&script.rows).await;
    let is_played = |it: &Value| it["plies"].as_array().is_some_and(|plies| plies.len() == 9);
    server.until("/api/v1/matches/m1", "all plies", is_played).await;
    let files = async || {
        let texts = ["/api/v1/matches/m1.bpgn", "/api/v1/event.bpgn"];
        let [record, all] = texts.map(async |path| server.get(path).await.text().await.unwrap());
        let (record, all) = (record.await, all.await);
        assert_eq!(record, all, "the only match");
        (record, server.get("/api/v1/event.zip").await.bytes().await.unwrap())
    };
    let result = |winner| json!({ "what": "enter-result", "winner": winner, "reason": "mate", "note": "both say so" });
    let (status, answer) = chief.decide("m1", result("team-1")).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let first = files().await;
    assert!(first.0.contains("Ada Example") && first.0.contains("1-0"), "{}", first.0);
    assert_eq!(first, files().await);
    let by_number = json!([{ "kind": "consent-given", "player": of(0, 0), "consent": "number" }]);
    chief.done(json!({ "of": "event", "deeds": by_number })).await;
    let second = files().await;
    assert!(!second.0.contains("Ada") && second.0.contains("Bo Example"), "{}", second.0);
    assert_ne!(first.1, second.1);
    let (status, answer) = chief.decide("m1", result("team-2")).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let third = files().await;
    assert!(third.0.contains("0-1"), "{}", third.0);
    assert_ne!(second.1, third.1);
    server.stop().await;
}
