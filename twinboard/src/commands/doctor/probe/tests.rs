//! The doctor before nodes that speak in bytes, in virtual time.

use proto::link::{
    BoardKind, Decoder, Encoder, Frame, Hello, Message, NodeKind, NodeState, NodeTime,
    PolarityState, SCHEMA_HASH, SensorKind, SensorReading, Snapshot, SquareChange, SquareIndex,
    SquaresChanged, UpdateReport, UpdateStage,
};

use super::*;

const BOOT: u32 = 7;
const NODE: &str = "board-a";
const START_US: u64 = 1_000_000_000;
/// By then a node's readings are held back no longer.
const SETTLED_US: u64 = 5_000_000;

fn at(us: u64) -> HubTime {
    HubTime::from_micros(START_US + us)
}

fn bytes(sequence: u32, message: Message) -> Vec<u8> {
    Encoder::new().encode(&Frame { boot_id: BOOT, sequence, message }).expect("a frame").to_vec()
}

/// The node's HELLO at this time of its own.
fn hello(node_us: u64) -> Vec<u8> {
    hello_of(node_us, SensorKind::Reed)
}

fn hello_of(node_us: u64, sensor: SensorKind) -> Vec<u8> {
    let hello = Hello {
        schema_hash: SCHEMA_HASH,
        node_id: NODE.parse().expect("an id"),
        firmware: Default::default(),
        time: NodeTime::from_micros(node_us),
        acknowledged: 0,
        answers: 0,
        kind: NodeKind::Board(BoardKind { sensor, trays: false }),
    };
    bytes(0, Message::Hello(hello))
}

/// A piece is lifted at this time of the node's.
fn lift(sequence: u32, node_us: u64) -> Vec<u8> {
    let square = SquareIndex::new(12).expect("e2");
    let change = SquareChange { offset_us: 0, square, reading: SensorReading::Empty };
    let changes = [change].into_iter().collect();
    let changed = SquaresChanged { time: NodeTime::from_micros(node_us), changes };
    bytes(sequence, Message::SquaresChanged(changed))
}

fn probe(drivers: Vec<DriverSettings>, placed: &[&str]) -> Probe {
    let placed = placed.iter().map(|id| (*id).to_owned()).collect();
    let drivers = drivers.into_iter().map(|one| vec![one]).collect();
    Probe::new(drivers, Arc::new(placed), true, at(0))
}

/// What it wants done, in short.
fn wants(probe: &mut Probe) -> Vec<String> {
    let outputs = std::iter::from_fn(|| probe.poll_output());
    let short = outputs.filter_map(|output| match output {
        ProbeOutput::Open => Some("open".to_owned()),
        ProbeOutput::Close => Some("close".to_owned()),
        ProbeOutput::Tell(ProbeReport::Trouble(words)) => Some(words),
        ProbeOutput::Tell(ProbeReport::Silent(_)) => Some("silent".to_owned()),
        ProbeOutput::Tell(ProbeReport::HoldsReadings) => Some("holds readings".to_owned()),
        ProbeOutput::Tell(ProbeReport::Said(Output::Present(device))) => device.id,
        ProbeOutput::Tell(ProbeReport::Said(_)) => None,
    });
    short.collect()
}

fn handle(probe: &mut Probe, us: u64, input: ProbeInput<'_>) -> Vec<String> {
    probe.handle(at(us), input);
    wants(probe)
}

/// The last event of the node that the bytes for the line acknowledge.
fn acknowledged(probe: &mut Probe) -> Option<u32> {
    let mut buffer = [0; 4_096];
    let mut decoder = proto::link::Decoder::new();
    let mut last = None;
    loop {
        let length = probe.transmit(&mut buffer);
        if length == 0 {
            return last;
        }
        for &byte in &buffer[..length] {
            if let Some(Ok(frame)) = decoder.push_request(byte)
                && frame.message == Message::Ack
            {
                last = Some(frame.sequence);
            }
        }
    }
}

#[test]
fn at_a_silent_port_each_driver_has_its_time_and_then_a_person_is_told() {
    let mut probe =
        probe(vec![DriverSettings::Twinboard, DriverSettings::ChessLink(Default::default())], &[]);
    assert_eq!(handle(&mut probe, 0, ProbeInput::Time), ["open"]);
    assert!(handle(&mut probe, 0, ProbeInput::Opened).is_empty());
    assert!(handle(&mut probe, TRY_US - 1, ProbeInput::Time).is_empty());
    // The other driver wants another speed of the line.
    assert_eq!(handle(&mut probe, TRY_US, ProbeInput::Time), ["close"]);
    assert_eq!(handle(&mut probe, TRY_US, ProbeInput::Time), ["open"]);
    handle(&mut probe, TRY_US, ProbeInput::Opened);
    assert_eq!(handle(&mut probe, 2 * TRY_US, ProbeInput::Time), ["silent", "close"]);
}

#[test]
fn a_port_that_is_not_there_is_told_and_opened_again_after_a_pause() {
    let mut probe = probe(vec![DriverSettings::Twinboard], &[]);
    handle(&mut probe, 0, ProbeInput::Time);
    let told = handle(&mut probe, 0, ProbeInput::Lost("nothing is plugged in".to_owned()));
    assert_eq!(told, ["nothing is plugged in"]);
    assert_eq!(probe.poll_timeout(), Some(at(REOPEN_US)));
    assert_eq!(handle(&mut probe, REOPEN_US, ProbeInput::Time), ["open"]);
}

/// A node that is met, and whose time is known.
fn met(placed: &[&str]) -> Probe {
    let mut probe = probe(vec![DriverSettings::Twinboard], placed);
    handle(&mut probe, 0, ProbeInput::Time);
    handle(&mut probe, 0, ProbeInput::Opened);
    let node_us = 60_000_000;
    assert_eq!(handle(&mut probe, 1_000, ProbeInput::Received(&hello(node_us))), [NODE]);
    // It is heard all the time.
    for us in (2_000..SETTLED_US).step_by(1_000_000) {
        handle(&mut probe, us, ProbeInput::Received(&hello(node_us + us)));
    }
    handle(&mut probe, SETTLED_US, ProbeInput::Time);
    acknowledged(&mut probe);
    probe
}

#[test]
fn what_a_node_with_a_place_saw_before_the_doctor_came_is_left_to_its_hub() {
    let mut probe = met(&[NODE]);
    let told = handle(&mut probe, SETTLED_US, ProbeInput::Received(&lift(1, 30_000_000)));
    assert_eq!(told, ["holds readings"]);
    handle(&mut probe, SETTLED_US, ProbeInput::Received(&lift(2, 64_000_000)));
    assert_eq!(acknowledged(&mut probe), None, "nothing of this node is taken from its hub");
}

#[test]
fn what_the_doctor_saw_happen_does_not_reach_the_hub_afterwards() {
    let mut probe = met(&[NODE]);
    let told = handle(&mut probe, SETTLED_US, ProbeInput::Received(&lift(1, 64_000_000)));
    assert!(told.is_empty(), "{told:?}");
    assert_eq!(acknowledged(&mut probe), Some(1));
}

#[test]
fn a_node_without_a_place_has_no_hub_that_its_readings_could_be_left_to() {
    let mut probe = met(&[]);
    handle(&mut probe, SETTLED_US, ProbeInput::Received(&lift(1, 30_000_000)));
    assert_eq!(acknowledged(&mut probe), Some(1));
}

#[test]
fn a_node_names_the_image_that_it_runs_and_is_not_asked_twice() {
    let mut probe = probe(vec![DriverSettings::Twinboard], &[]);
    handle(&mut probe, 0, ProbeInput::Time);
    handle(&mut probe, 0, ProbeInput::Opened);
    let is_asked = |probe: &mut Probe| sent(probe).contains(&Message::RequestUpdate);
    // A node that is admitted is asked to introduce itself again.
    for us in [1_000, 1_500] {
        handle(&mut probe, us, ProbeInput::Received(&hello(us)));
    }
    assert!(is_asked(&mut probe));
    let image = "pico-reed-shift".parse().unwrap();
    let report = UpdateReport { image, stage: UpdateStage::Idle };
    probe.handle(at(2_000), ProbeInput::Received(&bytes(0, Message::UpdateReport(report))));
    let named = std::iter::from_fn(|| probe.poll_output()).any(|output| {
        matches!(output, ProbeOutput::Tell(ProbeReport::Said(Output::Image { name, .. })) if name == "pico-reed-shift")
    });
    assert!(named);
    sent(&mut probe);
    handle(&mut probe, 3_000, ProbeInput::Received(&hello(2_500)));
    assert!(!is_asked(&mut probe));
}

/// The orders in the bytes for the line.
fn ordered(probe: &mut Probe) -> Vec<Order> {
    let order = |message| match message {
        Message::Command(command) => Some(command.order),
        _ => None,
    };
    sent(probe).into_iter().filter_map(order).collect()
}

/// The messages in the bytes for the line.
fn sent(probe: &mut Probe) -> Vec<Message> {
    let (mut buffer, mut decoder) = ([0; 4_096], Decoder::new());
    let mut messages = Vec::new();
    loop {
        let length = probe.transmit(&mut buffer);
        if length == 0 {
            return messages;
        }
        let frames = buffer[..length].iter().filter_map(|&byte| decoder.push_request(byte)?.ok());
        messages.extend(frames.map(|frame: Frame| frame.message));
    }
}

/// The outcomes of commands that a person is told.
fn outcomes(probe: &mut Probe) -> Vec<CommandOutcome> {
    let outputs = std::iter::from_fn(|| probe.poll_output());
    let outcome = |output| match output {
        ProbeOutput::Tell(ProbeReport::Said(Output::Commanded { outcome, .. })) => Some(outcome),
        _ => None,
    };
    outputs.filter_map(outcome).collect()
}

#[test]
fn a_hall_board_learns_its_squares_and_a_reed_board_has_nothing_to_learn() {
    for sensor in [SensorKind::HallPolarity, SensorKind::Reed] {
        let mut probe = probe(vec![DriverSettings::Twinboard], &[]);
        handle(&mut probe, 0, ProbeInput::Time);
        handle(&mut probe, 0, ProbeInput::Opened);
        // A node that is admitted is asked to introduce itself again.
        for us in [1_000, 1_500] {
            handle(&mut probe, us, ProbeInput::Received(&hello_of(us, sensor)));
            ordered(&mut probe);
        }
        let calibrate = || ProbeInput::Calibrate(Standing::Nothing);
        probe.handle(at(2_000), calibrate());
        assert_eq!(ordered(&mut probe), [], "its last command is not known yet");
        let state = NodeState::PolarityBoard(PolarityState::default());
        let time = NodeTime::from_micros(3_000);
        let snapshot = Snapshot { time, state, last_request: 4, age_us: 0, answers: 0 };
        handle(&mut probe, 3_000, ProbeInput::Received(&bytes(0, Message::Snapshot(snapshot))));
        outcomes(&mut probe);
        probe.handle(at(4_000), calibrate());
        if sensor == SensorKind::Reed {
            let unsupported = CommandOutcome::Answered(CommandResult::Unsupported);
            assert_eq!(outcomes(&mut probe), [unsupported]);
            continue;
        }
        assert_eq!(ordered(&mut probe), [Order::LearnBaseline(Standing::Nothing)]);
        probe.handle(at(5_000), calibrate());
        assert_eq!(ordered(&mut probe), [], "it is under way");
    }
}
