//! Single nodes on a workbench: boards with broken switches and clocks on serial devices, for tests of nodes and not of
//! matches; and for hands that do what nobody can write down before, because it answers what a director decides.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use node_firmware::Identity;
use proto::link::{NodeId, Side, TimeControl};
use rules::{Bitboard, Square};
use tokio::{sync::mpsc, task::JoinSet, time::Instant};

use super::{
    ORDERS,
    cable::{Attachment, CableTask, Deed, Fault, HallTime, Order, Touch, boot_id, order},
    line::Line,
};
use crate::{
    PlantedFault, SimError,
    device::{Device, Stimulus, Timed},
    switch_fault::plant,
};

/// The squares of the start position.
const START: Bitboard = Bitboard(0xffff_0000_0000_ffff);
/// Slots of a tray.
const SLOTS: u8 = 16;
/// Time that broken switches stay broken.
const LIFETIME: Duration = Duration::from_secs(900);
/// Time of workbench clocks, ms.
const CLOCK_MS: u32 = 300_000;

/// A node on the workbench.
#[derive(Clone, Debug)]
pub enum WorkbenchNode {
    /// A reed board in the start position.
    Board {
        /// Its name.
        name: String,
        /// Whether it has trays.
        trays: bool,
        /// Its broken switches.
        faults: Vec<PlantedFault>,
        /// Time at which a hand begins to lift each piece and put it back, to put one on each empty place and take it away; and how long
        /// each of these takes.
        handled: Option<(Duration, Duration)>,
    },
    /// A lever clock.
    Clock {
        /// Its name.
        name: String,
        /// Time of the lever's first press, by Black, and the interval of the next ones; four presses.
        pressed: Option<(Duration, Duration)>,
    },
}

/// Nodes that are plugged in.
#[derive(Debug)]
pub struct Workbench {
    ports: Vec<PathBuf>,
    /// By name. While these are held the nodes run.
    orders: Vec<(String, mpsc::Sender<Order>)>,
    _tasks: JoinSet<()>,
}

impl Workbench {
    /// Plugs the nodes in at `folder`, each under its name. Needs a Tokio runtime. Dropping this removes the devices.
    ///
    /// # Errors
    ///
    /// If a name is none, or a device cannot be made.
    pub fn start(
        folder: &Path,
        nodes: Vec<WorkbenchNode>,
        seed: u64,
    ) -> Result<Workbench, SimError> {
        let time = HallTime { start: Instant::now(), speed: 1.0 };
        let mut bench = Workbench { ports: Vec::new(), orders: Vec::new(), _tasks: JoinSet::new() };
        for (number, node) in nodes.into_iter().enumerate() {
            let seed = seed.wrapping_add(1_000 * number as u64);
            let name = match &node {
                WorkbenchNode::Board { name, .. } | WorkbenchNode::Clock { name, .. } => {
                    name.clone()
                }
            };
            let node_id: NodeId = name.parse().map_err(|_| SimError::NodeName(name.clone()))?;
            let device = device(Identity::new(node_id, boot_id()), node, seed);
            let port = folder.join(&name);
            let line = Line::new(port.clone())?;
            let (orders, receiver) = mpsc::channel(ORDERS);
            let attachment = Attachment::Node(device);
            bench._tasks.spawn(CableTask::new(attachment, line, time, receiver).run());
            bench.orders.push((name, orders));
            bench.ports.push(port);
        }
        Ok(bench)
    }

    /// Ports of the nodes, in the given order.
    #[must_use]
    pub fn ports(&self) -> &[PathBuf] {
        &self.ports
    }

    /// A hand does something at a node; when this returns, it has happened.
    ///
    /// # Errors
    ///
    /// If there is no such node.
    pub async fn touch(&self, name: &str, touch: Touch) -> Result<(), SimError> {
        order(self.orders_of(name)?, Deed::Touch(touch)).await
    }

    /// Does something to a node or its cable; when this returns, it has happened.
    ///
    /// # Errors
    ///
    /// There is no such node, or a device cannot be made again.
    pub async fn inflict(&self, name: &str, fault: Fault) -> Result<(), SimError> {
        order(self.orders_of(name)?, Deed::Fault(fault)).await
    }

    fn orders_of(&self, name: &str) -> Result<&mpsc::Sender<Order>, SimError> {
        let found = self.orders.iter().find(|(known, _)| known == name);
        let unknown = || SimError::UnknownNode(name.to_owned());
        found.map(|(_, orders)| orders).ok_or_else(unknown)
    }
}

fn device(identity: Identity, node: WorkbenchNode, seed: u64) -> Device {
    match node {
        WorkbenchNode::Board { trays, faults, handled, .. } => {
            let touches = handled.map_or(Vec::new(), |(from, step)| handle_all(from, step, trays));
            let (squares, timeline) = plant(START, touches, &faults, us(LIFETIME), seed);
            Device::board(identity, squares, trays, timeline)
        }
        WorkbenchNode::Clock { pressed, .. } => {
            let presses = pressed.map_or(Vec::new(), |(from, step)| {
                let sides = [Side::Black, Side::White].into_iter().cycle();
                sides
                    .take(4)
                    .enumerate()
                    .map(|(n, side)| (us(from) + n as u64 * us(step), Stimulus::Lever(side)))
                    .collect()
            });
            Device::clock(identity, TimeControl::even(CLOCK_MS), false, presses)
        }
    }
}

fn us(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// One place after the other becomes what it was not, and is again what it was.
fn handle_all(from: Duration, step: Duration, trays: bool) -> Vec<Timed> {
    type Contact = Box<dyn Fn(bool) -> Stimulus>;
    let squares = Square::ALL.into_iter().map(|square| {
        let contact: Contact = Box::new(move |closed| Stimulus::Contact(square, closed));
        (contact, START.contains(square))
    });
    let slots = [Side::White, Side::Black].into_iter().filter(|_| trays).flat_map(|side| {
        (0..SLOTS).map(move |slot| {
            let contact: Contact = Box::new(move |closed| Stimulus::Slot(side, slot, closed));
            (contact, false)
        })
    });
    let places = squares.chain(slots).enumerate();
    places
        .flat_map(|(number, (contact, closed))| {
            let at = us(from) + 2 * number as u64 * us(step);
            [(at, contact(!closed)), (at + us(step), contact(closed))]
        })
        .collect()
}
