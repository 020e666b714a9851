//! The line as UART, for a hub that is far away: with a transceiver for RS-485, whose direction this switches. RP2040 datasheet,
//! section 4.2.
//!
//! On a pair of wires that both ends share, both must not talk at once: the node waits with a new frame until nothing has come for
//! a moment. Should both begin in the same instant, both frames are garbled and come again: the link provides for that.

use embedded_hal::digital::OutputPin as _;
use node_pins::{DIRECTION, UART_RX, UART_TX};
use proto::link::NodeTime;

use crate::clocks::{SYSTEM_HZ, device, reset};
use crate::register::Register;
use crate::wires::{Function, Output, Wires};

/// Speed of the line.
const BAUD: u32 = 115_200;
/// The clock's periods in a sixteenth of a bit, in sixty-fourths.
const DIVIDER: u32 = (4 * SYSTEM_HZ + BAUD / 2) / BAUD;
/// Silence of the line before the node speaks, in µs. A hub that switches the line's direction by a pin lets it go
/// late: its sleep has a millisecond's grain, and a loaded Raspberry Pi adds some.
const SILENCE_US: u64 = 5_000;

const UART: u32 = 0x4003_4000;
const DATA: Register = Register::at(UART);
const FLAGS: Register = Register::at(UART + 0x18);
const DIVIDER_WHOLE: Register = Register::at(UART + 0x24);
const DIVIDER_REST: Register = Register::at(UART + 0x28);
const FORMAT: Register = Register::at(UART + 0x2c);
const CONTROL: Register = Register::at(UART + 0x30);
const BUSY: u32 = 1 << 3;
const RECEIVE_EMPTY: u32 = 1 << 4;
const SEND_FULL: u32 = 1 << 5;
/// Framing, parity, break, overrun.
const RECEIVE_ERROR: u32 = 0xf00;

// The processor's UART 0 can be at these pins.
const _: () = assert!(UART_TX == 0 && UART_RX == 1);

#[derive(Debug)]
pub(crate) struct UartLine {
    direction: Output,
    sending: bool,
    heard: NodeTime,
}

impl UartLine {
    pub(crate) fn start(wires: &mut Wires) -> Self {
        reset(device::UART0);
        DIVIDER_WHOLE.write(DIVIDER / 64);
        DIVIDER_REST.write(DIVIDER % 64);
        // Eight bits, with FIFOs; then on.
        FORMAT.write(3 << 5 | 1 << 4);
        CONTROL.write(1 << 9 | 1 << 8 | 1);
        wires.lend(UART_TX, Function::Uart);
        wires.lend(UART_RX, Function::Uart);
        let direction = wires.output(DIRECTION, false);
        Self { direction, sending: false, heard: NodeTime::ZERO }
    }

    pub(crate) fn receive(&mut self, now: NodeTime, bytes: &mut [u8]) -> usize {
        let mut received = 0;
        while received < bytes.len() && FLAGS.read() & RECEIVE_EMPTY == 0 {
            self.heard = now;
            let data = DATA.read();
            // A byte that the line garbled is left out: the frame's checksum tells.
            if data & RECEIVE_ERROR == 0 {
                bytes[received] = data as u8;
                received += 1;
            }
        }
        received
    }

    pub(crate) fn send(&mut self, now: NodeTime, bytes: &[u8]) -> usize {
        if bytes.is_empty() {
            return 0;
        }
        if !self.sending {
            if now.micros_since(self.heard) < SILENCE_US {
                return 0;
            }
            self.sending = true;
            // A pin of the processor's own cannot fail.
            let _ = self.direction.set_high();
        }
        let mut sent = 0;
        for &byte in bytes {
            if FLAGS.read() & SEND_FULL != 0 {
                break;
            }
            DATA.write(u32::from(byte));
            sent += 1;
        }
        sent
    }

    /// Whether bytes are still on their way out; when the last one is, the line is let go.
    pub(crate) fn is_busy(&mut self) -> bool {
        if self.sending && FLAGS.read() & BUSY == 0 {
            self.sending = false;
            let _ = self.direction.set_low();
        }
        self.sending
    }
}
