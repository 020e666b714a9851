//! How the boards of a simulated table sense.

use std::{fmt, str::FromStr};

use inference::record::SensorKind;
use rules::BoardId;

/// One board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardSensors {
    /// What a square can tell.
    pub kind: SensorKind,
    /// Whether both reserve trays have sensed slots.
    pub trays: bool,
    /// Whether the trace's header says which levels the pieces have (hall magnitude).
    pub stated_levels: bool,
}

/// Board A and board B; reed boards without trays by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sensors(pub [BoardSensors; 2]);

impl Default for Sensors {
    fn default() -> Sensors {
        Sensors::both(SensorKind::Reed)
    }
}

impl Sensors {
    /// Both boards alike, without trays.
    #[must_use]
    pub const fn both(kind: SensorKind) -> Sensors {
        Sensors([BoardSensors { kind, trays: false, stated_levels: true }; 2])
    }

    /// The same with reserve trays at these boards, and at no others.
    #[must_use]
    pub fn with_trays(mut self, trays: &[BoardId]) -> Sensors {
        for board in BoardId::ALL {
            self.0[board.index()].trays = trays.contains(&board);
        }
        self
    }

    /// One board.
    #[must_use]
    pub const fn board(&self, board: BoardId) -> BoardSensors {
        self.0[board.index()]
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
     are to be learnt) or piece-id for both boards, or one for each as in A=reed,B=hall-magnitude; where trays \
     and hand sensors can be named, +trays and +hands follow"
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
            return Ok(Sensors([kind(text)?; 2]));
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
        let reed = Sensors::default().board(BoardId::A);
        Ok(Sensors(kinds.map(|kind| kind.unwrap_or(reed))))
    }
}

impl fmt::Display for Sensors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |board: BoardSensors| {
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
        assert_eq!(mixed.board(BoardId::A).kind, SensorKind::PieceId);
        assert_eq!(mixed.board(BoardId::B).kind, SensorKind::HallMagnitude);
        let half: Sensors = "B=piece-id".parse().expect("one board");
        assert_eq!(half.board(BoardId::A).kind, SensorKind::Reed);
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
