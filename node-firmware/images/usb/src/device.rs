//! The device at endpoint 0: one transfer at a time, each begun by a request, and a new request ends whatever was under way.

use crate::descriptors::{
    CONTROL_INTERFACE, DATA_ENDPOINT, DATA_INTERFACE, NOTIFICATION_ENDPOINT, PACKET_BYTES, Product,
    REPLY_BYTES, put, put_bytes,
};
use crate::request::{Line, Request, Setup, Standard};

/// Speed (least byte first), stop bits, parity, data bits.
type LineCoding = [u8; 7];
/// 115,200 baud, one stop bit, no parity, eight bits: what the computer sets is kept and told, and changes nothing.
const USUAL_CODING: LineCoding = [0x00, 0xc2, 0x01, 0x00, 0, 0, 8];
const ENDPOINT_HALT: u16 = 0;
const IN: u16 = 0x80;
/// What an endpoint of two directions is called in requests.
const HALTING: [u16; 3] =
    [IN | NOTIFICATION_ENDPOINT as u16, DATA_ENDPOINT as u16, IN | DATA_ENDPOINT as u16];

/// The controller of the bus, as the device commands it.
pub trait Controller {
    /// Endpoint 0 sends this packet when it is asked next. The first packet after a request has number 1, then they alternate.
    fn send(&mut self, packet: &[u8]);
    /// Endpoint 0 takes one packet, with number 1.
    fn receive(&mut self);
    /// Endpoint 0 refuses until the next request.
    fn refuse(&mut self);
    /// From now on this is the device's address; 0 is that of a device that has none yet.
    fn set_address(&mut self, address: u8);
    /// The other endpoints work, from their beginning; or they do not.
    fn configure(&mut self, working: bool);
    /// This endpoint (its number, and whether it is the one that sends) refuses; or it works again, from its beginning.
    fn halt(&mut self, endpoint: u8, sends: bool, halted: bool);
}

/// What endpoint 0 waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// A request.
    Idle,
    /// That a piece of the reply is taken, or that the computer has enough.
    Reply,
    /// The bytes of a line coding.
    LineCoding,
    /// That the computer has heard that its request is done.
    Done,
    /// The same, and then the address changes.
    Address(u8),
}

/// What becomes of a request.
enum Outcome {
    /// So many bytes are in the reply.
    Reply(usize),
    /// It is done.
    Done,
    /// It is done when the computer has heard so.
    Address(u8),
    /// The computer brings a line coding.
    LineCoding,
    /// It cannot be done.
    Refused,
}

/// A serial port on the bus.
#[derive(Debug)]
pub struct SerialDevice {
    product: Product,
    configured: bool,
    /// Whether each of [`HALTING`] refuses.
    halted: [bool; HALTING.len()],
    line_coding: LineCoding,
    stage: Stage,
    reply: [u8; REPLY_BYTES],
    /// Bytes of the reply that were given to the controller, and all of them.
    sent: usize,
    length: usize,
}

impl SerialDevice {
    /// A device before the bus is reset for the first time.
    pub const fn new(product: Product) -> Self {
        Self {
            product,
            configured: false,
            halted: [false; HALTING.len()],
            line_coding: USUAL_CODING,
            stage: Stage::Idle,
            reply: [0; REPLY_BYTES],
            sent: 0,
            length: 0,
        }
    }

    /// The bus was reset: the device has no address and no configuration.
    pub fn reset(&mut self, controller: &mut impl Controller) {
        *self = Self::new(self.product);
        controller.set_address(0);
        controller.configure(false);
    }

    /// A request came. What endpoint 0 was about to send or to take is void.
    pub fn setup(&mut self, packet: [u8; 8], controller: &mut impl Controller) {
        let setup = Setup::parse(packet);
        self.stage = Stage::Idle;
        match self.answer(setup, controller) {
            Outcome::Reply(length) if setup.length > 0 => {
                self.length = length.min(usize::from(setup.length));
                self.sent = 0;
                self.stage = Stage::Reply;
                // The computer may have enough at any time, which it says with an empty packet.
                controller.receive();
                self.send_next(controller);
            }
            Outcome::Reply(_) | Outcome::Done => self.done(Stage::Done, controller),
            Outcome::Address(address) => self.done(Stage::Address(address), controller),
            Outcome::LineCoding => {
                self.stage = Stage::LineCoding;
                controller.receive();
            }
            Outcome::Refused => controller.refuse(),
        }
    }

    /// The computer has taken the packet of endpoint 0.
    pub fn sent(&mut self, controller: &mut impl Controller) {
        match self.stage {
            Stage::Reply if self.sent < self.length => self.send_next(controller),
            Stage::Address(address) => {
                self.stage = Stage::Idle;
                controller.set_address(address);
            }
            Stage::Done => self.stage = Stage::Idle,
            Stage::Idle | Stage::Reply | Stage::LineCoding => {}
        }
    }

    /// Endpoint 0 has taken a packet.
    pub fn received(&mut self, packet: &[u8], controller: &mut impl Controller) {
        match (self.stage, LineCoding::try_from(packet)) {
            (Stage::LineCoding, Ok(line_coding)) => {
                self.line_coding = line_coding;
                self.done(Stage::Done, controller);
            }
            (Stage::LineCoding, Err(_)) => {
                self.stage = Stage::Idle;
                controller.refuse();
            }
            (Stage::Reply, _) => self.stage = Stage::Idle,
            (Stage::Idle | Stage::Done | Stage::Address(_), _) => {}
        }
    }

    fn done(&mut self, stage: Stage, controller: &mut impl Controller) {
        self.stage = stage;
        controller.send(&[]);
    }

    fn send_next(&mut self, controller: &mut impl Controller) {
        let end = (self.sent + PACKET_BYTES).min(self.length);
        controller.send(self.reply.get(self.sent..end).unwrap_or(&[]));
        self.sent = end;
    }

    fn answer(&mut self, setup: Setup, controller: &mut impl Controller) -> Outcome {
        match setup.request {
            Request::Device(standard) => self.answer_as_device(standard, setup, controller),
            Request::Interface(standard) => self.answer_as_interface(standard, setup, controller),
            Request::Endpoint(standard) => self.answer_as_endpoint(standard, setup, controller),
            Request::Line(line) if setup.index == u16::from(CONTROL_INTERFACE) => match line {
                Line::GetCoding => Outcome::Reply(put_bytes(&self.line_coding, &mut self.reply)),
                Line::SetCoding if usize::from(setup.length) == USUAL_CODING.len() => {
                    Outcome::LineCoding
                }
                Line::SetCoding => Outcome::Refused,
                // The node talks whether somebody listens or not.
                Line::SetSignals => Outcome::Done,
            },
            Request::Line(_) | Request::Other => Outcome::Refused,
        }
    }

    fn answer_as_device(
        &mut self,
        standard: Standard,
        setup: Setup,
        controller: &mut impl Controller,
    ) -> Outcome {
        let reply = &mut self.reply;
        match (standard, setup.value) {
            (Standard::GetDescriptor, value) => {
                let [index, kind] = value.to_le_bytes();
                put(kind, index, self.product, reply).map_or(Outcome::Refused, Outcome::Reply)
            }
            (Standard::SetAddress, address @ ..=127) => Outcome::Address(address as u8),
            (Standard::GetConfiguration, _) => {
                Outcome::Reply(put_bytes(&[u8::from(self.configured)], reply))
            }
            (Standard::SetConfiguration, value @ ..=1) => {
                self.configured = value == 1;
                self.halted = [false; HALTING.len()];
                controller.configure(self.configured);
                Outcome::Done
            }
            // It has no power of its own and wakes nobody.
            (Standard::GetStatus, _) => Outcome::Reply(put_bytes(&[0, 0], reply)),
            _ => Outcome::Refused,
        }
    }

    fn answer_as_interface(
        &mut self,
        standard: Standard,
        setup: Setup,
        controller: &mut impl Controller,
    ) -> Outcome {
        if !self.configured || setup.index > u16::from(DATA_INTERFACE) {
            return Outcome::Refused;
        }
        match (standard, setup.value) {
            (Standard::GetStatus, _) => Outcome::Reply(put_bytes(&[0, 0], &mut self.reply)),
            (Standard::GetInterface, _) => Outcome::Reply(put_bytes(&[0], &mut self.reply)),
            // There is one setting; to choose it is to begin anew.
            (Standard::SetInterface, 0) => {
                self.halted = [false; HALTING.len()];
                controller.configure(true);
                Outcome::Done
            }
            _ => Outcome::Refused,
        }
    }

    fn answer_as_endpoint(
        &mut self,
        standard: Standard,
        setup: Setup,
        controller: &mut impl Controller,
    ) -> Outcome {
        let Setup { value, index, .. } = setup;
        if matches!(index, 0 | IN) && standard == Standard::GetStatus {
            return Outcome::Reply(put_bytes(&[0, 0], &mut self.reply));
        }
        let place = HALTING.iter().position(|&endpoint| self.configured && endpoint == index);
        let Some(halted) = place.and_then(|place| self.halted.get_mut(place)) else {
            return Outcome::Refused;
        };
        match (standard, value) {
            (Standard::GetStatus, _) => {
                Outcome::Reply(put_bytes(&[u8::from(*halted), 0], &mut self.reply))
            }
            (Standard::SetFeature | Standard::ClearFeature, ENDPOINT_HALT) => {
                *halted = standard == Standard::SetFeature;
                controller.halt((index & !IN) as u8, index & IN != 0, *halted);
                Outcome::Done
            }
            _ => Outcome::Refused,
        }
    }
}
