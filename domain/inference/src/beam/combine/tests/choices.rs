//! Choices and trays as factors of joint hypotheses, against lists of all choices and of all slots.

use action_model::{ActionClass, ActionPrior, ActionTotals, DropsThere};
use libm::pow;
use proptest::prelude::*;
use rules::{BoardId, Color, Seat};
use rustc_hash::FxHashMap;

use super::{
    Case, Found, Held, MIN_TRANSITION_WEIGHT, ROLES, SOURCES, by_counts, closed_segment, color,
    counts, filter, held, hypothesis, proposal, transitions,
};
use crate::{
    beam::combine::Combiner,
    params,
    proposal::transitions::{ChosenAction, Transitions},
    sensing::tray_log::TrayEvent,
    state::{
        joint_state::JointState,
        trays::{Content, TrayBook, TrayStep},
    },
};

/// The weights of the moves that a player has in every small position.
const MOVES: [f64; 2] = [3.0, 1.0];
/// The weights of the drops on two squares, each of the first of [`ROLES`] and of the second.
const DROPS: [[f32; 2]; 2] = [[2.0, 8.0], [5.0, 1.0]];
/// The end of the segment, and when slots changed in it, microseconds.
const END_US: u64 = 10_000_000;
const CHANGED_US: u64 = 9_000_000;
/// White at board A, whose tray is examined, and the player who gets White's captures.
const WHITE: Seat = Seat { board: BoardId::A, color: Color::White };

/// A player's choice: a move, or a drop of a role on a square, by their indices.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Choice {
    Move(usize),
    Drop { role: usize, square: usize },
}

/// A ply among all that its player could have done: the choice, and the role that was captured.
type ChosenPly = (bool, Choice, Option<usize>);
/// The slot that White has perhaps emptied, and whether a piece has arrived early in the tray of
/// White's partner.
type SlotChanges = (Option<usize>, bool);
/// The same as [`Case`], for chosen plies.
type ChosenCase = (u16, u16, f64, Vec<ChosenPly>);

impl Choice {
    fn weight(self) -> f64 {
        match self {
            Choice::Move(at) => MOVES[at],
            Choice::Drop { role, square } => f64::from(DROPS[square][role]),
        }
    }

    fn role(self) -> Option<usize> {
        match self {
            Choice::Move(_) => None,
            Choice::Drop { role, .. } => Some(role),
        }
    }

    /// All that a player with these pieces could have done, who chose this.
    fn alternatives(self, held: &[i8; 2]) -> Vec<Choice> {
        let roles = (0..2).filter(|&role| held[role] > 0 || self.role() == Some(role));
        let drops = roles.flat_map(|role| (0..2).map(move |square| Choice::Drop { role, square }));
        (0..MOVES.len()).map(Choice::Move).chain(drops).collect()
    }

    /// Its odds against an average ply, as evidence.
    fn preference(self, held: &[i8; 2]) -> f64 {
        let all = self.alternatives(held);
        let sum = |of: &dyn Fn(&Choice) -> bool| -> f64 {
            all.iter().filter(|choice| of(choice)).map(|choice| choice.weight()).sum()
        };
        let of_kind = sum(&|other| other.role().is_some() == self.role().is_some());
        let kind = of_kind / sum(&|_| true);
        let mut q = pow(self.weight() / of_kind / params::PLY, 0.75) * pow(kind, 0.25);
        if let Choice::Drop { square: on, .. } = self {
            let there = sum(&|other| matches!(other, Choice::Drop { square, .. } if *square == on));
            q *= pow(self.weight() / there, 0.25);
        }
        let any = pow(1.0 / all.len() as f64 / params::PLY, 0.75);
        let only = pow(1.0 / params::PLY, 0.75);
        (1.0 - params::LAPSE_RATE) * q.min(only) + params::LAPSE_RATE * any
    }

    /// The same as the action weights of its position have it.
    fn action(self) -> ChosenAction {
        let weight = params::choice_speaks(self.weight());
        let average = ChosenAction { weight, ..ChosenAction::average(0) };
        let Choice::Drop { role, square } = self else { return average };
        let mut there = DropsThere { weights: [0.0; 5], checks: [false; 5] };
        for (role, weight) in DROPS[square].into_iter().enumerate() {
            there.weights[slot_of(role)] = weight;
        }
        let class = ActionClass::drop(slot_of(role), false);
        ChosenAction { class, drop: Some((slot_of(role) as u8, there)), ..average }
    }
}

fn slot_of(role: usize) -> usize {
    rules::Reserve::slot(ROLES[role]).expect("a role of reserves")
}

/// The sums over all actions of every small position.
fn totals() -> ActionTotals {
    let mut totals = ActionTotals { moves: MOVES.len() as u16, ..ActionTotals::default() };
    totals.sums[ActionClass::QUIET.index()] = MOVES.iter().sum();
    for role in 0..ROLES.len() {
        totals.drops[slot_of(role)] = DROPS.len() as u16;
        let on_squares = DROPS.iter().map(|square| f64::from(square[role])).sum();
        totals.sums[ActionClass::drop(slot_of(role), false).index()] = on_squares;
    }
    totals
}

/// Content of White's tray: each piece in a slot of its own, pawns first.
fn slots(held: &[i8; 2]) -> Vec<usize> {
    (0..2).flat_map(|role| (0..held[role]).map(move |_| role)).collect()
}

/// `p(trays)` of plies by both sides, one each at most. White has perhaps `emptied` a slot, and a
/// piece has perhaps `arrived` early in the tray of White's partner.
fn by_slots(counts: &[[i8; 2]; 4], plies: &[ChosenPly], (emptied, arrived): SlotChanges) -> f64 {
    use crate::state::trays::params::{
        ARRIVES_EARLY, FROM_NOWHERE, MISTAKEN, NEVER_CAPTURED, NOT_DROPPED, NOT_TAKEN,
        UNKNOWN_DROPPED,
    };
    let mut p = if arrived { ARRIVES_EARLY } else { 1.0 };
    for &(is_black, choice, captured) in plies {
        let seat = Seat { board: BoardId::A, color: color(is_black) };
        let mut lying = slots(&counts[seat.index()]);
        // None if nothing was taken out; else what lay in the slot, if anything did.
        let taken = emptied.filter(|_| seat == WHITE);
        let taken = taken.map(|at| (at < lying.len()).then(|| lying.remove(at)));
        let alike = lying.iter().filter(|&&role| Some(role) == choice.role()).count();
        p *= match (choice.role(), taken) {
            (None, None) => 1.0,
            (None, Some(_)) => NOT_DROPPED,
            (Some(_), None) => {
                if alike > 0 {
                    NOT_TAKEN
                } else {
                    FROM_NOWHERE
                }
            }
            (Some(_), Some(None)) => UNKNOWN_DROPPED,
            (Some(role), Some(Some(taken))) if role == taken => 1.0 / (alike + 1) as f64,
            // The piece that was taken out lies in the other's slot, or is still in the hand.
            (Some(_), Some(Some(_))) => {
                if alike > 0 {
                    MISTAKEN
                } else {
                    MISTAKEN * NOT_DROPPED
                }
            }
        };
        if seat == WHITE && arrived && captured.is_none() {
            p *= NEVER_CAPTURED;
        }
    }
    p
}

fn chosen_case() -> impl Strategy<Value = ChosenCase> {
    let choice = || {
        prop_oneof![
            (0..MOVES.len()).prop_map(Choice::Move),
            (0..2_usize, 0..2_usize).prop_map(|(role, square)| Choice::Drop { role, square }),
        ]
    };
    let ply = move || (choice(), proptest::option::of(0..ROLES.len()));
    let plies =
        (any::<bool>(), proptest::collection::vec(ply(), 0..3)).prop_map(|(first, plies)| {
            let sides = [first, !first];
            sides
                .into_iter()
                .zip(plies)
                .map(|(side, (choice, captured))| (side, choice, captured))
                .collect()
        });
    (0..SOURCES, 20..23_u16, 0.1..1.0, plies)
}

/// The case with its plies as counts of pieces have them.
fn plain((source, target, weight, plies): &ChosenCase) -> Case {
    let plies = plies.iter().map(|&(side, choice, captured)| (side, choice.role(), captured));
    (*source, *target, *weight, plies.collect())
}

/// The transitions of these cases, each ply with its choice.
fn chosen_transitions(cases: &[ChosenCase]) -> Transitions {
    let mut transitions = transitions(&cases.iter().map(plain).collect::<Vec<_>>());
    transitions.totals = vec![totals()];
    let of_source = |source| cases.iter().filter(move |case| case.0 == source);
    let cases = (0..SOURCES).flat_map(of_source);
    for (transition, case) in transitions.list.iter_mut().zip(cases) {
        for (change, (_, choice, _)) in transition.reserve_changes.iter_mut().zip(&case.3) {
            change.made = Some(choice.action());
        }
    }
    transitions
}

/// The hypotheses, with the pieces in their players' slots.
fn laid_out(held: &[(Held, f64)], book: &mut TrayBook) -> Vec<JointState> {
    let state = |(held, _): &(Held, f64)| {
        let mut trays = *book.known.get(0);
        for (tray, counts) in trays.iter_mut().zip(&held.1) {
            for (slot, role) in slots(counts).into_iter().enumerate() {
                tray.set_slot(slot as u8, Content::of(ROLES[role]));
            }
        }
        JointState { trays: book.known.intern(trays).expect("room"), ..hypothesis(held) }
    };
    held.iter().map(state).collect()
}

/// Changes of the slots.
fn events((emptied, arrived): SlotChanges) -> Vec<TrayEvent> {
    let event = |seat: Seat, slot: u8, filled| {
        let seat = seat.index();
        TrayEvent { t_us: CHANGED_US, seat, slot, filled, role: None }
    };
    let emptied = emptied.map(|slot| event(WHITE, slot as u8, false));
    let arrived = arrived.then(|| event(WHITE.partner(), 15, true));
    emptied.into_iter().chain(arrived).collect()
}

/// The hypotheses that all transitions lead to, each with the sum of its probabilities.
fn listed(cases: &[ChosenCase], held: &[(Held, f64)], changes: Option<SlotChanges>) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for ((source, before), mass) in held {
        for case in cases.iter().filter(|case| case.0 == *source) {
            let (_, target, weight, plies) = case;
            let (after, reserves) = by_counts(before, &plain(case).3, [false; 2]);
            let preference = |(is_black, choice, _): &ChosenPly| {
                let seat = Seat { board: BoardId::A, color: color(*is_black) };
                choice.preference(&before[seat.index()])
            };
            let chosen: f64 = plies.iter().map(preference).product();
            let trays = changes.map_or(1.0, |changes| by_slots(before, plies, changes));
            let p = mass * weight * reserves * chosen * trays;
            match found.iter_mut().find(|(known, _)| *known == (*target, after)) {
                Some((_, sum)) => *sum += p,
                None => found.push(((*target, after), p)),
            }
        }
    }
    found
}

proptest! {
    #[test]
    fn choices_and_trays_count_as_listing_all_choices_and_all_slots_says(
        cases in proptest::collection::vec(chosen_case(), 1..5),
        held in proptest::collection::vec((held(), 0.1..1.0), 1..4),
        changes in proptest::option::of((proptest::option::of(0..3_usize), any::<bool>())),
    ) {
        let mut book = TrayBook::new([changes.is_some(); 4]);
        let forward: Vec<f64> = held.iter().map(|(_, mass)| *mass).collect();
        let filter = filter(laid_out(&held, &mut book), forward);
        let found = proposal(chosen_transitions(&cases), FxHashMap::default());
        let closed = closed_segment();
        let prior = &ActionPrior::uniform();
        let combiner =
            Combiner { closed: &closed, filter: &filter, prior, width: 512, found: &found };
        let events = changes.map_or_else(Vec::new, events);
        let combined = combiner.join(&mut TrayStep::new(&mut book, &events, END_US));

        let expected = listed(&cases, &held, changes);
        let best = expected.iter().map(|(_, mass)| *mass).fold(0.0, f64::max);
        for (key, mass) in &expected {
            let same = combined.states.iter().zip(&combined.masses);
            let same = same.filter(|(state, _)| (state.boards[0], counts(state)) == *key);
            let found: f64 = same.map(|(_, mass)| mass).sum();
            prop_assert!(
                (found - mass).abs() <= best * (1e-12 + 10.0 * MIN_TRANSITION_WEIGHT),
                "{key:?}: {found} for {mass}"
            );
        }
    }
}
