//! The one way of an act into the log: known already? committed, applied, answered.

use std::sync::{Arc, PoisonError};

use tokio::sync::{Mutex, watch};

use crate::{
    hall::{
        acts::{
            Answer, PersonAct,
            shares::{Rates, has_room},
        },
        event::staff::DeviceId,
    },
    limits::ACT_BYTES_MAX,
    log::{
        Store, StoreError,
        input::{InputKind, NewInput, weight},
    },
    owner::follower::Stage,
    time::{now_ms, run_ms},
};

/// Actor of the configuration's token, and of the pairing of a device.
const TOKEN: DeviceId = DeviceId(0);

/// Reason why an act is not in the log.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommitError {
    /// The act is too large.
    #[error("an act has at most {ACT_BYTES_MAX} bytes: split it")]
    TooLarge,
    /// The device acts faster than anybody taps.
    #[error("too many acts at once from this device: wait a little, then send the act again")]
    TooFast,
    /// The device has filled its share of the log.
    #[error(
        "this device has used up its share of the log, and the act was not saved: ask the chief director for a new invitation"
    )]
    ShareFull,
    /// The database refuses; nothing was done.
    #[error("the act could not be kept, and nothing was done: {0}")]
    Store(#[from] StoreError),
}

/// Takes acts, one after the other.
pub(crate) struct Commits {
    store: Arc<Store>,
    floor: Arc<Stage>,
    appended: Arc<watch::Sender<u64>>,
    one_by_one: Mutex<()>,
    rates: std::sync::Mutex<Rates>,
}

impl Commits {
    /// Into this log, applied on this stage.
    #[must_use]
    pub(crate) fn new(
        store: Arc<Store>,
        floor: Arc<Stage>,
        appended: Arc<watch::Sender<u64>>,
    ) -> Commits {
        let (one_by_one, rates) = (Mutex::new(()), std::sync::Mutex::default());
        Commits { store, floor, appended, one_by_one, rates }
    }

    /// Commits an act and says what became of it; one that was committed before is answered as it was then.
    ///
    /// # Errors
    ///
    /// It was not committed.
    pub(crate) async fn commit(&self, act: &PersonAct) -> Result<Answer, CommitError> {
        if !self.may_now(act.source.device) {
            return Err(CommitError::TooFast);
        }
        let _turn = self.one_by_one.lock().await;
        // What was committed before a kill is known once the log has been followed.
        self.floor.catch_up(&self.store).await?;
        if let Some(answer) = self.floor.hall().answers().of(&act.source) {
            return Ok(answer);
        }
        let payload = serde_json::to_vec(act).map_err(|_| CommitError::TooLarge)?;
        if payload.len() > ACT_BYTES_MAX {
            return Err(CommitError::TooLarge);
        }
        let device = act.source.device;
        let written = self.floor.hall().answers().bytes_of(device);
        if device != TOKEN && !has_room(act.by.rank, written, weight(&payload)) {
            return Err(CommitError::ShareFull);
        }
        let match_id = act.deed.match_id().map(str::to_owned);
        let input = NewInput { kind: InputKind::Act, hub: None, match_id, payload };
        let id = self.store.append(now_ms(), input).await?;
        self.appended.send_modify(|appends| *appends += 1);
        self.floor.catch_up(&self.store).await?;
        let answer = self.floor.hall().answers().of(&act.source);
        Ok(answer.unwrap_or(Answer::Taken { act: id }))
    }

    /// Whether a device may act once more by now.
    fn may_now(&self, device: DeviceId) -> bool {
        let mut rates = self.rates.lock().unwrap_or_else(PoisonError::into_inner);
        device == TOKEN || rates.take(device, run_ms())
    }
}
