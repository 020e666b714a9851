//! ```text
//! p(m | piece) ∝ exp(-(m / g - μ)² / (2 σ²))
//! another piece between two readings:  sign differs, or |now - m| > 6 σ √(1 + 1/n)
//! ```
//!
//! `m` is the mean level of the `n` readings of one placement; `g` the common gain of all levels;
//! `μ` the mean level of the piece's type and colour; `σ` the standard deviation of readings about
//! `μ`.
//!
//! `μ` comes from the header, from the set-up position, where all 64 squares are known, and from
//! pieces that are nearly certain while the match is played. Repeated readings of one placement
//! tell nothing more than the first: a magnet that stands askew reads askew each time.
//!
//! `μ` and `σ²` are weighted means of observations. The header's values, the level of the other
//! colour and an assumed spread count as several observations each.

use std::collections::BTreeMap;

use rules::{Color, Piece, Position, Square};

use super::table::{Table, pieces, place};

/// A stated level counts as so many observations. Assumed: set by hand.
const STATED_COUNTS: f64 = 6.0;
/// The mean level of the other colour of a type counts as at most this number of observations. Assumed: set by hand.
const OTHER_COLOUR_COUNTS: f64 = 2.0;
/// A stated spread counts as so many observations. Assumed: set by hand.
const STATED_SPREAD_COUNTS: f64 = 12.0;
/// The assumed spread counts as so many observations, where none is stated. Assumed: set by hand.
const ASSUMED_SPREAD_COUNTS: f64 = 2.0;
/// A level that is off its piece's mean by more standard deviations is of another piece, and
/// nothing is learnt from it. Assumed: set by hand.
const OUTLIER_SIGMAS: f64 = 5.0;
/// Number of observations that must have shown the spread before a level is an outlier. Assumed: set by hand.
const OUTLIER_COUNTS: f64 = 8.0;
/// A repeated reading that differs by more standard deviations is of another piece. Assumed:
/// set by hand.
const OTHER_PIECE_SIGMAS: f64 = 6.0;
/// Spread before any is known, as a part of the weakest level. Assumed: set by hand.
const ASSUMED_SPREAD: f64 = 0.15;
/// Number of levels of one type, both colours together, that teach no spread: their mean lies between them. Assumed.
const TOO_FEW_FOR_SPREAD: f64 = 2.0;
/// Weight of the newest observation in the running estimate of the common gain, 0 to 1. Assumed: set by hand.
const GAIN_RATE: f64 = 0.02;

#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    count: f64,
    sum: f64,
}

impl Mean {
    fn add(&mut self, value: f64, count: f64) {
        self.count += count;
        self.sum += value * count;
    }

    fn get(self) -> Option<f64> {
        (self.count > 0.0).then(|| self.sum / self.count)
    }
}

/// The levels of one board.
#[derive(Clone, Debug)]
pub(crate) struct Levels {
    /// Stated levels of all [`pieces`], counts. Black levels are negative.
    stated: [Option<f64>; 12],
    stated_sigma: Option<f64>,
    seen: [Mean; 12],
    /// Squared differences from the mean of the type: an estimate of σ².
    spread: Mean,
    /// Common factor of all levels at present.
    gain: f64,
}

/// The same piece of the other colour.
fn opposite(piece: Piece) -> Piece {
    Piece { color: piece.color.other(), ..piece }
}

impl Levels {
    /// Levels by piece letter and their spread, as a header states them, counts. A level of one colour counts
    /// for the other colour too.
    pub(crate) fn new(levels: Option<&BTreeMap<char, f64>>, sigma: Option<f64>) -> Levels {
        let mut named = [None; 12];
        for (&letter, &level) in levels.into_iter().flatten() {
            if let Some(piece) =
                Piece::from_char(letter).filter(|_| level.is_finite() && level != 0.0)
            {
                named[place(piece)] = Some(level);
            }
        }
        let mut stated = named;
        for (stated, piece) in stated.iter_mut().zip(pieces()) {
            let level = stated.or(named[place(opposite(piece))]).map(f64::abs);
            *stated = if piece.color.is_white() { level } else { level.map(|level| -level) };
        }
        let stated_sigma = sigma.map(f64::abs).filter(|sigma| sigma.is_finite() && *sigma > 0.0);
        Levels {
            stated,
            stated_sigma,
            seen: Default::default(),
            spread: Mean::default(),
            gain: 1.0,
        }
    }

    /// The mean level of a piece, counts, negative for Black. None if nothing is known of it.
    pub(crate) fn mean(&self, piece: Piece) -> Option<f64> {
        let mut mean = self.seen[place(piece)];
        if let Some(stated) = self.stated[place(piece)] {
            mean.add(stated, STATED_COUNTS);
        }
        let other = self.seen[place(opposite(piece))];
        if let Some(level) = other.get() {
            mean.add(-level, OTHER_COLOUR_COUNTS.min(other.count));
        }
        mean.get()
    }

    /// The smallest known mean level of any piece, counts, above 0.
    pub(crate) fn weakest(&self) -> Option<f64> {
        pieces()
            .filter_map(|piece| self.mean(piece))
            .map(f64::abs)
            .min_by(f64::total_cmp)
            .filter(|weakest| *weakest > 0.0)
    }

    /// Standard deviation of single readings about the mean of their type, counts, above 0.
    pub(crate) fn sigma(&self) -> f64 {
        let assumed = self.weakest().map_or(1.0, |weakest| weakest * ASSUMED_SPREAD);
        let (prior, counts) = match self.stated_sigma {
            Some(stated) => (stated, STATED_SPREAD_COUNTS),
            None => (assumed, ASSUMED_SPREAD_COUNTS),
        };
        let mut spread = self.spread;
        spread.add(prior * prior, counts);
        libm::sqrt(spread.get().unwrap_or(prior * prior)).max(f64::MIN_POSITIVE)
    }

    /// Whether a reading `now` is of another piece than the `count` readings before it, with mean `before`.
    pub(crate) fn is_other(&self, before: f64, count: u32, now: f64) -> bool {
        if before * now < 0.0 {
            return true;
        }
        let sigma = self.sigma() * libm::sqrt(1.0 + 1.0 / f64::from(count.max(1)));
        (now - before).abs() > OTHER_PIECE_SIGMAS * sigma
    }

    /// Learns mean, spread and gain from a level that is known to be of this piece. A level more than five σ
    /// off is passed over once there are more than eight observations.
    pub(crate) fn learn(&mut self, piece: Piece, level: f64) {
        let level = level / self.gain;
        if let Some(mean) = self.mean(piece) {
            let sigma = self.sigma();
            let off = level - mean;
            if off.abs() > OUTLIER_SIGMAS * sigma && self.spread.count > OUTLIER_COUNTS {
                return;
            }
            self.spread.add(off * off, 1.0);
            self.gain *= 1.0 + GAIN_RATE * off / mean;
        }
        self.seen[place(piece)].add(level, 1.0);
    }

    /// Learns from the set-up position, in which the piece of every level is known. Squares with less
    /// than the `weakest` level are empty.
    pub(crate) fn learn_set_up(&mut self, levels: &[f64; 64], weakest: f64) {
        let position = Position::initial_swapped(
            self.fits_swapped(Color::White, levels),
            self.fits_swapped(Color::Black, levels),
        );
        let read: Vec<(Piece, f64)> = Square::ALL
            .into_iter()
            .filter_map(|square| Some((position.piece_at(square)?, levels[usize::from(square)])))
            .filter(|(_, level)| level.abs() >= weakest)
            .collect();
        for &(piece, level) in &read {
            self.seen[place(piece)].add(level, 1.0);
        }
        for &(piece, level) in &read {
            let counts = self.seen[place(piece)].count + self.seen[place(opposite(piece))].count;
            if let Some(mean) = self.mean(piece)
                && counts > TOO_FEW_FOR_SPREAD
            {
                // The mean is of the same few levels, which makes differences too small: n / (n - 1).
                let taken = counts / (counts - 1.0);
                self.spread.add((level - mean) * (level - mean) * taken, 1.0);
            }
        }
    }

    /// Whether the levels on d and e fit a swapped king and queen better, by least squares.
    fn fits_swapped(&self, color: Color, levels: &[f64; 64]) -> bool {
        let rank = if color.is_white() { 0 } else { 56 };
        let (on_d, on_e) = (levels[rank + 3], levels[rank + 4]);
        match (self.mean(color.king()), self.mean(color.queen())) {
            (Some(king), Some(queen)) => {
                let off = |d: f64, e: f64| (on_d - d) * (on_d - d) + (on_e - e) * (on_e - e);
                off(king, queen) < off(queen, king)
            }
            _ => false,
        }
    }

    /// Likelihood p(m | piece) of the `mean` of the readings of one placement, for each piece.
    pub(crate) fn table(&self, mean: f64) -> Table {
        let variance = self.sigma() * self.sigma();
        Table::new(|piece| match self.mean(piece) {
            Some(expected) => {
                let off = mean / self.gain - expected;
                libm::exp(-0.5 * off * off / variance)
            }
            None => 0.0,
        })
    }
}

#[cfg(test)]
mod tests {
    use rules::Role;

    use super::*;

    /// Levels of a set-up with these levels of the roles, off by a fixed pattern of this size.
    fn set_up(levels: [f64; 6], off: f64) -> [f64; 64] {
        let position = Position::initial();
        let mut read = [0.0; 64];
        for (nth, square) in Square::ALL.into_iter().enumerate() {
            if let Some(piece) = position.piece_at(square) {
                let sign = if piece.color.is_white() { 1.0 } else { -1.0 };
                let off = off * [1.0, -1.0, -1.0, 1.0][nth % 4];
                read[nth] = sign * levels[piece.role as usize - 1] + off;
            }
        }
        read
    }

    const PLANTED: [f64; 6] = [21.0, 35.0, 52.0, 70.0, 90.0, 110.0];

    #[test]
    fn the_set_up_teaches_levels_that_nobody_stated() {
        let mut levels = Levels::new(None, None);
        assert_eq!(levels.weakest(), None);
        levels.learn_set_up(&set_up(PLANTED, 2.0), 1.0);
        for (role, planted) in Role::ALL.into_iter().zip(PLANTED) {
            let white = levels.mean(Piece { color: Color::White, role }).expect("learnt");
            let black = levels.mean(Piece { color: Color::Black, role }).expect("learnt");
            assert!((white - planted).abs() <= 2.5, "{role:?}: {white}");
            assert!((black + planted).abs() <= 2.5, "{role:?}: {black}");
        }
        assert!((1.2..3.0).contains(&levels.sigma()), "{}", levels.sigma());
        let table = levels.table(36.0);
        assert_eq!(table.of(Color::White.knight()), 1.0);
        assert!(table.of(Color::White.bishop()) < 0.01);
    }

    #[test]
    fn what_was_stated_is_corrected_by_what_is_read() {
        let stated = BTreeMap::from([('P', 30.0), ('n', -50.0)]);
        let mut levels = Levels::new(Some(&stated), Some(3.0));
        assert_eq!(levels.mean(Color::Black.pawn()), Some(-30.0));
        assert_eq!(levels.mean(Color::White.knight()), Some(50.0));
        assert_eq!(levels.mean(Color::White.queen()), None);
        for _ in 0..40 {
            levels.learn(Color::White.pawn(), 33.0);
        }
        let pawn = levels.mean(Color::White.pawn()).expect("stated");
        assert!(pawn > 30.8 && pawn < 33.1, "{pawn}");
    }

    #[test]
    fn a_change_of_colour_is_another_piece_and_noise_is_not() {
        let stated = BTreeMap::from([('P', 30.0), ('N', 50.0)]);
        let levels = Levels::new(Some(&stated), Some(5.0));
        assert!(levels.is_other(31.0, 1, -33.0));
        assert!(!levels.is_other(31.0, 1, 24.0));
    }
}
