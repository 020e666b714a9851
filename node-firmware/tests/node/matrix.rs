//! The matrix and the clock's contacts over pins that are only imagined.

use std::cell::RefCell;
use std::convert::Infallible;
use std::rc::Rc;

use embedded_hal::delay::DelayNs;
use embedded_hal::digital::{Error, ErrorKind, ErrorType, InputPin, OutputPin};
use node_firmware::{
    ActiveLevel, BoardConfig, BoardNode, ButtonPins, ClockConfig, ClockInputs, ClockNode, HandPins,
    LeverPins, Matrix, MatrixError, ReadClock, Scan, TimeControl,
};
use proto::link::{PressKind, Side};

use crate::host::{at, identity};

/// The wires of an 8 × 8 board with a diode at each switch.
#[derive(Default)]
struct Wires {
    closed: u64,
    driven: u8,
    most_driven: u32,
    broken: bool,
}

#[derive(Debug, PartialEq, Eq, Clone, Copy)]
struct Broken;

impl Error for Broken {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Other
    }
}

struct Row {
    wires: Rc<RefCell<Wires>>,
    index: usize,
    active: ActiveLevel,
}

impl ErrorType for Row {
    type Error = Infallible;
}

impl Row {
    fn set(&mut self, high: bool) {
        let mut wires = self.wires.borrow_mut();
        wires.driven &= !(1 << self.index);
        if high == (self.active == ActiveLevel::High) {
            wires.driven |= 1 << self.index;
        }
        wires.most_driven = wires.most_driven.max(wires.driven.count_ones());
    }
}

impl OutputPin for Row {
    fn set_low(&mut self) -> Result<(), Infallible> {
        self.set(false);
        Ok(())
    }
    fn set_high(&mut self) -> Result<(), Infallible> {
        self.set(true);
        Ok(())
    }
}

struct Column {
    wires: Rc<RefCell<Wires>>,
    index: usize,
    active: ActiveLevel,
}

impl ErrorType for Column {
    type Error = Broken;
}

impl InputPin for Column {
    fn is_high(&mut self) -> Result<bool, Broken> {
        let wires = self.wires.borrow();
        if wires.broken && self.index == 3 {
            return Err(Broken);
        }
        let connected = (0..8).any(|row| {
            wires.driven >> row & 1 == 1 && wires.closed >> (row * 8 + self.index) & 1 == 1
        });
        Ok(connected == (self.active == ActiveLevel::High))
    }
    fn is_low(&mut self) -> Result<bool, Broken> {
        self.is_high().map(|high| !high)
    }
}

struct NoDelay;

impl DelayNs for NoDelay {
    fn delay_ns(&mut self, _: u32) {}
}

fn board(active: ActiveLevel) -> (Rc<RefCell<Wires>>, Matrix<Row, Column, NoDelay, 8, 8>) {
    let wires = Rc::new(RefCell::new(Wires::default()));
    let rows = std::array::from_fn(|index| Row { wires: wires.clone(), index, active });
    let columns = std::array::from_fn(|index| Column { wires: wires.clone(), index, active });
    (wires, Matrix::new(rows, columns, NoDelay, active, 1_000))
}

#[test]
fn every_switch_has_its_square_and_only_one_row_is_driven_at_a_time() {
    for active in [ActiveLevel::Low, ActiveLevel::High] {
        let (wires, mut matrix) = board(active);
        matrix.scan().unwrap();
        wires.borrow_mut().most_driven = 0;
        for square in 0..64 {
            wires.borrow_mut().closed = 1 << square;
            assert_eq!(matrix.scan(), Ok(1 << square));
        }
        wires.borrow_mut().closed = 0xdead_beef_0123_4567;
        assert_eq!(matrix.scan(), Ok(0xdead_beef_0123_4567));
        assert_eq!(wires.borrow().most_driven, 1);
        assert_eq!(wires.borrow().driven, 0);
    }
}

#[test]
fn a_broken_pin_is_told_no_row_stays_driven_and_the_node_goes_on() {
    let (wires, mut matrix) = board(ActiveLevel::Low);
    let mut node: BoardNode = BoardNode::new(identity(), BoardConfig::default());
    wires.borrow_mut().closed = 0xff;
    node.poll(at(0), &mut matrix).unwrap();
    wires.borrow_mut().broken = true;
    assert_eq!(node.poll(at(1_000), &mut matrix), Err(MatrixError::Column(Broken)));
    assert_eq!(wires.borrow().driven, 0);
    assert_eq!(node.settled().squares, 0xff, "the last good reading holds");
    wires.borrow_mut().broken = false;
    wires.borrow_mut().closed = 0xfe;
    for us in [2_000, 7_000] {
        node.poll(at(us), &mut matrix).unwrap();
    }
    assert_eq!(node.settled().squares, 0xfe);
}

#[test]
fn trays_are_scanned_beside_the_squares() {
    let (board_wires, mut squares) = board(ActiveLevel::Low);
    let (tray_wires, mut trays) = board(ActiveLevel::Low);
    board_wires.borrow_mut().closed = 1;
    tray_wires.borrow_mut().closed = 1 << 2 | 1 << 16;
    let config = BoardConfig { trays: true, ..BoardConfig::default() };
    let mut node: BoardNode = BoardNode::new(identity(), config);
    node.poll_with_trays(at(0), &mut squares, &mut trays).unwrap();
    let settled = node.settled();
    assert_eq!((settled.squares, settled.white_tray, settled.black_tray), (1, 1 << 2, 1));
}

/// A pin at a fixed level.
struct Pin(bool);

impl ErrorType for Pin {
    type Error = Infallible;
}

impl InputPin for Pin {
    fn is_high(&mut self) -> Result<bool, Infallible> {
        Ok(self.0)
    }
    fn is_low(&mut self) -> Result<bool, Infallible> {
        Ok(!self.0)
    }
}

#[test]
fn contacts_to_ground_read_closed_when_low() {
    let mut lever = LeverPins { white_down: Pin(true), tilt: Pin(false), active: ActiveLevel::Low };
    let expected = ClockInputs { tilted: true, ..ClockInputs::lever(Side::Black) };
    assert_eq!(lever.read(), Ok(expected));

    let buttons = ButtonPins {
        white: Pin(false),
        black: Pin(true),
        tilt: Pin(true),
        active: ActiveLevel::Low,
    };
    let active = ActiveLevel::High;
    let mut hands = HandPins { clock: buttons, white: Pin(false), black: Pin(true), active };
    let expected = ClockInputs { white_down: true, black_hand: true, ..ClockInputs::default() };
    assert_eq!(hands.read(), Ok(expected));
}

#[test]
fn a_clock_runs_on_its_pins() {
    let config = ClockConfig {
        debounce_us: 5_000,
        press: PressKind::Lever,
        hand_sensor: false,
        control: TimeControl::even(300_000),
    };
    let mut node: ClockNode = ClockNode::new(identity(), config);
    let mut pins = LeverPins { white_down: Pin(false), tilt: Pin(true), active: ActiveLevel::Low };
    node.poll(at(0), &mut pins).unwrap();
    pins.white_down = Pin(true);
    for us in [1_000, 6_000, 106_000] {
        node.poll(at(us), &mut pins).unwrap();
    }
    assert_eq!(node.display().running, Some(Side::White));
    assert_eq!(node.display().white_ms, 299_900);
}
