//! Rows of a session, and the header of a match's trace.

use proto::mqtt::message::row::Event;
use readings::TraceHeader;
use rules::{BoardId, TimeControl};

use super::{Session, SessionOutput, events};
use crate::journal::OutgoingEvent;
use crate::journal_line::NodeState;

impl Session {
    pub(super) fn row(&mut self, event: Event) {
        self.outputs.push_back(SessionOutput::Row(OutgoingEvent { at: self.now, event }));
    }

    /// A node's state and words, if they are news.
    pub(super) fn publish_node(
        &mut self,
        node: &str,
        board: BoardId,
        news: Option<(NodeState, String)>,
    ) {
        if let Some((state, detail)) = news {
            self.row(events::node_state(node, board, state, detail));
        }
    }

    pub(super) fn trace_header(&self, match_id: &str) -> TraceHeader {
        let base_s = self.config.time.periods().first().map_or(0, |period| period.base_s);
        let (rulebook, boards) = (self.config.rulebook.name(), self.config.boards.clone());
        // `base_s` and `delay_s` say it all for one period with a delay of the US kind.
        let plain = TimeControl::sudden_death(base_s, self.config.time.delay_s());
        let time = Some(self.config.time.clone()).filter(|time| plain.as_ref() != Ok(time));
        TraceHeader {
            match_id: match_id.to_owned(),
            game: self.config.game,
            delay_s: self.config.time.delay_s(),
            time,
            ..TraceHeader::new(rulebook, base_s, boards)
        }
    }

    pub(super) fn header_text(&self, match_id: &str) -> String {
        serde_json::to_string(&self.trace_header(match_id)).unwrap_or_default()
    }
}
