//! Time of tracking.

use std::ops::AddAssign;

use inference::{Tracker, TrackerConfig};
use nix::time::{ClockId, clock_gettime};
use readings::{Reading, TraceHeader};
use serde::Serialize;

/// Number of trackings of each match, all others in between. The shortest time of each step counts: other work of a machine
/// makes a step longer, never shorter.
pub const TIMES: usize = 3;

/// The time of each reading of a match and, last, of its end, nanoseconds of the processor.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Steps(Vec<u64>);

impl Steps {
    /// Follows a match.
    pub(super) fn of(header: &TraceHeader, readings: &[Reading], config: TrackerConfig) -> Steps {
        let mut tracker = Tracker::new(header, config);
        let mut steps = Vec::with_capacity(readings.len() + 1);
        for reading in readings {
            steps.push(processor_ns(|| {
                tracker.handle(reading);
                while tracker.poll_output().is_some() {}
            }));
        }
        steps.push(processor_ns(|| {
            tracker.finish();
            while tracker.poll_output().is_some() {}
        }));
        Steps(steps)
    }

    /// The shorter time of each step of the same match, followed twice; this one's own where it was not followed before.
    #[must_use]
    pub fn shorter(self, before: &Steps) -> Steps {
        if before.0.is_empty() {
            return self;
        }
        Steps(self.0.into_iter().zip(&before.0).map(|(step, &least)| step.min(least)).collect())
    }
}

/// Time of following matches. Time is that of the processor, of one match after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Effort {
    /// Number of timed matches.
    pub matches: u64,
    /// Their true plies.
    pub plies: u64,
    /// Time for all readings and the end of the match, nanoseconds.
    pub tracking_ns: u64,
    /// Longest time for a single reading, nanoseconds.
    pub worst_step_ns: u64,
    /// Maximum time to end a match, in which all answers are computed again, nanoseconds.
    pub worst_finish_ns: u64,
    /// Time a ply in the match where it was longest, nanoseconds.
    pub worst_match_ns_per_ply: u64,
}

impl Effort {
    /// Time of following a match of `plies` plies in these steps.
    #[must_use]
    pub fn of(steps: &Steps, plies: u64) -> Effort {
        let tracking_ns = steps.0.iter().sum();
        let (finish_ns, readings) =
            steps.0.split_last().map_or((0, &[][..]), |(&end, all)| (end, all));
        Effort {
            matches: 1,
            plies,
            tracking_ns,
            worst_step_ns: readings.iter().copied().max().unwrap_or_default(),
            worst_finish_ns: finish_ns,
            worst_match_ns_per_ply: tracking_ns / plies.max(1),
        }
    }

    /// Time a ply on average, milliseconds; none without plies.
    #[must_use]
    pub fn ms_per_ply(&self) -> Option<f64> {
        (self.plies > 0).then(|| self.tracking_ns as f64 / 1e6 / self.plies as f64)
    }
}

impl AddAssign for Effort {
    fn add_assign(&mut self, other: Effort) {
        self.matches += other.matches;
        self.plies += other.plies;
        self.tracking_ns += other.tracking_ns;
        self.worst_step_ns = self.worst_step_ns.max(other.worst_step_ns);
        self.worst_finish_ns = self.worst_finish_ns.max(other.worst_finish_ns);
        self.worst_match_ns_per_ply = self.worst_match_ns_per_ply.max(other.worst_match_ns_per_ply);
    }
}

/// Time that this thread was on a processor; 0 where the system does not tell.
fn processor_ns(work: impl FnOnce()) -> u64 {
    let now = || clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).ok();
    let began = now();
    work();
    match (began, now()) {
        (Some(began), Some(ended)) => {
            let took = ended - began;
            u64::try_from(took.tv_sec() * 1_000_000_000 + took.tv_nsec()).unwrap_or(0)
        }
        _ => 0,
    }
}
