//! Input language of the fold: what the inputs of the log say, decoded.
//!
//! The fold decodes nothing. An input that cannot be decoded, or is invalid, is handed over with its reason, so that it is counted and logged in
//! the order of the log.

use proto::mqtt::message::OrderOutcome;
use referee::{Alternative, PlyId};
use rules::{Bitboard, BoardId, Game, Match, TimeControl};

use crate::hall::acts::PersonAct;

/// Content of an input of the log.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A row of a hub.
    Row(Box<RowContent>),
    /// A birth or death of a hub.
    HubState(HubPresence),
    /// Rows of a hub that will never come: boot, first and last sequence, as decimal text with spaces between.
    RowsLost(String),
    /// An act of a person.
    Act(Box<PersonAct>),
    /// The adjudicator reached the broker.
    LinkUp,
    /// The adjudicator lost the broker.
    LinkDown,
    /// A referee's deadline passed, match time in microseconds.
    Deadline(u64),
    /// An input that this machine's disk has damaged.
    Damaged,
}

/// A row of a hub.
#[derive(Clone, Debug, PartialEq)]
pub struct RowContent {
    /// Consecutive within the boot, from 1.
    pub sequence: u64,
    /// The hub's own time, microseconds.
    pub hub_time_us: u64,
    /// The table it concerns.
    pub table: String,
    /// Its content.
    pub report: Result<Report, RowProblem>,
}

/// Reason why a row cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowProblem {
    /// A newer release wrote the row, with an event that this one does not know.
    OtherRelease(String),
    /// The row is invalid.
    Senseless(String),
}

/// Presence of a hub, by its birth or will.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HubPresence {
    /// Its boot.
    pub boot_id: u64,
    /// Whether it is online.
    pub is_online: bool,
    /// The tables that it serves.
    pub tables: Vec<String>,
    /// Troubles of the hub, in its own words.
    pub troubles: Vec<String>,
    /// The last update of its nodes whose end it knows; 0: none.
    pub update_ended: u64,
    /// The nodes that it sees.
    pub nodes: Vec<HubNode>,
    /// The last request to place nodes whose end it knows; 0: none.
    pub placing_ended: u64,
    /// Refused part, in the hub's words.
    pub placing_refused: String,
}

/// A node at a hub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HubNode {
    /// Its id.
    pub id: String,
    /// Kind of its squares' sensors; none: it is a clock.
    pub sensor: Option<String>,
    /// Whether it has reserve trays.
    pub trays: bool,
    /// Whether it is plugged in and heard.
    pub is_present: bool,
    /// The table and the board at which the hub has its place.
    pub place: Option<(String, BoardId)>,
    /// Whether that place is in the hub's own configuration.
    pub by_file: bool,
    /// The port at which it is.
    pub port: String,
    /// Version of its firmware, if it is a node of ours that has said it.
    pub firmware: String,
    /// Name of the image that it runs, if it reported one.
    pub image: String,
    /// Whether that firmware is older than its hub's release.
    pub is_outdated: bool,
}

/// Content of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Report {
    /// A match begins at the row's table.
    Opened(Opened),
    /// An event of a match, at match time.
    Match {
        /// The match.
        match_id: String,
        /// Match time, microseconds.
        t_us: u64,
        /// The event.
        input: referee::Input,
    },
    /// Outcome of a director's order.
    Order {
        /// The order.
        id: u64,
        /// The report.
        news: OrderNews,
    },
    /// Readings of the sensors in a part of a match.
    Clip(Clip),
    /// Result of a zero test: differences of the pairs of presses, board B minus board A, microseconds.
    ZeroTest {
        /// The match.
        match_id: String,
        /// The order that asked for it.
        order: u64,
        /// The differences.
        differences_us: Vec<i32>,
    },
    /// Largest error of a node's times.
    NodeTimed {
        /// The node.
        id: String,
        /// The board it serves, and the error in microseconds.
        error: (BoardId, u32),
    },
    /// State of a board while a position is reinstated there.
    Board {
        /// The match.
        match_id: String,
        /// The board.
        board: BoardId,
        /// The report.
        news: BoardNews,
    },
    /// A question to the witnesses of a ply.
    Questions {
        /// The match.
        match_id: String,
        /// The best question first.
        questions: Vec<QuestionAsked>,
    },
    /// A node came, went or is doubtful.
    Node {
        /// The node.
        id: String,
        /// Trouble of the node; none if it is online and trusted.
        trouble: Option<NodeTrouble>,
    },
}

/// A match that begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// Unique over all hubs and times.
    pub match_id: String,
    /// The game; of a hub that names none, bughouse.
    pub game: Game,
    /// The rulebook that the hub names; it may be none that is known here.
    pub rulebook: String,
    /// The time of each player.
    pub time: TimeControl,
    /// The boards that have sensors: A in chess, one or both in bughouse.
    pub boards: Vec<BoardId>,
}

impl Opened {
    /// The boards at the start, with the source of the reserves.
    pub fn start(&self) -> Match {
        match self.game {
            Game::Chess => Match::chess(),
            Game::Bughouse if self.boards.len() < Game::Bughouse.boards() => Match::half_sensed(),
            Game::Bughouse => Match::initial(),
        }
    }
}

/// Readings of the sensors in a part of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clip {
    /// The match.
    pub match_id: String,
    /// The order that asked for it.
    pub order: u64,
    /// Begin, microseconds of match time.
    pub from_us: u64,
    /// End, microseconds of match time.
    pub to_us: u64,
    /// Lines of the trace's format, the boards as they stood first.
    pub lines: String,
}

/// A ply that the players should be asked about, and its candidates with probabilities.
#[derive(Clone, Debug, PartialEq)]
pub struct QuestionAsked {
    /// The ply.
    pub ply: PlyId,
    /// Alternatives, most probable first.
    pub candidates: Vec<Alternative>,
}

/// Trouble of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeTrouble {
    /// Whether it is silent; otherwise it is online, and its readings are doubtful.
    pub is_lost: bool,
    /// Node, board and remedy, in words.
    pub words: String,
}

/// State of an order at its hub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrderNews {
    /// The hub's journal has the order.
    Taken,
    /// The order has ended.
    Ended(OrderOutcome, String),
}

/// State of a reinstated position at its hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardNews {
    /// These squares are occupied.
    Read(Bitboard),
    /// The position of that time stands, but for these squares.
    Stands(u64, Bitboard),
}
