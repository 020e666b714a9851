//! The matrix over pins that are only imagined.

use std::cell::RefCell;
use std::convert::Infallible;
use std::rc::Rc;

use embedded_hal::delay::DelayNs;
use embedded_hal::digital::{Error, ErrorKind, ErrorType, InputPin, OutputPin};
use node_firmware::{
    ActiveLevel, BoardConfig, BoardNode, BoardReading, EventMemory, InputError, MATRIX_SETTLE_NS,
    Matrix, ReadBoard,
};
use proptest::prelude::*;

use crate::host::{at, identity};

const ROWS: usize = 12;

/// The wires of a board with trays.
#[derive(Default)]
struct Wires {
    /// Closed switches, row by row.
    closed: [u8; ROWS],
    driven: u16,
    most_driven: u32,
    without_diodes: bool,
    broken: bool,
    waited_ns: u64,
}

impl Wires {
    /// Whether current flows from this column into a driven row. With diodes only through a closed switch of that row. Without,
    /// every closed switch joins its row and its column, whichever way round.
    fn pulled(&self, column: usize) -> bool {
        let closed = |row: usize, column: usize| self.closed[row] >> column & 1 == 1;
        let driven = |row: &usize| self.driven >> row & 1 == 1;
        if !self.without_diodes {
            return (0..ROWS).filter(driven).any(|row| closed(row, column));
        }
        let (mut rows, mut columns) = (0_u16, 1_u8 << column);
        loop {
            let before = (rows, columns);
            for (row, switches) in self.closed.iter().enumerate() {
                if switches & columns != 0 {
                    rows |= 1 << row;
                }
                if rows >> row & 1 == 1 {
                    columns |= switches;
                }
            }
            if (rows, columns) == before {
                return rows & self.driven != 0;
            }
        }
    }
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
        Ok(wires.pulled(self.index) == (self.active == ActiveLevel::High))
    }
    fn is_low(&mut self) -> Result<bool, Broken> {
        self.is_high().map(|high| !high)
    }
}

struct Wait(Rc<RefCell<Wires>>);

impl DelayNs for Wait {
    fn delay_ns(&mut self, ns: u32) {
        self.0.borrow_mut().waited_ns += u64::from(ns);
    }
}

type Board = (Rc<RefCell<Wires>>, Matrix<Row, Column, Wait, ROWS>);

fn board(active: ActiveLevel) -> Board {
    let wires = Rc::new(RefCell::new(Wires::default()));
    let rows = std::array::from_fn(|index| Row { wires: wires.clone(), index, active });
    let columns = std::array::from_fn(|index| Column { wires: wires.clone(), index, active });
    let wait = Wait(wires.clone());
    (wires, Matrix::new(rows, columns, wait, active, MATRIX_SETTLE_NS))
}

#[test]
fn every_switch_has_its_place_and_only_one_row_is_driven_at_a_time() {
    for active in [ActiveLevel::Low, ActiveLevel::High] {
        let (wires, mut matrix) = board(active);
        matrix.read().unwrap();
        wires.borrow_mut().most_driven = 0;
        for switch in 0..96 {
            let mut closed = [0; ROWS];
            closed[switch / 8] = 1 << (switch % 8);
            wires.borrow_mut().closed = closed;
            let expected = match switch {
                0..64 => BoardReading { squares: 1 << switch, ..BoardReading::default() },
                64..80 => {
                    BoardReading { white_tray: 1 << (switch - 64), ..BoardReading::default() }
                }
                _ => BoardReading { black_tray: 1 << (switch - 80), ..BoardReading::default() },
            };
            assert_eq!(matrix.read(), Ok(expected));
        }
        assert_eq!(wires.borrow().most_driven, 1);
        assert_eq!(wires.borrow().driven, 0);
    }
}

#[test]
fn waiting_for_the_wires_takes_a_small_part_of_a_scan() {
    let (wires, mut matrix) = board(ActiveLevel::Low);
    matrix.read().unwrap();
    assert_eq!(wires.borrow().waited_ns, 120_000);
}

#[test]
fn without_diodes_three_pieces_fake_a_fourth_and_with_diodes_they_do_not() {
    let (wires, mut matrix) = board(ActiveLevel::Low);
    let corners = (1 << 9) | (1 << 14) | (1 << 41);
    let fourth = 1 << 46;
    wires.borrow_mut().closed[1] = 0b0100_0010;
    wires.borrow_mut().closed[5] = 0b0000_0010;
    assert_eq!(matrix.read().unwrap().squares, corners);
    wires.borrow_mut().without_diodes = true;
    assert_eq!(matrix.read().unwrap().squares, corners | fourth);
}

proptest! {
    #[test]
    fn with_diodes_every_pattern_is_read_as_it_is(closed: [u8; ROWS]) {
        let (wires, mut matrix) = board(ActiveLevel::Low);
        wires.borrow_mut().closed = closed;
        let read = matrix.read().unwrap();
        prop_assert_eq!(&read.squares.to_le_bytes(), &closed[..8]);
        prop_assert_eq!(&read.white_tray.to_le_bytes(), &closed[8..10]);
        prop_assert_eq!(&read.black_tray.to_le_bytes(), &closed[10..]);
    }

    #[test]
    fn without_diodes_a_reading_has_every_piece_and_ghosts_besides(closed: [u8; ROWS]) {
        let (wires, mut matrix) = board(ActiveLevel::Low);
        wires.borrow_mut().closed = closed;
        let with = matrix.read().unwrap().squares;
        wires.borrow_mut().without_diodes = true;
        let without = matrix.read().unwrap().squares;
        prop_assert_eq!(with & without, with);
    }
}

#[test]
fn a_broken_pin_is_told_no_row_stays_driven_and_the_node_goes_on() {
    let (wires, mut matrix) = board(ActiveLevel::Low);
    let mut node: BoardNode =
        BoardNode::new(identity(), BoardConfig::default(), EventMemory::default());
    wires.borrow_mut().closed[0] = 0xff;
    node.poll(at(0), &mut matrix).unwrap();
    wires.borrow_mut().broken = true;
    assert_eq!(node.poll(at(1_000), &mut matrix), Err(InputError::Read));
    assert_eq!(wires.borrow().driven, 0);
    assert_eq!(node.settled().squares, 0xff, "the last good reading holds");
    wires.borrow_mut().broken = false;
    wires.borrow_mut().closed[0] = 0xfe;
    for us in [2_000, 7_000] {
        node.poll(at(us), &mut matrix).unwrap();
    }
    assert_eq!(node.settled().squares, 0xfe);
}

#[test]
fn rows_of_trays_that_are_not_there_say_nothing() {
    for trays in [false, true] {
        let (wires, mut matrix) = board(ActiveLevel::Low);
        wires.borrow_mut().closed = [1; ROWS];
        let config = BoardConfig { trays, ..BoardConfig::default() };
        let mut node: BoardNode = BoardNode::new(identity(), config, EventMemory::default());
        node.poll(at(0), &mut matrix).unwrap();
        let slots = if trays { 1 | 1 << 8 } else { 0 };
        let settled = node.settled();
        assert_eq!(settled.squares, 0x0101_0101_0101_0101);
        assert_eq!((settled.white_tray, settled.black_tray), (slots, slots));
    }
}
