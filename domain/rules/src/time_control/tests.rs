//! Unit tests of time controls.

use proptest::prelude::*;

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
fn kind_of_a_delay_of_nothing_makes_no_difference() {
    let whole = vec![Period { base_s: 300, moves: None }];
    let control = TimeControl::new(whole, 0, 0, DelayKind::Bronstein);
    assert_eq!(control, TimeControl::sudden_death(300, 0));
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
        (r#"{"periods":[{"base_s":60}],"increment_s":3601}"#, "(increment) of 3601 s"),
        (r#"{"periods":[{"base_s":60}],"delay_s":3601}"#, "(delay) of 3601 s"),
        (r#"{"periods":[{"base_s":60}],"delay_s":2,"increment_s":2}"#, "exclude each other"),
        (r#"{"periods":[{"base_s":60}],"bonus_s":2}"#, "bonus_s"),
        (r#"{"periods":[{"base_s":60,"increment_s":2}]}"#, "increment_s"),
        (r#"{"periods":[{"base_s":60}],"delay":"fischer"}"#, "fischer"),
    ] {
        let message = from_json(text).expect_err(text);
        assert!(message.contains(words), "{text}: {message}");
    }
    let nine = vec![Period { base_s: 60, moves: Some(1) }; 9];
    assert_eq!(TimeControl::new(nine, 0, 0, DelayKind::Us), Err(TimeControlError::Periods(9)));
}

#[test]
fn largest_numbers_that_are_allowed_are_allowed() {
    let longest = Period { base_s: MAX_BASE_S, moves: Some(MAX_PERIOD_MOVES) };
    let most = vec![longest; MAX_PERIODS];
    assert!(TimeControl::new(most.clone(), MAX_PER_MOVE_S, 0, DelayKind::Us).is_ok());
    assert!(TimeControl::new(most, 0, MAX_PER_MOVE_S, DelayKind::Bronstein).is_ok());
    let shortest = vec![Period { base_s: 1, moves: Some(1) }];
    assert!(TimeControl::new(shortest, 0, 0, DelayKind::Us).is_ok());
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
fn overlong_pgn_tag_is_not_read() {
    let long = format!("{}300", "0".repeat(200));
    assert!(TimeControl::from_pgn_tag(&long).is_err());
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

fn controls() -> impl Strategy<Value = TimeControl> {
    let early = (1..=MAX_BASE_S, 1..=MAX_PERIOD_MOVES);
    let early = prop::collection::vec(early, 0..MAX_PERIODS);
    let last = (1..=MAX_BASE_S, prop::option::of(1..=MAX_PERIOD_MOVES));
    let per_move = (0..=MAX_PER_MOVE_S, 0..3);
    (early, last, per_move).prop_map(|(early, last, (seconds, kind))| {
        let mut periods: Vec<Period> = early
            .into_iter()
            .map(|(base_s, moves)| Period { base_s, moves: Some(moves) })
            .collect();
        periods.push(Period { base_s: last.0, moves: last.1 });
        let (increment_s, delay_s, delay) = match kind {
            0 => (seconds, 0, DelayKind::Us),
            1 => (0, seconds, DelayKind::Us),
            _ => (0, seconds, DelayKind::Bronstein),
        };
        TimeControl::new(periods, increment_s, delay_s, delay).expect("within bounds")
    })
}

proptest! {
    #[test]
    fn every_time_control_reads_back_from_json(control in controls()) {
        let json = serde_json::to_string(&control).expect("plain fields");
        prop_assert_eq!(from_json(&json), Ok(control));
    }

    #[test]
    fn every_time_control_without_a_delay_reads_back_from_its_pgn_tag(control in controls()) {
        let again = TimeControl::from_pgn_tag(&control.to_pgn_tag());
        if control.delay_s() == 0 {
            prop_assert_eq!(again, Ok(Some(control)));
        } else {
            prop_assert_eq!(again.map(|again| again.map(|again| again.periods)), Ok(Some(control.periods)));
        }
    }

    #[test]
    fn time_is_gained_for_moves_and_periods_and_for_nothing_else(
        control in controls(),
        used_ms in prop::collection::vec(0u64..10_000_000, 0..300),
    ) {
        let (mut gained, mut expected) = (0, 0);
        let (mut period, mut left) = (0, control.periods()[0].moves);
        for (index, &used_ms) in used_ms.iter().enumerate() {
            gained += control.gain_ms(u32::try_from(index).expect("few") + 1, used_ms);
            expected += u64::from(control.increment_s()) * 1_000;
            if control.delay() == DelayKind::Bronstein {
                expected += used_ms.min(u64::from(control.delay_s()) * 1_000);
            }
            // A plain count of the moves of each period.
            left = left.map(|left| left - 1);
            if left == Some(0) {
                period = (period + 1).min(control.periods().len() - 1);
                expected += u64::from(control.periods()[period].base_s) * 1_000;
                left = control.periods()[period].moves;
            }
        }
        prop_assert_eq!(gained, expected);
    }

    #[test]
    fn no_tag_stops_the_reader(text in "[ -~]{0,40}|[0-9/:+]{0,40}") {
        if let Ok(Some(control)) = TimeControl::from_pgn_tag(&text) {
            prop_assert!(control.periods().len() <= MAX_PERIODS);
        }
    }
}
