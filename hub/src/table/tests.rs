//! A table whose hub is killed again and again must end with the rows of one that was not.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use prost::Message as _;
use proto::link::ResumePoint;
use proto::mqtt::message::Row;
use proto::mqtt::message::row::Event;
use readings::{Reading, ReadingKind, SquareReading, TruthLine};
use rules::Square;

use hub_core::HubTime;
use hub_core::table::ENTRIES_IN_FLIGHT_MAX;
use rules::BoardId;

use super::*;
use crate::HubClock;
use crate::config::Config;
use crate::journal::{JournalOptions, NodeOffset, Opened};

/// Hub time at which the simulated match begins.
const BEGIN: HubTime = HubTime::from_micros(1_800_000_000_000_000);
/// Hub time that has passed long ago, whatever clock the hub has.
const PAST: HubTime = HubTime::from_micros(1_600_000_000_000_000);
/// Time of each player, seconds.
const BASE_S: u32 = 180;
const NODE: &str = "board-a";

fn config(folder: &Path) -> Config {
    config_with(folder, BASE_S, "board-b")
}

/// The same with another time of each player, seconds, and another node on board B.
fn config_with(folder: &Path, base_s: u32, board_b: &str) -> Config {
    let text = format!(
        "[hub]\nid = \"hub-1\"\njournal = {:?}\n[broker]\nhost = \"localhost\"\n\
         [[table]]\nname = \"1\"\nrulebook = \"us-chess-bughouse-2018\"\nbase_s = {base_s}\n\
         [[table.node]]\nboard = \"A\"\nkind = \"board\"\nnode = \"board-a\"\nport = \"/dev/a\"\n\
         [[table.node]]\nboard = \"B\"\nkind = \"board\"\nnode = {board_b:?}\nport = \"/dev/b\"\n\
         [[table.node]]\nboard = \"A\"\nkind = \"clock\"\nnode = \"clock-a\"\nport = \"/dev/c\"\n",
        folder.join("hub.sqlite"),
    );
    Config::parse(Path::new("hub.toml"), &text).unwrap()
}

/// A match of the shipped games, played by simulated hands.
fn performance() -> sim::Performance {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../sim/games/engine-001.bpgn");
    let text = std::fs::read(file).unwrap();
    let game = rules::bpgn::read(&text).into_iter().next().unwrap().unwrap();
    sim::perform(&game, "ideal".parse().unwrap(), 1, "m").unwrap()
}

/// The readings of a match, in hub time, each at once: first the set-up, which must stand for a moment; at last the clocks are set
/// for the next match.
fn deliveries_of(readings: &[Reading], base_s: u32) -> Vec<Delivery> {
    let (set_up_us, stay_us) = (5_000_000, 600_000_000);
    let played = readings.iter().filter_map(|reading| {
        let delay = if reading.t_us == 0 { 0 } else { set_up_us };
        let at = BEGIN.plus_micros(reading.t_us + delay);
        Some((at, reading.board?, reading.kind.clone()))
    });
    let end_us = readings.last().map_or(0, |reading| reading.t_us) + stay_us;
    let start_ms = i64::from(base_s) * 1_000;
    let set = ReadingKind::Clock { white_ms: start_ms, black_ms: start_ms, running: None };
    let set = BoardId::ALL.map(|board| (BEGIN.plus_micros(end_us), board, set.clone()));
    let delivery = |(made, board, kind)| Delivery { comes: made, made, board, kind };
    played.chain(set).map(delivery).collect()
}

async fn start(folder: &Path, latest: HubTime) -> (Opened, TableTask) {
    start_as(config(folder), latest).await
}

async fn start_as(config: Config, latest: HubTime) -> (Opened, TableTask) {
    let opened = Journal::open(JournalOptions {
        file: config.journal.clone(),
        hub_id: config.hub_id.clone(),
        keep_matches: 10,
        now: latest,
        heartbeat: Heartbeat::default(),
    })
    .await
    .unwrap();
    let options = TableOptions {
        live_boards: None,
        hub_id: config.hub_id.clone(),
        table: config.tables[0].clone(),
        hub: SharedHub::new(HubClock::real()),
        inputs: mpsc::channel(1).1,
        journal: opened.journal.clone(),
        reader: opened.reader.clone(),
        heartbeat: Heartbeat::default(),
    };
    let task = TableTask::recover(options).await.unwrap();
    (opened, task)
}

/// Gives the journal everything until `until`, however uncertain its order is.
async fn work(task: &mut TableTask, until: HubTime) {
    let mut committed = task.committed.subscribe();
    loop {
        task.take_what_is_there();
        let is_all = task.turn(|turn, _| turn.finish(until)).await.unwrap();
        if is_all.unwrap() {
            return;
        }
        committed.changed().await.unwrap();
    }
}

/// A reading on its way to the table.
#[derive(Clone, Debug)]
struct Delivery {
    /// Time of its arrival at the hub.
    comes: HubTime,
    /// Time at which it was made.
    made: HubTime,
    board: BoardId,
    kind: ReadingKind,
}

/// All readings of the match, each at once.
fn deliveries() -> Vec<Delivery> {
    deliveries_of(&performance().readings, BASE_S)
}

/// Plays all readings through a table whose hub is killed before those at `kills`.
async fn play_through(
    folder: &Path,
    deliveries: &[Delivery],
    kills: &[usize],
) -> (Opened, TableTask) {
    play_as(config(folder), deliveries, kills).await
}

async fn play_as(config: Config, deliveries: &[Delivery], kills: &[usize]) -> (Opened, TableTask) {
    let (mut opened, mut task) = start_as(config.clone(), BEGIN).await;
    let mut kills = kills.to_vec();
    let mut next = 0;
    while next < deliveries.len() {
        if kills.first().is_some_and(|&kill| kill % deliveries.len() <= next) {
            kills.remove(0);
            opened.writer.abort();
            drop(opened.writer.await);
            drop(task);
            (opened, task) = start_as(config.clone(), BEGIN).await;
            // The node sends again what was not committed.
            let resume = opened.reader.resume_point(NODE).await.unwrap();
            next = resume.map_or(0, |resume| resume.sequence as usize);
            continue;
        }
        let Delivery { comes, made, board, kind } = deliveries[next].clone();
        next += 1;
        let reached = ResumePoint { boot_id: 1, sequence: u32::try_from(next).unwrap() };
        let offset = Some(NodeOffset { node_id: NODE.to_owned(), reached });
        let readings = vec![(made, kind)];
        task.give(NodeInput::Readings { board, readings, offset });
        work(&mut task, comes).await;
    }
    work(&mut task, BEGIN.plus_micros(3_600_000_000)).await;
    opened.journal.flush().await.unwrap();
    (opened, task)
}

/// The rows in the journal.
async fn rows(reader: &Reader) -> Vec<(u64, Event)> {
    let row = |row: &delivery::JournalRow| {
        let row = Row::decode(&row.body[..]).unwrap();
        (row.hub_time_us, row.event.unwrap())
    };
    reader.rows_after(0, 1_000_000).await.unwrap().iter().map(row).collect()
}

/// Plays the match through a table whose hub is killed before those readings; returns the rows in the journal at the end.
async fn play(kills: &[usize]) -> Vec<(u64, Event)> {
    let folder = tempfile::tempdir().unwrap();
    let deliveries = deliveries();
    let (opened, _task) = play_through(folder.path(), &deliveries, kills).await;
    let (matches, reader) = (opened.reader.matches().await.unwrap(), &opened.reader);
    let trace = reader.trace(&matches[0].0).await.unwrap().unwrap().readings;
    assert!(matches[0].1 && trace.len() >= deliveries.len(), "the match is evidence");
    rows(reader).await
}

/// The plies as they were published last, in the order of their times, each with its time and squares.
fn plies(rows: &[(u64, Event)]) -> Vec<(u64, String)> {
    let mut plies: std::collections::BTreeMap<u32, (u64, String)> = Default::default();
    for (_, event) in rows {
        match event {
            Event::PlyReported(ply) => {
                plies.insert(ply.ply_id, (ply.t_us, ply.uci.clone()));
            }
            Event::PlyRetracted(ply) => drop(plies.remove(&ply.ply_id)),
            _ => {}
        }
    }
    let mut plies: Vec<_> = plies.into_iter().map(|(id, (t_us, uci))| (t_us, id, uci)).collect();
    plies.sort();
    plies.into_iter().map(|(t_us, _, uci)| (t_us, squares(&uci))).collect()
}

/// The squares of a ply: not which piece was dropped, nor what a pawn became.
fn squares(uci: &str) -> String {
    uci.split_once('@').map_or(uci[..4.min(uci.len())].to_owned(), |(_, to)| format!("@{to}"))
}

/// The squares of all plies that were played.
fn truth() -> Vec<String> {
    let ply = |line: &TruthLine| match line {
        TruthLine::Ply(ply) => Some(squares(&ply.uci.to_string())),
        TruthLine::Anomaly(_) => None,
    };
    performance().truth.iter().filter_map(ply).collect()
}

#[tokio::test]
async fn a_match_goes_from_readings_to_rows_and_its_plies_are_the_truth() {
    let inferred: Vec<_> = plies(&play(&[]).await).into_iter().map(|(_, ply)| ply).collect();
    assert_eq!(inferred, truth());
}

/// Events `from` to `to` of the board, one a second since `since`, as its port hands them on.
fn events(since: HubTime, from: u32, to: u32) -> impl Iterator<Item = NodeInput> {
    let event = move |sequence: u32| {
        let at = since.plus_micros(u64::from(sequence) * 1_000_000);
        let reading =
            if sequence.is_multiple_of(2) { SquareReading::Occupied } else { SquareReading::Empty };
        let kind = ReadingKind::Square { square: Square::E2, reading: Some(reading), level: None };
        readings(vec![(at, kind)], sequence)
    };
    (from..=to).map(event)
}

fn readings(readings: Vec<(HubTime, ReadingKind)>, sequence: u32) -> NodeInput {
    let reached = ResumePoint { boot_id: 1, sequence };
    let offset = Some(NodeOffset { node_id: NODE.to_owned(), reached });
    NodeInput::Readings { board: BoardId::A, readings, offset }
}

/// Time at which a hub that starts now no longer waits for any node.
fn later() -> HubTime {
    HubClock::real().now().plus_micros(10_000_000)
}

#[tokio::test]
async fn a_backlog_behind_a_hello_is_journalled_whole() {
    let folder = tempfile::tempdir().unwrap();
    let (opened, mut task) = start(folder.path(), PAST).await;
    events(PAST, 1, 3).for_each(|input| task.give(input));
    work(&mut task, later()).await;
    // The cable is back: HELLO says that three events came, and the board sends what it read meanwhile.
    task.give(readings(Vec::new(), 3));
    events(PAST, 4, 9).for_each(|input| task.give(input));
    work(&mut task, later()).await;
    opened.journal.flush().await.unwrap();
    let all = ResumePoint { boot_id: 1, sequence: 9 };
    assert_eq!(opened.reader.resume_point(NODE).await.unwrap(), Some(all));
}

#[tokio::test]
async fn a_table_whose_journal_is_behind_takes_nothing_more() {
    let folder = tempfile::tempdir().unwrap();
    let (_opened, mut task) = start(folder.path(), PAST).await;
    for (index, input) in events(PAST, 1, 40).enumerate() {
        task.give(input);
        let hub = task.options.hub.clone();
        let mut turn = hub.with(|core| core.begin(task.id)).unwrap();
        assert_eq!(turn.table().has_room(), index < ENTRIES_IN_FLIGHT_MAX);
        turn.finish(later());
        hub.with(|core| core.end(BEGIN, turn));
    }
    work(&mut task, later()).await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, max_shrink_iters: 8, ..ProptestConfig::default() })]
    #[test]
    fn a_table_that_is_killed_at_any_moment_says_the_same_once(
        kills in prop::collection::btree_set(0usize..2_000, 1..4),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let kills: Vec<usize> = kills.into_iter().collect();
        let (rows, expected) = runtime.block_on(async { (play(&kills).await, play(&[]).await) });
        prop_assert_eq!(rows, expected);
    }
}

mod late;
mod other_release;
