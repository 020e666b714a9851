//! Tests of delays: each audience sees each section its own delay later, on every path.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use adjudicator::{
    Config,
    config::{Section, TableSettings},
};
use futures::StreamExt as _;
use proto::mqtt::message::MatchState;
use serde_json::json;

use crate::{
    event::{AS_TEAMS, send},
    phone::{self, Phone},
    support::{Hub, Server, scholars_mate},
    web_host::{WebHost, mirrored},
};

/// A section's table, match, team, and the delays of everybody and of the hall in seconds.
const SECTIONS: [(&str, &str, &str, &str, u64, u64); 2] =
    [("Open", "1", "m-open", "Otters", 3, 0), ("K-6", "2", "m-small", "Lions", 6, 2)];

const SEEN_WITHIN: Duration = Duration::from_secs(10);

fn config(folder: &std::path::Path) -> Config {
    let mut config = phone::config(folder);
    config.http.hall_address = Some("127.0.0.1:0".parse().unwrap());
    config.http.public_delay_s = 3;
    config.event.show_player_names = true;
    let of = |text: &str| toml::from_str::<Config>(text).unwrap();
    let text = "[[section]]\nname = \"K-6\"\npublic_delay_s = 6\nhall_delay_s = 2\n";
    config.sections = of(text).sections.into_iter().collect::<Vec<Section>>();
    for (section, table, ..) in SECTIONS {
        let text = format!("[[table]]\nname = \"{table}\"\nsection = \"{section}\"\n");
        config.tables.extend(of(&text).tables.into_iter().collect::<Vec<TableSettings>>());
    }
    config
}

/// Every public path that tells of matches or of the event, of both sections or of one.
fn paths() -> Vec<String> {
    let mut paths: Vec<String> =
        ["round", "matches", "event", "event.zip", "event.json", "event.csv", "event.bpgn"]
            .map(|name| format!("/api/v1/{name}"))
            .to_vec();
    paths.extend(["event.pgn", "event.portable.pgn"].map(|name| format!("/api/v1/{name}")));
    paths.push("/".to_owned());
    for (section, table, id, ..) in SECTIONS {
        paths.push(format!("/api/v1/standings?section={section}"));
        paths.push(format!("/api/v1/event.json?table={table}"));
        paths.extend([format!("/table/{table}"), format!("/match/{id}")]);
        for ending in ["", ".bpgn", ".pgn", ".json", ".csv", ".portable.pgn", ".replay.html"] {
            paths.push(format!("/api/v1/matches/{id}{ending}"));
        }
    }
    paths
}

/// First sight of a state: the state, its time, and its path.
type Firsts = Arc<Mutex<BTreeMap<(usize, String), (Duration, String)>>>;

/// State in a body.
fn told(body: &[u8]) -> BTreeSet<String> {
    let text = String::from_utf8_lossy(body);
    // A zip has the names of its files in it.
    let known = SECTIONS.iter().flat_map(|(_, _, id, team, ..)| [*id, *team]);
    known.filter(|name| text.contains(*name)).map(str::to_owned).collect()
}

fn note(firsts: &Firsts, audience: usize, since: Instant, path: &str, body: &[u8]) {
    note_at(firsts, audience, since.elapsed(), path, body);
}

fn note_at(firsts: &Firsts, audience: usize, at: Duration, path: &str, body: &[u8]) {
    let mut firsts = firsts.lock().unwrap();
    for name in told(body) {
        firsts.entry((audience, name)).or_insert_with(|| (at, path.to_owned()));
    }
}

/// Requests every path again and again, with and without its former tag.
async fn look(http: String, audience: usize, since: Instant, firsts: Firsts) {
    let client = reqwest::Client::new();
    let mut tags: BTreeMap<String, String> = BTreeMap::new();
    while since.elapsed() < SEEN_WITHIN {
        for path in paths() {
            let mut request = client.get(format!("{http}{path}"));
            if let Some(tag) = tags.get(&path) {
                request = request.header("if-none-match", tag);
            }
            let answer = request.send().await.unwrap();
            if let Some(tag) = answer.headers().get("etag") {
                tags.insert(path.clone(), tag.to_str().unwrap().to_owned());
            }
            // An error repeats what was asked for.
            if answer.status().is_success() {
                note(&firsts, audience, since, &path, &answer.bytes().await.unwrap());
            }
        }
    }
}

/// Listens to the stream.
async fn listen(http: String, audience: usize, since: Instant, firsts: Firsts) {
    let mut stream = reqwest::get(format!("{http}/api/v1/live")).await.unwrap().bytes_stream();
    while since.elapsed() < SEEN_WITHIN {
        let Some(Ok(part)) = stream.next().await else { return };
        note(&firsts, audience, since, "stream", &part);
    }
}

/// Two teams in each section, of which the first meet, and seats so that results count.
async fn prepare(server: &Server) -> Phone {
    let mut chief = Phone::paired(server, "Ann", "chief", json!({})).await;
    let mut teams = "Section,Number,Team,Player,Partner\n".to_owned();
    let mut pairings = "Section,Round,Table,First,Second\n".to_owned();
    for (section, table, _, team, ..) in SECTIONS {
        teams.push_str(&format!(
            "{section},1,{team},A {team},B {team}\n{section},2,Rest {section},C {section},D {section}\n"
        ));
        pairings.push_str(&format!("{section},1,{table},1,2\n"));
    }
    let (status, answer) = send(server, &format!("import?{AS_TEAMS}"), &teams).await;
    assert!(status.is_success(), "{answer}");
    let opened = SECTIONS
        .map(|(section, ..)| json!({ "kind": "round-opened", "section": section, "round": 1 }));
    let listed = json!({ "kind": "tables-listed", "tables": ["1", "2"] });
    let deeds: Vec<_> = [listed].into_iter().chain(opened).collect();
    chief.done(json!({ "of": "event", "deeds": deeds })).await;
    let (status, answer) = send(server, "import?kind=pairings", &pairings).await;
    assert!(status.is_success(), "{answer}");
    chief
}

#[tokio::test]
async fn every_audience_sees_every_section_its_own_delay_late_by_every_path() {
    let folder = tempfile::tempdir().unwrap();
    let (address, host) = WebHost::start().await;
    let server = Server::start(mirrored(config(folder.path()), &address, "")).await;
    let audiences = [server.http.clone(), format!("http://{}", server.hall.unwrap())];
    let healthy = server.get("/healthz").await.text().await.unwrap();
    let since = Instant::now();
    let firsts = Firsts::default();
    let mut lookers = tokio::task::JoinSet::new();
    for (audience, http) in audiences.iter().enumerate() {
        lookers.spawn(look(http.clone(), audience, since, firsts.clone()));
        lookers.spawn(listen(http.clone(), audience, since, firsts.clone()));
    }
    let _chief = prepare(&server).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1", "2"]).await;
    let mut rows = Vec::new();
    for (_, table, id, ..) in SECTIONS {
        let mut script = scholars_mate(table, id);
        script.state(MatchState::Ended, 20_000_000);
        rows.extend(script.rows);
    }
    for (row, sequence) in rows.iter_mut().zip(1..) {
        row.sequence = sequence;
    }
    hub.send_until_committed(&rows).await;
    let asked = server.get("/healthz").await.text().await.unwrap();
    while lookers.join_next().await.is_some_and(|done| done.is_ok()) {}
    // Readers of the mirrored copy are an audience like everybody.
    for put in host.puts() {
        note_at(&firsts, 2, put.at.duration_since(since), &put.path, put.text.as_bytes());
        note_at(&firsts, 2, put.at.duration_since(since), &put.path, put.path.as_bytes());
    }
    let firsts = std::mem::take(&mut *firsts.lock().unwrap());
    for (_, _, id, team, public_s, hall_s) in SECTIONS {
        for (audience, delay_s) in [(0, public_s), (1, hall_s), (2, public_s)] {
            for name in [id, team] {
                let first = firsts.get(&(audience, name.to_owned()));
                let (after, path) =
                    first.unwrap_or_else(|| panic!("{audience} never saw {name}: {firsts:?}"));
                // Nothing had happened before `since`, so that this is no race.
                assert!(*after >= Duration::from_secs(delay_s), "{name} after {after:?} by {path}");
            }
        }
    }
    assert_eq!(healthy.replace("not connected", "connected"), asked, "health tells of no row");
    server.stop().await;
}

#[tokio::test]
async fn a_name_that_is_taken_back_is_gone_at_once_from_what_is_shown_later() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut chief = prepare(&server).await;
    let is_named = |it: &serde_json::Value| it.to_string().contains("A Otters");
    server.until("/api/v1/round", "a child's name", is_named).await;
    let cursor = server.json("/api/v1/round").await["last_event_id"].clone();
    let sheet = chief.json("/api/v1/td/event").await;
    let sections = sheet["sections"].as_array().unwrap().iter();
    let open = sections.clone().find(|it| it["section"] == "Open").unwrap();
    let child = open["entrants"][0]["players"][0]["player"].clone();
    // What was done before it is not shown yet: no delay has passed.
    let listed = json!({ "kind": "tables-listed", "tables": ["1", "2", "later"] });
    let by_number = json!({ "kind": "consent-given", "player": child, "consent": "number" });
    for deed in [listed, by_number] {
        chief.done(json!({ "of": "event", "deeds": [deed] })).await;
    }
    let is_hidden = |it: &serde_json::Value| !is_named(it);
    server.until("/api/v1/round", "no name", is_hidden).await;
    let round = server.json("/api/v1/round").await;
    assert!(!round.to_string().contains("later"), "{round}");
    for path in paths() {
        let text = server.get(&path).await.text().await.unwrap();
        assert!(!text.contains("A Otters"), "{path}: {text}");
    }
    // Pages that have the name are told to ask for everything again.
    let received =
        crate::live::events(&server, "", cursor.as_str(), |received| !received.is_empty()).await;
    assert_eq!(received[0].name, "reset");
    server.stop().await;
}

#[tokio::test]
async fn sections_with_different_delays_share_no_table() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut chief = prepare(&server).await;
    let before = chief.json("/api/v1/td/event").await;
    // At the table of the section that is shown sooner, by a list and typed in; the second round of a section at its own table is well.
    let list = "Section,Round,Table,First,Second\nK-6,2,1,1,2\n";
    let (status, answer) = send(&server, "import?kind=pairings", list).await;
    assert_eq!(status, reqwest::StatusCode::FORBIDDEN, "{answer}");
    let said = answer["error"].as_str().unwrap();
    assert!(said.contains("table 1") && said.contains("K-6") && said.contains("Open"), "{said}");
    let moved =
        json!({ "kind": "pairing-changed", "pairing": 2, "table": "1", "sides": [[1], [2]] });
    let (status, answer) = chief.act(json!({ "of": "event", "deeds": [moved] })).await;
    assert_eq!(status, reqwest::StatusCode::FORBIDDEN, "{answer}");
    assert_eq!(chief.json("/api/v1/td/event").await, before, "nothing was changed");
    let own = list.replace("K-6,2,1,", "K-6,2,2,");
    let (status, answer) = send(&server, "import?kind=pairings", &own).await;
    assert!(status.is_success(), "{answer}");
    server.stop().await;
}

#[tokio::test]
async fn a_screen_says_how_late_each_table_is() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let round = server.json("/api/v1/round").await;
    let of = |index: usize| round["tables"][index]["delay_s"].as_u64();
    assert_eq!((of(0), of(1), round["delay_s"].as_u64()), (Some(3), Some(6), Some(6)));
    server.stop().await;
}

#[tokio::test]
async fn a_position_in_the_stream_under_other_delays_starts_the_page_anew() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = config(folder.path());
    let server = Server::start(config.clone()).await;
    let cursor = server.json("/api/v1/round").await["last_event_id"].clone();
    let cursor = cursor.as_str().unwrap();
    server.stop().await;
    config.http.public_delay_s = 4;
    let server = Server::start(config).await;
    let received =
        crate::live::events(&server, "", Some(cursor), |received| !received.is_empty()).await;
    assert_eq!(received[0].name, "reset");
    let now = server.json("/api/v1/round").await["last_event_id"].clone();
    assert_eq!(now.as_str(), received[0].id.as_deref(), "and goes on from now");
    server.stop().await;
}

/// All events of an audience's screen after a quiet moment: by position, by event.
type Told = Arc<Mutex<Vec<(usize, Duration, String)>>>;

/// Asks for the position in the stream again and again, and notes when it is another.
async fn ask_position(http: String, audience: usize, since: Instant, told: Told) {
    let mut before = None;
    while since.elapsed() < SEEN_WITHIN {
        let round = reqwest::get(format!("{http}/api/v1/round")).await.unwrap();
        let round: serde_json::Value = round.json().await.unwrap();
        let now = round["last_event_id"].as_str().unwrap().to_owned();
        if before.replace(now.clone()).is_some_and(|before| before != now) {
            let what = format!("position {now}");
            told.lock().unwrap().push((audience, since.elapsed(), what));
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A body without the time of its request.
fn timeless(body: &[u8]) -> Vec<u8> {
    let mark = b"\"now_ms\":";
    let Some(at) = body.windows(mark.len()).position(|part| part == mark) else {
        return body.to_vec();
    };
    let (before, after) = body.split_at(at + mark.len());
    let after = after.iter().skip_while(|byte| byte.is_ascii_digit());
    before.iter().chain(after).copied().collect()
}

/// Requests every path again and again, and records the times of changes: a body's tag is its digest.
async fn ask_bodies(http: String, audience: usize, since: Instant, told: Told) {
    let mut bodies: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    while since.elapsed() < SEEN_WITHIN {
        for path in paths() {
            let answer = reqwest::get(format!("{http}{path}")).await.unwrap();
            let body = timeless(&answer.bytes().await.unwrap());
            let before = bodies.insert(path.clone(), body.clone());
            if before.is_some_and(|before| before != body) {
                told.lock().unwrap().push((audience, since.elapsed(), format!("body of {path}")));
            }
        }
    }
}

/// Notes when the stream says anything but the time.
async fn ask_stream(http: String, audience: usize, since: Instant, told: Told) {
    let mut stream = reqwest::get(format!("{http}/api/v1/live")).await.unwrap().bytes_stream();
    while let Ok(Some(Ok(part))) =
        tokio::time::timeout(SEEN_WITHIN.saturating_sub(since.elapsed()), stream.next()).await
    {
        let text = String::from_utf8_lossy(&part).into_owned();
        for event in text.lines().filter(|line| line.starts_with("event: ")) {
            if event != "event: beat" {
                told.lock().unwrap().push((audience, since.elapsed(), event.to_owned()));
            }
        }
    }
}

#[tokio::test]
async fn nobody_is_told_that_something_happens_in_a_section_before_its_delay() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut chief = prepare(&server).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1", "2"]).await;
    let mut script = scholars_mate("2", "m-small");
    script.state(MatchState::Ended, 20_000_000);
    let (first, rest) = script.rows.split_at(2);
    hub.send_until_committed(first).await;
    let longest = SECTIONS.iter().map(|(.., public_s, _)| *public_s).max().unwrap();
    tokio::time::sleep(Duration::from_secs(longest + 1)).await;

    let (since, told) = (Instant::now(), Told::default());
    let mut askers = tokio::task::JoinSet::new();
    let audiences = [server.http.clone(), format!("http://{}", server.hall.unwrap())];
    for (audience, http) in audiences.iter().enumerate() {
        askers.spawn(ask_position(http.clone(), audience, since, told.clone()));
        askers.spawn(ask_stream(http.clone(), audience, since, told.clone()));
        askers.spawn(ask_bodies(http.clone(), audience, since, told.clone()));
    }
    // In the section that is shown last: plies, seats, a name, a result, standings.
    hub.send_until_committed(rest).await;
    let seats = json!({ "kind": "seats-chosen", "pairing": 2, "seats": [7, 5, 6, 8] });
    let name = json!({ "kind": "player-renamed", "player": 5, "name": "Zed", "note": "asked" });
    let entered =
        json!({ "kind": "result-entered", "pairing": 2, "outcomes": [{ "win": "first" }] });
    for deed in [seats, name, entered] {
        chief.done(json!({ "of": "event", "deeds": [deed] })).await;
    }
    while askers.join_next().await.is_some_and(|done| done.is_ok()) {}
    let told = std::mem::take(&mut *told.lock().unwrap());
    let (.., public_s, hall_s) = SECTIONS[1];
    for (audience, delay_s) in [(0, public_s), (1, hall_s)] {
        let of_audience = |(who, ..): &&(usize, Duration, String)| *who == audience;
        let (_, after, what) = told.iter().find(of_audience).expect("it is told at last");
        assert!(*after >= Duration::from_secs(delay_s), "{audience}: {what} after {after:?}");
        for kind in ["position", "event: table", "event: event", "body of "] {
            let has = told.iter().filter(of_audience).any(|(.., what)| what.starts_with(kind));
            assert!(has, "{audience} is told by {kind}: {told:?}");
        }
    }
    server.stop().await;
}
