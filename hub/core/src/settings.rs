//! Parts of a table: its game, its nodes, and what is wired to the hub's own pins for it.

use std::fmt;
use std::path::PathBuf;

use readings::{BoardHeader, SensorKind};
use rules::rulebook::BookId;
use rules::{BoardId, Game, TimeControl};

use crate::drivers::DriverSettings;

/// One table: a match at a time. Chess is played on board A alone; of bughouse both boards have sensors, or one of them.
#[derive(Clone, Debug, PartialEq)]
pub struct TableConfig {
    /// Name, as the pages show it.
    pub name: String,
    /// The game that is played.
    pub game: Game,
    /// The rulebook; it is one for the game.
    pub rulebook: BookId,
    /// The time that each player has.
    pub time: TimeControl,
    /// The nodes, in the order of the file.
    pub nodes: Vec<Node>,
    /// Levers on the hub's own pins.
    pub levers: Vec<LeverPin>,
}

impl TableConfig {
    /// The name under which a lever of the table is reported.
    #[must_use]
    pub fn lever_name(&self, lever: &LeverPin) -> String {
        format!("lever-{}-{}", self.name, lever.board)
    }

    /// Whether a board's clock is read: by a node, or by a lever on the hub's pins.
    #[must_use]
    pub fn has_clock(&self, board: BoardId) -> bool {
        self.nodes.iter().any(|node| node.board == board && node.has_clock())
            || self.levers.iter().any(|lever| lever.board == board)
    }

    /// The boards that have a board node, A first, and how they sense.
    pub fn boards(&self) -> impl Iterator<Item = (BoardId, BoardHeader)> + '_ {
        BoardId::ALL.into_iter().filter_map(|board| {
            let is_board = |node: &&Node| node.board == board && node.kind == NodeKind::Board;
            self.nodes.iter().find(is_board).map(|node| {
                let header = BoardHeader {
                    trays: node.trays,
                    clock_resolution_ms: node.driver.clock_resolution_ms(),
                    scan_ms: node.driver.scan_ms(),
                    clockless: !self.has_clock(board),
                    ..BoardHeader::new(node.sensor)
                };
                (board, header)
            })
        })
    }
}

/// One node of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The board it belongs to.
    pub board: BoardId,
    /// Kind of its sensors.
    pub kind: NodeKind,
    /// What its squares' sensors can distinguish; unused for clocks.
    pub sensor: SensorKind,
    /// Whether it has two reserve trays with sensed slots; of no meaning for clocks.
    pub trays: bool,
    /// Its id, as in its HELLO.
    pub id: String,
    /// Its name for people, as on its label.
    pub label: Option<String>,
    /// The serial port to open; none: the node is found by its id.
    pub port: Option<PathBuf>,
    /// Its driver, with the driver's settings.
    pub driver: DriverSettings,
}

impl Node {
    /// Its name for people: its id, and its label if it has one.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.label {
            Some(label) => format!("{} \"{label}\"", self.id),
            None => self.id.clone(),
        }
    }
}

/// Kind of a node's sensors.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum NodeKind {
    /// The squares under a board.
    Board,
    /// A chess clock.
    Clock,
}

impl Node {
    /// Whether it is a clock or brings one.
    #[must_use]
    pub fn has_clock(&self) -> bool {
        self.kind == NodeKind::Clock || self.driver.brings_clock()
    }
}

impl fmt::Display for NodeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NodeKind::Board => "board",
            NodeKind::Clock => "clock",
        })
    }
}

/// A lever on a pin of the hub, in the place of a clock node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeverPin {
    /// The board it belongs to.
    pub board: BoardId,
    /// The pin: low while White's side is down.
    pub pin: u8,
}
