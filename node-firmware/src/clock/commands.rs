//! Commands that set a clock, pause it or change its times: from the hub, or from a program that owns the node.

use proto::link::{ClockAdjustment, CommandResult, NodeTime, Order, TimeControl};

use super::ClockNode;
use crate::countdown::Countdown;

impl ClockNode {
    /// Sets the clock at `now`: both times stand and wait for Black's press.
    pub fn set(&mut self, now: NodeTime, control: TimeControl) {
        self.command(now, |countdown| countdown.set(control));
    }

    /// Starts White's time at `now` without a press, or goes on after a pause.
    pub fn start(&mut self, now: NodeTime) {
        self.command(now, Countdown::start);
    }

    /// Stops both times at `now`.
    pub fn pause(&mut self, now: NodeTime) {
        self.command(now, Countdown::pause);
    }

    /// Gives or takes time at `now`. An adjustment out of range changes nothing.
    pub fn adjust(&mut self, now: NodeTime, adjustment: ClockAdjustment) {
        // An adjustment out of range is reported to a hub that orders it. A caller of this function has no hub, so the error is
        // dropped.
        self.command(now, |countdown| {
            let _out_of_range = countdown.adjust(adjustment);
        });
    }

    fn command(&mut self, now: NodeTime, command: impl FnOnce(&mut Countdown)) {
        self.advance(now);
        self.count_to(now);
        self.sensors.touch();
        command(&mut self.sensors.countdown);
        if self.sensors.contacts.is_started() {
            self.tell();
        }
    }

    pub(super) fn obey(&mut self, order: Order) {
        // Presses that have not settled yet come before it or after it: as for a command of the wiring, it counts at once.
        self.count_to(self.link.now());
        let countdown = &mut self.sensors.countdown;
        let result = match order {
            Order::SetClock(control) if !control.is_valid() => CommandResult::OutOfRange,
            Order::SetClock(control) => {
                countdown.set(control);
                CommandResult::Done
            }
            Order::AdjustClock(adjustment) => match countdown.adjust(adjustment) {
                Ok(()) => CommandResult::Done,
                Err(_) => CommandResult::OutOfRange,
            },
            Order::PauseClock => {
                countdown.pause();
                CommandResult::Done
            }
            Order::ResumeClock => {
                countdown.start();
                CommandResult::Done
            }
            Order::SetDelay(delay) => match countdown.set_delay(delay) {
                Ok(()) => CommandResult::Done,
                Err(_) => CommandResult::OutOfRange,
            },
            Order::LearnBaseline(_) => CommandResult::Unsupported,
        };
        self.link.answer(result);
        if result == CommandResult::Done {
            self.sensors.touch();
            if self.sensors.contacts.is_started() {
                self.tell();
            }
        }
    }
}
