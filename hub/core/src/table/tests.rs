//! A table between its nodes and its journal.

use proto::mqtt::message::{self, OrderOutcome, row::Event};
use readings::{Occupancy, SensorKind, SquareReading};
use rules::rulebook::BookId;
use rules::{Color, Game, Square, TimeControl};

use super::*;
use crate::drivers::DriverSettings;
use crate::journal::Recovered;
use crate::orders::{ClockChange, Order, What};
use crate::request::{Naming, NodeRequest};
use crate::session::tracker;
use crate::settings::{self, NodeKind};
use proto::link::{
    CommandName, CommandOutcome, CommandResult, Order as LinkOrder, ResumePoint, Standing,
};

const START: HubTime = HubTime::from_micros(1_800_000_000_000_000);

fn at(ms: u64) -> HubTime {
    START.plus_micros(ms * 1_000)
}

fn node(id: &str, board: BoardId, kind: NodeKind, driver: DriverSettings) -> settings::Node {
    let (id, sensor) = (id.to_owned(), SensorKind::Reed);
    settings::Node { board, kind, sensor, trays: false, id, label: None, port: None, driver }
}

/// A chess table with a board of ours, and a clock of ours or a board of another maker's beside it.
fn table(other: DriverSettings) -> Table {
    let nodes = vec![
        node("board", BoardId::A, NodeKind::Board, DriverSettings::Twinboard),
        node("clock", BoardId::A, NodeKind::Clock, other),
    ];
    table_of(Game::Chess, BookId::NcScholastic, nodes)
}

fn table_of(game: Game, rulebook: BookId, nodes: Vec<settings::Node>) -> Table {
    let connected: Vec<(String, BoardId)> =
        nodes.iter().map(|node| (node.id.clone(), node.board)).collect();
    let settings = TableSettings {
        hub_id: "hub-1".to_owned(),
        table: settings::TableConfig {
            name: "1".to_owned(),
            game,
            rulebook,
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
    for (node_id, board) in connected {
        let (state, detail) = (NodeState::Connected, String::new());
        let input = NodeInput::State { node_id, board, at: at(0), state, detail };
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

/// A bughouse table that is set up, with a clock of ours at each board.
struct TwoClocks {
    table: Table,
    now_ms: u64,
    rows: Vec<Event>,
    asked: Vec<NodeRequest>,
    inputs: usize,
}

impl TwoClocks {
    fn set_up() -> TwoClocks {
        let mut two = TwoClocks::without_match();
        for board in BoardId::ALL {
            let (occupied, squares) = (Some(Occupancy::INITIAL), None);
            two.read(board, ReadingKind::Snapshot { occupied, squares });
            two.read(
                board,
                ReadingKind::Clock { white_ms: 300_000, black_ms: 300_000, running: None },
            );
        }
        two.pass(10_000);
        two
    }

    fn without_match() -> TwoClocks {
        let ours = || DriverSettings::Twinboard;
        let nodes = BoardId::ALL.into_iter().flat_map(|board| {
            let of = |what, kind| node(&format!("{what}-{board}"), board, kind, ours());
            [of("board", NodeKind::Board), of("clock", NodeKind::Clock)]
        });
        let table = table_of(Game::Bughouse, BookId::UsChessBughouse2018, nodes.collect());
        let (rows, asked) = (Vec::new(), Vec::new());
        TwoClocks { table, now_ms: 1_000, rows, asked, inputs: 0 }
    }

    fn read(&mut self, board: BoardId, kind: ReadingKind) {
        let input =
            NodeInput::Readings { board, readings: vec![(at(self.now_ms), kind)], offset: None };
        self.table.handle(at(self.now_ms), TableInput::Node(input));
    }

    /// Lets time pass in which all nodes say that they have told everything.
    fn pass(&mut self, ms: u64) {
        self.now_ms += ms;
        let now = at(self.now_ms);
        for node_id in ["board-A", "clock-A", "board-B", "clock-B"] {
            let watermark = NodeInput::Watermark { node_id: node_id.to_owned(), until: now };
            self.table.handle(now, TableInput::Node(watermark));
        }
        self.table.process(now);
        while let Some(output) = self.table.poll_output() {
            match output {
                TableOutput::Commit(entry) => {
                    self.inputs += entry.inputs.len();
                    let rows = entry.rows.into_iter().chain(entry.answers);
                    self.rows.extend(rows.map(|row| row.event));
                    self.table.handle(now, TableInput::Committed);
                }
                TableOutput::Ask(request) => self.asked.push(request),
                _ => {}
            }
        }
    }

    fn ask(&mut self, id: u64) {
        let (table, match_id) = ("1".to_owned(), self.table.match_id().expect("set up").to_owned());
        let order = Order { id, table, match_id, expires_us: 0, what: What::ZeroTest };
        self.order(order);
    }

    fn order(&mut self, order: Order) {
        self.table.handle(at(self.now_ms), TableInput::Node(NodeInput::Order(order)));
        self.pass(100);
    }

    /// Orders the calibration of board B, which is set up.
    fn calibrate(&mut self, id: u64) {
        let (table, match_id) = ("1".to_owned(), self.table.match_id().expect("set up").to_owned());
        let what = What::Baseline(BoardId::B, Standing::SetUp);
        self.order(Order { id, table, match_id, expires_us: 0, what });
    }

    /// The board answers the command of an order as the order's number.
    fn answer(&mut self, order_id: u64, result: CommandResult) {
        let request = order_id as u32;
        let naming = Naming::Name(CommandName { boot_id: 1, request });
        let now = at(self.now_ms);
        let named = NodeInput::Named { order_id, naming };
        self.table.handle(now, TableInput::Node(named));
        self.pass(100);
        let outcome = CommandOutcome::Answered(result);
        let commanded = NodeInput::Commanded { order_id, outcome };
        self.table.handle(at(self.now_ms), TableInput::Node(commanded));
        self.pass(100);
    }

    fn outcome(&self) -> Option<(i32, &str)> {
        self.rows.iter().rev().find_map(|row| match row {
            Event::OrderEnded(ended) => Some((ended.outcome, ended.detail.as_str())),
            _ => None,
        })
    }
}

#[test]
fn presses_of_a_zero_test_begin_no_match_and_their_differences_are_published() {
    let mut two = TwoClocks::set_up();
    two.ask(7);
    let inputs = two.inputs;
    for n in 0..8 {
        let by = if n % 2 == 0 { Color::White } else { Color::Black };
        two.read(BoardId::A, ReadingKind::Press { by });
        two.now_ms += 20;
        two.read(BoardId::B, ReadingKind::Press { by });
        let running = Some(!by);
        two.read(BoardId::A, ReadingKind::Clock { white_ms: 299_000, black_ms: 299_000, running });
        two.pass(1_000);
    }
    assert!(!two.table.is_in_play());
    assert_eq!(two.inputs, inputs, "no session has them");
    two.read(
        BoardId::A,
        ReadingKind::Clock { white_ms: 300_000, black_ms: 300_000, running: None },
    );
    two.pass(2_000);
    let tested = two.rows.iter().find_map(|row| match row {
        Event::ZeroTested(tested) => Some(tested),
        _ => None,
    });
    assert_eq!(tested.expect("a result").differences_us, [20_000; 8]);
    assert_eq!(two.outcome(), Some((OrderOutcome::Done.into(), "")));
    // The next press is the match's.
    two.read(BoardId::A, ReadingKind::Press { by: Color::Black });
    two.pass(1_000);
    assert!(two.table.is_in_play());
    two.ask(8);
    let (outcome, words) = two.outcome().expect("an answer");
    assert_eq!(outcome, i32::from(OrderOutcome::Refused));
    assert!(words.contains("being played"), "{words}");
}

#[test]
fn a_board_is_calibrated_by_order_and_never_while_its_match_is_played() {
    let mut two = TwoClocks::set_up();
    two.calibrate(7);
    two.answer(7, CommandResult::Done);
    let command = LinkOrder::LearnBaseline(Standing::SetUp);
    let given = |it: &NodeRequest| matches!(it, NodeRequest::Give { node_id, command: it, .. } if node_id == "board-B" && *it == command);
    assert!(two.asked.iter().any(given), "{:?}", two.asked);
    assert_eq!(two.outcome(), Some((OrderOutcome::Done.into(), "")));
    for (id, result, outcome, of) in [
        (8, CommandResult::NotNow, OrderOutcome::Refused, "reads a piece"),
        (9, CommandResult::Unsupported, OrderOutcome::Refused, "no hall sensors"),
    ] {
        two.calibrate(id);
        two.answer(id, result);
        let (ended, words) = two.outcome().expect("an answer");
        assert_eq!(ended, i32::from(outcome));
        assert!(words.contains(of), "{words}");
    }
    two.read(BoardId::A, ReadingKind::Press { by: Color::Black });
    two.pass(1_000);
    two.asked.clear();
    two.calibrate(10);
    let (ended, words) = two.outcome().expect("an answer");
    assert_eq!(ended, i32::from(OrderOutcome::Refused));
    assert!(words.contains("being played") && two.asked.is_empty(), "{words}");
}

#[test]
fn between_matches_a_board_is_calibrated_and_nothing_else_is_ordered() {
    let mut two = TwoClocks::without_match();
    two.pass(1_000);
    let of_ended = |id, what| {
        let (table, match_id) = ("1".to_owned(), "ended".to_owned());
        Order { id, table, match_id, expires_us: 0, what }
    };
    two.order(of_ended(7, What::Baseline(BoardId::B, Standing::SetUp)));
    two.answer(7, CommandResult::Done);
    assert_eq!(two.outcome(), Some((OrderOutcome::Done.into(), "")));
    for (id, what) in [(8, What::ZeroTest), (9, What::Clock(BoardId::A, ClockChange::Pause))] {
        two.order(of_ended(id, what));
        let (ended, words) = two.outcome().expect("an answer");
        assert_eq!(ended, i32::from(OrderOutcome::Refused));
        assert!(words.contains("over at its table"), "{words}");
    }
}

#[test]
fn the_error_of_a_nodes_times_is_published_once_for_each_change() {
    let mut two = TwoClocks::set_up();
    for error_us in [2_000, 2_000, 500] {
        let (node_id, board) = ("clock-B".to_owned(), BoardId::B);
        let input = NodeInput::Timed { node_id, board, error_us };
        two.table.handle(at(two.now_ms), TableInput::Node(input));
        two.pass(100);
    }
    let timed = two.rows.iter().filter_map(|row| match row {
        Event::NodeTimed(timed) => Some((timed.board, timed.error_us)),
        _ => None,
    });
    let board = message::Board::B.into();
    assert_eq!(timed.collect::<Vec<_>>(), [(board, 2_000), (board, 500)]);
}
