//! What systemd hears: ready, alive, still starting, stopping. Without systemd nothing is said.

use std::time::Duration;

use sd_notify::NotifyState;
use tracing::debug;

/// How often systemd hears that a start goes on.
pub(crate) const TELL_EVERY: Duration = Duration::from_secs(5);

/// Longest time for which it may hear nothing of a start: a slow disk may need some of it for one reading of the log.
const SILENT_MAX: Duration = Duration::from_secs(120);

fn notify(state: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        debug!(%error, "systemd cannot be told");
    }
}

/// Everything that could be refused has been.
pub(crate) fn ready() {
    notify(&[NotifyState::Ready]);
}

/// The start goes on and takes longer: an adjudicator that follows a long log anew must not be killed for it.
pub(crate) fn still_starting() {
    let more_us = u32::try_from(SILENT_MAX.as_micros()).unwrap_or(u32::MAX);
    notify(&[NotifyState::ExtendTimeoutUsec(more_us)]);
}

/// It moves.
pub(crate) fn alive() {
    notify(&[NotifyState::Watchdog]);
}

/// The adjudicator stops of its own accord.
pub(crate) fn stopping() {
    notify(&[NotifyState::Stopping]);
}
