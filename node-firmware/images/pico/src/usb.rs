//! The line as USB: a serial port like any other, named by maker, kind and number, so that a computer gives it the same name at
//! every socket.
//!
//! Nothing here waits: a turn of the main loop looks what the bus has done since the last, and an interrupt ends the sleep when it
//! does something.

use core::fmt::Write as _;

use heapless::String;
use node_firmware::{Presence, Silence};
use node_runtime::Role;
use proto::link::NodeTime;
use static_cell::StaticCell;
use usb_device::bus::UsbBusAllocator;
use usb_device::descriptor::lang_id::LangID;
use usb_device::device::{
    StringDescriptors, UsbDevice, UsbDeviceBuilder, UsbDeviceState, UsbVidPid,
};
use usbd_serial::{SerialPort, USB_CLASS_CDC};

use crate::chip::hal::clocks::UsbClock;
use crate::chip::hal::pac;
use crate::chip::hal::usb::UsbBus;
use crate::chip::{USB, USB_MEMORY};

/// USB identifier of Objective Development, shared by serial devices that are distinguished by their names. Anyone who sells nodes
/// needs an identifier of their own.
const NUMBERS: UsbVidPid = UsbVidPid(0x16c0, 0x27dd);
const MAKER: &str = "Twinboard";
/// Longest packet of endpoint 0.
const PACKET_BYTES: u8 = 64;
/// Digits of the node's number.
const DIGITS: usize = 8;

static BUS: StaticCell<UsbBusAllocator<UsbBus>> = StaticCell::new();
static NUMBER: StaticCell<String<DIGITS>> = StaticCell::new();

pub(crate) struct UsbLine {
    device: UsbDevice<'static, UsbBus>,
    port: SerialPort<'static, UsbBus>,
    silence: Silence,
}

impl UsbLine {
    /// To be called once, when the clocks run.
    ///
    /// # Panics
    /// If the library refuses the names, which are constants but for the digits.
    pub(crate) fn start(
        (registers, memory, clock): (USB, USB_MEMORY, UsbClock),
        resets: &mut pac::RESETS,
        role: Role,
        number: u32,
    ) -> Self {
        let name = match role {
            Role::Board => "board",
            Role::Clock => "clock",
        };
        let digits = NUMBER.init(String::new());
        // There is room for all digits.
        let _ = write!(digits, "{number:08x}");
        // The Pico does not show the chip whether the bus has power: power is assumed.
        let bus =
            BUS.init(UsbBusAllocator::new(UsbBus::new(registers, memory, clock, true, resets)));
        let port = SerialPort::new(bus);
        let names = StringDescriptors::new(LangID::EN_US)
            .manufacturer(MAKER)
            .product(name)
            .serial_number(digits.as_str());
        let device = UsbDeviceBuilder::new(bus, NUMBERS)
            .device_class(USB_CLASS_CDC)
            .strings(&[names])
            .and_then(|device| device.max_packet_size_0(PACKET_BYTES));
        let Ok(device) = device else { panic!() };
        Self { device: device.build(), port, silence: Silence::new() }
    }

    /// Starts the controller again when it seems to hang (erratum RP2040-E15). Whether the node is on the bus.
    fn heal(&mut self, now: NodeTime) -> bool {
        match self.silence.poll(now.as_micros()) {
            Presence::Here => true,
            Presence::Leaves => {
                detach();
                false
            }
            Presence::Away => false,
            Presence::Returns => {
                attach();
                // The computer resets the bus when it sees the node, and the library begins again.
                true
            }
        }
    }

    pub(crate) fn receive(&mut self, now: NodeTime, bytes: &mut [u8]) -> usize {
        if !self.heal(now) {
            return 0;
        }
        self.device.poll(&mut [&mut self.port]);
        let received = self.port.read(bytes).unwrap_or(0);
        if received > 0 {
            self.silence.note_heard(now.as_micros());
        }
        received
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) -> usize {
        // Before a computer has configured the port, what is written is lost.
        if self.device.state() != UsbDeviceState::Configured {
            return 0;
        }
        self.port.write(bytes).unwrap_or(0)
    }
}

/// Holds the controller in reset: without its pull-up the node is disconnected for the computer.
fn detach() {
    // SAFETY: only this controller's reset is touched, and nothing else runs.
    let resets = unsafe { pac::Peripherals::steal() }.RESETS;
    resets.reset().modify(|_, w| w.usbctrl().set_bit());
}

/// Starts the controller as the library did when it was made; what it keeps of the endpoints it writes again at the bus's reset.
fn attach() {
    // SAFETY: as above; the library does not run meanwhile.
    let chip = unsafe { pac::Peripherals::steal() };
    chip.RESETS.reset().modify(|_, w| w.usbctrl().clear_bit());
    while chip.RESETS.reset_done().read().usbctrl().bit_is_clear() {}
    #[cfg(not(pico2))]
    let controller = chip.USBCTRL_REGS;
    #[cfg(pico2)]
    let controller = chip.USB;
    controller.usb_muxing().modify(|_, w| w.to_phy().set_bit().softcon().set_bit());
    controller
        .usb_pwr()
        .modify(|_, w| w.vbus_detect().set_bit().vbus_detect_override_en().set_bit());
    controller.main_ctrl().write(|w| w.controller_en().set_bit());
    controller.inte().modify(|_, w| {
        w.buff_status().set_bit().bus_reset().set_bit().setup_req().set_bit();
        w.dev_resume_from_host().set_bit().dev_suspend().set_bit()
    });
    controller.sie_ctrl().modify(|_, w| w.pullup_en().set_bit().ep0_int_1buf().set_bit());
}
