//! Inference for one match, behind a wall: a fault in it must not reach the session, the other tables, or the next match.
//!
//! Readings are in the journal whatever inference makes of them, and are replayed after every restart. So a reading on which it
//! panicked would end the hub again and again. Behind the wall it ends the following of this match: the raw
//! readings go on being recorded, a person gets a notice, and the next match is followed from scratch.

use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

use inference::facts::Facts;
use inference::{Tracker, TrackerConfig, TrackerOutput};
use readings::{Reading, TraceHeader};

use super::unpressed::Unpressed;
use crate::panicked;

/// A follower of a match: from readings to plies.
pub trait Follow: Debug + Send {
    /// Takes what was read next; its time counts from the beginning of the match.
    fn handle(&mut self, reading: &Reading);
    /// The next thing to say.
    fn poll_output(&mut self) -> Option<TrackerOutput>;
    /// Time at which it must be called again, in match time, microseconds.
    fn poll_timeout(&self) -> Option<u64>;
    /// Lets time pass, to this match time in microseconds.
    fn handle_timeout(&mut self, t_us: u64);
    /// Ends the match: the outputs of this call are the last.
    fn finish(&mut self);
}

impl Follow for Tracker {
    fn handle(&mut self, reading: &Reading) {
        Tracker::handle(self, reading);
    }

    fn poll_output(&mut self) -> Option<TrackerOutput> {
        Tracker::poll_output(self)
    }

    fn poll_timeout(&self) -> Option<u64> {
        Tracker::poll_timeout(self)
    }

    fn handle_timeout(&mut self, t_us: u64) {
        Tracker::handle_timeout(self, t_us);
    }

    fn finish(&mut self) {
        Tracker::finish(self);
    }
}

/// Makes the follower of a match with facts from people.
pub type NewFollower = fn(&TraceHeader, Facts) -> Box<dyn Follow>;

/// The shipped inference, with the presses that stillness implies.
#[must_use]
pub fn tracker(header: &TraceHeader, facts: Facts) -> Box<dyn Follow> {
    with_presses(header, Tracker::new(header, TrackerConfig { facts, ..TrackerConfig::default() }))
}

/// A follower that gets the presses that stillness implies.
#[must_use]
pub fn with_presses(header: &TraceHeader, inner: impl Follow + 'static) -> Box<dyn Follow> {
    Box::new(Pressed { unpressed: Unpressed::new(header), inner })
}

/// Gives a follower the presses that stillness implies.
#[derive(Debug)]
struct Pressed<F> {
    unpressed: Unpressed,
    inner: F,
}

impl<F: Follow> Pressed<F> {
    fn pass_on(&mut self) {
        while let Some(reading) = self.unpressed.poll() {
            self.inner.handle(&reading);
        }
    }

    /// Implied presses come before readings of the same time.
    fn advance(&mut self, t_us: u64) {
        self.unpressed.advance(t_us);
        self.pass_on();
    }
}

impl<F: Follow> Follow for Pressed<F> {
    fn handle(&mut self, reading: &Reading) {
        self.advance(reading.t_us);
        self.unpressed.take(reading);
        self.pass_on();
    }

    fn poll_output(&mut self) -> Option<TrackerOutput> {
        self.inner.poll_output()
    }

    fn poll_timeout(&self) -> Option<u64> {
        if self.unpressed.is_holding() {
            return None;
        }
        self.unpressed.poll_timeout().into_iter().chain(self.inner.poll_timeout()).min()
    }

    fn handle_timeout(&mut self, t_us: u64) {
        if self.unpressed.is_holding() {
            return;
        }
        self.advance(t_us);
        self.inner.handle_timeout(t_us);
    }

    fn finish(&mut self) {
        self.inner.finish();
    }
}

/// The follower of a match; of no use any more after a panic.
#[derive(Debug)]
pub(super) struct Follower {
    inner: Option<Box<dyn Follow>>,
    /// Its panic's message, until it is reported.
    failure: Option<String>,
}

impl Follower {
    pub(super) fn new(new: NewFollower, header: &TraceHeader, facts: Facts) -> Follower {
        let mut follower = Follower { inner: None, failure: None };
        // A follower that panicked is dropped with its inconsistent state.
        match catch_unwind(AssertUnwindSafe(|| new(header, facts))) {
            Ok(inner) => follower.inner = Some(inner),
            Err(panic) => follower.failure = Some(panicked::words(&*panic)),
        }
        follower
    }

    pub(super) fn handle(&mut self, reading: &Reading) {
        self.guard(|inner| inner.handle(reading));
    }

    pub(super) fn poll_output(&mut self) -> Option<TrackerOutput> {
        self.guard(|inner| inner.poll_output()).flatten()
    }

    /// Time at which it must be called again, in match time, microseconds.
    pub(super) fn poll_timeout(&self) -> Option<u64> {
        self.inner.as_ref()?.poll_timeout()
    }

    pub(super) fn handle_timeout(&mut self, t_us: u64) {
        self.guard(|inner| inner.handle_timeout(t_us));
    }

    pub(super) fn finish(&mut self) {
        self.guard(|inner| inner.finish());
    }

    /// Its failure since the last call.
    pub(super) fn take_failure(&mut self) -> Option<String> {
        self.failure.take()
    }

    /// Whether it has not failed.
    pub(super) fn is_sound(&self) -> bool {
        self.inner.is_some()
    }

    fn guard<T>(&mut self, act: impl FnOnce(&mut dyn Follow) -> T) -> Option<T> {
        let mut inner = self.inner.take()?;
        match catch_unwind(AssertUnwindSafe(|| act(&mut *inner))) {
            Ok(done) => {
                self.inner = Some(inner);
                Some(done)
            }
            Err(panic) => {
                self.failure = Some(panicked::words(&*panic));
                None
            }
        }
    }
}
