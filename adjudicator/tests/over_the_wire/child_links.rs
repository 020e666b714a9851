//! Tests that nothing of another child is in what a family's link, its messages and the copies of the public pages have: no name, team,
//! number or table.

use std::collections::{BTreeMap, BTreeSet};

use proto::mqtt::message::{Board, MatchState, Side};
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::{
    event::{AS_TEAMS, send},
    messages::{self, ask, links, ntfy},
    phone::{Phone, config},
    support::{Hub, Script, Server},
    web_host::{WebHost, mirrored, until},
};

const TEAMS: &str = "Section,Number,Team,Player,Partner\n\
    K-6,1,Knights,Adalind Ahorn,Bertram Birke\n\
    K-6,2,Rooks,Clothilde Clematis,Dietmar Distel\n\
    K-6,3,Bishops,Edeltraud Efeu,Friedhelm Farn\n\
    K-6,4,Pawns,Gerlinde Ginster,Hartmut Hanf\n\
    K-6,5,Queens,Irmgard Iris,Joachim Jasmin\n";
const PLAYERS: &str =
    "Section,Number,Player\nOpen,1,Kunigunde Klee\nOpen,2,Leopold Lilie\nOpen,3,Mechthild Mohn\n";
const AS_PLAYERS: &str = "kind=players&rulebook=us-chess-blitz-2020&rounds=3";
/// Pairings of each round.
const ROUNDS: [&str; 2] = [
    "Section,Round,Table,First,Second\nK-6,1,alcove,1,2\nK-6,1,balcony,3,4\nK-6,1,,5,full-point bye\n\
     Open,1,cellar,1,2\nOpen,1,,3,full-point bye\n",
    "Section,Round,Table,First,Second\nK-6,2,balcony,1,3\nK-6,2,alcove,2,5\nK-6,2,,4,full-point bye\n\
     Open,2,cellar,3,1\nOpen,2,,2,full-point bye\n",
];
/// Entrants in the order of the lists; table and opponent of each, by rounds.
const MAY: [(&str, &[[&str; 2]]); 8] = [
    ("Knights", &[["alcove", "Rooks"], ["balcony", "Bishops"]]),
    ("Rooks", &[["alcove", "Knights"], ["alcove", "Queens"]]),
    ("Bishops", &[["balcony", "Pawns"], ["balcony", "Knights"]]),
    ("Pawns", &[["balcony", "Bishops"], ["", ""]]),
    ("Queens", &[["", ""], ["alcove", "Rooks"]]),
    ("No. 1", &[["cellar", "No. 2"], ["cellar", "No. 3"]]),
    ("No. 2", &[["cellar", "No. 1"], ["", ""]]),
    ("No. 3", &[["", ""], ["cellar", "No. 1"]]),
];

/// A family, and the words that it may read.
struct Family {
    first_name: String,
    secret: String,
    topic: String,
    own: &'static str,
    rounds: &'static [[&'static str; 2]],
}

impl Family {
    /// Names, teams, numbers and tables of other children, after `rounds` rounds.
    fn strange<'a>(&self, words: &'a BTreeSet<String>, rounds: usize) -> Vec<&'a str> {
        let seen = self.rounds[..rounds].as_flattened();
        let is_own = |word: &str| word == self.first_name || word == self.own;
        let strange = |word: &&str| !is_own(word) && !seen.contains(word);
        words.iter().map(String::as_str).filter(strange).collect()
    }
}

/// Words of the lists: each name, team, number and table.
fn words() -> BTreeSet<String> {
    let names = children().into_iter().flatten().collect::<Vec<_>>().join(" ");
    let of_entrants = MAY.iter().map(|(own, _)| *own).chain(["alcove", "balcony", "cellar"]);
    names.split(' ').chain(of_entrants).map(str::to_owned).collect()
}

/// Names of the children, by entrants.
fn children() -> Vec<Vec<&'static str>> {
    let rows = TEAMS.lines().skip(1).chain(PLAYERS.lines().skip(1));
    rows.map(|row| row.split(',').filter(|it| it.contains(' ')).collect()).collect()
}

/// Answer to a family's link, and that no cache on the way may keep it.
async fn answer(server: &Server, secret: &str) -> String {
    let request = reqwest::Client::new().get(format!("{}/api/v1/child", server.http));
    let answer = request.header("x-twinboard-link", secret).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(answer.headers()["cache-control"], "no-store");
    assert!(!answer.headers().contains_key("etag"));
    answer.text().await.unwrap()
}

/// Two sections, and the families of all children, who want messages.
async fn families(server: &Server, chief: &mut Phone) -> Vec<Family> {
    for (path, list) in [(AS_TEAMS, TEAMS), (AS_PLAYERS, PLAYERS)] {
        let (status, answer) = send(server, &format!("import?{path}"), list).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
    }
    let tables = json!([{ "kind": "tables-listed", "tables": ["alcove", "balcony", "cellar"] }]);
    chief.done(json!({ "of": "event", "deeds": tables })).await;
    let sheet = chief.json("/api/v1/td/event").await;
    let sections = sheet["sections"].as_array().unwrap();
    let entrants = sections.iter().flat_map(|it| it["entrants"].as_array().unwrap());
    let mut families = Vec::new();
    for ((entrant, names), (own, rounds)) in entrants.zip(children()).zip(MAY) {
        let players = entrant["players"].as_array().unwrap();
        let ids: Vec<Value> = players.iter().map(|it| it["player"].clone()).collect();
        for (name, secret) in names.iter().zip(links(chief, &ids).await) {
            assert_eq!(ask(server, &secret, "a", Some("en")).await, StatusCode::OK);
            let shown = messages::address(server, &secret).await;
            let topic = shown["address"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
            let first_name = name.split(' ').next().unwrap().to_owned();
            families.push(Family { first_name, secret, topic, own, rounds });
        }
    }
    families
}

/// Every family reads its page, and the page has nothing of another child.
async fn read(server: &Server, families: &[Family], rounds: usize, state: &str) {
    let words = words();
    for family in families {
        let text = answer(server, &family.secret).await;
        assert!(text.contains(&family.first_name), "{state}: {text}");
        for word in family.strange(&words, rounds) {
            assert!(!text.contains(word), "{state}: {word} for {}: {text}", family.first_name);
        }
    }
}

async fn open(server: &Server, chief: &mut Phone, round: usize) {
    let opened =
        ["K-6", "Open"].map(|it| json!({ "kind": "round-opened", "section": it, "round": round }));
    chief.done(json!({ "of": "event", "deeds": opened })).await;
    let (status, answer) = send(server, "import?kind=pairings", ROUNDS[round - 1]).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
}

/// The round's message of every family, in which there is its own table and nothing else.
async fn check_messages(receiver: &mut messages::Receiver, families: &[Family], round: usize) {
    let mut texts = BTreeMap::new();
    while texts.len() < families.len() {
        let (topic, text, _) = messages::next(receiver).await;
        if text.starts_with(&format!("Round {round}:")) {
            texts.insert(topic, text);
        }
    }
    let words = words();
    for family in families {
        let text = &texts[&family.topic];
        let [table, _] = family.rounds[round - 1];
        assert!(text.contains(table) && text.contains("no game") == table.is_empty(), "{text}");
        for word in words.iter().filter(|word| *word != table) {
            assert!(!text.contains(word.as_str()), "{word} in a message: {text}");
        }
    }
}

/// A match at one table and a clock that runs there, while the other tables wait.
async fn play(server: &Server) -> Hub {
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["alcove"]).await;
    let mut script = Script::new("alcove", "m1");
    script.state(MatchState::Playing, 100_000);
    script.clock(Board::A, 290_000, 280_000, Some(Side::White), 200_000);
    script.ply(Board::A, Side::White, "e2e4");
    hub.send_until_committed(&script.rows).await;
    let ends = |it: &Value| it["rounds"].to_string().contains("likely_ms\":1");
    server.until("/api/v1/notices", "a likely end", ends).await;
    hub
}

/// No file that was ever copied leads to a family, or has the whole name of a child who is not named in public.
fn copied(host: &WebHost, families: &[Family], named: &str) {
    let puts = host.puts();
    assert!(puts.iter().any(|put| put.text.contains("Knights")), "the event is copied");
    let of_families = families.iter().flat_map(|it| [it.secret.as_str(), it.topic.as_str()]);
    let names = children().into_iter().flatten().filter(|name| *name != named);
    let words: Vec<&str> = of_families.chain(names).collect();
    for put in puts {
        assert!(!put.path.contains("child") || put.path.contains("assets/"), "{}", put.path);
        for word in &words {
            assert!(!put.text.contains(word), "{word} in {}", put.path);
        }
    }
}

#[tokio::test]
async fn nothing_of_another_child_is_in_any_link_message_or_copy() {
    let folder = tempfile::tempdir().unwrap();
    let ((ntfy, mut receiver), (at, host)) = (ntfy().await, WebHost::start().await);
    let mut config = mirrored(config(folder.path()), &at, "");
    config.families.ntfy = Some(ntfy);
    let server = Server::start(config).await;
    let mut chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    let families = families(&server, &mut chief).await;
    read(&server, &families, 0, "before the first round").await;
    // One family wants its child's whole name in public: others still do not read it by their links.
    let sheet = chief.json("/api/v1/td/event").await;
    let player = &sheet["sections"][0]["entrants"][1]["players"][0]["player"];
    let consent = json!([{ "kind": "consent-given", "player": player, "consent": "name" }]);
    chief.done(json!({ "of": "event", "deeds": consent })).await;
    open(&server, &mut chief, 1).await;
    read(&server, &families, 1, "paired").await;
    check_messages(&mut receiver, &families, 1).await;
    let hub = play(&server).await;
    read(&server, &families, 1, "in play").await;
    let results = "Section,Round,Table,Result\nK-6,1,balcony,0-1\nOpen,1,cellar,1-0\n";
    let (status, answer) = send(&server, "import?kind=results", results).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    read(&server, &families, 1, "with results").await;
    drop(hub);
    open(&server, &mut chief, 2).await;
    read(&server, &families, 2, "paired again").await;
    check_messages(&mut receiver, &families, 2).await;
    let is_there = || host.file("api/v1/event.json.gz").contains("\"round\":2");
    until("the second round at the host", is_there).await;
    copied(&host, &families, "Clothilde Clematis");
    // A link opens neither another page of paper nor the directors'.
    for path in ["/api/v1/at-table", "/api/v1/td/event", "/api/v1/td/needs"] {
        let request = reqwest::Client::new().get(format!("{}{path}", server.http));
        let asked = request.header("x-twinboard-link", &families[0].secret);
        assert!(asked.send().await.unwrap().status().is_client_error(), "{path}");
    }
    server.stop().await;
}
