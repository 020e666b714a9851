//! Directors and their devices: who may come in, what they decide, and that it is done once.

use adjudicator::{
    config::SilentAlerts,
    views::records::{Format, Which},
};
use proto::mqtt::message::MatchState;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::{
    phone::{Phone, config, invite, pair, with_illegal_move, with_token},
    support::{self, Hub, Server},
};

#[tokio::test]
async fn where_directors_decide_first_no_evidence_is_shown_before_the_ruling() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = config(folder.path());
    (config.td.decide_first, config.td.silent_alerts) = (true, SilentAlerts::AfterClaim);
    let server = Server::start(config).await;
    let mut phone = Phone::paired(&server, "Ann", "floor", json!({})).await;
    let mut script = with_illegal_move("1", "m1");
    script.state(MatchState::Paused, 3_000_000);
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows).await;
    server.until("/api/v1/round", "the match", |it| it["tables"][0]["ply_count"] == 2).await;
    let hides = |shown: &Value| {
        assert_eq!(shown["evidence_hidden"], true);
        for list in ["alerts", "illegal"] {
            assert_eq!(shown[list], json!([]), "{shown}");
        }
        assert!(shown["proposal"].is_null());
    };
    hides(&phone.json("/api/v1/td/matches/m1").await);
    let considered =
        phone.json("/api/v1/td/matches/m1/consider?claim=illegal-ply&by=white-a&against=2").await;
    assert_eq!((&considered["timing"], &considered["points"]), (&json!("in time"), &Value::Null));
    assert_eq!(considered["says"], "");
    let claim = json!({ "what": "claim", "claim": "illegal-ply", "by": "white-a", "against": 2 });
    let (_, opened) = phone.decide("m1", claim).await;
    let shown = phone.json("/api/v1/td/matches/m1").await;
    hides(&shown);
    assert!(shown["claims"][0]["verdict"]["points"].is_null());
    let list = phone.json("/api/v1/td/needs").await.to_string();
    assert!(list.contains("White at A claims") && list.contains(r#""detail":"""#), "{list}");
    let ruling =
        json!({ "what": "rule", "on": opened["act"], "decision": "denied", "note": "not seen" });
    let (status, ruled) = phone.decide("m1", ruling).await;
    assert_eq!(status, StatusCode::OK, "{ruled}");
    let shown = phone.json("/api/v1/td/matches/m1").await;
    assert_eq!(shown["claims"][0]["verdict"]["points"], "upheld");
    assert_eq!(shown["illegal"][0]["ply"], 2, "{shown}");
    server.stop().await;
}

#[tokio::test]
async fn where_an_event_wants_it_so_nothing_silent_is_shown_before_a_player_claims() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = config(folder.path());
    config.td.silent_alerts = SilentAlerts::AfterClaim;
    let server = Server::start(config).await;
    let mut phone = Phone::paired(&server, "Ann", "floor", json!({})).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&with_illegal_move("1", "m1").rows).await;
    server.until("/api/v1/round", "the match", |it| it["tables"][0]["ply_count"] == 2).await;
    let consider = "/api/v1/td/matches/m1/consider?claim=illegal-ply&by=white-a&against=2";
    for path in ["/api/v1/td/needs", "/api/v1/td/alerts", "/api/v1/td/matches/m1", consider] {
        let shown = phone.json(path).await.to_string();
        assert!(!shown.contains("illegal-move") && !shown.contains("does not"), "{path}: {shown}");
    }
    let silent = phone.json("/api/v1/td/matches/m1").await;
    assert_eq!(silent["illegal"], json!([]), "{silent}");
    let claim = json!({ "what": "claim", "claim": "illegal-ply", "by": "white-a", "against": 2 });
    let (status, answer) = phone.decide("m1", claim).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let shown = phone.json("/api/v1/td/matches/m1").await;
    assert_eq!(shown["claims"][0]["verdict"]["points"], "upheld", "{shown}");
    assert_eq!(shown["illegal"][0]["ply"], 2, "{shown}");
    server.stop().await;
}

#[tokio::test]
async fn a_director_takes_a_claim_rules_and_the_ledger_and_the_record_say_it() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut phone = Phone::paired(&server, "Ann", "floor", json!({})).await;
    let mut script = with_illegal_move("1", "m1");
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows).await;
    let seen = loop {
        let list = phone.json("/api/v1/td/needs").await;
        if let Some(need) = list["needs"].as_array().unwrap().first() {
            break need.clone();
        }
    };
    assert_eq!((seen["silent"].as_bool(), seen["urgency"].as_str()), (Some(true), Some("silent")));
    phone.done(json!({ "of": "take", "item": seen["id"] })).await;
    // White stops the clocks and claims.
    script.state(MatchState::Paused, 3_000_000);
    hub.send_until_committed(&script.rows).await;
    server.until("/api/v1/round", "the match", |it| it["tables"][0]["ply_count"] == 2).await;
    let claim = json!({ "what": "claim", "claim": "illegal-ply", "by": "white-a", "against": 2 });
    let considered =
        phone.json("/api/v1/td/matches/m1/consider?claim=illegal-ply&by=white-a&against=2").await;
    assert_eq!(
        (&considered["timing"], &considered["points"]),
        (&json!("in time"), &json!("upheld"))
    );
    let clause = &considered["because"][0];
    assert_eq!(clause["rule"], "us-chess-bughouse-2018 15d", "{considered}");
    let says = "After an illegal move the opponent wins by taking the king, or by stopping the clock and saying so.";
    assert_eq!(clause["text"], says, "the clause in our words");
    let (status, opened) = phone.decide("m1", claim).await;
    assert_eq!(status, StatusCode::OK, "{opened}");
    let list = phone.json("/api/v1/td/needs").await;
    assert_eq!(list["needs"][0]["urgency"], "claim", "{list}");
    let ruling =
        json!({ "what": "rule", "on": opened["act"], "decision": "upheld", "note": "seen" });
    let (status, ruled) = phone.decide("m1", ruling).await;
    assert_eq!(status, StatusCode::OK, "{ruled}");
    let shown = phone.json("/api/v1/td/matches/m1").await;
    assert_eq!(shown["claims"][0]["state"], "upheld");
    assert_eq!((&shown["is_over"], &shown["result"]["winner"]), (&json!(true), &json!("team-1")));
    let ledger = phone.json("/api/v1/td/ledger?table=1").await;
    let kinds: Vec<&str> = ledger["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["claim", "ruling"]);
    assert_eq!(ledger["lines"][1]["person"], "Ann");
    let csv = phone.get("/api/v1/td/ledger.csv").await.text().await.unwrap();
    assert!(csv.contains("\"Ann\"") && csv.contains("\"seen\""), "{csv}");
    // Everybody sees the ruled result, and the record has it.
    let round = server.json("/api/v1/round").await;
    assert_eq!(round["tables"][0]["result"]["winner"], 1, "{round}");
    let record = server.get("/api/v1/matches/m1.bpgn").await.text().await.unwrap();
    assert!(record.contains("1-0"), "{record}");
    // A claim in a decided match waits for an answer like others.
    let late = json!({ "what": "claim", "claim": "illegal-ply", "by": "white-b" });
    let (status, opened) = phone.decide("m1", late).await;
    assert_eq!(status, StatusCode::OK, "{opened}");
    let list = phone.json("/api/v1/td/needs").await;
    assert_eq!(list["needs"][0]["urgency"], "claim", "{list}");
    server.stop().await;
}

#[tokio::test]
async fn no_claim_is_called_wrong_while_nothing_of_its_table_reaches_us() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(folder.path());
    let server = Server::start(config.clone()).await;
    let mut phone = Phone::paired(&server, "Ann", "floor", json!({})).await;
    let script = with_illegal_move("1", "m1");
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows).await;
    server.until("/api/v1/round", "the match", |it| it["tables"][0]["ply_count"] == 2).await;
    let claim = json!({ "what": "claim", "claim": "flag-fall", "by": "white-a" });
    let (status, opened) = phone.decide("m1", claim).await;
    assert_eq!(status, StatusCode::OK, "{opened}");
    let consider = "/api/v1/td/matches/m1/consider?claim=flag-fall&by=white-a";
    let heard = phone.json(consider).await;
    assert_eq!(heard["points"], "denied", "{heard}");
    // The adjudicator is started again, and its hubs are not back yet: a fallen flag may be unreported.
    drop(hub);
    server.stop().await;
    let server = Server::start(config).await;
    phone.http.clone_from(&server.http);
    let is_lost = |it: &Value| it["tables"][0]["sensors"] == "lost";
    server.until("/api/v1/round", "a table that is lost", is_lost).await;
    let shown = phone.json("/api/v1/td/matches/m1").await;
    for verdict in [phone.json(consider).await, shown["claims"][0]["verdict"].clone()] {
        assert_eq!(verdict["points"], "unclear", "{verdict}");
        let says = verdict["says"].as_str().unwrap();
        assert!(says.starts_with("No data arrives from this table"), "{says}");
        assert!(says.ends_with(heard["says"].as_str().unwrap()), "{says}");
    }
    let list = phone.json("/api/v1/td/needs").await;
    let claim = list["needs"].as_array().unwrap().iter().find(|need| need["urgency"] == "claim");
    assert_eq!(claim.unwrap()["detail"], shown["claims"][0]["verdict"]["says"], "as on its page");
    server.stop().await;
}

#[tokio::test]
async fn acts_are_done_once_and_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut phone = Phone::paired(&server, "Ann", "chief", json!({})).await;
    let script = with_illegal_move("1", "m1");
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows).await;
    server.until("/api/v1/round", "the match", |it| it["tables"][0]["ply_count"] == 2).await;
    let result = json!({ "what": "enter-result", "winner": "team-1", "reason": "resignation" });
    let deed = json!({ "of": "match", "match": "m1", "seen": 99, "decided": result });
    let act = json!({ "key": "1", "deed": deed });
    let first = phone.post("/api/v1/td/acts", &act).await;
    assert_eq!(first.0, StatusCode::OK, "{}", first.1);
    // The answer was lost on the way: the phone sends it again.
    assert_eq!(phone.post("/api/v1/td/acts", &act).await, first);
    let before = phone.json("/api/v1/td/ledger").await;
    assert_eq!(before["lines"].as_array().unwrap().len(), 1);
    server.stop().await;
    let server = Server::start(config(folder.path())).await;
    phone.http.clone_from(&server.http);
    assert_eq!(phone.json("/api/v1/td/ledger").await, before);
    assert_eq!(phone.post("/api/v1/td/acts", &act).await, first);
    assert_eq!(phone.json("/api/v1/td/ledger").await, before);
    server.stop().await;
}

#[tokio::test]
async fn an_act_on_what_has_changed_meanwhile_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut phone = Phone::paired(&server, "Ann", "floor", json!({})).await;
    let mut other = Phone::paired(&server, "Ben", "floor", json!({})).await;
    let script = with_illegal_move("1", "m1");
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows).await;
    server.until("/api/v1/round", "the match", |it| it["tables"][0]["ply_count"] == 2).await;
    let claim = json!({ "what": "claim", "claim": "illegal-ply", "by": "white-a" });
    let (_, opened) = phone.decide("m1", claim).await;
    let seen = phone.json("/api/v1/td/matches/m1").await["version"].clone();
    let ruling = json!({ "what": "rule", "on": opened["act"], "decision": "denied" });
    let deed = json!({ "of": "match", "match": "m1", "seen": seen, "decided": ruling });
    phone.done(deed.clone()).await;
    let (status, refused) = other.act(deed).await;
    assert_eq!(status, StatusCode::CONFLICT);
    assert!(refused["reason"].as_str().unwrap().contains("ruled on already"), "{refused}");
    let ledger = phone.json("/api/v1/td/ledger").await;
    assert_eq!(ledger["lines"].as_array().unwrap().len(), 2);
    let (status, gone) = other
        .act(json!({ "of": "match", "match": "m9", "seen": 1, "decided": { "what": "confirm" } }))
        .await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    assert!(gone["error"].as_str().unwrap().contains("m9"));
    server.stop().await;
}

#[tokio::test]
async fn an_invitation_works_once_and_a_wrong_pin_voids_it_after_five_tries() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let token_of = |invitation: &Value| {
        invitation["path"].as_str().unwrap().split_once('#').unwrap().1.to_owned()
    };
    let invitation = invite(&server, "Ann", "floor", json!({})).await;
    let (token, pin) = (token_of(&invitation), invitation["pin"].as_str().unwrap().to_owned());
    assert_eq!(pair(&server, &token, &pin).await.status(), StatusCode::OK);
    assert_eq!(pair(&server, &token, &pin).await.status(), StatusCode::NOT_FOUND);
    let guessed = invite(&server, "Ben", "floor", json!({})).await;
    let (token, right) = (token_of(&guessed), guessed["pin"].as_str().unwrap().to_owned());
    let wrong = if right == "0000" { "0001" } else { "0000" };
    for _ in 0..4 {
        assert_eq!(pair(&server, &token, wrong).await.status(), StatusCode::FORBIDDEN);
    }
    assert_eq!(pair(&server, &token, wrong).await.status(), StatusCode::NOT_FOUND);
    assert_eq!(pair(&server, &token, &right).await.status(), StatusCode::NOT_FOUND);
    assert_eq!(pair(&server, "made-up", "0000").await.status(), StatusCode::NOT_FOUND);
    server.stop().await;
}

#[tokio::test]
async fn tries_of_a_pin_are_not_forgotten_by_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(config(folder.path())).await;
    let invited = invite(&server, "Ann", "floor", json!({})).await;
    let token = invited["path"].as_str().unwrap().split_once('#').unwrap().1.to_owned();
    let pin = invited["pin"].as_str().unwrap();
    let wrong = if pin == "0000" { "0001" } else { "0000" };
    for _ in 0..4 {
        assert_eq!(pair(&server, &token, wrong).await.status(), StatusCode::FORBIDDEN);
    }
    server.stop().await;
    server = Server::start(config(folder.path())).await;
    assert_eq!(pair(&server, &token, wrong).await.status(), StatusCode::NOT_FOUND, "the fifth");
    assert_eq!(pair(&server, &token, pin).await.status(), StatusCode::NOT_FOUND);
    server.stop().await;
}

#[tokio::test]
async fn a_device_reads_what_its_scope_has_and_no_other_tables_evidence_or_names() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let own = Phone::paired(&server, "Ann", "floor", json!({ "tables": ["1"] })).await;
    let other = Phone::paired(&server, "Bo", "floor", json!({ "tables": ["9"] })).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&with_illegal_move("1", "m1").rows).await;
    server.until("/api/v1/round", "the match", |it| it["tables"][0]["ply_count"] == 2).await;
    let consider = "/api/v1/td/matches/m1/consider?claim=illegal-ply&by=white-a&against=2";
    let paths =
        ["/api/v1/td/matches/m1", "/api/v1/td/tables/1", consider, "/api/v1/td/alerts?match=m1"];
    for path in paths {
        assert_eq!(own.get(path).await.status(), StatusCode::OK, "{path}");
        let refused = other.get(path).await;
        assert_eq!(refused.status(), StatusCode::FORBIDDEN, "{path}");
        assert!(refused.text().await.unwrap().contains("table 1 is not yours"));
    }
    for (path, has) in
        [("/api/v1/td/alerts", "illegal-move"), ("/api/v1/td/needs", "silent\":true")]
    {
        assert!(own.get(path).await.text().await.unwrap().contains(has), "{path}");
        assert!(!other.get(path).await.text().await.unwrap().contains(has), "{path}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_claim_whose_clocks_were_stopped_in_the_future_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut phone = Phone::paired(&server, "Ann", "floor", json!({})).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&with_illegal_move("1", "m1").rows).await;
    server.until("/api/v1/round", "the match", |it| it["tables"][0]["ply_count"] == 2).await;
    let claim = json!({
        "what": "claim", "claim": "illegal-ply", "by": "white-a", "against": 2, "stopped_us": u64::MAX,
    });
    let (status, answer) = phone.decide("m1", claim).await;
    assert_eq!(status, StatusCode::CONFLICT, "{answer}");
    assert_eq!(phone.json("/api/v1/td/matches/m1").await["claims"], json!([]));
    server.stop().await;
}

#[tokio::test]
async fn a_cookie_without_its_key_a_revoked_device_and_a_foreign_page_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let phone = Phone::paired(&server, "Ann", "floor", json!({})).await;
    assert_eq!(phone.get("/api/v1/td/needs").await.status(), StatusCode::OK);
    let stolen = Phone { key: "another-device".to_owned(), ..phone.clone() };
    assert_eq!(stolen.get("/api/v1/td/needs").await.status(), StatusCode::UNAUTHORIZED);
    let request = phone.client.post(format!("{}/api/v1/td/acts", phone.http));
    let foreign = phone
        .signed(request)
        .header("origin", "http://evil.example")
        .json(&json!({ "key": "1", "deed": { "of": "take", "item": "x" } }))
        .send()
        .await
        .unwrap();
    assert_eq!(foreign.status(), StatusCode::FORBIDDEN);
    // A floor director may exclude no device; the chief may, and its stream ends, too.
    let (status, _) = phone.post("/api/v1/td/devices/1/revoke", &json!({})).await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    let mut stream = phone.get("/api/v1/td/live").await;
    assert!(stream.chunk().await.unwrap().is_some());
    let (status, _) = with_token(&server, "/api/v1/td/devices/1/revoke", &json!({})).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(phone.get("/api/v1/td/needs").await.status(), StatusCode::UNAUTHORIZED);
    let ended = async { while stream.chunk().await.is_ok_and(|chunk| chunk.is_some()) {} };
    tokio::time::timeout(support::PATIENCE, ended).await.expect("the stream ends");
    server.stop().await;
}

#[tokio::test]
async fn a_director_of_another_section_and_a_scorekeeper_decide_nothing_here() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let script = with_illegal_move("1", "m1");
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows).await;
    server.until("/api/v1/round", "the match", |it| it["tables"][0]["ply_count"] == 2).await;
    let mut other = Phone::paired(&server, "Ben", "floor", json!({ "tables": ["2"] })).await;
    let claim = json!({ "what": "claim", "claim": "illegal-ply", "by": "white-a" });
    // The excluded device cannot read the present state either.
    let deed = json!({ "of": "match", "match": "m1", "seen": 99, "decided": claim });
    let (status, answer) = other.act(deed).await;
    assert_eq!((status, &answer["error"]), (StatusCode::FORBIDDEN, &json!("table 1 is not yours")));
    let mut keeper = Phone::paired(&server, "Cleo", "scorekeeper", json!({})).await;
    assert_eq!(keeper.decide("m1", claim).await.0, StatusCode::FORBIDDEN);
    // A team signs on the scorekeeper's device.
    let result = json!({ "what": "enter-result", "winner": "team-1", "reason": "mate" });
    let signs = |team: &str, decided: Value| json!({ "of": "match", "match": "m1", "seen": 99, "team": team, "decided": decided });
    keeper.done(signs("team-1", result)).await;
    keeper.done(signs("team-2", json!({ "what": "confirm" }))).await;
    let shown = keeper.json("/api/v1/td/matches/m1").await;
    assert_eq!(shown["result"]["signed"], json!([true, true]));
    assert_eq!(shown["is_over"], true);
    server.stop().await;
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_by_name_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let phone = Phone::paired(&server, "Ann", "chief", json!({})).await;
    for (body, status) in [
        (json!({ "key": "1", "deed": { "of": "dance" } }), StatusCode::UNPROCESSABLE_ENTITY),
        (json!({ "key": "1" }), StatusCode::UNPROCESSABLE_ENTITY),
        (
            json!({ "key": "1".repeat(65), "deed": { "of": "take", "item": "x" } }),
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
        (
            json!({ "key": "1", "deed": { "of": "take", "item": "x".repeat(1000) } }),
            StatusCode::FORBIDDEN,
        ),
    ] {
        let (found, answer) = phone.post("/api/v1/td/acts", &body).await;
        assert_eq!(found, status, "{answer}");
        assert!(answer["error"].is_string(), "{answer}");
    }
    let (status, _) =
        phone.post("/api/v1/td/invitations", &json!({ "person": "", "rank": "floor" })).await;
    assert_eq!(status, StatusCode::CONFLICT);
    server.stop().await;
}

#[tokio::test]
async fn only_matches_whose_result_somebody_confirmed_are_learnt_from() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(folder.path());
    let server = Server::start(config.clone()).await;
    let mut phone = Phone::paired(&server, "Ann", "floor", json!({})).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1", "2"]).await;
    let (one, mut other) = (with_illegal_move("1", "m1"), with_illegal_move("2", "m2"));
    let before = one.rows.len() as u64;
    other.rows.iter_mut().for_each(|row| row.sequence += before);
    hub.send_until_committed(&one.rows).await;
    hub.send_until_committed(&other.rows).await;
    server.until("/api/v1/round", "both", |it| it["tables"][1]["ply_count"] == 2).await;
    let result = json!({ "what": "enter-result", "winner": "team-1", "reason": "resignation" });
    let (status, answer) = phone.decide("m2", result).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let (status, answer) = phone.decide("m2", json!({ "what": "confirm" })).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    server.stop().await;
    let export = async |confirmed: bool| {
        let which = Which { confirmed, ..Which::default() };
        adjudicator::export(&config, &which, Format::Bpgn).await.unwrap()
    };
    assert_eq!(export(false).await.matches("[Event ").count(), 2);
    let confirmed = export(true).await;
    assert_eq!(confirmed.matches("[Event ").count(), 1, "{confirmed}");
}

#[tokio::test]
async fn two_directors_at_one_match_see_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&with_illegal_move("1", "m1").rows).await;
    server.until("/api/v1/round", "the match", |it| it["tables"][0]["ply_count"] == 2).await;
    let ann = Phone::paired(&server, "Ann", "floor", json!({})).await;
    let flo = Phone::paired(&server, "Flo", "floor", json!({})).await;
    let mut seen = ann.get("/api/v1/td/live?match=m1").await;
    let _looking = flo.get("/api/v1/td/live?match=m1").await;
    let mut text = String::new();
    while !text.contains(r#""others":["Flo"]"#) {
        let part = tokio::time::timeout(support::PATIENCE, seen.chunk()).await.expect("in time");
        text.push_str(&String::from_utf8_lossy(&part.unwrap().unwrap()));
    }
    server.stop().await;
}
