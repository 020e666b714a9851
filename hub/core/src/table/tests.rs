//! A table between its nodes and its journal.

use readings::{SensorKind, SquareReading};
use rules::rulebook::BookId;
use rules::{Game, Square, TimeControl};

use super::*;
use crate::drivers::DriverSettings;
use crate::journal::Recovered;
use crate::session::tracker;
use crate::settings::{self, NodeKind};
use proto::link::ResumePoint;

const START: HubTime = HubTime::from_micros(1_800_000_000_000_000);

fn at(ms: u64) -> HubTime {
    START.plus_micros(ms * 1_000)
}

/// A chess table with a board of ours, and a clock of ours or a board of another maker's beside it.
fn table(other: DriverSettings) -> Table {
    let node = |id: &str, kind, driver| settings::Node {
        board: BoardId::A,
        kind,
        sensor: SensorKind::Reed,
        trays: false,
        id: id.to_owned(),
        label: None,
        port: None,
        driver,
    };
    let nodes = vec![
        node("board", NodeKind::Board, DriverSettings::Twinboard),
        node("clock", NodeKind::Clock, other),
    ];
    let settings = TableSettings {
        hub_id: "hub-1".to_owned(),
        table: settings::Table {
            name: "1".to_owned(),
            game: Game::Chess,
            rulebook: BookId::NcScholastic,
            time: TimeControl::sudden_death(300, 0).unwrap(),
            nodes,
            levers: Vec::new(),
        },
        release: "test".to_owned(),
        rate: 1.0,
        follower: tracker,
    };
    let recovery = Recovery::new(settings, &Recovered::default());
    let mut table = recovery.finish(START, Vec::new(), Vec::new());
    for node_id in ["board", "clock"] {
        let node_id = node_id.to_owned();
        let (state, detail) = (NodeState::Connected, String::new());
        let input = NodeInput::State { node_id, board: BoardId::A, at: at(0), state, detail };
        table.handle(at(0), TableInput::Node(input));
    }
    table
}

/// The board reads a square, and says that it has told everything until then.
fn lift(table: &mut Table, ms: u64, sequence: u32) {
    let kind = ReadingKind::Square {
        square: Square::E2,
        reading: Some(SquareReading::Empty),
        level: None,
    };
    let reached = ResumePoint { boot_id: 1, sequence };
    let offset = Some(NodeOffset { node_id: "board".to_owned(), reached });
    let readings = vec![(at(ms), kind)];
    let input = NodeInput::Readings { board: BoardId::A, readings, offset };
    table.handle(at(ms), TableInput::Node(input));
    let watermark = NodeInput::Watermark { node_id: "board".to_owned(), until: at(ms) };
    table.handle(at(ms), TableInput::Node(watermark));
}

/// Offsets of the entries that the table has for the journal.
fn offsets(table: &mut Table) -> Vec<u32> {
    std::iter::from_fn(|| table.poll_output())
        .filter_map(|output| match output {
            TableOutput::Commit(entry) => Some(entry.offsets),
            _ => None,
        })
        .flatten()
        .map(|offset| offset.reached.sequence)
        .collect()
}

#[test]
fn a_clean_stop_leaves_with_the_nodes_what_may_be_out_of_order() {
    let mut table = table(DriverSettings::Twinboard);
    let told = NodeInput::Watermark { node_id: "clock".to_owned(), until: at(4_000) };
    table.handle(at(4_000), TableInput::Node(told));
    lift(&mut table, 3_900, 1);
    lift(&mut table, 4_100, 2);
    assert!(table.finish(at(4_200)));
    assert_eq!(offsets(&mut table), [1], "the clock may have read something before the second");
}

#[test]
fn a_clean_stop_keeps_all_that_came_beside_a_device_that_keeps_nothing() {
    let mut table = table(DriverSettings::Sentio { reversed: false });
    lift(&mut table, 3_900, 1);
    lift(&mut table, 4_100, 2);
    assert!(table.finish(at(4_200)));
    assert_eq!(offsets(&mut table), [1, 2]);
}
