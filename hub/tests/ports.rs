//! Ports on pseudo-terminals with real firmware behind them, and everything that happens to cables.

#[path = "support/node.rs"]
mod node;
mod support;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hub::config::Config;
use hub::journal::{Journal, JournalOptions, Opened};
use hub::ports::{self, NodeInput, PortsOptions};
use hub::progress::Progress;
use hub::record::NodeState;
use hub::uplink::IdentifyNode;
use hub::{HubClock, HubTime};
use inference::record::{ReadingKind, SquareReading};
use node::{Cable, INITIAL, TestBoard, collect_log, logged};
use proto::link::{
    BoardKind, Encoder, Frame, Hello, Message, NodeKind, NodeTime, SCHEMA_HASH, SensorKind,
};
use support::{PATIENCE, eventually};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

const E2: u64 = 1 << 12;
const E4: u64 = 1 << 28;

/// Two single-board tables with their ports, and a test in the place of the tables' sessions.
struct Hall {
    folder: tempfile::TempDir,
    tables: Vec<mpsc::Receiver<NodeInput>>,
    stop: CancellationToken,
    _identify: mpsc::Sender<IdentifyNode>,
    _opened: Opened,
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
            beat: Progress::default().task("journal"),
        })
        .await
        .unwrap();
        let (senders, tables) = (0..2).map(|_| mpsc::channel(64)).unzip();
        let (identify, requests) = mpsc::channel(1);
        let options = PortsOptions { clock: HubClock::real(), inputs: senders, identify: requests };
        let stop = CancellationToken::new();
        let (stopped, reader) = (stop.clone(), opened.reader.clone());
        tokio::spawn(async move { ports::run(&config, &reader, options, stopped).await.unwrap() });
        Hall { folder, tables, stop, _identify: identify, _opened: opened }
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
            let NodeInput::Readings { readings, progress, .. } = self.next(table).await else {
                continue;
            };
            for (_, kind) in readings {
                if let ReadingKind::Square { square, reading: Some(reading), .. } = kind {
                    squares.push((square.to_string(), reading));
                }
            }
            if let Some(progress) = progress {
                progress.committed.send_replace(Some(progress.reached));
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
        "[hub]\nid = \"hub-1\"\njournal = {:?}\n[broker]\nhost = \"localhost\"\n{}{}",
        folder.join("hub.sqlite"),
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
async fn a_node_that_is_unplugged_loses_nothing_and_repeats_nothing() {
    let mut hall = Hall::open().await;
    let board = TestBoard::start(&hall.path("port-one"), "board-one", 7);
    hall.state(0, NodeState::Connected).await;
    board.squares(INITIAL & !E2);
    assert_eq!(hall.squares(0, 1).await, [lifted("e2")]);
    board.unplug();
    let detail = hall.state(0, NodeState::Lost).await;
    assert!(detail.contains("unplugged"), "{detail}");
    board.squares(INITIAL & !E2 | E4);
    board.squares(INITIAL);
    board.plug_in(&hall.path("port-one"));
    assert_eq!(hall.squares(0, 3).await, [placed("e4"), placed("e2"), lifted("e4")]);
    let port = hall.path("port-one");
    let port = port.to_str().unwrap();
    assert!(!logged(&["node board-one is lost", "unplugged", port]).is_empty());
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
async fn an_unknown_node_is_named_and_the_right_one_may_come_to_any_port() {
    let mut hall = Hall::open().await;
    let stranger = TestBoard::start(&hall.path("port-one"), "board-nine", 9);
    let port = hall.path("port-one");
    let parts = ["\"board-nine\" is in no table", port.to_str().unwrap(), "[[table.node]]"];
    eventually("the stranger is reported", || !logged(&parts).is_empty()).await;
    let one = TestBoard::start(&hall.path("port-two"), "board-one", 7);
    hall.state(0, NodeState::Connected).await;
    one.squares(INITIAL & !E2);
    assert_eq!(hall.squares(0, 1).await, [lifted("e2")]);
    drop(stranger);
}

#[tokio::test]
async fn of_two_nodes_that_claim_one_place_the_first_keeps_it() {
    let mut hall = Hall::open().await;
    let first = TestBoard::start(&hall.path("port-one"), "board-one", 7);
    hall.state(0, NodeState::Connected).await;
    let second = TestBoard::start(&hall.path("port-two"), "board-one", 8);
    let (one, two) = (hall.path("port-one"), hall.path("port-two"));
    let parts = [
        "already connected at",
        one.to_str().unwrap(),
        two.to_str().unwrap(),
        "table one, board A",
    ];
    eventually("the second is reported", || !logged(&parts).is_empty()).await;
    second.squares(INITIAL & !E4 & !1);
    first.squares(INITIAL & !E2);
    assert_eq!(hall.squares(0, 1).await, [lifted("e2")]);
    first.unplug();
    hall.state(0, NodeState::Lost).await;
    hall.state(0, NodeState::Connected).await;
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
