//! Texts, confidences and times of alerts and proposals.

use rules::{
    Seat,
    rulebook::{BookId, ClaimKind, Topic},
};

use super::*;
use crate::act::{ClaimCall, What};

const MATE: &str = "A:e2e4 a:e7e5 A:d1h5 a:b8c6 A:f1c4 a:g8f6";

fn clock(board: BoardId, t_us: u64, white_ms: i64, black_ms: i64, running: Option<Color>) -> Input {
    Input::Clock(ClockReading { board, white_ms, black_ms, running, t_us })
}

/// A game of chess from a position.
fn chess_from(book: BookId, position: &str) -> MatchUnderTest {
    let mut conditions = Conditions::new(book);
    *conditions.start.position_mut(BoardId::A) =
        rules::fen::parse_chess(position).expect("a position");
    MatchUnderTest { referee: Referee::new(conditions), ..MatchUnderTest::new() }
}

#[test]
fn confidence_in_a_mate_counts_every_mate_that_the_ply_may_have_been() {
    let mut last = report(7, 0, "A:h5f7");
    last.p = 0.6;
    let may_be = |text: &str, p| Alternative { ply: uci(text), p };
    // The other one is a check and no mate.
    last.alternatives = vec![may_be("h5f7", 0.6), may_be("c4f7", 0.1)];
    let told = MatchUnderTest::new().play(MATE).tell(Input::Ply(last.clone()));
    let confidence =
        |told: &MatchUnderTest| told.referee.proposal().expect("a proposal").confidence;
    assert!((confidence(&told) - 0.6).abs() < 1e-9);
    // Two ways to promote that are both mate.
    let mut told = chess_from(BookId::NcBlitz, "7k/P5pp/8/8/8/8/8/K7 w - - 0 1");
    let mut promotion = report(1, 0, "A:a7a8q");
    promotion.p = 0.5;
    promotion.alternatives = vec![may_be("a7a8r", 0.3), may_be("a7a8n", 0.2)];
    told = told.tell(Input::Ply(promotion));
    assert!((confidence(&told) - 0.8).abs() < 1e-9);
}

#[test]
fn a_mate_that_is_proposed_does_not_say_that_play_went_on() {
    let told = MatchUnderTest::new().play(MATE).play("A:h5f7");
    let says = |told: &MatchUnderTest| told.alert("mate").expect("an alert").evidence.clone();
    assert_eq!(says(&told), "Board A: White gave mate with Qxf7#.");
    let told = told.play("a:e8f7");
    assert!(says(&told).ends_with("Play went on, so the table did not see it so."));
}

#[test]
fn either_flag_with_the_clocks_stopped_loses() {
    for (white_ms, black_ms, winner) in [(0, 9_000, rules::Team::Two), (9_000, 0, rules::Team::One)]
    {
        let told = MatchUnderTest::new()
            .play("A:e2e4")
            .tell(clock(BoardId::A, 2_000_000, white_ms, black_ms, Some(Color::White)))
            .tell(Input::Phase(Phase::Paused))
            .tell(clock(BoardId::A, 3_000_000, white_ms, black_ms, None));
        assert_eq!(told.referee.proposal().and_then(|proposal| proposal.winner), Some(winner));
    }
}

#[test]
fn both_flags_are_down_since_the_later_fell() {
    let orders = [[(0, 5_000), (0, 0)], [(5_000, 0), (0, 0)]];
    for order in orders {
        let mut told = MatchUnderTest::new().play("A:e2e4");
        for (at_us, (white_ms, black_ms)) in [2_000_000, 4_000_000].into_iter().zip(order) {
            told = told.at(at_us, clock(BoardId::A, at_us, white_ms, black_ms, Some(Color::White)));
        }
        told = told.tell(Input::Phase(Phase::Paused));
        assert_eq!(told.alert("both-flags").expect("an alert").t_us, 4_000_000);
        let proposal = told.referee.proposal().expect("a proposal");
        assert_eq!((proposal.reason, proposal.t_us), (ResultReason::BothFlags, 4_000_000));
    }
}

#[test]
fn a_flag_elsewhere_is_not_claimed_by_a_stop_or_a_claim_on_another_board() {
    let flag_of = |told: &MatchUnderTest, board: BoardId| {
        let alert = told
            .referee
            .alerts()
            .find(|alert| alert.code == "flag-fallen" && alert.board == board && !alert.retracted);
        alert.expect("an alert").claim
    };
    // White's flags fell on both boards, first on A; there the clocks were stopped.
    let told = MatchUnderTest::new()
        .play("A:e2e4 B:e2e4")
        .at(3_000_000, clock(BoardId::A, 3_000_000, 0, 9_000, Some(Color::White)))
        .at(4_000_000, clock(BoardId::A, 4_000_000, 0, 9_000, None))
        .at(5_000_000, clock(BoardId::B, 5_000_000, 0, 9_000, Some(Color::White)));
    assert_eq!(flag_of(&told, BoardId::A), ClaimState::Claimed);
    assert_eq!(flag_of(&told, BoardId::B), ClaimState::Open);
    // An illegal ply is claimed on A.
    let by = Seat { board: BoardId::A, color: Color::Black };
    let claim = ClaimCall {
        kind: ClaimKind::IllegalPly,
        by,
        against: None,
        stopped_us: None,
        witnessed: false,
    };
    let told = MatchUnderTest::new()
        .play("A:e2e5 B:e2e4")
        .at(5_000_000, clock(BoardId::A, 5_000_000, 0, 9_000, Some(Color::White)))
        .act(What::Claim(claim));
    assert_eq!(flag_of(&told, BoardId::A), ClaimState::Open);
}

#[test]
fn fifty_moves_are_counted_for_each_side() {
    let told = chess_from(BookId::NcScholastic, "4k3/8/8/8/8/8/8/R3K3 w - - 98 60");
    let told = told.play("A:a1a2 a:e8e7");
    let alert = told.standing_alert("fifty-moves").expect("an alert");
    assert_eq!(
        alert.evidence,
        "After Ke7 each side has made 50 moves without a capture or a pawn move."
    );
}

#[test]
fn a_player_who_is_late_is_named_with_the_moment_and_black_only_after_white_has_moved() {
    let book = BookId::ALL.into_iter().find(|book| book.book().terms.late_forfeit_s.is_some());
    let book = book.expect("a book that forfeits late players");
    let limit_us = u64::from(book.book().terms.late_forfeit_s.expect("a limit")) * 1_000_000;
    let told = MatchUnderTest::under(book)
        .at(5_000_000, clock(BoardId::A, 5_000_000, 300_000, 300_000, Some(Color::White)))
        .at(6_000_000 + limit_us, Input::Timeout);
    let late: Vec<_> = told.referee.alerts().filter(|alert| alert.code == "late-arrival").collect();
    let [alert] = late[..] else { panic!("{late:?}") };
    assert_eq!((alert.side, alert.t_us), (Some(Color::White), 5_000_000 + limit_us));
}

#[test]
fn a_clock_that_stands_before_play_stops_no_window() {
    let told = MatchUnderTest::new()
        .at(0, clock(BoardId::A, 0, 300_000, 300_000, None))
        .play("A:e2e5 a:d7d5");
    assert_eq!(told.alert("illegal-move").expect("an alert").claim, ClaimState::Closed);
}

#[test]
fn what_a_director_says_about_a_ply_is_certain() {
    let mut reported = anomaly(1, "illegal-move", Some(1));
    reported.confidence = 0.6;
    let mut first = report(1, 0, "A:e2e5");
    first.alternatives = vec![Alternative { ply: uci("e2e4"), p: 0.3 }];
    let told = MatchUnderTest::new().tell(Input::Ply(first)).tell(Input::Anomaly(reported));
    assert_eq!(told.alert("illegal-move").expect("an alert").confidence, 0.6);
    let told = told.act(What::Correct { ply: 1, said: uci("e2e5") });
    assert_eq!(told.alert("illegal-move").expect("an alert").confidence, 1.0);
    let ply = &told.referee.timeline().plies()[0];
    assert_eq!((ply.report.p, ply.report.alternatives.len()), (1.0, 0));
}

#[test]
fn what_a_director_said_is_held_when_an_earlier_ply_is_revised() {
    let told = MatchUnderTest::new()
        .play("A:e2e4 a:e7e5 A:g1f3")
        .act(What::Correct { ply: 2, said: uci("d7d5") })
        .tell(Input::Ply(report(1, 1, "A:d2d4")));
    assert!(told.referee.timeline().plies()[1].is_pinned);
    let told = told.tell(Input::Ply(report(2, 1, "a:c7c5")));
    assert_eq!(told.referee.timeline().plies()[1].report.ply, uci("d7d5"));
}

#[test]
fn another_ply_in_the_place_of_one_is_written_as_it_would_have_stood() {
    let told = MatchUnderTest::new().play("A:e2e4 a:e7e5 A:g1f3");
    assert_eq!(told.referee.timeline().san_instead(2, uci("d1h5")), "Qh5");
    assert_eq!(told.referee.timeline().san_instead(1, uci("b8c6")), "Nc6");
}

#[test]
fn a_start_that_was_given_is_never_taken_for_a_swapped_one() {
    let swapped =
        chess_from(BookId::NcBlitz, "rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w - - 0 1");
    let start = swapped.referee.timeline().start().clone();
    // As legal plies they would speak for the usual set-up.
    let mut told = swapped;
    for text in ["A:e2e4", "a:e7e5", "A:d1h5"] {
        let mut one = report(told.next, 0, text);
        one.legal = true;
        told.next += 1;
        told = told.tell(Input::Ply(one));
    }
    assert_eq!(*told.referee.timeline().start(), start);
}

#[test]
fn a_swapped_set_up_cites_its_own_clause_beside_that_of_set_ups() {
    let mut books = 0;
    for book in BookId::ALL {
        let told =
            MatchUnderTest::under(book).tell(Input::Anomaly(anomaly(1, "setup-wrong", None)));
        let alert = told.alert("setup-wrong").expect("an alert");
        let swapped =
            book.book().cite(Topic::SwappedSetUp).filter(|cite| Some(*cite) != alert.rule);
        assert_eq!(alert.further, Vec::from_iter(swapped), "{book}");
        books += usize::from(swapped.is_some());
    }
    assert!(books > 0, "some book has a clause of its own");
}

#[test]
fn conditions_are_checked_against_what_the_book_hears() {
    use rules::rulebook::{Setting, terms::LosingChances};
    for book in BookId::ALL {
        let announced = Conditions { losing_chances: true, ..Conditions::new(book) };
        let hears = book.book().terms.losing_chances != LosingChances::Never;
        assert_eq!(announced.check().is_ok(), hears, "{book}");
        assert_eq!(Conditions::new(book).check(), Ok(()), "{book}");
        if let LosingChances::IfAnnounced { .. } = book.book().terms.losing_chances {
            let said = announced.chosen(Setting::LosingChances);
            assert_eq!(said, "claims of losing chances are heard, as announced");
            let not = Conditions::new(book).chosen(Setting::LosingChances);
            assert_eq!(not, "claims of losing chances are not heard: not announced");
        }
    }
}
