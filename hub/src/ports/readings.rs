//! From what a node's link delivers to readings in hub time. Pure.
//!
//! Events become readings one by one. Snapshots, which come every second, mostly repeat what is
//! known; they become readings only where they do not, as after a loss.

use inference::record::{Occupancy, ReadingKind, SquareReading};
use proto::link::{
    BoardState, ClockDisplay, ClockState, HostEvent, HubTime, Message, NodeState, NodeTime,
    SensorReading, Side, SquareIndex, TRAY_SLOTS,
};
use rules::{Bitboard, Color, Square};

use crate::node_time::NodeTimeMap;

/// A reading and when it was made.
pub type TimedReading = (HubTime, ReadingKind);

/// The readings of one node, over its boots.
#[derive(Clone, Debug, Default)]
pub struct NodeReadings {
    time: NodeTimeMap,
    occupied: Option<u64>,
    /// Occupied slots of the trays of White and Black.
    trays: [u16; 2],
    display: Option<ClockDisplay>,
    tilted: bool,
}

impl NodeReadings {
    /// Nothing is known of the node yet.
    #[must_use]
    pub fn new() -> NodeReadings {
        NodeReadings::default()
    }

    /// What `event`, which arrived at `arrival`, says; in order of time.
    pub fn take(&mut self, arrival: HubTime, event: &HostEvent) -> Vec<TimedReading> {
        match event {
            HostEvent::Hello { hello, .. } => {
                self.time.observe(hello.time, arrival);
                Vec::new()
            }
            // Nobody knows how much was lost; a snapshot tells what it led to.
            HostEvent::Restarted { .. } => {
                self.time.reboot();
                self.display = None;
                vec![(arrival, ReadingKind::Gap { lost: 0 })]
            }
            HostEvent::Gap { first, last, .. } => {
                let lost = u64::from(last.saturating_sub(*first)) + 1;
                vec![(arrival, ReadingKind::Gap { lost })]
            }
            HostEvent::Event { message, .. } => self.take_event(arrival, message),
            HostEvent::Snapshot { snapshot, .. } => {
                self.time.observe(snapshot.time, arrival);
                let at = self.time.map(snapshot.time, arrival);
                let kinds = match &snapshot.state {
                    NodeState::Board(state) => self.compare_board(state),
                    NodeState::Clock(state) => self.compare_clock(state),
                };
                kinds.into_iter().map(|kind| (at, kind)).collect()
            }
            HostEvent::Health { health, .. } => {
                self.time.observe(health.time, arrival);
                Vec::new()
            }
            HostEvent::Rejected(_) | HostEvent::Incompatible(_) => Vec::new(),
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
                    (at, self.slot(change.tray, change.slot.get(), change.reading))
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
                let kind = ReadingKind::Hand { side: color(hand.side), near: hand.near };
                vec![(hand.time, kind)]
            }
            _ => Vec::new(),
        };
        if let Some((last, _)) = changes.last() {
            self.time.observe(*last, arrival);
        }
        changes.into_iter().map(|(at, kind)| (self.time.map(at, arrival), kind)).collect()
    }

    fn square(&mut self, square: SquareIndex, reading: SensorReading) -> ReadingKind {
        if let Some(occupied) = &mut self.occupied {
            let bit = 1 << square.get();
            *occupied =
                if reading == SensorReading::Occupied { *occupied | bit } else { *occupied & !bit };
        }
        let square = Square::new(u32::from(square.get()));
        ReadingKind::Square { square, reading: Some(occupancy(reading)), level: None }
    }

    fn slot(&mut self, tray: Side, slot: u8, reading: SensorReading) -> ReadingKind {
        let bit = 1 << slot;
        let slots = &mut self.trays[tray as usize];
        *slots = if reading == SensorReading::Occupied { *slots | bit } else { *slots & !bit };
        ReadingKind::Tray { side: color(tray), slot, reading: occupancy(reading) }
    }

    fn compare_board(&mut self, state: &BoardState) -> Vec<ReadingKind> {
        let mut news = Vec::new();
        if self.occupied != Some(state.occupied) {
            self.occupied = Some(state.occupied);
            let occupied = Some(Occupancy(Bitboard(state.occupied)));
            news.push(ReadingKind::Snapshot { occupied, squares: None });
        }
        for (tray, slots) in [(Side::White, state.white_tray), (Side::Black, state.black_tray)] {
            for slot in 0..TRAY_SLOTS {
                let now = slots >> slot & 1;
                if now != self.trays[tray as usize] >> slot & 1 {
                    let reading =
                        if now == 1 { SensorReading::Occupied } else { SensorReading::Empty };
                    news.push(self.slot(tray, slot, reading));
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

const fn color(side: Side) -> Color {
    match side {
        Side::White => Color::White,
        Side::Black => Color::Black,
    }
}

const fn occupancy(reading: SensorReading) -> SquareReading {
    match reading {
        SensorReading::Empty => SquareReading::Empty,
        SensorReading::Occupied => SquareReading::Occupied,
    }
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
    use proto::link::{Snapshot, SquareChange, SquaresChanged};

    use super::*;

    const INITIAL: u64 = 0xffff_0000_0000_ffff;

    fn at(us: u64) -> HubTime {
        HubTime::from_micros(1_000_000_000 + us)
    }

    fn snapshot(node_us: u64, occupied: u64) -> HostEvent {
        let state = NodeState::Board(BoardState { occupied, white_tray: 0, black_tray: 0 });
        let snapshot = Snapshot { time: NodeTime::from_micros(node_us), state };
        HostEvent::Snapshot { boot_id: 1, sequence: 0, snapshot }
    }

    fn lift_e2(node_us: u64) -> HostEvent {
        let change = SquareChange {
            offset_us: 500,
            square: SquareIndex::new(12).unwrap(),
            reading: SensorReading::Empty,
        };
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
        readings.take(at(0), &snapshot(0, INITIAL));
        let late = readings.take(at(700_000), &lift_e2(200_000));
        assert_eq!(late[0].0, at(200_500));
    }

    #[test]
    fn a_gap_says_how_many_events_it_swallowed() {
        let mut readings = NodeReadings::new();
        let gap = HostEvent::Gap { boot_id: 1, first: 3, last: 5 };
        assert_eq!(readings.take(at(0), &gap), [(at(0), ReadingKind::Gap { lost: 3 })]);
    }
}
