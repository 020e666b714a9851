//! Whole matches by simulated hands on boards of every kind, against the simulator's record.

use std::{collections::HashMap, ops::RangeInclusive};

use inference::{AnomalyCode, Tracker, TrackerConfig, TrackerOutput};
use readings::{InferredLine, SensorKind};
use rules::{BoardId, bpgn::BpgnGame};
use sim::{
    Equipment, HandsFrom, Population, Profile, Sensors,
    score::{Score, Share, score_match},
};

/// Bytes that a tracker takes at the most.
const MEMORY_MAX_BYTES: usize = 16 << 20;

/// The games of a file that ships.
fn games(file: &str) -> Vec<BpgnGame> {
    let path = format!("{}/games/{file}", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    rules::bpgn::read(&bytes).into_iter().flatten().collect()
}

/// Tracks every `step`th match of a shipped file on these boards with simulated players and scores them together.
fn score_on(sensors: Sensors, profile: Profile, step: usize, seeds: RangeInclusive<u64>) -> Score {
    let equipment = Equipment { sensors, ..Equipment::default() };
    let mut sum = Score::default();
    for (index, game) in games("engine-003.bpgn").iter().enumerate().step_by(step) {
        for seed in seeds.clone() {
            let id = format!("match-{index}-seed-{seed}");
            let performance = sim::perform_with(game, &profile.into(), &equipment, seed, &id)
                .expect("a playable game");
            let mut tracker = Tracker::new(&performance.header, TrackerConfig::default());
            for reading in &performance.readings {
                tracker.handle(reading);
                while tracker.poll_output().is_some() {}
            }
            tracker.finish();
            let memory = tracker.memory_bytes();
            assert!(memory < MEMORY_MAX_BYTES, "{sensors} {id}: {memory} bytes");
            let score = score_match(&id, &performance.truth, &tracker.record()).expect("numbers");
            assert_eq!(score.lost.right, 0, "{sensors} {profile} {id}: lost");
            sum += &score;
        }
    }
    sum
}

/// The same on reed boards.
fn score(profile: Profile, step: usize, seeds: RangeInclusive<u64>) -> Score {
    score_on(Sensors::default(), profile, step, seeds)
}

fn wrong_per_mille(share: Share) -> u64 {
    assert!(share.of > 80, "too few to say anything: {share:?}");
    (share.of - share.right) * 1_000 / share.of
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
fn what_is_judged_holds_what_was_reported_and_what_was_too_doubtful() {
    let game = games("engine-003.bpgn").into_iter().next().expect("a game");
    let trays: Equipment = "reed+trays".parse().expect("boards");
    let players = Profile::Scholastic.into();
    let performance = sim::perform_with(&game, &players, &trays, 1, "judged").expect("a match");
    let tracker =
        Tracker::over(&performance.header, &performance.readings, TrackerConfig::default());
    let judged = tracker.judged();
    let by_hands = ["early-press", "missed-press", "early-pass", "hidden-piece", "touch-move"];
    let reported: Vec<_> = tracker
        .record()
        .into_iter()
        .filter_map(|line| match line {
            InferredLine::Anomaly(anomaly) if !anomaly.retracted => Some(anomaly),
            _ => None,
        })
        .filter(|anomaly| by_hands.contains(&anomaly.code.as_str()))
        .collect();
    assert!(reported.len() > 5, "{reported:?}");
    for report in &reported {
        let same = judged.iter().find(|finding| {
            (&finding.code, finding.board, finding.side, finding.t_us)
                == (&report.code, report.board, report.side, report.t_us)
        });
        let finding = same.unwrap_or_else(|| panic!("reported and not judged: {report:?}"));
        assert!((finding.confidence - report.confidence).abs() <= 0.01, "{finding:?} {report:?}");
    }
    let doubtful = judged.iter().filter(|finding| finding.confidence < 0.5).count();
    assert!(doubtful > 0, "all of {} findings were reported", judged.len());
}

#[test]
fn dropped_types_become_clearer_as_the_match_goes_on() {
    let drops = score(Profile::Ideal, 10, 1..=1).drop_types;
    assert!(drops.live.of > 80);
    assert!(drops.live.right * 2 > drops.live.of, "{drops:?}");
    assert!(drops.end.right >= drops.live.right, "{drops:?}");
}

#[test]
fn trays_tell_nearly_every_dropped_type() {
    let drops =
        score_on(Sensors::default().with_trays(&BoardId::ALL), Profile::Club, 12, 3..=3).drop_types;
    assert!(wrong_per_mille(drops.live) <= 25, "{drops:?}");
    assert!(wrong_per_mille(drops.end) <= 10, "{drops:?}");
}

#[test]
fn levels_tell_nearly_every_dropped_type_whether_they_are_stated_or_not() {
    for kind in ["hall-magnitude", "hall-magnitude-unstated"] {
        let drops = score_on(kind.parse().expect("a kind"), Profile::Club, 12, 3..=3).drop_types;
        assert!(wrong_per_mille(drops.live) <= 35, "{kind} {drops:?}");
        assert!(wrong_per_mille(drops.end) <= 15, "{kind} {drops:?}");
    }
}

#[test]
fn letters_tell_every_dropped_type_also_of_children() {
    let drops =
        score_on(Sensors::both(SensorKind::PieceId), Profile::Scholastic, 12, 3..=3).drop_types;
    assert!(wrong_per_mille(drops.end) <= 25, "{drops:?}");
}

#[test]
fn a_mix_of_boards_is_followed_in_every_square() {
    let sensors: Sensors = "A=hall-polarity,B=hall-magnitude".parse().expect("a mix");
    let squares = score_on(sensors.with_trays(&[BoardId::A]), Profile::Ideal, 20, 3..=3).squares;
    assert_eq!(squares.end.right, squares.end.of);
}

/// Number of boards of matches in which children play at swapped kings and queens are reported, both sides, at the last reading.
fn swapped_boards_known_live(step: usize, seed: u64) -> (usize, usize) {
    let swapped = Population { profile: Profile::Scholastic, hands: HandsFrom::DrawnSwapped };
    let (mut known, mut boards) = (0, 0);
    for (index, game) in games("engine-003.bpgn").iter().enumerate().step_by(step) {
        let id = format!("match-{index}-seed-{seed}");
        let players = swapped.players(seed, &id);
        let performance = sim::perform_with(game, &players, &Equipment::default(), seed, &id)
            .expect("a playable game");
        let mut tracker = Tracker::new(&performance.header, TrackerConfig::default());
        let mut reported = HashMap::new();
        for reading in &performance.readings {
            tracker.handle(reading);
            while let Some(output) = tracker.poll_output() {
                match output {
                    TrackerOutput::Anomaly(report) if report.code == AnomalyCode::SetupWrong => {
                        reported.insert(report.id, report.board);
                    }
                    TrackerOutput::AnomalyRetracted { id, .. } => {
                        reported.remove(&id);
                    }
                    _ => {}
                }
            }
        }
        for board in BoardId::ALL {
            boards += 1;
            known += usize::from(reported.values().filter(|&&of| of == board).count() == 2);
        }
    }
    (known, boards)
}

#[test]
fn king_and_queen_that_stand_swapped_are_known_before_the_match_is_over() {
    let (known, boards) = swapped_boards_known_live(3, 1);
    assert_eq!(known, boards, "at seed 1");
}
