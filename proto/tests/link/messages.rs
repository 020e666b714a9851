//! Messages for the other tests: one of each by hand, and any by proptest.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proto::link::*;

pub(crate) fn time(us: u64) -> NodeTime {
    NodeTime::from_micros(us)
}

/// One message of every type, with values that show where each field lies.
pub(crate) fn one_of_each() -> Vec<Message> {
    let display = ClockDisplay {
        white_ms: 298_000,
        black_ms: 300_000,
        delay_left_ms: 1_500,
        running: Some(Side::Black),
        first_flag: None,
    };
    let square = |offset_us, index, reading| SquareChange {
        offset_us,
        square: SquareIndex::new(index).unwrap(),
        reading,
    };
    vec![
        Message::Hello(Hello {
            schema_hash: SCHEMA_HASH,
            node_id: "board-1.A".parse().unwrap(),
            firmware: "0.1.0".try_into().unwrap(),
            time: time(12),
            acknowledged: 7,
            kind: NodeKind::Board(BoardKind { sensor: SensorKind::Reed, trays: true }),
        }),
        Message::Snapshot(Snapshot {
            time: time(1_000_000),
            state: NodeState::Board(BoardState {
                occupied: 0xffff_0000_0000_ffff,
                white_tray: 0x0003,
                black_tray: 0x8000,
            }),
        }),
        Message::SquaresChanged(SquaresChanged {
            time: time(1_234_567),
            changes: [
                square(0, 12, SensorReading::Empty),
                square(90_000, 28, SensorReading::Occupied),
            ]
            .into_iter()
            .collect(),
        }),
        Message::Press(Press { time: time(2_100_000), by: Side::White }),
        Message::ClockReading(ClockReading { time: time(2_100_000), display }),
        Message::TrayChanged(TrayChanged {
            time: time(2_300_000),
            changes: [SlotChange {
                offset_us: 4,
                tray: Side::Black,
                slot: SlotIndex::new(3).unwrap(),
                reading: SensorReading::Occupied,
            }]
            .into_iter()
            .collect(),
        }),
        Message::Tilt(Tilt { time: time(2_400_000), on: true }),
        Message::Hand(Hand { time: time(2_500_000), side: Side::Black, near: true }),
        Message::Health(Health {
            time: time(10_000_000),
            buffered_events: 1,
            lost_events: 2,
            resent_events: 3,
            rejected_frames: 4,
            longest_scan_gap_us: 5_000,
            flickering: 1 << 63,
        }),
        Message::Lost(Lost { first: 8, last: 300 }),
        Message::Ack,
        Message::RequestSnapshot,
        Message::RequestHello,
        Message::Identify(Identify { seconds: 10 }),
        Message::RequestResend,
    ]
}

fn any_time() -> impl Strategy<Value = NodeTime> {
    any::<u64>().prop_map(NodeTime::from_micros)
}

fn any_side() -> impl Strategy<Value = Side> {
    prop_oneof![Just(Side::White), Just(Side::Black)]
}

fn any_reading() -> impl Strategy<Value = SensorReading> {
    prop_oneof![Just(SensorReading::Empty), Just(SensorReading::Occupied)]
}

fn any_display() -> impl Strategy<Value = ClockDisplay> {
    (any::<u32>(), any::<u32>(), any::<u32>(), option::of(any_side()), option::of(any_side()))
        .prop_map(|(white_ms, black_ms, delay_left_ms, running, first_flag)| ClockDisplay {
            white_ms,
            black_ms,
            delay_left_ms,
            running,
            first_flag,
        })
}

fn any_node_kind() -> impl Strategy<Value = NodeKind> {
    prop_oneof![
        any::<bool>()
            .prop_map(|trays| NodeKind::Board(BoardKind { sensor: SensorKind::Reed, trays })),
        (any::<bool>(), any::<bool>()).prop_map(|(lever, hand_sensor)| {
            let press = if lever { PressKind::Lever } else { PressKind::Buttons };
            NodeKind::Clock(ClockKind { press, hand_sensor })
        }),
    ]
}

fn any_node_state() -> impl Strategy<Value = NodeState> {
    prop_oneof![
        (any::<u64>(), any::<u16>(), any::<u16>()).prop_map(
            |(occupied, white_tray, black_tray)| NodeState::Board(BoardState {
                occupied,
                white_tray,
                black_tray
            })
        ),
        (any_display(), option::of(any_side()), any::<[bool; 3]>()).prop_map(
            |(display, pressed, [tilted, white_hand, black_hand])| NodeState::Clock(ClockState {
                display,
                pressed,
                tilted,
                white_hand,
                black_hand
            })
        ),
    ]
}

fn any_hello() -> impl Strategy<Value = Hello> {
    ("[A-Za-z0-9._-]{1,32}", "[ -~]{0,24}", any_time(), any::<u32>(), any_node_kind()).prop_map(
        |(node_id, firmware, time, acknowledged, kind)| Hello {
            schema_hash: SCHEMA_HASH,
            node_id: node_id.parse().unwrap(),
            firmware: firmware.as_str().try_into().unwrap(),
            time,
            acknowledged,
            kind,
        },
    )
}

fn any_squares_changed() -> impl Strategy<Value = SquaresChanged> {
    let change =
        (any::<u32>(), 0..SQUARES, any_reading()).prop_map(|(offset_us, index, reading)| {
            SquareChange { offset_us, square: SquareIndex::new(index).unwrap(), reading }
        });
    (any_time(), vec(change, 0..=MAX_CHANGES))
        .prop_map(|(time, changes)| SquaresChanged { time, changes: changes.into_iter().collect() })
}

fn any_tray_changed() -> impl Strategy<Value = TrayChanged> {
    let change = (any::<u32>(), any_side(), 0..TRAY_SLOTS, any_reading()).prop_map(
        |(offset_us, tray, index, reading)| SlotChange {
            offset_us,
            tray,
            slot: SlotIndex::new(index).unwrap(),
            reading,
        },
    );
    (any_time(), vec(change, 0..=MAX_CHANGES))
        .prop_map(|(time, changes)| TrayChanged { time, changes: changes.into_iter().collect() })
}

fn any_health() -> impl Strategy<Value = Health> {
    (any_time(), any::<u16>(), any::<[u32; 4]>(), any::<u64>()).prop_map(
        |(time, buffered_events, [lost, resent, rejected, gap], flickering)| Health {
            time,
            buffered_events,
            lost_events: lost,
            resent_events: resent,
            rejected_frames: rejected,
            longest_scan_gap_us: gap,
            flickering,
        },
    )
}

/// Any message of any type.
pub(crate) fn any_message() -> impl Strategy<Value = Message> {
    prop_oneof![
        any_hello().prop_map(Message::Hello),
        (any_time(), any_node_state())
            .prop_map(|(time, state)| Message::Snapshot(Snapshot { time, state })),
        any_squares_changed().prop_map(Message::SquaresChanged),
        (any_time(), any_side()).prop_map(|(time, by)| Message::Press(Press { time, by })),
        (any_time(), any_display())
            .prop_map(|(time, display)| Message::ClockReading(ClockReading { time, display })),
        any_tray_changed().prop_map(Message::TrayChanged),
        (any_time(), any::<bool>()).prop_map(|(time, on)| Message::Tilt(Tilt { time, on })),
        (any_time(), any_side(), any::<bool>())
            .prop_map(|(time, side, near)| Message::Hand(Hand { time, side, near })),
        any_health().prop_map(Message::Health),
        any::<[u32; 2]>().prop_map(|[first, last]| Message::Lost(Lost { first, last })),
        Just(Message::Ack),
        Just(Message::RequestSnapshot),
        Just(Message::RequestHello),
        any::<u8>().prop_map(|seconds| Message::Identify(Identify { seconds })),
        Just(Message::RequestResend),
    ]
}

/// Any frame.
pub(crate) fn any_frame() -> impl Strategy<Value = Frame> {
    (any::<u32>(), any::<u32>(), any_message()).prop_map(|(boot_id, sequence, message)| Frame {
        boot_id,
        sequence,
        message,
    })
}

pub(crate) fn encode(frame: &Frame) -> Vec<u8> {
    Encoder::new().encode(frame).unwrap().to_vec()
}

pub(crate) fn decode_all(bytes: &[u8]) -> Vec<Result<Frame, FrameError>> {
    let mut results = Vec::new();
    Decoder::new().push_all(bytes, |result| results.push(result));
    results
}
