//! The analog-to-digital converter: 12 bits in 2 µs.

use node_firmware::{AnalogInput, InputError};

use crate::chip::hal::adc::{Adc, AdcPin};
use crate::chip::hal::pac;
use crate::wires::{AnalogPin, Wires};

/// One channel of the converter.
pub struct Converter {
    adc: Adc,
    pin: AdcPin<AnalogPin>,
}

impl Converter {
    /// Starts the converter for this pin, 26 to 29. To be called once.
    ///
    /// # Panics
    /// If the pin is none of the converter's, which the table of wires forbids.
    pub fn start(wires: &mut Wires, gpio: u8) -> Self {
        // SAFETY: nothing else uses the converter.
        let device = unsafe { pac::Peripherals::steal() }.ADC;
        let adc = Adc::new(device, &mut wires.resets);
        let Ok(pin) = AdcPin::new(wires.analog(gpio)) else { panic!() };
        Self { adc, pin }
    }
}

impl AnalogInput for Converter {
    fn sample(&mut self) -> Result<u16, InputError> {
        self.adc.read(&mut self.pin).map_err(|_| InputError::Convert)
    }
}
