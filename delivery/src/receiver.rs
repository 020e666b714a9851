//! The adjudicator's end: what hubs report is committed first and acknowledged then.
//!
//! Messages wait in a bounded queue. Rows of several hubs are committed together, because a commit costs as much for one message
//! as for many. When the queue is full, rows are dropped: their hub is told how far it is, and sends them again; but one message of each
//! hub has its place. A birth or will always has one: of each hub the latest waits, because it is what holds. If the store refuses,
//! nothing is acknowledged and the hubs keep their rows.
//!
//! How it is driven: [`Receiver::handle`] what came; do every [`Receiver::poll_work`], in order, and say what came of it; hand
//! every [`Receiver::poll_transmit`] to the client as long as it has room.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Bound;

use prost::Message as _;
use proto::mqtt::message::{Ack, AdjudicatorState, HubState};
use proto::mqtt::{
    ReceivedRows, Segment, SegmentError, Topic, adjudicator_filter, decode, decode_rows,
};
use tracing::warn;

use crate::Transmit;

/// Messages that came and are not committed yet.
pub const HEARD_MAX: usize = 512;
/// Beyond so many only those are taken whose boot has none among them: one message of each hub has its place, so that none is dropped
/// again and again while others are not.
const HEARD_SHARED_MAX: usize = 256;
/// Most messages of rows in one commit.
pub const GROUP_MESSAGES_MAX: usize = 64;
/// Hubs of which a birth or will may wait, beside the messages of rows: far more than a broker has.
const STATES_MAX: usize = 4096;
/// Boots whose rows were dropped, at most that are answered at once.
const DROPPED_MAX: usize = 1024;

/// What a receiver is told about itself.
#[derive(Clone, Debug)]
pub struct ReceiverSettings {
    /// The shard of the event.
    pub shard: String,
    /// The adjudicator.
    pub id: String,
    /// Names the store as it was opened: hubs learn from it that it may be another than before.
    pub store_id: String,
}

/// What happened around a receiver.
#[derive(Clone, Debug)]
pub enum ReceivedEvent {
    /// The broker took the client in, at this time of the machine (Unix microseconds).
    Connected(u64),
    /// The client lost its connection.
    Disconnected,
    /// A message came.
    Message {
        /// Where it was published.
        topic: String,
        /// What it holds.
        payload: Vec<u8>,
    },
}

/// What is to be done, in the order in which it is given.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// Note that hubs are heard from here on. Then, with all positions of the store, [`Receiver::greet`].
    LinkUp,
    /// Note that nothing is heard from here on.
    LinkDown,
    /// Note a hub's birth or death, if it is news.
    HubState(HubState),
    /// Commit these together, by the rule of [`crate::accept`]. Then [`Receiver::committed`], or
    /// [`Receiver::refused`].
    Commit(Vec<ReceivedRows>),
    /// Look up how far the store has a boot of a hub. Then [`Receiver::committed`].
    Position(String, u64),
}

/// How far the store has a boot of a hub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The hub's id.
    pub hub: String,
    /// The boot.
    pub boot_id: u64,
    /// Everything up to this sequence is committed.
    pub sequence: u64,
}

/// What was committed, or looked up.
pub type Committed = Vec<Position>;

/// What came and waits.
#[derive(Debug)]
enum Heard {
    LinkUp,
    LinkDown,
    HubState(HubState),
    Rows(ReceivedRows),
}

/// What [`Receiver::poll_transmit`] gave last.
#[derive(Clone, Debug)]
enum Offered {
    Filters,
    State,
    Ack(String, u64),
}

/// The adjudicator's end.
pub struct Receiver {
    shard: Segment,
    store_id: String,
    state_topic: String,
    is_up: bool,
    since_us: u64,
    heard: VecDeque<Heard>,
    /// Of how many messages of rows there was no room for.
    drops: u64,
    /// Hubs and boots of these rows.
    dropped: BTreeSet<(String, u64)>,
    /// From last to first.
    to_introduce: Vec<Offered>,
    /// By hub and boot.
    acks: BTreeMap<(String, u64), u64>,
    /// Whose acknowledgement went last: the others come first then.
    last_ack: Option<(String, u64)>,
    offered: Option<Offered>,
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

    /// What the broker is to publish when the connection is lost, and a stopping adjudicator says itself: topic and payload,
    /// retained. `now_us`: Unix microseconds.
    #[must_use]
    pub fn farewell(&self, now_us: u64) -> (String, Vec<u8>) {
        let state = AdjudicatorState { online: false, since_us: now_us };
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
        let lines =
            self.heard.iter().filter(|heard| matches!(heard, Heard::LinkUp | Heard::LinkDown));
        if lines.count() >= 2 {
            self.heard.retain(|heard| !matches!(heard, Heard::LinkUp | Heard::LinkDown));
        }
        self.heard.push_back(if is_up { Heard::LinkUp } else { Heard::LinkDown });
    }

    fn take(&mut self, heard: Heard) {
        if let Heard::HubState(state) = &heard {
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
        if let Heard::Rows(ReceivedRows { rows, .. }) = heard
            && self.dropped.len() < DROPPED_MAX
        {
            self.dropped.insert((rows.hub_id, rows.boot_id));
        }
    }

    /// Forgets the birth or will of a hub that waits, because a later one has come.
    fn forget_state(&mut self, hub: &str) {
        self.heard.retain(|heard| !matches!(heard, Heard::HubState(state) if state.hub_id == hub));
    }

    fn has_room(&self, heard: &Heard) -> bool {
        let states = || self.heard.iter().filter(|it| matches!(it, Heard::HubState(_))).count();
        match (self.heard.len(), heard) {
            (..HEARD_SHARED_MAX, _) => true,
            (_, Heard::HubState(_)) => states() < STATES_MAX,
            (_, Heard::Rows(ReceivedRows { rows, .. })) => {
                self.heard.len() - states() < HEARD_MAX && !self.waits(&rows.hub_id, rows.boot_id)
            }
            _ => true,
        }
    }

    /// Whether rows of a boot wait.
    fn waits(&self, hub: &str, boot_id: u64) -> bool {
        let is_of = |heard: &Heard| matches!(heard, Heard::Rows(ReceivedRows { rows, .. }) if rows.hub_id == hub && rows.boot_id == boot_id);
        self.heard.iter().any(is_of)
    }

    /// What is to be done next.
    pub fn poll_work(&mut self) -> Option<Work> {
        if let Some((hub, boot_id)) = self.next_dropped() {
            return Some(Work::Position(hub, boot_id));
        }
        let first = match self.heard.pop_front() {
            Some(Heard::LinkUp) => return Some(Work::LinkUp),
            Some(Heard::LinkDown) => return Some(Work::LinkDown),
            Some(Heard::HubState(state)) => return Some(Work::HubState(state)),
            Some(Heard::Rows(rows)) => rows,
            None => return None,
        };
        let mut group = vec![first];
        while group.len() < GROUP_MESSAGES_MAX {
            match self.heard.pop_front() {
                Some(Heard::Rows(rows)) => group.push(rows),
                Some(other) => {
                    self.heard.push_front(other);
                    break;
                }
                None => break,
            }
        }
        Some(Work::Commit(group))
    }

    /// A boot whose rows were dropped and of which none waits any more. Before that nothing is said: its hub would send those that wait
    /// again, too.
    fn next_dropped(&mut self) -> Option<(String, u64)> {
        if self.heard.len() >= HEARD_SHARED_MAX {
            return None;
        }
        let next = self.dropped.iter().find(|(hub, boot_id)| !self.waits(hub, *boot_id))?.clone();
        self.dropped.take(&next)
    }

    /// The line that came up is noted: hubs may speak, and learn how far the store has them.
    pub fn greet(&mut self, positions: Committed) {
        self.to_introduce = vec![Offered::State, Offered::Filters];
        self.committed(positions);
    }

    /// Something is committed, or was: its hub is told. Of a boot the latest counts.
    pub fn committed(&mut self, positions: Committed) {
        for Position { hub, boot_id, sequence } in positions {
            self.acks.insert((hub, boot_id), sequence);
        }
    }

    /// The store has refused a commit. Their hubs are told how far they are, and send again, at longer and longer intervals: so they
    /// need not find out by themselves when the store takes rows again.
    pub fn refused(&mut self, group: &[ReceivedRows]) {
        for ReceivedRows { rows, .. } in group {
            if self.dropped.len() < DROPPED_MAX {
                self.dropped.insert((rows.hub_id.clone(), rows.boot_id));
            }
        }
    }

    /// What the client is to send next. If it takes it, [`Receiver::transmitted`]; if not, the same comes again.
    pub fn poll_transmit(&mut self) -> Option<Transmit> {
        self.offered = None;
        if !self.is_up {
            return None;
        }
        if let Some(next) = self.to_introduce.last().cloned() {
            self.offered = Some(next.clone());
            return Some(match next {
                Offered::Filters => Transmit::Subscribe(adjudicator_filter(&self.shard).to_vec()),
                _ => {
                    let state = AdjudicatorState { online: true, since_us: self.since_us };
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
            self.offered = Some(Offered::Ack(hub_id.clone(), boot_id));
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
            Some(Offered::Filters | Offered::State) => {
                self.to_introduce.pop();
            }
            Some(Offered::Ack(hub, boot_id)) => {
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

/// Reads a message of the shard; what is none is said and left out.
fn understand(topic: &str, payload: &[u8]) -> Option<Heard> {
    let refuse = |reason: &dyn std::fmt::Display| {
        warn!(topic, %reason, "a message makes no sense and is left out");
        None
    };
    let parsed = match topic.parse::<Topic>() {
        Ok(parsed) => parsed,
        Err(error) => return refuse(&error),
    };
    match parsed {
        Topic::Rows { hub, .. } => match decode_rows(payload) {
            Ok(received) if received.rows.hub_id == hub.as_str() => Some(Heard::Rows(received)),
            Ok(received) => refuse(&format!("it names the hub {:?}", received.rows.hub_id)),
            Err(error) => refuse(&error),
        },
        Topic::HubState { hub, .. } => match decode::<HubState>(payload) {
            Ok(state) if state.hub_id == hub.as_str() => Some(Heard::HubState(state)),
            Ok(state) => refuse(&format!("it names the hub {:?}", state.hub_id)),
            Err(error) => refuse(&error),
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests;
