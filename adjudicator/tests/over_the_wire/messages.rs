//! Messages to families: of their child's next table alone, to a topic that nobody can guess, and no longer than they want them.
//!
//! `TWINBOARD_FOLLOWERS=500 cargo test -p adjudicator --test over_the_wire followers -- --nocapture` prints how soon all of 500 know a pairing.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};

use axum::{Router, extract::Path, http::StatusCode as Status, routing::post};
use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::{
    event::{prepared, send},
    phone::{Phone, config},
    support::{PATIENCE, Server},
};

/// Followers in the suites; [`FOLLOWERS`] names another number.
const FOLLOWERS_FEW: usize = 20;
const FOLLOWERS: &str = "TWINBOARD_FOLLOWERS";
/// Longest time until 99 of 100 followers know their pairing.
const KNOWN_MAX: Duration = Duration::from_secs(5);

/// A message as the ntfy server got it: topic, text, and when.
pub(crate) type Sent = (String, String, Instant);
pub(crate) type Receiver = mpsc::UnboundedReceiver<Sent>;

/// A server with the interface of ntfy.
pub(crate) async fn ntfy() -> (String, Receiver) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let take = move |Path(topic): Path<String>, body: String| {
        let _ = sender.send((topic, body, Instant::now()));
        async { Status::OK }
    };
    let router = Router::new().route("/{topic}", post(take));
    let socket = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", socket.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(socket, router).await.unwrap() });
    (address, receiver)
}

pub(crate) async fn next(messages: &mut Receiver) -> Sent {
    tokio::time::timeout(PATIENCE, messages.recv()).await.unwrap().unwrap()
}

/// Links of these children, made at once; their secrets.
pub(crate) async fn links(chief: &Phone, players: &[Value]) -> Vec<String> {
    let wanted = json!({ "players": players });
    let (status, made) = chief.post("/api/v1/td/children/links", &wanted).await;
    assert_eq!(status, StatusCode::OK, "{made}");
    let secret = |it: &Value| it["path"].as_str().unwrap().replace("/child#", "");
    made.as_array().unwrap().iter().map(secret).collect()
}

/// A family asks for messages, or for none any more.
pub(crate) async fn ask(
    server: &Server,
    secret: &str,
    key: &str,
    language: Option<&str>,
) -> StatusCode {
    let deed = json!({ "key": key, "deed": { "of": "messages", "language": language } });
    let request = reqwest::Client::new().post(format!("{}/api/v1/child", server.http)).json(&deed);
    request.header("x-twinboard-link", secret).send().await.unwrap().status()
}

pub(crate) async fn address(server: &Server, secret: &str) -> Value {
    let request = reqwest::Client::new().get(format!("{}/api/v1/child", server.http));
    let answer = request.header("x-twinboard-link", secret).send().await.unwrap();
    answer.json::<Value>().await.unwrap()["messages"].clone()
}

#[tokio::test]
async fn a_family_that_asks_is_told_of_its_childs_table_and_of_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let (ntfy, mut messages) = ntfy().await;
    let mut config = config(folder.path());
    config.families.ntfy = Some(ntfy.clone());
    config.event.show_player_names = true;
    let server = Server::start(config).await;
    let mut chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    prepared(&server, &mut chief).await;
    let sheet = chief.json("/api/v1/td/event").await;
    let player =
        |entrant: usize| sheet["sections"][0]["entrants"][entrant]["players"][0]["player"].clone();
    let secrets = links(&chief, &[player(0), player(1)]).await;
    let [ada, cy] = secrets.as_slice() else { panic!() };
    assert_eq!(ask(&server, "guessed", "a", Some("en")).await, StatusCode::NOT_FOUND);
    let topic = |shown: &Value| {
        let address = shown["address"].as_str().unwrap().to_owned();
        address.strip_prefix(&format!("{ntfy}/")).unwrap().to_owned()
    };
    let shown = address(&server, ada).await;
    assert_eq!(shown["is_on"], false);
    let of_ada = topic(&shown);
    let of_cy = topic(&address(&server, cy).await);
    assert!(of_ada.len() > 30 && of_ada != of_cy);
    assert_eq!(ask(&server, ada, "a", Some("es")).await, StatusCode::OK);
    let (to, text, _) = next(&mut messages).await;
    assert_eq!((&to, text.starts_with("Ronda 1: mesa 1")), (&of_ada, true), "{text}");
    assert_eq!(address(&server, ada).await["is_on"], true);
    assert_eq!(ask(&server, cy, "a", Some("en")).await, StatusCode::OK);
    let (to, text, _) = next(&mut messages).await;
    assert_eq!((&to, text.starts_with("Round 1: table 1")), (&of_cy, true), "{text}");
    let pairing = sheet["sections"][0]["pairings"][0].clone();
    let at_table = |table: &str| {
        let mut deed = json!({ "kind": "pairing-changed", "table": table });
        deed["pairing"] = pairing["pairing"].clone();
        deed["sides"] = json!([[1], [2]]);
        json!({ "of": "event", "deeds": [deed] })
    };
    chief.done(at_table("2")).await;
    let mut told = BTreeMap::new();
    while told.len() < 2 {
        let (to, text, _) = next(&mut messages).await;
        for name in ["Ada", "Cy", "Example", "Knights", "Rooks"] {
            assert!(!text.contains(name), "{text}");
        }
        told.insert(to, text);
    }
    assert!(told[&of_ada].starts_with("Ronda 1: mesa 2"), "{told:?}");
    // Who wants none any more gets none, nor does a link that is revoked.
    assert_eq!(ask(&server, ada, "b", None).await, StatusCode::OK);
    chief.done(at_table("1")).await;
    let (to, text, _) = next(&mut messages).await;
    assert_eq!((&to, text.starts_with("Round 1: table 1")), (&of_cy, true), "{text}");
    let revoked = json!([{ "kind": "link-revoked", "player": player(1) }]);
    chief.done(json!({ "of": "event", "deeds": revoked })).await;
    assert_eq!(ask(&server, ada, "c", Some("en")).await, StatusCode::OK);
    assert_eq!(next(&mut messages).await.0, of_ada);
    chief.done(at_table("2")).await;
    assert_eq!(next(&mut messages).await.0, of_ada);
    assert!(messages.try_recv().is_err());
    server.stop().await;
}

#[tokio::test]
async fn without_a_server_a_family_reads_that_there_are_no_messages() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    prepared(&server, &mut chief).await;
    let sheet = chief.json("/api/v1/td/event").await;
    let player = sheet["sections"][0]["entrants"][0]["players"][0]["player"].clone();
    let secrets = links(&chief, &[player]).await;
    assert_eq!(address(&server, &secrets[0]).await, Value::Null);
    assert_eq!(ask(&server, &secrets[0], "a", Some("en")).await, StatusCode::CONFLICT);
    server.stop().await;
}

#[tokio::test]
async fn followers_know_a_pairing_within_five_seconds() {
    let named = std::env::var(FOLLOWERS).ok().and_then(|text| text.parse().ok());
    let followers: usize = named.unwrap_or(FOLLOWERS_FEW);
    let folder = tempfile::tempdir().unwrap();
    let (ntfy, mut messages) = ntfy().await;
    let mut config = config(folder.path());
    config.families.ntfy = Some(ntfy);
    let server = Server::start(config).await;
    let mut chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    let names = (1..=followers).map(|number| format!("Blitz,{number},Child {number}\n"));
    let list = format!("Section,Number,Player\n{}", names.collect::<String>());
    let (status, answer) =
        send(&server, "import?kind=players&rounds=3&rulebook=us-chess-blitz-2020", &list).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let tables: Vec<String> = (1..=followers / 2).map(|table| table.to_string()).collect();
    let deeds = json!([
        { "kind": "tables-listed", "tables": tables },
        { "kind": "round-opened", "section": "Blitz", "round": 1 },
    ]);
    chief.done(json!({ "of": "event", "deeds": deeds })).await;
    let sheet = chief.json("/api/v1/td/event").await;
    let entrants = sheet["sections"][0]["entrants"].as_array().unwrap();
    let players: Vec<Value> =
        entrants.iter().map(|entrant| entrant["players"][0]["player"].clone()).collect();
    for secret in links(&chief, &players).await {
        assert_eq!(ask(&server, &secret, "a", Some("en")).await, StatusCode::OK);
    }
    let pairs =
        (0..followers / 2).map(|at| format!("Blitz,1,{},{},{}\n", at + 1, 2 * at + 1, 2 * at + 2));
    let list = format!("Section,Round,Table,White,Black\n{}", pairs.collect::<String>());
    let begun = Instant::now();
    let (status, answer) = send(&server, "import?kind=pairings", &list).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let (mut topics, mut took) = (BTreeSet::new(), Vec::new());
    while topics.len() < followers / 2 * 2 {
        let (topic, _, at) = next(&mut messages).await;
        if topics.insert(topic) {
            took.push(at.duration_since(begun));
        }
    }
    took.sort_unstable();
    let [median, most] = [50, 99].map(|share| took[(took.len() - 1) * share / 100]);
    println!("{followers} followers: 50 % after {median:?}, 99 % after {most:?}");
    assert!(most <= KNOWN_MAX, "{most:?}");
    server.stop().await;
}
