//! The live event stream.
//!
//! A stream keeps no queue: it remembers until which change everything was sent, and when something changes it sends
//! whatever changed after that, as it stands now, in the order of the changes. So a slow client skips
//! states in between instead of falling behind, a client that comes back with `Last-Event-ID` gets
//! what it has missed, however long it was away and whether the server was restarted, and
//! nothing has to be kept for it. `reset` is for ids that this log has never given out.
//!
//! Only the last event of what is sent together has an id: several changes of one thing are one event, and whoever goes away between it and
//! the others must get it again. Events say how things stand, so that twice is as good as once.
//!
//! An event is written when it is about to be sent and no sooner: a client that does not read costs a list of what is news to it, not
//! its text. All clients of an audience are sent the same bytes of it ([`Rendered`](crate::front::rendered::Rendered)), each with its own
//! id behind them.

use std::{collections::VecDeque, convert::Infallible, time::Duration};

use axum::{
    Extension,
    body::Body,
    extract::{Query, State},
    http::{HeaderMap, HeaderName, StatusCode, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures::stream;
use serde::Deserialize;
use serde_json::json;
use tokio::{
    sync::watch,
    time::{Instant, Interval},
};

use super::{Desk, problem, server::Peer};
use crate::{
    front::rendered::Subject,
    hall::{EventId, Partition},
    machine::connection_limit::Place,
    time::now_ms,
    views::{PliesView, TableView, cursor::Cursor, read_view::Sight},
};

/// How often a stream says that it is alive, and what time it is.
const BEAT_EVERY: Duration = Duration::from_secs(2);

/// Shortest time between two batches of events of one stream: fast enough for the eye, and a hall's
/// worth of changes goes out together.
const BATCH_EVERY: Duration = Duration::from_millis(50);
/// The same where there are plies of the match that a client looks at: a match has one in some seconds, a hall's tables change all the time.
const PLIES_EVERY: Duration = Duration::from_millis(10);

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
    Extension(Peer(address)): Extension<Peer>,
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
    let Some(place) = desk.streams.admit(address) else {
        let reason = "too many watch already; the page will try again";
        return problem(StatusCode::SERVICE_UNAVAILABLE, reason);
    };
    let seen = match seen {
        Some(seen) if seen.is_start() => desk.public.look().start(),
        Some(seen) => seen,
        None => desk.public.look().cursor(),
    };
    let watcher = Watcher::new(desk, wish.match_id, seen, place);
    let events = stream::unfold(watcher, async |mut watcher| {
        let bytes = watcher.next().await?;
        Some((Ok::<_, Infallible>(bytes), watcher))
    });
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-cache"),
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    (headers, Body::from_stream(events)).into_response()
}

/// One client's stream.
struct Watcher {
    changed: Vec<watch::Receiver<u64>>,
    beat: Interval,
    desk: Desk,
    match_id: Option<String>,
    seen: Cursor,
    /// What is about to be sent: at most one piece of news per table and one of plies.
    ready: VecDeque<News>,
    /// What is seen when that has been sent.
    seen_then: Cursor,
    /// The end of the event that is being sent.
    end: Option<Bytes>,
    is_new: bool,
    looked: bool,
    looked_at: Instant,
    _place: Place,
}

impl Watcher {
    fn new(desk: Desk, match_id: Option<String>, seen: Cursor, place: Place) -> Watcher {
        let mut beat = tokio::time::interval(BEAT_EVERY);
        beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let changed = desk.public.watch();
        let (ready, seen_then) = (VecDeque::new(), seen.clone());
        Watcher {
            changed,
            beat,
            desk,
            match_id,
            seen,
            ready,
            seen_then,
            end: None,
            is_new: true,
            looked: false,
            looked_at: Instant::now(),
            _place: place,
        }
    }

    /// The next bytes: an event, or the end of one with its id.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(end) = self.end.take() {
                return Some(end);
            }
            if std::mem::take(&mut self.is_new) {
                let retry_ms = RETRY_AFTER.as_millis();
                return Some(Bytes::from(format!("retry: {retry_ms}\n: hello\n\n")));
            }
            if let Some(news) = self.ready.pop_front() {
                let Some((event, id)) = self.tell(&news) else { continue };
                self.end = Some(end(id.as_ref()));
                return Some(event);
            }
            if !self.looked && self.look() {
                self.end = Some(end(Some(&self.seen)));
                return Some(event("reset", &json!({})));
            }
            if !self.ready.is_empty() {
                continue;
            }
            tokio::select! {
                () = self.desk.shutdown.cancelled() => return None,
                changed = any_change(&mut self.changed) => {
                    changed?;
                    self.rest().await;
                    self.looked = false;
                }
                _ = self.beat.tick() => {
                    self.end = Some(end(None));
                    return Some(event("beat", &json!({ "now_ms": now_ms() })));
                }
            }
        }
    }

    /// Waits after a change until it is told: the first one after a while at once, plies of the match that is looked at soon.
    async fn rest(&mut self) {
        let rested = self.looked_at + BATCH_EVERY;
        while Instant::now() < rested {
            self.changed.iter_mut().for_each(watch::Receiver::mark_unchanged);
            if self.has_plies() {
                return tokio::time::sleep_until(self.looked_at + PLIES_EVERY).await;
            }
            tokio::select! {
                changed = any_change(&mut self.changed) => if changed.is_none() {
                    return;
                },
                () = tokio::time::sleep_until(rested) => {}
            }
        }
    }

    /// Whether there is news of the plies of the match that the client looks at.
    fn has_plies(&self) -> bool {
        let Some(id) = self.match_id.as_deref() else { return false };
        let sight = self.desk.public.look();
        let last = sight.game(id).and_then(|shown| shown.game.changes().last());
        last.is_some_and(|(partition, event)| event > self.seen.seen(partition))
    }

    /// Notes whatever changed after the last event sent. Whether that is of no use, and the client has to begin again.
    fn look(&mut self) -> bool {
        self.looked = true;
        self.looked_at = Instant::now();
        self.changed.iter_mut().for_each(watch::Receiver::mark_unchanged);
        let sight = self.desk.public.look();
        if !sight.knows(&self.seen) {
            self.seen = sight.cursor();
            return true;
        }
        self.ready.extend(news(&sight, self.match_id.as_deref(), &self.seen));
        self.seen_then = sight.cursor();
        false
    }

    /// The event of a piece of news, as that stands now, and its id.
    fn tell(&mut self, news: &News) -> Option<(Bytes, Option<Cursor>)> {
        let sight = self.desk.public.look();
        let since = self.seen.clone();
        if self.ready.is_empty() {
            self.seen = self.seen_then.clone();
        }
        let id = self.ready.is_empty().then(|| self.seen.clone());
        let rendered = self.desk.public.rendered();
        let event = match news {
            News::Event => event("event", &json!({})),
            News::Table(name) => {
                let (hall, table) = sight.table(name)?;
                let write = || event("table", &TableView::of(hall, table));
                rendered.event(Subject::Table(name.clone()), table.changed(), write)
            }
            News::Plies => {
                let game = sight.game(self.match_id.as_deref()?)?.game;
                let (partition, last) = game.changes().last()?;
                let from = game.changes().since(since.seen(partition))?;
                let write = || event("plies", &PliesView::of(game, from));
                rendered.event(Subject::Plies(game.id.clone(), from), (partition, last), write)
            }
        };
        Some((event, id))
    }
}

/// Waits until one of them has something new. None: nothing will change any more.
async fn any_change(changed: &mut [watch::Receiver<u64>]) -> Option<()> {
    let each = changed.iter_mut().map(|one| Box::pin(one.changed()));
    let (first, ..) = futures::future::select_all(each).await;
    first.ok()
}

/// Something that a client is to be told of.
enum News {
    /// Sections, pairings or results: pages that show them ask for them again.
    Event,
    /// The table of this name.
    Table(String),
    /// The plies of the match that the client looks at.
    Plies,
}

/// What changed after what was seen, partition by partition in the order of the last changes.
fn news(sight: &Sight, match_id: Option<&str>, seen: &Cursor) -> Vec<News> {
    let mut news: Vec<(Partition, EventId, News)> = Vec::new();
    for table in sight.tables_changed(seen) {
        let (partition, event) = table.changed();
        news.push((partition, event, News::Table(table.name.clone())));
    }
    let shown = match_id.and_then(|id| sight.game(id));
    if let Some((partition, event)) = shown.and_then(|shown| shown.game.changes().last()) {
        news.push((partition, event, News::Plies));
    }
    for (partition, hall) in sight.partitions() {
        news.push((partition, hall.partitions().event_changed(partition), News::Event));
    }
    news.retain(|&(partition, event, _)| event > seen.seen(partition));
    news.sort_by_key(|&(partition, event, _)| (partition, event));
    news.into_iter().map(|(_, _, news)| news).collect()
}

/// An event without its end.
fn event(name: &str, data: &impl serde::Serialize) -> Bytes {
    let data = serde_json::to_string(data).unwrap_or_else(|_| "{}".to_owned());
    Bytes::from(format!("event: {name}\ndata: {data}\n"))
}

/// The end of an event: its id, if it has one.
fn end(id: Option<&Cursor>) -> Bytes {
    match id {
        Some(id) => Bytes::from(format!("id: {id}\n\n")),
        None => Bytes::from_static(b"\n"),
    }
}
