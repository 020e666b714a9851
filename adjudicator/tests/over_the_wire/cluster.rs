//! Owners and fronts: the pages of a front, acts through it, a broker that forgets everything, and an owner that is gone.

#[path = "../../../tests/support/nats.rs"]
pub(crate) mod nats;

use std::time::{Duration, Instant};

use adjudicator::{
    Config,
    config::{Cluster, Role},
    run_front,
};
use futures::StreamExt as _;
use nats::Nats;
use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::{sync::watch, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use crate::{
    phone::{self, Phone},
    support::{self, Hub, PATIENCE, Server, scholars_mate},
};

/// A front in this process.
pub(crate) struct Front {
    pub(crate) http: String,
    shutdown: CancellationToken,
    task: JoinHandle<Result<(), adjudicator::TaskEnded>>,
}

impl Front {
    pub(crate) async fn start(folder: &std::path::Path, nats: &Nats) -> Front {
        Front::at(folder, &[nats.address()]).await
    }

    /// A front of the hall that knows these servers.
    pub(crate) async fn at(folder: &std::path::Path, nats: &[String]) -> Front {
        Front::with(folder, cluster(nats, Role::Front)).await
    }

    async fn with(folder: &std::path::Path, cluster: Cluster) -> Front {
        let mut config = support::config(folder);
        config.http.metrics_address = None;
        config.cluster = Some(cluster);
        let shutdown = CancellationToken::new();
        let running = run_front::start(config, shutdown.clone()).await.expect("a front starts");
        let http = format!("http://{}", running.http_address);
        Front { http, shutdown, task: tokio::spawn(running.wait()) }
    }

    pub(crate) async fn get(&self, path: &str) -> reqwest::Response {
        reqwest::get(format!("{}{path}", self.http)).await.expect("an answer")
    }

    pub(crate) async fn json(&self, path: &str) -> Value {
        self.get(path).await.json().await.expect("JSON")
    }

    /// Asks again until an answer is as wanted.
    pub(crate) async fn until(
        &self,
        path: &str,
        what: &str,
        wanted: impl Fn(&Value) -> bool,
    ) -> Value {
        let deadline = tokio::time::Instant::now() + 3 * PATIENCE;
        loop {
            let answer = self.get(path).await;
            let (status, value) = (answer.status(), answer.json().await.unwrap_or(Value::Null));
            if status.is_success() && wanted(&value) {
                return value;
            }
            assert!(tokio::time::Instant::now() < deadline, "no {what} in {status} {value}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    pub(crate) async fn stop(self) {
        self.shutdown.cancel();
        tokio::time::timeout(PATIENCE, self.task).await.expect("in time").unwrap().unwrap();
    }
}

fn cluster(nats: &[String], role: Role) -> Cluster {
    let (event, nats) = ("open.2026".to_owned(), nats.to_vec());
    let (authority_file, username, password_file) = (None, None, None);
    Cluster { event, role, nats, authority_file, username, password_file, halls: Vec::new() }
}

fn owner(folder: &std::path::Path, nats: &Nats) -> Config {
    let mut config = phone::config(folder);
    config.cluster = Some(cluster(&[nats.address()], Role::Owner));
    config
}

/// What a page has followed: the plies of its match, and how often the server began again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Followed {
    pub(crate) plies: Vec<Value>,
    pub(crate) resets: usize,
    pub(crate) streams: usize,
}

/// Follows a match over the event stream, as pages do; each stream goes on where the last one ended.
pub(crate) fn follow(http: &str, match_id: &str) -> watch::Receiver<Followed> {
    let (sender, seen) = watch::channel(Followed::default());
    let (http, match_id) = (http.to_owned(), match_id.to_owned());
    tokio::spawn(async move {
        let mut cursor = "0".to_owned();
        while !sender.is_closed() {
            let url = format!("{http}/api/v1/live?match={match_id}");
            let request = reqwest::Client::new().get(url).header("last-event-id", &cursor);
            if let Ok(answer) = request.send().await
                && answer.status().is_success()
            {
                sender.send_modify(|seen| seen.streams += 1);
                let (mut body, mut text) = (answer.bytes_stream(), String::new());
                while let Some(Ok(bytes)) = body.next().await {
                    text.push_str(std::str::from_utf8(&bytes).unwrap());
                    while let Some((event, rest)) = text.split_once("\n\n") {
                        take_in(event, &mut cursor, &sender);
                        text = rest.to_owned();
                    }
                }
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    seen
}

fn take_in(event: &str, cursor: &mut String, sender: &watch::Sender<Followed>) {
    let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name));
    if let Some(id) = field("id: ") {
        *cursor = id.to_owned();
    }
    match (field("event: "), field("data: ")) {
        (Some("reset"), _) => sender.send_modify(|seen| seen.resets += 1),
        (Some("plies"), Some(data)) => {
            let data: Value = serde_json::from_str(data).unwrap();
            let from = usize::try_from(data["from"].as_u64().unwrap()).unwrap();
            sender.send_modify(|seen| {
                seen.plies.truncate(from);
                assert_eq!(seen.plies.len(), from, "a gap");
                seen.plies.extend(data["plies"].as_array().unwrap().iter().cloned());
            });
        }
        _ => {}
    }
}

pub(crate) async fn until_followed(
    seen: &mut watch::Receiver<Followed>,
    what: &str,
    wanted: impl Fn(&Followed) -> bool,
) -> Followed {
    let found = tokio::time::timeout(3 * PATIENCE, seen.wait_for(wanted)).await;
    found.unwrap_or_else(|_| panic!("no {what}")).unwrap().clone()
}

/// The answer of a path without the time at which it was given.
async fn timeless(http: &str, path: &str) -> (StatusCode, Value) {
    let answer = reqwest::get(format!("{http}{path}")).await.unwrap();
    let status = answer.status();
    let mut value: Value = answer.json().await.unwrap_or(Value::Null);
    if let Some(fields) = value.as_object_mut() {
        fields.remove("now_ms");
    }
    (status, value)
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server: cargo xtask test programs"]
async fn a_front_serves_what_its_owner_serves_and_its_acts_are_in_the_log() {
    let (folder, nats) = (tempfile::tempdir().unwrap(), Nats::start());
    let front = Front::start(folder.path(), &nats).await;
    let owner = Server::start(owner(folder.path(), &nats)).await;
    let mut hub = Hub::connect(owner.mqtt_port, "north", 7, &["1"]).await;
    let script = scholars_mate("1", "m1");
    hub.send_until_committed(&script.rows[..6]).await;
    front.until("/api/v1/matches/m1", "match", |it| it["plies"][0].is_object()).await;
    let mut seen = follow(&front.http, "m1");
    until_followed(&mut seen, "first plies", |seen| !seen.plies.is_empty()).await;
    hub.send_until_committed(&script.rows).await;
    let all = support::SCHOLARS_MATE.len();
    let followed = until_followed(&mut seen, "all plies", |seen| seen.plies.len() == all).await;
    assert_eq!((followed.resets, followed.streams), (0, 1));
    front.until("/api/v1/matches/m1", "all plies", |it| it["plies"][all - 1].is_object()).await;
    for path in [
        "/api/v1/round",
        "/api/v1/matches",
        "/api/v1/matches/m1",
        "/api/v1/event",
        "/api/v1/nothing",
    ] {
        assert_eq!(timeless(&front.http, path).await, timeless(&owner.http, path).await, "{path}");
    }
    for path in ["/", "/api/v1/event.bpgn", "/api/v1/event.zip"] {
        let [of_front, of_owner] = [front.get(path).await, owner.get(path).await];
        let tag = of_owner.headers().get("etag").cloned();
        assert_eq!(of_front.headers().get("etag"), tag.as_ref(), "{path}");
        assert!(of_front.bytes().await.unwrap() == of_owner.bytes().await.unwrap(), "{path}");
        if let Some(tag) = tag {
            let request = reqwest::Client::new().get(format!("{}{path}", front.http));
            let again = request.header("if-none-match", tag).send().await.unwrap();
            assert_eq!(again.status(), StatusCode::NOT_MODIFIED, "{path}");
        }
    }
    // A director's phone that knows the front alone.
    let mut chief = Phone::paired(&owner, "Ann", "chief", json!({})).await;
    chief.http.clone_from(&front.http);
    chief.done(json!({ "of": "show", "table": "1" })).await;
    let round = owner.json("/api/v1/round").await;
    assert_eq!(round["tables"][0]["on_stream"], true, "an act is answered after its commit");
    assert_eq!(front.get("/api/v1/td/round").await.status(), StatusCode::UNAUTHORIZED);
    assert!(chief.get("/api/v1/td/live").await.bytes_stream().next().await.unwrap().is_ok());
    owner.stop().await;
    // Without an owner the pages are there, and an act is refused with the reason.
    assert_eq!(front.get("/api/v1/round").await.status(), StatusCode::OK);
    front.stop().await;
}

/// The first answer of a front about its hall, and how long it took.
async fn first_answer(front: &Front) -> (StatusCode, String, Duration) {
    let began = Instant::now();
    let answer = front.get("/api/v1/round").await;
    let (status, has_retry) = (answer.status(), answer.headers().contains_key("retry-after"));
    let words = answer.text().await.unwrap();
    assert!(has_retry || status.is_success(), "{status}: {words}");
    (status, words, began.elapsed())
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server: cargo xtask test programs"]
async fn a_front_without_an_owner_says_so_and_goes_on_when_one_comes() {
    let (folder, nats) = (tempfile::tempdir().unwrap(), Nats::start());
    let front = Front::start(folder.path(), &nats).await;
    let health = front.json("/healthz").await;
    assert_eq!((&health["owner"], &health["epoch"]), (&json!("not connected"), &Value::Null));
    // A takeover is waited for, and no longer; who asks after it is answered at once.
    let (status, words, _) = first_answer(&front).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(words.contains("the hall's owner cannot be reached"), "{words}");
    let deed = json!({ "key": "one", "deed": { "of": "show", "table": null } });
    let (status, answer) = phone::with_token(&front.http, "/api/v1/td/acts", &deed).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE, "{answer}");
    let (_, _, took) = first_answer(&front).await;
    assert!(took < Duration::from_secs(1), "{took:?}");
    let watching = reqwest::get(format!("{}/api/v1/live", front.http)).await.unwrap();
    assert_eq!(watching.status(), StatusCode::OK, "a page stays connected, and waits");
    let owner = Server::start(owner(folder.path(), &nats)).await;
    let began = Instant::now();
    front.until("/api/v1/round", "the round", |round| round["tables"].is_array()).await;
    println!("pages are there {:?} after the owner", began.elapsed());
    let (status, answer) = phone::with_token(&front.http, "/api/v1/td/acts", &deed).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let mut hub = Hub::connect(owner.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&scholars_mate("1", "m1").rows).await;
    let mut text = String::new();
    let mut stream = watching.bytes_stream();
    while !text.contains("id: ") {
        text.push_str(std::str::from_utf8(&stream.next().await.unwrap().unwrap()).unwrap());
    }
    owner.stop().await;
    front.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server: cargo xtask test programs"]
async fn a_broker_that_is_killed_and_forgets_everything_costs_no_event() {
    let (folder, mut nats) = (tempfile::tempdir().unwrap(), Nats::start());
    let owner = Server::start(owner(folder.path(), &nats)).await;
    let front = Front::start(folder.path(), &nats).await;
    let mut hub = Hub::connect(owner.mqtt_port, "north", 7, &["1"]).await;
    let script = scholars_mate("1", "m1");
    hub.send_until_committed(&script.rows[..5]).await;
    front.until("/api/v1/matches/m1", "match", |it| it["plies"][0].is_object()).await;
    assert_eq!(front.get("/api/v1/round").await.status(), StatusCode::OK);
    let mut seen = follow(&front.http, "m1");
    for rows in [6, 8, 10] {
        until_followed(&mut seen, "plies", |seen| seen.plies.len() == rows - 5).await;
        nats.kill();
        hub.send_until_committed(&script.rows[..rows]).await;
        assert_eq!(front.get("/api/v1/round").await.status(), StatusCode::OK);
        nats.go_on();
        until_followed(&mut seen, "what was missed", |seen| seen.plies.len() == rows - 4).await;
        hub.send_until_committed(&script.rows[..=rows]).await;
        until_followed(&mut seen, "the next", |seen| seen.plies.len() == rows - 3).await;
    }
    let followed = seen.borrow().clone();
    assert_eq!((followed.resets, followed.streams), (0, 1), "the page's stream never ended");
    owner.stop().await;
    front.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server: cargo xtask test programs"]
async fn the_nats_of_the_example_lets_no_front_speak_for_an_owner() {
    let folder = tempfile::tempdir().unwrap();
    let example = include_str!("../../../deploy/cluster/nats.conf");
    let (before, rest) = example.split_once("tls {").unwrap();
    let (_, accounts) = rest.split_once("}\n").unwrap();
    let file = folder.path().join("nats.conf");
    let text = before.replace("listen: 0.0.0.0:4222", "") + accounts;
    std::fs::write(&file, text).unwrap();
    let passwords =
        [("TWINBOARD_OWNER", "of-owners-alone"), ("TWINBOARD_FRONT", "of-fronts-alone")];
    let nats = Nats::with(&["-c", &file.to_string_lossy()], &passwords);
    let of = |user: &str, password: &str, role| {
        let file = folder.path().join(user);
        adjudicator::pki::secrets::write(&file, password).unwrap();
        let (username, password_file) = (Some(user.to_owned()), Some(file));
        Cluster { username, password_file, ..cluster(&[nats.address()], role) }
    };
    let front = Front::with(folder.path(), of("front", passwords[1].1, Role::Front)).await;
    let mut config = phone::config(folder.path());
    config.cluster = Some(of("owner", passwords[0].1, Role::Owner));
    let owner = Server::start(config).await;
    let mut hub = Hub::connect(owner.mqtt_port, "north", 7, &["1"]).await;
    let script = scholars_mate("1", "m1");
    hub.send_until_committed(&script.rows[..6]).await;
    let mut seen = follow(&front.http, "m1");
    until_followed(&mut seen, "first plies", |seen| seen.plies.len() == 2).await;
    // With a later epoch than the owner's nobody would believe the owner any more.
    let head = json!({ "epoch": u64::MAX, "number": 1, "to": "1-1", "plain": 0 }).to_string();
    let forged = [&u32::try_from(head.len()).unwrap().to_be_bytes()[..], head.as_bytes()].concat();
    let account = async_nats::ConnectOptions::with_user_and_password(
        "front".to_owned(),
        passwords[1].1.to_owned(),
    );
    let client = account.connect(nats.address()).await.unwrap();
    client.publish("tw.open=2026.hall.batch.broadcast", forged.into()).await.unwrap();
    client.flush().await.unwrap();
    hub.send_until_committed(&script.rows).await;
    let all = support::SCHOLARS_MATE.len();
    until_followed(&mut seen, "all plies", |seen| seen.plies.len() == all).await;
    owner.stop().await;
    front.stop().await;
}
