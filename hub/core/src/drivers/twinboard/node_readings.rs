//! Conversion of a node's events to readings in hub time. Pure.
//!
//! Events become readings one by one. Snapshots, which come every second, mostly repeat what is
//! known; they become readings only where they do not, as after a loss.

use proto::link::{
    ClockDisplay, ClockState, HandOrigin, HostEvent, HubTime, MagnitudeState, Message, NodeState,
    NodeTime, PolarityState, SensorReading, Side, SquareIndex, TRAY_SLOTS,
};
use readings::{HandFrom, Occupancy, ReadingKind, SquareReading};
use rules::{Bitboard, Color, Square};

use crate::journal_line::TimedReading;
use crate::node_time::NodeTimeMap;

/// Smallest published error of a node's times, microseconds.
const ERROR_STEP_US: u64 = 250;
/// Largest published error, microseconds: a node's times are worth nothing then.
const ERROR_MAX_US: u64 = 64_000_000;

/// The readings of one node, over its boots.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeReadings {
    time: NodeTimeMap,
    /// Error of its times that was published last, microseconds.
    error_us: Option<u32>,
    /// Reading of each square, from a1; unknown before the first snapshot.
    squares: Option<[SquareReading; 64]>,
    /// Occupied slots of the trays of White and Black.
    trays: [u16; 2],
    display: Option<ClockDisplay>,
    tilted: bool,
}

impl NodeReadings {
    /// State of a node of which nothing is known yet.
    #[must_use]
    pub(super) fn new() -> NodeReadings {
        NodeReadings::default()
    }

    /// The speed in bits a second of the line at which the node is now, if bytes follow each other on it bit by bit.
    pub(super) fn set_baud(&mut self, baud: Option<u32>) {
        self.time.set_baud(baud);
    }

    /// Whether the node's clock is known at `now`, so that its readings get their places.
    #[must_use]
    pub(super) fn is_settled(&self, now: HubTime) -> bool {
        self.time.is_settled(now)
    }

    /// Error of the node's times, microseconds, if it has changed much since it was published last.
    pub(super) fn changed_error(&mut self) -> Option<u32> {
        let error_us = error_step(self.time.error_us()?);
        // Less is news when it is less than half: an error at the edge of a step is not published again and again.
        let is_news = self.error_us.is_none_or(|before| error_us > before || error_us * 2 < before);
        is_news.then(|| *self.error_us.insert(error_us))
    }

    /// The latest hub time of a reading: no later reading has an earlier one.
    #[must_use]
    pub(super) fn latest(&self) -> HubTime {
        self.time.latest()
    }

    /// The readings of `event`, which arrived at `arrival`; in order of time.
    pub(super) fn take(&mut self, arrival: HubTime, event: &HostEvent) -> Vec<TimedReading> {
        match event {
            HostEvent::Timing(timing) => {
                self.time.observe(timing, arrival);
                Vec::new()
            }
            // The extent of the loss is unknown; a snapshot shows its result.
            HostEvent::Restarted { .. } => {
                self.time.reboot();
                self.display = None;
                vec![(self.latest(), ReadingKind::Gap { lost: 0 })]
            }
            // It lies between the node's former and next readings, which may have been made long before it arrived.
            HostEvent::Gap { first, last, .. } => {
                let lost = u64::from(last.saturating_sub(*first)) + 1;
                vec![(self.latest(), ReadingKind::Gap { lost })]
            }
            HostEvent::Event { message, .. } => self.take_event(arrival, message),
            HostEvent::Snapshot { snapshot, .. } => {
                let at = self.time.map(snapshot.time, arrival);
                let kinds = match &snapshot.state {
                    NodeState::Board(state) => {
                        let squares = by_square(|bit| occupancy(state.occupied & bit != 0));
                        self.compare_board(squares, [state.white_tray, state.black_tray])
                    }
                    NodeState::PolarityBoard(state) => {
                        let squares = by_square(|bit| polarity(state, bit));
                        self.compare_board(squares, [state.white_tray, state.black_tray])
                    }
                    NodeState::MagnitudeBoard(state) => {
                        let trays = [state.white_tray, state.black_tray];
                        self.compare_board(magnitudes(state), trays)
                    }
                    NodeState::Clock(state) => self.compare_clock(state),
                };
                kinds.into_iter().map(|kind| (at, kind)).collect()
            }
            HostEvent::Hello { .. }
            | HostEvent::Health { .. }
            | HostEvent::BoardHealth { .. }
            | HostEvent::UpdateReport { .. }
            | HostEvent::Started { .. }
            | HostEvent::CommandEnded { .. }
            | HostEvent::Rejected(_)
            | HostEvent::OtherNode { .. }
            | HostEvent::Incompatible(_) => Vec::new(),
        }
    }

    fn take_event(&mut self, arrival: HubTime, message: &Message) -> Vec<TimedReading> {
        let changes: Vec<(NodeTime, ReadingKind)> = match message {
            Message::SquaresChanged(changed) => changed
                .changes
                .iter()
                .map(|change| {
                    let at = changed.time.plus_micros(change.offset_us.into());
                    (at, self.square(change.square, change.reading))
                })
                .collect(),
            Message::TrayChanged(changed) => changed
                .changes
                .iter()
                .map(|change| {
                    let at = changed.time.plus_micros(change.offset_us.into());
                    let occupied = change.reading != SensorReading::Empty;
                    (at, self.slot(change.tray, change.slot.get(), occupied))
                })
                .collect(),
            Message::Press(press) => {
                vec![(press.time, ReadingKind::Press { by: color(press.by) })]
            }
            Message::ClockReading(reading) => {
                self.display = Some(reading.display);
                vec![(reading.time, clock(&reading.display))]
            }
            Message::Tilt(tilt) => {
                self.tilted = tilt.on;
                vec![(tilt.time, ReadingKind::Tilt { on: tilt.on })]
            }
            Message::Hand(hand) => {
                let kind =
                    ReadingKind::Hand { side: color(hand.side), near: hand.near, from: None };
                vec![(hand.time, kind)]
            }
            Message::HandFrom(hand) => {
                let from = Some(match hand.from {
                    HandOrigin::Board => HandFrom::Board,
                    HandOrigin::Away => HandFrom::Away,
                });
                vec![(
                    hand.time,
                    ReadingKind::Hand { side: color(hand.side), near: hand.near, from },
                )]
            }
            _ => Vec::new(),
        };
        changes.into_iter().map(|(at, kind)| (self.time.map(at, arrival), kind)).collect()
    }

    fn square(&mut self, square: SquareIndex, reading: SensorReading) -> ReadingKind {
        let reading = square_reading(reading);
        let index = square.get();
        if let Some(known) = self.squares.as_mut().and_then(|all| all.get_mut(usize::from(index))) {
            *known = reading;
        }
        let square = Square::new(u32::from(index));
        match reading {
            SquareReading::Level(level) => {
                ReadingKind::Square { square, reading: None, level: Some(level) }
            }
            reading => ReadingKind::Square { square, reading: Some(reading), level: None },
        }
    }

    fn slot(&mut self, tray: Side, slot: u8, occupied: bool) -> ReadingKind {
        let bit = 1 << slot;
        let slots = &mut self.trays[tray as usize];
        *slots = if occupied { *slots | bit } else { *slots & !bit };
        ReadingKind::Tray { side: color(tray), slot, reading: occupancy(occupied) }
    }

    /// A reed board's snapshot says which squares are occupied; the others say more of each.
    fn compare_board(&mut self, squares: [SquareReading; 64], trays: [u16; 2]) -> Vec<ReadingKind> {
        let mut news = Vec::new();
        if self.squares != Some(squares) {
            self.squares = Some(squares);
            let bits = (0..64).filter(|&bit| squares[bit] != SquareReading::Empty);
            let occupied = Some(Occupancy(Bitboard(bits.fold(0, |all, bit| all | 1 << bit))));
            let says_more =
                |reading| !matches!(reading, SquareReading::Empty | SquareReading::Occupied);
            let squares = squares.into_iter().any(says_more).then(|| squares.to_vec());
            news.push(ReadingKind::Snapshot { occupied, squares });
        }
        for (tray, slots) in [Side::White, Side::Black].into_iter().zip(trays) {
            for slot in 0..TRAY_SLOTS {
                let now = slots >> slot & 1;
                if now != self.trays[tray as usize] >> slot & 1 {
                    news.push(self.slot(tray, slot, now == 1));
                }
            }
        }
        news
    }

    fn compare_clock(&mut self, state: &ClockState) -> Vec<ReadingKind> {
        let mut news = Vec::new();
        // While a side runs, its time in the snapshot is news of no kind.
        let known = self.display.is_some_and(|known| {
            known.running == state.display.running
                && (known.running.is_some()
                    || (known.white_ms, known.black_ms)
                        == (state.display.white_ms, state.display.black_ms))
        });
        if !known {
            self.display = Some(state.display);
            news.push(clock(&state.display));
        }
        if self.tilted != state.tilted {
            self.tilted = state.tilted;
            news.push(ReadingKind::Tilt { on: state.tilted });
        }
        news
    }
}

/// The step of published errors that includes one: a power of two times [`ERROR_STEP_US`].
fn error_step(error_us: u64) -> u32 {
    let steps = error_us.min(ERROR_MAX_US).div_ceil(ERROR_STEP_US).next_power_of_two();
    u32::try_from(steps * ERROR_STEP_US).unwrap_or(u32::MAX)
}

const fn color(side: Side) -> Color {
    match side {
        Side::White => Color::White,
        Side::Black => Color::Black,
    }
}

const fn occupancy(occupied: bool) -> SquareReading {
    if occupied { SquareReading::Occupied } else { SquareReading::Empty }
}

fn square_reading(reading: SensorReading) -> SquareReading {
    match reading {
        SensorReading::Empty => SquareReading::Empty,
        SensorReading::Occupied => SquareReading::Occupied,
        SensorReading::White => SquareReading::Side(Color::White),
        SensorReading::Black => SquareReading::Side(Color::Black),
        SensorReading::Level(level) => SquareReading::Level(level.into()),
    }
}

fn by_square(read: impl Fn(u64) -> SquareReading) -> [SquareReading; 64] {
    std::array::from_fn(|square| read(1 << square))
}

const fn polarity(state: &PolarityState, bit: u64) -> SquareReading {
    match (state.white & bit != 0, state.black & bit != 0) {
        (true, _) => SquareReading::Side(Color::White),
        (_, true) => SquareReading::Side(Color::Black),
        (false, false) => SquareReading::Empty,
    }
}

fn magnitudes(state: &MagnitudeState) -> [SquareReading; 64] {
    state.levels.0.map(|level| match level {
        0 => SquareReading::Empty,
        level => SquareReading::Level(level.into()),
    })
}

fn clock(display: &ClockDisplay) -> ReadingKind {
    ReadingKind::Clock {
        white_ms: display.white_ms.into(),
        black_ms: display.black_ms.into(),
        running: display.running.map(color),
    }
}

#[cfg(test)]
mod tests {
    use proto::link::HandFrom as WireHandFrom;
    use proto::link::{
        BoardState, FrameTiming, Hand, PerSquare, Snapshot, SquareChange, SquaresChanged,
    };

    use super::*;

    const INITIAL: u64 = 0xffff_0000_0000_ffff;

    fn at(us: u64) -> HubTime {
        HubTime::from_micros(1_000_000_000 + us)
    }

    fn snapshot(node_us: u64, occupied: u64) -> HostEvent {
        state(node_us, NodeState::Board(BoardState { occupied, white_tray: 0, black_tray: 0 }))
    }

    fn state(node_us: u64, state: NodeState) -> HostEvent {
        let time = NodeTime::from_micros(node_us);
        let snapshot = Snapshot { time, state, last_request: 0, age_us: 0, answers: 0 };
        HostEvent::Snapshot { boot_id: 1, sequence: 0, snapshot }
    }

    /// A frame that was made at `node_us`.
    fn timing(node_us: u64) -> HostEvent {
        let made = NodeTime::from_micros(node_us);
        HostEvent::Timing(FrameTiming { boot_id: 1, made, bytes: 30, asked: None })
    }

    fn lift_e2(node_us: u64) -> HostEvent {
        e2(node_us, SensorReading::Empty)
    }

    fn e2(node_us: u64, reading: SensorReading) -> HostEvent {
        let change =
            SquareChange { offset_us: 500, square: SquareIndex::new(12).unwrap(), reading };
        let changes = [change].into_iter().collect();
        let changed = SquaresChanged { time: NodeTime::from_micros(node_us), changes };
        HostEvent::Event { boot_id: 1, sequence: 1, message: Message::SquaresChanged(changed) }
    }

    #[test]
    fn a_snapshot_is_a_reading_only_when_it_is_news() {
        let mut readings = NodeReadings::new();
        assert_eq!(readings.take(at(0), &snapshot(0, INITIAL)).len(), 1);
        assert!(readings.take(at(1_000_000), &snapshot(1_000_000, INITIAL)).is_empty());
        assert_eq!(readings.take(at(1_600_000), &lift_e2(1_500_000)).len(), 1);
        assert!(
            readings.take(at(2_000_000), &snapshot(2_000_000, INITIAL & !(1 << 12))).is_empty()
        );
        assert_eq!(readings.take(at(3_000_000), &snapshot(3_000_000, INITIAL)).len(), 1);
    }

    #[test]
    fn readings_carry_the_time_at_which_they_were_made() {
        let mut readings = NodeReadings::new();
        readings.take(at(0), &timing(0));
        readings.take(at(0), &snapshot(0, INITIAL));
        let late = readings.take(at(700_000), &lift_e2(200_000));
        assert_eq!(late[0].0, at(200_500));
    }

    #[test]
    fn a_hand_is_read_with_the_side_of_the_clock_where_it_was_seen() {
        let mut readings = NodeReadings::new();
        let time = NodeTime::from_micros(7);
        let (side, near) = (Side::Black, true);
        let messages = [
            Message::Hand(Hand { time, side, near }),
            Message::HandFrom(WireHandFrom { time, side, near, from: HandOrigin::Board }),
            Message::HandFrom(WireHandFrom { time, side, near, from: HandOrigin::Away }),
        ];
        let read: Vec<ReadingKind> = messages
            .into_iter()
            .flat_map(|message| readings.take_event(at(0), &message))
            .map(|(_, kind)| kind)
            .collect();
        let hand = |from| ReadingKind::Hand { side: Color::Black, near, from };
        let sides = [None, Some(HandFrom::Board), Some(HandFrom::Away)];
        assert_eq!(read, sides.map(hand));
    }

    #[test]
    fn a_polarity_board_tells_colours() {
        let mut readings = NodeReadings::new();
        let board = |white, black| {
            NodeState::PolarityBoard(PolarityState { white, black, white_tray: 0, black_tray: 4 })
        };
        let first = readings.take(at(0), &state(0, board(0xffff, 0xffff << 48)));
        let ReadingKind::Snapshot { occupied, squares: Some(squares) } = &first[0].1 else {
            panic!("{first:?}")
        };
        assert_eq!(*occupied, Some(Occupancy::INITIAL));
        assert_eq!(squares[0], SquareReading::Side(Color::White));
        assert_eq!(squares[32], SquareReading::Empty);
        assert_eq!(squares[63], SquareReading::Side(Color::Black));
        let tray = SquareReading::Occupied;
        assert_eq!(first[1].1, ReadingKind::Tray { side: Color::Black, slot: 2, reading: tray });
        let taken = readings.take(at(9_000), &e2(9_000, SensorReading::Black));
        let reading = Some(SquareReading::Side(Color::Black));
        assert_eq!(taken[0].1, ReadingKind::Square { square: Square::E2, reading, level: None });
        let same = board(0xffff & !(1 << 12), 0xffff << 48 | 1 << 12);
        assert!(readings.take(at(10_000), &state(10_000, same)).is_empty());
    }

    #[test]
    fn a_magnitude_board_tells_levels_and_what_is_empty() {
        let mut readings = NodeReadings::new();
        let mut levels = [0; 64];
        (levels[12], levels[60]) = (24, -80);
        let board = |levels| {
            let levels = PerSquare(levels);
            NodeState::MagnitudeBoard(MagnitudeState { levels, white_tray: 0, black_tray: 0 })
        };
        let first = readings.take(at(0), &state(0, board(levels)));
        let ReadingKind::Snapshot { occupied, squares: Some(squares) } = &first[0].1 else {
            panic!("{first:?}")
        };
        assert_eq!(*occupied, Some(Occupancy(Bitboard(1 << 12 | 1 << 60))));
        assert_eq!((squares[0], squares[60]), (SquareReading::Empty, SquareReading::Level(-80)));
        let put = readings.take(at(9_000), &e2(9_000, SensorReading::Level(-30)));
        let square = Square::E2;
        assert_eq!(put[0].1, ReadingKind::Square { square, reading: None, level: Some(-30) });
        let reading = Some(SquareReading::Empty);
        let lifted = readings.take(at(19_000), &lift_e2(19_000));
        assert_eq!(lifted[0].1, ReadingKind::Square { square, reading, level: None });
        levels[12] = 0;
        assert!(readings.take(at(20_000), &state(20_000, board(levels))).is_empty());
    }

    #[test]
    fn a_gap_says_how_many_events_it_swallowed() {
        let mut readings = NodeReadings::new();
        readings.take(at(0), &lift_e2(0));
        let gap = HostEvent::Gap { boot_id: 1, first: 3, last: 5 };
        assert_eq!(readings.take(at(0), &gap), [(at(0), ReadingKind::Gap { lost: 3 })]);
    }

    #[test]
    fn a_gap_comes_before_what_was_read_after_it_however_late_that_arrives() {
        let mut readings = NodeReadings::new();
        readings.take(at(0), &timing(0));
        readings.take(at(0), &snapshot(0, INITIAL));
        // The cable was out for nine seconds, and the node's memory too small.
        let now = at(9_000_000);
        let gap = readings.take(now, &HostEvent::Gap { boot_id: 1, first: 1, last: 4 });
        let kept = readings.take(now, &lift_e2(3_000_000));
        assert!(gap[0].0 <= kept[0].0, "{gap:?} {kept:?}");
        let restarted = HostEvent::Restarted { previous_boot_id: 1, boot_id: 2 };
        assert_eq!(readings.take(now, &restarted)[0].0, kept[0].0);
    }
}
