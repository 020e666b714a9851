//! The driver alone, with the bytes of nodes.

use proto::link::{ClockKind, Encoder, Frame, Message, NodeTime, PressKind, SCHEMA_HASH, Tilt};

use super::*;

const BOOT: u32 = 7;
const OTHER_BOOT: u32 = 9;
const START: HubTime = HubTime::from_micros(1_000_000_000);
/// By then a node's readings are held back no longer.
const SETTLED: HubTime = HubTime::from_micros(1_005_000_000);

fn bytes(boot_id: u32, sequence: u32, message: Message) -> Vec<u8> {
    Encoder::new().encode(&Frame { boot_id, sequence, message }).unwrap().to_vec()
}

fn hello(node_id: &str, boot_id: u32) -> Vec<u8> {
    let hello = Hello {
        schema_hash: SCHEMA_HASH,
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
    let on = !sequence.is_multiple_of(2);
    bytes(BOOT, sequence, Message::Tilt(Tilt { time: NodeTime::ZERO, on }))
}

/// The outputs that tell offsets, and that the node is gone.
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
    driver.receive(START, &hello("clock-a", BOOT));
    driver.poll(SETTLED);
    said(&mut driver);
    let together = [tilt(1), hello("clock-b", OTHER_BOOT), tilt(2)].concat();
    driver.receive(SETTLED, &together);
    let gone = "node clock-b answered in its place";
    assert_eq!(said(&mut driver), ["1 until 1", "1 until 2", gone]);
    // The next one is nobody's any more.
    driver.receive(SETTLED, &tilt(3));
    assert_eq!(said(&mut driver), Vec::<String>::new());
}
