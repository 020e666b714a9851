//! Events at a clock besides presses: hands that come, stay and leave, and a clock that falls.

use rand::RngExt;
use readings::HandFrom;
use rules::Color;

use crate::{
    chance::{Topic, between_ms},
    profile::Behaviour,
    script::{ClockAct, ClockTouch},
    technique::Technique,
};

/// A hand that stays at the clock for less than this after its press, microseconds, has only been slow to
/// leave; one that stays longer hovers, whatever its owner had in mind.
const HOVER_US: u64 = 2_000_000;

/// Probabilities that a hand is seen on the board's side of the clock, and on the side away from it: the hand that moved, which passes
/// the board's side and may reach over the clock, and the other one, which may cross the board's side.
const SEEN: [(f64, f64); 2] = [(0.98, 0.12), (0.08, 0.96)];
/// Probability that a sleeve, or the opponent's arm, is seen on a side at a press as well.
const SLEEVE: f64 = 0.02;

/// Origin of the other hand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OtherHand {
    /// The hand waits beside the clock.
    Waits,
    /// The hand comes from the lap once the piece has landed.
    FromLap,
}

/// A hand near the clock.
#[derive(Clone, Copy, Debug)]
struct Stay {
    color: Color,
    from_us: u64,
    pressed_us: u64,
    /// None while it hovers.
    until_us: Option<u64>,
    /// Times from which it is seen on the board's side of the clock, and away from it, if it is.
    sides_us: [Option<u64>; 2],
}

/// Hands near a clock, and its falls.
#[derive(Clone, Debug, Default)]
pub(super) struct BesideClock {
    stays: Vec<Stay>,
    /// Lying or rocked, from when until when.
    tilts: Vec<(u64, u64)>,
}

impl BesideClock {
    /// A hand presses, and leaves or stays. An other hand than the one that moved may have been waiting since the piece was touched.
    pub(super) fn press(
        &mut self,
        technique: &Technique<'_>,
        press_us: u64,
        touch_us: u64,
        other_hand: Option<OtherHand>,
    ) {
        let mut rng = technique.topic(Topic::Clock);
        let from_us = press_us.saturating_sub(between_ms(&mut rng, 60, 160));
        let until_us = press_us + between_ms(&mut rng, 80, 300);
        let hovers = technique.happens(Behaviour::ClockHover);
        let waits = other_hand == Some(OtherHand::Waits);
        let from_us = if waits { from_us.min(touch_us) } else { from_us };
        let (board, away) = SEEN[usize::from(other_hand.is_some())];
        let sides_us = [board, away].map(|seen| {
            // A hand that is seen on a side only because it reaches over is seen later.
            let late_us = if seen < 0.5 { between_ms(&mut rng, 20, 60) } else { 0 };
            let is_seen = rng.random_bool(seen) || rng.random_bool(SLEEVE);
            is_seen.then_some((from_us + late_us).min(press_us))
        });
        self.stays.push(Stay {
            color: technique.color,
            from_us,
            pressed_us: press_us,
            until_us: (!hovers).then_some(until_us),
            sides_us,
        });
    }

    /// A player's hand sets out for the board: it has left the clock by then.
    pub(super) fn hand_leaves(&mut self, color: Color, t_us: u64) {
        for stay in self.stays.iter_mut().filter(|stay| stay.color == color) {
            stay.until_us.get_or_insert(t_us.max(stay.pressed_us + 1));
        }
    }

    /// The clock is knocked over with a press; when it tilts.
    pub(super) fn fall(&mut self, technique: &Technique<'_>, press_us: u64) -> u64 {
        let mut rng = technique.form(Behaviour::ClockKnockedOver);
        let from_us = press_us + between_ms(&mut rng, 1, 60);
        self.tilts.push((from_us, from_us + between_ms(&mut rng, 600, 5_000)));
        from_us
    }

    /// The clock is rocked by a press, and stands.
    pub(super) fn rock(&mut self, technique: &Technique<'_>, press_us: u64) {
        let mut rng = technique.form(Behaviour::ClockRocked);
        let from_us = press_us + between_ms(&mut rng, 1, 60);
        self.tilts.push((from_us, from_us + between_ms(&mut rng, 5, 80)));
    }

    /// Player whose hand hovered over the clock, and the press before it.
    pub(super) fn hovers(&self, end_us: u64) -> Vec<(Color, u64)> {
        let hovered = |stay: &&Stay| stay.until_us.unwrap_or(end_us) >= stay.pressed_us + HOVER_US;
        self.stays.iter().filter(hovered).map(|stay| (stay.color, stay.pressed_us)).collect()
    }

    /// All acts at the clock in time order; none lasts beyond the end.
    pub(super) fn join(self, mut acts: Vec<ClockAct>, end_us: u64) -> Vec<ClockAct> {
        let spans = |spans: Vec<(u64, u64)>, on: fn(bool) -> ClockTouch| {
            merged(spans).into_iter().flat_map(move |(from_us, until_us)| {
                [(from_us, true), (until_us.min(end_us), false)]
                    .map(|(t_us, is_on)| ClockAct { t_us, touch: on(is_on) })
            })
        };
        let near = |color: Color| {
            let of_color = self.stays.iter().filter(|stay| stay.color == color);
            of_color.map(|stay| (stay.from_us, stay.until_us.unwrap_or(end_us))).collect()
        };
        acts.extend(spans(near(Color::White), |near| ClockTouch::Hand(Color::White, near)));
        acts.extend(spans(near(Color::Black), |near| ClockTouch::Hand(Color::Black, near)));
        for color in Color::ALL {
            for (side, from) in [HandFrom::Board, HandFrom::Away].into_iter().enumerate() {
                let of_color = self.stays.iter().filter(|stay| stay.color == color);
                let seen = of_color.filter_map(|stay| {
                    Some((stay.sides_us[side]?, stay.until_us.unwrap_or(end_us)))
                });
                for (from_us, until_us) in merged(seen.collect()) {
                    for (t_us, near) in [(from_us, true), (until_us.min(end_us), false)] {
                        acts.push(ClockAct {
                            t_us,
                            touch: ClockTouch::HandFrom(color, from, near),
                        });
                    }
                }
            }
        }
        acts.extend(spans(self.tilts, ClockTouch::Tilt));
        // Stable: of one instant, presses come first.
        acts.sort_by_key(|act| act.t_us);
        acts
    }
}

/// Overlapping spans as one.
fn merged(mut spans: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    spans.sort_unstable();
    let mut out: Vec<(u64, u64)> = Vec::with_capacity(spans.len());
    for (from, until) in spans {
        match out.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(until),
            _ => out.push((from, until)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stay(color: Color, from_us: u64, until_us: Option<u64>) -> Stay {
        Stay { color, from_us, pressed_us: from_us + 100, until_us, sides_us: [None; 2] }
    }

    #[test]
    fn a_hand_that_stays_until_the_next_ply_hovers_and_one_that_leaves_does_not() {
        let stays = vec![stay(Color::White, 0, Some(200)), stay(Color::Black, 1_000, None)];
        let mut beside = BesideClock { stays, tilts: Vec::new() };
        beside.hand_leaves(Color::Black, 5_000_000);
        assert_eq!(beside.hovers(9_000_000), [(Color::Black, 1_100)]);
    }

    #[test]
    fn overlapping_stays_are_one_coming_and_one_leaving() {
        let stays = vec![stay(Color::White, 0, Some(500)), stay(Color::White, 400, Some(900))];
        let acts = BesideClock { stays, tilts: vec![(50, 60)] }.join(Vec::new(), 1_000);
        let touches: Vec<_> = acts.iter().map(|act| (act.t_us, act.touch)).collect();
        assert_eq!(
            touches,
            [
                (0, ClockTouch::Hand(Color::White, true)),
                (50, ClockTouch::Tilt(true)),
                (60, ClockTouch::Tilt(false)),
                (900, ClockTouch::Hand(Color::White, false)),
            ]
        );
    }
}
