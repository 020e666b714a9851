//! Waiting for a table's nodes to come back.
//!
//! After a restart, or when a cable was out, a node sends what it has kept meanwhile. If the squares of ten seconds were
//! handed on after the presses of the same ten seconds, they could not be told apart any more. So while a node that was there
//! is away, its table stands still at the moment at which it went: what the others read later waits with it, until all are
//! back or patience has run out.

use std::collections::BTreeMap;
use std::time::Duration;

use proto::link::HubTime;
use tokio::time::Instant;

use crate::record::NodeState;

/// Longest wait after the hub has started: ports that could not be opened are tried again in it.
const START_MAX: Duration = Duration::from_secs(3);
/// Longest wait for a node that was lost: long enough for somebody to see the cable and plug it in again, short enough for those
/// who follow the other board.
const LOST_MAX: Duration = Duration::from_secs(20);
/// How long the last node to come has for what it kept: the four thousand bytes of its buffer at the usual speed.
const CATCH_UP: Duration = Duration::from_millis(400);

/// Which nodes are waited for, and until when.
#[derive(Debug)]
pub(crate) struct Patience {
    nodes: BTreeMap<String, Presence>,
    /// Where the table stands still, and until when.
    pause: Option<(HubTime, Instant)>,
}

/// Whether a node is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    /// It is.
    Here,
    /// It is not, and is waited for.
    Awaited,
    /// It is not, and has not been.
    Absent,
}

impl Patience {
    /// Waits for all `nodes` of a table that starts now.
    pub(crate) fn new(nodes: impl Iterator<Item = String>, now: Instant) -> Patience {
        let nodes = nodes.map(|node| (node, Presence::Awaited)).collect();
        Patience { nodes, pause: Some((HubTime::ZERO, now + START_MAX)) }
    }

    /// A node came or went at `at`. One that is waited for from the start and is said not to be there is waited for no longer.
    pub(crate) fn hear(&mut self, node: &str, state: NodeState, at: HubTime, now: Instant) {
        let before = self.nodes.get(node).copied().unwrap_or(Presence::Absent);
        let presence = match (state, before) {
            (NodeState::Connected | NodeState::Faulty, _) => Presence::Here,
            (NodeState::Lost, Presence::Here) => Presence::Awaited,
            (NodeState::Lost, _) => Presence::Absent,
        };
        self.nodes.insert(node.to_owned(), presence);
        let awaited = self.nodes.values().any(|presence| *presence == Presence::Awaited);
        match &mut self.pause {
            // One pause for all that go while it lasts.
            None if presence == Presence::Awaited => self.pause = Some((at, now + LOST_MAX)),
            Some((_, until)) if before == Presence::Awaited && !awaited => {
                *until = (*until).min(now + CATCH_UP);
            }
            _ => {}
        }
    }

    /// The time at which the table stands still; none while nothing is waited for.
    pub(crate) fn stands_at(&mut self, now: Instant) -> Option<HubTime> {
        if self.pause.is_some_and(|(_, until)| until <= now) {
            self.pause = None;
            // Whoever has not come by now is not waited for a second time.
            for presence in self.nodes.values_mut() {
                if *presence == Presence::Awaited {
                    *presence = Presence::Absent;
                }
            }
        }
        self.pause.map(|(at, _)| at)
    }

    /// How much longer the table stands still at most.
    pub(crate) fn remaining(&self, now: Instant) -> Duration {
        self.pause.map_or(Duration::ZERO, |(_, until)| until.saturating_duration_since(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOMENT: Duration = Duration::from_millis(10);
    const GONE: HubTime = HubTime::from_micros(7_000_000);

    fn nodes() -> impl Iterator<Item = String> {
        ["board", "clock"].into_iter().map(str::to_owned)
    }

    /// Both nodes have come and caught up.
    fn complete(start: Instant) -> Patience {
        let mut patience = Patience::new(nodes(), start);
        patience.hear("board", NodeState::Connected, HubTime::ZERO, start);
        patience.hear("clock", NodeState::Connected, HubTime::ZERO, start);
        assert_eq!(patience.stands_at(start + CATCH_UP), None);
        patience
    }

    #[test]
    fn readings_wait_until_all_nodes_have_come_and_caught_up() {
        let start = Instant::now();
        let mut patience = Patience::new(nodes(), start);
        patience.hear("board", NodeState::Connected, GONE, start);
        assert_eq!(patience.stands_at(start + CATCH_UP + MOMENT), Some(HubTime::ZERO));
        patience.hear("clock", NodeState::Connected, GONE, start + MOMENT);
        assert_eq!(patience.stands_at(start + CATCH_UP), Some(HubTime::ZERO));
        assert_eq!(patience.stands_at(start + CATCH_UP + MOMENT), None);
    }

    #[test]
    fn a_node_that_is_not_there_at_the_start_does_not_hold_the_others_up() {
        let start = Instant::now();
        let mut patience = Patience::new(nodes(), start);
        patience.hear("clock", NodeState::Lost, GONE, start);
        patience.hear("board", NodeState::Connected, GONE, start);
        assert_eq!(patience.stands_at(start + CATCH_UP), None);
        // It is said again now and then.
        for _ in 0..3 {
            patience.hear("clock", NodeState::Lost, GONE, start + START_MAX);
            assert_eq!(patience.stands_at(start + START_MAX), None);
        }
    }

    #[test]
    fn the_table_stands_where_a_node_went_until_it_is_back_and_has_caught_up() {
        let start = Instant::now();
        let mut patience = complete(start);
        let lost = start + START_MAX;
        patience.hear("board", NodeState::Lost, GONE, lost);
        assert_eq!(patience.stands_at(lost + LOST_MAX / 2), Some(GONE));
        patience.hear("board", NodeState::Connected, GONE, lost + LOST_MAX / 2);
        assert_eq!(patience.stands_at(lost + LOST_MAX / 2 + MOMENT), Some(GONE));
        assert_eq!(patience.stands_at(lost + LOST_MAX / 2 + CATCH_UP), None);
    }

    #[test]
    fn patience_ends_however_many_nodes_go_and_is_not_begun_anew_for_one_that_stays_away() {
        let start = Instant::now();
        let mut patience = complete(start);
        let lost = start + START_MAX;
        patience.hear("board", NodeState::Lost, GONE, lost);
        patience.hear("clock", NodeState::Lost, GONE, lost + LOST_MAX - MOMENT);
        assert_eq!(patience.remaining(lost + LOST_MAX - MOMENT), MOMENT);
        assert_eq!(patience.stands_at(lost + LOST_MAX), None);
        patience.hear("board", NodeState::Lost, GONE, lost + LOST_MAX);
        assert_eq!(patience.stands_at(lost + LOST_MAX + MOMENT), None);
        patience.hear("board", NodeState::Connected, GONE, lost + LOST_MAX);
        patience.hear("board", NodeState::Lost, GONE, lost + LOST_MAX);
        assert_eq!(patience.stands_at(lost + LOST_MAX + MOMENT), Some(GONE), "gone once more");
    }
}
