//! The adjudicator's end: what hubs report is committed first and acknowledged then.
//!
//! Messages wait in a bounded queue. Rows of several hubs are committed together, because a commit costs as much for one
//! message as for many. When the queue is full, rows are dropped: their hub gets its position again, and resends them. One
//! message of each hub always has a slot. A birth or will always has one: of each hub the latest waits, because it is what
//! holds. If the store refuses, nothing is acknowledged and the hubs keep their rows.
//!
//! Driving it: pass inputs to [`Receiver::handle`]; do every [`Receiver::poll_work`], in order, and report its result; hand
//! every [`Receiver::poll_transmit`] to the client as long as it has room.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Bound;

use prost::Message as _;
use proto::mqtt::message::{Ack, AdjudicatorState, HubState, Rehearsal};
use proto::mqtt::{
    ReceivedRows, Segment, SegmentError, Topic, adjudicator_filter, decode, decode_rows,
};
use tracing::warn;

use crate::Transmit;

/// Messages that came and are not committed yet.
pub const RECEIVED_MAX: usize = 512;
/// Maximum number of messages in the shared queue. Beyond it, a boot may have one message, so that no hub is dropped again and
/// again while others are not.
const RECEIVED_SHARED_MAX: usize = 256;
/// Maximum number of messages of rows in one commit.
pub const GROUP_MESSAGES_MAX: usize = 64;
/// Hubs of which a birth or will may wait, beside the messages of rows: far more than a broker has.
const STATES_MAX: usize = 4096;
/// Boots whose rows were dropped, at most that are answered at once.
const DROPPED_MAX: usize = 1024;

/// Settings of a receiver.
#[derive(Clone, Debug)]
pub struct ReceiverSettings {
    /// The shard of the event.
    pub shard: String,
    /// The adjudicator.
    pub id: String,
    /// Names the store as it was opened: hubs learn from it that it may be another than before.
    pub store_id: String,
}

/// An input of a receiver.
#[derive(Clone, Debug)]
pub enum ReceivedEvent {
    /// The broker took the client in, at this time of the machine (Unix microseconds).
    Connected(u64),
    /// The client lost its connection.
    Disconnected,
    /// A message came.
    Message {
        /// Topic.
        topic: String,
        /// Payload.
        payload: Vec<u8>,
    },
}

/// Work for the shell, in the order in which it is given.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// Note that the broker is connected from here on. Then, with all positions of the store, [`Receiver::greet`].
    LinkUp,
    /// Note that the broker is disconnected from here on.
    LinkDown,
    /// Note a hub's birth or death, if it is news.
    HubState(HubState),
    /// Commit these together, by the rule of [`crate::accept`]. Then [`Receiver::committed`], or
    /// [`Receiver::refused`].
    Commit(Vec<ReceivedRows>),
    /// Look up how far the store has a boot of a hub. Then [`Receiver::committed`].
    Position(String, u64),
}

/// Position of a hub's boot in the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The hub's id.
    pub hub: String,
    /// The boot.
    pub boot_id: u64,
    /// Last sequence up to which all rows are committed.
    pub sequence: u64,
}

/// Positions that were committed or queried.
pub type Committed = Vec<Position>;

/// A message in the queue.
#[derive(Debug)]
enum QueuedMessage {
    LinkUp,
    LinkDown,
    HubState(HubState),
    Rows(ReceivedRows),
}

/// Last output of [`Receiver::poll_transmit`].
#[derive(Clone, Debug)]
enum PendingReply {
    Filters,
    State,
    Ack(String, u64),
}

/// The adjudicator's end.
pub struct Receiver {
    shard: Segment,
    store_id: String,
    state_topic: String,
    rehearsal: Option<Rehearsal>,
    is_up: bool,
    since_us: u64,
    heard: VecDeque<QueuedMessage>,
    /// Number of messages of rows that were dropped for lack of room.
    drops: u64,
    /// Hubs and boots of these rows.
    dropped: BTreeSet<(String, u64)>,
    /// From last to first.
    to_introduce: Vec<PendingReply>,
    /// By hub and boot.
    acks: BTreeMap<(String, u64), u64>,
    /// Boot whose acknowledgement was sent last: the others come first then.
    last_ack: Option<(String, u64)>,
    offered: Option<PendingReply>,
}

impl Receiver {
    /// A receiver that is not connected yet.
    ///
    /// # Errors
    ///
    /// Shard or id cannot stand in a topic.
    pub fn new(settings: ReceiverSettings) -> Result<Receiver, SegmentError> {
        let (shard, id): (Segment, Segment) = (settings.shard.parse()?, settings.id.parse()?);
        Ok(Receiver {
            shard,
            store_id: settings.store_id,
            state_topic: Topic::AdjudicatorState { id }.to_string(),
            rehearsal: None,
            is_up: false,
            since_us: 0,
            heard: VecDeque::new(),
            drops: 0,
            dropped: BTreeSet::new(),
            to_introduce: Vec::new(),
            acks: BTreeMap::new(),
            last_ack: None,
            offered: None,
        })
    }

    /// Announces a rehearsal with every state of this adjudicator.
    #[must_use]
    pub fn rehearsing(self, rehearsal: Option<Rehearsal>) -> Receiver {
        Receiver { rehearsal, ..self }
    }

    /// Will of this client, which a stopping adjudicator publishes itself: topic and payload, retained. `now_us`: Unix
    /// microseconds.
    #[must_use]
    pub fn farewell(&self, now_us: u64) -> (String, Vec<u8>) {
        let state =
            AdjudicatorState { online: false, since_us: now_us, ..AdjudicatorState::default() };
        (self.state_topic.clone(), state.encode_to_vec())
    }

    /// Takes what happened.
    pub fn handle(&mut self, event: ReceivedEvent) {
        match event {
            ReceivedEvent::Connected(now_us) => {
                self.since_us = now_us;
                self.take_line(true);
            }
            ReceivedEvent::Disconnected => self.take_line(false),
            ReceivedEvent::Message { topic, payload } => {
                if let Some(heard) = understand(&topic, &payload) {
                    self.take(heard);
                }
            }
        }
    }

    /// The line came or went. Of changes that wait, only the last pair counts.
    fn take_line(&mut self, is_up: bool) {
        if !is_up && !std::mem::replace(&mut self.is_up, is_up) {
            return;
        }
        self.is_up = is_up;
        if !is_up {
            self.to_introduce.clear();
        }
        let lines = self
            .heard
            .iter()
            .filter(|heard| matches!(heard, QueuedMessage::LinkUp | QueuedMessage::LinkDown));
        if lines.count() >= 2 {
            self.heard
                .retain(|heard| !matches!(heard, QueuedMessage::LinkUp | QueuedMessage::LinkDown));
        }
        self.heard.push_back(if is_up { QueuedMessage::LinkUp } else { QueuedMessage::LinkDown });
    }

    fn take(&mut self, heard: QueuedMessage) {
        if let QueuedMessage::HubState(state) = &heard {
            self.forget_state(&state.hub_id);
        }
        if self.has_room(&heard) {
            self.heard.push_back(heard);
            return;
        }
        self.drops += 1;
        if self.drops.is_power_of_two() {
            let dropped = self.drops;
            warn!(dropped, "more came than can be stored at once; hubs will send it again");
        }
        if let QueuedMessage::Rows(ReceivedRows { rows, .. }) = heard
            && self.dropped.len() < DROPPED_MAX
        {
            self.dropped.insert((rows.hub_id, rows.boot_id));
        }
    }

    /// Forgets the birth or will of a hub that waits, because a later one has come.
    fn forget_state(&mut self, hub: &str) {
        self.heard.retain(
            |heard| !matches!(heard, QueuedMessage::HubState(state) if state.hub_id == hub),
        );
    }

    fn has_room(&self, heard: &QueuedMessage) -> bool {
        let states =
            || self.heard.iter().filter(|it| matches!(it, QueuedMessage::HubState(_))).count();
        match (self.heard.len(), heard) {
            (..RECEIVED_SHARED_MAX, _) => true,
            (_, QueuedMessage::HubState(_)) => states() < STATES_MAX,
            (_, QueuedMessage::Rows(ReceivedRows { rows, .. })) => {
                self.heard.len() - states() < RECEIVED_MAX
                    && !self.waits(&rows.hub_id, rows.boot_id)
            }
            _ => true,
        }
    }

    /// Whether rows of a boot wait.
    fn waits(&self, hub: &str, boot_id: u64) -> bool {
        let is_of = |heard: &QueuedMessage| matches!(heard, QueuedMessage::Rows(ReceivedRows { rows, .. }) if rows.hub_id == hub && rows.boot_id == boot_id);
        self.heard.iter().any(is_of)
    }

    /// Returns the next work.
    pub fn poll_work(&mut self) -> Option<Work> {
        if let Some((hub, boot_id)) = self.next_dropped() {
            return Some(Work::Position(hub, boot_id));
        }
        let first = match self.heard.pop_front() {
            Some(QueuedMessage::LinkUp) => return Some(Work::LinkUp),
            Some(QueuedMessage::LinkDown) => return Some(Work::LinkDown),
            Some(QueuedMessage::HubState(state)) => return Some(Work::HubState(state)),
            Some(QueuedMessage::Rows(rows)) => rows,
            None => return None,
        };
        let mut group = vec![first];
        while group.len() < GROUP_MESSAGES_MAX {
            match self.heard.pop_front() {
                Some(QueuedMessage::Rows(rows)) => group.push(rows),
                Some(other) => {
                    self.heard.push_front(other);
                    break;
                }
                None => break,
            }
        }
        Some(Work::Commit(group))
    }

    /// A boot whose rows were dropped and of which none waits any more. Before that no position is sent: its hub would resend
    /// the queued rows, too.
    fn next_dropped(&mut self) -> Option<(String, u64)> {
        if self.heard.len() >= RECEIVED_SHARED_MAX {
            return None;
        }
        let next = self.dropped.iter().find(|(hub, boot_id)| !self.waits(hub, *boot_id))?.clone();
        self.dropped.take(&next)
    }

    /// The line that came up is noted: hubs may speak, and learn how far the store has them.
    pub fn greet(&mut self, positions: Committed) {
        self.to_introduce = vec![PendingReply::State, PendingReply::Filters];
        self.committed(positions);
    }

    /// Acknowledges committed rows to their hubs. The latest position of a boot counts.
    pub fn committed(&mut self, positions: Committed) {
        for Position { hub, boot_id, sequence } in positions {
            self.acks.insert((hub, boot_id), sequence);
        }
    }

    /// The store has refused a commit. Sends these hubs their positions again, and they resend, at longer and longer intervals:
    /// so they need not poll whether the store accepts rows again.
    pub fn refused(&mut self, group: &[ReceivedRows]) {
        for ReceivedRows { rows, .. } in group {
            if self.dropped.len() < DROPPED_MAX {
                self.dropped.insert((rows.hub_id.clone(), rows.boot_id));
            }
        }
    }

    /// Returns the next message for the client. Once the client has accepted it, call [`Receiver::transmitted`]; until then the
    /// same message is returned.
    pub fn poll_transmit(&mut self) -> Option<Transmit> {
        self.offered = None;
        if !self.is_up {
            return None;
        }
        if let Some(next) = self.to_introduce.last().cloned() {
            self.offered = Some(next.clone());
            return Some(match next {
                PendingReply::Filters => {
                    Transmit::Subscribe(adjudicator_filter(&self.shard).to_vec())
                }
                _ => {
                    let state = AdjudicatorState {
                        online: true,
                        since_us: self.since_us,
                        rehearsal: self.rehearsal.clone(),
                    };
                    let (topic, payload) = (self.state_topic.clone(), state.encode_to_vec());
                    Transmit::Publish { topic, retain: true, payload }
                }
            });
        }
        while let Some(((hub_id, boot_id), sequence)) = self.next_ack() {
            let Ok(segment) = hub_id.parse() else {
                self.acks.remove(&(hub_id, boot_id));
                continue;
            };
            self.offered = Some(PendingReply::Ack(hub_id.clone(), boot_id));
            let topic = Topic::Ack { shard: self.shard.clone(), hub: segment }.to_string();
            let ack = Ack { hub_id, boot_id, sequence, store_id: self.store_id.clone() };
            return Some(Transmit::Publish { topic, retain: true, payload: ack.encode_to_vec() });
        }
        None
    }

    /// The acknowledgement that is due: in turn, so that busy hubs do not keep the others waiting.
    fn next_ack(&self) -> Option<((String, u64), u64)> {
        let after = self.last_ack.as_ref().map_or(Bound::Unbounded, Bound::Excluded);
        let mut behind = self.acks.range((after, Bound::Unbounded));
        let next = behind.next().or_else(|| self.acks.first_key_value());
        next.map(|(key, sequence)| (key.clone(), *sequence))
    }

    /// The client has taken what [`Receiver::poll_transmit`] gave.
    pub fn transmitted(&mut self) {
        match self.offered.take() {
            Some(PendingReply::Filters | PendingReply::State) => {
                self.to_introduce.pop();
            }
            Some(PendingReply::Ack(hub, boot_id)) => {
                let key = (hub, boot_id);
                self.acks.remove(&key);
                self.last_ack = Some(key);
            }
            None => {}
        }
    }

    /// Whether the broker has the client.
    #[must_use]
    pub fn is_up(&self) -> bool {
        self.is_up
    }

    /// Whether something is to be done, or to be sent.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.heard.is_empty()
            && self.dropped.is_empty()
            && (!self.is_up || (self.acks.is_empty() && self.to_introduce.is_empty()))
    }

    /// Messages that wait.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.heard.len()
    }
}

/// Decodes a message of the shard; logs and skips an invalid one.
fn understand(topic: &str, payload: &[u8]) -> Option<QueuedMessage> {
    let refuse = |reason: &dyn std::fmt::Display| {
        warn!(topic, %reason, "invalid message skipped");
        None
    };
    let parsed = match topic.parse::<Topic>() {
        Ok(parsed) => parsed,
        Err(error) => return refuse(&error),
    };
    match parsed {
        Topic::Rows { hub, .. } => match decode_rows(payload) {
            Ok(received) if received.rows.hub_id == hub.as_str() => {
                Some(QueuedMessage::Rows(received))
            }
            Ok(received) => refuse(&format!("it names the hub {:?}", received.rows.hub_id)),
            Err(error) => refuse(&error),
        },
        Topic::HubState { hub, .. } => match decode::<HubState>(payload) {
            Ok(state) if state.hub_id == hub.as_str() => Some(QueuedMessage::HubState(state)),
            Ok(state) => refuse(&format!("it names the hub {:?}", state.hub_id)),
            Err(error) => refuse(&error),
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests;
