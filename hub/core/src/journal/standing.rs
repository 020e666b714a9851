//! Matches that a journal has as open, for a hub of another release or with another configuration.

use proto::mqtt::{match_of, message::row::Event};

use super::MatchRecord;

/// A match that a journal has as open.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The opening of the match.
    pub record: MatchRecord,
    /// Its rows, from the one that opened it on; none if the journal has lost some of them.
    pub told: Vec<Event>,
}

/// The rows of a match, from the one that opened it on; none if that is not among them.
pub fn told_of(match_id: &str, rows: impl IntoIterator<Item = Event>) -> Vec<Event> {
    let of_match = rows.into_iter().filter(|event| match_of(event) == Some(match_id));
    of_match.skip_while(|event| !matches!(event, Event::MatchOpened(_))).collect()
}
