//! Notifications to systemd: ready, alive, still starting, stopping. Without systemd none is sent.

use std::time::Duration;

use sd_notify::NotifyState;
use tracing::debug;

/// Interval between two notifications that a start goes on.
pub(crate) const TELL_EVERY: Duration = Duration::from_secs(5);

/// Longest silence during a start that systemd tolerates: a slow disk may need some of it for one reading of the log.
const SILENT_MAX: Duration = Duration::from_secs(120);

fn notify(state: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        debug!(%error, "systemd cannot be notified");
    }
}

/// Notifies systemd that the start is complete: nothing can fail for its configuration any more.
pub(crate) fn ready() {
    notify(&[NotifyState::Ready]);
}

/// Asks systemd for more time: an adjudicator that reads a long log again must not be killed for it.
pub(crate) fn still_starting() {
    let more_us = u32::try_from(SILENT_MAX.as_micros()).unwrap_or(u32::MAX);
    notify(&[NotifyState::ExtendTimeoutUsec(more_us)]);
}

/// Notifies systemd that the program is alive.
pub(crate) fn alive() {
    notify(&[NotifyState::Watchdog]);
}

/// The adjudicator stops of its own accord.
pub(crate) fn stopping() {
    notify(&[NotifyState::Stopping]);
}
