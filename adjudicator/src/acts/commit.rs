//! The one way of an act into the log: known already? committed, applied, answered.

use std::sync::Arc;

use tokio::sync::{Mutex, watch};

use super::{ACT_BYTES_MAX, Answer, PersonAct};
use crate::{
    stage::{Stage, now_ms},
    store::{InputKind, NewInput, Store, StoreError},
};

/// Why an act is not in the log.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// It is too large.
    #[error("an act has at most {ACT_BYTES_MAX} bytes: split it")]
    TooLarge,
    /// The database refuses; nothing was done.
    #[error("the act could not be kept, and nothing was done: {0}")]
    Store(#[from] StoreError),
}

/// Takes acts, one after the other.
pub struct Commits {
    store: Arc<Store>,
    floor: Arc<Stage>,
    appended: Arc<watch::Sender<u64>>,
    one_by_one: Mutex<()>,
}

impl Commits {
    /// Into this log, applied on this stage.
    #[must_use]
    pub fn new(store: Arc<Store>, floor: Arc<Stage>, appended: Arc<watch::Sender<u64>>) -> Commits {
        Commits { store, floor, appended, one_by_one: Mutex::new(()) }
    }

    /// Commits an act and says what became of it; one that was committed before is answered as it was then.
    ///
    /// # Errors
    ///
    /// It was not committed.
    pub async fn commit(&self, act: &PersonAct) -> Result<Answer, CommitError> {
        let _turn = self.one_by_one.lock().await;
        // What was committed before a kill is known once the log has been followed.
        self.floor.catch_up(&self.store).await?;
        if let Some(answer) = self.floor.hall().answers().of(&act.source) {
            return Ok(answer.clone());
        }
        let payload = serde_json::to_vec(act).map_err(|_| CommitError::TooLarge)?;
        if payload.len() > ACT_BYTES_MAX {
            return Err(CommitError::TooLarge);
        }
        let match_id = act.deed.match_id().map(str::to_owned);
        let input = NewInput { kind: InputKind::Act, hub: None, match_id, payload };
        let id = self.store.append(now_ms(), input).await?;
        self.appended.send_modify(|appends| *appends += 1);
        self.floor.catch_up(&self.store).await?;
        let answer = self.floor.hall().answers().of(&act.source).cloned();
        Ok(answer.unwrap_or(Answer::Taken { act: id }))
    }
}
