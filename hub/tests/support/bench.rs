//! The serial lines of a table in virtual time: simulated devices, the hub's core, and the bytes between them, which take
//! the time that the line and the hub's adapter need.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hub::HubTime;
use hub::config::TableConfig;
use hub::drivers::certabo::rfid::TagBook;
use hub::drivers::{DriverSettings, Transport};
use hub::session::tracker;
use hub_core::hub::{Hub, HubInput, HubOutput, Id, PortId, TableId};
use hub_core::input::NodeInput;
use hub_core::journal::Recovered;
use hub_core::port::{About, NewDriver, OpenProblem, Place, PortInput};
use hub_core::table::{Recovery, TableSettings};
use link_sim::line::{Jitter, LineSpeed, WhenUnplugged};
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
const ADAPTER: Jitter = Jitter::Timer(16_000);
/// Longest step of virtual time.
const STEP_US: u64 = 20_000;

/// One direction of a line at this speed.
fn way(baud: u32, jitter: Jitter) -> link_sim::Line {
    let byte_ns = BITS_PER_BYTE * 1_000_000_000 / u64::from(baud);
    let (queue_bytes, receive_bytes) = (usize::MAX, usize::MAX);
    let speed = LineSpeed { byte_ns, latency_us: 0, jitter, queue_bytes, receive_bytes };
    link_sim::Line::new(0, speed, WhenUnplugged::Lost, &[])
}

/// A line: its device, and the port at the hub's end.
struct Line {
    path: PathBuf,
    device: Box<dyn SerialDevice>,
    settings: Vec<DriverSettings>,
    port: PortId,
    to_device: link_sim::Line,
    to_hub: link_sim::Line,
    noise: Option<Noise>,
    plugged_in: bool,
}

/// The hub's process, and what it has on its disk.
struct Process {
    core: Hub,
    table: TableId,
    book: TagBook,
    /// State of each device.
    kept: BTreeMap<String, String>,
    readings: Vec<Timed>,
}

/// The lines of a table.
pub struct Bench {
    table: TableConfig,
    lines: Vec<Line>,
    hub: Process,
    now_us: u64,
}

impl Bench {
    /// A table without lines yet, at time 0.
    pub fn new(table: TableConfig) -> Bench {
        let hub = Process::start(&table, BTreeMap::new(), Vec::new());
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
        let port = self.hub.add_port(&path, &settings, self.now_us);
        let baud = self.hub.core.line(port).unwrap().baud;
        let (to_device, to_hub) = (way(baud, Jitter::Uniform(0)), way(baud, ADAPTER));
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
            let due_us = self.lines.iter().map(|line| line.next_due_us(&self.hub)).min();
            let due_us = due_us.unwrap_or(u64::MAX);
            self.now_us = due_us.clamp(self.now_us + 1, self.now_us + STEP_US).min(until_us);
        }
    }

    /// Pulls a line's plug: the device loses its power.
    pub fn pull(&mut self, line: usize) {
        let line = &mut self.lines[line];
        line.plugged_in = false;
        line.device.power_off();
        line.to_device.receive(u64::MAX);
        line.to_hub.receive(u64::MAX);
        line.handle(self.now_us, &mut self.hub, PortInput::Lost("unplugged".to_owned()));
    }

    /// Plugs it in again; the port finds it when it looks.
    pub fn plug_in(&mut self, line: usize) {
        self.lines[line].plugged_in = true;
    }

    /// Kills the hub and starts it again: it has only its state on disk.
    pub fn restart_hub(&mut self) {
        let Process { kept, readings, .. } = &mut self.hub;
        let (kept, readings) = (std::mem::take(kept), std::mem::take(readings));
        self.hub = Process::start(&self.table, kept, readings);
        for line in &mut self.lines {
            line.to_hub.receive(u64::MAX);
            line.port = self.hub.add_port(&line.path, &line.settings, self.now_us);
        }
    }

    /// Readings of the boards until now, in the order of time.
    pub fn into_readings(self) -> Vec<Timed> {
        let mut readings = self.hub.readings;
        readings.sort_by_key(|(at_us, ..)| *at_us);
        readings
    }
}

impl Process {
    fn start(table: &TableConfig, kept: BTreeMap<String, String>, readings: Vec<Timed>) -> Process {
        let mut core = Hub::default();
        for node in &table.nodes {
            let place = Place { table: table.name.clone(), node: node.clone() };
            core.add_node(place, None, kept.get(&node.id).cloned());
        }
        let settings = TableSettings {
            hub_id: "hub-1".to_owned(),
            table: table.clone(),
            release: "test".to_owned(),
            rate: 1.0,
            follower: tracker,
        };
        let recovery = Recovery::new(settings, &Recovered::default());
        let made = recovery.finish(HubTime::ZERO, Vec::new(), Vec::new());
        let table = core.add_table(&table.name, made);
        Process { core, table, book: TagBook::default(), kept, readings }
    }

    fn add_port(&mut self, path: &Path, settings: &[DriverSettings], now_us: u64) -> PortId {
        let (settings, book) = (settings.to_vec(), self.book.clone());
        let driver: NewDriver =
            Box::new(move || DriverSettings::driver_of_line(settings.iter(), &book));
        let meant_for = Some("table 1".to_owned());
        let about = About { path: path.to_owned(), meant_for, rate: 1.0 };
        self.core.add_port(about, driver, HubTime::from_micros(now_us))
    }

    /// Takes the table's inputs in its place: no session has them.
    fn take_readings(&mut self, now: HubTime) {
        let Some(mut turn) = self.core.begin(self.table) else { return };
        for input in std::mem::take(&mut turn.inputs) {
            if let NodeInput::Readings { board, readings, .. } = input {
                let said = readings.into_iter();
                self.readings.extend(said.map(|(at, kind)| (at.as_micros(), board, kind)));
            }
        }
        self.core.end(now, turn);
    }
}

impl Line {
    fn next_due_us(&self, hub: &Process) -> u64 {
        let arrivals = [self.to_device.next_arrival_us(), self.to_hub.next_arrival_us()];
        let port = hub.core.poll_timeout(Id::Port(self.port)).map(HubTime::as_micros);
        let due = arrivals.into_iter().chain([port, Some(self.device.next_due_us())]).flatten();
        due.min().unwrap_or(u64::MAX)
    }

    fn exchange(&mut self, now_us: u64, hub: &mut Process) {
        self.device.run_until(now_us);
        let mut arrived = Vec::new();
        let mut buffer = [0; 256];
        if self.plugged_in {
            self.device.receive(&self.to_device.receive(now_us));
            loop {
                let said = self.device.transmit(&mut buffer);
                send(&mut self.to_hub, now_us, &buffer[..said]);
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
            self.handle(now_us, hub, PortInput::Received(&arrived));
        }
        self.handle(now_us, hub, PortInput::Time);
        loop {
            let asked = hub.core.transmit(HubTime::from_micros(now_us), self.port, &mut buffer);
            send(&mut self.to_device, now_us, &buffer[..asked]);
            if asked == 0 {
                break;
            }
        }
    }

    fn handle(&self, now_us: u64, hub: &mut Process, input: PortInput<'_>) {
        let now = HubTime::from_micros(now_us);
        hub.core.handle(now, HubInput::Port(self.port, input));
        while let Some(output) = hub.core.poll_output(Id::Port(self.port)) {
            match output {
                HubOutput::Open => {
                    let opened = match self.plugged_in {
                        true => PortInput::Opened(Transport::Uart),
                        false => PortInput::NotOpened(OpenProblem::Absent),
                    };
                    hub.core.handle(now, HubInput::Port(self.port, opened));
                }
                HubOutput::Persist { node_id, text } => drop(hub.kept.insert(node_id, text)),
                _ => {}
            }
        }
        hub.take_readings(now);
    }
}

/// Bytes go on the line one by one: half a message may arrive.
fn send(line: &mut link_sim::Line, now_us: u64, bytes: &[u8]) {
    bytes.iter().for_each(|byte| line.send(now_us, &[*byte]));
}
