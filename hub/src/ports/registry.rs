//! Which node has which place. A node is known by the id in its HELLO, not by its port, so nodes may
//! be plugged in anywhere; each has one place, and one port at a time.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use proto::link::{HostSession, ResumePoint, SensorKind as WireSensor};
use rules::BoardId;
use tokio::sync::{mpsc, watch};

use super::NodeInput;
use super::readings::NodeReadings;
use crate::config::{Node, NodeKind};

/// A node's place at a table.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) table: String,
    pub(super) node: Node,
    /// Where its readings go.
    pub(super) inputs: mpsc::Sender<NodeInput>,
}

/// What must outlive a connection with a node.
#[derive(Debug)]
pub(super) struct NodeLink {
    pub(super) session: HostSession,
    pub(super) readings: NodeReadings,
    /// Told by the journal how far the node's events are committed.
    pub(super) committed: watch::Sender<Option<ResumePoint>>,
    pub(super) flickering: u64,
}

#[derive(Debug)]
struct Slot {
    place: Place,
    /// The port that speaks for the node.
    port: Option<PathBuf>,
    /// Here while no port has it.
    link: Option<Box<NodeLink>>,
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
}

impl Registry {
    fn slots(&self) -> MutexGuard<'_, HashMap<String, Slot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a node of which the journal knows `resume`.
    pub(super) fn add(&self, place: Place, resume: Option<ResumePoint>) {
        let link = NodeLink {
            session: HostSession::new(resume),
            readings: NodeReadings::new(),
            committed: watch::Sender::new(None),
            flickering: 0,
        };
        let slot = Slot { place, port: None, link: Some(Box::new(link)) };
        self.slots().insert(slot.place.node.id.clone(), slot);
    }

    /// Lets `port` speak for a node.
    pub(super) fn claim(
        &self,
        node_id: &str,
        kind: proto::link::NodeKind,
        port: &Path,
    ) -> Result<(Place, Box<NodeLink>), Refusal> {
        let mut slots = self.slots();
        let node = node_id.to_owned();
        let Some(slot) = slots.get_mut(node_id) else { return Err(Refusal::Unknown { node }) };
        let place = slot.place.clone();
        let (says, configured) = (describe(kind), describe_configured(&place.node));
        if says != configured {
            return Err(Refusal::OtherKind { node, says, configured, table: place.table });
        }
        match (slot.link.take(), &slot.port) {
            (Some(link), None) => {
                slot.port = Some(port.to_owned());
                Ok((place, link))
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

    /// The node that the configuration expects at `port`, while no port speaks for it.
    pub(super) fn missing_at(&self, port: &Path) -> Option<Place> {
        let slots = self.slots();
        let missing = |slot: &&Slot| slot.place.node.port == port && slot.port.is_none();
        slots.values().find(missing).map(|slot| slot.place.clone())
    }

    /// The connection is over; another may come.
    pub(super) fn release(&self, node_id: &str, link: Box<NodeLink>) {
        if let Some(slot) = self.slots().get_mut(node_id) {
            slot.port = None;
            slot.link = Some(link);
        }
    }
}

/// A node's kind in words, from its HELLO.
fn describe(kind: proto::link::NodeKind) -> String {
    match kind {
        proto::link::NodeKind::Clock(_) => "a clock".to_owned(),
        proto::link::NodeKind::Board(board) => {
            let sensor = match board.sensor {
                WireSensor::Reed => "reed",
            };
            describe_board(sensor, board.trays)
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
