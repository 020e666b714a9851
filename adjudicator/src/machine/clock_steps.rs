//! Whether this machine's clock was set while the adjudicator ran: looked at once a second, and told to directors.
//!
//! Nothing stops by it: what is held back is held back by a clock that is never set, and how far hubs' clocks are apart is learnt anew. But
//! times in records leap, clocks that run are shown wrong for some seconds, and whoever sets a clock in play should know.

use std::time::Duration;

use delivery::Moment;
use tokio::{sync::watch, time::interval};
use tokio_util::sync::CancellationToken;

use crate::{time, time::now_ms};

/// How often the two clocks are compared.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The least difference that counts as a step, milliseconds. Time synchronisation corrects a clock by far less at once (assumed).
const STEP_MS: i64 = 3_000;

/// For so long directors are told, milliseconds.
const TOLD_MS: u64 = 3_600_000;

/// The last step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// By how much the clock was set forward, milliseconds; negative: back.
    by_ms: i64,
    /// When, Unix milliseconds of the clock as it is since.
    pub(crate) at_ms: u64,
}

impl Step {
    /// What a director has to know.
    pub(crate) fn words(self) -> String {
        let (seconds, way) = (
            self.by_ms.unsigned_abs().div_ceil(1_000),
            if self.by_ms > 0 { "forward" } else { "back" },
        );
        let slept = if self.by_ms > 0 { ", or the machine slept" } else { "" };
        format!(
            "the clock of the adjudicator's machine was set {way} by {seconds} s while it ran{slept}: for some rows clocks were shown wrong, and \
             times in the records leap there. Have the clock set by the network, and not in play."
        )
    }
}

/// Steps of this machine's clock.
#[derive(Clone, Debug)]
pub(crate) struct ClockSteps(watch::Receiver<Option<Step>>);

impl ClockSteps {
    /// A clock that is looked at from now on until shutdown, and the task that looks.
    pub(crate) fn watch(
        shutdown: CancellationToken,
    ) -> (ClockSteps, impl Future<Output = ()> + use<>) {
        let (last, steps) = watch::channel(None);
        (ClockSteps(steps), look_on(last, shutdown))
    }

    /// The last step, if there was one lately.
    pub(crate) fn lately(&self) -> Option<Step> {
        self.0.borrow().filter(|step| now_ms().saturating_sub(step.at_ms) < TOLD_MS)
    }
}

/// The step between two looks.
fn step(before: Moment, now: Moment) -> Option<Step> {
    let passed_ms = now.wall_ms.cast_signed().wrapping_sub(before.wall_ms.cast_signed());
    let run_ms = now.run_ms.saturating_sub(before.run_ms);
    let by_ms = passed_ms.saturating_sub_unsigned(run_ms);
    (by_ms.unsigned_abs() >= STEP_MS.unsigned_abs()).then_some(Step { by_ms, at_ms: now.wall_ms })
}

async fn look_on(last: watch::Sender<Option<Step>>, shutdown: CancellationToken) {
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
