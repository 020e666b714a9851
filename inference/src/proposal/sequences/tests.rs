//! Segments of several plies, written by hand.

use rules::Square;

use super::*;
use crate::{
    proposal::split_points::{MAX_CUTS, MAX_CUTS_OF_MANY},
    sensing::segment::Segment,
};

/// Nobody may drop anything.
const NOTHING: (Supply, [RoleSet; 2]) = (Supply::Partner, [RoleSet::NONE; 2]);

fn best(plies: &[&str], events: &[(Square, bool)], sides: &[Color]) -> String {
    let mut position = Position::initial();
    for ply in plies {
        position.play(ply.parse().expect("a ply"));
    }
    let mut segment = Segment::new(position.occupied());
    for (index, &(square, occupied)) in events.iter().enumerate() {
        segment.read_square((index as u64 + 1) * 200_000, square, occupied);
    }
    let split_points = SplitPoints::new(MAX_CUTS_OF_MANY, &segment, events.len(), u64::MAX);
    explain(&split_points, (&position, Takeback::Nothing), sides, NOTHING, 0.0, &mut { MAX_NODES })
        .iter()
        .max_by(|a, b| a.weight.total_cmp(&b.weight))
        .map(|sequence| {
            let plies: Vec<_> =
                sequence.steps.iter().map(|step| step.candidate.ply.to_string()).collect();
            plies.join(" ")
        })
        .unwrap_or_default()
}

/// Both players' first ply, without a press.
fn a_ply_each() -> Segment {
    let mut segment = Segment::new(Position::initial().occupied());
    let events = [(Square::E2, false), (Square::E4, true), (Square::D7, false), (Square::D5, true)];
    for (time, (square, occupied)) in events.into_iter().enumerate() {
        segment.read_square(time as u64 * 300_000, square, occupied);
    }
    segment
}

#[test]
fn a_search_for_several_plies_ends_when_its_nodes_are_spent() {
    let segment = a_ply_each();
    let split_points = SplitPoints::new(MAX_CUTS, &segment, segment.events.len(), u64::MAX);
    let from = (&Position::initial(), Takeback::Nothing);
    // The number of sequences found with so many nodes, and the nodes that are left.
    let found = |most: usize| {
        let sides = [Color::White, Color::Black];
        let mut nodes = most;
        let found = explain(&split_points, from, &sides, NOTHING, 0.0, &mut nodes);
        (found.len(), nodes)
    };
    let (number, left) = found(MAX_NODES);
    assert_eq!(number, 1);
    let needed = MAX_NODES - left;
    assert_eq!(found(needed - 1), (0, 0));
    assert_eq!(found(needed).0, 1);
}

const WBW: [Color; 3] = [Color::White, Color::Black, Color::White];

#[test]
fn three_plies_without_a_press_are_told_apart_by_their_order() {
    let events = [
        (Square::E2, false),
        (Square::E4, true),
        (Square::D7, false),
        (Square::D5, true),
        (Square::D5, false),
        (Square::E4, false),
        (Square::D5, true),
    ];
    assert_eq!(best(&[], &events, &WBW), "e2e4 d7d5 e4d5");
}

#[test]
fn five_plies_without_a_press_are_two_forgotten_ones() {
    let events = [
        (Square::E2, false),
        (Square::E4, true),
        (Square::D7, false),
        (Square::D5, true),
        (Square::D5, false),
        (Square::E4, false),
        (Square::D5, true),
        (Square::G8, false),
        (Square::F6, true),
        (Square::B1, false),
        (Square::C3, true),
    ];
    let sides = [Color::White, Color::Black, Color::White, Color::Black, Color::White];
    assert_eq!(best(&[], &events, &sides), "e2e4 d7d5 e4d5 g8f6 b1c3");
}

#[test]
fn one_of_the_plies_may_be_a_silent_capture() {
    let mut segment = a_ply_each();
    // White takes on d5 without a trace, and a second later Black takes back.
    segment.read_square(2_000_000, Square::E4, false);
    segment.read_square(3_000_000, Square::D5, false);
    segment.read_square(3_200_000, Square::D8, false);
    segment.read_square(3_500_000, Square::D5, true);
    let mut position = Position::initial();
    for ply in ["e2e4", "d7d5"] {
        position.play(ply.parse().expect("a ply"));
    }
    segment.split(4);
    let found = explain(
        &SplitPoints::new(MAX_CUTS, &segment, 4, u64::MAX),
        (&position, Takeback::Nothing),
        &[Color::White, Color::Black],
        NOTHING,
        0.0,
        &mut { MAX_NODES },
    );
    let best = found.iter().max_by(|a, b| a.weight.total_cmp(&b.weight)).expect("a sequence");
    let plies: Vec<_> = best.steps.iter().map(|step| step.candidate.ply.to_string()).collect();
    assert_eq!(plies, ["e4d5", "d8d5"]);
}

#[test]
fn an_illegal_ply_and_what_puts_it_back_may_stand_in_one_segment() {
    let [f6, g1, g3, g8] = [Square::F6, Square::G1, Square::G3, Square::G8];
    let events = [(g1, false), (g3, true), (g8, false), (f6, true), (g3, false), (g1, true)];
    assert_eq!(best(&[], &events, &WBW), "g1g3 g8f6 g3g1");
    let mut segment = Segment::new(Position::initial().occupied());
    for (t_us, (square, occupied)) in (200_000..).step_by(200_000).zip(events) {
        segment.read_square(t_us, square, occupied);
    }
    let split_points = SplitPoints::new(MAX_CUTS, &segment, events.len(), u64::MAX);
    let (from, nodes) = ((&Position::initial(), Takeback::Nothing), &mut { MAX_NODES });
    let found = explain(&split_points, from, &WBW, NOTHING, 0.0, nodes);
    let two = params::PLY * params::PLY * params::BESIDE_ITS_AIM;
    let likely = |found: &Sequence| found.weight > 0.99 * two * params::TAKEN_BACK;
    assert!(found.iter().any(likely), "{found:?}");
}

#[test]
fn one_piece_may_move_twice() {
    let events = [
        (Square::E2, false),
        (Square::E4, true),
        (Square::D7, false),
        (Square::D6, true),
        (Square::E4, false),
        (Square::E5, true),
    ];
    assert_eq!(best(&[], &events, &WBW), "e2e4 d7d6 e4e5");
}
