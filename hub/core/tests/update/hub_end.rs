//! A whole hub at the other end of a node's line: its port, its table, and a journal that has everything at once.

use std::sync::Arc;

use hub_core::HubTime;
use hub_core::drivers::{DriverSettings, Transport};
use hub_core::hub::{Hub, HubInput, HubOutput, Id, PortId, TableId, UpdateReport};
use hub_core::input::NodeInput;
use hub_core::journal::Recovered;
use hub_core::port::{About, Place, PortInput};
use hub_core::session::tracker;
use hub_core::settings::{Node, NodeKind, TableConfig};
use hub_core::table::{Recovery, TableSettings};
use hub_core::update::NodeImages;
use readings::{Occupancy, ReadingKind, SensorKind, SquareReading};
use rules::rulebook::BookId;
use rules::{BoardId, Color, Game, TimeControl};

use crate::node::End;

/// A hub with one table, whose clocks are nodes of ours.
pub(crate) struct HubEnd {
    hub: Hub,
    port: PortId,
    table: TableId,
    images: Arc<NodeImages>,
    /// The request that is sent until it is answered.
    pub(crate) request: Option<u64>,
    pub(crate) report: Option<UpdateReport>,
}

impl HubEnd {
    /// A hub that has the first of these clocks at a port.
    pub(crate) fn new(ids: &[String], images: &Arc<NodeImages>) -> HubEnd {
        let mut nodes: Vec<Node> = ids.iter().map(|id| clock(id)).collect();
        // A board of another maker, which has no firmware of ours.
        let driver = DriverSettings::Sentio { reversed: false };
        nodes.push(Node { kind: NodeKind::Board, driver, ..clock("board") });
        let mut hub = Hub::default();
        for node in &nodes {
            hub.add_node(Place { table: "1".to_owned(), node: node.clone() }, None, None);
        }
        let settings = TableSettings {
            hub_id: "hub-1".to_owned(),
            table: TableConfig {
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
        let table = hub.add_table("1", recovery.finish(HubTime::ZERO, Vec::new(), Vec::new()));
        let about =
            About { path: "/dev/clock".into(), meant_for: Some("clock".to_owned()), rate: 1.0 };
        let port =
            hub.add_port(about, Box::new(|| DriverSettings::Twinboard.driver()), HubTime::ZERO);
        HubEnd { hub, port, table, images: Arc::clone(images), request: None, report: None }
    }

    /// A game begins: pieces in their first position, then the first moves.
    pub(crate) fn play(&mut self, mut now: HubTime) {
        let square = |name: &str, reading| ReadingKind::Square {
            square: name.parse().unwrap(),
            reading: Some(reading),
            level: None,
        };
        let display =
            |running| ReadingKind::Clock { white_ms: 300_000, black_ms: 300_000, running };
        let occupied = Some(Occupancy::INITIAL);
        let readings = [
            ReadingKind::Snapshot { occupied, squares: None },
            display(None),
            ReadingKind::Press { by: Color::Black },
            display(Some(Color::White)),
            square("e2", SquareReading::Empty),
            square("e4", SquareReading::Occupied),
            ReadingKind::Press { by: Color::White },
            display(Some(Color::Black)),
        ];
        for reading in readings {
            let readings = vec![(now, reading)];
            let input = NodeInput::Readings { board: BoardId::A, readings, offset: None };
            self.hub.handle(now, HubInput::Node(self.table, input));
            now = now.plus_micros(5_000_000);
            self.act(now);
        }
    }

    fn act(&mut self, now: HubTime) {
        while let Some(output) = self.hub.poll_output(Id::Port(self.port)) {
            if matches!(output, HubOutput::Open) {
                self.hub
                    .handle(now, HubInput::Port(self.port, PortInput::Opened(Transport::Packets)));
            }
        }
        self.hub.turn(now, self.table);
        while let Some(output) = self.hub.poll_output(Id::Table(self.table)) {
            if matches!(output, HubOutput::Commit(_)) {
                self.hub.handle(now, HubInput::Committed(self.table));
            }
        }
    }
}

fn clock(id: &str) -> Node {
    Node {
        board: BoardId::A,
        kind: NodeKind::Clock,
        sensor: SensorKind::Reed,
        trays: false,
        id: id.to_owned(),
        label: None,
        port: None,
        driver: DriverSettings::Twinboard,
    }
}

impl End for HubEnd {
    fn poll(&mut self, now: HubTime) {
        self.hub.handle(now, HubInput::Port(self.port, PortInput::Time));
        self.act(now);
        if let Some(request) = self.request {
            let images = Arc::clone(&self.images);
            self.hub.handle(now, HubInput::UpdateNodes { request, images });
        }
        if let Some(report) = self.hub.poll_update(now) {
            self.request = self.request.filter(|_| !report.is_ended);
            self.report = Some(report);
        }
    }

    fn transmit(&mut self, now: HubTime, out: &mut [u8]) -> usize {
        // Pieces as small as some adapters take them.
        let mut length = 0;
        for piece in out.chunks_mut(16) {
            let moved = self.hub.transmit(now, self.port, piece);
            length += moved;
            if moved < piece.len() {
                break;
            }
        }
        length
    }

    fn receive(&mut self, now: HubTime, bytes: &[u8]) {
        self.hub.handle(now, HubInput::Port(self.port, PortInput::Received(bytes)));
        self.act(now);
    }

    fn is_done(&self) -> bool {
        self.report.as_ref().is_some_and(|report| report.is_ended)
    }
}
