//! Readings by chance, of every kind that a node has, and states that can be told from each other: of each reading the one
//! state that holds after it.

use proto::link::{
    BoardKind, BoardState, ClockDisplay, ClockReading, ClockState, Hand, MAX_CHANGES,
    MagnitudeState, Message, NodeKind, NodeState, NodeTime, PerSquare, PolarityState, Press,
    SQUARES, SensorKind, SensorReading, Side, SlotChange, SlotIndex, SquareChange, SquareIndex,
    SquaresChanged, Tilt, TimeControl, TrayChanged,
};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Something that a node of this kind reads.
pub(crate) fn reading(rng: &mut ChaCha8Rng, kind: NodeKind, time: NodeTime) -> Message {
    match kind {
        NodeKind::Board(board) if board.trays && rng.random_bool(0.3) => slots(rng, time),
        NodeKind::Board(board) => squares(rng, board.sensor, time),
        NodeKind::Clock(_) => match rng.random_range(0..4) {
            0 => Message::Press(Press { time, by: side(rng) }),
            1 => Message::Tilt(Tilt { time, on: rng.random() }),
            2 => Message::Hand(Hand { time, side: side(rng), near: rng.random() }),
            _ => Message::ClockReading(ClockReading { time, display: display(rng.random()) }),
        },
    }
}

/// Mostly one change, now and then as many as fit.
fn changes(rng: &mut ChaCha8Rng) -> usize {
    if rng.random_bool(0.8) { 1 } else { rng.random_range(1..=MAX_CHANGES) }
}

fn squares(rng: &mut ChaCha8Rng, sensor: SensorKind, time: NodeTime) -> Message {
    let changes = (0..changes(rng)).map(|_| SquareChange {
        offset_us: rng.random_range(0..20_000),
        square: SquareIndex::new(rng.random_range(0..64)).expect("below 64"),
        reading: square_reading(rng, sensor),
    });
    Message::SquaresChanged(SquaresChanged { time, changes: changes.collect() })
}

fn slots(rng: &mut ChaCha8Rng, time: NodeTime) -> Message {
    let changes = (0..changes(rng)).map(|_| SlotChange {
        offset_us: rng.random_range(0..20_000),
        tray: side(rng),
        slot: SlotIndex::new(rng.random_range(0..16)).expect("below 16"),
        reading: occupancy(rng),
    });
    Message::TrayChanged(TrayChanged { time, changes: changes.collect() })
}

fn square_reading(rng: &mut ChaCha8Rng, sensor: SensorKind) -> SensorReading {
    match sensor {
        SensorKind::Reed => occupancy(rng),
        SensorKind::HallPolarity if rng.random() => SensorReading::White,
        SensorKind::HallPolarity => SensorReading::Black,
        SensorKind::HallMagnitude => SensorReading::Level(rng.random()),
    }
}

fn occupancy(rng: &mut ChaCha8Rng) -> SensorReading {
    if rng.random() { SensorReading::Occupied } else { SensorReading::Empty }
}

fn side(rng: &mut ChaCha8Rng) -> Side {
    if rng.random() { Side::White } else { Side::Black }
}

fn display(mixed: u64) -> ClockDisplay {
    ClockDisplay {
        white_ms: mixed as u32 >> 8,
        black_ms: (mixed >> 32) as u32 >> 8,
        delay_left_ms: 0,
        running: None,
        first_flag: None,
    }
}

/// The state of a node of this kind after a reading.
pub(crate) fn state(kind: NodeKind, boot_id: u32, sequence: u32) -> NodeState {
    let mixed = mix(u64::from(boot_id) << 32 | u64::from(sequence));
    let (white_tray, black_tray) = (mixed as u16, (mixed >> 16) as u16);
    match kind {
        NodeKind::Board(BoardKind { sensor: SensorKind::Reed, .. }) => {
            NodeState::Board(BoardState { occupied: mixed, white_tray, black_tray })
        }
        NodeKind::Board(BoardKind { sensor: SensorKind::HallPolarity, .. }) => {
            let (white, black) = (mixed, !mixed);
            NodeState::PolarityBoard(PolarityState { white, black, white_tray, black_tray })
        }
        NodeKind::Board(BoardKind { sensor: SensorKind::HallMagnitude, .. }) => {
            let mut levels = [0; SQUARES as usize];
            levels.fill_with({
                let mut next = mixed;
                move || {
                    next = mix(next);
                    next as i8
                }
            });
            let levels = PerSquare(levels);
            NodeState::MagnitudeBoard(MagnitudeState { levels, white_tray, black_tray })
        }
        NodeKind::Clock(_) => NodeState::Clock(ClockState {
            display: display(mixed),
            pressed: None,
            tilted: false,
            white_hand: false,
            black_hand: false,
            control: TimeControl::even(1),
            paused: None,
        }),
    }
}

/// A number that looks like no other (the finaliser of SplitMix64).
fn mix(mut value: u64) -> u64 {
    value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}
