//! The state of a session without a match, as text: a replay need not start at the beginning of time.

use std::collections::BTreeMap;

use rules::BoardId;
use serde::{Deserialize, Serialize};

use super::node_book::NodeBook;
use super::view::BoardView;
use super::{Phase, Session, SessionConfig, Unfollowed};
use crate::HubTime;
use crate::journal_line::NodeState;

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
    /// Last change of a square. Not in checkpoints of earlier releases.
    #[serde(default)]
    changed_us: u64,
    /// The notice that play is not followed, if it was sent. Not in checkpoints of earlier releases.
    #[serde(default)]
    unfollowed: Unfollowed,
    /// A match that was just opened. Not in checkpoints of earlier releases.
    #[serde(default)]
    opened: Option<JustOpened>,
    /// Not in checkpoints of earlier releases.
    #[serde(default)]
    named_after_s: u64,
}

/// A match that is ready, of which nothing was read since it was opened: what the boards show is all of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct JustOpened {
    match_id: String,
    opened_us: u64,
    /// The header of its trace. With another configuration it is another match.
    header: String,
}

/// Text that is no checkpoint.
#[derive(Debug, thiserror::Error)]
#[error("the journal's checkpoint of table {table:?} cannot be read: {source}")]
pub struct CheckpointError {
    table: String,
    source: serde_json::Error,
}

impl Session {
    /// The session's state; none while a match is played or may yet go on, or while outputs wait.
    #[must_use]
    pub fn checkpoint(&self) -> Option<String> {
        let opened = match &self.phase {
            Phase::Waiting => None,
            Phase::Open(open) if open.is_untouched => Some(JustOpened {
                match_id: open.id.clone(),
                opened_us: open.opened.as_micros(),
                header: self.header_text(&open.id),
            }),
            Phase::Open(_) | Phase::Over(_) => return None,
        };
        if !self.outputs.is_empty() {
            return None;
        }
        let checkpoint = Checkpoint {
            now_us: self.now.as_micros(),
            boards: self.boards.clone(),
            nodes: self.nodes.states(),
            node_book: Some(self.nodes.clone()),
            changed_us: self.life.changed().as_micros(),
            unfollowed: self.unfollowed.clone(),
            opened,
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
        session.unfollowed = checkpoint.unfollowed;
        session.named_after_s = checkpoint.named_after_s;
        session.life.wait(&session.boards, HubTime::from_micros(checkpoint.changed_us));
        if let Some(opened) = checkpoint.opened {
            session.reopen(opened);
        }
        Ok(session)
    }

    /// Opens a match again that was just opened. With another configuration, its rows are left in the outputs, so that the caller that
    /// restores the session notices.
    fn reopen(&mut self, JustOpened { match_id, opened_us, header }: JustOpened) {
        let reached = std::mem::replace(&mut self.now, HubTime::from_micros(opened_us));
        let is_same = self.header_text(&match_id) == header;
        self.open_as(match_id);
        let steps = self.life.reopen(self.now);
        self.carry_out(steps);
        if is_same {
            self.outputs.clear();
        }
        self.now = reached;
    }

    /// Follows a match of which nothing was read yet with another follower.
    pub(super) fn refollow_untouched(&mut self) {
        let Phase::Open(open) = &self.phase else { return };
        if !open.is_untouched {
            return;
        }
        let reached = std::mem::replace(&mut self.now, open.opened);
        let outputs = std::mem::take(&mut self.outputs);
        self.ready();
        self.outputs = outputs;
        self.now = reached;
        if let Phase::Open(open) = &mut self.phase {
            open.is_untouched = true;
        }
    }
}
