//! Splits, intervals, sums and the document.

use proptest::prelude::*;

use super::{
    Contender, Figure, Folds, Interval, Matrix, Mind, PART_BEGINS, PART_ENDS, Provenance, Row,
    Setting, files, fill, fill_part, fixed_part, part_of, with_part,
};
use crate::{Equipment, Profile, RecordedGame, games, score::Share};

proptest! {
    #[test]
    fn every_game_is_in_one_fold_and_folds_differ_by_at_most_one_game(
        games in 1_usize..200,
        count in 1_usize..12,
    ) {
        let folds = Folds::new(games, count);
        let sizes: Vec<usize> = (0..folds.count())
            .map(|fold| (0..games).filter(|&game| folds.of(game) == fold).count())
            .collect();
        prop_assert_eq!(sizes.iter().sum::<usize>(), games);
        let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
        prop_assert!(most - least <= 1, "{sizes:?}");
    }

    #[test]
    fn no_game_is_learnt_from_for_the_fold_it_is_judged_in(games in 2_usize..100, count in 2_usize..8) {
        let folds = Folds::new(games, count);
        for fold in 0..folds.count() {
            let learnt: Vec<usize> = folds.outside(fold).collect();
            prop_assert!(learnt.iter().all(|&game| folds.of(game) != fold));
            let judged = (0..games).filter(|&game| folds.of(game) == fold).count();
            prop_assert_eq!(learnt.len() + judged, games);
        }
    }

    #[test]
    fn an_interval_holds_the_share_it_is_of(
        games in prop::collection::vec((0_u64..=20, 1_u64..=20), 1..40),
    ) {
        let games: Vec<Share> =
            games.into_iter().map(|(right, of)| Share { right: right.min(of), of }).collect();
        let mut sum = Share::default();
        for game in &games {
            sum += *game;
        }
        let interval = Interval::over_games(&games, 1).unwrap();
        let value = sum.value().unwrap();
        prop_assert!(interval.low <= value + 1e-12 && value <= interval.high + 1e-12);
        prop_assert!(interval.low >= 0.0 && interval.high <= 1.0);
    }
}

#[test]
fn a_split_is_the_same_on_every_machine() {
    let folds = Folds::new(12, 5);
    let split: Vec<usize> = (0..12).map(|game| folds.of(game)).collect();
    assert_eq!(split, [3, 1, 1, 2, 2, 1, 4, 4, 0, 0, 3, 0]);
}

#[test]
fn games_that_hang_together_make_the_interval_wider_than_their_plies_would() {
    // Half of the games all right, half all wrong: ten games say no more than ten answers.
    let games: Vec<Share> =
        (0..10).map(|game| Share { right: if game % 2 == 0 { 100 } else { 0 }, of: 100 }).collect();
    let interval = Interval::over_games(&games, 1).unwrap();
    // The spread of a share of ten independent answers of which half are right: ± 1.96 × √(0.25 / 10).
    assert!((interval.low - 0.19).abs() < 0.06, "{interval:?}");
    assert!((interval.high - 0.81).abs() < 0.06, "{interval:?}");
}

#[test]
fn where_all_games_agree_one_performance_of_each_is_the_sample() {
    let none_lost = vec![Share { right: 0, of: 10 }; 75];
    let interval = Interval::over_games(&none_lost, 10).unwrap();
    assert!(interval.low < 1e-9);
    assert!((interval.high - 0.0487).abs() < 5e-4, "{interval:?}: Wilson's of 0 in 75, not in 750");
    assert_eq!(Interval::over_games(&[], 1), None);
    assert_eq!(Interval::over_games(&[Share::default()], 1), None);
}

/// Two shipped games, two seeds, the hobby board and the tracker.
fn small_matrix() -> Matrix {
    let shipped: Vec<RecordedGame> = games::shipped()
        .iter()
        .take(2)
        .map(|game| game.try_into().expect("a shipped match can be played"))
        .collect();
    let row = |players, contenders| {
        let setting = Setting { equipment: Equipment::default(), players: Profile::into(players) };
        Row { setting, contenders, asked: vec![1] }
    };
    Matrix {
        folds: Folds::new(shipped.len(), 2),
        games: ["e1", "e2"].map(str::to_owned).into_iter().zip(shipped).collect(),
        rows: vec![row(Profile::Ideal, vec![0, 1]), row(Profile::Scholastic, vec![1])],
        asked_seeds: 1,
        contenders: vec![
            Contender::new("hobby board", Mind::HobbyBoard),
            Contender::new("usual", Mind::Tracker(Vec::new())),
        ],
        seeds: vec![1, 2],
        beam: 64,
    }
}

#[test]
fn cells_are_the_same_in_whatever_order_tasks_are_done() {
    let matrix = small_matrix();
    let measured = |tasks: Vec<(usize, usize)>| {
        let measured = tasks.into_iter().map(|task| (task, matrix.measure(task, || ()).unwrap()));
        matrix.cells(measured.collect(), &[])
    };
    let there = measured(matrix.tasks());
    let back = measured(matrix.tasks().into_iter().rev().collect());
    assert_eq!(fixed_part(&there), fixed_part(&back));
    assert_eq!(there.len(), 3, "the hobby board is measured with ideal players alone");
    assert!(there.iter().all(|cell| cell.total.matches == 4));
    let ideal = &there[1];
    assert_eq!(ideal.figure(Figure::MatchesLost).unwrap().0, Share { right: 0, of: 4 });
    assert_eq!(ideal.figure(Figure::SquaresEnd).unwrap().0.value(), Some(1.0));
    let [one, three, five] = ideal.total.exact_after;
    assert_eq!([one.of, three.of, five.of], [2; 3], "questions are asked with the first seed");
    assert!(five.right >= one.right && five.right >= ideal.total.score.exact.right / 2);
    assert!(ideal.total.memory_bytes > 0);
}

#[test]
fn trackers_are_timed_with_the_first_seed_and_the_hobby_board_is_not() {
    let matrix = small_matrix();
    let timed = std::cell::Cell::new(0);
    let efforts = matrix.time(|| timed.set(timed.get() + 1));
    assert_eq!(timed.get(), matrix.timings());
    assert_eq!(efforts.iter().map(|effort| effort.matches).collect::<Vec<_>>(), [0, 2, 2]);
    let [_, ideal, scholastic] = efforts[..] else { panic!("three columns: {efforts:?}") };
    for effort in [ideal, scholastic] {
        assert!(effort.ms_per_ply() > Some(0.0), "{effort:?}");
        assert!(effort.worst_step_ns > 0 && effort.worst_finish_ns < effort.tracking_ns);
    }
    assert_eq!(matrix.cells(Vec::new(), &efforts)[2].effort, scholastic);
}

#[test]
fn a_template_that_hides_a_section_or_names_none_is_refused() {
    let names = ["command", "data", "contenders", "expect", "missed", "surest", "cost"];
    let whole: String = names.iter().map(|name| format!("{{{{{name}}}}}\n")).collect();
    let provenance =
        Provenance { command: "cargo xtask accuracy".to_owned(), ..Provenance::default() };
    let text = fill(&whole, &provenance, &[]).unwrap();
    assert!(text.starts_with("cargo xtask accuracy\n"), "{text}");
    assert_eq!(fill_part("{{command}}", &provenance, &[]).unwrap(), "cargo xtask accuracy");
    let hidden = fill("{{command}}", &provenance, &[]).unwrap_err();
    assert!(hidden.contains("{{data}}"), "{hidden}");
    let unknown = fill(&format!("{whole}{{{{weather}}}}"), &provenance, &[]).unwrap_err();
    assert!(unknown.contains("weather"), "{unknown}");
}

#[test]
fn a_part_of_the_document_is_replaced_and_the_rest_stays() {
    let document = format!("bughouse\n{PART_BEGINS}\nold\n{PART_ENDS}\nend\n");
    assert_eq!(part_of(&document), Some("old"));
    let new = with_part(&document, "new\n").unwrap();
    assert_eq!(new, format!("bughouse\n{PART_BEGINS}\nnew\n{PART_ENDS}\nend\n"));
    assert!(with_part("no part", "new").unwrap_err().contains(PART_BEGINS));
}

#[test]
fn every_table_is_a_file_of_rows_that_are_as_long_as_the_head() {
    let matrix = small_matrix();
    let measured =
        matrix.tasks().into_iter().map(|task| (task, matrix.measure(task, || ()).unwrap()));
    let cells = matrix.cells(measured.collect(), &[]);
    let provenance = Provenance { main: "usual".to_owned(), ..Provenance::default() };
    let written = files(&provenance, &cells);
    let text = |name: &str| &written.iter().find(|(known, _)| known == name).expect(name).1;
    let counts: Vec<&str> = text("counts.csv").lines().collect();
    assert_eq!(counts.len(), 1 + cells.len());
    assert!(counts[1].starts_with("\"reed, ideal\",hobby board,4,"), "{}", counts[1]);
    let chart = text("exact.svg");
    assert_eq!(chart.matches("<rect").count(), 1, "scholastic players alone: {chart}");
    assert!(text("goals.csv").lines().count() > 1);
}
