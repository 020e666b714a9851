//! The two-wire bus of the character display, as its master, 100 kHz. RP2040 datasheet, section 4.3.
//!
//! A write waits until it is over, half a millisecond for the few bytes a display takes at once; a bus that does not answer, or that
//! something holds low, costs a millisecond and is begun anew.

use embedded_hal::delay::DelayNs as _;
use embedded_hal::i2c::{ErrorKind, ErrorType, I2c, NoAcknowledgeSource, Operation};
use node_pins::clock::{SCL, SDA};

use crate::clocks::{SYSTEM_HZ, device, reset};
use crate::register::Register;
use crate::wires::{Function, Pause, Wires};

const BUS_HZ: u32 = 100_000;
/// Of a period of the bus, in cycles of the clock: three fifths low, two fifths high.
const PERIOD: u32 = SYSTEM_HZ / BUS_HZ;
const LOW: u32 = PERIOD * 3 / 5;
const HIGH: u32 = PERIOD - LOW;
/// Data stays for 300 ns after the clock has fallen.
const DATA_HOLD: u32 = SYSTEM_HZ / 10_000_000 * 3 + 1;
/// What is shorter is no edge.
const SPIKE: u32 = LOW / 16;
/// Bytes that the controller keeps: a longer write does not fit.
const BYTES_MAX: usize = 16;
/// How long a write may take, µs: twice what four bytes and the address do.
const PATIENCE_US: u32 = 1_000;

const I2C: u32 = 0x4004_4000;
const CONTROL: Register = Register::at(I2C);
const TARGET: Register = Register::at(I2C + 0x04);
const DATA: Register = Register::at(I2C + 0x10);
const HIGH_CYCLES: Register = Register::at(I2C + 0x1c);
const LOW_CYCLES: Register = Register::at(I2C + 0x20);
const EVENTS: Register = Register::at(I2C + 0x34);
const FORGET_REFUSAL: Register = Register::at(I2C + 0x54);
const FORGET_STOP: Register = Register::at(I2C + 0x60);
const ENABLE: Register = Register::at(I2C + 0x6c);
const HOLD: Register = Register::at(I2C + 0x7c);
const SPIKES: Register = Register::at(I2C + 0xa0);

/// Master, by the cycles given, begins anew without a stop, no slave.
const MASTER: u32 = 1 | 2 << 1 | 1 << 5 | 1 << 6;
const STOP_AFTER: u32 = 1 << 9;
const REFUSED: u32 = 1 << 6;
const STOPPED: u32 = 1 << 9;

// The processor's I2C 0 can be at these pins.
const _: () = assert!(SDA == 12 && SCL == 13);

/// The bus.
#[derive(Debug)]
pub struct Bus(());

impl Bus {
    /// Takes the two pins. To be called once.
    pub fn start(wires: &mut Wires) -> Self {
        wires.lend(SDA, Function::I2c);
        wires.lend(SCL, Function::I2c);
        begin();
        Self(())
    }

    fn write_all(&mut self, address: u8, bytes: &[u8]) -> Result<(), ErrorKind> {
        if bytes.is_empty() || bytes.len() > BYTES_MAX {
            return Err(ErrorKind::Other);
        }
        ENABLE.write(0);
        TARGET.write(u32::from(address));
        ENABLE.write(1);
        let last = bytes.len() - 1;
        for (index, byte) in bytes.iter().enumerate() {
            let stop = if index == last { STOP_AFTER } else { 0 };
            DATA.write(u32::from(*byte) | stop);
        }
        for _ in 0..PATIENCE_US {
            let events = EVENTS.read();
            if events & REFUSED != 0 {
                FORGET_REFUSAL.read();
                return Err(ErrorKind::NoAcknowledge(NoAcknowledgeSource::Unknown));
            }
            if events & STOPPED != 0 {
                FORGET_STOP.read();
                return Ok(());
            }
            Pause.delay_us(1);
        }
        begin();
        Err(ErrorKind::Bus)
    }
}

fn begin() {
    reset(device::I2C0);
    CONTROL.write(MASTER);
    HIGH_CYCLES.write(HIGH);
    LOW_CYCLES.write(LOW);
    HOLD.write(DATA_HOLD);
    SPIKES.write(SPIKE);
    ENABLE.write(1);
}

impl ErrorType for Bus {
    type Error = ErrorKind;
}

impl I2c for Bus {
    /// Writes only: what is connected here says nothing.
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
