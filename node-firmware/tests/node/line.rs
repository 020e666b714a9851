//! A serial line that loses, doubles, garbles and invents bytes, the same ones for the same seed.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Probability of each fault, for one byte.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Faults {
    pub(crate) lost: f64,
    pub(crate) doubled: f64,
    pub(crate) garbled: f64,
    pub(crate) invented: f64,
}

impl Faults {
    pub(crate) const NONE: Self = Self { lost: 0.0, doubled: 0.0, garbled: 0.0, invented: 0.0 };
    /// One byte in a hundred: of the frames of an event about every fifth.
    pub(crate) const BAD: Self =
        Self { lost: 0.003, doubled: 0.002, garbled: 0.003, invented: 0.002 };
}

/// One direction of a line.
pub(crate) struct Line {
    rng: ChaCha8Rng,
    pub(crate) faults: Faults,
    pub(crate) plugged: bool,
    pub(crate) faults_so_far: usize,
}

impl Line {
    pub(crate) fn new(seed: u64, faults: Faults) -> Self {
        let rng = ChaCha8Rng::seed_from_u64(seed);
        Self { rng, faults, plugged: true, faults_so_far: 0 }
    }

    /// Returns the bytes that arrive when `bytes` are sent.
    pub(crate) fn carry(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut arrived = Vec::new();
        if !self.plugged {
            return arrived;
        }
        for &byte in bytes {
            let mut happens = |chance: f64| {
                let happened = self.rng.random_bool(chance);
                self.faults_so_far += usize::from(happened);
                happened
            };
            let (lost, doubled) = (happens(self.faults.lost), happens(self.faults.doubled));
            let (garbled, invented) = (happens(self.faults.garbled), happens(self.faults.invented));
            let byte = if garbled { byte ^ 1 << self.rng.random_range(0..8) } else { byte };
            if !lost {
                arrived.push(byte);
            }
            if doubled {
                arrived.push(byte);
            }
            if invented {
                arrived.push(self.rng.random());
            }
        }
        arrived
    }
}
