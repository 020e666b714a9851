//! Traces: any bytes as a file of readings, tracked to their end. Nothing panics, probabilities are probabilities, memory stays
//! bounded, and the same bytes give the same record.

#![no_main]

use inference::{Tracker, TrackerConfig};
use libfuzzer_sys::fuzz_target;
use readings::{InferredLine, read_trace};

/// Hypotheses kept: few, so that many traces are tried.
const BEAM: usize = 16;
/// Maximum memory of a tracker with this number of hypotheses, bytes.
const MEMORY_MAX: usize = 16 << 20;

fn record(bytes: &[u8]) -> Option<Vec<InferredLine>> {
    let (trace, _) = read_trace(bytes).ok()?;
    let config = TrackerConfig { beam: BEAM, ..TrackerConfig::default() };
    let mut tracker = Tracker::new(&trace.header, config);
    for reading in &trace.readings {
        tracker.handle(reading);
        while tracker.poll_output().is_some() {}
    }
    tracker.finish();
    assert!(tracker.memory_bytes().max(tracker.second_pass_bytes()) < MEMORY_MAX);
    Some(tracker.record())
}

fuzz_target!(|bytes: &[u8]| {
    let Some(lines) = record(bytes) else { return };
    for line in &lines {
        match line {
            InferredLine::Ply(ply) => assert!((0.0..=1.0).contains(&ply.p)),
            InferredLine::Anomaly(found) => assert!((0.0..=1.0).contains(&found.confidence)),
            _ => {}
        }
    }
    assert_eq!(record(bytes), Some(lines));
});
