//! Cuts fuzzer input into frames whose checksums are right, which no fuzzer finds by chance.

use crc::{CRC_32_ISCSI, Crc};
use proto::link::{LINK_VERSION, MessageType, SCHEMA_HASH};

const CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISCSI);
/// Boots and sequences are taken from a few, so that they meet.
const BOOTS: u8 = 3;

/// Reads `data` as: a length, a message number, a boot, a sequence of two bytes, a body of that length; and so on.
pub fn frames(mut data: &[u8]) -> Vec<Vec<u8>> {
    let mut frames = Vec::new();
    while let [length, number, boot, low, high, rest @ ..] = data {
        let (body, rest) = rest.split_at(rest.len().min(usize::from(*length)));
        let mut raw = vec![LINK_VERSION, *number, *boot % BOOTS, 0, 0, 0, *low, *high, 0, 0];
        if *number == MessageType::Hello.number() {
            // Without the right schema hash HELLO would never be more than a mismatch.
            let mut rest = SCHEMA_HASH;
            while rest >= 0x80 {
                raw.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            raw.push(rest as u8);
        }
        raw.extend(body);
        let checksum = CRC.checksum(&raw);
        raw.extend(checksum.to_le_bytes());
        let mut frame = vec![0; cobs::max_encoding_length(raw.len()) + 1];
        let stuffed = cobs::encode(&raw, &mut frame);
        frame.truncate(stuffed);
        frame.push(0);
        frames.push(frame);
        data = rest;
    }
    frames
}
