//! Games of chess on one board, one situation each, with readings written by hand.

mod common;

use common::{Table, chess};
use inference::{TrackerConfig, TrackerOutput};
use readings::{ReadingKind, TraceHeader};
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
    assert!(tracked.anomalies().contains(&"setup-wrong".to_owned()), "{:?}", tracked.anomalies());
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
    table.say(A, stopped);
    let tracked = table.track();
    assert_eq!(tracked.moves(A), "e2e4 e7e5 d1h5");
    assert_eq!(tracked.anomalies(), [""; 0]);
}

#[test]
fn readings_of_a_board_without_sensors_are_passed_over() {
    let mut table = played(&["e2e4", "e7e5"]);
    table.say(BoardId::B, ReadingKind::Press { by: Color::Black });
    table.lift(BoardId::B, Square::E2);
    table.put(BoardId::B, Square::E4);
    table.say(BoardId::B, ReadingKind::Press { by: Color::White });
    let tracked = table.track();
    assert_eq!((tracked.moves(A).as_str(), tracked.moves(BoardId::B).as_str()), ("e2e4 e7e5", ""));
}

/// A game in which each player in turn uses so many seconds for each ply, pressing clocks that obey `adds_ms`: what a
/// press of this number adds for its player. Knights go out and back.
fn timed(table: &mut Table, moves: u32, used_ms: i64, mut adds_ms: impl FnMut(u32, i64) -> i64) {
    let plies = [["g1f3", "f3g1"], ["g8f6", "f6g8"]];
    let mut left_ms = table.base_ms();
    for number in 1..=moves {
        for (side, color) in Color::ALL.into_iter().enumerate() {
            let ply = plies[side][(number as usize + 1) % 2];
            let shown_ms = left_ms;
            table.wait_ms(used_ms.unsigned_abs().saturating_sub(900));
            table.hands(A, ply);
            // The display before the press and with it.
            left_ms[side] = shown_ms[side] - used_ms + 300;
            table.show(left_ms, Some(color));
            left_ms[side] -= 300;
            table.press(A, color);
            left_ms[side] += adds_ms(number, used_ms);
            table.show(left_ms, Some(color.other()));
        }
    }
}

#[test]
fn increments_are_no_jumps_and_no_drift() {
    let mut table = Table::chess(INCREMENT);
    timed(&mut table, 30, 1_500, |_, _| 2_000);
    assert_eq!(table.track().anomalies(), [""; 0]);
}

#[test]
fn increment_that_a_time_control_does_not_have_is_a_jump() {
    let mut table = Table::chess(BLITZ);
    timed(&mut table, 4, 1_500, |_, _| 5_000);
    assert!(table.track().anomalies().contains(&"clock-jump".to_owned()));
}

#[test]
fn delay_that_holds_the_clock_is_no_slow_clock() {
    let mut table = Table::chess(r#"{"periods":[{"base_s":300}],"delay_s":5}"#);
    timed(&mut table, 20, 8_000, |_, _| 5_000);
    // The display as shown jumps up with each press: a clock with the US delay never does.
    assert!(table.track().anomalies().contains(&"clock-jump".to_owned()));
    let mut table = Table::chess(r#"{"periods":[{"base_s":300}],"delay_s":5}"#);
    held(&mut table, 20, 8_000, 5_000);
    assert_eq!(table.track().anomalies(), [""; 0]);
}

/// The same on clocks that stand still for the delay first, shown every second.
fn held(table: &mut Table, moves: u32, used_ms: u64, delay_ms: u64) {
    let plies = [["g1f3", "f3g1"], ["g8f6", "f6g8"]];
    let mut left_ms = table.base_ms();
    for number in 1..=moves {
        for (side, color) in Color::ALL.into_iter().enumerate() {
            let before_ms = left_ms[side];
            for passed_ms in (1_000..used_ms - 600).step_by(1_000) {
                table.wait_ms(1_000);
                let gone_ms = passed_ms.saturating_sub(delay_ms);
                left_ms[side] = before_ms - gone_ms.cast_signed();
                table.show(left_ms, Some(color));
            }
            table.hands(A, plies[side][(number as usize + 1) % 2]);
            table.wait_ms(400);
            table.press_now(A, color);
            left_ms[side] = before_ms - (used_ms - delay_ms).cast_signed();
            table.show(left_ms, Some(color.other()));
        }
    }
}

#[test]
fn bronstein_delay_gives_back_at_most_what_was_used() {
    let bronstein = r#"{"periods":[{"base_s":300}],"delay_s":5,"delay":"bronstein"}"#;
    let mut table = Table::chess(bronstein);
    timed(&mut table, 20, 3_000, |_, used_ms| used_ms.min(5_000));
    assert_eq!(table.track().anomalies(), [""; 0]);
    let mut table = Table::chess(bronstein);
    timed(&mut table, 5, 1_000, |_, _| 5_000);
    assert!(table.track().anomalies().contains(&"clock-jump".to_owned()), "more than was used");
}

#[test]
fn second_period_that_begins_with_move_forty_is_no_jump() {
    let mut table = Table::chess(TWO_PERIODS);
    timed(&mut table, 44, 60_000, |number, _| if number == 40 { 1_800_000 } else { 0 });
    assert_eq!(table.track().anomalies(), [""; 0]);
}

#[test]
fn next_period_is_no_slow_clock_where_the_display_is_read_often() {
    let mut table = Table::chess(r#"{"periods":[{"base_s":300,"moves":20},{"base_s":60}]}"#);
    timed(&mut table, 30, 3_000, |number, _| if number == 20 { 60_000 } else { 0 });
    assert_eq!(table.track().anomalies(), [""; 0]);
}

#[test]
fn second_period_that_begins_with_move_ten_is_a_jump() {
    let mut table = Table::chess(TWO_PERIODS);
    timed(&mut table, 12, 60_000, |number, _| if number == 10 { 1_800_000 } else { 0 });
    assert!(table.track().anomalies().contains(&"clock-jump".to_owned()));
}

#[test]
fn end_of_a_period_is_no_fallen_flag_once_its_moves_are_made() {
    let short = r#"{"periods":[{"base_s":60,"moves":5},{"base_s":30}]}"#;
    let ended = |moves: u32| {
        let mut table = Table::chess(short);
        timed(&mut table, moves, 3_000, |_, _| 0);
        let [white_ms, black_ms] = table.shown();
        table.wait_ms(white_ms.unsigned_abs());
        table.show([0, black_ms], Some(Color::White));
        table.wait_ms(500);
        table.show([29_500, black_ms], Some(Color::White));
        table.track().anomalies()
    };
    assert_eq!(ended(6), [""; 0]);
    assert_eq!(ended(1), ["flag-fallen"]);
}

#[test]
fn flag_that_falls_in_the_last_period_is_reported() {
    let mut table = Table::chess(r#"{"periods":[{"base_s":60,"moves":3},{"base_s":30}]}"#);
    timed(&mut table, 5, 2_000, |number, _| if number == 3 { 30_000 } else { 0 });
    let [white_ms, black_ms] = table.shown();
    table.wait_ms(white_ms.unsigned_abs());
    table.show([0, black_ms], Some(Color::White));
    assert_eq!(table.track().anomalies(), ["flag-fallen"]);
}

#[test]
fn clock_is_set_to_the_first_period_with_or_without_what_the_first_move_adds() {
    let set = |time: &str, shown_ms: i64| {
        let mut table = Table::chess_set(time, [shown_ms, 180_000]);
        table.play_all(A, &["e2e4", "e7e5"]);
        table.track().anomalies()
    };
    let bronstein = r#"{"periods":[{"base_s":180}],"delay_s":3,"delay":"bronstein"}"#;
    let held = r#"{"periods":[{"base_s":180}],"delay_s":3,"delay":"us"}"#;
    for (time, shown_ms) in [(INCREMENT, 180_000), (INCREMENT, 182_000), (bronstein, 183_000)] {
        assert_eq!(set(time, shown_ms), [""; 0], "{time}");
    }
    for (time, shown_ms) in [(INCREMENT, 300_000), (held, 183_000)] {
        assert_eq!(set(time, shown_ms), ["clock-set-wrong"], "{time}");
    }
}

#[test]
fn header_without_a_time_control_is_judged_by_its_base_time_and_delay() {
    let header = TraceHeader { time: None, delay_s: 0, ..chess(BLITZ) };
    let mut table = Table::chess(BLITZ);
    timed(&mut table, 6, 1_500, |_, _| 4_500);
    let tracked = common::track(&header, &table.readings, TrackerConfig::default());
    assert!(tracked.anomalies().contains(&"clock-jump".to_owned()));
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
        table.say(A, ReadingKind::Hand { side: Color::White, near: true });
        table.wait_ms(stays_ms);
        table.say(A, ReadingKind::Hand { side: Color::White, near: false });
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
