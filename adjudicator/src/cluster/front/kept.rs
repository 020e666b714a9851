//! Answers that are the same for everybody, each asked for once however many want it, and kept until the hall has changed.
//!
//! While there is no owner the last answers are served as they are, with their age.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use bytes::Bytes;
use tokio::sync::Mutex as Turn;

use super::{
    super::message::{AnswerHead, FrontQuestion, Of},
    Front,
    asking::NoAnswer,
};

/// Bytes that are kept. Beyond it all answers are dropped, and requested again by the next client.
const KEPT_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Answers that are kept.
const KEPT_MAX: usize = 16_384;
/// Largest answer that is kept, bytes: the records of a large event.
pub(super) const WHOLE_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Time for which an answer is handed to everybody although the hall may have changed: pages reckon clocks by its time.
const SHARED_FOR: Duration = Duration::from_millis(100);

/// Question of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum AnswerKey {
    /// A path with its query, and whether the client reads gzip.
    Page(Of, String, bool),
    /// Changes after a position.
    Changes(Of, String),
    /// Plies of a match after a position.
    Plies(Of, String, String),
}

/// An answer.
#[derive(Debug)]
pub(super) struct Whole {
    pub(super) head: AnswerHead,
    pub(super) body: Bytes,
    /// Epoch of the owner who gave it.
    pub(super) epoch: u64,
    pub(super) at: Instant,
}

/// A place for an answer. The first client asks the owner; the others wait.
type AnswerPlace = Arc<Turn<Option<Arc<Whole>>>>;

/// The answers that are kept.
#[derive(Debug, Default)]
pub(super) struct AnswerCache(Mutex<AnswerPlaces>);

#[derive(Debug, Default)]
struct AnswerPlaces {
    places: HashMap<AnswerKey, AnswerPlace>,
    bytes: usize,
}

impl AnswerCache {
    fn place(&self, key: &AnswerKey) -> AnswerPlace {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.places.len() >= KEPT_MAX {
            *kept = AnswerPlaces::default();
        }
        kept.places.entry(key.clone()).or_default().clone()
    }

    /// Counts the bytes of an answer.
    fn count(&self, bytes: usize) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.bytes += bytes;
        if kept.bytes > KEPT_BYTES_MAX {
            *kept = AnswerPlaces::default();
        }
    }
}

impl Front {
    /// An answer that is the same for everybody. `is_for_ever`: its address names what it is.
    pub(super) async fn whole(
        &self,
        key: &AnswerKey,
        wanted: &FrontQuestion,
        is_for_ever: bool,
    ) -> Result<Arc<Whole>, NoAnswer> {
        let place = self.kept.place(key);
        let mut kept = place.lock().await;
        if let Some(whole) = kept.as_ref().filter(|whole| is_for_ever || self.is_fresh(key, whole))
        {
            return Ok(whole.clone());
        }
        let is_page = matches!(key, AnswerKey::Page(..));
        let stale = kept.clone().filter(|whole| is_page && whole.head.status == 200);
        if self.asking.owner().is_none()
            && let Some(stale) = stale
        {
            return Ok(stale);
        }
        let asked = self.asked(wanted);
        let asked = match stale {
            None => asked.await?,
            // An owner that goes while it is asked is not waited for: its successor takes seconds.
            Some(stale) => tokio::select! {
                asked = asked => match asked {
                    Ok(asked) => asked,
                    Err(_) => return Ok(stale),
                },
                () = self.asking.without_owner() => return Ok(stale),
            },
        };
        let whole = Arc::new(asked);
        // A second one of the same place is counted, too: then everything is forgotten sooner.
        self.kept.count(whole.body.len());
        *kept = Some(whole.clone());
        Ok(whole)
    }

    /// Asks the owner for an answer that is the same for everybody.
    async fn asked(&self, wanted: &FrontQuestion) -> Result<Whole, NoAnswer> {
        let answer = self.asking.ask(self.of, wanted, Bytes::new(), true).await?;
        let (head, epoch) = (answer.head(), answer.epoch());
        let body = Bytes::from(answer.whole(WHOLE_BYTES_MAX).await?);
        Ok(Whole { head, body, epoch, at: Instant::now() })
    }

    /// Whether an answer has all that the streams have.
    fn is_fresh(&self, key: &AnswerKey, whole: &Whole) -> bool {
        let frames = self.stream.frames();
        if whole.epoch != frames.epoch || whole.head.status != 200 {
            return false;
        }
        match key {
            AnswerKey::Page(..) => {
                whole.head.number >= frames.newest && whole.at.elapsed() < SHARED_FOR
            }
            AnswerKey::Changes(..) => frames.goes_on_from(whole.head.number),
            AnswerKey::Plies(..) => whole.head.number >= frames.newest,
        }
    }
}
