//! Doubts about a node's sensors, in words: the squares, slots or levers that a person should check before the next round.

use rules::Square;

use crate::drivers::{SensorHealth, SensorSet};

/// The channels of a clock's health report.
const CLOCK: [&str; 9] = [
    "White's press",
    "Black's press",
    "tilt",
    "White's hand sensor",
    "Black's hand sensor",
    "the mode key",
    "the minus key",
    "the plus key",
    "the pause key",
];

/// Sensors that are doubtful, as a node reports them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Doubts {
    /// Channels that change faster than a hand: squares, or those of a clock.
    pub(super) flickering: u64,
    /// Channels that do not change although all around them do.
    pub(super) stuck: SensorSet,
    /// Channels that work barely, or did once since the node started: an unsteady contact is reported once.
    pub(super) weak: SensorSet,
}

impl Doubts {
    /// Adds a board's present report.
    pub(super) fn with(self, health: &SensorHealth) -> Doubts {
        let [white, black] = health.weak.trays;
        let weak = SensorSet {
            squares: self.weak.squares | health.weak.squares,
            trays: [self.weak.trays[0] | white, self.weak.trays[1] | black],
        };
        Doubts { stuck: health.stuck, weak, ..self }
    }

    /// The parts to check; none where all is well.
    pub(super) fn words(&self, is_board: bool) -> Option<String> {
        let flickering = match is_board {
            true => names(&SensorSet { squares: self.flickering, trays: [0; 2] }),
            false => clock_names(self.flickering),
        };
        let kinds = [
            ("flickering", flickering),
            ("stuck", names(&self.stuck)),
            ("weak", names(&self.weak)),
        ];
        let said: Vec<String> = kinds
            .into_iter()
            .filter(|(_, names)| !names.is_empty())
            .map(|(what, names)| format!("{what}: {}", names.join(", ")))
            .collect();
        (!said.is_empty()).then(|| format!("{}; check these switches", said.join("; ")))
    }
}

fn bits(set: u64) -> impl Iterator<Item = u32> {
    (0..64).filter(move |bit| set >> bit & 1 == 1)
}

fn names(set: &SensorSet) -> Vec<String> {
    let squares = bits(set.squares).map(|bit| Square::new(bit).to_string());
    let slots = ["White", "Black"].into_iter().zip(set.trays).flat_map(|(side, slots)| {
        bits(slots.into()).map(move |bit| format!("slot {} of {side}'s tray", bit + 1))
    });
    squares.chain(slots).collect()
}

fn clock_names(set: u64) -> Vec<String> {
    bits(set).filter_map(|bit| Some((*CLOCK.get(bit as usize)?).to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubtful_sensors_are_named_by_what_is_the_matter() {
        assert_eq!(Doubts::default().words(true), None);
        let doubts = Doubts {
            flickering: 1,
            stuck: SensorSet { squares: 1 << 63, trays: [0; 2] },
            weak: SensorSet { squares: 0, trays: [0, 1 << 2] },
        };
        assert_eq!(
            doubts.words(true).as_deref(),
            Some("flickering: a1; stuck: h8; weak: slot 3 of Black's tray; check these switches")
        );
        let well = SensorHealth {
            chattering: SensorSet::default(),
            stuck: SensorSet::default(),
            weak: SensorSet::default(),
            noise: [0; 64],
        };
        assert_eq!(doubts.with(&well).weak, doubts.weak, "it was weak");
        assert_eq!(doubts.with(&well).stuck, well.stuck, "it changed");
        let press = Doubts { flickering: 1, ..Doubts::default() };
        assert_eq!(
            press.words(false).as_deref(),
            Some("flickering: White's press; check these switches")
        );
    }
}
