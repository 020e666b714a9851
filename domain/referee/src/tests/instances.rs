//! Instances: appeals go up, and lower ones change no decision of a higher one.

use rules::{
    Team,
    rulebook::{Offence, Penalty},
};

use super::{
    people::{BLACK_A, claimed, refusals, rule},
    *,
};
use crate::act::{ActId, Decision, MatchResult, PenaltyCall, Role, What};

#[test]
fn an_appeal_goes_up_by_one_instance_and_the_last_is_final() {
    let mut told = claimed().act(rule(1, Decision::Upheld));
    told.drain();
    let appeal = |of, to| What::Appeal { of: ActId(of), to };
    told = told.act_by(Role::TeamOne, appeal(2, Role::FloorChief));
    assert_eq!(refusals(&mut told), [Refusal::WrongInstance(Role::SectionChief)]);
    let decide = |appeal, decision| What::Decide {
        appeal: ActId(appeal),
        decision,
        remedy: None,
        note: String::new(),
    };
    told = told.act_by(Role::TeamOne, appeal(2, Role::SectionChief));
    told = told.act_by(Role::Director, decide(4, Decision::Denied));
    assert_eq!(refusals(&mut told), [Refusal::WrongInstance(Role::SectionChief)]);
    told = told.act_by(Role::SectionChief, decide(4, Decision::Denied));
    assert!(!told.referee.is_over(), "the result of the first ruling is gone");
    told = told.act_by(Role::TeamTwo, appeal(6, Role::FloorChief));
    told = told.act_by(Role::FloorChief, decide(7, Decision::Upheld));
    assert!(told.referee.is_over());
    assert_eq!(told.referee.ledger().last().expect("a line").supersedes, Some(ActId(6)));
    told.drain();
    told = told.act_by(Role::TeamOne, appeal(8, Role::FloorChief));
    assert_eq!(refusals(&mut told), [Refusal::Final]);
}

#[test]
fn the_floor_chief_hears_what_nobody_between_has_heard_and_that_is_final() {
    let appeal = |of| What::Appeal { of: ActId(of), to: Role::SectionChief };
    let decide = What::Decide {
        appeal: ActId(3),
        decision: Decision::Denied,
        remedy: None,
        note: String::new(),
    };
    let mut told = claimed().act(rule(1, Decision::Upheld)).act_by(Role::TeamOne, appeal(2));
    told = told.act_by(Role::FloorChief, decide);
    assert!(!told.referee.is_over(), "the ruling is gone");
    told.drain();
    told = told.act_by(Role::TeamTwo, appeal(4));
    assert_eq!(refusals(&mut told), [Refusal::Final]);
}

#[test]
fn a_ruling_that_is_appealed_and_an_appeal_that_is_decided_are_not_taken_back() {
    let appeal = What::Appeal { of: ActId(2), to: Role::SectionChief };
    let told = claimed().act(rule(1, Decision::Upheld)).act_by(Role::TeamOne, appeal.clone());
    let mut told = told;
    told.drain();
    told = told.act(What::Withdraw(ActId(2)));
    assert_eq!(refusals(&mut told), [Refusal::CannotWithdraw(ActId(2))]);
    // Act 3 is the appeal. Taken back, it no longer holds the ruling.
    told = told.act_by(Role::TeamOne, What::Withdraw(ActId(3))).act(What::Withdraw(ActId(2)));
    assert!(refusals(&mut told).is_empty());
    assert!(told.referee.is_disputed(), "the claim is open again");

    let told = claimed().act(rule(1, Decision::Upheld)).act_by(Role::TeamOne, appeal);
    let decide = What::Decide {
        appeal: ActId(3),
        decision: Decision::Denied,
        remedy: None,
        note: String::new(),
    };
    let mut told = told.act_by(Role::SectionChief, decide);
    told.drain();
    told = told.act_by(Role::TeamOne, What::Withdraw(ActId(3)));
    assert_eq!(refusals(&mut told), [Refusal::CannotWithdraw(ActId(3))]);
}

#[test]
fn directors_change_nothing_that_a_higher_instance_has_decided_or_is_asked_to() {
    let appeal = What::Appeal { of: ActId(2), to: Role::SectionChief };
    let decide = What::Decide {
        appeal: ActId(3),
        decision: Decision::Upheld,
        remedy: None,
        note: String::new(),
    };
    let told = claimed().act(rule(1, Decision::Denied)).act_by(Role::TeamTwo, appeal);
    let mut told = told.act(What::Withdraw(ActId(3)));
    let above = [Refusal::Above(Role::SectionChief)];
    assert_eq!(refusals(&mut told), above, "the appeal is heard");
    told = told.act_by(Role::SectionChief, decide);
    assert_eq!(told.referee.result().and_then(|it| it.result.winner), Some(Team::Two));
    told.drain();
    let won = MatchResult { winner: Some(Team::One), reason: ResultReason::Resignation };
    let forfeit = What::Penalise(PenaltyCall {
        offence: Offence::Interference,
        whom: BLACK_A,
        earlier: 0,
        penalty: Some(Penalty::LosesMatch),
        note: String::new(),
    });
    for another in [What::EnterResult(won), forfeit] {
        told = told.act(another);
        assert_eq!(refusals(&mut told), above);
    }
    told = told.act_by(Role::FloorChief, What::EnterResult(won));
    assert_eq!(told.referee.result().expect("a result").result, won, "the floor chief may");
    told.drain();
    told = told.act(What::Withdraw(ActId(8)));
    assert_eq!(refusals(&mut told), [Refusal::Above(Role::FloorChief)]);
}

#[test]
fn teams_take_back_their_own_acts_alone_and_directors_any() {
    let drawn = MatchResult { winner: None, reason: ResultReason::Agreement };
    let mut told = MatchUnderTest::new().act_by(Role::TeamOne, What::EnterResult(drawn));
    told.drain();
    told = told.act_by(Role::TeamTwo, What::Withdraw(ActId(1)));
    assert_eq!(refusals(&mut told), [Refusal::Role(Role::TeamTwo)]);
    told = told.act_by(Role::TeamOne, What::Withdraw(ActId(1)));
    assert!(refusals(&mut told).is_empty());
    assert_eq!(told.referee.result(), None);
    told = told.act_by(Role::TeamOne, What::EnterResult(drawn)).act(What::Withdraw(ActId(4)));
    assert!(refusals(&mut told).is_empty());
    assert_eq!(told.referee.result(), None);
}
