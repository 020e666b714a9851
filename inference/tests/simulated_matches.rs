//! Whole matches by simulated hands, against what the simulator knows.

mod common;

use common::games;
use inference::{Tracker, TrackerConfig};
use sim::{
    Profile,
    score::{Score, score_match},
};

/// Tracks every `step`th match of a shipped file with simulated players and scores them together.
fn score(profile: Profile, step: usize, seeds: std::ops::RangeInclusive<u64>) -> Score {
    let mut sum = Score::default();
    for (index, game) in games("engine-003.bpgn").iter().enumerate().step_by(step) {
        for seed in seeds.clone() {
            let id = format!("match-{index}-seed-{seed}");
            let performance = sim::perform(game, profile, seed, &id).expect("a playable game");
            let mut tracker = Tracker::new(&performance.header, TrackerConfig::default());
            for reading in &performance.readings {
                tracker.handle(reading);
                while tracker.poll_output().is_some() {}
            }
            tracker.finish();
            let score = score_match(&id, &performance.truth, &tracker.record()).expect("numbers");
            assert_eq!(score.lost.right, 0, "{profile} {id}: lost");
            sum += &score;
        }
    }
    sum
}

fn wrong_per_mille(share: sim::score::Share) -> u64 {
    (share.of - share.right) * 1_000 / share.of.max(1)
}

#[test]
fn ideal_players_are_followed_in_every_square() {
    let score = score(Profile::Ideal, 10, 1..=2);
    assert!(score.squares.end.of > 1_000);
    assert_eq!(score.squares.end.right, score.squares.end.of);
    assert_eq!((score.missed, score.misread, score.invented), (0, 0, 0));
}

#[test]
fn club_players_are_followed_in_nearly_every_square() {
    let score = score(Profile::Club, 8, 1..=2);
    assert!(wrong_per_mille(score.squares.end) <= 3, "{:?}", score.squares.end);
    assert!(wrong_per_mille(score.squares.live) <= 15, "{:?}", score.squares.live);
}

#[test]
fn no_match_of_children_is_lost() {
    let score = score(Profile::Scholastic, 8, 1..=2);
    assert!(wrong_per_mille(score.squares.end) <= 20, "{:?}", score.squares.end);
}

#[test]
fn dropped_types_become_clearer_as_the_match_goes_on() {
    let drops = score(Profile::Ideal, 10, 1..=1).drop_types;
    assert!(drops.live.of > 80);
    assert!(drops.live.right * 2 > drops.live.of, "{drops:?}");
    assert!(drops.end.right >= drops.live.right, "{drops:?}");
}
