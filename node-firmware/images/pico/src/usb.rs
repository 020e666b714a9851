//! The line as USB: a serial port like any other, named by maker, kind and number, so that a computer gives it the same name at
//! every socket. Here is the chip's controller of the bus; what it is told to do is in `node_usb`. RP2040 datasheet, section 4.1.
//!
//! Nothing here waits: a turn of the main loop looks what the bus has done since the last, and an interrupt ends the sleep when it
//! does something.

use node_runtime::Role;
use node_usb::{
    Controller, DATA_ENDPOINT, NOTIFICATION_ENDPOINT, PACKET_BYTES, Presence, Product,
    SerialDevice, Silence,
};
use proto::link::NodeTime;

use crate::clocks::{device, reset};
use crate::register::Register;

/// Memory that the processor and the controller share: settings of the endpoints and their packets.
const MEMORY: u32 = 0x5010_0000;
const REQUEST: [Register; 2] = [Register::at(MEMORY), Register::at(MEMORY + 4)];
/// Words of the settings.
const SETTINGS_WORDS: u8 = 64;

const CONTROLLER: u32 = 0x5011_0000;
const ADDRESS: Register = Register::at(CONTROLLER);
const MAIN_CONTROL: Register = Register::at(CONTROLLER + 0x40);
const BUS_CONTROL: Register = Register::at(CONTROLLER + 0x4c);
const BUS_STATUS: Register = Register::at(CONTROLLER + 0x50);
const PACKETS_DONE: Register = Register::at(CONTROLLER + 0x58);
const REFUSE: Register = Register::at(CONTROLLER + 0x68);
const WIRING: Register = Register::at(CONTROLLER + 0x74);
const POWER: Register = Register::at(CONTROLLER + 0x78);
const INTERRUPTS_ENABLED: Register = Register::at(CONTROLLER + 0x90);

const CONTROLLER_ON: u32 = 1;
/// An interrupt for each packet of endpoint 0.
const TELL_EACH_PACKET: u32 = 1 << 29;
const PULL_UP: u32 = 1 << 16;
const BUS_RESET: u32 = 1 << 19;
const REQUEST_CAME: u32 = 1 << 17;
/// Both directions of endpoint 0.
const REFUSE_BOTH: u32 = 0b11;
const TO_CONNECTOR: u32 = 1 | 1 << 3;
/// The Pico does not tell the chip whether the bus has power: taken for granted.
const BUS_HAS_POWER: u32 = 1 << 2 | 1 << 3;
/// A packet is done, the bus was reset, a request came.
const INTERRUPTS: u32 = 1 << 4 | 1 << 12 | 1 << 16;

/// Of a packet's word: it is full (to be sent, or received), has number 1, is refused, belongs to the controller.
const FULL: u32 = 1 << 15;
const NUMBER_1: u32 = 1 << 13;
const STALL: u32 = 1 << 11;
const AVAILABLE: u32 = 1 << 10;
const LENGTH: u32 = 0x3ff;
/// Processor cycles until the controller, which is slower, has seen a word: a period of 48 MHz and then some.
const SEEN_CYCLES: u32 = 12;

/// Of an endpoint's setting: it works and tells of each packet; the kinds.
const WORKS: u32 = 1 << 31 | 1 << 29;
const BULK: u32 = 2 << 26;
const INTERRUPT: u32 = 3 << 26;

/// One direction of an endpoint.
#[derive(Clone, Copy)]
struct Endpoint {
    /// Where its packets lie, from the beginning of the memory.
    place: u32,
    /// The packet's word.
    packet: Register,
    /// Its bit among those that are done.
    done: u32,
}

impl Endpoint {
    const fn new(number: u8, sends: bool, place: u32) -> Self {
        let index = 2 * number as u32 + !sends as u32;
        Self { place, packet: Register::at(MEMORY + 0x80 + 4 * index), done: 1 << index }
    }

    /// Its setting, which endpoint 0 has none of.
    fn set(self, kind: u32) {
        // The settings begin with endpoint 1, in the order of the packets' words.
        let word = self.done.trailing_zeros() - 2;
        Register::at(MEMORY + 8).nth(4, word as u8).write(WORKS | kind | self.place);
    }

    /// A word of its packet.
    fn word(self, index: u32) -> Register {
        Register::at(MEMORY).nth(4, (self.place / 4 + index) as u8)
    }

    /// Gives the controller a packet. It must see the rest of the word before it is told that the word holds.
    fn arm(self, word: u32) {
        self.packet.write(word);
        cortex_m::asm::delay(SEEN_CYCLES);
        self.packet.write(word | AVAILABLE);
    }

    /// Gives the controller these bytes to send, [`PACKET_BYTES`] at most.
    fn arm_with(self, bytes: &[u8], number: u32) {
        for (index, piece) in (0..).zip(bytes.chunks(4)) {
            let word = piece.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
            self.word(index).write(word);
        }
        self.arm(FULL | number | bytes.len() as u32);
    }

    /// Takes bytes of the packet that was received, from this one on; returns how many.
    fn take(self, from: usize, bytes: &mut [u8]) -> usize {
        let length = (self.packet.read() & LENGTH) as usize;
        let rest = from..length.min(PACKET_BYTES);
        let count = rest.len().min(bytes.len());
        for (at, byte) in rest.zip(bytes) {
            *byte = (self.word((at / 4) as u32).read() >> (8 * (at % 4))) as u8;
        }
        count
    }
}

/// Both directions of endpoint 0 share a place.
const ANSWERS: Endpoint = Endpoint::new(0, true, 0x100);
const REQUESTS: Endpoint = Endpoint::new(0, false, 0x100);
const NOTIFICATIONS: Endpoint = Endpoint::new(NOTIFICATION_ENDPOINT, true, 0x180);
const SENDS: Endpoint = Endpoint::new(DATA_ENDPOINT, true, 0x1c0);
const RECEIVES: Endpoint = Endpoint::new(DATA_ENDPOINT, false, 0x200);

/// Longest packet that is sent: one that is not full ends what the computer reads at once, so that it does not wait for more.
const SENT_MAX_BYTES: usize = PACKET_BYTES - 1;

pub(crate) struct UsbLine {
    device: SerialDevice,
    bus: Bus,
    silence: Silence,
}

/// The controller, as far as it does not know by itself.
struct Bus {
    /// Numbers of the next packets: 0 or [`NUMBER_1`].
    next_answer: u32,
    next_sent: u32,
    next_received: u32,
    /// Whether the data endpoints work.
    working: bool,
    /// Bytes of the received packet that were taken already.
    taken: usize,
}

impl Controller for Bus {
    fn send(&mut self, packet: &[u8]) {
        ANSWERS.arm_with(packet, self.next_answer);
        self.next_answer ^= NUMBER_1;
    }

    fn receive(&mut self) {
        REQUESTS.arm(NUMBER_1 | PACKET_BYTES as u32);
    }

    fn refuse(&mut self) {
        REFUSE.write(REFUSE_BOTH);
        ANSWERS.packet.write(STALL);
        REQUESTS.packet.write(STALL);
    }

    fn set_address(&mut self, address: u8) {
        ADDRESS.write(u32::from(address));
    }

    fn configure(&mut self, working: bool) {
        self.working = working;
        for endpoint in [NOTIFICATIONS, SENDS, RECEIVES] {
            endpoint.packet.write(0);
            PACKETS_DONE.write(endpoint.done);
        }
        if working {
            NOTIFICATIONS.set(INTERRUPT);
            SENDS.set(BULK);
            RECEIVES.set(BULK);
            self.begin_sending();
            self.begin_receiving();
        }
    }

    fn halt(&mut self, endpoint: u8, sends: bool, halted: bool) {
        let halting = match (endpoint, sends) {
            (NOTIFICATION_ENDPOINT, _) => NOTIFICATIONS,
            (_, true) => SENDS,
            (_, false) => RECEIVES,
        };
        halting.packet.write(if halted { STALL } else { 0 });
        match (endpoint, sends) {
            (DATA_ENDPOINT, true) if !halted => self.begin_sending(),
            (DATA_ENDPOINT, false) if !halted => self.begin_receiving(),
            _ => {}
        }
    }
}

impl Bus {
    /// Starts the controller from its beginning, and shows the node to the computer.
    fn attach(&self) {
        reset(device::USBCTRL);
        for word in 0..SETTINGS_WORDS {
            Register::at(MEMORY).nth(4, word).write(0);
        }
        WIRING.write(TO_CONNECTOR);
        POWER.write(BUS_HAS_POWER);
        MAIN_CONTROL.write(CONTROLLER_ON);
        INTERRUPTS_ENABLED.write(INTERRUPTS);
        BUS_CONTROL.write(TELL_EACH_PACKET | PULL_UP);
    }

    /// Nothing is under way at endpoint 0.
    fn forget_packets(&mut self) {
        ANSWERS.packet.write(0);
        REQUESTS.packet.write(0);
        self.next_answer = NUMBER_1;
    }

    fn begin_sending(&mut self) {
        self.next_sent = 0;
    }

    fn begin_receiving(&mut self) {
        self.next_received = 0;
        self.receive_next();
    }

    fn receive_next(&mut self) {
        self.taken = 0;
        RECEIVES.arm(self.next_received | PACKET_BYTES as u32);
        self.next_received ^= NUMBER_1;
    }
}

impl UsbLine {
    /// To be called once, when the clocks run.
    pub(crate) fn start(role: Role, number: u32) -> Self {
        let name = match role {
            Role::Board => "board",
            Role::Clock => "clock",
        };
        let bus = Bus { next_answer: 0, next_sent: 0, next_received: 0, working: false, taken: 0 };
        bus.attach();
        let device = SerialDevice::new(Product { name, number });
        Self { device, bus, silence: Silence::new() }
    }

    /// Starts the controller again when it seems to hang. Whether the node is on the bus.
    fn heal(&mut self, now: NodeTime) -> bool {
        match self.silence.poll(now.as_micros()) {
            Presence::Here => return true,
            Presence::Leaves => {
                // Without its pull-up the node is gone for the computer.
                reset(device::USBCTRL);
                self.bus.working = false;
            }
            Presence::Away => {}
            Presence::Returns => {
                self.bus.attach();
                self.bus.forget_packets();
                self.device.reset(&mut self.bus);
            }
        }
        false
    }

    /// Does what the bus wants.
    fn poll(&mut self) {
        let status = BUS_STATUS.read();
        if status & BUS_RESET != 0 {
            BUS_STATUS.write(BUS_RESET);
            PACKETS_DONE.write(u32::MAX);
            self.bus.forget_packets();
            self.device.reset(&mut self.bus);
        }
        // What was done was done before the request, if there is one.
        let done = PACKETS_DONE.read();
        PACKETS_DONE.write(done);
        if done & ANSWERS.done != 0 {
            self.device.sent(&mut self.bus);
        }
        if done & REQUESTS.done != 0 {
            let mut packet = [0; PACKET_BYTES];
            let length = REQUESTS.take(0, &mut packet);
            self.device.received(packet.get(..length).unwrap_or(&[]), &mut self.bus);
        }
        if status & REQUEST_CAME != 0 {
            BUS_STATUS.write(REQUEST_CAME);
            self.bus.forget_packets();
            let mut packet = [0; 8];
            for (bytes, word) in packet.chunks_exact_mut(4).zip(REQUEST) {
                bytes.copy_from_slice(&word.read().to_le_bytes());
            }
            self.device.setup(packet, &mut self.bus);
        }
    }

    pub(crate) fn receive(&mut self, now: NodeTime, bytes: &mut [u8]) -> usize {
        if !self.heal(now) {
            return 0;
        }
        self.poll();
        if !self.bus.working || RECEIVES.packet.read() & FULL == 0 {
            return 0;
        }
        let count = RECEIVES.take(self.bus.taken, bytes);
        self.silence.note_heard(now.as_micros());
        self.bus.taken += count;
        if count < bytes.len() {
            self.bus.receive_next();
        }
        count
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) -> usize {
        if !self.bus.working || SENDS.packet.read() & (AVAILABLE | STALL) != 0 {
            return 0;
        }
        let packet = bytes.get(..SENT_MAX_BYTES).unwrap_or(bytes);
        SENDS.arm_with(packet, self.bus.next_sent);
        self.bus.next_sent ^= NUMBER_1;
        packet.len()
    }
}
