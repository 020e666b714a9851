//! The live event stream.
//!
//! A stream keeps no queue: it knows behind which batch it is, and hands the next ones on ([`fan_out`](crate::front::fan_out)). One that
//! resumes or lags behind gets the present state of all that changed after its client's last event, in the order of the changes.
//! So a slow client skips states in between instead of falling behind, a client that comes back with `Last-Event-ID` gets
//! what it has missed, however long it was away and whether the server was restarted, and
//! nothing has to be kept for it. `reset` is for ids that this log has never given out.
//!
//! Only the last event of a batch has an id: several changes of one thing are one event, and a client that leaves between it and
//! the others must get it again. Events say how things stand, so that twice is as good as once. For the same reason plies of the match that a
//! client looks at are sent before the batch that they belong to, and have no id.
//!
//! Events for a client that resumes are written only when they are about to be sent: a client that does not read costs a list of
//! names, not their text.

use std::{collections::VecDeque, convert::Infallible, sync::Arc, time::Duration};

use axum::{
    Extension,
    body::Body,
    extract::{Query, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures::stream;
use serde::Deserialize;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{Desk, compressed::reads_gzip, problem, server::Peer};
use crate::{
    front::{
        audience::Audience,
        fan_out::{Batches, ClientChange, TableForm, beat, event, news},
        rendered::Subject,
        written::{self, Form},
    },
    hall::{EventId, Partition},
    machine::connection_limit::ConnectionSlot,
    views::{PliesView, cursor::Cursor, read_view::Sight},
};

/// How soon a browser comes back by itself after a stream ended.
const RETRY_AFTER: Duration = Duration::from_millis(1000);

/// The last event of a stream when the server stops: it is expected back at once.
const RESTART: &str = "event: restart\ndata: {}\n\n";

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

#[derive(Deserialize)]
pub(super) struct StreamQuery {
    /// The match whose plies are wanted too.
    #[serde(rename = "match")]
    match_id: Option<String>,
    last_event_id: Option<String>,
    #[serde(default)]
    tables: TableForm,
}

pub(super) async fn live(
    State(desk): State<Desk>,
    Extension(Peer(address)): Extension<Peer>,
    Query(wish): Query<StreamQuery>,
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
    let form = if reads_gzip(&headers) { Form::Packed } else { Form::Plain };
    let watcher = Watcher::new(&desk, (form, wish.tables), wish.match_id, seen, place);
    let events = stream::unfold(Box::new(watcher), async |mut watcher| {
        let bytes = watcher.next().await?;
        Some((Ok::<_, Infallible>(bytes), watcher))
    });
    event_stream(form, Body::from_stream(events))
}

/// Answer with a stream of events, which no proxy may keep or collect.
pub(crate) fn event_stream(form: Form, events: Body) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-cache"),
        (header::VARY, "accept-encoding"),
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    let mut answer = (headers, events).into_response();
    if form == Form::Packed {
        answer.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    answer
}

/// A match that a client looks at.
struct OpenedMatch {
    id: String,
    changed: watch::Receiver<Option<(Partition, EventId)>>,
    /// Position up to which its plies were sent.
    seen: Cursor,
    has_news: bool,
}

/// One client's stream.
struct Watcher {
    audience: Arc<Audience>,
    batches: watch::Receiver<Arc<Batches>>,
    shutdown: CancellationToken,
    form: Form,
    looked: Option<OpenedMatch>,
    /// Number of the batch behind which the client is. None: it resumes.
    at: Option<u64>,
    /// The client's position once all of `ready` is sent.
    seen: Cursor,
    /// Pending news for a client that resumes: at most one per table, and one of the event.
    ready: VecDeque<ClientChange>,
    /// Whether any was pending since the client's last batch.
    has_resumed: bool,
    /// The written event and its end.
    out: VecDeque<Bytes>,
    /// Whether it got the time, once it had everything else.
    is_greeted: bool,
    is_over: bool,
    _place: ConnectionSlot,
}

impl Watcher {
    fn new(
        desk: &Desk,
        (form, tables): (Form, TableForm),
        match_id: Option<String>,
        seen: Cursor,
        place: ConnectionSlot,
    ) -> Watcher {
        let (audience, shutdown) = (desk.public.clone(), desk.shutdown.clone());
        let batches = audience.fan_out().watch(tables);
        let at = batches.borrow().number_at(&seen);
        let looked = match_id.map(|id| {
            let changed = audience.fan_out().watch_plies(&id);
            OpenedMatch { id, changed, seen: seen.clone(), has_news: true }
        });
        let hello = format!("retry: {}\n: hello\n\n", RETRY_AFTER.as_millis());
        let out = VecDeque::from([written::beginning(&hello, form)]);
        Watcher {
            audience,
            batches,
            shutdown,
            form,
            looked,
            at,
            seen,
            ready: VecDeque::new(),
            has_resumed: false,
            out,
            is_greeted: false,
            is_over: false,
            _place: place,
        }
    }

    /// The next bytes: a batch, an event, or the end of one with its id.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if self.is_over {
                return None;
            }
            if let Some(bytes) = self.at_once() {
                return Some(bytes);
            }
            if !std::mem::replace(&mut self.is_greeted, true) {
                return Some(written::once(&beat(), self.form));
            }
            tokio::select! {
                () = self.shutdown.cancelled() => {
                    self.is_over = true;
                    return Some(written::once(RESTART, self.form));
                }
                changed = self.batches.changed() => changed.ok()?,
                () = plies_changed(&mut self.looked) => {}
            }
        }
    }

    /// Bytes that can be sent without waiting.
    fn at_once(&mut self) -> Option<Bytes> {
        loop {
            if let Some(bytes) = self.out.pop_front() {
                return Some(bytes);
            }
            let batches = self.batches.borrow_and_update().clone();
            if self.at.is_none() {
                self.resume(&batches);
            }
            let is_behind = self.at.is_none_or(|at| at < batches.newest.number);
            // Plies come before the events of the same change, the last of which has an id.
            if let Some(looked) = &mut self.looked {
                looked.has_news |= is_behind || !self.ready.is_empty();
            }
            if let Some(plies) = self.plies() {
                return Some(plies);
            }
            if let Some(news) = self.ready.pop_front() {
                self.tell(&news, &batches.sight);
                continue;
            }
            if !self.out.is_empty() {
                continue;
            }
            if std::mem::take(&mut self.has_resumed) && is_behind {
                // Some tables were sent as they are by now. What a batch says of them is no change of that.
                self.at = None;
                continue;
            }
            let at = self.at.filter(|_| is_behind)?;
            self.at = batches.after(at).map(|batch| batch.number);
            if let Some(batch) = batches.after(at) {
                self.seen.clone_from(&batch.to);
                if !batch.events.is_empty() {
                    return Some(batch.events.of(self.form));
                }
            }
        }
    }

    /// Notes all changes after the client's position, up to the newest batch. The client may be ahead of that, which
    /// then is about to come.
    fn resume(&mut self, batches: &Batches) {
        let newest = &batches.newest;
        if batches.sight.knows(&self.seen) {
            self.ready.extend(news(&batches.sight, &self.seen));
            self.has_resumed = !self.ready.is_empty();
        } else if self.audience.look().knows(&self.seen) {
            return;
        } else {
            // The client begins again.
            let reset = format!("event: reset\ndata: {{}}\nid: {}\n\n", newest.to);
            self.out.push_back(written::once(&reset, self.form));
            if let Some(looked) = &mut self.looked {
                looked.seen = newest.to.clone();
            }
        }
        (self.at, self.seen) = (Some(newest.number), newest.to.clone());
    }

    /// Plies of the match that the client looks at, as far as they have changed since they were sent. They have no id.
    fn plies(&mut self) -> Option<Bytes> {
        let looked = self.looked.as_mut()?;
        if !std::mem::take(&mut looked.has_news) {
            return None;
        }
        let sight = self.audience.look();
        let game = sight.game(&looked.id)?.game;
        let (partition, last) = game.changes().last()?;
        let from = game.changes().since(looked.seen.seen(partition))?;
        looked.seen.note(partition, last);
        let write = || {
            let mut text = event("plies", &PliesView::of(game, from));
            text.push(b'\n');
            text
        };
        let subject = Subject::Plies(game.id.clone(), from);
        let rendered = &self.audience.fan_out().rendered;
        Some(rendered.event(subject, (partition, last), write).of(self.form))
    }

    /// Writes the event of a piece of news, as that is with the newest batch, and its end: the last one has an id.
    fn tell(&mut self, news: &ClientChange, sight: &Sight) {
        let rendered = &self.audience.fan_out().rendered;
        let Some(event) = news.written(sight, rendered) else { return };
        let end = match self.ready.is_empty() {
            true => format!("id: {}\n\n", self.seen),
            false => "\n".to_owned(),
        };
        self.out.extend([event.of(self.form), written::once(&end, self.form)]);
    }
}

/// Waits until plies change of the match that a client looks at; for ever where it looks at none.
async fn plies_changed(looked: &mut Option<OpenedMatch>) {
    let Some(looked) = looked else { return std::future::pending().await };
    match looked.changed.changed().await {
        Ok(()) => looked.has_news = true,
        // It is not dropped while a client watches.
        Err(_) => std::future::pending().await,
    }
}
