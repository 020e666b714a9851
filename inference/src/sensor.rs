//! What a reading says about a square, whatever the board senses with.
//!
//! The observation model weighs occupied squares. Boards that sense more (polarity, magnitude, the
//! piece itself) are reduced to that: colour and type are not used, so such a board is tracked as
//! well as a reed board and no better. A hall level counts as occupied from half the weakest piece's
//! level; without stated levels, from four times the spread; without a spread, from any level but 0.
//! Readings that do not fit the board's kind say nothing.

use rules::{Bitboard, BoardId, Square};

use crate::record::{Occupancy, ReadingKind, SensorKind, SquareReading, TraceHeader};

/// Turns one board's readings into occupied or not.
#[derive(Clone, Debug)]
pub(crate) struct OccupancySensor {
    kind: SensorKind,
    threshold: f64,
}

impl OccupancySensor {
    /// The sensor of `board` as the header describes it; a board it does not name is read as reed.
    pub(crate) fn new(header: &TraceHeader, board: BoardId) -> OccupancySensor {
        let described = header.boards.get(&board);
        let levels = described.and_then(|board| board.levels.as_ref()).or(header.levels.as_ref());
        let sigma = described.and_then(|board| board.sigma).or(header.sigma);
        let weakest = levels
            .into_iter()
            .flatten()
            .map(|(_, level)| level.abs())
            .filter(|level| level.is_finite() && *level > 0.0)
            .fold(f64::INFINITY, f64::min);
        let threshold = match sigma {
            _ if weakest.is_finite() => weakest / 2.0,
            Some(sigma) if sigma.is_finite() => 4.0 * sigma.abs(),
            _ => 0.0,
        };
        OccupancySensor {
            kind: described.map_or(SensorKind::Reed, |board| board.sensor),
            threshold,
        }
    }

    /// The square a reading is about and whether it is occupied; none when the reading is of another
    /// kind or says nothing.
    pub(crate) fn square(&self, reading: &ReadingKind) -> Option<(Square, bool)> {
        let ReadingKind::Square { square, reading, level } = reading else { return None };
        let occupied = match (self.kind, reading, level) {
            (SensorKind::HallMagnitude, _, Some(level)) => f64::from(*level).abs() > self.threshold,
            (_, Some(reading), _) => *reading != SquareReading::Empty,
            _ => return None,
        };
        Some((*square, occupied))
    }

    /// All occupied squares; none when the snapshot says nothing or has not 64 squares.
    pub(crate) fn snapshot(
        &self,
        occupied: Option<Occupancy>,
        squares: Option<&[SquareReading]>,
    ) -> Option<Bitboard> {
        if let Some(Occupancy(bits)) = occupied {
            return Some(bits);
        }
        let squares = squares.filter(|squares| squares.len() == 64)?;
        Some(
            Square::ALL
                .into_iter()
                .zip(squares)
                .filter(|(_, reading)| **reading != SquareReading::Empty)
                .map(|(square, _)| square)
                .collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use rules::{Color, Piece, Role};

    use super::*;
    use crate::record::BoardHeader;

    fn header(sensor: SensorKind, levels: Option<BTreeMap<char, f64>>) -> TraceHeader {
        let board = BoardHeader { sensor, trays: false, levels, sigma: Some(2.0) };
        TraceHeader {
            twinboard: "trace".into(),
            version: 1,
            match_id: "m".into(),
            rulebook: "us-chess-bughouse-2018".into(),
            base_s: 300,
            delay_s: 0,
            boards: BTreeMap::from([(BoardId::A, board)]),
            levels: None,
            sigma: None,
        }
    }

    fn level(level: i32) -> ReadingKind {
        ReadingKind::Square { square: Square::E4, reading: None, level: Some(level) }
    }

    #[test]
    fn every_reading_but_empty_is_occupied() {
        let sensor = OccupancySensor::new(&header(SensorKind::PieceId, None), BoardId::A);
        let knight = SquareReading::Piece(Piece { color: Color::Black, role: Role::Knight });
        for (reading, occupied) in [(SquareReading::Empty, false), (knight, true)] {
            let reading =
                ReadingKind::Square { square: Square::F6, reading: Some(reading), level: None };
            assert_eq!(sensor.square(&reading), Some((Square::F6, occupied)));
        }
    }

    #[test]
    fn a_level_is_compared_with_half_of_the_weakest_piece() {
        let levels = BTreeMap::from([('P', 40.0), ('q', -120.0)]);
        let sensor =
            OccupancySensor::new(&header(SensorKind::HallMagnitude, Some(levels)), BoardId::A);
        assert_eq!(sensor.square(&level(19)), Some((Square::E4, false)));
        assert_eq!(sensor.square(&level(-21)), Some((Square::E4, true)));
    }

    #[test]
    fn without_levels_the_spread_decides() {
        let sensor = OccupancySensor::new(&header(SensorKind::HallMagnitude, None), BoardId::A);
        assert_eq!(sensor.square(&level(8)), Some((Square::E4, false)));
        assert_eq!(sensor.square(&level(9)), Some((Square::E4, true)));
    }

    #[test]
    fn a_snapshot_with_the_wrong_number_of_squares_says_nothing() {
        let sensor = OccupancySensor::new(&header(SensorKind::HallPolarity, None), BoardId::A);
        assert_eq!(sensor.snapshot(None, Some(&[SquareReading::Empty; 63])), None);
        let mut squares = [SquareReading::Empty; 64];
        squares[8] = SquareReading::Side(Color::White);
        assert_eq!(sensor.snapshot(None, Some(&squares)), Some(Bitboard::from_square(Square::A2)));
    }
}
