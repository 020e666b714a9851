//! Claims: their time, their decision, and the note on a ruling against which the evidence turns.

use proto::mqtt::message::{Board, Side};
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::{
    phone::{Phone, config, with_illegal_move},
    support::{Hub, Script, Server},
};

/// White's claim at A.
fn illegal_ply() -> Value {
    json!({ "what": "claim", "claim": "illegal-ply", "by": "white-a" })
}

async fn claims(phone: &Phone) -> Vec<Value> {
    let shown = phone.json("/api/v1/td/matches/m1").await;
    shown["claims"].as_array().expect("claims").clone()
}

#[tokio::test]
async fn a_claim_counts_from_when_it_was_made_however_late_it_arrives() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut phone = Phone::paired(&server, "Ann", "floor", json!({})).await;
    // White answers the illegal ply after a second.
    let mut script = with_illegal_move("1", "m1");
    script.ply(Board::A, Side::White, "d2d4");
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows).await;
    server.until("/api/v1/round", "the match", |it| it["tables"][0]["ply_count"] == 3).await;
    let deed = json!({ "of": "match", "match": "m1", "seen": 99, "decided": illegal_ply() });
    for (key, waited_ms) in [("in time", 900), ("late", 0)] {
        let act = json!({ "key": key, "waited_ms": waited_ms, "deed": deed });
        let (status, answer) = phone.post("/api/v1/td/acts", &act).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        // The same claim is opened again only when the first was ruled on.
        let ruling = json!({ "what": "rule", "on": answer["act"], "decision": "play-on" });
        phone.decide("m1", ruling).await;
    }
    let timings: Vec<Value> =
        claims(&phone).await.iter().map(|claim| claim["verdict"]["timing"].clone()).collect();
    assert_eq!(timings, ["in time", "late"]);
    server.stop().await;
}

#[tokio::test]
async fn each_claim_has_the_ruling_that_decided_it_and_the_appeal_against_that() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut phone = Phone::paired(&server, "Ann", "floor", json!({})).await;
    let script = with_illegal_move("1", "m1");
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows).await;
    server.until("/api/v1/round", "the match", |it| it["tables"][0]["ply_count"] == 2).await;
    let mut rulings = Vec::new();
    for _ in 0..2 {
        let (_, opened) = phone.decide("m1", illegal_ply()).await;
        let ruling = json!({ "what": "rule", "on": opened["act"], "decision": "play-on" });
        rulings.push(phone.decide("m1", ruling).await.1["act"].clone());
    }
    let appeal = json!({ "what": "appeal", "of": rulings[0], "to": "section-chief" });
    let version = phone.json("/api/v1/td/matches/m1").await["version"].clone();
    let deed = json!({ "of": "match", "match": "m1", "seen": version, "team": "team-1", "decided": appeal });
    let appealed = phone.done(deed).await;
    let shown = claims(&phone).await;
    let of = |name: &str| [shown[0][name].clone(), shown[1][name].clone()];
    assert_eq!(of("ruling"), [rulings[0].clone(), rulings[1].clone()]);
    assert_eq!(of("appeal"), [json!(appealed), Value::Null]);
    server.stop().await;
}

#[tokio::test]
async fn a_ruling_against_which_the_evidence_turns_says_so_and_asks_for_a_look() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut phone = Phone::paired(&server, "Ann", "floor", json!({})).await;
    let mut script = Script::playing("1", "m1");
    script.ply(Board::A, Side::White, "e2e4");
    let ply = script.ply(Board::A, Side::Black, "g8f6");
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows).await;
    server.until("/api/v1/round", "the match", |it| it["tables"][0]["ply_count"] == 2).await;
    let (_, opened) = phone.decide("m1", illegal_ply()).await;
    let ruling = json!({ "what": "rule", "on": opened["act"], "decision": "denied" });
    assert_eq!(phone.decide("m1", ruling).await.0, StatusCode::OK);
    assert_eq!(claims(&phone).await[0]["since"], Value::Null);
    let told = script.rows.len();
    script.revise(ply, 1, Board::A, Side::Black, "h8h5", 0.99, &[]);
    hub.send_until_committed(&script.rows[told..]).await;
    let is_revised = |it: &Value| it["plies"][1]["uci"] == "h8h5";
    server.until("/api/v1/matches/m1", "the revision", is_revised).await;
    let claim = &claims(&phone).await[0];
    assert_eq!((&claim["state"], &claim["since"]["points"]), (&json!("denied"), &json!("upheld")));
    let list = phone.json("/api/v1/td/needs").await;
    let mut needs = list["needs"].as_array().expect("needs").iter();
    let turned = needs.find(|need| need["what"] == "Seen otherwise since a ruling");
    assert_eq!(turned.expect("a need")["ply"], ply);
    server.stop().await;
}

#[tokio::test]
async fn where_no_board_bears_a_claim_out_the_page_asks_what_stands_there_and_the_answer_settles_it()
 {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut phone = Phone::paired(&server, "Ann", "floor", json!({})).await;
    let mut script = Script::playing("1", "m1");
    // The other board gives Black a pawn; what Black drops may as well be a queen, and Black has none.
    script.ply(Board::B, Side::White, "e2e4");
    script.ply(Board::B, Side::Black, "d7d5");
    script.ply(Board::B, Side::White, "e4d5");
    script.ply(Board::A, Side::White, "e2e4");
    let drop = script.ply(Board::A, Side::Black, "P@e5");
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows).await;
    server.until("/api/v1/round", "the match", |it| it["tables"][0]["ply_count"] == 5).await;
    phone.decide("m1", illegal_ply()).await;
    let claim = &claims(&phone).await[0];
    assert_eq!(claim["verdict"]["points"], "denied", "{claim}");
    assert_eq!(claim["look_at"]["ply"], drop);
    let candidates = claim["look_at"]["candidates"].as_array().expect("candidates").iter();
    let candidates: Vec<&Value> = candidates.map(|candidate| &candidate["uci"]).collect();
    assert_eq!(candidates, ["P@e5", "N@e5", "B@e5", "R@e5", "Q@e5"]);
    let seen = json!({ "what": "correct", "ply": drop, "said": "Q@e5" });
    assert_eq!(phone.decide("m1", seen).await.0, StatusCode::OK);
    let claim = &claims(&phone).await[0];
    assert_eq!(claim["verdict"]["points"], "upheld", "{claim}");
    assert_eq!((&claim["verdict"]["against"], &claim["look_at"]), (&json!(drop), &Value::Null));
    server.stop().await;
}
