//! The serial ports: opened, kept open, and what their nodes say handed to the tables.
//!
//! One task a port. What is wrong at one port is said once in plain words, with the port, the table
//! and what to do, and again now and then; the other ports go on. A port that is lost is opened again
//! with a bounded pause; a node keeps its events meanwhile. What bytes mean is the [drivers](crate::drivers)'
//! business.
//!
//! Besides the ports of the configuration, devices that match its patterns are opened as they are plugged in, and
//! whoever says there that it is a node of the configuration has its place: a node is known by its id, not by its port.

mod device_store;
mod discovery;
mod kernel_rs485;
mod open;
mod port;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};

use hub_core::drivers::DriverSettings;
use hub_core::drivers::certabo::rfid::TagBook;
use hub_core::port::{About, Discovery, NewDriver, Place};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

pub use discovery::{find, is_same};
pub use hub_core::input::{INPUTS_MAX, NodeInput};
pub use hub_core::request::{Naming, NodeRequest};
pub use open::{OpenError, Stream, open};

use crate::SharedHub;
use crate::config::{Config, Node};
use crate::gpio::Direction;
use crate::journal::{JournalError, Reader};
use crate::liveness::Liveness;
use crate::notices;
use device_store::DeviceStore;
pub(crate) use device_store::write_whole;
use discovery::{Devices, LOOK_EVERY, devices, listed};
use port::{HalfDuplex, PortTask, Shared};

/// What the ports are made of.
#[derive(Debug)]
pub struct PortsOptions {
    /// The hub's core, with its tables.
    pub hub: SharedHub,
    /// What nodes are asked.
    pub requests: mpsc::Receiver<NodeRequest>,
    /// Where the ports show that they move.
    pub liveness: Liveness,
    /// Pins that switch the direction of half-duplex lines.
    pub directions: HashMap<PathBuf, Direction>,
}

/// Serves all ports of a configuration until `shutdown`.
///
/// # Errors
///
/// When the journal cannot say how far the nodes' events are committed.
pub async fn run(
    config: &Config,
    reader: &Reader,
    options: PortsOptions,
    shutdown: CancellationToken,
) -> Result<(), JournalError> {
    let PortsOptions { hub, requests, liveness, directions } = options;
    let store = DeviceStore::beside(&config.journal);
    register(config, reader, &store, &hub).await?;
    let shared = Shared { hub, store, devices: Devices::default() };
    let mut ports = Ports { shared, liveness, shutdown, tasks: JoinSet::new() };
    let configured = by_port(config);
    let by_kernel = config.gpio.rs485.iter().filter(|line| line.direction.is_none());
    let by_kernel: BTreeSet<&Path> = by_kernel.map(|line| line.port.as_path()).collect();
    ports.start_configured(&configured, directions, &by_kernel);
    let configured: Vec<PathBuf> = configured.into_keys().map(Path::to_owned).collect();
    ports.serve(&config.ports, &configured, requests).await;
    Ok(())
}

/// Tells the core of every node's place, and how far its events are in the journal.
async fn register(
    config: &Config,
    reader: &Reader,
    store: &DeviceStore,
    hub: &SharedHub,
) -> Result<(), JournalError> {
    for table in &config.tables {
        for node in &table.nodes {
            let (resume, kept) = (reader.resume_point(&node.id).await?, store.kept(&node.id));
            let place = Place { table: table.name.clone(), node: node.clone() };
            hub.with(|hub| hub.add_node(place, resume, kept));
        }
    }
    Ok(())
}

/// The ports that are served.
struct Ports {
    shared: Shared,
    liveness: Liveness,
    shutdown: CancellationToken,
    tasks: JoinSet<PathBuf>,
}

impl Ports {
    /// Starts the ports that the configuration names.
    fn start_configured(
        &mut self,
        configured: &BTreeMap<&Path, Vec<(&str, &Node)>>,
        mut directions: HashMap<PathBuf, Direction>,
        by_kernel: &BTreeSet<&Path>,
    ) {
        let book = TagBook::default();
        for (path, nodes) in configured {
            let meant_for: Vec<String> = nodes
                .iter()
                .map(|(table, node)| format!("table {table}, {} {}", node.kind, node.board))
                .collect();
            let devices = nodes.iter().map(|(_, node)| &node.driver);
            let devices: Vec<DriverSettings> = devices.cloned().collect();
            let book = book.clone();
            let driver: NewDriver =
                Box::new(move || DriverSettings::driver_of_line(devices.iter(), &book));
            let half_duplex = match directions.remove(*path) {
                Some(pin) => HalfDuplex::ByPin(pin),
                None if by_kernel.contains(path) => HalfDuplex::ByKernel,
                None => HalfDuplex::No,
            };
            self.start((*path).to_owned(), Some(meant_for.join("; ")), half_duplex, driver);
        }
    }

    fn start(
        &mut self,
        path: PathBuf,
        meant_for: Option<String>,
        half_duplex: HalfDuplex,
        driver: NewDriver,
    ) {
        let heartbeat = self.liveness.task(heartbeat_name(&path));
        let about = About { path, meant_for, rate: self.shared.hub.clock().rate() };
        let port = PortTask::new(about, half_duplex, self.shared.clone(), driver, heartbeat);
        self.tasks.spawn(port.run(self.shutdown.clone()));
    }

    /// Looks for new devices and hands on requests until the hub stops, then waits for the ports.
    async fn serve(
        mut self,
        patterns: &[String],
        configured: &[PathBuf],
        mut requests: mpsc::Receiver<NodeRequest>,
    ) {
        let mut discovery = Discovery::default();
        let mut looks = tokio::time::interval(LOOK_EVERY);
        looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let heartbeat = self.liveness.task("ports");
        loop {
            tokio::select! {
                request = requests.recv() => match request {
                    Some(request) => self.shared.hub.ask(request),
                    None => break,
                },
                _ = looks.tick() => {
                    heartbeat.beat();
                    for path in discovery.take(listed(patterns), &devices(configured)) {
                        // A port that was found is watched like any other, for as long as it is served.
                        self.start(path, None, HalfDuplex::No, Box::new(|| DriverSettings::default().driver()));
                    }
                }
                Some(ended) = self.tasks.join_next() => match ended {
                    Ok(path) => {
                        self.liveness.leave(&heartbeat_name(&path));
                        discovery.ended(&path);
                    }
                    // What a driver does wrong is caught in its port. Whatever else failed is a defect of the hub, which starts anew.
                    Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
                    Err(_) => {}
                },
                () = self.shutdown.cancelled() => break,
            }
        }
        while self.tasks.join_next().await.is_some() {}
    }
}

fn heartbeat_name(path: &Path) -> String {
    format!("port {}", path.display())
}

/// The ports of a configuration and the nodes it expects there, each with its table.
fn by_port(config: &Config) -> BTreeMap<&Path, Vec<(&str, &Node)>> {
    let mut ports = BTreeMap::<&Path, Vec<(&str, &Node)>>::new();
    for table in &config.tables {
        for node in &table.nodes {
            if let Some(port) = &node.port {
                ports.entry(port).or_default().push((&table.name, node));
            }
        }
    }
    ports
}
