//! The transitions proposed for a segment, against every legal ply weighed one by one, alone or
//! after another at every point where the segment may be cut.

use proptest::prelude::*;
use rules::{Bitboard, BoardId, Ply, Position, Reserve, Square, Supply};

use super::*;
use crate::{
    facts::{About, PlyFact, Said},
    observation::footprint::{Footprint, PredictedSquares},
    sensing::{
        clock::Timing,
        identity::{Identity, Levels},
        segment::Segment,
    },
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
fn closed_segment(position: &Position, segment: &Segment, t_us: u64) -> ClosedSegment {
    ClosedSegment::of_squares(BoardId::A, position.turn(), t_us, segment)
}

/// All transitions from `position`.
fn transitions(position: &Position, reserve: RoleSet, closed: &ClosedSegment) -> Transitions {
    let mut positions = no_positions();
    let id = positions.intern(PositionEntry::of(position.clone())).expect("room");
    let mut proposer = Proposer::new(closed, [reserve; 2], SearchEffort::Full, &mut positions);
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
    let found = transitions(position, reserve, &closed_segment(position, segment, t_us));
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
        let recent = [Bitboard::from_square(Square::E4), Bitboard::EMPTY];
        let usual = closed_segment(&position, &segment, 5_000_000);
        let closed = ClosedSegment { timing, recent, ..usual };
        let found = transitions(&position, RoleSet::NONE, &closed);
        let of_none = found.list.iter().find(|transition| transition.reserve_changes.is_empty());
        of_none.expect("never impossible").weight
    };
    use params::own_turn::{NO_PLY, NO_PLY_SPRUNG};
    assert_eq!([Some(110), Some(251), None].map(no_ply), [NO_PLY_SPRUNG, NO_PLY, NO_PLY]);
}

#[test]
fn press_before_the_first_ply_may_mean_that_black_begins() {
    let position = Position::initial();
    let segment = Segment::new(position.occupied());
    let closed = closed_segment(&position, &segment, 5_000_000);
    let found = transitions(&position, RoleSet::NONE, &closed);
    let weights: Vec<f64> = found.list.iter().map(|transition| transition.weight).collect();
    use params::own_turn::{BLACK_BEGINS, NO_PLY_AT_START};
    assert_eq!(weights, [NO_PLY_AT_START, NO_PLY_AT_START * BLACK_BEGINS]);
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
        // A piece that reads as if it had not moved is searched at exhaustive effort only.
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

/// The legal plies of a position in which both sides hold these pieces.
fn legal(position: &Position, reserve: &Reserve) -> Vec<Ply> {
    let mut legal = Vec::new();
    position.legal_plies(reserve, &mut legal);
    legal
}

/// A segment in which a hand changes these squares, one every 200 ms, and the time after it, microseconds.
fn changing(position: &Position, events: &[(Square, bool)]) -> (Segment, u64) {
    let mut segment = Segment::new(position.occupied());
    for (&(square, occupied), nth) in events.iter().zip(1..) {
        segment.read_square(nth * 200_000, square, occupied);
    }
    (segment, (events.len() as u64 + 4) * 200_000)
}

/// The likelihood of what a part of a segment read if `ply` was made in it, and whether the squares
/// read after it as they should.
fn part(position: &Position, ply: Ply, observation: &Observation, presser: Color) -> (f64, bool) {
    let before = PredictedSquares::of(position);
    let footprint = Footprint::of(position, ply, Supply::Partner);
    let after = footprint.apply(&before, position.turn());
    let Footprint { vacated, arrived, exchanged, .. } = footprint;
    let reads_so = (vacated & observation.after).is_empty()
        && ((arrived | exchanged) & !observation.after).is_empty()
        && (exchanged & !observation.touched).is_empty();
    (observation.likelihood(&footprint, &before, &after, presser), reads_so)
}

/// The weights of the transitions with this pattern and these plies.
fn weights(found: &Transitions, pattern: PressPattern, plies: &[Ply]) -> Vec<f64> {
    let is_of = |explanation: &Explanation| {
        let made = explanation.plies.iter().map(|made| made.ply);
        explanation.pattern == pattern && made.eq(plies.iter().copied())
    };
    let of_plies = found
        .list
        .iter()
        .filter(|transition| is_of(&found.explanations[transition.explanation as usize]));
    of_plies.map(|transition| transition.weight).collect()
}

/// Probability that a fact is wrong, and that a colour is read wrongly.
const MISTAKEN: f64 = 1e-6;
const WRONG_COLOUR: f64 = 2e-3;

/// A person's fact that `side` made this ply, or that it was another.
fn about(uci: Ply, made: bool, side: Color, t_us: u64) -> About {
    let said = match made {
        true => Said { uci: Some(uci), ..Said::default() },
        false => Said { not: vec![uci], ..Said::default() },
    };
    let (board, side, t_us) = (Some(BoardId::A), Some(side), Some(t_us));
    About { fact: PlyFact { ply: None, board, side, t_us, said }, later: false }
}

/// The colours of all pieces, one of them perhaps wrong.
fn colours(position: &Position, misread: Option<u16>) -> Vec<(Square, Color)> {
    let occupied = position.occupied().into_iter().enumerate();
    let read = occupied.filter_map(|(nth, square)| {
        let color = position.piece_at(square)?.color;
        let is_wrong = misread.is_some_and(|at| usize::from(at) % 32 == nth);
        Some((square, if is_wrong { color.other() } else { color }))
    });
    read.collect()
}

#[test]
fn a_fact_weighs_two_plies_of_one_segment_by_what_it_says_of_one() {
    let first = Position::initial();
    let plies = ["e2e4", "e7e5"].map(|uci| uci.parse::<Ply>().expect("a ply"));
    let mut second = first.clone();
    second.play(plies[0]);
    let footprints = [&first, &second].into_iter().zip(plies);
    let events: Vec<(Square, bool)> = footprints
        .flat_map(|(from, ply)| played(&Footprint::of(from, ply, Supply::Partner)))
        .collect();
    let (segment, t_us) = changing(&first, &events);
    let weight = |fact: Option<About>| {
        let facts = fact.into_iter().collect();
        let closed = ClosedSegment { facts, ..closed_segment(&first, &segment, t_us) };
        let found = transitions(&first, RoleSet::NONE, &closed);
        match weights(&found, PressPattern::Answered, &plies)[..] {
            [weight] => weight,
            ref weights => panic!("{weights:?}"),
        }
    };
    let before = weight(None);
    for (made, expected) in [(true, before), (false, before * MISTAKEN)] {
        let weight = weight(Some(about(plies[0], made, first.turn(), t_us)));
        assert!((weight - expected).abs() <= 1e-12 * expected, "{weight} for {expected}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn two_plies_weigh_as_much_as_at_the_best_of_all_points_where_a_piece_was_set_down(
        choices in proptest::collection::vec(any::<u16>(), 0..50),
        made in any::<[u16; 2]>(),
        held in proptest::array::uniform5(0..2_i8),
    ) {
        let reserve = Reserve::from_counts(held);
        let first = position(&choices, &reserve);
        let mut positions = vec![first.clone()];
        let (mut events, mut plies) = (Vec::new(), Vec::new());
        for choice in made {
            let now = positions.last().expect("one").clone();
            let possible = legal(&now, &reserve);
            prop_assume!(!possible.is_empty());
            let ply = possible[usize::from(choice) % possible.len()];
            events.extend(played(&Footprint::of(&now, ply, Supply::Partner)));
            plies.push(ply);
            let mut next = now;
            next.play_with(ply, Supply::Partner);
            positions.push(next);
        }
        let (segment, t_us) = changing(&first, &events);
        prop_assume!(segment.events.len() == events.len());
        let found = transitions(&first, RoleSet::held(&reserve), &closed_segment(&first, &segment, t_us));
        let explained = weights(&found, PressPattern::Answered, &plies);

        // Every point between two events at which a piece had just been set down. The pauses are all alike.
        let cuts = (1..events.len()).filter(|&cut| events[cut - 1].1);
        let weighed = cuts.map(|cut| {
            let earlier = Observation::between(&segment, 0, cut);
            let mut later = Observation::between(&segment, cut, events.len());
            later.look_ahead(t_us, &[]);
            let [a, b] = [(0, &earlier), (1, &later)]
                .map(|(nth, seen)| part(&positions[nth], plies[nth], seen, positions[nth].turn()));
            (params::own_turn::ANSWERED * params::PLY * a.0 * params::PLY * b.0, a.1 && b.1)
        });
        let weighed: Vec<(f64, bool)> = weighed.collect();
        let most = weighed.iter().map(|cut| cut.0).fold(0.0, f64::max);
        let readable = weighed.iter().filter(|cut| cut.1).map(|cut| cut.0).fold(0.0, f64::max);
        if readable >= found.best * PROPOSED_FROM * 10.0 {
            prop_assert_eq!(explained.len(), 1, "{:?} are missing", plies);
        }
        for weight in explained {
            prop_assert!(weight <= most * (1.0 + 1e-12), "{weight} for at most {most}");
            prop_assert!(weight >= readable * (1.0 - 1e-12), "{weight} for {readable}");
        }
    }

    #[test]
    fn a_press_by_the_other_side_was_made_for_the_ply_or_ends_a_ply_out_of_turn(
        choices in proptest::collection::vec(any::<u16>(), 0..50),
        choice: u16,
        held in proptest::array::uniform5(0..2_i8),
        out_of_turn: bool,
    ) {
        let reserve = Reserve::from_counts(held);
        let position = position(&choices, &reserve);
        let presser = position.turn().other();
        let (pattern, prior, mover) = match out_of_turn {
            false => (PressPattern::PressedForOther, params::other_turn::PRESSED_FOR_OTHER, presser.other()),
            true => (PressPattern::OutOfTurn, params::other_turn::OUT_OF_TURN, presser),
        };
        let of_mover = position.clone().with_turn(mover);
        let possible = legal(&of_mover, &reserve);
        prop_assume!(!possible.is_empty());
        let ply = possible[usize::from(choice) % possible.len()];
        let (segment, t_us) =
            changing(&position, &played(&Footprint::of(&of_mover, ply, Supply::Partner)));
        let closed = ClosedSegment::of_squares(BoardId::A, presser, t_us, &segment);
        let found = transitions(&position, RoleSet::held(&reserve), &closed);
        let observation = Observation::of(&segment, segment.events.len(), t_us);
        let (likelihood, reads_so) = part(&of_mover, ply, &observation, presser);
        let expected = prior * params::PLY * likelihood;
        let explained = weights(&found, pattern, &[ply]);
        if reads_so && expected >= found.best * PROPOSED_FROM {
            prop_assert_eq!(explained.len(), 1, "{} is missing", ply);
        }
        for weight in explained {
            prop_assert!((weight - expected).abs() <= 1e-12 * expected, "{weight} for {expected}");
        }
    }

    #[test]
    fn facts_and_colours_weigh_every_ply_by_what_they_say_of_it(
        choices in proptest::collection::vec(any::<u16>(), 0..50),
        choice: u16,
        told in proptest::option::of((any::<u16>(), any::<bool>())),
        misread in proptest::option::of(any::<u16>()),
        held in proptest::array::uniform5(0..2_i8),
    ) {
        let reserve = Reserve::from_counts(held);
        let position = position(&choices, &reserve);
        let possible = legal(&position, &reserve);
        prop_assume!(!possible.is_empty());
        let ply = possible[usize::from(choice) % possible.len()];
        let (segment, t_us) =
            changing(&position, &played(&Footprint::of(&position, ply, Supply::Partner)));
        let plain = closed_segment(&position, &segment, t_us);

        // Somebody says that it was this ply, or that it was not. Somebody reads the colours of all squares.
        let told = told.map(|(at, made)| (possible[usize::from(at) % possible.len()], made));
        let fact = told.map(|(uci, made)| about(uci, made, position.turn(), t_us));
        let mut after = position.clone();
        after.play_with(ply, Supply::Partner);
        let colours = colours(&after, misread);
        let mut identity = Identity::new(Levels::new(None, None));
        for &(square, color) in &colours {
            identity.read(1, square, readings::SquareReading::Side(color));
        }
        let closed = ClosedSegment {
            facts: fact.into_iter().collect(),
            identity: identity.identity(t_us),
            ..plain.clone()
        };
        let roles = RoleSet::held(&reserve);
        let [without, with] = [&plain, &closed].map(|closed| transitions(&position, roles, closed));
        for &other in &possible {
            let [before, found] =
                [&without, &with].map(|found| weights(found, PressPattern::Regular, &[other]));
            let ([before], [found]) = (&before[..], &found[..]) else { continue };
            let mut expected = *before;
            if told.is_some_and(|(uci, made)| (uci == other) != made) {
                expected *= MISTAKEN;
            }
            let mut then = position.clone();
            then.play_with(other, Supply::Partner);
            for &(square, color) in &colours {
                if then.piece_at(square).is_some_and(|piece| piece.color != color) {
                    expected *= WRONG_COLOUR / (1.0 - WRONG_COLOUR);
                }
            }
            prop_assert!((found - expected).abs() <= 1e-9 * expected, "{other}: {found} for {expected}");
        }
        if told == Some((ply, true)) && misread.is_none() {
            prop_assert_eq!(weights(&with, PressPattern::Regular, &[ply]).len(), 1);
        }
    }
}
