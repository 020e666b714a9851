//! The fate of captured pieces, against plain lists of the captures and of the pieces laid down.

use proptest::prelude::*;

use super::*;
use crate::{
    anomaly::support::context::tests::played, report::AnomalyCode, sensing::segment::Segment,
};

/// Segments of a small case. Assumed.
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
        let closing = ClosedSegment::of_squares(BoardId::A, Color::White, t_us, &squares);
        monitor.close(segment, &closing, position());
    }
    monitor
}

/// Tells the monitor that the pawn was taken in a segment, or that nothing was. Returns the findings.
fn believe(monitor: &mut HandMonitor, segment: usize, captured: bool) -> Vec<Finding> {
    let ply = if captured { "e4d5" } else { "h2h3" };
    let estimate = played(ply, press_us(segment) / 1_000);
    monitor.judge(segment, &layer(segment), &estimate).0
}

/// The presses after which pieces are said to be hidden, and where.
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
