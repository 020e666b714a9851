//! Restart of a node: after a panic or fault it stores the reason and restarts; if it hangs, the watchdog restarts it.

use core::panic::PanicInfo;

use cortex_m_rt::{ExceptionFrame, exception};
use node_runtime::{Restart, remember_fault, remember_panic, take};

use crate::chip::hal::{self, pac};

/// Returns the reason of this start. Call it once, before the watchdog is started.
pub(crate) fn reason(watchdog: &pac::WATCHDOG) -> Restart {
    match take() {
        (Restart::Unannounced, _) if watchdog.reason().read().timer().bit_is_set() => {
            Restart::Watchdog
        }
        (reason, _) => reason,
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    remember_panic(info.location());
    hal::reset()
}

#[exception]
unsafe fn HardFault(frame: &ExceptionFrame) -> ! {
    remember_fault(frame.pc());
    hal::reset()
}
