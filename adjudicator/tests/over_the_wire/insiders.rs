//! Somebody who was let in and tries more than is theirs.

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::{
    event::{AS_TEAMS, send},
    phone::{Phone, TOKEN, claimed, config, invite},
    support::{Hub, Server, scholars_mate},
};

/// A claim of table 1 that waits, and the id of its item.
async fn claimed_item(server: &Server, ann: &mut Phone) -> (Hub, Value) {
    let (hub, _) = claimed(server, ann).await;
    let needs = ann.json("/api/v1/td/needs").await;
    let claims = needs["needs"].as_array().unwrap().iter().filter(|it| it["urgency"] == "claim");
    let item = claims.map(|it| it["id"].clone()).next().expect("a claim on the list");
    (hub, item)
}

#[tokio::test]
async fn a_claim_is_kept_from_no_director_by_somebody_whose_table_it_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut ann = Phone::paired(&server, "Ann", "floor", json!({})).await;
    let (_hub, item) = claimed_item(&server, &mut ann).await;
    let mut sam = Phone::paired(&server, "Sam", "scorekeeper", json!({})).await;
    let mut bob = Phone::paired(&server, "Bob", "floor", json!({ "tables": ["2"] })).await;
    for phone in [&mut sam, &mut bob] {
        for of in ["take", "dismiss", "release"] {
            let (status, answer) = phone.act(json!({ "of": of, "item": item })).await;
            assert_eq!(status, StatusCode::FORBIDDEN, "{of}: {answer}");
        }
    }
    let (status, answer) = ann.act(json!({ "of": "dismiss", "item": item })).await;
    assert_eq!(status, StatusCode::FORBIDDEN, "a claim is decided: {answer}");
    ann.done(json!({ "of": "take", "item": item })).await;
    let mut flo = Phone::paired(&server, "Flo", "floor", json!({})).await;
    let (status, answer) = flo.act(json!({ "of": "release", "item": item })).await;
    assert_eq!((status, &answer["error"]), (StatusCode::FORBIDDEN, &json!("Ann sees about this")));
    let (status, answer) = ann.act(json!({ "of": "take", "item": "claim:m9:1" })).await;
    let says = answer["error"].as_str().unwrap_or_default();
    assert!(status == StatusCode::FORBIDDEN && says.contains("not on the list"), "{answer}");
    let needs = ann.json("/api/v1/td/needs").await;
    assert!(needs.to_string().contains(r#""person":"Ann""#), "{needs}");
    server.stop().await;
}

#[tokio::test]
async fn a_match_gives_its_result_to_no_pairing_of_another_section() {
    const TEAMS: &str = "Section,Number,Team,Player,Partner\nK-6,1,Knights,A,B\nK-6,2,Rooks,C,D\n\
        Open,1,Lions,E,F\nOpen,2,Otters,G,H\n";
    const PAIRINGS: &str = "Section,Round,Table,First,Second\nK-6,1,1,1,2\nOpen,1,2,1,2\n";
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    let (status, answer) = send(&server, &format!("import?{AS_TEAMS}"), TEAMS).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let opened = |section: &str| json!({ "kind": "round-opened", "section": section, "round": 1 });
    let deeds = json!([
        { "kind": "tables-listed", "tables": ["1", "2"] }, opened("K-6"), opened("Open"),
    ]);
    chief.done(json!({ "of": "event", "deeds": deeds })).await;
    let (status, answer) = send(&server, "import?kind=pairings", PAIRINGS).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&scholars_mate("1", "m1").rows).await;
    server.until("/api/v1/round", "the match", |it| it["tables"][0]["match"] == "m1").await;
    let shown = chief.json("/api/v1/td/matches/m1").await;
    assert_eq!(shown["pairing"], 1, "{shown}");
    let mut flo = Phone::paired(&server, "Flo", "floor", json!({ "sections": ["K-6"] })).await;
    let bind = |pairing: u64| json!({ "of": "bind", "match": "m1", "pairing": pairing });
    let (status, answer) = flo.act(bind(2)).await;
    assert_eq!((status, &answer["error"]), (StatusCode::FORBIDDEN, &json!("table 2 is not yours")));
    flo.done(bind(1)).await;
    chief.done(bind(2)).await;
    server.stop().await;
}

#[tokio::test]
async fn a_crowd_that_guesses_a_pin_at_once_has_no_more_tries_than_one_guesser() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let invitation = invite(&server, "Ben", "chief", json!({})).await;
    let token = invitation["path"].as_str().unwrap().split_once('#').unwrap().1.to_owned();
    let right: u32 = invitation["pin"].as_str().unwrap().parse().unwrap();
    let client = reqwest::Client::new();
    let guess = |pin: u32| {
        let body = json!({ "token": token, "pin": format!("{pin:04}"), "label": "a crowd" });
        let request = client.post(format!("{}/api/v1/td/pair", server.http)).json(&body);
        async move { request.send().await.unwrap().status() }
    };
    let crowd = (1..=200).map(|step| guess((right + step) % 10_000));
    let answers = futures::future::join(futures::future::join_all(crowd), guess(right)).await;
    assert_eq!(answers.1, StatusCode::GONE, "the right one came after five wrong ones");
    let told = answers.0.iter().filter(|status| **status == StatusCode::FORBIDDEN).count();
    assert!(told <= 4, "{told} were told that it is another PIN");
    let staff = client.get(format!("{}/api/v1/td/staff", server.http)).bearer_auth(TOKEN);
    let staff: Value = staff.send().await.unwrap().json().await.unwrap();
    assert_eq!(staff["devices"], json!([]), "nobody was let in");
    server.stop().await;
}
