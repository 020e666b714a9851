//! Answers to what fronts ask: by the same handlers that serve this owner's own pages.

use std::{
    collections::HashMap,
    convert::Infallible,
    future::poll_fn,
    io,
    pin::Pin,
    time::{Duration, Instant},
};

use axum::{
    body::{Body, Bytes, HttpBody as _},
    http,
    response::{IntoResponse as _, Response},
};
use futures::StreamExt as _;
use tokio::{
    sync::{mpsc, watch},
    time::interval,
};
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tower_service::Service as _;

use super::{
    super::message::{
        AnswerHead, FrontQuestion, Of, Request, ToFront, ToOwner, decode, encode, read_headers,
        written_headers,
    },
    Served,
    changes::{self, AnswerParts, refusal},
};
use crate::bus::Bus;
use crate::front::fan_out::TableForm;
use crate::http::{Encrypted, Peer, problem};

/// Answers that are being written at a time, for all fronts.
const OPEN_MAX: usize = 4_096;
/// Parts of a request's body that wait: a file of an organiser's as a whole.
const PARTS_MAX: usize = 128;
/// Parts of an answer that are sent before the front has taken any of them.
const AHEAD_MAX: u32 = 16;
/// Interval at which a front is sent that an answer is still being made.
const WORKING_EVERY: Duration = Duration::from_secs(2);
/// Time after which an answer is given up whose front sends nothing.
const UNWANTED_AFTER: Duration = Duration::from_secs(20);

/// An answer that is being made.
struct Open {
    /// Further parts of the request's body.
    body: Option<mpsc::Sender<Result<Bytes, io::Error>>>,
    next_part: u32,
    taken: watch::Sender<u32>,
    heard: Instant,
    given_up: CancellationToken,
}

/// Answers until shutdown.
pub(in crate::cluster) async fn answer(
    bus: Bus,
    epoch: u64,
    served: Vec<Served>,
    shutdown: CancellationToken,
) {
    let mut questions = match bus.subscribe(bus.subject(&format!("{epoch}.ask"))).await {
        Ok(questions) => questions,
        Err(error) => return tracing::error!(%error, "fronts cannot be answered"),
    };
    let mut open: HashMap<String, Open> = HashMap::new();
    let (ended, mut ends) = mpsc::channel::<String>(OPEN_MAX);
    let mut look = interval(WORKING_EVERY);
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            Some(id) = ends.recv() => drop(open.remove(&id)),
            _ = look.tick() => open.retain(|_, one| one.heard.elapsed() < UNWANTED_AFTER),
            message = questions.next() => {
                let Some(message) = message else { return };
                let (head, body) = match decode::<ToOwner>(message.payload) {
                    Ok(read) => read,
                    Err(error) => { tracing::warn!(%error, "a request of a front cannot be read"); continue }
                };
                let Some(reply) = message.reply.map(|reply| reply.to_string()) else {
                    goes_on(&mut open, head, body);
                    continue
                };
                let ToOwner::Ask { id, audience, wanted, more } = head else { continue };
                let answering = Answering { bus: bus.clone(), reply, served: served.clone(), audience };
                if open.len() >= OPEN_MAX {
                    tokio::spawn(async move { answering.refuse().await });
                    continue
                }
                let (one, task) = answering.begin(wanted, body, more);
                open.insert(id.clone(), one);
                let ended = ended.clone();
                tokio::spawn(async move {
                    task.await;
                    let _ = ended.send(id).await;
                });
            }
        }
    }
}

/// A further message about an answer that is being made.
fn goes_on(open: &mut HashMap<String, Open>, head: ToOwner, body: Bytes) {
    let (ToOwner::Part { id, .. } | ToOwner::Taken { id, .. } | ToOwner::End { id }) = &head else {
        return;
    };
    let id = id.clone();
    let Some(one) = open.get_mut(&id) else { return };
    one.heard = Instant::now();
    match head {
        ToOwner::Part { index, more, .. } => {
            let Some(sender) = &one.body else { return };
            // A lost part: the handler reads a body that breaks off, and nothing is logged.
            let part = match index == one.next_part {
                true => Ok(body),
                false => Err(io::Error::other("a part of the request was lost")),
            };
            let is_over = part.is_err() || !more;
            one.next_part += 1;
            if sender.try_send(part).is_err() || is_over {
                one.body = None;
            }
        }
        ToOwner::Taken { parts, .. } => drop(one.taken.send_replace(parts)),
        ToOwner::End { .. } => drop(open.remove(&id)),
        ToOwner::Ask { .. } => {}
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.given_up.cancel();
    }
}

/// The way to answer a question.
struct Answering {
    bus: Bus,
    reply: String,
    served: Vec<Served>,
    audience: Of,
}

impl Answering {
    async fn send(&self, head: &ToFront, body: &[u8]) -> bool {
        self.bus.send(self.reply.clone(), encode(head, &[body])).await
    }

    async fn refuse(&self) {
        let (head, _) = refusal(http::StatusCode::SERVICE_UNAVAILABLE.as_u16());
        self.send(&ToFront::Answer(head), &[]).await;
    }

    /// The answer's entry, and the work.
    fn begin(
        self,
        wanted: FrontQuestion,
        body: Bytes,
        more: bool,
    ) -> (Open, impl Future<Output = ()> + Send + 'static) {
        let (taken, is_taken) = watch::channel(0);
        let given_up = CancellationToken::new();
        let (sender, parts) = mpsc::channel(PARTS_MAX);
        let first = futures::stream::iter([Ok(body)]);
        let body = match more {
            true => Body::from_stream(first.chain(ReceiverStream::new(parts))),
            false => Body::from_stream(first),
        };
        let open = Open {
            body: more.then_some(sender),
            next_part: 0,
            taken,
            heard: Instant::now(),
            given_up: given_up.clone(),
        };
        let task = async move {
            let work = self.work(wanted, body, is_taken);
            given_up.run_until_cancelled(work).await;
        };
        (open, task)
    }

    async fn work(self, wanted: FrontQuestion, body: Body, taken: watch::Receiver<u32>) {
        let Some(served) = self.served.iter().find(|one| one.of == self.audience).cloned() else {
            return self.refuse().await;
        };
        let audience = &served.audience;
        let answered = match wanted {
            FrontQuestion::Changes { seen } => {
                self.meanwhile(changes::after(audience, &seen)).await
            }
            FrontQuestion::Plies { match_id, seen } => changes::plies(audience, &match_id, &seen),
            FrontQuestion::Http(request) => {
                let number = audience.fan_out().watch(TableForm::Whole).borrow().newest.number;
                let asked = self.meanwhile(called(served.router.clone(), request, body));
                return self.stream(asked.await, number, taken).await;
            }
        };
        self.whole(answered, taken).await;
    }

    /// Waits for work, and says meanwhile that it goes on.
    async fn meanwhile<T>(&self, work: impl Future<Output = T>) -> T {
        tokio::pin!(work);
        let mut working = interval(WORKING_EVERY);
        working.reset();
        loop {
            tokio::select! {
                done = work.as_mut() => return done,
                _ = working.tick() => drop(self.send(&ToFront::Working, &[]).await),
            }
        }
    }

    /// Sends an answer that is whole.
    async fn whole(&self, (head, text): AnswerParts, taken: watch::Receiver<u32>) {
        let mut response = Body::from(text).into_response();
        *response.status_mut() =
            http::StatusCode::from_u16(head.status).unwrap_or(http::StatusCode::OK);
        response.headers_mut().clear();
        self.stream_to(response, head.number, head.to, taken).await;
    }

    async fn stream(&self, response: Response, number: u64, taken: watch::Receiver<u32>) {
        self.stream_to(response, number, String::new(), taken).await;
    }

    /// Sends an answer as it comes, not further ahead than the front takes it.
    async fn stream_to(
        &self,
        response: Response,
        number: u64,
        to: String,
        mut taken: watch::Receiver<u32>,
    ) {
        let (parts, mut body) = response.into_parts();
        let mut head = Some(AnswerHead {
            status: parts.status.as_u16(),
            headers: written_headers(&parts.headers),
            number,
            to,
            more: true,
        });
        // An event stream's head is sent at once, its first event may be long in coming.
        if body.size_hint().exact().is_none()
            && let Some(head) = head.take()
            && !self.send(&ToFront::Answer(head), &[]).await
        {
            return;
        }
        let mut index = 0;
        loop {
            let next = poll_fn(|context| Pin::new(&mut body).poll_frame(context));
            let (mut rest, is_last) = match self.meanwhile(next).await {
                Some(Ok(frame)) => (frame.into_data().unwrap_or_default(), body.is_end_stream()),
                // Broken off: the front is not sent an end.
                Some(Err(_)) => return,
                None => (Bytes::new(), true),
            };
            loop {
                let part = rest.split_to(rest.len().min(self.bus.part_bytes()));
                let more = !(is_last && rest.is_empty());
                let sent = match head.take() {
                    Some(head) => {
                        self.send(&ToFront::Answer(AnswerHead { more, ..head }), &part).await
                    }
                    None => {
                        index += 1;
                        self.send(&ToFront::Part { index: index - 1, more }, &part).await
                    }
                };
                if !sent || !more {
                    return;
                }
                let ahead = async {
                    let may_go_on = |&taken: &u32| index < taken.saturating_add(AHEAD_MAX);
                    taken.wait_for(may_go_on).await.is_ok()
                };
                if !self.meanwhile(ahead).await {
                    return;
                }
                if rest.is_empty() {
                    break;
                }
            }
        }
    }
}

/// The answer of this owner's own pages.
async fn called(mut router: axum::Router, request: Request, body: Body) -> Response {
    let mut asked = http::Request::new(body);
    let (Ok(method), Ok(target)) = (request.method.parse(), request.target.parse()) else {
        return problem(http::StatusCode::BAD_REQUEST, "the request cannot be read");
    };
    (*asked.method_mut(), *asked.uri_mut()) = (method, target);
    *asked.headers_mut() = read_headers(&request.headers);
    asked.extensions_mut().insert(Peer(request.peer));
    if request.encrypted {
        asked.extensions_mut().insert(Encrypted);
    }
    let answer: Result<Response, Infallible> = router.call(asked).await;
    answer.unwrap_or_else(|never| match never {})
}
