//! Bytes of a stream in two forms: as they are, and as part of a gzip stream that every client shares.
//!
//! The packed form of some bytes refers to nothing before it and ends at a whole byte. So parts that are packed once can be sent in any order to
//! any number of clients, none of which costs a compressor of its own. No part ends the gzip stream: an event stream has no end.

use bytes::{BufMut as _, Bytes, BytesMut};
use flate2::{Compress, Compression, FlushCompress, Status};

/// The beginning of a gzip stream: deflate, no name, no time (RFC 1952).
const GZIP_HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
/// Shorter bytes are not compressed: the end of a compressed part alone has five.
const COMPRESSED_MIN: usize = 128;
/// Maximum number of bytes in a block that is not compressed (RFC 1951).
const BLOCK_MAX: usize = 65_535;
/// Bytes of the head of such a block.
const BLOCK_HEAD: usize = 5;

/// Form in which a client reads a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The plain form.
    Plain,
    /// gzip.
    Packed,
}

/// Some bytes in both forms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    plain: Bytes,
    packed: Bytes,
}

impl Written {
    /// Writes the packed form.
    pub(crate) fn new(plain: Vec<u8>) -> Written {
        let packed = match plain.len() {
            ..COMPRESSED_MIN => stored(&plain),
            _ => compressed(&plain).unwrap_or_else(|| stored(&plain)),
        };
        Written { plain: plain.into(), packed }
    }

    /// Both forms behind one another, the plain one of so many bytes first, as another process has written them.
    pub(crate) fn of_forms(mut plain: Bytes, plain_bytes: usize) -> Written {
        let packed = plain.split_off(plain_bytes.min(plain.len()));
        Written { plain, packed }
    }

    /// The bytes in a form.
    pub(crate) fn of(&self, form: Form) -> Bytes {
        match form {
            Form::Plain => self.plain.clone(),
            Form::Packed => self.packed.clone(),
        }
    }

    /// Bytes of both forms.
    pub(crate) fn len(&self) -> usize {
        self.plain.len() + self.packed.len()
    }

    /// Whether there is nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.plain.is_empty()
    }
}

/// Events for one client alone, in its form.
pub(crate) fn once(text: &str, form: Form) -> Bytes {
    match form {
        Form::Plain => Bytes::copy_from_slice(text.as_bytes()),
        Form::Packed => stored(text.as_bytes()),
    }
}

/// The beginning of a stream.
pub(crate) fn beginning(text: &str, form: Form) -> Bytes {
    match form {
        Form::Plain => once(text, form),
        Form::Packed => [&GZIP_HEAD[..], &stored(text.as_bytes())].concat().into(),
    }
}

/// Blocks that are not compressed.
fn stored(plain: &[u8]) -> Bytes {
    let mut blocks = BytesMut::with_capacity(plain.len() + BLOCK_HEAD);
    for block in plain.chunks(BLOCK_MAX) {
        let length = u16::try_from(block.len()).unwrap_or(u16::MAX);
        blocks.put_u8(0);
        blocks.put_u16_le(length);
        blocks.put_u16_le(!length);
        blocks.put_slice(block);
    }
    blocks.freeze()
}

/// One part, which ends with an empty block. None where it cannot be compressed.
fn compressed(plain: &[u8]) -> Option<Bytes> {
    let mut compress = Compress::new(Compression::default(), false);
    let mut packed = Vec::with_capacity(plain.len() / 2 + COMPRESSED_MIN);
    loop {
        let read = usize::try_from(compress.total_in()).ok()?;
        let status = compress.compress_vec(plain.get(read..)?, &mut packed, FlushCompress::Full);
        if !matches!(status, Ok(Status::Ok | Status::BufError)) {
            return None;
        }
        let is_read = compress.total_in() == plain.len() as u64;
        if is_read && packed.len() < packed.capacity() {
            return Some(packed.into());
        }
        packed.reserve(plain.len() / 2 + COMPRESSED_MIN);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::write::GzDecoder;
    use proptest::prelude::*;

    use super::*;

    /// The text that a browser reads of a stream that has not ended.
    fn read(packed: &[Bytes]) -> Vec<u8> {
        let mut decoder = GzDecoder::new(Vec::new());
        packed.iter().for_each(|part| decoder.write_all(part).unwrap());
        decoder.flush().unwrap();
        decoder.get_ref().clone()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn parts_are_read_in_any_order_by_a_client_that_missed_others(
            parts in proptest::collection::vec((0_usize..3_000, any::<u8>()), 1..6),
        ) {
            let text = |&(length, letter): &(usize, u8)| -> Vec<u8> {
                (0..length).map(|at| letter.wrapping_mul((at % 97) as u8)).collect()
            };
            let texts: Vec<Vec<u8>> = parts.iter().map(text).collect();
            let written: Vec<Written> = texts.iter().cloned().map(Written::new).collect();
            for first in 0..texts.len() {
                let mut packed = vec![beginning("hello", Form::Packed)];
                packed.extend(written[first..].iter().map(|part| part.of(Form::Packed)));
                let whole = [b"hello".to_vec(), texts[first..].concat()].concat();
                prop_assert_eq!(read(&packed), whole);
            }
        }
    }

    #[test]
    fn a_part_that_is_longer_than_a_block_is_read_whole() {
        let noise: Vec<u8> = (0..200_000_u64)
            .map(|at| (at.wrapping_mul(at).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8)
            .collect();
        for packed in [stored(&noise), Written::new(noise.clone()).of(Form::Packed)] {
            assert!(read(&[beginning("", Form::Packed), packed]) == noise);
        }
    }

    #[test]
    fn tables_of_a_hall_are_a_fraction_of_their_size() {
        let table = |number: u32| {
            format!(
                "event: table\ndata: {{\"table\":\"{number}\",\"label\":\"Table {number}\",\"state\":\"playing\",\"ply_count\":{number}}}\n\n"
            )
        };
        let tables: String = (0..8).map(table).collect();
        let written = Written::new(tables.clone().into_bytes());
        assert!(written.of(Form::Packed).len() * 4 < tables.len());
    }
}
