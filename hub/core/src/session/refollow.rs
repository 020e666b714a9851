//! A match that is followed again while it is played, because of a fact from people.
//!
//! A director's or player's fact about a ply affects all later plies, so that one answer settles many. The readings of the open match are kept;
//! with a fact they are given to a new follower, and plies that differ are published as the next revisions. From there on the
//! new follower goes on, under the ids that are known. A fact is a line like a reading: a session that is
//! given its lines again says the same again.

use proto::mqtt::message::row::Event;

use super::open_match::OpenMatch;
use super::reinstatement::position_stands;
use super::{Session, SessionOutput, events};
use crate::journal::OutgoingEvent;
use crate::revisions::PublishedMatch;

impl Session {
    /// Follows the open match again from all its readings, and publishes the differences. False if inference fails: then it
    /// goes on as before.
    pub(super) fn follow_anew(&mut self) -> bool {
        let Some(open) = self.phase.open() else { return false };
        let header = self.trace_header(&open.id);
        let facts = open.retold.facts_of(&open.id);
        let mut follower = self.follower(&header, facts);
        let (mut after, mut stood) = (PublishedMatch::default(), Vec::new());
        let mut drain = |follower: &mut super::follower::Follower| {
            while let Some(output) = follower.poll_output() {
                let Some(event) = events::tracked(&header.match_id, output) else { continue };
                after.take(&event);
                if position_stands(&event).is_some() {
                    stood.push(event);
                }
            }
        };
        for reading in &open.retold.readings {
            follower.handle(reading);
            drain(&mut follower);
        }
        follower.handle_timeout(self.now.micros_since(open.opened));
        drain(&mut follower);
        let at = self.now;
        let failure = follower.take_failure();
        let Some(open) = self.phase.open_mut() else { return false };
        let OpenMatch { retold, plies, .. } = open;
        let had_failed = std::mem::replace(&mut retold.has_failed, failure.is_some());
        if let Some(failure) = failure {
            let words = format!(
                "match {} cannot be followed again with the corrections, because inference failed ({failure}); it continues without them: report \
                 this with the hub's journal",
                header.match_id
            );
            if !had_failed {
                self.outputs.push_back(SessionOutput::Notice(words));
            }
            return false;
        }
        let (told, ids) = retold.shown.differences(after);
        for event in told {
            retold.shown.take(&event);
            *plies += u32::from(matches!(event, Event::PlyReported(_)));
            self.outputs.push_back(SessionOutput::Row(OutgoingEvent { at, event }));
        }
        retold.ids = Some(ids);
        for event in stood.into_iter().filter_map(|event| retold.tell(event)) {
            self.outputs.push_back(SessionOutput::Row(OutgoingEvent { at, event }));
        }
        open.follower = Some(follower);
        if open.plies > 0 {
            self.life.note_ply();
        }
        true
    }
}
