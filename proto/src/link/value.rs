//! Values that are checked when they are decoded, so that no other code meets square 64 or a node without a name.

use core::fmt;
use core::marker::PhantomData;
use core::str::FromStr;

use crc::{CRC_32_ISCSI, Crc};
use serde::ser::SerializeTuple as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use thiserror::Error;

/// Squares of one board.
pub const SQUARES: u8 = 64;
/// Slots of one reserve tray.
pub const TRAY_SLOTS: u8 = 16;
/// Longest node id in bytes.
pub const MAX_NODE_ID_BYTES: usize = 32;

/// CRC-32C (Castagnoli) of frames and images: detects every error of up to five bits in a frame.
pub(super) static CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISCSI);

/// A value outside the range of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ValueError {
    /// A square index above 63.
    #[error("square {0} does not exist: squares are 0 (a1) to 63 (h8)")]
    Square(u8),
    /// A tray slot above 15.
    #[error("tray slot {0} does not exist: slots are 0 to 15")]
    Slot(u8),
    /// A node id that is empty, too long, or has other characters than letters, digits, `.`, `_`, `-`.
    #[error("a node id is 1 to 32 letters, digits, '.', '_' or '-'")]
    NodeId,
}

/// A square of one board: 0 = a1, 1 = b1, … 7 = h1, 8 = a2, … 63 = h8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct SquareIndex(u8);

impl SquareIndex {
    /// The square of this index, if it is below 64.
    pub const fn new(index: u8) -> Option<Self> {
        if index < SQUARES { Some(Self(index)) } else { None }
    }

    /// 0 to 63.
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl TryFrom<u8> for SquareIndex {
    type Error = ValueError;

    fn try_from(index: u8) -> Result<Self, ValueError> {
        Self::new(index).ok_or(ValueError::Square(index))
    }
}

impl From<SquareIndex> for u8 {
    fn from(square: SquareIndex) -> u8 {
        square.0
    }
}

/// A slot of one reserve tray, 0 to 15, counted from the owner's left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct SlotIndex(u8);

impl SlotIndex {
    /// The slot of this index, if it is below 16.
    pub const fn new(index: u8) -> Option<Self> {
        if index < TRAY_SLOTS { Some(Self(index)) } else { None }
    }

    /// 0 to 15.
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl TryFrom<u8> for SlotIndex {
    type Error = ValueError;

    fn try_from(index: u8) -> Result<Self, ValueError> {
        Self::new(index).ok_or(ValueError::Slot(index))
    }
}

impl From<SlotIndex> for u8 {
    fn from(slot: SlotIndex) -> u8 {
        slot.0
    }
}

/// One number for each square, a1 first. On the wire: 64 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PerSquare<T>(pub [T; SQUARES as usize]);

impl<T: Copy + Default> Default for PerSquare<T> {
    fn default() -> Self {
        Self([T::default(); SQUARES as usize])
    }
}

impl<T: Serialize> Serialize for PerSquare<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut tuple = serializer.serialize_tuple(self.0.len())?;
        for number in &self.0 {
            tuple.serialize_element(number)?;
        }
        tuple.end()
    }
}

impl<'de, T: Copy + Default + Deserialize<'de>> Deserialize<'de> for PerSquare<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Numbers<T>(PhantomData<T>);

        impl<'de, T: Copy + Default + Deserialize<'de>> de::Visitor<'de> for Numbers<T> {
            type Value = PerSquare<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("64 numbers")
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut numbers = PerSquare::default();
                for (place, index) in numbers.0.iter_mut().zip(0..) {
                    let next = seq.next_element()?;
                    *place = next.ok_or_else(|| de::Error::invalid_length(index, &self))?;
                }
                Ok(numbers)
            }
        }

        deserializer.deserialize_tuple(SQUARES.into(), Numbers(PhantomData))
    }
}

/// The name a node carries for life, as written on its label and in the hub's configuration: 1 to 32 of
/// `A–Z a–z 0–9 . _ -`. Names are case-sensitive.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct NodeId(heapless::String<MAX_NODE_ID_BYTES>);

impl NodeId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for NodeId {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        if text.is_empty() || !text.chars().all(allowed) {
            return Err(ValueError::NodeId);
        }
        heapless::String::try_from(text).map(Self).map_err(|_| ValueError::NodeId)
    }
}

impl<'de> Deserialize<'de> for NodeId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = heapless::String::<MAX_NODE_ID_BYTES>::deserialize(deserializer)?;
        Self::from_str(&text).map_err(de::Error::custom)
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NodeId({})", self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn square_64_and_slot_16_do_not_exist() {
        assert_eq!(SquareIndex::try_from(63).map(SquareIndex::get), Ok(63));
        assert_eq!(SquareIndex::try_from(64), Err(ValueError::Square(64)));
        assert_eq!(SlotIndex::try_from(15).map(SlotIndex::get), Ok(15));
        assert_eq!(SlotIndex::try_from(16), Err(ValueError::Slot(16)));
    }

    #[test]
    fn a_node_id_is_a_short_plain_word() {
        assert_eq!("board-1.A_x".parse::<NodeId>().unwrap().as_str(), "board-1.A_x");
        for bad in ["", "a b", "a/b", "ä", "123456789012345678901234567890123"] {
            assert_eq!(bad.parse::<NodeId>(), Err(ValueError::NodeId), "{bad}");
        }
    }
}
