//! The chip's clocks, from its crystal of 12 MHz: processor and devices at 125 MHz, USB and the converter at 48 MHz, the timer at
//! 1 MHz. Numbers of registers and bits: RP2040 datasheet, sections 2.14 to 2.18 and 4.7.

use crate::register::Register;

const RESETS: Register = Register::at(0x4000_c000);
const RESETS_DONE: Register = Register::at(0x4000_c008);

/// Devices that are brought out of reset, by their bits.
pub(crate) mod device {
    pub(crate) const ADC: u32 = 1;
    pub(crate) const I2C0: u32 = 1 << 3;
    pub(crate) const IO_BANK0: u32 = 1 << 5;
    pub(crate) const PADS_BANK0: u32 = 1 << 8;
    pub(crate) const PLL_SYS: u32 = 1 << 12;
    pub(crate) const PLL_USB: u32 = 1 << 13;
    pub(crate) const TIMER: u32 = 1 << 21;
    pub(crate) const UART0: u32 = 1 << 22;
    pub(crate) const USBCTRL: u32 = 1 << 24;
}

const CRYSTAL_CONTROL: Register = Register::at(0x4002_4000);
const CRYSTAL_STATUS: Register = Register::at(0x4002_4004);
const CRYSTAL_START: Register = Register::at(0x4002_400c);
const CRYSTAL_STABLE: u32 = 1 << 31;
/// A millisecond, in 256 periods of the crystal.
const CRYSTAL_START_DELAY: u32 = 47;

const PLL_SYS: Register = Register::at(0x4002_8000);
const PLL_USB: Register = Register::at(0x4002_c000);
const PLL_LOCKED: u32 = 1 << 31;

const CLOCKS: u32 = 0x4000_8000;
const REFERENCE_CONTROL: Register = Register::at(CLOCKS + 0x30);
const REFERENCE_SELECTED: Register = Register::at(CLOCKS + 0x38);
const SYSTEM_CONTROL: Register = Register::at(CLOCKS + 0x3c);
const SYSTEM_SELECTED: Register = Register::at(CLOCKS + 0x44);
const PERIPHERAL_CONTROL: Register = Register::at(CLOCKS + 0x48);
const USB_CONTROL: Register = Register::at(CLOCKS + 0x54);
const ADC_CONTROL: Register = Register::at(CLOCKS + 0x60);
const ENABLE: u32 = 1 << 11;

/// Frequency of the processor and of devices that have no clock of their own.
pub(crate) const SYSTEM_HZ: u32 = 125_000_000;

/// Puts devices into reset and takes them out of it.
pub(crate) fn reset(devices: u32) {
    RESETS.set(devices);
    RESETS.clear(devices);
    while RESETS_DONE.read() & devices != devices {}
}

/// Starts all clocks. After a reset the processor runs on an oscillator of some 6 MHz.
pub(crate) fn start() {
    CRYSTAL_START.write(CRYSTAL_START_DELAY);
    CRYSTAL_CONTROL.write(0x00fa_baa0);
    CRYSTAL_STATUS.wait_for(CRYSTAL_STABLE);
    // Both must not run on a loop that is being set anew, after a reset that left it on.
    SYSTEM_CONTROL.clear(1);
    SYSTEM_SELECTED.wait_for(1);
    REFERENCE_CONTROL.write(2);
    REFERENCE_SELECTED.wait_for(1 << 2);
    reset(device::PLL_SYS | device::PLL_USB);
    // 12 MHz × 125 / 6 / 2.
    lock(PLL_SYS, 125, 6, 2);
    // 12 MHz × 100 / 5 / 5.
    lock(PLL_USB, 100, 5, 5);
    SYSTEM_CONTROL.write(0);
    SYSTEM_CONTROL.set(1);
    SYSTEM_SELECTED.wait_for(1 << 1);
    PERIPHERAL_CONTROL.write(ENABLE);
    USB_CONTROL.write(ENABLE);
    ADC_CONTROL.write(ENABLE);
}

fn lock(pll: Register, multiplier: u32, divider_1: u32, divider_2: u32) {
    let [control, power, feedback, dividers] = [0, 1, 2, 3].map(|index| pll.nth(4, index));
    control.write(1);
    feedback.write(multiplier);
    // Power and oscillator on, then the dividers.
    power.clear(1 | 1 << 5);
    control.wait_for(PLL_LOCKED);
    dividers.write(divider_1 << 16 | divider_2 << 12);
    power.clear(1 << 3);
}
