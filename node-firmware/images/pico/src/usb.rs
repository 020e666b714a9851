//! The line as USB: a serial port like any other, named by maker, kind and number, so that a computer gives it the same name at
//! every socket.

use cortex_m::singleton;
use heapless::String;
use node_runtime::Role;
use rp2040_hal::clocks::ClocksManager;
use rp2040_hal::pac;
use rp2040_hal::usb::UsbBus;
use usb_device::bus::UsbBusAllocator;
use usb_device::device::{
    StringDescriptors, UsbDevice, UsbDeviceBuilder, UsbDeviceState, UsbVidPid,
};
use usbd_serial::{SerialPort, USB_CLASS_CDC};

/// The number that Objective Development shares among serial devices that are told apart by their names; whoever sells nodes needs
/// one of their own.
const VENDOR_AND_PRODUCT: UsbVidPid = UsbVidPid(0x16c0, 0x27dd);

pub(crate) struct UsbLine {
    device: UsbDevice<'static, UsbBus>,
    port: SerialPort<'static, UsbBus>,
}

impl UsbLine {
    /// To be called once, when the clocks run.
    pub(crate) fn new(mut devices: pac::Peripherals, role: Role, node_id: &str) -> Self {
        let number = node_id.split_once('-').map_or(node_id, |(_, number)| number);
        // The clock runs already; this is only its name.
        let clock = ClocksManager::new(devices.CLOCKS).usb_clock;
        let (registers, memory) = (devices.USBCTRL_REGS, devices.USBCTRL_DPRAM);
        let bus = UsbBus::new(registers, memory, clock, true, &mut devices.RESETS);
        let bus: &'static UsbBusAllocator<UsbBus> =
            singleton!(: UsbBusAllocator<UsbBus> = UsbBusAllocator::new(bus)).unwrap();
        let number: &'static String<8> =
            singleton!(: String<8> = number.chars().take(8).collect()).unwrap();
        let port = SerialPort::new(bus);
        let product = match role {
            Role::Board => "board",
            Role::Clock => "clock",
        };
        let names = StringDescriptors::default()
            .manufacturer("Twinboard")
            .product(product)
            .serial_number(number);
        let device = UsbDeviceBuilder::new(bus, VENDOR_AND_PRODUCT).device_class(USB_CLASS_CDC);
        // There is one language, and room for it.
        let device = device.strings(&[names]).ok().unwrap().build();
        Self { device, port }
    }

    pub(crate) fn receive(&mut self, bytes: &mut [u8]) -> usize {
        self.device.poll(&mut [&mut self.port]);
        self.port.read(bytes).unwrap_or(0)
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) -> usize {
        if self.device.state() != UsbDeviceState::Configured {
            return 0;
        }
        self.port.write(bytes).unwrap_or(0)
    }
}
