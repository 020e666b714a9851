//! What players do beside clean plies, one situation each, with readings written by hand.

mod common;

use common::Table;
use inference::TrackerOutput;
use readings::{InferredLine, ReadingKind, SquareReading};
use rules::{BoardId, Color, Square};

use BoardId::{A, B};

#[test]
fn clean_plies_on_both_boards_are_read_as_they_were_made() {
    let mut table = Table::started();
    table.play_all(A, &["e2e4", "d7d5", "e4d5", "d8d5"]);
    table.play_all(B, &["P@e4", "P@d5"]);
    let tracked = table.track();
    assert_eq!(tracked.moves(A), "e2e4 d7d5 e4d5 d8d5");
    assert_eq!(tracked.moves(B), "P@e4 P@d5");
    assert!(tracked.plies(B).iter().all(|ply| ply.p > 0.99), "only a pawn was held");
    assert_eq!(tracked.anomalies(), [""; 0]);
}

#[test]
fn a_capture_by_silent_exchange_is_told_by_what_follows() {
    let mut table = Table::started();
    table.play_all(A, &["e2e4", "d7d5"]);
    // The pawn goes to d5 so quickly that the square never reads empty.
    table.now.play(A, "e4d5".parse().expect("a ply"));
    table.lift(A, Square::E4);
    table.press(A, Color::White);
    table.wait_ms(1_500);
    table.play_all(A, &["d8d5", "b1c3"]);
    assert_eq!(table.track().moves(A), "e2e4 d7d5 e4d5 d8d5 b1c3");
}

#[test]
fn a_ply_that_seemed_clean_is_doubted_once_what_follows_does_not_fit_it() {
    let mut table = Table::started();
    table.play_all(B, &["e2e4", "d7d5", "e4d5", "g8f6"]);
    table.play_all(A, &["e2e4", "d7d5"]);
    // White takes on d5 without a trace and Black drops in front of the empty e4: together they
    // read like e4e5.
    table.now.play(A, "e4d5".parse().expect("a ply"));
    table.now.play(A, "P@e5".parse().expect("a ply"));
    table.lift(A, Square::E4);
    table.wait_ms(3_000);
    table.put(A, Square::E5);
    table.press(A, Color::White);
    table.press(A, Color::Black);
    table.play_all(A, &["d5d6", "c7d6", "b1c3", "e5e4", "c3e4"]);
    let tracked = table.track();
    assert_eq!(tracked.moves(A), "e2e4 d7d5 e4d5 P@e5 d5d6 c7d6 b1c3 e5e4 c3e4");
    let illegal = |code: &String| code.starts_with("illegal-move");
    assert!(!tracked.anomalies().iter().any(illegal), "{:?}", tracked.anomalies());
}

#[test]
fn a_promoted_pawn_on_its_side_is_there_although_no_reed_sees_it() {
    let mut table = Table::started();
    table.play_all(A, &["h2h4", "g7g5", "h4g5", "h7h6", "g5h6", "a7a6", "h6h7", "a6a5"]);
    // The pawn takes on g8 and lies down; the queen that it is takes the bishop.
    table.now.play(A, "h7g8q".parse().expect("a ply"));
    table.lift(A, Square::G8);
    table.lift(A, Square::H7);
    table.press(A, Color::White);
    table.wait_ms(1_500);
    table.play(A, "a5a4");
    table.now.play(A, "g8f8".parse().expect("a ply"));
    table.lift(A, Square::F8);
    table.press(A, Color::White);
    table.wait_ms(1_500);
    table.play(A, "e8f8");
    let tracked = table.track();
    assert!(tracked.moves(A).ends_with("h7g8q a5a4 g8f8 e8f8"), "{}", tracked.moves(A));
}

#[test]
fn castling_with_king_and_queen_swapped_reveals_the_set_up() {
    let mut table = Table::started();
    table.now = rules::Match::initial();
    // White's king stands on d1: the knight on b1 and the bishop on c1 leave, and it castles short.
    for (from, to, by) in [
        (Square::B1, Square::C3, Color::White),
        (Square::E7, Square::E5, Color::Black),
        (Square::D2, Square::D3, Color::White),
        (Square::D7, Square::D6, Color::Black),
        (Square::C1, Square::E3, Color::White),
        (Square::H7, Square::H6, Color::Black),
    ] {
        table.lift(A, from);
        table.put(A, to);
        table.press(A, by);
    }
    table.lift(A, Square::D1);
    table.put(A, Square::B1);
    table.lift(A, Square::A1);
    table.put(A, Square::C1);
    table.press(A, Color::White);
    let tracked = table.track();
    assert!(tracked.moves(A).ends_with("d1b1"), "{}", tracked.moves(A));
    // Black's too, most likely: the board lies the wrong way round, and nothing Black did says otherwise.
    assert_eq!(tracked.anomalies(), ["setup-wrong king-queen-swapped"; 2]);
}

#[test]
fn a_piece_may_be_dropped_before_its_capture_is_complete() {
    let mut table = Table::started();
    table.play_all(A, &["e2e4", "d7d5"]);
    table.play(B, "a2a3");
    // White takes on A and hands the pawn over; Black drops it on B before White presses.
    table.hands(A, "e4d5");
    table.play(B, "P@e3");
    table.press(A, Color::White);
    table.play_all(A, &["d8d5", "b1c3"]);
    let tracked = table.track();
    assert_eq!(tracked.moves(B), "a2a3 P@e3");
    assert!(tracked.plies(B)[1].p > 0.9, "{:?}", tracked.plies(B)[1]);
    assert_eq!(tracked.moves(A), "e2e4 d7d5 e4d5 d8d5 b1c3");
}

#[test]
fn a_drop_that_is_read_late_was_made_before_a_capture_that_was_pressed_after_it() {
    let mut table = Table::started();
    table.play_all(A, &["e2e4", "d7d5"]);
    table.play(B, "a2a3");
    table.hands(A, "e4d5");
    // Black presses on B before the pawn from A is read, and White presses on A before that is believed.
    table.press(B, Color::Black);
    table.press(A, Color::White);
    table.put(B, Square::E3);
    table.now.play(B, "P@e3".parse().expect("a ply"));
    table.wait_ms(1_500);
    table.play(A, "d8d5");
    table.play(B, "f2e3");
    let tracked = table.track();
    assert_eq!(tracked.moves(B), "a2a3 P@e3 f2e3");
    assert_eq!(tracked.moves(A), "e2e4 d7d5 e4d5 d8d5");
    assert!(!tracked.plies(B)[1].legal, "{:?}", tracked.plies(B)[1]);
    let said = tracked.anomalies();
    assert!(said.iter().any(|code| code == "illegal-move drop-not-in-reserve"), "{said:?}");
}

#[test]
fn an_illegal_ply_stands_and_play_goes_on_from_it() {
    let mut table = Table::started();
    table.play_all(A, &["e2e4", "e7e5", "g1g3", "b8c6", "g3h5", "g7g6", "h5g7"]);
    let tracked = table.track();
    assert_eq!(tracked.moves(A), "e2e4 e7e5 g1g3 b8c6 g3h5 g7g6 h5g7");
    assert_eq!(tracked.anomalies(), ["illegal-move wrong-geometry"]);
    assert!(!tracked.plies(A)[2].legal && tracked.plies(A)[3].legal);
}

#[test]
fn an_illegal_ply_that_is_answered_and_put_back_was_made() {
    let mut table = Table::started();
    table.play(A, "e2e4");
    // Black's pawn goes astray, White answers at once, before the press, and both put their pieces back.
    for (square, reading) in [
        (Square::D7, readings::SquareReading::Empty),
        (Square::C4, readings::SquareReading::Occupied),
        (Square::F1, readings::SquareReading::Empty),
        (Square::E2, readings::SquareReading::Occupied),
    ] {
        table.wait_ms(100);
        table.read(A, ReadingKind::Square { square, reading: Some(reading), level: None });
    }
    table.now.play(A, "d7c4".parse().expect("a ply"));
    table.now.play(A, "f1e2".parse().expect("a ply"));
    table.press(A, Color::Black);
    table.lift(A, Square::C4);
    table.press(A, Color::White);
    table.put(A, Square::D7);
    table.now.play(A, "c4d7".parse().expect("a ply"));
    table.press(A, Color::Black);
    table.play_all(A, &["e2f1", "e7e5", "g1f3", "b8c6"]);
    let tracked = table.track();
    assert_eq!(tracked.moves(A), "e2e4 d7c4 f1e2 c4d7 e2f1 e7e5 g1f3 b8c6");
    let illegal = |code: &&String| code.starts_with("illegal-move wrong-geometry");
    assert_eq!(tracked.anomalies().iter().filter(illegal).count(), 2);
}

#[test]
fn pieces_knocked_over_and_put_back_are_no_plies() {
    let mut table = Table::started();
    table.play(A, "e2e4");
    table.lift(A, Square::E7);
    for square in [Square::F7, Square::F8, Square::G8] {
        table.lift(A, square);
    }
    table.put(A, Square::E5);
    table.put(A, Square::G6);
    table.lift(A, Square::G6);
    for square in [Square::F7, Square::F8, Square::G8] {
        table.put(A, square);
    }
    table.press(A, Color::Black);
    table.now.play(A, "e7e5".parse().expect("a ply"));
    table.play_all(A, &["g1f3", "g8f6"]);
    assert_eq!(table.track().moves(A), "e2e4 e7e5 g1f3 g8f6");
}

#[test]
fn a_fallen_flag_is_reported_once() {
    let mut table = Table::started();
    table.play(A, "e2e4");
    for white_ms in [120, 0, 0] {
        table.wait_ms(1_000);
        let running = Some(Color::White);
        table.read(A, ReadingKind::Clock { white_ms, black_ms: 9_000, running });
    }
    let flags: Vec<String> =
        table.track().anomalies().into_iter().filter(|code| code == "flag-fallen").collect();
    assert_eq!(flags, ["flag-fallen"]);
}

#[test]
fn pieces_taken_off_for_good_are_found_missing_and_the_match_goes_on() {
    let mut table = Table::started();
    table.play_all(A, &["e2e4", "e7e5"]);
    table.lift(A, Square::A8);
    table.lift(A, Square::H8);
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"];
    for _ in 0..4 {
        table.play_all(A, &shuffle);
    }
    let tracked = table.track();
    let reanchored = tracked
        .outputs
        .iter()
        .any(|output| matches!(output, TrackerOutput::Reanchored { board: BoardId::A, .. }));
    assert!(reanchored);
    let expected = [["e2e4", "e7e5"].as_slice(), &shuffle.repeat(4)].concat().join(" ");
    assert_eq!(tracked.moves(A), expected);
}

#[test]
fn a_piece_whose_contact_failed_long_ago_still_moves() {
    let mut table = Table::started();
    table.lift(A, Square::G8);
    let shuffle = ["b1c3", "b8c6", "c3b1", "c6b8"];
    for _ in 0..3 {
        table.play_all(A, &shuffle);
    }
    table.play_all(A, &["a2a3"]);
    table.put(A, Square::F6);
    table.press(A, Color::Black);
    let tracked = table.track();
    assert!(tracked.moves(A).ends_with("a2a3 g8f6"), "{}", tracked.moves(A));
}

#[test]
fn the_most_uncertain_plies_become_questions() {
    let mut table = Table::started();
    table.play_all(A, &["e2e4", "d7d5", "e4d5", "g8f6", "b1c3", "f6d5", "c3d5"]);
    table.play_all(B, &["a2a3", "P@e3"]);
    let tracked = table.track();
    let questions: Vec<_> = tracked
        .lines
        .iter()
        .filter_map(|line| match line {
            InferredLine::Question(question) => Some(question),
            _ => None,
        })
        .collect();
    let [question] = questions.as_slice() else { panic!("{questions:?}") };
    let sum: f64 = question.candidates.iter().map(|candidate| candidate.p).sum();
    assert!(question.candidates.len() == 2 && sum <= 1.0 + 1e-9, "{question:?}");
}

#[test]
fn a_whole_record_looks_like_this() {
    let mut table = Table::started();
    table.play_all(A, &["e2e4", "d7d5", "e4d5", "g8f6", "b1c3", "f6d5", "c3d5"]);
    table.play_all(B, &["a2a3", "N@e3", "d2e3", "P@d2"]);
    let text = readings::write_lines(&table.track().lines).expect("numbers");
    insta::assert_snapshot!(text);
}

#[test]
fn a_match_started_over_from_the_set_up_has_a_record_of_its_own() {
    let mut table = Table::started();
    table.play_all(A, &["e2e4", "e7e5"]);
    table.play(B, "d2d4");
    let full = ReadingKind::Clock { white_ms: 300_000, black_ms: 300_000, running: None };
    for board in [A, B] {
        let stopped = ReadingKind::Clock { white_ms: 297_000, black_ms: 298_000, running: None };
        table.read(board, stopped);
    }
    for (board, from, to) in
        [(A, Square::E4, Square::E2), (A, Square::E5, Square::E7), (B, Square::D4, Square::D2)]
    {
        table.lift(board, from);
        table.put(board, to);
    }
    for board in [A, B] {
        table.read(board, full.clone());
    }
    table.now = rules::Match::initial();
    for board in [A, B] {
        table.press(board, Color::Black);
    }
    table.play_all(A, &["g1f3", "b8c6"]);
    table.play(B, "c2c4");
    let tracked = table.track();
    assert_eq!((tracked.moves(A).as_str(), tracked.moves(B).as_str()), ("g1f3 b8c6", "c2c4"));
    assert_eq!(tracked.anomalies(), [""; 0]);
}

#[test]
fn a_clock_stopped_in_the_middle_of_a_game_is_no_restart() {
    let mut table = Table::started();
    table.play_all(A, &["e2e4", "e7e5"]);
    table.play(B, "d2d4");
    for running in [None, Some(Color::White)] {
        table.wait_ms(1_000);
        table.read(A, ReadingKind::Clock { white_ms: 297_000, black_ms: 298_000, running });
    }
    table.play_all(A, &["g1f3", "b8c6"]);
    let tracked = table.track();
    assert_eq!(tracked.moves(A), "e2e4 e7e5 g1f3 b8c6");
}

#[test]
fn a_ply_taken_back_before_the_press_leaves_only_the_one_that_was_pressed() {
    let mut table = Table::started();
    for (from, to) in [(Square::E2, Square::E4), (Square::E4, Square::E2)] {
        table.lift(A, from);
        table.put(A, to);
        table.wait_ms(700);
    }
    table.play_all(A, &["d2d4", "d7d5"]);
    assert_eq!(table.track().moves(A), "d2d4 d7d5");
}

#[test]
fn a_game_begun_anew_leaves_the_stopped_game_of_the_other_board_alone() {
    let mut table = Table::started();
    table.play(A, "e2e4");
    table.play_all(B, &["d2d4", "d7d5", "c2c4"]);
    let full = ReadingKind::Clock { white_ms: 300_000, black_ms: 300_000, running: None };
    let stopped = ReadingKind::Clock { white_ms: 290_000, black_ms: 291_000, running: None };
    table.read(A, stopped.clone());
    table.read(B, stopped);
    table.lift(A, Square::E4);
    table.put(A, Square::E2);
    table.read(A, full);
    table.press(A, Color::Black);
    let tracked = table.track();
    assert_eq!(tracked.moves(B), "d2d4 d7d5 c2c4");
}

#[test]
fn a_contact_that_chatters_for_minutes_does_not_take_back_what_was_found_before() {
    let mut table = Table::started();
    table.play_all(A, &["e2e4", "e7e5"]);
    table.lift(A, Square::B1);
    table.wait_ms(900);
    table.put(A, Square::B1);
    table.play_all(A, &["g1f3", "b8c6", "f1c4", "f8c5"]);
    let reported = |tracked: &common::Tracked| {
        tracked.anomalies().iter().filter(|code| *code == "touch-move").count()
    };
    assert_eq!(reported(&table.track()), 1);
    for change in 0..5_000 {
        table.wait_ms(25);
        let reading = if change % 2 == 0 { SquareReading::Empty } else { SquareReading::Occupied };
        let kind = ReadingKind::Square { square: Square::H1, reading: Some(reading), level: None };
        table.read(A, kind);
    }
    table.play(A, "e1g1");
    assert_eq!(reported(&table.track()), 1);
}
