//! Event streams at a front: the owner's batches, handed on. A stream that lacks one asks what changed after its position.

use std::{collections::VecDeque, convert::Infallible, sync::Arc, time::Duration};

use axum::{
    Extension,
    body::Body,
    extract::{Query, State},
    http::{HeaderMap, HeaderName, StatusCode},
    response::Response,
};
use bytes::Bytes;
use futures::stream;
use serde::Deserialize;
use tokio::{sync::watch, time::sleep};

use super::{
    super::message::FrontQuestion,
    Front,
    kept::{AnswerKey, Whole},
    pages::refused,
    stream::Frames,
};
use crate::{
    front::{
        fan_out::beat,
        written::{self, Form, Written},
    },
    http::{Peer, event_stream, problem, reads_gzip},
    machine::connection_limit::ConnectionSlot,
    views::cursor::Cursor,
};

/// Time after which a browser reconnects by itself.
const RETRY_AFTER: Duration = Duration::from_millis(1000);
/// Wait between two requests for missing changes, while there is no owner.
const ASK_AGAIN_AFTER: Duration = Duration::from_millis(500);
/// The last event of a stream when the front stops: the client is expected back at once.
const RESTART: &str = "event: restart\ndata: {}\n\n";
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

#[derive(Deserialize)]
pub(super) struct FrontLiveQuery {
    /// The match whose plies are wanted too.
    #[serde(rename = "match")]
    match_id: Option<String>,
    last_event_id: Option<String>,
}

pub(super) async fn live(
    State(front): State<Front>,
    Extension(Peer(address)): Extension<Peer>,
    Query(wish): Query<FrontLiveQuery>,
    headers: HeaderMap,
) -> Response {
    let header = headers.get(LAST_EVENT_ID).and_then(|value| value.to_str().ok());
    let seen = header.map(str::to_owned).or(wish.last_event_id);
    if let Some(Err(error)) = seen.as_ref().map(|seen| seen.parse::<Cursor>()) {
        return problem(StatusCode::BAD_REQUEST, &error.to_string());
    }
    let Some(place) = front.streams.admit(address) else {
        let reason = "too many watch already; the page will try again";
        return problem(StatusCode::SERVICE_UNAVAILABLE, reason);
    };
    let form = if reads_gzip(&headers) { Form::Packed } else { Form::Plain };
    let mut viewer = Viewer::new(front, form, seen, place);
    if let Some(match_id) = wish.match_id {
        let seen = viewer.seen.clone();
        let asked = viewer.front.plies(&match_id, &seen).await;
        match asked {
            Ok(plies) if plies.head.status == 404 => {
                return problem(StatusCode::NOT_FOUND, "there is no match of this id");
            }
            Ok(plies) => viewer.looked = Some(FollowedMatch::new(match_id, &plies)),
            Err(error) => return refused(error),
        }
        viewer.out.extend(viewer.looked.iter_mut().filter_map(|looked| looked.first(form)));
    }
    let events = stream::unfold(Box::new(viewer), async |mut viewer| {
        let bytes = viewer.next().await?;
        Some((Ok::<_, Infallible>(bytes), viewer))
    });
    event_stream(form, Body::from_stream(events))
}

impl Front {
    /// Plies of a match that changed after a position.
    async fn plies(
        &self,
        match_id: &str,
        seen: &str,
    ) -> Result<Arc<Whole>, super::asking::NoAnswer> {
        let key = AnswerKey::Plies(self.of, match_id.to_owned(), seen.to_owned());
        let wanted = FrontQuestion::Plies { match_id: match_id.to_owned(), seen: seen.to_owned() };
        self.whole(&key, &wanted, false).await
    }

    /// All that changed after a position.
    async fn changes(&self, seen: &str) -> Result<Arc<Whole>, super::asking::NoAnswer> {
        let key = AnswerKey::Changes(self.of, seen.to_owned());
        self.whole(&key, &FrontQuestion::Changes { seen: seen.to_owned() }, false).await
    }
}

/// A match that a client looks at.
struct FollowedMatch {
    id: String,
    /// Position up to which its plies were sent.
    seen: String,
    first: Option<Bytes>,
    has_news: bool,
    /// Epoch and number of the last batch for which its plies were asked for.
    asked_at: (u64, u64),
}

impl FollowedMatch {
    fn new(id: String, plies: &Whole) -> FollowedMatch {
        let (seen, first) = (plies.head.to.clone(), Some(plies.body.clone()));
        FollowedMatch { id, seen, first, has_news: false, asked_at: (0, 0) }
    }

    fn first(&mut self, form: Form) -> Option<Bytes> {
        self.first.take().and_then(|text| written(&text, form))
    }
}

/// Bytes of a text of the owner; none of an empty one.
fn written(text: &[u8], form: Form) -> Option<Bytes> {
    (!text.is_empty()).then(|| Written::new(text.to_vec()).of(form))
}

/// One client's stream.
struct Viewer {
    front: Front,
    frames: watch::Receiver<Arc<Frames>>,
    form: Form,
    looked: Option<FollowedMatch>,
    /// Epoch of the owner and number of the batch behind which the client is. None: it asks.
    at: Option<(u64, u64)>,
    /// The client's position.
    seen: String,
    out: VecDeque<Bytes>,
    is_greeted: bool,
    is_over: bool,
    _place: ConnectionSlot,
}

impl Viewer {
    /// A stream that begins behind `seen`, or at the newest batch.
    fn new(front: Front, form: Form, seen: Option<String>, place: ConnectionSlot) -> Viewer {
        let mut frames = front.stream.watch();
        let now = frames.borrow_and_update().clone();
        // Before a first owner there is no position: the client gets everything.
        let newest = if now.epoch > 0 { now.to.clone() } else { 0.to_string() };
        let seen = seen.unwrap_or(newest);
        let at = now.number_at(&seen).map(|number| (now.epoch, number));
        let hello = format!("retry: {}\n: hello\n\n", RETRY_AFTER.as_millis());
        let out = VecDeque::from([written::beginning(&hello, form)]);
        let (looked, is_greeted, is_over) = (None, false, false);
        Viewer { front, frames, form, looked, at, seen, out, is_greeted, is_over, _place: place }
    }

    /// The next bytes.
    async fn next(&mut self) -> Option<Bytes> {
        while !self.is_over {
            if let Some(bytes) = self.out.pop_front() {
                return Some(bytes);
            }
            let shutdown = self.front.shutdown.clone();
            if shutdown.run_until_cancelled(self.fill()).await.is_none() {
                self.is_over = true;
                return Some(written::once(RESTART, self.form));
            }
        }
        None
    }

    /// Waits for something that is to be sent.
    async fn fill(&mut self) {
        let frames = self.frames.borrow_and_update().clone();
        let at =
            self.at.filter(|&(epoch, number)| epoch == frames.epoch && frames.goes_on_from(number));
        let Some((epoch, number)) = at else { return self.catch_up(&frames).await };
        if self.looked.as_ref().is_some_and(|looked| looked.has_news) {
            return self.plies().await;
        }
        let Some(frame) = frames.after(number) else {
            if !std::mem::replace(&mut self.is_greeted, true) {
                return self.out.push_back(written::once(&beat(), self.form));
            }
            // Its sender is kept as long as the front.
            return drop(self.frames.changed().await);
        };
        // Plies come before the events of the same change, the last of which has an id.
        if let Some(looked) = &mut self.looked
            && frame.matches.contains(&looked.id)
            && looked.asked_at != (epoch, frame.number)
        {
            (looked.has_news, looked.asked_at) = (true, (epoch, frame.number));
            return;
        }
        self.at = Some((epoch, frame.number));
        self.seen.clone_from(&frame.to);
        if !frame.events.is_empty() {
            self.out.push_back(frame.events.of(self.form));
        }
    }

    /// Asks the owner for all that changed after the client's position.
    async fn catch_up(&mut self, frames: &Frames) {
        if frames.epoch == 0 {
            return drop(self.frames.changed().await);
        }
        match self.front.changes(&self.seen).await {
            Ok(changes) if changes.head.status == 200 => {
                self.at = Some((changes.epoch, changes.head.number));
                self.seen.clone_from(&changes.head.to);
                self.out.extend(written(&changes.body, self.form));
                if let Some(looked) = &mut self.looked {
                    looked.has_news = true;
                }
                // The owner is ahead of what has come from it: its batch is awaited.
                if changes.epoch != self.front.stream.frames().epoch {
                    sleep(ASK_AGAIN_AFTER).await;
                }
            }
            Ok(_) | Err(_) => sleep(ASK_AGAIN_AFTER).await,
        }
    }

    /// Asks for the plies of the match that the client looks at, as far as they have changed.
    async fn plies(&mut self) {
        let Some(looked) = &mut self.looked else { return };
        match self.front.plies(&looked.id, &looked.seen).await {
            Ok(plies) if plies.head.status == 200 => {
                looked.has_news = false;
                looked.seen.clone_from(&plies.head.to);
                self.out.extend(written(&plies.body, self.form));
            }
            // The match is no longer public.
            Ok(plies) if plies.head.status == 404 => self.looked = None,
            Ok(_) | Err(_) => sleep(ASK_AGAIN_AFTER).await,
        }
    }
}
