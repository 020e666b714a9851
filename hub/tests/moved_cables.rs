//! What people do to cables while a match is played: at each table of a simulated hall something else happens, and each match
//! must end with the record of what was played and with the messages of what happened, each once.
//!
//! One afternoon for all tests: the tables play at the same time, as in a hall.

#[path = "support/cabled_hall.rs"]
mod cabled_hall;
#[path = "support/devices.rs"]
mod devices;
#[path = "support/log.rs"]
mod log;
#[path = "support/record.rs"]
mod record;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

use devices::{ideal, script};
use hub::{Config, HubClock};
use log::{collect_log, logged};
use proto::mqtt::message::NodeState;
use readings::TruthLine;
use record::{BoardRecord, TableRecord, node_states, played};
use rules::BoardId;
use sim::devices::{ChessLink, World};
use sim::hall::{Attached, Fault, Hall, HallConfig, HallMatch, HallNode, HallNodeKind};
use tokio_util::sync::CancellationToken;

const SPEED: f64 = 6.0;
const SEED: u64 = 1;
/// From the last hand to the last row, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// What happens at each table of the hall.
const TABLES: [(&str, Mischief); 10] = [
    ("quiet", Mischief::None),
    ("pulled", Mischief::Pulled { node: "board-a", plies: 3 }),
    ("pulled-long", Mischief::Pulled { node: "board-a", plies: 7 }),
    ("pulled-clock", Mischief::Pulled { node: "clock-a", plies: 7 }),
    ("elsewhere", Mischief::Elsewhere),
    ("exchanged", Mischief::Exchanged),
    ("dark", Mischief::Dark),
    ("rebooted", Mischief::Rebooted("board-a")),
    ("rebooted-clock", Mischief::Rebooted("clock-a")),
    (NAMELESS, Mischief::Nameless),
];
/// The table with boards of another maker, which do not say who they are.
const NAMELESS: &str = "nameless";

/// What people do at a table in the middle of its match.
#[derive(Clone, Copy, Debug)]
enum Mischief {
    None,
    /// A node's cable is out for so many plies of board A.
    Pulled {
        node: &'static str,
        plies: usize,
    },
    /// Board A is plugged in at a port that the configuration does not know.
    Elsewhere,
    /// Each board is plugged in at the port of the other.
    Exchanged,
    /// Board A is pulled, has no other power, and is plugged in again.
    Dark,
    /// The power of a node fails for a moment.
    Rebooted(&'static str),
    /// Two boards without an id are plugged in at each other's ports.
    Nameless,
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
    let mut hall = Hall::start(HallConfig {
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
    let nameless = attach_nameless(&mut hall);
    let hall = Arc::new(hall);
    let config = config(&hall, &nameless, folder.path());
    let stop = CancellationToken::new();
    let clock = HubClock::accelerated(SPEED, SystemTime::now());
    let hub = tokio::spawn(hub::run(config, clock, stop.clone()));
    let matches = hall.matches().to_vec();
    let disturbances = TABLES.iter().zip(&matches).map(|(&(_, mischief), of)| {
        let (of, hall, folder) = (of.clone(), Arc::clone(&hall), folder.path().to_owned());
        let nameless = nameless.clone();
        tokio::spawn(async move { disturb(mischief, &of, &hall, &nameless, begun, &folder).await })
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

/// Boards of another maker for the last table.
fn attach_nameless(hall: &mut Hall) -> [Attached; 2] {
    let of = hall.matches()[TABLES.len() - 1].clone();
    let script = script(&short_games()[TABLES.len() - 1], &ideal(), SEED, &of.match_id);
    BoardId::ALL.map(|board| {
        let world = World::new(&script, board, of.begin_us);
        let name = format!("table{}-chesslink-{board}", of.table).to_lowercase();
        hall.attach(&name, Box::new(ChessLink::new(world, false, true))).unwrap()
    })
}

fn config(hall: &Hall, nameless: &[Attached; 2], folder: &Path) -> Config {
    let tables = TABLES.iter().enumerate().map(|(index, (name, _))| {
        let is_nameless = *name == NAMELESS;
        let fit = |node: &HallNode| node.kind == HallNodeKind::Clock || !is_nameless;
        let mut nodes = cabled_hall::nodes(hall, index + 1, fit);
        for (board, device) in BoardId::ALL.into_iter().zip(nameless).filter(|_| is_nameless) {
            let id = device.port().file_name().unwrap().to_str().unwrap();
            nodes += &cabled_hall::device(board, "chesslink", id, device.port(), "");
        }
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
    nameless: &[Attached; 2],
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
    // What is played at a board without power, nobody sees.
    let (rest_from, rest_until) = longest_rest(of);
    match mischief {
        Mischief::None => {}
        Mischief::Pulled { node, plies: away } => {
            at(plies[third]).await;
            inflict(node, Fault::Unplug).await;
            at(plies[third + away]).await;
            inflict(node, Fault::Replug).await;
        }
        Mischief::Elsewhere => {
            at(plies[third]).await;
            inflict("board-a", Fault::Unplug).await;
            at(plies[third + 2]).await;
            inflict("board-a", Fault::PlugInAt(folder.join("spare-1"))).await;
        }
        Mischief::Exchanged => {
            at(plies[third]).await;
            inflict("board-a", Fault::Unplug).await;
            inflict("board-b", Fault::Unplug).await;
            at(plies[third + 2]).await;
            inflict("board-a", Fault::PlugInAt(port("board-b"))).await;
            inflict("board-b", Fault::PlugInAt(port("board-a"))).await;
        }
        Mischief::Dark => {
            at(rest_from).await;
            inflict("board-a", Fault::Unplug).await;
            at(rest_until).await;
            inflict("board-a", Fault::Reboot).await;
            inflict("board-a", Fault::Replug).await;
        }
        Mischief::Rebooted(node) => {
            at(rest_from).await;
            inflict(node, Fault::Reboot).await;
        }
        Mischief::Nameless => {
            at(plies[third]).await;
            let [a, b] = nameless;
            for board in nameless {
                board.suffer(Fault::Unplug).await.unwrap();
            }
            at(plies[third + 2]).await;
            a.suffer(Fault::PlugInAt(b.port().to_owned())).await.unwrap();
            b.suffer(Fault::PlugInAt(a.port().to_owned())).await.unwrap();
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

/// Microseconds of the match in which nobody touches board A or its clock: within the longest time between two plies.
fn longest_rest(of: &HallMatch) -> (u64, u64) {
    let plies = plies_of(of, BoardId::A);
    let rests = plies.windows(2).map(|pair| (pair[1] - pair[0], pair[0]));
    let (rest_us, from_us) = rests.max().unwrap();
    (from_us + rest_us / 4, from_us + rest_us / 2)
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

const STARTED_ANEW: &str = "started anew: what it had read and not delivered before is missing; if nobody pulled its plug, \
                            check its power";

#[test]
fn at_a_table_where_nobody_touches_a_cable_nothing_is_said() {
    let ending = Ending::of("quiet");
    ending.assert_right();
    ending.assert_said(&[]);
    ending.assert_gaps(&[]);
    ending.assert_went(&[]);
    assert_eq!(
        afternoon().strays,
        Vec::<String>::new(),
        "nor anything else that concerns no table"
    );
}

#[test]
fn plies_made_while_a_board_is_pulled_are_recorded_when_it_is_put_back() {
    for table in ["pulled", "pulled-long"] {
        let ending = Ending::of(table);
        ending.assert_right();
        ending.assert_said(&["WARN node #board-a is lost: unplugged; plug it in again"]);
        ending.assert_gaps(&[]);
        ending.assert_went(&["board-a"]);
    }
}

#[test]
fn presses_made_while_a_clock_is_pulled_are_recorded_when_it_is_put_back() {
    let ending = Ending::of("pulled-clock");
    ending.assert_right();
    ending.assert_said(&["WARN node #clock-a is lost: unplugged; plug it in again"]);
    ending.assert_gaps(&[]);
    ending.assert_went(&["clock-a"]);
}

#[test]
fn a_board_that_is_plugged_in_elsewhere_goes_on_there_and_that_is_said() {
    let ending = Ending::of("elsewhere");
    ending.assert_right();
    ending.assert_said(&[
        "WARN node #board-a is lost: unplugged; plug it in again",
        "INFO node #board-a goes on at port spare-1; it was at #board-a: it keeps its place (table elsewhere, board A)",
    ]);
    ending.assert_gaps(&[]);
    ending.assert_went(&["board-a"]);
}

#[test]
fn two_boards_that_exchange_their_ports_in_the_middle_of_a_match_are_told_apart_and_that_is_said_once()
 {
    let ending = Ending::of("exchanged");
    ending.assert_right();
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
            *message = message.replace('#', &ending.nodes);
        }
        messages.sort();
        messages
    };
    let either = [told("a", "b"), told("b", "a")];
    assert!(either.contains(&ending.messages), "{:#?}", ending.messages);
    ending.assert_gaps(&[]);
    ending.assert_went(&["board-a", "board-b"]);
}

#[test]
fn a_board_that_lives_on_its_cable_goes_on_from_what_stands_on_it() {
    let ending = Ending::of("dark");
    ending.assert_right();
    ending.assert_said(&[
        "WARN node #board-a is lost: unplugged; plug it in again",
        &format!("WARN node #board-a {STARTED_ANEW}"),
    ]);
    ending.assert_gaps(&[BoardId::A]);
    ending.assert_went(&["board-a"]);
}

#[test]
fn a_node_that_is_rebooted_in_the_middle_of_a_match_goes_on_and_that_is_said_once() {
    for (table, node) in [("rebooted", "board-a"), ("rebooted-clock", "clock-a")] {
        let ending = Ending::of(table);
        ending.assert_right();
        ending.assert_said(&[&format!("WARN node #{node} {STARTED_ANEW}")]);
        ending.assert_gaps(&[BoardId::A]);
        ending.assert_went(&[]);
    }
}

#[test]
fn boards_without_an_id_that_come_back_at_each_others_ports_are_noticed_by_what_they_show() {
    let ending = Ending::of(NAMELESS);
    ending.assert_said(&[
        "WARN node #chesslink-a is lost: unplugged; plug it in again",
        "WARN node #chesslink-b is lost: unplugged; plug it in again",
        "WARN table nameless: what is read on board A looks like board B, and the other way round: exchange the two boards' cables",
    ]);
}
