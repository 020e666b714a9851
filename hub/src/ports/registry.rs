//! Which node has which place. A node is known by the id in its HELLO, not by its port, so nodes may
//! be plugged in anywhere; each has one place, and one port at a time.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use proto::link::ResumePoint;
use rules::BoardId;
use tokio::sync::{mpsc, watch};

use super::NodeInput;
use crate::config::{Node, NodeKind};
use crate::drivers::{BoardSenses, Device, Memory};

/// A node's place at a table.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) table: String,
    pub(super) node: Node,
    /// Where its readings go.
    pub(super) inputs: mpsc::Sender<NodeInput>,
}

/// A place that a port may serve from now on.
#[derive(Debug)]
pub(super) struct Claim {
    pub(super) place: Place,
    /// What was kept of the device.
    pub(super) memory: Memory,
    /// Told by the journal how far the device's readings are committed.
    pub(super) committed: watch::Sender<Option<ResumePoint>>,
}

#[derive(Debug)]
struct Slot {
    place: Place,
    /// The port that speaks for the device.
    port: Option<PathBuf>,
    /// Here while no port has it.
    memory: Option<Memory>,
    committed: watch::Sender<Option<ResumePoint>>,
}

/// All nodes of the hub.
#[derive(Debug, Default)]
pub(super) struct Registry {
    slots: Mutex<HashMap<String, Slot>>,
}

/// Why a port cannot speak for a node.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    #[error(
        "node {node:?} is in no table of the configuration: add it to a [[table.node]] (node = {node:?}), \
         or unplug it"
    )]
    Unknown { node: String },
    #[error(
        "node {node:?} is already connected at {first}, which keeps its place (table {table}, {kind} {board}): unplug one \
         of the two, or give this node an id of its own"
    )]
    Taken { node: String, first: String, table: String, board: BoardId, kind: NodeKind },
    #[error(
        "node {node:?} says that it is {says}, but the configuration has it as {configured} of table {table}: correct \
         the [[table.node]] of that node"
    )]
    OtherKind { node: String, says: String, configured: String, table: String },
    #[error(
        "a device that has no id of its own is here, and no [[table.node]] of the configuration has this port: \
         add one with this port, or unplug it"
    )]
    Nameless,
}

impl Registry {
    fn slots(&self) -> MutexGuard<'_, HashMap<String, Slot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a node and what is known of it.
    pub(super) fn add(&self, place: Place, memory: Memory) {
        let committed = watch::Sender::new(None);
        let slot = Slot { place, port: None, memory: Some(memory), committed };
        self.slots().insert(slot.place.node.id.clone(), slot);
    }

    /// Lets `port` speak for a device. One without an id is the node that the configuration has at that port.
    pub(super) fn claim(&self, device: &Device, port: &Path) -> Result<Claim, Refusal> {
        let mut slots = self.slots();
        let slot = match &device.id {
            Some(id) => slots.get_mut(id).ok_or_else(|| Refusal::Unknown { node: id.clone() })?,
            None => {
                let here = |slot: &&mut Slot| slot.place.node.port == port;
                slots.values_mut().find(here).ok_or(Refusal::Nameless)?
            }
        };
        let place = slot.place.clone();
        let node = place.node.id.clone();
        let (says, configured) = (describe(device), describe_configured(&place.node));
        if says != configured {
            return Err(Refusal::OtherKind { node, says, configured, table: place.table });
        }
        match (slot.memory.take(), &slot.port) {
            (Some(memory), None) => {
                slot.port = Some(port.to_owned());
                Ok(Claim { place, memory, committed: slot.committed.clone() })
            }
            (_, first) => Err(Refusal::Taken {
                node,
                first: first.as_ref().map_or_else(String::new, |port| port.display().to_string()),
                table: place.table,
                board: place.node.board,
                kind: place.node.kind,
            }),
        }
    }

    /// The nodes that the configuration expects at `port`, while no port speaks for them.
    pub(super) fn missing_at(&self, port: &Path) -> Vec<Place> {
        let slots = self.slots();
        let missing = |slot: &&Slot| slot.place.node.port == port && slot.port.is_none();
        slots.values().filter(missing).map(|slot| slot.place.clone()).collect()
    }

    /// The connection is over; another may come.
    pub(super) fn release(&self, node_id: &str, memory: Memory) {
        if let Some(slot) = self.slots().get_mut(node_id) {
            slot.port = None;
            slot.memory = Some(memory);
        }
    }
}

/// A device's kind in words, from what it says.
fn describe(device: &Device) -> String {
    match device.board {
        None => "a clock".to_owned(),
        Some(BoardSenses { sensor, trays }) => {
            describe_board(crate::session::sensor_name(sensor), trays)
        }
    }
}

/// A node's kind in words, from the configuration.
fn describe_configured(node: &Node) -> String {
    match node.kind {
        NodeKind::Clock => "a clock".to_owned(),
        NodeKind::Board => describe_board(crate::session::sensor_name(node.sensor), node.trays),
    }
}

fn describe_board(sensor: &str, trays: bool) -> String {
    format!("a board (sensor {sensor:?}, trays = {trays})")
}
