//! Segments of several plies, written by hand.

use rules::Square;

use super::*;
use crate::{
    proposal::split_points::{MAX_CUTS, MAX_CUTS_OF_MANY},
    sensing::segment::Segment,
};

/// No drops.
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
    explain(
        &split_points,
        (&position, Takeback::Nothing),
        sides,
        NOTHING,
        0.0,
        SearchEffort::Full,
        &mut NodeBudget::WHOLE.clone(),
    )
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
    let found = |narrow: usize| {
        let sides = [Color::White, Color::Black];
        let mut nodes = NodeBudget { narrow, wide: 0 };
        let full = SearchEffort::Full;
        let found = explain(&split_points, from, &sides, NOTHING, 0.0, full, &mut nodes);
        (found.len(), nodes.narrow)
    };
    let (number, left) = found(MAX_NODES);
    assert_eq!(number, 1);
    let needed = MAX_NODES - left;
    assert_eq!(found(needed - 1), (0, 0));
    assert_eq!(found(needed).0, 1);
}

#[test]
fn a_wide_search_that_spends_its_nodes_loses_nothing_that_the_narrow_one_finds() {
    let segment = a_ply_each();
    let split_points = SplitPoints::new(MAX_CUTS, &segment, segment.events.len(), u64::MAX);
    let from = (&Position::initial(), Takeback::Nothing);
    let mut nodes = NodeBudget { wide: 1, ..NodeBudget::WHOLE };
    let (sides, effort) = ([Color::White, Color::Black], SearchEffort::Exhaustive);
    let found = explain(&split_points, from, &sides, NOTHING, 0.0, effort, &mut nodes);
    let plies = |found: &Sequence| -> Vec<String> {
        found.steps.iter().map(|step| step.candidate.ply.to_string()).collect()
    };
    assert_eq!(
        (nodes.wide, found.iter().map(plies).collect()),
        (0, vec![["e2e4", "d7d5"].map(String::from).to_vec()])
    );
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
fn pieces_may_fall_and_be_put_back_amid_plies_without_a_press_if_that_is_asked_for() {
    use Square::{A5, A6, A7, B1, B6, B7, C3, C6, C7, E6, E7};
    let mut segment = a_ply_each();
    // Four pieces roll off their squares and are put back, one of them onto a wrong square first;
    // White plays on.
    let fallen = [A7, A6, B7, B6, C7, C6, E7, E6];
    for (square, t_us) in fallen.into_iter().zip((1_000_000..).step_by(20_000)) {
        segment.read_square(t_us, square, [A6, B6, C6, E6].contains(&square));
    }
    let put_back = [A6, A5, A5, A7, B6, B7, C6, C7, E6, E7, B1, C3];
    for (square, t_us) in put_back.into_iter().zip((2_000_000..).step_by(400_000)) {
        segment.read_square(t_us, square, !segment.now.contains(square));
    }
    let split_points = SplitPoints::new(MAX_CUTS_OF_MANY, &segment, segment.events.len(), u64::MAX);
    let nodes = &mut NodeBudget::WHOLE.clone();
    let effort = SearchEffort::Exhaustive;
    let from = (&Position::initial(), Takeback::Nothing);
    let found = explain(&split_points, from, &WBW, NOTHING, 0.0, effort, nodes);
    let best = found.iter().max_by(|a, b| a.weight.total_cmp(&b.weight)).expect("a sequence");
    let plies = best.steps.iter().map(|step| step.candidate.ply.to_string());
    assert_eq!(plies.collect::<Vec<_>>(), ["e2e4", "d7d5", "b1c3"]);
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
        SearchEffort::Full,
        &mut NodeBudget::WHOLE.clone(),
    );
    let best = found.iter().max_by(|a, b| a.weight.total_cmp(&b.weight)).expect("a sequence");
    let plies: Vec<_> = best.steps.iter().map(|step| step.candidate.ply.to_string()).collect();
    assert_eq!(plies, ["e4d5", "d8d5"]);
}

#[test]
fn two_plies_of_a_sequence_may_be_silent_captures_if_that_is_asked_for() {
    let mut position = Position::initial();
    for ply in ["e2e4", "d7d5"] {
        position.play(ply.parse().expect("a ply"));
    }
    let mut segment = Segment::new(position.occupied());
    // Both pawn and queen take on d5 without a trace, and a knight comes out.
    for (t_s, square, occupied) in [
        (1, Square::E4, false),
        (2, Square::D8, false),
        (3, Square::B1, false),
        (4, Square::C3, true),
    ] {
        segment.read_square(1_000_000 * t_s, square, occupied);
    }
    let split_points = SplitPoints::new(MAX_CUTS, &segment, 4, u64::MAX);
    let found = |effort| {
        let sequences = explain(
            &split_points,
            (&position, Takeback::Nothing),
            &WBW,
            NOTHING,
            0.0,
            effort,
            &mut NodeBudget::WHOLE.clone(),
        );
        sequences.iter().any(|sequence| {
            let plies = sequence.steps.iter().map(|step| step.candidate.ply.to_string());
            plies.eq(["e4d5", "d8d5", "b1c3"])
        })
    };
    assert!(found(SearchEffort::Exhaustive) && !found(SearchEffort::Full));
}

#[test]
fn the_first_of_several_plies_may_be_a_drop_that_is_read_last_if_that_is_asked_for() {
    // White's piece is read when Black has answered and White has pressed.
    let mut segment = Segment::new(Position::initial().occupied());
    for (t_ms, square, occupied) in
        [(0, Square::D7, false), (300, Square::D5, true), (900, Square::H5, true)]
    {
        segment.read_square(1_000 * t_ms, square, occupied);
    }
    let split_points = SplitPoints::new(MAX_CUTS, &segment, 2, 400_000);
    let from = (&Position::initial(), Takeback::Nothing);
    let found = |effort| {
        let nodes = &mut NodeBudget::WHOLE.clone();
        explain(
            &split_points,
            from,
            &WBW[..2],
            (Supply::Partner, [RoleSet::ALL; 2]),
            0.0,
            effort,
            nodes,
        )
        .iter()
        .any(|sequence| {
            let plies = sequence.steps.iter().map(|step| step.candidate.ply.to_string());
            plies.eq(["N@h5", "d7d5"])
        })
    };
    assert!(found(SearchEffort::Exhaustive) && !found(SearchEffort::Full));
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
    let (from, nodes) = ((&Position::initial(), Takeback::Nothing), &mut NodeBudget::WHOLE.clone());
    let found = explain(&split_points, from, &WBW, NOTHING, 0.0, SearchEffort::Full, nodes);
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
