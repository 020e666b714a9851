//! Matches that a journal has as open: what a hub that is another release, or has another configuration, finds of what was told before.

use proto::mqtt::{match_of, message::row::Event};

use super::MatchRecord;

/// A match that a journal has as open.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// As it was opened.
    pub record: MatchRecord,
    /// What rows tell of it, from the one that opened it on; nothing if the journal does not have all of them any more.
    pub told: Vec<Event>,
}

/// What rows tell of a match, from the one that opened it on; nothing if that is not among them.
pub fn told_of(match_id: &str, rows: impl IntoIterator<Item = Event>) -> Vec<Event> {
    let of_match = rows.into_iter().filter(|event| match_of(event) == Some(match_id));
    of_match.skip_while(|event| !matches!(event, Event::MatchOpened(_))).collect()
}
