//! Notifications to systemd: ready, alive, stopping. Without systemd none is sent.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::time::Duration;

use sd_notify::NotifyState;
use tokio_util::sync::CancellationToken;
use tracing::{debug, error};

use crate::liveness::Liveness;

/// Longest time that following one table's match again may take.
const START_STEP_MAX: Duration = Duration::from_secs(120);

/// Tells systemd something; a hub that runs without it goes on.
fn notify(state: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        debug!(%error, "systemd cannot be notified");
    }
}

/// The journal is open and all tasks run.
pub(crate) fn ready(status: &str) {
    notify(&[NotifyState::Ready, NotifyState::Status(status)]);
}

/// Asks systemd for more time: a hub that follows long matches again must not be killed for it.
pub(crate) fn still_starting() {
    let more_us = u32::try_from(START_STEP_MAX.as_micros()).unwrap_or(u32::MAX);
    notify(&[NotifyState::ExtendTimeoutUsec(more_us)]);
}

/// Repeats that request during a step of the start that waits for people.
pub(crate) async fn keep_starting() -> Infallible {
    loop {
        still_starting();
        tokio::time::sleep(START_STEP_MAX / 2).await;
    }
}

/// The hub stops of its own accord.
pub(crate) fn stopping() {
    notify(&[NotifyState::Stopping]);
}

/// Feeds the watchdog, if there is one, for as long as every task moves; when one hangs, systemd
/// restarts the hub, which goes on where the journal ends. On a thread of its own: a task that hangs may keep
/// the runtime from waking any other, and the log must name it.
pub(crate) fn start_watchdog(liveness: Liveness, shutdown: CancellationToken) {
    let Some(limit) = sd_notify::watchdog_enabled() else { return };
    let watchdog = std::thread::Builder::new().name("watchdog".to_owned());
    if let Err(error) = watchdog.spawn(move || watch(limit, &liveness, &shutdown)) {
        error!(%error, "the watchdog cannot be fed: systemd will restart the hub");
    }
}

fn watch(limit: Duration, liveness: &Liveness, shutdown: &CancellationToken) {
    let mut seen = BTreeMap::new();
    loop {
        std::thread::sleep(pause(limit));
        if shutdown.is_cancelled() {
            return;
        }
        let stuck = liveness.stuck(&mut seen);
        if stuck.is_empty() {
            notify(&[NotifyState::Watchdog]);
        } else {
            error!("no progress in {}: systemd will restart the hub", stuck.join(", "));
        }
    }
}

/// Half the limit, as systemd recommends; tasks beat about once a second, so no less than three.
fn pause(limit: Duration) -> Duration {
    (limit / 2).max(Duration::from_secs(3))
}
