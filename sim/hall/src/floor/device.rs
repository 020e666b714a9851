//! Boards and clocks of a table, as their nodes sense them.

use link_sim::Sensors;
use proto::link::{
    BoardKind, BoardState, ClockDisplay, ClockKind, ClockReading, ClockState, Hand, MAX_CHANGES,
    MagnitudeState, Message, NodeKind, NodeState, NodeTime, PerSquare, PolarityState, Press,
    PressKind, SensorKind, SensorReading, Side, SlotChange, SlotIndex, SquareChange, SquareIndex,
    SquaresChanged, TRAY_SLOTS, Tilt, TimeControl, TrayChanged,
};

/// Occupied squares of the initial position.
pub(crate) const INITIAL: u64 = 0xffff_0000_0000_ffff;

/// Squares on which a white piece stands, if any.
const WHITE_HALF: u64 = 0xffff_ffff;
/// With trays, each touch of a board whose number is a multiple of this is at a slot.
const SLOT_EVERY: u32 = 3;

/// A board, or a clock.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Device {
    /// Occupied squares and slots, the number of touches, and squares with a weak contact.
    Board { kind: BoardKind, occupied: u64, slots: u32, next: u8, touches: u32, weak: u64 },
    /// Its display, and whether it was tilted.
    Clock { display: ClockDisplay, tilted: bool, presses: u32 },
}

/// Act of a hand at a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Act {
    /// A piece is lifted or put down; at a clock, its lever is pressed.
    Touch,
    /// A hand comes near a clock, or goes.
    Hand,
    /// The lever of the clock at a board of another maker is pressed.
    Lever,
    /// A clock is started.
    Start,
    /// A clock is stopped.
    Stop,
    /// The pieces are set up, or a clock is set.
    SetUp,
    /// A clock sends a reading on which inference fails.
    Poison,
}

impl Device {
    pub(crate) fn board(kind: BoardKind, weak: u64) -> Device {
        Device::Board { kind, occupied: INITIAL, slots: 0, next: 0, touches: 0, weak }
    }

    pub(crate) fn clock() -> Device {
        Device::Clock { display: display(180_000, None), tilted: false, presses: 0 }
    }

    pub(crate) fn kind(&self) -> NodeKind {
        match self {
            Device::Board { kind, .. } => NodeKind::Board(*kind),
            Device::Clock { .. } => {
                NodeKind::Clock(ClockKind { press: PressKind::Lever, hand_sensor: true })
            }
        }
    }

    /// The squares of a board on which something stands; of a clock none.
    pub(crate) fn occupied(&self) -> u64 {
        match self {
            Device::Board { occupied, .. } => *occupied,
            Device::Clock { .. } => 0,
        }
    }

    /// A director changes White's time by this many milliseconds.
    pub(crate) fn adjust(&mut self, white_ms: i32) {
        if let Device::Clock { display, .. } = self {
            display.white_ms = display.white_ms.saturating_add_signed(white_ms);
        }
    }

    /// Does something; what the node reads of it.
    pub(crate) fn act(&mut self, act: Act, time: NodeTime) -> Vec<Message> {
        match self {
            Device::Board { kind, occupied, slots, next, touches, .. } => {
                *touches += 1;
                let is_at_slot = kind.trays && touches.is_multiple_of(SLOT_EVERY);
                match act {
                    Act::SetUp => set_up(kind.sensor, occupied, time),
                    _ if is_at_slot => {
                        let slot = (*touches / SLOT_EVERY) % (2 * u32::from(TRAY_SLOTS));
                        *slots ^= 1 << slot;
                        vec![tray(time, slot as u8, *slots)]
                    }
                    _ => {
                        // No square changes twice before all others did: what was read tells which reading it was.
                        *next = (*next + 1) % 64;
                        *occupied ^= 1 << *next;
                        vec![squares(kind.sensor, time, &[*next], *occupied)]
                    }
                }
            }
            Device::Clock { display: shown, tilted, presses } => {
                *presses += 1;
                let side = if presses.is_multiple_of(2) { Side::White } else { Side::Black };
                let left_ms = 180_000 - (*presses % 1_000) * 10;
                let message = match act {
                    Act::Touch | Act::Lever => Message::Press(Press { time, by: side }),
                    Act::Hand => {
                        Message::Hand(Hand { time, side, near: presses.is_multiple_of(3) })
                    }
                    Act::Poison => {
                        *tilted = !*tilted;
                        Message::Tilt(Tilt { time, on: *tilted })
                    }
                    Act::Start | Act::Stop | Act::SetUp => {
                        let ms = if act == Act::SetUp { 180_000 } else { left_ms };
                        *shown = display(ms, (act == Act::Start).then_some(side));
                        Message::ClockReading(ClockReading { time, display: *shown })
                    }
                };
                vec![message]
            }
        }
    }
}

fn display(ms: u32, running: Option<Side>) -> ClockDisplay {
    ClockDisplay { white_ms: ms, black_ms: ms, delay_left_ms: 0, running, first_flag: None }
}

/// The level of a square's piece: Black's are negative.
fn level(square: u8) -> i8 {
    let strength = 20 + (square % 32) as i8;
    if square < 32 { strength } else { -strength }
}

fn squares(sensor: SensorKind, time: NodeTime, changed: &[u8], occupied: u64) -> Message {
    let changes = changed.iter().map(|&square| SquareChange {
        offset_us: 0,
        square: SquareIndex::new(square).expect("below 64"),
        reading: match (occupied >> square & 1, sensor) {
            (0, _) => SensorReading::Empty,
            (_, SensorKind::Reed) => SensorReading::Occupied,
            (_, SensorKind::HallPolarity) if square < 32 => SensorReading::White,
            (_, SensorKind::HallPolarity) => SensorReading::Black,
            (_, SensorKind::HallMagnitude) => SensorReading::Level(level(square)),
        },
    });
    Message::SquaresChanged(SquaresChanged { time, changes: changes.collect() })
}

fn tray(time: NodeTime, slot: u8, slots: u32) -> Message {
    let change = SlotChange {
        offset_us: 0,
        tray: if slot < TRAY_SLOTS { Side::White } else { Side::Black },
        slot: SlotIndex::new(slot % TRAY_SLOTS).expect("below 16"),
        reading: match slots >> slot & 1 {
            0 => SensorReading::Empty,
            _ => SensorReading::Occupied,
        },
    };
    Message::TrayChanged(TrayChanged { time, changes: [change].into_iter().collect() })
}

fn set_up(sensor: SensorKind, occupied: &mut u64, time: NodeTime) -> Vec<Message> {
    let wrong: Vec<u8> =
        (0..64).filter(|square| (*occupied ^ INITIAL) >> square & 1 == 1).collect();
    *occupied = INITIAL;
    wrong.chunks(MAX_CHANGES).map(|changed| squares(sensor, time, changed, INITIAL)).collect()
}

impl Sensors for Device {
    fn weak(&self) -> u64 {
        match *self {
            Device::Board { weak, .. } => weak,
            Device::Clock { .. } => 0,
        }
    }

    fn state(&self) -> NodeState {
        match *self {
            Device::Board { kind, occupied, slots, .. } => {
                let (white_tray, black_tray) = (slots as u16, (slots >> TRAY_SLOTS) as u16);
                match kind.sensor {
                    SensorKind::Reed => {
                        NodeState::Board(BoardState { occupied, white_tray, black_tray })
                    }
                    SensorKind::HallPolarity => {
                        let (white, black) = (occupied & WHITE_HALF, occupied & !WHITE_HALF);
                        let state = PolarityState { white, black, white_tray, black_tray };
                        NodeState::PolarityBoard(state)
                    }
                    SensorKind::HallMagnitude => {
                        let of = |square: usize| match occupied >> square & 1 {
                            0 => 0,
                            _ => level(square as u8),
                        };
                        let levels = PerSquare(std::array::from_fn(of));
                        let state = MagnitudeState { levels, white_tray, black_tray };
                        NodeState::MagnitudeBoard(state)
                    }
                }
            }
            Device::Clock { display, tilted, .. } => NodeState::Clock(ClockState {
                display,
                pressed: None,
                tilted,
                white_hand: false,
                black_hand: false,
                control: TimeControl::even(180_000),
                paused: None,
            }),
        }
    }
}
