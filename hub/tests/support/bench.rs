//! The serial lines of a table in virtual time: simulated devices, the hub's ports, and the bytes between them, which take
//! the time that the line and the hub's adapter need.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]

use std::collections::{BTreeMap, VecDeque};

use std::path::{Path, PathBuf};

use hub::HubTime;
use hub::config::Table;
use hub::drivers::certabo::rfid::TagBook;
use hub::drivers::{DriverSettings, Transport};
use hub_core::input::NodeInput;
use hub_core::port::{About, NewDriver, OpenProblem, Place, Port, PortInput, PortOutput, Registry};
use readings::ReadingKind;
use rules::BoardId;
use sim::devices::SerialDevice;

/// A reading of a board in hub time, microseconds.
pub type Timed = (u64, BoardId, ReadingKind);
/// Faults of bytes on their way to the hub.
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
    /// Time at which the line has sent its bytes.
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

/// A line: its device, and the port at the hub's end.
struct Line {
    path: PathBuf,
    device: Box<dyn SerialDevice>,
    settings: Vec<DriverSettings>,
    port: Port,
    to_device: Way,
    to_hub: Way,
    noise: Option<Noise>,
    plugged_in: bool,
}

/// State of the hub besides its ports.
#[derive(Default)]
struct Hub {
    registry: Registry,
    book: TagBook,
    /// State of each device on its disk.
    kept: BTreeMap<String, String>,
    readings: Vec<Timed>,
}

/// The lines of a table.
pub struct Bench {
    table: Table,
    lines: Vec<Line>,
    hub: Hub,
    now_us: u64,
}

impl Bench {
    /// A table without lines yet, at time 0.
    pub fn new(table: Table) -> Bench {
        let mut hub = Hub::default();
        hub.register(&table);
        Bench { table, lines: Vec::new(), hub, now_us: 0 }
    }

    /// Plugs in a device with the boards that the table has at the port of that name.
    pub fn attach(&mut self, port: &str, device: Box<dyn SerialDevice>, noise: Option<Noise>) {
        let here = |node: &&hub::config::Node| {
            node.port.as_deref().is_some_and(|path| path.ends_with(port))
        };
        let nodes: Vec<_> = self.table.nodes.iter().filter(here).collect();
        let path = nodes[0].port.clone().unwrap();
        let settings: Vec<_> = nodes.iter().map(|node| node.driver.clone()).collect();
        let now = HubTime::from_micros(self.now_us);
        let port = self.hub.port(&path, &settings, now);
        let baud = port.line().baud;
        let (to_device, to_hub) = (Way::new(baud, 1), Way::new(baud, ADAPTER_US));
        let plugged_in = true;
        self.lines.push(Line {
            path,
            device,
            settings,
            port,
            to_device,
            to_hub,
            noise,
            plugged_in,
        });
    }

    /// Lets time pass.
    pub fn run_until(&mut self, until_us: u64) {
        while self.now_us < until_us {
            for line in &mut self.lines {
                line.exchange(self.now_us, &mut self.hub);
            }
            let due_us = self.lines.iter().map(Line::next_due_us).min().unwrap_or(u64::MAX);
            self.now_us = due_us.clamp(self.now_us + 1, self.now_us + STEP_US).min(until_us);
        }
    }

    /// Pulls a line's plug: the device loses its power.
    pub fn pull(&mut self, line: usize) {
        let now = HubTime::from_micros(self.now_us);
        let line = &mut self.lines[line];
        line.plugged_in = false;
        line.device.power_off();
        line.to_device.bytes.clear();
        line.to_hub.bytes.clear();
        line.handle(now, &mut self.hub, PortInput::Lost("unplugged".to_owned()));
    }

    /// Plugs it in again; the port finds it when it looks.
    pub fn plug_in(&mut self, line: usize) {
        self.lines[line].plugged_in = true;
    }

    /// Kills the hub and starts it again: it has only its state on disk.
    pub fn restart_hub(&mut self) {
        let now = HubTime::from_micros(self.now_us);
        self.hub.registry = Registry::default();
        self.hub.book = TagBook::default();
        self.hub.register(&self.table);
        for line in &mut self.lines {
            line.to_hub.bytes.clear();
            line.port = self.hub.port(&line.path, &line.settings, now);
        }
    }

    /// Readings of the boards until now, in the order of time.
    pub fn into_readings(self) -> Vec<Timed> {
        let mut readings = self.hub.readings;
        readings.sort_by_key(|(at_us, ..)| *at_us);
        readings
    }
}

impl Hub {
    /// Gives every node of the table its place.
    fn register(&mut self, table: &Table) {
        for node in &table.nodes {
            let place = Place { table: table.name.clone(), node: node.clone() };
            self.registry.add(place, None, self.kept.get(&node.id).cloned());
        }
    }

    fn port(&self, path: &Path, settings: &[DriverSettings], now: HubTime) -> Port {
        let (settings, book) = (settings.to_vec(), self.book.clone());
        let driver: NewDriver =
            Box::new(move || DriverSettings::driver_of_line(settings.iter(), &book));
        let meant_for = Some("table 1".to_owned());
        Port::new(About { path: path.to_owned(), meant_for, rate: 1.0 }, driver, now)
    }
}

impl Line {
    fn next_due_us(&self) -> u64 {
        let ways = self.to_device.next_due_us().min(self.to_hub.next_due_us());
        let port = self.port.poll_timeout().map_or(u64::MAX, HubTime::as_micros);
        ways.min(self.device.next_due_us()).min(port)
    }

    fn exchange(&mut self, now_us: u64, hub: &mut Hub) {
        let now = HubTime::from_micros(now_us);
        self.device.run_until(now_us);
        let mut arrived = Vec::new();
        let mut buffer = [0; 256];
        if self.plugged_in {
            self.device.receive(&self.to_device.receive(now_us));
            loop {
                let said = self.device.transmit(&mut buffer);
                self.to_hub.send(now_us, &buffer[..said]);
                if said == 0 {
                    break;
                }
            }
            arrived = self.to_hub.receive(now_us);
        }
        if let Some(noise) = &mut self.noise {
            arrived = noise(arrived);
        }
        if !arrived.is_empty() {
            self.handle(now, hub, PortInput::Received(&arrived));
        }
        self.handle(now, hub, PortInput::Time);
        loop {
            let asked = self.port.transmit(now, &mut hub.registry, &mut buffer);
            self.to_device.send(now_us, &buffer[..asked]);
            if asked == 0 {
                break;
            }
        }
    }

    fn handle(&mut self, now: HubTime, hub: &mut Hub, input: PortInput<'_>) {
        self.port.handle(now, &mut hub.registry, input);
        while let Some(output) = self.port.poll_output() {
            match output {
                PortOutput::Open => {
                    let opened = match self.plugged_in {
                        true => PortInput::Opened(Transport::Uart),
                        false => PortInput::NotOpened(OpenProblem::Absent),
                    };
                    self.port.handle(now, &mut hub.registry, opened);
                }
                PortOutput::ToTable {
                    input: NodeInput::Readings { board, readings, .. }, ..
                } => {
                    let said = readings.into_iter();
                    hub.readings.extend(said.map(|(at, kind)| (at.as_micros(), board, kind)));
                }
                PortOutput::Left(left) => hub.registry.take_back(*left),
                PortOutput::Persist { node_id, text } => drop(hub.kept.insert(node_id, text)),
                PortOutput::ToTable { .. }
                | PortOutput::Close
                | PortOutput::End
                | PortOutput::Updated { .. }
                | PortOutput::Notice(_) => {}
            }
        }
    }
}
