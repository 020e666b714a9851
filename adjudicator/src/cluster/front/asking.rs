//! Questions to the owner of the hall, and its answers as they come.
//!
//! An answer comes in parts that have numbers. One of which a part was lost is broken off: what was read can be asked for again, and an act
//! is sent again with its key.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use async_nats::StatusCode;
use axum::body::Body;
use bytes::Bytes;
use futures::StreamExt as _;
use tokio::{
    sync::{mpsc, watch},
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use super::{
    super::message::{AnswerHead, FrontQuestion, Of, ToFront, ToOwner, decode, encode},
    stream::Heard,
};

use crate::bus::Bus;

/// Longest silence of an owner that is to answer: it sends signs of work in between.
const SILENCE_MAX: Duration = Duration::from_secs(8);
/// Longest wait for an owner, when there is none: a takeover. A hall that has been without one for longer is not waited for.
const OWNER_WAIT_MAX: Duration = Duration::from_secs(10);
/// Interval between two checks of the owner's presence.
const PRESENCE_CHECK_EVERY: Duration = Duration::from_millis(250);
/// Questions that are open at a time.
const OPEN_MAX: usize = 2_048;
/// Parts of an answer that wait to be taken; the owner sends fewer ahead.
const PARTS_MAX: usize = 64;
/// Parts after which the owner is sent that they were taken.
const TAKEN_EVERY: u32 = 4;
/// Interval at which the owner is sent that an answer is still wanted.
const WANTED_EVERY: Duration = Duration::from_secs(5);

/// Reason why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoAnswer {
    /// Nothing was sent: no owner, or no line to it.
    #[error("the hall's owner cannot be reached; it is being replaced")]
    NotAsked,
    /// The question was sent, and no answer came.
    #[error("the hall's owner did not answer, and may have done what was asked: send it again")]
    Unknown,
    /// Too many questions are open.
    #[error("too many ask at the moment; ask again in a second")]
    Busy,
}

/// A part of an answer, or that there will be none.
type AnswerPart = Result<(ToFront, Bytes), NoAnswer>;

/// The way to the owner.
pub(super) struct OwnerLink {
    bus: Bus,
    inbox: String,
    number: AtomicU64,
    open: Mutex<HashMap<String, mpsc::Sender<AnswerPart>>>,
    owner: watch::Sender<Option<Heard>>,
    began: Instant,
}

impl OwnerLink {
    pub(super) fn new(bus: Bus) -> OwnerLink {
        let inbox = bus.inbox();
        let (number, open, owner) = (AtomicU64::new(0), Mutex::default(), watch::Sender::default());
        OwnerLink { bus, inbox, number, open, owner, began: Instant::now() }
    }

    /// Notes a sign of life of an owner. One of an earlier epoch has lost the hall.
    pub(super) fn heard(&self, epoch: u64) {
        self.owner.send_modify(|owner| {
            if owner.is_none_or(|owner| owner.epoch <= epoch) {
                *owner = Some(Heard::now(epoch));
            }
        });
    }

    /// Epoch of the owner, if one is online.
    pub(super) fn owner(&self) -> Option<u64> {
        self.owner.borrow().filter(Heard::is_there).map(|owner| owner.epoch)
    }

    /// Waits until no owner is there.
    pub(super) async fn without_owner(&self) {
        while self.owner().is_some() {
            tokio::time::sleep(PRESENCE_CHECK_EVERY).await;
        }
    }

    /// Whether the line to NATS is up.
    pub(super) fn has_line(&self) -> bool {
        self.bus.is_up()
    }

    /// Time for which an owner is still waited for by a client that has waited so long.
    fn patience(&self, waited: Duration) -> Duration {
        let heard = self.owner.borrow().map_or(self.began, |owner| owner.at);
        OWNER_WAIT_MAX.saturating_sub(waited.max(heard.elapsed()))
    }

    /// Waits for an owner of another epoch than `before`, for a while.
    async fn other_owner(&self, before: Option<u64>, patience: Duration) -> Option<u64> {
        let mut owners = self.owner.subscribe();
        let other = owners.wait_for(|owner| {
            owner.is_some_and(|owner| owner.is_there() && Some(owner.epoch) != before)
        });
        let other = timeout(patience, other).await.ok()?.ok()?;
        (*other).map(|owner| owner.epoch)
    }

    fn open(&self) -> MutexGuard<'_, HashMap<String, mpsc::Sender<AnswerPart>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Receives answers until shutdown.
    pub(super) async fn receive(self: Arc<Self>, shutdown: CancellationToken) {
        let mut answers = match self.bus.subscribe(format!("{}.*", self.inbox)).await {
            Ok(answers) => answers,
            Err(error) => return tracing::error!(%error, "the owner cannot be asked"),
        };
        loop {
            let message = tokio::select! {
                () = shutdown.cancelled() => return,
                message = answers.next() => message,
            };
            let Some(message) = message else { return };
            let Some(id) = message.subject.rsplit('.').next() else { continue };
            let part = match message.status {
                Some(StatusCode::NO_RESPONDERS) => Err(NoAnswer::NotAsked),
                _ => decode(message.payload).map_err(|error| {
                    tracing::warn!(%error, "an answer of the owner cannot be read");
                    NoAnswer::Unknown
                }),
            };
            let mut open = self.open();
            let is_taken = open.get(id).map(|asked| asked.try_send(part).is_ok());
            // Whoever takes nothing is behind; its answer breaks off.
            if is_taken == Some(false) {
                open.remove(id);
            }
        }
    }

    /// Asks the owner, and waits for the beginning of its answer. What certainly reached no owner is asked again of the next one. `is_read`:
    /// it changes nothing, and is asked again also where an answer did not come.
    pub(super) async fn ask(
        self: &Arc<Self>,
        of: Of,
        wanted: &FrontQuestion,
        body: Bytes,
        is_read: bool,
    ) -> Result<OwnerAnswer, NoAnswer> {
        let began = Instant::now();
        let mut before = None;
        loop {
            let Some(epoch) = self.owner().filter(|&epoch| Some(epoch) != before) else {
                let patience = self.patience(began.elapsed());
                if !patience.is_zero() && self.other_owner(before, patience).await.is_some() {
                    continue;
                }
                return Err(NoAnswer::NotAsked);
            };
            match self.ask_owner(epoch, of, wanted, &body).await {
                Err(NoAnswer::NotAsked) => before = Some(epoch),
                Err(NoAnswer::Unknown) if is_read && began.elapsed() < OWNER_WAIT_MAX => {}
                answered => return answered,
            }
        }
    }

    async fn ask_owner(
        self: &Arc<Self>,
        epoch: u64,
        of: Of,
        wanted: &FrontQuestion,
        body: &Bytes,
    ) -> Result<OwnerAnswer, NoAnswer> {
        let id = self.number.fetch_add(1, Ordering::Relaxed).to_string();
        let (sender, parts) = mpsc::channel(PARTS_MAX);
        {
            let mut open = self.open();
            if open.len() >= OPEN_MAX {
                return Err(NoAnswer::Busy);
            }
            open.insert(id.clone(), sender);
        }
        let name = format!("{}.{id}", self.inbox);
        let subject = self.bus.subject(&format!("{epoch}.ask"));
        let asked = Asked { asking: self.clone(), id, subject, name, taken: 0, is_over: false };
        let mut answer =
            OwnerAnswer { head: None, first: Bytes::new(), epoch, next: 0, parts, asked };
        answer.asked.send(of, wanted, body).await?;
        loop {
            match answer.part().await? {
                (ToFront::Working, _) => {}
                (ToFront::Answer(head), body) => {
                    answer.asked.is_over = !head.more;
                    (answer.head, answer.first) = (Some(head), body);
                    return Ok(answer);
                }
                (ToFront::Part { .. }, _) => return Err(NoAnswer::Unknown),
            }
        }
    }
}

/// A question that is open; the owner is sent when its answer is not wanted any more.
struct Asked {
    asking: Arc<OwnerLink>,
    id: String,
    subject: String,
    /// Name of the question between all fronts.
    name: String,
    taken: u32,
    is_over: bool,
}

impl Asked {
    async fn send(&self, of: Of, wanted: &FrontQuestion, body: &Bytes) -> Result<(), NoAnswer> {
        let (bus, id) = (&self.asking.bus, self.name.clone());
        let part_bytes = bus.part_bytes();
        let mut parts: Vec<Bytes> = Vec::new();
        let mut rest = body.clone();
        while !rest.is_empty() {
            parts.push(rest.split_to(rest.len().min(part_bytes)));
        }
        let mut parts = parts.into_iter();
        let first = parts.next().unwrap_or_default();
        let more = parts.len() > 0;
        let head = ToOwner::Ask { id: id.clone(), audience: of, wanted: wanted.clone(), more };
        let message = encode(&head, &[&first]);
        if !bus.ask(self.subject.clone(), self.name.clone(), message).await {
            return Err(NoAnswer::NotAsked);
        }
        let last = u32::try_from(parts.len()).unwrap_or(u32::MAX).saturating_sub(1);
        for (index, part) in (0..).zip(parts) {
            let head = ToOwner::Part { id: id.clone(), index, more: index < last };
            if !bus.send(self.subject.clone(), encode(&head, &[&part])).await {
                return Err(NoAnswer::Unknown);
            }
        }
        Ok(())
    }

    async fn say(&self, head: ToOwner) {
        self.asking.bus.send(self.subject.clone(), encode(&head, &[])).await;
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.asking.open().remove(&self.id);
        if self.is_over {
            return;
        }
        let (bus, subject) = (self.asking.bus.clone(), self.subject.clone());
        let end = encode(&ToOwner::End { id: self.name.clone() }, &[]);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { bus.send(subject, end).await });
        }
    }
}

/// An answer, as it comes.
pub(super) struct OwnerAnswer {
    head: Option<AnswerHead>,
    first: Bytes,
    /// Epoch of the owner who gives it.
    epoch: u64,
    /// Number of the next part.
    next: u32,
    parts: mpsc::Receiver<AnswerPart>,
    asked: Asked,
}

impl OwnerAnswer {
    /// Its head.
    pub(super) fn head(&self) -> AnswerHead {
        self.head.clone().unwrap_or(AnswerHead {
            status: 502,
            headers: Vec::new(),
            number: 0,
            to: String::new(),
            more: false,
        })
    }

    /// Epoch of the owner who gives it.
    pub(super) fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The next message. Meanwhile the owner is sent that it is still wanted.
    async fn part(&mut self) -> Result<(ToFront, Bytes), NoAnswer> {
        let began = Instant::now();
        loop {
            match timeout(WANTED_EVERY.min(SILENCE_MAX), self.parts.recv()).await {
                Ok(Some(part)) => return part,
                Ok(None) => return Err(NoAnswer::Unknown),
                Err(_) if began.elapsed() >= SILENCE_MAX => return Err(NoAnswer::Unknown),
                Err(_) => self.say_taken().await,
            }
        }
    }

    async fn say_taken(&self) {
        let (id, parts) = (self.asked.name.clone(), self.asked.taken);
        self.asked.say(ToOwner::Taken { id, parts }).await;
    }

    /// The next bytes; none at the end.
    async fn bytes(&mut self) -> Result<Option<Bytes>, NoAnswer> {
        let first = std::mem::take(&mut self.first);
        if !first.is_empty() {
            return Ok(Some(first));
        }
        let mut said = Instant::now();
        while !self.asked.is_over {
            let (head, bytes) = self.part().await?;
            match head {
                ToFront::Part { index, more } if index == self.next => {
                    self.next += 1;
                    self.asked.taken = self.next;
                    self.asked.is_over = !more;
                    if more && self.next.is_multiple_of(TAKEN_EVERY) {
                        self.say_taken().await;
                    }
                    return Ok(Some(bytes));
                }
                ToFront::Working => {
                    if said.elapsed() >= WANTED_EVERY {
                        self.say_taken().await;
                        said = Instant::now();
                    }
                }
                // A part was lost.
                ToFront::Part { .. } | ToFront::Answer(_) => return Err(NoAnswer::Unknown),
            }
        }
        Ok(None)
    }

    /// All its bytes.
    pub(super) async fn whole(mut self, bytes_max: usize) -> Result<Vec<u8>, NoAnswer> {
        let mut whole = Vec::new();
        while let Some(bytes) = self.bytes().await? {
            if whole.len() + bytes.len() > bytes_max {
                return Err(NoAnswer::Busy);
            }
            whole.extend_from_slice(&bytes);
        }
        Ok(whole)
    }

    /// The body of an answer to a client. It breaks off where this does.
    pub(super) fn body(self) -> Body {
        Body::from_stream(futures::stream::try_unfold(self, async |mut answer| {
            Ok::<_, NoAnswer>(answer.bytes().await?.map(|bytes| (bytes, answer)))
        }))
    }
}
