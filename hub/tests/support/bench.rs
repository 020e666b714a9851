//! The serial lines of a table in virtual time: simulated devices, their drivers, and the bytes between them, which take
//! the time that the line and the hub's adapter need.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]

use std::collections::{BTreeMap, VecDeque};

use hub::HubTime;
use hub::config::Table;
use hub::drivers::certabo::rfid::TagBook;
use hub::drivers::{ConnectionState, Driver, DriverSettings, Output, Unit};
use readings::ReadingKind;
use rules::BoardId;
use sim::devices::SerialDevice;

/// A reading of a board in hub time, microseconds.
pub type Timed = (u64, BoardId, ReadingKind);
/// What may happen to bytes on their way to the hub.
pub type Noise = Box<dyn FnMut(Vec<u8>) -> Vec<u8>>;

/// Bits of a byte on the line: a start bit, eight of data (or seven and parity), a stop bit.
const BITS_PER_BYTE: u64 = 10;
/// A USB adapter hands on what has arrived at each of these intervals.
const ADAPTER_US: u64 = 16_000;
/// Longest step of virtual time.
const STEP_US: u64 = 20_000;

/// One direction of a line.
struct Way {
    byte_us: u64,
    handed_on_every_us: u64,
    /// When the line has sent what it was given.
    free_us: u64,
    bytes: VecDeque<(u64, u8)>,
}

impl Way {
    fn new(baud: u32, handed_on_every_us: u64) -> Way {
        let byte_us = BITS_PER_BYTE * 1_000_000 / u64::from(baud);
        Way { byte_us, handed_on_every_us, free_us: 0, bytes: VecDeque::new() }
    }

    fn send(&mut self, now_us: u64, bytes: &[u8]) {
        for &byte in bytes {
            self.free_us = self.free_us.max(now_us) + self.byte_us;
            self.bytes.push_back((self.free_us.next_multiple_of(self.handed_on_every_us), byte));
        }
    }

    fn receive(&mut self, now_us: u64) -> Vec<u8> {
        let arrived = self.bytes.partition_point(|&(at_us, _)| at_us <= now_us);
        self.bytes.drain(..arrived).map(|(_, byte)| byte).collect()
    }

    fn next_due_us(&self) -> u64 {
        self.bytes.front().map_or(u64::MAX, |&(at_us, _)| at_us)
    }
}

/// A line: its device, and the driver at the hub's end.
struct Line {
    device: Box<dyn SerialDevice>,
    settings: Vec<DriverSettings>,
    boards: BTreeMap<Unit, BoardId>,
    driver: Box<dyn Driver>,
    to_device: Way,
    to_hub: Way,
    noise: Option<Noise>,
    plugged_in: bool,
    admitted: Vec<Unit>,
    memories: BTreeMap<Unit, ConnectionState>,
    /// What the shell keeps on disk.
    kept: BTreeMap<Unit, String>,
}

/// The lines of a table.
pub struct Bench {
    table: Table,
    lines: Vec<Line>,
    book: TagBook,
    now_us: u64,
    readings: Vec<Timed>,
}

impl Bench {
    /// A table without lines yet, at time 0.
    pub fn new(table: Table) -> Bench {
        let (lines, book, readings) = (Vec::new(), TagBook::default(), Vec::new());
        Bench { table, lines, book, now_us: 0, readings }
    }

    /// Plugs in a device with the boards that the table has at the port of that name.
    pub fn attach(&mut self, port: &str, device: Box<dyn SerialDevice>, noise: Option<Noise>) {
        let here = |node: &&hub::config::Node| {
            node.port.as_deref().is_some_and(|path| path.ends_with(port))
        };
        let nodes: Vec<_> = self.table.nodes.iter().filter(here).collect();
        let settings: Vec<_> = nodes.iter().map(|node| node.driver.clone()).collect();
        let unit = |driver: &DriverSettings| match driver {
            DriverSettings::DgtBus(address, _) => Unit(*address),
            _ => Unit::ONLY,
        };
        let boards = nodes.iter().map(|node| (unit(&node.driver), node.board)).collect();
        let driver = DriverSettings::driver_of_line(settings.iter(), &self.book);
        let baud = driver.line().baud;
        let mut line = Line {
            device,
            settings,
            boards,
            driver,
            to_device: Way::new(baud, 1),
            to_hub: Way::new(baud, ADAPTER_US),
            noise,
            plugged_in: true,
            admitted: Vec::new(),
            memories: BTreeMap::new(),
            kept: BTreeMap::new(),
        };
        line.driver.opened(HubTime::from_micros(self.now_us));
        self.lines.push(line);
    }

    /// Lets time pass.
    pub fn run_until(&mut self, until_us: u64) {
        while self.now_us < until_us {
            for line in &mut self.lines {
                line.exchange(self.now_us, &mut self.readings);
            }
            let due_us = self.lines.iter().map(Line::next_due_us).min().unwrap_or(u64::MAX);
            self.now_us = due_us.clamp(self.now_us + 1, self.now_us + STEP_US).min(until_us);
        }
    }

    /// Pulls a line's plug: the device loses its power.
    pub fn pull(&mut self, line: usize) {
        let line = &mut self.lines[line];
        line.plugged_in = false;
        line.device.power_off();
        line.to_device.bytes.clear();
        line.to_hub.bytes.clear();
        for unit in line.admitted.drain(..) {
            let memory = line.driver.release(unit);
            line.memories.insert(unit, memory);
        }
    }

    /// Plugs it in again.
    pub fn plug_in(&mut self, line: usize) {
        let now = HubTime::from_micros(self.now_us);
        let line = &mut self.lines[line];
        line.plugged_in = true;
        line.driver.opened(now);
    }

    /// The hub is killed and starts again: what the drivers know is lost but for what they had kept on disk.
    pub fn restart_hub(&mut self) {
        self.book = TagBook::default();
        let now = HubTime::from_micros(self.now_us);
        for line in &mut self.lines {
            line.admitted.clear();
            line.memories.clear();
            line.to_hub.bytes.clear();
            line.driver = DriverSettings::driver_of_line(line.settings.iter(), &self.book);
            line.driver.opened(now);
        }
    }

    /// What the boards have said until now, in the order of time.
    pub fn into_readings(self) -> Vec<Timed> {
        let mut readings = self.readings;
        readings.sort_by_key(|(at_us, ..)| *at_us);
        readings
    }
}

impl Line {
    fn next_due_us(&self) -> u64 {
        let ways = self.to_device.next_due_us().min(self.to_hub.next_due_us());
        ways.min(self.device.next_due_us()).min(self.driver.next_due().as_micros())
    }

    fn exchange(&mut self, now_us: u64, readings: &mut Vec<Timed>) {
        let now = HubTime::from_micros(now_us);
        self.device.run_until(now_us);
        if !self.plugged_in {
            return;
        }
        let mut buffer = [0; 256];
        self.device.receive(&self.to_device.receive(now_us));
        loop {
            let said = self.device.transmit(&mut buffer);
            self.to_hub.send(now_us, &buffer[..said]);
            if said == 0 {
                break;
            }
        }
        let mut arrived = self.to_hub.receive(now_us);
        if let Some(noise) = &mut self.noise {
            arrived = noise(arrived);
        }
        self.driver.receive(now, &arrived);
        if self.driver.next_due() <= now {
            self.driver.poll(now);
        }
        self.take(readings);
        loop {
            let asked = self.driver.transmit(&mut buffer);
            self.to_device.send(now_us, &buffer[..asked]);
            if asked == 0 {
                break;
            }
        }
    }

    fn take(&mut self, readings: &mut Vec<Timed>) {
        while let Some(output) = self.driver.poll_output() {
            match output {
                Output::Present(device) if !self.admitted.contains(&device.unit) => {
                    let unit = device.unit;
                    self.admitted.push(unit);
                    let new = || ConnectionState::New {
                        resume: None,
                        kept: self.kept.get(&unit).cloned(),
                    };
                    let memory = self.memories.remove(&unit).unwrap_or_else(new);
                    self.driver.admit(unit, memory);
                }
                Output::Readings { unit, readings: said, .. } => {
                    if let Some(&board) = self.boards.get(&unit) {
                        let said = said.into_iter();
                        readings.extend(said.map(|(at, kind)| (at.as_micros(), board, kind)));
                    }
                }
                Output::Persist { unit, text } => {
                    self.kept.insert(unit, text);
                }
                _ => {}
            }
        }
    }
}
