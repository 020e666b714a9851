//! Topics: built and read in one place, so that no program spells one by hand.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Longest segment that a configuration may choose, in bytes.
pub const MAX_SEGMENT_BYTES: usize = 64;
/// Name and version of the topic tree.
const ROOT: &str = "twinboard/1";

/// A part of a topic that a configuration chooses: shard, hub id or adjudicator id. It is 1 to 64 of `A–Z a–z 0–9 . _ -`, so that it
/// can neither be a wildcard nor contain a separator.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Segment(String);

/// A text that cannot be a segment.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{0:?} cannot stand in a topic: use 1 to {MAX_SEGMENT_BYTES} letters, digits, '.', '_' or '-'"
)]
pub struct SegmentError(pub String);

impl Segment {
    /// The segment as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Segment {
    type Err = SegmentError;

    fn from_str(text: &str) -> Result<Self, SegmentError> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        if text.is_empty() || text.len() > MAX_SEGMENT_BYTES || !text.chars().all(allowed) {
            return Err(SegmentError(text.chars().take(MAX_SEGMENT_BYTES).collect()));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A topic of the tree. `Display` builds it, `FromStr` reads it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Topic {
    /// `twinboard/1/{shard}/hub/{hub}/rows`
    Rows {
        /// Part of the event that one adjudicator serves.
        shard: Segment,
        /// The hub.
        hub: Segment,
    },
    /// `twinboard/1/{shard}/hub/{hub}/ack`
    Ack {
        /// The shard.
        shard: Segment,
        /// The hub.
        hub: Segment,
    },
    /// `twinboard/1/{shard}/hub/{hub}/state`
    HubState {
        /// The shard.
        shard: Segment,
        /// The hub.
        hub: Segment,
    },
    /// `twinboard/1/{shard}/hub/{hub}/command`
    Command {
        /// The shard.
        shard: Segment,
        /// The hub.
        hub: Segment,
    },
    /// `twinboard/1/adjudicator/{id}/state`
    AdjudicatorState {
        /// The adjudicator.
        id: Segment,
    },
}

/// A text that is no topic of the tree.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TopicError {
    /// Not one of the shapes in the table.
    #[error("{0:?} is not a topic of {ROOT}")]
    Unknown(String),
    /// A segment with characters it may not have.
    #[error(transparent)]
    Segment(#[from] SegmentError),
}

impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rows { shard, hub } => write!(f, "{ROOT}/{shard}/hub/{hub}/rows"),
            Self::Ack { shard, hub } => write!(f, "{ROOT}/{shard}/hub/{hub}/ack"),
            Self::HubState { shard, hub } => write!(f, "{ROOT}/{shard}/hub/{hub}/state"),
            Self::Command { shard, hub } => write!(f, "{ROOT}/{shard}/hub/{hub}/command"),
            Self::AdjudicatorState { id } => write!(f, "{ROOT}/adjudicator/{id}/state"),
        }
    }
}

impl FromStr for Topic {
    type Err = TopicError;

    fn from_str(text: &str) -> Result<Self, TopicError> {
        let unknown = || TopicError::Unknown(text.chars().take(4 * MAX_SEGMENT_BYTES).collect());
        let rest = text.strip_prefix(ROOT).and_then(|rest| rest.strip_prefix('/'));
        let mut parts = rest.ok_or_else(unknown)?.split('/');
        let mut next = || parts.next();
        let topic = match (next(), next(), next(), next(), next(), next()) {
            (Some("adjudicator"), Some(id), Some("state"), None, ..) => {
                Self::AdjudicatorState { id: id.parse()? }
            }
            (Some(shard), Some("hub"), Some(hub), Some(leaf), None, ..) => {
                let (shard, hub) = (shard.parse()?, hub.parse()?);
                match leaf {
                    "rows" => Self::Rows { shard, hub },
                    "ack" => Self::Ack { shard, hub },
                    "state" => Self::HubState { shard, hub },
                    "command" => Self::Command { shard, hub },
                    _ => return Err(unknown()),
                }
            }
            _ => return Err(unknown()),
        };
        Ok(topic)
    }
}

/// Prefix of every adjudicator's client id.
pub const ADJUDICATOR_CLIENT_PREFIX: &str = "twinboard-adjudicator-";

/// The client id of an adjudicator.
pub fn adjudicator_client_id(shard: &Segment, id: &Segment) -> String {
    format!("{ADJUDICATOR_CLIENT_PREFIX}{shard}-{id}")
}

/// The client id of a hub.
pub fn hub_client_id(hub: &Segment) -> String {
    format!("twinboard-hub-{hub}")
}

/// Suffix of the names in a rehearsal.
const REHEARSAL_SUFFIX: &str = "-rehearsal";

/// The shard in which an event is rehearsed: an adjudicator of the event never receives its rows.
pub fn rehearsal_shard(shard: &str) -> String {
    format!("{shard}{REHEARSAL_SUFFIX}")
}

/// The client id of a hub's second connection, over which it plays recorded readings in a rehearsal.
pub fn hub_rehearsal_client_id(hub: &Segment) -> String {
    format!("{}{REHEARSAL_SUFFIX}", hub_client_id(hub))
}

/// Subscriptions of an adjudicator to all hubs of a shard: their rows and their states.
pub fn adjudicator_filter(shard: &Segment) -> [String; 2] {
    [format!("{ROOT}/{shard}/hub/+/rows"), format!("{ROOT}/{shard}/hub/+/state")]
}

/// Subscriptions of a hub: its acknowledgements, its commands, and the state of every adjudicator.
pub fn hub_filter(shard: &Segment, hub: &Segment) -> [String; 3] {
    [
        format!("{ROOT}/{shard}/hub/{hub}/ack"),
        format!("{ROOT}/{shard}/hub/{hub}/command"),
        format!("{ROOT}/adjudicator/+/state"),
    ]
}
