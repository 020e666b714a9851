//! What many runs came to together.

use std::fmt;

use crate::books::Counts;
use crate::outcome::Outcome;

/// Edges of the classes in which times to settle are counted, µs; the last class is open.
const SETTLED_EDGES_US: [u64; 5] = [10_000, 100_000, 500_000, 1_000_000, 2_000_000];

/// Sums over runs. Adding runs up in any order gives the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    runs: u64,
    counts: Counts,
    line_faults: u64,
    /// Runs by the time they took to settle.
    settled: [u64; SETTLED_EDGES_US.len() + 1],
    /// The longest time to settle, and the least seed that took it.
    slowest: Option<(u64, u64)>,
}

impl Totals {
    /// Adds a run that ended well.
    #[must_use]
    pub fn with(mut self, seed: u64, outcome: &Outcome) -> Totals {
        self.runs += 1;
        self.counts = self.counts.plus(outcome.counts);
        self.line_faults += outcome.line_faults;
        let settled_us = outcome.settled_after_us;
        self.settled[SETTLED_EDGES_US.partition_point(|&edge_us| edge_us <= settled_us)] += 1;
        self.slowest = slower(self.slowest, Some((settled_us, seed)));
        self
    }

    /// Both.
    #[must_use]
    pub fn plus(mut self, other: &Totals) -> Totals {
        self.runs += other.runs;
        self.counts = self.counts.plus(other.counts);
        self.line_faults += other.line_faults;
        for (class, more) in self.settled.iter_mut().zip(other.settled) {
            *class += more;
        }
        self.slowest = slower(self.slowest, other.slowest);
        self
    }

    /// How many runs.
    #[must_use]
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// What was read and told in all runs.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }
}

fn slower(a: Option<(u64, u64)>, b: Option<(u64, u64)>) -> Option<(u64, u64)> {
    let rank = |&(settled_us, seed): &(u64, u64)| (settled_us, u64::MAX - seed);
    a.into_iter().chain(b).max_by_key(rank)
}

impl Counts {
    fn plus(self, other: Counts) -> Counts {
        Counts {
            readings: self.readings + other.readings,
            journalled: self.journalled + other.journalled,
            missing: self.missing + other.missing,
            gaps: self.gaps + other.gaps,
            restarts: self.restarts + other.restarts,
            snapshots: self.snapshots + other.snapshots,
            incompatible: self.incompatible + other.incompatible,
            commands: self.commands + other.commands,
            commands_done: self.commands_done + other.commands_done,
        }
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { readings, journalled, missing, gaps, restarts, snapshots, .. } = self.counts;
        let Counts { incompatible, commands, commands_done, .. } = self.counts;
        writeln!(f, "{} runs, {} faults on the line", self.runs, self.line_faults)?;
        writeln!(f, "{readings} readings made by nodes; in the hubs' journals, in order:")?;
        writeln!(f, "  {journalled} readings, each once")?;
        writeln!(f, "  {gaps} gaps that name {missing} readings")?;
        writeln!(f, "  {restarts} restarts of a node, with what it had not delivered")?;
        writeln!(
            f,
            "{snapshots} snapshots compared with the truth, {incompatible} times a node of another release named"
        )?;
        writeln!(
            f,
            "{commands} commands to nodes, none done twice, {commands_done} done and answered"
        )?;
        write!(f, "journals complete after the last fault and reading:")?;
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
