//! The cores' notices to people, in the log.

use hub_core::notice::{Level, Notice};
use tracing::{debug, error, info, warn};

/// Writes a notice to the log.
pub(crate) fn log(notice: &Notice) {
    let Notice { level, node, words } = notice;
    let node = node.as_deref();
    match level {
        Level::Debug => debug!(node, "{words}"),
        Level::Info => info!(node, "{words}"),
        Level::Warning => warn!(node, "{words}"),
        Level::Error => error!(node, "{words}"),
    }
}
