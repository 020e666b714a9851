//! The debouncer against a scan that skips nothing.

use node_firmware::{BoardConfig, BoardNode, BoardReading, Change, Debouncer, EventMemory};
use proptest::collection::vec;
use proptest::prelude::*;
use proto::link::{Message, NodeTime};

use crate::host::{Hub, at, identity};

const DEBOUNCE_US: u32 = 5_000;
const SCAN_US: u64 = 1_000;

/// Raw readings: how many scans each holds, and which switches differ from the one before.
fn readings() -> impl Strategy<Value = Vec<(u64, u64)>> {
    let scans = prop_oneof![6 => 1_u64..8, 1 => 8_u64..400];
    let toggled = prop_oneof![0..8_u64, Just(1 << 63), any::<u64>()];
    vec((scans, toggled), 1..60)
}

/// Scans every millisecond.
fn scanned(debouncer: &mut Debouncer<64>, readings: &[(u64, u64)]) -> Vec<Change> {
    let mut changes = Vec::new();
    let (mut now, mut raw) = (0, 0);
    for &(scans, toggled) in readings {
        raw ^= toggled;
        for _ in 0..scans {
            debouncer.observe(at(now), raw, |change| changes.push(change));
            now += SCAN_US;
        }
    }
    debouncer.observe(at(now + 1_000_000), raw, |change| changes.push(change));
    changes
}

/// Looks only when a reading changes, and at the very end.
fn skipped(debouncer: &mut Debouncer<64>, readings: &[(u64, u64)]) -> Vec<Change> {
    let mut changes = Vec::new();
    let (mut now, mut raw) = (0, 0);
    for &(scans, toggled) in readings {
        raw ^= toggled;
        debouncer.observe(at(now), raw, |change| changes.push(change));
        now += scans * SCAN_US;
    }
    debouncer.advance(at(now + 1_000_000), |change| changes.push(change));
    changes
}

fn changes_told(events: &[Message]) -> Vec<(NodeTime, u8, bool)> {
    let mut told = Vec::new();
    for event in events {
        let Message::SquaresChanged(event) = event else { continue };
        told.extend(event.changes.iter().map(|change| {
            let time = event.time.plus_micros(change.offset_us.into());
            (time, change.square.get(), change.reading == proto::link::SensorReading::Occupied)
        }));
    }
    told
}

proptest! {
    #[test]
    fn skipping_quiet_scans_changes_nothing(readings in readings()) {
        let all = scanned(&mut Debouncer::new(DEBOUNCE_US), &readings);
        prop_assert_eq!(skipped(&mut Debouncer::new(DEBOUNCE_US), &readings), all);
    }

    #[test]
    fn changes_are_in_the_order_of_their_times_and_alternate_on_each_channel(readings in readings()) {
        let mut debouncer = Debouncer::new(DEBOUNCE_US);
        let first = readings[0].1;
        let changes = scanned(&mut debouncer, &readings);
        prop_assert!(changes.is_sorted_by_key(|change| change.time));
        let mut state = first;
        for change in &changes {
            prop_assert_ne!(state >> change.channel & 1 == 1, change.on);
            state ^= 1 << change.channel;
        }
        prop_assert_eq!(state, debouncer.settled());
        prop_assert_eq!(state, debouncer.raw(), "after a second of quiet");
    }

    #[test]
    fn a_board_node_woken_only_when_due_tells_what_a_scanning_one_tells(readings in readings()) {
        let config = BoardConfig { debounce_us: DEBOUNCE_US, trays: false };
        let mut scanning: BoardNode = BoardNode::new(identity(), config, EventMemory::default());
        let mut woken: BoardNode = BoardNode::new(identity(), config, EventMemory::default());
        let (mut hub_of_scanning, mut hub_of_woken) = (Hub::new(), Hub::new());
        let (mut told_by_scanning, mut told_by_woken) = (Vec::new(), Vec::new());
        let (mut now, mut raw) = (0, 0);
        for (scans, toggled) in readings.into_iter().chain([(1_000, 0)]) {
            raw ^= toggled;
            let reading = BoardReading { squares: raw, ..BoardReading::default() };
            let until = now + scans * SCAN_US;
            woken.observe(at(now), reading);
            told_by_woken.extend(hub_of_woken.events(&mut woken));
            while woken.next_due() < at(until) {
                woken.advance(woken.next_due());
                told_by_woken.extend(hub_of_woken.events(&mut woken));
            }
            while now < until {
                scanning.observe(at(now), reading);
                told_by_scanning.extend(hub_of_scanning.events(&mut scanning));
                now += SCAN_US;
            }
        }
        prop_assert_eq!(changes_told(&told_by_woken), changes_told(&told_by_scanning));
    }
}

#[test]
fn each_channel_waits_for_itself() {
    let mut debouncer = Debouncer::<64>::new(DEBOUNCE_US);
    let mut changes = Vec::new();
    let mut observe = |us, raw| debouncer.observe(at(us), raw, |change| changes.push(change));
    observe(0, 0b00);
    observe(1_000, 0b01);
    observe(4_000, 0b11);
    observe(6_000, 0b11);
    observe(9_000, 0b11);
    let expected = [
        Change { time: at(1_000), channel: 0, on: true },
        Change { time: at(4_000), channel: 1, on: true },
    ];
    assert_eq!(changes, expected);
}

#[test]
fn a_reading_that_returns_in_time_never_was() {
    let mut debouncer = Debouncer::<3>::new(DEBOUNCE_US);
    let mut changes = 0;
    for (us, raw) in [(0, 0b100), (10_000, 0b000), (14_999, 0b100), (50_000, 0b100)] {
        debouncer.observe(at(us), raw, |_| changes += 1);
    }
    assert_eq!(changes, 0);
    assert_eq!(debouncer.next_due(), None);
}

#[test]
fn channels_beyond_the_last_are_not_there() {
    let mut debouncer = Debouncer::<5>::new(0);
    debouncer.observe(at(0), u64::MAX, |_| {});
    assert_eq!(debouncer.settled(), 0b1_1111);
}

#[test]
fn a_flickering_channel_is_found_once() {
    let mut debouncer = Debouncer::<64>::new(DEBOUNCE_US);
    for scan in 0..1_000_u64 {
        debouncer.observe(at(scan * SCAN_US), (scan & 1) << 9 | u64::from(scan == 500), |_| {});
    }
    assert_eq!(debouncer.quality().chattering(), 1 << 9);
    debouncer.begin_report();
    assert_eq!(debouncer.quality().chattering(), 0);
}
