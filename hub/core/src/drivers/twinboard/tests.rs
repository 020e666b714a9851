//! The driver alone, with the bytes of nodes.

use proto::link::{
    ClockKind, EARLIER_SCHEMAS, Encoder, Frame, Message, NodeTime, PressKind, SCHEMA_HASH, Tilt,
};

use super::*;
use crate::drivers::readings_said;

const BOOT: u32 = 7;
const OTHER_BOOT: u32 = 9;
const START: HubTime = HubTime::from_micros(1_000_000_000);
/// Time after which a node's readings are no longer held back.
const SETTLED: HubTime = HubTime::from_micros(1_005_000_000);

fn bytes(boot_id: u32, sequence: u32, message: Message) -> Vec<u8> {
    Encoder::new().encode(&Frame { boot_id, sequence, message }).unwrap().to_vec()
}

fn hello(node_id: &str, boot_id: u32) -> Vec<u8> {
    hello_of(SCHEMA_HASH, node_id, boot_id)
}

fn hello_of(schema_hash: u32, node_id: &str, boot_id: u32) -> Vec<u8> {
    let hello = Hello {
        schema_hash,
        node_id: node_id.parse().unwrap(),
        firmware: Default::default(),
        time: NodeTime::ZERO,
        acknowledged: 0,
        answers: 0,
        kind: NodeKind::Clock(ClockKind { press: PressKind::Lever, hand_sensor: false }),
    };
    bytes(boot_id, 0, Message::Hello(hello))
}

fn tilt(sequence: u32) -> Vec<u8> {
    tilt_at(sequence, NodeTime::ZERO)
}

fn tilt_at(sequence: u32, time: NodeTime) -> Vec<u8> {
    let on = !sequence.is_multiple_of(2);
    bytes(BOOT, sequence, Message::Tilt(Tilt { time, on }))
}

/// The outputs about offsets, and about the node's departure.
fn said(driver: &mut Twinboard) -> Vec<String> {
    let outputs = std::iter::from_fn(|| driver.poll_output());
    let said = outputs.filter_map(|output| match output {
        Output::Readings { readings, reached: Some(reached), .. } => {
            Some(format!("{} until {}", readings.len(), reached.sequence))
        }
        Output::Gone { reason, .. } => Some(reason),
        _ => None,
    });
    said.collect()
}

#[test]
fn what_a_node_said_in_the_same_bytes_as_another_ones_hello_is_read_before_it_is_gone() {
    let mut driver = Twinboard::default();
    driver.opened(START);
    driver.receive(START, &hello("clock-a", BOOT));
    driver.admit(Unit::ONLY, ConnectionState::New { resume: None, kept: None });
    // The node sends all the time.
    for second in 0..5 {
        driver.receive(START.plus_micros(second * 1_000_000), &hello("clock-a", BOOT));
    }
    driver.poll(SETTLED);
    said(&mut driver);
    let together = [tilt(1), hello("clock-b", OTHER_BOOT), tilt(2)].concat();
    driver.receive(SETTLED, &together);
    let gone = "node clock-b answered in its place";
    assert_eq!(said(&mut driver), ["1 until 1", "1 until 2", gone]);
    // The next command has no order any more.
    driver.receive(SETTLED, &tilt(3));
    assert_eq!(said(&mut driver), Vec::<String>::new());
}

#[test]
fn what_came_of_a_node_before_it_had_its_place_tells_how_its_clock_stands() {
    let mut driver = Twinboard::default();
    driver.opened(START);
    driver.receive(START, &hello("clock-a", BOOT));
    driver.admit(Unit::ONLY, ConnectionState::New { resume: None, kept: None });
    // Then the line stalls, and the cable is pulled before the node has answered any question.
    driver.receive(START.plus_micros(3_000_000), &hello("clock-a", BOOT));
    driver.poll(START.plus_micros(8_000_000));
    driver.receive(START.plus_micros(9_000_000), &tilt_at(1, NodeTime::from_micros(2_000_000)));
    driver.poll(START.plus_micros(14_000_000));
    let times: Vec<HubTime> = readings_said(&mut driver).into_iter().map(|(at, _)| at).collect();
    assert_eq!(times, [START.plus_micros(2_000_000)]);
}

#[test]
fn a_node_of_the_release_before_is_present() {
    let mut driver = Twinboard::default();
    driver.opened(START);
    driver.receive(START, &hello_of(EARLIER_SCHEMAS[0].hash, "clock-a", BOOT));
    let mut outputs = std::iter::from_fn(|| driver.poll_output());
    assert!(outputs.any(|output| matches!(output, Output::Present(_))));
    assert!(!driver.is_updatable());
}
