//! Steps of this machine's clock while the adjudicator runs: checked once a second and reported to directors.
//!
//! A step stops nothing: delays are measured by a clock that is never set, and the offsets of hubs' clocks are estimated again. But
//! times in records leap, and pages show running clocks wrong for some seconds. The person who sets a clock during play should know.

use std::time::Duration;

use delivery::Moment;
use tokio::{sync::watch, time::interval};
use tokio_util::sync::CancellationToken;

use crate::{time, time::now_ms};

/// Interval between two comparisons of the clocks.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The least difference that counts as a step, milliseconds. Time synchronisation corrects a clock by far less at once (assumed).
const STEP_MS: i64 = 3_000;

/// Duration for which directors see the notice of a step, milliseconds.
const TOLD_MS: u64 = 3_600_000;

/// The last step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClockStep {
    /// Size of the step, milliseconds; negative if the clock was set back.
    by_ms: i64,
    /// Time of the step, Unix milliseconds of the clock after it.
    pub(crate) at_ms: u64,
}

impl ClockStep {
    /// The notice to directors.
    pub(crate) fn words(self) -> String {
        let (seconds, way) = (
            self.by_ms.unsigned_abs().div_ceil(1_000),
            if self.by_ms > 0 { "forward" } else { "back" },
        );
        let slept = if self.by_ms > 0 { ", or the machine slept" } else { "" };
        format!(
            "the clock of the adjudicator's machine was set {way} by {seconds} s while it ran{slept}. Clocks were shown wrong for some rows, and \
             times in the records leap there. Have the clock set by the network, and not in play."
        )
    }
}

/// Steps of this machine's clock.
#[derive(Clone, Debug)]
pub(crate) struct ClockSteps(watch::Receiver<Option<ClockStep>>);

impl ClockSteps {
    /// The steps from now on until shutdown, and the task that finds them.
    pub(crate) fn watch(
        shutdown: CancellationToken,
    ) -> (ClockSteps, impl Future<Output = ()> + use<>) {
        let (last, steps) = watch::channel(None);
        (ClockSteps(steps), look_on(last, shutdown))
    }

    /// The last step, unless it is older than the notice lasts.
    pub(crate) fn lately(&self) -> Option<ClockStep> {
        self.0.borrow().filter(|step| now_ms().saturating_sub(step.at_ms) < TOLD_MS)
    }
}

/// The step between two comparisons.
fn step(before: Moment, now: Moment) -> Option<ClockStep> {
    let passed_ms = now.wall_ms.cast_signed().wrapping_sub(before.wall_ms.cast_signed());
    let run_ms = now.run_ms.saturating_sub(before.run_ms);
    let by_ms = passed_ms.saturating_sub_unsigned(run_ms);
    (by_ms.unsigned_abs() >= STEP_MS.unsigned_abs())
        .then_some(ClockStep { by_ms, at_ms: now.wall_ms })
}

async fn look_on(last: watch::Sender<Option<ClockStep>>, shutdown: CancellationToken) {
    let mut tick = interval(LOOK_EVERY);
    let mut before = time::now();
    loop {
        tokio::select! {
            _ = tick.tick() => {}
            () = shutdown.cancelled() => return,
        }
        let now = time::now();
        if let Some(step) = step(before, now) {
            tracing::warn!("{}", step.words());
            last.send_replace(Some(step));
        }
        before = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_set_is_told_and_one_that_runs_a_little_wrong_or_is_looked_at_late_is_not() {
        let noon_ms: u64 = 1_780_000_000_000;
        let by = |run_ms: u64, passed_ms: i64| {
            let wall_ms = noon_ms.saturating_add_signed(passed_ms);
            step(Moment { wall_ms: noon_ms, run_ms: 0 }, Moment { wall_ms, run_ms })
        };
        assert_eq!(by(1_000, 1_000), None);
        assert_eq!(by(1_000, 1_400), None);
        assert_eq!(by(90_000, 90_010), None, "nobody looked for a while");
        assert!(by(1_000, 301_000).is_some_and(|it| it.words().contains("forward by 300 s")));
        assert!(by(1_000, -1_799_000).is_some_and(|it| it.words().contains("back by 1800 s")));
    }
}
