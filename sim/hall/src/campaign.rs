//! Totals of many runs.

use std::fmt;

use crate::outcome::{Counts, Outcome};

/// Edges of the classes in which times to settle are counted, µs; the last class is open.
const SETTLED_EDGES_US: [u64; 4] = [100_000, 1_000_000, 5_000_000, 15_000_000];

/// Sums over runs. Adding runs up in any order gives the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Number of runs.
    pub runs: u64,
    /// Counts over all runs.
    pub counts: Counts,
    settled: [u64; SETTLED_EDGES_US.len() + 1],
    /// The longest time to settle, and the greatest seed that took it.
    slowest: Option<(u64, u64)>,
}

impl Totals {
    /// Adds a run that ended well.
    #[must_use]
    pub fn with(mut self, seed: u64, outcome: &Outcome) -> Totals {
        let settled_us = outcome.settled_after_us;
        self.runs += 1;
        self.counts = self.counts.plus(outcome.counts);
        self.settled[SETTLED_EDGES_US.partition_point(|&edge_us| edge_us <= settled_us)] += 1;
        self.slowest = self.slowest.max(Some((settled_us, seed)));
        self
    }

    /// Both.
    #[must_use]
    pub fn plus(mut self, other: &Totals) -> Totals {
        self.runs += other.runs;
        self.counts = self.counts.plus(other.counts);
        for (class, more) in self.settled.iter_mut().zip(other.settled) {
            *class += more;
        }
        self.slowest = self.slowest.max(other.slowest);
        self
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} runs", self.runs)?;
        for (what, count) in self.counts.each() {
            writeln!(f, "{count:>12} {}", what.trim())?;
        }
        write!(f, "everything where it belongs after the last fault and row:")?;
        let mut from_ms = 0;
        for (class, edge_us) in self.settled.iter().zip(SETTLED_EDGES_US) {
            write!(f, " {class} within {} ms,", edge_us / 1_000)?;
            from_ms = edge_us / 1_000;
        }
        let last = self.settled.last().copied().unwrap_or_default();
        write!(f, " {last} later than {from_ms} ms")?;
        if let Some((settled_us, seed)) = self.slowest {
            write!(f, "; at the latest after {} ms (seed {seed})", settled_us / 1_000)?;
        }
        Ok(())
    }
}
