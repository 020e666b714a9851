//! Segments of one ply, written by hand.

use rules::Square;

use super::*;
use crate::{params, sensing::segment::Segment};

fn explain(position: &Position, events: &[(Square, bool)], unsettled: bool) -> Vec<Candidate> {
    let expected = PredictedSquares::of(position);
    let mut segment = Segment::new(position.occupied());
    for (index, &(square, occupied)) in events.iter().enumerate() {
        segment.read_square(index as u64 + 1, square, occupied);
    }
    let observation = Observation::of(&segment, events.len(), u64::MAX);
    let mut context = CandidateContext {
        position,
        expected: &expected,
        observation: &observation,
        presser: position.turn(),
        supply: Supply::Partner,
        roles: RoleSet::ALL,
        takeback: Takeback::Nothing,
        floor: FLOOR,
        found: Vec::new(),
    };
    context.settled();
    if unsettled {
        context.unsettled();
    }
    let mut found = context.found;
    found.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    found
}

fn best(candidates: &[Candidate]) -> String {
    candidates.first().map(|best| best.ply.to_string()).unwrap_or_default()
}

#[test]
fn a_moved_piece_is_named_by_its_two_squares() {
    let found = explain(&Position::initial(), &[(Square::G1, false), (Square::F3, true)], false);
    assert_eq!(best(&found), "g1f3");
    assert_eq!(found[0].illegal, None);
}

#[test]
fn a_piece_from_nowhere_is_a_drop_of_any_role() {
    let found = explain(&Position::initial(), &[(Square::E4, true)], false);
    assert_eq!(found.len(), 5);
    assert!(found.iter().all(|candidate| candidate.ply.is_drop()));
}

#[test]
fn castling_is_seen_whichever_piece_goes_first() {
    let mut position = Position::initial();
    for ply in ["e2e4", "e7e5", "g1f3", "g8f6", "f1c4", "f8c5"] {
        position.play(ply.parse().expect("a ply"));
    }
    for (first, second) in [
        ((Square::E1, Square::G1), (Square::H1, Square::F1)),
        ((Square::H1, Square::F1), (Square::E1, Square::G1)),
    ] {
        let events = [(first.0, false), (first.1, true), (second.0, false), (second.1, true)];
        assert_eq!(best(&explain(&position, &events, false)), "e1g1");
    }
}

#[test]
fn an_illegal_ply_is_explained_with_its_reason() {
    let found = explain(&Position::initial(), &[(Square::G1, false), (Square::G3, true)], false);
    assert_eq!(best(&found), "g1g3");
    assert_eq!(found[0].illegal, Some(IllegalReason::WrongGeometry));
}

#[test]
fn an_illegal_ply_is_put_back_more_easily_than_another_is_made() {
    let position = Position::initial();
    let expected = PredictedSquares::of(&position);
    let mut segment = Segment::new(position.occupied());
    segment.read_square(1, Square::G1, false);
    segment.read_square(2, Square::G3, true);
    let observation = Observation::of(&segment, 2, u64::MAX);
    let weight_after = |slip: &str| {
        let illegal = Some(IllegalReason::WrongGeometry);
        let slipped = Takeback::Nothing.after(slip.parse().expect("a ply"), illegal);
        let mut context = CandidateContext {
            position: &position,
            expected: &expected,
            observation: &observation,
            presser: Color::White,
            supply: Supply::Partner,
            roles: RoleSet::NONE,
            takeback: slipped.after("e7e5".parse().expect("a ply"), None),
            floor: FLOOR,
            found: Vec::new(),
        };
        context.settled();
        let [found] = context.found.as_slice() else { panic!("{:?}", context.found) };
        assert_eq!(found.illegal, illegal);
        (found.is_unchosen, found.weight)
    };
    assert_eq!(weight_after("g3g1"), (true, params::TAKEN_BACK));
    let onwards = params::PLY * (1.0 - params::TAKEN_BACK) * params::BESIDE_ITS_AIM;
    assert_eq!(weight_after("f4g1"), (false, onwards));
}

#[test]
fn a_promoted_pawn_may_lie_unseen_on_the_last_rank() {
    let mut position = Position::initial();
    for ply in ["P@b7", "e7e6"] {
        position.play(ply.parse().expect("a ply"));
    }
    let captures = explain(&position, &[(Square::A8, false), (Square::B7, false)], true);
    assert!(captures.iter().any(|found| found.ply.to_string() == "b7a8q"));
    assert!(captures.iter().all(|found| found.ply.to_string().starts_with("b7")));
}

/// The candidates that `look` finds in the initial position, if White pressed after `count` of these events.
fn found_by(
    events: &[(Square, bool)],
    count: usize,
    look: impl Fn(&mut CandidateContext<'_>),
) -> Vec<String> {
    let position = Position::initial();
    let mut roles = RoleSet::NONE;
    roles.add(Role::Pawn);
    let mut segment = Segment::new(position.occupied());
    for (time, &(square, occupied)) in (1..).zip(events) {
        segment.read_square(200_000 * time, square, occupied);
    }
    let observation = Observation::of(&segment, count, 200_000 * (count as u64 + 1));
    let mut context = CandidateContext {
        position: &position,
        expected: &PredictedSquares::of(&position),
        observation: &observation,
        presser: Color::White,
        supply: Supply::Partner,
        roles,
        takeback: Takeback::Nothing,
        floor: FLOOR,
        found: Vec::new(),
    };
    look(&mut context);
    context.found.iter().map(|candidate| candidate.ply.to_string()).collect()
}

#[test]
fn a_dropped_piece_that_is_read_late_is_looked_for_though_the_opponent_has_begun_to_take_another() {
    // White's knight is gone from f3 before the press, and a piece lands on e5 right after it.
    let read = [(Square::G1, false), (Square::E5, true)];
    let found = found_by(&read, 1, |context| context.unsettled());
    assert!(found.contains(&"P@e5".to_owned()), "{found:?}");
}

#[test]
fn a_dropped_piece_that_flickered_is_looked_for_where_it_did_whatever_is_filled_next() {
    let flickered = [(Square::E4, true), (Square::E4, false), (Square::D5, true)];
    let found = found_by(&flickered, 2, |context| context.unsettled());
    assert!(found.contains(&"P@e4".to_owned()) && found.contains(&"P@d5".to_owned()), "{found:?}");
}

#[test]
fn a_piece_that_flickered_on_its_square_is_one_of_several_plies() {
    let moved = [(Square::E2, false), (Square::E4, true), (Square::E4, false)];
    assert!(found_by(&moved, 3, |context| context.unread()).contains(&"e2e4".to_owned()));
    let dropped = [(Square::E4, true), (Square::E4, false)];
    assert!(found_by(&dropped, 2, |context| context.unread()).contains(&"P@e4".to_owned()));
}

#[test]
fn a_piece_whose_contact_stays_closed_may_have_moved() {
    assert_eq!(found_by(&[(Square::F3, true)], 1, |context| context.stuck()), ["g1f3", "f2f3"]);
}

#[test]
fn a_capture_by_silent_exchange_is_found_among_the_quiet_plies() {
    let mut position = Position::initial();
    for ply in ["e2e4", "d7d5"] {
        position.play(ply.parse().expect("a ply"));
    }
    assert!(explain(&position, &[(Square::E4, false)], false).is_empty());
    let found = explain(&position, &[(Square::E4, false)], true);
    assert_eq!(best(&found), "e4d5");
}
