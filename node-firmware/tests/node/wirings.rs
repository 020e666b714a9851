//! Shift registers and multiplexers, against chips that do what their data sheets say.

use std::cell::RefCell;
use std::convert::Infallible;
use std::rc::Rc;

use embedded_hal::delay::DelayNs;
use embedded_hal::digital::{ErrorType, InputPin, OutputPin};
use node_firmware::{
    AnalogInput, BoardNode, EventMemory, HallMultiplexer, HallSquares, InputError, MID_RAIL_COUNTS,
    NoTrays, ReadBoard, ReadTrays, ShiftChain,
};
use proptest::prelude::*;

use crate::host::{at, identity};

struct NoDelay;

impl DelayNs for NoDelay {
    fn delay_ns(&mut self, _: u32) {}
}

/// An output wired to a pin of a chip.
struct Wire<C> {
    chip: Rc<RefCell<C>>,
    set: fn(&mut C, bool),
}

impl<C> ErrorType for Wire<C> {
    type Error = Infallible;
}

impl<C> OutputPin for Wire<C> {
    fn set_low(&mut self) -> Result<(), Infallible> {
        (self.set)(&mut self.chip.borrow_mut(), false);
        Ok(())
    }
    fn set_high(&mut self) -> Result<(), Infallible> {
        (self.set)(&mut self.chip.borrow_mut(), true);
        Ok(())
    }
}

/// Model of 74HC165s in a chain. While load is low each register follows its inputs D0 to D7; the output of a chip is its bit 7. A
/// rising clock moves every bit up by one, and the serial input, from the next chip, into bit 0.
struct Chain {
    /// Levels at the inputs, first chip first: high = open.
    inputs: Vec<u8>,
    registers: Vec<u8>,
    load: bool,
    clock: bool,
}

impl Chain {
    fn set_load(&mut self, high: bool) {
        self.load = high;
        if !high {
            self.registers.clone_from(&self.inputs);
        }
    }

    fn set_clock(&mut self, high: bool) {
        if high && !self.clock && self.load {
            for chip in 0..self.registers.len() {
                let serial = self.registers.get(chip + 1).map_or(0, |next| next >> 7);
                self.registers[chip] = self.registers[chip] << 1 | serial;
            }
        }
        self.clock = high;
    }
}

struct Output(Rc<RefCell<Chain>>);

impl ErrorType for Output {
    type Error = Infallible;
}

impl InputPin for Output {
    fn is_high(&mut self) -> Result<bool, Infallible> {
        Ok(self.0.borrow().registers[0] >> 7 == 1)
    }
    fn is_low(&mut self) -> Result<bool, Infallible> {
        self.is_high().map(|high| !high)
    }
}

type Shift<const CHIPS: usize> = ShiftChain<Wire<Chain>, Wire<Chain>, Output, NoDelay, CHIPS>;

/// A chain on whose chips these switches are closed.
fn chain<const CHIPS: usize>(closed: [u8; CHIPS]) -> Shift<CHIPS> {
    let inputs = closed.map(|closed| !closed).to_vec();
    let registers = vec![0xa5; CHIPS];
    let chip = Rc::new(RefCell::new(Chain { inputs, registers, load: true, clock: true }));
    let load = Wire { chip: chip.clone(), set: Chain::set_load };
    let clock = Wire { chip: chip.clone(), set: Chain::set_clock };
    ShiftChain::new(load, clock, Output(chip), NoDelay)
}

proptest! {
    #[test]
    fn a_chain_of_twelve_is_read_as_its_switches_stand(closed: [u8; 12]) {
        let read = chain(closed).read().unwrap();
        prop_assert_eq!(&read.squares.to_le_bytes(), &closed[..8]);
        prop_assert_eq!(&read.white_tray.to_le_bytes(), &closed[8..10]);
        prop_assert_eq!(&read.black_tray.to_le_bytes(), &closed[10..]);
    }

    #[test]
    fn a_chain_of_four_is_two_trays(closed: [u8; 4]) {
        let [white, black] = chain(closed).read_trays().unwrap();
        prop_assert_eq!([white.to_le_bytes(), black.to_le_bytes()].concat(), closed);
    }
}

#[test]
fn a_board_without_trays_has_eight_registers() {
    let read = chain([1, 2, 4, 8, 16, 32, 64, 128]).read().unwrap();
    assert_eq!(read.squares, 0x8040_2010_0804_0201);
    assert_eq!((read.white_tray, read.black_tray), (0, 0));
}

/// Four 74HC4067 whose outputs are joined.
struct Multiplexers {
    select: [bool; 4],
    enabled: [bool; 4],
    counts: [u16; 64],
    broken: bool,
}

struct Joined(Rc<RefCell<Multiplexers>>);

impl AnalogInput for Joined {
    fn sample(&mut self) -> Result<u16, InputError> {
        let chips = self.0.borrow();
        if chips.broken {
            return Err(InputError::Convert);
        }
        let channel: usize = (0..4).map(|bit| usize::from(chips.select[bit]) << bit).sum();
        let on: Vec<usize> = (0..4).filter(|&chip| chips.enabled[chip]).collect();
        let [chip] = on[..] else { panic!("{on:?} are on at once") };
        Ok(chips.counts[chip * 16 + channel])
    }
}

type Pins = Wire<Multiplexers>;
type Hall = HallMultiplexer<Pins, Pins, Joined, NoTrays, NoDelay>;

fn multiplexers(counts: [u16; 64]) -> (Rc<RefCell<Multiplexers>>, Hall) {
    let chips = Multiplexers { select: [false; 4], enabled: [false; 4], counts, broken: false };
    let chip = Rc::new(RefCell::new(chips));
    let select: [fn(&mut Multiplexers, bool); 4] = [
        |chips, high| chips.select[0] = high,
        |chips, high| chips.select[1] = high,
        |chips, high| chips.select[2] = high,
        |chips, high| chips.select[3] = high,
    ];
    let enable: [fn(&mut Multiplexers, bool); 4] = [
        |chips, high| chips.enabled[0] = !high,
        |chips, high| chips.enabled[1] = !high,
        |chips, high| chips.enabled[2] = !high,
        |chips, high| chips.enabled[3] = !high,
    ];
    let wire = |set| Wire { chip: chip.clone(), set };
    let board = HallMultiplexer::new(
        select.map(wire),
        enable.map(wire),
        Joined(chip.clone()),
        NoTrays,
        NoDelay,
    );
    (chip, board)
}

#[test]
fn every_sensor_has_its_square_and_one_multiplexer_is_on_at_a_time() {
    let counts = std::array::from_fn(|square| 1_000 + square as u16);
    let (_, mut board) = multiplexers(counts);
    assert_eq!(board.read().unwrap().squares, counts);
}

#[test]
fn a_converter_that_fails_is_told_and_everything_is_switched_off() {
    let (chips, mut board) = multiplexers([MID_RAIL_COUNTS; 64]);
    let mut node: BoardNode<HallSquares> =
        BoardNode::with_squares(identity(), HallSquares::polarity(), false, EventMemory::default());
    chips.borrow_mut().broken = true;
    assert_eq!(node.poll(at(0), &mut board), Err(InputError::Convert));
    assert_eq!(chips.borrow().enabled, [false; 4]);
    assert!(!node.wants_transmit(), "a board that was never read says nothing");
}
