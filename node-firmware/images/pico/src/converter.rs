//! The analog-to-digital converter: 12 bits in 2 µs. RP2040 datasheet, section 4.9.

use node_firmware::{AnalogInput, InputError};

use crate::clocks::{device, reset};
use crate::register::Register;
use crate::wires::Wires;

const CONTROL: Register = Register::at(0x4004_c000);
const RESULT: Register = Register::at(0x4004_c004);
const ENABLE: u32 = 1;
const START: u32 = 1 << 2;
const READY: u32 = 1 << 8;
const ERROR: u32 = 1 << 9;
const CHANNEL: u32 = 12;
/// The GPIO of channel 0.
const FIRST_GPIO: u8 = 26;

/// One channel of the converter.
#[derive(Debug)]
pub struct Converter {
    control: u32,
}

impl Converter {
    /// Starts the converter for this pin, 26 to 29.
    pub fn start(wires: &mut Wires, gpio: u8) -> Self {
        reset(device::ADC);
        wires.analog(gpio);
        let control = ENABLE | u32::from(gpio - FIRST_GPIO) << CHANNEL;
        CONTROL.write(control);
        CONTROL.wait_for(READY);
        Self { control }
    }
}

impl AnalogInput for Converter {
    fn sample(&mut self) -> Result<u16, InputError> {
        CONTROL.write(self.control | START);
        CONTROL.wait_for(READY);
        if CONTROL.read() & ERROR != 0 {
            return Err(InputError::Convert);
        }
        Ok(RESULT.read() as u16)
    }
}
