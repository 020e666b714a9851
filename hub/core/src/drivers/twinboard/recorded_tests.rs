//! Nodes of the two releases before this one: their recorded frames, and orders that they do not get.

use proto::link::{
    ClockDelay, CommandName, Decoder, DelayKind, EARLIER_SCHEMAS, Encoder, Frame, Message, Order,
};

use super::*;

/// Recordings by schema. The README beside them has how they were made.
const RECORDED: [(u32, &str); 2] = [
    (0xcdec_5f58, include_str!("recorded/cdec5f58.txt")),
    (0x03d7_73b7, include_str!("recorded/03d773b7.txt")),
];
/// Readings of the hub from either.
const READ: &str = include_str!("recorded/read.txt");
const START: HubTime = HubTime::from_micros(1_000_000_000);
/// Time after a recording by which no reading is held back any more, in µs.
const SETTLED_US: u64 = 5_000_000;

/// A frame on the line.
#[derive(Clone)]
struct RecordedFrame {
    at: HubTime,
    from_node: bool,
    bytes: Vec<u8>,
}

/// The lines of one node.
fn section(text: &'static str, node: &str) -> impl Iterator<Item = &'static str> {
    let lines = text.lines().skip_while(move |line| line.strip_prefix("# ") != Some(node)).skip(1);
    lines.take_while(|line| !line.starts_with('#'))
}

/// The frames of one node.
fn recording(schema_hash: u32, node: &str) -> Vec<RecordedFrame> {
    let text = RECORDED.into_iter().find(|(hash, _)| *hash == schema_hash).expect("recorded").1;
    let said = section(text, node).map(|line| {
        let mut words = line.split(' ');
        let mut word = || words.next().expect("three words");
        let ms: u64 = word().parse().expect("milliseconds");
        let (direction, hex) = (word(), word());
        let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("a byte");
        let contents = (0..hex.len()).step_by(2).map(byte);
        let bytes = [0].into_iter().chain(contents).chain([0]).collect();
        RecordedFrame { at: START.plus_micros(ms * 1_000), from_node: direction == "<", bytes }
    });
    said.collect()
}

/// A driver that has met the node and given it its place, after the recording's frames until `until`; and its outputs.
fn driver_after(schema_hash: u32, node: &str, until: HubTime) -> (Twinboard, Vec<Output>) {
    let said: Vec<RecordedFrame> =
        recording(schema_hash, node).into_iter().filter(|it| it.from_node).collect();
    let mut driver = Twinboard::default();
    driver.opened(START);
    driver.receive(START, &said[0].bytes);
    driver.admit(Unit::ONLY, ConnectionState::New { resume: None, kept: None });
    // The node introduces itself again, because its session asks.
    for said in said.iter().filter(|it| it.at <= until) {
        driver.receive(said.at, &said.bytes);
        driver.poll(said.at);
    }
    driver.poll(until.plus_micros(SETTLED_US));
    let outputs = std::iter::from_fn(|| driver.poll_output()).collect();
    (driver, outputs)
}

/// The readings among them, as a trace has them.
fn read(outputs: &[Output]) -> Vec<String> {
    let readings = outputs.iter().filter_map(|output| match output {
        Output::Readings { readings, .. } => Some(readings),
        _ => None,
    });
    let kinds = readings.flatten().map(|(_, kind)| serde_json::to_string(kind));
    kinds.map(|it| it.expect("a reading")).collect()
}

/// Messages that the driver sends now.
fn sent(driver: &mut Twinboard) -> Vec<Message> {
    let (mut sent, mut decoder, mut piece) = (Vec::new(), Decoder::new(), [0; 256]);
    loop {
        let length = driver.transmit(&mut piece);
        if length == 0 {
            return sent;
        }
        decoder.push_all(&piece[..length], |frame| sent.push(frame.expect("a frame").message));
    }
}

/// Gives a clock that was just met an order: its outcome, if it has ended at once, and whether it was sent.
fn given(schema_hash: u32, command: Order) -> (Option<CommandOutcome>, bool) {
    let (mut driver, _) = driver_after(schema_hash, "clock", START);
    let Naming::Name(name) = driver.name_command(Unit::ONLY) else { panic!("no name") };
    assert_eq!(name, CommandName { boot_id: 0xc10c_0001, request: 1 });
    driver.give(Unit::ONLY, START, Given { order_id: 5, name, command });
    let outcome = std::iter::from_fn(|| driver.poll_output()).find_map(|output| match output {
        Output::Commanded { order_id: 5, outcome, .. } => Some(outcome),
        _ => None,
    });
    let is_sent = |it: &Message| matches!(it, Message::Command(it) if it.order == command);
    (outcome, sent(&mut driver).iter().any(is_sent))
}

#[test]
fn each_earlier_schema_has_a_recording() {
    let hashes: Vec<u32> = EARLIER_SCHEMAS.iter().map(|schema| schema.hash).collect();
    assert_eq!(hashes, RECORDED.map(|(hash, _)| hash));
    assert!(!hashes.contains(&SCHEMA_HASH));
}

#[test]
fn nodes_of_the_two_releases_before_are_read() {
    let end = START.plus_micros(11_000_000);
    for (hash, _) in RECORDED {
        for (node, id) in [("hall", "board-1"), ("reed", "board-2"), ("clock", "clock-1")] {
            let (_, outputs) = driver_after(hash, node, end);
            let is_present = |it: &Output| matches!(it, Output::Present(device) if device.id.as_deref() == Some(id));
            assert!(outputs.iter().any(is_present), "{hash:x} {node}: {outputs:?}");
            let is_refused = |it: &Output| matches!(it, Output::Garbled(_) | Output::Unusable(_));
            assert!(!outputs.iter().any(is_refused), "{hash:x} {node}: {outputs:?}");
            let has_health = outputs.iter().any(|it| matches!(it, Output::Health { .. }));
            let has_sensors = outputs.iter().any(|it| matches!(it, Output::Sensors { .. }));
            assert_eq!((has_health, has_sensors), (node != "reed", node == "hall"));
            assert_eq!(read(&outputs), section(READ, node).collect::<Vec<_>>(), "{hash:x} {node}");
        }
    }
}

#[test]
fn commands_have_the_bytes_that_earlier_nodes_carried_out() {
    let mut commands = 0;
    for (hash, _) in RECORDED {
        let both = [recording(hash, "hall"), recording(hash, "clock")].concat();
        for said in both.iter().filter(|it| !it.from_node) {
            let mut frames: Vec<Frame> = Vec::new();
            Decoder::new().push_all(&said.bytes, |frame| frames.extend(frame));
            let [frame] = &frames[..] else { panic!("{frames:?}") };
            assert!(matches!(frame.message, Message::Command(_)));
            assert_eq!(Encoder::new().encode(frame).expect("a frame"), said.bytes);
            commands += 1;
        }
    }
    assert_eq!(commands, 2 * 5);
}

#[test]
fn a_clock_that_knows_no_such_order_is_not_sent_it() {
    let delay = Order::SetDelay(ClockDelay { delay_ms: 5_000, delay_kind: DelayKind::Bronstein });
    let unsupported = CommandOutcome::Answered(CommandResult::Unsupported);
    assert_eq!(given(0x03d7_73b7, delay), (Some(unsupported), false));
    assert_eq!(given(0x03d7_73b7, Order::PauseClock), (None, true));
    assert_eq!(given(0xcdec_5f58, delay), (None, true));
}
