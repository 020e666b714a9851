//! Days of a hall, as many as there is time for; and proof that they would find what is broken.

use day_sim::{Fault, Plan, Reading, Report, Sabotage, Size, run, run_sabotaged};
use rayon::prelude::*;

/// Days of forty tables and five rounds; unoptimised, as many as `cargo test` has the time for.
const DAYS: u64 = if cfg!(debug_assertions) { 1 } else { 40 };
/// A hall in which everything happens that a sabotage needs.
const SMALL: Size = Size { tables: 20, rounds: 3 };
/// Within so many days each sabotage is found.
const SABOTAGED_DAYS: u64 = if cfg!(debug_assertions) { 6 } else { 30 };

/// Days that found something.
///
/// - 0: a match that was decided without a ply did not end: the next round's games were withheld.
/// - 1: two plies at a board without clocks, put back, were taken for plies: the next game went into their match. A game for fun before a
///   round that was paired in advance moved each later game of its table to the pairing of the round after, and nobody was asked.
/// - 2: a notice of play that is not followed stayed until the next round.
const FAILED_ONCE: [u64; 3] = [0, 1, 2];

fn days(seeds: impl ParallelIterator<Item = u64>, size: Size) -> Report {
    let day = |seed| run(&Plan::new(seed, size));
    seeds.map(day).reduce(Report::default, Report::plus)
}

fn assert_as_played(report: &Report) {
    assert!(report.faults.is_empty(), "{report}: {:#?}", report.faults);
    assert!(report.results.0 > 0 && report.games.0 > 0 && report.results.0 == report.results.1);
}

#[test]
fn days_are_recorded_as_they_were_played() {
    let report = days((1_000..1_000 + DAYS).into_par_iter(), Size::default());
    println!("{report}");
    assert_as_played(&report);
}

#[test]
fn days_that_found_something_are_recorded_as_they_were_played() {
    let size = Size { tables: 20, rounds: 5 };
    assert_as_played(&days(FAILED_ONCE.into_par_iter(), size));
}

#[test]
fn a_day_whose_plies_are_read_is_recorded_in_matches_of_their_own() {
    let size = Size { tables: 8, rounds: if cfg!(debug_assertions) { 1 } else { 5 } };
    let report = run(&Plan::drawn(7, size, Reading::Tracker, false));
    println!("{report}");
    let grave = |fault: &&Fault| !matches!(fault, Fault::Split(_));
    assert_eq!(report.faults.iter().find(grave), None, "{report}");
}

#[test]
fn every_sabotage_is_found() {
    let finds = |sabotage: Sabotage, seed: u64| {
        let faults = run_sabotaged(&Plan::new(seed, SMALL), sabotage).faults;
        !faults.is_empty()
    };
    let is_missed = |sabotage: &&Sabotage| !(0..SABOTAGED_DAYS).any(|seed| finds(**sabotage, seed));
    let missed: Vec<_> = Sabotage::ALL.par_iter().filter(is_missed).collect();
    assert!(missed.is_empty(), "not found within {SABOTAGED_DAYS} days: {missed:?}");
}

#[test]
fn a_day_is_the_same_whenever_it_happens() {
    let size = Size { tables: 6, rounds: 2 };
    let [one, other] = [(), ()].map(|()| run(&Plan::new(3, size)));
    assert_eq!(one, other);
}
