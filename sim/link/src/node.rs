//! A node: the firmware's own end of the link behind a timer of thirty-two bits, or firmware of another release.

use node_firmware::{EventMemory, Identity, LinkSession, SensorHealth, Status, WrappingTimer};
use proto::link::{
    BoardHealth, BoardState, CommandResult, Encoder, Frame, Hello, Message, NodeId, NodeKind,
    NodeState, NodeTime, Order, Press, SCHEMA_HASH, Side,
};

/// Interval of the messages of firmware of another release, in µs of its own time.
const OTHER_BEAT_US: u64 = 700_000;

/// State behind a node's sensors.
pub trait Sensors {
    /// Their states.
    fn state(&self) -> NodeState;
    /// Squares with a weak contact, as a bitboard.
    fn weak(&self) -> u64;
}

/// Sensors, with the firmware's additions.
struct Sensed<S> {
    sensors: S,
    kind: NodeKind,
    now: NodeTime,
}

impl<S: Sensors> Status for Sensed<S> {
    fn state(&self) -> (NodeTime, NodeState) {
        (self.now, self.sensors.state())
    }

    fn take_sensor_health(&mut self) -> SensorHealth {
        SensorHealth::default()
    }

    fn take_board_health(&mut self) -> Option<BoardHealth> {
        let weak = BoardState { occupied: self.sensors.weak(), ..BoardState::default() };
        let health = BoardHealth { time: self.now, weak, ..BoardHealth::default() };
        matches!(self.kind, NodeKind::Board(_)).then_some(health)
    }
}

/// A node's hardware: a crystal that is not exact, and a counter of microseconds that wraps every 71.6 minutes.
#[derive(Clone, Copy, Debug)]
pub struct Timer {
    /// Time at which it read `start`, µs.
    pub started_us: u64,
    /// Its first value, µs.
    pub start: u32,
    /// Its rate: 1 = exact.
    pub rate: f64,
}

impl Timer {
    /// Node time since the timer started.
    fn elapsed_us(&self, now_us: u64) -> u64 {
        (now_us.saturating_sub(self.started_us) as f64 * self.rate) as u64
    }

    fn raw(&self, now_us: u64) -> u32 {
        self.start.wrapping_add(self.elapsed_us(now_us) as u32)
    }

    /// Time at which it will have counted so far.
    fn at(&self, node: NodeTime) -> u64 {
        let elapsed_us = (node.as_micros() as f64 / self.rate).ceil() as u64;
        self.started_us.saturating_add(elapsed_us)
    }
}

/// A node with the firmware of this release.
pub struct Node<S> {
    session: LinkSession,
    sensed: Sensed<S>,
    timer: Timer,
    uptime: WrappingTimer,
}

impl<S: Sensors> Node<S> {
    /// Starts a node whose event buffer has `buffer_bytes`.
    #[must_use]
    pub fn start(
        id: NodeId,
        kind: NodeKind,
        boot_id: u32,
        timer: Timer,
        buffer_bytes: usize,
        sensors: S,
    ) -> Self {
        let (identity, memory) = (Identity::new(id, boot_id), EventMemory::of_heap(buffer_bytes));
        Self {
            session: LinkSession::new(identity, kind, memory),
            sensed: Sensed { sensors, kind, now: NodeTime::ZERO },
            uptime: WrappingTimer::new(u32::BITS, timer.start),
            timer,
        }
    }

    /// Reads the timer and lets time pass.
    ///
    /// # Errors
    ///
    /// When the firmware's clock does not count what the timer does, in words.
    pub fn poll(&mut self, now_us: u64) -> Result<(), String> {
        let ticks = self.uptime.ticks(self.timer.raw(now_us));
        let expected = self.timer.elapsed_us(now_us);
        if ticks != expected {
            return Err(format!("the node's time is {ticks} µs instead of {expected} µs"));
        }
        self.sensed.now = NodeTime::from_micros(ticks);
        self.session.poll(self.sensed.now);
        Ok(())
    }

    /// The node's time when it was last polled.
    #[must_use]
    pub fn now(&self) -> NodeTime {
        self.sensed.now
    }

    /// The state behind its sensors.
    pub fn sensors_mut(&mut self) -> &mut S {
        &mut self.sensed.sensors
    }

    /// Pushes a reading that the state behind the sensors shows already.
    pub fn push(&mut self, reading: &Message) {
        self.session.push(reading);
    }

    /// Takes bytes from the line, and carries out the orders in them.
    pub fn receive(&mut self, mut bytes: &[u8]) -> Vec<Order> {
        let mut done = Vec::new();
        while let Some(order) = self.session.receive(&mut bytes) {
            done.push(order);
            self.session.answer(CommandResult::Done);
        }
        done
    }

    /// Sequence of its newest event.
    #[must_use]
    pub fn latest(&self) -> u32 {
        self.session.latest_sequence()
    }

    /// Events that its buffer had to discard.
    #[must_use]
    pub fn lost(&self) -> u32 {
        self.session.lost_events()
    }

    /// Bytes for the line, into `out`; how many.
    pub fn transmit(&mut self, out: &mut [u8]) -> usize {
        self.session.transmit(out, &mut self.sensed)
    }

    /// Whether it has bytes for the line.
    #[must_use]
    pub fn wants_transmit(&self) -> bool {
        self.session.wants_transmit()
    }

    /// Events that its buffer holds.
    #[must_use]
    pub fn buffered(&self) -> usize {
        self.session.buffered_events()
    }

    /// Time at which time alone has an effect, µs.
    #[must_use]
    pub fn next_due_us(&self) -> u64 {
        self.timer.at(self.session.next_due())
    }
}

/// A node with firmware of another release: it says who it is and what it reads, and is not to be believed.
#[derive(Debug)]
pub struct OtherNode {
    id: NodeId,
    boot_id: u32,
    kind: NodeKind,
    encoder: Encoder,
    sequence: u32,
    next_us: u64,
    hello_due: bool,
}

impl OtherNode {
    /// A node that starts at `now_us`.
    #[must_use]
    pub fn start(id: NodeId, kind: NodeKind, boot_id: u32, now_us: u64) -> Self {
        let encoder = Encoder::new();
        Self { id, boot_id, kind, encoder, sequence: 0, next_us: now_us, hello_due: true }
    }

    /// Time of its next message, µs.
    #[must_use]
    pub fn next_due_us(&self) -> u64 {
        self.next_us
    }

    /// Takes any bytes, and answers with its HELLO.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.hello_due |= !bytes.is_empty();
    }

    /// Its message at a beat, a whole frame.
    pub fn message(&mut self, now_us: u64) -> Vec<u8> {
        if now_us < self.next_us {
            return Vec::new();
        }
        self.next_us = now_us + OTHER_BEAT_US;
        let message = if core::mem::take(&mut self.hello_due) {
            Message::Hello(Hello {
                schema_hash: SCHEMA_HASH ^ 1,
                node_id: self.id.clone(),
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
