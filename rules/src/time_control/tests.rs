//! Unit tests of time controls.

use super::*;

fn from_json(text: &str) -> Result<TimeControl, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

fn two_periods() -> TimeControl {
    let periods =
        vec![Period { base_s: 5_400, moves: Some(40) }, Period { base_s: 1_800, moves: None }];
    TimeControl::new(periods, 30, 0, DelayKind::Us).expect("a time control")
}

#[test]
fn time_control_is_read_and_written_in_the_shape_of_a_trace_header() {
    for text in [
        r#"{"periods":[{"base_s":5400,"moves":40},{"base_s":1800}],"increment_s":1}"#,
        r#"{"periods":[{"base_s":300}],"delay_s":5,"delay":"us"}"#,
        r#"{"periods":[{"base_s":300}],"delay_s":5,"delay":"bronstein"}"#,
        r#"{"periods":[{"base_s":300}]}"#,
    ] {
        let control = from_json(text).expect("a time control");
        assert_eq!(serde_json::to_string(&control).expect("plain fields"), text);
    }
}

#[test]
fn delay_of_no_stated_kind_is_of_the_us_kind() {
    let control = from_json(r#"{"periods":[{"base_s":300}],"delay_s":5}"#).expect("a time control");
    assert_eq!(Ok(control), TimeControl::sudden_death(300, 5));
}

#[test]
fn error_says_which_period_is_wrong_and_what_is_expected() {
    for (text, words) in [
        (r#"{"periods":[]}"#, "at least one period"),
        (r#"{"periods":[{"base_s":300},{"base_s":60}]}"#, "period 1 has no number of moves"),
        (r#"{"periods":[{"base_s":300,"moves":0}]}"#, "period 1 asks for 0 moves"),
        (r#"{"periods":[{"base_s":300,"moves":1001}]}"#, "expected 1 to 1000"),
        (r#"{"periods":[{"base_s":0}]}"#, "base time of 0 s"),
        (r#"{"periods":[{"base_s":86401}]}"#, "at most 86400 s"),
        (r#"{"periods":[{"base_s":60}],"increment_s":3601}"#, "increment of 3601 s"),
        (r#"{"periods":[{"base_s":60}],"delay_s":3601}"#, "delay of 3601 s"),
        (r#"{"periods":[{"base_s":60}],"delay_s":2,"increment_s":2}"#, "exclude each other"),
        (r#"{"periods":[{"base_s":60}],"bonus_s":2}"#, "bonus_s"),
        (r#"{"periods":[{"base_s":60}],"delay":"fischer"}"#, "fischer"),
    ] {
        let message = from_json(text).expect_err(text);
        assert!(message.contains(words), "{text}: {message}");
    }
    let nine = vec![Period { base_s: 60, moves: Some(1) }; 9];
    assert_eq!(TimeControl::new(nine, 0, 0, DelayKind::Us), Err(TimeControlError::Periods(9)));
}

#[test]
fn increment_alone_is_time_enough() {
    assert!(TimeControl::fischer(0, 2).is_ok());
    assert!(TimeControl::fischer(0, 0).is_err());
}

#[test]
fn pgn_tag_reads_periods_and_increments() {
    let read = |text| TimeControl::from_pgn_tag(text).expect(text);
    assert_eq!(read("180+1"), TimeControl::fischer(180, 1).ok());
    assert_eq!(read("300"), TimeControl::sudden_death(300, 0).ok());
    assert_eq!(read("40/5400+30:1800+30"), Some(two_periods()));
    assert_eq!(read("40/5400+30:1800"), Some(two_periods()));
    assert_eq!((read("?"), read("-"), read("")), (None, None, None));
}

#[test]
fn pgn_tag_is_written_with_the_increment_of_every_period() {
    assert_eq!(two_periods().to_pgn_tag(), "40/5400+30:1800+30");
    assert_eq!(TimeControl::fischer(180, 1).expect("bounds").to_pgn_tag(), "180+1");
    assert_eq!(TimeControl::sudden_death(300, 5).expect("bounds").to_pgn_tag(), "300");
}

#[test]
fn pgn_tag_that_makes_no_sense_is_quoted_in_the_error() {
    for text in ["*180", "3+x", "40/", "+5", "300:", "-5", "99999999999", "G/5;d5"] {
        let message = TimeControl::from_pgn_tag(text).expect_err(text).to_string();
        let part = text.split(':').next_back().unwrap_or_default();
        assert!(message.contains(part), "{text}: {message}");
    }
    let different = TimeControl::from_pgn_tag("40/5400+30:1800+10").unwrap_err();
    assert!(matches!(different, TimeControlError::Increments(_)), "{different}");
    assert!(TimeControl::from_pgn_tag("40/5400:1800+10").is_err());
}

#[test]
fn increment_is_gained_by_every_move_however_quick() {
    let control = TimeControl::fischer(180, 2).expect("bounds");
    assert_eq!([0, 500, 90_000].map(|used_ms| control.gain_ms(1, used_ms)), [2_000; 3]);
}

#[test]
fn bronstein_delay_gives_back_no_more_than_was_used() {
    let whole = vec![Period { base_s: 300, moves: None }];
    let control = TimeControl::new(whole, 0, 5, DelayKind::Bronstein).expect("bounds");
    assert_eq!([0, 1_200, 60_000].map(|used_ms| control.gain_ms(7, used_ms)), [0, 1_200, 5_000]);
}

#[test]
fn us_delay_never_raises_a_clock() {
    let control = TimeControl::sudden_death(300, 5).expect("bounds");
    assert!((1..200).all(|number| control.gain_ms(number, 60_000) == 0));
}

#[test]
fn next_period_begins_with_the_last_move_of_the_one_before() {
    let control = two_periods();
    let gains: Vec<u32> = (1..=200).filter(|&number| control.period_gain_ms(number) > 0).collect();
    assert_eq!(gains, [40]);
    assert_eq!(control.gain_ms(40, 0), 1_800_000 + 30_000);
}

#[test]
fn last_period_with_a_number_of_moves_is_played_again() {
    let periods =
        [(7_200, 40), (3_600, 20)].map(|(base_s, moves)| Period { base_s, moves: Some(moves) });
    let control = TimeControl::new(periods.to_vec(), 0, 0, DelayKind::Us).expect("bounds");
    let gains: Vec<u32> = (1..=100).filter(|&number| control.gain_ms(number, 0) > 0).collect();
    assert_eq!(gains, [40, 60, 80, 100]);
    assert_eq!(control.gain_at_zero_ms(5), Some(3_600_000));
}

#[test]
fn zero_is_a_fallen_flag_in_a_period_without_a_number_of_moves_only() {
    let control = two_periods();
    assert_eq!((control.gain_at_zero_ms(0), control.gain_at_zero_ms(1)), (Some(1_800_000), None));
    assert_eq!(control.start_ms(), 5_400_000);
}
