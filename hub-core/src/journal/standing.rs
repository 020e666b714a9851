//! Matches that a journal has as open: what a hub that is another release, or has another configuration, finds of what was told before.

use proto::mqtt::message::row::Event;

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

/// The match that a row is about; none if it is about a node or an order.
#[must_use]
pub fn match_of(event: &Event) -> Option<&str> {
    Some(match event {
        Event::MatchOpened(event) => &event.match_id,
        Event::MatchStateChanged(event) => &event.match_id,
        Event::PlyReported(event) => &event.match_id,
        Event::PlyRetracted(event) => &event.match_id,
        Event::AnomalyReported(event) => &event.match_id,
        Event::AnomalyRetracted(event) => &event.match_id,
        Event::ClockRead(event) => &event.match_id,
        Event::QuestionsAsked(event) => &event.match_id,
        Event::EvidenceClip(event) => &event.match_id,
        Event::SquaresRead(event) => &event.match_id,
        Event::PositionStands(event) => &event.match_id,
        Event::NodeStateChanged(_) | Event::OrderTaken(_) | Event::OrderEnded(_) => return None,
    })
}
