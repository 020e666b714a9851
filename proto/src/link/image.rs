//! Header of a node's image: its name and version, at a fixed place. A hub finds in it which file a node needs, and a node refuses by
//! it an image for another processor or wiring.

use heapless::String;

use super::{MAX_FIRMWARE_BYTES, MAX_IMAGE_NAME_BYTES};

/// Address at which an image lies and runs. Below are the loader and the record of its progress.
pub const IMAGE_ADDRESS: u32 = 0x1002_0000;
/// Place of the header in the image: behind the vectors.
pub const IMAGE_HEADER_OFFSET: u32 = 0x200;
/// Bytes of the header.
pub const IMAGE_HEADER_BYTES: usize = MAGIC.len() + MAX_IMAGE_NAME_BYTES + MAX_FIRMWARE_BYTES;

const MAGIC: [u8; 8] = *b"TWBIMG\x01\n";

/// Name and version of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageHeader {
    /// Name: processor and wiring.
    pub name: String<MAX_IMAGE_NAME_BYTES>,
    /// Version of the firmware.
    pub firmware: String<MAX_FIRMWARE_BYTES>,
}

impl ImageHeader {
    /// The bytes of a header.
    ///
    /// # Panics
    /// At compile time, if a text is too long.
    pub const fn bytes(name: &str, firmware: &str) -> [u8; IMAGE_HEADER_BYTES] {
        assert!(name.len() <= MAX_IMAGE_NAME_BYTES && firmware.len() <= MAX_FIRMWARE_BYTES);
        let mut bytes = [0; IMAGE_HEADER_BYTES];
        let (magic, texts) = bytes.split_at_mut(MAGIC.len());
        let (names, versions) = texts.split_at_mut(MAX_IMAGE_NAME_BYTES);
        magic.copy_from_slice(&MAGIC);
        names.split_at_mut(name.len()).0.copy_from_slice(name.as_bytes());
        versions.split_at_mut(firmware.len()).0.copy_from_slice(firmware.as_bytes());
        bytes
    }

    /// Reads a header; `None` if these bytes are none.
    pub fn read(bytes: &[u8; IMAGE_HEADER_BYTES]) -> Option<Self> {
        let texts = bytes.strip_prefix(&MAGIC)?;
        let (name, firmware) = texts.split_at_checked(MAX_IMAGE_NAME_BYTES)?;
        Some(Self { name: text(name)?, firmware: text(firmware)? })
    }
}

/// A text that is padded with zeros, of printable ASCII and not empty.
fn text<const N: usize>(padded: &[u8]) -> Option<String<N>> {
    let end = padded.iter().position(|&byte| byte == 0).unwrap_or(padded.len());
    let (text, padding) = padded.split_at_checked(end)?;
    let is_text = !text.is_empty() && text.iter().all(u8::is_ascii_graphic);
    let text = core::str::from_utf8(text).ok().filter(|_| is_text)?;
    padding.iter().all(|&byte| byte == 0).then(|| String::try_from(text).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read_as_it_was_written_and_nothing_else_is() {
        let bytes = ImageHeader::bytes("pico-clock", "1.2.3");
        let header = ImageHeader::read(&bytes).unwrap();
        assert_eq!((header.name.as_str(), header.firmware.as_str()), ("pico-clock", "1.2.3"));
        for place in [0, 7, 20, 60] {
            let mut other = bytes;
            other[place] ^= 0x81;
            assert_eq!(ImageHeader::read(&other), None, "byte {place}");
        }
        assert_eq!(ImageHeader::read(&[0xff; IMAGE_HEADER_BYTES]), None);
    }
}
