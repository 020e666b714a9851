//! The weights of a learnt prior, and their file.
//!
//! The file has, in this order: [`MAGIC`], version (u16), a fingerprint of the tables' layout (u64), length (u32) and
//! text of a note in UTF-8, every weight in steps of 1/[`STEPS`] (i16), and a checksum of all bytes before it (FNV-1a,
//! u64). Numbers are little-endian. Trained weights are rounded to whole steps, so a model is the same before and
//! after it was written.

use thiserror::Error;

use super::{
    super::ACTION_CLASSES,
    tables::{BY_ROLE, CIRCUMSTANCES, DEEP, LANES, ROLE_LANES, SIZES, WIDE},
};

/// First bytes of a weights file.
const MAGIC: &[u8; 8] = b"tbaction";
/// Version of the file format.
const VERSION: u16 = 1;
/// Steps of a weight in one unit. Bound: weights from -16 to 16 fit 16 bits.
pub(super) const STEPS: f32 = 2048.0;
/// Longest note, bytes. Bound: on memory.
const NOTE_MAX: usize = 16 * 1024;

/// The mistake in a weights file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WeightsError {
    /// The file does not begin like a weights file.
    #[error("this is no weights file of `twinboard train` (its first bytes differ)")]
    NotWeights,
    /// Written by another version.
    #[error(
        "the weights have format version {found}, this program reads {VERSION}: train them again"
    )]
    Version {
        /// The version in the file.
        found: u16,
    },
    /// Written for a model with other clues.
    #[error(
        "the weights belong to another layout of the model: train them again with this program"
    )]
    Layout,
    /// Too short or too long.
    #[error("the weights file has {found} bytes instead of {expected}: it was cut off or added to")]
    Length {
        /// Bytes there should be.
        expected: usize,
        /// Bytes there are.
        found: usize,
    },
    /// The file was changed.
    #[error(
        "the checksum of the weights file does not fit: it is damaged, fetch or train it again"
    )]
    Checksum,
    /// The note is no UTF-8 or too long.
    #[error("the note in the weights file cannot be read: it is damaged, fetch or train it again")]
    Note,
}

/// All weights of a learnt prior. They are terms of the natural logarithm of an action's weight.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    pub(crate) deep: Vec<[f32; LANES]>,
    /// Weight of each hidden unit. The first one is not used.
    pub(crate) out: [f32; LANES],
    pub(crate) wide: Vec<f32>,
    pub(crate) circumstances: Vec<[f32; ACTION_CLASSES]>,
    /// For the surroundings of the square of a drop, one weight for each role.
    pub(crate) by_role: Vec<[f32; ROLE_LANES]>,
    /// A note for people: the training data, and the figures on unseen matches.
    pub note: String,
}

impl Weights {
    /// All weights 0: every action is equally likely.
    #[must_use]
    pub fn zero() -> Weights {
        Weights {
            deep: vec![[0.0; LANES]; DEEP],
            out: [0.0; LANES],
            wide: vec![0.0; WIDE],
            circumstances: vec![[0.0; ACTION_CLASSES]; CIRCUMSTANCES],
            by_role: vec![[0.0; ROLE_LANES]; BY_ROLE],
            note: String::new(),
        }
    }

    /// The weights in the order of the file.
    pub(crate) fn parts(&self) -> [&[f32]; 5] {
        let Weights { deep, out, wide, circumstances, by_role, .. } = self;
        [deep.as_flattened(), out, wide, circumstances.as_flattened(), by_role.as_flattened()]
    }

    /// The same, to change them.
    pub(crate) fn parts_mut(&mut self) -> [&mut [f32]; 5] {
        let Weights { deep, out, wide, circumstances, by_role, .. } = self;
        [
            deep.as_flattened_mut(),
            out,
            wide,
            circumstances.as_flattened_mut(),
            by_role.as_flattened_mut(),
        ]
    }

    /// Rounds every weight to whole steps, which the file can hold.
    #[cfg(any(feature = "training", test))]
    pub(crate) fn round(&mut self) {
        for weight in self.parts_mut().into_iter().flatten() {
            *weight = f32::from(steps(*weight)) / STEPS;
        }
    }

    /// The weights as a file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let note = &self.note[..self.note.floor_char_boundary(NOTE_MAX)];
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(fingerprint().to_le_bytes());
        bytes.extend((note.len() as u32).to_le_bytes());
        bytes.extend(note.as_bytes());
        let weights = self.parts().into_iter().flatten();
        bytes.extend(weights.flat_map(|&weight| steps(weight).to_le_bytes()));
        bytes.extend(fnv(&bytes).to_le_bytes());
        bytes
    }

    /// The weights in a file.
    ///
    /// # Errors
    ///
    /// If it is no weights file, is damaged, or belongs to another version of the model.
    pub fn from_bytes(bytes: &[u8]) -> Result<Weights, WeightsError> {
        if !bytes.starts_with(MAGIC) {
            return Err(WeightsError::NotWeights);
        }
        let short = |expected| WeightsError::Length { expected, found: bytes.len() };
        let header = bytes.get(..HEADER).ok_or_else(|| short(HEADER))?;
        let number = |at: usize, len: usize| {
            header[at..at + len].iter().rev().fold(0u64, |sum, &byte| sum << 8 | u64::from(byte))
        };
        let version = number(8, 2) as u16;
        if version != VERSION {
            return Err(WeightsError::Version { found: version });
        }
        if number(10, 8) != fingerprint() {
            return Err(WeightsError::Layout);
        }
        let note_len = number(18, 4) as usize;
        if note_len > NOTE_MAX {
            return Err(WeightsError::Note);
        }
        let mut weights = Weights::zero();
        let count = weights.parts().into_iter().flatten().count();
        let end = HEADER + note_len + 2 * count;
        if bytes.len() != end + 8 {
            return Err(short(end + 8));
        }
        if bytes[end..] != fnv(&bytes[..end]).to_le_bytes() {
            return Err(WeightsError::Checksum);
        }
        let note = str::from_utf8(&bytes[HEADER..HEADER + note_len]);
        weights.note = note.map_err(|_| WeightsError::Note)?.to_owned();
        let (values, _) = bytes[HEADER + note_len..end].as_chunks();
        for (weight, &bytes) in weights.parts_mut().into_iter().flatten().zip(values) {
            *weight = f32::from(i16::from_le_bytes(bytes)) / STEPS;
        }
        Ok(weights)
    }
}

/// Bytes before the note.
const HEADER: usize = 8 + 2 + 8 + 4;

/// A weight in steps.
pub(super) fn steps(weight: f32) -> i16 {
    // Casts saturate, so a weight out of range goes to the end of the range.
    (weight * STEPS + if weight < 0.0 { -0.5 } else { 0.5 }) as i16
}

fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

/// A number that changes with the layout of the tables.
fn fingerprint() -> u64 {
    fnv(SIZES.map(|size| (size as u32).to_le_bytes()).as_flattened())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Weights in whole steps.
    fn some_weights() -> Weights {
        let mut weights = Weights::zero();
        weights.note = "trained on nothing, für niemanden".to_owned();
        let mut number = 0u32;
        for part in weights.parts_mut() {
            for weight in part {
                number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                *weight = f32::from((number >> 16) as u16 as i16) / STEPS;
            }
        }
        weights
    }

    #[test]
    fn weights_are_the_same_after_they_were_written_and_read() {
        let weights = some_weights();
        assert_eq!(Weights::from_bytes(&weights.to_bytes()), Ok(weights));
    }

    #[test]
    fn rounding_twice_changes_nothing_more_and_what_is_too_large_is_kept_in_range() {
        let mut weights = Weights::zero();
        weights.wide[0] = 0.123_456;
        weights.wide[1] = -1e9;
        weights.wide[2] = f32::NAN;
        weights.round();
        let once = weights.clone();
        weights.round();
        assert_eq!(weights, once);
        assert_eq!(&weights.wide[1..3], &[-16.0, 0.0]);
    }

    #[test]
    fn every_fault_of_a_file_has_its_own_error() {
        let whole = some_weights().to_bytes();
        let changed = |at: usize| {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            Weights::from_bytes(&bytes)
        };
        assert_eq!(Weights::from_bytes(b"{}"), Err(WeightsError::NotWeights));
        assert_eq!(changed(0), Err(WeightsError::NotWeights));
        assert_eq!(changed(8), Err(WeightsError::Version { found: VERSION ^ 1 }));
        assert_eq!(changed(12), Err(WeightsError::Layout));
        assert_eq!(changed(21), Err(WeightsError::Note));
        assert_eq!(changed(whole.len() / 2), Err(WeightsError::Checksum));
        let (expected, found) = (whole.len(), whole.len() - 1);
        let cut = Weights::from_bytes(&whole[..found]);
        assert_eq!(cut, Err(WeightsError::Length { expected, found }));
    }

    proptest! {
        #[test]
        fn no_bytes_make_reading_panic(tail in proptest::collection::vec(any::<u8>(), 0..64)) {
            let mut bytes = MAGIC.to_vec();
            bytes.extend_from_slice(&VERSION.to_le_bytes());
            bytes.extend_from_slice(&fingerprint().to_le_bytes());
            bytes.extend(tail);
            prop_assert!(Weights::from_bytes(&bytes).is_err());
        }
    }
}
