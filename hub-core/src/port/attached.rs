//! A device at a port that has its place at a table.

use proto::link::{HubTime, ResumePoint};

use super::{Left, Place, PortOutput};
use crate::drivers::{ConnectionState, Unit};
use crate::input::NodeInput;
use crate::journal::NodeOffset;
use crate::record::{NodeState, TimedReading};

/// A device with a place.
#[derive(Debug)]
pub(super) struct Attached {
    pub(super) unit: Unit,
    pub(super) place: Place,
    /// The run of it that introduced itself last.
    pub(super) boot_id: Option<u32>,
    /// When it was understood last.
    pub(super) heard: HubTime,
    /// How far its driver was told that the journal has it.
    pub(super) committed: Option<ResumePoint>,
    /// Until when its driver was told that its table wants to hear it.
    pub(super) wanted: HubTime,
    state: Option<NodeState>,
    doubtful: bool,
}

impl Attached {
    pub(super) fn new(unit: Unit, boot_id: Option<u32>, place: Place, now: HubTime) -> Attached {
        Attached {
            unit,
            place,
            boot_id,
            heard: now,
            committed: None,
            wanted: HubTime::ZERO,
            state: None,
            doubtful: false,
        }
    }

    pub(super) fn id(&self) -> &str {
        &self.place.node.id
    }

    pub(super) fn to_table(&self, input: NodeInput) -> PortOutput {
        PortOutput::ToTable { table: self.place.table.clone(), input }
    }

    /// What was read, for its table.
    pub(super) fn readings(
        &self,
        readings: Vec<TimedReading>,
        reached: Option<ResumePoint>,
    ) -> PortOutput {
        let offset = reached.map(|reached| NodeOffset { node_id: self.id().to_owned(), reached });
        self.to_table(NodeInput::Readings { board: self.place.node.board, readings, offset })
    }

    /// It leaves, with what is kept of its connection.
    pub(super) fn leave(&self, state: Option<ConnectionState>) -> PortOutput {
        let (node_id, boot_id) = (self.id().to_owned(), self.boot_id);
        PortOutput::Left(Box::new(Left { node_id, boot_id, state }))
    }

    /// What the device says is doubtful, or is no more.
    pub(super) fn doubt(&mut self, now: HubTime, detail: Option<&str>) -> Option<PortOutput> {
        self.doubtful = detail.is_some();
        match detail {
            Some(detail) => self.note_state(now, NodeState::Faulty, detail),
            None => self.note_state(now, NodeState::Connected, ""),
        }
    }

    /// How the device is, for its table, if that is news. One that is doubtful stays so until its driver takes that back.
    pub(super) fn note_state(
        &mut self,
        now: HubTime,
        state: NodeState,
        detail: &str,
    ) -> Option<PortOutput> {
        let doubtful = self.doubtful && self.state == Some(NodeState::Faulty);
        if self.state == Some(state) || (state == NodeState::Connected && doubtful) {
            return None;
        }
        self.state = Some(state);
        Some(self.to_table(NodeInput::State {
            node_id: self.id().to_owned(),
            board: self.place.node.board,
            at: now,
            state,
            detail: detail.to_owned(),
        }))
    }
}
