//! The last batches of an audience, as the owner sent them.
//!
//! A batch that does not follow the last one makes the kept ones useless: streams behind a gap ask the owner what they lack.

use std::{
    collections::VecDeque,
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::Bytes;
use futures::StreamExt as _;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{
    super::message::{BatchHead, Beat, Newest, Of, decode},
    asking::OwnerLink,
};
use crate::bus::{Bus, BusError};
use crate::front::written::Written;

/// Batches that are kept, for streams that are slow for a moment.
const KEPT_MAX: usize = 64;

/// Bytes of the batches that are kept.
const KEPT_BYTES_MAX: usize = 32 * 1024 * 1024;

/// A batch.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) number: u64,
    /// Position of a client that has seen it.
    pub(super) to: String,
    pub(super) events: Written,
    /// Matches whose plies changed.
    pub(super) matches: Vec<String>,
}

/// The last batches of an owner.
#[derive(Clone, Debug, Default)]
pub(super) struct Frames {
    /// Epoch of the owner; 0 before there was any.
    pub(super) epoch: u64,
    /// Number of the newest batch that is known of.
    pub(super) newest: u64,
    /// Position behind it.
    pub(super) to: String,
    kept: VecDeque<Arc<Frame>>,
}

impl Frames {
    /// The batch behind the one of this number, if it is kept.
    pub(super) fn after(&self, number: u64) -> Option<&Arc<Frame>> {
        self.kept.iter().find(|frame| frame.number == number + 1)
    }

    /// Number of the batch behind which a client is that was sent everything up to a position.
    pub(super) fn number_at(&self, position: &str) -> Option<u64> {
        if self.epoch > 0 && self.to == position {
            return Some(self.newest);
        }
        self.kept.iter().rev().find(|frame| frame.to == position).map(|frame| frame.number)
    }

    /// Whether streams can go on behind a batch of this number.
    pub(super) fn goes_on_from(&self, number: u64) -> bool {
        number >= self.newest || self.after(number).is_some()
    }

    /// Takes in a batch. False: it is not newer than what is known.
    fn batch(&mut self, epoch: u64, frame: Frame) -> bool {
        let is_new = epoch > self.epoch || epoch == self.epoch && frame.number > self.newest;
        if !is_new {
            return false;
        }
        if epoch > self.epoch || frame.number > self.newest + 1 {
            self.kept.clear();
        }
        (self.epoch, self.newest) = (epoch, frame.number);
        self.to.clone_from(&frame.to);
        self.kept.push_back(Arc::new(frame));
        let mut bytes: usize = self.kept.iter().map(|frame| frame.events.len()).sum();
        while self.kept.len() > KEPT_MAX || bytes > KEPT_BYTES_MAX {
            bytes -= self.kept.pop_front().map_or(bytes, |frame| frame.events.len());
        }
        true
    }

    /// Takes in what an owner says of its newest batch. False: it is known.
    fn beat(&mut self, epoch: u64, newest: &Newest) -> bool {
        let is_new = epoch > self.epoch || epoch == self.epoch && newest.number > self.newest;
        if is_new {
            self.kept.clear();
            (self.epoch, self.newest) = (epoch, newest.number);
            self.to.clone_from(&newest.to);
        }
        is_new
    }
}

/// The batches of an audience, as they come.
#[derive(Debug, Default)]
pub(super) struct Stream(watch::Sender<Arc<Frames>>);

impl Stream {
    /// The batches.
    pub(super) fn watch(&self) -> watch::Receiver<Arc<Frames>> {
        self.0.subscribe()
    }

    /// The batches now.
    pub(super) fn frames(&self) -> Arc<Frames> {
        self.0.borrow().clone()
    }

    fn change(&self, change: impl FnOnce(&mut Frames) -> bool) {
        self.0.send_if_modified(|frames| change(Arc::make_mut(frames)));
    }
}

/// Follows the owners of the hall until shutdown.
pub(super) async fn follow(
    bus: Bus,
    asking: Arc<OwnerLink>,
    streams: Vec<(Of, Arc<Stream>)>,
    shutdown: CancellationToken,
) {
    let opened = async {
        let batches = bus.subscribe(bus.subject("batch.*")).await?;
        Ok::<_, BusError>((batches, bus.subscribe(bus.subject("owner")).await?))
    };
    let (mut batches, mut beats) = match opened.await {
        Ok(opened) => opened,
        Err(error) => return tracing::error!(%error, "the owner cannot be followed"),
    };
    let of_subject = |subject: &str| {
        streams.iter().find(|(of, _)| subject.rsplit('.').next() == Some(of.segment()))
    };
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            Some(message) = batches.next() => {
                let Some((_, stream)) = of_subject(&message.subject) else { continue };
                match decode::<BatchHead>(message.payload) {
                    Ok((head, body)) => {
                        asking.heard(head.epoch);
                        stream.change(|frames| frames.batch(head.epoch, frame(head, body)));
                    }
                    Err(error) => tracing::warn!(%error, "a batch of the owner is left out"),
                }
            }
            Some(message) = beats.next() => match decode::<Beat>(message.payload) {
                Ok((beat, _)) => {
                    asking.heard(beat.epoch);
                    for newest in &beat.newest {
                        let Some((_, stream)) = streams.iter().find(|(of, _)| *of == newest.of) else { continue };
                        stream.change(|frames| frames.beat(beat.epoch, newest));
                    }
                }
                Err(error) => tracing::warn!(%error, "a sign of life of the owner is left out"),
            },
        }
    }
}

fn frame(head: BatchHead, body: Bytes) -> Frame {
    let BatchHead { number, to, plain, matches, .. } = head;
    Frame { number, to, events: Written::of_forms(body, plain), matches }
}

/// When an owner of an epoch was last heard of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heard {
    pub(super) epoch: u64,
    pub(super) at: Instant,
}

impl Heard {
    /// An owner that reported just now.
    pub(super) fn now(epoch: u64) -> Heard {
        Heard { epoch, at: Instant::now() }
    }

    /// Time after which a silent owner counts as gone.
    pub(super) const GONE_AFTER: Duration = Duration::from_secs(3);

    /// Whether it was heard of lately.
    pub(super) fn is_there(&self) -> bool {
        self.at.elapsed() < Heard::GONE_AFTER
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(number: u64) -> Frame {
        Frame { number, to: format!("1-{number}"), events: Written::default(), matches: Vec::new() }
    }

    #[test]
    fn a_gap_leaves_only_what_streams_can_go_on_from() {
        let mut frames = Frames::default();
        for number in [4, 5, 6] {
            assert!(frames.batch(1, frame(number)));
        }
        assert!(frames.after(4).is_some());
        assert!(!frames.batch(1, frame(5)), "an older one");
        assert!(frames.batch(1, frame(9)), "7 and 8 are lost");
        assert!(!frames.goes_on_from(6), "a client behind 6 lacks two batches");
        assert!(frames.goes_on_from(8) && frames.goes_on_from(9));
    }

    #[test]
    fn a_sign_of_life_shows_that_the_last_batch_was_lost() {
        let mut frames = Frames::default();
        frames.batch(1, frame(4));
        assert!(!frames.beat(1, &Newest { of: Of::Hall, number: 4, to: "1-4".to_owned() }));
        assert!(frames.beat(1, &Newest { of: Of::Hall, number: 5, to: "1-5".to_owned() }));
        assert!(!frames.goes_on_from(4));
        assert_eq!(frames.number_at("1-5"), Some(5));
    }

    #[test]
    fn an_owner_that_lost_its_hall_changes_nothing_any_more() {
        let mut frames = Frames::default();
        frames.batch(1, frame(40));
        assert!(frames.batch(2, frame(1)), "the next owner counts from the beginning");
        assert!(!frames.batch(1, frame(41)), "the one before was paused");
        assert!(!frames.beat(1, &Newest { of: Of::Hall, number: 41, to: "1-41".to_owned() }));
        assert_eq!((frames.epoch, frames.newest), (2, 1));
    }
}
