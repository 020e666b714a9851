//! The levels of the pieces (hall magnitude) and their spread, stated or learnt.
//!
//! Of every type and colour the mean level is estimated from what the header states, from the set-up
//! position, where all 64 squares are known, and from pieces that are nearly certain while the match is
//! played. The spread about the mean has two parts: how a piece happens to stand, which all readings of
//! one placement share, and the noise of single readings, which averages out; the second shows when a
//! square is read again.

use std::collections::BTreeMap;

use rules::{Color, Piece, Position, Role, Square};

use super::Table;

/// Observations that a stated level counts for.
const STATED_COUNTS: f64 = 6.0;
/// Observations that the level of the same type of the other colour counts for.
const OTHER_COLOUR_COUNTS: f64 = 2.0;
/// Observations that a stated spread counts for.
const STATED_SPREAD_COUNTS: f64 = 12.0;
/// Repeated readings before the noise of single readings is believed.
const FEW_REPEATS: f64 = 24.0;
/// At least this part of the variance is taken to be shared by all readings of a placement.
const LEAST_SHARED: f64 = 0.05;
/// A repeated reading that differs by so many standard deviations is of another piece.
const OTHER_PIECE_SIGMAS: f64 = 6.0;
/// Nor is it taken for another piece below so many spreads of a type.
const OTHER_PIECE_SPREADS: f64 = 3.0;
/// What is assumed of the spread before anything is known of it, as part of the weakest level.
const ASSUMED_SPREAD: f64 = 0.15;
/// Weight of the newest in the running estimate of the common gain.
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
    /// As stated, by colour (White first) and role; black negative.
    stated: [[Option<f64>; 6]; 2],
    stated_sigma: Option<f64>,
    seen: [[Mean; 6]; 2],
    /// Of squares when they are empty.
    offsets: [Mean; 64],
    /// Of squared differences to the type's mean.
    spread: Mean,
    /// Of squared differences between readings of one placement, halved.
    noise: Mean,
    /// What all levels are multiplied with at present.
    gain: f64,
}

fn slot(piece: Piece) -> (usize, usize) {
    (usize::from(piece.color.is_black()), piece.role as usize - 1)
}

impl Levels {
    /// As a header states them: levels by piece letter (a letter of one colour counts for both), and their
    /// spread.
    pub(crate) fn new(levels: Option<&BTreeMap<char, f64>>, sigma: Option<f64>) -> Levels {
        let mut stated = [[None; 6]; 2];
        for (&letter, &level) in levels.into_iter().flatten() {
            if let Some(piece) =
                Piece::from_char(letter).filter(|_| level.is_finite() && level != 0.0)
            {
                let (color, role) = slot(piece);
                stated[color][role] = Some(level);
            }
        }
        let [whites, blacks] = &mut stated;
        for (of_white, of_black) in whites.iter_mut().zip(blacks) {
            let (white, black) = (*of_white, *of_black);
            *of_white = white.or(black.map(|level| -level)).map(f64::abs);
            *of_black = black.or(white.map(|level| -level)).map(|level| -level.abs());
        }
        let stated_sigma = sigma.map(f64::abs).filter(|sigma| sigma.is_finite() && *sigma > 0.0);
        Levels {
            stated,
            stated_sigma,
            seen: Default::default(),
            offsets: [Mean::default(); 64],
            spread: Mean::default(),
            noise: Mean::default(),
            gain: 1.0,
        }
    }

    /// The mean level of a piece, if anything is known of it.
    pub(crate) fn mean(&self, piece: Piece) -> Option<f64> {
        let (color, role) = slot(piece);
        let mut mean = self.seen[color][role];
        if let Some(stated) = self.stated[color][role] {
            mean.add(stated, STATED_COUNTS);
        }
        if let Some(other) = self.seen[1 - color][role].get() {
            mean.add(-other, OTHER_COLOUR_COUNTS.min(self.seen[1 - color][role].count));
        }
        mean.get()
    }

    /// The weakest level that is known of any piece.
    pub(crate) fn weakest(&self) -> Option<f64> {
        pieces()
            .filter_map(|piece| self.mean(piece))
            .map(f64::abs)
            .min_by(f64::total_cmp)
            .filter(|weakest| *weakest > 0.0)
    }

    /// The standard deviation of single readings about their type's mean.
    pub(crate) fn sigma(&self) -> f64 {
        let assumed = self.weakest().map_or(1.0, |weakest| weakest * ASSUMED_SPREAD);
        let (prior, counts) = match self.stated_sigma {
            Some(stated) => (stated, STATED_SPREAD_COUNTS),
            None => (assumed, 2.0),
        };
        let mut spread = self.spread;
        spread.add(prior * prior, counts);
        libm::sqrt(spread.get().unwrap_or(prior * prior)).max(f64::MIN_POSITIVE)
    }

    /// The variance of single readings of one placement about each other.
    fn noise(&self) -> f64 {
        let variance = self.sigma() * self.sigma();
        if self.noise.count < FEW_REPEATS {
            return variance;
        }
        self.noise.get().unwrap_or(variance).clamp(0.0, variance)
    }

    /// The variance of the mean of `count` readings of a placement about the type's mean.
    fn variance(&self, count: u32) -> f64 {
        let variance = self.sigma() * self.sigma();
        if self.noise.count < FEW_REPEATS {
            // Nothing speaks for it that reading again helps.
            return variance;
        }
        let noise = self.noise();
        let shared = (variance - noise).max(LEAST_SHARED * variance);
        shared + noise / f64::from(count.max(1))
    }

    /// Whether a reading is of another piece than the `count` readings before with mean `before`.
    pub(crate) fn is_other(&self, before: f64, count: u32, now: f64) -> bool {
        if before * now < 0.0 {
            return true;
        }
        let sigma = libm::sqrt(self.noise() * (1.0 + 1.0 / f64::from(count.max(1))));
        let least = (OTHER_PIECE_SIGMAS * sigma).max(OTHER_PIECE_SPREADS * self.sigma());
        (now - before).abs() > least
    }

    /// A square was read again: the mean of the `count` readings before, and the new one.
    pub(crate) fn read_again(&mut self, before: f64, count: u32, now: f64) {
        let count = f64::from(count.max(1));
        let squared = (now - before) * (now - before) * count / (count + 1.0);
        self.noise.add(squared, 1.0);
    }

    /// A level was read on an empty square.
    pub(crate) fn read_empty(&mut self, square: Square, level: f64) {
        self.offsets[usize::from(square)].add(level, 1.0);
    }

    /// What a square adds to every level.
    fn offset(&self, square: Square) -> f64 {
        let offset = self.offsets[usize::from(square)];
        offset.sum / (offset.count + 1.0)
    }

    /// A level is known to be of this piece.
    pub(crate) fn learn(&mut self, square: Square, piece: Piece, level: f64) {
        let level = (level - self.offset(square)) / self.gain;
        if let Some(mean) = self.mean(piece) {
            let sigma = self.sigma();
            let off = level - mean;
            if off.abs() > 5.0 * sigma && self.spread.count > 8.0 {
                return;
            }
            self.spread.add(off * off, 1.0);
            self.gain *= 1.0 + GAIN_RATE * off / mean;
        }
        let (color, role) = slot(piece);
        self.seen[color][role].add(level, 1.0);
    }

    /// The set-up position has been read: every level is known to be of its piece.
    pub(crate) fn learn_set_up(&mut self, levels: &[f64; 64]) {
        let position = Position::initial_swapped(
            self.looks_swapped(Color::White, levels),
            self.looks_swapped(Color::Black, levels),
        );
        for square in Square::ALL {
            if position.piece_at(square).is_none() {
                self.read_empty(square, levels[usize::from(square)]);
            }
        }
        let read: Vec<(Piece, f64)> = Square::ALL
            .into_iter()
            .filter_map(|square| Some((position.piece_at(square)?, levels[usize::from(square)])))
            .collect();
        for &(piece, level) in &read {
            let (color, role) = slot(piece);
            self.seen[color][role].add(level, 1.0);
        }
        for &(piece, level) in &read {
            let role = slot(piece).1;
            let counts = self.seen[0][role].count + self.seen[1][role].count;
            if let Some(mean) = self.mean(piece)
                && counts > 2.0
            {
                // A mean of few has taken part of the spread with it.
                let taken = counts / (counts - 1.0);
                self.spread.add((level - mean) * (level - mean) * taken, 1.0);
            }
        }
    }

    /// Whether king and queen look swapped by the levels that are stated.
    fn looks_swapped(&self, color: Color, levels: &[f64; 64]) -> bool {
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

    /// How likely the mean of `count` readings of one placement is for each piece.
    pub(crate) fn table(&self, mean: f64, count: u32) -> Table {
        let variance = self.variance(count);
        Table::new(|piece| match self.mean(piece) {
            Some(expected) => {
                let off = mean / self.gain - expected;
                libm::exp(-0.5 * off * off / variance)
            }
            None => 0.0,
        })
    }
}

fn pieces() -> impl Iterator<Item = Piece> {
    [Color::White, Color::Black]
        .into_iter()
        .flat_map(|color| Role::ALL.into_iter().map(move |role| Piece { color, role }))
}

#[cfg(test)]
mod tests {
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
        levels.learn_set_up(&set_up(PLANTED, 2.0));
        for (role, planted) in Role::ALL.into_iter().zip(PLANTED) {
            let white = levels.mean(Piece { color: Color::White, role }).expect("learnt");
            let black = levels.mean(Piece { color: Color::Black, role }).expect("learnt");
            assert!((white - planted).abs() <= 2.5, "{role:?}: {white}");
            assert!((black + planted).abs() <= 2.5, "{role:?}: {black}");
        }
        assert!((1.2..3.0).contains(&levels.sigma()), "{}", levels.sigma());
        let table = levels.table(36.0, 1);
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
            levels.learn(Square::E4, Color::White.pawn(), 33.0);
        }
        let pawn = levels.mean(Color::White.pawn()).expect("stated");
        assert!(pawn > 30.8 && pawn < 33.1, "{pawn}");
    }

    #[test]
    fn reading_again_helps_only_as_far_as_readings_differ() {
        let stated = BTreeMap::from([('P', 30.0), ('N', 50.0)]);
        let mut askew = Levels::new(Some(&stated), Some(6.0));
        let mut noisy = askew.clone();
        for nth in 0..200 {
            askew.read_again(30.0, 1, 30.0);
            noisy.read_again(30.0, 1, if nth % 2 == 0 { 38.0 } else { 22.0 });
        }
        let doubt = |levels: &Levels| levels.table(38.0, 50).of(Color::White.knight());
        assert!(doubt(&askew) > 0.2, "{}", doubt(&askew));
        assert!(doubt(&noisy) < 0.01, "{}", doubt(&noisy));
    }

    #[test]
    fn a_change_of_colour_is_another_piece_and_noise_is_not() {
        let stated = BTreeMap::from([('P', 30.0), ('N', 50.0)]);
        let levels = Levels::new(Some(&stated), Some(5.0));
        assert!(levels.is_other(31.0, 1, -33.0));
        assert!(!levels.is_other(31.0, 1, 24.0));
    }
}
