//! A session's state of one board: the occupied squares and the clock's display.

use std::collections::BTreeMap;

use readings::{Occupancy, Reading, ReadingKind, SquareReading};
use rules::{Bitboard, BoardId, Color};
use serde::{Deserialize, Serialize};

/// Minimum number of White's 16 squares with a black piece on a board that is turned by half.
const TURNED_MIN: usize = 12;

/// Both boards, as readings of a trace tell.
#[derive(Clone, Debug, Default)]
pub struct BoardViews(BTreeMap<BoardId, BoardView>);

impl BoardViews {
    /// Takes a reading.
    pub fn take(&mut self, reading: &Reading) {
        if let Some(board) = reading.board {
            self.0.entry(board).or_default().take(&reading.kind);
        }
    }

    /// The boards' state as readings of one moment.
    #[must_use]
    pub fn readings(&self, t_us: u64) -> Vec<Reading> {
        let of_board = |(&board, view): (&BoardId, &BoardView)| {
            let reading = |kind| Reading { t_us, board: Some(board), kind };
            view.readings().map(reading).collect::<Vec<_>>()
        };
        self.0.iter().flat_map(of_board).collect()
    }
}

/// One board, as last heard.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct BoardView {
    /// Occupied squares; unknown before the first snapshot.
    pub(super) occupied: Option<Occupancy>,
    /// Reading of each square, from a1, of boards whose sensors read more than occupancy.
    #[serde(default)]
    squares: Option<Vec<SquareReading>>,
    /// The clock's display; unknown before its first reading.
    pub(super) clock: Option<Display>,
}

/// A clock's display.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Display {
    pub(super) white_ms: i64,
    pub(super) black_ms: i64,
    /// The running side: White (true), Black (false), or none.
    pub(super) white_runs: Option<bool>,
}

impl Display {
    pub(super) fn running(self) -> Option<Color> {
        self.white_runs.map(|white| if white { Color::White } else { Color::Black })
    }

    /// The reading that shows this.
    pub(super) fn reading(self) -> ReadingKind {
        ReadingKind::Clock {
            white_ms: self.white_ms,
            black_ms: self.black_ms,
            running: self.running(),
        }
    }
}

impl BoardView {
    /// Takes a reading of this board.
    pub(super) fn take(&mut self, kind: &ReadingKind) {
        match kind {
            ReadingKind::Snapshot { occupied, squares } => {
                let read = squares.as_ref().map(|squares| {
                    let bits = squares.iter().take(64).zip(0..).map(|(reading, square)| {
                        u64::from(*reading != SquareReading::Empty) << square
                    });
                    Occupancy(Bitboard(bits.sum()))
                });
                self.occupied = occupied.or(read).or(self.occupied);
                self.squares = squares.clone();
            }
            &ReadingKind::Square { square, reading, level } => {
                // A node sends a level only for a square that it counts as occupied.
                let Some(said) = reading.or(level.map(SquareReading::Level)) else { return };
                if let Some(Occupancy(occupied)) = &mut self.occupied {
                    occupied.set(square, said != SquareReading::Empty);
                }
                let known = self.squares.as_mut().and_then(|all| all.get_mut(usize::from(square)));
                if let Some(known) = known {
                    *known = said;
                }
            }
            &ReadingKind::Clock { white_ms, black_ms, running } => {
                let white_runs = running.map(|side| side == Color::White);
                self.clock = Some(Display { white_ms, black_ms, white_runs });
            }
            _ => {}
        }
    }

    /// Whether a side's time runs: a clock that has run out was left on.
    pub(super) fn has_time_running(&self) -> bool {
        self.clock.is_some_and(|clock| match clock.running() {
            Some(side) if side.is_white() => clock.white_ms > 0,
            Some(_) => clock.black_ms > 0,
            None => false,
        })
    }

    /// On how many squares the board differs from the initial position; all while it is unknown.
    pub(super) fn misplaced(&self) -> u32 {
        let Some(occupied) = self.occupied else { return 64 };
        (occupied.0.0 ^ Occupancy::INITIAL.0.0).count_ones()
    }

    /// Whether a board that tells colours has White's pieces on Black's side.
    pub(super) fn is_turned_by_half(&self) -> bool {
        let Some(squares) = &self.squares else { return false };
        let shows = |color: Color, square: usize| match squares.get(square) {
            Some(SquareReading::Side(side)) => *side == color,
            Some(SquareReading::Piece(piece)) => piece.color == color,
            Some(SquareReading::Level(level)) => (*level > 0) == (color == Color::White),
            _ => false,
        };
        let is_wrong =
            |&square: &usize| shows(Color::Black, square) && shows(Color::White, 63 - square);
        (0..16).filter(is_wrong).count() >= TURNED_MIN
    }

    /// The board's state as the first readings of a trace.
    pub(super) fn readings(&self) -> impl Iterator<Item = ReadingKind> {
        let snapshot = self.occupied.map(|occupied| ReadingKind::Snapshot {
            occupied: Some(occupied),
            squares: self.squares.clone(),
        });
        snapshot.into_iter().chain(self.clock.map(Display::reading))
    }
}
