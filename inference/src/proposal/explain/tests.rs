//! The transitions proposed for a segment, against every legal ply weighed one by one.

use proptest::prelude::*;
use rules::{BoardId, Ply, Position, Reserve, Square, Supply};

use super::*;
use crate::{
    observation::footprint::{Footprint, PredictedSquares},
    sensing::{clock::Timing, segment::Segment},
    state::position_table::no_positions,
};

/// A ply whose weight is below this part of the best may be missing from the proposal.
const PROPOSED_FROM: f64 = 1e-6;

/// A position after legal plies chosen by numbers; the side to move holds these pieces.
fn position(choices: &[u16], reserve: &Reserve) -> Position {
    let mut position = Position::initial();
    let mut legal = Vec::new();
    for &choice in choices {
        legal.clear();
        position.legal_plies(reserve, &mut legal);
        if legal.is_empty() {
            break;
        }
        position.play(legal[usize::from(choice) % legal.len()]);
    }
    position
}

/// The squares that a hand changes, in order: the piece that leaves, the victim, the piece that arrives.
fn played(footprint: &Footprint) -> Vec<(Square, bool)> {
    let emptied =
        (footprint.vacated | footprint.exchanged).into_iter().map(|square| (square, false));
    let filled = (footprint.exchanged | footprint.arrived).into_iter().map(|square| (square, true));
    emptied.chain(filled).collect()
}

/// A segment of the side to move that ends at `t_us`.
fn closed(position: &Position, segment: &Segment, t_us: u64) -> ClosedSegment {
    ClosedSegment::of_squares(BoardId::A, position.turn(), t_us, segment)
}

/// All transitions from `position`.
fn transitions(position: &Position, reserve: RoleSet, closing: &ClosedSegment) -> Transitions {
    let mut positions = no_positions();
    let id = positions.intern(PositionEntry::of(position.clone())).expect("room");
    let mut proposer = Proposer::new(closing, [reserve; 2], SearchEffort::Full, &mut positions);
    proposer.explain(SourcePosition { id, mass: 1.0, held: [reserve; 2] });
    proposer.transitions
}

/// The plies proposed for a segment in which these squares changed, with their weights.
fn proposed(
    position: &Position,
    reserve: RoleSet,
    segment: &Segment,
    t_us: u64,
) -> Vec<(Ply, f64)> {
    let found = transitions(position, reserve, &closed(position, segment, t_us));
    let single = found.list.iter().filter_map(|transition| {
        let explanation = &found.explanations[transition.explanation as usize];
        match (explanation.plies.as_slice(), explanation.pattern) {
            ([made], PressPattern::Regular) => Some((made.ply, transition.weight)),
            _ => None,
        }
    });
    single.collect()
}

#[test]
fn a_press_right_after_the_other_players_is_a_lever_that_springs_back() {
    let position = Position::initial();
    let segment = Segment::new(position.occupied());
    let no_ply = |thought_ms| {
        let timing = Timing { thought_ms, ..Timing::default() };
        let closing = ClosedSegment { timing, ..closed(&position, &segment, 5_000_000) };
        let found = transitions(&position, RoleSet::NONE, &closing);
        let of_none = found.list.iter().find(|transition| transition.reserve_changes.is_empty());
        of_none.expect("never impossible").weight
    };
    use params::own_turn::{NO_PLY, NO_PLY_SPRUNG};
    assert_eq!([Some(110), Some(251), None].map(no_ply), [NO_PLY_SPRUNG, NO_PLY, NO_PLY]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn every_legal_ply_after_which_the_squares_would_read_so_is_proposed_with_its_likelihood(
        choices in proptest::collection::vec(any::<u16>(), 0..50),
        choice: u16,
        held in proptest::array::uniform5(0..2_i8),
        nudged in proptest::option::of(any::<u16>()),
    ) {
        let reserve = Reserve::from_counts(held);
        let position = position(&choices, &reserve);
        let mut legal = Vec::new();
        position.legal_plies(&reserve, &mut legal);
        prop_assume!(!legal.is_empty());
        let made = legal[usize::from(choice) % legal.len()];
        let footprint = Footprint::of(&position, made, Supply::Partner);
        let mut events = played(&footprint);
        // Another own piece is nudged before.
        let own = position.board().by_color(position.turn()) & !footprint.vacated;
        if let Some(square) = nudged.and_then(|at| own.into_iter().nth(usize::from(at) % 16)) {
            events.splice(0..0, [(square, false), (square, true)]);
        }
        let mut segment = Segment::new(position.occupied());
        for (&(square, occupied), nth) in events.iter().zip(1..) {
            segment.read_square(nth * 200_000, square, occupied);
        }
        let t_us = (events.len() as u64 + 4) * 200_000;

        let observation = Observation::of(&segment, events.len(), t_us);
        let before = PredictedSquares::of(&position);
        let weigh = |ply: Ply| {
            let footprint = Footprint::of(&position, ply, Supply::Partner);
            let after = footprint.apply(&before, position.turn());
            params::PLY * observation.likelihood(&footprint, &before, &after, position.turn())
        };
        // A piece that reads as if it had not moved is looked for at exhaustive effort only.
        let reads_so = |ply: Ply| {
            let Footprint { vacated, arrived, exchanged, .. } =
                Footprint::of(&position, ply, Supply::Partner);
            let filled = arrived | exchanged;
            (vacated & observation.after).is_empty()
                && (filled & !observation.after).is_empty()
                && (exchanged & !observation.touched).is_empty()
        };
        let best = legal.iter().map(|&ply| weigh(ply)).fold(0.0, f64::max);
        prop_assert!(reads_so(made) && weigh(made) >= PROPOSED_FROM * best, "{made} fits badly");
        let roles = RoleSet::held(&reserve);
        let found = proposed(&position, roles, &segment, t_us);
        for &ply in &legal {
            let expected = weigh(ply);
            let of_ply: Vec<f64> =
                found.iter().filter(|(other, _)| *other == ply).map(|(_, weight)| *weight).collect();
            if reads_so(ply) && expected >= PROPOSED_FROM * best {
                prop_assert!(!of_ply.is_empty(), "{ply} is missing beside {made}");
            }
            for weight in of_ply {
                prop_assert!((weight - expected).abs() <= 1e-12 * expected, "{ply}: {weight} for {expected}");
            }
        }
    }
}
