//! A match whose rows come from another release, or from other settings: it goes on, or is closed as it is.

use proto::mqtt::message::row::Event;
use proto::mqtt::message::{self, MatchState};
use readings::TraceHeader;
use rules::BoardId;

use super::lifecycle;
use super::match_id;
use super::open_match::Phase;
use super::{Session, SessionOutput, events};
use crate::journal::{MatchRecord, Standing};

impl Session {
    /// Goes on with the open match, given its published rows: differences are published as the next revisions. False if it is not
    /// the same match by its settings, if some published rows are unknown, or if it is not followed; then nothing has changed that
    /// [`Self::leave_match`] does not forget.
    pub fn go_on(&mut self, standing: &Standing) -> bool {
        let Standing { record, told } = standing;
        let Some(open) = self.phase.open() else { return false };
        let header: Option<TraceHeader> = serde_json::from_str(&record.header).ok();
        let is_same = (&record.match_id, record.opened) == (&open.id, open.opened)
            && header == Some(self.trace_header(&open.id));
        let is_whole = !told.is_empty() && open.retold.is_whole() && open.follower.is_some();
        let has_ended = last_state(told) == Some(MatchState::Ended);
        if !is_same || !is_whole || has_ended {
            return false;
        }
        let now = self.now;
        if let Some(open) = self.phase.open_mut() {
            open.retold.begin_with(told);
        }
        if !self.follow_anew() {
            return false;
        }
        let Some(open) = self.phase.open() else { return false };
        let t_us = now.micros_since(open.opened);
        let state = (last_state(told) != Some(open.state))
            .then(|| events::state(&open.id, open.state, t_us));
        let clock = |(&board, view): (&BoardId, &super::BoardView)| {
            let event = events::clock(&open.id, board, view.clock?, t_us);
            (!shows(told, &event)).then_some(event)
        };
        let clocks = self.boards.iter().filter_map(clock);
        let news: Vec<Event> = state.into_iter().chain(clocks).collect();
        news.into_iter().for_each(|event| self.row(event));
        true
    }

    /// Forgets the open match and its pending outputs. The boards' squares stay known: when all are set up, the next match is opened.
    pub fn leave_match(&mut self) {
        self.outputs.clear();
        self.forget_exchange();
        self.phase = Phase::Waiting;
        self.life.wait(&self.boards, self.now);
    }

    /// Closes a match that is not this session's: its published rows stay valid.
    pub fn close(&mut self, standing: &Standing) {
        let Standing { record, told } = standing;
        let t_us = self.now.micros_since(record.opened);
        let board = self.config.boards.keys().next().copied().unwrap_or(BoardId::A);
        if last_state(told) != Some(MatchState::Ended) {
            self.row(events::closed(&record.match_id, board, t_us));
            self.row(events::state(&record.match_id, MatchState::Ended, t_us));
        }
        // Of several matches that were opened within a second, the later ones are named after seconds to come.
        let named_s = match_id::second_of(&record.match_id);
        let named_s = named_s.unwrap_or_else(|| lifecycle::second(record.opened) + 1);
        self.named_after_s = self.named_after_s.max(named_s);
        let record = MatchRecord { ended: true, ..record.clone() };
        self.outputs.push_back(SessionOutput::Match(record));
    }
}

/// The last published state.
fn last_state(told: &[Event]) -> Option<MatchState> {
    told.iter().rev().find_map(|event| match event {
        Event::MatchStateChanged(changed) => Some(changed.state()),
        _ => None,
    })
}

/// Whether the last published reading of its clock is that of a row.
fn shows(told: &[Event], row: &Event) -> bool {
    let shown = |event: &Event| match event {
        Event::ClockRead(message::ClockRead { board, white_ms, black_ms, running, .. }) => {
            Some((*board, *white_ms, *black_ms, *running))
        }
        _ => None,
    };
    let Some(now) = shown(row) else { return false };
    told.iter().rev().filter_map(shown).find(|it| it.0 == now.0) == Some(now)
}
