//! Devices of other makers at real serial ports: a whole hub with its ports, journal and sessions, in a simulated hall. What befalls their
//! lines is tested in virtual time (`devices.rs`).
//!
//! These devices stamp nothing, and a second is eight here: what a port hears 300 ms late counts as read 2.4 s late. Such a run of a machine
//! that has no time proves nothing, and is made again.

#[path = "support/cabled_hall.rs"]
mod cabled_hall;
#[path = "support/devices.rs"]
mod devices;
#[path = "support/pace.rs"]
mod pace;

use std::path::Path;
use std::time::{Duration, SystemTime};

use cabled_hall::device as node;
use devices::{ideal, infer, of_board, own_game, script, truth};
use hub::journal::{MatchTrace, Reader};
use hub::{Config, HubClock};
use pace::{ATTEMPTS, Pace};
use rules::BoardId;
use rules::bpgn::BpgnGame;
use sim::devices::{
    Certabo, ChessLink, Conventions, Dgt, DgtBus, DgtQuirks, Sentio, TagPool, World,
};
use sim::real_time::{Hall, HallConfig, HallNodeKind};
use sim::{Profile, Script};
use tokio_util::sync::CancellationToken;

const SPEED: f64 = 8.0;
const SEED: u64 = 1;
/// Far longer than any of these matches takes at this speed, on a busy machine too.
const PATIENCE: Duration = Duration::from_secs(150);

fn start_hall(games: Vec<BpgnGame>, folder: &Path) -> Hall {
    Hall::start(HallConfig {
        tables: games.len(),
        games,
        profile: Profile::Ideal,
        trays: false,
        seed: SEED,
        speed: SPEED,
        device_folder: folder.to_owned(),
        lead_in: Duration::from_secs(4),
    })
    .unwrap()
}

/// What happens at a table of the hall, and its boards for devices to look at.
fn staged(hall: &Hall, game: &BpgnGame, table: usize) -> (Script, [World; 2]) {
    let here = hall.matches().iter().find(|of| of.table == table).unwrap();
    let script = script(game, &ideal(), SEED, &here.match_id);
    let worlds = BoardId::ALL.map(|board| World::new(&script, board, here.begin_us));
    (script, worlds)
}

/// Our own clock nodes of a table.
fn own_clocks(hall: &Hall, table: usize) -> String {
    cabled_hall::nodes(hall, table, |node| node.kind == HallNodeKind::Clock)
}

fn config(folder: &Path, tables: &[(u32, String)]) -> Config {
    let tables = tables.iter().enumerate().map(|(index, (base_s, nodes))| {
        cabled_hall::table(&(index + 1).to_string(), *base_s, nodes)
    });
    let text = cabled_hall::head(folder, 9) + &tables.collect::<String>();
    Config::parse(Path::new("hub.toml"), &text).unwrap()
}

/// Waits until this many matches have ended, and returns what each board's plies were, table by table.
async fn records(folder: &Path, tables: usize) -> Result<Vec<[String; 2]>, String> {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    let (reader, ended) = loop {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let Ok(reader) = Reader::open(&folder.join("hub.sqlite")).await else { continue };
        let Ok(matches) = reader.matches().await else { continue };
        if tokio::time::Instant::now() >= deadline {
            return Err(format!("they do not end: {matches:?}"));
        }
        let ended: Vec<String> =
            matches.into_iter().filter(|(_, ended)| *ended).map(|(id, _)| id).collect();
        if ended.len() == tables {
            break (reader, ended);
        }
    };
    let mut records = Vec::new();
    for id in ended {
        let MatchTrace { header, readings, .. } = reader.trace(&id).await.unwrap().unwrap();
        let (found, _) = infer(&header, &readings);
        // hub, table, time: the table tells which record this is.
        let table: usize = id.split('-').find_map(|part| part.parse().ok()).unwrap_or(0);
        println!("{id}: {} plies", found.plies.len());
        records.push((table, id, BoardId::ALL.map(|board| of_board(&found, board))));
    }
    records.sort();
    Ok(records.into_iter().map(|(_, _, record)| record).collect())
}

fn true_record(script: &Script) -> [String; 2] {
    BoardId::ALL.map(|board| of_board(&truth(script), board))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_driver_records_a_whole_match_at_a_real_port() {
    // What the hub says is the first thing to look at when this fails.
    drop(tracing_subscriber::fmt().with_test_writer().try_init());
    for attempt in 1..=ATTEMPTS {
        let pace = Pace::start();
        match play().await {
            Ok(()) => return,
            Err(wrong) => pace.excuses(&wrong, attempt),
        }
    }
}

/// Plays a match at four tables of devices; what is wrong, if what is recorded is not what was played.
async fn play() -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let game = own_game();
    let mut hall = start_hall(vec![game.clone(); 4], folder.path());
    let (mut tables, mut truths) = (Vec::new(), Vec::new());
    let conventions = Conventions { reversed: true, left_first: true, ..Conventions::default() };
    // Table 1: two DGT boards, each on its own line.
    let (script, [a, b]) = staged(&hall, &game, 1);
    let quirks = DgtQuirks::default();
    let a = Dgt::new(a, *b"11111", conventions, quirks, 3);
    let b = Dgt::new(b, *b"22222", Conventions::default(), quirks, 4);
    let a = hall.attach("dgt-a", Box::new(a)).unwrap();
    let b = hall.attach("dgt-b", Box::new(b)).unwrap();
    let left_first = "clock = true\nclock_first_time = \"left\"";
    tables.push((
        script.base_s,
        node(BoardId::A, "dgt", "dgt-11111", a.port(), left_first)
            + &node(BoardId::B, "dgt", "dgt-22222", b.port(), "clock = true"),
    ));
    truths.push(true_record(&script));
    // Table 2: two DGT boards on a bus.
    let (script, [a, b]) = staged(&hall, &game, 2);
    let bus = DgtBus::new(vec![(300, a), (5, b)], Conventions::default(), quirks, 5);
    let bus = hall.attach("dgt-bus", Box::new(bus)).unwrap();
    tables.push((
        script.base_s,
        node(BoardId::A, "dgt-bus", "dgt-bus-300", bus.port(), "clock = true")
            + &node(BoardId::B, "dgt-bus", "dgt-bus-5", bus.port(), "clock = true"),
    ));
    truths.push(true_record(&script));
    // Table 3: a ChessLink and a Certabo board, with our clocks.
    let (script, [a, b]) = staged(&hall, &game, 3);
    let a = hall.attach("chesslink", Box::new(ChessLink::new(a, false, true))).unwrap();
    let pool = TagPool::default();
    let b = hall.attach("certabo", Box::new(Certabo::new(b, false, pool))).unwrap();
    tables.push((
        script.base_s,
        node(BoardId::A, "chesslink", "chesslink-1", a.port(), "")
            + &node(BoardId::B, "certabo", "certabo-1", b.port(), "")
            + &own_clocks(&hall, 3),
    ));
    truths.push(true_record(&script));
    // Table 4: two Sentio boards, with our clocks. Types of dropped pieces are hidden there.
    let (script, [a, b]) = staged(&hall, &game, 4);
    let a = hall.attach("sentio-a", Box::new(Sentio::new(a))).unwrap();
    let b = hall.attach("sentio-b", Box::new(Sentio::new(b))).unwrap();
    tables.push((
        script.base_s,
        node(BoardId::A, "sentio", "sentio-1", a.port(), "")
            + &node(BoardId::B, "sentio", "sentio-2", b.port(), "")
            + &own_clocks(&hall, 4),
    ));
    truths.push(true_record(&script));
    let config = config(folder.path(), &tables);
    let stop = CancellationToken::new();
    let clock = HubClock::accelerated(SPEED, SystemTime::now());
    let hub = tokio::spawn(hub::run(config, clock, stop.clone()));
    let records = records(folder.path(), 4).await;
    stop.cancel();
    hub.await.unwrap().unwrap();
    for (table, (found, truth)) in (1..).zip(records?.iter().zip(&truths)) {
        // The type of a dropped piece is hidden at table 4.
        let told = |record: &[String; 2]| match table {
            4 => record.clone().map(|of| without_types(&of)),
            _ => record.clone(),
        };
        if told(found) != told(truth) {
            return Err(format!("table {table} recorded {found:?}, and was played {truth:?}"));
        }
    }
    Ok(())
}

/// Plies without the types of dropped pieces.
fn without_types(plies: &str) -> String {
    let word = |ply: &str| ply.split_once('@').map_or(ply.to_owned(), |(_, to)| format!("@{to}"));
    plies.split(' ').map(word).collect::<Vec<_>>().join(" ")
}
