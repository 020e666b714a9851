//! The nodes and their places. A node is known by the id in its HELLO, not by its port, so nodes may
//! be plugged in anywhere; each has one place, and one port at a time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use proto::link::{HubTime, ResumePoint};
use rules::BoardId;

use super::Left;
use crate::drivers::{BoardSenses, ConnectionState, Device, DriverSettings};
use crate::journal::NodeOffset;
use crate::settings::{Node, NodeKind};

/// Nodes without a place that are named, each once.
const STRANGERS_MAX: usize = 64;

/// A node's place at a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The table's name.
    pub table: String,
    /// The node.
    pub node: Node,
}

/// A place that a port may serve from now on.
#[derive(Debug)]
pub(super) struct Claim {
    pub(super) place: Place,
    /// The device's stored text.
    pub(super) state: ConnectionState,
    /// The device's move from another port, if it moved.
    pub(super) moved: Option<Moved>,
    /// Whether it has lost its power since it was here last.
    pub(super) started_anew: bool,
    /// Position up to which the journal has its readings.
    pub(super) committed: Option<ResumePoint>,
    /// Time up to which its table needs its readings.
    pub(super) wanted: Option<HubTime>,
}

/// A device's move to another port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Moved {
    /// The device was at this port.
    Elsewhere(PathBuf),
    /// The device and the node of this name have exchanged their ports.
    Exchanged(String),
}

#[derive(Debug)]
struct Slot {
    place: Place,
    /// The port that speaks for the device.
    port: Option<PathBuf>,
    /// The device has left that port, which has still to hand on its readings from there.
    is_leaving: bool,
    /// The device is silent at that port.
    is_silent: bool,
    /// Another port has met the device, and waits for this one to give it back.
    is_awaited: bool,
    /// The port at which it was last: in this run, or by the configuration.
    home: Option<PathBuf>,
    /// Port from which the device came to its present or last one.
    came_from: Option<PathBuf>,
    /// The run of it that was here last.
    boot_id: Option<u32>,
    /// Its firmware, as it introduced itself last.
    firmware: Firmware,
    /// Here while no port has it.
    state: Option<ConnectionState>,
    /// The device's text on disk.
    kept: Option<String>,
    /// Position up to which the journal has its readings.
    committed: Option<ResumePoint>,
}

/// All nodes of the hub.
#[derive(Debug, Default)]
pub struct Registry {
    slots: BTreeMap<String, Slot>,
    /// Time up to which each table needs the readings of all its nodes.
    watermark_requests: BTreeMap<String, HubTime>,
    /// Nodes without a place that a message has named.
    strangers: BTreeMap<String, Stranger>,
}

/// A node without a place.
#[derive(Debug)]
struct Stranger {
    board: Option<BoardSenses>,
    /// The port at which it is; none: it was unplugged.
    port: Option<PathBuf>,
}

/// Firmware of a node of ours. Both texts are empty until the node has sent them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Firmware {
    /// Its version.
    pub version: String,
    /// Name of the image, which names its wiring.
    pub image: String,
}

/// A node that is here or has a place here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenNode {
    /// Its id.
    pub id: String,
    /// Its squares; none of a clock.
    pub board: Option<BoardSenses>,
    /// Whether it is plugged in and heard.
    pub is_present: bool,
    /// Its table and board, if it has a place.
    pub place: Option<(String, BoardId)>,
    /// The port at which it is or was last.
    pub port: Option<PathBuf>,
    /// Its firmware; empty of other makers' devices, and of a node without a place.
    pub firmware: Firmware,
}

/// Reason why a port cannot speak for a node.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    #[error(
        "node {node:?}, {says}, is in no table of the configuration: place it on the directors' page Hubs, or unplug it, or add under its \
         [[table]]: [[table.node]] {line}"
    )]
    Unknown {
        node: String,
        says: String,
        /// The lines to add to the configuration, as one line.
        line: String,
        /// Whether the node was reported before.
        again: bool,
    },
    #[error(
        "node {node} is already connected at {first}, which keeps its place (table {table}, {kind} {board}). Unplug one of the two, or give this \
         node its own id"
    )]
    Taken { node: String, first: String, table: String, board: BoardId, kind: NodeKind },
    /// The node's earlier readings are on their way. This is not reported: it ends as soon as its table accepts them.
    #[error("earlier readings of the node are still being delivered to its table")]
    Leaving,
    #[error(
        "node {node} says that it is {says}, but the configuration has it as {configured} of table {table}: correct \
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
    /// Adds a node, how far the journal has its readings, and what was kept of it on disk.
    pub fn add(&mut self, place: Place, resume: Option<ResumePoint>, kept: Option<String>) {
        let state = Some(ConnectionState::New { resume, kept: kept.clone() });
        let (home, came_from) = (place.node.port.clone(), None);
        let slot = Slot {
            place,
            port: None,
            is_leaving: false,
            is_silent: false,
            is_awaited: false,
            home,
            came_from,
            boot_id: None,
            firmware: Firmware::default(),
            state,
            kept,
            committed: resume,
        };
        self.slots.insert(slot.place.node.id.clone(), slot);
    }

    /// The journal has a node's readings up to an offset. The port that has to know.
    pub fn commit(&mut self, offset: &NodeOffset) -> Option<&Path> {
        let slot = self.slots.get_mut(&offset.node_id)?;
        if !NodeOffset::advances(slot.committed, offset.reached) {
            return None;
        }
        slot.committed = Some(offset.reached);
        slot.port.as_deref()
    }

    /// A table wants to hear all of its nodes until a time. The ports that have to know.
    pub fn request_watermark(&mut self, table: &str, at: HubTime) -> impl Iterator<Item = &Path> {
        let wanted = self.watermark_requests.entry(table.to_owned()).or_default();
        *wanted = at.max(*wanted);
        let of_table = move |slot: &&Slot| slot.place.table == table;
        self.slots.values().filter(of_table).filter_map(|slot| slot.port.as_deref())
    }

    /// Ids of the nodes that run our firmware.
    pub fn our_nodes(&self) -> impl Iterator<Item = &str> {
        let ours = |slot: &&Slot| slot.place.node.driver == DriverSettings::Twinboard;
        self.slots.values().filter(ours).map(|slot| slot.place.node.id.as_str())
    }

    /// The nodes that have a place, and those that are here without one.
    pub fn nodes(&self) -> impl Iterator<Item = SeenNode> {
        let placed = self.slots.values().map(|slot| {
            let Node { id, kind, sensor, trays, board, .. } = &slot.place.node;
            let squares = || BoardSenses { sensor: *sensor, trays: *trays };
            SeenNode {
                id: id.clone(),
                board: (*kind == NodeKind::Board).then(squares),
                is_present: slot.port.is_some() && !slot.is_leaving && !slot.is_silent,
                place: Some((slot.place.table.clone(), *board)),
                port: slot.port.clone().or_else(|| slot.home.clone()),
                firmware: slot.firmware.clone(),
            }
        });
        let strangers = self.strangers.iter().filter(|(_, it)| it.port.is_some());
        placed.chain(strangers.map(|(id, it)| SeenNode {
            id: id.clone(),
            board: it.board,
            is_present: true,
            place: None,
            port: it.port.clone(),
            firmware: Firmware::default(),
        }))
    }

    /// Notes the version that a node introduces itself with. True for a node of ours, which can be asked for its image.
    pub(super) fn note_version(&mut self, node_id: &str, version: &str) -> bool {
        let ours = |slot: &&mut Slot| slot.place.node.driver == DriverSettings::Twinboard;
        let Some(slot) = self.slots.get_mut(node_id).filter(ours) else { return false };
        slot.firmware = Firmware { version: version.to_owned(), image: String::new() };
        true
    }

    /// Notes the image that a node runs.
    pub(super) fn note_image(&mut self, node_id: &str, image: String) {
        if let Some(slot) = self.slots.get_mut(node_id) {
            slot.firmware.image = image;
        }
    }

    /// Forgets the devices without a place at this port.
    pub(super) fn lose_strangers(&mut self, port: &Path) {
        for stranger in self.strangers.values_mut() {
            stranger.port.take_if(|at| at == port);
        }
    }

    /// Places whose nodes are at no port.
    pub fn absent(&self) -> impl Iterator<Item = &Place> {
        self.slots.values().filter(|slot| slot.port.is_none()).map(|slot| &slot.place)
    }

    /// The port at which a node is now.
    #[must_use]
    pub fn port_of(&self, node_id: &str) -> Option<&Path> {
        self.slots.get(node_id)?.port.as_deref()
    }

    /// Replaces a node's text on disk.
    pub(super) fn keep(&mut self, node_id: &str, text: &str) {
        if let Some(slot) = self.slots.get_mut(node_id) {
            slot.kept = Some(text.to_owned());
        }
    }

    /// Lets `port` speak for a device. One without an id is the node that the configuration has at that port.
    pub(super) fn claim(&mut self, device: &Device, port: &Path) -> Result<Claim, Refusal> {
        let slot = match &device.id {
            Some(id) if !self.slots.contains_key(id) => {
                return Err(self.stranger(id, device, port));
            }
            Some(id) => self.slots.get_mut(id),
            None => {
                let here = |slot: &&mut Slot| slot.place.node.port.as_deref() == Some(port);
                self.slots.values_mut().find(here)
            }
        };
        let slot = slot.ok_or(Refusal::Nameless)?;
        let place = slot.place.clone();
        let node = place.node.id.clone();
        let (says, configured) = (describe(device), describe_configured(&place.node));
        if says != configured {
            let (node, table) = (place.node.name(), place.table);
            return Err(Refusal::OtherKind { node, says, configured, table });
        }
        match (slot.state.take(), &slot.port) {
            (Some(state), None) => {
                slot.port = Some(port.to_owned());
                let before = slot.boot_id.take();
                let started_anew =
                    before.is_some_and(|before| device.boot_id.is_some_and(|boot| boot != before));
                let committed = slot.committed;
                let wanted = self.watermark_requests.get(&place.table).copied();
                let moved = move_to(&mut self.slots, &node, port);
                Ok(Claim { place, state, moved, started_anew, committed, wanted })
            }
            _ if slot.is_leaving => Err(Refusal::Leaving),
            // One that is silent at its port and speaks here has been moved.
            _ if slot.is_silent => {
                slot.is_awaited = true;
                Err(Refusal::Leaving)
            }
            (_, first) => Err(Refusal::Taken {
                node: place.node.name(),
                first: first.as_ref().map_or_else(String::new, |port| port.display().to_string()),
                table: place.table,
                board: place.node.board,
                kind: place.node.kind,
            }),
        }
    }

    /// A node that no table of the configuration has.
    fn stranger(&mut self, id: &str, device: &Device, port: &Path) -> Refusal {
        let (node, says) = (id.to_owned(), describe(device));
        let known = self.strangers.contains_key(id);
        let again = known || self.strangers.len() >= STRANGERS_MAX;
        if known || !again {
            let stranger = Stranger { board: device.board, port: Some(port.to_owned()) };
            self.strangers.insert(node.clone(), stranger);
        }
        let line = match device.board {
            None => format!("board = \"A\", kind = \"clock\", node = {id:?}"),
            Some(BoardSenses { sensor, trays }) => format!(
                "board = \"A\", kind = \"board\", sensor = {:?}, trays = {trays}, node = {id:?}",
                crate::session::sensor_name(sensor)
            ),
        };
        Refusal::Unknown { node, says, line, again }
    }

    /// The nodes that the configuration expects at `port`, while no port speaks for them.
    pub(super) fn missing_at(&self, port: &Path) -> Vec<Place> {
        let missing =
            |slot: &&Slot| slot.place.node.port.as_deref() == Some(port) && slot.port.is_none();
        self.slots.values().filter(missing).map(|slot| slot.place.clone()).collect()
    }

    /// The device is silent at its port.
    pub(super) fn note_silent(&mut self, node_id: &str) {
        if let Some(slot) = self.slots.get_mut(node_id) {
            slot.is_silent = true;
        }
    }

    /// The device speaks at its port: whatever has come elsewhere is another one of its name.
    pub(super) fn note_heard(&mut self, node_id: &str) {
        if let Some(slot) = self.slots.get_mut(node_id) {
            (slot.is_silent, slot.is_awaited) = (false, false);
        }
    }

    /// Whether another port waits for this device, which is silent at its own.
    pub(super) fn is_awaited(&self, node_id: &str) -> bool {
        self.slots.get(node_id).is_some_and(|slot| slot.is_silent && slot.is_awaited)
    }

    /// Ends a connection; another may begin once its readings are handed on.
    pub(super) fn note_leaving(&mut self, node_id: &str) {
        if let Some(slot) = self.slots.get_mut(node_id) {
            slot.is_leaving = true;
        }
    }

    /// Ends the hand-over of a connection: from now on another port may speak for the device. Without a state it begins with
    /// what the journal and the disk have.
    pub fn take_back(&mut self, left: Left) {
        if let Some(slot) = self.slots.get_mut(&left.node_id) {
            (slot.port, slot.is_leaving, slot.boot_id) = (None, false, left.boot_id);
            (slot.is_silent, slot.is_awaited) = (false, false);
            let (resume, kept) = (slot.committed, slot.kept.clone());
            slot.state = Some(left.state.unwrap_or(ConnectionState::New { resume, kept }));
        }
    }
}

/// Notes that a device is at `port` now, and says whether it came from another one. Two that came from where the other is
/// have exchanged their ports: that is told of the second.
fn move_to(slots: &mut BTreeMap<String, Slot>, node: &str, port: &Path) -> Option<Moved> {
    let slot = slots.get_mut(node)?;
    let from = slot.home.replace(port.to_owned()).filter(|home| home != port)?;
    slot.came_from = Some(from.clone());
    let crossed = |other: &&Slot| {
        other.place.node.id != node
            && other.port.as_deref() == Some(&from)
            && other.came_from.as_deref() == Some(port)
    };
    let other = slots.values().find(crossed).map(|other| other.place.node.name());
    Some(other.map_or(Moved::Elsewhere(from), Moved::Exchanged))
}

/// A device's kind in words, from its HELLO.
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
