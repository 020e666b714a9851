//! Births and wills of hubs on their way into the log: shortened, only when they change, and no more often than a hub needs.
//!
//! All messages of an account's birth topic come here. Of messages that come too often the latest waits, because it describes the hub.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use proto::mqtt::message::{HubState, SeenNode};

use crate::{config::is_segment, hall::shortened};

/// Number of changes that a hub may report at once; one more is allowed after each [`AGAIN_AFTER`]. A lost and regained line reports two.
const AT_ONCE: u32 = 8;

/// Time after which one more change is allowed: see [`AT_ONCE`].
const AGAIN_AFTER: Duration = Duration::from_secs(1);

/// State of one hub.
#[derive(Debug)]
struct KnownHub {
    logged: Option<HubState>,
    waiting: Option<HubState>,
    /// Time at which the hub's allowance is full again.
    rested: Instant,
}

/// Births and wills on their way into the log.
#[derive(Debug)]
pub(crate) struct Births {
    hubs: HashMap<String, KnownHub>,
    /// Maximum number of remembered hubs. Beyond it, hubs without a waiting message are forgotten: their next message counts as a change.
    hubs_max: usize,
}

impl Births {
    /// An empty collection for at most `hubs_max` hubs.
    pub(crate) fn new(hubs_max: usize) -> Births {
        Births { hubs: HashMap::new(), hubs_max }
    }

    /// Records a hub's birth or will. `is_news`: whether the log of earlier runs does not end with the same state.
    pub(crate) fn hear(&mut self, state: &HubState, now: Instant, is_news: impl Fn() -> bool) {
        if !self.hubs.contains_key(&state.hub_id) {
            if self.hubs.len() >= self.hubs_max {
                self.hubs.retain(|_, known| known.waiting.is_some());
            }
            if self.hubs.len() >= self.hubs_max {
                return;
            }
        }
        let state = in_short(state);
        let known = self.hubs.entry(state.hub_id.clone()).or_insert_with(|| KnownHub {
            logged: None,
            waiting: None,
            rested: now,
        });
        let differs = match &known.logged {
            Some(logged) => *logged != state,
            None => is_news(),
        };
        known.waiting = differs.then_some(state);
    }

    /// The states that may go into the log now.
    pub(crate) fn due(&self, now: Instant) -> Vec<HubState> {
        let latest = now + AGAIN_AFTER * (AT_ONCE - 1);
        let may = self.hubs.values().filter(|known| known.rested <= latest);
        may.filter_map(|known| known.waiting.clone()).collect()
    }

    /// Notes that a state is in the log, or that the log had no room for it.
    pub(crate) fn done(&mut self, state: HubState, now: Instant) {
        let Some(known) = self.hubs.get_mut(&state.hub_id) else { return };
        known.rested = known.rested.max(now) + AGAIN_AFTER;
        known.waiting = known.waiting.take().filter(|waiting| *waiting != state);
        known.logged = Some(state);
    }

    /// Forgets all states, after a lost or a new connection: the broker keeps the latest birth or will of each hub.
    pub(crate) fn forget_presence(&mut self) {
        for known in self.hubs.values_mut() {
            known.waiting = None;
            if let Some(logged) = &mut known.logged {
                logged.online = false;
            }
        }
    }
}

/// Maximum number of tables in one birth, and the longest name of a release, in characters.
const TABLES_MAX: usize = 64;
const VERSION_CHARS_MAX: usize = 64;
/// Maximum number of nodes in one birth, the longest of their texts, and the longest refusal of a placing, in characters.
const NODES_MAX: usize = 64;
const NODE_CHARS_MAX: usize = 64;
const REFUSED_CHARS_MAX: usize = 1_000;

/// A birth or will without unused fields, so that no account can put anything large into the log by it.
fn in_short(state: &HubState) -> HubState {
    let tables = state.tables.iter().filter(|table| is_segment(table));
    HubState {
        hub_id: state.hub_id.clone(),
        boot_id: state.boot_id,
        online: state.online,
        version: state.version.chars().take(VERSION_CHARS_MAX).collect(),
        tables: tables.take(TABLES_MAX).cloned().collect(),
        troubles: shortened(&state.troubles),
        update_ended: state.update_ended,
        nodes: state.nodes.iter().take(NODES_MAX).map(node_in_short).collect(),
        placing_ended: state.placing_ended,
        placing_refused: state.placing_refused.chars().take(REFUSED_CHARS_MAX).collect(),
    }
}

fn node_in_short(node: &SeenNode) -> SeenNode {
    let short = |text: &str| text.chars().take(NODE_CHARS_MAX).collect();
    SeenNode {
        node_id: short(&node.node_id),
        sensor: short(&node.sensor),
        table: short(&node.table),
        port: short(&node.port),
        firmware: short(&node.firmware),
        image: short(&node.image),
        ..*node
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HUBS_MAX: usize = 64;

    fn state(boot_id: u64, online: bool) -> HubState {
        HubState { hub_id: "north".to_owned(), boot_id, online, ..HubState::default() }
    }

    /// Receives a state and returns the boots that may be logged.
    fn tell(births: &mut Births, state: &HubState, now: Instant) -> Vec<u64> {
        births.hear(state, now, || true);
        log(births, now)
    }

    fn log(births: &mut Births, now: Instant) -> Vec<u64> {
        let due = births.due(now);
        due.into_iter()
            .map(|state| {
                let boot_id = state.boot_id;
                births.done(state, now);
                boot_id
            })
            .collect()
    }

    #[test]
    fn what_is_said_again_is_no_news_until_everything_is_heard_anew() {
        let (mut births, now) = (Births::new(HUBS_MAX), Instant::now());
        assert_eq!(tell(&mut births, &state(7, true), now), [7]);
        assert!(tell(&mut births, &state(7, true), now).is_empty());
        births.forget_presence();
        assert_eq!(tell(&mut births, &state(7, true), now), [7]);
        assert_eq!(tell(&mut births, &state(7, false), now), [7]);
        births.forget_presence();
        assert!(tell(&mut births, &state(7, false), now).is_empty(), "it is not there, as before");
    }

    #[test]
    fn a_hub_that_is_born_without_end_is_logged_once_a_second_and_the_last_birth_counts() {
        let (mut births, began) = (Births::new(HUBS_MAX), Instant::now());
        let mut logged = Vec::new();
        for boot_id in 0..10_000 {
            let now = began + Duration::from_millis(boot_id);
            logged.extend(tell(&mut births, &state(boot_id, true), now));
        }
        assert!((15..=20).contains(&logged.len()), "{logged:?}");
        assert_eq!(log(&mut births, began + Duration::from_secs(12)), [9_999]);
        assert!(births.due(began + Duration::from_secs(60)).is_empty());
    }

    #[test]
    fn hubs_without_end_are_forgotten_and_one_that_waits_is_not() {
        let (mut births, now) = (Births::new(HUBS_MAX), Instant::now());
        for boot_id in 0..20 {
            tell(&mut births, &state(boot_id, true), now);
        }
        for number in 0..10 * HUBS_MAX {
            tell(&mut births, &HubState { hub_id: format!("hub-{number}"), ..state(1, true) }, now);
        }
        assert!(births.hubs.len() <= HUBS_MAX);
        assert_eq!(log(&mut births, now + AGAIN_AFTER), [19]);
    }
}
