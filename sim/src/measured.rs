//! Estimates of hands from traces, beside the reader's assumptions.
//!
//! ```text
//! flight of a quiet move = base + per_bit · log2(1 + d)      d in squares, as in Fitts's law
//! per_bit of a player    = median of the slopes of all pairs of the player's moves (Theil and Sen)
//! base of a player       = median of flight − per_bit · log2(1 + d)
//! base, per_bit          = means over players, interval ± t · deviation / √players
//! nudge                  = median over the pieces of waiting players that leave and come back, interval by order
//! ```
//!
//! The traces need no labels: only plies that are nearly certain count, and medians bear what was
//! read wrongly all the same. A captured piece makes a flight unclear, so captures do not count.

use inference::{Tracker, TrackerConfig, hand_times};
use readings::{InferredLine, InferredPly, Reading, ReadingKind, SquareReading, TraceHeader};
use rules::{BoardId, Color, Match, Ply, Position, Square};

/// A ply counts from this probability on.
const CERTAIN: f64 = 0.999;
/// Fewest flights by which a player's pace is estimated.
const LEAST_FLIGHTS: usize = 12;
/// Pairs of moves that differ by less than this, bits, tell nothing of a slope.
const LEAST_BITS: f64 = 0.2;
/// Fewest players, or pieces, for an interval.
const LEAST_SAMPLE: usize = 6;
/// Time within which a hand that nudges a piece lets go of it, microseconds.
const NUDGED_WITHIN_US: u64 = 1_500_000;
/// A piece that was set down less than this before it left may flicker, microseconds.
const FLICKERS_US: u64 = 2_000_000;
/// Pieces that leave within this time of each other fell, or a sleeve took them along, microseconds.
const TOGETHER_US: u64 = 400_000;
/// A square from which pieces leave and return more often than this in a match has a contact that fails.
const MOST_RETURNS: usize = 4;

/// Samples of the hands in some traces.
#[derive(Clone, Debug, Default)]
pub struct HandSamples {
    /// Base and slope of each player with enough flights, milliseconds and milliseconds a bit.
    paces: Vec<(f64, f64)>,
    /// Times for which pieces of waiting players were off their squares, milliseconds.
    nudges_ms: Vec<f64>,
    /// Boards whose squares do not say whether they are occupied.
    pub boards_left_out: usize,
}

/// A number with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

/// One assumption of the reader beside its estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Name of the quantity, with its unit.
    pub name: &'static str,
    /// The reader's assumption.
    pub assumed: f64,
    /// The estimate; none if there were too few samples.
    pub estimate: Option<Estimate>,
    /// Number of samples…
    pub sample: usize,
    /// …of these.
    pub of: &'static str,
}

impl Measured {
    /// Whether what is assumed lies outside the interval.
    #[must_use]
    pub fn is_outside(&self) -> bool {
        self.estimate.is_some_and(|found| self.assumed < found.low || self.assumed > found.high)
    }
}

/// One board of a trace.
struct OfBoard {
    /// Changes of squares: when, which, and whether it is occupied now.
    changes: Vec<(u64, Square, bool)>,
    /// Times of the presses.
    presses_us: Vec<u64>,
    says_occupied: bool,
}

impl OfBoard {
    fn new(board: BoardId, readings: &[Reading]) -> OfBoard {
        let mut of_board =
            OfBoard { changes: Vec::new(), presses_us: Vec::new(), says_occupied: true };
        for reading in readings.iter().filter(|reading| reading.board == Some(board)) {
            match &reading.kind {
                ReadingKind::Square { square, reading: Some(said), .. } => {
                    let is_occupied = *said != SquareReading::Empty;
                    of_board.changes.push((reading.t_us, *square, is_occupied));
                }
                ReadingKind::Square { reading: None, .. } => of_board.says_occupied = false,
                ReadingKind::Press { .. } => of_board.presses_us.push(reading.t_us),
                _ => {}
            }
        }
        of_board
    }

    /// The changes from one time up to another.
    fn between(&self, since_us: u64, until_us: u64) -> &[(u64, Square, bool)] {
        let at = |t_us| self.changes.partition_point(|change| change.0 < t_us);
        &self.changes[at(since_us)..at(until_us.max(since_us))]
    }

    /// Time for which a quiet move's piece was in the air, milliseconds, if that was seen.
    fn flight_ms(&self, from: Square, to: Square, (since_us, until_us): (u64, u64)) -> Option<f64> {
        let changes = self.between(since_us, until_us);
        if changes.iter().any(|&(_, square, occupied)| square == to && !occupied) {
            return None;
        }
        let lifted = changes.iter().rposition(|change| change.1 == from && !change.2)?;
        let landed = changes[lifted..].iter().find(|change| change.1 == to && change.2)?;
        Some((landed.0 - changes[lifted].0) as f64 / 1_000.0)
    }

    /// Time for which each piece of a waiting player was off its square before it came back, milliseconds.
    fn nudges_ms(
        &self,
        position: &Position,
        waits: Color,
        window: (u64, u64),
        ply: Ply,
    ) -> Vec<f64> {
        let own = |square: Square| {
            square != ply.to() && position.piece_at(square).is_some_and(|p| p.color == waits)
        };
        let changes = self.between(window.0, window.1);
        let left: Vec<u64> =
            changes.iter().filter(|c| own(c.1) && !c.2).map(|change| change.0).collect();
        let mut nudges_ms = Vec::new();
        for (at, &(t_us, square, occupied)) in changes.iter().enumerate() {
            if occupied || !own(square) {
                continue;
            }
            let later = &changes[at + 1..];
            let Some(back) = later.iter().find(|change| change.1 == square) else { continue };
            let lasted_us = back.0 - t_us;
            let with = left.iter().filter(|&&other| other.abs_diff(t_us) <= TOGETHER_US).count();
            let before = self.between(t_us.saturating_sub(FLICKERS_US), t_us);
            let flickers = before.iter().any(|change| change.1 == square);
            if with == 1 && !flickers && lasted_us <= NUDGED_WITHIN_US && !self.fails(square) {
                nudges_ms.push(lasted_us as f64 / 1_000.0);
            }
        }
        nudges_ms
    }

    /// Whether a square's contact opens and closes too often for hands.
    fn fails(&self, square: Square) -> bool {
        let back = self.changes.iter().filter(|change| change.1 == square && change.2);
        let times: Vec<u64> = back.map(|change| change.0).collect();
        let soon = times.windows(2).filter(|pair| pair[1] - pair[0] <= NUDGED_WITHIN_US).count();
        soon > MOST_RETURNS
    }
}

impl HandSamples {
    /// Follows a match and takes what its hands did. Nothing but the readings is known of it.
    pub fn follow(&mut self, header: &TraceHeader, readings: &[Reading], config: TrackerConfig) {
        let tracker = Tracker::over(header, readings, config);
        let plies = tracker.record().into_iter().filter_map(|line| match line {
            InferredLine::Ply(ply) => Some(ply),
            _ => None,
        });
        self.take_plies(header, readings, &plies.collect::<Vec<_>>());
    }

    /// Takes what another sample has.
    pub fn merge(&mut self, other: HandSamples) {
        self.paces.extend(other.paces);
        self.nudges_ms.extend(other.nudges_ms);
        self.boards_left_out += other.boards_left_out;
    }

    fn take_plies(&mut self, header: &TraceHeader, readings: &[Reading], plies: &[InferredPly]) {
        let mut now = Match::initial().with_supply(header.supply());
        let boards = BoardId::ALL.map(|board| OfBoard::new(board, readings));
        self.boards_left_out += boards.iter().filter(|board| !board.says_occupied).count();
        let mut flights: [Vec<(f64, f64)>; 4] = Default::default();
        for ply in plies {
            let of_board = &boards[ply.board.index()];
            let position = now.position(ply.board).clone();
            if ply.p >= CERTAIN && of_board.says_occupied {
                let before = of_board.presses_us.partition_point(|press| *press < ply.t_us);
                let since_us = before.checked_sub(1).map_or(0, |at| of_board.presses_us[at]);
                let window = (since_us, ply.t_us);
                if let Ply::Move { from, to, .. } = ply.uci
                    && let Some(flight_ms) = of_board.flight_ms(from, to, window)
                {
                    let player = 2 * ply.board.index() + usize::from(ply.side.is_black());
                    flights[player].push((bits(from, to), flight_ms));
                }
                let waits = ply.side.other();
                self.nudges_ms.extend(of_board.nudges_ms(&position, waits, window, ply.uci));
            }
            now.play(ply.board, ply.uci);
        }
        self.paces.extend(flights.iter().filter_map(|flights| pace(flights)));
    }

    /// The reader's assumptions, each beside its estimate.
    #[must_use]
    pub fn measured(&self) -> Vec<Measured> {
        let (bases, slopes): (Vec<f64>, Vec<f64>) = self.paces.iter().copied().unzip();
        let players = self.paces.len();
        let row =
            |name, assumed, estimate, sample, of| Measured { name, assumed, estimate, sample, of };
        vec![
            row(
                "carrying a piece, any distance, ms",
                hand_times::TRAVEL_BASE_MS,
                mean(&bases),
                players,
                "players",
            ),
            row(
                "and for each bit of distance, ms",
                hand_times::TRAVEL_PER_BIT_MS,
                mean(&slopes),
                players,
                "players",
            ),
            row(
                "a nudged piece is off its square, ms",
                hand_times::NUDGE_MS,
                median(&self.nudges_ms),
                self.nudges_ms.len(),
                "pieces",
            ),
        ]
    }
}

/// Distance of a move in bits: log2(1 + squares).
fn bits(from: Square, to: Square) -> f64 {
    let apart = |a: u32, b: u32| f64::from(a.abs_diff(b));
    let files = apart(u32::from(from.file()), u32::from(to.file()));
    let ranks = apart(u32::from(from.rank()), u32::from(to.rank()));
    libm::log2(1.0 + libm::hypot(files, ranks))
}

/// Base and slope of a player's flights, if there are enough of different distances.
fn pace(flights: &[(f64, f64)]) -> Option<(f64, f64)> {
    if flights.len() < LEAST_FLIGHTS {
        return None;
    }
    let mut slopes = Vec::new();
    for (at, first) in flights.iter().enumerate() {
        let others = flights[at + 1..].iter();
        let apart = others.filter(|other| (other.0 - first.0).abs() >= LEAST_BITS);
        slopes.extend(apart.map(|other| (other.1 - first.1) / (other.0 - first.0)));
    }
    let slope = middle(&mut slopes)?;
    let base = middle(&mut flights.iter().map(|(bits, ms)| ms - slope * bits).collect::<Vec<_>>())?;
    Some((base, slope))
}

/// The median; none of nothing.
fn middle(numbers: &mut [f64]) -> Option<f64> {
    numbers.sort_unstable_by(f64::total_cmp);
    let upper = *numbers.get(numbers.len() / 2)?;
    Some((numbers[(numbers.len() - 1) / 2] + upper) / 2.0)
}

/// The mean of a sample, with Student's interval.
fn mean(sample: &[f64]) -> Option<Estimate> {
    if sample.len() < LEAST_SAMPLE {
        return None;
    }
    let count = sample.len() as f64;
    let value = sample.iter().sum::<f64>() / count;
    let variance = sample.iter().map(|x| (x - value) * (x - value)).sum::<f64>() / (count - 1.0);
    // Quantile of Student's distribution at 97.5 %, from five degrees of freedom on within 0.3 %
    // (Abramowitz and Stegun 26.7.5).
    let (z, free) = (1.959_964_f64, count - 1.0);
    let cubed = z * z * z;
    let t = z
        + (cubed + z) / (4.0 * free)
        + (5.0 * cubed * z * z + 16.0 * cubed + 3.0 * z) / (96.0 * free * free);
    let off = t * libm::sqrt(variance / count);
    Some(Estimate { value, low: value - off, high: value + off })
}

/// The median of a sample, with the interval between the order statistics that a fair coin gives.
fn median(sample: &[f64]) -> Option<Estimate> {
    if sample.len() < LEAST_SAMPLE {
        return None;
    }
    let mut sorted = sample.to_vec();
    let value = middle(&mut sorted)?;
    let off = 0.979_982 * libm::sqrt(sorted.len() as f64);
    let half = sorted.len() as f64 / 2.0;
    let low = libm::floor(half - off).max(0.0) as usize;
    let high = (libm::ceil(half + off) as usize).min(sorted.len() - 1);
    Some(Estimate { value, low: sorted[low], high: sorted[high] })
}

/// Planted values of hands, in the order of [`HandSamples::measured`].
#[must_use]
pub fn planted(players: &crate::Players) -> [f64; 3] {
    let hands = &players.hands;
    [
        hands.travel_base_us / 1_000.0,
        hands.travel_per_bit_us / 1_000.0,
        crate::technique::NUDGE_MEDIAN_US / 1_000.0 * hands.nudge,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Equipment, Players, Profile, games, perform_with};

    #[test]
    fn line_is_found_through_flights_of_which_one_is_late() {
        let mut flights: Vec<(f64, f64)> =
            (0..12).map(|at| f64::from(at % 4)).map(|bits| (bits, 100.0 + 80.0 * bits)).collect();
        flights[3].1 = 3_000.0;
        let (base, slope) = pace(&flights).expect("enough");
        assert!((base - 100.0).abs() < 1.0 && (slope - 80.0).abs() < 1.0, "{base} {slope}");
        assert_eq!(pace(&flights[..LEAST_FLIGHTS - 1]), None);
    }

    #[test]
    fn interval_of_a_mean_is_student_s() {
        let found = mean(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).expect("enough");
        // t of five degrees of freedom is 2.571, the deviation 1.871.
        assert!((found.high - 3.5 - 2.571 * 1.871 / 6.0_f64.sqrt()).abs() < 0.02, "{found:?}");
        assert_eq!(mean(&[1.0; 5]), None);
    }

    #[test]
    fn what_was_planted_lies_inside_the_interval() {
        let (mut inside, mut of) = (0, 0);
        for seed in 501..504 {
            let players = Players::drawn(Profile::Scholastic, seed, "hands");
            let mut samples = HandSamples::default();
            for (at, game) in games::shipped().iter().take(3).enumerate() {
                let (equipment, id) = (Equipment::default(), format!("m{at}"));
                let played = perform_with(game, &players, &equipment, seed, &id).expect("played");
                samples.follow(&played.header, &played.readings, TrackerConfig::default());
            }
            for (row, planted) in samples.measured().iter().zip(planted(&players)) {
                let Some(found) = row.estimate else { continue };
                of += 1;
                inside += u32::from(found.low <= planted && planted <= found.high);
            }
        }
        assert!(of >= 6 && inside + 1 >= of, "{inside} of {of}");
    }
}
