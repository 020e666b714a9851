//! Acts that cannot be done: each is answered in words, changes nothing, and the next one is done.

use proto::mqtt::message::{Board, MatchState, Side};
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::{
    phone::{Phone, config},
    support::{Hub, Script, Server},
};

fn of_match(match_id: &str, decided: &Value) -> Value {
    json!({ "of": "match", "match": match_id, "seen": u64::MAX, "decided": decided })
}

/// The fault, the deed, and a word of the answer.
fn bad_acts() -> Vec<(&'static str, Value, &'static str)> {
    let correct = |ply: u32, said: &str| json!({ "what": "correct", "ply": ply, "said": said });
    let claim = |claim: &str| json!({ "what": "claim", "claim": claim, "by": "white-a" });
    let rule = json!({ "what": "rule", "on": 4_000, "decision": "upheld" });
    let clock = |match_id: &str, change: Value| json!({ "of": "clock", "match": match_id, "board": "A", "change": change });
    let hours = json!({ "clock": "adjust", "white_ms": 2_000_000_000, "black_ms": 0 });
    let evidence = json!({ "of": "evidence", "match": "m1", "from_us": 9, "to_us": 4 });
    let show = json!({ "of": "show", "table": "none" });
    vec![
        ("a match that is gone", of_match("m9", &json!({ "what": "confirm" })), "no match m9"),
        (
            "a clock of a match that is gone",
            clock("m9", json!({ "clock": "pause" })),
            "no match m9",
        ),
        ("a time that no clock shows", clock("m1", hours), "0 to 10 hours"),
        ("a ply that was never made", of_match("m1", &correct(77, "e2e4")), "no ply 77"),
        ("a ply that is none", of_match("m1", &correct(1, "castles")), "castles"),
        (
            "a position before no ply",
            of_match("m1", &json!({ "what": "reinstate", "before": 77 })),
            "no ply 77",
        ),
        ("a claim that no book has", of_match("m1", &claim("rudeness")), "rudeness"),
        ("a ruling on nothing", of_match("m1", &rule), "no act 4000"),
        ("no result to confirm", of_match("m1", &json!({ "what": "confirm" })), "no result"),
        (
            "an act that was never made",
            of_match("m1", &json!({ "what": "withdraw", "act": 4_000 })),
            "no act 4000",
        ),
        ("evidence backwards", evidence, "at most a minute"),
        ("a table that is none", show, "no table none"),
        (
            "somebody else's name",
            json!({ "of": "take", "item": "x", "by": { "person": "Ben", "rank": "chief" } }),
            "by",
        ),
        (
            "a time of one's own",
            json!({ "of": "match", "match": "m1", "seen": 1, "t_us": 5, "decided": { "what": "confirm" } }),
            "t_us",
        ),
    ]
}

#[tokio::test]
async fn what_cannot_be_done_is_said_in_words_and_nothing_is_stuck() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut phone = Phone::paired(&server, "Ann", "chief", json!({})).await;
    let mut script = Script::new("1", "m1");
    script.state(MatchState::Playing, 100_000);
    script.ply(Board::A, Side::White, "e2e4");
    script.clock(Board::A, 290_000, 300_000, None, 3_000_000);
    script.state(MatchState::Paused, 3_000_000);
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows).await;
    server.until("/api/v1/round", "the match", |it| it["tables"][0]["state"] == "paused").await;
    let before = phone.json("/api/v1/td/ledger").await;
    for (what, deed, words) in bad_acts() {
        let (status, answer) = phone.act(deed).await;
        let reason = answer["reason"].as_str().or(answer["error"].as_str()).unwrap_or_default();
        assert!(status.is_client_error() && reason.contains(words), "{what}: {status} {answer}");
    }
    assert_eq!(phone.json("/api/v1/td/ledger").await, before);
    // A contradicting fact replaces the earlier one, and both stay in the ledger.
    for said in ["e2e3", "d2d4"] {
        let correct = json!({ "what": "correct", "ply": 1, "said": said });
        let (status, answer) = phone.decide("m1", correct).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        assert_eq!(phone.json("/api/v1/td/matches/m1").await["shown"]["plies"][0]["uci"], said);
    }
    let ledger = phone.json("/api/v1/td/matches/m1").await["ledger"].clone();
    assert_eq!(ledger[1]["supersedes"], ledger[0]["act"]);
    server.stop().await;
}
