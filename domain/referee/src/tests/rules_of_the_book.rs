//! The referee, held to the rulebook rule by rule.

use rules::{BoardState, IllegalReason, Match, Seat, Team};

use super::*;

/// The queen mates in contact with the king, so that no supplied piece can block.
const SCHOLARS_MATE: &str = "A:e2e4 B:d2d4 a:e7e5 A:d1h5 b:d7d5 a:b8c6 A:f1c4 a:g8f6 A:h5f7";

fn reading(
    board: BoardId,
    white_ms: i64,
    black_ms: i64,
    running: Option<Color>,
    t_us: u64,
) -> Input {
    Input::Clock(ClockReading { board, white_ms, black_ms, running, t_us })
}

#[test]
fn rule_6_and_8_an_illegal_ply_opens_a_claim_when_it_is_completed() {
    let told = MatchUnderTest::new().play("A:e2e5");
    let alert = told.alert("illegal-move").expect("an alert");
    assert_eq!((alert.claim, alert.silent), (ClaimState::Open, true));
    assert_eq!(
        alert.rule.map(|rule| rule.to_string()).as_deref(),
        Some("us-chess-bughouse-2018 8")
    );
    assert!((alert.confidence - 0.99).abs() < 1e-9);
    assert_eq!(told.referee.timeline().plies()[0].illegal, Some(IllegalReason::WrongGeometry));
}

#[test]
fn rule_8a_the_claim_lapses_when_the_opponent_completes_a_ply() {
    let told = MatchUnderTest::new().play("A:e2e5 a:d7d5");
    let alert = told.alert("illegal-move").expect("an alert");
    assert_eq!((alert.claim, alert.revision), (ClaimState::Closed, 1));
    assert!(alert.evidence.contains("8a"), "{}", alert.evidence);
}

#[test]
fn rule_8a_a_ply_on_the_other_board_does_not_close_the_claim() {
    let told = MatchUnderTest::new().play("A:e2e5 B:e2e4 b:e7e5");
    assert_eq!(told.alert("illegal-move").expect("an alert").claim, ClaimState::Open);
}

#[test]
fn rule_8c_an_unclaimed_illegal_ply_stands_and_play_goes_on_from_it() {
    let told = MatchUnderTest::new().play("A:e2e5 a:d7d5 A:e5d6");
    let plies = told.referee.timeline().plies();
    assert_eq!(plies[2].illegal, None, "en passant from the square where the pawn really is");
    assert_eq!(
        told.referee
            .timeline()
            .now()
            .boards
            .reserve(Seat { board: BoardId::B, color: Color::Black })
            .to_string(),
        "P"
    );
}

#[test]
fn rule_9_a_drop_of_a_piece_that_has_not_come_yet_is_flagged() {
    let told = MatchUnderTest::new().play("A:N@e5");
    let alert = told.alert("illegal-move").expect("an alert");
    assert_eq!(
        alert.rule.map(|rule| rule.to_string()).as_deref(),
        Some("us-chess-bughouse-2018 9")
    );
}

#[test]
fn rule_10a_a_pawn_on_the_last_rank_is_flagged_under_its_own_rule() {
    let told = MatchUnderTest::new().play("B:e2e4 b:d7d5 B:e4d5 A:e2e4 a:g8f6 A:d2d4 a:P@g8");
    let alert = told.alert("illegal-move").expect("an alert");
    assert_eq!(
        alert.rule.map(|rule| rule.to_string()).as_deref(),
        Some("us-chess-bughouse-2018 10a")
    );
}

#[test]
fn confidence_in_an_illegal_ply_counts_its_illegal_alternatives() {
    let mut uncertain = report(1, 0, "A:e2e5");
    uncertain.p = 0.5;
    uncertain.alternatives =
        vec![Alternative { ply: uci("e2e4"), p: 0.3 }, Alternative { ply: uci("e2e6"), p: 0.15 }];
    let told = MatchUnderTest::new().tell(Input::Ply(uncertain));
    assert!((told.alert("illegal-move").expect("an alert").confidence - 0.65).abs() < 1e-9);
}

#[test]
fn a_revision_to_a_legal_ply_retracts_the_alert_visibly() {
    let mut told = MatchUnderTest::new().play("A:e2e5");
    while told.referee.poll_output().is_some() {}
    let mut told = told.tell(Input::Ply(report(1, 1, "A:e2e4")));
    let outputs: Vec<Output> = std::iter::from_fn(|| told.referee.poll_output()).collect();
    assert!(outputs.contains(&Output::Plies { from: 0 }));
    let retracted = outputs.iter().any(
        |output| matches!(output, Output::Alert(alert) if alert.retracted && alert.revision == 1),
    );
    assert!(retracted, "{outputs:?}");
    assert_eq!(told.referee.timeline().plies()[0].was, Some(uci("e2e5")));
}

#[test]
fn a_retracted_ply_takes_its_alert_and_its_consequences_with_it() {
    let told = MatchUnderTest::new().play("A:e2e4 a:e7e6 A:e4e6").tell(Input::PlyRetracted(3));
    assert!(told.standing_alert("illegal-move").is_none());
    assert_eq!(told.referee.timeline().plies().len(), 2);
}

#[test]
fn rule_7_the_first_game_won_ends_the_match() {
    let told = MatchUnderTest::new()
        .play(SCHOLARS_MATE)
        .play("B:c2c4 b:d5c4")
        .tell(Input::Phase(Phase::Ended));
    let proposal = told.referee.proposal().expect("a proposal");
    assert_eq!(proposal.winner, Some(Team::One));
    assert_eq!((proposal.board, proposal.reason), (BoardId::A, ResultReason::Mate));
    assert!(told.referee.is_after_end(9) && told.referee.is_after_end(10));
    assert!(!told.referee.is_after_end(8));
    assert!(told.standing_alert("plies-after-end").is_some());
    assert_eq!(told.referee.timeline().plies().len(), 11, "plies after the end are kept");
}

#[test]
fn rule_15a_mate_is_proposed_and_says_that_nobody_confirmed_it() {
    let told = MatchUnderTest::new().play(SCHOLARS_MATE);
    let proposal = told.referee.proposal().expect("a proposal");
    assert_eq!(proposal.text, "Team 1 wins on board A: mate, seen by the table; not confirmed");
    assert_eq!(
        proposal.rule.map(|rule| rule.to_string()).as_deref(),
        Some("us-chess-bughouse-2018 15a")
    );
    assert!(!proposal.settled);
}

#[test]
fn a_result_is_settled_when_it_has_stood_for_a_while_or_play_is_over() {
    let mut told = MatchUnderTest::new().play(SCHOLARS_MATE);
    let deadline = told.referee.poll_timeout().expect("a deadline");
    assert_eq!(deadline, 9_000_000 + RESULT_SETTLES_AFTER_US);
    told.referee.handle(deadline, Input::Timeout);
    assert!(told.referee.proposal().expect("a proposal").settled);
    assert_eq!(told.referee.poll_timeout(), None);
    let ended = MatchUnderTest::new().play(SCHOLARS_MATE).tell(Input::Phase(Phase::Ended));
    assert!(ended.referee.proposal().expect("a proposal").settled);
}

#[test]
fn rule_15a_a_check_that_a_supplied_piece_could_block_is_no_mate() {
    // Fool's mate: between the queen on h4 and the king on e1 lie g3 and f2.
    let told = MatchUnderTest::new().play("A:f2f3 a:e7e5 A:g2g4 a:d8h4");
    assert_eq!(told.referee.state(BoardId::A), BoardState::BlockableCheck);
    assert!(told.referee.proposal().is_none());
    assert!(told.alert("mate").is_none() && told.alert("blockable-check").is_none());
    let told = told.tell(Input::Phase(Phase::Ended));
    let alert = told.standing_alert("blockable-check").expect("an alert when play stops there");
    assert_eq!(
        alert.rule.map(|rule| rule.to_string()).as_deref(),
        Some("us-chess-bughouse-2018 15a")
    );
    assert!(told.referee.proposal().is_none());
}

#[test]
fn a_mate_after_which_play_went_on_is_not_proposed() {
    let told = MatchUnderTest::new().play(SCHOLARS_MATE).play("a:a7a6");
    assert!(told.referee.proposal().is_none());
}

#[test]
fn rule_15d_a_king_taken_after_an_illegal_ply_wins() {
    let told = MatchUnderTest::new().play("A:f2f3 a:e7e5 A:e1f2 a:d8h4 A:a2a3 a:h4f2");
    let proposal = told.referee.proposal().expect("a proposal");
    assert_eq!((proposal.winner, proposal.reason), (Some(Team::Two), ResultReason::KingCaptured));
    assert_eq!(
        proposal.rule.map(|rule| rule.to_string()).as_deref(),
        Some("us-chess-bughouse-2018 15d")
    );
    let illegal: Vec<_> =
        told.referee.alerts().filter(|alert| alert.code == "illegal-move").collect();
    assert_eq!(illegal.len(), 1, "taking the king is the claim, not another offence");
}

#[test]
fn rule_15c_a_fallen_flag_is_silent_and_decides_nothing_by_itself() {
    let told = MatchUnderTest::new().play("A:e2e4").tell(reading(
        BoardId::A,
        200_000,
        0,
        Some(Color::Black),
        2_000_000,
    ));
    let alert = told.alert("flag-fallen").expect("an alert");
    assert_eq!((alert.claim, alert.silent), (ClaimState::Open, true));
    assert!(told.referee.proposal().is_none());
}

#[test]
fn rule_15c_a_flag_with_the_clock_stopped_is_a_proposed_win() {
    let told = MatchUnderTest::new()
        .play("A:e2e4")
        .tell(reading(BoardId::A, 200_000, 0, Some(Color::Black), 2_000_000))
        .tell(reading(BoardId::A, 200_000, 0, None, 3_000_000));
    let proposal = told.referee.proposal().expect("a proposal");
    assert_eq!((proposal.winner, proposal.reason), (Some(Team::One), ResultReason::Flag));
    assert_eq!(told.alert("flag-fallen").expect("an alert").claim, ClaimState::Claimed);
}

#[test]
fn rule_16b_both_flags_down_and_no_claim_is_a_proposed_draw() {
    let told = MatchUnderTest::new()
        .play("A:e2e4")
        .tell(reading(BoardId::A, 0, 0, Some(Color::Black), 2_000_000))
        .tell(Input::Phase(Phase::Ended));
    let proposal = told.referee.proposal().expect("a proposal");
    assert_eq!((proposal.winner, proposal.reason), (None, ResultReason::BothFlags));
    assert_eq!(
        proposal.rule.map(|rule| rule.to_string()).as_deref(),
        Some("us-chess-bughouse-2018 16b")
    );
}

#[test]
fn rule_16b_a_mate_beats_flags_that_nobody_noticed() {
    let told = MatchUnderTest::new()
        .play("A:e2e4 a:e7e5 A:d1h5 a:b8c6 A:f1c4 a:g8f6 A:h5f7")
        .tell(reading(BoardId::B, 100, 0, Some(Color::Black), 1_000_000))
        .tell(Input::Phase(Phase::Ended));
    assert_eq!(told.referee.proposal().expect("a proposal").reason, ResultReason::Mate);
}

#[test]
fn clocks_set_anew_after_the_end_raise_and_lower_no_flag() {
    let told = MatchUnderTest::new()
        .play("A:e2e4")
        .tell(reading(BoardId::A, 200_000, 0, None, 2_000_000))
        .tell(Input::Phase(Phase::Ended))
        .tell(reading(BoardId::A, 300_000, 300_000, None, 9_000_000));
    assert_eq!(told.referee.proposal().expect("a proposal").reason, ResultReason::Flag);
}

#[test]
fn clocks_set_for_the_next_match_are_no_reading_of_this_one() {
    let mut told = MatchUnderTest::new()
        .tell(reading(BoardId::A, 300_000, 300_000, None, 1))
        .tell(reading(BoardId::A, 300_000, 300_000, Some(Color::White), 2))
        .play("A:e2e4")
        .tell(reading(BoardId::A, 200_000, 100_000, Some(Color::Black), 2_000_000))
        .tell(reading(BoardId::A, 200_000, 90_000, None, 3_000_000))
        .tell(Input::Phase(Phase::Paused))
        .tell(reading(BoardId::A, 300_000, 300_000, None, 9_000_000));
    let shown = |told: &MatchUnderTest| {
        told.referee.shown_clock(BoardId::A).map(|clock| (clock.white_ms, clock.black_ms))
    };
    assert_eq!(shown(&told), Some((200_000, 90_000)));
    // A director gives time: that is this match.
    told = told.tell(reading(BoardId::A, 200_000, 210_000, None, 9_500_000));
    assert_eq!(shown(&told), Some((200_000, 210_000)));
    told = told.tell(Input::Phase(Phase::Ended));
    told = told.tell(reading(BoardId::A, 180_000, 180_000, None, 9_700_000));
    assert_eq!(shown(&told), Some((200_000, 210_000)));
}

#[test]
fn play_stopped_with_an_open_claim_is_evidence_and_no_result() {
    let told = MatchUnderTest::new().play("A:e2e5").tell(Input::Phase(Phase::Paused));
    assert!(told.standing_alert("stopped-with-open-claim").is_some());
    assert!(told.referee.proposal().is_none());
}

#[test]
fn directors_who_may_call_get_alerts_that_are_not_silent() {
    let agreed = Conditions { td_calls: true, ..Conditions::new(BookId::UscfBughouse) };
    let mut referee = Referee::new(agreed);
    referee.handle(1_000_000, Input::Ply(report(1, 0, "A:e2e5")));
    assert!(referee.alerts().all(|alert| !alert.silent));
}

#[test]
fn a_ply_out_of_turn_is_played_for_its_own_side() {
    let told = MatchUnderTest::new().play("A:e2e4 A:d2d4 a:e7e5");
    let plies = told.referee.timeline().plies();
    assert_eq!(plies[1].illegal, Some(IllegalReason::NotYourPiece));
    assert_eq!(plies[2].illegal, None);
}

#[test]
fn rule_8c_a_swapped_king_and_queen_show_in_how_they_move() {
    // White of A has the queen on e1: it goes to h4 and takes on h7.
    let plies = ["A:e2e4", "a:e7e5", "A:f2f3", "a:d7d6", "A:e1h4", "a:b8c6", "A:h4h7", "a:a7a6"];
    let mut told = MatchUnderTest::new();
    for (index, text) in plies.into_iter().enumerate() {
        let sure = PlyReport { legal: true, ..report(index as PlyId + 1, 0, text) };
        told = told.tell(Input::Ply(sure));
    }
    let white_queen = told.referee.timeline().now().boards.position(BoardId::A);
    let on_h7 = white_queen.piece_at(rules::Square::H7).expect("a piece");
    assert_eq!(on_h7.role, rules::Role::Queen);
    assert!(told.standing_alert("illegal-move").is_none());
    let told = told.tell(Input::PlyRetracted(5));
    assert_eq!(
        *told.referee.timeline().start(),
        Match::initial(),
        "nothing speaks for it any more"
    );
}

#[test]
fn rule_8c_an_illegal_ply_that_the_hub_sees_too_is_no_swapped_set_up() {
    let told = MatchUnderTest::new().play("A:e2e4 a:e7e5 A:e1e3");
    assert_eq!(*told.referee.timeline().start(), Match::initial());
    assert!(told.standing_alert("illegal-move").is_some());
}
