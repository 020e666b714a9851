//! Judgments that were wrong once, each as a test that failed before.

use rules::{
    Seat, Team,
    rulebook::{ClaimKind, terms::TdCalls},
};

use super::*;
use crate::act::{ClaimCall, What};

const WHITE_A: Seat = Seat { board: BoardId::A, color: Color::White };
const BLACK_A: Seat = Seat { board: BoardId::A, color: Color::Black };

#[test]
fn a_king_taken_by_a_piece_that_cannot_go_there_wins_nothing() {
    let told = MatchUnderTest::new().play("A:e2e4 a:e7e5 A:a1e8");
    assert_eq!(told.referee.proposal(), None);
    let alert = told.standing_alert("illegal-move").expect("an illegal ply");
    assert_eq!((alert.ply, alert.claim, alert.silent), (Some(3), ClaimState::Open, true));
    assert!(told.standing_alert("king-captured").is_none());
}

#[test]
fn a_king_taken_by_a_player_who_moves_twice_wins_nothing() {
    let told = MatchUnderTest::new().play("A:e2e4 a:f7f6 A:d1h5 A:h5e8");
    assert_eq!(told.referee.proposal(), None);
    assert_eq!(told.standing_alert("illegal-move").expect("an illegal ply").ply, Some(4));
}

#[test]
fn a_king_that_may_be_taken_after_a_legal_ply_is_not_claimed_by_taking_it() {
    // The tracker has missed the plies before: the king is in check and White is on move.
    let told = MatchUnderTest::new().play("A:e2e4 a:e7e5 A:d1h5 a:a7a6 A:h5f7 a:b7b6 A:f7e8");
    assert!(told.referee.proposal().is_some(), "b6 left the king in check: that was illegal");
    let told = MatchUnderTest::new()
        .play("A:e2e4 a:e7e5 A:d1h5 a:a7a6 A:h5f7")
        .tell(Input::Ply(PlyReport { side: Color::White, ..report(6, 0, "A:f7e8") }));
    assert_eq!(told.referee.proposal(), None, "nothing illegal came before");
}

#[test]
fn a_claim_made_by_taking_the_king_is_claimed_and_the_capture_is_not_illegal() {
    let told = MatchUnderTest::new().play("A:f2f3 a:e7e5 A:e1f2 a:d8h4 A:a2a3 a:h4f2");
    let alert = told.standing_alert("illegal-move").expect("the illegal ply");
    assert_eq!((alert.ply, alert.claim), (Some(5), ClaimState::Claimed));
    assert_eq!(told.referee.timeline().plies()[5].illegal, None);
    assert!(!told.referee.may_be_said(4), "nobody has ruled yet");
}

#[test]
fn a_book_without_the_claim_takes_the_capture_of_a_king_for_an_illegal_ply() {
    let told =
        MatchUnderTest::under(BookId::NcBughouse).play("A:f2f3 a:e7e5 A:e1f2 a:d8h4 A:a2a3 a:h4f2");
    assert_eq!(told.referee.proposal(), None);
    let illegal: Vec<_> =
        told.referee.alerts().filter(|alert| alert.code == "illegal-move").collect();
    assert_eq!(
        illegal.iter().map(|alert| alert.claim).collect::<Vec<_>>(),
        [ClaimState::Closed, ClaimState::Open]
    );
}

#[test]
fn the_hubs_timer_closes_no_claim() {
    let told = MatchUnderTest::new()
        .play("A:e2e5")
        .tell(Input::Phase(Phase::Paused))
        .at(400_000_000, Input::Phase(Phase::Ended));
    assert_eq!(told.alert("illegal-move").expect("an alert").claim, ClaimState::Open);
    assert!(!told.referee.is_over() && !told.referee.may_be_said(0));
}

#[test]
fn a_stop_freezes_the_window_and_play_that_goes_on_closes_it() {
    let told =
        MatchUnderTest::new().play("A:e2e5").tell(Input::Phase(Phase::Paused)).play("a:d7d5");
    assert_eq!(told.alert("illegal-move").expect("an alert").claim, ClaimState::Open);
    let told = told.tell(Input::Phase(Phase::Playing));
    assert_eq!(told.alert("illegal-move").expect("an alert").claim, ClaimState::Closed);
}

#[test]
fn the_set_up_of_the_next_match_closes_what_is_left() {
    let told = MatchUnderTest::new().play("A:e2e5").tell(Input::NextMatch);
    assert_eq!(told.alert("illegal-move").expect("an alert").claim, ClaimState::Closed);
    assert!(told.referee.is_over());
}

#[test]
fn a_mate_at_a_distance_is_a_mate_where_nobody_supplies_a_piece() {
    let told = MatchUnderTest::under(BookId::UsChessBlitz2020).play("A:f2f3 a:e7e5 A:g2g4 a:d8h4");
    let proposal = told.referee.proposal().expect("a proposal");
    assert_eq!((proposal.winner, proposal.reason), (Some(Team::Two), ResultReason::Mate));
    assert_eq!(told.referee.timeline().plies()[3].san, "Qh4#");
}

#[test]
fn touch_move_can_be_claimed_only_where_the_book_knows_it() {
    let seen = |book| {
        MatchUnderTest::under(book).play("A:e2e4").tell(Input::Anomaly(anomaly(
            1,
            "touch-move",
            Some(1),
        )))
    };
    let claim = |told: &MatchUnderTest| told.alert("touch-move").expect("an alert").claim;
    let silent = |told: &MatchUnderTest| told.alert("touch-move").expect("an alert").silent;
    let bughouse = seen(BookId::UsChessBughouse2018);
    assert_eq!((claim(&bughouse), silent(&bughouse)), (ClaimState::NotClaimable, false));
    assert_eq!(bughouse.alert("touch-move").expect("an alert").rule, None);
    let blitz = seen(BookId::UsChessBlitz2020);
    assert_eq!((claim(&blitz), silent(&blitz)), (ClaimState::Open, true));
    assert_eq!(claim(&blitz.play("a:e7e5")), ClaimState::Closed);
}

#[test]
fn directors_call_only_under_books_that_know_the_agreement() {
    for book in BookId::ALL {
        let agreed = Conditions { td_calls: true, ..Conditions::new(book) };
        let knows =
            [BookId::UscfBughouse, BookId::McscBughouse, BookId::NcBughouse, BookId::NcBlitz];
        if book.book().terms.td_calls == TdCalls::Always {
            assert_eq!(agreed.check(), Ok(()), "{book}: directors call anyway");
            continue;
        }
        match agreed.check() {
            Ok(()) => assert!(knows.contains(&book), "{book}"),
            Err(error) => {
                assert!(!knows.contains(&book), "{book}");
                let text = error.to_string();
                assert!(text.contains(book.name()) && text.contains("td_calls"), "{text}");
            }
        }
    }
}

#[test]
fn a_silent_alert_makes_no_public_event() {
    let mut told = MatchUnderTest::new().play("A:e2e4");
    told.drain();
    for (id, code) in [(1, "touch-move"), (2, "illegal-move"), (3, "clock-hand")] {
        told = told.tell(Input::Anomaly(anomaly(id, code, Some(1))));
        let outputs = told.drain();
        assert!(outputs.iter().all(|output| !output.is_public()), "{code}: {outputs:?}");
        assert!(!outputs.is_empty(), "{code}");
    }
}

#[test]
fn a_fallen_flag_shows_no_zero_before_it_is_claimed() {
    let reading = |black_ms, running| {
        let board = BoardId::A;
        Input::Clock(ClockReading { board, white_ms: 200_000, black_ms, running, t_us: 2_000_000 })
    };
    let shown =
        |told: &MatchUnderTest| told.referee.shown_clock(BoardId::A).expect("a clock").black_ms;
    let told = MatchUnderTest::new().play("A:e2e4").tell(reading(600, Some(Color::Black)));
    assert_eq!(shown(&told), LEAST_SHOWN_MS, "below a second it is shown as a second");
    let told = told.tell(reading(0, Some(Color::Black)));
    assert_eq!(shown(&told), LEAST_SHOWN_MS);
    assert_eq!(told.referee.clock(BoardId::A).expect("a clock").black_ms, 0, "directors see it");
    let claimed = told.tell(Input::Phase(Phase::Paused)).at(9_000_000, Input::Timeout);
    assert_eq!(shown(&claimed), 0, "a result rests on it");
}

#[test]
fn a_flag_claim_and_a_claim_of_an_illegal_ply_are_ruled_by_their_order() {
    let with = |flag_us, illegal_us| {
        let claim = |kind, by, stopped_us| {
            What::Claim(ClaimCall {
                kind,
                by,
                against: None,
                stopped_us: Some(stopped_us),
                witnessed: false,
            })
        };
        let told = MatchUnderTest::new()
            .play("A:e2e4 a:e7e5 A:e4e6")
            .tell(Input::Clock(ClockReading {
                board: BoardId::A,
                white_ms: 100_000,
                black_ms: 0,
                running: Some(Color::Black),
                t_us: 3_500_000,
            }))
            .act(claim(ClaimKind::FlagFall, WHITE_A, flag_us))
            .act(claim(ClaimKind::IllegalPly, BLACK_A, illegal_us));
        let points: Vec<Points> = told.referee.claims().map(|claim| claim.verdict.points).collect();
        (points[0], points[1])
    };
    assert_eq!(with(4_000_000, 5_000_000), (Points::Upheld, Points::Denied));
    assert_eq!(with(5_000_000, 4_000_000), (Points::Denied, Points::Upheld));
    assert_eq!(with(4_000_000, 4_000_000), (Points::Denied, Points::Upheld), "both at once");
}

/// Black's claim at `stopped_us` about a ply of White's.
fn of_illegal_ply(against: Option<u32>, stopped_us: u64) -> What {
    What::Claim(ClaimCall {
        kind: ClaimKind::IllegalPly,
        by: BLACK_A,
        against,
        stopped_us: Some(stopped_us),
        witnessed: false,
    })
}

#[test]
fn a_claim_against_a_ply_that_turns_out_legal_is_judged_by_the_illegal_one() {
    let told =
        MatchUnderTest::new().play("A:e2e4 a:e7e5 A:e4e6").act(of_illegal_ply(Some(1), 3_500_000));
    let case = told.referee.claims().next().expect("a claim");
    assert_eq!((case.verdict.points, case.against), (Points::Upheld, Some(3)));
    assert!(case.verdict.says.starts_with("Not the ply that was named: White played"), "{case:?}");
}

#[test]
fn an_illegal_ply_after_a_claim_does_not_make_the_claim_too_early() {
    let told = MatchUnderTest::new()
        .play("A:e2e4 a:e7e5 A:e4e6")
        .act(of_illegal_ply(None, 3_500_000))
        .play("a:d7d5 A:d2d5 a:c7c6");
    let case = told.referee.claims().next().expect("a claim");
    assert_eq!((case.verdict.points, case.against), (Points::Upheld, Some(3)));
}

#[test]
fn a_claim_is_against_no_ply_that_was_begun_long_after_it() {
    let says = |plies| {
        let told = MatchUnderTest::new().play("A:e2e4 a:e7e5").act(of_illegal_ply(None, 2_500_000));
        let case = told.play(plies).referee.claims().next().expect("a claim").clone();
        (case.verdict.timing, case.against)
    };
    assert_eq!(says("A:e4e6"), (Timing::TooEarly, Some(3)), "it was under way");
    assert_eq!(says("A:g1f3 a:b8c6 A:e4e6"), (Timing::InTime, None));
}

#[test]
fn a_claim_that_is_heard_of_before_the_clocks_stop_counts_as_stopped_once_they_do() {
    let flag = What::Claim(ClaimCall {
        kind: ClaimKind::FlagFall,
        by: WHITE_A,
        against: None,
        stopped_us: None,
        witnessed: false,
    });
    let reading = |running| {
        let board = BoardId::A;
        Input::Clock(ClockReading {
            board,
            white_ms: 100_000,
            black_ms: 0,
            running,
            t_us: 3_500_000,
        })
    };
    let points =
        |told: &MatchUnderTest| told.referee.claims().next().expect("a claim").verdict.points;
    let told = MatchUnderTest::new().play("A:e2e4 a:e7e5 A:g1f3");
    let told = told.tell(reading(Some(Color::Black))).at(4_000_000, Input::Timeout).act(flag);
    assert_eq!(points(&told), Points::Unclear);
    assert_eq!(points(&told.tell(reading(None))), Points::Upheld);
}

#[test]
fn a_ply_that_a_claim_turns_out_to_be_against_counts_as_claimed() {
    let told =
        MatchUnderTest::new().play("A:e2e4 a:e7e5 A:g1f3").act(of_illegal_ply(None, 3_500_000));
    let told = told.tell(Input::Ply(report(3, 1, "A:e4e6")));
    assert_eq!(told.alert("illegal-move").expect("an alert").claim, ClaimState::Claimed);
}
