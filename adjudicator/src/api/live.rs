//! The live event stream.
//!
//! A stream keeps no queue: it remembers the last event it sent, and when something changes it sends
//! whatever changed after that, as it stands now, in the order of the changes. So a slow client skips
//! states in between instead of falling behind, a client that comes back with `Last-Event-ID` gets
//! exactly what it has missed, however long it was away and whether the server was restarted, and
//! nothing has to be kept for it. `reset` is for ids that this log has never given out.

use std::{collections::VecDeque, convert::Infallible, time::Duration};

use axum::{
    extract::{Query, State},
    http::{HeaderMap, HeaderName, StatusCode},
    response::{
        IntoResponse, Response,
        sse::{Event, Sse},
    },
};
use futures::stream;
use serde::Deserialize;
use serde_json::json;
use tokio::{sync::OwnedSemaphorePermit, sync::watch, time::Interval};

use super::{Desk, problem};
use crate::{
    hall::{EventId, Hall},
    stage::now_ms,
    view::{PliesView, TableView},
};

/// How often a stream says that it is alive, and what time it is.
const BEAT_EVERY: Duration = Duration::from_secs(2);

/// Shortest time between two batches of events of one stream: fast enough for the eye, and a hall's
/// worth of changes goes out together.
const BATCH_EVERY: Duration = Duration::from_millis(50);

/// How soon a browser comes back by itself after a stream ended.
const RETRY_AFTER: Duration = Duration::from_millis(1000);

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

#[derive(Deserialize)]
pub(super) struct Wish {
    /// The match whose plies are wanted too.
    #[serde(rename = "match")]
    match_id: Option<String>,
    last_event_id: Option<String>,
}

pub(super) async fn live(
    State(desk): State<Desk>,
    Query(wish): Query<Wish>,
    headers: HeaderMap,
) -> Response {
    let header = headers.get(LAST_EVENT_ID).and_then(|value| value.to_str().ok());
    // The header comes from the browser's own reconnection and is newer than the address.
    let seen = header.map(str::to_owned).or(wish.last_event_id);
    let seen = match seen.map(|text| text.parse::<u64>()).transpose() {
        Ok(seen) => seen.map(EventId::from),
        Err(_) => return problem(StatusCode::BAD_REQUEST, "last_event_id is no event id"),
    };
    if let Some(id) = &wish.match_id
        && desk.public.hall().game(id).is_none()
    {
        return problem(StatusCode::NOT_FOUND, "there is no match of this id");
    }
    let Ok(permit) = desk.streams.clone().try_acquire_owned() else {
        let reason = "too many watch already; the page will try again";
        return problem(StatusCode::SERVICE_UNAVAILABLE, reason);
    };
    let seen = seen.unwrap_or_else(|| desk.public.hall().last_event());
    let watcher = Watcher::new(desk, wish.match_id, seen, permit);
    let events = stream::unfold(watcher, async |mut watcher| {
        let event = watcher.next().await?;
        Some((Ok::<_, Infallible>(event), watcher))
    });
    let no_buffering = [(HeaderName::from_static("x-accel-buffering"), "no")];
    (no_buffering, Sse::new(events)).into_response()
}

/// One client's stream.
struct Watcher {
    changed: watch::Receiver<u64>,
    beat: Interval,
    desk: Desk,
    match_id: Option<String>,
    seen: EventId,
    /// What is about to be sent: at most one event per table and one of plies.
    ready: VecDeque<Event>,
    looked: bool,
    _permit: OwnedSemaphorePermit,
}

impl Watcher {
    fn new(
        desk: Desk,
        match_id: Option<String>,
        seen: EventId,
        permit: OwnedSemaphorePermit,
    ) -> Watcher {
        let mut beat = tokio::time::interval(BEAT_EVERY);
        beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let ready = VecDeque::from([Event::default().retry(RETRY_AFTER).comment("hello")]);
        let changed = desk.public.watch();
        Watcher { changed, beat, desk, match_id, seen, ready, looked: false, _permit: permit }
    }

    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if !self.looked {
                self.look();
                continue;
            }
            tokio::select! {
                () = self.desk.shutdown.cancelled() => return None,
                changed = self.changed.changed() => {
                    changed.ok()?;
                    tokio::time::sleep(BATCH_EVERY).await;
                    self.look();
                }
                _ = self.beat.tick() => {
                    return Some(event("beat", None, &json!({ "now_ms": now_ms() })));
                }
            }
        }
    }

    /// Collects whatever changed after the last event sent.
    fn look(&mut self) {
        self.looked = true;
        self.changed.mark_unchanged();
        let hall = self.desk.public.hall();
        if self.seen > hall.last_event() {
            self.seen = hall.last_event();
            self.ready.push_back(event("reset", None, &json!({})));
            return;
        }
        let news = news(&hall, self.match_id.as_deref(), self.seen);
        for (id, thing) in news {
            self.ready.push_back(thing.event(&hall, id));
            self.seen = id;
        }
    }
}

/// Something a client can be told about.
enum Thing<'a> {
    /// Sections, pairings or results: pages that show them ask for them again.
    Event,
    Table(&'a crate::hall::Table),
    Plies(&'a crate::hall::Game, usize),
}

impl Thing<'_> {
    fn event(&self, hall: &Hall, id: EventId) -> Event {
        match *self {
            Thing::Event => event("event", Some(id), &json!({})),
            Thing::Table(table) => event("table", Some(id), &TableView::of(hall, table)),
            Thing::Plies(game, from) => event("plies", Some(id), &PliesView::of(game, from)),
        }
    }
}

/// What changed after an event, in the order of the last changes.
fn news<'a>(hall: &'a Hall, match_id: Option<&str>, seen: EventId) -> Vec<(EventId, Thing<'a>)> {
    let tables = hall.tables().iter().map(|table| (table.changed(), Thing::Table(table)));
    let mut news: Vec<_> = tables.filter(|&(changed, _)| changed > seen).collect();
    if let Some(game) = match_id.and_then(|id| hall.game(id))
        && let (Some(from), Some(last)) = (game.changes().since(seen), game.changes().last())
    {
        news.push((last, Thing::Plies(game, from)));
    }
    if hall.event_changed() > seen {
        news.push((hall.event_changed(), Thing::Event));
    }
    news.sort_by_key(|&(changed, _)| changed);
    news
}

fn event(name: &str, id: Option<EventId>, data: &impl serde::Serialize) -> Event {
    let data = serde_json::to_string(data).unwrap_or_else(|_| "{}".to_owned());
    let event = Event::default().event(name).data(data);
    match id {
        Some(id) => event.id(id.to_string()),
        None => event,
    }
}
