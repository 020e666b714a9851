//! Faults of a bad cable in single bytes: some are lost, doubled, garbled, swapped or invented, the same ones for the same
//! seed.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Farthest that a byte is moved when it is swapped with one behind it, in bytes.
pub const SWAP_WINDOW_BYTES: usize = 16;

/// Fault of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteFault {
    /// The byte does not arrive.
    Lost,
    /// The byte arrives twice.
    Doubled,
    /// One of its bits arrives inverted.
    Garbled,
    /// The byte changes places with one of the next [`SWAP_WINDOW_BYTES`] of the same write.
    Swapped,
    /// A byte that nobody sent arrives behind it.
    Invented,
}

impl ByteFault {
    /// Every kind.
    pub const ALL: [Self; 5] =
        [Self::Lost, Self::Doubled, Self::Garbled, Self::Swapped, Self::Invented];
}

/// A source of faults for the bytes of one direction.
#[derive(Clone, Debug)]
pub struct Noise {
    rng: ChaCha8Rng,
    rate: f64,
    kinds: Vec<ByteFault>,
    /// Bytes that pass unharmed before the next fault.
    unharmed: u64,
    faults: u64,
}

impl Noise {
    /// No fault until [`Self::set_rate`]; then those of `kinds`, each as often as it is listed.
    #[must_use]
    pub fn new(seed: u64, kinds: &[ByteFault]) -> Noise {
        let rng = ChaCha8Rng::seed_from_u64(seed);
        Noise { rng, rate: 0.0, kinds: kinds.to_vec(), unharmed: u64::MAX, faults: 0 }
    }

    /// From now on a fault hits this share of all bytes, 0 to 1.
    pub fn set_rate(&mut self, rate: f64) {
        self.rate = rate.clamp(0.0, 1.0);
        self.unharmed = self.draw();
    }

    /// Whether bytes are hurt from now on.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.rate > 0.0
    }

    /// Faults so far.
    #[must_use]
    pub fn faults(&self) -> u64 {
        self.faults
    }

    /// Number of bytes until the next fault: geometric, so that a good line costs nothing.
    fn draw(&mut self) -> u64 {
        if self.rate <= 0.0 {
            return u64::MAX;
        }
        if self.rate >= 1.0 {
            return 0;
        }
        let uniform: f64 = self.rng.random();
        ((1.0 - uniform).ln() / (1.0 - self.rate).ln()) as u64
    }

    /// The bytes that arrive of `bytes`, one write.
    pub fn pass(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut sent = bytes.to_vec();
        if self.unharmed >= bytes.len() as u64 || self.kinds.is_empty() {
            self.unharmed = self.unharmed.saturating_sub(bytes.len() as u64);
            return sent;
        }
        let mut arrived = Vec::with_capacity(sent.len() + 4);
        for at in 0..sent.len() {
            if self.unharmed > 0 {
                self.unharmed -= 1;
                arrived.push(sent[at]);
                continue;
            }
            self.unharmed = self.draw();
            self.faults += 1;
            match self.kinds[self.rng.random_range(0..self.kinds.len())] {
                ByteFault::Lost => {}
                ByteFault::Doubled => arrived.extend([sent[at]; 2]),
                ByteFault::Garbled => arrived.push(sent[at] ^ 1 << self.rng.random_range(0..8)),
                ByteFault::Swapped => {
                    let last = (at + SWAP_WINDOW_BYTES).min(sent.len() - 1);
                    sent.swap(at, self.rng.random_range(at..=last));
                    arrived.push(sent[at]);
                }
                ByteFault::Invented => arrived.extend([sent[at], self.rng.random()]),
            }
        }
        arrived
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(rate: f64) -> Noise {
        let mut noise = Noise::new(4, &ByteFault::ALL);
        noise.set_rate(rate);
        noise
    }

    #[test]
    fn a_quiet_line_changes_nothing_and_a_noisy_one_about_its_share() {
        let bytes: Vec<u8> = (0..=255).cycle().take(20_000).collect();
        assert_eq!(noise(0.0).pass(&bytes), bytes);
        let mut noisy = noise(0.01);
        let garbled = noisy.pass(&bytes);
        assert_ne!(garbled, bytes);
        assert!(garbled.len().abs_diff(bytes.len()) < 150, "{}", garbled.len());
        assert!((150..250).contains(&noisy.faults()), "{} of 20,000", noisy.faults());
        assert_eq!(noise(0.01).pass(&bytes), garbled, "the same seed garbles the same");
    }

    #[test]
    fn the_share_does_not_depend_on_how_the_bytes_are_written() {
        let (mut whole, mut single) = (noise(0.02), noise(0.02));
        whole.pass(&[7; 50_000]);
        for _ in 0..50_000 {
            single.pass(&[7]);
        }
        assert!(whole.faults().abs_diff(single.faults()) < 150);
    }

    #[test]
    fn every_kind_of_fault_does_what_it_says() {
        let bytes: Vec<u8> = (0..100).collect();
        let with = |kind| {
            let mut noise = Noise::new(1, &[kind]);
            noise.set_rate(1.0);
            noise.pass(&bytes)
        };
        assert!(with(ByteFault::Lost).is_empty());
        assert_eq!(with(ByteFault::Doubled).len(), 200);
        assert_eq!(with(ByteFault::Invented).len(), 200);
        let garbled = with(ByteFault::Garbled);
        assert!(bytes.iter().zip(&garbled).all(|(a, b)| (a ^ b).is_power_of_two()));
        let mut swapped = with(ByteFault::Swapped);
        assert_ne!(swapped, bytes);
        swapped.sort_unstable();
        assert_eq!(swapped, bytes);
    }
}
