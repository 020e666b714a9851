//! Devices of the lm3s6965evb: SysTick counts, general-purpose timer 0 ticks, timer 1 counts seconds, UART 0 is the line. At the clock
//! the board starts with, 12.5 MHz in QEMU.
//!
//! SysTick wraps around after 1.3 s, and QEMU may pause for longer on a busy machine. Without the count of seconds the node's clock
//! would lose one turn of SysTick. The hub would then order its readings before those of other nodes.

use cortex_m::interrupt::InterruptNumber;

use super::TICK_US;
use crate::memory::Word;

/// Cycles in two microseconds.
const CYCLES_PER_2_US: u32 = 25;

const RUN_CLOCKS_1: Word = Word::at(0x400f_e104);
const SYSTICK_CONTROL: Word = Word::at(0xe000_e010);
const SYSTICK_RELOAD: Word = Word::at(0xe000_e014);
const SYSTICK_CURRENT: Word = Word::at(0xe000_e018);
const SYSTICK_MASK: u32 = 0x00ff_ffff;
/// A turn of SysTick.
const SYSTICK_TURN_US: u64 = (SYSTICK_MASK as u64 + 1) * 2 / CYCLES_PER_2_US as u64;
const TIMER: u32 = 0x4003_0000;
const SECONDS_TIMER: u32 = 0x4003_1000;
const SECONDS: Word = Word::at(SECONDS_TIMER + 0x48);
const UART: u32 = 0x4000_c000;
const UART_DATA: Word = Word::at(UART);
const UART_FLAGS: Word = Word::at(UART + 0x18);
const RECEIVE_EMPTY: u32 = 1 << 4;
const SEND_FULL: u32 = 1 << 5;

/// Timer 0, part A.
#[derive(Clone, Copy, Debug)]
pub(super) struct TickInterrupt;

pub(super) const TICK_INTERRUPT: TickInterrupt = TickInterrupt;

// SAFETY: the number of timer 0 part A in this chip's vector table, which has more than 19 entries.
unsafe impl InterruptNumber for TickInterrupt {
    fn number(self) -> u16 {
        19
    }
}

#[derive(Debug)]
pub(super) struct Devices {
    /// SysTick's count at the last reading; it counts down.
    shown: u32,
    /// Cycles since the last whole two microseconds.
    cycles: u32,
    now_us: u64,
}

impl Devices {
    pub(super) fn start() -> Self {
        // UART 0 and timers 0 and 1 get their clock.
        RUN_CLOCKS_1.write(RUN_CLOCKS_1.read() | 1 | 1 << 16 | 1 << 17);
        SYSTICK_RELOAD.write(SYSTICK_MASK);
        SYSTICK_CURRENT.write(0);
        SYSTICK_CONTROL.write(0b101);
        // 32 bits, periodic, with interrupt.
        Word::at(TIMER).write(0);
        Word::at(TIMER + 0x04).write(2);
        Word::at(TIMER + 0x28).write(TICK_US * CYCLES_PER_2_US / 2 - 1);
        Word::at(TIMER + 0x18).write(1);
        Word::at(TIMER + 0x0c).write(1);
        // Counts up every second, to no end that a test would see.
        Word::at(SECONDS_TIMER).write(1);
        Word::at(SECONDS_TIMER + 0x30).write(u32::MAX);
        Word::at(SECONDS_TIMER + 0x0c).write(1);
        // Eight bits, with FIFOs; 115,200 baud at this clock (6 and 50/64), which QEMU ignores.
        Word::at(UART + 0x24).write(6);
        Word::at(UART + 0x28).write(50);
        Word::at(UART + 0x2c).write(0x70);
        Word::at(UART + 0x30).write(0x301);
        Self { shown: SYSTICK_CURRENT.read() & SYSTICK_MASK, cycles: 0, now_us: 0 }
    }

    pub(super) fn now_us(&mut self) -> u64 {
        let shown = SYSTICK_CURRENT.read() & SYSTICK_MASK;
        self.cycles += self.shown.wrapping_sub(shown) & SYSTICK_MASK;
        self.shown = shown;
        self.now_us += u64::from(self.cycles / CYCLES_PER_2_US * 2);
        self.cycles %= CYCLES_PER_2_US;
        // The seconds began with SysTick: who is behind them by more than this has missed whole turns.
        let seconds_us = u64::from(SECONDS.read()) * 1_000_000;
        while self.now_us + SYSTICK_TURN_US / 8 < seconds_us {
            self.now_us += SYSTICK_TURN_US;
        }
        self.now_us
    }

    pub(super) fn end_tick(&mut self) {
        Word::at(TIMER + 0x24).write(1);
    }

    pub(super) fn receive(&mut self) -> Option<u8> {
        (UART_FLAGS.read() & RECEIVE_EMPTY == 0).then(|| UART_DATA.read() as u8)
    }

    pub(super) fn send(&mut self, byte: u8) {
        while UART_FLAGS.read() & SEND_FULL != 0 {}
        UART_DATA.write(u32::from(byte));
    }
}
