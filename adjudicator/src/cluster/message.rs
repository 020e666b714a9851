//! Messages between owners and fronts: a head in JSON, to which fields may be added, and bytes behind it.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use bytes::{BufMut as _, Bytes, BytesMut};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::views::halls::HallSummary;

/// Bytes of the length of a head.
const LENGTH_BYTES: usize = 4;

/// An audience of an owner.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq, Hash)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Of {
    /// Everybody.
    Broadcast,
    /// The hall's screens.
    Hall,
}

impl Of {
    /// Segment of a subject.
    pub(super) fn segment(self) -> &'static str {
        match self {
            Of::Broadcast => "broadcast",
            Of::Hall => "hall",
        }
    }
}

/// State of an audience's stream.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
pub(super) struct Newest {
    pub(super) of: Of,
    /// Number of its newest batch.
    pub(super) number: u64,
    /// Position behind that batch.
    pub(super) to: String,
}

/// Sign of life of an owner.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Beat {
    /// Epoch in which the owner opened the log. A later owner has a higher one.
    pub(super) epoch: u64,
    pub(super) newest: Vec<Newest>,
    /// The hall, for an overview.
    #[serde(default)]
    pub(super) hall: Option<HallSummary>,
}

/// Head of a batch. The bytes are its plain form, then its packed one.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct BatchHead {
    pub(super) epoch: u64,
    pub(super) number: u64,
    pub(super) to: String,
    /// Bytes of the plain form.
    pub(super) plain: usize,
    /// Matches whose plies changed.
    #[serde(default)]
    pub(super) matches: Vec<String>,
}

/// Question of a front.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(tag = "of", rename_all = "kebab-case")]
pub(super) enum FrontQuestion {
    /// The answer to a request for a page or of an act.
    Http(Request),
    /// All that changed after a position, up to the newest batch.
    Changes { seen: String },
    /// The plies of a match that changed after a position.
    Plies { match_id: String, seen: String },
}

/// A request that came in at a front.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Request {
    pub(super) method: String,
    /// Path and query.
    pub(super) target: String,
    pub(super) headers: Vec<(String, String)>,
    /// Address of the client.
    pub(super) peer: std::net::IpAddr,
    /// Whether it came encrypted.
    pub(super) encrypted: bool,
}

/// Head of a front's message to an owner.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(tag = "message", rename_all = "kebab-case")]
pub(super) enum ToOwner {
    /// A question, with the beginning of a request's body. `more`: further parts follow.
    Ask { id: String, audience: Of, wanted: FrontQuestion, more: bool },
    /// A further part of the body.
    Part { id: String, index: u32, more: bool },
    /// The answer is still wanted, and so many of its parts were taken.
    Taken { id: String, parts: u32 },
    /// The answer is not wanted any more.
    End { id: String },
}

/// Head of an owner's message to a front.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(tag = "message", rename_all = "kebab-case")]
pub(super) enum ToFront {
    /// The beginning of an answer.
    Answer(AnswerHead),
    /// A further part of its body.
    Part { index: u32, more: bool },
    /// The owner is still at work.
    Working,
}

/// Head of an answer.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct AnswerHead {
    pub(super) status: u16,
    #[serde(default)]
    pub(super) headers: Vec<(String, String)>,
    /// Number of a batch whose changes the answer has.
    pub(super) number: u64,
    /// Position of a client that has taken it in, where a position was given.
    #[serde(default)]
    pub(super) to: String,
    pub(super) more: bool,
}

/// A message that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("a message between owner and front cannot be read: {0}; do both run the same release?")]
pub(super) struct Malformed(String);

/// Writes a message.
pub(super) fn encode(head: &impl Serialize, body: &[&[u8]]) -> Bytes {
    let head = serde_json::to_vec(head).unwrap_or_default();
    let of_body: usize = body.iter().map(|part| part.len()).sum();
    let mut message = BytesMut::with_capacity(LENGTH_BYTES + head.len() + of_body);
    message.put_u32(u32::try_from(head.len()).unwrap_or(u32::MAX));
    message.put_slice(&head);
    body.iter().for_each(|part| message.put_slice(part));
    message.freeze()
}

/// Reads a message: its head and the bytes behind it.
///
/// # Errors
///
/// It is too short, or its head is not what was expected.
pub(super) fn decode<H: DeserializeOwned>(mut message: Bytes) -> Result<(H, Bytes), Malformed> {
    let Some(&length) = message.first_chunk::<LENGTH_BYTES>() else {
        return Err(Malformed("it is empty".to_owned()));
    };
    let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
    let mut rest = message.split_off(LENGTH_BYTES);
    if length > rest.len() {
        return Err(Malformed("it ends before its head does".to_owned()));
    }
    let body = rest.split_off(length);
    let head = serde_json::from_slice(&rest).map_err(|error| Malformed(error.to_string()))?;
    Ok((head, body))
}

/// Headers as a message has them; those that are no text are left out.
pub(super) fn written_headers(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |(name, value): (&HeaderName, &HeaderValue)| {
        Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
    };
    headers.iter().filter_map(text).collect()
}

/// Headers of a message.
pub(super) fn read_headers(headers: &[(String, String)]) -> HeaderMap {
    let read = |(name, value): &(String, String)| -> Option<(HeaderName, HeaderValue)> {
        Some((name.parse().ok()?, value.parse().ok()?))
    };
    let mut map = HeaderMap::new();
    headers.iter().filter_map(read).for_each(|(name, value)| {
        map.append(name, value);
    });
    map
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_message_reads_as_it_was_written() {
        let head = ToFront::Part { index: 7, more: true };
        let (read, body) = decode::<ToFront>(encode(&head, &[b"one", b"two"])).unwrap();
        assert!(matches!(read, ToFront::Part { index: 7, more: true }));
        assert_eq!(body, "onetwo");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn any_bytes_are_a_message_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = decode::<ToOwner>(bytes.into());
        }
    }
}
