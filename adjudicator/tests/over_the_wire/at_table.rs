//! Tests of a table's link: reports of results, calls for a director, and the directors' view of both.

use proto::mqtt::message::{Board, MatchState, Side};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    description::check,
    event::prepared,
    phone::{Phone, config},
    support::{Hub, Script, Server, scholars_mate},
};

/// Makes the link of a table; its secret.
async fn link(chief: &Phone, table: &str) -> String {
    let wanted = json!({ "tables": [table] });
    let (status, made) = chief.post("/api/v1/td/tables/links", &wanted).await;
    assert_eq!(status, StatusCode::OK, "{made}");
    made[0]["path"].as_str().unwrap().strip_prefix("/at-table#").unwrap().to_owned()
}

/// Answer to a table's link.
async fn shown(server: &Server, secret: &str) -> (StatusCode, Value) {
    let request = reqwest::Client::new().get(format!("{}/api/v1/at-table", server.http));
    let answer = request.header("x-twinboard-link", secret).send().await.unwrap();
    let (status, value) = (answer.status(), answer.json().await.unwrap());
    check(&Method::GET, "/api/v1/at-table", None, (status, &value));
    (status, value)
}

/// Sends an act by a table's link.
async fn act(server: &Server, secret: &str, key: &str, deed: Value) -> (StatusCode, Value) {
    let request = reqwest::Client::new().post(format!("{}/api/v1/at-table", server.http));
    let sent =
        request.header("x-twinboard-link", secret).json(&json!({ "key": key, "deed": deed }));
    let answer = sent.send().await.unwrap();
    let (status, value) = (answer.status(), answer.json().await.unwrap());
    check(&Method::POST, "/api/v1/at-table", None, (status, &value));
    (status, value)
}

fn report(pairing: &Value, side: &str, games: &[&str]) -> Value {
    json!({ "of": "report", "pairing": pairing, "side": side, "games": games })
}

/// Items of the directors' list whose id begins so.
async fn items(phone: &Phone, kind: &str) -> Vec<Value> {
    let list = phone.json("/api/v1/td/needs").await;
    let all = list["needs"].as_array().unwrap().iter();
    all.filter(|it| it["id"].as_str().unwrap().starts_with(kind)).cloned().collect()
}

#[tokio::test]
async fn both_sides_report_by_the_tables_link_and_a_difference_is_on_the_list() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    prepared(&server, &mut chief).await;
    assert_eq!(shown(&server, "guessed").await.0, StatusCode::NOT_FOUND);
    let secret = link(&chief, "1").await;
    let (status, seen) = shown(&server, &secret).await;
    assert_eq!(status, StatusCode::OK, "{seen}");
    let pairing = seen["pairings"][0]["pairing"].clone();
    assert_eq!(seen["pairings"][0]["sides"], json!(["Knights", "Rooks"]));
    for child in ["Ada", "Example"] {
        assert!(!seen.to_string().contains(child), "{child}: {seen}");
    }
    let (status, done) = act(&server, &secret, "1", report(&pairing, "first", &["first"])).await;
    assert_eq!(status, StatusCode::OK, "{done}");
    assert_eq!(act(&server, &secret, "1", report(&pairing, "first", &["first"])).await.1, done);
    let waits = items(&chief, "paper:").await;
    assert!(waits[0]["detail"].as_str().unwrap().starts_with("Reported by one side"), "{waits:?}");
    act(&server, &secret, "2", report(&pairing, "second", &["second"])).await;
    let disputed = items(&chief, "reports:").await;
    assert_eq!(disputed[0]["what"], "The sides report different results");
    assert!(disputed[0]["detail"].as_str().unwrap().contains("Rooks reports 0-1"), "{disputed:?}");
    act(&server, &secret, "3", report(&pairing, "second", &["first"])).await;
    assert_eq!(items(&chief, "reports:").await, Vec::<Value>::new());
    let public = server.json("/api/v1/event").await;
    let result = &public["sections"][0]["pairings"][0];
    assert_eq!((&result["result"], &result["confirmed"]), (&json!("1-0"), &json!(false)));
    let confirmed = json!([{ "kind": "result-confirmed", "pairing": pairing }]);
    chief.done(json!({ "of": "event", "deeds": confirmed })).await;
    assert_eq!(shown(&server, &secret).await.1["pairings"][0]["confirmed"], true);
    // A later report that differs changes nothing, and is on the directors' list until it is dismissed.
    act(&server, &secret, "4", report(&pairing, "second", &["draw"])).await;
    let late = items(&chief, "reports:").await;
    assert_eq!(late[0]["what"], "A report and the result differ");
    chief.done(json!({ "of": "dismiss", "item": late[0]["id"] })).await;
    assert_eq!(items(&chief, "reports:").await, Vec::<Value>::new());
    let ledger = chief.json("/api/v1/td/ledger").await.to_string();
    assert!(ledger.contains("Rooks reports ½-½"), "{ledger}");
    server.stop().await;
}

#[tokio::test]
async fn a_report_that_the_boards_contradict_is_on_the_list_with_what_they_show() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    prepared(&server, &mut chief).await;
    let secret = link(&chief, "1").await;
    let pairing = shown(&server, &secret).await.1["pairings"][0]["pairing"].clone();
    let mut hub = Hub::connect(server.mqtt_port, "hub-1", 7, &["1"]).await;
    let mut script = scholars_mate("1", "m1");
    script.state(MatchState::Ended, 60_000_000);
    hub.send_until_committed(&script.rows).await;
    server.until("/api/v1/round", "a mate", |it| it["tables"][0]["result"]["winner"] == 1).await;
    act(&server, &secret, "1", report(&pairing, "second", &["second"])).await;
    let disputed = items(&chief, "reports:").await;
    let detail = disputed[0]["detail"].as_str().unwrap();
    assert!(detail.contains("Rooks reports 0-1; the sensors show 1-0"), "{detail}");
    assert_eq!(disputed[0]["match"], "m1");
    server.stop().await;
}

#[tokio::test]
async fn a_table_calls_a_director_once_and_hears_that_one_comes() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    prepared(&server, &mut chief).await;
    let secret = link(&chief, "2").await;
    let call = json!({ "of": "call" });
    let mut stream = chief.get("/api/v1/td/live").await;
    assert_eq!(act(&server, &secret, "1", call.clone()).await.0, StatusCode::OK);
    let mut heard = String::new();
    while !heard.contains("Director called") {
        let part = tokio::time::timeout(crate::support::PATIENCE, stream.chunk()).await;
        heard.push_str(&String::from_utf8_lossy(&part.expect("in time").unwrap().unwrap()));
    }
    act(&server, &secret, "2", call.clone()).await;
    let called = items(&chief, "call:").await;
    assert_eq!((called.len(), &called[0]["urgency"]), (1, &json!("call")));
    assert_eq!(shown(&server, &secret).await.1["call"]["is_assigned"], false);
    chief.done(json!({ "of": "take", "item": called[0]["id"] })).await;
    assert_eq!(shown(&server, &secret).await.1["call"]["is_assigned"], true);
    chief.done(json!({ "of": "dismiss", "item": called[0]["id"] })).await;
    assert_eq!(shown(&server, &secret).await.1["call"], Value::Null);
    // The next call is another one, and the table may take it back.
    act(&server, &secret, "3", call).await;
    assert_eq!(items(&chief, "call:").await.len(), 1);
    act(&server, &secret, "4", json!({ "of": "call-ended" })).await;
    assert_eq!(items(&chief, "call:").await, Vec::<Value>::new());
    server.stop().await;
}

#[tokio::test]
async fn a_tables_link_does_nothing_elsewhere_is_bounded_and_ends_when_it_is_revoked() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    prepared(&server, &mut chief).await;
    let (own, other) = (link(&chief, "1").await, link(&chief, "2").await);
    let pairing = shown(&server, &own).await.1["pairings"][0]["pairing"].clone();
    let foreign = act(&server, &other, "1", report(&pairing, "first", &["first"])).await;
    assert_eq!(foreign.0, StatusCode::FORBIDDEN, "{}", foreign.1);
    // It opens nothing of directors or of families.
    for path in ["/api/v1/td/needs", "/api/v1/child"] {
        let asked = reqwest::Client::new().get(format!("{}{path}", server.http));
        let answer = asked.header("x-twinboard-link", &own).bearer_auth(&own).send().await.unwrap();
        assert!(answer.status().is_client_error(), "{path}: {}", answer.status());
    }
    for senseless in [
        json!({ "of": "report", "pairing": pairing, "side": "third", "games": [] }),
        json!({ "of": "confirm" }),
    ] {
        assert_eq!(act(&server, &own, "2", senseless).await.0, StatusCode::UNPROCESSABLE_ENTITY);
    }
    assert_eq!(
        act(&server, &own, "3", report(&pairing, "first", &[])).await.0,
        StatusCode::CONFLICT
    );
    let mut refused = 0;
    for key in 10..30 {
        let (status, _) = act(&server, &own, &key.to_string(), json!({ "of": "call" })).await;
        refused += usize::from(status == StatusCode::TOO_MANY_REQUESTS);
    }
    assert!(refused > 5, "{refused} of twenty in a moment");
    let revoked = json!([{ "kind": "table-link-revoked", "table": "1" }]);
    chief.done(json!({ "of": "event", "deeds": revoked })).await;
    assert_eq!(shown(&server, &own).await.0, StatusCode::NOT_FOUND);
    assert_eq!(act(&server, &own, "40", json!({ "of": "call" })).await.0, StatusCode::NOT_FOUND);
    let floor = Phone::paired(&server, "Flo", "floor", json!({ "tables": ["1"] })).await;
    let (status, _) = floor.post("/api/v1/td/tables/links", &json!({ "tables": ["1"] })).await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    server.stop().await;
}

/// Asks as a screen's browser does.
async fn screen(server: &Server, key: &str) -> Value {
    let request = reqwest::Client::new().get(format!("{}/api/v1/screen", server.http));
    let answer = request.header("x-twinboard-screen", key).send().await.unwrap();
    let (status, value) = (answer.status(), answer.json().await.unwrap());
    check(&Method::GET, "/api/v1/screen", None, (status, &value));
    value
}

#[tokio::test]
async fn a_screen_shows_what_the_desk_gives_its_number_and_again_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut desk = Phone::paired(&server, "Flo", "floor", json!({})).await;
    let first = screen(&server, "the key of a browser").await;
    assert_eq!((&first["screen"], &first["shows"]), (&json!(1), &Value::Null));
    let second = screen(&server, "the key of another").await;
    assert_eq!(second["screen"], 2);
    let shows = json!({ "show": "table", "table": "3" });
    let given = json!({ "of": "screen", "screen": 2, "name": "Door", "shows": shows });
    desk.done(given).await;
    assert_eq!(screen(&server, "the key of another").await["shows"], shows);
    assert_eq!(screen(&server, "the key of a browser").await["shows"], Value::Null);
    let (status, _) = desk.post("/api/v1/td/screens/2/reload", &json!({})).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(screen(&server, "the key of another").await["reloads"], 1);
    let nobody = json!({ "of": "screen", "screen": 9, "shows": { "show": "overview" } });
    assert_eq!(desk.act(nobody).await.0, StatusCode::NOT_FOUND);
    server.stop().await;
    let server = Server::start(config(folder.path())).await;
    desk.http.clone_from(&server.http);
    // The first browser is known by nothing, and gets the number that is free.
    assert_eq!(screen(&server, "the key of another").await["screen"], 2);
    assert_eq!(screen(&server, "the key of another").await["shows"], shows);
    assert_eq!(screen(&server, "the key of a browser").await["screen"], 1);
    let listed = desk.json("/api/v1/td/screens").await;
    assert_eq!(listed["screens"].as_array().unwrap().len(), 2);
    assert_eq!(
        (&listed["screens"][1]["name"], &listed["screens"][1]["is_online"]),
        (&json!("Door"), &json!(true))
    );
    desk.done(json!({ "of": "screen-forgotten", "screen": 2 })).await;
    assert_eq!(screen(&server, "the key of another").await["shows"], Value::Null);
    server.stop().await;
}

#[tokio::test]
async fn a_claim_that_is_open_is_not_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut ann = Phone::paired(&server, "Ann", "floor", json!({})).await;
    let mut ben = Phone::paired(&server, "Ben", "floor", json!({})).await;
    let mut hub = Hub::connect(server.mqtt_port, "hub-1", 7, &["1"]).await;
    let mut script = Script::playing("1", "m1");
    script.ply(Board::A, Side::White, "e2e4");
    script.ply(Board::A, Side::Black, "e7e5");
    hub.send_until_committed(&script.rows).await;
    server.until("/api/v1/round", "the plies", |it| it["tables"][0]["ply_count"] == 2).await;
    let claim = json!({ "what": "claim", "claim": "illegal-ply", "by": "white-a" });
    let (status, opened) = ann.decide("m1", claim.clone()).await;
    assert_eq!(status, StatusCode::OK, "{opened}");
    let (status, again) = ben.decide("m1", claim.clone()).await;
    assert_eq!(status, StatusCode::CONFLICT, "{again}");
    assert!(again["reason"].as_str().unwrap().contains("Ann has entered this claim"), "{again}");
    let of_another = json!({ "what": "claim", "claim": "illegal-ply", "by": "black-a" });
    assert_eq!(ben.decide("m1", of_another).await.0, StatusCode::OK);
    let rule = json!({ "what": "rule", "on": opened["act"], "decision": "play-on" });
    assert_eq!(ann.decide("m1", rule).await.0, StatusCode::OK);
    assert_eq!(ben.decide("m1", claim).await.0, StatusCode::OK, "it was ruled on");
    server.stop().await;
}

#[tokio::test]
async fn what_the_boards_show_names_the_team_and_is_not_unconfirmed_once_it_is_final() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    prepared(&server, &mut chief).await;
    let mut hub = Hub::connect(server.mqtt_port, "hub-1", 7, &["1"]).await;
    let mut script = scholars_mate("1", "m1");
    script.state(MatchState::Ended, 60_000_000);
    hub.send_until_committed(&script.rows).await;
    server.until("/api/v1/round", "a mate", |it| it["tables"][0]["result"]["winner"] == 1).await;
    let waits = items(&chief, "result:").await;
    assert!(waits[0]["detail"].as_str().unwrap().contains("Knights wins"), "{waits:?}");
    let result = json!({ "what": "enter-result", "winner": "team-1", "reason": "mate" });
    assert_eq!(chief.decide("m1", result).await.0, StatusCode::OK);
    let proposal = chief.json("/api/v1/td/matches/m1").await["proposal"].clone();
    let text = proposal["text"].as_str().unwrap();
    assert!(text.starts_with("Knights wins") && !text.contains("not confirmed"), "{text}");
    server.stop().await;
}
