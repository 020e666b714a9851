//! What systemd hears: ready, alive, stopping. Without systemd nothing is said.

use std::collections::BTreeMap;
use std::time::Duration;

use sd_notify::NotifyState;
use tokio_util::sync::CancellationToken;
use tracing::{debug, error};

use crate::progress::Progress;

/// Tells systemd something; a hub that runs without it goes on.
fn notify(state: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        debug!(%error, "systemd cannot be told");
    }
}

/// The journal is open and all tasks run.
pub(crate) fn ready(status: &str) {
    notify(&[NotifyState::Ready, NotifyState::Status(status)]);
}

/// The hub stops of its own accord.
pub(crate) fn stopping() {
    notify(&[NotifyState::Stopping]);
}

/// Feeds the watchdog, if there is one, for as long as every task moves; when one hangs, systemd
/// restarts the hub, which goes on where the journal ends.
pub(crate) async fn watchdog(progress: Progress, shutdown: CancellationToken) {
    let Some(limit) = sd_notify::watchdog_enabled() else { return };
    let mut seen = BTreeMap::new();
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(pause(limit)) => {}
        }
        let stuck = progress.stuck(&mut seen);
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
