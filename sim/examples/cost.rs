//! Cost of tracking: plays the games of a BPGN file with simulated hands of every kind and prints the time
//! a ply takes on average, the longest that one reading took and where that was, and the most memory a table had:
//! `cargo run --release -p sim --example cost -- GAMES.bpgn [--seeds 2] [--beam 512]`.
//!
//! Times are those of the processor, so that other work on the machine shows less than on a clock; the end of the
//! match, which is followed once more then, is part of the average and stands apart.

mod common;

use std::{process::ExitCode, time::Duration};

use clap::Parser;
use common::{Matches, Played};
use inference::Tracker;
use nix::{
    sys::time::TimeSpec,
    time::{ClockId, clock_gettime},
};
use readings::{ReadingKind, TruthLine};
use sim::Profile;

/// Cost of tracking, by the kind of players.
#[derive(Debug, Parser)]
struct Arguments {
    /// Its players are passed over: all kinds play.
    #[command(flatten)]
    matches: Matches,
}

fn main() -> ExitCode {
    let mut arguments = Arguments::parse();
    println!("players      plies  ms a ply  of it at the end  most memory kB  longest step ms");
    for profile in Profile::ALL {
        arguments.matches.players = profile.into();
        let costs = match arguments.matches.each(Cost::of) {
            Ok(costs) => costs,
            Err(error) => {
                eprintln!("{error}");
                return ExitCode::FAILURE;
            }
        };
        let mut sum = Cost::default();
        costs.iter().for_each(|cost| sum.add(cost));
        let each = |seconds: f64| 1e3 * seconds / sum.plies.max(1) as f64;
        println!(
            "{:12} {:5}  {:8.3}  {:16.3}  {:14}  {:15.1} {}",
            profile.name(),
            sum.plies,
            each(sum.seconds),
            each(sum.end_seconds),
            sum.most_bytes / 1024,
            1e3 * sum.longest_seconds,
            sum.longest,
        );
    }
    ExitCode::SUCCESS
}

/// Cost of one or several matches.
#[derive(Default)]
struct Cost {
    plies: usize,
    seconds: f64,
    end_seconds: f64,
    longest_seconds: f64,
    /// The match and the reading's time that took the longest.
    longest: String,
    most_bytes: usize,
}

impl Cost {
    fn of(played: &Played) -> Cost {
        let performance = &played.performance;
        let plies = performance.truth.iter().filter(|line| matches!(line, TruthLine::Ply(_)));
        let mut cost = Cost { plies: plies.count(), ..Cost::default() };
        let mut tracker = Tracker::new(&performance.header, played.config.clone());
        let watch = Stopwatch::start();
        for reading in &performance.readings {
            let before = watch.seconds();
            tracker.handle(reading);
            let seconds = watch.seconds() - before;
            if seconds > cost.longest_seconds {
                cost.longest_seconds = seconds;
                cost.longest = format!("({} at {} µs)", played.id, reading.t_us);
            }
            while tracker.poll_output().is_some() {}
            if matches!(reading.kind, ReadingKind::Press { .. }) {
                cost.most_bytes = cost.most_bytes.max(tracker.memory_bytes());
            }
        }
        let end = watch.seconds();
        tracker.finish();
        let lines = tracker.record();
        cost.seconds = watch.seconds();
        cost.end_seconds = cost.seconds - end;
        cost.most_bytes = cost.most_bytes.max(tracker.memory_bytes());
        drop(lines);
        cost
    }

    fn add(&mut self, other: &Cost) {
        self.plies += other.plies;
        self.seconds += other.seconds;
        self.end_seconds += other.end_seconds;
        if other.longest_seconds > self.longest_seconds {
            self.longest_seconds = other.longest_seconds;
            self.longest.clone_from(&other.longest);
        }
        self.most_bytes = self.most_bytes.max(other.most_bytes);
    }
}

/// Time of the processor for this thread.
struct Stopwatch(TimeSpec);

impl Stopwatch {
    fn start() -> Stopwatch {
        Stopwatch(used())
    }

    fn seconds(&self) -> f64 {
        Duration::from(used() - self.0).as_secs_f64()
    }
}

/// Processor time of this thread so far; zero on a system that does not report it.
fn used() -> TimeSpec {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).unwrap_or(TimeSpec::new(0, 0))
}
