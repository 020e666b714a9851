//! Contents of the displays, read back by devices that follow their data sheets.

use std::cell::RefCell;
use std::convert::Infallible;
use std::rc::Rc;

use embedded_hal::delay::DelayNs;
use embedded_hal::digital::{ErrorType, OutputPin};
use embedded_hal::i2c::{self, I2c, Operation};
use node_firmware::{
    COLON, Face, Hd44780, MenuItem, PCF8574_ADDRESS, ShowClock, Showing, SideFace,
    TM1637_HALF_CLOCK_NS, TM1637_REFRESH_US, Tm1637Pair, characters, seven_segment,
};
use proptest::prelude::*;
use proto::link::DelayKind;

/// Longest step that a display may take, in ns.
const LONGEST_STEP_NS: u64 = 500_000;

fn side(ms: u32) -> SideFace {
    SideFace { ms, ..SideFace::default() }
}

fn face(white: SideFace, black: SideFace) -> Face {
    Face { white, black, showing: Showing::Times, lit: true }
}

fn any_side() -> impl Strategy<Value = SideFace> {
    (0_u32..40_000_000, 0_u32..100_000, any::<bool>(), any::<bool>())
        .prop_map(|(ms, delay_left_ms, runs, flag)| SideFace { ms, delay_left_ms, runs, flag })
}

fn any_face() -> impl Strategy<Value = Face> {
    let kind =
        prop_oneof![Just(DelayKind::Delay), Just(DelayKind::Bronstein), Just(DelayKind::Increment)];
    let item = prop_oneof![
        (1_u16..1_000).prop_map(MenuItem::BaseMinutes),
        (0_u16..1_000).prop_map(MenuItem::DelaySeconds),
        kind.prop_map(MenuItem::Kind),
        any::<bool>().prop_map(MenuItem::Sound),
    ];
    let showing = prop_oneof![
        Just(Showing::Times),
        Just(Showing::Paused),
        Just(Showing::PowerLost),
        item.prop_map(Showing::Menu),
    ];
    (any_side(), any_side(), showing, any::<bool>()).prop_map(|(white, black, showing, lit)| Face {
        white,
        black,
        showing,
        lit,
    })
}

/// The digits as a person reads them.
fn read(digits: [u8; 4]) -> String {
    let letter = |segments: u8| match segments & !COLON {
        0x00 => ' ',
        0x3f => '0',
        0x06 => '1',
        0x5b => '2',
        0x4f => '3',
        0x66 => '4',
        0x6d => '5',
        0x7d => '6',
        0x07 => '7',
        0x7f => '8',
        0x6f => '9',
        0x40 => '-',
        0x71 => 'F',
        0x38 => 'L',
        0x77 => 'A',
        0x3d => 'G',
        0x5e => 'd',
        0x7c => 'b',
        0x79 => 'E',
        0x73 => 'P',
        0x78 => 't',
        0x6e => 'y',
        0x54 => 'n',
        0x5c => 'o',
        0x50 => 'r',
        0x10 => 'i',
        0x58 => 'c',
        0x1c => 'u',
        other => panic!("{other:02x} is nothing anybody can read"),
    };
    let mut text = String::new();
    for (place, segments) in digits.into_iter().enumerate() {
        text.push(letter(segments));
        assert!(
            place == 1 || segments & COLON == 0,
            "modules have their colon at the second digit"
        );
        if segments & COLON != 0 {
            text.push(':');
        }
    }
    text
}

#[test]
fn faces_are_shown_as_people_read_them() {
    let running = SideFace { runs: true, ..side(61_000) };
    let delayed = SideFace { delay_left_ms: 2_100, ..running };
    let flag = SideFace { flag: true, ..side(0) };
    let times = [
        ("five minutes, waiting", face(side(300_000), side(300_000))),
        ("a moment later", face(side(299_999), side(299_001))),
        ("an hour and more", face(side(5_400_000), side(35_999_000))),
        ("tenths", face(side(20_000), side(9_950))),
        ("just above", face(side(20_001), side(1))),
        ("flags", face(flag, side(0))),
        ("running", face(running, side(7_000))),
        ("running, dark", Face { lit: false, ..face(running, side(7_000)) }),
        ("delay", face(delayed, side(90_000))),
        ("delay, dark", Face { lit: false, ..face(delayed, side(90_000)) }),
    ];
    let mut named: Vec<(&str, Face)> = times.into();
    let at_rest = face(side(300_000), side(180_000));
    for (name, showing) in [
        ("paused", Showing::Paused),
        ("power lost", Showing::PowerLost),
        ("menu: base", Showing::Menu(MenuItem::BaseMinutes(90))),
        ("menu: delay", Showing::Menu(MenuItem::DelaySeconds(12))),
        ("menu: kind", Showing::Menu(MenuItem::Kind(DelayKind::Delay))),
        ("menu: kind", Showing::Menu(MenuItem::Kind(DelayKind::Bronstein))),
        ("menu: kind", Showing::Menu(MenuItem::Kind(DelayKind::Increment))),
        ("menu: sound", Showing::Menu(MenuItem::Sound(true))),
        ("menu: sound", Showing::Menu(MenuItem::Sound(false))),
    ] {
        named.push((name, Face { showing, ..at_rest }));
        named.push(("  dark", Face { showing, lit: false, ..at_rest }));
    }
    let mut text = String::new();
    for (name, face) in named {
        let [white, black] = seven_segment(&face).map(read);
        let [above, below] = characters(&face).map(|row| String::from_utf8(row.to_vec()).unwrap());
        text +=
            &format!("{name:<24} [{white:<5}] [{black:<5}]   |{above}|\n{:41}   |{below}|\n", "");
    }
    insta::assert_snapshot!(text);
}

/// A TM1637 and the module around it, which receives every edge of its two wires.
#[derive(Default)]
struct Chip {
    clock: bool,
    /// Level that the processor drives; the chip may pull it low besides.
    data: bool,
    /// Inside a transfer: the bits of the byte that has begun, and the bytes before it.
    transfer: Option<(Vec<bool>, Vec<u8>)>,
    acknowledging: bool,
    memory: [u8; 6],
    address: usize,
    fixed_address: bool,
    /// The display control byte.
    light: u8,
    waited_ns: u64,
    last_edge_ns: u64,
}

impl Chip {
    fn set_clock(&mut self, high: bool) {
        if high == self.clock {
            return;
        }
        assert!(self.waited_ns - self.last_edge_ns >= 2_000, "faster than 250 kHz");
        self.last_edge_ns = self.waited_ns;
        self.clock = high;
        let Some((bits, bytes)) = &mut self.transfer else { return };
        if high && !self.acknowledging {
            bits.push(self.data);
        } else if !high && self.acknowledging {
            self.acknowledging = false;
        } else if !high && bits.len() == 8 {
            let byte =
                bits.drain(..).enumerate().fold(0, |byte, (nth, bit)| byte | u8::from(bit) << nth);
            bytes.push(byte);
            self.acknowledging = true;
        }
    }

    fn set_data(&mut self, high: bool) {
        if high == self.data {
            return;
        }
        self.data = high;
        if !self.clock {
            return;
        }
        match (high, self.transfer.take()) {
            (false, None) => self.transfer = Some((Vec::new(), Vec::new())),
            (true, Some((bits, bytes))) => {
                // The rising clock before the stop is a bit that came to nothing.
                assert!(bits.len() <= 1, "a byte was cut off");
                self.obey(&bytes);
            }
            (false, Some(_)) => panic!("data changed while the clock was high"),
            (true, None) => {}
        }
    }

    fn obey(&mut self, bytes: &[u8]) {
        let Some((&command, data)) = bytes.split_first() else { return };
        match command >> 6 {
            0b01 => self.fixed_address = command & 0b100 != 0,
            0b10 => self.light = command,
            0b11 => {
                self.address = usize::from(command & 7);
                for &byte in data {
                    self.memory[self.address] = byte;
                    self.address += usize::from(!self.fixed_address);
                }
            }
            _ => panic!("{command:02x} is no command"),
        }
    }
}

struct Pin {
    chip: Rc<RefCell<Chip>>,
    set: fn(&mut Chip, bool),
}

impl ErrorType for Pin {
    type Error = Infallible;
}

impl OutputPin for Pin {
    fn set_low(&mut self) -> Result<(), Infallible> {
        (self.set)(&mut self.chip.borrow_mut(), false);
        Ok(())
    }
    fn set_high(&mut self) -> Result<(), Infallible> {
        (self.set)(&mut self.chip.borrow_mut(), true);
        Ok(())
    }
}

struct Wait(Vec<Rc<RefCell<Chip>>>);

impl DelayNs for Wait {
    fn delay_ns(&mut self, ns: u32) {
        self.0.iter().for_each(|chip| chip.borrow_mut().waited_ns += u64::from(ns));
    }
}

type Chips = Vec<Rc<RefCell<Chip>>>;

fn modules() -> (Chips, Tm1637Pair<Pin, Pin, Wait>) {
    let chips: Vec<_> = (0..2).map(|_| Rc::new(RefCell::new(Chip::default()))).collect();
    let pins = |chip: &Rc<RefCell<Chip>>| {
        let pin = |set| Pin { chip: chip.clone(), set };
        (pin(Chip::set_clock), pin(Chip::set_data))
    };
    for chip in &chips {
        let mut chip = chip.borrow_mut();
        (chip.clock, chip.data, chip.waited_ns) = (true, true, 1_000_000);
    }
    let pair = Tm1637Pair::new(pins(&chips[0]), pins(&chips[1]), Wait(chips.clone()), 3);
    (chips, pair)
}

/// Writes until there is nothing to write; the longest step in ns.
fn write(chips: &[Rc<RefCell<Chip>>], pair: &mut impl ShowClock, now_us: u64) -> u64 {
    let mut longest_ns = 0;
    for _ in 0..100 {
        let before = chips[0].borrow().waited_ns;
        let more = pair.step(now_us).unwrap();
        longest_ns = longest_ns.max(chips[0].borrow().waited_ns - before);
        if !more {
            return longest_ns;
        }
    }
    panic!("it never ends");
}

proptest! {
    #[test]
    fn two_modules_show_every_face(faces in prop::collection::vec(any_face(), 1..6)) {
        let (chips, mut pair) = modules();
        for (nth, face) in faces.iter().enumerate() {
            pair.show(face);
            let longest_ns = write(&chips, &mut pair, nth as u64);
            prop_assert!(longest_ns <= LONGEST_STEP_NS, "{longest_ns}");
            for (chip, digits) in chips.iter().zip(seven_segment(face)) {
                let chip = chip.borrow();
                prop_assert_eq!(&chip.memory[..4], &digits);
                prop_assert_eq!(chip.light, 0x8b, "lit, at the brightness asked for");
                prop_assert!(chip.transfer.is_none() && chip.clock && chip.data, "the bus rests");
            }
        }
    }

    #[test]
    fn the_character_display_shows_every_face(faces in prop::collection::vec(any_face(), 1..6), state in 0..3) {
        let lcd = Lcd::new(state == 0, (state == 1).then_some(0x50));
        let lcd = Rc::new(RefCell::new(lcd));
        let mut display = Hd44780::new(Bus(lcd.clone()), PCF8574_ADDRESS);
        let mut now_us = 1_000;
        for face in &faces {
            display.show(face);
            for _ in 0..400 {
                now_us += 500;
                lcd.borrow_mut().now_us = now_us;
                display.step(now_us).unwrap();
            }
            let shown = lcd.borrow();
            prop_assert_eq!(shown.rows(), characters(face));
            prop_assert!(shown.on && shown.back_light && shown.two_rows && !shown.eight_lines);
        }
    }

    #[test]
    fn every_face_can_be_read(face in any_face()) {
        for digits in seven_segment(&face) {
            read(digits);
        }
        for row in characters(&face) {
            prop_assert!(row.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' '), "{row:?}");
        }
    }
}

#[test]
fn a_module_that_lost_its_memory_is_written_again() {
    let (chips, mut pair) = modules();
    let face = face(side(300_000), side(200_000));
    pair.show(&face);
    write(&chips, &mut pair, 0);
    chips[1].borrow_mut().memory = [0; 6];
    assert!(!pair.step(TM1637_REFRESH_US - 1).unwrap(), "nothing to write yet");
    write(&chips, &mut pair, TM1637_REFRESH_US);
    assert_eq!(chips[1].borrow().memory[..4], seven_segment(&face)[1]);
}

#[test]
fn only_what_changes_is_written() {
    let (chips, mut pair) = modules();
    pair.show(&face(side(300_000), side(200_000)));
    write(&chips, &mut pair, 0);
    let before = chips[1].borrow().last_edge_ns;
    pair.show(&face(side(299_000), side(200_000)));
    write(&chips, &mut pair, 1);
    assert_eq!(chips[1].borrow().last_edge_ns, before, "Black's module is left alone");
    // One byte a step: nine clocks, start and stop.
    assert!(11 * 2 * u64::from(TM1637_HALF_CLOCK_NS) < LONGEST_STEP_NS);
}

/// An HD44780 behind a PCF8574.
struct Lcd {
    lines: u8,
    eight_lines: bool,
    /// The upper half of a byte whose lower half is to come.
    half: Option<u8>,
    memory: [[u8; 40]; 2],
    cursor: (usize, usize),
    on: bool,
    two_rows: bool,
    back_light: bool,
    now_us: u64,
    busy_until_us: u64,
    unplugged: bool,
}

impl Lcd {
    /// One that thinks it has eight lines, or four, perhaps in the middle of a byte.
    fn new(eight_lines: bool, half: Option<u8>) -> Self {
        Self {
            lines: 0,
            eight_lines,
            half,
            memory: [[b'?'; 40]; 2],
            cursor: (0, 0),
            on: false,
            two_rows: false,
            back_light: false,
            now_us: 0,
            busy_until_us: 0,
            unplugged: false,
        }
    }

    fn set(&mut self, lines: u8) {
        assert_eq!(lines & 0x02, 0, "it is never read");
        self.back_light = lines & 0x08 != 0;
        if self.lines & 0x04 != 0 && lines & 0x04 == 0 {
            self.take(self.lines);
        }
        self.lines = lines;
    }

    fn take(&mut self, lines: u8) {
        let upper = lines & 0xf0;
        let byte = match (self.eight_lines, self.half.take()) {
            (true, _) => upper,
            (false, None) => {
                self.half = Some(upper);
                return;
            }
            (false, Some(first)) => first | upper >> 4,
        };
        assert!(self.now_us >= self.busy_until_us, "told something while it was busy");
        if lines & 1 == 1 {
            let (row, column) = self.cursor;
            self.memory[row][column] = byte;
            self.cursor = (row, (column + 1) % 40);
            return;
        }
        match byte {
            0x80.. => self.cursor = (usize::from(byte >> 6 & 1), usize::from(byte & 0x3f)),
            0x20..=0x3f => {
                self.busy_until_us = self.now_us + 4_100;
                self.eight_lines = byte & 0x10 != 0;
                self.two_rows = byte & 0x08 != 0;
                if !self.eight_lines && byte & 0x0f != 0 {
                    self.busy_until_us = 0;
                }
            }
            0x08..=0x0f => self.on = byte & 4 != 0,
            0x04..=0x07 => assert_eq!(byte, 6),
            0x01 => {
                self.memory = [[b' '; 40]; 2];
                self.cursor = (0, 0);
                self.busy_until_us = self.now_us + 1_530;
            }
            // An address of another memory: the end of the commands from before it lost its step.
            0x40..=0x7f => {}
            other => panic!("{other:02x} was not expected"),
        }
    }

    fn rows(&self) -> [[u8; 16]; 2] {
        self.memory.map(|row| row[..16].try_into().unwrap())
    }
}

struct Bus(Rc<RefCell<Lcd>>);

impl i2c::ErrorType for Bus {
    type Error = i2c::ErrorKind;
}

impl I2c for Bus {
    fn transaction(
        &mut self,
        address: u8,
        operations: &mut [Operation<'_>],
    ) -> Result<(), i2c::ErrorKind> {
        let mut lcd = self.0.borrow_mut();
        if lcd.unplugged || address != PCF8574_ADDRESS {
            return Err(i2c::ErrorKind::NoAcknowledge(i2c::NoAcknowledgeSource::Address));
        }
        for operation in operations {
            let Operation::Write(bytes) = operation else { panic!("it is never read") };
            // At 100 kHz nine bits take 90 µs; with the address, five bytes are below half a millisecond.
            assert!(bytes.len() <= 4);
            bytes.iter().for_each(|&lines| lcd.set(lines));
        }
        Ok(())
    }
}

#[test]
fn a_display_that_was_pulled_and_plugged_in_is_begun_anew() {
    let lcd = Rc::new(RefCell::new(Lcd::new(true, None)));
    let mut display = Hd44780::new(Bus(lcd.clone()), PCF8574_ADDRESS);
    let face = face(side(300_000), side(200_000));
    display.show(&face);
    let mut errors = 0;
    for step in 0..4_000_u64 {
        let now_us = step * 1_000;
        {
            let mut lcd = lcd.borrow_mut();
            lcd.now_us = now_us;
            match step {
                500 => lcd.unplugged = true,
                // It comes back without power: eight lines, nothing shown.
                1_000 => *lcd = Lcd { now_us, ..Lcd::new(true, None) },
                _ => {}
            }
        }
        if step == 600 {
            display.show(&Face { lit: false, showing: Showing::Paused, ..face });
        }
        errors += u32::from(display.step(now_us).is_err());
    }
    assert!((1..10).contains(&errors), "{errors}");
    assert_eq!(
        lcd.borrow().rows(),
        characters(&Face { lit: false, showing: Showing::Paused, ..face })
    );
}
