//! Checksum of a row: written with it, and checked on reading.
//!
//! A disk that returns a wrong bit reports no error, and SQLite checks no page. Fields count with their lengths, so that
//! nothing can move from one field to the next unnoticed. CRC-32 finds every change of up to 32 neighbouring bits, and any two
//! bits of a row. It detects damage, not forgery.

use crc32fast::Hasher;

/// Checksum in the making.
#[derive(Clone, Debug, Default)]
pub struct Checksum(Hasher);

impl Checksum {
    /// Adds a number; none is another value than 0.
    #[must_use]
    pub fn number(self, value: impl Into<Option<i64>>) -> Checksum {
        match value.into() {
            Some(value) => self.bytes(value.to_le_bytes().as_slice()),
            None => self.bytes(None),
        }
    }

    /// Adds a text; none is another value than an empty one.
    #[must_use]
    pub fn text<'a>(self, value: impl Into<Option<&'a str>>) -> Checksum {
        self.bytes(value.into().map(str::as_bytes))
    }

    /// Adds bytes; none is another value than an empty one.
    #[must_use]
    pub fn bytes<'a>(mut self, value: impl Into<Option<&'a [u8]>>) -> Checksum {
        match value.into() {
            Some(value) => {
                self.0.update(&(value.len() as u64).to_le_bytes());
                self.0.update(value);
            }
            None => self.0.update(&u64::MAX.to_le_bytes()),
        }
        self
    }

    /// The value as databases keep it.
    #[must_use]
    pub fn value(self) -> i64 {
        i64::from(self.0.finalize())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_and_every_moved_border_changes_the_checksum() {
        let of = |one: &[u8], other: &[u8]| Checksum::default().bytes(one).bytes(other).value();
        let whole = of(b"table 1", b"e2e4");
        assert_eq!(whole, of(b"table 1", b"e2e4"));
        assert_ne!(whole, of(b"table 1e", b"2e4"));
        for bit in 0..4 * 8 {
            let mut flipped = *b"e2e4";
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(whole, of(b"table 1", &flipped), "{bit}");
        }
        let none = Checksum::default().number(None).text(None).value();
        assert_ne!(none, Checksum::default().number(0).text(None).value());
        assert_ne!(none, Checksum::default().number(None).text("").value());
    }
}
