//! Presses that are forgotten, late, early or doubled, one situation each, with readings written by hand.

mod common;

use common::Table;
use readings::ReadingKind;
use rules::{BoardId, Color, Square};

use BoardId::{A, B};

#[test]
fn a_piece_that_lands_after_the_press_is_published_when_it_is_seen() {
    let mut table = Table::started();
    table.lift(A, Square::G1);
    table.press(A, Color::White);
    table.put(A, Square::F3);
    let seen_us = table.t_us();
    table.now.play(A, "g1f3".parse().expect("a ply"));
    table.wait_ms(5_000);
    table.play(A, "g8f6");
    let tracked = table.track();
    assert_eq!(tracked.moves(A), "g1f3 g8f6");
    let live = tracked.plies(A)[0].live.expect("published");
    assert_eq!((live.uci.to_string().as_str(), live.t_us), ("g1f3", seen_us));
}

#[test]
fn a_forgotten_press_is_found_when_the_next_one_comes() {
    let mut table = Table::started();
    table.hands(A, "e2e4");
    table.hands(A, "e7e5");
    table.play(A, "g1f3");
    table.play_all(A, &["b8c6", "f1b5"]);
    let tracked = table.track();
    assert_eq!(tracked.moves(A), "e2e4 e7e5 g1f3 b8c6 f1b5");
    assert_eq!(tracked.anomalies(), ["missed-press"]);
}

#[test]
fn an_answer_before_the_press_keeps_both_plies() {
    let mut table = Table::started();
    table.hands(A, "e2e4");
    table.hands(A, "e7e5");
    table.press(A, Color::White);
    table.press(A, Color::Black);
    table.play_all(A, &["g1f3", "b8c6"]);
    let tracked = table.track();
    assert_eq!(tracked.moves(A), "e2e4 e7e5 g1f3 b8c6");
    assert_eq!(tracked.anomalies(), ["out-of-turn"]);
}

#[test]
fn a_press_without_a_move_is_reported_and_no_ply_is_made_up() {
    let mut table = Table::started();
    table.play_all(A, &["e2e4", "e7e5"]);
    table.press(A, Color::White);
    table.wait_ms(2_000);
    table.press(A, Color::Black);
    table.play_all(A, &["g1f3", "b8c6"]);
    let tracked = table.track();
    assert_eq!(tracked.moves(A), "e2e4 e7e5 g1f3 b8c6");
    // Neither player had moved when pressing.
    assert_eq!(tracked.anomalies(), ["press-without-move"; 2]);
}

#[test]
fn a_press_seen_only_in_the_display_closes_the_ply() {
    let mut table = Table::started();
    table.hands(A, "e2e4");
    let clock = |running| ReadingKind::Clock { white_ms: 299_000, black_ms: 300_000, running };
    table.read(A, clock(Some(Color::White)));
    table.wait_ms(400);
    table.read(A, clock(Some(Color::Black)));
    table.hands(A, "e7e5");
    table.read(A, clock(Some(Color::White)));
    let tracked = table.track();
    assert_eq!(tracked.moves(A), "e2e4 e7e5");
}

#[test]
fn two_presses_are_forgotten_and_the_answer_comes_before_the_next() {
    let mut table = Table::started();
    for ply in ["e2e4", "d7d5", "b1c3", "g8f6"] {
        table.hands(A, ply);
        table.wait_ms(2_000);
    }
    table.press(A, Color::White);
    assert_eq!(table.track().moves(A), "e2e4 d7d5 b1c3 g8f6");
}

/// A piece set down, the opponent's answer after a while, and the presses: the first so long after the
/// answer, the second so long after the first.
fn answered(thought_ms: u64, first_press_ms: u64, second_press_ms: u64) -> Vec<String> {
    let mut table = Table::started();
    table.play_all(A, &["b1c3", "b8c6", "c3b1", "c6b8"]);
    table.hands(A, "e2e4");
    table.wait_ms(thought_ms);
    table.hands(A, "e7e5");
    table.wait_ms(first_press_ms);
    table.read(A, ReadingKind::Press { by: Color::White });
    table.wait_ms(second_press_ms);
    table.read(A, ReadingKind::Press { by: Color::Black });
    table.play_all(A, &["g1f3", "b8c6"]);
    let tracked = table.track();
    assert!(tracked.moves(A).ends_with("e2e4 e7e5 g1f3 b8c6"), "{}", tracked.moves(A));
    tracked.anomalies()
}

#[test]
fn a_press_that_came_long_after_the_answer_had_been_forgotten() {
    assert_eq!(answered(1_400, 300, 300), ["missed-press"]);
}

#[test]
fn an_answer_just_before_an_ordinary_press_was_out_of_turn() {
    assert_eq!(answered(0, 50, 300), ["out-of-turn"]);
}

#[test]
fn a_piece_that_is_set_down_after_the_press_was_pressed_early() {
    let mut table = Table::started();
    table.play(A, "e2e4");
    table.lift(A, Square::G8);
    table.wait_ms(150);
    table.read(A, ReadingKind::Press { by: Color::Black });
    table.now.play(A, "g8f6".parse().expect("a ply"));
    table.wait_ms(120);
    let reading = Some(readings::SquareReading::Occupied);
    table.read(A, ReadingKind::Square { square: Square::F6, reading, level: None });
    table.play_all(A, &["b1c3", "b8c6"]);
    let tracked = table.track();
    assert_eq!(tracked.moves(A), "e2e4 g8f6 b1c3 b8c6");
    assert_eq!(tracked.anomalies(), ["early-press"]);
}

#[test]
fn a_button_pressed_twice_is_a_double_press_and_no_ply() {
    let mut table = Table::started();
    table.play(A, "e2e4");
    table.wait_ms(500);
    table.press(A, Color::White);
    table.play_all(A, &["e7e5", "g1f3"]);
    let tracked = table.track();
    assert_eq!(tracked.moves(A), "e2e4 e7e5 g1f3");
    assert_eq!(tracked.anomalies(), ["double-press"]);
}

#[test]
fn a_victim_off_the_board_and_a_press_before_the_capturer_leaves_its_square_is_one_capture() {
    let mut table = Table::started();
    table.play_all(A, &["e2e4", "d7d5"]);
    table.lift(A, Square::D5);
    table.wait_ms(200);
    table.read(A, ReadingKind::Press { by: Color::White });
    for (ms, square, occupied) in [(40, Square::E4, false), (180, Square::D5, true)] {
        table.wait_ms(ms);
        let reading = if occupied {
            readings::SquareReading::Occupied
        } else {
            readings::SquareReading::Empty
        };
        table.read(A, ReadingKind::Square { square, reading: Some(reading), level: None });
    }
    table.now.play(A, "e4d5".parse().expect("a ply"));
    table.play_all(A, &["d8d5", "b1c3"]);
    let tracked = table.track();
    assert_eq!(tracked.moves(A), "e2e4 d7d5 e4d5 d8d5 b1c3");
    assert_eq!(tracked.anomalies(), ["early-press"]);
}

#[test]
fn two_plies_nobody_pressed_after_and_an_early_press_are_three_plies() {
    let mut table = Table::started();
    table.play_all(A, &["e2e4", "d7d5"]);
    table.hands(A, "b1c3");
    table.wait_ms(800);
    table.hands(A, "b8c6");
    table.wait_ms(800);
    table.lift(A, Square::E4);
    table.lift(A, Square::D5);
    table.wait_ms(30);
    table.read(A, ReadingKind::Press { by: Color::White });
    table.wait_ms(150);
    let reading = Some(readings::SquareReading::Occupied);
    table.read(A, ReadingKind::Square { square: Square::D5, reading, level: None });
    table.now.play(A, "e4d5".parse().expect("a ply"));
    table.play_all(A, &["d8d5", "c3d5"]);
    assert_eq!(table.track().moves(A), "e2e4 d7d5 b1c3 b8c6 e4d5 d8d5 c3d5");
}

#[test]
fn a_drop_that_lands_after_the_press_may_follow_two_plies_nobody_pressed_after() {
    let mut table = Table::started();
    table.play_all(A, &["e2e4", "d7d5", "e4d5", "d8d5"]);
    // Black on B holds a pawn, White there has one to come.
    table.play(B, "b1c3");
    table.hands(B, "P@e4");
    table.wait_ms(800);
    table.hands(B, "c3e4");
    table.wait_ms(800);
    table.hands(B, "g8f6");
    table.wait_ms(9_000);
    // White drops in the fall of the lever.
    table.read(B, ReadingKind::Press { by: Color::White });
    table.wait_ms(200);
    let reading = Some(readings::SquareReading::Occupied);
    table.read(B, ReadingKind::Square { square: Square::H5, reading, level: None });
    table.now.play(B, "P@h5".parse().expect("a ply"));
    table.wait_ms(2_000);
    table.play_all(B, &["f6e4", "d2d3"]);
    assert_eq!(table.track().moves(B), "b1c3 P@e4 c3e4 g8f6 P@h5 f6e4 d2d3");
}
