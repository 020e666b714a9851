//! What is reported though no reading comes.

mod common;

use common::{Table, header};
use inference::{AnomalyCode, Tracker, TrackerConfig, TrackerOutput};
use readings::{Reading, ReadingKind, TraceHeader};
use rules::{BoardId, Color};

use BoardId::A;

/// The codes of the anomalies that a clock brings after these readings, each with its time of
/// report, microseconds.
fn brought(header: &TraceHeader, readings: &[Reading]) -> Vec<(AnomalyCode, u64)> {
    let mut tracker = Tracker::new(header, TrackerConfig::default());
    for reading in readings {
        tracker.handle(reading);
    }
    let mut brought = Vec::new();
    while let Some(at_us) = tracker.poll_timeout() {
        tracker.handle_timeout(at_us);
        brought.extend(std::iter::from_fn(|| tracker.poll_output()).filter_map(
            |output| match output {
                TrackerOutput::Anomaly(report) => Some((report.code, at_us)),
                _ => None,
            },
        ));
    }
    brought
}

#[test]
fn a_clock_that_lies_is_reported_though_nothing_else_is_read() {
    let mut table = Table::started();
    table.read(A, ReadingKind::Tilt { on: true });
    let due_us = table.t_us() + 250_001;
    assert_eq!(brought(&header(), &table.readings), [(AnomalyCode::ClockKnockedOver, due_us)]);
}

#[test]
fn a_hand_that_stays_at_the_clock_is_reported_though_nothing_else_is_read() {
    let mut table = Table::started();
    table.read(A, ReadingKind::Hand { side: Color::White, near: true, from: None });
    let due_us = table.t_us() + 4_000_001;
    assert_eq!(brought(&header(), &table.readings), [(AnomalyCode::ClockHover, due_us)]);
}

#[test]
fn a_hidden_piece_is_reported_though_nobody_plays_on() {
    let mut header = header();
    header.boards.values_mut().for_each(|board| board.trays = true);
    let mut table = Table::started();
    table.play_all(A, &["e2e4", "d7d5", "e4d5"]);
    let due_us = table.t_us() + 15_000_001;
    assert_eq!(brought(&header, &table.readings), [(AnomalyCode::HiddenPiece, due_us)]);
}
