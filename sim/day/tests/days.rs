//! Days of a hall, as many as there is time for; and proof that they would find what is broken.

mod field;
mod list;

use day_sim::{Plan, Reading, Report, Sabotage, Size, run, run_sabotaged};
use rayon::prelude::*;

/// Days that are played. Some of them found something:
///
/// - 0: a match that was decided without a ply did not end: the next round's games were withheld.
/// - 1: two plies at a board without clocks, put back, were taken for plies: the next game went into their match. A game for fun before a
///   round that was paired in advance moved each later game of its table to the pairing of the round after, and nobody was asked.
///   A clock that was left on when the pieces were set up counted as started: moves before it was really started were not recorded.
/// - 2: a notice of play that is not followed stayed until the next round.
/// - 6: moves without the clock beside a square that sticks were put back, and stayed plies of the game that followed.
/// - 7: pieces that were exchanged while boards without clocks were put back counted as plies.
/// - 8: a table without clocks that had a square that sticks opened no match all day.
/// - 13: moves at the other board put the notice of a forgotten clock off.
const DAYS: [u64; 11] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 13];
const SIZE: Size = Size { tables: 20, rounds: 5 };
/// A hall in which everything happens that a sabotage needs.
const SMALL: Size = Size { tables: 20, rounds: 3 };
/// Within so many days each sabotage is found.
const SABOTAGED_DAYS: u64 = 30;

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
    let report = days(DAYS.into_par_iter(), SIZE);
    println!("{report}");
    assert_as_played(&report);
}

#[test]
fn a_day_whose_plies_are_read_is_recorded_as_it_was_played() {
    let size = Size { tables: 8, rounds: 2 };
    assert_as_played(&run(&Plan::drawn(0, size, Reading::Tracker, false)));
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
