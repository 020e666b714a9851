//! Events for directors' streams, made once for all phones.
//!
//! The list is the same for all of them, apart from items outside a person's scope, and a match is the same for all who may see it. Both
//! also change with time, so nothing that was made is sent for long.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use super::{super::Desk, read::list};
use crate::{
    hall::{Game, Hall},
    time::now_ms,
    views::{DirectorView, needs::Need},
};

/// Longest time for which something that was made is sent, if nothing has changed.
const KEPT_FOR: Duration = Duration::from_millis(200);
/// Matches that are kept.
const MATCHES_MAX: usize = 64;

/// An item of the list, and its JSON.
pub(super) type Item = (Need, String);

/// The last prepared value.
#[derive(Debug, Default)]
pub(in crate::http) struct Prepared {
    list: Mutex<Option<PreparedPage<Arc<[Item]>>>>,
    matches: Mutex<HashMap<String, PreparedPage<Arc<str>>>>,
}

#[derive(Debug)]
struct PreparedPage<T> {
    /// Its state of the hall.
    of: (u64, u64),
    at: Instant,
    made: T,
}

impl<T: Clone> PreparedPage<T> {
    /// The prepared value, if it is still valid.
    fn still(&self, of: (u64, u64)) -> Option<T> {
        (self.of == of && self.at.elapsed() < KEPT_FOR).then(|| self.made.clone())
    }
}

impl Prepared {
    /// The list of the whole hall.
    pub(super) fn list(&self, desk: &Desk, hall: &Hall) -> Arc<[Item]> {
        let of = (hall.last_input(), 0);
        // The lock is held while it is made: another reader waits less than it would take to make it again.
        let mut last = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = last.as_ref().and_then(|last| last.still(of)) {
            return made;
        }
        let needs = list(desk, hall).into_iter();
        let made: Arc<[Item]> = needs
            .map(|need| {
                let json = serde_json::to_string(&need).unwrap_or_default();
                (need, json)
            })
            .collect();
        *last = Some(PreparedPage { of, at: Instant::now(), made: made.clone() });
        made
    }

    /// A match as directors see it, as JSON. `state`: of which state of match and event.
    pub(super) fn game(
        &self,
        desk: &Desk,
        hall: &Hall,
        game: &Game,
        state: (u64, u64),
    ) -> Arc<str> {
        let mut last = self.matches.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = last.get(&game.id).and_then(|last| last.still(state)) {
            return made;
        }
        let view = DirectorView::of(&desk.config, hall, game, now_ms());
        let made: Arc<str> = serde_json::to_string(&view).unwrap_or_default().into();
        if last.len() >= MATCHES_MAX {
            last.clear();
        }
        let kept = PreparedPage { of: state, at: Instant::now(), made: made.clone() };
        last.insert(game.id.clone(), kept);
        made
    }
}
