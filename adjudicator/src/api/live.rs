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
    audience::{Cursor, Shown, Sight},
    hall::{EventId, Hall, Partition},
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
    let seen = match seen.map(|text| text.parse::<Cursor>()).transpose() {
        Ok(seen) => seen,
        Err(error) => return problem(StatusCode::BAD_REQUEST, &error.to_string()),
    };
    if let Some(id) = &wish.match_id
        && desk.public.look().game(id).is_none()
    {
        return problem(StatusCode::NOT_FOUND, "there is no match of this id");
    }
    let Ok(permit) = desk.streams.clone().try_acquire_owned() else {
        let reason = "too many watch already; the page will try again";
        return problem(StatusCode::SERVICE_UNAVAILABLE, reason);
    };
    let seen = match seen {
        Some(seen) if seen.is_start() => desk.public.look().start(),
        Some(seen) => seen,
        None => desk.public.look().cursor(),
    };
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
    changed: Vec<watch::Receiver<u64>>,
    beat: Interval,
    desk: Desk,
    match_id: Option<String>,
    seen: Cursor,
    /// What is about to be sent: at most one event per table and one of plies.
    ready: VecDeque<Event>,
    looked: bool,
    _permit: OwnedSemaphorePermit,
}

impl Watcher {
    fn new(
        desk: Desk,
        match_id: Option<String>,
        seen: Cursor,
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
                changed = any_change(&mut self.changed) => {
                    changed?;
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
        self.changed.iter_mut().for_each(watch::Receiver::mark_unchanged);
        let sight = self.desk.public.look();
        if !sight.knows(&self.seen) {
            self.seen = sight.cursor();
            self.ready.push_back(event("reset", Some(&self.seen), &json!({})));
            return;
        }
        for (partition, id, thing) in news(&sight, self.match_id.as_deref(), &self.seen) {
            self.seen.advance(partition, id);
            self.ready.push_back(thing.event(&self.seen));
        }
    }
}

/// Waits until one of them has something new. None: nothing will change any more.
async fn any_change(changed: &mut [watch::Receiver<u64>]) -> Option<()> {
    let each = changed.iter_mut().map(|one| Box::pin(one.changed()));
    let (first, ..) = futures::future::select_all(each).await;
    first.ok()
}

/// Something a client can be told about.
enum Thing<'a> {
    /// Sections, pairings or results: pages that show them ask for them again.
    Event,
    Table(&'a Hall, &'a crate::hall::Table),
    Plies(&'a crate::hall::Game, usize),
}

impl Thing<'_> {
    fn event(&self, seen: &Cursor) -> Event {
        match *self {
            Thing::Event => event("event", Some(seen), &json!({})),
            Thing::Table(hall, table) => event("table", Some(seen), &TableView::of(hall, table)),
            Thing::Plies(game, from) => event("plies", Some(seen), &PliesView::of(game, from)),
        }
    }
}

/// What changed after what was seen, partition by partition in the order of the last changes.
fn news<'a>(
    sight: &'a Sight<'_>,
    match_id: Option<&str>,
    seen: &Cursor,
) -> Vec<(Partition, EventId, Thing<'a>)> {
    let tables = sight.tables().into_iter();
    let tables = tables.map(|(hall, table)| {
        let (partition, changed) = table.changed();
        (partition, changed, Thing::Table(hall, table))
    });
    let mut news: Vec<_> = tables.collect();
    if let Some(Shown { game, .. }) = match_id.and_then(|id| sight.game(id))
        && let Some((partition, last)) = game.changes().last()
        && let Some(from) = game.changes().since(seen.seen(partition))
    {
        news.push((partition, last, Thing::Plies(game, from)));
    }
    let counted = sight.partitions();
    news.extend(counted.map(|(partition, hall)| {
        (partition, hall.partitions().event_changed(partition), Thing::Event)
    }));
    news.retain(|&(partition, changed, _)| changed > seen.seen(partition));
    news.sort_by_key(|&(partition, changed, _)| (partition, changed));
    news
}

fn event(name: &str, id: Option<&Cursor>, data: &impl serde::Serialize) -> Event {
    let data = serde_json::to_string(data).unwrap_or_else(|_| "{}".to_owned());
    let event = Event::default().event(name).data(data);
    match id {
        Some(id) => event.id(id.to_string()),
        None => event,
    }
}
