//! Sensors of a simulated table's boards.

use std::{fmt, str::FromStr};

use readings::SensorKind;
use rules::{BoardId, Game};

use crate::SimError;

/// One board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardSensors {
    /// Kind of sensor of a square.
    pub kind: SensorKind,
    /// Whether both reserve trays have sensed slots.
    pub trays: bool,
    /// Whether the trace's header says which levels the pieces have (hall magnitude).
    pub stated_levels: bool,
}

/// Board A and board B, each with its sensors or none; reed boards without trays by default. A chess table has
/// board A alone, and ignores board B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sensors(pub [Option<BoardSensors>; 2]);

impl Default for Sensors {
    fn default() -> Sensors {
        Sensors::both(SensorKind::Reed)
    }
}

impl Sensors {
    /// Both boards alike, without trays.
    #[must_use]
    pub const fn both(kind: SensorKind) -> Sensors {
        Sensors([Some(BoardSensors { kind, trays: false, stated_levels: true }); 2])
    }

    /// The same with reserve trays at these boards, and at no others.
    #[must_use]
    pub fn with_trays(mut self, trays: &[BoardId]) -> Sensors {
        for (board, sensors) in BoardId::ALL.into_iter().zip(&mut self.0) {
            if let Some(sensors) = sensors {
                sensors.trays = trays.contains(&board);
            }
        }
        self
    }

    /// One board; none if it has no sensors.
    #[must_use]
    pub const fn board(&self, board: BoardId) -> Option<BoardSensors> {
        self.0[board.index()]
    }

    /// Kind of a board's sensors.
    pub(crate) fn kind(&self, board: BoardId) -> Option<SensorKind> {
        self.board(board).map(|sensors| sensors.kind)
    }

    /// Whether a board has reserve trays.
    pub(crate) fn trays(&self, board: BoardId) -> bool {
        self.board(board).is_some_and(|sensors| sensors.trays)
    }

    /// The boards with sensors.
    pub fn boards(self) -> impl Iterator<Item = BoardId> {
        BoardId::ALL.into_iter().filter(move |&board| self.board(board).is_some())
    }

    /// The same at a table of this game: chess is played on board A alone, and has no reserves.
    ///
    /// # Errors
    ///
    /// If no board of the game has sensors.
    pub(crate) fn for_game(mut self, game: Game) -> Result<Sensors, SimError> {
        if game == Game::Chess {
            self = self.with_trays(&[]);
            self.0[BoardId::B.index()] = None;
        }
        if self.boards().next().is_none() {
            return Err(SimError::NoSensors(game));
        }
        Ok(self)
    }
}

/// Every kind of sensor by its name, and whether levels are stated.
const KINDS: [(&str, SensorKind, bool); 5] = [
    ("reed", SensorKind::Reed, true),
    ("hall-polarity", SensorKind::HallPolarity, true),
    ("hall-magnitude", SensorKind::HallMagnitude, true),
    ("hall-magnitude-unstated", SensorKind::HallMagnitude, false),
    ("piece-id", SensorKind::PieceId, true),
];

/// A text that names no sensors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} names no sensors: give reed, hall-polarity, hall-magnitude, hall-magnitude-unstated (levels \
     are to be learnt) or piece-id for both boards, or one for each as in A=reed,B=hall-magnitude; A=reed alone leaves \
     board B without sensors; where trays and hand sensors can be named, +trays and +hands follow"
)]
pub struct ParseSensorsError(String);

impl ParseSensorsError {
    pub(crate) fn new(text: &str) -> ParseSensorsError {
        ParseSensorsError(text.chars().take(64).collect())
    }
}

impl FromStr for Sensors {
    type Err = ParseSensorsError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ParseSensorsError::new(text);
        let kind = |name: &str| {
            let known = KINDS.iter().find(|(known, ..)| *known == name);
            known
                .map(|&(_, kind, stated_levels)| BoardSensors { kind, trays: false, stated_levels })
                .ok_or_else(error)
        };
        if !text.contains('=') {
            return Ok(Sensors([Some(kind(text)?); 2]));
        }
        let mut kinds = [None; 2];
        for part in text.split(',') {
            let (board, name) = part.split_once('=').ok_or_else(error)?;
            let board = BoardId::ALL
                .into_iter()
                .find(|known| known.to_string().eq_ignore_ascii_case(board.trim()))
                .ok_or_else(error)?;
            if kinds[board.index()].replace(kind(name.trim())?).is_some() {
                return Err(error());
            }
        }
        Ok(Sensors(kinds))
    }
}

impl fmt::Display for Sensors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |board: Option<BoardSensors>| {
            let Some(board) = board else { return ("none", "") };
            let kind = KINDS
                .iter()
                .find(|(_, kind, stated)| (*kind, *stated) == (board.kind, board.stated_levels));
            (kind.map_or("", |(name, ..)| name), if board.trays { " with trays" } else { "" })
        };
        let [a, b] = self.0.map(name);
        if a == b {
            write!(f, "{}{}", a.0, a.1)
        } else {
            write!(f, "A {}{}, B {}{}", a.0, a.1, b.0, b.1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_name_is_for_both_boards_and_a_pair_for_each() {
        assert_eq!("hall-polarity".parse(), Ok(Sensors::both(SensorKind::HallPolarity)));
        let mixed: Sensors = "B=hall-magnitude,a=piece-id".parse().expect("a pair");
        assert_eq!(mixed.kind(BoardId::A), Some(SensorKind::PieceId));
        assert_eq!(mixed.kind(BoardId::B), Some(SensorKind::HallMagnitude));
    }

    #[test]
    fn board_that_is_not_named_beside_another_has_no_sensors() {
        let half: Sensors = "B=piece-id".parse().expect("one board");
        assert_eq!(half.board(BoardId::A), None);
        assert!(half.boards().eq([BoardId::B]));
        assert_eq!(half.to_string(), "A none, B piece-id");
        assert!(matches!(half.for_game(Game::Chess), Err(SimError::NoSensors(Game::Chess))));
        assert!(half.for_game(Game::Bughouse).is_ok());
    }

    #[test]
    fn chess_table_has_board_a_alone_and_no_trays() {
        let sensors = Sensors::default().with_trays(&BoardId::ALL);
        let chess = sensors.for_game(Game::Chess).expect("board A has sensors");
        assert!(chess.boards().eq([BoardId::A]));
        assert!(!chess.trays(BoardId::A));
    }

    #[test]
    fn what_names_no_sensor_is_refused_with_the_known_names() {
        for text in ["", "rfid", "A=rfid", "C=reed", "A=reed,A=reed", "A=reed,hall-polarity"] {
            let error = text.parse::<Sensors>().expect_err(text).to_string();
            assert!(error.contains("hall-magnitude"), "{error}");
        }
    }

    #[test]
    fn sensors_say_what_they_are() {
        let sensors = Sensors::default().with_trays(&[BoardId::B]);
        assert_eq!(sensors.to_string(), "A reed, B reed with trays");
        assert_eq!(Sensors::both(SensorKind::PieceId).to_string(), "piece-id");
    }
}
