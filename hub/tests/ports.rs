//! Ports on pseudo-terminals with real firmware behind them. What happens to cables is simulated in virtual time (`sim/hall`).

#[path = "support/log.rs"]
mod log;
#[path = "support/node.rs"]
mod node;
mod support;

use std::collections::HashMap;
use std::convert::Infallible;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use embedded_hal::digital::{ErrorType, OutputPin};

use hub::config::Config;
use hub::gpio::Direction;
use hub::journal::{Journal, JournalOptions, Opened};
use hub::journal_line::NodeState;
use hub::liveness::Liveness;
use hub::ports::{self, NodeInput, NodeRequest, PortsOptions};
use hub::session::tracker;
use hub::{HubClock, HubTime, SharedHub};
use hub_core::hub::Id;
use hub_core::journal::Recovered;
use hub_core::table::{Recovery, TableSettings};
use log::{collect_log, logged};
use node::{Cable, INITIAL, TestBoard};
use proto::link::{
    BoardKind, Encoder, Frame, Hello, Message, NodeKind, NodeTime, SCHEMA_HASH, SensorKind,
};
use readings::{ReadingKind, SquareReading};
use support::{PATIENCE, eventually};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

const E2: u64 = 1 << 12;
const E4: u64 = 1 << 28;

/// A pin that remembers.
struct Wire(Arc<Mutex<Vec<bool>>>);

impl ErrorType for Wire {
    type Error = Infallible;
}

impl OutputPin for Wire {
    fn set_low(&mut self) -> Result<(), Infallible> {
        self.0.lock().unwrap().push(false);
        Ok(())
    }
    fn set_high(&mut self) -> Result<(), Infallible> {
        self.0.lock().unwrap().push(true);
        Ok(())
    }
}

/// Two single-board tables with their ports, and a test in the place of the tables' sessions.
struct Hall {
    folder: tempfile::TempDir,
    tables: Vec<mpsc::Receiver<NodeInput>>,
    hub: SharedHub,
    stop: CancellationToken,
    /// Levels that the direction pin of port-two has had.
    levels: Arc<Mutex<Vec<bool>>>,
    _asked: mpsc::Sender<NodeRequest>,
    _opened: Opened,
}

/// Inputs of a table that takes all of them and does nothing with them.
fn inputs_of(hub: &SharedHub, table: &hub::config::TableConfig) -> mpsc::Receiver<NodeInput> {
    let now = hub.clock().now();
    let settings = TableSettings {
        hub_id: "hub-1".to_owned(),
        table: table.clone(),
        release: "test".to_owned(),
        rate: 1.0,
        follower: tracker,
    };
    let made = Recovery::new(settings, &Recovered::default()).finish(now, Vec::new(), Vec::new());
    let id = hub.with(|core| core.add_table(&table.name, made));
    let (wake, hub) = (hub.join(Id::Table(id)), hub.clone());
    let (sender, receiver) = mpsc::channel(64);
    tokio::spawn(async move {
        loop {
            let inputs = hub.with(|core| {
                let mut turn = core.begin(id)?;
                let inputs = std::mem::take(&mut turn.inputs);
                core.end(now, turn);
                Some(inputs)
            });
            for input in inputs.into_iter().flatten() {
                if sender.send(input).await.is_err() {
                    return;
                }
            }
            wake.notified().await;
        }
    });
    receiver
}

impl Hall {
    async fn open() -> Hall {
        collect_log();
        let folder = tempfile::tempdir().unwrap();
        let config = config(folder.path());
        let opened = Journal::open(JournalOptions {
            file: config.journal.clone(),
            hub_id: config.hub_id.clone(),
            keep_matches: 1,
            now: HubTime::from_micros(1),
            heartbeat: Liveness::default().task("journal"),
        })
        .await
        .unwrap();
        let clock = HubClock::real();
        let hub = SharedHub::new(clock);
        let tables = config.tables.iter().map(|table| inputs_of(&hub, table)).collect();
        let (asked, requests) = mpsc::channel(1);
        let liveness = Liveness::default();
        let wire = Wire(Arc::default());
        let levels = Arc::clone(&wire.0);
        let direction = Direction::new(Box::new(wire));
        let directions = HashMap::from([(folder.path().join("port-two"), direction)]);
        let options = PortsOptions { hub: hub.clone(), requests, liveness, directions };
        let stop = CancellationToken::new();
        let (stopped, reader) = (stop.clone(), opened.reader.clone());
        tokio::spawn(async move { ports::run(&config, &reader, options, stopped).await.unwrap() });
        Hall { folder, tables, hub, stop, levels, _asked: asked, _opened: opened }
    }

    fn path(&self, port: &str) -> PathBuf {
        self.folder.path().join(port)
    }

    /// Waits for a node's state.
    async fn state(&mut self, table: usize, wanted: NodeState) -> String {
        loop {
            match self.next(table).await {
                NodeInput::State { state, detail, .. } if state == wanted => return detail,
                _ => {}
            }
        }
    }

    /// Waits for `count` changes of squares, and acknowledges what comes.
    async fn squares(&mut self, table: usize, count: usize) -> Vec<(String, SquareReading)> {
        let mut squares = Vec::new();
        while squares.len() < count {
            let NodeInput::Readings { readings, offset, .. } = self.next(table).await else {
                continue;
            };
            for (_, kind) in readings {
                if let ReadingKind::Square { square, reading: Some(reading), .. } = kind {
                    squares.push((square.to_string(), reading));
                }
            }
            if let Some(offset) = offset {
                self.hub.with(|core| core.acknowledge(self.hub.clock().now(), offset));
            }
        }
        squares
    }

    async fn next(&mut self, table: usize) -> NodeInput {
        let next = tokio::time::timeout(PATIENCE, self.tables[table].recv()).await;
        next.expect("waited in vain for the table's ports").unwrap()
    }
}

impl Drop for Hall {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn config(folder: &Path) -> Config {
    let table = |name: &str| {
        let port = folder.join(format!("port-{name}"));
        format!(
            "[[table]]\nname = {name:?}\nrulebook = \"us-chess-bughouse-2018\"\nbase_s = 300\n\
             [[table.node]]\nboard = \"A\"\nkind = \"board\"\nnode = \"board-{name}\"\nport = {port:?}\n"
        )
    };
    let text = format!(
        "[hub]\nid = \"hub-1\"\njournal = {:?}\nports = [{:?}]\n[broker]\nhost = \"localhost\"\n{}{}",
        folder.join("hub.sqlite"),
        folder.join("hot-*"),
        table("one"),
        table("two"),
    );
    Config::parse(Path::new("hub.toml"), &text).unwrap()
}

fn lifted(square: &str) -> (String, SquareReading) {
    (square.to_owned(), SquareReading::Empty)
}

fn placed(square: &str) -> (String, SquareReading) {
    (square.to_owned(), SquareReading::Occupied)
}

#[tokio::test]
async fn a_garbled_line_is_reported_with_port_and_table_and_the_other_table_goes_on() {
    let mut hall = Hall::open().await;
    let one = TestBoard::start(&hall.path("port-one"), "board-one", 7);
    let two = TestBoard::start(&hall.path("port-two"), "board-two", 8);
    hall.state(0, NodeState::Connected).await;
    hall.state(1, NodeState::Connected).await;
    for round in 0..5_u8 {
        one.garbage(&[0, 3, round, 200, 17, 0]);
        one.garbage(&vec![round + 1; 5_000]);
        one.garbage(&[0]);
    }
    one.squares(INITIAL & !E2);
    two.squares(INITIAL & !E2);
    assert_eq!(hall.squares(0, 1).await, [lifted("e2")]);
    assert_eq!(hall.squares(1, 1).await, [lifted("e2")]);
    let port = hall.path("port-one");
    let reports =
        logged(&["garbled line", port.to_str().unwrap(), "table one, board A", "check the cable"]);
    assert_eq!(reports.len(), 1, "reported once, not once a frame: {reports:?}");
}

#[tokio::test]
async fn a_taken_port_is_reported_and_served_when_it_is_free() {
    collect_log();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("port-one");
    let board = TestBoard::start(&path, "board-one", 7);
    let taken =
        tokio_serial::SerialStream::open(&tokio_serial::new(path.to_str().unwrap(), 115_200))
            .unwrap();
    let mut hall = Hall::open().await;
    std::fs::remove_file(hall.path("port-one")).ok();
    std::os::unix::fs::symlink(std::fs::read_link(&path).unwrap(), hall.path("port-one")).unwrap();
    let port = hall.path("port-one");
    let parts = ["taken by another program", port.to_str().unwrap(), "table one"];
    eventually("the taken port is reported", || !logged(&parts).is_empty()).await;
    drop(taken);
    hall.state(0, NodeState::Connected).await;
    drop(board);
}

#[tokio::test]
async fn a_node_of_another_release_is_refused_with_both_versions() {
    let mut hall = Hall::open().await;
    let mut cable = Cable::plug_in(&hall.path("port-one"));
    let hello = |schema_hash: u32, kind: NodeKind| {
        let hello = Hello {
            schema_hash,
            node_id: "board-one".parse().unwrap(),
            firmware: "0.0.1".try_into().unwrap(),
            time: NodeTime::ZERO,
            acknowledged: 0,
            answers: 0,
            kind,
        };
        let frame = Frame { boot_id: 1, sequence: 0, message: Message::Hello(hello) };
        Encoder::new().encode(&frame).unwrap().to_vec()
    };
    let reed = BoardKind { sensor: SensorKind::Reed, trays: false };
    cable.end.write_all(&hello(SCHEMA_HASH ^ 1, NodeKind::Board(reed))).unwrap();
    let (ours, theirs) = (format!("{SCHEMA_HASH:08x}"), format!("{:08x}", SCHEMA_HASH ^ 1));
    let port = hall.path("port-one");
    let parts = [ours.as_str(), &theirs, port.to_str().unwrap(), "board-one"];
    eventually("both versions are named", || !logged(&parts).is_empty()).await;
    let detail = hall.state(0, NodeState::Lost).await;
    let detail =
        if detail.contains(&theirs) { detail } else { hall.state(0, NodeState::Lost).await };
    assert!(detail.contains(&theirs), "{detail}");
    cable
        .end
        .write_all(&hello(SCHEMA_HASH, NodeKind::Board(BoardKind { trays: true, ..reed })))
        .unwrap();
    let parts = ["trays = true", "trays = false", port.to_str().unwrap()];
    eventually("a board of another kind is refused", || !logged(&parts).is_empty()).await;
    tokio::time::sleep(Duration::from_millis(10)).await;
}

/// Lines of the log about this hall: it alone knows its folder's name.
fn said(hall: &Hall, parts: &[&str]) -> usize {
    let folder = hall.folder.path().to_str().unwrap();
    logged(&[parts, &[folder]].concat()).len()
}

#[tokio::test]
async fn a_node_that_is_pulled_and_plugged_in_elsewhere_goes_on_there() {
    let mut hall = Hall::open().await;
    let board = TestBoard::start(&hall.path("port-one"), "board-one", 7);
    hall.state(0, NodeState::Connected).await;
    board.squares(INITIAL & !E2);
    assert_eq!(hall.squares(0, 1).await, [lifted("e2")]);
    board.unplug();
    hall.state(0, NodeState::Lost).await;
    board.squares(INITIAL & !E2 | E4);
    board.plug_in(&hall.path("hot-3"));
    assert_eq!(hall.squares(0, 1).await, [placed("e4")], "read while no cable was in");
    board.squares(INITIAL & !E2);
    assert_eq!(hall.squares(0, 1).await, [lifted("e4")]);
    let port = hall.path("hot-3");
    assert_eq!(said(&hall, &["node board-one goes on at port", port.to_str().unwrap()]), 1);
    assert_eq!(said(&hall, &["node board-one is lost"]), 1);
    assert_eq!(said(&hall, &["port-one", "nothing is plugged in"]), 0, "that it is gone was said");
}

#[tokio::test]
async fn a_half_duplex_line_is_switched_to_send_and_back() {
    let mut hall = Hall::open().await;
    let board = TestBoard::start(&hall.path("port-two"), "board-two", 8);
    hall.state(1, NodeState::Connected).await;
    board.squares(INITIAL & !E2);
    assert_eq!(hall.squares(1, 1).await, [lifted("e2")]);
    let levels = hall.levels.lock().unwrap().clone();
    assert!(levels.len() > 2 && !levels[0], "{levels:?}");
    assert!(levels[1..].chunks(2).all(|pair| pair[0]), "{levels:?}");
    assert!(levels[2..].iter().step_by(2).all(|level| !level), "{levels:?}");
}
