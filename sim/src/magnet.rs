//! Readings of boards that distinguish pieces: polarity, magnitude, identity. Stated assumptions;
//! nobody has built these boards yet.
//!
//! * *Magnitude*: one magnet strength for each type, 20 counts apart, black upside down. A level is what the
//!   type gives, times the square's gain, plus the square's offset, plus how this piece happens to stand,
//!   plus the noise of one reading; all gains drift together by up to a hundredth during the match. Taken
//!   together, the spread is such that a single reading names the type right in 95 % of cases
//!   ([`SINGLE_READING_ACCURACY`], averaged over the six types). Most of it is how the piece stands, so reading
//!   the same piece again tells little more.
//! * *Polarity*: one piece in a thousand that is put down reads as the other colour (a magnet glued in upside
//!   down, a piece of another set).
//! * *Identity*: one piece in five hundred that is put down reads as another type of its colour.
//! * A promoted pawn that lies on its side is not seen. An upright one is still the pawn, half the time
//!   (marked by a hair band, or upside down on a stand); else it was exchanged for a real piece.
//! * A square reports when its reading changes, and all squares report every ten seconds.

use node_firmware::{DEFAULT_DEBOUNCE_US, MID_RAIL_COUNTS, Samples};
use rand::{RngExt, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use readings::{Reading, ReadingKind, SensorKind, SquareReading};
use rules::{BoardId, Color, Piece, Position, Role, Square};

use crate::{
    board_fault::LevelDrift,
    chance::{Chance, Topic, normal},
    script::BoardScript,
    standing::Standing,
};

/// Probability that a single reading of the magnitude is nearest to the level of the piece's type.
pub const SINGLE_READING_ACCURACY: f64 = 0.95;
/// Mean level of each type, counts.
pub(crate) const LEVELS: [(Role, f64); 6] = [
    (Role::Pawn, 30.0),
    (Role::Knight, 50.0),
    (Role::Bishop, 70.0),
    (Role::Rook, 90.0),
    (Role::Queen, 110.0),
    (Role::King, 130.0),
];
/// Spread of the levels of one type over squares, pieces and readings, counts: half the distance of two types
/// is 1.88 of it.
pub(crate) const SIGMA: f64 = 5.3;
/// Spread of one reading about the others of the same piece where it stands, counts.
const READING_SIGMA: f64 = 1.5;
/// Spread of squares' offsets, counts.
const OFFSET_SIGMA: f64 = 1.5;
/// Spread of squares' gains.
const GAIN_SIGMA: f64 = 0.01;
/// All gains change by at most this part during a match.
const DRIFT: f64 = 0.01;
/// Spread due to how a piece happens to stand, counts; with the above it makes up [`SIGMA`].
const STAND_SIGMA: f64 = 4.7;
/// Probability that a piece that is put down reads as the other colour (polarity).
const WRONG_COLOUR: f64 = 0.001;
/// Probability that a piece that is put down reads as another type (identity).
const WRONG_LETTER: f64 = 0.002;
/// Level of every piece of a board that tells colours only, where a node reads it.
const POLARITY_LEVEL: f64 = 50.0;
/// Counts of a node's converter to one of ours: a pawn moves its sensor by 330, a king by 1,430 of 4,096, as the magnets of the
/// build guide do.
const CONVERTER_COUNTS: f64 = 11.0;
/// Time after which all gains of a node in a hall have reached their full drift.
pub(crate) const DRIFT_US: u64 = 600_000_000;
/// Time between two readings of the whole board.
const SNAPSHOT_US: u64 = 10_000_000;

/// The readings of one board's squares from the beginning to `end_us`.
pub(crate) fn readings(
    kind: SensorKind,
    board: BoardId,
    start: &Position,
    of_board: &BoardScript,
    end_us: u64,
    chance: &Chance,
) -> Vec<Reading> {
    let mut sensor = Sensor { drift: of_board.drift, ..Sensor::new(kind, board, chance, end_us) };
    let mut seen: [Option<Piece>; 64] = [None; 64];
    for square in Square::ALL {
        seen[usize::from(square)] = start.piece_at(square);
        sensor.put(square, start.piece_at(square));
    }
    let mut out = vec![sensor.snapshot(0)];
    let mut snapshots_us: Vec<u64> =
        (1..).map(|n| n * SNAPSHOT_US).take_while(|&t_us| t_us < end_us).collect();
    // After a loss the node reports all squares at once.
    snapshots_us.extend(of_board.lost.map(|(_, until_us)| until_us));
    snapshots_us.sort_unstable();
    let mut snapshots_us = snapshots_us.into_iter().peekable();
    for Standing { t_us, square, piece } in debounced(&of_board.standings) {
        while let Some(snapshot_us) = snapshots_us.next_if(|&snapshot_us| snapshot_us <= t_us) {
            out.push(sensor.snapshot(snapshot_us));
        }
        if std::mem::replace(&mut seen[usize::from(square)], piece) == piece {
            continue;
        }
        let before = sensor.said[usize::from(square)];
        sensor.put(square, piece);
        out.extend(sensor.square(t_us, square).filter(|_| {
            kind == SensorKind::HallMagnitude || sensor.said[usize::from(square)] != before
        }));
    }
    for snapshot_us in snapshots_us {
        out.push(sensor.snapshot(snapshot_us));
    }
    out
}

/// Readings that stay for the debounce time at least, each at the moment it began.
fn debounced(standings: &[Standing]) -> Vec<Standing> {
    let mut kept = Vec::with_capacity(standings.len());
    for (at, standing) in standings.iter().enumerate() {
        let until_us = standings[at + 1..]
            .iter()
            .take_while(|later| later.t_us < standing.t_us + u64::from(DEFAULT_DEBOUNCE_US))
            .find(|later| later.square == standing.square);
        if until_us.is_none() {
            kept.push(*standing);
        }
    }
    kept
}

/// One board's sensors and the pieces on them.
#[derive(Clone, Debug)]
pub(crate) struct Sensor {
    kind: SensorKind,
    board: BoardId,
    rng: ChaCha8Rng,
    gains: [f64; 64],
    offsets: [f64; 64],
    drift_per_us: f64,
    /// Each square's reading, without the noise of a reading, its gain and its offset.
    levels: [f64; 64],
    said: [SquareReading; 64],
    /// The square whose level drifts by itself.
    drift: Option<LevelDrift>,
}

impl Sensor {
    /// Sensors on an empty board. All gains drift to their ends by `end_us`.
    pub(crate) fn new(kind: SensorKind, board: BoardId, chance: &Chance, end_us: u64) -> Sensor {
        let mut rng = chance.topic(board, 0, Topic::Magnet);
        let gains = std::array::from_fn(|_| 1.0 + GAIN_SIGMA * normal(&mut rng));
        let offsets = std::array::from_fn(|_| OFFSET_SIGMA * normal(&mut rng));
        let drift: f64 = rng.random_range(-DRIFT..=DRIFT);
        let drift_per_us = drift / end_us.max(1) as f64;
        let (levels, said) = ([0.0; 64], [SquareReading::Empty; 64]);
        Sensor { kind, board, rng, gains, offsets, drift_per_us, levels, said, drift: None }
    }

    /// A piece comes to stand on a square, or leaves it.
    pub(crate) fn put(&mut self, square: Square, piece: Option<Piece>) {
        let place = usize::from(square);
        self.levels[place] = 0.0;
        self.said[place] = SquareReading::Empty;
        let Some(piece) = piece else { return };
        let level = LEVELS.iter().find(|(role, _)| *role == piece.role).map_or(0.0, |(_, l)| *l);
        let sign = if piece.color.is_white() { 1.0 } else { -1.0 };
        self.levels[place] = sign * level + STAND_SIGMA * normal(&mut self.rng);
        self.said[place] = match self.kind {
            SensorKind::HallPolarity => {
                let wrong = self.rng.random_bool(WRONG_COLOUR);
                SquareReading::Side(if wrong { piece.color.other() } else { piece.color })
            }
            SensorKind::PieceId => {
                let others: Vec<Role> =
                    Role::ALL.into_iter().filter(|&role| role != piece.role).collect();
                let wrong = others.choose(&mut self.rng).copied();
                let wrong = wrong.filter(|_| self.rng.random_bool(WRONG_LETTER));
                SquareReading::Piece(Piece { role: wrong.unwrap_or(piece.role), ..piece })
            }
            SensorKind::Reed | SensorKind::HallMagnitude => SquareReading::Occupied,
        };
    }

    fn level(&mut self, t_us: u64, square: Square) -> i32 {
        let place = usize::from(square);
        let drifted = 1.0 + self.drift_per_us * t_us as f64;
        let level = self.levels[place] * self.gains[place] * drifted + self.offsets[place];
        let level = level + self.drift.map_or(0.0, |drift| drift.offset(t_us, square));
        libm::round(level + READING_SIGMA * normal(&mut self.rng)) as i32
    }

    /// A node's converter readings of all sensors at once.
    pub(crate) fn samples(&mut self, t_us: u64) -> Samples {
        std::array::from_fn(|place| {
            let level = match (self.kind, self.said[place]) {
                (SensorKind::HallPolarity, SquareReading::Side(Color::White)) => POLARITY_LEVEL,
                (SensorKind::HallPolarity, SquareReading::Side(Color::Black)) => -POLARITY_LEVEL,
                (SensorKind::HallPolarity, _) => 0.0,
                _ => self.levels[place],
            };
            let drifted = 1.0 + self.drift_per_us * t_us.min(DRIFT_US) as f64;
            let level = level * self.gains[place] * drifted + self.offsets[place];
            let level = level + READING_SIGMA * normal(&mut self.rng);
            let counts = f64::from(MID_RAIL_COUNTS) + level * CONVERTER_COUNTS;
            libm::round(counts).clamp(0.0, 4095.0) as u16
        })
    }

    fn square(&mut self, t_us: u64, square: Square) -> Option<Reading> {
        let (reading, level) = match self.kind {
            SensorKind::HallMagnitude => (None, Some(self.level(t_us, square))),
            _ => (Some(self.said[usize::from(square)]), None),
        };
        let kind = ReadingKind::Square { square, reading, level };
        Some(Reading { t_us, board: Some(self.board), kind })
    }

    fn snapshot(&mut self, t_us: u64) -> Reading {
        let squares = match self.kind {
            SensorKind::HallMagnitude => Square::ALL
                .into_iter()
                .map(|square| SquareReading::Level(self.level(t_us, square)))
                .collect(),
            _ => self.said.to_vec(),
        };
        let kind = ReadingKind::Snapshot { occupied: None, squares: Some(squares) };
        Reading { t_us, board: Some(self.board), kind }
    }
}

/// Mean levels as a trace's header states them, white pieces' and black ones'.
pub(crate) fn stated_levels() -> std::collections::BTreeMap<char, f64> {
    LEVELS
        .into_iter()
        .flat_map(|(role, level)| {
            let letter = |color| Piece { color, role }.char();
            [(letter(Color::White), level), (letter(Color::Black), -level)]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;

    #[test]
    fn a_single_reading_names_the_type_as_often_as_stated() {
        let start = Position::initial();
        let (mut right, mut all) = ([0.0; 6], [0.0; 6]);
        for seed in 0..400 {
            let chance = Chance::new(seed, "magnet", Profile::Ideal);
            let mut sensor = Sensor::new(SensorKind::HallMagnitude, BoardId::A, &chance, 1);
            for square in start.occupied() {
                let piece = start.piece_at(square).expect("occupied");
                sensor.put(square, Some(piece));
                let level = f64::from(sensor.level(0, square)).abs();
                let nearest = (0..6)
                    .min_by(|&a, &b| {
                        (LEVELS[a].1 - level).abs().total_cmp(&(LEVELS[b].1 - level).abs())
                    })
                    .expect("levels");
                let place = LEVELS.iter().position(|known| known.0 == piece.role).expect("a role");
                all[place] += 1.0;
                right[place] += f64::from(u8::from(nearest == place));
            }
        }
        let mean = (0..6).map(|place| right[place] / all[place]).sum::<f64>() / 6.0;
        assert!((mean - SINGLE_READING_ACCURACY).abs() < 0.006, "{mean}");
    }

    #[test]
    fn what_stays_for_less_than_the_debounce_time_is_not_told() {
        let piece = Some(Color::White.pawn());
        let standing = |t_us, piece| Standing { t_us, square: Square::E4, piece };
        let moment = u64::from(DEFAULT_DEBOUNCE_US) - 1;
        let kept =
            debounced(&[standing(0, piece), standing(moment, None), standing(90_000, piece)]);
        assert_eq!(kept, [standing(moment, None), standing(90_000, piece)]);
    }
}
