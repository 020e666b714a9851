//! The two-wire bus of the character display, as its master, 100 kHz.
//!
//! A write waits until it is over: half a millisecond for the few bytes a display gets at once. A bus that does not answer, or that is
//! held low, costs a millisecond and is reset. The chip's library sets the bus up. Its own writes wait without end, so that a broken
//! display would stop the clock.

use embedded_hal::delay::DelayNs as _;
use embedded_hal::i2c::{ErrorKind, ErrorType, I2c, NoAcknowledgeSource, Operation};
use fugit::RateExtU32 as _;
use node_pins::clock::{SCL, SDA};

use crate::chip::SYSTEM;
use crate::chip::hal::gpio::{DynPinId, FunctionI2C, Pin, PullUp};
use crate::chip::hal::i2c::{Controller, I2C, ValidatedPinScl, ValidatedPinSda};
use crate::chip::hal::pac::{self, I2C0};
use crate::wires::{Pause, Wires};

const BUS_HZ: u32 = 100_000;
/// Bytes that the controller keeps: a longer write does not fit.
const BYTES_MAX: usize = 16;
/// Maximum time of a write, µs: twice the time of four bytes and the address.
const PATIENCE_US: u32 = 1_000;

type BusPin = Pin<DynPinId, FunctionI2C, PullUp>;
type Pins = (ValidatedPinSda<BusPin, I2C0>, ValidatedPinScl<BusPin, I2C0>);

/// The bus.
pub struct Bus {
    /// Controller; `None` only while the bus is reset.
    controller: Option<I2C<I2C0, Pins, Controller>>,
}

impl Bus {
    /// Takes the two pins. To be called once.
    ///
    /// # Panics
    /// If the pins are none of the bus's, which the table of wires forbids.
    pub fn start(wires: &mut Wires) -> Self {
        // SAFETY: nothing else uses this bus.
        let device = unsafe { pac::Peripherals::steal() }.I2C0;
        let (sda, scl) = (wires.lend(SDA), wires.lend(SCL));
        let (Ok(sda), Ok(scl)) =
            (ValidatedPinSda::validate(sda, &device), ValidatedPinScl::validate(scl, &device))
        else {
            panic!()
        };
        Self { controller: Some(begin(device, (sda, scl), &mut wires.resets)) }
    }

    fn write_all(&mut self, address: u8, bytes: &[u8]) -> Result<(), ErrorKind> {
        if bytes.is_empty() || bytes.len() > BYTES_MAX {
            return Err(ErrorKind::Other);
        }
        // SAFETY: the bus belongs to this value, and nothing else runs.
        let device = unsafe { pac::Peripherals::steal() }.I2C0;
        device.ic_enable().write(|w| w.enable().disabled());
        // SAFETY: any address of seven bits.
        device.ic_tar().write(|w| unsafe { w.ic_tar().bits(u16::from(address)) });
        device.ic_enable().write(|w| w.enable().enabled());
        let last = bytes.len() - 1;
        for (index, &byte) in bytes.iter().enumerate() {
            // SAFETY: any byte may be sent.
            device.ic_data_cmd().write(|w| unsafe { w.dat().bits(byte).stop().bit(index == last) });
        }
        for _ in 0..PATIENCE_US {
            let events = device.ic_raw_intr_stat().read();
            if events.tx_abrt().bit_is_set() {
                device.ic_clr_tx_abrt().read();
                return Err(ErrorKind::NoAcknowledge(NoAcknowledgeSource::Unknown));
            }
            if events.stop_det().bit_is_set() {
                device.ic_clr_stop_det().read();
                return Ok(());
            }
            Pause.delay_us(1);
        }
        self.begin_again();
        Err(ErrorKind::Bus)
    }

    fn begin_again(&mut self) {
        // SAFETY: only this bus's reset is touched, and nothing else runs.
        let mut resets = unsafe { pac::Peripherals::steal() }.RESETS;
        if let Some(controller) = self.controller.take() {
            let (device, pins) = controller.free(&mut resets);
            self.controller = Some(begin(device, pins, &mut resets));
        }
    }
}

fn begin(device: I2C0, (sda, scl): Pins, resets: &mut pac::RESETS) -> I2C<I2C0, Pins, Controller> {
    I2C::new_controller(device, sda, scl, BUS_HZ.Hz(), resets, SYSTEM)
}

impl ErrorType for Bus {
    type Error = ErrorKind;
}

impl I2c for Bus {
    /// Writes only: the connected display sends nothing.
    fn transaction(
        &mut self,
        address: u8,
        operations: &mut [Operation<'_>],
    ) -> Result<(), ErrorKind> {
        for operation in operations {
            match operation {
                Operation::Write(bytes) => self.write_all(address, bytes)?,
                Operation::Read(_) => return Err(ErrorKind::Other),
            }
        }
        Ok(())
    }
}
