//! Ends of the link that are broken on purpose: a campaign that does not find them could not find anything.

use proto::link::ResumePoint;

use crate::books::Entry;

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
}

impl Sabotage {
    /// Every way to break something.
    pub const ALL: [Self; 6] = [
        Self::AcknowledgeOnArrival,
        Self::GapsUntold,
        Self::RestartsUntold,
        Self::ResumeFromNothing,
        Self::ReadingForgotten,
        Self::OneBootId,
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

    pub(crate) fn boot_id(self, boot_id: u32) -> u32 {
        if self == Self::OneBootId { 0xb001 } else { boot_id }
    }
}
