//! Time and the tick, and the watchdog, which counts on the same tick. RP2040 datasheet, sections 4.6 and 4.7.

use cortex_m::peripheral::NVIC;
use node_firmware::Watchdog;
use proto::link::NodeTime;
use rp2040_hal::pac::Interrupt;

use crate::clocks::{device, reset};
use crate::register::Register;

const TIMER: u32 = 0x4005_4000;
const ALARM_0: Register = Register::at(TIMER + 0x10);
const HIGH: Register = Register::at(TIMER + 0x24);
const LOW: Register = Register::at(TIMER + 0x28);
const INTERRUPTS: Register = Register::at(TIMER + 0x34);
const INTERRUPTS_ENABLED: Register = Register::at(TIMER + 0x38);

const WATCHDOG: u32 = 0x4005_8000;
const WATCHDOG_CONTROL: Register = Register::at(WATCHDOG);
const WATCHDOG_LOAD: Register = Register::at(WATCHDOG + 0x04);
const WATCHDOG_REASON: Register = Register::at(WATCHDOG + 0x08);
const WATCHDOG_TICK: Register = Register::at(WATCHDOG + 0x2c);
const TRIGGER: u32 = 1 << 31;
const ENABLE: u32 = 1 << 30;
const RAN_OUT: u32 = 1;
/// What the watchdog resets: everything but the two oscillators.
const RESET_BY_WATCHDOG: Register = Register::at(0x4001_0008);
const ALL_BUT_OSCILLATORS: u32 = 0x0001_fffc;
/// The crystal's periods in a microsecond.
const CYCLES_PER_US: u32 = 12;
/// A node that has not come round for so long starts anew, in µs; the chip counts two for each.
const WATCHDOG_US: u32 = 1_000_000;

/// Time since the start, and a tick.
pub(crate) struct Timer(());

impl Timer {
    /// To be called after the clocks run; starts the watchdog too. No handler ever runs: the interrupts only end the sleep.
    pub(crate) fn start() -> Self {
        WATCHDOG_TICK.write(1 << 9 | CYCLES_PER_US);
        reset(device::TIMER);
        INTERRUPTS_ENABLED.write(1);
        RESET_BY_WATCHDOG.write(ALL_BUT_OSCILLATORS);
        Chip.feed();
        WATCHDOG_CONTROL.set(ENABLE);
        Self(())
    }

    pub(crate) fn now(&self) -> NodeTime {
        let mut high = HIGH.read();
        loop {
            let low = LOW.read();
            let again = HIGH.read();
            if again == high {
                return NodeTime::from_micros(u64::from(high) << 32 | u64::from(low));
            }
            high = again;
        }
    }

    /// A sleep ends at this time, if it is yet to come.
    pub(crate) fn wake_at(&mut self, time: NodeTime) {
        INTERRUPTS.write(1);
        ALARM_0.write(time.as_micros() as u32);
        NVIC::unpend(Interrupt::TIMER_IRQ_0);
    }
}

/// Starts the chip anew when the node has not come round for a second.
pub(crate) struct Chip;

impl Watchdog for Chip {
    fn feed(&mut self) {
        WATCHDOG_LOAD.write(2 * WATCHDOG_US);
    }
}

/// Whether the watchdog ended the run before this one.
pub(crate) fn watchdog_ran_out() -> bool {
    WATCHDOG_REASON.read() & RAN_OUT != 0
}

/// Resets the chip, if the timer has been started.
pub(crate) fn trigger_watchdog() {
    WATCHDOG_CONTROL.set(TRIGGER);
}
