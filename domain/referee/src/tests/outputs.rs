//! Outputs of a referee: each change once, for its audience, and none without a change.

use rules::{
    Seat, Team,
    rulebook::{BookId, ClaimKind},
};

use super::*;
use crate::act::{ClaimCall, MatchResult, What};

const BLACK_A: Seat = Seat { board: BoardId::A, color: Color::Black };

fn clock(white_ms: i64, black_ms: i64, running: Option<Color>) -> Input {
    Input::Clock(ClockReading { board: BoardId::A, white_ms, black_ms, running, t_us: 1_000_000 })
}

/// Outputs of one more input.
fn heard(mut told: MatchUnderTest, input: Input) -> Vec<Output> {
    told.drain();
    let mut told = told.tell(input);
    told.drain()
}

fn alerts(outputs: &[Output]) -> Vec<&Alert> {
    let alerts = outputs.iter().filter_map(|output| match output {
        Output::Alert(alert) => Some(alert),
        _ => None,
    });
    alerts.collect()
}

#[test]
fn plies_and_what_is_shown_are_public_and_all_else_is_for_directors() {
    assert!(Output::Plies { from: 0 }.is_public());
    assert!(Output::Shown.is_public());
    assert!(!Output::Proposal(None).is_public());
    assert!(!Output::Result(None).is_public());
}

#[test]
fn a_clock_reading_alone_is_shown_and_is_no_change_of_plies() {
    assert_eq!(heard(MatchUnderTest::new(), clock(9_000, 8_000, None)), [Output::Shown]);
    let told = MatchUnderTest::new().tell(clock(9_000, 8_000, None));
    assert!(heard(told, clock(9_000, 8_000, None)).is_empty(), "the same once more");
}

#[test]
fn a_phase_alone_is_shown() {
    assert_eq!(heard(MatchUnderTest::new(), Input::Phase(Phase::Playing)), [Output::Shown]);
}

#[test]
fn nothing_is_told_when_time_alone_passes() {
    let told = MatchUnderTest::new().play("A:e2e5").tell(Input::Anomaly(anomaly(
        1,
        "touch-move",
        Some(1),
    )));
    let told = told.tell(clock(1_000, 0, Some(Color::White)));
    assert!(heard(told, Input::Timeout).is_empty());
}

#[test]
fn a_silent_alert_is_told_to_directors_and_changes_nothing_public() {
    let told = MatchUnderTest::under(BookId::NcBughouse).play("A:e2e4");
    let outputs = heard(told, Input::Anomaly(anomaly(1, "touch-move", Some(1))));
    assert_eq!(alerts(&outputs).len(), 1);
    assert!(outputs.iter().all(|output| !output.is_public()), "{outputs:?}");
}

#[test]
fn a_ply_is_marked_for_everybody_when_its_claim_has_lapsed() {
    let told = MatchUnderTest::new().play("A:e2e5");
    let outputs = heard(told, Input::Ply(report(2, 0, "a:d7d5")));
    assert!(outputs.contains(&Output::Plies { from: 0 }), "{outputs:?}");
}

#[test]
fn a_settled_proposal_alone_is_shown() {
    let mate = "A:e2e4 a:e7e5 A:d1h5 a:b8c6 A:f1c4 a:g8f6 A:h5f7";
    let mut told = MatchUnderTest::new().play(mate);
    let settles_us = told.referee.poll_timeout().expect("it waits");
    told.drain();
    let mut told = told.at(settles_us, Input::Timeout);
    let outputs = told.drain();
    assert!(outputs.contains(&Output::Shown), "{outputs:?}");
    assert!(!outputs.iter().any(|output| matches!(output, Output::Plies { .. })), "{outputs:?}");
}

#[test]
fn a_confirmed_result_alone_is_shown() {
    let drawn = MatchResult { winner: None, reason: ResultReason::Agreement };
    let mut told = MatchUnderTest::new().act_by(Role::TeamOne, What::EnterResult(drawn));
    let entered = told.drain();
    assert!(entered.iter().any(|output| matches!(output, Output::Result(Some(_)))), "{entered:?}");
    assert!(!entered.contains(&Output::Shown), "one team's word is not shown: {entered:?}");
    let mut told = told.act_by(Role::TeamTwo, What::Confirm);
    assert!(told.drain().contains(&Output::Shown));
}

#[test]
fn a_result_that_changed_since_it_was_looked_at_is_not_confirmed() {
    let drawn = MatchResult { winner: None, reason: ResultReason::Agreement };
    let won = MatchResult { winner: Some(Team::One), reason: ResultReason::Resignation };
    let told = MatchUnderTest::new().act_by(Role::TeamOne, What::EnterResult(drawn));
    let seen = told.referee.version();
    let mut told = told.act_by(Role::TeamOne, What::EnterResult(won));
    told.drain();
    let by = Person { id: "captain".to_owned(), role: Role::TeamTwo };
    let act = Act { id: ActId(99), by, t_us: 1, seen, what: What::Confirm };
    let outputs = heard(told, Input::Act(act));
    assert!(
        matches!(outputs[..], [Output::Refused { why: Refusal::Outdated { .. }, .. }]),
        "{outputs:?}"
    );
}

#[test]
fn an_alert_that_was_revised_or_retracted_is_told_once() {
    let told = MatchUnderTest::new().play("A:e2e5 a:d7d5");
    let revised = told.alert("illegal-move").expect("an alert").revision;
    assert_eq!(revised, 1, "its window closed");
    assert!(alerts(&heard(told, Input::Timeout)).is_empty());
    let told = MatchUnderTest::new().play("A:e2e5").tell(Input::PlyRetracted(1));
    assert!(told.alert("illegal-move").expect("an alert").retracted);
    assert!(alerts(&heard(told, Input::Timeout)).is_empty());
}

#[test]
fn a_claim_is_told_again_with_the_next_revision_when_something_else_is_said_about_it() {
    let claim = What::Claim(ClaimCall {
        kind: ClaimKind::IllegalPly,
        by: BLACK_A,
        against: None,
        stopped_us: None,
        witnessed: false,
    });
    let told = MatchUnderTest::new().play("A:e2e5").tell(Input::Phase(Phase::Paused)).act(claim);
    assert_eq!(told.referee.claims().next().map(|claim| claim.revision), Some(0));
    let mut told = told;
    told.drain();
    let mut told = told.tell(Input::Timeout);
    assert!(told.drain().is_empty());
    let mut revision = 0;
    for (number, uci) in (1..).zip(["A:e2e4", "A:d2d5"]) {
        told = told.tell(Input::Ply(report(1, number, uci)));
        let claims = told.drain().into_iter().filter_map(|output| match output {
            Output::Claim(claim) => Some(claim.revision),
            _ => None,
        });
        revision += 1;
        assert_eq!(claims.collect::<Vec<_>>(), [revision]);
    }
}

#[test]
fn a_report_that_says_the_same_changes_no_ply_and_one_that_differs_in_anything_shown_does() {
    let same = |revision| PlyReport { revision, ..report(1, 0, "A:e2e4") };
    let first = || MatchUnderTest::new().tell(Input::Ply(same(0)));
    let changes = |second: PlyReport| {
        let outputs = heard(first(), Input::Ply(second));
        outputs.contains(&Output::Plies { from: 0 })
    };
    assert!(!changes(same(1)));
    assert!(changes(PlyReport { p: 0.7, ..same(1) }));
    assert!(changes(PlyReport { clock_ms: Some(5), ..same(1) }));
    let alternatives = vec![Alternative { ply: uci("d2d4"), p: 0.01 }];
    assert!(changes(PlyReport { alternatives, ..same(1) }));
}

#[test]
fn a_fallen_flag_shows_a_second_to_everybody_and_nothing_to_directors() {
    for (white_ms, black_ms) in [(0, 70_000), (70_000, 0)] {
        let told = MatchUnderTest::new().play("A:e2e4").tell(clock(
            white_ms,
            black_ms,
            Some(Color::White),
        ));
        let shown = told.referee.shown_clock(BoardId::A).expect("a reading");
        assert_eq!((shown.white_ms, shown.black_ms), (white_ms.max(1000), black_ms.max(1000)));
        let read = told.referee.clock(BoardId::A).expect("a reading");
        assert_eq!((read.white_ms, read.black_ms), (white_ms, black_ms));
    }
}

#[test]
fn an_anomaly_is_revised_by_a_later_report_alone_and_can_be_taken_back() {
    let with = |revision, confidence| AnomalyReport {
        revision,
        confidence,
        ..anomaly(1, "clock-hand", None)
    };
    let told = MatchUnderTest::new().tell(Input::Anomaly(with(1, 0.5)));
    let confidence =
        |told: &MatchUnderTest| told.standing_alert("clock-hand").map(|alert| alert.confidence);
    let told = told.tell(Input::Anomaly(with(0, 0.1))).tell(Input::Anomaly(with(1, 0.2)));
    assert_eq!(confidence(&told), Some(0.5));
    let told = told.tell(Input::Anomaly(with(2, 0.9)));
    assert_eq!(confidence(&told), Some(0.9));
    let told = told.tell(Input::AnomalyRetracted(1));
    assert_eq!(confidence(&told), None);
    let told = told.tell(Input::Anomaly(with(2, 0.9)));
    assert_eq!(confidence(&told), None, "what is older stays taken back");
}

#[test]
fn an_anomaly_of_a_newer_hub_is_passed_on_without_a_rule() {
    let told = MatchUnderTest::new().tell(Input::Anomaly(anomaly(1, "of-another-age", None)));
    let alert = told.standing_alert("of-another-age").expect("an alert");
    assert_eq!((alert.rule, alert.claim), (None, ClaimState::NotClaimable));
}

#[test]
fn a_flag_that_only_the_hub_reports_is_down() {
    let told = MatchUnderTest::new().tell(Input::Anomaly(anomaly(1, "flag-fallen", None)));
    let seat = Seat { board: BoardId::A, color: Color::White };
    let flag = told.referee.flag(seat).expect("it is down");
    assert_eq!((flag.t_us, flag.confidence), (1_000_000, 0.9));
    assert_eq!(told.referee.flag(seat.opponent()), None);
}

#[test]
fn a_referee_names_its_book_and_its_plies_when_it_is_printed() {
    let printed = format!("{:?}", MatchUnderTest::new().play("A:e2e4").referee);
    assert!(printed.contains("UsChessBughouse2018") && printed.contains("plies: 1"), "{printed}");
}

#[test]
fn phases_are_written_as_pages_and_records_have_them() {
    let phases = [Phase::SetUp, Phase::Ready, Phase::Playing, Phase::Paused, Phase::Ended];
    assert_eq!(phases.map(Phase::name), ["set-up", "ready", "playing", "paused", "ended"]);
}
