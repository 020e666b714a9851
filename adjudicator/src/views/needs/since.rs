//! Opening times of the directors' list's items.
//!
//! Some items have no moment in the log, and the moment of others is worked out from the newest report, so that it moves by milliseconds
//! with each. An item keeps the moment with which it was first listed: the list is the same until something changes.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use super::Need;

/// An item without a moment of its own.
pub(super) const UNKNOWN_MS: u64 = u64::MAX;

/// Absence after which a listed item counts as new.
const FORGET_AFTER: Duration = Duration::from_secs(60);

/// Maximum number of items of which the moment is kept.
const ITEMS_MAX: usize = 16_384;

/// The moments of the items that are listed. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Since(Arc<Mutex<HashMap<String, Listed>>>);

#[derive(Debug)]
struct Listed {
    since_ms: u64,
    last: Instant,
}

impl Since {
    /// Gives items the moments with which they were first listed.
    pub(super) fn settle(&self, needs: &mut [Need], now: Instant, now_ms: u64) {
        let mut listed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for need in needs {
            if need.since_ms == UNKNOWN_MS {
                need.since_ms = now_ms;
            }
            if let Some(known) = listed.get_mut(&need.id) {
                need.since_ms = known.since_ms;
                known.last = now;
            } else if listed.len() < ITEMS_MAX {
                listed.insert(need.id.clone(), Listed { since_ms: need.since_ms, last: now });
            }
        }
        listed.retain(|_, known| now.saturating_duration_since(known.last) < FORGET_AFTER);
    }
}

#[cfg(test)]
mod tests {
    use prost::Message as _;
    use proto::mqtt::message::HubState;

    use super::{super::needs, *};
    use crate::{
        config::Config,
        hall::Hall,
        log::input::{Input, InputKind},
        views::needs::machine::State,
    };

    /// A hall with a notice.
    fn hall() -> Hall {
        let mut hall = Hall::new(&Config::default());
        let troubles = vec!["its disk is full".to_owned()];
        let state = HubState {
            hub_id: "north".to_owned(),
            boot_id: 7,
            online: true,
            troubles,
            ..HubState::default()
        };
        crate::owner::decode::apply(
            &mut hall,
            &Input {
                id: 1,
                received_ms: 1_000,
                kind: InputKind::HubState,
                hub: Some("north".to_owned()),
                match_id: None,
                payload: state.encode_to_vec(),
            },
        );
        hall
    }

    #[test]
    fn a_list_stays_the_same_while_nothing_changes() {
        let (hall, machine, td) = (hall(), State::default(), Config::default().td);
        let list = |now_ms| needs(&hall, machine.clone(), &td, 1.0, now_ms);
        let first = list(5_000);
        assert_eq!(first.len(), 1);
        assert_eq!(first[0].since_ms, 5_000);
        assert_eq!(list(9_000), first);
    }

    #[test]
    fn an_item_that_was_away_is_a_new_one() {
        let (since, began) = (Since::default(), Instant::now());
        let (hall, td) = (hall(), Config::default().td);
        let need = needs(&hall, State::default(), &td, 1.0, 0).remove(0);
        let settled = |since_ms, after_s| {
            let mut list = [Need { since_ms, ..need.clone() }];
            since.settle(&mut list, began + Duration::from_secs(after_s), 7);
            list[0].since_ms
        };
        assert_eq!(settled(1_000, 0), 1_000);
        assert_eq!(settled(1_009, 10), 1_000);
        since.settle(&mut [], began + Duration::from_secs(100), 7);
        assert_eq!(settled(1_018, 100), 1_018);
    }
}
