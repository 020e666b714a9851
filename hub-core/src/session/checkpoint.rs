//! The state of a session without a match, as text: a replay need not start at the beginning of time.

use std::collections::BTreeMap;

use rules::BoardId;
use serde::{Deserialize, Serialize};

use super::view::BoardView;
use super::{Phase, Session, SessionConfig, Unfollowed};
use crate::HubTime;
use crate::record::NodeState;

/// A session's state between matches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    now_us: u64,
    boards: BTreeMap<BoardId, BoardView>,
    nodes: BTreeMap<String, NodeState>,
    /// Last change of a square. Not in checkpoints of earlier releases.
    #[serde(default)]
    changed_us: u64,
    /// The notice that play is not followed, if it was sent. Not in checkpoints of earlier releases.
    #[serde(default)]
    unfollowed: Unfollowed,
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
        if !matches!(self.phase, Phase::Waiting) || !self.outputs.is_empty() {
            return None;
        }
        let checkpoint = Checkpoint {
            now_us: self.now.as_micros(),
            boards: self.boards.clone(),
            nodes: self.nodes.clone(),
            changed_us: self.life.changed().as_micros(),
            unfollowed: self.unfollowed.clone(),
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
        session.nodes = checkpoint.nodes;
        session.unfollowed = checkpoint.unfollowed;
        session.named_after_s = checkpoint.named_after_s;
        session.life.wait(&session.boards, HubTime::from_micros(checkpoint.changed_us));
        Ok(session)
    }
}
