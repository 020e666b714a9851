//! Ids within a match: plies and anomalies, numbered by the hub, and acts, numbered by the log.

use std::fmt;

use serde::Serialize;

/// Identifies a ply within its match; stable over revisions.
pub type PlyId = u32;

/// Identifies an anomaly within its match; stable over revisions.
pub type AnomalyId = u32;

/// Names an act within its match: the number of its row in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct ActId(pub u64);

impl fmt::Display for ActId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
