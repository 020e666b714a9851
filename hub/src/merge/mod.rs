//! One order for what all nodes of a table say. Sans-IO.
//!
//! Each node's readings come in order, over a line of its own, and late by very different times: the hub may get no processor
//! for half a second, a bus may stall, a cable may be out. What is handed on is not taken back, so a reading waits until
//!
//! - the [`REORDER_WINDOW`] has passed, at tables with devices that cannot say more ([`Merge::promptly`] is for all others),
//! - every node of ours that is here has said that it has told everything until then ([`Merge::hear`]). One that has not is asked
//!   ([`Merge::wanted`]), so early that a healthy one has answered before the window has passed,
//! - and nobody is waited for whose cable is out ([`Patience`]).
//!
//! # Use
//!
//! [`Merge::push`], [`Merge::hear`] and [`Merge::note_state`] for what comes; [`Merge::settle`] says until when the order is
//! certain; [`Merge::pop`] until then; ask all nodes for what [`Merge::wanted`] says; tell people what [`Merge::poll_overdue`]
//! says; come again at [`Merge::next_due`] or when something comes.

mod hearing;
mod patience;
mod sequencer;

use std::time::Duration;

use proto::link::HubTime;

use crate::record::NodeState;
use crate::time::{after, before};
use hearing::Hearing;
use patience::Patience;
use sequencer::Sequencer;
pub use sequencer::WAITING_MAX;

/// How long readings wait at least, in wall time: several frames at the slowest usual speed, and below what a spectator would
/// notice.
pub const REORDER_WINDOW: Duration = Duration::from_millis(60);
/// How long after a reading the others are asked, in wall time: what they have to say by themselves has come by then, and what
/// is read meanwhile needs no question of its own. The answer of a healthy node takes up to 26 ms, of which 16 are an adapter's timer.
pub const ASK_AFTER: Duration = Duration::from_millis(10);
/// Longest wait for a node that is here and does not answer, in wall time: longer than it takes to find out that it is silent,
/// or how its clock stands.
pub const ANSWER_MAX: Duration = Duration::from_secs(5);

/// A node that does not tell in time what it has read: what comes of it later counts as read when it comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overdue {
    /// Its id.
    pub node: String,
    /// What waited.
    pub since: HubTime,
}

/// A node of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its id.
    pub node: String,
    /// Whether it says until when it has told everything.
    pub tells: bool,
}

/// Something that waits for a node that is here.
#[derive(Clone, Copy, Debug)]
struct Wait {
    /// When it happened.
    at: HubTime,
    /// Since when everything else would let it pass.
    since: HubTime,
}

/// Values of a table's nodes on their way into one order.
#[derive(Debug)]
pub struct Merge<T> {
    sequencer: Sequencer<T>,
    patience: Patience,
    hearing: Hearing,
    /// How long a value waits at least, in wall time.
    window: Duration,
    /// Seconds of hub time in a second of wall time.
    rate: f64,
    /// Until when the nodes were asked.
    asked: HubTime,
    /// When they are asked next.
    ask_at: Option<HubTime>,
    wait: Option<Wait>,
    overdue: Vec<Overdue>,
}

impl<T> Merge<T> {
    /// A table's `sources`, all of which are waited for now; what has left before has reached the time `reached`. A second of wall
    /// time has `rate` seconds of hub time.
    pub fn new(sources: &[Source], reached: HubTime, now: HubTime, rate: f64) -> Merge<T> {
        let names = sources.iter().map(|source| source.node.clone());
        let tell = sources.iter().filter(|source| source.tells);
        Merge {
            sequencer: Sequencer::new(reached),
            patience: Patience::new(names, now, rate),
            hearing: Hearing::new(tell.map(|source| source.node.clone())),
            window: REORDER_WINDOW,
            rate,
            asked: HubTime::ZERO,
            ask_at: None,
            wait: None,
            overdue: Vec::new(),
        }
    }

    /// The same for a table whose every source says until when it has told everything: a value leaves as soon as all have.
    #[must_use]
    pub fn promptly(self) -> Merge<T> {
        Merge { window: Duration::ZERO, ..self }
    }

    /// Takes a value that happened at `at`. Values of one time keep the order in which they came; one that comes too late counts
    /// as having happened when the last one left.
    pub fn push(&mut self, at: HubTime, value: T) {
        self.sequencer.push(at, value);
    }

    /// All that a node read before `until` has been pushed.
    pub fn hear(&mut self, node: &str, until: HubTime) {
        self.hearing.hear(node, until);
    }

    /// A node came or went, as is known at `now`; where in the order that belongs. One that has gone did so when it was heard last:
    /// of the time since then, nothing is known of it.
    pub fn note_state(&mut self, node: &str, state: NodeState, now: HubTime) -> HubTime {
        let heard = match state {
            NodeState::Lost if self.patience.is_here(node) => self.hearing.of(node),
            _ => None,
        };
        // Told at once, also while others are waited for.
        let stands_at = heard.map(|heard| heard.min(self.reliable(now)));
        let at = stands_at.filter(|&at| at > HubTime::ZERO).unwrap_or(now).min(now);
        self.patience.hear(node, state, at, now);
        at
    }

    /// Until when nobody has anything to say any more that is waited for.
    fn reliable(&mut self, now: HubTime) -> HubTime {
        let stands_at = self.patience.stands_at(now).unwrap_or(HubTime::MAX);
        let patience = &self.patience;
        self.hearing.until(|node| patience.is_awaited(node)).min(stands_at)
    }

    /// Until when the order is certain, or nobody is waited for any longer. `deadline` is when time alone will change something
    /// for whoever takes the values; it waits as they do.
    pub fn settle(&mut self, now: HubTime, deadline: Option<HubTime>) -> HubTime {
        let overdue = self.wait.filter(|wait| after(wait.since, self.span(ANSWER_MAX)) <= now);
        if let Some(Wait { at, .. }) = overdue {
            let patience = &self.patience;
            let given_up = self.hearing.give_up(at, |node| patience.is_awaited(node));
            self.overdue.extend(given_up.into_iter().map(|node| Overdue { node, since: at }));
            self.wait = None;
        }
        let window = self.span(self.window);
        let passed = before(now, window).min(self.patience.stands_at(now).unwrap_or(HubTime::MAX));
        let reliable = self.reliable(now);
        // It is counted from when nothing else is in the way.
        let next = self.next(deadline).filter(|&at| at > reliable && at <= passed);
        self.wait = next.map(|at| match self.wait {
            Some(wait) if wait.at == at => wait,
            _ => Wait { at, since: now },
        });
        passed.min(reliable)
    }

    /// The next value that happened at `until` or before, with its time.
    pub fn pop(&mut self, until: HubTime) -> Option<(HubTime, T)> {
        self.sequencer.pop(until)
    }

    /// Time has passed for whoever takes the values: later ones leave no earlier than `at`.
    pub fn pass(&mut self, at: HubTime) {
        self.sequencer.pass(at);
    }

    /// Until when all nodes have to be heard, if they are to be asked now.
    pub fn wanted(&mut self, now: HubTime, deadline: Option<HubTime>) -> Option<HubTime> {
        let reliable = self.reliable(now);
        let deadline = deadline.filter(|&deadline| deadline <= now);
        let wanted = self.sequencer.last().max(deadline).map(|at| at.min(now));
        let Some(wanted) = wanted.filter(|&at| at > self.asked && at > reliable) else {
            self.ask_at = None;
            return None;
        };
        let ask_at = *self.ask_at.get_or_insert(after(now, span(ASK_AFTER, self.rate)));
        if now < ask_at {
            return None;
        }
        self.ask_at = None;
        self.asked = wanted;
        Some(wanted)
    }

    /// A node that was waited for in vain since this was last asked.
    pub fn poll_overdue(&mut self) -> Option<Overdue> {
        self.overdue.pop()
    }

    /// When time alone will change something, after [`Self::settle`] and [`Self::wanted`] were asked.
    #[must_use]
    pub fn next_due(&self, deadline: Option<HubTime>) -> Option<HubTime> {
        let patience = &self.patience;
        let stands_at = patience.stands_until().map_or(HubTime::MAX, |(at, _)| at);
        let passes = self.next(deadline).filter(|&at| self.wait.is_none() && at <= stands_at);
        let passes_at = passes.map(|at| after(at, self.span(self.window)));
        let gives_up_at = self.wait.map(|wait| after(wait.since, self.span(ANSWER_MAX)));
        let heard = self.hearing.until(|node| patience.is_awaited(node));
        let unasked = deadline.filter(|&at| at > self.asked && at > heard);
        let asks_at = self.ask_at.or(unasked);
        let patience_ends = patience.stands_until().map(|(_, until)| until);
        [passes_at, gives_up_at, asks_at, patience_ends].into_iter().flatten().min()
    }

    /// When the next thing happened, or will happen.
    fn next(&self, deadline: Option<HubTime>) -> Option<HubTime> {
        self.sequencer.first().into_iter().chain(deadline).min()
    }

    /// A span of wall time as hub time.
    fn span(&self, wall: Duration) -> Duration {
        span(wall, self.rate)
    }
}

/// A span of wall time as hub time, of which a second of wall time has `rate` seconds.
fn span(wall: Duration, rate: f64) -> Duration {
    wall.mul_f64(rate)
}

#[cfg(test)]
mod tests;
