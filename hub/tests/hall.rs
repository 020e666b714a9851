//! A whole hub in a simulated hall: nodes at pseudo-terminals, a real broker, and a hub that is
//! killed in the middle of a match.

#[path = "support/cabled_hall.rs"]
mod cabled_hall;
#[path = "support/record.rs"]
mod record;
mod support;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, SystemTime};

use hub::{Config, HubClock};
use proto::mqtt::message::row::Event;
use proto::mqtt::message::{Board, MatchState};
use readings::TruthLine;
use record::squares;
use rules::BoardId;
use sim::hall::{Hall, HallConfig};
use support::{Adjudicator, Mosquitto, eventually};
use tokio_util::sync::CancellationToken;

const SPEED: f64 = 25.0;

fn config(hall: &Hall, folder: &Path, port: u16) -> Config {
    let nodes = cabled_hall::nodes(hall, 1, |_| true);
    let text = cabled_hall::head(folder, port) + &cabled_hall::table("1", hall.base_s(), &nodes);
    Config::parse(Path::new("hub.toml"), &text).unwrap()
}

/// A hub in a runtime of its own, which can be taken away from under it.
fn start_hub(config: &Config, origin: SystemTime) -> tokio::runtime::Runtime {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let clock = HubClock::accelerated(SPEED, origin);
    runtime.spawn(hub::run(config.clone(), clock, CancellationToken::new()));
    runtime
}

/// The plies as last reported, in their one order over both boards, by their squares; and whether the match has ended.
fn plies(adjudicator: &Adjudicator) -> (Vec<(i32, String)>, bool) {
    let mut plies = BTreeMap::new();
    let mut ended = false;
    for (_, row) in &adjudicator.ledger.lock().unwrap().rows {
        match row.event.as_ref().unwrap() {
            Event::PlyReported(ply) => {
                plies.insert(ply.ply_id, (ply.t_us, ply.board, squares(&ply.uci)));
            }
            Event::PlyRetracted(ply) => drop(plies.remove(&ply.ply_id)),
            Event::MatchStateChanged(event) => ended |= event.state() == MatchState::Ended,
            _ => {}
        }
    }
    let mut plies: Vec<_> =
        plies.into_iter().map(|(id, (t_us, board, uci))| (t_us, id, board, uci)).collect();
    plies.sort();
    (plies.into_iter().map(|(_, _, board, uci)| (board, uci)).collect(), ended)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_hub_killed_in_the_middle_of_a_match_loses_no_ply_and_shows_none_twice() {
    let Some(broker) = Mosquitto::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim/games/engine-001.bpgn");
    let game = rules::bpgn::read(&std::fs::read(file).unwrap()).remove(0).unwrap();
    let adjudicator = Adjudicator::start(broker.port, "hall", "a");
    let hall = Hall::start(HallConfig {
        games: vec![game],
        profile: "ideal".parse().unwrap(),
        trays: false,
        seed: 1,
        speed: SPEED,
        tables: 1,
        device_folder: folder.path().to_owned(),
        lead_in: Duration::from_secs(4),
    })
    .unwrap();
    let mut truth = Vec::new();
    for line in &hall.matches()[0].truth {
        if let TruthLine::Ply(ply) = line {
            let board = match ply.board {
                BoardId::A => Board::A,
                BoardId::B => Board::B,
            };
            truth.push((i32::from(board), squares(&ply.uci.to_string())));
        }
    }
    let (config, origin) = (config(&hall, folder.path(), broker.port), SystemTime::now());
    let hub = start_hub(&config, origin);
    let third = truth.len() / 3;
    eventually("a third of the plies is there", || plies(&adjudicator).0.len() >= third).await;
    hub.shutdown_background();
    tokio::time::sleep(Duration::from_millis(300)).await;
    let hub = start_hub(&config, origin);
    let deadline = tokio::time::Instant::now() + Duration::from_secs(60);
    while !plies(&adjudicator).1 && tokio::time::Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    hub.shutdown_background();
    assert_eq!(plies(&adjudicator), (truth, true));
}
