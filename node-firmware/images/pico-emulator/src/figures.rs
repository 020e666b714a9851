//! Time and stack that an image needs, from cycles that the emulator counts.

use proto::link::Message;

use crate::boards::{Board, Scan};
use crate::{Bench, Edge, Level, Seen};

/// Changes that are timed.
const CHANGES: u64 = 16;
/// Before the first change: USB is up, and hall sensors' baselines are known.
const LEAD_IN_US: u64 = 150_000;
/// Between changes. Not a multiple of the scan's period, so that each falls into another moment of it: 16 sixteenths of 500 µs.
const INTERVAL_US: u64 = 40_031;

/// Times of one image, µs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    /// Scans that were seen.
    pub scans: usize,
    /// Longest time from the beginning of a scan to that of the next.
    pub longest_period_us: f64,
    /// Longest scan, from the first pin that moves to the last.
    pub longest_scan_us: f64,
    /// Changes that were timed.
    pub changes: usize,
    /// Longest time from a change to the first byte of its event.
    pub slowest_change_us: f64,
    /// Bytes of the stack that were used at most.
    pub stack_bytes: u32,
}

/// Runs the image on its own, without anybody who acknowledges, and times it.
///
/// # Errors
/// If it cannot be run, or did not tell of a change.
pub fn measure(board: &Board) -> Result<Figures, String> {
    let mut bench = (board.wire)(Bench::new(board.image, 1));
    if let Some(Scan { gpio, last, .. }) = board.scan {
        bench = bench.watch(gpio).watch(last);
    }
    let times_us: Vec<u64> = (0..CHANGES).map(|index| LEAD_IN_US + index * INTERVAL_US).collect();
    for (index, &at_us) in times_us.iter().enumerate() {
        bench = (board.change)(bench, at_us, index % 2 == 0);
    }
    let seen = bench.run(LEAD_IN_US + CHANGES * INTERVAL_US)?;
    let mut figures = board.scan.map_or_else(Figures::default, |scan| scans(&seen, scan));
    let told = told_at_ns(&seen);
    if told.len() != times_us.len() {
        return Err(format!("{} told of {} changes", board.image, told.len()));
    }
    figures.changes = told.len();
    figures.stack_bytes = seen.stack_bytes;
    let slowness = told.iter().zip(&times_us).map(|(told, &at_us)| us(told - 1_000 * at_us));
    figures.slowest_change_us = slowness.fold(0.0, f64::max);
    Ok(figures)
}

fn us(ns: u64) -> f64 {
    ns as f64 / 1_000.0
}

/// Times at which the node sent each change for the first time.
fn told_at_ns(seen: &Seen) -> Vec<u64> {
    let mut latest = 0;
    let mut times = Vec::new();
    for (at, frame) in seen.frames() {
        if let Ok(frame) = frame
            && matches!(frame.message, Message::SquaresChanged(_) | Message::Press(_))
            && frame.sequence > latest
        {
            latest = frame.sequence;
            times.push(at);
        }
    }
    times
}

fn scans(seen: &Seen, scan: Scan) -> Figures {
    let mut figures = Figures::default();
    let (mut falls, mut began, mut moved) = (0, None, 0);
    for &Edge { at_ns: at, gpio, level } in &seen.edges {
        if gpio == scan.gpio && level == Level::Low {
            if falls % scan.falls == 0 {
                if let Some(began) = began {
                    figures.scans += 1;
                    figures.longest_period_us = figures.longest_period_us.max(us(at - began));
                    figures.longest_scan_us = figures.longest_scan_us.max(us(moved - began));
                }
                began = Some(at);
            }
            falls += 1;
        }
        moved = at;
    }
    figures
}
