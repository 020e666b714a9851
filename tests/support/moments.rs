//! Times of the incidents of programs, from a seed.

/// Environment variable with the seed, for a run that failed to be run again.
const SEED: &str = "TWINBOARD_TEST_SEED";

/// SplitMix64 (Steele, Lea, Flood 2014).
pub(crate) struct Moments(u64);

impl Moments {
    /// Uses the seed of the environment, or this one, and prints it.
    pub(crate) fn from_environment(otherwise: u64) -> Moments {
        let seed = std::env::var(SEED).ok().and_then(|seed| seed.parse().ok()).unwrap_or(otherwise);
        println!("{SEED}={seed}");
        Moments(seed)
    }

    /// From 0 to 1.
    pub(crate) fn draw(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}
