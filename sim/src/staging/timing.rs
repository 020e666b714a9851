//! Start of a ply's hand: thinking, the order of completions, pieces that must first arrive.

use rand::RngExt;
use rules::Ply;

use super::beside_clock::OtherHand;
use super::state::{BETWEEN_HANDS_US, BETWEEN_PRESSES_US, Held, REACTION_US, StagedTable, Staging};
use crate::{
    Think,
    chance::{Topic, between_ms, normal},
    plan::PlannedPly,
    profile::Behaviour,
    technique::{PlyMotion, Technique},
};

/// Least time between two completions, over both boards.
const BETWEEN_COMPLETIONS_US: u64 = 20_000;
/// Median thinking time where no clock was recorded, and the spread of its logarithm.
const THINK_MEDIAN_S: f64 = 1.6;
const THINK_LOG_SPREAD: f64 = 0.8;
/// A piece is taken out of its slot so long before the hand that drops it sets out, milliseconds: least and most, evenly.
const TAKEN_EARLY_MS: (u64, u64) = (500, 4_000);

/// Times of a ply.
#[derive(Clone, Copy)]
pub(super) struct Timing {
    /// The hand sets out.
    pub(super) start_us: u64,
    /// Time of its first touch.
    pub(super) touch_us: u64,
    /// The pieces stand.
    pub(super) placed_us: u64,
    /// The hand is at the clock.
    pub(super) at_clock_us: u64,
    /// No press may come before this moment.
    pub(super) due_us: u64,
    /// The other hand, if it presses.
    pub(super) other_hand: Option<OtherHand>,
}

impl Staging<'_> {
    /// Decides when the hand sets out.
    pub(super) fn time(
        &mut self,
        index: usize,
        technique: &Technique<'_>,
        motion: &PlyMotion,
    ) -> Timing {
        let ply = &self.plan.plies[index];
        let (held, early) = self.take_from_partner(index);
        let held_us = held.as_ref().map(|held| held.since_us);
        let floor_us = if early { self.completed_before_us } else { self.completed_us };
        let table = &self.tables[ply.board.index()];
        let due_us = (floor_us + BETWEEN_COMPLETIONS_US).max(table.pressed_us + BETWEEN_PRESSES_US);
        let other_hand = (technique.happens(Behaviour::OtherHand) && !motion.castles).then(|| {
            let from_lap = technique.happens(Behaviour::OtherHandFromLap);
            if from_lap { OtherHand::FromLap } else { OtherHand::Waits }
        });
        let way_us = self.way_to_clock(technique, motion, other_hand);
        let touch_us = motion.hand.first_touch_us.unwrap_or(0);

        let mut earliest_us = table.turn_us + REACTION_US;
        if table.forgotten.is_some() {
            // The opponent looks at the clock, at the board, and then moves.
            let mut rng = technique.form(Behaviour::MissedPress);
            earliest_us = table.turn_us + between_ms(&mut rng, 300, 1_500);
        }
        let think_us = self.think(ply);
        let ends_us = (table.turn_us + think_us).max(due_us);
        let mut start_us = earliest_us.max(ends_us.saturating_sub(way_us));
        if let Some(touch_at_us) = self.overlap(table, technique) {
            start_us = touch_at_us.saturating_sub(touch_us);
        }
        start_us = start_us.max((table.busy_us + BETWEEN_HANDS_US).saturating_sub(touch_us));
        if let (Some(held_us), Some(reserve_us)) = (held_us, motion.reserve_us) {
            start_us = start_us.max(held_us.saturating_sub(reserve_us));
        }
        if let (Some(held), Some(reserve_us)) = (held, motion.reserve_us) {
            let taken_us = start_us + reserve_us;
            let early_us = technique.happens(Behaviour::TakenEarly).then(|| {
                let mut rng = technique.form(Behaviour::TakenEarly);
                between_ms(&mut rng, TAKEN_EARLY_MS.0, TAKEN_EARLY_MS.1)
            });
            let piece = &mut self.passed[held.passed];
            let at_hand_us = piece.at_hand_us().unwrap_or(piece.since_us).min(taken_us);
            let early_us = taken_us.saturating_sub(early_us.unwrap_or(0));
            piece.taken_us = Some(early_us.max(at_hand_us));
            piece.dropped_us = Some(start_us + motion.placed_us);
        }
        Timing {
            start_us,
            touch_us: start_us + touch_us,
            placed_us: start_us + motion.placed_us,
            at_clock_us: (start_us + way_us).max(due_us),
            due_us,
            other_hand,
        }
    }

    /// From the start of a motion to the press: on the way with the hand that moved, with the other
    /// hand, or before the piece has settled.
    fn way_to_clock(
        &self,
        technique: &Technique<'_>,
        motion: &PlyMotion,
        other: Option<OtherHand>,
    ) -> u64 {
        if technique.happens(Behaviour::EarlyPress) {
            let mut rng = technique.form(Behaviour::EarlyPress);
            let touch_us = motion.hand.first_touch_us.unwrap_or(0);
            let early_us =
                motion.placed_us.saturating_sub(self.players.hands.early_press.draw(&mut rng));
            return early_us.max(touch_us + BETWEEN_HANDS_US);
        }
        if other == Some(OtherHand::Waits) {
            let mut rng = technique.form(Behaviour::OtherHand);
            return motion.placed_us + self.players.hands.other_hand.draw(&mut rng);
        }
        let mut hand = motion.hand.clone();
        hand.travel_to_clock();
        hand.now_us
    }

    fn think(&self, ply: &PlannedPly) -> u64 {
        match ply.think {
            Think::Took(us) => us,
            Think::AtMost(us) => self.guess_thinking(ply).min(us),
            Think::Unknown => self.guess_thinking(ply),
        }
    }

    fn guess_thinking(&self, ply: &PlannedPly) -> u64 {
        let mut rng = self.chance.topic(ply.board, ply.key, Topic::Think);
        let seconds = THINK_MEDIAN_S * libm::exp(THINK_LOG_SPREAD * normal(&mut rng));
        (seconds.clamp(0.3, 20.0) * 1e6) as u64
    }

    /// Time at which the next player's hand touches a piece before the press, if it does.
    fn overlap(&self, table: &StagedTable, technique: &Technique<'_>) -> Option<u64> {
        if !table.orderly || !technique.happens(Behaviour::Overlap) {
            return None;
        }
        let part: f64 = technique.form(Behaviour::Overlap).random_range(0.2..1.0);
        let window_us = table.pressed_us.saturating_sub(table.placed_us);
        Some(table.placed_us + (window_us as f64 * part) as u64)
    }

    /// For a drop: since when the piece is at hand, and whether it comes from the ply just before,
    /// handed over before that ply was complete.
    fn take_from_partner(&mut self, index: usize) -> (Option<Held>, bool) {
        let ply = &self.plan.plies[index];
        let Ply::Drop { role, .. } = ply.ply else { return (None, false) };
        let Some(held) = self.held.get_mut(&(ply.seat(), role)) else { return (None, false) };
        let first = (0..held.len()).min_by_key(|&nth| held[nth].since_us);
        let Some(held) = first.map(|nth| held.swap_remove(nth)) else { return (None, false) };
        let early = held.capture + 1 == index && held.since_us < self.completed_us;
        (Some(held), early)
    }
}
