//! How well anybody could tell an early press of a *drop* from a drop whose contact closes late, on boards without trays: the
//! small case of one drop and one press, by the simulator's own rates and times, judged by somebody who knows all of them and the
//! player's pace. Nothing but when the square was read after the press, and how far the clock is, speaks for either.
//!
//!     cargo run --release -p sim --example early_press_limit -- GAMES.bpgn [--players scholastic] [--draws 1000000] [--seed 1]
//!
//! Ordered by its odds, such a judge's reports are the best there can be at every number of false alarms (Neyman and Pearson
//! 1933). Early presses of moves, which have a lift that tells, are taken to be all found, without a false alarm.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::Parser;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Ply, Square, bpgn};
use sim::{
    Profile,
    profile::{Behaviour, PERSON_SHARE},
    times,
};

#[derive(Parser)]
struct Arguments {
    /// Recorded games in BPGN: how often what is dropped where.
    games: PathBuf,
    /// Who plays: club or scholastic.
    #[arg(long, default_value = "scholastic")]
    players: Profile,
    /// Drops drawn of each kind.
    #[arg(long, default_value_t = 1_000_000)]
    draws: u32,
    /// Seed of the draws.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// An early press comes so long before the piece lands, milliseconds.
const EARLY_MS: (f64, f64) = as_ms(times::EARLY_PRESS_MS);
/// A piece off centre is read so late, milliseconds, if it does not flicker.
const LATE_MS: (f64, f64) = as_ms(times::OFF_CENTRE_MS);
/// The other hand presses so long after the landing, milliseconds.
const OTHER_HAND_MS: (f64, f64) = as_ms(times::OTHER_HAND_MS);
/// From landing a piece to letting go, milliseconds.
const RELEASE_MS: f64 = times::GRASP_US as f64 / 1_000.0;

/// One kind of players' rates.
struct Rates {
    early: f64,
    late: f64,
    other_hand: f64,
    /// Spread of travel times between persons, and of one person's.
    spread: (f64, f64),
}

/// Where a piece is dropped, and by whom.
struct Drop {
    /// The way to the clock of an average hand, milliseconds.
    way_ms: f64,
    /// This player's times relative to the average, less 1.
    person: f64,
}

fn main() -> Result<()> {
    let Arguments { games, players, draws, seed } = Arguments::parse();
    ensure!(draws > 0, "nothing is to be drawn");
    let bytes = std::fs::read(&games).with_context(|| games.display().to_string())?;
    let games: Vec<_> = bpgn::read(&bytes).into_iter().filter_map(Result::ok).collect();
    let plies: usize = games.iter().map(|game| game.plies.len()).sum();
    let squares: Vec<Square> = games
        .iter()
        .flat_map(|game| &game.plies)
        .filter_map(|ply| match ply.ply {
            Ply::Drop { to, .. } => Some(to),
            Ply::Move { .. } => None,
        })
        .collect();
    ensure!(!squares.is_empty(), "no drop in these games");
    let rates = Rates::of(players);
    ensure!(rates.early > 0.0, "{players} players never press early");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut early = Vec::new();
    let mut stood = Vec::new();
    for _ in 0..draws {
        let drop = rates.drop(&squares, &mut rng);
        let landed_ms = even(EARLY_MS, &mut rng);
        let is_late = rng.random_bool(rates.late);
        let read_ms = landed_ms + if is_late { even(LATE_MS, &mut rng) } else { 0.0 };
        early.push(rates.probability(&drop, read_ms));
        let drop = rates.drop(&squares, &mut rng);
        let read_ms = even(LATE_MS, &mut rng) - rates.press_ms(&drop, &mut rng);
        if read_ms > 0.0 {
            stood.push(rates.probability(&drop, read_ms));
        }
    }
    early.sort_by(f64::total_cmp);
    stood.sort_by(f64::total_cmp);
    let matches = games.len() as f64;
    let drops = squares.len() as f64 / matches;
    let moves = plies as f64 / matches - drops;
    println!(
        "{matches} games, {drops:.1} drops and {moves:.1} moves each; {draws} draws, seed {seed}"
    );
    println!("reports   recall of drops   recall of all   false alarms a match");
    for percent in [100, 95, 90, 85, 80, 75, 70, 65, 60, 55, 50, 40, 30, 20] {
        // The reports of highest odds, so many of those on early presses.
        let at = early.len() - early.len() * percent / 100;
        let threshold = early[at.min(early.len() - 1)];
        // Where many are as likely, the same part of both kinds is taken.
        let (above, ties) = above(&early, threshold);
        let part = (early.len() * percent / 100 - above) as f64 / ties.max(1) as f64;
        let (above, ties) = self::above(&stood, threshold);
        let false_alarms = (above as f64 + part * ties as f64) / f64::from(draws);
        let found = percent as f64 / 100.0;
        println!(
            "from {threshold:.3}   {found:.2}   {:.3}   {:.3}",
            (moves + drops * found) / (moves + drops),
            false_alarms * drops * (1.0 - rates.early) * rates.late,
        );
    }
    Ok(())
}

/// How many of ascending numbers are above a threshold by more than rounding, and how many are about at it.
fn above(sorted: &[f64], threshold: f64) -> (usize, usize) {
    let from = sorted.partition_point(|&p| p < threshold - 1e-9);
    let above = sorted.partition_point(|&p| p <= threshold + 1e-9);
    (sorted.len() - above, above - from)
}

impl Rates {
    fn of(players: Profile) -> Rates {
        let spread = players.rate(Behaviour::TravelSpread);
        Rates {
            early: players.rate(Behaviour::EarlyPress),
            late: times::READ_LATE_SHARE * players.rate(Behaviour::OffCentre),
            other_hand: players.rate(Behaviour::OtherHand),
            spread: (spread * PERSON_SHARE.sqrt(), spread * (1.0 - PERSON_SHARE).sqrt()),
        }
    }

    fn drop(&self, squares: &[Square], rng: &mut ChaCha8Rng) -> Drop {
        let square = squares[rng.random_range(0..squares.len())];
        let way_ms = times::mean_way_to_clock_us(square) / 1_000.0;
        Drop { way_ms, person: self.spread.0 * normal(rng) }
    }

    /// From landing the piece to the press, where that is not early.
    fn press_ms(&self, drop: &Drop, rng: &mut ChaCha8Rng) -> f64 {
        if rng.random_bool(self.other_hand) {
            return even(OTHER_HAND_MS, rng);
        }
        let factor = 1.0 + drop.person + self.spread.1 * normal(rng);
        RELEASE_MS + drop.way_ms * factor.clamp(times::FASTEST, times::SLOWEST)
    }

    /// Probability that the press of a piece that was read so long after it was early.
    fn probability(&self, drop: &Drop, read_ms: f64) -> f64 {
        let per_ms = |(least, most): (f64, f64)| 1.0 / (most - least);
        let within = |ms: f64, (least, most): (f64, f64)| ms.clamp(least, most);
        let at_once = if within(read_ms, EARLY_MS) == read_ms { per_ms(EARLY_MS) } else { 0.0 };
        // Early, and read late besides.
        let overlap = within(read_ms - LATE_MS.0, EARLY_MS) - within(read_ms - LATE_MS.1, EARLY_MS);
        let late = overlap * per_ms(EARLY_MS) * per_ms(LATE_MS);
        let early = self.early * ((1.0 - self.late) * at_once + self.late * late);
        // It stood when the press came, which was within these times of its landing.
        let (from, to) = ((LATE_MS.0 - read_ms).max(0.0), LATE_MS.1 - read_ms);
        let (mean, spread) =
            (RELEASE_MS + drop.way_ms * (1.0 + drop.person), drop.way_ms * self.spread.1);
        let own = below((to - mean) / spread) - below((from - mean) / spread);
        let other =
            (within(to, OTHER_HAND_MS) - within(from, OTHER_HAND_MS)) * per_ms(OTHER_HAND_MS);
        let pressed = (1.0 - self.other_hand) * own + self.other_hand * other;
        let stood = (1.0 - self.early) * self.late * pressed.max(0.0) * per_ms(LATE_MS);
        if early > 0.0 { early / (early + stood) } else { 0.0 }
    }
}

const fn as_ms((least, most): (u64, u64)) -> (f64, f64) {
    (least as f64, most as f64)
}

fn even((least, most): (f64, f64), rng: &mut ChaCha8Rng) -> f64 {
    rng.random_range(least..most)
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let (radius, angle): (f64, f64) = (1.0 - rng.random::<f64>(), rng.random());
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

/// The standard normal distribution function.
fn below(z: f64) -> f64 {
    0.5 * libm::erfc(-z / std::f64::consts::SQRT_2)
}
