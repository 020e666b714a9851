//! Hubs that ask to be accepted, and others that would like to be.

use adjudicator::Config;
use proto::join::{Hall, JOIN_PATH, JoinAnswer, JoinCode, JoinRequest, JoinSecret};
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::{
    phone::{self, Phone},
    support::{Hub, Server},
};

const ACCEPT: &str = "/api/v1/td/hubs/accept";

fn config(folder: &std::path::Path) -> Config {
    let mut config = phone::config(folder);
    config.hubs.accept = true;
    config.tls.folder = Some(folder.join("tls"));
    config.broker.tls_address = Some(([127, 0, 0, 1], 0).into());
    config
}

/// A hub with this code that asks at a server.
struct Asking<'a> {
    server: &'a Server,
    code: JoinCode,
    secret: JoinSecret,
    request: JoinRequest,
}

impl<'a> Asking<'a> {
    async fn at(server: &'a Server, code: &str) -> Asking<'a> {
        let hall: Hall = serde_json::from_value(server.json(JOIN_PATH).await).unwrap();
        let key = rcgen::KeyPair::generate().unwrap().public_key_pem();
        let code: JoinCode = code.parse().unwrap();
        let secret = JoinSecret::of(&code, &key, &hall.authority);
        let request = JoinRequest { key, proof: secret.hub_proof(), machine: "pi".to_owned() };
        Asking { server, code, secret, request }
    }

    async fn ask(&self) -> JoinAnswer {
        let (status, answer) = post(self.server, JOIN_PATH, &json!(self.request)).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        serde_json::from_value(answer).unwrap()
    }
}

async fn post(server: &Server, path: &str, body: &Value) -> (StatusCode, Value) {
    let request = reqwest::Client::new().post(format!("{}{path}", server.http)).json(body);
    let answer = request.send().await.unwrap();
    (answer.status(), answer.json().await.unwrap_or_default())
}

#[tokio::test]
async fn no_hub_may_ask_where_the_organiser_does_not_let_it() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(phone::config(folder.path())).await;
    let ann = Phone::paired(&server, "Ann", "chief", json!({})).await;
    assert_eq!(server.get(JOIN_PATH).await.status(), StatusCode::NOT_FOUND);
    let (status, refused) = post(&server, JOIN_PATH, &json!({ "key": "k", "proof": "p" })).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert!(refused["error"].as_str().unwrap().contains("accept = true under [hubs]"), "{refused}");
    assert_eq!(ann.post(ACCEPT, &json!({ "code": "7K3Q9-MWT4X" })).await.0, StatusCode::NOT_FOUND);
    assert_eq!(ann.json("/api/v1/td/hubs").await["accepts"], false);
    assert!(!folder.path().join("tls").exists());
    server.stop().await;
}

#[tokio::test]
async fn a_hub_is_accepted_by_the_chief_with_its_code_alone() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let ann = Phone::paired(&server, "Ann", "chief", json!({})).await;
    let ben = Phone::paired(&server, "Ben", "floor", json!({})).await;
    let hub = Asking::at(&server, "7K3Q9-MWT4X").await;
    assert_eq!(hub.ask().await, JoinAnswer::Waiting);
    // A stranger who read the hub's request sends it with another proof, and accepts it himself.
    let forged = JoinRequest { proof: "00".repeat(32), ..hub.request.clone() };
    assert_eq!(post(&server, JOIN_PATH, &json!(forged)).await.0, StatusCode::OK);
    let typed = json!({ "code": hub.code.to_string() });
    assert_eq!(post(&server, ACCEPT, &typed).await.0, StatusCode::UNAUTHORIZED);
    assert_eq!(ben.post(ACCEPT, &typed).await.0, StatusCode::FORBIDDEN);
    assert_eq!(ben.get("/api/v1/td/hubs").await.status(), StatusCode::FORBIDDEN);
    for deed in [
        json!({ "of": "accept-hub", "hub": "hub-1" }),
        json!({ "of": "place-nodes", "hub": "hub-1", "tables": [] }),
    ] {
        let act = json!({ "key": "x", "deed": deed });
        assert_eq!(
            ann.post("/api/v1/td/acts", &act).await.0,
            StatusCode::FORBIDDEN,
            "not by this way"
        );
    }
    assert_eq!(hub.ask().await, JoinAnswer::Waiting);
    let (status, refused) = ann.post(ACCEPT, &json!({ "code": "7K3Q9" })).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{refused}");
    let (status, accepted) = ann.post(ACCEPT, &json!({ "code": "7k3q9 mwt4x" })).await;
    assert_eq!(status, StatusCode::OK, "{accepted}");
    let JoinAnswer::Accepted { accepted, proof } = hub.ask().await else { panic!("it waits") };
    assert!(hub.secret.is_adjudicator_proof(&accepted, &proof));
    assert_eq!(post(&server, JOIN_PATH, &json!(forged)).await.1["state"], "waiting");
    let ledger = ann.json("/api/v1/td/ledger").await.to_string();
    assert!(ledger.contains("is accepted") && ledger.contains("Ann"), "{ledger}");
    server.stop().await;
}

#[tokio::test]
async fn floods_and_wrong_codes_are_bounded_and_the_desk_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let ann = Phone::paired(&server, "Ann", "chief", json!({})).await;
    let hub = Asking::at(&server, "7K3Q9-MWT4X").await;
    hub.ask().await;
    let mut refused = 0;
    for number in 0..200 {
        let request = json!({ "key": number.to_string(), "proof": "p", "machine": "a\nb" });
        refused +=
            u32::from(post(&server, JOIN_PATH, &request).await.0 == StatusCode::TOO_MANY_REQUESTS);
    }
    assert!(refused >= 180, "{refused}");
    let large = json!({ "key": "k".repeat(100_000), "proof": "p" });
    assert_eq!(post(&server, JOIN_PATH, &large).await.0, StatusCode::PAYLOAD_TOO_LARGE);
    let asking = ann.json("/api/v1/td/hubs").await["asking"].as_array().unwrap().len();
    assert!(asking <= 16, "{asking}");
    let mut codes = Vec::new();
    for number in 0..10 {
        codes.push(ann.post(ACCEPT, &json!({ "code": format!("00000-0000{number}") })).await.0);
    }
    assert_eq!(codes[0], StatusCode::NOT_FOUND);
    assert_eq!(codes[9], StatusCode::TOO_MANY_REQUESTS, "{codes:?}");
    assert_eq!(hub.ask().await, JoinAnswer::Waiting);
    server.stop().await;
}

#[tokio::test]
async fn places_are_the_chiefs_to_give_and_are_sent_until_the_hub_has_them() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(phone::config(folder.path())).await;
    let ann = Phone::paired(&server, "Ann", "chief", json!({})).await;
    let ben = Phone::paired(&server, "Ben", "section-chief", json!({})).await;
    let _hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    server.until("/api/v1/round", "its table", |it| it["tables"][0]["table"] == "1").await;
    let path = "/api/v1/td/hubs/north/tables";
    let body = json!({ "table": "1", "nodes": [["board-1", "A"]] });
    assert_eq!(with_status(post(&server, path, &body).await), StatusCode::UNAUTHORIZED);
    assert_eq!(with_status(ben.post(path, &body).await), StatusCode::FORBIDDEN);
    let (status, refused) = ann.post(path, &body).await;
    assert_eq!(status, StatusCode::CONFLICT, "{refused}");
    assert!(refused["error"].as_str().unwrap().contains("does not see node board-1"), "{refused}");
    for wrong in [
        json!({ "table": "a/b", "nodes": [] }),
        json!({ "table": "1", "nodes": [["b", "C"]] }),
        json!({}),
    ] {
        assert_eq!(
            with_status(ann.post(path, &wrong).await),
            StatusCode::UNPROCESSABLE_ENTITY,
            "{wrong}"
        );
    }
    assert_eq!(
        with_status(ann.post(path, &json!({ "table": "1", "nodes": [] })).await),
        StatusCode::OK
    );
    let listed = ann.json("/api/v1/td/hubs").await;
    assert_eq!(listed["hubs"][0]["is_waited_for"], true, "{listed}");
    server.stop().await;
}

fn with_status((status, _): (StatusCode, Value)) -> StatusCode {
    status
}
