//! Clocks that add, wait or begin another period.

use inference::TrackerConfig;
use readings::TraceHeader;
use rules::{BoardId::A, Color};

use super::{
    BLITZ, INCREMENT, TWO_PERIODS,
    common::{self, Table, chess},
};

/// A game in which each player in turn uses so many seconds for each ply, pressing clocks that obey
/// `adds_ms`: what a press of this number adds for its player. Knights go out and back.
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
