//! The follower of the open match: it is given readings and time, and its outputs become rows.

use inference::facts::Facts;
use proto::mqtt::message::row::Event;
use readings::{Reading, ReadingKind, TraceHeader};
use rules::BoardId;

use super::follower::Follower;
use super::{Session, SessionOutput, events};
use crate::journal::OutgoingEvent;

impl Session {
    /// Gives a reading to the follower of the match that is open.
    pub(super) fn forward(&mut self, board: BoardId, kind: &ReadingKind) {
        let Some(open) = self.phase.open_mut() else { return };
        open.is_untouched = false;
        if open.put_back.contains(&board) {
            return;
        }
        let Some(follower) = &mut open.follower else { return };
        let t_us = self.now.micros_since(open.opened);
        let reading = Reading { t_us, board: Some(board), kind: kind.clone() };
        follower.handle(&reading);
        open.retold.keep(reading);
        self.drain_follower(Some(board));
    }

    /// Lets time pass for the follower of the match that is open.
    pub(super) fn follow_to_now(&mut self) {
        let Some(open) = self.phase.open_mut() else { return };
        open.is_untouched = false;
        let Some(follower) = &mut open.follower else { return };
        follower.handle_timeout(self.now.micros_since(open.opened));
        self.drain_follower(None);
    }

    /// Turns what the follower has to say, of a reading of `board`, into rows.
    pub(super) fn drain_follower(&mut self, board: Option<BoardId>) {
        let at = self.now;
        let Some(open) = self.phase.open_mut() else { return };
        for event in std::mem::take(&mut open.retold.withdrawn) {
            self.outputs.push_back(SessionOutput::Row(OutgoingEvent { at, event }));
        }
        let Some(follower) = &mut open.follower else { return };
        while let Some(output) = follower.poll_output() {
            let event = events::tracked(&open.id, output);
            if let Some(event) = event.and_then(|event| open.retold.tell(event)) {
                open.plies += u32::from(matches!(event, Event::PlyReported(_)));
                self.outputs.push_back(SessionOutput::Row(OutgoingEvent { at, event }));
            }
        }
        if let Some(failure) = follower.take_failure() {
            let board = board.unwrap_or(BoardId::A);
            let t_us = at.micros_since(open.opened);
            let event = events::not_followed(&open.id, board, t_us, &failure);
            let words = format!(
                "match {} is no longer followed, because inference failed ({failure}). All readings are still recorded, and the next match is \
                 followed again: report this with the hub's journal",
                open.id
            );
            self.outputs.push_back(SessionOutput::Row(OutgoingEvent { at, event }));
            self.outputs.push_back(SessionOutput::Notice(words));
            // The plies are unknown, but the next set-up ends this match as it ends others.
            open.plies = open.plies.max(1);
        }
        if open.plies > 0 {
            self.life.note_ply();
        }
    }

    pub(super) fn follower(&self, header: &TraceHeader, facts: Facts) -> Follower {
        Follower::new(self.new_follower, header, facts)
    }
}
