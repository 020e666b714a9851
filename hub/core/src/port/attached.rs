//! A device at a port that has its place at a table.

use proto::link::{HubTime, ResumePoint};

use super::{Left, Place, PortOutput};
use crate::drivers::{ConnectionState, Unit};
use crate::input::NodeInput;
use crate::journal::NodeOffset;
use crate::journal_line::{NodeState, TimedReading};

/// A device with a place.
#[derive(Debug)]
pub(super) struct Attached {
    pub(super) unit: Unit,
    pub(super) place: Place,
    /// The run of it that introduced itself last.
    pub(super) boot_id: Option<u32>,
    /// Time of its last understood message.
    pub(super) heard: HubTime,
    /// Reason of its loss, if it is lost.
    lost: Option<String>,
    /// Its complaint about itself, if it has one.
    doubt: Option<String>,
    /// The state that was sent to its table last.
    told: Option<(NodeState, String)>,
}

impl Attached {
    pub(super) fn new(unit: Unit, boot_id: Option<u32>, place: Place, now: HubTime) -> Attached {
        Attached { unit, place, boot_id, heard: now, lost: None, doubt: None, told: None }
    }

    pub(super) fn id(&self) -> &str {
        &self.place.node.id
    }

    pub(super) fn to_table(&self, input: NodeInput) -> PortOutput {
        PortOutput::ToTable { table: self.place.table.clone(), input }
    }

    /// Readings for its table.
    pub(super) fn readings(
        &self,
        readings: Vec<TimedReading>,
        reached: Option<ResumePoint>,
    ) -> PortOutput {
        let offset = reached.map(|reached| NodeOffset { node_id: self.id().to_owned(), reached });
        self.to_table(NodeInput::Readings { board: self.place.node.board, readings, offset })
    }

    /// The device leaves, with the state that is kept of its connection.
    pub(super) fn leave(&self, state: Option<ConnectionState>) -> PortOutput {
        let (node_id, boot_id) = (self.id().to_owned(), self.boot_id);
        PortOutput::Left(Box::new(Left { node_id, boot_id, state }))
    }

    /// The device was understood.
    pub(super) fn note_heard(&mut self, now: HubTime) -> Option<PortOutput> {
        self.heard = now;
        self.lost = None;
        self.news(now)
    }

    /// The device is not here, for a reason in words.
    pub(super) fn note_lost(&mut self, now: HubTime, reason: &str) -> Option<PortOutput> {
        self.lost = Some(reason.to_owned());
        self.news(now)
    }

    /// The device's readings have become doubtful, or sound again.
    pub(super) fn note_doubt(&mut self, now: HubTime, detail: Option<&str>) -> Option<PortOutput> {
        self.doubt = detail.map(str::to_owned);
        self.news(now)
    }

    /// Its state in one: lost, or else doubtful, or else well.
    fn state(&self) -> (NodeState, String) {
        match (&self.lost, &self.doubt) {
            (Some(reason), _) => (NodeState::Lost, reason.clone()),
            (None, Some(doubt)) => (NodeState::Faulty, doubt.clone()),
            (None, None) => (NodeState::Connected, String::new()),
        }
    }

    /// Its state for its table, if that or its words are news.
    fn news(&mut self, now: HubTime) -> Option<PortOutput> {
        let state = self.state();
        if self.told.as_ref() == Some(&state) {
            return None;
        }
        self.told = Some(state.clone());
        let (state, detail) = state;
        Some(self.to_table(NodeInput::State {
            node_id: self.id().to_owned(),
            board: self.place.node.board,
            at: now,
            state,
            detail,
        }))
    }
}
