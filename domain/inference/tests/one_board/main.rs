//! Games of chess on one board, one situation each, with readings written by hand.

#[path = "../common/mod.rs"]
mod common;
mod time_controls;

use common::Table;
use inference::TrackerOutput;
use readings::ReadingKind;
use rules::{BoardId, Color, Square};

use BoardId::A;

/// Five minutes.
const BLITZ: &str = r#"{"periods":[{"base_s":300}]}"#;
/// Three minutes and two seconds a move.
const INCREMENT: &str = r#"{"periods":[{"base_s":180}],"increment_s":2}"#;
/// An hour and a half for forty moves, then half an hour.
const TWO_PERIODS: &str = r#"{"periods":[{"base_s":5400,"moves":40},{"base_s":1800}]}"#;

/// A game of five minutes with these plies.
fn played(plies: &[&str]) -> Table {
    let mut table = Table::chess(BLITZ);
    table.play_all(A, plies);
    table
}

/// A game in which White is about to promote by taking on g8.
const TO_PROMOTION: [&str; 8] = ["h2h4", "g7g5", "h4g5", "h7h6", "g5h6", "a7a6", "h6h7", "a6a5"];

/// Asserts that these plies are found, each of them nearly certain, and nothing else is noticed.
#[track_caller]
fn assert_found(table: &Table, plies: &str) {
    let tracked = table.track();
    assert_eq!(tracked.moves(A), plies);
    assert_eq!(tracked.anomalies(), [""; 0]);
    let sure = tracked.plies(A).iter().all(|ply| ply.p > 0.95 && ply.legal);
    assert!(sure, "{:?}", tracked.plies(A));
}

#[test]
fn both_sides_castle_on_either_wing() {
    let plies =
        ["e2e4", "d7d5", "g1f3", "b8c6", "f1e2", "c8f5", "e1g1", "d8d6", "h2h3", "e8c8", "a2a3"];
    assert_found(&played(&plies), &plies.join(" "));
}

#[test]
fn pawn_is_taken_in_passing() {
    let plies = ["e2e4", "a7a6", "e4e5", "d7d5", "e5d6", "c7d6"];
    assert_found(&played(&plies), &plies.join(" "));
}

#[test]
fn captures_follow_each_other_on_one_square_and_nothing_is_dropped_after_them() {
    let plies = [
        "e2e4", "d7d5", "e4d5", "d8d5", "b1c3", "d5d8", "g1f3", "g8f6", "f1c4", "c8g4", "h2h3",
        "g4f3", "d1f3", "b8c6", "c4f7", "e8f7",
    ];
    let table = played(&plies);
    assert_found(&table, &plies.join(" "));
}

#[test]
fn piece_that_lands_on_a_free_square_is_never_a_drop() {
    let mut table = played(&["e2e4", "d7d5", "e4d5", "d8d5"]);
    // Somebody puts a taken pawn back on the board.
    table.put(A, Square::E4);
    table.press(A, Color::White);
    table.play_all(A, &["b8c6"]);
    let tracked = table.track();
    assert!(!tracked.moves(A).contains('@'), "{}", tracked.moves(A));
    let drops = tracked.plies(A).into_iter().flat_map(|ply| &ply.alternatives);
    assert_eq!(drops.filter(|other| other.uci.is_drop()).count(), 0);
}

#[test]
fn promoted_pawn_is_replaced_by_a_queen_from_beside_the_board() {
    let mut table = played(&TO_PROMOTION);
    // The pawn takes the knight first, is taken off, and the queen comes.
    table.now.play(A, "h7g8q".parse().expect("a ply"));
    table.lift(A, Square::G8);
    table.lift(A, Square::H7);
    table.put(A, Square::G8);
    table.wait_ms(700);
    table.lift(A, Square::G8);
    table.wait_ms(1_200);
    table.put(A, Square::G8);
    table.press(A, Color::White);
    table.play_all(A, &["b8c6", "g8f8", "e8f8"]);
    let played = [&TO_PROMOTION[..], &["h7g8q", "b8c6", "g8f8", "e8f8"]].concat().join(" ");
    assert_found(&table, &played);
}

#[test]
fn promoted_pawn_may_be_replaced_without_touching_the_last_rank() {
    let mut table = played(&TO_PROMOTION);
    table.play_all(A, &["h7g8q", "b8c6", "g8g3", "c6b4", "g3c7"]);
    let played = [&TO_PROMOTION[..], &["h7g8q", "b8c6", "g8g3", "c6b4", "g3c7"]].concat();
    assert_found(&table, &played.join(" "));
}

#[test]
fn pawn_that_is_replaced_after_the_press_has_promoted() {
    let mut table = played(&TO_PROMOTION);
    table.play(A, "h7g8q");
    table.wait_ms(1_500);
    table.lift(A, Square::G8);
    table.wait_ms(900);
    table.put(A, Square::G8);
    table.wait_ms(1_000);
    table.play_all(A, &["b8c6", "g8f8", "e8f8"]);
    let tracked = table.track();
    let played = [&TO_PROMOTION[..], &["h7g8q", "b8c6", "g8f8", "e8f8"]].concat().join(" ");
    assert_eq!(tracked.moves(A), played);
}

#[test]
fn promotion_to_a_knight_is_told_by_how_it_moves() {
    let mut table = played(&TO_PROMOTION);
    table.play_all(A, &["h7g8n", "b8c6", "g8h6", "c6b4", "h6f5", "b4c6", "f5g3"]);
    let tracked = table.track();
    assert!(tracked.moves(A).contains("h7g8n b8c6 g8h6"), "{}", tracked.moves(A));
    assert_eq!(tracked.anomalies(), [""; 0]);
}

#[test]
fn illegal_ply_stands_and_play_goes_on_from_it() {
    let plies = ["e2e4", "e7e5", "g1g3", "b8c6", "g3h5", "g7g6", "h5g7"];
    let tracked = played(&plies).track();
    assert_eq!(tracked.moves(A), plies.join(" "));
    assert_eq!(tracked.anomalies(), ["illegal-move wrong-geometry"]);
    assert!(!tracked.plies(A)[2].legal && tracked.plies(A)[3].legal);
}

#[test]
fn castling_with_king_and_queen_swapped_reveals_the_set_up() {
    let mut table = Table::chess(BLITZ);
    for (from, to, by) in [
        (Square::B1, Square::C3, Color::White),
        (Square::E7, Square::E5, Color::Black),
        (Square::D2, Square::D3, Color::White),
        (Square::D7, Square::D6, Color::Black),
        (Square::C1, Square::E3, Color::White),
        (Square::H7, Square::H6, Color::Black),
        (Square::D1, Square::B1, Color::White),
    ] {
        table.lift(A, from);
        table.put(A, to);
        if to == Square::B1 {
            table.lift(A, Square::A1);
            table.put(A, Square::C1);
        }
        table.press(A, by);
    }
    let tracked = table.track();
    assert!(tracked.moves(A).ends_with("d1b1"), "{}", tracked.moves(A));
    assert!(
        tracked.anomalies().contains(&"setup-wrong king-queen-swapped".to_owned()),
        "{:?}",
        tracked.anomalies()
    );
}

#[test]
fn pieces_that_were_taken_away_by_mistake_are_found_missing() {
    let mut table = played(&["e2e4", "e7e5"]);
    table.lift(A, Square::A2);
    table.lift(A, Square::H2);
    for plies in [["g1f3", "b8c6"], ["f1c4", "f8c5"], ["c2c3", "g8f6"], ["d2d3", "d7d6"]] {
        table.play_all(A, &plies);
    }
    let tracked = table.track();
    let is_reanchored =
        |output: &&TrackerOutput| matches!(output, TrackerOutput::Reanchored { .. });
    let reanchored = tracked.outputs.iter().filter(is_reanchored);
    assert_eq!(reanchored.count(), 1);
    assert!(tracked.moves(A).ends_with("d2d3 d7d6"), "{}", tracked.moves(A));
}

#[test]
fn game_that_is_resigned_ends_with_the_clock_stopped_and_makes_no_ply() {
    let mut table = played(&["e2e4", "e7e5", "d1h5"]);
    table.wait_ms(2_000);
    // Black tips the king over and stops the clock.
    table.lift(A, Square::E8);
    let stopped = ReadingKind::Clock { white_ms: 298_500, black_ms: 297_500, running: None };
    table.read(A, stopped);
    let tracked = table.track();
    assert_eq!(tracked.moves(A), "e2e4 e7e5 d1h5");
    assert_eq!(tracked.anomalies(), [""; 0]);
}

#[test]
fn readings_of_a_board_without_sensors_are_passed_over() {
    let mut table = played(&["e2e4", "e7e5"]);
    table.read(BoardId::B, ReadingKind::Press { by: Color::Black });
    table.lift(BoardId::B, Square::E2);
    table.put(BoardId::B, Square::E4);
    table.read(BoardId::B, ReadingKind::Press { by: Color::White });
    let tracked = table.track();
    assert_eq!((tracked.moves(A).as_str(), tracked.moves(BoardId::B).as_str()), ("e2e4 e7e5", ""));
}

/// White's third ply after a piece was off its square for so long, at this time control.
fn touched(time: &str, away_ms: u64) -> Vec<String> {
    let mut table = Table::chess(time);
    table.play_all(A, &["e2e4", "e7e5"]);
    table.wait_ms(20_000);
    table.lift(A, Square::B1);
    table.wait_ms(away_ms - 300);
    table.put(A, Square::B1);
    table.wait_ms(5_000);
    table.play_all(A, &["g1f3", "b8c6"]);
    table.track().anomalies()
}

#[test]
fn piece_that_is_adjusted_with_care_is_no_touched_piece_in_a_slow_game() {
    assert_eq!(touched(BLITZ, 700), ["touch-move"]);
    assert_eq!(touched(TWO_PERIODS, 700), [""; 0]);
    assert_eq!(touched(TWO_PERIODS, 3_000), ["touch-move"]);
}

#[test]
fn hand_that_writes_beside_the_clock_does_not_hover_in_a_slow_game() {
    let hovered = |time: &str, stays_ms: u64| {
        let mut table = Table::chess(time);
        table.play(A, "e2e4");
        table.read(A, ReadingKind::Hand { side: Color::White, near: true, from: None });
        table.wait_ms(stays_ms);
        table.read(A, ReadingKind::Hand { side: Color::White, near: false, from: None });
        table.play(A, "e7e5");
        table.track().anomalies()
    };
    assert_eq!(hovered(BLITZ, 6_000), ["clock-hover"]);
    assert_eq!(hovered(TWO_PERIODS, 30_000), [""; 0]);
}

#[test]
fn player_who_thinks_for_half_an_hour_is_nothing_to_speak_of() {
    let mut table = Table::chess(TWO_PERIODS);
    table.play_all(A, &["e2e4", "e7e5", "g1f3"]);
    table.wait_ms(1_800_000);
    table.play_all(A, &["b8c6", "f1b5"]);
    assert_found(&table, "e2e4 e7e5 g1f3 b8c6 f1b5");
}

#[test]
fn each_published_ply_tells_when_it_was_touched_and_released() {
    let mut table = Table::chess(BLITZ);
    table.wait_ms(1_000);
    let begun_us = table.t_us();
    table.play_all(A, &["e2e4", "d7d5"]);
    let took_us = table.t_us();
    table.play(A, "e4d5");
    let tracked = table.track();
    let times = |uci: &str| {
        let of = |output: &TrackerOutput| match output {
            TrackerOutput::Ply(ply) if ply.ply.to_string() == uci => {
                Some((ply.touched_us, ply.released_us))
            }
            _ => None,
        };
        tracked.outputs.iter().rev().find_map(of).expect("it was found")
    };
    assert_eq!(times("e2e4"), (Some(begun_us + 300_000), Some(begun_us + 600_000)));
    assert_eq!(times("e4d5"), (Some(took_us + 300_000), Some(took_us + 900_000)));
}
