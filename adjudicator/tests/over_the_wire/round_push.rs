//! Rounds of chess that are sent away: to a server with Lichess's interface for pushes, written after its public documentation, and to a
//! web host that takes files.
//!
//! The server refuses what Lichess does: a request without its token, and each game that cannot be read, with its tags and the reason.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
};

use axum::{
    Json, Router,
    extract::{Path as UrlPath, State},
    http::{HeaderMap, StatusCode, header},
    routing::post,
};
use serde_json::{Value, json};

use crate::{
    phone::{Phone, config},
    round_feed::{PLIES, chess, open_round, prepared},
    support::{Hub, PATIENCE, Server},
    web_host::{WebHost, mirrored, until},
};

const TOKEN: &str = "lip_of-the-club";

/// Rounds that the server has received.
#[derive(Default)]
struct Away {
    /// Requests that are answered by 503 first.
    refusals: AtomicU32,
    /// The newest push of each round.
    rounds: Mutex<BTreeMap<String, String>>,
}

impl Away {
    fn round(&self, id: &str) -> String {
        self.rounds.lock().unwrap().get(id).cloned().unwrap_or_default()
    }

    /// Number of plies of the first table's game at the broadcast, and its result.
    fn first_game(&self) -> (usize, String) {
        let games = rules::pgn::read(self.round("round001").as_bytes());
        games
            .first()
            .map(|(game, _)| (game.plies.len(), game.result.to_string()))
            .unwrap_or_default()
    }
}

async fn push(
    State(away): State<Arc<Away>>,
    UrlPath(id): UrlPath<String>,
    headers: HeaderMap,
    body: String,
) -> (StatusCode, Json<Value>) {
    let of = |name| headers.get(name).and_then(|it| it.to_str().ok()).unwrap_or_default();
    if of(header::AUTHORIZATION) != format!("Bearer {TOKEN}") {
        return (StatusCode::UNAUTHORIZED, Json(json!({ "error": "No such token" })));
    }
    if away
        .refusals
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |it| it.checked_sub(1))
        .is_ok()
    {
        return (StatusCode::SERVICE_UNAVAILABLE, Json(json!({ "error": "Be right back" })));
    }
    assert!(of(header::CONTENT_TYPE).starts_with("text/plain"), "{headers:?}");
    let games: Vec<Value> = rules::pgn::read(body.as_bytes())
        .into_iter()
        .map(|(game, error)| {
            let tags: BTreeMap<_, _> = game.tags.iter().cloned().collect();
            // One that this server does not like, so that there is a refusal to be shown.
            let unloved = tags.get("White").is_some_and(|white| white == "No. 3");
            match error {
                Some(error) => json!({ "tags": tags, "error": error.to_string() }),
                None if unloved && !game.plies.is_empty() => {
                    json!({ "tags": tags, "error": "Cannot parse e4" })
                }
                None => json!({ "tags": tags, "moves": game.plies.len() }),
            }
        })
        .collect();
    away.rounds.lock().unwrap().insert(id, body);
    (StatusCode::OK, Json(json!({ "games": games })))
}

async fn away() -> (String, Arc<Away>) {
    let away = Arc::new(Away::default());
    let router =
        Router::new().route("/api/broadcast/round/{id}/push", post(push)).with_state(away.clone());
    let socket = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", socket.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(socket, router).await.unwrap() });
    (address, away)
}

/// Pushes to a server, and all public pages at a host.
fn sending_to(folder: &Path, address: &str, token: &str, host: &str) -> adjudicator::Config {
    let file = folder.join("lichess-token");
    adjudicator::pki::secrets::write(&file, token).unwrap();
    let section = format!(
        "[[push]]\nsection = \"Open\"\nrounds = [\"round001\"]\nurl = {address:?}\ntoken_file = {file:?}\n"
    );
    let read: adjudicator::Config = toml::from_str(&section).unwrap();
    mirrored(adjudicator::Config { pushes: read.pushes, ..config(folder) }, host, "")
}

pub(crate) fn is_about(needs: &Value, words: &[&str]) -> bool {
    needs["needs"].as_array().is_some_and(|needs| {
        needs.iter().any(|need| {
            let detail = need["detail"].as_str().unwrap_or_default();
            need["what"] == "A broadcast stands still" && words.iter().all(|it| detail.contains(it))
        })
    })
}

#[tokio::test]
async fn rounds_are_pushed_and_mirrored_and_what_is_refused_is_on_the_desk() {
    let folder = tempfile::tempdir().unwrap();
    let ((address, away), (at, host)) = (away().await, WebHost::start().await);
    away.refusals.store(1, Ordering::Relaxed);
    let server = Server::start(sending_to(folder.path(), &address, TOKEN, &at)).await;
    let mut chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    prepared(&server, &mut chief, &["Open".to_owned()], 2).await;
    open_round(&server, &mut chief, "Open", 1, ["2", "10"]).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["2", "10"]).await;
    hub.send_until_committed(&chess("2", "m1", &PLIES[..2]).rows).await;
    until("the plies at the broadcast", || away.first_game() == (2, "*".to_owned())).await;
    let games = server.get("/api/v1/feed/open/round-1/games.pgn").await.text().await.unwrap();
    until("the file at the host", || host.file("open/round-1/games.pgn") == games).await;
    assert!(host.file("open/round-1/index.json").contains("pairings"));
    assert_eq!(away.round("round001"), games, "a push is what everybody may read");
    assert!(!games.contains("Example"), "nobody is named: {games}");

    // The copies that pages read are the server's answers to everybody.
    let shown = server.json("/api/v1/matches/m1").await;
    until("the match at the host", || {
        let text = host.file("api/v1/matches/m1.json.gz");
        let copy: Value = serde_json::from_str(&text).unwrap_or_default();
        copy["plies"] == shown["plies"] && copy["plies"].as_array().is_some_and(|it| it.len() == 2)
    })
    .await;
    until("standings", || host.file("api/v1/standings/Open.json.gz").contains("crosstable")).await;
    let copies = host.files();
    assert!(copies["api/v1/round.json.gz"].contains("\"m1\""), "{:?}", copies.keys());
    for (path, text) in copies.iter().filter(|(path, _)| !path.starts_with("assets/")) {
        assert!(!text.contains("Example"), "nobody is named in {path}: {text}");
        assert!(!path.contains("/td") && !path.starts_with("td"), "{path}");
    }
    // Scripts of pages for everybody know no address of directors, and no secret is anywhere.
    let secrets = ["/api/v1/td", &chief.key, &chief.cookie, crate::phone::TOKEN, TOKEN];
    for (path, text) in &copies {
        assert!(!secrets.iter().any(|secret| text.contains(secret)), "{path}");
    }

    let result = json!({ "what": "enter-result", "winner": "team-1", "reason": "resignation" });
    let (status, answer) = chief.decide("m1", result).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    until("the result", || away.first_game() == (2, "1-0".to_owned())).await;

    // A game that the server refuses is named; a round without an id is, too.
    let mut second = chess("10", "m2", &PLIES[..2]).rows;
    let before = chess("2", "m1", &PLIES[..2]).rows.len() as u64;
    second.iter_mut().for_each(|row| row.sequence += before);
    hub.send_until_committed(&second).await;
    let refused = |needs: &Value| is_about(needs, &["Open, round 1", "No. 3", "Cannot parse e4"]);
    chief_until(&mut chief, refused).await;
    open_round(&server, &mut chief, "Open", 2, ["2", "10"]).await;
    chief_until(&mut chief, |needs| is_about(needs, &["Open, round 2", "push.rounds"])).await;
    server.stop().await;
}

#[tokio::test]
async fn token_that_is_not_accepted_is_on_the_desk_and_an_address_that_is_none_stops_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let ((address, away), (at, host)) = (away().await, WebHost::start().await);
    let server = Server::start(sending_to(folder.path(), &address, "lip_of-another", &at)).await;
    let mut chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    prepared(&server, &mut chief, &["Open".to_owned()], 1).await;
    open_round(&server, &mut chief, "Open", 1, ["2", "10"]).await;
    chief_until(&mut chief, |needs| is_about(needs, &["401", "token_file"])).await;
    // The host takes files all the same.
    until("the file at the host", || host.file("open/round-1/games.pgn").contains("No. 1")).await;
    assert_eq!(away.round("round001"), "");
    server.stop().await;
    let wrong = adjudicator::Config {
        pushes: Vec::new(),
        ..sending_to(folder.path(), &address, TOKEN, "ftp://club.example")
    };
    let shutdown = tokio_util::sync::CancellationToken::new();
    let refused = adjudicator::start(wrong, shutdown).await.err().unwrap().to_string();
    assert!(refused.contains("mirror.url") && refused.contains("ftp://"), "{refused}");
}

pub(crate) async fn chief_until(chief: &mut Phone, is_so: impl Fn(&Value) -> bool) {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    loop {
        let needs = chief.json("/api/v1/td/needs").await;
        if is_so(&needs) {
            return;
        }
        assert!(tokio::time::Instant::now() < deadline, "{needs}");
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
}
