//! A simulated device: a board or a clock as its node's firmware sees it.
//!
//! The firmware runs as it would on a microcontroller, only that a timeline of contacts stands in
//! for the pins, and that quiet time is skipped. The same device serves virtual time ([`crate::perform`])
//! and real time (the hall).

use node_firmware::{
    BoardConfig, BoardNode, BoardReading, ClockConfig, ClockInputs, ClockNode, DEFAULT_DEBOUNCE_US,
    EventMemory, HallSquares, Identity, TimeControl,
};
use proto::link::{ClockAdjustment, DelayKind, MAX_CLOCK_MS, NodeTime, PressKind, Side};
use readings::SensorKind;
use rules::{Bitboard, BoardId, Color, Piece, Position, Square};

use crate::{
    lever_clock::{self, LeverClock},
    magnet::Sensor,
    script::{BoardScript, ClockTouch, Script},
};

/// Time between two scans of hall sensors while something happens over them, and while nothing does.
const BUSY_SCAN_US: u64 = 1_000;
const QUIET_SCAN_US: u64 = 50_000;
/// Busy time after a change of a piece, or the node's start: several times the settling time of a level.
const BUSY_US: u64 = 80_000;

/// A stimulus of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stimulus {
    /// A square's contact closes or opens.
    Contact(Square, bool),
    /// A square's hall sensor comes to see this piece, or none.
    Piece(Square, Option<Piece>),
    /// A slot of the tray from which this side drops closes or opens.
    Slot(Side, u8, bool),
    /// This side of the lever goes down.
    Lever(Side),
    /// Both clocks are stopped.
    Stop,
    /// The clock is set.
    Set(TimeControl),
    /// The clock gives this side more time, milliseconds: a period begins.
    Give(Side, u32),
    /// The clock begins to be tilted, or stands again.
    Tilt(bool),
    /// A hand comes near a side, or leaves it.
    Hand(Side, bool),
}

/// A stimulus at its time, microseconds since the device's timeline began.
pub(crate) type Timed = (u64, Stimulus);

/// A device and what is going to happen to it.
#[derive(Clone, Debug)]
pub(crate) struct Device {
    node: Node,
    timeline: Vec<Timed>,
    /// The first stimulus that has not happened.
    next: usize,
    now_us: u64,
}

#[derive(Clone, Debug)]
enum Node {
    Board { node: Box<BoardNode>, reading: BoardReading },
    Hall(Box<HallBoard>),
    Clock { node: Box<ClockNode>, inputs: ClockInputs, hand_sensors: bool },
}

/// A board whose squares have hall sensors.
#[derive(Clone, Debug)]
struct HallBoard {
    node: BoardNode<HallSquares>,
    sensor: Sensor,
    trays: Option<[u16; 2]>,
    busy_until_us: u64,
    scan_at_us: u64,
}

fn hall_node(identity: Identity, kind: SensorKind, trays: bool) -> BoardNode<HallSquares> {
    let squares = match kind {
        SensorKind::HallPolarity => HallSquares::polarity(),
        _ => HallSquares::magnitude(),
    };
    BoardNode::with_squares(identity, squares, trays, EventMemory::default())
}

impl HallBoard {
    /// Scans the sensors, once.
    fn scan(&mut self, now_us: u64, node_time: NodeTime) {
        let [white_tray, black_tray] = self.trays.unwrap_or_default();
        let squares = self.sensor.samples(now_us);
        self.node.observe(node_time, BoardReading { squares, white_tray, black_tray });
        // A reading that has not settled must be seen to hold, or not.
        let unsettled = self.node.next_due() < node_time.plus_micros(QUIET_SCAN_US);
        let busy = unsettled || now_us < self.busy_until_us;
        self.scan_at_us = now_us + if busy { BUSY_SCAN_US } else { QUIET_SCAN_US };
    }
}

pub(crate) const fn side(color: Color) -> Side {
    match color {
        Color::White => Side::White,
        Color::Black => Side::Black,
    }
}

/// A board's contacts during one match that begins at `offset_us`, those of its trays included.
pub(crate) fn board_timeline(script: &BoardScript, offset_us: u64) -> Vec<Timed> {
    let squares = script.edges.iter();
    let mut timeline: Vec<Timed> = squares
        .map(|edge| (offset_us + edge.t_us, Stimulus::Contact(edge.square, edge.closed)))
        .collect();
    if let Some(slots) = &script.trays {
        timeline.extend(slots.iter().map(|edge| {
            let slot = Stimulus::Slot(side(edge.side), edge.slot, edge.closed);
            (offset_us + edge.t_us, slot)
        }));
        timeline.sort_by_key(|&(t_us, _)| t_us);
    }
    timeline
}

/// Stimuli of a board's hall sensors and its trays' contacts during one match that begins at `offset_us`.
pub(crate) fn hall_timeline(script: &BoardScript, offset_us: u64) -> Vec<Timed> {
    let seen = script.standings.iter().map(|standing| {
        (offset_us + standing.t_us, Stimulus::Piece(standing.square, standing.piece))
    });
    let trays = board_timeline(script, offset_us).into_iter();
    let trays = trays.filter(|(_, stimulus)| matches!(stimulus, Stimulus::Slot(..)));
    let mut timeline: Vec<Timed> = seen.chain(trays).collect();
    timeline.sort_by_key(|&(t_us, _)| t_us);
    timeline
}

/// Stimuli of a clock during one match that begins at `offset_us`, with the time of each new period: as soon as the press that
/// earns it counts.
pub(crate) fn clock_timeline(script: &Script, board: BoardId, offset_us: u64) -> Vec<Timed> {
    let acts = &script.boards[board.index()].clock;
    let mut clock = LeverClock::new(&script.time, [0; 2]);
    let mut timeline = Vec::with_capacity(acts.len());
    for act in acts {
        let stimulus = match act.touch {
            ClockTouch::Press(by) => Stimulus::Lever(side(by)),
            ClockTouch::Stop => Stimulus::Stop,
            ClockTouch::Tilt(on) => Stimulus::Tilt(on),
            ClockTouch::Hand(color, near) => Stimulus::Hand(side(color), near),
            // The firmware has one sensor a player.
            ClockTouch::HandFrom(..) => continue,
        };
        timeline.push((offset_us + act.t_us, stimulus));
        if let Some((color, ms)) = clock.take(*act) {
            let counts_us = act.t_us + u64::from(DEFAULT_DEBOUNCE_US);
            timeline.push((offset_us + counts_us, Stimulus::Give(side(color), ms)));
        }
    }
    // Stable: what happens at once keeps its order.
    timeline.sort_by_key(|&(t_us, _)| t_us);
    timeline
}

/// A node's setting of a time control: periods after the first are [`Stimulus::Give`]. White and Black have so much more than
/// the first period, milliseconds.
pub(crate) fn clock_control(time: &rules::TimeControl, extra_ms: [u32; 2]) -> TimeControl {
    let [white_ms, black_ms] =
        lever_clock::set_ms(time, extra_ms).map(|ms| ms.clamp(1, MAX_CLOCK_MS));
    let (delay_s, delay_kind) = match (time.increment_s(), time.delay()) {
        (0, rules::DelayKind::Us) => (time.delay_s(), DelayKind::Delay),
        (0, rules::DelayKind::Bronstein) => (time.delay_s(), DelayKind::Bronstein),
        (increment_s, _) => (increment_s, DelayKind::Increment),
    };
    TimeControl { white_ms, black_ms, delay_ms: delay_s.saturating_mul(1_000), delay_kind }
}

impl Device {
    /// A board on which these squares are occupied at first.
    pub(crate) fn board(
        identity: Identity,
        squares: Bitboard,
        trays: bool,
        timeline: Vec<Timed>,
    ) -> Device {
        let config = BoardConfig { trays, ..BoardConfig::default() };
        let node = Box::new(BoardNode::new(identity, config, EventMemory::default()));
        let reading = BoardReading { squares: squares.0, ..BoardReading::default() };
        Device::new(Node::Board { node, reading }, timeline)
    }

    /// A board with hall sensors on which these pieces stand at first.
    pub(crate) fn hall_board(
        identity: Identity,
        kind: SensorKind,
        mut sensor: Sensor,
        start: &Position,
        trays: bool,
        timeline: Vec<Timed>,
    ) -> Device {
        for square in Square::ALL {
            sensor.put(square, start.piece_at(square));
        }
        let node = hall_node(identity, kind, trays);
        let trays = trays.then_some([0; 2]);
        let board = HallBoard { node, sensor, trays, busy_until_us: BUSY_US, scan_at_us: 0 };
        Device::new(Node::Hall(Box::new(board)), timeline)
    }

    /// A lever clock that is set, with White's side down, so that Black can start it.
    pub(crate) fn clock(
        identity: Identity,
        set: TimeControl,
        hand_sensors: bool,
        timeline: Vec<Timed>,
    ) -> Device {
        let node = Box::new(ClockNode::new(
            identity,
            clock_config(set, hand_sensors),
            EventMemory::default(),
        ));
        let inputs = ClockInputs::lever(Side::White);
        Device::new(Node::Clock { node, inputs, hand_sensors }, timeline)
    }

    fn new(node: Node, timeline: Vec<Timed>) -> Device {
        let mut device = Device { node, timeline, next: 0, now_us: 0 };
        device.observe();
        device
    }

    /// Time of the next event, on the timeline's time.
    pub(crate) fn next_due_us(&self) -> u64 {
        self.node_due_us().min(self.timeline.get(self.next).map_or(u64::MAX, |&(t_us, _)| t_us))
    }

    /// Lets time pass to `now_us`.
    pub(crate) fn run_until(&mut self, now_us: u64) {
        while self.next_due_us() <= now_us {
            self.now_us = self.next_due_us().max(self.now_us);
            let from = self.next;
            while let Some(&(t_us, stimulus)) = self.timeline.get(self.next)
                && t_us <= self.now_us
            {
                self.next += 1;
                self.take(stimulus);
            }
            if from == self.next {
                self.advance();
            } else {
                self.observe();
            }
        }
        self.now_us = now_us;
        self.advance();
    }

    /// Appends stimuli to its timeline. One whose time is over comes as soon as time passes.
    pub(crate) fn extend(&mut self, timeline: Vec<Timed>) {
        self.timeline.extend(timeline);
    }

    /// Applies a stimulus now, beside its timeline.
    pub(crate) fn touched(&mut self, stimulus: Stimulus) {
        self.take(stimulus);
        self.observe();
    }

    /// Takes bytes from the line.
    pub(crate) fn receive(&mut self, bytes: &[u8]) {
        match &mut self.node {
            Node::Board { node, .. } => node.receive(bytes),
            Node::Hall(board) => board.node.receive(bytes),
            Node::Clock { node, .. } => node.receive(bytes),
        }
    }

    /// Moves bytes for the line into `out`; how many.
    pub(crate) fn transmit(&mut self, out: &mut [u8]) -> usize {
        match &mut self.node {
            Node::Board { node, .. } => node.transmit(out),
            Node::Hall(board) => board.node.transmit(out),
            Node::Clock { node, .. } => node.transmit(out),
        }
    }

    fn node_time(&self) -> NodeTime {
        NodeTime::from_micros(self.now_us)
    }

    fn node_due_us(&self) -> u64 {
        let (due, scan_at_us) = match &self.node {
            Node::Board { node, .. } => (node.next_due(), u64::MAX),
            Node::Hall(board) => (board.node.next_due(), board.scan_at_us),
            Node::Clock { node, .. } => (node.next_due(), u64::MAX),
        };
        due.as_micros().min(scan_at_us)
    }

    fn take(&mut self, stimulus: Stimulus) {
        let now = self.node_time();
        match (&mut self.node, stimulus) {
            (Node::Board { reading, .. }, Stimulus::Contact(square, closed)) => {
                set_bit(&mut reading.squares, usize::from(square), closed);
            }
            (Node::Board { reading, .. }, Stimulus::Slot(side, slot, closed)) => {
                let tray = match side {
                    Side::White => &mut reading.white_tray,
                    Side::Black => &mut reading.black_tray,
                };
                let mut slots = u64::from(*tray);
                set_bit(&mut slots, usize::from(slot), closed);
                *tray = slots as u16;
            }
            (Node::Hall(board), Stimulus::Piece(square, piece)) => {
                board.sensor.put(square, piece);
                board.busy_until_us = self.now_us + BUSY_US;
            }
            (Node::Hall(board), Stimulus::Slot(side, slot, closed)) => {
                if let Some(trays) = &mut board.trays {
                    let tray = &mut trays[side as usize];
                    let mut slots = u64::from(*tray);
                    set_bit(&mut slots, usize::from(slot), closed);
                    *tray = slots as u16;
                    board.busy_until_us = self.now_us + BUSY_US;
                }
            }
            (Node::Clock { inputs, .. }, Stimulus::Lever(side)) => {
                inputs.white_down = side == Side::White;
                inputs.black_down = side == Side::Black;
            }
            (Node::Clock { inputs, .. }, Stimulus::Tilt(on)) => inputs.tilted = on,
            (Node::Clock { hand_sensors: false, .. }, Stimulus::Hand(..)) => {}
            (Node::Clock { inputs, .. }, Stimulus::Hand(Side::White, near)) => {
                inputs.white_hand = near;
            }
            (Node::Clock { inputs, .. }, Stimulus::Hand(Side::Black, near)) => {
                inputs.black_hand = near;
            }
            (Node::Clock { node, .. }, Stimulus::Stop) => node.pause(now),
            (Node::Clock { node, .. }, Stimulus::Set(set)) => node.set(now, set),
            (Node::Clock { node, .. }, Stimulus::Give(side, ms)) => {
                node.adjust(now, given(side, ms))
            }
            // A board has no lever and a clock no squares.
            (Node::Board { .. } | Node::Hall(_), _)
            | (
                Node::Clock { .. },
                Stimulus::Contact(..) | Stimulus::Slot(..) | Stimulus::Piece(..),
            ) => {}
        }
    }

    /// Shows the node what its contacts read now.
    fn observe(&mut self) {
        let now = self.node_time();
        match &mut self.node {
            Node::Board { node, reading, .. } => node.observe(now, *reading),
            Node::Hall(board) => board.scan(self.now_us, now),
            Node::Clock { node, inputs, .. } => node.observe(now, *inputs),
        }
    }

    fn advance(&mut self) {
        let now = self.node_time();
        match &mut self.node {
            Node::Board { node, .. } => node.advance(now),
            Node::Hall(board) if self.now_us >= board.scan_at_us => board.scan(self.now_us, now),
            Node::Hall(board) => board.node.advance(now),
            Node::Clock { node, .. } => node.advance(now),
        }
    }
}

fn set_bit(bits: &mut u64, bit: usize, on: bool) {
    if on {
        *bits |= 1 << bit;
    } else {
        *bits &= !(1 << bit);
    }
}

fn given(side: Side, ms: u32) -> ClockAdjustment {
    let ms = i32::try_from(ms).unwrap_or(i32::MAX);
    match side {
        Side::White => ClockAdjustment { white_ms: ms, black_ms: 0 },
        Side::Black => ClockAdjustment { white_ms: 0, black_ms: ms },
    }
}

const fn clock_config(control: TimeControl, hand_sensor: bool) -> ClockConfig {
    ClockConfig {
        debounce_us: DEFAULT_DEBOUNCE_US,
        press: PressKind::Lever,
        hand_sensor,
        hand_sides: false,
        control,
        sound: false,
    }
}
