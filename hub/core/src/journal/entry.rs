//! A unit of writing: inputs of a session, and all rows that followed from them.

use proto::link::ResumePoint;
use proto::mqtt::message::row::Event;

use crate::HubTime;
use crate::orders::OrderRecord;

/// Inputs of one table's session with their consequences. An entry is committed whole or not at
/// all, and entries in the order in which they were given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// The table.
    pub table: String,
    /// Inputs of the session, in order.
    pub inputs: Vec<InputLine>,
    /// The rows it answered, in order; sequences are given when they are written.
    pub rows: Vec<OutgoingEvent>,
    /// Matches that were opened, or whose record changed, each with the number of this entry's inputs
    /// that come before its trace.
    pub matches: Vec<(usize, MatchRecord)>,
    /// Release and settings that produced the rows ([`crate::table::TableSettings::said_by`]).
    pub said_by: String,
    /// Time up to which the session has advanced.
    pub reached: HubTime,
    /// The session's state after the inputs, when it is between matches: replay starts there.
    pub checkpoint: Option<String>,
    /// Orders that were accepted, or ended.
    pub orders: Vec<OrderRecord>,
    /// Rows that come from no session: of orders, and of matches that were followed again.
    pub answers: Vec<OutgoingEvent>,
    /// Positions of its nodes' events.
    pub offsets: Vec<NodeOffset>,
}

impl Entry {
    /// Whether there is nothing in it to commit.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty()
            && self.rows.is_empty()
            && self.matches.is_empty()
            && self.orders.is_empty()
            && self.answers.is_empty()
            && self.offsets.is_empty()
    }
}

/// One input, as it is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputLine {
    /// Hub time at which the session received it.
    pub at: HubTime,
    /// Time of the reading: earlier than `at`, if it came after its turn. The session does not get this time.
    pub made: HubTime,
    /// The match it belongs to, if one was open.
    pub match_id: Option<String>,
    /// The line, without its end.
    pub line: String,
}

/// One row on its way to the adjudicator.
#[derive(Clone, Debug, PartialEq)]
pub struct OutgoingEvent {
    /// Time, in hub time.
    pub at: HubTime,
    /// The input.
    pub event: Event,
}

/// Entry of a match in the journal beside its inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchRecord {
    /// The match.
    pub match_id: String,
    /// The beginning of its trace, in hub time.
    pub opened: HubTime,
    /// Header of its trace, as JSON.
    pub header: String,
    /// The trace's first readings, which stand for the state the match began in, as JSON lines.
    pub prologue: String,
    /// Whether it is over.
    pub ended: bool,
}

/// Position of a node's events in an entry, which is acknowledged to the node once the entry is committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeOffset {
    /// The node.
    pub node_id: String,
    /// Its last event that is included.
    pub reached: ResumePoint,
}

impl NodeOffset {
    /// Whether `next` comes after `last`: within a boot of a node only a later event does. A node that was acknowledged less would
    /// send again what is in the journal, and a hub that went on from less would take it again.
    #[must_use]
    pub fn advances(last: Option<ResumePoint>, next: ResumePoint) -> bool {
        last.is_none_or(|last| last.boot_id != next.boot_id || last.sequence < next.sequence)
    }
}
