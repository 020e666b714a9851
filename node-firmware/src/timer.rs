//! Time that does not wrap, from a hardware counter that does. A microcontroller's timer has 32 bits (71.6 minutes of microseconds) or
//! 24, and a match day has ten hours.

/// Extends a counter of up to 32 bits to 64, from zero at its first reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrappingTimer {
    mask: u32,
    last: u32,
    ticks: u64,
}

impl WrappingTimer {
    /// A counter of the lowest `bits` bits (1 to 32) that counts up, as it reads now: `raw`.
    pub const fn new(bits: u32, raw: u32) -> Self {
        let bits = if bits > u32::BITS { u32::BITS } else { bits };
        let mask = match u32::MAX.checked_shr(u32::BITS - bits) {
            Some(mask) => mask,
            None => 0,
        };
        Self { mask, last: raw & mask, ticks: 0 }
    }

    /// Returns the ticks since the first reading, when the counter reads `raw` now. Call it at least once in each round of the counter:
    /// a round without a call is not counted. A counter that counts down is given as `!raw`.
    pub const fn ticks(&mut self, raw: u32) -> u64 {
        let raw = raw & self.mask;
        let passed = raw.wrapping_sub(self.last) & self.mask;
        self.last = raw;
        self.ticks = self.ticks.saturating_add(passed as u64);
        self.ticks
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn time_goes_on_when_the_counter_begins_anew() {
        let mut timer = WrappingTimer::new(32, u32::MAX - 10);
        assert_eq!(timer.ticks(u32::MAX), 10);
        assert_eq!(timer.ticks(5), 16);
        assert_eq!(timer.ticks(5), 16);
        assert_eq!(timer.ticks(4), 16 + u64::from(u32::MAX));
    }

    #[test]
    fn bits_that_the_counter_does_not_have_are_not_looked_at() {
        let mut timer = WrappingTimer::new(24, 0xab_ff_ff_f0);
        assert_eq!(timer.ticks(0x12_00_00_05), 0x15);
    }

    #[test]
    fn a_counter_that_counts_down_is_given_inverted() {
        let mut timer = WrappingTimer::new(24, !5);
        assert_eq!(timer.ticks(!0), 5);
        assert_eq!(timer.ticks(!0x00ff_ffff), 6);
    }

    proptest! {
        #[test]
        fn ticks_are_those_of_a_counter_that_never_wraps(
            bits in 1_u32..=32, start: u32, steps in prop::collection::vec(any::<u32>(), 1..100),
        ) {
            let mask = u32::MAX >> (32 - bits);
            let mut timer = WrappingTimer::new(bits, start);
            let mut truth = 0_u64;
            for step in steps {
                // Less than a round.
                truth += u64::from(step & mask);
                let raw = (u64::from(start) + truth) as u32;
                prop_assert_eq!(timer.ticks(raw), truth);
            }
        }
    }
}
