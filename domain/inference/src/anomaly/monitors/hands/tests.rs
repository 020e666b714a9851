//! The fate of captured pieces, what is learnt and what is remembered, against plain lists; and
//! every detector once.

use proptest::prelude::*;
use rules::Square;

use super::*;
use crate::{
    anomaly::{
        segments::{context::tests::played, square_history::MAX_EVENTS},
        trays::matching::REMEMBERED,
    },
    report::AnomalyCode,
    sensing::segment::Segment,
};

/// JudgedSegments of a small case. Assumed.
const SEGMENTS: usize = 4;
/// Time between their presses, microseconds. Assumed: nothing of one segment is still under way at the next.
const APART_US: u64 = 60_000_000;

fn header() -> TraceHeader {
    let text = r#"{"twinboard":"trace","version":1,"match":"m","rulebook":"us-chess-bughouse-2018",
        "base_s":300,"delay_s":0,"boards":{"A":{"sensor":"reed","trays":true},
        "B":{"sensor":"reed","trays":true}}}"#;
    serde_json::from_str(text).expect("a header")
}

/// A position in which White may take a pawn or not.
fn position() -> Position {
    let mut position = Position::initial();
    for ply in ["e2e4", "d7d5"] {
        position.play(ply.parse().expect("a ply"));
    }
    position
}

fn press_us(segment: usize) -> u64 {
    (segment as u64 + 1) * APART_US
}

fn layer(segment: usize) -> Layer {
    Layer {
        board: BoardId::A,
        presser: Some(Color::White),
        t_us: press_us(segment),
        explanations: Vec::new(),
        edges: Vec::new(),
        forward: vec![1.0],
    }
}

/// A monitor of a match with a segment after each press, nothing believed of any.
fn monitor() -> HandMonitor {
    let mut monitor = HandMonitor::new(&header());
    monitor.start(BoardId::A, 1);
    for segment in 0..SEGMENTS {
        // The same position stands before each of them.
        monitor.put_right(BoardId::A);
        let squares = Segment::new(position().occupied());
        let t_us = press_us(segment);
        let closed = ClosedSegment::of_squares(BoardId::A, Color::White, t_us, &squares);
        monitor.close(segment, &closed, position());
    }
    monitor
}

/// Tells the monitor that the pawn was taken in a segment, or that nothing was. Returns the findings.
fn believe(monitor: &mut HandMonitor, segment: usize, captured: bool) -> Vec<Finding> {
    let ply = if captured { "e4d5" } else { "h2h3" };
    let estimate = played(ply, press_us(segment) / 1_000);
    monitor.judge(segment, &layer(segment), &estimate).0
}

/// The presses after which pieces are reported as hidden, and their places.
fn hidden(monitor: &mut HandMonitor) -> Vec<(BoardId, u64)> {
    let now_us = press_us(SEGMENTS) + APART_US;
    let found = monitor.hidden(now_us).into_iter().filter(|(_, finding)| finding.confidence > 0.5);
    let mut found: Vec<_> = found.map(|(board, finding)| (board, finding.t_us)).collect();
    found.sort_unstable();
    found
}

proptest! {
    #[test]
    fn pieces_that_were_captured_and_never_shown_are_hidden_and_no_others(
        captured in any::<[bool; SEGMENTS]>(),
        shown in any::<[bool; SEGMENTS]>(),
        after_us in 200_000..2_000_000_u64,
    ) {
        let mut monitor = monitor();
        let owner = Seat { board: BoardId::A, color: Color::White }.partner();
        for segment in 0..SEGMENTS {
            if captured[segment] && shown[segment] {
                monitor.tray(owner, press_us(segment) + after_us, true);
            }
            believe(&mut monitor, segment, captured[segment]);
        }
        let missing: Vec<usize> =
            (0..SEGMENTS).filter(|&segment| captured[segment] && !shown[segment]).collect();
        let found = hidden(&mut monitor);
        prop_assert_eq!(found.len(), missing.len(), "{:?} {:?}", found, missing);
        for ((board, t_us), segment) in found.into_iter().zip(missing) {
            prop_assert_eq!(board, owner.board);
            prop_assert!(t_us >= press_us(segment) && t_us < press_us(segment) + APART_US);
        }
    }

    #[test]
    fn what_was_believed_before_changes_nothing_of_what_is_found_by_what_is_believed_now(
        before in proptest::collection::vec((0..SEGMENTS, any::<bool>()), 0..12),
        captured in any::<[bool; SEGMENTS]>(),
        laid in proptest::collection::vec((0..SEGMENTS, -3_000_000..9_000_000_i64), 0..6),
    ) {
        let owner = Seat { board: BoardId::A, color: Color::White }.partner();
        let mut laid: Vec<u64> = laid
            .into_iter()
            .map(|(segment, after_us)| press_us(segment).saturating_add_signed(after_us))
            .collect();
        laid.sort_unstable();
        let (mut revised, mut fresh) = (monitor(), monitor());
        for monitor in [&mut revised, &mut fresh] {
            laid.iter().for_each(|&t_us| monitor.tray(owner, t_us, true));
        }
        for (segment, captured) in before {
            believe(&mut revised, segment, captured);
        }
        let in_trays = |finding: &Finding| finding.code == AnomalyCode::EarlyPass;
        let last = |monitor: &mut HandMonitor| -> Vec<Vec<Finding>> {
            (0..SEGMENTS).for_each(|segment| drop(believe(monitor, segment, captured[segment])));
            let again = (0..SEGMENTS).map(|segment| believe(monitor, segment, captured[segment]));
            again.map(|found| found.into_iter().filter(in_trays).collect()).collect()
        };
        prop_assert_eq!(last(&mut revised), last(&mut fresh));
        prop_assert_eq!(hidden(&mut revised), hidden(&mut fresh));
    }
}

#[test]
fn piece_that_is_shown_after_all_is_hidden_no_longer() {
    let mut monitor = monitor();
    believe(&mut monitor, 0, true);
    assert_eq!(hidden(&mut monitor).len(), 1);
    believe(&mut monitor, 0, false);
    let gone = monitor.hidden(press_us(SEGMENTS));
    assert!(gone.iter().all(|(_, finding)| finding.confidence == 0.0), "{gone:?}");
    assert_eq!(gone.len(), 1);
}

#[test]
fn a_piece_that_came_long_before_a_late_press_and_after_its_ply_was_not_passed_early() {
    let owner = Seat { board: BoardId::A, color: Color::White }.partner();
    let found = |landed_before_us, laid_before_us| {
        let mut monitor = monitor();
        monitor.tray(owner, press_us(0) - laid_before_us, true);
        let mut estimate = played("e4d5", press_us(0) / 1_000);
        estimate.plies[0].landed_us -= landed_before_us;
        let found = monitor.judge(0, &layer(0), &estimate).0;
        found.into_iter().filter(|finding| finding.code == AnomalyCode::EarlyPass).count()
    };
    assert_eq!(found(30_000_000, 22_000_000), 0, "the press was forgotten");
    assert_eq!(found(1_000_000, 22_000_000), 1, "the ply was not made yet");
    assert_eq!(found(1_000_000, 500_000), 1);
}

#[test]
fn a_hidden_piece_stays_reported_when_its_owner_shifts_pieces_in_the_tray() {
    let mut monitor = monitor();
    let owner = Seat { board: BoardId::A, color: Color::White }.partner();
    believe(&mut monitor, 1, true);
    let due_us = press_us(1) + 10_000_000;
    let found = monitor.hidden(due_us);
    assert!(found.len() == 1 && found[0].1.confidence > 0.5, "{found:?}");
    // More changes than are remembered, the oldest of them between the capture and the report.
    for shift in 0..200u64 {
        let out_us = press_us(1) - 5_000_000 + shift * 1_000_000;
        monitor.tray(owner, out_us, false);
        monitor.tray(owner, out_us + 300_000, true);
        let found = monitor.hidden(due_us.max(out_us + 300_000));
        assert!(found.iter().all(|(_, finding)| finding.confidence > 0.0), "{found:?}");
    }
}

/// Time from the lift of a knight to the end of a segment, microseconds.
const LIFTED_US: u64 = 1_500_000;

fn changed(monitor: &mut HandMonitor, t_us: u64, square: Square, occupied: bool) {
    monitor.square(BoardId::A, SquareEvent { t_us, square, occupied });
}

/// White's knight goes to c3, and lies there so long before the press that ends a segment, if it is
/// seen to land.
fn knight_moves(monitor: &mut HandMonitor, segment: usize, before_press_us: Option<u64>) {
    changed(monitor, press_us(segment) - LIFTED_US, Square::B1, false);
    if let Some(before_us) = before_press_us {
        changed(monitor, press_us(segment) - before_us, Square::C3, true);
    }
    // It is put back for the next segment, in which the same position stands.
    changed(monitor, press_us(segment) + 20_000_000, Square::C3, false);
    changed(monitor, press_us(segment) + 20_000_000, Square::B1, true);
}

proptest! {
    #[test]
    fn the_rate_of_the_other_hand_is_the_prior_and_what_was_found_when_each_press_was_judged_first(
        landed in proptest::array::uniform4(proptest::option::of(20_000..1_200_000_u64)),
        again in proptest::collection::vec(0..SEGMENTS, SEGMENTS),
    ) {
        let mut monitor = monitor();
        for (segment, &before_us) in landed.iter().enumerate() {
            knight_moves(&mut monitor, segment, before_us);
        }
        let judge = |monitor: &mut HandMonitor, segment: usize| -> f64 {
            let estimate = played("b1c3", press_us(segment) / 1_000);
            let found = monitor.judge(segment, &layer(segment), &estimate).0;
            let of_hand = found.iter().filter(|finding| finding.code == AnomalyCode::ClockHand);
            of_hand.map(|finding| finding.confidence).sum()
        };
        let (mut presses, mut other_hands) = (clock_hand::PRESSES, clock_hand::OTHER_HANDS);
        for (segment, again) in again.into_iter().enumerate() {
            let confidence = judge(&mut monitor, segment);
            if landed[segment].is_some() {
                (presses, other_hands) = (presses + 1.0, other_hands + confidence);
            }
            judge(&mut monitor, again.min(segment));
            prop_assert_eq!((monitor.presses, monitor.other_hands), (presses, other_hands));
        }
    }

    #[test]
    fn a_player_is_as_quick_as_if_each_segment_had_been_judged_once(
        landed in proptest::array::uniform4(20_000..1_200_000_u64),
        again in proptest::collection::vec(0..SEGMENTS, 0..9),
    ) {
        let (mut once, mut often) = (monitor(), monitor());
        for monitor in [&mut once, &mut often] {
            for (segment, &before_us) in landed.iter().enumerate() {
                knight_moves(monitor, segment, Some(before_us));
                let estimate = played("b1c3", press_us(segment) / 1_000);
                monitor.judge(segment, &layer(segment), &estimate);
            }
        }
        for segment in again {
            let estimate = played("b1c3", press_us(segment) / 1_000);
            often.judge(segment, &layer(segment), &estimate);
        }
        let quick = |monitor: &HandMonitor| {
            monitor.boards[0].hands.press_ms(Color::White, Square::C3).to_bits()
        };
        prop_assert_eq!(quick(&once), quick(&often));
    }

    #[test]
    fn a_segment_is_remembered_if_every_change_that_it_is_judged_by_is_among_those_kept(
        squares in proptest::collection::vec((0..SEGMENTS, 0..2_500_usize), 0..3),
        slots in proptest::collection::vec((0..SEGMENTS, 0..60_usize), 0..3),
        seat in 0..4_usize,
    ) {
        let mut monitor = monitor();
        // So many changes, evenly over the segments.
        let times = |bursts: &[(usize, usize)]| -> Vec<u64> {
            let begun_us = |segment: usize| segment as u64 * APART_US;
            let burst = |&(segment, count): &(usize, usize)| {
                (0..count as u64).map(move |nth| begun_us(segment) + (nth + 1) * 20_000)
            };
            let mut times: Vec<u64> = bursts.iter().flat_map(burst).collect();
            times.sort_unstable();
            times
        };
        let (squares, slots) = (times(&squares), times(&slots));
        for (nth, &t_us) in squares.iter().enumerate() {
            changed(&mut monitor, t_us, Square::D5, nth % 2 == 1);
        }
        for &t_us in &slots {
            monitor.tray(Seat::ALL[seat], t_us, true);
        }
        let forgotten = |times: &[u64], kept: usize| {
            times[..times.len().saturating_sub(kept)].last().copied()
        };
        let is_of_partner = Seat::ALL[seat].board == BoardId::B;
        for segment in 0..SEGMENTS {
            let begun_us = if segment == 0 { 1 } else { press_us(segment - 1) };
            let square_known = forgotten(&squares, MAX_EVENTS)
                .is_none_or(|lost_us| lost_us <= begun_us.saturating_sub(LOOKBACK_US));
            let slot_known = forgotten(&slots, REMEMBERED)
                .is_none_or(|lost_us| !is_of_partner || lost_us < begun_us);
            let found = monitor.remembers(segment, BoardId::A);
            prop_assert_eq!(found, square_known && slot_known, "segment {}", segment);
        }
        prop_assert!(!monitor.remembers(SEGMENTS, BoardId::A), "it was never closed");
    }
}

#[test]
fn segments_that_are_closed_for_good_take_no_room_and_the_presses_before_an_open_one_stay() {
    let mut monitor = monitor();
    for layer in SEGMENTS..500 {
        let board = if layer % 3 == 0 { BoardId::B } else { BoardId::A };
        let squares = Segment::new(position().occupied());
        let closed = ClosedSegment::of_squares(board, Color::White, press_us(layer), &squares);
        monitor.close(layer, &closed, position());
    }
    let around = |monitor: &HandMonitor| -> Vec<_> {
        let of_both = (400..500).flat_map(|layer| BoardId::ALL.map(|board| (layer, board)));
        let presses = of_both.map(|(layer, board)| monitor.segments.presses_around(layer, board));
        presses.map(|around| format!("{around:?}")).collect()
    };
    let before = around(&monitor);
    monitor.forget_before(400);
    assert_eq!(monitor.segments.kept.len(), 100 + 4);
    assert_eq!(around(&monitor), before);
}

/// Codes of what is found in a segment for more likely than not, if the squares changed so many
/// milliseconds before its press, or after it.
fn codes(
    segment: usize,
    changes: &[(i64, Square, bool)],
    estimate: &SegmentEstimate,
) -> Vec<AnomalyCode> {
    let mut monitor = monitor();
    for &(after_ms, square, occupied) in changes {
        let t_us = press_us(segment).saturating_add_signed(after_ms * 1_000);
        changed(&mut monitor, t_us, square, occupied);
    }
    let found = monitor.judge(segment, &layer(segment), estimate).0;
    let likely = found.into_iter().filter(|finding| finding.confidence > 0.5);
    likely.map(|finding| finding.code).collect()
}

#[test]
fn every_detector_of_hands_is_asked_about_every_segment() {
    let knight = played("b1c3", press_us(0) / 1_000);
    let carried = [(-1_000, Square::B1, false), (-600, Square::C3, true)];
    let with = |before: &[(i64, Square, bool)], after: &[(i64, Square, bool)]| {
        codes(0, &[before, &carried, after].concat(), &knight)
    };
    assert_eq!(with(&[], &[]), []);
    let early = [(-250, Square::B1, false), (100, Square::C3, true)];
    assert_eq!(codes(0, &early, &knight), [AnomalyCode::EarlyPress]);
    let other_hand = [(-430, Square::B1, false), (-80, Square::C3, true)];
    assert_eq!(codes(0, &other_hand, &knight), [AnomalyCode::ClockHand]);
    let touched = [(-3_000, Square::D2, false), (-2_300, Square::D2, true)];
    assert_eq!(with(&touched, &[]), [AnomalyCode::TouchMove]);
    let fallen = [(-570, Square::D2, false), (-530, Square::C2, false)];
    let displaced = [AnomalyCode::DisplacedPieces, AnomalyCode::PressAfterDisplacing];
    assert_eq!(with(&[], &fallen), displaced);

    let nothing = SegmentEstimate { nothing: 0.9, ..SegmentEstimate::default() };
    assert_eq!(codes(1, &[], &nothing), [AnomalyCode::DoublePress]);
    let bare = SegmentEstimate { press_without_move: 0.8, ..SegmentEstimate::default() };
    assert_eq!(codes(0, &[], &bare), [AnomalyCode::PressWithoutMove]);
    let of_turn = SegmentEstimate { out_of_turn: 0.9, ..knight.clone() };
    assert_eq!(codes(0, &carried, &of_turn), [AnomalyCode::OutOfTurn]);
    let mut two = SegmentEstimate { missed_press: 0.93, ..knight };
    let mut first = played("b8c6", press_us(0) / 1_000).plies.remove(0);
    (first.side, first.t_us, first.landed_us) = (Color::Black, 40_000_000, 40_000_000);
    two.plies.insert(0, first);
    assert_eq!(codes(0, &carried, &two), [AnomalyCode::MissedPress]);
}
