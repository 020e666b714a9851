//! The line as UART, for a hub that is far away: with a transceiver for RS-485, whose direction this switches.
//!
//! On a pair of wires that both ends share, both must not send at once: the node delays a new frame until nothing has been received for
//! a moment. If both begin in the same instant, both frames are garbled, and the link sends them again.

use embedded_hal::digital::OutputPin as _;
use fugit::RateExtU32 as _;
use node_pins::{DIRECTION, UART_RX, UART_TX};
use proto::link::NodeTime;

use crate::chip::SYSTEM;
use crate::chip::hal::pac::UART0;
use crate::chip::hal::uart::{
    DataBits, Enabled, StopBits, UartConfig, UartPeripheral, ValidatedPinRx, ValidatedPinTx,
};
use crate::wires::{Output, UartPin, Wires};

/// Speed of the line.
const BAUD: u32 = 115_200;
/// Silence of the line before the node speaks, in µs. A hub that switches the line's direction by a pin lets it go
/// late: its sleep has a millisecond's grain, and a loaded Raspberry Pi adds some.
const SILENCE_US: u64 = 5_000;

type Pins = (ValidatedPinTx<UartPin, UART0>, ValidatedPinRx<UartPin, UART0>);

pub(crate) struct UartLine {
    uart: UartPeripheral<Enabled, UART0, Pins>,
    direction: Output,
    sending: bool,
    heard: NodeTime,
}

impl UartLine {
    /// To be called once, when the clocks run.
    ///
    /// # Panics
    /// If the pins are none of the UART's, which the table of wires forbids.
    pub(crate) fn start(uart: UART0, wires: &mut Wires) -> Self {
        let (tx, rx) = (wires.uart(UART_TX), wires.uart(UART_RX));
        let (Ok(tx), Ok(rx)) =
            (ValidatedPinTx::validate(tx, &uart), ValidatedPinRx::validate(rx, &uart))
        else {
            panic!()
        };
        let format = UartConfig::new(BAUD.Hz(), DataBits::Eight, None, StopBits::One);
        let uart = UartPeripheral::new(uart, (tx, rx), &mut wires.resets).enable(format, SYSTEM);
        let Ok(uart) = uart else { panic!() };
        let direction = wires.output(DIRECTION, false);
        Self { uart, direction, sending: false, heard: NodeTime::ZERO }
    }

    pub(crate) fn receive(&mut self, now: NodeTime, bytes: &mut [u8]) -> usize {
        let mut received = 0;
        while received < bytes.len() && self.uart.uart_is_readable() {
            self.heard = now;
            // A byte that the line garbled is left out: the frame's checksum detects it.
            received += self.uart.read_raw(&mut bytes[received..=received]).unwrap_or(0);
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
        self.uart.write_raw(bytes).map_or(0, |rest| bytes.len() - rest.len())
    }

    /// Whether bytes are still on their way out; when the last one is, the line is let go.
    pub(crate) fn is_busy(&mut self) -> bool {
        if self.sending && !self.uart.uart_is_busy() {
            self.sending = false;
            let _ = self.direction.set_low();
        }
        self.sending
    }
}
