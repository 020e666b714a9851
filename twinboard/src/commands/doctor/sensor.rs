//! One sensor under a person's hands: its readings since the start of watching, and its faults.
//!
//! A hand leaves a sensor alone for a fifth of a second at least; what comes and goes faster is a *blip*. One or two are a
//! piece that was dragged across; many are a sensor that chatters.

use hub::HubTime;
use readings::SquareReading;
use serde::Serialize;

/// A reading that held for less than this is a blip, in µs.
pub(super) const BLIP_US: u64 = 200_000;
/// Within this time of each other blips are counted together, in µs.
const BLIPS_WITHIN_US: u64 = 10_000_000;
/// Number of blips together that are chatter: no hand makes them.
pub(super) const CHATTER_BLIPS: usize = 6;
/// Number of blips that are a weak sensor, or a clumsy hand.
pub(super) const WEAK_BLIPS: usize = 3;

/// Fault of a sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Fault {
    /// It reads empty under a piece.
    Dead,
    /// It reads occupied without a piece.
    Stuck,
    /// It changes faster than a hand.
    Chattering,
    /// It works, but barely.
    Weak,
    /// It was not seen both occupied and empty.
    Unchecked,
}

impl Fault {
    /// Every fault, the gravest first.
    pub(super) const ALL: [Fault; 5] =
        [Fault::Dead, Fault::Stuck, Fault::Chattering, Fault::Weak, Fault::Unchecked];

    /// The word for it.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Fault::Dead => "dead",
            Fault::Stuck => "stuck",
            Fault::Chattering => "chattering",
            Fault::Weak => "weak",
            Fault::Unchecked => "unchecked",
        }
    }

    /// Observation.
    pub(super) const fn meaning(self) -> &'static str {
        match self {
            Fault::Dead => "reads empty with a piece on it",
            Fault::Stuck => "reads occupied with nothing on it",
            Fault::Chattering => "comes and goes faster than a hand",
            Fault::Weak => "works, but barely",
            Fault::Unchecked => "was not seen both occupied and empty",
        }
    }

    /// Cure.
    pub(super) const fn remedy(self) -> &'static str {
        match self {
            Fault::Dead => "another piece first (its magnet); then diode, joints, switch",
            Fault::Stuck => "look for a bridge of solder; then replace the switch",
            Fault::Chattering => "another piece first; then the joints; then replace the switch",
            Fault::Weak => "another piece first (its magnet); then the switch's place and height",
            Fault::Unchecked => "check again: a piece on it and off",
        }
    }

    /// One character that stands for it where there is no room for a word.
    pub(super) const fn mark(self) -> char {
        match self {
            Fault::Dead => 'x',
            Fault::Stuck => '#',
            Fault::Chattering => '~',
            Fault::Weak => '!',
            Fault::Unchecked => '?',
        }
    }
}

/// Whether something stands there, as far as a reading says so.
pub(super) fn is_occupied(reading: SquareReading) -> bool {
    match reading {
        SquareReading::Empty => false,
        SquareReading::Level(level) => level != 0,
        SquareReading::Occupied | SquareReading::Side(_) | SquareReading::Piece(_) => true,
    }
}

/// A sensor's readings since the start of watching.
#[derive(Clone, Debug, Default)]
pub(super) struct Sensor {
    reading: Option<SquareReading>,
    /// Time of the last change.
    since: Option<HubTime>,
    /// Number of changes.
    changes: u32,
    seen_empty: bool,
    seen_occupied: bool,
    /// The ends of the last blips, oldest first; no more than make chatter.
    blips: Vec<HubTime>,
    /// Maximum number of blips together.
    most_blips: usize,
}

impl Sensor {
    /// Takes what it reads from `at` on.
    pub(super) fn take(&mut self, at: HubTime, reading: SquareReading) {
        let before = self.reading.replace(reading).map(is_occupied);
        let occupied = is_occupied(reading);
        self.seen_occupied |= occupied;
        self.seen_empty |= !occupied;
        if before.is_none_or(|before| before == occupied) {
            return;
        }
        self.changes = self.changes.saturating_add(1);
        let held = self.since.map(|since| at.micros_since(since));
        if held.is_some_and(|held_us| held_us < BLIP_US) {
            self.blips.retain(|&blip| at.micros_since(blip) < BLIPS_WITHIN_US);
            self.blips.push(at);
            self.most_blips = self.most_blips.max(self.blips.len());
            if self.blips.len() > CHATTER_BLIPS {
                self.blips.remove(0);
            }
        }
        self.since = Some(at);
    }

    /// Forgets what was seen, and keeps what is read now: a check begins.
    pub(super) fn begin(&mut self) {
        let reading = self.reading;
        *self = Sensor::default();
        if let Some(reading) = reading {
            self.reading = Some(reading);
            self.seen_occupied = is_occupied(reading);
            self.seen_empty = !is_occupied(reading);
        }
    }

    /// Current reading; `None` before the first.
    pub(super) fn reading(&self) -> Option<SquareReading> {
        self.reading
    }

    /// Whether it reads occupied now; none before its first reading.
    pub(super) fn occupied(&self) -> Option<bool> {
        self.reading.map(is_occupied)
    }

    /// Number of changes.
    pub(super) fn changes(&self) -> u32 {
        self.changes
    }

    /// Time of the last change.
    pub(super) fn changed_at(&self) -> Option<HubTime> {
        self.since
    }

    /// Whether it was seen both ways.
    pub(super) fn seen_both(&self) -> bool {
        self.seen_empty && self.seen_occupied
    }

    /// Chatter or weakness, by its blips.
    pub(super) fn unrest(&self) -> Option<Fault> {
        match self.most_blips {
            CHATTER_BLIPS.. => Some(Fault::Chattering),
            WEAK_BLIPS.. => Some(Fault::Weak),
            _ => None,
        }
    }

    /// Fault of a sensor that was not seen both ways.
    pub(super) fn one_sided(&self, handled: bool) -> Option<Fault> {
        match (self.seen_occupied, self.seen_empty) {
            (true, true) => None,
            (false, _) if handled => Some(Fault::Dead),
            (true, false) if handled => Some(Fault::Stuck),
            _ => Some(Fault::Unchecked),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> HubTime {
        HubTime::from_micros(1_000_000_000 + ms * 1_000)
    }

    fn taken(readings: &[(u64, SquareReading)]) -> Sensor {
        let mut sensor = Sensor::default();
        for &(ms, reading) in readings {
            sensor.take(at(ms), reading);
        }
        sensor
    }

    #[test]
    fn a_piece_lifted_and_put_back_is_two_changes_and_no_unrest() {
        use SquareReading::{Empty, Occupied};
        let sensor = taken(&[(0, Occupied), (1_000, Empty), (2_000, Occupied)]);
        assert_eq!((sensor.changes(), sensor.unrest(), sensor.seen_both()), (2, None, true));
    }

    #[test]
    fn what_comes_and_goes_faster_than_a_hand_is_weak_and_then_chatters() {
        let flutter = |times: u64| {
            let readings: Vec<_> = (0..=times)
                .map(|n| {
                    let up = n % 2 == 1;
                    (n * 50, if up { SquareReading::Occupied } else { SquareReading::Empty })
                })
                .collect();
            taken(&readings).unrest()
        };
        assert_eq!(flutter(3), None, "a piece dragged across");
        assert_eq!(flutter(5), Some(Fault::Weak));
        assert_eq!(flutter(12), Some(Fault::Chattering));
    }

    #[test]
    fn blips_far_apart_are_a_clumsy_hand() {
        use SquareReading::{Empty, Occupied};
        let readings: Vec<_> = (0..20_u64)
            .flat_map(|n| {
                [(n * 11_000, Empty), (n * 11_000 + 500, Occupied), (n * 11_000 + 600, Empty)]
            })
            .collect();
        assert_eq!(taken(&readings).unrest(), None);
    }

    #[test]
    fn a_change_of_colour_is_no_change_of_occupancy() {
        let sensor = taken(&[
            (0, SquareReading::Side(rules::Color::White)),
            (10, SquareReading::Side(rules::Color::Black)),
            (20, SquareReading::Level(-40)),
        ]);
        assert_eq!((sensor.changes(), sensor.unrest()), (0, None));
    }
}
