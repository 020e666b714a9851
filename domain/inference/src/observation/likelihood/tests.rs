//! Likelihoods of small segments, compared with one another.

use rules::{Ply, Position, Supply};

use super::*;
use crate::sensing::segment::Segment;

const INITIAL: Bitboard = Bitboard(0xffff_0000_0000_ffff);

fn observe(events: &[(Square, bool)]) -> Observation {
    let mut segment = Segment::new(INITIAL);
    for (index, &(square, occupied)) in events.iter().enumerate() {
        segment.read_square(index as u64 + 1, square, occupied);
    }
    Observation::of(&segment, events.len(), u64::MAX)
}

fn likelihood(observation: &Observation, ply: &str) -> f64 {
    let position = Position::initial();
    let ply: Ply = ply.parse().expect("a ply");
    let footprint = Footprint::of(&position, ply, Supply::Partner);
    let before = PredictedSquares::of(&position);
    let after = footprint.apply(&before, Color::White);
    observation.likelihood(&footprint, &before, &after, Color::White)
}

#[test]
fn a_clean_ply_is_certain_to_look_as_it_does() {
    let observation = observe(&[(Square::E2, false), (Square::E4, true)]);
    assert_eq!(likelihood(&observation, "e2e4"), 1.0);
    assert!(likelihood(&observation, "e2e3") < 1e-4);
    assert!(likelihood(&observation, "d2d4") < 1e-6);
}

#[test]
fn squares_on_the_way_cost_less_than_squares_beside_it() {
    let dragged = observe(&[
        (Square::E2, false),
        (Square::E3, true),
        (Square::E3, false),
        (Square::E4, true),
    ]);
    let disturbed = observe(&[
        (Square::E2, false),
        (Square::D3, true),
        (Square::D3, false),
        (Square::E4, true),
    ]);
    assert!(likelihood(&dragged, "e2e4") > likelihood(&disturbed, "e2e4"));
}

/// Likelihood of `ply` after `plies`, with these events, milliseconds, and a press. The piece on
/// the `unread` square is not read at first.
fn pressed(
    (plies, ply): (&[&str], &str),
    unread: Option<Square>,
    events: &[(u64, Square, bool)],
    press_ms: u64,
) -> f64 {
    let mut position = Position::initial();
    for ply in plies {
        position.play(ply.parse().expect("a ply"));
    }
    let (turn, squares) = (position.turn(), position.occupied());
    let mut segment = Segment::new(unread.map_or(squares, |unread| squares.without(unread)));
    for &(t_ms, square, occupied) in events {
        segment.read_square(1_000 * t_ms, square, occupied);
    }
    let count = events.iter().filter(|event| event.0 <= press_ms).count();
    let footprint = Footprint::of(&position, ply.parse().expect("a ply"), Supply::Partner);
    let before = PredictedSquares::of(&position);
    let after = footprint.apply(&before, turn);
    Observation::of(&segment, count, 1_000 * press_ms).likelihood(&footprint, &before, &after, turn)
}

const TAKES: (&[&str], &str) = (&["e2e4", "d7d5"], "e4d5");

#[test]
fn what_takes_after_its_press_does_not_count_as_left_again() {
    let events = [(0, Square::E4, false), (300, Square::D5, false), (450, Square::D5, true)];
    assert_eq!(pressed(TAKES, None, &events, 250), p::SWAP_UNSEEN);
}

#[test]
fn a_piece_that_comes_to_stand_beside_a_capture_later_was_not_pushed_there() {
    let beside = |t_ms| {
        let mut events = vec![
            (0, Square::E4, false),
            (300, Square::D5, false),
            (360, Square::D5, true),
            (t_ms, Square::D6, true),
        ];
        events.sort_by_key(|event| event.0);
        pressed(TAKES, None, &events, 2_000)
    };
    assert_eq!(beside(330), p::PUSHED_ASIDE);
    assert!(beside(1_500) < 1e-3 * p::PUSHED_ASIDE);
}

#[test]
fn what_is_off_its_square_for_long_was_not_only_touched() {
    let touched_for = |ms: u64| {
        let events = [(100, Square::G1, false), (100 + ms, Square::G1, true)];
        let ply = [(100 + ms, Square::E2, false), (300 + ms, Square::E4, true)];
        pressed((&[], "e2e4"), None, &[&events[..], &ply].concat(), 500 + ms)
    };
    assert_eq!(touched_for(600), p::RESTORED.of(1));
    assert_eq!(touched_for(4_000), p::RESTORED.of(1) * p::OUTLASTING);
}

#[test]
fn a_promoted_piece_that_lies_unseen_is_not_touched_for_nothing() {
    let promoted: (&[&str], &str) = (&["P@b7", "e7e6", "b7a8q"], "e6e5");
    let ply = [(800, Square::E6, false), (1_000, Square::E5, true)];
    let touch = [(100, Square::A8, true), (400, Square::A8, false)];
    assert_eq!(pressed(promoted, Some(Square::A8), &ply, 1_500), 1.0);
    let touched = pressed(promoted, Some(Square::A8), &[touch, ply].concat(), 1_500);
    assert_eq!(touched, p::RESTORED.of(1));
}

#[test]
fn a_square_that_stays_occupied_long_before_the_press_was_not_dragged_over() {
    let mut segment = Segment::new(INITIAL);
    segment.read_square(0, Square::E2, false);
    segment.read_square(300_000, Square::E3, true);
    let on_its_way = Observation::of(&segment, 2, 340_000);
    let standing = Observation::of(&segment, 2, 900_000);
    assert!(likelihood(&on_its_way, "e2e4") > 1e3 * likelihood(&standing, "e2e4"));
}

/// A pawn's move that is answered at once, by a pawn that is read on its way until `opens_us`.
fn answered_at_once(opens_us: u64) -> Segment {
    let mut segment = Segment::new(INITIAL);
    segment.read_square(0, Square::E2, false);
    segment.read_square(300_000, Square::E4, true);
    segment.read_square(500_000, Square::E7, false);
    segment.read_square(600_000, Square::E6, true);
    segment.read_square(opens_us, Square::E6, false);
    segment
}

#[test]
fn a_square_that_is_only_passed_while_the_clock_is_pressed_is_no_landing() {
    let passing =
        |opens_us| likelihood(&Observation::of(&answered_at_once(opens_us), 4, 610_000), "e2e4");
    assert!(passing(650_000) > 1e3 * passing(900_000));
}

#[test]
fn squares_that_the_answer_passes_right_after_the_press_say_nothing_of_the_ply() {
    let answered =
        |opens_us| likelihood(&Observation::of(&answered_at_once(opens_us), 2, 400_000), "e2e4");
    assert_eq!(answered(650_000), 1.0);
    assert_eq!(answered(900_000), p::AFTERSHOCK);
}

#[test]
fn a_piece_that_is_set_down_on_its_target_twice_is_less_likely_than_one_that_stays() {
    let placed = |again_us: Option<u64>| {
        let mut segment = Segment::new(INITIAL);
        segment.read_square(0, Square::E2, false);
        segment.read_square(300_000, Square::E4, true);
        if let Some(t_us) = again_us {
            segment.read_square(t_us, Square::E4, false);
            segment.read_square(t_us + 50_000, Square::E4, true);
        }
        let count = segment.events.len();
        likelihood(&Observation::of(&segment, count, 2_000_000), "e2e4")
    };
    assert_eq!(placed(Some(350_000)), placed(None), "a contact that bounces says nothing");
    assert!(placed(Some(900_000)) < 0.2 * placed(None));
}

#[test]
fn a_piece_in_hand_when_the_clock_stops_is_less_likely_than_the_beginning_of_an_answer() {
    let mut lifted = observe(&[(Square::E2, false), (Square::E4, true), (Square::D7, false)]);
    let before_a_press = likelihood(&lifted, "e2e4");
    lifted.stopped = true;
    assert!(likelihood(&lifted, "e2e4") < 0.2 * before_a_press);
}

#[test]
fn a_piece_that_rolls_on_after_an_accident_is_no_piece_from_nowhere() {
    let rolled = |missing: &[Square]| {
        let start = missing.iter().fold(INITIAL, |squares, &square| squares.without(square));
        let mut segment = Segment::new(start);
        segment.read_square(1, Square::E3, true);
        let observation = Observation::of(&segment, 1, u64::MAX);
        let position = Position::initial();
        let expected = PredictedSquares::of(&position);
        observation.likelihood(&Footprint::default(), &expected, &expected, Color::White)
    };
    let after_an_accident = rolled(&[Square::D2, Square::E2, Square::F2]);
    let undisturbed = rolled(&[]);
    // The pieces that are still missing have a factor of their own.
    assert!(after_an_accident > 1e2 * undisturbed * power(p::PERSISTS, 3));
}

/// Likelihood of e2 to e4 while pieces fall onto other squares and are put back. The piece on
/// `touched` is lifted and put back before they fall.
fn played_amid_an_accident(touched: Option<Square>, pieces: &[(Square, Square)]) -> f64 {
    let mut segment = Segment::new(INITIAL);
    let mut t_us = 0;
    let mut read = |after_us: u64, square: Square, occupied: bool| {
        t_us += after_us;
        segment.read_square(t_us, square, occupied);
    };
    if let Some(square) = touched {
        read(0, square, false);
        read(100_000, square, true);
    }
    read(400_000, Square::E2, false);
    read(300_000, Square::E4, true);
    for &(from, onto) in pieces {
        read(10_000, from, false);
        read(10_000, onto, true);
    }
    for &(from, onto) in pieces {
        read(600_000, onto, false);
        read(300_000, from, true);
    }
    likelihood(&Observation::of(&segment, usize::MAX, u64::MAX), "e2e4")
}

#[test]
fn a_piece_that_was_touched_at_another_time_hides_no_accident() {
    let fallen = [(Square::C2, Square::C3), (Square::D2, Square::D3), (Square::B2, Square::A3)];
    let accident = played_amid_an_accident(None, &fallen);
    let touched_too = played_amid_an_accident(Some(Square::G1), &fallen);
    let touched = p::RESTORED.of(1);
    assert!((touched_too / (accident * touched) - 1.0).abs() < 0.1, "{touched_too} {accident}");
}

#[test]
fn an_early_hand_of_the_opponent_is_likelier_than_a_lifted_own_piece() {
    let opponent = observe(&[(Square::E2, false), (Square::E4, true), (Square::E7, false)]);
    let own = observe(&[(Square::E2, false), (Square::E4, true), (Square::D2, false)]);
    assert!(likelihood(&opponent, "e2e4") > 10.0 * likelihood(&own, "e2e4"));
}

#[test]
fn a_piece_set_down_before_it_was_lifted_is_doubtful() {
    let observation = observe(&[(Square::E4, true), (Square::E2, false)]);
    assert_eq!(likelihood(&observation, "e2e4"), p::OUT_OF_ORDER);
}

#[test]
fn a_difference_that_nobody_puts_right_for_three_segments_is_a_sensor_that_fails() {
    // The piece on a2 is never read; nothing else changes but the piece that is moved.
    let after = |segments: u8| {
        let mut segment = Segment::new(INITIAL.without(Square::A2));
        (0..segments).for_each(|_| segment.split(0));
        segment.read_square(1, Square::E2, false);
        segment.read_square(2, Square::E4, true);
        likelihood(&Observation::of(&segment, 2, u64::MAX), "e2e4")
    };
    assert_eq!(after(2), after(0));
    assert!(after(3) > 5.0 * after(2));
}

#[test]
fn a_capture_where_the_victim_was_not_read_for_long_need_not_be_read() {
    let position = Position::initial();
    let (before, ply) = (PredictedSquares::of(&position), "d1d2".parse().expect("a ply"));
    let footprint = Footprint::of(&position, ply, Supply::Partner);
    let after = footprint.apply(&before, Color::White);
    let unread = |segments: u8| {
        let mut segment = Segment::new(INITIAL.without(Square::D2));
        (0..segments).for_each(|_| segment.split(0));
        segment.read_square(1, Square::D1, false);
        let observation = Observation::of(&segment, 1, u64::MAX);
        observation.likelihood(&footprint, &before, &after, Color::White)
    };
    assert_eq!((unread(2), unread(3)), (p::LATE_BEYOND, p::UNREAD_AT_REST));
}

#[test]
fn a_square_that_changes_is_not_at_rest() {
    let mut segment = Segment::new(INITIAL);
    (0..3).for_each(|_| segment.split(0));
    assert_eq!(segment.at_rest(3), Bitboard::FULL);
    segment.read_square(1, Square::E2, false);
    segment.split(1);
    assert_eq!(segment.at_rest(1), Bitboard::FULL.without(Square::E2));
}
