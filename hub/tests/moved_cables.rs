//! What people do to cables while a match is played, at real serial devices: each match must end with the record of what was played and with
//! the messages of what happened, each once.
//!
//! A smoke test of what is real here: devices that disappear and appear. Whatever else befalls cables and nodes, in any order, is tested in virtual
//! time (`cargo xtask hall`), and the words of each message where they are said (`hub_core::port`).

#[path = "support/cabled_hall.rs"]
mod cabled_hall;
#[path = "support/log.rs"]
mod log;
#[path = "support/record.rs"]
mod record;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

use hub::{Config, HubClock};
use log::{collect_log, logged};
use proto::mqtt::message::NodeState;
use readings::TruthLine;
use record::{BoardRecord, TableRecord, node_states, played};
use rules::BoardId;
use sim::real_time::{Fault, Hall, HallConfig, HallMatch};
use tokio_util::sync::CancellationToken;

const SPEED: f64 = 16.0;
const SEED: u64 = 1;
/// From the last hand to the last row, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// What happens at each table of the hall.
const TABLES: [(&str, Mischief); 3] =
    [("quiet", Mischief::None), ("pulled", Mischief::Pulled), ("exchanged", Mischief::Exchanged)];
/// For how many plies of board A a cable is out.
const PLIES_AWAY: usize = 3;

/// What people do at a table in the middle of its match.
#[derive(Clone, Copy, Debug)]
enum Mischief {
    None,
    /// Board A's cable is out for a while.
    Pulled,
    /// Each board is plugged in at the port of the other.
    Exchanged,
}

/// How the afternoon has ended.
struct Afternoon {
    tables: BTreeMap<&'static str, Ending>,
    /// Warnings and errors that concern no table.
    strays: Vec<String>,
}

/// How it has ended at one table.
struct Ending {
    /// The table's name in those of its nodes.
    nodes: String,
    truth: BTreeMap<BoardId, BoardRecord>,
    record: TableRecord,
    /// What the hub said about the table's nodes, but that they are there: level and words of each message.
    messages: Vec<String>,
    /// What the adjudicator hears of each node.
    states: BTreeMap<String, Vec<(NodeState, String)>>,
}

/// Plays the afternoon, once for all tests.
fn afternoon() -> &'static Afternoon {
    static AFTERNOON: OnceLock<Afternoon> = OnceLock::new();
    AFTERNOON.get_or_init(|| {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(play())
    })
}

async fn play() -> Afternoon {
    collect_log();
    let folder = tempfile::tempdir().unwrap();
    let hall = Hall::start(HallConfig {
        games: short_games(),
        profile: "ideal".parse().unwrap(),
        trays: false,
        seed: SEED,
        speed: SPEED,
        tables: TABLES.len(),
        device_folder: folder.path().to_owned(),
        lead_in: Duration::from_secs(4),
    })
    .unwrap();
    let begun = tokio::time::Instant::now();
    let hall = Arc::new(hall);
    let config = config(&hall, folder.path());
    let stop = CancellationToken::new();
    let clock = HubClock::accelerated(SPEED, SystemTime::now());
    let hub = tokio::spawn(hub::run(config, clock, stop.clone()));
    let matches = hall.matches().to_vec();
    let disturbances = TABLES.iter().zip(&matches).map(|(&(_, mischief), of)| {
        let (of, hall, folder) = (of.clone(), Arc::clone(&hall), folder.path().to_owned());
        tokio::spawn(async move { disturb(mischief, &of, &hall, begun, &folder).await })
    });
    for disturbance in disturbances.collect::<Vec<_>>() {
        disturbance.await.unwrap();
    }
    hall.finished().await;
    let ends = tokio::time::Instant::now() + PATIENCE;
    let mut tables = BTreeMap::new();
    for (&(name, _), of) in TABLES.iter().zip(&matches) {
        tables.insert(name, conclude(name, of, &hall, folder.path(), ends).await);
    }
    stop.cancel();
    hub.await.unwrap().unwrap();
    let serious = |line: &String| line.contains(" WARN ") || line.contains(" ERROR ");
    let concerns = |line: &String| {
        tables.iter().any(|(table, of)| {
            line.contains(&of.nodes) || line.contains(&format!(" table {table}: "))
        })
    };
    let lines = logged(&[]).into_iter();
    // There is none in this test.
    let broker = |line: &String| line.contains("broker");
    let strays = lines.filter(|line| serious(line) && !concerns(line) && !broker(line)).collect();
    Afternoon { tables, strays }
}

/// One game for each table, the shortest.
fn short_games() -> Vec<rules::bpgn::BpgnGame> {
    let mut games = sim::games::shipped();
    games.sort_by_key(|game| game.plies.len());
    games.truncate(TABLES.len());
    games
}

fn config(hall: &Hall, folder: &Path) -> Config {
    let tables = TABLES.iter().enumerate().map(|(index, (name, _))| {
        let nodes = cabled_hall::nodes(hall, index + 1, |_| true);
        cabled_hall::table(name, hall.base_s(), &nodes)
    });
    let text = cabled_hall::head(folder, 9) + &tables.collect::<String>();
    Config::parse(Path::new("hub.toml"), &text).unwrap()
}

/// Does what is done at one table.
async fn disturb(
    mischief: Mischief,
    of: &HallMatch,
    hall: &Hall,
    begun: tokio::time::Instant,
    folder: &Path,
) {
    let node = |word: &str| format!("table{}-{word}", of.table);
    let port = |word: &str| folder.join(node(word));
    let inflict = async |word: &str, fault| hall.inflict(&node(word), fault).await.unwrap();
    let at = async |match_us: u64| {
        let hall_s = (of.begin_us + match_us) as f64 / 1e6;
        tokio::time::sleep_until(begun + Duration::from_secs_f64(hall_s / SPEED)).await;
    };
    // In the middle of a ply, as it happens.
    let plies = plies_of(of, BoardId::A);
    let third = plies.len() / 3;
    match mischief {
        Mischief::None => {}
        Mischief::Pulled => {
            at(plies[third]).await;
            inflict("board-a", Fault::Unplug).await;
            at(plies[third + PLIES_AWAY]).await;
            inflict("board-a", Fault::Replug).await;
        }
        Mischief::Exchanged => {
            at(plies[third]).await;
            inflict("board-a", Fault::Unplug).await;
            inflict("board-b", Fault::Unplug).await;
            at(plies[third + PLIES_AWAY]).await;
            inflict("board-a", Fault::PlugInAt(port("board-b"))).await;
            inflict("board-b", Fault::PlugInAt(port("board-a"))).await;
        }
    }
}

/// When the plies of a board are made, microseconds from the match's beginning.
fn plies_of(of: &HallMatch, board: BoardId) -> Vec<u64> {
    let ply = |line: &TruthLine| match line {
        TruthLine::Ply(ply) if ply.board == board => Some(ply.t_us),
        _ => None,
    };
    of.truth.iter().filter_map(ply).collect()
}

/// Waits for the end of a table's match.
async fn conclude(
    table: &str,
    of: &HallMatch,
    hall: &Hall,
    folder: &Path,
    ends: tokio::time::Instant,
) -> Ending {
    let journal = folder.join("hub.sqlite");
    let mut record = TableRecord::read(&journal, "hub-1", table).await;
    while record.ended == 0 && tokio::time::Instant::now() < ends {
        tokio::time::sleep(Duration::from_millis(250)).await;
        record = TableRecord::read(&journal, "hub-1", table).await;
    }
    let mut states = BTreeMap::new();
    for node in hall.nodes().iter().filter(|node| node.table == of.table) {
        states.insert(node.node_id.clone(), node_states(&journal, &node.node_id).await);
    }
    let nodes = format!("table{}-", of.table);
    let lines = logged(&[]).into_iter();
    let is_here =
        |line: &String| line.contains(&nodes) || line.contains(&format!(" table {table}: "));
    let lines = lines.filter(is_here).filter(|line| !line.contains(" is there "));
    let mut messages: Vec<String> = lines.map(|line| message(&line, folder)).collect();
    messages.sort();
    Ending { nodes, truth: played(&of.truth), record, messages, states }
}

/// Level and words of a line of the log, without times, fields and folders.
fn message(line: &str, folder: &Path) -> String {
    let level = line.split_whitespace().nth(1).unwrap();
    let speakers = ["hub::notices: "];
    let words = speakers.into_iter().find_map(|speaker| Some(line.split_once(speaker)?.1));
    let words = words.unwrap_or(line);
    let words = words.split(" node=").next().unwrap();
    format!("{level} {words}").replace(&format!("{}/", folder.display()), "")
}

impl Ending {
    fn of(table: &str) -> &'static Ending {
        &afternoon().tables[table]
    }

    /// The record is what was played, in one match that has ended.
    fn assert_right(&self) {
        assert_eq!(self.record.boards, self.truth);
        assert_eq!((self.record.matches, self.record.ended), (1, 1));
    }

    /// These messages, and no others.
    fn assert_said(&self, messages: &[&str]) {
        let mut expected: Vec<String> =
            messages.iter().map(|message| message.replace('#', &self.nodes)).collect();
        expected.sort();
        assert_eq!(self.messages, expected);
    }

    /// The boards have exchanged their ports.
    fn assert_exchanged(&self) {
        // Whichever is seen first has only moved; with the second it is an exchange.
        let told = |first: &str, second: &str| {
            let (first_place, second_place) = (first.to_uppercase(), second.to_uppercase());
            let mut messages = vec![
                "WARN node #board-a is lost: unplugged; plug it in again".to_owned(),
                "WARN node #board-b is lost: unplugged; plug it in again".to_owned(),
                format!(
                    "INFO node #board-{first} goes on at port #board-{second}; it was at #board-{first}: it keeps its place \
                     (table exchanged, board {first_place})"
                ),
                format!(
                    "WARN nodes #board-{second} and #board-{first} have exchanged their ports: each is known by its id and keeps \
                     its place (#board-{second}: table exchanged, board {second_place}); if the boards themselves were exchanged \
                     on the tables, put them back"
                ),
            ];
            for message in &mut messages {
                *message = message.replace('#', &self.nodes);
            }
            messages.sort();
            messages
        };
        let either = [told("a", "b"), told("b", "a")];
        assert!(either.contains(&self.messages), "{:#?}", self.messages);
    }

    /// Readings were lost at these boards, and that is recorded.
    fn assert_gaps(&self, boards: &[BoardId]) {
        assert_eq!(self.record.gaps, boards);
    }

    /// The adjudicator heard that these nodes went and came, and that the others came.
    fn assert_went(&self, nodes: &[&str]) {
        let here = || (NodeState::Connected, String::new());
        let gone = || (NodeState::Lost, "unplugged".to_owned());
        assert_eq!(self.states.len(), 4);
        for (node, states) in &self.states {
            let went = nodes.iter().any(|name| *node == format!("{}{name}", self.nodes));
            let expected = if went { vec![here(), gone(), here()] } else { vec![here()] };
            assert_eq!(*states, expected, "{node}");
        }
    }
}

#[test]
fn cables_that_are_pulled_and_exchanged_cost_no_ply_and_are_said_once() {
    let ending = Ending::of("quiet");
    ending.assert_right();
    ending.assert_said(&[]);
    ending.assert_gaps(&[]);
    ending.assert_went(&[]);
    assert_eq!(afternoon().strays, Vec::<String>::new(), "nothing that concerns no table");
    let ending = Ending::of("pulled");
    ending.assert_right();
    ending.assert_said(&["WARN node #board-a is lost: unplugged; plug it in again"]);
    ending.assert_gaps(&[]);
    ending.assert_went(&["board-a"]);
    let ending = Ending::of("exchanged");
    ending.assert_right();
    ending.assert_exchanged();
    ending.assert_gaps(&[]);
    ending.assert_went(&["board-a", "board-b"]);
}
