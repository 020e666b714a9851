//! Three running matches, with each program between boards and pages killed or frozen in the middle of them. The broker's data is
//! deleted, and the database replaced by a copy of some moments ago. No ply is lost, none is shown twice.
//!
//! The hall (hands, boards, firmware, serial devices) is in this process and plays in real time. Hub, adjudicator and broker are real
//! processes that get SIGKILL and SIGSTOP. The test compares three outputs with the true plies: the exported records, the API, and the
//! screens of viewers of the live stream.

#[path = "restarts/incident.rs"]
mod incident;
#[path = "support/moments.rs"]
mod moments;
#[path = "support/mosquitto.rs"]
mod mosquitto;
#[path = "restarts/played.rs"]
mod played;
#[path = "support/program.rs"]
mod program;
#[path = "support/quick_games.rs"]
mod quick_games;
#[path = "support/simulated_hall.rs"]
mod simulated_hall;
#[path = "support/viewer.rs"]
mod viewer;

use std::path::PathBuf;
use std::time::Duration;

use incident::{
    Incident::{self, BackUp, Freeze, Kill, KillAndWipe, Restore},
    Planned,
    Victim::{self, Adjudicator, Broker, Hub},
};
use moments::Moments;
use mosquitto::Mosquitto;
use played::{Squares, assert_as_it_happened};
use program::{LOOK_EVERY, PATIENCE, Program, ask, free_port};
use quick_games::quick_games;
use readings::TruthLine;
use serde_json::Value;
use sim::real_time::{Hall, HallConfig};
use simulated_hall::hub_configuration;
use sqlx::{Connection as _, Row as _};
use tokio::time::{Instant, sleep};
use viewer::Viewer;

/// Matches at once.
const TABLES: usize = 3;
/// Plies of each match, and how long players think: some forty seconds of play.
const PLIES: usize = 50;
const THINK_MS: i64 = 650;
/// Seconds for which a program is frozen: longer than brokers wait for a client's sign of life. That is one and a half times the 10 s
/// that our clients announce (MQTT 3.1.1, section 3.1.2.10).
const FREEZE_S: u64 = 16;
/// Environment variable for a longer one; the matches are longer by as much.
const FREEZE: &str = "TWINBOARD_TEST_FREEZE_S";
/// Time for which a hub is frozen: longer than it waits for a node's answer, and no longer than nodes can keep their readings.
const HUB_FREEZE: Duration = Duration::from_secs(8);
/// From opening the hall to the first hand: everything has found each other.
const LEAD_IN: Duration = Duration::from_secs(5);
/// The copy of the database.
const COPY: &str = "copy.sqlite";
/// The hall and all programs.
struct Venue {
    folder: tempfile::TempDir,
    hall: Hall,
    http: String,
    mosquitto: Option<Mosquitto>,
    adjudicator: Program,
    hub: Program,
}

impl Venue {
    /// Opens a hall and starts everything around it.
    fn open(folder: tempfile::TempDir, mosquitto: Option<Mosquitto>) -> Venue {
        let (http_port, own_port) = (free_port(), free_port());
        let broker_port = mosquitto.as_ref().map_or(own_port, |broker| broker.port);
        let mode = if mosquitto.is_some() { "external" } else { "embedded" };
        let serve = format!(
            "[event]\nname = \"Restarts\"\n[http]\naddress = \"127.0.0.1:{http_port}\"\n\
             [broker]\nmode = {mode:?}\naddress = \"127.0.0.1:{broker_port}\"\n"
        );
        std::fs::write(folder.path().join("serve.toml"), serve).unwrap();
        let adjudicator = Program::configured(folder.path(), "serve");
        let hall = Hall::start(HallConfig {
            games: quick_games(TABLES, plies(), THINK_MS),
            profile: sim::Profile::Ideal,
            trays: false,
            seed: 1,
            speed: 1.0,
            tables: TABLES,
            device_folder: folder.path().to_owned(),
            lead_in: LEAD_IN,
        })
        .unwrap();
        let text = hub_configuration(&hall, folder.path(), broker_port);
        std::fs::write(folder.path().join("hub.toml"), text).unwrap();
        let hub = Program::configured(folder.path(), "hub");
        let http = format!("http://127.0.0.1:{http_port}");
        Venue { folder, hall, http, mosquitto, adjudicator, hub }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    async fn suffer(&mut self, planned: &Planned) {
        match planned.what {
            Kill(victims) => {
                self.kill(victims);
                sleep(planned.away).await;
                self.start_again(victims);
            }
            KillAndWipe(victims) => {
                let had_data = self.mosquitto.as_mut().is_none_or(Mosquitto::wipe);
                assert!(had_data, "a broker has data to lose by now");
                self.kill(victims);
                sleep(planned.away).await;
                self.start_again(victims);
            }
            Freeze(victim, span) => {
                self.program(victim).freeze();
                sleep(span).await;
                self.program(victim).thaw();
            }
            BackUp => self.succeed(&["backup", "--config", "serve.toml", COPY]),
            Restore => {
                self.kill(&[Adjudicator]);
                self.succeed(&["restore", "--config", "serve.toml", COPY]);
                sleep(planned.away).await;
                self.start_again(&[Adjudicator]);
            }
        }
    }

    fn program(&self, victim: Victim) -> &Program {
        match victim {
            Hub => &self.hub,
            Adjudicator => &self.adjudicator,
            Broker => {
                let broker = self.mosquitto.as_ref().and_then(Mosquitto::program);
                broker.expect("a broker of its own, which runs")
            }
        }
    }

    fn kill(&mut self, victims: &[Victim]) {
        for victim in victims {
            match victim {
                Hub => self.hub.kill(),
                Adjudicator => self.adjudicator.kill(),
                Broker => self.mosquitto.as_mut().expect("a broker of its own").kill(),
            }
        }
    }

    fn start_again(&mut self, victims: &[Victim]) {
        for victim in victims {
            match victim {
                Hub => self.hub = Program::configured(self.folder.path(), "hub"),
                Adjudicator => self.adjudicator = Program::configured(self.folder.path(), "serve"),
                Broker => self.mosquitto.as_mut().expect("a broker of its own").restart(),
            }
        }
    }

    /// Runs a command of the program beside the hall.
    fn succeed(&self, arguments: &[&str]) {
        let output = ask(self.folder.path(), arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {said}\n{}", self.logs());
    }

    async fn json(&self, path: &str) -> Option<Value> {
        let answer = reqwest::get(format!("{}{path}", self.http)).await.ok()?;
        answer.error_for_status().ok()?.json().await.ok()
    }

    /// The matches' ids by table, once every table has one.
    async fn match_ids(&self) -> Vec<String> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let ids: Vec<String> = match self.json("/api/v1/round").await {
                Some(round) => (1..=TABLES).filter_map(|table| match_of(&round, table)).collect(),
                None => Vec::new(),
            };
            if ids.len() == TABLES {
                return ids;
            }
            assert!(Instant::now() < deadline, "no matches\n{}", self.logs());
            sleep(LOOK_EVERY).await;
        }
    }

    /// Returns the three matches from the API once all have ended and the viewers show the same.
    async fn settled(&self, ids: &[String], viewers: &[Viewer]) -> Vec<Value> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let mut matches = Vec::new();
            for (id, viewer) in ids.iter().zip(viewers) {
                let Some(one) = self.json(&format!("/api/v1/matches/{id}")).await else { break };
                let is_settled = one["table"]["state"] == "ended"
                    && one["plies"].as_array() == Some(&viewer.seen().plies);
                if is_settled {
                    matches.push(one);
                }
            }
            if matches.len() == ids.len() {
                return matches;
            }
            if Instant::now() >= deadline {
                let shown: Vec<_> = viewers.iter().map(|one| one.seen().plies.len()).collect();
                let round = self.json("/api/v1/round").await.unwrap_or_default();
                panic!("not settled; viewers show {shown:?} plies\n{round:#}\n{}", self.logs());
            }
            sleep(LOOK_EVERY).await;
        }
    }

    fn logs(&self) -> String {
        let (hub, adjudicator) = (self.hub.log(), self.adjudicator.log());
        format!("── hub\n{hub}\n── adjudicator\n{adjudicator}")
    }

    /// Returns the true plies of a table, in order, with the time of each ply.
    fn truth(&self, table: usize) -> Vec<(u64, Squares)> {
        let one = self.hall.matches().iter().find(|one| one.table == table).unwrap();
        let ply = |line: &TruthLine| match line {
            TruthLine::Ply(ply) => {
                let side = if ply.side.is_white() { "white" } else { "black" };
                let board = ply.board.to_string();
                Some((ply.t_us, Squares::new(&board, side, &ply.uci.to_string())))
            }
            TruthLine::Anomaly(_) => None,
        };
        one.truth.iter().filter_map(ply).collect()
    }

    fn export(&self, format: &str) -> String {
        let arguments = ["export", "--format", format, "--config", "serve.toml"];
        let output = ask(self.folder.path(), &arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

fn match_of(round: &Value, table: usize) -> Option<String> {
    let tables = round["tables"].as_array()?;
    let table = tables.iter().find(|one| one["table"].as_str() == Some(&table.to_string()))?;
    table["match"].as_str().map(str::to_owned)
}

/// Every row that was ever given a number is in the store, once, and the hub knows it.
async fn assert_rows_are_there_once(venue: &Venue) {
    let open = |name: &str| format!("sqlite://{}?mode=ro", venue.file(name).display());
    let mut journal = sqlx::SqliteConnection::connect(&open("hub.sqlite")).await.unwrap();
    let mut store = sqlx::SqliteConnection::connect(&open("twinboard.sqlite")).await.unwrap();
    let journalled =
        sqlx::query("SELECT boot_id, sequence FROM outgoing ORDER BY boot_id, sequence")
            .fetch_all(&mut journal)
            .await
            .unwrap();
    let stored = sqlx::query(
        "SELECT boot_id, sequence FROM input WHERE kind = 'row' AND hub = 'hub-1'
             ORDER BY boot_id, sequence",
    )
    .fetch_all(&mut store)
    .await
    .unwrap();
    let keys = |rows: &[sqlx::sqlite::SqliteRow]| -> Vec<(i64, i64)> {
        rows.iter().map(|row| (row.get(0), row.get(1))).collect()
    };
    assert_eq!(keys(&stored), keys(&journalled), "rows in the store and in the hub's journal");
    assert!(!stored.is_empty());
}

async fn assert_nothing_lost_and_nothing_twice(mut venue: Venue, incidents: &[Incident]) {
    let plan = incident::plan(&mut Moments::from_environment(1), incidents);
    println!("{plan:#?}");
    let ids = venue.match_ids().await;
    let viewers: Vec<Viewer> = ids.iter().map(|id| Viewer::follow(&venue.http, id)).collect();
    let begin_us = venue.hall.matches().iter().map(|one| one.begin_us).max().unwrap();
    let end_us = venue.hall.matches().iter().map(|one| one.end_us).min().unwrap();
    println!("{} s of play", (end_us - begin_us) / 1_000_000);
    for planned in &plan {
        let at_us = begin_us + ((end_us - begin_us) as f64 * planned.at) as u64;
        sleep(Duration::from_micros(at_us.saturating_sub(venue.hall.now_us()))).await;
        assert!(venue.hall.now_us() < end_us, "{planned:?} comes after the play");
        venue.suffer(planned).await;
    }
    venue.hall.finished().await;
    let matches = venue.settled(&ids, &viewers).await;
    let list = venue.json("/api/v1/matches").await.unwrap_or_default();
    let opened = list.as_array().or_else(|| list["matches"].as_array()).map(Vec::len);
    assert_eq!(opened, Some(TABLES), "a killed hub goes on with the same match: {list:#}");
    let json: Value = serde_json::from_str(&venue.export("json")).unwrap();
    let games = rules::bpgn::read(venue.export("bpgn").as_bytes());
    assert_eq!(games.len(), TABLES);
    for (index, (one, viewer)) in matches.iter().zip(&viewers).enumerate() {
        let truth = venue.truth(index + 1);
        let shown = one["plies"].as_array().unwrap();
        let squares: Vec<Squares> = shown.iter().map(Squares::of).collect();
        assert_as_it_happened(&format!("table {} in the API", index + 1), &truth, &squares);
        let seen = viewer.seen();
        assert_eq!(seen.violations, Vec::<String>::new(), "table {} live", index + 1);
        assert!(seen.resumed > 1, "the stream was never interrupted");
        let restored = incidents.iter().filter(|what| **what == Restore).count();
        assert_eq!(
            seen.resets,
            restored,
            "table {}: streams begin anew in another database only",
            index + 1
        );
        assert_exported(one, &json, &games, &squares);
    }
    assert_rows_are_there_once(&venue).await;
}

/// The JSON and the BPGN export tell the same as the API.
fn assert_exported(
    one: &Value,
    json: &Value,
    games: &[Result<rules::bpgn::BpgnGame, rules::bpgn::BpgnError>],
    shown: &[Squares],
) {
    let (id, table) = (&one["table"]["match"], one["table"]["table"].as_str().unwrap());
    let records: Vec<&Value> =
        json.as_array().unwrap().iter().filter(|record| record["match"] == *id).collect();
    let [record] = records[..] else { panic!("{} records of {id}", records.len()) };
    let exported: Vec<Squares> =
        record["plies"].as_array().unwrap().iter().map(Squares::of).collect();
    assert_eq!(exported, shown, "table {table}, exported as JSON");
    let of_table = |game: &&rules::bpgn::BpgnGame| game.tag("Table") == Some(table);
    let readable: Vec<_> =
        games.iter().map(|game| game.as_ref().expect("it can be read")).collect();
    let games: Vec<_> = readable.into_iter().filter(of_table).collect();
    let [game] = games[..] else { panic!("{} games of table {table}", games.len()) };
    let exported: Vec<Squares> = game
        .plies
        .iter()
        .map(|ply| {
            let side = if ply.color.is_white() { "white" } else { "black" };
            Squares::new(&ply.board.to_string(), side, &ply.ply.to_string())
        })
        .collect();
    assert_eq!(exported, shown, "table {table}, exported as BPGN");
}

/// Returns the time for which hub and broker, or an adjudicator, are frozen.
fn freeze() -> Duration {
    let longer = std::env::var(FREEZE).ok().and_then(|seconds| seconds.parse().ok());
    Duration::from_secs(longer.unwrap_or(FREEZE_S).max(FREEZE_S))
}

/// Returns the number of plies that fill the play, which is longer with a longer freeze.
fn plies() -> usize {
    let longer_ms = (freeze().as_secs() - FREEZE_S) as usize * 1000;
    PLIES + longer_ms * 5 / (THINK_MS as usize * 4)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_and_frozen_programs_and_a_broker_that_forgets_lose_no_ply_and_show_none_twice() {
    let folder = tempfile::tempdir().unwrap();
    let Some(mosquitto) = Mosquitto::start(folder.path()) else { return };
    let incidents = [
        Kill(&[Hub]),
        Freeze(Broker, freeze()),
        Kill(&[Adjudicator]),
        Kill(&[Broker]),
        KillAndWipe(&[Hub, Adjudicator, Broker]),
        Freeze(Hub, HUB_FREEZE),
        KillAndWipe(&[Broker, Adjudicator]),
        Kill(&[Hub]),
    ];
    let venue = Venue::open(folder, Some(mosquitto));
    assert_nothing_lost_and_nothing_twice(venue, &incidents).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frozen_adjudicator_with_the_broker_in_it_and_a_restored_database_lose_no_ply_and_show_none_twice()
 {
    let folder = tempfile::tempdir().unwrap();
    let incidents = [
        Kill(&[Adjudicator]),
        BackUp,
        Freeze(Adjudicator, freeze()),
        Kill(&[Hub]),
        Restore,
        Kill(&[Adjudicator, Hub]),
        Kill(&[Adjudicator]),
    ];
    assert_nothing_lost_and_nothing_twice(Venue::open(folder, None), &incidents).await;
}
