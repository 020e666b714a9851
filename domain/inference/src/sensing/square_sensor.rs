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
//! Every reading shows whether the square is occupied. Boards with better sensors also show
//! something about the piece. A header need not state the levels of the pieces: they are learnt
//! from the set-up position, whose 64 squares are known. A reading that does not fit the board's
//! kind says nothing.

use readings::{Occupancy, ReadingKind, SensorKind, SquareReading, TraceHeader};
use rules::{BoardId, Square};

use crate::sensing::{identity::Levels, placing::Lie};

/// A square that changed. Segments, observations and detectors are lists of these changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SquareEvent {
    pub(crate) t_us: u64,
    pub(crate) square: Square,
    pub(crate) occupied: bool,
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
/// Maximum number of squares with a missing or surplus piece in the set-up position. Assumed.
const MAX_WRONG_SQUARES: usize = 4;
/// While no level of a piece is known, a level beyond so many stated standard deviations is one.
/// Assumed: set by hand.
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

    /// The square of a reading, and its content. None if the reading has another kind or no content.
    pub(crate) fn square(
        &mut self,
        reading: &ReadingKind,
        levels: &Levels,
    ) -> Option<(Square, SquareReading)> {
        let ReadingKind::Square { square, reading, level } = reading else { return None };
        let reading = match (self.kind, level) {
            (SensorKind::HallMagnitude, Some(level)) => SquareReading::Level(*level),
            _ => (*reading)?,
        };
        Some((*square, self.sense(*square, reading, levels)))
    }

    /// Readings of all 64 squares. None if the snapshot has none or not 64 squares.
    pub(crate) fn snapshot(
        &mut self,
        occupied: Option<Occupancy>,
        squares: Option<&[SquareReading]>,
        levels: &Levels,
    ) -> Option<[SquareReading; 64]> {
        let mut all = [SquareReading::Empty; 64];
        if let Some(squares) = squares.filter(|squares| squares.len() == 64) {
            all.copy_from_slice(squares);
            for (level, reading) in self.levels.iter_mut().zip(all) {
                if let SquareReading::Level(read) = reading {
                    *level = f64::from(read);
                }
            }
            self.recognise_set_up();
            for (square, reading) in Square::ALL.into_iter().zip(&mut all) {
                *reading = self.sense(square, *reading, levels);
            }
            return Some(all);
        }
        for square in occupied?.0 {
            all[usize::from(square)] = SquareReading::Occupied;
        }
        Some(all)
    }

    /// Turns all squares. Returns what they say if only now the set-up position is recognised:
    /// until then no level told a piece from an empty square.
    pub(crate) fn put_right(&mut self, lie: Lie) -> Option<[SquareReading; 64]> {
        let levels = lie.turn.rearranged(&self.levels);
        self.levels.copy_from_slice(&levels);
        let was_known = self.set_up_threshold.is_some();
        self.recognise_set_up();
        let threshold = self.set_up_threshold.filter(|_| !was_known)?;
        let said = |level: f64| match level.abs() > threshold {
            true => SquareReading::Level(level as i32),
            false => SquareReading::Empty,
        };
        Some(self.levels.map(said))
    }

    /// The levels of all squares, if they were last read in the set-up position, and the weakest of a piece.
    pub(crate) fn set_up(&self) -> Option<(&[f64; 64], f64)> {
        self.weakest_of_set_up().map(|weakest| (&self.levels, weakest))
    }

    /// Content of a reading. A level below the threshold is that of an empty square.
    fn sense(&mut self, square: Square, reading: SquareReading, levels: &Levels) -> SquareReading {
        let last = &mut self.levels[usize::from(square)];
        match reading {
            SquareReading::Empty => *last = 0.0,
            SquareReading::Level(level) => {
                *last = f64::from(level);
                self.recognise_set_up();
                let is_occupied = f64::from(level).abs() > self.threshold(levels);
                return if is_occupied { reading } else { SquareReading::Empty };
            }
            _ => {}
        }
        reading
    }

    fn threshold(&self, levels: &Levels) -> f64 {
        let known = levels.weakest().map(|weakest| weakest / 2.0).or(self.set_up_threshold);
        known.unwrap_or(self.blind_threshold)
    }

    /// Learns the threshold when the set-up position is read for the first time.
    fn recognise_set_up(&mut self) {
        if self.set_up_threshold.is_none() {
            self.set_up_threshold = self.weakest_of_set_up().map(|weakest| weakest / 2.0);
        }
    }

    /// The weakest level of a piece, counts, if the levels are those of the set-up position, but for
    /// [a few squares](MAX_WRONG_SQUARES).
    fn weakest_of_set_up(&self) -> Option<f64> {
        let mut strengths = self.levels.map(f64::abs);
        strengths.sort_by(|a, b| b.total_cmp(a));
        let pieces = |wrong: usize| [32 - wrong, 32 + wrong];
        let is_clear = |count: &usize| {
            let (weakest, strongest_empty) = (strengths[count - 1], strengths[*count]);
            weakest > 0.0 && weakest >= CLEARLY_OCCUPIED * strongest_empty
        };
        let mut counts = (0..=MAX_WRONG_SQUARES).flat_map(pieces).filter(is_clear);
        counts.find_map(|count| {
            let weakest = strengths[count - 1];
            let mut wrong = 0;
            for (square, &level) in Square::ALL.into_iter().zip(&self.levels) {
                let (is_home, is_piece) =
                    (Occupancy::INITIAL.0.contains(square), level.abs() >= weakest);
                let is_white = u32::from(square) < 32;
                if is_home && is_piece && (level > 0.0) != is_white {
                    return None;
                }
                wrong += usize::from(is_home != is_piece);
            }
            (wrong <= MAX_WRONG_SQUARES).then_some(weakest)
        })
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
    fn a_reading_that_is_no_level_says_what_it_is() {
        let (mut sensor, levels) = sensor(SensorKind::PieceId, None, None);
        let knight = Piece { color: Color::Black, role: Role::Knight };
        for said in [SquareReading::Empty, SquareReading::Piece(knight)] {
            let reading =
                ReadingKind::Square { square: Square::F6, reading: Some(said), level: None };
            assert_eq!(sensor.square(&reading, &levels), Some((Square::F6, said)));
        }
    }

    #[test]
    fn a_level_is_compared_with_half_of_the_weakest_piece() {
        let stated = BTreeMap::from([('P', 40.0), ('q', -120.0)]);
        let (mut sensor, levels) = sensor(SensorKind::HallMagnitude, Some(stated), Some(2.0));
        let empty = Some((Square::E4, SquareReading::Empty));
        assert_eq!(sensor.square(&level(19), &levels), empty);
        let occupied = Some((Square::E4, SquareReading::Level(-21)));
        assert_eq!(sensor.square(&level(-21), &levels), occupied);
    }

    #[test]
    fn without_levels_the_spread_decides() {
        let (mut sensor, levels) = sensor(SensorKind::HallMagnitude, None, Some(2.0));
        for (read, occupied) in [(8, false), (9, true)] {
            let (_, sensed) = sensor.square(&level(read), &levels).expect("a level");
            assert_eq!(sensed != SquareReading::Empty, occupied);
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
            .filter(|&square| sensed[usize::from(square)] != SquareReading::Empty)
            .collect();
        assert_eq!(occupied, Occupancy::INITIAL.0);
        assert!(sensor.set_up().is_some());
        assert_eq!(sensor.square(&level(6), &levels), Some((Square::E4, SquareReading::Empty)));
    }

    #[test]
    fn a_snapshot_with_the_wrong_number_of_squares_says_nothing() {
        let (mut sensor, levels) = sensor(SensorKind::HallPolarity, None, None);
        assert_eq!(sensor.snapshot(None, Some(&[SquareReading::Empty; 63]), &levels), None);
        let mut squares = [SquareReading::Empty; 64];
        squares[8] = SquareReading::Side(Color::White);
        let sensed = sensor.snapshot(None, Some(&squares), &levels).expect("64 squares");
        assert_eq!(sensed, squares);
    }
}
