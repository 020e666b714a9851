//! Tests of strangers: they get nothing at any of the directors' addresses, and change nothing there.

use std::collections::BTreeSet;

use reqwest::{Method, StatusCode, header};
use serde_json::json;

use crate::{
    phone::{self, Phone, TOKEN},
    support::{Hub, Server, scholars_mate},
};

/// Source of the list of addresses: a new one is attacked by itself.
const ROUTES: &str = include_str!("../../src/http/td/mod.rs");

/// Addresses that check a token and a PIN instead of a session.
const LETS_IN: &str = "/api/v1/td/pair";

/// The directors' addresses, with names in place of their parameters.
fn paths() -> BTreeSet<String> {
    let listed = ROUTES.split('"').filter(|part| part.starts_with("/api/v1/td/"));
    let filled = listed.map(|path| {
        let named = path.replace("{table}", "1").replace("{book}", "us-chess-bughouse-2018");
        named.replace("matches/{id}", "matches/m1").replace("{id}", "1").replace("{act}", "1")
    });
    filled.collect()
}

/// A client without a director's session.
struct Stranger {
    name: &'static str,
    headers: Vec<(&'static str, String)>,
}

fn strangers(ann: &Phone, ben: &Phone) -> Vec<Stranger> {
    let stranger = |name, headers| Stranger { name, headers };
    let cookie = ann.cookie.clone();
    vec![
        stranger("a viewer", vec![]),
        stranger("a made-up token", vec![("authorization", "Bearer let-me-in".to_owned())]),
        stranger(
            "a token that lacks its end",
            vec![("authorization", format!("Bearer {}", &TOKEN[..TOKEN.len() - 1]))],
        ),
        stranger("an empty token", vec![("authorization", "Bearer ".to_owned())]),
        stranger(
            "a hub's account",
            vec![(
                "authorization",
                // north:secret
                "Basic bm9ydGg6c2VjcmV0".to_owned(),
            )],
        ),
        stranger("a stolen cookie", vec![("cookie", cookie.clone())]),
        stranger(
            "a stolen cookie with another device's key",
            vec![("cookie", cookie), ("x-twinboard-key", ben.key.clone())],
        ),
        stranger("a key without its cookie", vec![("x-twinboard-key", ann.key.clone())]),
    ]
}

#[tokio::test]
async fn whoever_is_no_director_gets_nothing_and_changes_nothing_at_any_address() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(phone::config(folder.path())).await;
    let ann = Phone::paired(&server, "Ann", "chief", json!({})).await;
    let ben = Phone::paired(&server, "Ben", "floor", json!({})).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&scholars_mate("1", "m1").rows).await;
    server.until("/api/v1/round", "the match", |it| it["tables"][0]["ply_count"] == 9).await;
    let before = ann.json("/api/v1/td/ledger").await;
    let paths = paths();
    assert!(paths.len() > 20, "the addresses are listed elsewhere by now: {paths:?}");
    let deed = json!({ "key": "1", "deed": { "of": "match", "match": "m1", "seen": 99, "decided":
        { "what": "enter-result", "winner": "team-1", "reason": "mate" } } });
    for Stranger { name, headers } in strangers(&ann, &ben) {
        for path in paths.iter().filter(|path| *path != LETS_IN) {
            for method in [Method::GET, Method::POST] {
                let url = format!("{}{path}", server.http);
                let mut request = reqwest::Client::new().request(method.clone(), url);
                for (header, value) in &headers {
                    request = request.header(*header, value);
                }
                if method == Method::POST {
                    request = request.json(&deed);
                }
                let answer = request.send().await.unwrap();
                let status = answer.status();
                let is_refused = matches!(
                    status,
                    StatusCode::UNAUTHORIZED
                        | StatusCode::FORBIDDEN
                        | StatusCode::METHOD_NOT_ALLOWED
                );
                assert!(is_refused, "{name}: {method} {path} answered {status}");
                assert!(answer.headers().get(header::SET_COOKIE).is_none(), "{name}: {path}");
                let said = answer.text().await.unwrap();
                assert!(!said.contains("Ann") && !said.contains("illegal"), "{name}: {said}");
            }
        }
    }
    assert_eq!(ann.json("/api/v1/td/ledger").await, before);
    let shown = ann.json("/api/v1/td/matches/m1").await;
    assert_eq!(shown["result"], json!(null), "{shown}");
    server.stop().await;
}

#[tokio::test]
async fn an_act_of_one_device_is_no_act_of_another_whatever_key_it_names() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(phone::config(folder.path())).await;
    let ann = Phone::paired(&server, "Ann", "chief", json!({})).await;
    let ben = Phone::paired(&server, "Ben", "floor", json!({})).await;
    let show = json!({ "key": "same", "deed": { "of": "show", "table": null } });
    let (status, anns) = ann.post("/api/v1/td/acts", &show).await;
    assert_eq!(status, StatusCode::OK, "{anns}");
    let (status, again) = ann.post("/api/v1/td/acts", &show).await;
    assert_eq!((status, &again["act"]), (StatusCode::OK, &anns["act"]), "done once");
    let (status, bens) = ben.post("/api/v1/td/acts", &show).await;
    assert_eq!(status, StatusCode::OK, "{bens}");
    assert_ne!(bens["act"], anns["act"], "Ben is not told Ann's answer");
    server.stop().await;
}
