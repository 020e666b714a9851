//! Boots of a node as the hub knows them: position of the present one, and those that have ended.

use crate::link::{HostEvent, Lost, RejectedFrame};

/// Boots of a node that are remembered as ended.
const ENDED_BOOTS: usize = 8;

/// The boots that ended last. A frame from before a node's restart may arrive late. A HELLO must not revive an ended boot: its
/// readings would be accepted twice.
#[derive(Clone, Debug, Default)]
pub(super) struct EndedBoots {
    ids: [Option<u32>; ENDED_BOOTS],
    next: usize,
}

impl EndedBoots {
    pub(super) fn add(&mut self, boot_id: u32) {
        self.ids[self.next] = Some(boot_id);
        self.next = (self.next + 1) % ENDED_BOOTS;
    }

    pub(super) fn contains(&self, boot_id: u32) -> bool {
        self.ids.contains(&Some(boot_id))
    }
}

/// The present boot.
#[derive(Clone, Debug)]
pub(super) struct Boot {
    pub(super) id: u32,
    /// Last event delivered (or reported as lost).
    pub(super) received: u32,
    /// Last event committed.
    pub(super) committed: u32,
}

impl Boot {
    /// Takes everything up to `sequence` as never coming; `None` if it came already.
    pub(super) fn skip_to(&mut self, sequence: u32) -> Option<HostEvent> {
        if sequence <= self.received {
            return None;
        }
        let gap = HostEvent::Gap { boot_id: self.id, first: self.received + 1, last: sequence };
        self.received = sequence;
        Some(gap)
    }

    pub(super) fn lose(
        &mut self,
        latest: u32,
        lost: &Lost,
    ) -> Result<Option<HostEvent>, RejectedFrame> {
        let &Lost { first, last } = lost;
        if first == 0 || first > last || last > latest {
            return Err(RejectedFrame::ImpossibleLoss { first, last });
        }
        Ok(self.skip_to(last))
    }
}
