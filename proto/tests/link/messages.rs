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
            answers: 8,
            kind: NodeKind::Board(BoardKind { sensor: SensorKind::Reed, trays: true }),
        }),
        Message::Snapshot(Snapshot {
            time: time(1_000_000),
            state: NodeState::Board(BoardState {
                occupied: 0xffff_0000_0000_ffff,
                white_tray: 0x0003,
                black_tray: 0x8000,
            }),
            last_request: 3,
            age_us: 5_000,
            answers: 9,
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
        Message::BoardHealth(BoardHealth {
            time: time(10_000_000),
            chattering: BoardState { occupied: 1, white_tray: 2, black_tray: 3 },
            stuck: BoardState { occupied: 1 << 63, white_tray: 0, black_tray: 0 },
            weak: BoardState { occupied: 0, white_tray: 0, black_tray: 1 << 15 },
            noise: PerSquare(std::array::from_fn(|square| square as u8)),
        }),
        Message::Started(Started {
            reason: StartReason::Panic,
            detail: "board.rs:12".try_into().unwrap(),
        }),
        Message::Answer(Answer {
            time: time(2_600_000),
            request: 3,
            order: Order::PauseClock,
            result: CommandResult::OutOfRange,
        }),
        Message::UpdateReport(UpdateReport {
            image: "pico-clock".try_into().unwrap(),
            stage: UpdateStage::Receiving(4_096),
        }),
        Message::HandFrom(HandFrom {
            time: time(2_500_000),
            side: Side::Black,
            near: true,
            from: HandOrigin::Away,
        }),
        Message::Ack,
        Message::RequestSnapshot,
        Message::RequestHello,
        Message::Identify(Identify { seconds: 10 }),
        Message::RequestResend,
        Message::Command(Command { request: 4, order: Order::SetClock(control()) }),
        Message::RequestUpdate,
        Message::UpdateBegin(UpdateBegin {
            image: UpdateImage { bytes: 4_100, checksum: 0x1234_5678 },
            sector_sums: [1, 0x8765_4321].into_iter().collect(),
        }),
        Message::UpdateChunk(UpdateChunk {
            image: UpdateImage { bytes: 4_100, checksum: 0x1234_5678 },
            offset: 128,
            bytes: [1, 2, 255].into_iter().collect(),
        }),
        Message::UpdateStart(UpdateImage { bytes: 4_100, checksum: 0x1234_5678 }),
        Message::UpdateKeep,
    ]
}

fn control() -> TimeControl {
    TimeControl {
        white_ms: 300_000,
        black_ms: 180_000,
        delay_ms: 2_000,
        delay_kind: DelayKind::Bronstein,
    }
}

/// The other forms that bodies of [`one_of_each`] take.
pub(crate) fn other_forms() -> Vec<Message> {
    let kind = |kind| {
        Message::Hello(Hello {
            schema_hash: SCHEMA_HASH,
            node_id: "n".parse().unwrap(),
            firmware: Default::default(),
            time: time(0),
            acknowledged: 0,
            answers: 0,
            kind,
        })
    };
    let board = |sensor| kind(NodeKind::Board(BoardKind { sensor, trays: false }));
    let snapshot = |state| {
        Message::Snapshot(Snapshot { time: time(5), state, last_request: 0, age_us: 0, answers: 0 })
    };
    let stage = |stage| Message::UpdateReport(UpdateReport { image: Default::default(), stage });
    let read = |reading| {
        let square = SquareIndex::new(9).unwrap();
        let changes = [SquareChange { offset_us: 0, square, reading }].into_iter().collect();
        Message::SquaresChanged(SquaresChanged { time: time(5), changes })
    };
    let order = |order| Message::Command(Command { request: 1, order });
    let answer = |result| {
        Message::Answer(Answer { time: time(5), request: 1, order: Order::ResumeClock, result })
    };
    let started = |reason| Message::Started(Started { reason, detail: Default::default() });
    let adjustment = ClockAdjustment { white_ms: -10_000, black_ms: 120_000 };
    vec![
        board(SensorKind::HallPolarity),
        board(SensorKind::HallMagnitude),
        kind(NodeKind::Clock(ClockKind { press: PressKind::Buttons, hand_sensor: true })),
        snapshot(NodeState::Clock(ClockState {
            display: ClockDisplay {
                white_ms: 1,
                black_ms: 2,
                delay_left_ms: 3,
                running: None,
                first_flag: Some(Side::White),
            },
            pressed: Some(Side::Black),
            tilted: false,
            white_hand: true,
            black_hand: false,
            control: control(),
            paused: Some(Side::Black),
        })),
        snapshot(NodeState::PolarityBoard(PolarityState {
            white: 0xffff,
            black: 0xffff << 48,
            white_tray: 1,
            black_tray: 2,
        })),
        snapshot(NodeState::MagnitudeBoard(MagnitudeState {
            levels: PerSquare(std::array::from_fn(|square| 32 - square as i8)),
            white_tray: 1,
            black_tray: 2,
        })),
        read(SensorReading::White),
        read(SensorReading::Black),
        read(SensorReading::Level(-128)),
        order(Order::AdjustClock(adjustment)),
        order(Order::PauseClock),
        order(Order::ResumeClock),
        order(Order::LearnBaseline(Standing::Nothing)),
        order(Order::LearnBaseline(Standing::SetUp)),
        answer(CommandResult::Done),
        answer(CommandResult::Unsupported),
        answer(CommandResult::NumberTaken),
        answer(CommandResult::NotNow),
        started(StartReason::PowerOn),
        started(StartReason::Watchdog),
        started(StartReason::Brownout),
        started(StartReason::Unknown),
        order(Order::SetDelay(ClockDelay { delay_ms: 5_000, delay_kind: DelayKind::Delay })),
        stage(UpdateStage::Idle),
        stage(UpdateStage::Complete),
        stage(UpdateStage::Restarting),
        stage(UpdateStage::Trial),
        stage(UpdateStage::Refused(UpdateRefusal::InUse)),
        stage(UpdateStage::Refused(UpdateRefusal::TooLarge)),
        stage(UpdateStage::Refused(UpdateRefusal::WrongImage)),
        stage(UpdateStage::Refused(UpdateRefusal::Damaged)),
        stage(UpdateStage::Refused(UpdateRefusal::FlashFailed)),
        stage(UpdateStage::Refused(UpdateRefusal::OnTrial)),
    ]
}

fn any_time() -> impl Strategy<Value = NodeTime> {
    any::<u64>().prop_map(NodeTime::from_micros)
}

fn any_side() -> impl Strategy<Value = Side> {
    prop_oneof![Just(Side::White), Just(Side::Black)]
}

fn any_reading() -> impl Strategy<Value = SensorReading> {
    prop_oneof![
        Just(SensorReading::Empty),
        Just(SensorReading::Occupied),
        Just(SensorReading::White),
        Just(SensorReading::Black),
        any::<i8>().prop_map(SensorReading::Level),
    ]
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
    let sensor = prop_oneof![
        Just(SensorKind::Reed),
        Just(SensorKind::HallPolarity),
        Just(SensorKind::HallMagnitude)
    ];
    prop_oneof![
        (sensor, any::<bool>())
            .prop_map(|(sensor, trays)| NodeKind::Board(BoardKind { sensor, trays })),
        (any::<bool>(), any::<bool>()).prop_map(|(lever, hand_sensor)| {
            let press = if lever { PressKind::Lever } else { PressKind::Buttons };
            NodeKind::Clock(ClockKind { press, hand_sensor })
        }),
    ]
}

fn any_board_state() -> impl Strategy<Value = BoardState> {
    (any::<u64>(), any::<u16>(), any::<u16>()).prop_map(|(occupied, white_tray, black_tray)| {
        BoardState { occupied, white_tray, black_tray }
    })
}

fn any_per_square<T: Copy + Default + std::fmt::Debug>(
    any: impl Strategy<Value = T>,
) -> impl Strategy<Value = PerSquare<T>> {
    vec(any, 64).prop_map(|numbers| PerSquare(std::array::from_fn(|square| numbers[square])))
}

fn any_time_control() -> impl Strategy<Value = TimeControl> {
    let kind =
        prop_oneof![Just(DelayKind::Delay), Just(DelayKind::Bronstein), Just(DelayKind::Increment)];
    (any::<[u32; 3]>(), kind).prop_map(|([white_ms, black_ms, delay_ms], delay_kind)| TimeControl {
        white_ms,
        black_ms,
        delay_ms,
        delay_kind,
    })
}

fn any_clock_state() -> impl Strategy<Value = ClockState> {
    (
        any_display(),
        option::of(any_side()),
        any::<[bool; 3]>(),
        any_time_control(),
        option::of(any_side()),
    )
        .prop_map(|(display, pressed, [tilted, white_hand, black_hand], control, paused)| {
            ClockState { display, pressed, tilted, white_hand, black_hand, control, paused }
        })
}

fn any_node_state() -> impl Strategy<Value = NodeState> {
    prop_oneof![
        any_board_state().prop_map(NodeState::Board),
        any_clock_state().prop_map(NodeState::Clock),
        any::<(u64, u64, u16, u16)>().prop_map(|(white, black, white_tray, black_tray)| {
            NodeState::PolarityBoard(PolarityState { white, black, white_tray, black_tray })
        }),
        (any_per_square(any::<i8>()), any::<u16>(), any::<u16>()).prop_map(
            |(levels, white_tray, black_tray)| {
                NodeState::MagnitudeBoard(MagnitudeState { levels, white_tray, black_tray })
            }
        ),
    ]
}

fn any_board_health() -> impl Strategy<Value = BoardHealth> {
    let states = (any_board_state(), any_board_state(), any_board_state());
    (any_time(), states, any_per_square(any::<u8>())).prop_map(
        |(time, (chattering, stuck, weak), noise)| BoardHealth {
            time,
            chattering,
            stuck,
            weak,
            noise,
        },
    )
}

fn any_order() -> impl Strategy<Value = Order> {
    prop_oneof![
        any_time_control().prop_map(Order::SetClock),
        any::<[i32; 2]>().prop_map(|[white_ms, black_ms]| {
            Order::AdjustClock(ClockAdjustment { white_ms, black_ms })
        }),
        Just(Order::PauseClock),
        Just(Order::ResumeClock),
        Just(Order::LearnBaseline(Standing::Nothing)),
        Just(Order::LearnBaseline(Standing::SetUp)),
        any_time_control().prop_map(|control| Order::SetDelay(control.delay())),
    ]
}

fn any_result() -> impl Strategy<Value = CommandResult> {
    prop_oneof![
        Just(CommandResult::Done),
        Just(CommandResult::Unsupported),
        Just(CommandResult::OutOfRange),
        Just(CommandResult::NumberTaken),
        Just(CommandResult::NotNow),
    ]
}

fn any_started() -> impl Strategy<Value = Started> {
    let reason = prop_oneof![
        Just(StartReason::PowerOn),
        Just(StartReason::Watchdog),
        Just(StartReason::Panic),
        Just(StartReason::Brownout),
        Just(StartReason::Unknown),
    ];
    (reason, "[ -~]{0,48}").prop_map(|(reason, detail)| Started {
        reason,
        detail: detail.as_str().try_into().unwrap(),
    })
}

fn any_hello() -> impl Strategy<Value = Hello> {
    let numbers = any::<(u32, u32)>();
    ("[A-Za-z0-9._-]{1,32}", "[ -~]{0,24}", any_time(), numbers, any_node_kind()).prop_map(
        |(node_id, firmware, time, (acknowledged, answers), kind)| Hello {
            schema_hash: SCHEMA_HASH,
            node_id: node_id.parse().unwrap(),
            firmware: firmware.as_str().try_into().unwrap(),
            time,
            acknowledged,
            answers,
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
        (any_time(), any_node_state(), any::<[u32; 3]>()).prop_map(|(time, state, numbers)| {
            let [last_request, age_us, answers] = numbers;
            Message::Snapshot(Snapshot { time, state, last_request, age_us, answers })
        }),
        any_squares_changed().prop_map(Message::SquaresChanged),
        (any_time(), any_side()).prop_map(|(time, by)| Message::Press(Press { time, by })),
        (any_time(), any_display())
            .prop_map(|(time, display)| Message::ClockReading(ClockReading { time, display })),
        any_tray_changed().prop_map(Message::TrayChanged),
        (any_time(), any::<bool>()).prop_map(|(time, on)| Message::Tilt(Tilt { time, on })),
        (any_time(), any_side(), any::<bool>())
            .prop_map(|(time, side, near)| Message::Hand(Hand { time, side, near })),
        (any_time(), any_side(), any::<bool>(), any::<bool>()).prop_map(
            |(time, side, near, away)| {
                let from = if away { HandOrigin::Away } else { HandOrigin::Board };
                Message::HandFrom(HandFrom { time, side, near, from })
            }
        ),
        any_health().prop_map(Message::Health),
        any::<[u32; 2]>().prop_map(|[first, last]| Message::Lost(Lost { first, last })),
        any_board_health().prop_map(Message::BoardHealth),
        any_started().prop_map(Message::Started),
        (any_time(), any::<u32>(), any_order(), any_result()).prop_map(
            |(time, request, order, result)| {
                Message::Answer(Answer { time, request, order, result })
            }
        ),
        (any::<u32>(), any_order())
            .prop_map(|(request, order)| Message::Command(Command { request, order })),
        Just(Message::Ack),
        Just(Message::RequestSnapshot),
        Just(Message::RequestHello),
        any::<u8>().prop_map(|seconds| Message::Identify(Identify { seconds })),
        Just(Message::RequestResend),
        any_update(),
    ]
}

fn any_update() -> impl Strategy<Value = Message> {
    let image = || any::<[u32; 2]>().prop_map(|[bytes, checksum]| UpdateImage { bytes, checksum });
    prop_oneof![
        Just(Message::RequestUpdate),
        Just(Message::UpdateKeep),
        image().prop_map(Message::UpdateStart),
        (image(), vec(any::<u32>(), 0..=UPDATE_SECTORS)).prop_map(|(image, sums)| {
            Message::UpdateBegin(UpdateBegin { image, sector_sums: sums.into_iter().collect() })
        }),
        (image(), any::<u32>(), vec(any::<u8>(), 0..=UPDATE_CHUNK_BYTES)).prop_map(
            |(image, offset, bytes)| {
                let bytes = bytes.into_iter().collect();
                Message::UpdateChunk(UpdateChunk { image, offset, bytes })
            }
        ),
        ("[ -~]{0,32}", any::<u32>()).prop_map(|(image, offset)| {
            let image = image.as_str().try_into().unwrap();
            Message::UpdateReport(UpdateReport { image, stage: UpdateStage::Receiving(offset) })
        }),
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
