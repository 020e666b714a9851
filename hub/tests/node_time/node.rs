//! A node of the simulation: the firmware's own end of the link, with a crystal that is not exact, on a line.

use std::collections::VecDeque;
use std::f64::consts::TAU;

use link_sim::Line;
use link_sim::line::{LineSpeed, WhenUnplugged, WriteFaults};
use node_firmware::{
    DEFAULT_DEBOUNCE_US, EventMemory, Identity, LinkSession, SCAN_INTERVAL_US, SensorHealth,
    Status, WrappingTimer,
};
use proto::link::{
    BoardHealth, BoardKind, ClockDisplay, ClockKind, ClockState, MagnitudeState, Message, NodeKind,
    NodeState, NodeTime, PerSquare, Press, PressKind, SensorKind, SensorReading, Side,
    SquareChange, SquareIndex, SquaresChanged, TimeControl,
};

/// Bytes that are on their way out of a node's memory: the main loop's piece and the UART's queue.
const QUEUE_BYTES: usize = 96;
/// The square on which things happen.
const SQUARE: u8 = 28;
/// How the speed of a clock goes up and down with temperature: the time of one round, in µs.
const WANDER_PERIOD_US: f64 = 600e6;
/// What the 32-bit timer reads at the start: it wraps half a minute later.
const TIMER_START: u32 = u32::MAX - 30_000_000;

/// How fast a node's clock runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crystal {
    /// Too fast by this, in millionths.
    pub(crate) drift_ppm: f64,
    /// By so much more or less as the temperature goes, in millionths.
    pub(crate) wander_ppm: f64,
}

impl Crystal {
    /// Time by this clock after `elapsed_us` of true time.
    fn local_us(self, elapsed_us: u64) -> u64 {
        let elapsed = elapsed_us as f64;
        let swing = WANDER_PERIOD_US / TAU * (1.0 - (TAU * elapsed / WANDER_PERIOD_US).cos());
        (elapsed + (self.drift_ppm * elapsed + self.wander_ppm * swing) * 1e-6) as u64
    }
}

/// What stands behind the sensors.
struct Sensors {
    is_board: bool,
    now: NodeTime,
    level: i8,
}

impl Status for Sensors {
    fn state(&self) -> (NodeTime, NodeState) {
        // What counts now began one debounce time ago.
        let time = self.now.minus_micros(DEFAULT_DEBOUNCE_US.into());
        if !self.is_board {
            let display = ClockDisplay {
                white_ms: 60_000,
                black_ms: 60_000,
                delay_left_ms: 0,
                running: None,
                first_flag: None,
            };
            let state = ClockState {
                display,
                pressed: None,
                tilted: false,
                white_hand: false,
                black_hand: false,
                control: TimeControl::even(60_000),
                paused: None,
            };
            return (time, NodeState::Clock(state));
        }
        // Half the squares are occupied, as in a match.
        let mut levels = [40; 64];
        levels[20..52].fill(0);
        levels[usize::from(SQUARE)] = self.level;
        let levels = PerSquare(levels);
        let state = MagnitudeState { levels, white_tray: 0, black_tray: 0 };
        (time, NodeState::MagnitudeBoard(state))
    }

    fn take_sensor_health(&mut self) -> SensorHealth {
        SensorHealth::default()
    }

    fn take_board_health(&mut self) -> Option<BoardHealth> {
        self.is_board.then(BoardHealth::default)
    }
}

/// A node and its line.
pub(crate) struct Node {
    crystal: Crystal,
    name: String,
    is_board: bool,
    boot_id: u32,
    started_us: u64,
    session: LinkSession,
    sensors: Sensors,
    timer: WrappingTimer,
    scanned_us: u64,
    /// What it will read: true times, in order.
    edges: VecDeque<u64>,
    /// What it has read and is not settled: when it counts, when it was seen, and when it happened.
    unsettled: VecDeque<(u64, u64, u64)>,
    /// True time of the scan that saw each event of this boot, and of the event itself.
    pub(crate) truth: Vec<(u64, u64)>,
    pub(crate) up: Line,
    pub(crate) down: Line,
}

impl Node {
    pub(crate) fn new(
        seed: u64,
        is_board: bool,
        crystal: Crystal,
        (up, down): (LineSpeed, LineSpeed),
        lost: f64,
        edges: Vec<u64>,
    ) -> Node {
        let up = LineSpeed { queue_bytes: QUEUE_BYTES, ..up };
        let line = |seed, speed| {
            let mut line = Line::new(seed, speed, WhenUnplugged::Lost, &[]);
            line.set_faults(WriteFaults { lost, ..WriteFaults::default() });
            line
        };
        let mut node = Node {
            crystal,
            name: if is_board { "board" } else { "clock" }.to_owned(),
            is_board,
            boot_id: 0,
            started_us: 0,
            session: session("new", is_board, 1),
            sensors: Sensors { is_board, now: NodeTime::ZERO, level: 40 },
            timer: WrappingTimer::new(u32::BITS, TIMER_START),
            scanned_us: 0,
            edges: edges.into(),
            unsettled: VecDeque::new(),
            truth: Vec::new(),
            up: line(seed ^ 1, up),
            down: line(seed ^ 2, down),
        };
        node.start(0);
        node
    }

    /// The node gets power, or loses it for a moment.
    pub(crate) fn start(&mut self, now_us: u64) {
        self.boot_id += 1;
        self.started_us = now_us;
        self.session = session(&self.name, self.is_board, self.boot_id);
        self.sensors.level = 40;
        self.timer = WrappingTimer::new(u32::BITS, TIMER_START);
        self.unsettled.clear();
        self.truth.clear();
        self.scan(now_us);
    }

    pub(crate) fn is_board(&self) -> bool {
        self.is_board
    }

    pub(crate) fn boot_id(&self) -> u32 {
        self.boot_id
    }

    fn local(&mut self, at_us: u64) -> NodeTime {
        let local_us = self.crystal.local_us(at_us - self.started_us);
        NodeTime::from_micros(self.timer.ticks(TIMER_START.wrapping_add(local_us as u32)))
    }

    /// The first scan at or after `at_us`.
    fn scan_after(&self, at_us: u64) -> u64 {
        let since = at_us.saturating_sub(self.started_us);
        self.started_us + since.next_multiple_of(SCAN_INTERVAL_US)
    }

    fn scan(&mut self, at_us: u64) {
        self.scanned_us = at_us;
        self.sensors.now = self.local(at_us);
        let now = self.sensors.now;
        self.session.poll(now);
        while let Some(edge_us) = self.edges.pop_front_if(|edge_us| *edge_us <= at_us) {
            let settled_us = self.scan_after(at_us + u64::from(DEFAULT_DEBOUNCE_US));
            self.unsettled.push_back((settled_us, at_us, edge_us));
        }
        while let Some(&(settled_us, seen_us, edge_us)) = self.unsettled.front()
            && settled_us <= at_us
        {
            self.unsettled.pop_front();
            let age_us = self.crystal.local_us(at_us - self.started_us)
                - self.crystal.local_us(seen_us - self.started_us);
            let event = self.event(now.minus_micros(age_us));
            self.session.push(&event);
            self.truth.push((seen_us, edge_us));
        }
    }

    fn event(&mut self, time: NodeTime) -> Message {
        if !self.is_board {
            return Message::Press(Press { time, by: Side::White });
        }
        self.sensors.level = if self.sensors.level == 0 { 40 } else { 0 };
        let reading = match self.sensors.level {
            0 => SensorReading::Empty,
            level => SensorReading::Level(level),
        };
        let square = SquareIndex::new(SQUARE).unwrap();
        let change = SquareChange { offset_us: 0, square, reading };
        let changes = [change].into_iter().collect();
        Message::SquaresChanged(SquaresChanged { time, changes })
    }

    /// When the node next does something.
    pub(crate) fn next_us(&self, now_us: u64) -> u64 {
        let due_local_us = self.session.next_due().as_micros() as f64;
        let rate = 1.0 + self.crystal.drift_ppm * 1e-6;
        let due_us = self.started_us + (due_local_us / rate) as u64;
        let edge_us = self.edges.front().copied().unwrap_or(u64::MAX);
        let settled_us = self.unsettled.front().map_or(u64::MAX, |&(settled_us, ..)| settled_us);
        let scan_us = self
            .scan_after(due_us.min(edge_us).min(settled_us))
            .max(self.scanned_us + SCAN_INTERVAL_US);
        let room_us = match self.session.wants_transmit() {
            true if self.up.room(now_us) > 0 => now_us + 1,
            true => self.up.room_again_us(now_us).unwrap_or(u64::MAX),
            false => u64::MAX,
        };
        let heard_us = self.down.next_arrival_us().unwrap_or(u64::MAX);
        scan_us.min(room_us).min(heard_us).max(now_us + 1)
    }

    /// The main loop, once.
    pub(crate) fn turn(&mut self, now_us: u64) {
        let since = now_us - self.started_us;
        let scan_us = now_us - since % SCAN_INTERVAL_US;
        if scan_us > self.scanned_us {
            self.scan(scan_us);
        }
        let received = self.down.receive(now_us);
        assert_eq!(self.session.receive(&mut received.as_slice()), None);
        let mut buffer = [0; QUEUE_BYTES];
        let room = self.up.room(now_us).min(buffer.len());
        let length = self.session.transmit(&mut buffer[..room], &mut self.sensors);
        self.up.send(now_us, &buffer[..length]);
    }
}

fn session(name: &str, is_board: bool, boot_id: u32) -> LinkSession {
    let kind = if is_board {
        NodeKind::Board(BoardKind { sensor: SensorKind::HallMagnitude, trays: false })
    } else {
        NodeKind::Clock(ClockKind { press: PressKind::Lever, hand_sensor: false })
    };
    LinkSession::new(Identity::new(name.parse().unwrap(), boot_id), kind, EventMemory::default())
}
