//! Start of every node, its main loop, and its end after a panic or a fault.

use core::panic::PanicInfo;

use cortex_m::peripheral::SCB;
use cortex_m::singleton;
use cortex_m_rt::{ExceptionFrame, exception};
use node_firmware::{EventMemory, Identity, MainLoop, Node, Watchdog};
use node_runtime::{Role, identity, remember_fault, remember_panic, take};

use crate::machine::Machine;
use crate::{Output, panel};

/// Bytes for events that are not acknowledged: some 125, half a minute of furious play that a hub may miss.
const EVENT_BYTES: usize = 2048;

/// The memory of the node's events. To be called once.
///
/// # Panics
/// If it is called again.
pub fn event_memory() -> EventMemory {
    EventMemory::lent(singleton!(: [u8; EVENT_BYTES] = [0; EVENT_BYTES]).unwrap())
}

/// A node that has started.
#[derive(Debug)]
pub struct Started {
    /// Its board.
    pub machine: Machine,
    /// Its name and its run's.
    pub identity: Identity,
}

/// Starts the board and finds out who this is.
pub fn start(role: Role) -> Started {
    let (restart, starts) = take();
    let boot_id = panel::SEED.read().wrapping_add(starts).wrapping_mul(0x9e37_79b1);
    let identity = identity(role, panel::NUMBER.read(), boot_id, restart);
    Started { machine: Machine::start(), identity }
}

/// These boards have none.
struct NoWatchdog;

impl Watchdog for NoWatchdog {
    fn feed(&mut self) {}
}

impl Started {
    /// Runs the node for ever.
    pub fn run(mut self, node: impl Node) -> ! {
        let mut main_loop = MainLoop::new(node);
        let mut light = Output::LIGHT;
        loop {
            let now = self.machine.now();
            main_loop.turn(now, &mut self.machine, &mut light, &mut NoWatchdog);
            panel::note_turn(now);
            panel::obey();
            self.machine.sleep();
        }
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    remember_panic(info.location());
    SCB::sys_reset()
}

#[exception]
unsafe fn HardFault(frame: &ExceptionFrame) -> ! {
    remember_fault(frame.pc());
    SCB::sys_reset()
}
