//! Waiting for a table's nodes to come back.
//!
//! After a restart, or when a cable was out, a node sends what it has kept meanwhile. If the squares of ten seconds were
//! handed on after the presses of the same ten seconds, their order would be lost. So while a node that was there
//! is away, its table stands still at the moment at which it went: what the others read later waits with it, until all are
//! back or the wait has run out.

use std::collections::BTreeMap;
use std::time::Duration;

use proto::link::HubTime;

use crate::journal_line::NodeState;
use crate::time::{after, span};

/// Longest wait after the hub has started, in wall time as all that follow: ports that could not be opened are tried again in it.
const START_MAX: Duration = Duration::from_secs(3);
/// Longest wait for a node that was lost: long enough for somebody to see the cable and plug it in again, short enough for those
/// who follow the other board.
const LOST_MAX: Duration = Duration::from_secs(20);
/// Time that the last node to come has for its kept readings: the four thousand bytes of its buffer at the usual speed.
const CATCH_UP: Duration = Duration::from_millis(400);

/// The nodes for which the table waits, and until when.
#[derive(Debug)]
pub(super) struct IdleSources {
    nodes: BTreeMap<String, Presence>,
    /// Time at which the table's order stops, and the end of that stop.
    freeze: Option<(HubTime, HubTime)>,
    /// Seconds of hub time in a second of wall time.
    rate: f64,
}

/// Presence of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    /// The node is connected.
    Here,
    /// The node is not connected, and the table waits for it.
    Awaited,
    /// The node is not connected, and was not before.
    Absent,
}

impl IdleSources {
    /// Waits for all `nodes` of a table that starts now; a second of wall time has `rate` seconds of hub time.
    pub(super) fn new(nodes: impl Iterator<Item = String>, now: HubTime, rate: f64) -> IdleSources {
        let nodes = nodes.map(|node| (node, Presence::Awaited)).collect();
        IdleSources {
            nodes,
            freeze: Some((HubTime::ZERO, after(now, span(START_MAX, rate)))),
            rate,
        }
    }

    /// Records that a node came or went at `at`. A node that was expected since the start and is reported absent is no longer expected.
    pub(super) fn note(&mut self, node: &str, state: NodeState, at: HubTime, now: HubTime) {
        let before = self.nodes.get(node).copied().unwrap_or(Presence::Absent);
        let presence = match (state, before) {
            (NodeState::Connected | NodeState::Faulty, _) => Presence::Here,
            (NodeState::Lost, Presence::Here) => Presence::Awaited,
            (NodeState::Lost, _) => Presence::Absent,
        };
        self.nodes.insert(node.to_owned(), presence);
        let awaited = self.nodes.values().any(|presence| *presence == Presence::Awaited);
        match &mut self.freeze {
            // One pause for all that go while it lasts.
            None if presence == Presence::Awaited => {
                self.freeze = Some((at, after(now, span(LOST_MAX, self.rate))));
            }
            Some((_, until)) if before == Presence::Awaited && !awaited => {
                *until = (*until).min(after(now, span(CATCH_UP, self.rate)));
            }
            _ => {}
        }
    }

    /// Time at which the table's order stops; none while it waits for no node.
    pub(super) fn frozen_at(&mut self, now: HubTime) -> Option<HubTime> {
        if self.freeze.is_some_and(|(_, until)| until <= now) {
            self.freeze = None;
            // A node that has not come by now is not expected a second time.
            for presence in self.nodes.values_mut() {
                if *presence == Presence::Awaited {
                    *presence = Presence::Absent;
                }
            }
        }
        self.freeze.map(|(at, _)| at)
    }

    /// Time at which the table's order stops, and the latest end of that stop; none while it waits for no node.
    pub(super) fn frozen_until(&self) -> Option<(HubTime, HubTime)> {
        self.freeze
    }

    /// Whether a node is here.
    pub(super) fn is_here(&self, node: &str) -> bool {
        self.nodes.get(node) == Some(&Presence::Here)
    }

    /// Whether a node is here, or waited for.
    pub(super) fn is_awaited(&self, node: &str) -> bool {
        self.nodes.get(node).is_some_and(|presence| *presence != Presence::Absent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOMENT: Duration = Duration::from_millis(10);
    const START: HubTime = HubTime::from_micros(100_000_000);
    const GONE: HubTime = HubTime::from_micros(7_000_000);

    /// Time after the start.
    const fn at(since: Duration) -> HubTime {
        after(START, since)
    }

    fn nodes() -> impl Iterator<Item = String> {
        ["board", "clock"].into_iter().map(str::to_owned)
    }

    /// Both nodes have come and caught up.
    fn complete() -> IdleSources {
        let mut idle = IdleSources::new(nodes(), START, 1.0);
        idle.note("board", NodeState::Connected, HubTime::ZERO, START);
        idle.note("clock", NodeState::Connected, HubTime::ZERO, START);
        assert_eq!(idle.frozen_at(at(CATCH_UP)), None);
        idle
    }

    #[test]
    fn readings_wait_until_all_nodes_have_come_and_caught_up() {
        let mut idle = IdleSources::new(nodes(), START, 1.0);
        idle.note("board", NodeState::Connected, GONE, START);
        assert_eq!(idle.frozen_at(at(CATCH_UP + MOMENT)), Some(HubTime::ZERO));
        idle.note("clock", NodeState::Connected, GONE, at(MOMENT));
        assert_eq!(idle.frozen_at(at(CATCH_UP)), Some(HubTime::ZERO));
        assert_eq!(idle.frozen_at(at(CATCH_UP + MOMENT)), None);
    }

    #[test]
    fn a_node_that_is_not_there_at_the_start_does_not_hold_the_others_up() {
        let mut idle = IdleSources::new(nodes(), START, 1.0);
        idle.note("clock", NodeState::Lost, GONE, START);
        idle.note("board", NodeState::Connected, GONE, START);
        assert_eq!(idle.frozen_at(at(CATCH_UP)), None);
        // The state is reported repeatedly.
        for _ in 0..3 {
            idle.note("clock", NodeState::Lost, GONE, at(START_MAX));
            assert_eq!(idle.frozen_at(at(START_MAX)), None);
        }
    }

    #[test]
    fn the_table_stands_where_a_node_went_until_it_is_back_and_has_caught_up() {
        let mut idle = complete();
        let lost = START_MAX;
        idle.note("board", NodeState::Lost, GONE, at(lost));
        assert_eq!(idle.frozen_at(at(lost + LOST_MAX / 2)), Some(GONE));
        idle.note("board", NodeState::Connected, GONE, at(lost + LOST_MAX / 2));
        assert_eq!(idle.frozen_at(at(lost + LOST_MAX / 2 + MOMENT)), Some(GONE));
        assert_eq!(idle.frozen_at(at(lost + LOST_MAX / 2 + CATCH_UP)), None);
    }

    #[test]
    fn patience_ends_however_many_nodes_go_and_is_not_begun_anew_for_one_that_stays_away() {
        let mut idle = complete();
        let lost = START_MAX;
        idle.note("board", NodeState::Lost, GONE, at(lost));
        idle.note("clock", NodeState::Lost, GONE, at(lost + LOST_MAX - MOMENT));
        assert_eq!(idle.frozen_until(), Some((GONE, at(lost + LOST_MAX))));
        assert_eq!(idle.frozen_at(at(lost + LOST_MAX)), None);
        idle.note("board", NodeState::Lost, GONE, at(lost + LOST_MAX));
        assert_eq!(idle.frozen_at(at(lost + LOST_MAX + MOMENT)), None);
        idle.note("board", NodeState::Connected, GONE, at(lost + LOST_MAX));
        idle.note("board", NodeState::Lost, GONE, at(lost + LOST_MAX));
        assert_eq!(idle.frozen_at(at(lost + LOST_MAX + MOMENT)), Some(GONE), "gone once more");
    }

    #[test]
    fn patience_is_as_long_in_wall_time_where_hub_time_runs_faster() {
        let mut idle = IdleSources::new(nodes(), START, 20.0);
        assert_eq!(idle.frozen_until(), Some((HubTime::ZERO, at(20 * START_MAX))));
        idle.note("board", NodeState::Connected, GONE, START);
        idle.note("clock", NodeState::Connected, GONE, START);
        assert_eq!(idle.frozen_until(), Some((HubTime::ZERO, at(20 * CATCH_UP))));
    }
}
