//! Attacks of an admitted device beyond its rights.

use adjudicator::log::Store;
use futures::StreamExt as _;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::{
    event::{AS_TEAMS, send},
    phone::{Phone, TOKEN, claimed, config, invite},
    support::{self, Hub, Server, scholars_mate},
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
    assert!(status == StatusCode::FORBIDDEN && says.contains("no longer on the list"), "{answer}");
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

/// An event of one section whose first round is paired at table 1.
async fn paired_at_table_1(server: &Server, chief: &mut Phone) {
    const TEAMS: &str = "Section,Number,Team,Player,Partner\nOpen,1,Lions,E,F\nOpen,2,Otters,G,H\n";
    let (status, answer) = send(server, &format!("import?{AS_TEAMS}"), TEAMS).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let deeds = json!([
        { "kind": "tables-listed", "tables": ["1"] },
        { "kind": "round-opened", "section": "Open", "round": 1 },
    ]);
    chief.done(json!({ "of": "event", "deeds": deeds })).await;
    let pairings = "Section,Round,Table,First,Second\nOpen,1,1,1,2\n";
    let (status, answer) = send(server, "import?kind=pairings", pairings).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
}

/// The newest input of a server's log.
async fn last_input(folder: &std::path::Path) -> u64 {
    let store = Store::open_existing(&support::config(folder).store.path).await.unwrap();
    let last = store.last_id().await.unwrap();
    store.close().await;
    last
}

/// A scorekeeper's deed of table 1.
fn seats(pairing: u64) -> Value {
    json!({ "kind": "seats-chosen", "pairing": pairing, "seats": [1, 2, 3, 4] })
}

#[tokio::test]
async fn a_pairing_is_moved_to_no_table_of_somebody_else() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut chief = Phone::paired(&server, "Chief", "chief", json!({})).await;
    paired_at_table_1(&server, &mut chief).await;
    let listed = json!({ "kind": "tables-listed", "tables": ["1", "2"] });
    chief.done(json!({ "of": "event", "deeds": [listed] })).await;
    let mut floor = Phone::paired(&server, "Floor", "floor", json!({ "tables": ["1"] })).await;
    let event = floor.json("/api/v1/td/event").await;
    let pairing = &event["sections"][0]["pairings"][0];
    let to = |table: &str| {
        json!({ "of": "event", "deeds": [{
            "kind": "pairing-changed", "pairing": pairing["pairing"], "table": table, "sides": pairing["sides"],
        }] })
    };
    let (status, answer) = floor.act(to("2")).await;
    assert_eq!(status, StatusCode::FORBIDDEN, "{answer}");
    assert!(answer["error"].as_str().unwrap().contains("table 2 is not yours"), "{answer}");
    let (status, answer) = chief.act(to("2")).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    server.stop().await;
}

#[tokio::test]
async fn acts_about_nothing_are_refused_and_not_logged() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    paired_at_table_1(&server, &mut chief).await;
    let mut sam = Phone::paired(&server, "Sam", "scorekeeper", json!({ "tables": ["1"] })).await;
    let before = last_input(folder.path()).await;
    let of = |deeds: Vec<Value>| json!({ "of": "event", "deeds": deeds });
    for (deeds, words) in [
        (vec![], "nothing in this act"),
        (vec![seats(999)], "no pairing 999"),
        (vec![seats(999); 3_000], "at most 64 deeds"),
        (vec![seats(1); 65], "at most 64 deeds"),
    ] {
        let (status, answer) = sam.act(of(deeds)).await;
        let says = answer["error"].as_str().unwrap_or_default();
        assert!(status == StatusCode::FORBIDDEN && says.contains(words), "{status} {answer}");
    }
    assert_eq!(last_input(folder.path()).await, before);
    let (status, answer) = sam.act(of(vec![seats(1)])).await;
    assert_ne!(status, StatusCode::FORBIDDEN, "{answer}");
    server.stop().await;
}

#[tokio::test]
async fn a_phone_that_never_stops_acting_is_slowed_down_and_nothing_that_people_do_is() {
    const SENT: u64 = 700;
    const KEPT_BY_A_PAGE: usize = 200;
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    paired_at_table_1(&server, &mut chief).await;
    let sam = Phone::paired(&server, "Sam", "scorekeeper", json!({ "tables": ["1"] })).await;
    let act = |key: u64| {
        let (sam, deed) = (sam.clone(), json!({ "of": "event", "deeds": [seats(1)] }));
        async move {
            let body = json!({ "key": key.to_string(), "deed": deed });
            (key, sam.post("/api/v1/td/acts", &body).await)
        }
    };
    let answers = futures::stream::iter(1..=SENT).map(act).buffer_unordered(32);
    let answers: Vec<_> = answers.collect().await;
    let is_slowed = |status: StatusCode| status == StatusCode::TOO_MANY_REQUESTS;
    let (slowed, answered): (Vec<_>, Vec<_>) =
        answers.iter().partition(|(_, (status, _))| is_slowed(*status));
    assert!(answered.len() >= KEPT_BY_A_PAGE, "{} were answered", answered.len());
    let Some((key, (_, answer))) = slowed.last() else { panic!("all {SENT} were logged") };
    assert!(answer["error"].as_str().is_some_and(|it| it.contains("wait a little")), "{answer}");
    let (status, answer) = chief.act(json!({ "of": "show", "table": "1" })).await;
    assert!(!is_slowed(status), "another phone acts as it likes: {answer}");
    // The act had no effect, so it is done when it comes again.
    tokio::time::sleep(std::time::Duration::from_millis(400)).await;
    let (_, (status, answer)) = act(*key).await;
    assert!(!is_slowed(status), "{answer}");
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
    assert_eq!(answers.1, StatusCode::NOT_FOUND, "the right one came after five wrong ones");
    let told = answers.0.iter().filter(|status| **status == StatusCode::FORBIDDEN).count();
    assert!(told <= 4, "{told} were told that it is another PIN");
    let staff = client.get(format!("{}/api/v1/td/staff", server.http)).bearer_auth(TOKEN);
    let staff: Value = staff.send().await.unwrap().json().await.unwrap();
    assert_eq!(staff["devices"], json!([]), "nobody was let in");
    server.stop().await;
}
