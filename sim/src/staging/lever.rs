//! End of a ply at the clock: pressed, pressed early, forgotten, or pressed with pieces on the floor.

use rand::RngExt;
use rules::{Ply, Role};

use super::{
    state::{BETWEEN_HANDS_US, REACTION_US, Staging},
    timing::Timing,
};
use crate::{
    chance::{Topic, between_ms},
    plan::PlannedPly,
    profile::Behaviour,
    script::When,
    technique::{Knock, PlyMotion, Situation, Technique},
};

impl Staging<'_> {
    /// Dates the opponent's ply whose press was forgotten, now that this ply makes it known. The
    /// earliest moment at which this ply may then be pressed.
    pub(super) fn settle_forgotten(&mut self, technique: &Technique<'_>, timing: Timing) -> u64 {
        let table = &mut self.tables[technique.board.index()];
        let Some(forgotten) = table.forgotten.take() else { return timing.due_us };
        let mut rng = technique.topic(Topic::Forgotten);
        if rng.random_bool(self.players.hands.noticed_late) {
            let late_us = timing.placed_us + between_ms(&mut rng, 0, 600);
            table.press(technique.color.other(), late_us);
            self.made[forgotten].t_us = late_us;
            timing.due_us.max(late_us + between_ms(&mut rng, 150, 500))
        } else {
            self.made[forgotten].t_us = timing.touch_us;
            timing.due_us
        }
    }

    /// Ends a ply at the clock; when it is complete. `captured` is what the partner may drop.
    pub(super) fn end(
        &mut self,
        index: usize,
        technique: &Technique<'_>,
        timing: Timing,
        captured: Option<Role>,
    ) -> u64 {
        let plan = self.plan;
        let ply = &plan.plies[index];
        let may_forget = self.may_forget(index, captured);
        let table = &mut self.tables[ply.board.index()];
        let press_us = timing.at_clock_us.max(timing.due_us);
        table.placed_us = timing.placed_us;
        table.orderly = false;
        table.turn_us = press_us.max(timing.placed_us);
        if table.running != ply.color {
            return press_us;
        }
        if may_forget && technique.happens(Behaviour::MissedPress) {
            table.forgotten = Some(index);
            self.shown.push((Behaviour::MissedPress, index));
            self.note("missed-press", ply, When::Ply(index));
            return press_us;
        }
        let last_us = table.press_or_slip(technique, press_us);
        table.turn_us = table.turn_us.max(last_us);
        table.orderly = press_us > timing.placed_us && last_us == press_us;
        if last_us != press_us {
            self.shown.push((Behaviour::PressSlips, index));
        }
        if press_us < timing.placed_us {
            self.note("early-press", ply, When::Ply(index));
            self.shown.push((Behaviour::EarlyPress, index));
        } else if timing.other_hand.is_some() {
            self.note("clock-hand", ply, When::Ply(index));
            self.shown.push((Behaviour::OtherHand, index));
        }
        self.at_clock(index, technique, timing, press_us);
        press_us
    }

    /// Further effects of a press on the clock, and the hand's acts there.
    fn at_clock(&mut self, index: usize, technique: &Technique<'_>, timing: Timing, press_us: u64) {
        let ply = &self.plan.plies[index];
        let beside = &mut self.tables[ply.board.index()].beside_clock;
        beside.press(technique, press_us, timing.touch_us, timing.other_hand);
        let knocked = technique.happens(Behaviour::ClockKnockedOver);
        if technique.happens(Behaviour::ClockHover) {
            self.shown.push((Behaviour::ClockHover, index));
        }
        if knocked {
            let t_us = beside.fall(technique, press_us);
            self.note("clock-knocked-over", ply, When::At(t_us));
            self.shown.push((Behaviour::ClockKnockedOver, index));
        } else if technique.happens(Behaviour::ClockRocked) {
            beside.rock(technique, press_us);
            self.shown.push((Behaviour::ClockRocked, index));
        }
    }

    /// Whether the press of a ply may be forgotten: play must go on at the board, and what was
    /// captured must not be dropped by the partner before the ply is known to be complete.
    fn may_forget(&self, index: usize, captured: Option<Role>) -> bool {
        let plies = &self.plan.plies;
        let ply = &plies[index];
        let Some(reply) = plies[index + 1..].iter().position(|next| next.board == ply.board) else {
            return false;
        };
        let between = &plies[index + 1..index + 1 + reply];
        !between.iter().any(|next| {
            let dropped = match next.ply {
                Ply::Drop { role, .. } => Some(role),
                Ply::Move { .. } => None,
            };
            dropped.is_some() && dropped == captured && next.seat() == ply.seat().partner()
        })
    }

    /// Ends a ply in which pieces were knocked over; when it is complete.
    pub(super) fn end_with_accident(
        &mut self,
        index: usize,
        technique: &Technique<'_>,
        situation: &Situation<'_>,
        motion: &PlyMotion,
        timing: Timing,
        knock: &Knock,
    ) -> u64 {
        let plan = self.plan;
        let ply = &plan.plies[index];
        let mut rng = technique.topic(Topic::Accident);
        let fall_us = timing.placed_us + BETWEEN_HANDS_US;
        self.note("displaced-pieces", ply, When::At(fall_us));
        self.shown.push((Behaviour::KnockOver, index));
        let table = &mut self.tables[ply.board.index()];
        table.perform(&knock.acts, fall_us);
        let fallen_us = table.busy_us;
        let due_us = timing.due_us;
        let can_press = table.running == ply.color;

        let first_us = timing.at_clock_us.max(fallen_us).max(due_us);
        let pressed_first =
            can_press && rng.random_bool(self.players.hands.pressed_after_displacing);
        let (mut hand, resumes_us) = if pressed_first {
            table.press(ply.color, first_us);
            let back_us = first_us + self.players.hands.after_fall(&mut rng, (400, 1_500));
            table.press(ply.color.other(), back_us);
            self.note("press-after-displacing", ply, When::Ply(index));
            let opponent = PlannedPly { color: ply.color.other(), ..ply.clone() };
            self.note("press-without-move", &opponent, When::At(back_us));
            (
                technique.hand(self.players.hands.clock, Topic::TravelToPutBack),
                back_us + REACTION_US,
            )
        } else {
            let mut hand = motion.hand.clone();
            hand.acts.clear();
            hand.now_us = 0;
            (hand, fallen_us + self.players.hands.after_fall(&mut rng, (200, 700)))
        };
        technique.put_back(situation, knock, &mut hand);
        hand.travel_to_clock();
        let press_us = (resumes_us + hand.now_us).max(due_us);
        let table = &mut self.tables[ply.board.index()];
        table.perform(&hand.acts, resumes_us);
        table.placed_us = table.busy_us;
        table.turn_us = press_us;
        table.orderly = false;
        if can_press {
            table.press(ply.color, press_us);
        }
        if pressed_first {
            self.note("press-without-move", ply, When::At(press_us));
            return first_us;
        }
        press_us
    }
}
