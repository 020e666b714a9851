//! The board node.

use node_firmware::{BoardConfig, BoardNode, BoardReading, EventMemory, IN_USE_US};
use proto::link::{
    BoardState, FrameTiming, HostEvent, Message, NodeState, NodeTime, SensorReading, Side,
    SlotIndex, StartReason,
};

use crate::host::{Hub, at, identity};

const DEBOUNCE_US: u32 = 5_000;
const SET_UP: u64 = 0xffff_0000_0000_ffff;
const E2: u64 = 1 << 12;
const E4: u64 = 1 << 28;

fn node(trays: bool) -> BoardNode {
    BoardNode::new(
        identity(),
        BoardConfig { debounce_us: DEBOUNCE_US, trays },
        EventMemory::default(),
    )
}

fn squares(squares: u64) -> BoardReading {
    BoardReading { squares, ..BoardReading::default() }
}

/// Node time in µs, square, occupied.
fn changes(events: &[Message]) -> Vec<(u64, u8, bool)> {
    let mut changes = Vec::new();
    for event in events {
        let Message::SquaresChanged(event) = event else { panic!("{event:?}") };
        for change in &event.changes {
            let time = event.time.plus_micros(change.offset_us.into()).as_micros();
            changes.push((time, change.square.get(), change.reading == SensorReading::Occupied));
        }
    }
    changes
}

#[test]
fn a_move_is_told_with_the_times_at_which_the_piece_left_and_came() {
    let mut node = node(false);
    let mut hub = Hub::new();
    node.observe(at(0), squares(SET_UP));
    assert_eq!(hub.events(&mut node), vec![]);
    node.observe(at(1_000_000), squares(SET_UP & !E2));
    node.observe(at(1_300_000), squares(SET_UP & !E2 | E4));
    node.advance(at(1_304_999));
    assert_eq!(changes(&hub.events(&mut node)), [(1_000_000, 12, false)]);
    node.advance(at(1_305_000));
    assert_eq!(changes(&hub.events(&mut node)), [(1_300_000, 28, true)]);
}

#[test]
fn a_flickering_square_does_not_delay_the_square_beside_it() {
    let mut node = node(false);
    let mut hub = Hub::new();
    node.observe(at(0), squares(SET_UP));
    for step in 0..200_u64 {
        let flicker = if step % 2 == 0 { SET_UP } else { SET_UP & !1 };
        let moved = if step >= 100 { flicker & !E2 } else { flicker };
        node.observe(at(1_000_000 + 2_000 * step), squares(moved));
    }
    assert_eq!(changes(&hub.events(&mut node)), [(1_200_000, 12, false)]);
}

#[test]
fn a_node_says_who_it_is_why_it_started_and_what_stands_there() {
    let mut node = node(false);
    node.observe(at(7_000), squares(SET_UP));
    let mut heard = Hub::new().talk(&mut node);
    heard.retain(|event| !matches!(event, HostEvent::Timing(_)));
    assert!(matches!(&heard[0], HostEvent::Hello { boot_id: 0xb001, hello, .. }
        if hello.node_id.as_str() == "node" && hello.firmware.as_str() == env!("CARGO_PKG_VERSION")));
    let HostEvent::Started { started, .. } = &heard[1] else { panic!("{heard:?}") };
    assert_eq!(started.reason, StartReason::Unknown);
    let HostEvent::Snapshot { snapshot, sequence: 0, .. } = &heard[2] else { panic!("{heard:?}") };
    let state = BoardState { occupied: SET_UP, white_tray: 0, black_tray: 0 };
    assert_eq!(snapshot.state, NodeState::Board(state));
}

#[test]
fn nothing_is_said_before_the_first_scan() {
    let mut node = node(false);
    node.advance(at(1_000_000));
    assert!(!node.wants_transmit());
    assert_eq!(node.transmit(&mut [0; 64]), 0);
}

#[test]
fn a_snapshot_comes_every_second_and_is_older_than_all_that_follows() {
    let mut node = node(false);
    let mut hub = Hub::new();
    node.observe(at(0), squares(SET_UP));
    hub.talk(&mut node);
    node.observe(at(999_000), squares(SET_UP & !E2));
    node.advance(at(1_000_000));
    let snapshot = hub.snapshot(&mut node).unwrap();
    assert_eq!(snapshot.time, at(995_000));
    let state = BoardState { occupied: SET_UP, white_tray: 0, black_tray: 0 };
    assert_eq!(snapshot.state, NodeState::Board(state), "e2 does not count yet");
    node.advance(at(1_500_000));
    assert_eq!(changes(&hub.events(&mut node)), [(999_000, 12, false)]);
    node.advance(at(2_000_000));
    let NodeState::Board(state) = hub.snapshot(&mut node).unwrap().state else { panic!() };
    assert_eq!(state.occupied, SET_UP & !E2);
}

#[test]
fn the_next_due_time_is_when_something_happens() {
    let mut node = node(false);
    let mut hub = Hub::new();
    node.observe(at(0), squares(SET_UP));
    hub.talk(&mut node);
    assert_eq!(node.next_due(), at(1_000_000), "the snapshot");
    node.observe(at(400_000), squares(SET_UP & !E2));
    assert_eq!(node.next_due(), at(405_000), "e2");
    let mut woken = Vec::new();
    while node.next_due() < at(3_500_000) {
        let now = node.next_due();
        node.advance(now);
        assert!(node.wants_transmit(), "woken at {now} for nothing");
        hub.talk(&mut node);
        woken.push(now.as_micros());
    }
    assert_eq!(woken, [405_000, 1_000_000, 2_000_000, 3_000_000]);
}

#[test]
fn the_whole_set_swept_off_the_board_is_told_in_several_events_without_loss() {
    let mut node = node(false);
    let mut hub = Hub::new();
    node.observe(at(0), squares(u64::MAX));
    hub.talk(&mut node);
    node.observe(at(10_000), squares(0));
    node.advance(at(20_000));
    let changes = changes(&hub.events(&mut node));
    let expected: Vec<_> = (0..64).map(|square| (10_000, square, false)).collect();
    assert_eq!(changes, expected);
}

#[test]
fn a_piece_arriving_in_a_tray_is_told_with_its_slot() {
    let mut node = node(true);
    let mut hub = Hub::new();
    node.observe(at(0), squares(SET_UP));
    hub.talk(&mut node);
    let trays = BoardReading { squares: SET_UP, white_tray: 1, black_tray: 1 << 3 };
    node.observe(at(50_000), trays);
    node.advance(at(60_000));
    let [Message::TrayChanged(event)] = &hub.events(&mut node)[..] else { panic!() };
    let told: Vec<_> = event.changes.iter().map(|c| (c.tray, c.slot, c.reading)).collect();
    let slot = |index| SlotIndex::new(index).unwrap();
    let expected = [
        (Side::White, slot(0), SensorReading::Occupied),
        (Side::Black, slot(3), SensorReading::Occupied),
    ];
    assert_eq!(told, expected);
    assert_eq!(event.time, at(50_000));
    assert_eq!(node.settled(), trays);
}

#[test]
fn a_very_long_silence_between_two_scans_is_no_trouble() {
    let mut node = node(false);
    let mut hub = Hub::new();
    node.observe(at(0), squares(0));
    node.observe(at(1), squares(1));
    node.observe(NodeTime::from_micros(u64::MAX / 2), squares(2));
    node.observe(NodeTime::MAX, squares(2));
    let told = changes(&hub.events(&mut node));
    let half = u64::MAX / 2;
    assert_eq!(told, [(1, 0, true), (half, 0, false), (half, 1, true)]);
}

#[test]
fn a_snapshot_tells_how_old_its_state_is_and_which_request_it_answers() {
    let mut node = node(false);
    node.observe(at(7_000), squares(SET_UP));
    node.advance(at(50_000));
    let mut hub = Hub::new();
    let timings = |heard: Vec<HostEvent>| -> Vec<FrameTiming> {
        let timing = |event| match event {
            HostEvent::Timing(timing) => Some(timing),
            _ => None,
        };
        heard.into_iter().filter_map(timing).collect()
    };
    let timings = timings(hub.talk(&mut node));
    // HELLO and every snapshot were made now, although a snapshot's state is one debounce time old.
    assert!(timings.len() >= 3 && timings.iter().all(|timing| timing.made == at(50_000)));
    let answers = timings.iter().filter(|timing| timing.asked.is_some()).count();
    assert_eq!(answers, 1, "one question was asked, and answered once: {timings:?}");
}

#[test]
fn a_board_is_in_use_until_two_minutes_after_the_last_move() {
    let mut node = node(false);
    node.observe(at(0), squares(SET_UP));
    assert!(!node.is_in_use());
    node.observe(at(1_000_000), squares(SET_UP & !E2));
    node.advance(at(2_000_000));
    assert!(node.is_in_use());
    node.advance(at(2_000_000 + IN_USE_US));
    assert!(!node.is_in_use());
}

#[test]
fn a_silent_hub_is_not_shouted_at() {
    let mut node = node(false);
    node.observe(at(0), squares(SET_UP));
    node.observe(at(1_000_000), squares(SET_UP & !E2));
    let (mut sent, mut bytes) = (0, [0; 256]);
    for turn in 0..3_000 {
        node.advance(at(1_100_000 + turn * 10_000));
        sent += node.transmit(&mut bytes);
    }
    // Thirty seconds: a snapshot of some 30 bytes each second, the one event a dozen times.
    assert!((500..2_500).contains(&sent), "{sent} bytes");
}
