//! Captures, arrivals and drops of one tray, by hand.

use crate::anomaly::trays::matching::*;

fn capture(layer: usize, press_us: u64) -> Capture {
    let begun_us = press_us - 3_000_000;
    Capture { place: (layer, 0), begun_us, press_us, role: Role::Knight, p: 1.0 }
}

fn drop(t_us: u64, role: Role, p: f64) -> TrayPiece {
    TrayPiece { t_us, dropped: Some((role, p)) }
}

/// Time at which the piece was laid into the tray, microseconds.
fn arrival_us(matched: &Matched) -> Option<u64> {
    matched.shown.filter(|shown| shown.dropped.is_none()).map(|shown| shown.t_us)
}

/// Time at which the piece was dropped out of the hand, microseconds.
fn dropped_us(matched: &Matched) -> Option<u64> {
    matched.shown.filter(|shown| shown.dropped.is_some()).map(|shown| shown.t_us)
}

#[test]
fn each_capture_gets_its_own_arrival_in_turn() {
    let mut passing = Passing::default();
    for (layer, press_us) in [(1, 5_000_000), (2, 6_500_000)] {
        passing.believe(layer, vec![capture(layer, press_us)], vec![]);
    }
    passing.slot(6_100_000, true);
    passing.slot(7_600_000, true);
    let arrivals: Vec<_> = passing.matched().iter().map(arrival_us).collect();
    assert_eq!(arrivals, [Some(6_100_000), Some(7_600_000)]);
}

#[test]
fn a_capture_is_not_judged_when_changes_since_then_are_forgotten() {
    let mut passing = Passing::default();
    passing.believe(1, vec![capture(1, 5_000_000)], vec![]);
    passing.slot(6_100_000, true);
    assert_eq!(arrival_us(&passing.matched()[0]), Some(6_100_000));
    // A child takes pieces out of a slot and puts them back.
    for time in 0..100 {
        passing.slot(20_000_000 + time * 1_000_000, time % 2 == 1);
    }
    assert!(passing.matched().iter().all(|matched| arrival_us(matched).is_some()));
    for time in 100..400 {
        passing.slot(20_000_000 + time * 1_000_000, time % 2 == 1);
    }
    assert_eq!(passing.matched(), [], "nobody can tell any more what became of it");
    passing.believe(9, vec![capture(9, 500_000_000)], vec![]);
    assert_eq!(passing.matched().len(), 1);
}

#[test]
fn an_arrival_shortly_before_a_press_is_no_late_piece_of_an_earlier_capture() {
    let arrived = |t_us| {
        let mut passing = Passing::default();
        for (layer, press_us) in [(1, 5_000_000), (2, 12_000_000)] {
            passing.believe(layer, vec![capture(layer, press_us)], vec![]);
        }
        passing.slot(t_us, true);
        passing.matched().iter().map(|matched| arrival_us(matched).is_some()).collect::<Vec<_>>()
    };
    assert_eq!(arrived(11_600_000), [false, true]);
    assert_eq!(arrived(8_500_000), [true, false]);
}

#[test]
fn a_piece_that_is_handed_over_long_before_the_press_of_its_ply_is_not_hidden() {
    let arrived = |begun_us| {
        let mut passing = Passing::default();
        let capture = Capture { begun_us, ..capture(1, 60_000_000) };
        passing.believe(1, vec![capture], vec![]);
        passing.slot(38_000_000, true);
        arrival_us(&passing.matched()[0])
    };
    assert_eq!(arrived(30_000_000), Some(38_000_000));
    assert_eq!(arrived(40_000_000), None, "it lay there before the turn began");
}

#[test]
fn a_piece_that_is_moved_to_another_slot_does_not_arrive() {
    let mut passing = Passing::default();
    passing.believe(1, vec![capture(1, 5_000_000)], vec![]);
    passing.slot(5_500_000, false);
    passing.slot(5_900_000, true);
    assert_eq!(arrival_us(&passing.matched()[0]), None);
    // Unless the one that was taken out was dropped.
    let role = Role::Pawn;
    passing.believe(2, vec![], vec![drop(6_500_000, role, 1.0)]);
    assert_eq!(arrival_us(&passing.matched()[0]), Some(5_900_000));
}

#[test]
fn a_piece_that_is_moved_to_another_slot_is_not_taken_out() {
    let mut passing = Passing::default();
    for (t_us, filled) in [(4_000_000, false), (5_000_000, false), (5_400_000, true)] {
        passing.slot(t_us, filled);
    }
    assert_eq!(passing.taken_out(3_000_000, 6_000_000), Some(4_000_000));
    assert_eq!(passing.taken_out(4_500_000, 6_000_000), None);
    // Before it lay there, nobody could know.
    assert_eq!(passing.taken_out(3_000_000, 5_300_000), Some(5_000_000));
}

#[test]
fn a_drop_out_of_a_slot_is_not_of_a_piece_that_never_lay_there() {
    let mut passing = Passing::default();
    passing.believe(1, vec![capture(1, 5_000_000)], vec![]);
    let role = Role::Knight;
    let of_role = |t_us| drop(t_us, role, 1.0);
    // A knight that had lain in the tray for long.
    passing.slot(7_000_000, false);
    passing.believe(2, vec![], vec![of_role(7_600_000)]);
    assert_eq!(dropped_us(&passing.matched()[0]), None);
    passing.believe(3, vec![], vec![of_role(9_000_000)]);
    assert_eq!(dropped_us(&passing.matched()[0]), Some(9_000_000));
}

#[test]
fn one_drop_from_the_hand_is_one_piece_the_one_held_for_longest() {
    let mut passing = Passing::default();
    for (layer, press_us) in [(1, 5_000_000), (2, 9_000_000)] {
        passing.believe(layer, vec![capture(layer, press_us)], vec![]);
    }
    let drop = drop(12_000_000, Role::Knight, 1.0);
    passing.believe(3, vec![], vec![drop]);
    let dropped: Vec<_> = passing.matched().iter().map(dropped_us).collect();
    assert_eq!(dropped, [Some(12_000_000), None]);
}

#[test]
fn a_drop_whose_role_is_doubtful_may_be_the_captured_piece() {
    let dropped = |p| {
        let mut passing = Passing::default();
        passing.believe(1, vec![capture(1, 5_000_000)], vec![]);
        let drop = drop(9_000_000, Role::Bishop, p);
        passing.believe(2, vec![], vec![drop]);
        dropped_us(&passing.matched()[0])
    };
    assert_eq!((dropped(0.999), dropped(0.7)), (None, Some(9_000_000)));
}

#[test]
fn a_piece_that_is_dropped_when_it_is_long_hidden_was_not_shown_in_time() {
    let mut passing = Passing::default();
    passing.believe(1, vec![capture(1, 5_000_000)], vec![]);
    let drop = drop(60_000_000, Role::Knight, 1.0);
    passing.believe(2, vec![], vec![drop]);
    assert_eq!(dropped_us(&passing.matched()[0]), None);
}

#[test]
fn a_capture_that_was_none_waits_for_nothing() {
    let mut passing = Passing::default();
    passing.believe(1, vec![capture(1, 5_000_000)], vec![]);
    passing.believe(1, vec![], vec![]);
    assert_eq!(passing.matched(), []);
}

#[test]
fn a_piece_that_is_moved_before_another_one_is_dropped_does_not_arrive() {
    let mut passing = Passing::default();
    passing.believe(1, vec![capture(1, 8_000_000)], vec![]);
    // A piece is moved, and another one is taken out and dropped.
    passing.slot(6_000_000, false);
    passing.slot(6_300_000, true);
    passing.slot(9_000_000, false);
    let drop = drop(10_500_000, Role::Pawn, 1.0);
    passing.believe(2, vec![], vec![drop]);
    assert_eq!(arrival_us(&passing.matched()[0]), None);
    assert_eq!(dropped_us(&passing.matched()[0]), None);
}
