//! Outputs of the hub's end, and the point from which a restarted hub resumes.

use thiserror::Error;

use crate::link::{
    BoardHealth, CommandResult, FrameError, Health, Hello, HubTime, Message, NodeId, NodeTime,
    SchemaMismatch, Snapshot, Started, UpdateReport,
};

/// Last committed event of a node, which a restarted hub finds in its journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResumePoint {
    /// The boot the event belongs to.
    pub boot_id: u32,
    /// Its sequence, 0 for none.
    pub sequence: u32,
}

/// Time of a frame, by the node's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameTiming {
    /// The node's boot.
    pub boot_id: u32,
    /// Node time of its making: not after it left the node, and at most [`STAMP_AGE_MAX_US`](super::STAMP_AGE_MAX_US) before it was encoded.
    pub made: NodeTime,
    /// Bytes of the frame, both zeros included.
    pub bytes: u16,
    /// Time of the question that the frame answers.
    pub asked: Option<HubTime>,
}

/// Outcome of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandOutcome {
    /// The node executed it, or refused it with a reason.
    Answered(CommandResult),
    /// The node restarted meanwhile: it may have done the command before, and a clock lost its times by the restart anyway.
    Interrupted,
    /// No answer came, in spite of all attempts. It may have been executed: the next snapshot shows it.
    Unanswered,
}

/// An output of a [`super::HostSession`], in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostEvent {
    /// The node introduced itself, for the first time or again.
    Hello {
        /// Its boot.
        boot_id: u32,
        /// Sequence of the next event this session takes.
        next_sequence: u32,
        /// Content.
        hello: Hello,
    },
    /// The node restarted. Undelivered events are lost, their number is unknown.
    Restarted {
        /// The boot that ended.
        previous_boot_id: u32,
        /// The boot that began.
        boot_id: u32,
    },
    /// The next event. Commit it, then call [`super::HostSession::committed`].
    Event {
        /// The node's boot.
        boot_id: u32,
        /// The event's sequence.
        sequence: u32,
        /// The event: one for which [`super::MessageType::is_event`] holds.
        message: Message,
    },
    /// Events that will never come. Commit it like an event: `last` can be acknowledged.
    Gap {
        /// The node's boot.
        boot_id: u32,
        /// First missing sequence.
        first: u32,
        /// Last missing sequence.
        last: u32,
    },
    /// The whole state of the node, after all events delivered before it and before all that come later.
    Snapshot {
        /// The node's boot.
        boot_id: u32,
        /// Sequence of the last event it includes.
        sequence: u32,
        /// The state.
        snapshot: Snapshot,
    },
    /// Time of a frame, by the node's clock, from which the hub computes the offset of the two clocks. It precedes the frame's
    /// content.
    Timing(FrameTiming),
    /// Health of the node.
    Health {
        /// The node's boot.
        boot_id: u32,
        /// Its report.
        health: Health,
    },
    /// Health of a board's sensors.
    BoardHealth {
        /// The node's boot.
        boot_id: u32,
        /// Its report.
        health: BoardHealth,
    },
    /// The image that runs, and the progress of an update.
    UpdateReport {
        /// The node's boot.
        boot_id: u32,
        /// Its report.
        report: UpdateReport,
    },
    /// Reason of the node's boot; repeated with every HELLO.
    Started {
        /// The node's boot.
        boot_id: u32,
        /// Its reason.
        started: Started,
    },
    /// A command of [`super::HostSession::command`] came to its end. The node's answer is an event besides, which comes before this.
    CommandEnded {
        /// The number that [`super::HostSession::command`] returned.
        command: u32,
        /// Outcome.
        outcome: CommandOutcome,
    },
    /// Another node than the [expected](super::HostSession::expect) one introduced itself; the session is unchanged.
    OtherNode {
        /// Its id.
        node_id: NodeId,
    },
    /// Invalid bytes; the node's next frames are not affected.
    Rejected(RejectedFrame),
    /// The node was built from another schema: its messages are not accepted.
    Incompatible(SchemaMismatch),
}

/// A frame that was not accepted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RejectedFrame {
    /// Not a frame.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// A message that only hubs send: the line's ends are crossed, or it echoes.
    #[error("a message that only hubs send came from the node: check for an echo on the line")]
    WrongDirection,
    /// A loss report that contradicts itself.
    #[error("the node reports lost events {first} to {last}, which cannot be")]
    ImpossibleLoss {
        /// First sequence as reported.
        first: u32,
        /// Last sequence as reported.
        last: u32,
    },
    /// HELLO of the current boot, but from before events that were received already. The node restarted with its old boot id, and its
    /// new events cannot be distinguished from the old ones.
    #[error(
        "the node restarted with the boot id of its last start, {boot_id:08x}: its source of boot ids is broken"
    )]
    BootIdReused {
        /// The boot id.
        boot_id: u32,
    },
    /// HELLO of a boot that another has followed.
    #[error(
        "a HELLO of boot {boot_id:08x}, which is over, came late; if this goes on, the node's source of boot ids repeats itself"
    )]
    EndedBoot {
        /// The boot id.
        boot_id: u32,
    },
}
