//! Bitboards as the formats write them: 16 hex digits, bit 0 = a1, bit 7 = h1, bit 63 = h8.

use rules::Bitboard;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The occupied squares of a board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Occupancy(pub Bitboard);

impl Occupancy {
    /// Both players' pieces on their first two ranks.
    pub const INITIAL: Occupancy = Occupancy(Bitboard(0xffff_0000_0000_ffff));
}

impl Serialize for Occupancy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:016x}", self.0.0))
    }
}

impl<'de> Deserialize<'de> for Occupancy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        match u64::from_str_radix(&text, 16) {
            Ok(bits) if digits => Ok(Occupancy(Bitboard(bits))),
            _ => Err(de::Error::custom(format!("a bitboard has 16 hex digits, not {text:?}"))),
        }
    }
}
