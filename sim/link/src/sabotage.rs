//! Ends of the link that are broken on purpose: a campaign that does not find them could not find anything.

use proto::link::{NodeTime, ResumePoint};

use crate::books::Entry;

/// How old a stamp is that is too old, in µs: older than any question that is answered at once.
const OLD_US: u64 = 100_000;

/// What is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sabotage {
    /// Nothing.
    None,
    /// The hub acknowledges what it has heard, whether it is in its journal or not.
    AcknowledgeOnArrival,
    /// The hub's journal leaves gaps out.
    GapsUntold,
    /// The hub's journal leaves restarts of the node out.
    RestartsUntold,
    /// A hub that starts again does not look into its journal.
    ResumeFromNothing,
    /// The node loses every fortieth reading before it numbers it.
    ReadingForgotten,
    /// The node calls each of its boots the same.
    OneBootId,
    /// The node puts a time into its frames that it took long before.
    StampsTooOld,
}

impl Sabotage {
    /// Every way to break something.
    pub const ALL: [Self; 7] = [
        Self::AcknowledgeOnArrival,
        Self::GapsUntold,
        Self::RestartsUntold,
        Self::ResumeFromNothing,
        Self::ReadingForgotten,
        Self::OneBootId,
        Self::StampsTooOld,
    ];

    pub(crate) fn loses(self, entry: Entry) -> bool {
        match self {
            Self::GapsUntold => matches!(entry, Entry::Gap { .. }),
            Self::RestartsUntold => matches!(entry, Entry::Restarted { .. }),
            _ => false,
        }
    }

    pub(crate) fn resume(self, resume: Option<ResumePoint>) -> Option<ResumePoint> {
        resume.filter(|_| self != Self::ResumeFromNothing)
    }

    pub(crate) fn forgets(self, sequence: u32) -> bool {
        self == Self::ReadingForgotten && sequence.is_multiple_of(40)
    }

    pub(crate) fn made(self, made: NodeTime) -> NodeTime {
        if self == Self::StampsTooOld { made.minus_micros(OLD_US) } else { made }
    }

    pub(crate) fn boot_id(self, boot_id: u32) -> u32 {
        if self == Self::OneBootId { 0xb001 } else { boot_id }
    }
}
