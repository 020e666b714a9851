//! Screens of the hall: a browser that opens `/screen` gets a number, and shows what the desk gives to that number.
//!
//! Its browser keeps a key. Its content is in the log under the key's digest, so that it comes back by itself; numbers of screens that
//! were given nothing yet are in memory, and of them there are few.

use std::{
    collections::BTreeMap,
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

use axum::{
    Extension, Json, Router,
    extract::State,
    http::{HeaderMap, HeaderName, StatusCode},
    response::{IntoResponse, Response},
    routing::get,
};
use serde_json::{Value, json};

use super::{Desk, Problem, link, server::Peer};
use crate::{
    hall::{
        Hall,
        event::{screens::SCREENS_MAX, staff::Digest},
    },
    time::{now_ms, run_ms},
};

/// The header with the key of a screen's browser.
const SCREEN: HeaderName = HeaderName::from_static("x-twinboard-screen");

/// Screens of one address that were given nothing yet.
const NEW_OF_ONE_ADDRESS_MAX: usize = 8;

/// Silence after which a screen is offline, and releases its number if it has no content, milliseconds.
const OFFLINE_AFTER_MS: u64 = 10_000;
const FORGOTTEN_AFTER_MS: u64 = 30 * 60_000;

pub(super) fn routes() -> Router<Desk> {
    Router::new().route("/api/v1/screen", get(screen))
}

/// A browser that asks.
#[derive(Clone, Copy, Debug)]
struct AskingScreen {
    key: Digest,
    address: IpAddr,
    asked_ms: u64,
    /// Times that the desk had it loaded again.
    reloads: u64,
}

/// Browsers that ask, by their numbers.
#[derive(Debug, Default)]
pub(in crate::http) struct AskingScreens(Mutex<BTreeMap<u16, AskingScreen>>);

impl AskingScreens {
    fn asking(&self) -> MutexGuard<'_, BTreeMap<u16, AskingScreen>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of the browser that asks at `at_ms`, and how often it was to be loaded again; none where there are too many.
    fn ask(&self, hall: &Hall, key: Digest, address: IpAddr, at_ms: u64) -> Option<(u16, u64)> {
        let given = hall.screens().iter().find(|(_, screen)| screen.key == key);
        let mut asking = self.asking();
        asking.retain(|number, it| {
            let is_given = hall.screens().numbered(*number).is_some();
            is_given || it.key == key || at_ms.saturating_sub(it.asked_ms) < FORGOTTEN_AFTER_MS
        });
        let known = asking.iter().find(|(_, it)| it.key == key).map(|(number, it)| (*number, *it));
        let number = match (given, known) {
            (Some((number, _)), _) => number,
            // The desk may have given this number to another browser meanwhile.
            (None, Some((number, _))) if hall.screens().numbered(number).is_none() => number,
            (None, _) => {
                let of_address = asking.values().filter(|it| it.address == address).count();
                if of_address >= NEW_OF_ONE_ADDRESS_MAX + hall.screens().iter().count() {
                    return None;
                }
                let is_free = |number: &u16| {
                    !asking.contains_key(number) && hall.screens().numbered(*number).is_none()
                };
                (1..=u16::try_from(2 * SCREENS_MAX).unwrap_or(u16::MAX)).find(is_free)?
            }
        };
        let reloads = known.map_or(0, |(_, it)| it.reloads);
        if let Some((before, _)) = known.filter(|(before, _)| *before != number) {
            asking.remove(&before);
        }
        asking.insert(number, AskingScreen { key, address, asked_ms: at_ms, reloads });
        Some((number, reloads))
    }

    /// Key of the browser with a number that asks, or was given something.
    pub(in crate::http) fn key(&self, hall: &Hall, number: u16) -> Option<Digest> {
        let given = hall.screens().numbered(number).map(|screen| screen.key);
        given.or_else(|| self.asking().get(&number).map(|it| it.key))
    }

    /// Makes a screen load again. False if it is offline.
    pub(in crate::http) fn reload(&self, number: u16) -> bool {
        self.asking().get_mut(&number).map(|it| it.reloads += 1).is_some()
    }

    /// The screens as the desk sees them.
    pub(in crate::http) fn listed(&self, hall: &Hall, at_ms: u64) -> Vec<Value> {
        let asking = self.asking();
        let given = hall.screens().iter().map(|(number, _)| number);
        let mut numbers: Vec<u16> = given.chain(asking.keys().copied()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let is_online = |number: &u16| {
            let it = asking.get(number);
            it.is_some_and(|it| at_ms.saturating_sub(it.asked_ms) < OFFLINE_AFTER_MS)
        };
        let line = |number: u16| {
            let given = hall.screens().numbered(number);
            json!({
                "screen": number,
                "name": given.map_or("", |screen| screen.name.as_str()),
                "shows": given.map(|screen| &screen.shows),
                "is_online": is_online(&number),
            })
        };
        numbers.into_iter().map(line).collect()
    }
}

async fn screen(
    State(desk): State<Desk>,
    Extension(Peer(address)): Extension<Peer>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let key = link::secret(&headers, &SCREEN).ok_or_else(|| {
        Problem::new(StatusCode::UNAUTHORIZED, "open /screen: its page brings a key of its own")
    })?;
    let hall = desk.floor.hall();
    let (number, reloads) = desk.screens.ask(&hall, key, address, run_ms()).ok_or_else(|| {
        let reason = "too many screens ask: have the desk forget those that are not in use";
        Problem::new(StatusCode::TOO_MANY_REQUESTS, reason)
    })?;
    let given = hall.screens().numbered(number);
    Ok(Json(json!({
        "now_ms": now_ms(),
        "screen": number,
        "name": given.map_or("", |screen| screen.name.as_str()),
        "shows": given.map(|screen| &screen.shows),
        "reloads": reloads,
    }))
    .into_response())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    #[test]
    fn browsers_have_small_numbers_of_their_own_and_a_crowd_takes_few() {
        let (screens, hall) = (AskingScreens::default(), Hall::new(&Config::default()));
        let ask = |key: &str, at_ms| screens.ask(&hall, Digest::of(key), HERE, at_ms);
        assert_eq!((ask("one", 0), ask("two", 0)), (Some((1, 0)), Some((2, 0))));
        assert_eq!(ask("one", 5), Some((1, 0)), "it asks again");
        assert!(screens.reload(2));
        assert_eq!(ask("two", 5), Some((2, 1)));
        let crowd = (0..50).filter(|at| ask(&format!("crowd {at}"), 5).is_some()).count();
        assert_eq!(crowd, NEW_OF_ONE_ADDRESS_MAX - 2);
        assert_eq!(ask("late", FORGOTTEN_AFTER_MS + 5), Some((1, 0)), "the others are forgotten");
    }
}
