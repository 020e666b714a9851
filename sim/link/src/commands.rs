//! Commands to the node: whatever becomes of the line, none is done twice, and what is said to be done was done.

use std::collections::BTreeMap;

use proto::link::{
    ClockAdjustment, ClockDelay, CommandOutcome, CommandResult, DelayKind, HostSession, HubTime,
    Order,
};

use crate::books::Violation;

/// The order of a number in the run: time given, or every other time a delay.
fn numbered(number: usize) -> Order {
    match number % 2 {
        0 => Order::AdjustClock(ClockAdjustment { white_ms: number as i32, black_ms: 0 }),
        _ => Order::SetDelay(ClockDelay {
            delay_ms: number as u32,
            delay_kind: DelayKind::Bronstein,
        }),
    }
}

/// The number of an order in the run, if somebody can have given it.
fn number_of(order: Order) -> Option<usize> {
    let number = match order {
        Order::AdjustClock(ClockAdjustment { white_ms, .. }) => usize::try_from(white_ms).ok()?,
        Order::SetDelay(ClockDelay { delay_ms, .. }) => usize::try_from(delay_ms).ok()?,
        _ => return None,
    };
    (numbered(number) == order).then_some(number)
}

/// All commands of a run.
#[derive(Debug, Default)]
pub(crate) struct Commands {
    /// How often each was done, by its number in the run.
    done: Vec<u32>,
    /// The commands that the present session of the hub works on: its number for each, and ours.
    open: BTreeMap<u32, usize>,
    answered: u64,
}

impl Commands {
    /// Gives the session a command that is like no other.
    pub(crate) fn give(&mut self, session: &mut HostSession, now: HubTime) {
        let order = numbered(self.done.len());
        // With a full queue it is refused: then it was not given.
        if let Ok(number) = session.command(now, order) {
            self.open.insert(number, self.done.len());
            self.done.push(0);
        }
    }

    /// The node does what it was told.
    pub(crate) fn is_done(&mut self, order: Order) -> Result<(), Violation> {
        let Some(number) = number_of(order) else {
            return Err(format!("the node does {order:?}, which nobody told it"));
        };
        match self.done.get_mut(number) {
            Some(times @ 0) => {
                *times = 1;
                Ok(())
            }
            Some(_) => Err(format!("the node does command {number} again")),
            None => Err(format!("the node does command {number}, which nobody gave")),
        }
    }

    /// The session says that a command has ended.
    pub(crate) fn ends(&mut self, number: u32, outcome: CommandOutcome) -> Result<(), Violation> {
        let Some(command) = self.open.remove(&number) else {
            return Err(format!("command {number} ends, which is not under way"));
        };
        if outcome != CommandOutcome::Answered(CommandResult::Done) {
            return Ok(());
        }
        self.answered += 1;
        match self.done[command] {
            1 => Ok(()),
            _ => Err(format!("command {command} is said to be done, and was not")),
        }
    }

    /// The hub is killed: its commands are nobody's any more.
    pub(crate) fn forget(&mut self) {
        self.open.clear();
    }

    /// Whether none is under way.
    pub(crate) fn all_ended(&self) -> bool {
        self.open.is_empty()
    }

    /// How many were given, and how many of them done and answered.
    pub(crate) fn counts(&self) -> (u64, u64) {
        (self.done.len() as u64, self.answered)
    }
}
