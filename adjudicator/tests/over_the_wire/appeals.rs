//! Tests of decisions that are still due when play goes on.

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::{
    phone::{Phone, claimed, config, with_illegal_move},
    support::{Server, scholars_mate},
};

/// The items of the list about something, by the beginning of their ids.
async fn items(phone: &Phone, about: &str) -> Vec<Value> {
    let list = phone.json("/api/v1/td/needs").await;
    let items = list["needs"].as_array().unwrap().iter();
    items.filter(|it| it["id"].as_str().unwrap().starts_with(about)).cloned().collect()
}

async fn rule(phone: &mut Phone, claim: u64) -> u64 {
    let ruling = json!({ "what": "rule", "on": claim, "decision": "denied" });
    let (status, answer) = phone.decide("m1", ruling).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    answer["act"].as_u64().unwrap()
}

/// A team's appeal against a ruling, entered on a director's phone.
fn appeal(of: u64, to: &str) -> Value {
    json!({ "of": "match", "match": "m1", "seen": 9999, "team": "team-1",
        "decided": { "what": "appeal", "of": of, "to": to } })
}

#[tokio::test]
async fn an_appeal_is_on_the_list_of_whoever_hears_it_until_they_have_decided() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut ann = Phone::paired(&server, "Ann", "floor", json!({})).await;
    let mut sue = Phone::paired(&server, "Sue", "section-chief", json!({})).await;
    let (_hub, claim) = claimed(&server, &mut ann).await;
    let ruling = rule(&mut ann, claim).await;
    assert_eq!(items(&sue, "appeal:").await, Vec::<Value>::new());
    let act = ann.done(appeal(ruling, "section-chief")).await;
    let [item] = &items(&sue, "appeal:").await[..] else { panic!("one appeal") };
    assert_eq!(
        (&item["urgency"], &item["level"], &item["taken"]),
        (&json!("claim"), &json!("section-chief"), &json!(null)),
        "{item}"
    );
    let decision = json!({ "what": "decide", "appeal": act, "decision": "upheld", "note": "seen" });
    let (status, answer) = ann.decide("m1", decision.clone()).await;
    assert_eq!(status, StatusCode::CONFLICT, "{answer}");
    let (status, answer) = sue.decide("m1", decision).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    assert_eq!(items(&sue, "appeal:").await, Vec::<Value>::new());
    let shown = sue.json("/api/v1/td/matches/m1").await;
    assert_eq!(shown["result"]["winner"], "team-1", "{shown}");
    // A floor director cannot change the section chief's decision.
    let other = json!({ "what": "enter-result", "winner": "team-2", "reason": "resignation" });
    let (status, answer) = ann.decide("m1", other).await;
    let reason = answer["reason"].as_str().unwrap_or_default();
    assert!(status == StatusCode::CONFLICT && reason.contains("section chief"), "{answer}");
    server.stop().await;
}

#[tokio::test]
async fn where_there_is_no_section_chief_the_chief_hears_an_appeal() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut ann = Phone::paired(&server, "Ann", "floor", json!({})).await;
    let mut carl = Phone::paired(&server, "Carl", "chief", json!({})).await;
    let (_hub, claim) = claimed(&server, &mut ann).await;
    let ruling = rule(&mut ann, claim).await;
    let act = ann.done(appeal(ruling, "section-chief")).await;
    let [item] = &items(&carl, "appeal:").await[..] else { panic!("one appeal") };
    assert_eq!(item["level"], "chief", "{item}");
    let decision = json!({ "what": "decide", "appeal": act, "decision": "denied" });
    let (status, answer) = carl.decide("m1", decision).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    server.stop().await;
}

#[tokio::test]
async fn a_claim_of_an_earlier_match_waits_on_the_list_and_is_ruled_on_there() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut ann = Phone::paired(&server, "Ann", "floor", json!({})).await;
    let (mut hub, claim) = claimed(&server, &mut ann).await;
    let mut next = scholars_mate("1", "m2");
    let before = with_illegal_move("1", "m1").rows.len() as u64;
    next.rows.iter_mut().for_each(|row| row.sequence += before);
    hub.send_until_committed(&next.rows).await;
    server.until("/api/v1/round", "the next", |it| it["tables"][0]["match"] == "m2").await;
    let [item] = &items(&ann, "claim:m1:").await[..] else { panic!("one claim") };
    assert_eq!(
        (&item["is_earlier"], &item["match"], &item["urgency"]),
        (&json!(true), &json!("m1"), &json!("result")),
        "{item}"
    );
    let earlier = ann.json("/api/v1/td/matches/m1").await;
    assert_eq!(earlier["is_at_table"], false, "{earlier}");
    assert_eq!(ann.json("/api/v1/td/tables/1").await["is_at_table"], true);
    rule(&mut ann, claim).await;
    assert_eq!(items(&ann, "claim:m1:").await, Vec::<Value>::new());
    // A fact about a ply of it is accepted, too.
    let said = json!({ "what": "correct", "ply": 2, "said": "g8f6" });
    let (status, answer) = ann.decide("m1", said).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    server.stop().await;
}
