//! Devices of the microbit's nRF51: timer 0 counts microseconds, timer 1 ticks, the UART is the line.
//!
//! The devices use two timers, because QEMU's forgets a compare event in one case: the count is captured after the event's time but
//! before QEMU itself has processed it. This happens on a busy machine. With one timer for both, a sleep would sometimes not end.

use cortex_m::interrupt::InterruptNumber;

use super::TICK_US;
use crate::memory::Word;

const TIMER: u32 = 0x4000_8000;
const TIMER_CAPTURE_0: Word = Word::at(TIMER + 0x40);
const TIMER_COMPARE_0: Word = Word::at(TIMER + 0x540);
const TICK: u32 = 0x4000_9000;
const TICK_COMPARED_0: Word = Word::at(TICK + 0x140);
const UART: u32 = 0x4000_2000;
const UART_RECEIVED: Word = Word::at(UART + 0x108);
const UART_SENT: Word = Word::at(UART + 0x11c);
const UART_RECEIVE: Word = Word::at(UART + 0x518);
const UART_SEND: Word = Word::at(UART + 0x51c);

/// Timer 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct TickInterrupt;

pub(super) const TICK_INTERRUPT: TickInterrupt = TickInterrupt;

// SAFETY: the number of timer 1 in this chip's vector table, which has more than 9 entries.
unsafe impl InterruptNumber for TickInterrupt {
    fn number(self) -> u16 {
        9
    }
}

#[derive(Debug)]
pub(super) struct Devices {
    /// Count of the timer at the last reading.
    shown: u32,
    now_us: u64,
}

impl Devices {
    pub(super) fn start() -> Self {
        Word::at(TIMER + 0x504).write(0); // timer mode
        Word::at(TIMER + 0x508).write(3); // 32 bits
        Word::at(TIMER + 0x510).write(4); // 16 MHz / 2⁴
        Word::at(TIMER).write(1);
        Word::at(TICK + 0x504).write(0);
        Word::at(TICK + 0x508).write(0); // 16 bits
        Word::at(TICK + 0x510).write(4);
        Word::at(TICK + 0x540).write(TICK_US);
        Word::at(TICK + 0x200).write(1); // compare 0 restarts the count
        Word::at(TICK + 0x304).write(1 << 16); // and interrupts
        Word::at(TICK).write(1);
        Word::at(UART + 0x524).write(0x01d7_e000); // 115,200 baud
        Word::at(UART + 0x500).write(4);
        Word::at(UART).write(1);
        Word::at(UART + 0x08).write(1);
        Self { shown: 0, now_us: 0 }
    }

    /// Must be called at least once in a turn of the timer, 71 minutes.
    pub(super) fn now_us(&mut self) -> u64 {
        TIMER_CAPTURE_0.write(1);
        let shown = TIMER_COMPARE_0.read();
        self.now_us += u64::from(shown.wrapping_sub(self.shown));
        self.shown = shown;
        self.now_us
    }

    pub(super) fn end_tick(&mut self) {
        TICK_COMPARED_0.write(0);
    }

    pub(super) fn receive(&mut self) -> Option<u8> {
        if UART_RECEIVED.read() == 0 {
            return None;
        }
        UART_RECEIVED.write(0);
        Some(UART_RECEIVE.read() as u8)
    }

    pub(super) fn send(&mut self, byte: u8) {
        UART_SENT.write(0);
        UART_SEND.write(u32::from(byte));
        while UART_SENT.read() == 0 {}
    }
}
