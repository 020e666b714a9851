//! `<match>.trace.jsonl`: readings of the sensors, after the node's debounce.

use rules::{BoardId, Color, Square};
use serde::{Deserialize, Serialize};

use super::{Occupancy, text};

/// One line of a trace after the header.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// Time of the reading, microseconds since the trace began.
    pub t_us: u64,
    /// The board it came from; none for the end of the trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub board: Option<BoardId>,
    /// Content.
    #[serde(flatten)]
    pub kind: ReadingKind,
}

/// Reading of a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SquareReading {
    /// Empty.
    Empty,
    /// Occupied (reed).
    Occupied,
    /// A piece of this colour (hall, polarity).
    Side(Color),
    /// This piece (piece identity).
    Piece(rules::Piece),
    /// This level, black negative (hall magnitude, in snapshots).
    Level(i32),
}

/// The side of a clock on which a hand was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HandFrom {
    /// The side of the board.
    Board,
    /// The side away from the board.
    Away,
}

/// The kinds of readings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ReadingKind {
    /// All squares at once.
    Snapshot {
        /// Occupied squares (reed).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        occupied: Option<Occupancy>,
        /// 64 readings from a1 (sensors that tell more than occupied).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        squares: Option<Vec<SquareReading>>,
    },
    /// One square changed.
    Square {
        /// The square.
        #[serde(with = "text::square")]
        square: Square,
        /// New reading (all but hall magnitude).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reading: Option<SquareReading>,
        /// Its level now, black negative (hall magnitude).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        level: Option<i32>,
    },
    /// A player pressed the clock, which starts the opponent's time.
    Press {
        /// The player who pressed.
        #[serde(with = "text::Side")]
        by: Color,
    },
    /// The clock's display.
    Clock {
        /// White's remaining time, milliseconds.
        white_ms: i64,
        /// Black's remaining time, milliseconds.
        black_ms: i64,
        /// Side whose time runs; null while stopped.
        #[serde(with = "text::optional_side")]
        running: Option<Color>,
    },
    /// A slot of a reserve tray changed.
    Tray {
        /// The player who may drop from the tray.
        #[serde(with = "text::Side")]
        side: Color,
        /// Slot 0 to 15.
        slot: u8,
        /// New reading.
        reading: SquareReading,
    },
    /// The clock was knocked over, or stands again.
    Tilt {
        /// Whether it lies.
        on: bool,
    },
    /// A hand came near the clock, or left.
    Hand {
        /// Side of the clock.
        #[serde(with = "text::Side")]
        side: Color,
        /// Whether it is near.
        near: bool,
        /// The side of the clock on which it was seen, where the clock has a sensor on each.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<HandFrom>,
    },
    /// Readings were lost before this point.
    Gap {
        /// Number of lost readings.
        lost: u64,
    },
    /// The trace is over.
    End,
}

impl Serialize for SquareReading {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            SquareReading::Empty => serializer.serialize_str("empty"),
            SquareReading::Occupied => serializer.serialize_str("occupied"),
            SquareReading::Side(Color::White) => serializer.serialize_str("white"),
            SquareReading::Side(Color::Black) => serializer.serialize_str("black"),
            SquareReading::Piece(piece) => serializer.serialize_char(piece.char()),
            SquareReading::Level(level) => serializer.serialize_i32(*level),
        }
    }
}

impl<'de> Deserialize<'de> for SquareReading {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Level(i32),
            Word(String),
        }
        let word = match Written::deserialize(deserializer)? {
            Written::Level(level) => return Ok(SquareReading::Level(level)),
            Written::Word(word) => word,
        };
        let mut letters = word.chars();
        let letter = letters.next().filter(|_| letters.next().is_none());
        Ok(match (word.as_str(), letter.and_then(rules::Piece::from_char)) {
            ("empty", _) => SquareReading::Empty,
            ("occupied", _) => SquareReading::Occupied,
            ("white", _) => SquareReading::Side(Color::White),
            ("black", _) => SquareReading::Side(Color::Black),
            (_, Some(piece)) => SquareReading::Piece(piece),
            _ => return Err(serde::de::Error::custom(format!("{word:?} is no square reading"))),
        })
    }
}

/// A trace file that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TraceFileError {
    /// No line at all.
    #[error("the file is empty: a trace begins with a header line")]
    Empty,
    /// The first line is no header of a version this reader knows.
    #[error("line 1 is no trace header of version 1: {0}")]
    Header(String),
    /// A line is no reading.
    #[error("line {line} is no reading: {reason}")]
    Line {
        /// Line number, from 1.
        line: usize,
        /// Reason.
        reason: String,
    },
}
