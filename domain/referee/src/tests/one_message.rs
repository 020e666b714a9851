//! Flags that the next message of the clock refutes, and results that a scorekeeper enters.

use super::*;

fn reading(white_ms: i64, running: Option<Color>, t_us: u64) -> Input {
    Input::Clock(ClockReading { board: BoardId::A, white_ms, black_ms: 280_000, running, t_us })
}

fn playing() -> MatchUnderTest {
    MatchUnderTest::new()
        .at(0, reading(300_000, None, 0))
        .at(0, Input::Phase(Phase::Playing))
        .at(1_000_000, reading(299_000, Some(Color::White), 1_000_000))
}

fn flag_at(t_us: u64) -> Input {
    Input::Anomaly(AnomalyReport { t_us, confidence: 1.0, ..anomaly(1, "flag-fallen", None) })
}

/// Later, the clocks stand for longer than a result takes to settle.
fn stopped(told: MatchUnderTest, white_ms: i64, t_us: u64) -> MatchUnderTest {
    told.at(t_us, reading(white_ms, None, t_us))
        .at(t_us, Input::Phase(Phase::Paused))
        .at(t_us + 5_000_000, Input::Timeout)
}

#[test]
fn a_flag_that_the_next_reading_refutes_is_taken_back_with_its_result() {
    let told = playing()
        .at(2_000_000, reading(0, Some(Color::White), 2_000_000))
        .at(2_000_000, flag_at(2_000_000))
        .at(2_250_000, reading(297_750, Some(Color::White), 2_250_000));
    assert!(told.standing_alert("flag-fallen").is_none());
    let told = stopped(told, 291_000, 9_000_000);
    assert_eq!(told.referee.proposal(), None);
}

#[test]
fn a_flag_that_no_reading_refutes_stays_down() {
    let told = playing()
        .at(298_000_000, reading(2_000, Some(Color::White), 298_000_000))
        .at(300_000_000, reading(0, Some(Color::White), 300_000_000));
    assert_eq!(told.standing_alert("flag-fallen").expect("an alert").confidence, 1.0);
    let told = stopped(told, 0, 301_000_000);
    assert_eq!(told.referee.proposal().expect("a result").reason, ResultReason::Flag);
}

#[test]
fn clocks_that_are_reset_for_a_new_start_show_no_flag() {
    let told = playing()
        .at(300_000_000, reading(0, Some(Color::White), 300_000_000))
        .at(300_000_000, flag_at(300_000_000));
    let told = stopped(told, 0, 301_000_000)
        .at(
            400_000_000,
            Input::Clock(ClockReading {
                board: BoardId::A,
                white_ms: 300_000,
                black_ms: 280_000,
                running: None,
                t_us: 400_000_000,
            }),
        )
        .at(401_000_000, Input::Phase(Phase::Ready));
    assert!(told.standing_alert("flag-fallen").is_none());
    assert_eq!(told.referee.proposal(), None);
    assert_eq!(told.referee.clock(BoardId::A).expect("a reading").white_ms, 300_000);
}

#[test]
fn a_scorekeeper_enters_a_result_that_others_confirm() {
    let won = crate::act::MatchResult {
        winner: Some(rules::Team::One),
        reason: ResultReason::Resignation,
    };
    let told =
        MatchUnderTest::new().play("A:e2e4").act_by(Role::Scorekeeper, What::EnterResult(won));
    let standing = told.referee.result().expect("a result");
    assert_eq!((standing.is_final(), standing.signed), (false, [false; 2]));
    let mut told = told.act_by(Role::Scorekeeper, What::Confirm);
    assert!(!told.referee.result().expect("a result").is_final());
    let refused = told.drain().into_iter().any(|output| matches!(output, Output::Refused { .. }));
    assert!(refused);
    let told = told.act(What::Confirm);
    assert!(told.referee.is_over());
}
