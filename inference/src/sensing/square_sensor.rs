//! From a reading to the occupancy of a square, for every kind of sensor.
//!
//! ```text
//! occupied if |level| > threshold
//! threshold = weakest known level / 2         if the level of any piece is known
//!           = weakest level of set-up / 2     else, once the set-up position has been read
//!           = 4 · spread                      else, if the header states a spread
//!           = 0                               else
//! ```
//!
//! Every reading tells whether the square is occupied. Boards with better sensors also tell something about
//! the piece ([`IdentityReading`]). A header need not state the levels of the pieces: they are learnt from
//! the set-up position, whose 64 squares are known. A reading that does not fit the board's kind says nothing.

use readings::{Occupancy, ReadingKind, SensorKind, SquareReading, TraceHeader};
use rules::{BoardId, Square};

use crate::sensing::identity::{IdentityReading, Levels};

/// The state of one square by one reading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Sensed {
    /// Nothing stands there.
    Empty,
    /// A piece stands there. Holds the identity reading, if the board has one.
    Occupied(Option<IdentityReading>),
}

impl Sensed {
    /// Whether something stands there.
    pub(crate) const fn is_occupied(self) -> bool {
        matches!(self, Sensed::Occupied(_))
    }
}

/// Interprets the readings of one board.
#[derive(Clone, Debug)]
pub(crate) struct SquareSensor {
    kind: SensorKind,
    /// A square is occupied above this level, counts, as long as no level of a piece is known.
    blind_threshold: f64,
    /// The last level of each square.
    levels: [f64; 64],
    /// A square is occupied above this level, counts. Learnt from the set-up position.
    set_up_threshold: Option<f64>,
}

/// Ratio: in a set-up position the weakest occupied square has at least this many times the level of the
/// strongest empty one. Assumed: set by hand.
const CLEARLY_OCCUPIED: f64 = 2.0;
/// While no level of a piece is known, a level beyond so many stated standard deviations is one. Assumed: set by hand.
const BLIND_SIGMAS: f64 = 4.0;

impl SquareSensor {
    /// The sensor of `board` and the levels, as the header describes them. A board that the header does not
    /// name is read as reed.
    pub(crate) fn new(header: &TraceHeader, board: BoardId) -> (SquareSensor, Levels) {
        let described = header.boards.get(&board);
        let levels = described.and_then(|board| board.levels.as_ref()).or(header.levels.as_ref());
        let sigma = described.and_then(|board| board.sigma).or(header.sigma);
        let sigma = sigma.filter(|sigma| sigma.is_finite());
        let sensor = SquareSensor {
            kind: described.map_or(SensorKind::Reed, |board| board.sensor),
            blind_threshold: sigma.map_or(0.0, |sigma| BLIND_SIGMAS * sigma.abs()),
            levels: [0.0; 64],
            set_up_threshold: None,
        };
        (sensor, Levels::new(levels, sigma))
    }

    /// The square of a reading and its state. None if the reading is of another kind or says nothing.
    pub(crate) fn square(
        &mut self,
        reading: &ReadingKind,
        levels: &Levels,
    ) -> Option<(Square, Sensed)> {
        let ReadingKind::Square { square, reading, level } = reading else { return None };
        let reading = match (self.kind, level) {
            (SensorKind::HallMagnitude, Some(level)) => Some(SquareReading::Level(*level)),
            _ => *reading,
        };
        Some((*square, self.sense(*square, reading?, levels)))
    }

    /// The states of all 64 squares. None if the snapshot says nothing or has not 64 squares.
    pub(crate) fn snapshot(
        &mut self,
        occupied: Option<Occupancy>,
        squares: Option<&[SquareReading]>,
        levels: &Levels,
    ) -> Option<[Sensed; 64]> {
        let mut all = [Sensed::Empty; 64];
        if let Some(squares) = squares.filter(|squares| squares.len() == 64) {
            for (square, reading) in Square::ALL.into_iter().zip(squares) {
                if let SquareReading::Level(level) = reading {
                    self.levels[usize::from(square)] = f64::from(*level);
                }
            }
            self.recognise_set_up();
            for (square, reading) in Square::ALL.into_iter().zip(squares) {
                all[usize::from(square)] = self.sense(square, *reading, levels);
            }
            return Some(all);
        }
        for square in occupied?.0 {
            all[usize::from(square)] = Sensed::Occupied(None);
        }
        Some(all)
    }

    /// The levels of all squares, if they were last read in the set-up position.
    pub(crate) fn set_up(&self) -> Option<&[f64; 64]> {
        self.is_set_up().then_some(&self.levels)
    }

    fn sense(&mut self, square: Square, reading: SquareReading, levels: &Levels) -> Sensed {
        match reading {
            SquareReading::Empty => {
                self.levels[usize::from(square)] = 0.0;
                Sensed::Empty
            }
            SquareReading::Occupied => Sensed::Occupied(None),
            SquareReading::Side(color) => Sensed::Occupied(Some(IdentityReading::Colour(color))),
            SquareReading::Piece(piece) => Sensed::Occupied(Some(IdentityReading::Letter(piece))),
            SquareReading::Level(level) => {
                self.levels[usize::from(square)] = f64::from(level);
                self.recognise_set_up();
                if f64::from(level).abs() > self.threshold(levels) {
                    Sensed::Occupied(Some(IdentityReading::Level(level)))
                } else {
                    Sensed::Empty
                }
            }
        }
    }

    fn threshold(&self, levels: &Levels) -> f64 {
        let known = levels.weakest().map(|weakest| weakest / 2.0).or(self.set_up_threshold);
        known.unwrap_or(self.blind_threshold)
    }

    /// Learns the threshold when the set-up position is read for the first time.
    fn recognise_set_up(&mut self) {
        if self.set_up_threshold.is_none() && self.is_set_up() {
            self.set_up_threshold = Some(self.weakest_of_set_up() / 2.0);
        }
    }

    fn is_set_up(&self) -> bool {
        let initial = Occupancy::INITIAL.0;
        let signs =
            Square::ALL.into_iter().filter(|&square| initial.contains(square)).all(|square| {
                let white = u32::from(square) < 32;
                (self.levels[usize::from(square)] > 0.0) == white
            });
        let strongest_empty = Square::ALL
            .into_iter()
            .filter(|&square| !initial.contains(square))
            .map(|square| self.levels[usize::from(square)].abs())
            .fold(0.0, f64::max);
        let weakest = self.weakest_of_set_up();
        signs && weakest > 0.0 && weakest >= CLEARLY_OCCUPIED * strongest_empty
    }

    fn weakest_of_set_up(&self) -> f64 {
        Occupancy::INITIAL
            .0
            .into_iter()
            .map(|square| self.levels[usize::from(square)].abs())
            .fold(f64::INFINITY, f64::min)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use rules::{Bitboard, Color, Piece, Role};

    use super::*;
    use readings::BoardHeader;

    fn sensor(
        kind: SensorKind,
        levels: Option<BTreeMap<char, f64>>,
        sigma: Option<f64>,
    ) -> (SquareSensor, Levels) {
        let board = BoardHeader { levels, sigma, ..BoardHeader::new(kind) };
        let boards = BTreeMap::from([(BoardId::A, board)]);
        let header = TraceHeader::new("us-chess-bughouse-2018", 300, boards);
        SquareSensor::new(&header, BoardId::A)
    }

    fn level(level: i32) -> ReadingKind {
        ReadingKind::Square { square: Square::E4, reading: None, level: Some(level) }
    }

    #[test]
    fn every_reading_but_empty_is_occupied() {
        let (mut sensor, levels) = sensor(SensorKind::PieceId, None, None);
        let knight = Piece { color: Color::Black, role: Role::Knight };
        for (reading, sensed) in [
            (SquareReading::Empty, Sensed::Empty),
            (SquareReading::Piece(knight), Sensed::Occupied(Some(IdentityReading::Letter(knight)))),
        ] {
            let reading =
                ReadingKind::Square { square: Square::F6, reading: Some(reading), level: None };
            assert_eq!(sensor.square(&reading, &levels), Some((Square::F6, sensed)));
        }
    }

    #[test]
    fn a_level_is_compared_with_half_of_the_weakest_piece() {
        let stated = BTreeMap::from([('P', 40.0), ('q', -120.0)]);
        let (mut sensor, levels) = sensor(SensorKind::HallMagnitude, Some(stated), Some(2.0));
        let empty = Some((Square::E4, Sensed::Empty));
        assert_eq!(sensor.square(&level(19), &levels), empty);
        let occupied = Some((Square::E4, Sensed::Occupied(Some(IdentityReading::Level(-21)))));
        assert_eq!(sensor.square(&level(-21), &levels), occupied);
    }

    #[test]
    fn without_levels_the_spread_decides() {
        let (mut sensor, levels) = sensor(SensorKind::HallMagnitude, None, Some(2.0));
        for (read, occupied) in [(8, false), (9, true)] {
            let (_, sensed) = sensor.square(&level(read), &levels).expect("a level");
            assert_eq!(sensed.is_occupied(), occupied);
        }
    }

    #[test]
    fn the_set_up_tells_from_which_level_on_a_square_is_occupied() {
        let (mut sensor, levels) = sensor(SensorKind::HallMagnitude, None, None);
        let squares: Vec<SquareReading> = (0..64)
            .map(|square| match square / 8 {
                0 | 1 => SquareReading::Level(30 + square),
                6 | 7 => SquareReading::Level(-30 - square),
                _ => SquareReading::Level(square % 7 - 3),
            })
            .collect();
        let sensed = sensor.snapshot(None, Some(&squares), &levels).expect("64 squares");
        let occupied: Bitboard = Square::ALL
            .into_iter()
            .filter(|&square| sensed[usize::from(square)].is_occupied())
            .collect();
        assert_eq!(occupied, Occupancy::INITIAL.0);
        assert!(sensor.set_up().is_some());
        assert_eq!(sensor.square(&level(6), &levels).map(|on| on.1.is_occupied()), Some(false));
    }

    #[test]
    fn a_snapshot_with_the_wrong_number_of_squares_says_nothing() {
        let (mut sensor, levels) = sensor(SensorKind::HallPolarity, None, None);
        assert_eq!(sensor.snapshot(None, Some(&[SquareReading::Empty; 63]), &levels), None);
        let mut squares = [SquareReading::Empty; 64];
        squares[8] = SquareReading::Side(Color::White);
        let sensed = sensor.snapshot(None, Some(&squares), &levels).expect("64 squares");
        assert_eq!(sensed[8], Sensed::Occupied(Some(IdentityReading::Colour(Color::White))));
        assert!(!sensed[9].is_occupied());
    }
}
