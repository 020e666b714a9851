//! What the device says of itself: USB 2.0, chapter 9.6, and "Class definitions for communications devices" 1.2 with its
//! subclass for telephone lines (PSTN) 1.2, which is how serial ports are told.

/// Longest packet of endpoint 0 and of both data endpoints, in bytes.
pub const PACKET_BYTES: usize = 64;
/// Number of the endpoint that would tell of line signals; it never does.
pub const NOTIFICATION_ENDPOINT: u8 = 1;
/// Number of both endpoints that carry the bytes, one in each direction.
pub const DATA_ENDPOINT: u8 = 2;

/// Interface of the line's settings.
pub(crate) const CONTROL_INTERFACE: u8 = 0;
/// Interface of the bytes.
pub(crate) const DATA_INTERFACE: u8 = 1;

/// The number that Objective Development shares among serial devices that are told apart by their names; whoever sells nodes needs
/// one of their own.
const VENDOR: u16 = 0x16c0;
const PRODUCT: u16 = 0x27dd;

const CLASS_COMMUNICATION: u8 = 2;
const CLASS_DATA: u8 = 10;
const SUBCLASS_ABSTRACT_CONTROL: u8 = 2;
const IN: u8 = 0x80;

const DEVICE: [u8; 18] = [
    18,
    1,
    0x00, // USB 2.0
    0x02,
    CLASS_COMMUNICATION,
    0,
    0,
    PACKET_BYTES as u8,
    VENDOR.to_le_bytes()[0],
    VENDOR.to_le_bytes()[1],
    PRODUCT.to_le_bytes()[0],
    PRODUCT.to_le_bytes()[1],
    0x00, // version 1.0
    0x01,
    1, // names: maker, product, number
    2,
    3,
    1, // one configuration
];

const CONFIGURATION_BYTES: usize = 67;

#[rustfmt::skip]
const CONFIGURATION: [u8; CONFIGURATION_BYTES] = [
    // One configuration of two interfaces, powered by the bus, 100 mA.
    9, 2, CONFIGURATION_BYTES as u8, 0, 2, 1, 0, 0x80, 50,
    // The line's settings,
    9, 4, CONTROL_INTERFACE, 0, 1, CLASS_COMMUNICATION, SUBCLASS_ABSTRACT_CONTROL, 0, 0,
    // after version 1.1 of the class; calls are not managed; speed and signals can be set; both interfaces belong together;
    5, 0x24, 0, 0x10, 0x01,
    5, 0x24, 1, 0, DATA_INTERFACE,
    4, 0x24, 2, 0x02,
    5, 0x24, 6, CONTROL_INTERFACE, DATA_INTERFACE,
    // eight bytes at most, asked for every 255 ms.
    7, 5, IN | NOTIFICATION_ENDPOINT, 3, 8, 0, 255,
    // The bytes, in packets.
    9, 4, DATA_INTERFACE, 0, 2, CLASS_DATA, 0, 0, 0,
    7, 5, DATA_ENDPOINT, 2, PACKET_BYTES as u8, 0, 0,
    7, 5, IN | DATA_ENDPOINT, 2, PACKET_BYTES as u8, 0, 0,
];

/// American English, in which the names are.
const LANGUAGE: [u8; 4] = [4, 3, 0x09, 0x04];
const MAKER: &[u8] = b"Twinboard";

/// What distinguishes this device from its siblings: a computer makes the port's name of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product {
    /// What it is, in ASCII, [`Self::NAME_MAX`] letters at most.
    pub name: &'static str,
    /// Its number, told in eight hexadecimal digits.
    pub number: u32,
}

impl Product {
    /// Letters of a name's first part that are told; the rest is cut off.
    pub const NAME_MAX: usize = 16;
}

/// Bytes of the longest thing that is told.
pub(crate) const REPLY_BYTES: usize = CONFIGURATION_BYTES;

const _: () = assert!(2 + 2 * Product::NAME_MAX <= REPLY_BYTES);
// A reply that ends with a full packet would want an empty one behind it.
const _: () = assert!(!CONFIGURATION_BYTES.is_multiple_of(PACKET_BYTES));

/// Puts a descriptor into `reply` and returns its length; none if there is no such descriptor.
pub(crate) fn put(
    kind: u8,
    index: u8,
    product: Product,
    reply: &mut [u8; REPLY_BYTES],
) -> Option<usize> {
    match (kind, index) {
        (1, 0) => Some(put_bytes(&DEVICE, reply)),
        (2, 0) => Some(put_bytes(&CONFIGURATION, reply)),
        (3, 0) => Some(put_bytes(&LANGUAGE, reply)),
        (3, 1) => Some(put_text(MAKER.iter().copied(), reply)),
        (3, 2) => Some(put_text(product.name.bytes().take(Product::NAME_MAX), reply)),
        (3, 3) => Some(put_text((0..8).map(|place| digit(product.number, place)), reply)),
        _ => None,
    }
}

/// The digit at this place from the left.
fn digit(number: u32, place: u32) -> u8 {
    let digit = (number >> (28 - 4 * place) & 15) as u8;
    if digit < 10 { b'0' + digit } else { b'a' - 10 + digit }
}

pub(crate) fn put_bytes(bytes: &[u8], reply: &mut [u8; REPLY_BYTES]) -> usize {
    for (place, byte) in reply.iter_mut().zip(bytes) {
        *place = *byte;
    }
    bytes.len().min(REPLY_BYTES)
}

/// A name in UTF-16.
fn put_text(letters: impl Iterator<Item = u8>, reply: &mut [u8; REPLY_BYTES]) -> usize {
    let mut length = 2;
    for (pair, letter) in reply[2..].chunks_exact_mut(2).zip(letters) {
        pair.copy_from_slice(&[letter, 0]);
        length += 2;
    }
    reply[..2].copy_from_slice(&[length as u8, 3]);
    length
}
