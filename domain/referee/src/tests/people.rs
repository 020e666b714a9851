//! Acts: taken once, refused with a reason, carried out, taken back, and the same when replayed.

use rules::{
    Seat, Team,
    rulebook::{ClaimKind, Offence, Penalty},
};

use super::*;
use crate::act::{
    Act, ActId, Choice, ClaimCall, Decision, MatchResult, PenaltyCall, Person, Remedy, Role,
    Ruling, What,
};

const WHITE_A: Seat = Seat { board: BoardId::A, color: Color::White };
pub(super) const BLACK_A: Seat = Seat { board: BoardId::A, color: Color::Black };

fn claim(kind: ClaimKind, by: Seat) -> What {
    What::Claim(ClaimCall { kind, by, against: None, stopped_us: None, witnessed: false })
}

pub(super) fn rule(on: u64, decision: Decision) -> What {
    What::Rule(Ruling { on: ActId(on), decision, remedy: None, note: String::new() })
}

pub(super) fn refusals(told: &mut MatchUnderTest) -> Vec<Refusal> {
    let refused = told.drain().into_iter().filter_map(|output| match output {
        Output::Refused { why, .. } => Some(why),
        _ => None,
    });
    refused.collect()
}

/// An illegal ply, claimed: act 1.
pub(super) fn claimed() -> MatchUnderTest {
    MatchUnderTest::new()
        .play("A:e2e5")
        .tell(Input::Phase(Phase::Paused))
        .act(claim(ClaimKind::IllegalPly, BLACK_A))
}

#[test]
fn a_claim_says_which_way_the_rule_points_and_what_it_would_cost() {
    let told = claimed();
    let case = told.referee.claims().next().expect("a claim");
    assert_eq!((case.verdict.timing, case.verdict.points), (Timing::InTime, Points::Upheld));
    assert_eq!(case.verdict.if_upheld, Remedy::LosesGame(WHITE_A));
    assert_eq!(case.against, Some(1));
    assert!(told.referee.is_disputed());
    assert_eq!(told.alert("illegal-move").expect("an alert").claim, ClaimState::Claimed);
}

/// The ply of which a director should look at the board, and which way the rule points.
fn looked_at(told: &MatchUnderTest) -> (Option<u32>, Points) {
    let case = told.referee.claims().next().expect("a claim");
    (told.referee.ply_to_look_at(case).map(|ply| ply.report.id), case.verdict.points)
}

#[test]
fn a_claim_that_no_board_bears_out_is_settled_by_what_a_director_sees_there() {
    // A pawn of the reserve explains the same squares as a queen that White does not have.
    let told = || {
        let plies = "B:e2e4 b:d7d5 B:a2a3 b:d5e4 A:P@e5 B:b2b3";
        MatchUnderTest::new().play(plies).act(claim(ClaimKind::IllegalPly, BLACK_A))
    };
    assert_eq!(looked_at(&told()), (Some(5), Points::Denied));
    let queen = told().act(What::Correct { ply: 5, said: uci("Q@e5") });
    assert_eq!(looked_at(&queen), (None, Points::Upheld));
    let pawn = told().act(What::Correct { ply: 5, said: uci("P@e5") });
    assert_eq!(looked_at(&pawn), (None, Points::Denied), "it was looked at");
    let ruled = told().act(rule(1, Decision::Denied));
    assert_eq!(looked_at(&ruled), (None, Points::Denied));
    assert_eq!(looked_at(&claimed()), (None, Points::Upheld), "the boards bear it out");
}

#[test]
fn a_ruling_ends_the_dispute_and_the_match() {
    let told = claimed().act(rule(1, Decision::Upheld));
    let result = told.referee.result().expect("a result");
    assert_eq!(
        result.result,
        MatchResult { winner: Some(Team::Two), reason: ResultReason::IllegalPly }
    );
    assert!(told.referee.is_over() && !told.referee.is_disputed());
    assert!(told.referee.may_be_said(0));
}

/// New verdict about the first decided claim.
fn since(told: &MatchUnderTest) -> Option<(Points, Option<u32>)> {
    let since = told.referee.claims().next().expect("a claim").since.as_ref()?;
    Some((since.points, since.against))
}

#[test]
fn a_decision_against_which_the_evidence_turns_says_so_and_stands() {
    let told = MatchUnderTest::new()
        .play("A:e2e4")
        .tell(Input::Phase(Phase::Paused))
        .act(claim(ClaimKind::IllegalPly, BLACK_A))
        .act(rule(1, Decision::Denied));
    assert_eq!(since(&told), None);
    let told = told.tell(Input::Ply(report(1, 1, "A:e2e5")));
    assert_eq!(since(&told), Some((Points::Upheld, Some(1))));
    let case = told.referee.claims().next().expect("a claim");
    assert_eq!(
        (case.state, case.verdict.points),
        (CaseState::Ruled(Decision::Denied), Points::Denied)
    );
    let told = told.tell(Input::Ply(report(1, 2, "A:e2e4")));
    assert_eq!(since(&told), None, "it has turned back");
}

#[test]
fn a_claim_that_was_made_after_the_end_is_not_seen_otherwise_later() {
    let told = MatchUnderTest::new()
        .play("A:e2e5")
        .act(claim(ClaimKind::IllegalPly, BLACK_A))
        .act(rule(1, Decision::Upheld))
        .act(claim(ClaimKind::IllegalPly, BLACK_A))
        .act(rule(3, Decision::Denied));
    let late = told.referee.claims().last().expect("a claim");
    assert_eq!((late.verdict.timing, late.verdict.points), (Timing::Late, Points::Denied));
    assert_eq!(late.since, None);
}

#[test]
fn what_a_decision_itself_brings_about_does_not_speak_against_it() {
    for book in BookId::ALL {
        let told = MatchUnderTest::under(book)
            .play("A:e2e5")
            .tell(Input::Phase(Phase::Paused))
            .act(claim(ClaimKind::IllegalPly, BLACK_A))
            .act(rule(1, Decision::Upheld))
            .at(60_000_000, Input::Timeout);
        assert_eq!(since(&told), None, "{book:?}");
    }
}

#[test]
fn a_ruling_to_play_on_opens_the_window_again() {
    let told = claimed().act(rule(1, Decision::PlayOn)).tell(Input::Phase(Phase::Playing));
    assert_eq!(told.alert("illegal-move").expect("an alert").claim, ClaimState::Open);
    assert!(!told.referee.is_over());
    assert_eq!(
        told.play("a:d7d5").alert("illegal-move").expect("an alert").claim,
        ClaimState::Closed
    );
}

#[test]
fn what_was_ruled_on_stays_as_it_was_ruled_on() {
    let told = claimed().act(rule(1, Decision::Denied));
    let before = told.referee.claims().next().expect("a claim").verdict.clone();
    let told = told.tell(Input::Ply(report(1, 1, "A:e2e4")));
    assert_eq!(told.referee.claims().next().expect("a claim").verdict, before);
}

#[test]
fn an_act_is_taken_once() {
    let mut told = claimed();
    told.drain();
    let act = Act {
        id: ActId(1),
        by: Person { id: "d".to_owned(), role: Role::Director },
        t_us: 9,
        seen: u64::MAX,
        what: rule(1, Decision::Upheld),
    };
    let mut told = told.tell(Input::Act(act));
    assert_eq!(refusals(&mut told), [Refusal::Known(ActId(1))]);
    assert_eq!(told.referee.ledger().len(), 1);
}

#[test]
fn a_ruling_about_something_that_has_changed_since_is_refused() {
    let mut told = claimed();
    let seen = told.referee.version();
    told = told.tell(Input::Ply(report(1, 1, "A:e2e4")));
    told.drain();
    let by = Person { id: "d".to_owned(), role: Role::Director };
    let act = Act { id: ActId(2), by, t_us: 9, seen, what: rule(1, Decision::Upheld) };
    told = told.tell(Input::Act(act));
    assert!(matches!(refusals(&mut told)[..], [Refusal::Outdated { .. }]));
}

#[test]
fn players_cannot_rule_and_rulings_are_not_made_twice() {
    let mut told = claimed();
    told.drain();
    told = told.act_by(Role::TeamOne, rule(1, Decision::Denied));
    assert_eq!(refusals(&mut told), [Refusal::Role(Role::TeamOne)]);
    told = told.act(rule(1, Decision::Denied)).act(rule(1, Decision::Upheld));
    assert_eq!(refusals(&mut told), [Refusal::AlreadyRuled(ActId(1))]);
    told = told.act(rule(77, Decision::Upheld));
    assert_eq!(refusals(&mut told), [Refusal::NoSuchAct(ActId(77))]);
}

#[test]
fn both_teams_or_a_director_make_a_result_final() {
    let drawn = MatchResult { winner: None, reason: ResultReason::Agreement };
    let told = MatchUnderTest::new().play("A:e2e4").act_by(Role::TeamOne, What::EnterResult(drawn));
    assert!(!told.referee.is_over());
    let told = told.act_by(Role::TeamOne, What::Confirm);
    assert!(!told.referee.is_over(), "one team twice is not both");
    let told = told.act_by(Role::TeamTwo, What::Confirm);
    assert!(told.referee.is_over());
    let mut told = told;
    told.drain();
    let won = MatchResult { winner: Some(Team::One), reason: ResultReason::Resignation };
    told = told.act_by(Role::TeamOne, What::EnterResult(won));
    assert_eq!(refusals(&mut told), [Refusal::Final]);
    let told = told.act(What::EnterResult(won));
    assert_eq!(told.referee.result().expect("a result").result, won, "a director may");
}

#[test]
fn the_ladder_counts_offences_of_one_player_and_not_those_taken_back() {
    let penalise = |whom, earlier| {
        let note = String::new();
        What::Penalise(PenaltyCall {
            offence: Offence::ClockHand,
            whom,
            earlier,
            penalty: None,
            note,
        })
    };
    let told = MatchUnderTest::new()
        .act(penalise(WHITE_A, 0))
        .act(penalise(BLACK_A, 0))
        .act(penalise(WHITE_A, 0));
    let given = |told: &MatchUnderTest| -> Vec<Option<Penalty>> {
        let lines = told.referee.ledger().iter();
        let given = lines.filter_map(|line| match line.entry {
            Entry::Penalty { given, .. } => Some(given),
            _ => None,
        });
        given.collect()
    };
    let minute = Some(Penalty::Time { penalty_s: 60 });
    assert_eq!(given(&told), [Some(Penalty::Warning), Some(Penalty::Warning), minute]);
    let told = told.act(What::Withdraw(ActId(3))).act(penalise(WHITE_A, 0));
    assert_eq!(given(&told).last(), Some(&minute), "the third was taken back");
    let told = told.act(penalise(BLACK_A, 1));
    assert_eq!(given(&told).last(), Some(&Some(Penalty::LosesGame)), "one was in another match");
    assert!(told.referee.is_over());
}

#[test]
fn what_a_team_answers_for_counts_against_both_of_its_players() {
    let told = MatchUnderTest::new();
    let next = |told: &MatchUnderTest, offence, whom| told.referee.next_penalty(offence, whom, 0);
    let penalise = |offence| {
        let (note, penalty) = (String::new(), Some(Penalty::Warning));
        What::Penalise(PenaltyCall { offence, whom: WHITE_A, earlier: 0, penalty, note })
    };
    let told = told.act(penalise(Offence::NoClock)).act(penalise(Offence::ClockHand));
    let partner = WHITE_A.partner();
    assert_eq!(next(&told, Offence::NoClock, partner), (2, Some(Penalty::LosesGame)));
    assert_eq!(next(&told, Offence::NoClock, BLACK_A), (1, Some(Penalty::LosesGame)));
    assert_eq!(next(&told, Offence::ClockHand, partner), (1, Some(Penalty::Warning)));
    let minute = Some(Penalty::Time { penalty_s: 60 });
    assert_eq!(next(&told, Offence::ClockHand, WHITE_A), (2, minute));
}

#[test]
fn a_corrected_ply_is_held_until_the_correction_is_taken_back() {
    let said = What::Correct { ply: 1, said: uci("d2d4") };
    let told = MatchUnderTest::new().play("A:e2e5").act(said);
    let shown = |told: &MatchUnderTest| told.referee.timeline().ply(1).expect("a ply").report.ply;
    assert!(told.standing_alert("illegal-move").is_none());
    let told = told.tell(Input::Ply(report(1, 1, "A:e2e3")));
    assert_eq!(shown(&told), uci("d2d4"), "the hub's revision waits");
    let told = told.tell(Input::PlyRetracted(1));
    assert_eq!(shown(&told), uci("d2d4"));
    let told = told.tell(Input::Ply(report(1, 2, "A:e2e3")));
    let told = told.act(What::Withdraw(ActId(1)));
    assert_eq!(shown(&told), uci("e2e3"));
    assert!(!told.referee.timeline().plies()[0].is_pinned);
}

#[test]
fn a_position_put_up_again_undoes_its_plies_and_play_goes_on_from_it() {
    let mut told = MatchUnderTest::under(BookId::NcScholastic)
        .play("A:e2e4 a:e7e5 A:e1f3 a:b8c6")
        .act(claim(ClaimKind::IllegalPly, BLACK_A))
        .act(rule(1, Decision::Upheld));
    let king = |told: &MatchUnderTest| {
        told.referee.boards().position(BoardId::A).board().king_of(Color::White)
    };
    assert_eq!(king(&told), Some(rules::Square::E1));
    let undone: Vec<bool> =
        told.referee.timeline().plies().iter().map(|ply| ply.is_undone).collect();
    assert_eq!(undone, [false, false, true, true]);
    told = told.play("A:e1e2 a:b8c6");
    let plies = told.referee.timeline().plies();
    assert_eq!((plies[4].illegal, plies[5].illegal), (None, None));
    let told = told.act(What::Withdraw(ActId(2)));
    assert!(!told.referee.timeline().plies()[3].is_undone);
}

#[test]
fn directors_calls_are_chosen_only_where_the_book_knows_the_agreement() {
    let calls = What::Set(Choice::TdCalls(true));
    let mut told = MatchUnderTest::new().act(calls.clone());
    assert!(matches!(refusals(&mut told)[..], [Refusal::NoAgreement(Some(_))]));
    let told = MatchUnderTest::under(BookId::NcBughouse).play("A:e2e5").act(calls);
    assert!(told.referee.td_calls() && told.referee.may_be_said(0));
    let told = told.act(What::Withdraw(ActId(1)));
    assert!(!told.referee.td_calls());
}

#[test]
fn a_claim_can_be_withdrawn_before_it_is_ruled_on() {
    let told = claimed().act(What::Withdraw(ActId(1)));
    assert!(!told.referee.is_disputed());
    assert_eq!(told.alert("illegal-move").expect("an alert").claim, ClaimState::Open);
    let mut told = claimed().act(rule(1, Decision::Denied));
    told.drain();
    told = told.act(What::Withdraw(ActId(1)));
    assert_eq!(refusals(&mut told), [Refusal::AlreadyRuled(ActId(1))]);
}

#[test]
fn entries_of_the_ledger_are_numbered_from_one_without_holes() {
    let told = claimed().act(rule(1, Decision::Denied)).act(What::Withdraw(ActId(2)));
    let numbers = told.referee.ledger().iter().map(|line| line.number);
    assert!(numbers.eq(1..=3));
}

#[test]
fn an_act_with_a_text_that_is_too_long_is_refused() {
    let note = |length| {
        What::Rule(Ruling {
            on: ActId(1),
            decision: Decision::Denied,
            remedy: None,
            note: "x".repeat(length),
        })
    };
    let mut told = claimed();
    told.drain();
    told = told.act(note(crate::act::MAX_TEXT + 1));
    assert_eq!(refusals(&mut told), [Refusal::TooLong(crate::act::MAX_TEXT)]);
    told = told.act(note(crate::act::MAX_TEXT));
    assert!(refusals(&mut told).is_empty());
}

#[test]
fn a_confirmation_that_is_taken_back_leaves_the_result_unconfirmed() {
    let drawn = MatchResult { winner: None, reason: ResultReason::Agreement };
    for confirming in [Role::TeamTwo, Role::Director] {
        let told = MatchUnderTest::new()
            .act_by(Role::TeamOne, What::EnterResult(drawn))
            .act_by(confirming, What::Confirm);
        assert!(told.referee.is_over());
        let told = told.act(What::Withdraw(ActId(2)));
        assert!(!told.referee.is_over());
        assert_eq!(told.referee.result().map(|result| result.result), Some(drawn));
    }
}

#[test]
fn corrections_of_two_plies_are_taken_back_each_for_itself() {
    let correct = |ply, said| What::Correct { ply, said: uci(said) };
    let told = MatchUnderTest::new()
        .play("A:e2e4 a:e7e5")
        .act(correct(1, "d2d4"))
        .act(correct(2, "d7d5"))
        .act(What::Withdraw(ActId(1)));
    let plies = told.referee.timeline().plies();
    assert_eq!([plies[0].report.ply, plies[1].report.ply], [uci("e2e4"), uci("d7d5")]);
    assert_eq!([plies[0].is_pinned, plies[1].is_pinned], [false, true]);
    let told = told.act(correct(2, "c7c5"));
    assert_eq!(told.referee.ledger().last().expect("a line").supersedes, Some(ActId(2)));
}

#[test]
fn what_is_put_up_again_loses_and_doubles_no_piece() {
    // Black takes a pawn that White's partner drops at once; White drops one that was held.
    let told = MatchUnderTest::new()
        .play("A:e2e4 a:d7d5 A:e4d5 B:a2a3 b:P@e6 B:e2e4 b:d7d5 B:e4d5 a:P@e6 A:d5e6 a:c8e6");
    let pieces =
        |told: &MatchUnderTest| Color::ALL.map(|color| told.referee.boards().material(color));
    let (before, seat) = (pieces(&told), |board, color| Seat { board, color });
    let taken = told.referee.timeline().plies()[8].report.id;
    let told = told.act(What::Reinstate { before: taken });
    assert_eq!(pieces(&told), before);
    let boards = told.referee.boards();
    let holds = |board, color| boards.reserve(seat(board, color)).to_string();
    assert_eq!(boards.position(BoardId::A).piece_at(rules::Square::E6), None);
    assert_eq!(
        holds(BoardId::A, Color::Black),
        "P",
        "the pawn that was dropped is in the hand again"
    );
    assert_eq!(holds(BoardId::B, Color::White), "", "what was taken at A stands there again");
    let act = told.referee.ledger().last().map(|line| line.act).expect("the act");
    let put_up = told.referee.timeline().reinstated(act).expect("it stands");
    assert_eq!(put_up.board, BoardId::A);
    assert_eq!(put_up.to, boards);
    assert!(put_up.from.position(BoardId::A).piece_at(rules::Square::E6).is_some());
}
