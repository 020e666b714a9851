//! The product of transitions and joint hypotheses, against plain counts of pieces.

use action_model::ActionPrior;
use proptest::prelude::*;
use rules::{BoardId, Color, Role};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::*;
use crate::{
    proposal::closed_segment::SearchEffort,
    sensing::{segment::Segment, tray_log::TrayEvent},
    state::trays::TrayBook,
    trellis::Trellis,
};

mod choices;

/// The roles that small cases are about.
const ROLES: [Role; 2] = [Role::Pawn, Role::Queen];
/// Positions that hypotheses may have for the board that closes its segment.
const SOURCES: u16 = 2;

/// A ply of a transition: its side, and the roles that were dropped and captured, as indices of [`ROLES`].
type Change = (bool, Option<usize>, Option<usize>);
/// Source and target of a transition, its weight, and its plies.
type Case = (u16, u16, f64, Vec<Change>);
/// A hypothesis: its position, and how many pieces of each role each seat holds.
type Held = (u16, [[i8; 2]; 4]);

fn color(is_black: bool) -> Color {
    if is_black { Color::Black } else { Color::White }
}

fn hypothesis((source, counts): &Held) -> JointState {
    let mut state = JointState::empty_handed([*source, 9]);
    for (holding, counts) in state.holdings.iter_mut().zip(counts) {
        for (role, &count) in ROLES.into_iter().zip(counts) {
            (0..count).for_each(|_| holding.add(role));
            (count..0).for_each(|_| holding.take(role));
        }
        holding.fresh = RoleSet::NONE;
    }
    state
}

/// The counts of all reserves after the plies, and `p(reserves)`.
fn by_counts(counts: &[[i8; 2]; 4], plies: &[Change], supported: [bool; 2]) -> ([[i8; 2]; 4], f64) {
    let (mut counts, mut weight) = (*counts, 1.0);
    let owed =
        |counts: &[i8; 2]| counts.iter().map(|count| count.min(&0).unsigned_abs()).sum::<u8>();
    for &(is_black, drop, captured) in plies {
        let own = Seat { board: BoardId::A, color: color(is_black) };
        let partner = own.partner().index();
        if let Some(role) = drop {
            if counts[own.index()][role] <= 0 {
                let is_supported = supported[usize::from(is_black)];
                weight *=
                    if is_supported { params::DEBT_SUPPORTED } else { params::DEBT_UNSUPPORTED };
            }
            counts[own.index()][role] -= 1;
        }
        let before = owed(&counts[partner]);
        if let Some(role) = captured {
            counts[partner][role] += 1;
        }
        if before > 0 && owed(&counts[partner]) == before {
            weight *= params::DEBT_UNPAID;
        }
    }
    (counts, weight)
}

/// A position with the reserves of the four players, and its probability.
type Found = ((u16, [[i8; 2]; 4]), f64);

/// The hypotheses that all transitions lead to, each with the sum of its probabilities.
fn enumerated(cases: &[Case], held: &[(Held, f64)], supported: [bool; 2]) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for ((source, before), mass) in held {
        for (_, target, weight, plies) in cases.iter().filter(|case| case.0 == *source) {
            let (after, possible) = by_counts(before, plies, supported);
            let key = (*target, after);
            match found.iter_mut().find(|(known, _)| *known == key) {
                Some((_, sum)) => *sum += mass * weight * possible,
                None => found.push((key, mass * weight * possible)),
            }
        }
    }
    found
}

fn transitions(cases: &[Case]) -> Transitions {
    let mut transitions = Transitions { roles: [RoleSet::ALL; 2], ..Transitions::default() };
    for source in 0..SOURCES {
        let begin = transitions.list.len();
        for (_, target, weight, plies) in cases.iter().filter(|case| case.0 == source) {
            let role = |at: &Option<usize>| at.map(|at| ROLES[at]);
            let reserve_changes: SmallVec<[ReserveChange; 1]> = plies
                .iter()
                .map(|(is_black, drop, captured)| ReserveChange {
                    side: color(*is_black),
                    drop: role(drop),
                    captured: role(captured),
                    made: None,
                })
                .collect();
            transitions.list.push(Transition {
                weight: *weight,
                target: *target,
                explanation: 0,
                on_credit: 1,
                settled: true,
                reserve_changes,
            });
        }
        transitions.spans.insert(source, begin..transitions.list.len());
    }
    transitions
}

/// The hypotheses with their probabilities.
fn filter(states: Vec<JointState>, forward: Vec<f64>) -> Filter {
    let set_ups = vec![0; states.len()];
    Filter { states, trellis: Trellis::new(forward), roots: Vec::new(), set_ups, logs: Vec::new() }
}

fn proposal(transitions: Transitions, supported: FxHashMap<u16, [RoleSet; 2]>) -> Proposal {
    Proposal { effort: SearchEffort::Full, transitions, sources: Vec::new(), supported }
}

fn closed_segment() -> ClosedSegment {
    let segment = Segment::new(rules::Bitboard::EMPTY);
    ClosedSegment::of_squares(BoardId::A, Color::White, 0, &segment)
}

/// The reserves of a hypothesis, as counts by seat.
fn counts(state: &JointState) -> [[i8; 2]; 4] {
    state.holdings.map(|holding| ROLES.map(|role| holding.reserve.count(role)))
}

fn change() -> impl Strategy<Value = Change> {
    let role = || proptest::option::of(0..ROLES.len());
    (any::<bool>(), role(), role())
}

fn case() -> impl Strategy<Value = Case> {
    let plies = proptest::collection::vec(change(), 0..3);
    (0..SOURCES, 20..23_u16, 0.1..1.0, plies)
}

fn held() -> impl Strategy<Value = Held> {
    (0..SOURCES, proptest::array::uniform4(proptest::array::uniform2(-1..3_i8)))
}

proptest! {
    #[test]
    fn joint_hypotheses_are_those_that_counting_pieces_gives_with_the_same_probabilities(
        cases in proptest::collection::vec(case(), 1..6),
        held in proptest::collection::vec((held(), 0.1..1.0), 1..5),
        supported in any::<[bool; 2]>(),
    ) {
        let states: Vec<JointState> = held.iter().map(|(held, _)| hypothesis(held)).collect();
        let forward: Vec<f64> = held.iter().map(|(_, mass)| *mass).collect();
        let transitions = transitions(&cases);
        let roles = supported.map(|is| if is { RoleSet::ALL } else { RoleSet::NONE });
        let by_partner = FxHashMap::from_iter([(9, roles)]);
        let (filter, found) = (filter(states, forward.clone()), proposal(transitions, by_partner));
        let closed = closed_segment();
        let prior = &ActionPrior::uniform();
        let combiner =
            Combiner { closed: &closed, filter: &filter, prior, width: 512, found: &found };
        let mut trays = TrayBook::new([false; 4]);
        let events: [TrayEvent; 0] = [];
        let combined = combiner.join(&mut TrayStep::new(&mut trays, &events, 0));

        let expected = enumerated(&cases, &held, supported);
        let best = expected.iter().map(|(_, mass)| *mass).fold(0.0, f64::max);
        for (key, mass) in &expected {
            // States with equal counts may differ in what has just arrived.
            let same = combined.states.iter().zip(&combined.masses).filter(|(state, _)| {
                (state.boards[0], counts(state)) == *key && state.boards[1] == 9
            });
            let found: f64 = same.map(|(_, mass)| mass).sum();
            prop_assert!(
                (found - mass).abs() <= 1e-12 + best * 10.0 * MIN_TRANSITION_WEIGHT,
                "{key:?}: {found} for {mass}"
            );
        }
        let total: f64 = expected.iter().map(|(_, mass)| mass).sum();
        prop_assert!((combined.masses.iter().sum::<f64>() - total).abs() <= 1e-9 * total.max(1.0));
        prop_assert!((combined.evidence - total).abs() <= 1e-9 * total.max(1.0));

        // Nothing is cut from so few: the edges into each hypothesis carry its mass.
        let node_masses = combined.masses.clone();
        for (node, mass) in node_masses.iter().enumerate() {
            let of_node = combined.edges.iter().filter(|edge| edge.0 == node as u32);
            let sum: f64 = of_node.map(|(_, edge)| forward[usize::from(edge.from)] * edge.weight).sum();
            prop_assert!((sum - mass).abs() <= 1e-12 * total.max(1.0));
        }
    }

    #[test]
    fn drop_of_a_piece_that_is_not_held_is_explained_as_one_on_credit(count in -1..3_i8, is_black: bool) {
        let mut counts = [[0; 2]; 4];
        let seat = Seat { board: BoardId::A, color: color(is_black) };
        counts[seat.index()][0] = count;
        let states = vec![hypothesis(&(0, counts))];
        let transitions = transitions(&[(0, 20, 0.5, vec![(is_black, Some(0), None)])]);
        let found = proposal(transitions, FxHashMap::default());
        let (filter, closed) = (filter(states, vec![1.0]), closed_segment());
        let prior = &ActionPrior::uniform();
        let combiner =
            Combiner { closed: &closed, filter: &filter, prior, width: 512, found: &found };
        let mut trays = TrayBook::new([false; 4]);
        let combined = combiner.join(&mut TrayStep::new(&mut trays, &[], 0));
        let explanations: Vec<u32> = combined.edges.iter().map(|(_, edge)| edge.explanation).collect();
        prop_assert_eq!(explanations, [u32::from(count <= 0)]);
    }
}
