//! Quota of one hub in the log: a hub's account in wrong hands, or a hub that has gone mad, must not fill the disk of the hall.
//!
//! What is above is not taken and not acknowledged. An honest hub keeps it in its journal.

use std::collections::HashMap;

use super::{
    Batch,
    shard_log::{BootPosition, Filled},
};
use crate::{
    limits::{HUB_BOOTS_MAX, HUB_BYTES_MAX},
    log::input::{INPUT_OVERHEAD_BYTES, weight},
};

/// So much further births and wills go: whoever has filled the share may still say goodbye, so that another hub can have the table.
const STATES_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Maximum size of a noted loss: three numbers of 64 bits as text.
const LOSS_BYTES: u64 = 62;

/// Bytes that a note of lost rows counts.
#[must_use]
pub(super) fn weight_of_loss() -> u64 {
    LOSS_BYTES + INPUT_OVERHEAD_BYTES
}

/// Bytes written by one hub.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    bytes: u64,
    boots: u64,
    /// Number of its boots beyond the limit.
    refused_boots: u64,
}

/// Bytes written by every hub.
#[derive(Debug, Default)]
pub(super) struct Quotas {
    hubs: HashMap<String, Share>,
}

impl Quotas {
    /// Counts of the log.
    pub(super) fn of(filled: Vec<Filled>, positions: &[BootPosition]) -> Quotas {
        let mut quotas = Quotas::default();
        for Filled { hub, bytes, inputs } in filled {
            quotas.share(&hub).bytes = bytes + inputs * INPUT_OVERHEAD_BYTES;
        }
        positions.iter().for_each(|at| quotas.share(&at.boot.0).boots += 1);
        quotas
    }

    fn share(&mut self, hub: &str) -> &mut Share {
        self.hubs.entry(hub.to_owned()).or_default()
    }

    fn share_of(&self, hub: &str) -> Share {
        self.hubs.get(hub).copied().unwrap_or_default()
    }

    /// Bytes that a hub has written.
    #[cfg(test)]
    pub(super) fn bytes(&self, hub: &str) -> u64 {
        self.share_of(hub).bytes
    }

    /// Whether a message fits.
    pub(super) fn has_room(&self, batch: &Batch<'_>) -> bool {
        let rows = batch.rows.iter().map(|row| weight(&row.payload)).sum::<u64>();
        self.share_of(batch.hub).bytes + rows <= HUB_BYTES_MAX
    }

    /// Whether a birth or will of a hub fits.
    pub(super) fn has_room_for_state(&self, hub: &str, payload: &[u8]) -> bool {
        self.share_of(hub).bytes + weight(payload) <= HUB_BYTES_MAX + STATES_BYTES_MAX
    }

    /// Whether a hub may have one more boot, besides `begun` that are not counted yet. Says so, seldom, when it may not.
    pub(super) fn may_begin(&mut self, hub: &str, begun: u64) -> bool {
        if self.share_of(hub).boots + begun < HUB_BOOTS_MAX {
            return true;
        }
        let share = self.share(hub);
        share.refused_boots += 1;
        if share.refused_boots.is_power_of_two() {
            tracing::error!(
                hub,
                refused = share.refused_boots,
                "rows of a new boot refused: this hub has restarted {HUB_BOOTS_MAX} times in this database. Find out why it restarts; then give \
                 it another hub.id, or start a new database"
            );
        }
        false
    }

    /// Adds begun boots of a hub.
    pub(super) fn begin(&mut self, hub: &str, boots: u64) {
        self.share(hub).boots += boots;
    }

    /// Adds committed bytes of a hub.
    pub(super) fn add(&mut self, hub: &str, bytes: u64) {
        self.share(hub).bytes += bytes;
    }
}
