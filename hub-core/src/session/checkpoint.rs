//! The state of a session without a match, as text: a replay need not start at the beginning of time.

use std::collections::BTreeMap;

use rules::BoardId;
use serde::{Deserialize, Serialize};

use super::node_book::NodeBook;
use super::view::BoardView;
use super::{Phase, Session, SessionConfig};
use crate::HubTime;
use crate::record::NodeState;

/// A session's state between matches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    now_us: u64,
    boards: BTreeMap<BoardId, BoardView>,
    /// States without words, for earlier releases.
    nodes: BTreeMap<String, NodeState>,
    /// Not in checkpoints of earlier releases.
    #[serde(default)]
    node_book: Option<NodeBook>,
    set_up_since_us: Option<u64>,
    set_up_noted: bool,
    /// Not in checkpoints of earlier releases.
    #[serde(default)]
    named_after_s: u64,
}

/// Text that is no checkpoint.
#[derive(Debug, thiserror::Error)]
#[error("the journal's checkpoint of table {table:?} cannot be read: {source}")]
pub struct CheckpointError {
    table: String,
    source: serde_json::Error,
}

impl Session {
    /// The session's state; none while a match is open, or while outputs wait.
    #[must_use]
    pub fn checkpoint(&self) -> Option<String> {
        if self.phase.open().is_some() || !self.outputs.is_empty() {
            return None;
        }
        let checkpoint = Checkpoint {
            now_us: self.now.as_micros(),
            boards: self.boards.clone(),
            nodes: self.nodes.states(),
            node_book: Some(self.nodes.clone()),
            set_up_since_us: self.set_up_since.map(HubTime::as_micros),
            set_up_noted: self.set_up_noted,
            named_after_s: self.named_after_s,
        };
        serde_json::to_string(&checkpoint).ok()
    }

    /// A session that goes on from a checkpoint. Boards that the table no longer has are forgotten.
    ///
    /// # Errors
    ///
    /// When the text is none.
    pub fn restore(config: SessionConfig, text: &str) -> Result<Session, CheckpointError> {
        let checkpoint: Checkpoint = serde_json::from_str(text)
            .map_err(|source| CheckpointError { table: config.table.clone(), source })?;
        let mut session = Session::new(config);
        session.now = HubTime::from_micros(checkpoint.now_us);
        for (board, view) in checkpoint.boards {
            if let Some(place) = session.boards.get_mut(&board) {
                *place = view;
            }
        }
        session.nodes =
            checkpoint.node_book.unwrap_or_else(|| NodeBook::of_states(checkpoint.nodes));
        session.set_up_since = checkpoint.set_up_since_us.map(HubTime::from_micros);
        session.set_up_noted = checkpoint.set_up_noted;
        session.named_after_s = checkpoint.named_after_s;
        session.phase = Phase::Waiting;
        Ok(session)
    }
}
