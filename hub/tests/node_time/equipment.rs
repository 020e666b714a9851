//! Kinds of lines and hubs that a table may have.

use hub::drivers::Transport;
use link_sim::line::{Jitter, LineSpeed};

use crate::table::{Cable, Equipment, Processor, uart, usb};

/// Pairs of crystals, of the board and of the clock, in millionths.
pub(crate) const CRYSTALS_PPM: [[f64; 2]; 4] =
    [[0.0, 0.0], [100.0, -100.0], [-5_000.0, 5_000.0], [5_000.0, 100.0]];

const USB_CABLE: Cable = Cable {
    up: usb(Jitter::Exponential(300)),
    down: usb(Jitter::Exponential(300)),
    carrier: Transport::Packets,
};
const BUSY_CABLE: Cable = Cable {
    up: usb(Jitter::Exponential(3_000)),
    down: usb(Jitter::Exponential(3_000)),
    ..USB_CABLE
};
const WIRE_CABLE: Cable = Cable {
    up: uart(Jitter::Exponential(500)),
    down: uart(Jitter::Exponential(100)),
    carrier: Transport::Uart,
};
const ADAPTER_CABLE: Cable = Cable { up: uart(Jitter::Timer(16_000)), ..WIRE_CABLE };
const UNKNOWN_CABLE: Cable = Cable { carrier: Transport::Packets, ..WIRE_CABLE };
const LOPSIDED_CABLE: Cable =
    Cable { up: LineSpeed { latency_us: 10_000, ..USB_CABLE.up }, ..USB_CABLE };

pub(crate) const USB: Equipment = Equipment {
    name: "USB, 0.3 ms",
    cables: [USB_CABLE; 2],
    processor: Processor::Shared(100.0),
    stalls: false,
};
pub(crate) const BUSY_USB: Equipment =
    Equipment { name: "USB, 3 ms, stalls", cables: [BUSY_CABLE; 2], stalls: true, ..USB };
pub(crate) const WIRE: Equipment =
    Equipment { name: "UART, 0.5 ms, stalls", cables: [WIRE_CABLE; 2], stalls: true, ..USB };
pub(crate) const ADAPTER: Equipment =
    Equipment { name: "UART, 16 ms timer, stalls", cables: [ADAPTER_CABLE; 2], ..WIRE };
pub(crate) const LOADED: Equipment =
    Equipment { name: "hub loaded, 5 ms", processor: Processor::Shared(5_000.0), ..USB };
pub(crate) const STARVED: Equipment = Equipment {
    name: "hub starved, 50-300 ms",
    processor: Processor::Starved(50_000, 300_000),
    ..USB
};
/// A UART that the hub does not take for one.
pub(crate) const UNKNOWN_WIRE: Equipment =
    Equipment { name: "UART taken for USB", cables: [UNKNOWN_CABLE; 2], ..WIRE };
/// Every frame to the hub takes 10 ms, every frame to the node none.
pub(crate) const LOPSIDED: Equipment =
    Equipment { name: "10 ms to the hub only", cables: [LOPSIDED_CABLE; 2], ..USB };
