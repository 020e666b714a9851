//! The board node: sixty-four switches under the squares, two trays beside them if there are any, and the link.

use proto::link::{
    BoardHealth, BoardKind, BoardState, CommandResult, MAX_CHANGES, Message, NodeKind, NodeState,
    NodeTime, SensorKind, SensorReading, Side, SlotChange, SlotIndex, SquareChange, SquareIndex,
    SquaresChanged, TRAY_SLOTS, TrayChanged,
};

use crate::debounce::{Change, Debouncer};
use crate::event_buffer::DEFAULT_BUFFER_BYTES;
use crate::link::{Identity, LinkSession, SensorHealth, Status};
use crate::matrix::Scan;

const SQUARES: usize = 64;
const SLOTS: usize = 2 * TRAY_SLOTS as usize;

/// How a board node is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardConfig {
    /// How long a switch must keep its reading before it counts, in µs.
    pub debounce_us: u32,
    /// Whether there are two reserve trays.
    pub trays: bool,
}

impl Default for BoardConfig {
    fn default() -> Self {
        Self { debounce_us: crate::DEFAULT_DEBOUNCE_US, trays: false }
    }
}

/// What the switches read at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BoardReading {
    /// Occupied squares: bit 0 = a1, bit 63 = h8.
    pub squares: u64,
    /// Occupied slots of the tray White drops from.
    pub white_tray: u16,
    /// Occupied slots of the tray Black drops from.
    pub black_tray: u16,
}

/// A board node. `BUFFER` bytes hold the events that are not acknowledged.
#[derive(Clone, Debug)]
pub struct BoardNode<const BUFFER: usize = DEFAULT_BUFFER_BYTES> {
    sensors: Sensors,
    link: LinkSession<BUFFER>,
}

#[derive(Clone, Debug)]
struct Sensors {
    now: NodeTime,
    squares: Debouncer<SQUARES>,
    slots: Debouncer<SLOTS>,
    last_scan: Option<NodeTime>,
    longest_scan_gap_us: u32,
}

impl<const BUFFER: usize> BoardNode<BUFFER> {
    /// A node before its first reading.
    pub const fn new(identity: Identity, config: BoardConfig) -> Self {
        let kind = BoardKind { sensor: SensorKind::Reed, trays: config.trays };
        Self {
            sensors: Sensors {
                now: NodeTime::ZERO,
                squares: Debouncer::new(config.debounce_us),
                slots: Debouncer::new(config.debounce_us),
                last_scan: None,
                longest_scan_gap_us: 0,
            },
            link: LinkSession::new(identity, NodeKind::Board(kind)),
        }
    }

    /// Scans the squares and lets time pass to `now`.
    ///
    /// # Errors
    /// If the scan fails: time passes, the reading before it holds.
    pub fn poll<S: Scan>(&mut self, now: NodeTime, squares: &mut S) -> Result<(), S::Error> {
        let scanned = squares.scan();
        self.take_scan(now, scanned.as_ref().ok().map(|&squares| (squares, 0)));
        scanned.map(|_| ())
    }

    /// Scans squares and trays and lets time pass to `now`. Of the trays' switches 0 to 15 are White's slots, 16 to 31 Black's.
    ///
    /// # Errors
    /// If a scan fails: time passes, the reading before it holds.
    pub fn poll_with_trays<S, T>(
        &mut self,
        now: NodeTime,
        squares: &mut S,
        trays: &mut T,
    ) -> Result<(), S::Error>
    where
        S: Scan,
        T: Scan<Error = S::Error>,
    {
        let scanned = squares.scan().and_then(|squares| Ok((squares, trays.scan()?)));
        self.take_scan(now, scanned.as_ref().ok().copied());
        scanned.map(|_| ())
    }

    fn take_scan(&mut self, now: NodeTime, scanned: Option<(u64, u64)>) {
        let Some((squares, slots)) = scanned else {
            self.advance(now);
            return;
        };
        let gap = self.sensors.last_scan.map_or(0, |last| now.micros_since(last));
        let gap = u32::try_from(gap).unwrap_or(u32::MAX);
        self.sensors.longest_scan_gap_us = self.sensors.longest_scan_gap_us.max(gap);
        self.sensors.last_scan = Some(now);
        self.take(now, squares, slots);
    }

    /// Takes what the switches read at `now`, as a scan would. They are taken to hold until the next call.
    pub fn observe(&mut self, now: NodeTime, reading: BoardReading) {
        let slots = u64::from(reading.white_tray) | u64::from(reading.black_tray) << TRAY_SLOTS;
        self.take(now, reading.squares, slots);
    }

    /// Lets time pass to `now` with the readings unchanged. Before the first reading nothing happens.
    pub fn advance(&mut self, now: NodeTime) {
        if self.sensors.squares.is_started() {
            self.take(now, self.sensors.squares.raw(), self.sensors.slots.raw());
        }
    }

    fn take(&mut self, now: NodeTime, squares: u64, slots: u64) {
        self.sensors.now = now;
        self.link.poll(now);
        let mut batch = Batch::new();
        self.sensors.squares.observe(now, squares, |change| {
            batch.add(change, &mut |changes| self.link.push(&squares_changed(changes)));
        });
        batch.flush(&mut |changes| self.link.push(&squares_changed(changes)));
        self.sensors.slots.observe(now, slots, |change| {
            batch.add(change, &mut |changes| self.link.push(&tray_changed(changes)));
        });
        batch.flush(&mut |changes| self.link.push(&tray_changed(changes)));
    }

    /// When [`Self::advance`] next has something to do: a reading comes to count, or something is due on the link.
    pub fn next_due(&self) -> NodeTime {
        let readings = [self.sensors.squares.next_due(), self.sensors.slots.next_due()];
        readings.into_iter().flatten().fold(self.link.next_due(), NodeTime::min)
    }

    /// Takes bytes from the line.
    pub fn receive(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while self.link.receive(&mut rest).is_some() {
            self.link.answer(CommandResult::Unsupported);
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
    pub const fn link(&self) -> &LinkSession<BUFFER> {
        &self.link
    }

    /// The readings that count.
    pub fn settled(&self) -> BoardReading {
        self.sensors.settled()
    }
}

impl Sensors {
    fn settled(&self) -> BoardReading {
        let slots = self.slots.settled();
        BoardReading {
            squares: self.squares.settled(),
            white_tray: slots as u16,
            black_tray: (slots >> TRAY_SLOTS) as u16,
        }
    }
}

impl Status for Sensors {
    /// A change counts one debounce time after it began; so what counts now is the state of one debounce time ago, and that is
    /// the time it is given: no event before it is younger, none after it older.
    fn state(&self) -> (NodeTime, NodeState) {
        let settled = self.settled();
        let state = NodeState::Board(BoardState {
            occupied: settled.squares,
            white_tray: settled.white_tray,
            black_tray: settled.black_tray,
        });
        let debounce_us = u64::from(self.squares.debounce_us());
        (self.now.minus_micros(debounce_us), state)
    }

    fn take_sensor_health(&mut self) -> SensorHealth {
        SensorHealth {
            longest_scan_gap_us: core::mem::take(&mut self.longest_scan_gap_us),
            flickering: self.squares.take_flickering(),
        }
    }

    fn take_board_health(&mut self) -> Option<BoardHealth> {
        None
    }
}

/// Changes that go into one event.
struct Batch(heapless::Vec<Change, MAX_CHANGES>);

impl Batch {
    const fn new() -> Self {
        Self(heapless::Vec::new())
    }

    fn add(&mut self, change: Change, send: &mut impl FnMut(&[Change])) {
        let too_late = self.0.first().is_some_and(|first| offset_us(change, *first).is_none());
        if self.0.is_full() || too_late {
            self.flush(send);
        }
        // There is room: it was made above.
        let _ = self.0.push(change);
    }

    fn flush(&mut self, send: &mut impl FnMut(&[Change])) {
        if !self.0.is_empty() {
            send(&self.0);
            self.0.clear();
        }
    }
}

/// Microseconds from the first change to this one, if a message can tell so many.
fn offset_us(change: Change, first: Change) -> Option<u32> {
    u32::try_from(change.time.micros_since(first.time)).ok()
}

fn reading(on: bool) -> SensorReading {
    if on { SensorReading::Occupied } else { SensorReading::Empty }
}

fn squares_changed(changes: &[Change]) -> Message {
    let time = changes.first().map_or(NodeTime::ZERO, |first| first.time);
    let told = changes.iter().filter_map(|&change| {
        let square = SquareIndex::new(change.channel)?;
        let offset_us = offset_us(change, changes[0])?;
        Some(SquareChange { offset_us, square, reading: reading(change.on) })
    });
    Message::SquaresChanged(SquaresChanged { time, changes: told.collect() })
}

fn tray_changed(changes: &[Change]) -> Message {
    let time = changes.first().map_or(NodeTime::ZERO, |first| first.time);
    let told = changes.iter().filter_map(|&change| {
        let tray = if change.channel < TRAY_SLOTS { Side::White } else { Side::Black };
        let slot = SlotIndex::new(change.channel % TRAY_SLOTS)?;
        let offset_us = offset_us(change, changes[0])?;
        Some(SlotChange { offset_us, tray, slot, reading: reading(change.on) })
    });
    Message::TrayChanged(TrayChanged { time, changes: told.collect() })
}
