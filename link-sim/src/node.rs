//! The node of a run: the firmware's own end of the link behind a timer of thirty-two bits, or firmware of another release.

use node_firmware::{Identity, LinkSession, SensorHealth, Status, WrappingTimer};
use proto::link::{
    BoardHealth, CommandResult, Encoder, Frame, Hello, Message, NodeId, NodeKind, NodeState,
    NodeTime, Order, Press, SCHEMA_HASH, Side,
};

use crate::readings::state;

/// How often firmware of another release says something, in µs of its own time.
const OTHER_BEAT_US: u64 = 700_000;

/// What stands behind a node's sensors: a state that can be told from every other.
struct Sensors {
    kind: NodeKind,
    boot_id: u32,
    readings: u32,
    now: NodeTime,
}

impl Status for Sensors {
    fn state(&self) -> (NodeTime, NodeState) {
        (self.now, state(self.kind, self.boot_id, self.readings))
    }

    fn take_sensor_health(&mut self) -> SensorHealth {
        SensorHealth::default()
    }

    fn take_board_health(&mut self) -> Option<BoardHealth> {
        matches!(self.kind, NodeKind::Board(_)).then(BoardHealth::default)
    }
}

/// A node's hardware: a crystal that is not exact, and a counter of microseconds that wraps every 71.6 minutes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timer {
    /// When it read `start`, µs.
    pub(crate) started_us: u64,
    pub(crate) start: u32,
    pub(crate) rate: f64,
}

impl Timer {
    /// Node time since the timer started.
    fn elapsed_us(&self, now_us: u64) -> u64 {
        (now_us.saturating_sub(self.started_us) as f64 * self.rate) as u64
    }

    fn raw(&self, now_us: u64) -> u32 {
        self.start.wrapping_add(self.elapsed_us(now_us) as u32)
    }

    /// When it will have counted so far.
    pub(crate) fn at(&self, node: NodeTime) -> u64 {
        let elapsed_us = (node.as_micros() as f64 / self.rate).ceil() as u64;
        self.started_us.saturating_add(elapsed_us)
    }
}

/// A node with the firmware of this release.
pub(crate) struct Node<const BUFFER: usize> {
    session: LinkSession<BUFFER>,
    sensors: Sensors,
    timer: Timer,
    uptime: WrappingTimer,
}

impl<const BUFFER: usize> Node<BUFFER> {
    pub(crate) fn start(kind: NodeKind, boot_id: u32, timer: Timer) -> Self {
        Self {
            session: LinkSession::new(Identity::new(node_id(), boot_id), kind),
            sensors: Sensors { kind, boot_id, readings: 0, now: NodeTime::ZERO },
            uptime: WrappingTimer::new(u32::BITS, timer.start),
            timer,
        }
    }

    /// Reads the timer and lets time pass.
    pub(crate) fn poll(&mut self, now_us: u64) -> Result<(), String> {
        let ticks = self.uptime.ticks(self.timer.raw(now_us));
        let expected = self.timer.elapsed_us(now_us);
        if ticks != expected {
            return Err(format!("the node's time is {ticks} µs instead of {expected} µs"));
        }
        self.sensors.now = NodeTime::from_micros(ticks);
        self.session.poll(self.sensors.now);
        Ok(())
    }

    pub(crate) fn now(&self) -> NodeTime {
        self.sensors.now
    }

    pub(crate) fn push(&mut self, reading: &Message) {
        self.session.push(reading);
        self.sensors.readings = self.session.latest_sequence();
    }

    /// Takes bytes from the line; what it is told to do, it does.
    pub(crate) fn receive(&mut self, mut bytes: &[u8]) -> Vec<Order> {
        let mut done = Vec::new();
        while let Some(order) = self.session.receive(&mut bytes) {
            done.push(order);
            self.session.answer(CommandResult::Done);
        }
        self.sensors.readings = self.session.latest_sequence();
        done
    }

    /// Sequence of its newest event.
    pub(crate) fn latest(&self) -> u32 {
        self.session.latest_sequence()
    }

    /// Events that its buffer had to discard.
    pub(crate) fn lost(&self) -> u32 {
        self.session.lost_events()
    }

    pub(crate) fn transmit(&mut self, out: &mut [u8]) -> usize {
        self.session.transmit(out, &mut self.sensors)
    }

    pub(crate) fn wants_transmit(&self) -> bool {
        self.session.wants_transmit()
    }

    pub(crate) fn buffered(&self) -> usize {
        self.session.buffered_events()
    }

    pub(crate) fn next_due_us(&self) -> u64 {
        self.timer.at(self.session.next_due())
    }
}

/// A node with firmware of another release: it says who it is and what it reads, and is not to be believed.
pub(crate) struct OtherNode {
    boot_id: u32,
    kind: NodeKind,
    encoder: Encoder,
    sequence: u32,
    next_us: u64,
    hello_due: bool,
}

impl OtherNode {
    pub(crate) fn start(kind: NodeKind, boot_id: u32, now_us: u64) -> Self {
        let encoder = Encoder::new();
        Self { boot_id, kind, encoder, sequence: 0, next_us: now_us, hello_due: true }
    }

    pub(crate) fn next_due_us(&self) -> u64 {
        self.next_us
    }

    /// Whatever is said to it, it says who it is.
    pub(crate) fn receive(&mut self, bytes: &[u8]) {
        self.hello_due |= !bytes.is_empty();
    }

    /// What it says at a beat, a whole frame.
    pub(crate) fn say(&mut self, now_us: u64) -> Vec<u8> {
        if now_us < self.next_us {
            return Vec::new();
        }
        self.next_us = now_us + OTHER_BEAT_US;
        let message = if core::mem::take(&mut self.hello_due) {
            Message::Hello(Hello {
                schema_hash: SCHEMA_HASH ^ 1,
                node_id: node_id(),
                firmware: "other".try_into().unwrap_or_default(),
                time: NodeTime::ZERO,
                acknowledged: 0,
                answers: 0,
                kind: self.kind,
            })
        } else {
            self.sequence += 1;
            Message::Press(Press { time: NodeTime::ZERO, by: Side::White })
        };
        let frame = Frame { boot_id: self.boot_id, sequence: self.sequence, message };
        self.encoder.encode(&frame).map(<[u8]>::to_vec).unwrap_or_default()
    }
}

fn node_id() -> NodeId {
    "node".parse().expect("a node id")
}
