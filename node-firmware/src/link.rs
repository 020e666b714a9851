//! The node's end of the serial link. It numbers events and keeps them until they are acknowledged. It sends them again when the hub
//! does not answer, and reports the events that a full buffer discarded.

use heapless::String;
use proto::link::{
    Answer, BoardHealth, Command, CommandResult, Decoder, Encoder, Frame, Health, Hello, Identify,
    Lost, MAX_BODY_BYTES, MAX_FIRMWARE_BYTES, Message, NodeId, NodeKind, NodeState, NodeTime,
    Order, SCHEMA_HASH, Snapshot, StartReason, Started, UpdateReport, encode_body,
};

use crate::FIRMWARE_VERSION;
use crate::event_buffer::{EventBuffer, EventMemory};

/// Time between two snapshots, in µs.
pub const SNAPSHOT_INTERVAL_US: u64 = 1_000_000;
/// Time between two health reports, in µs.
pub const HEALTH_INTERVAL_US: u64 = 10_000_000;
/// Time without progress after which events are sent again, in µs: several commits of the hub's journal.
pub const RESEND_TIMEOUT_US: u64 = 400_000;
/// The timeout doubles while the hub is silent, up to this, in µs.
pub const MAX_RESEND_TIMEOUT_US: u64 = 3_200_000;

/// Identity of this node and of its run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The name on its label.
    pub node_id: NodeId,
    /// Version of its firmware, free text.
    pub firmware: String<MAX_FIRMWARE_BYTES>,
    /// Names this run: not 0 and different at every start (from a random source, or counted in flash).
    pub boot_id: u32,
    /// Reason why this run began.
    pub started: Started,
}

impl Identity {
    /// A node with the firmware of this build.
    pub fn new(node_id: NodeId, boot_id: u32) -> Self {
        let firmware = String::try_from(FIRMWARE_VERSION).unwrap_or_default();
        let started = Started { reason: StartReason::Unknown, detail: String::new() };
        Self { node_id, firmware, boot_id, started }
    }

    /// The same, telling why this run began.
    #[must_use]
    pub fn started(mut self, started: Started) -> Self {
        self.started = started;
        self
    }
}

/// Part of a health report that the sensors supply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SensorHealth {
    /// Longest time between two scans since the last report, in µs.
    pub longest_scan_gap_us: u32,
    /// Channels that flickered since the last report.
    pub flickering: u64,
}

/// The sensors' side of a node, as the link asks it.
pub trait Status {
    /// The whole state after every event pushed so far, and its time.
    fn state(&self) -> (NodeTime, NodeState);
    /// Returns the sensors' health since the last call.
    fn take_sensor_health(&mut self) -> SensorHealth;
    /// Returns the health of each sensor of a board since the last call; `None` for a clock.
    fn take_board_health(&mut self) -> Option<BoardHealth>;
}

/// The node's end of the link.
#[derive(Debug)]
#[cfg_attr(feature = "alloc", derive(Clone))]
pub struct LinkSession {
    identity: Identity,
    kind: NodeKind,
    decoder: Decoder,
    encoder: Encoder,
    now: NodeTime,
    started: bool,

    events: EventBuffer,
    /// Sequence of the newest event, 0 for none.
    latest: u32,
    acknowledged: u32,
    /// Sequence of the newest discarded event.
    lost_through: u32,
    /// Next event to send: its sequence, and its place behind the oldest in the buffer.
    cursor: u32,
    cursor_offset: usize,
    /// Newest event that was sent at least once.
    sent_through: u32,

    hello_due: bool,
    /// The number of the last request for HELLO since the last one.
    hello_request: u32,
    started_due: bool,
    loss_due: bool,
    snapshot_due: bool,
    /// The number of the last request for a snapshot since the last one.
    snapshot_request: u32,
    health_due: bool,
    board_health_due: bool,
    snapshot_at: NodeTime,
    health_at: NodeTime,
    resend_at: Option<NodeTime>,
    resend_timeout_us: u64,
    identify_until: NodeTime,

    /// The command that was given last in this boot.
    last_command: Option<Command>,
    last_result: CommandResult,

    /// The hub's last request about the firmware, until the image takes it.
    update_request: Option<Message>,
    /// Time of the newest event.
    event_at: Option<NodeTime>,
    update_report: Option<UpdateReport>,

    lost_events: u32,
    resent_events: u32,
    rejected_frames: u32,
}

impl LinkSession {
    /// A session that begins with HELLO. `memory` holds the events that are not acknowledged.
    pub const fn new(identity: Identity, kind: NodeKind, memory: EventMemory) -> Self {
        Self {
            identity,
            kind,
            decoder: Decoder::new(),
            encoder: Encoder::new(),
            now: NodeTime::ZERO,
            started: false,
            events: EventBuffer::new(memory),
            latest: 0,
            acknowledged: 0,
            lost_through: 0,
            cursor: 1,
            cursor_offset: 0,
            sent_through: 0,
            hello_due: true,
            hello_request: 0,
            started_due: true,
            loss_due: false,
            snapshot_due: true,
            snapshot_request: 0,
            health_due: false,
            board_health_due: false,
            snapshot_at: NodeTime::ZERO,
            health_at: NodeTime::ZERO,
            resend_at: None,
            resend_timeout_us: RESEND_TIMEOUT_US,
            identify_until: NodeTime::ZERO,
            last_command: None,
            last_result: CommandResult::Done,
            update_request: None,
            event_at: None,
            update_report: None,
            lost_events: 0,
            resent_events: 0,
            rejected_frames: 0,
        }
    }

    /// Lets time pass to `now`. Nothing is sent before the first call.
    pub fn poll(&mut self, now: NodeTime) {
        self.now = now;
        if !self.started {
            self.started = true;
            self.snapshot_at = now.plus_micros(SNAPSHOT_INTERVAL_US);
            self.health_at = now.plus_micros(HEALTH_INTERVAL_US);
        }
        if now >= self.snapshot_at {
            self.snapshot_due = true;
            self.snapshot_at = next_beat(self.snapshot_at, SNAPSHOT_INTERVAL_US, now);
        }
        if now >= self.health_at {
            self.health_due = true;
            self.health_at = next_beat(self.health_at, HEALTH_INTERVAL_US, now);
        }
        if self.resend_at.is_some_and(|at| now >= at) {
            self.resend_timeout_us = (2 * self.resend_timeout_us).min(MAX_RESEND_TIMEOUT_US);
            self.rewind(self.acknowledged);
        }
    }

    /// Returns the time of the next work of [`Self::poll`].
    pub fn next_due(&self) -> NodeTime {
        let periodic = self.snapshot_at.min(self.health_at);
        self.resend_at.map_or(periodic, |at| at.min(periodic))
    }

    /// Adds an event. A message that is no event is ignored.
    pub fn push(&mut self, event: &Message) {
        let kind = event.message_type();
        let mut body = [0; MAX_BODY_BYTES];
        let (true, Ok(length)) = (kind.is_event(), encode_body(event, &mut body)) else { return };
        let Some(sequence) = self.latest.checked_add(1).filter(|&next| next < u32::MAX) else {
            self.lost_events = self.lost_events.saturating_add(1);
            return;
        };
        self.latest = sequence;
        self.event_at = Some(self.now);
        let mut discarded = 0;
        let mut discarded_bytes = 0;
        self.events.push(kind, &body[..length], |stored| {
            discarded += 1;
            discarded_bytes += stored;
        });
        if discarded > 0 {
            self.lost_events = self.lost_events.saturating_add(discarded);
            self.loss_due = true;
            self.snapshot_due = true;
            self.cursor_offset = self.cursor_offset.saturating_sub(discarded_bytes);
            self.lost_through = self.oldest() - 1;
            self.cursor = self.cursor.max(self.oldest());
        }
    }

    /// Sequence of the oldest event in the buffer, of the next one if it is empty.
    fn oldest(&self) -> u32 {
        // The buffer never holds more events than were numbered.
        self.latest - self.events.len() as u32 + 1
    }

    /// Makes the event after `sequence` the next to send, or the oldest there is.
    fn rewind(&mut self, sequence: u32) {
        self.resend_at = None;
        self.loss_due = self.lost_through > sequence.max(self.acknowledged);
        let target = sequence.saturating_add(1).max(self.oldest());
        self.cursor = self.oldest();
        self.cursor_offset = 0;
        while self.cursor < target {
            let stored = self.events.stored_bytes(self.cursor_offset);
            if stored == 0 {
                break;
            }
            self.cursor_offset += stored;
            self.cursor += 1;
        }
        self.wait_for_acknowledgement();
    }

    /// Starts the resend timer when everything is sent and not everything acknowledged.
    fn wait_for_acknowledgement(&mut self) {
        let waiting = self.cursor > self.latest && self.latest > self.acknowledged;
        self.resend_at = waiting.then(|| self.now.plus_micros(self.resend_timeout_us));
    }

    /// Reads bytes from the line until they are used up, or one of them ends a command that is to be executed. The caller then reports
    /// the result to [`Self::answer`] and calls again with the rest.
    pub fn receive(&mut self, bytes: &mut &[u8]) -> Option<Order> {
        while let Some((&byte, rest)) = bytes.split_first() {
            *bytes = rest;
            match self.decoder.push_request(byte) {
                None => {}
                Some(Ok(frame)) => {
                    let order = self.take_frame(&frame);
                    if order.is_some() {
                        return order;
                    }
                }
                Some(Err(_)) => self.reject(),
            }
        }
        None
    }

    /// Tells the hub what became of the command that [`Self::receive`] returned last.
    pub fn answer(&mut self, result: CommandResult) {
        if let Some(command) = self.last_command {
            self.last_result = result;
            self.push_answer(command, result);
        }
    }

    /// The hub's last request about the firmware, if one has come since the last call. Each is answered by [`Self::report_update`].
    pub fn take_update_request(&mut self) -> Option<Message> {
        self.update_request.take()
    }

    /// Answers a request about the firmware.
    pub fn report_update(&mut self, report: UpdateReport) {
        self.update_report = Some(report);
    }

    fn push_answer(&mut self, command: Command, result: CommandResult) {
        let Command { request, order } = command;
        self.push(&Message::Answer(Answer { time: self.now, request, order, result }));
    }

    /// The order, if it is a new one.
    fn take_command(&mut self, command: Command) -> Option<Order> {
        match self.last_command {
            Some(last) if last == command => self.push_answer(command, self.last_result),
            Some(last) if last.request >= command.request => {
                self.push_answer(command, CommandResult::NumberTaken);
            }
            None if command.request == 0 => self.push_answer(command, CommandResult::NumberTaken),
            _ => {
                self.last_command = Some(command);
                return Some(command.order);
            }
        }
        None
    }

    fn reject(&mut self) {
        self.rejected_frames = self.rejected_frames.saturating_add(1);
    }

    /// The order, if it is a command to be done.
    fn take_frame(&mut self, frame: &Frame) -> Option<Order> {
        let ours = frame.boot_id == self.identity.boot_id;
        let mut order = None;
        match frame.message {
            Message::RequestHello if ours || frame.boot_id == 0 => {
                self.hello_due = true;
                self.hello_request = frame.sequence;
                self.started_due = true;
                self.snapshot_due = true;
                self.rewind(self.acknowledged);
            }
            Message::Ack if ours && frame.sequence <= self.latest => {
                self.acknowledge(frame.sequence);
            }
            Message::RequestResend if ours && frame.sequence <= self.latest => {
                self.rewind(frame.sequence);
            }
            Message::RequestSnapshot if ours => {
                self.snapshot_due = true;
                self.snapshot_request = frame.sequence;
            }
            Message::Identify(Identify { seconds }) if ours => {
                self.identify_until = self.now.plus_micros(u64::from(seconds) * 1_000_000);
            }
            Message::Command(command) if ours => order = self.take_command(command),
            Message::RequestUpdate
            | Message::UpdateBegin(_)
            | Message::UpdateChunk(_)
            | Message::UpdateStart(_)
            | Message::UpdateKeep
                if ours =>
            {
                self.update_request = Some(frame.message.clone());
            }
            // Meant for the run before this one.
            _ if !ours && !frame.message.message_type().is_from_node() => return None,
            _ => {
                self.reject();
                return None;
            }
        }
        self.resend_timeout_us = RESEND_TIMEOUT_US;
        order
    }

    fn acknowledge(&mut self, sequence: u32) {
        if sequence <= self.acknowledged {
            return;
        }
        self.acknowledged = sequence;
        while self.events.len() > 0 && self.oldest() <= sequence {
            let stored = self.events.pop();
            self.cursor_offset = self.cursor_offset.saturating_sub(stored);
        }
        self.cursor = self.cursor.max(self.oldest());
        self.loss_due &= self.lost_through > sequence;
        self.wait_for_acknowledgement();
    }

    /// Moves bytes for the line into `out`; returns how many. Call again until it returns 0. `status` answers for the state as of
    /// the last [`Self::poll`].
    pub fn transmit(&mut self, out: &mut [u8], status: &mut impl Status) -> usize {
        let mut moved = 0;
        while moved < out.len() {
            if self.encoder.is_drained() && !self.encode_next(status) {
                break;
            }
            moved += self.encoder.drain_into(&mut out[moved..]);
        }
        moved
    }

    /// Whether [`Self::transmit`] has something to say.
    pub fn wants_transmit(&self) -> bool {
        let due = self.hello_due
            || self.update_report.is_some()
            || self.loss_due
            || self.cursor <= self.latest
            || self.started_due
            || self.snapshot_due
            || self.health_due
            || self.board_health_due;
        !self.encoder.is_drained() || (self.started && due)
    }

    /// Puts the next frame into the encoder, if there is one. Snapshots wait for all events, because they hold after them.
    fn encode_next(&mut self, status: &mut impl Status) -> bool {
        if !self.started {
            return false;
        }
        let message = if core::mem::take(&mut self.hello_due) {
            Message::Hello(self.hello())
        } else if core::mem::take(&mut self.started_due) {
            Message::Started(self.identity.started.clone())
        } else if let Some(report) = self.update_report.take() {
            // Before the events: a hub that updates the node does not acknowledge them.
            Message::UpdateReport(report)
        } else if core::mem::take(&mut self.loss_due) {
            Message::Lost(Lost { first: self.acknowledged + 1, last: self.lost_through })
        } else if self.cursor <= self.latest {
            return self.encode_event();
        } else if core::mem::take(&mut self.snapshot_due) {
            let (time, state) = status.state();
            let last_request = self.last_command.map_or(0, |last| last.request);
            let age_us = u32::try_from(self.now.micros_since(time)).unwrap_or(u32::MAX);
            let answers = core::mem::take(&mut self.snapshot_request);
            Message::Snapshot(Snapshot { time, state, last_request, age_us, answers })
        } else if core::mem::take(&mut self.health_due) {
            self.board_health_due = true;
            Message::Health(self.health(status.take_sensor_health()))
        } else if core::mem::take(&mut self.board_health_due)
            && let Some(health) = status.take_board_health()
        {
            Message::BoardHealth(health)
        } else {
            return false;
        };
        let frame = Frame { boot_id: self.identity.boot_id, sequence: self.latest, message };
        self.encoder.encode(&frame).is_ok()
    }

    fn encode_event(&mut self) -> bool {
        let Some(record) = self.events.get(self.cursor_offset) else {
            // Cannot be: the cursor is always at an event of the buffer or behind the last.
            self.cursor = self.latest.saturating_add(1);
            return false;
        };
        let sequence = self.cursor;
        if sequence <= self.sent_through {
            self.resent_events = self.resent_events.saturating_add(1);
        }
        self.sent_through = self.sent_through.max(sequence);
        self.cursor += 1;
        self.cursor_offset += record.stored_bytes();
        self.wait_for_acknowledgement();
        let boot_id = self.identity.boot_id;
        self.encoder.encode_stored(record.kind, boot_id, sequence, record.body()).is_ok()
    }

    fn hello(&mut self) -> Hello {
        Hello {
            schema_hash: SCHEMA_HASH,
            node_id: self.identity.node_id.clone(),
            firmware: self.identity.firmware.clone(),
            time: self.now,
            acknowledged: self.acknowledged,
            answers: core::mem::take(&mut self.hello_request),
            kind: self.kind,
        }
    }

    fn health(&self, sensors: SensorHealth) -> Health {
        Health {
            time: self.now,
            buffered_events: u16::try_from(self.events.len()).unwrap_or(u16::MAX),
            lost_events: self.lost_events,
            resent_events: self.resent_events,
            rejected_frames: self.rejected_frames,
            longest_scan_gap_us: sensors.longest_scan_gap_us,
            flickering: sensors.flickering,
        }
    }

    /// The node's time as of the last [`Self::poll`].
    pub const fn now(&self) -> NodeTime {
        self.now
    }

    /// Whether an event was added within this time.
    pub fn is_busy(&self, within_us: u64) -> bool {
        self.event_at.is_some_and(|at| self.now.micros_since(at) < within_us)
    }

    /// Whether a person is looking for this node right now.
    pub fn is_identifying(&self) -> bool {
        self.now < self.identify_until
    }

    /// Returns this node's identity.
    pub const fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Events that are not acknowledged.
    pub const fn buffered_events(&self) -> usize {
        self.events.len()
    }

    /// Sequence of the newest event, 0 for none.
    pub const fn latest_sequence(&self) -> u32 {
        self.latest
    }

    /// Events discarded since the start.
    pub const fn lost_events(&self) -> u32 {
        self.lost_events
    }
}

/// The first beat after `now` of those that follow `beat` every `interval_us`.
fn next_beat(beat: NodeTime, interval_us: u64, now: NodeTime) -> NodeTime {
    let passed = now.micros_since(beat) / interval_us + 1;
    beat.plus_micros(passed.saturating_mul(interval_us))
}
