//! Handle of a device of another maker that was attached to the hall.

use std::path::{Path, PathBuf};

use tokio::sync::mpsc;

use super::cable::{Deed, Fault, Order, order};
use crate::SimError;

/// A device that was attached to the hall.
#[derive(Clone, Debug)]
pub struct Attached {
    pub(super) port: PathBuf,
    pub(super) orders: mpsc::Sender<Order>,
}

impl Attached {
    /// The serial device under which it was attached.
    #[must_use]
    pub fn port(&self) -> &Path {
        &self.port
    }

    /// Does something to it or its cable; when this returns, it has happened.
    ///
    /// # Errors
    ///
    /// When no serial device can be made, or the hall is closed.
    pub async fn suffer(&self, fault: Fault) -> Result<(), SimError> {
        order(&self.orders, Deed::Fault(fault)).await
    }
}
