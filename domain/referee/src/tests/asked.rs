//! Queries of pages and records.

use rules::{
    BoardState, Seat, Square,
    rulebook::{BookId, ClaimKind},
};

use super::*;

fn clock(white_ms: i64, running: Option<Color>) -> Input {
    let (board, black_ms, t_us) = (BoardId::A, 9_000, 9_000_000);
    Input::Clock(ClockReading { board, white_ms, black_ms, running, t_us })
}

/// Public time of White at A.
fn shown_ms(told: &MatchUnderTest) -> Option<i64> {
    told.referee.shown_clock(BoardId::A).map(|clock| clock.white_ms)
}

#[test]
fn phase_and_boards_are_as_they_were_told() {
    let told = MatchUnderTest::new().tell(Input::Phase(Phase::Playing)).play("A:e2e4");
    assert_eq!(told.referee.phase(), Phase::Playing);
    let position = told.referee.boards().position(BoardId::A);
    assert!(position.piece_at(Square::E4).is_some() && position.piece_at(Square::E2).is_none());
}

#[test]
fn kinds_of_claims_are_those_of_the_book() {
    let kinds = |book| MatchUnderTest::under(book).referee.claim_kinds().collect::<Vec<_>>();
    assert!(kinds(BookId::UsChessBughouse2018).contains(&ClaimKind::IllegalPly));
    assert!(!kinds(BookId::UsChessBughouse2018).contains(&ClaimKind::TouchMove));
    assert!(kinds(BookId::NcBughouse).contains(&ClaimKind::TouchMove));
}

#[test]
fn a_board_whose_king_was_taken_is_in_no_check() {
    let told = MatchUnderTest::new().play("A:e2e4 a:f7f6 A:d1h5 a:a7a6 A:h5e8");
    assert_eq!(told.referee.state(BoardId::A), BoardState::Normal);
}

#[test]
fn remaining_time_after_a_ply_shows_no_fallen_flag() {
    let with_clock = |clock_ms| {
        let report = PlyReport { clock_ms: Some(clock_ms), ..report(1, 0, "A:e2e4") };
        MatchUnderTest::new().tell(Input::Ply(report)).referee.shown_clock_ms(0)
    };
    assert_eq!(with_clock(5_000), Some(5_000));
    assert_eq!(with_clock(0), Some(1_000));
    assert_eq!(MatchUnderTest::new().play("A:e2e4").referee.shown_clock_ms(0), None);
}

#[test]
fn a_fallen_flag_is_shown_once_a_settled_result_rests_on_it() {
    let stopped = MatchUnderTest::new().play("A:e2e4").tell(clock(0, Some(Color::White)));
    let stopped = stopped.tell(clock(0, None));
    assert_eq!(stopped.referee.proposal().map(|p| p.reason), Some(ResultReason::Flag));
    assert_eq!(shown_ms(&stopped), Some(1_000), "it has not settled");
    let settles_us = stopped.referee.poll_timeout().expect("it waits");
    let settled = stopped.at(settles_us, Input::Timeout);
    assert_eq!(shown_ms(&settled), Some(0));
    let seat = Seat { board: BoardId::A, color: Color::White };
    assert!(settled.referee.flag(seat).is_some());
}

#[test]
fn a_fallen_flag_is_not_shown_because_of_a_mate() {
    let mate = "A:e2e4 a:e7e5 A:d1h5 a:b8c6 A:f1c4 a:g8f6 A:h5f7";
    let told = MatchUnderTest::new().play(mate).tell(clock(0, Some(Color::Black)));
    let settles_us = told.referee.poll_timeout().expect("it waits");
    let told = told.at(settles_us, Input::Timeout);
    assert!(told.referee.proposal().is_some_and(|proposal| proposal.settled));
    assert_eq!(shown_ms(&told), Some(1_000));
}

#[test]
fn pieces_that_were_dropped_are_found_with_their_plies() {
    let told = MatchUnderTest::new().play("A:e2e4 a:e7e5 A:N@g5");
    let placed: Vec<_> = told.referee.timeline().now().placed(BoardId::A).collect();
    assert_eq!(placed, [(Square::G5, 2)]);
}
