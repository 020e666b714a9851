//! One order of time for the readings of all nodes of a table. Sans-IO.
//!
//! Each node's readings come in order, over a line of its own, and late by very different times: the hub may get no processor
//! for half a second, a bus may stall, a cable may be out. A value that was handed on is not taken back, so a reading waits until
//!
//! - the [`REORDER_WINDOW`] has passed, at tables with devices that cannot say more ([`Reorder::promptly`] is for all others),
//! - the watermark of every connected node of ours has passed it ([`Reorder::watermark`]). A node whose watermark has not is asked
//!   ([`Reorder::watermark_request`]), so early that a healthy one has answered before the window has passed,
//! - and the table waits for no node whose cable is out ([`IdleSources`]).
//!
//! # Use
//!
//! [`Reorder::push`], [`Reorder::watermark`] and [`Reorder::note_state`] for what comes; [`Reorder::safe_until`] says until when the order is
//! certain; [`Reorder::pop`] until then; ask all nodes for what [`Reorder::watermark_request`] says; tell people what [`Reorder::poll_late`]
//! says; come again at [`Reorder::next_due`] or when something comes.

mod buffer;
mod idle;
mod watermarks;

use std::time::Duration;

use proto::link::HubTime;

use crate::journal_line::NodeState;
use crate::time::{after, before, span};
use buffer::ReorderBuffer;
pub use buffer::WAITING_MAX;
use idle::IdleSources;
use watermarks::Watermarks;

/// Minimum wait of readings, in wall time: several frames at the slowest usual speed, and below what a spectator would
/// notice.
pub const REORDER_WINDOW: Duration = Duration::from_millis(60);
/// Time after a reading at which the other nodes are asked, in wall time: a lever and the squares of one hand share a question. Every ply
/// waits for it. The answer of a healthy node takes up to 26 ms, of which 16 are an adapter's timer.
pub const ASK_AFTER: Duration = Duration::from_millis(3);
/// Longest wait for a node that is here and does not answer, in wall time: longer than it takes to find out that it is silent,
/// or the state of its clock.
pub const ANSWER_MAX: Duration = Duration::from_secs(5);

/// Longest wait for a node that goes on sending what it kept, in wall time: three times what 64 KB take at the usual speed.
pub const BACKLOG_MAX: Duration = Duration::from_secs(18);

/// A node whose readings are late: they count as read when they come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LateSource {
    /// Its id.
    pub node: String,
    /// The waiting value.
    pub since: HubTime,
}

/// A node of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadingSource {
    /// Its id.
    pub node: String,
    /// Whether it sends watermarks.
    pub tells: bool,
}

/// A value that waits for a connected node.
#[derive(Clone, Copy, Debug)]
struct Wait {
    /// Time of the value.
    at: HubTime,
    /// Time since which every other condition would let it pass.
    begun: HubTime,
    /// The same, or when a node last sent something that belongs before it.
    since: HubTime,
}

/// Values of a table's nodes on their way into one order.
#[derive(Debug)]
pub struct Reorder<T> {
    buffer: ReorderBuffer<T>,
    idle: IdleSources,
    watermarks: Watermarks,
    /// Minimum wait of a value, in wall time.
    window: Duration,
    /// Seconds of hub time in a second of wall time.
    rate: f64,
    /// Watermark that the nodes were asked for.
    asked: HubTime,
    /// Time of the next request.
    ask_at: Option<HubTime>,
    wait: Option<Wait>,
    late: Vec<LateSource>,
}

impl<T> Reorder<T> {
    /// A table's `sources`, all of which are waited for now; what has left before has reached the time `reached`. A second of wall
    /// time has `rate` seconds of hub time.
    pub fn new(sources: &[ReadingSource], reached: HubTime, now: HubTime, rate: f64) -> Reorder<T> {
        let names = sources.iter().map(|source| source.node.clone());
        let tell = sources.iter().filter(|source| source.tells);
        Reorder {
            buffer: ReorderBuffer::new(reached),
            idle: IdleSources::new(names, now, rate),
            watermarks: Watermarks::new(tell.map(|source| source.node.clone())),
            window: REORDER_WINDOW,
            rate,
            asked: HubTime::ZERO,
            ask_at: None,
            wait: None,
            late: Vec::new(),
        }
    }

    /// The same for a table whose every source sends watermarks: a value leaves as soon as all have passed it.
    #[must_use]
    pub fn promptly(self) -> Reorder<T> {
        Reorder { window: Duration::ZERO, ..self }
    }

    /// Adds a value of the time `at`. Values of one time keep the order in which they came; one that comes too late counts
    /// as having happened when the last one left.
    pub fn push(&mut self, at: HubTime, value: T) {
        self.buffer.push(at, value);
    }

    /// A node sends what it read at `at`, at `now`. While it sends what it kept, it is not taken for one that does not answer.
    pub fn note_backlog(&mut self, node: &str, at: HubTime, now: HubTime) {
        let longest = self.span(BACKLOG_MAX);
        let until = self.watermarks.of(node).filter(|_| self.idle.is_awaited(node));
        if let Some(wait) = &mut self.wait
            && until.is_some_and(|until| until < wait.at)
            && at < wait.begun
            && now < after(wait.begun, longest)
        {
            wait.since = wait.since.max(now);
        }
    }

    /// All that a node read before `until` has been pushed.
    pub fn watermark(&mut self, node: &str, until: HubTime) {
        self.watermarks.advance(node, until);
    }

    /// A node came or went, as is known at `now`; where in the order that belongs. One that has gone did so when it was heard last:
    /// of the time since then, nothing is known of it.
    pub fn note_state(&mut self, node: &str, state: NodeState, now: HubTime) -> HubTime {
        let heard = match state {
            NodeState::Lost if self.idle.is_here(node) => self.watermarks.of(node),
            _ => None,
        };
        // Told at once, also while others are waited for.
        let frozen_at = heard.map(|heard| heard.min(self.reliable(now)));
        let at = frozen_at.filter(|&at| at > HubTime::ZERO).unwrap_or(now).min(now);
        self.idle.note(node, state, at, now);
        at
    }

    /// Time before which no further reading is expected.
    fn reliable(&mut self, now: HubTime) -> HubTime {
        let frozen_at = self.idle.frozen_at(now).unwrap_or(HubTime::MAX);
        let idle = &self.idle;
        self.watermarks.until(|node| idle.is_awaited(node)).min(frozen_at)
    }

    /// Time before which the order is certain, or no node is expected any longer. `deadline` is the next deadline
    /// of the receiver of the values; it waits as they do.
    pub fn safe_until(&mut self, now: HubTime, deadline: Option<HubTime>) -> HubTime {
        let late = self.wait.filter(|wait| after(wait.since, self.span(ANSWER_MAX)) <= now);
        if let Some(Wait { at, .. }) = late {
            let idle = &self.idle;
            let given_up = self.watermarks.give_up(at, |node| idle.is_awaited(node));
            self.late.extend(given_up.into_iter().map(|node| LateSource { node, since: at }));
            self.wait = None;
        }
        let window = self.span(self.window);
        let passed = before(now, window).min(self.idle.frozen_at(now).unwrap_or(HubTime::MAX));
        let reliable = self.reliable(now);
        // It is counted from when nothing else is in the way.
        let next = self.next(deadline).filter(|&at| at > reliable && at <= passed);
        self.wait = next.map(|at| match self.wait {
            Some(wait) if wait.at == at => wait,
            _ => Wait { at, begun: now, since: now },
        });
        passed.min(reliable)
    }

    /// Values that wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.buffer.len()
    }

    /// Whether none waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The next value that happened at `until` or before, with its time.
    pub fn pop(&mut self, until: HubTime) -> Option<(HubTime, T)> {
        self.buffer.pop(until)
    }

    /// Time has passed for the receiver of the values: later ones leave no earlier than `at`.
    pub fn advance(&mut self, at: HubTime) {
        self.buffer.advance(at);
    }

    /// The watermark to ask all nodes for, if they are to be asked now.
    pub fn watermark_request(
        &mut self,
        now: HubTime,
        deadline: Option<HubTime>,
    ) -> Option<HubTime> {
        let reliable = self.reliable(now);
        let deadline = deadline.filter(|&deadline| deadline <= now);
        let wanted = self.buffer.last().max(deadline).map(|at| at.min(now));
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
    pub fn poll_late(&mut self) -> Option<LateSource> {
        self.late.pop()
    }

    /// Time at which [`Self::safe_until`] and [`Self::watermark_request`] must be called again, after both were called.
    #[must_use]
    pub fn next_due(&self, deadline: Option<HubTime>) -> Option<HubTime> {
        let idle = &self.idle;
        let frozen_at = idle.frozen_until().map_or(HubTime::MAX, |(at, _)| at);
        let passes = self.next(deadline).filter(|&at| self.wait.is_none() && at <= frozen_at);
        let passes_at = passes.map(|at| after(at, self.span(self.window)));
        let gives_up_at = self.wait.map(|wait| after(wait.since, self.span(ANSWER_MAX)));
        let heard = self.watermarks.until(|node| idle.is_awaited(node));
        let unasked = deadline.filter(|&at| at > self.asked && at > heard);
        let asks_at = self.ask_at.or(unasked);
        let wait_ends = idle.frozen_until().map(|(_, until)| until);
        [passes_at, gives_up_at, asks_at, wait_ends].into_iter().flatten().min()
    }

    /// Time of the next value or deadline.
    fn next(&self, deadline: Option<HubTime>) -> Option<HubTime> {
        self.buffer.first().into_iter().chain(deadline).min()
    }

    /// A span of wall time as hub time.
    fn span(&self, wall: Duration) -> Duration {
        span(wall, self.rate)
    }
}
#[cfg(test)]
mod tests;
