//! Tests of the API: its answers, and what it never discloses.

use std::io::Read as _;

use crate::{
    support::{self, Hub, Script, Server, scholars_mate},
    web_host::{WebHost, mirrored, until},
};
use proto::mqtt::message::{Board, MatchState, Row, Side};
use serde_json::Value;

const NAMES: [&str; 4] = ["Ada Example", "Ben Example", "Cleo Example", "Dan Example"];

fn with_names(config: &mut adjudicator::Config, show: bool) {
    let text = format!(
        "name = \"1\"\nlabel = \"Window\"\nsection = \"Primary\"\nteams = [\"Knights\", \"Rooks\"]\n\
         players = {{ white_a = {:?}, black_a = {:?}, white_b = {:?}, black_b = {:?} }}\n",
        NAMES[0], NAMES[1], NAMES[2], NAMES[3]
    );
    config.tables = vec![toml::from_str(&text).unwrap()];
    config.event.show_player_names = show;
}

/// Takes out the server's times and the ids of inputs, which vary from run to run, and sorts the fields of objects.
fn steady(mut value: Value) -> Value {
    fn walk(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                for (name, field) in fields.iter_mut() {
                    let varies = ["now_ms", "read_at_ms", "last_event_id", "opened_ms"];
                    if varies.contains(&name.as_str()) && !field.is_null() {
                        *field = Value::from("(varies)");
                    }
                    walk(field);
                }
            }
            Value::Array(items) => items.iter_mut().for_each(walk),
            _ => {}
        }
    }
    walk(&mut value);
    // A crate of some tests has objects keep the order in which they were made.
    value.sort_all_objects();
    value
}

/// A match with a doubtful drop, a revision and an illegal ply whose claim has closed.
fn eventful() -> Script {
    let mut script = Script::new("1", "m1");
    script.state(MatchState::Ready, 0);
    script.state(MatchState::Playing, 100_000);
    script.clock(Board::A, 300_000, 300_000, Some(Side::White), 100_000);
    script.ply(Board::A, Side::White, "e2e4");
    script.ply(Board::A, Side::Black, "d7d5");
    script.ply(Board::A, Side::White, "e4d5");
    script.ply(Board::B, Side::White, "e2e4");
    script.revise(5, 0, Board::B, Side::Black, "N@f6", 0.6, &[("P@f6", 0.35), ("B@f6", 0.05)]);
    script.revise(5, 1, Board::B, Side::Black, "P@f6", 0.7, &[("N@f6", 0.25), ("B@f6", 0.05)]);
    script.ply(Board::A, Side::Black, "d8d4");
    script.ply(Board::A, Side::White, "g1f3");
    script
}

async fn shown(server: &Server, rows: &[Row], plies: usize) -> Hub {
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(rows).await;
    server
        .until("/api/v1/round", "all plies", |round| {
            round["tables"][0]["ply_count"] == plies && round["tables"][0]["sensors"] == "live"
        })
        .await;
    hub
}

#[tokio::test]
async fn a_guess_that_is_not_sure_is_not_called_illegal_in_public() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(support::config(folder.path())).await;
    let mut script = Script::new("1", "m1");
    script.state(MatchState::Playing, 100_000);
    script.ply(Board::A, Side::White, "e2e4");
    // Nothing has been captured, so neither piece was there to be dropped.
    script.revise(2, 0, Board::A, Side::Black, "Q@e6", 0.6, &[("P@e6", 0.4)]);
    script.ply(Board::A, Side::White, "d2d4");
    script.revise(4, 0, Board::A, Side::Black, "P@d5", 0.97, &[("Q@d5", 0.03)]);
    script.ply(Board::A, Side::White, "g1f3");
    let _hub = shown(&server, &script.rows, 5).await;
    let plies = server.json("/api/v1/matches/m1").await["plies"].clone();
    assert_eq!(plies[1]["illegal"], Value::Null, "{}", plies[1]);
    assert_eq!(plies[3]["illegal"]["reason"], "drop-not-in-reserve", "{}", plies[3]);
    server.stop().await;
}

#[tokio::test]
async fn the_round_and_a_match_have_the_agreed_shape() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = support::config(folder.path());
    with_names(&mut config, false);
    let server = Server::start(config).await;
    let _hub = shown(&server, &eventful().rows, 7).await;
    insta::assert_json_snapshot!("round", steady(server.json("/api/v1/round").await));
    insta::assert_json_snapshot!("match", steady(server.json("/api/v1/matches/m1").await));
    insta::assert_json_snapshot!("matches", steady(server.json("/api/v1/matches").await));
    server.stop().await;
}

#[tokio::test]
async fn the_record_can_be_fetched_while_playing_and_after_and_reads_back() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(support::config(folder.path())).await;
    let mut script = scholars_mate("1", "m1");
    let playing = script.rows.len();
    script.state(MatchState::Ended, 60_000_000);
    let mut hub = shown(&server, &script.rows[..playing], 9).await;
    let record = server.get("/api/v1/matches/m1.bpgn").await.text().await.unwrap();
    assert!(record.trim_end().ends_with('*'), "{record}");
    hub.send_until_committed(&script.rows).await;
    server.until("/api/v1/round", "the end", |round| round["tables"][0]["state"] == "ended").await;
    let answer = server.get("/api/v1/matches/m1.bpgn").await;
    assert!(
        answer.headers()["content-type"].to_str().unwrap().starts_with("application/x-chess-pgn")
    );
    let record = answer.text().await.unwrap();
    let read = rules::bpgn::read(record.as_bytes()).remove(0).expect("a record that reads back");
    let ucis: Vec<String> = read.plies.iter().map(|ply| ply.ply.to_string()).collect();
    assert_eq!(ucis, support::SCHOLARS_MATE);
    assert_eq!(server.get("/api/v1/event.bpgn").await.text().await.unwrap(), record);
    let files = archive(&server, "/api/v1/event.zip?table=1").await;
    let of = |name: &str| files.iter().find(|(found, _)| found == name).map(|(_, text)| text);
    assert_eq!((of("all.bpgn"), of("matches/m1.bpgn")), (Some(&record), Some(&record)));
    assert!(of("matches/m1.portable.pgn").is_some_and(|text| text.contains("crazyhouse")));
    let is_silent = |(name, _): &(String, String)| {
        !name.starts_with("incidents/") && !name.starts_with("evidence/")
    };
    assert!(files.iter().all(is_silent), "what directors know is the organiser's alone");
    let elsewhere = archive(&server, "/api/v1/event.zip?table=9").await;
    assert!(elsewhere.iter().all(|(name, _)| !name.starts_with("matches/")));
    server.stop().await;
}

/// The files of an archive, each with its text.
async fn archive(server: &Server, path: &str) -> Vec<(String, String)> {
    let answer = server.get(path).await;
    assert_eq!(answer.headers()["content-type"], "application/zip");
    unpacked(answer.bytes().await.unwrap().to_vec())
}

/// The files of a zip, each with its text.
pub(crate) fn unpacked(bytes: Vec<u8>) -> Vec<(String, String)> {
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(bytes)).expect("a zip");
    let files = (0..zip.len()).map(|at| {
        let mut file = zip.by_index(at).expect("a file");
        let mut text = String::new();
        file.read_to_string(&mut text).expect("text");
        (file.name().expect("a name").into_owned(), text)
    });
    files.collect()
}

/// Every path that needs no token.
const PUBLIC: [&str; 17] = [
    "/api/v1/round",
    "/api/v1/notices",
    "/api/v1/matches",
    "/api/v1/matches/m1",
    "/api/v1/matches/m1.bpgn",
    "/api/v1/event.bpgn",
    "/api/v1/matches/m1.portable.bpgn",
    "/api/v1/matches/m1.portable.pgn",
    "/api/v1/matches/m1.pgn",
    "/api/v1/matches/m1.replay.html",
    "/api/v1/event.json?table=1",
    "/api/v1/event.csv",
    "/api/v1/event.portable.bpgn",
    "/api/v1/event.portable.pgn",
    "/healthz",
    "/",
    "/table/1",
];

async fn everything_public(server: &Server) -> String {
    let mut text = String::new();
    for path in PUBLIC {
        text.push_str(&server.get(path).await.text().await.unwrap());
    }
    for (_, file) in archive(server, "/api/v1/event.zip").await {
        text.push_str(&file);
    }
    // A batch with the newest changes may come after the first beat.
    let mut stream = server.get("/api/v1/live?match=m1&last_event_id=0").await;
    while !["event: beat", "event: plies", "event: table"].iter().all(|it| text.contains(it)) {
        let chunk = tokio::time::timeout(support::PATIENCE, stream.chunk())
            .await
            .expect("the stream goes on");
        text.push_str(&String::from_utf8_lossy(&chunk.unwrap().unwrap()));
    }
    text
}

#[tokio::test]
async fn names_are_on_no_public_path_unless_the_organiser_opted_in() {
    for show in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let mut config = support::config(folder.path());
        with_names(&mut config, show);
        let (address, host) = WebHost::start().await;
        let server = Server::start(mirrored(config.clone(), &address, "")).await;
        let _hub = shown(&server, &eventful().rows, 7).await;
        let text = everything_public(&server).await;
        until("the match at the mirror", || !host.file("api/v1/matches/m1.json.gz").is_empty())
            .await;
        let copy: String = host.puts().into_iter().map(|put| put.text).collect();
        for name in NAMES {
            assert_eq!(text.contains(name), show, "{name} with show_player_names = {show}");
            assert_eq!(copy.contains(name), show, "{name} at the mirror");
        }
        server.stop().await;
        for format in adjudicator::views::records::Format::ALL {
            let export = adjudicator::export(
                &config,
                &adjudicator::views::records::Which::default(),
                format,
            )
            .await
            .unwrap();
            if !show {
                assert!(NAMES.iter().all(|name| !export.contains(name)), "{format}");
            }
            assert!(export.contains("m1"), "{format}");
        }
    }
}

#[tokio::test]
async fn an_open_claim_is_on_no_public_path_and_reaches_the_directors() {
    let folder = tempfile::tempdir().unwrap();
    let token = folder.path().join("token");
    adjudicator::pki::secrets::write(&token, "a-token-for-the-test\n").unwrap();
    let mut config = support::config(folder.path());
    config.http.td_token_file = Some(token);
    let server = Server::start(config).await;
    let mut script = Script::new("1", "m1");
    script.state(MatchState::Playing, 100_000);
    script.ply(Board::A, Side::White, "e2e5");
    let open = script.rows.len();
    script.ply(Board::A, Side::Black, "d7d5");
    let mut hub = shown(&server, &script.rows[..open], 1).await;
    let public = everything_public(&server).await;
    for word in ["wrong-geometry", "illegal-move", "{C:illegal"] {
        assert!(!public.contains(word), "{word} is said while the claim is open");
    }
    let client = reqwest::Client::new();
    let ask = |token: &'static str| {
        client.get(format!("{}/api/v1/td/alerts", server.http)).bearer_auth(token).send()
    };
    assert_eq!(server.get("/api/v1/td/alerts").await.status(), 401);
    assert_eq!(ask("a-token-for-the-tesu").await.unwrap().status(), 401);
    let alerts: Value = ask("a-token-for-the-test").await.unwrap().json().await.unwrap();
    let alert = &alerts["alerts"][0];
    assert_eq!((&alert["code"], &alert["claim"]), (&"illegal-move".into(), &"open".into()));
    assert_eq!(alert["silent"], true);
    hub.send_until_committed(&script.rows).await;
    let closed = server
        .until("/api/v1/matches/m1", "the answer", |shown| {
            shown["plies"].as_array().is_some_and(|plies| plies.len() == 2)
        })
        .await;
    assert_eq!(closed["plies"][0]["illegal"]["reason"], "wrong-geometry");
    server.stop().await;
}

#[tokio::test]
async fn without_a_configured_token_nobody_sees_the_alerts() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(support::config(folder.path())).await;
    let answer = reqwest::Client::new()
        .get(format!("{}/api/v1/td/alerts", server.http))
        .bearer_auth("")
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 403);
    server.stop().await;
}

#[tokio::test]
async fn every_answer_forbids_other_hosts_and_unknown_addresses_are_said_so() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(support::config(folder.path())).await;
    for path in ["/", "/api/v1/round", "/match/m1"] {
        let answer = server.get(path).await;
        let policy = answer.headers()["content-security-policy"].to_str().unwrap().to_owned();
        assert!(policy.contains("default-src 'none'") && !policy.contains("http"), "{policy}");
        assert_eq!(answer.headers()["x-content-type-options"], "nosniff");
    }
    for path in ["/api/v1/nothing", "/api/v1/matches/nobody", "/etc/passwd", "/../Cargo.toml"] {
        assert_eq!(server.get(path).await.status(), 404, "{path}");
    }
    server.stop().await;
}
