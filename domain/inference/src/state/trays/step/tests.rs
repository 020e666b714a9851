//! Slots and plies, written by hand.

use rules::{BoardId, Color};

use super::*;

const OWNER: Seat = Seat { board: BoardId::B, color: Color::Black };
const SECOND: u64 = 1_000_000;

fn slot(t_us: u64, slot: u8, filled: bool) -> TrayEvent {
    TrayEvent { t_us, seat: OWNER.index(), slot, filled, role: None }
}

/// Lets deeds follow each other, each in a segment of its own with what the slots did before; returns the
/// likelihood of the likeliest way.
fn likelihood(steps: &[(u64, &[TrayEvent], TrayAction)]) -> f64 {
    let mut book = TrayBook::new([true; 4]);
    let mut ways: Branches = smallvec![(0, 1.0)];
    for &(t_us, events, tray_action) in steps {
        let mut step = TrayStep::new(&mut book, events, t_us);
        let mut next = Branches::new();
        for (id, weight) in ways {
            for (mut id, arrived) in step.enter(id) {
                let followed = step.follow(&mut id, OWNER, tray_action);
                next.push((id, weight * arrived * followed));
            }
        }
        ways = next;
    }
    ways.into_iter().map(|(_, weight)| weight).fold(0.0, f64::max)
}

const GETS_KNIGHT: TrayAction = TrayAction::Gets(Role::Knight);
const GETS_PAWN: TrayAction = TrayAction::Gets(Role::Pawn);

#[test]
fn a_drop_is_of_the_piece_whose_capture_filled_the_slot() {
    let filled = [slot(2 * SECOND, 0, true)];
    let later = [slot(7 * SECOND, 1, true), slot(20 * SECOND, 1, false)];
    let with = |role| {
        likelihood(&[
            (SECOND, &[], GETS_KNIGHT),
            (6 * SECOND, &filled, GETS_PAWN),
            (21 * SECOND, &later, TrayAction::Drop(role)),
        ])
    };
    assert!(with(Role::Pawn) > 0.5, "{}", with(Role::Pawn));
    assert!(with(Role::Knight) < 0.02 * with(Role::Pawn), "{}", with(Role::Knight));
    assert!(with(Role::Knight) > 0.0 && with(Role::Queen) > 0.0, "nothing is impossible");
}

#[test]
fn a_piece_that_changes_its_slot_stays_what_it_is() {
    let events = [
        slot(2 * SECOND, 0, true),
        slot(9 * SECOND, 0, false),
        slot(9_400_000, 5, true),
        slot(20 * SECOND, 5, false),
    ];
    let with = |role| {
        likelihood(&[(SECOND, &[], GETS_KNIGHT), (21 * SECOND, &events, TrayAction::Drop(role))])
    };
    assert!(with(Role::Knight) > 30.0 * with(Role::Pawn), "{}", with(Role::Knight));
}

#[test]
fn a_piece_that_came_early_is_tied_when_its_capture_is_complete() {
    let early = [slot(SECOND, 3, true)];
    let taken = [slot(8 * SECOND, 3, false)];
    let with = |role| {
        likelihood(&[
            (2 * SECOND, &early, GETS_KNIGHT),
            (9 * SECOND, &taken, TrayAction::Drop(role)),
        ])
    };
    assert!(with(Role::Knight) > 20.0 * with(Role::Pawn), "{}", with(Role::Knight));
}

#[test]
fn a_piece_kept_in_the_hand_can_be_dropped_without_a_slot() {
    let with = |events: &[TrayEvent]| {
        likelihood(&[
            (SECOND, &[], GETS_KNIGHT),
            (30 * SECOND, events, TrayAction::Other),
            (60 * SECOND, &[], TrayAction::Drop(Role::Knight)),
        ])
    };
    let kept = with(&[]);
    assert!((kept - params::HELD_BACK).abs() < 1e-12, "{kept}");
    let in_its_slot = with(&[slot(2 * SECOND, 0, true)]);
    assert!(in_its_slot < 0.1 * kept, "the slot still reads occupied");
}

#[test]
fn an_arrival_without_a_capture_speaks_for_a_capture() {
    let arrival = [slot(2 * SECOND, 0, true)];
    let captured =
        likelihood(&[(SECOND, &[], GETS_PAWN), (9 * SECOND, &arrival, TrayAction::Other)]);
    let not = likelihood(&[
        (SECOND, &[], TrayAction::GetsNothing),
        (9 * SECOND, &arrival, TrayAction::GetsNothing),
    ]);
    assert!(captured > 20.0 * not && not > 0.0, "{captured} {not}");
}
