//! The board node: sixty-four sensors under the squares, two trays beside them if there are any, and the link.

use proto::link::{
    BoardHealth, BoardKind, MAX_CHANGES, Message, NodeKind, NodeState, NodeTime, Order,
    SensorReading, Side, SlotChange, SlotIndex, SquareChange, SquareIndex, SquaresChanged,
    TRAY_SLOTS, TrayChanged,
};

use crate::debounce::{Change, Debouncer};
use crate::event_buffer::EventMemory;
use crate::inputs::{BoardReading, InputError, ReadBoard};
use crate::link::{Identity, LinkSession, SensorHealth, Status};
use crate::squares::{ReedSquares, SquareChanged, Squares};

/// Time after the last move of a piece for which a board counts as in use, in µs.
pub const IN_USE_US: u64 = 120_000_000;
const SLOTS: usize = 2 * TRAY_SLOTS as usize;
/// Occupied squares of the set-up position.
const SET_UP: u64 = 0xffff_0000_0000_ffff;
/// Time after which the only square that keeps a board from being set up counts as stuck, in µs. Before the first move a player does
/// not hold a piece that long.
pub const ODD_SQUARE_US: u64 = 60_000_000;

/// Build of a reed board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardConfig {
    /// Time for which a switch must keep its reading before it counts, in µs.
    pub debounce_us: u32,
    /// Whether there are two reserve trays.
    pub trays: bool,
}

impl Default for BoardConfig {
    fn default() -> Self {
        Self { debounce_us: crate::DEFAULT_DEBOUNCE_US, trays: false }
    }
}

/// A board node whose squares are `S`.
#[derive(Debug)]
#[cfg_attr(feature = "alloc", derive(Clone))]
pub struct BoardNode<S = ReedSquares> {
    sensors: BoardSensors<S>,
    link: LinkSession,
}

#[derive(Clone, Debug)]
struct BoardSensors<S> {
    now: NodeTime,
    squares: S,
    slots: Debouncer<SLOTS>,
    trays: bool,
    last_scan: Option<NodeTime>,
    longest_scan_gap_us: u32,
    /// The square that alone keeps the board from being set up, and since when.
    odd_square: Option<(u64, NodeTime)>,
}

impl BoardNode {
    /// A node with reed switches before its first reading.
    pub fn new(identity: Identity, config: BoardConfig, memory: EventMemory) -> Self {
        Self::with_squares(identity, ReedSquares::new(config.debounce_us), config.trays, memory)
    }
}

impl<S: Squares> BoardNode<S> {
    /// A node with these squares before its first reading. The trays' switches have the debounce time of the squares, so that all
    /// changes are sent in the order of their times.
    pub fn with_squares(identity: Identity, squares: S, trays: bool, memory: EventMemory) -> Self {
        let kind = BoardKind { sensor: squares.kind(), trays };
        Self {
            sensors: BoardSensors {
                now: NodeTime::ZERO,
                slots: Debouncer::new(squares.debounce_us()),
                squares,
                trays,
                last_scan: None,
                longest_scan_gap_us: 0,
                odd_square: None,
            },
            link: LinkSession::new(identity, NodeKind::Board(kind), memory),
        }
    }

    /// Reads the board and lets time pass to `now`.
    ///
    /// # Errors
    /// If it cannot be read: time passes, the reading before it holds.
    pub fn poll<W: ReadBoard<Squares = S::Raw>>(
        &mut self,
        now: NodeTime,
        wiring: &mut W,
    ) -> Result<(), InputError> {
        match wiring.read() {
            Ok(reading) => {
                let gap = self.sensors.last_scan.map_or(0, |last| now.micros_since(last));
                let gap = u32::try_from(gap).unwrap_or(u32::MAX);
                self.sensors.longest_scan_gap_us = self.sensors.longest_scan_gap_us.max(gap);
                self.sensors.last_scan = Some(now);
                self.observe(now, reading);
                Ok(())
            }
            Err(error) => {
                self.advance(now);
                Err(error)
            }
        }
    }

    /// Processes the sensors' readings at `now`, as a scan would. They are assumed to hold until the next call.
    pub fn observe(&mut self, now: NodeTime, reading: BoardReading<S::Raw>) {
        let was_started = self.sensors.squares.is_started();
        let slots = u64::from(reading.white_tray) | u64::from(reading.black_tray) << TRAY_SLOTS;
        let slots = if self.sensors.trays { slots } else { 0 };
        if !was_started {
            self.sensors.squares.observe(now, &reading.squares, |_| {});
            if !self.sensors.squares.is_started() {
                return;
            }
        }
        self.take(now, Some((&reading.squares, slots)));
    }

    /// Lets time pass to `now` with the readings unchanged. Before the first reading nothing happens.
    pub fn advance(&mut self, now: NodeTime) {
        if self.sensors.squares.is_started() {
            self.take(now, None);
        }
    }

    fn take(&mut self, now: NodeTime, read: Option<(&S::Raw, u64)>) {
        self.sensors.now = now;
        self.link.poll(now);
        let mut batch = Batch::<SquareChanged>::new();
        let link = &mut self.link;
        let mut changed = |change| {
            batch.add(change, &mut |changes| link.push(&squares_changed(changes)));
        };
        match read {
            Some((squares, _)) => self.sensors.squares.observe(now, squares, &mut changed),
            None => self.sensors.squares.advance(now, &mut changed),
        }
        batch.flush(&mut |changes| self.link.push(&squares_changed(changes)));
        let slots = read.map_or(self.sensors.slots.raw(), |(_, slots)| slots);
        let mut batch = Batch::<Change>::new();
        self.sensors.slots.observe(now, slots, |change| {
            batch.add(change, &mut |changes| self.link.push(&tray_changed(changes)));
        });
        batch.flush(&mut |changes| self.link.push(&tray_changed(changes)));
        self.sensors.look_for_odd_square();
    }

    /// Time of the next work of [`Self::advance`]: a reading comes to count, or something is due on the link. [`NodeTime::MAX`] before
    /// the first readings, which start the node.
    pub fn next_due(&self) -> NodeTime {
        if !self.sensors.squares.is_started() {
            return NodeTime::MAX;
        }
        let readings = [self.sensors.squares.next_due(), self.sensors.slots.next_due()];
        readings.into_iter().flatten().fold(self.link.next_due(), NodeTime::min)
    }

    /// Takes bytes from the line.
    pub fn receive(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(order) = self.link.receive(&mut rest) {
            let result = match order {
                Order::LearnBaseline(standing) => self.sensors.squares.learn(standing),
                Order::SetClock(_)
                | Order::AdjustClock(_)
                | Order::PauseClock
                | Order::ResumeClock
                | Order::SetDelay(_) => proto::link::CommandResult::Unsupported,
            };
            self.link.answer(result);
        }
    }

    /// Moves bytes for the line into `out`; returns how many. Call again until it returns 0.
    pub fn transmit(&mut self, out: &mut [u8]) -> usize {
        self.link.transmit(out, &mut self.sensors)
    }

    /// Whether [`Self::transmit`] has something to say.
    pub fn wants_transmit(&self) -> bool {
        self.link.wants_transmit()
    }

    /// The node's end of the link.
    pub const fn link(&self) -> &LinkSession {
        &self.link
    }

    /// The node's end of the link.
    pub const fn link_mut(&mut self) -> &mut LinkSession {
        &mut self.link
    }

    /// Whether pieces were moved within the last [`IN_USE_US`].
    pub fn is_in_use(&self) -> bool {
        self.link.is_busy(IN_USE_US)
    }

    /// The readings that count, as occupied and empty.
    pub fn settled(&self) -> BoardReading {
        let [white_tray, black_tray] = self.sensors.settled_slots();
        BoardReading { squares: self.sensors.squares.occupied(), white_tray, black_tray }
    }
}

impl<S: Squares> BoardSensors<S> {
    fn settled_slots(&self) -> [u16; 2] {
        let slots = self.slots.settled();
        [slots as u16, (slots >> TRAY_SLOTS) as u16]
    }

    fn look_for_odd_square(&mut self) {
        let odd = self.squares.occupied() ^ SET_UP;
        if !odd.is_power_of_two() {
            self.odd_square = None;
        } else if self.odd_square.is_none_or(|(known, _)| known != odd) {
            self.odd_square = Some((odd, self.now));
        }
    }
}

impl<S: Squares> Status for BoardSensors<S> {
    /// A change counts one debounce time after it began. So the counted state is the state of one debounce time ago, and the snapshot
    /// gets that time: no event before it is younger, none after it older.
    fn state(&self) -> (NodeTime, NodeState) {
        let [white_tray, black_tray] = self.settled_slots();
        let debounce_us = u64::from(self.squares.debounce_us());
        (self.now.minus_micros(debounce_us), self.squares.state(white_tray, black_tray))
    }

    fn take_sensor_health(&mut self) -> SensorHealth {
        SensorHealth {
            longest_scan_gap_us: core::mem::take(&mut self.longest_scan_gap_us),
            flickering: self.squares.chattering(),
        }
    }

    fn take_board_health(&mut self) -> Option<BoardHealth> {
        let mut health = BoardHealth { time: self.now, ..BoardHealth::default() };
        self.squares.report(&mut health);
        if let Some((odd, since)) = self.odd_square
            && self.now.micros_since(since) >= ODD_SQUARE_US
        {
            health.stuck.occupied |= odd;
        }
        let split = |slots: u64| (slots as u16, (slots >> TRAY_SLOTS) as u16);
        let quality = self.slots.quality();
        (health.chattering.white_tray, health.chattering.black_tray) = split(quality.chattering());
        (health.weak.white_tray, health.weak.black_tray) = split(quality.weak());
        (health.stuck.white_tray, health.stuck.black_tray) =
            split(quality.stuck(TRAY_SLOTS.into(), false));
        self.slots.begin_report();
        Some(health)
    }
}

/// A change of either kind.
trait Timed: Copy {
    fn time(self) -> NodeTime;
}

impl Timed for Change {
    fn time(self) -> NodeTime {
        self.time
    }
}

impl Timed for SquareChanged {
    fn time(self) -> NodeTime {
        self.time
    }
}

/// Changes that go into one event.
struct Batch<C>(heapless::Vec<C, MAX_CHANGES>);

impl<C: Timed> Batch<C> {
    const fn new() -> Self {
        Self(heapless::Vec::new())
    }

    fn add(&mut self, change: C, send: &mut impl FnMut(&[C])) {
        let first = self.0.first().map(|first| first.time());
        let too_late = first.is_some_and(|first| offset_us(change.time(), first).is_none());
        if self.0.is_full() || too_late {
            self.flush(send);
        }
        // There is room: it was made above.
        let _ = self.0.push(change);
    }

    fn flush(&mut self, send: &mut impl FnMut(&[C])) {
        if !self.0.is_empty() {
            send(&self.0);
            self.0.clear();
        }
    }
}

/// Microseconds from the first change to this one; `None` if they exceed the message's 32 bits.
fn offset_us(change: NodeTime, first: NodeTime) -> Option<u32> {
    u32::try_from(change.micros_since(first)).ok()
}

fn squares_changed(changes: &[SquareChanged]) -> Message {
    let time = changes.first().map_or(NodeTime::ZERO, |first| first.time);
    let told = changes.iter().filter_map(|change| {
        let square = SquareIndex::new(change.square)?;
        let offset_us = offset_us(change.time, time)?;
        Some(SquareChange { offset_us, square, reading: change.reading })
    });
    Message::SquaresChanged(SquaresChanged { time, changes: told.collect() })
}

fn tray_changed(changes: &[Change]) -> Message {
    let time = changes.first().map_or(NodeTime::ZERO, |first| first.time);
    let told = changes.iter().filter_map(|&change| {
        let tray = if change.channel < TRAY_SLOTS { Side::White } else { Side::Black };
        let slot = SlotIndex::new(change.channel % TRAY_SLOTS)?;
        let offset_us = offset_us(change.time, time)?;
        let reading = if change.on { SensorReading::Occupied } else { SensorReading::Empty };
        Some(SlotChange { offset_us, tray, slot, reading })
    });
    Message::TrayChanged(TrayChanged { time, changes: told.collect() })
}
