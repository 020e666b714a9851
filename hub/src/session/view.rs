//! What a session knows of one board: the occupied squares and the clock's display.

use inference::record::{Occupancy, ReadingKind, SquareReading};
use rules::{Bitboard, Color};
use serde::{Deserialize, Serialize};

/// One board, as last heard.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct BoardView {
    /// Occupied squares; unknown before the first snapshot.
    pub(super) occupied: Option<Occupancy>,
    /// The clock's display; unknown before its first reading.
    pub(super) clock: Option<Display>,
}

/// What a clock shows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Display {
    pub(super) white_ms: i64,
    pub(super) black_ms: i64,
    /// Whether White's time runs (true), Black's (false), or nobody's.
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
            ReadingKind::Snapshot { occupied: Some(occupied), .. } => {
                self.occupied = Some(*occupied)
            }
            ReadingKind::Snapshot { squares: Some(squares), .. } => {
                let mut bits = 0;
                for (square, reading) in squares.iter().take(64).enumerate() {
                    bits |= u64::from(*reading != SquareReading::Empty) << square;
                }
                self.occupied = Some(Occupancy(Bitboard(bits)));
            }
            // A level alone does not say whether the square is occupied; the next snapshot does.
            ReadingKind::Square { square, reading: Some(reading), .. } => {
                if let Some(Occupancy(occupied)) = &mut self.occupied {
                    occupied.set(*square, *reading != SquareReading::Empty);
                }
            }
            &ReadingKind::Clock { white_ms, black_ms, running } => {
                let white_runs = running.map(|side| side == Color::White);
                self.clock = Some(Display { white_ms, black_ms, white_runs });
            }
            _ => {}
        }
    }

    /// On how many squares the board differs from the initial position; all while it is unknown.
    pub(super) fn misplaced(&self) -> u32 {
        let Some(occupied) = self.occupied else { return 64 };
        (occupied.0.0 ^ Occupancy::INITIAL.0.0).count_ones()
    }

    /// The board's state as the first readings of a trace.
    pub(super) fn readings(&self) -> impl Iterator<Item = ReadingKind> {
        let snapshot = self
            .occupied
            .map(|occupied| ReadingKind::Snapshot { occupied: Some(occupied), squares: None });
        snapshot.into_iter().chain(self.clock.map(Display::reading))
    }
}
