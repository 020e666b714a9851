//! Each audience sees each section its own delay after it happened, by whatever path it looks.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use adjudicator::{
    Config,
    config::{Section, Table},
};
use futures::StreamExt as _;
use proto::mqtt::message::MatchState;
use serde_json::json;

use crate::{
    directors::{self, Phone},
    event::{AS_TEAMS, send},
    support::{Hub, Server, scholars_mate},
};

/// A section's table, match, team, and the delays of everybody and of the hall in seconds.
const SECTIONS: [(&str, &str, &str, &str, u64, u64); 2] =
    [("Open", "1", "m-open", "Otters", 3, 0), ("K-6", "2", "m-small", "Lions", 6, 2)];

const SEEN_WITHIN: Duration = Duration::from_secs(10);

fn config(folder: &std::path::Path) -> Config {
    let mut config = directors::config(folder);
    config.http.hall_address = Some("127.0.0.1:0".parse().unwrap());
    config.http.public_delay_s = 3;
    config.event.show_player_names = true;
    let of = |text: &str| toml::from_str::<Config>(text).unwrap();
    let text = "[[section]]\nname = \"K-6\"\npublic_delay_s = 6\nhall_delay_s = 2\n";
    config.sections = of(text).sections.into_iter().collect::<Vec<Section>>();
    for (section, table, ..) in SECTIONS {
        let text = format!("[[table]]\nname = \"{table}\"\nsection = \"{section}\"\n");
        config.tables.extend(of(&text).tables.into_iter().collect::<Vec<Table>>());
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

/// What is seen for the first time, when, and where.
type Firsts = Arc<Mutex<BTreeMap<(usize, String), (Duration, String)>>>;

/// What a body tells of.
fn told(body: &[u8]) -> BTreeSet<String> {
    let text = String::from_utf8_lossy(body);
    // A zip has the names of its files in it.
    let known = SECTIONS.iter().flat_map(|(_, _, id, team, ..)| [*id, *team]);
    known.filter(|name| text.contains(*name)).map(str::to_owned).collect()
}

fn note(firsts: &Firsts, audience: usize, since: Instant, path: &str, body: &[u8]) {
    let mut firsts = firsts.lock().unwrap();
    for name in told(body) {
        firsts.entry((audience, name)).or_insert_with(|| (since.elapsed(), path.to_owned()));
    }
}

/// Looks at every path again and again, with and without what it was told before.
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
    let server = Server::start(config(folder.path())).await;
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
    let firsts = std::mem::take(&mut *firsts.lock().unwrap());
    for (_, _, id, team, public_s, hall_s) in SECTIONS {
        for (audience, delay_s) in [(0, public_s), (1, hall_s)] {
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
