//! The serial ports: opened, kept open, and what their nodes say handed to the tables.
//!
//! One task a port. What is wrong at one port is said once in plain words, with the port, the table
//! and what to do, and again now and then; the other ports go on. A port that is lost is opened again
//! with a bounded pause; a node keeps its events meanwhile. What bytes mean is the [drivers](crate::drivers)'
//! business.
//!
//! Besides the ports of the configuration, devices that match its patterns are opened as they are plugged in, and
//! whoever says there that it is a node of the configuration has its place: a node is known by its id, not by its port.

mod bound;
mod complaint;
mod discovery;
mod open;
mod port;
mod readings;
mod registry;
mod request;
mod shelf;

use std::collections::{BTreeMap, HashMap};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proto::link::{CommandOutcome, HubTime};
use rules::BoardId;
use tokio::sync::{broadcast, mpsc, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

pub use discovery::{find, is_same};
pub use open::{OpenError, open};
pub use readings::{NodeReadings, TimedReading};
pub use request::{Naming, NodeRequest};

use crate::HubClock;
use crate::config::{Config, Node};
use crate::drivers::certabo::rfid::TagBook;
use crate::drivers::{DriverSettings, Memory};
use crate::gpio::Direction;
use crate::journal::{JournalError, NodeProgress, Reader};
use crate::orders::Order;
use crate::progress::Progress;
use crate::record::NodeState;
use discovery::{Devices, Discovery, LOOK_EVERY};
use port::{About, NewDriver, Port};
use registry::{Place, Registry};
use shelf::Shelf;

/// Inputs that may wait for a table; then its ports stop reading, and its nodes keep their events.
pub const INPUTS_MAX: usize = 256;

/// What a port tells a table.
#[derive(Debug)]
pub enum NodeInput {
    /// A node read something.
    Readings {
        /// The board it belongs to.
        board: BoardId,
        /// What it read, in order of time.
        readings: Vec<TimedReading>,
        /// What to acknowledge when this is committed.
        progress: Option<NodeProgress>,
    },
    /// All that a node read before a time has been told.
    Heard {
        /// The node.
        node_id: String,
        /// Until when.
        until: HubTime,
    },
    /// A node came, went, or is not to be trusted.
    State {
        /// The node.
        node_id: String,
        /// The board it belongs to.
        board: BoardId,
        /// When.
        at: HubTime,
        /// How it is now.
        state: NodeState,
        /// What happened, in words.
        detail: String,
    },
    /// What directors want to happen at the table.
    Order(Order),
    /// How a node names the command of an order.
    Named {
        /// The order.
        order_id: u64,
        /// Its name, if it has one.
        naming: Naming,
    },
    /// How the command of an order ended.
    Commanded {
        /// The order.
        order_id: u64,
        /// How.
        outcome: CommandOutcome,
    },
}

/// A table as its ports see it.
#[derive(Clone, Debug)]
pub struct TableEnd {
    /// Where its inputs go.
    pub inputs: mpsc::Sender<NodeInput>,
    /// Until when it wants to hear all of its nodes.
    pub wanted: watch::Receiver<HubTime>,
}

/// What the ports are made of.
#[derive(Debug)]
pub struct PortsOptions {
    /// Hub time.
    pub clock: HubClock,
    /// The tables of the configuration, in its order.
    pub tables: Vec<TableEnd>,
    /// What nodes are asked.
    pub requests: mpsc::Receiver<NodeRequest>,
    /// Where the ports show that they move.
    pub progress: Progress,
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
    let registry = Arc::new(Registry::default());
    let shelf = Shelf::beside(&config.journal);
    let book = TagBook::default();
    let (asked, _) = broadcast::channel(INPUTS_MAX);
    let mut tasks: JoinSet<PathBuf> = JoinSet::new();
    for (table, end) in config.tables.iter().zip(&options.tables) {
        for node in &table.nodes {
            let resume = reader.resume_point(&node.id).await?;
            let memory = Memory::New { resume, kept: shelf.kept(&node.id) };
            let (table, node, end) = (table.name.clone(), node.clone(), end.clone());
            registry.add(Place { table, node, end }, memory);
        }
    }
    drop(options.tables);
    let shared = Shared { registry, shelf, devices: Devices::default(), clock: options.clock };
    let mut directions = options.directions;
    let configured = by_port(config);
    for (path, nodes) in &configured {
        let meant_for: Vec<String> = nodes
            .iter()
            .map(|(table, node)| format!("table {table}, {} {}", node.kind, node.board))
            .collect();
        let devices = nodes.iter().map(|(_, node)| &node.driver);
        let devices: Vec<DriverSettings> = devices.cloned().collect();
        let book = book.clone();
        let driver: NewDriver =
            Box::new(move || DriverSettings::driver_of_line(devices.iter(), &book));
        let direction = directions.remove(*path);
        let meant_for = Some(meant_for.join("; "));
        let about = About { path: (*path).to_owned(), meant_for, direction };
        let beat = options.progress.task(format!("port {}", path.display()));
        let port = Port::new(about, shared.clone(), driver, beat);
        tasks.spawn(port.run(asked.subscribe(), shutdown.clone()));
    }
    let configured = configured.into_keys().map(Path::to_owned).collect();
    let mut discovery = Discovery::new(&config.ports, configured);
    let mut looks = tokio::time::interval(LOOK_EVERY);
    looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let beat = options.progress.task("ports");
    let mut requests = options.requests;
    loop {
        tokio::select! {
            request = requests.recv() => match request {
                // Nobody listens while no port is open.
                Some(request) => drop(asked.send(request)),
                None => break,
            },
            _ = looks.tick() => {
                beat.beat();
                for path in discovery.look() {
                    let driver: NewDriver = Box::new(|| DriverSettings::default().driver());
                    // A port that was found is watched like any other, for as long as it is served.
                    let beat = options.progress.task(format!("port {}", path.display()));
                    let about = About { path, meant_for: None, direction: None };
                    let port = Port::new(about, shared.clone(), driver, beat);
                    tasks.spawn(port.run(asked.subscribe(), shutdown.clone()));
                }
            }
            Some(ended) = tasks.join_next() => match ended {
                Ok(path) => {
                    options.progress.leave(&format!("port {}", path.display()));
                    discovery.ended(&path);
                }
                // What a driver does wrong is caught in its port. Whatever else failed is a defect of the hub, which starts anew.
                Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
                Err(_) => {}
            },
            () = shutdown.cancelled() => break,
        }
    }
    while tasks.join_next().await.is_some() {}
    Ok(())
}

/// What all ports share.
#[derive(Clone)]
struct Shared {
    registry: Arc<Registry>,
    shelf: Shelf,
    devices: Devices,
    clock: HubClock,
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
