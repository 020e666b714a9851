//! Large answers wait in memory until whoever asked for them has read them: so many at once, and few of one address.

use std::{
    net::IpAddr,
    pin::Pin,
    task::{Context, Poll, ready},
};

use axum::{
    body::{Body, Bytes},
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use hyper::body::{Body as _, Frame, SizeHint};

use super::problem;
use crate::machine::connection_limit::{ConnectionSlot, Guests};

/// What is larger counts: the records of an event, and no page.
const LARGE_BYTES: u64 = 256 * 1024;
/// So much of one is handed on at a time.
const PIECE_BYTES: usize = 64 * 1024;
/// Most large answers that are being sent, and of one address.
const SENT_MAX: usize = 64;
const SENT_OF_ONE_ADDRESS_MAX: usize = 8;
/// Seconds after which whoever found no place is to ask again.
const AGAIN_S: u16 = 5;

/// The large answers that are being sent.
#[derive(Clone)]
pub(super) struct LargeAnswers(Guests);

impl Default for LargeAnswers {
    fn default() -> LargeAnswers {
        LargeAnswers(Guests::new(SENT_MAX, SENT_OF_ONE_ADDRESS_MAX))
    }
}

impl LargeAnswers {
    /// The answer, which counts until it is sent if it is large; or that it cannot be sent now.
    pub(super) fn counted(&self, address: IpAddr, answer: Response) -> Response {
        if answer.body().size_hint().lower() < LARGE_BYTES {
            return answer;
        }
        match self.0.admit(address) {
            Some(place) => {
                answer.map(|body| Body::new(Counted { body, rest: Bytes::new(), _place: place }))
            }
            None => {
                let reason = "too many large answers wait to be read: ask again in some seconds";
                let mut refusal = problem(StatusCode::TOO_MANY_REQUESTS, reason);
                refusal.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(AGAIN_S));
                refusal
            }
        }
    }
}

/// The body of an answer that has a place as long as it is there. It is handed on in pieces: whoever sends it takes a piece when there is room,
/// and would keep a whole body that nobody reads.
struct Counted {
    body: Body,
    rest: Bytes,
    _place: ConnectionSlot,
}

impl Counted {
    fn piece(&mut self) -> Frame<Bytes> {
        Frame::data(self.rest.split_to(PIECE_BYTES.min(self.rest.len())))
    }
}

impl hyper::body::Body for Counted {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.rest.is_empty() {
            let frame = match ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(Ok(frame)) => frame,
                end => return Poll::Ready(end),
            };
            match frame.into_data() {
                Ok(data) => self.rest = data,
                Err(other) => return Poll::Ready(Some(Ok(other))),
            }
        }
        Poll::Ready(Some(Ok(self.piece())))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (rest, body) = (self.rest.len() as u64, self.body.size_hint());
        let mut hint = SizeHint::new();
        hint.set_lower(rest + body.lower());
        if let Some(upper) = body.upper() {
            hint.set_upper(rest + upper);
        }
        hint
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::*;

    #[test]
    fn an_address_has_few_large_answers_at_once_and_small_ones_as_it_likes() {
        let large = LargeAnswers::default();
        let address: IpAddr = "10.0.0.1".parse().unwrap();
        let answer = |bytes: u64| {
            let body = vec![b' '; usize::try_from(bytes).unwrap()];
            large.counted(address, Response::new(Body::from(body)))
        };
        let mut sent: Vec<Response> =
            (0..SENT_OF_ONE_ADDRESS_MAX).map(|_| answer(LARGE_BYTES)).collect();
        assert!(sent.iter().all(|answer| answer.status() == StatusCode::OK));
        assert_eq!(answer(LARGE_BYTES).status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(answer(LARGE_BYTES - 1).status(), StatusCode::OK);
        drop(sent.pop());
        assert_eq!(answer(LARGE_BYTES).status(), StatusCode::OK, "one was read");
    }

    #[tokio::test]
    async fn a_large_answer_is_handed_on_in_pieces_and_whole() {
        let bytes: Vec<u8> = (0..300_001_u32).map(|at| (at % 251) as u8).collect();
        let answer = Response::new(Body::from(bytes.clone()));
        let mut body =
            LargeAnswers::default().counted("10.0.0.1".parse().unwrap(), answer).into_body();
        let mut read = Vec::new();
        while let Some(frame) = body.frame().await {
            let piece = frame.unwrap().into_data().unwrap();
            assert!(!piece.is_empty() && piece.len() <= PIECE_BYTES);
            read.extend_from_slice(&piece);
            let left = (bytes.len() - read.len()) as u64;
            assert_eq!(body.size_hint().exact(), Some(left));
        }
        assert!(read == bytes);
    }
}
