//! When a node cannot go on, it remembers why and starts anew; the watchdog does so when it hangs.

use core::panic::PanicInfo;

use cortex_m::peripheral::SCB;
use cortex_m_rt::{ExceptionFrame, exception};
use node_runtime::{Restart, remember_fault, remember_panic, take};

use crate::timer::{trigger_watchdog, watchdog_ran_out};

/// Why this run began. To be asked once.
pub(crate) fn reason() -> Restart {
    match take() {
        (Restart::Unannounced, _) if watchdog_ran_out() => Restart::Watchdog,
        (reason, _) => reason,
    }
}

/// Resets the whole chip by its watchdog, or at least the processor.
fn restart() -> ! {
    trigger_watchdog();
    cortex_m::asm::delay(10_000);
    SCB::sys_reset()
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    remember_panic(info.location());
    restart()
}

#[exception]
unsafe fn HardFault(frame: &ExceptionFrame) -> ! {
    remember_fault(frame.pc());
    restart()
}
