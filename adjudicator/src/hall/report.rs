//! Input language of the fold: what the inputs of the log say, decoded.
//!
//! The fold decodes nothing. What cannot be decoded, or makes no sense, is handed over with its reason, so that it is counted and logged in
//! the order of the log.

use proto::mqtt::message::OrderOutcome;
use referee::{Alternative, PlyId};
use rules::{Bitboard, BoardId, Game, Match, TimeControl};

use crate::hall::acts::PersonAct;

/// What an input of the log says.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A row of a hub.
    Row(Box<RowContent>),
    /// A birth or death of a hub.
    HubState(HubPresence),
    /// Rows of a hub that will never come: boot, first and last sequence, as decimal text with spaces between.
    RowsLost(String),
    /// Something that a person did.
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
    /// What it says.
    pub report: Result<Report, RowProblem>,
}

/// Why a row cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowProblem {
    /// It is of a release that says more than this one knows.
    OtherRelease(String),
    /// It makes no sense.
    Senseless(String),
}

/// Who is there, as a hub says by its birth or will.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HubPresence {
    /// Its boot.
    pub boot_id: u64,
    /// Whether it is there.
    pub is_online: bool,
    /// The tables that it serves.
    pub tables: Vec<String>,
    /// What is wrong with it, in its own words.
    pub troubles: Vec<String>,
}

/// What a row says.
#[derive(Clone, Debug, PartialEq)]
pub enum Report {
    /// A match begins at the row's table.
    Opened(Opened),
    /// Something happened in a match, at match time.
    Match {
        /// The match.
        match_id: String,
        /// Match time, microseconds.
        t_us: u64,
        /// What happened.
        input: referee::Input,
    },
    /// What became of a director's order.
    Order {
        /// The order.
        id: u64,
        /// What.
        news: OrderNews,
    },
    /// What the sensors said in a part of a match.
    Clip(Clip),
    /// What a board shows while a position is put up again there.
    Board {
        /// The match.
        match_id: String,
        /// The board.
        board: BoardId,
        /// What.
        news: BoardNews,
    },
    /// What somebody who was there should be asked.
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
        /// What is the matter with it; none if it speaks and is trusted.
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
    /// The boards at the start, with what supplies the reserves.
    pub fn start(&self) -> Match {
        match self.game {
            Game::Chess => Match::chess(),
            Game::Bughouse if self.boards.len() < Game::Bughouse.boards() => Match::half_sensed(),
            Game::Bughouse => Match::initial(),
        }
    }
}

/// What the sensors said in a part of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clip {
    /// The match.
    pub match_id: String,
    /// The order that asked for it.
    pub order: u64,
    /// From when, microseconds of match time.
    pub from_us: u64,
    /// Until when.
    pub to_us: u64,
    /// Lines of the trace's format, the boards as they stood first.
    pub lines: String,
}

/// A ply of which somebody who was there should be asked, and what it may have been with probabilities.
#[derive(Clone, Debug, PartialEq)]
pub struct QuestionAsked {
    /// The ply.
    pub ply: PlyId,
    /// Most probable first.
    pub candidates: Vec<Alternative>,
}

/// What is the matter with a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeTrouble {
    /// Whether nothing is heard of it; otherwise it speaks, and what it says is doubtful.
    pub is_lost: bool,
    /// Which node, at which board, and what to do.
    pub words: String,
}

/// What a hub says of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrderNews {
    /// It is in the hub's journal.
    Taken,
    /// It has ended.
    Ended(OrderOutcome, String),
}

/// What a hub says of a position that is put up again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardNews {
    /// These squares are occupied.
    Read(Bitboard),
    /// The position of that time stands, but for these squares.
    Stands(u64, Bitboard),
}
