//! The interface that programs for DGT boards connect to, LiveChess's local one: the boards of one-board tables, each with its state, clock,
//! pieces and plies, so that these programs work with any board of the hub unchanged.
//!
//! The messages are those that public clients of the interface send and read (livechess-go, lila's `ui/dgt`). A [`Client`] is one connection;
//! the shell around it has the sockets.

mod client;

use std::collections::BTreeMap;

use proto::mqtt::message::row::Event;
use proto::mqtt::message::{PlyReported, Side};
use readings::{ReadingKind, SquareReading};
use rules::{
    Bitboard, Board, BoardId, CastlingRights, Color, Game, Ply, Position, Square, Supply, fen, san,
};
use serde::Serialize;

use crate::drivers::DriverSettings;
use crate::journal::Entry;
use crate::journal_line::{Line, NodeState};
use crate::settings::{NodeKind, TableConfig};

pub use client::Client;

/// Maximum number of plies of a match that are kept for programs.
const PLIES_MAX: usize = 2_000;

/// A clock, as the interface shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct EboardClock {
    /// Seconds that White has.
    pub white: i64,
    /// Seconds that Black has.
    pub black: i64,
    /// Whether White's time runs; null while the clock is stopped.
    pub run: Option<bool>,
    /// Time of the reading, milliseconds since 1970.
    pub time: u64,
}

/// A board in the list of all boards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Eboard {
    /// Its serial number, or its node's id.
    pub serialnr: String,
    /// Its table and board.
    pub source: Option<String>,
    /// `ACTIVE`, `NOTRESPONDING`, or null before it was met.
    pub state: Option<&'static str>,
    /// Its battery, which boards here do not report.
    pub battery: Option<String>,
    /// The table.
    pub comment: Option<String>,
    /// Its pieces, as the first field of a FEN.
    pub board: Option<String>,
    /// Whether it lies the other way round: its squares are given as they are on the table.
    pub flipped: bool,
    /// Its clock.
    pub clock: Option<EboardClock>,
}

/// One board of a table.
#[derive(Clone, Debug)]
struct TableBoard {
    table: String,
    node: String,
    serial: String,
    source: Option<String>,
    state: Option<NodeState>,
    squares: Option<[SquareReading; 64]>,
    clock: Option<EboardClock>,
    /// The match whose beginning was seen, and its plies by time and id.
    match_id: Option<String>,
    plies: BTreeMap<(u64, u32), (Color, Ply)>,
}

/// The boards of all tables with one board.
#[derive(Clone, Debug, Default)]
pub struct Boards {
    boards: Vec<TableBoard>,
}

impl Boards {
    /// The tables among these at which chess is played.
    #[must_use]
    pub fn of_tables<'a>(tables: impl IntoIterator<Item = &'a TableConfig>) -> Boards {
        let chess = tables.into_iter().filter(|table| table.game == Game::Chess);
        let board = |table: &TableConfig| {
            let node = table.nodes.iter().find(|node| node.kind == NodeKind::Board)?;
            let serial = match &node.driver {
                DriverSettings::Dgt(_) => node.id.trim_start_matches("dgt-"),
                _ => &node.id,
            };
            Some(TableBoard {
                table: table.name.clone(),
                node: node.id.clone(),
                serial: serial.to_owned(),
                source: node.port.as_ref().map(|port| port.display().to_string()),
                state: None,
                squares: None,
                clock: None,
                match_id: None,
                plies: BTreeMap::new(),
            })
        };
        Boards { boards: chess.filter_map(board).collect() }
    }

    /// Takes what a table has committed. Whether that changed anything.
    pub fn take(&mut self, entry: &Entry) -> bool {
        let Some(board) = self.boards.iter_mut().find(|board| board.table == entry.table) else {
            return false;
        };
        for input in &entry.inputs {
            if let Ok(line) = serde_json::from_str(&input.line) {
                board.take_line(&line);
            }
        }
        entry.rows.iter().for_each(|row| board.take_row(&row.event));
        !entry.inputs.is_empty() || !entry.rows.is_empty()
    }

    /// All boards.
    #[must_use]
    pub fn list(&self) -> Vec<Eboard> {
        self.boards.iter().map(TableBoard::eboard).collect()
    }

    fn of_serial(&self, serial: &str) -> Option<&TableBoard> {
        self.boards.iter().find(|board| board.serial == serial)
    }
}

impl TableBoard {
    fn take_line(&mut self, line: &Line) {
        match line {
            Line::Node(node) if node.node == self.node => {
                self.state = Some(node.state);
                if node.state == NodeState::Lost {
                    self.squares = None;
                }
            }
            Line::Reading(reading) if reading.board == Some(BoardId::A) => match &reading.kind {
                ReadingKind::Snapshot { squares: Some(squares), .. } => {
                    self.squares = squares.as_slice().try_into().ok();
                }
                ReadingKind::Square { square, reading: Some(reading), .. } => {
                    if let Some(squares) = &mut self.squares {
                        squares[usize::from(*square)] = *reading;
                    }
                }
                ReadingKind::Clock { white_ms, black_ms, running } => {
                    self.clock = Some(EboardClock {
                        white: white_ms / 1_000,
                        black: black_ms / 1_000,
                        run: running.map(Color::is_white),
                        time: reading.t_us / 1_000,
                    });
                }
                _ => {}
            },
            _ => {}
        }
    }

    fn take_row(&mut self, event: &Event) {
        match event {
            Event::MatchOpened(opened) => {
                self.match_id = Some(opened.match_id.clone());
                self.plies.clear();
            }
            // A match without its beginning is left out: the position before its plies is unknown.
            Event::PlyReported(ply) if self.match_id.as_ref() == Some(&ply.match_id) => {
                self.plies.retain(|(_, id), _| *id != ply.ply_id);
                if let Some(played) = played(ply).filter(|_| self.plies.len() < PLIES_MAX) {
                    self.plies.insert((ply.t_us, ply.ply_id), played);
                }
            }
            Event::PlyRetracted(ply) if self.match_id.as_ref() == Some(&ply.match_id) => {
                self.plies.retain(|(_, id), _| *id != ply.ply_id);
            }
            _ => {}
        }
    }

    fn eboard(&self) -> Eboard {
        Eboard {
            serialnr: self.serial.clone(),
            source: self.source.clone(),
            state: self.state.map(|state| match state {
                NodeState::Lost => "NOTRESPONDING",
                NodeState::Connected | NodeState::Faulty => "ACTIVE",
            }),
            battery: None,
            comment: Some(format!("table {}", self.table)),
            board: self.placement(),
            flipped: false,
            clock: self.clock,
        }
    }

    /// The positions of the match, from the initial one to the present one, each with the ply that led to it.
    fn positions(&self) -> Option<Vec<(Position, Option<String>)>> {
        self.match_id.as_ref()?;
        let mut positions = vec![(Position::initial(), None)];
        for &(color, ply) in self.plies.values() {
            let before = positions.last().map(|(position, _)| position.clone())?;
            let before = before.with_turn(color);
            let text = san::to_san(&before, Supply::Nobody, ply);
            let mut after = before;
            after.play(ply);
            positions.push((after, Some(text)));
        }
        Some(positions)
    }

    /// The pieces on the board: as they are read, or, of a board that does not know its pieces, as the plies have left them.
    fn placement(&self) -> Option<String> {
        if let Some(squares) = &self.squares
            && let Some(pieces) = pieces(squares)
        {
            let (none, rights) = (Bitboard::EMPTY, CastlingRights::NONE);
            let position = Position::from_board(pieces, none, Color::White, rights, None);
            return Some(fen::format_placement(&position));
        }
        let positions = self.positions()?;
        positions.last().map(|(position, _)| fen::format_placement(position))
    }
}

fn played(ply: &PlyReported) -> Option<(Color, Ply)> {
    let color = if ply.side() == Side::Black { Color::Black } else { Color::White };
    Some((color, ply.uci.parse().ok()?))
}

/// Piece on each square; none if the sensors do not distinguish pieces.
fn pieces(squares: &[SquareReading; 64]) -> Option<Board> {
    let mut board = Board::empty();
    for (square, reading) in Square::ALL.into_iter().zip(squares) {
        match reading {
            SquareReading::Empty => {}
            SquareReading::Piece(piece) => board.set_piece_at(square, *piece),
            _ => return None,
        }
    }
    Some(board)
}
