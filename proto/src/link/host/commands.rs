//! The hub's side of commands: one after the other, each sent until it is answered or abandoned, each with a reported outcome.

use heapless::Deque;
use thiserror::Error;

use super::event::{CommandOutcome, HostEvent};
use crate::link::{Answer, Command, CommandResult, HubTime, Order};

/// Commands that may wait.
pub const MAX_COMMANDS: usize = 8;
/// Time after which a command that was not answered is sent again, in µs. It is more than a node's resend timeout, because the answer
/// is an event and is resent by itself.
pub const COMMAND_INTERVAL_US: u64 = 600_000;
/// Maximum number of attempts before a command is abandoned.
pub const COMMAND_ATTEMPTS: u8 = 10;
/// Maximum wait of a command for a node that has not introduced itself, in µs.
pub const COMMAND_PATIENCE_US: u64 = 10_000_000;

/// Maximum age of a command, in µs: a command must not be done late because a cable was out.
pub const COMMAND_AGE_MAX_US: u64 = 20_000_000;

/// The name of a command at its node. A hub that stores it before it sends the command can repeat the command after its own
/// restart, and the node does it once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CommandName {
    /// The run of the node to which it is given.
    pub boot_id: u32,
    /// Its number there.
    pub request: u32,
}

/// Error: the queue of commands is full until one of them has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "{MAX_COMMANDS} commands to this node wait for their answers already: wait for one of them"
)]
pub struct TooManyCommands;

#[derive(Clone, Copy, Debug)]
struct Waiting {
    number: u32,
    order: Order,
    /// Its number at the node, if that was chosen before.
    request: Option<u32>,
    /// Time at which it was queued.
    since: HubTime,
}

/// The first command of the queue, under way.
#[derive(Clone, Copy, Debug)]
struct UnderWay {
    request: u32,
    attempts: u8,
    /// Time of the next attempt, or of abandoning it.
    next: HubTime,
    due: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Commands {
    queue: Deque<Waiting, MAX_COMMANDS>,
    under_way: Option<UnderWay>,
    /// The number of the last command taken, over all boots.
    numbered: u32,
    /// Greatest request of this boot that the node is known to have met; `None` before the first snapshot.
    last_request: Option<u32>,
}

impl Commands {
    pub(super) const fn new() -> Self {
        Self { queue: Deque::new(), under_way: None, numbered: 0, last_request: None }
    }

    /// The number at the node that the next command would have; none while commands wait, or before the node has shown its state.
    pub(super) fn next_request(&self) -> Option<u32> {
        self.last_request.filter(|_| self.queue.is_empty())?.checked_add(1)
    }

    pub(super) fn push(
        &mut self,
        now: HubTime,
        order: Order,
        request: Option<u32>,
    ) -> Result<u32, TooManyCommands> {
        let number = self.numbered.wrapping_add(1);
        let waiting = Waiting { number, order, request, since: now };
        self.queue.push_back(waiting).map_err(|_| TooManyCommands)?;
        self.numbered = number;
        self.begin(now);
        Ok(number)
    }

    /// Puts the first command under way, if there is one and the node is known.
    fn begin(&mut self, now: HubTime) {
        if self.under_way.is_none()
            && let Some(first) = self.queue.front()
            && let Some(next) = self.last_request.and_then(|last| last.checked_add(1))
        {
            let request = first.request.unwrap_or(next);
            self.under_way = Some(UnderWay { request, attempts: 0, next: now, due: false });
            self.send(now);
        }
    }

    fn send(&mut self, now: HubTime) {
        if let Some(under_way) = &mut self.under_way {
            under_way.attempts += 1;
            under_way.next = now.plus_micros(COMMAND_INTERVAL_US);
            under_way.due = true;
        }
    }

    /// The first command is over.
    fn end(&mut self, now: HubTime, outcome: CommandOutcome) -> Option<HostEvent> {
        self.under_way = None;
        let ended = self.queue.pop_front()?;
        self.begin(now);
        Some(HostEvent::CommandEnded { command: ended.number, outcome })
    }

    /// The node has met this request in this boot.
    pub(super) fn learn(&mut self, now: HubTime, last_request: u32) {
        self.last_request = self.last_request.max(Some(last_request));
        self.begin(now);
    }

    /// Ends the command under way: the node restarts.
    pub(super) fn restart(&mut self, now: HubTime) -> Option<HostEvent> {
        self.last_request = None;
        let was_named = self.queue.front().is_some_and(|first| first.request.is_some());
        (self.under_way.take().is_some() || was_named).then_some(())?;
        self.end(now, CommandOutcome::Interrupted)
    }

    /// Holds commands after the port was reopened, until [`Self::poll`] has checked their age.
    pub(super) fn hold(&mut self) {
        if let Some(under_way) = &mut self.under_way {
            under_way.due = false;
        }
    }

    pub(super) fn take_answer(&mut self, now: HubTime, answer: &Answer) -> Option<HostEvent> {
        self.last_request = self.last_request.max(Some(answer.request));
        let order = self.queue.front()?.order;
        let ours = |one: &&mut UnderWay| (one.request, order) == (answer.request, answer.order);
        let under_way = self.under_way.as_mut().filter(ours)?;
        let is_named = self.queue.front().is_some_and(|first| first.request.is_some());
        if answer.result == CommandResult::NumberTaken && !is_named {
            // Another client has used it: once more under the next number, which counts as another attempt.
            under_way.request = self.last_request?.checked_add(1)?;
            if under_way.attempts < COMMAND_ATTEMPTS {
                self.send(now);
            }
            return None;
        }
        self.end(now, CommandOutcome::Answered(answer.result))
    }

    pub(super) fn poll(&mut self, now: HubTime) -> Option<HostEvent> {
        let is_old = |first: &Waiting| now.micros_since(first.since) >= COMMAND_AGE_MAX_US;
        let is_old = self.queue.front().is_some_and(is_old);
        match self.under_way {
            Some(UnderWay { next, .. }) if now < next && !is_old => None,
            Some(UnderWay { attempts, .. }) if attempts >= COMMAND_ATTEMPTS || is_old => {
                // It may yet come: its number is not used again.
                self.last_request = self.under_way.map(|one| one.request).max(self.last_request);
                self.end(now, CommandOutcome::Unanswered)
            }
            Some(_) => {
                self.send(now);
                None
            }
            None if self.next_due().is_some_and(|due| now >= due) => {
                self.end(now, CommandOutcome::Unanswered)
            }
            None => None,
        }
    }

    pub(super) fn next_due(&self) -> Option<HubTime> {
        match &self.under_way {
            Some(under_way) => Some(under_way.next),
            None => Some(self.queue.front()?.since.plus_micros(COMMAND_PATIENCE_US)),
        }
    }

    pub(super) fn is_due(&self) -> bool {
        self.under_way.is_some_and(|under_way| under_way.due)
    }

    pub(super) fn take_due(&mut self) -> Option<Command> {
        let under_way = self.under_way.as_mut().filter(|under_way| under_way.due)?;
        under_way.due = false;
        let order = self.queue.front()?.order;
        Some(Command { request: under_way.request, order })
    }
}
