//! A hand at one player's side of the clock, as one sensor or two see it.
//!
//! A clock with two sensors a player tells from where a hand came: from the board, or from
//! elsewhere. A hand is near as long as any of the sensors sees it.

use readings::HandFrom;

/// The sides of the clock on which a hand was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SeenFrom {
    pub(crate) board: bool,
    pub(crate) away: bool,
}

/// View of the sensors at one player's side of the clock.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HandAtClock {
    /// Time since which a hand has been near without a break, microseconds; none if none is.
    pub(crate) since_us: Option<u64>,
    /// Place where it was seen since then. None if the clock has never reported one.
    pub(crate) seen_from: Option<SeenFrom>,
    /// Sensors that see it: the only one, the one on the board's side, the one away from it.
    near: [bool; 3],
}

impl HandAtClock {
    /// Takes a reading of one of the sensors.
    pub(crate) fn read(&mut self, t_us: u64, near: bool, from: Option<HandFrom>) {
        let sensor = match from {
            None => 0,
            Some(HandFrom::Board) => 1,
            Some(HandFrom::Away) => 2,
        };
        self.near[sensor] = near;
        if from.is_some() && self.seen_from.is_none() {
            self.seen_from = Some(SeenFrom::default());
        }
        let is_near = self.near.contains(&true);
        let Some(seen_from) = &mut self.seen_from else {
            self.since_us = is_near.then(|| self.since_us.unwrap_or(t_us));
            return;
        };
        if self.since_us.is_none() || !is_near {
            *seen_from = SeenFrom::default();
        }
        self.since_us = is_near.then(|| self.since_us.unwrap_or(t_us));
        seen_from.board |= self.near[1];
        seen_from.away |= self.near[2];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hand_is_near_from_the_first_sensor_that_sees_it_to_the_last() {
        let mut hand = HandAtClock::default();
        hand.read(10, true, Some(HandFrom::Board));
        hand.read(20, true, Some(HandFrom::Away));
        hand.read(30, false, Some(HandFrom::Board));
        assert_eq!(hand.since_us, Some(10));
        assert_eq!(hand.seen_from, Some(SeenFrom { board: true, away: true }));
        hand.read(40, false, Some(HandFrom::Away));
        assert_eq!((hand.since_us, hand.seen_from), (None, Some(SeenFrom::default())));
        hand.read(50, true, Some(HandFrom::Away));
        assert_eq!(hand.seen_from, Some(SeenFrom { board: false, away: true }));
    }

    #[test]
    fn clock_with_one_sensor_never_tells_from_where() {
        let mut hand = HandAtClock::default();
        hand.read(10, true, None);
        assert_eq!((hand.since_us, hand.seen_from), (Some(10), None));
    }
}
