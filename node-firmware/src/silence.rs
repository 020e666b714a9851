//! Restart of a USB controller that hangs: the node leaves the bus by itself, and comes back.
//!
//! The RP2040's controller may hang when a packet that it sends is garbled on the bus (erratum RP2040-E15). From then on it transfers
//! nothing in either direction until it is restarted. A hub polls its nodes every second. So a node that was polled, and then receives
//! nothing for three seconds, restarts its controller. It makes one such try: a hub that has stopped is left alone afterwards.

/// Maximum time without a byte from a hub that was online, in µs.
pub const SILENCE_MAX_US: u64 = 3_000_000;
/// Time off the bus, in µs: the computer must notice it.
pub const AWAY_US: u64 = 100_000;

/// Presence of the node on the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// The node is on the bus.
    Here,
    /// Leaving now.
    Leaves,
    /// Off the bus.
    Away,
    /// Coming back now.
    Returns,
}

/// Watches the bytes from the hub. Times are in µs since the start.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silence {
    heard_us: Option<u64>,
    away_until_us: Option<u64>,
}

impl Silence {
    /// Creates a watch that has received no byte.
    pub const fn new() -> Self {
        Self { heard_us: None, away_until_us: None }
    }

    /// Bytes came.
    pub fn note_heard(&mut self, now_us: u64) {
        self.heard_us = Some(now_us);
    }

    /// Presence at this time.
    pub fn poll(&mut self, now_us: u64) -> Presence {
        if let Some(until_us) = self.away_until_us {
            if now_us < until_us {
                return Presence::Away;
            }
            self.away_until_us = None;
            return Presence::Returns;
        }
        if self.heard_us.is_some_and(|at_us| now_us.saturating_sub(at_us) >= SILENCE_MAX_US) {
            *self = Self { heard_us: None, away_until_us: Some(now_us + AWAY_US) };
            return Presence::Leaves;
        }
        Presence::Here
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_hears_its_hub_no_more_leaves_once_and_comes_back() {
        let mut silence = Silence::new();
        assert_eq!(silence.poll(10 * SILENCE_MAX_US), Presence::Here, "no hub has spoken");
        silence.note_heard(1_000);
        assert_eq!(silence.poll(SILENCE_MAX_US), Presence::Here);
        let left_us = 1_000 + SILENCE_MAX_US;
        assert_eq!(silence.poll(left_us), Presence::Leaves);
        assert_eq!(silence.poll(left_us + AWAY_US - 1), Presence::Away);
        assert_eq!(silence.poll(left_us + AWAY_US), Presence::Returns);
        assert_eq!(
            silence.poll(left_us + 100 * SILENCE_MAX_US),
            Presence::Here,
            "its hub has stopped"
        );
        silence.note_heard(left_us + 100 * SILENCE_MAX_US);
        assert_eq!(silence.poll(left_us + 101 * SILENCE_MAX_US), Presence::Leaves);
    }
}
