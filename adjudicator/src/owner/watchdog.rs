//! Tells systemd that the adjudicator moves: a floor that nobody can look at, or a database that never answers, ends in a restart and not in
//! pages that stand still. Without systemd nothing is told.

use std::{sync::Arc, time::Duration};

use tokio_util::sync::CancellationToken;

use crate::{log::Store, machine::systemd, owner::follower::Stage};

/// So often in the time that systemd waits, so that one look that takes long is borne.
const LOOKS: u32 = 4;

/// Looks at floor and database until shutdown; each time both answer, systemd hears of it.
pub(crate) async fn feed(floor: Arc<Stage>, store: Arc<Store>, shutdown: CancellationToken) {
    let Some(limit) = sd_notify::watchdog_enabled() else {
        return shutdown.cancelled().await;
    };
    let every: Duration = limit / LOOKS;
    while shutdown.run_until_cancelled(tokio::time::sleep(every)).await.is_some() {
        // A database that refuses is there; only one that never answers is not.
        let _ = store.last_id().await;
        let last = floor.hall().last_input();
        tracing::trace!(last, "the adjudicator moves");
        systemd::alive();
    }
}
