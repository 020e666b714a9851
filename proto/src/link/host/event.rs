//! What comes out of the hub's end, and where a restarted hub goes on.

use thiserror::Error;

use super::CommandOutcome;
use crate::link::{
    BoardHealth, FrameError, Health, Hello, HubTime, Message, NodeId, NodeTime, SchemaMismatch,
    Snapshot, Started,
};

/// What a restarted hub finds in its journal of a node: the last event it committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResumePoint {
    /// The boot the event belongs to.
    pub boot_id: u32,
    /// Its sequence, 0 for none.
    pub sequence: u32,
}

/// When a frame was made, by the node's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameTiming {
    /// The node's boot.
    pub boot_id: u32,
    /// Node time of its making: not after it left the node, and at most [`STAMP_AGE_MAX_US`](super::STAMP_AGE_MAX_US) before it was encoded.
    pub made: NodeTime,
    /// Bytes of the frame, both zeros included.
    pub bytes: u16,
    /// When the question was asked that the frame answers.
    pub asked: Option<HubTime>,
}

/// What comes out of a [`super::HostSession`], in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostEvent {
    /// The node introduced itself, for the first time or again.
    Hello {
        /// Its boot.
        boot_id: u32,
        /// Sequence of the next event this session takes.
        next_sequence: u32,
        /// What it said.
        hello: Hello,
    },
    /// The node started anew. What it had not delivered before is lost, and nobody knows how much it was.
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
    /// When a frame was made, by the node's clock: from this the hub learns how the two clocks stand to each other. Comes before
    /// what the frame says.
    Timing(FrameTiming),
    /// How the node is.
    Health {
        /// The node's boot.
        boot_id: u32,
        /// Its report.
        health: Health,
    },
    /// How the sensors of a board are.
    BoardHealth {
        /// The node's boot.
        boot_id: u32,
        /// Its report.
        health: BoardHealth,
    },
    /// Why the node's boot began; comes again with every HELLO.
    Started {
        /// The node's boot.
        boot_id: u32,
        /// Its reason.
        started: Started,
    },
    /// A command of [`super::HostSession::command`] came to its end. The node's answer is an event besides, which comes before this.
    CommandEnded {
        /// What [`super::HostSession::command`] returned.
        command: u32,
        /// How it ended.
        outcome: CommandOutcome,
    },
    /// Another node than the [expected](super::HostSession::expect) one introduced itself: of the session nothing has changed.
    OtherNode {
        /// Who it is.
        node_id: NodeId,
    },
    /// Bytes that make no sense; the node's next frames are not affected.
    Rejected(RejectedFrame),
    /// The node was built from another schema: nothing it says is taken.
    Incompatible(SchemaMismatch),
}

/// Why a frame was not taken.
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
        /// As reported.
        first: u32,
        /// As reported.
        last: u32,
    },
    /// HELLO of the current boot, but from before events that were received already: the node started anew with its old boot
    /// id, and its new events cannot be told from the old ones.
    #[error(
        "the node started anew with the boot id of its last start, {boot_id:08x}: its source of boot ids is broken"
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
