//! Single nodes on a workbench: boards with broken switches and clocks on serial devices, for tests of nodes and not of
//! matches; and for hands that do what nobody can write down before, because it answers what a director decides.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use node_firmware::Identity;
use proto::link::{NodeId, TimeControl};
use rules::Bitboard;
use tokio::{sync::mpsc, task::JoinSet, time::Instant};

use super::{
    ORDERS,
    cable::{Attachment, CableTask, Deed, Fault, HallTime, Order, Touch, boot_id, order},
    line::Line,
};
use crate::{
    PlantedFault, SimError,
    device::{Device, Timed},
    switch_fault::plant,
};

/// The squares of the start position.
const START: Bitboard = Bitboard(0xffff_0000_0000_ffff);
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
    },
    /// A lever clock.
    Clock {
        /// Its name.
        name: String,
    },
}

/// Nodes that are plugged in.
#[derive(Debug)]
pub struct Workbench {
    time: HallTime,
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
        let mut bench =
            Workbench { time, ports: Vec::new(), orders: Vec::new(), _tasks: JoinSet::new() };
        for (number, node) in nodes.into_iter().enumerate() {
            let seed = seed.wrapping_add(1_000 * number as u64);
            let name = match &node {
                WorkbenchNode::Board { name, .. } | WorkbenchNode::Clock { name } => name.clone(),
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

    /// Hands touch nodes at exactly these times from now, however busy this machine is; when this returns, they are going to.
    ///
    /// # Errors
    ///
    /// If there is no such node.
    pub async fn touch_at(&self, touches: &[(Duration, &str, Touch)]) -> Result<(), SimError> {
        let now_us = self.time.now_us();
        for (name, orders) in &self.orders {
            let of_node = touches.iter().filter(|(_, at, _)| at == name);
            let timeline: Vec<Timed> = of_node
                .map(|&(after, _, touch)| (now_us.saturating_add(us(after)), touch.stimulus()))
                .collect();
            order(orders, Deed::Stimuli(timeline)).await?;
        }
        match touches.iter().find(|(_, at, _)| self.orders_of(at).is_err()) {
            Some((_, name, _)) => Err(SimError::UnknownNode((*name).to_owned())),
            None => Ok(()),
        }
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
        WorkbenchNode::Board { trays, faults, .. } => {
            let (squares, timeline) = plant(START, Vec::new(), &faults, us(LIFETIME), seed);
            Device::board(identity, squares, trays, timeline)
        }
        WorkbenchNode::Clock { .. } => {
            Device::clock(identity, TimeControl::even(CLOCK_MS), false, Vec::new())
        }
    }
}

fn us(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
