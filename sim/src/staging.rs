//! From the planned plies to a [`Script`]: who does what when, on two boards that wait for each
//! other.
//!
//! # Time and order
//!
//! A player's recorded thinking time counts from the opponent's press to the own press, and the
//! hand sets out early enough to keep it; if the way is longer than that, the hand takes its time
//! and the clock pays. Plies are completed in the recorded order over both boards, also where the
//! recorded clocks would have it otherwise; a player whose ply is not yet due thinks a little
//! longer. Two things may change the order, because they do at a table: a forgotten press makes
//! its ply known only when the opponent has moved, and a piece that was handed over before the
//! press may be dropped before the capture is complete (the drop then stands in the truth as it
//! is: made before its piece was due, hence illegal).
//!
//! # The lever
//!
//! A lever clock shows no press on the side that is already down. When a press is forgotten the
//! forgetter's time keeps running. The opponent moves, and then either nobody notices (the
//! opponent finds the own side down, and it is indeed the forgetter's turn), or the forgetter
//! notices and presses late, upon which the opponent presses too. In the first case the forgotten
//! ply counts as complete when the opponent first touches something, and the opponent's when the
//! hand reaches the lever; in the second both are dated by the presses.

use std::collections::HashMap;

use rand::RngExt;
use rules::{Bitboard, BoardId, Color, Match, Ply, Role, Seat, bpgn::BpgnGame};

use crate::{
    SimError,
    chance::{Chance, Topic, between_ms, normal},
    contact::{self, Act},
    hand::Place,
    plan::{Plan, PlannedPly},
    profile::{Behaviour, Profile},
    script::{BoardScript, ClockAct, ClockTouch, Made, Noted, Script, When, truth},
    technique::{Knock, PlyMotion, Situation, Technique},
    time_control::{self, TimeControl},
};

/// Shortest time between the opponent's press and the hand setting out.
const REACTION_US: u64 = 60_000;
/// Least time between two completions, over both boards.
const BETWEEN_COMPLETIONS_US: u64 = 20_000;
/// Least time between a piece landing and another hand touching the board.
const BETWEEN_HANDS_US: u64 = 20_000;
/// Least time between two presses of one clock.
const BETWEEN_PRESSES_US: u64 = 80_000;
/// Median thinking time where no clock was recorded, and the spread of its logarithm.
const THINK_MEDIAN_S: f64 = 1.6;
const THINK_LOG_SPREAD: f64 = 0.8;
/// How often the forgetter of a press notices it while the opponent moves.
const NOTICED_LATE: f64 = 0.4;
/// From the last clock's stop to the end of the trace.
const END_US: u64 = 1_500_000;
/// How often the clock is pressed before displaced pieces have been put back.
const PRESSED_AFTER_DISPLACING: f64 = 0.4;

/// One board while the match is staged.
struct Table {
    /// When the side to move was given the turn.
    turn_us: u64,
    /// When the last ply's pieces stood where they belong.
    placed_us: u64,
    /// Until when hands are busy on the board.
    busy_us: u64,
    /// When the last press was seen.
    pressed_us: u64,
    /// Whether the last ply ended with a press, after its pieces had settled.
    orderly: bool,
    /// Whose time runs.
    running: Color,
    lying: Bitboard,
    /// The ply whose press was forgotten, by its place in the list of plies made.
    forgotten: Option<usize>,
    acts: Vec<Act>,
    clock: Vec<ClockAct>,
}

impl Table {
    fn perform(&mut self, acts: &[Act], start_us: u64) {
        for act in acts {
            self.acts.push(act.clone().shifted(start_us));
            self.busy_us = self.busy_us.max(act.t_us + start_us);
        }
    }

    /// A press that the lever shows.
    fn press(&mut self, by: Color, t_us: u64) {
        self.clock.push(ClockAct { t_us, touch: ClockTouch::Press(by) });
        self.running = by.other();
        self.pressed_us = t_us;
    }
}

/// When a ply happens.
#[derive(Clone, Copy)]
struct Timing {
    /// The hand sets out.
    start_us: u64,
    /// The pieces stand.
    placed_us: u64,
    /// The hand is at the clock.
    at_clock_us: u64,
    /// No press may come before this moment.
    due_us: u64,
    /// Whether the other hand presses.
    other_hand: bool,
}

/// A captured piece in its new owner's hands.
struct Held {
    since_us: u64,
    /// The capture, by its place among the planned plies.
    capture: usize,
}

pub(crate) struct Staging<'a> {
    profile: Profile,
    chance: &'a Chance,
    plan: &'a Plan,
    now: Match,
    tables: [Table; 2],
    held: HashMap<(Seat, Role), Vec<Held>>,
    /// Latest completion, and the latest before the previous ply.
    completed_us: u64,
    completed_before_us: u64,
    made: Vec<Made>,
    noted: Vec<Noted>,
}

/// Stages a recorded game.
pub(crate) fn stage(
    game: &BpgnGame,
    profile: Profile,
    seed: u64,
    match_id: &str,
) -> Result<Script, SimError> {
    let control = TimeControl::of(game)?;
    let chance = Chance::new(seed, match_id, profile);
    let plan = Plan::new(game, control.base_us(), control.increment_us, profile, &chance)?;
    let mut staging = Staging::new(profile, &chance, &plan);
    for index in 0..plan.plies.len() {
        staging.play(index);
    }
    Ok(staging.finish(control, time_control::flagged(game), match_id))
}

impl<'a> Staging<'a> {
    fn new(profile: Profile, chance: &'a Chance, plan: &'a Plan) -> Staging<'a> {
        let tables = BoardId::ALL.map(|board| {
            let mut rng = chance.topic(board, 0, Topic::Ceremony);
            let start_us = between_ms(&mut rng, 1_500, 2_200);
            let press = ClockAct { t_us: start_us, touch: ClockTouch::Press(Color::Black) };
            Table {
                turn_us: start_us,
                placed_us: 0,
                busy_us: 0,
                pressed_us: start_us,
                orderly: false,
                running: Color::White,
                lying: Bitboard::EMPTY,
                forgotten: None,
                acts: Vec::new(),
                clock: vec![press],
            }
        });
        let mut noted = Vec::new();
        for board in BoardId::ALL {
            if plan.swapped[board.index()] {
                noted.extend([Color::White, Color::Black].map(|color| Noted {
                    code: "setup-wrong",
                    board,
                    color,
                    when: When::At(0),
                }));
            }
        }
        Staging {
            profile,
            chance,
            plan,
            now: plan.start.clone(),
            tables,
            held: HashMap::new(),
            completed_us: 0,
            completed_before_us: 0,
            made: Vec::new(),
            noted,
        }
    }

    fn technique(&self, ply: &PlannedPly) -> Technique<'a> {
        let (profile, chance) = (self.profile, self.chance);
        Technique { profile, chance, board: ply.board, color: ply.color, key: ply.key }
    }

    fn note(&mut self, code: &'static str, ply: &PlannedPly, when: When) {
        self.noted.push(Noted { code, board: ply.board, color: ply.color, when });
    }

    fn play(&mut self, index: usize) {
        let plan = self.plan;
        let ply = &plan.plies[index];
        let technique = self.technique(ply);
        let before = self.now.position(ply.board).clone();
        let played = self.now.play(ply.board, ply.ply);
        let situation = Situation {
            before: &before,
            ply: ply.ply,
            victim: played.captured.map(|captured| captured.square),
            rook: played.castling_rook,
            promotes: played.promoted,
            lying: self.tables[ply.board.index()].lying,
        };
        let motion = technique.make(&situation);
        let timing = self.time(index, &technique, &motion);
        self.tables[ply.board.index()].perform(&motion.hand.acts, timing.start_us);
        self.adjust_waiting(&technique, &situation);
        self.note_ply(index, &motion, timing);
        self.settle_forgotten(&technique, &motion, timing);
        let knock = Some(()).filter(|()| technique.happens(Behaviour::KnockOver));
        let completed_us = match knock.and_then(|()| technique.knock_over(&situation)) {
            Some(knock) => {
                self.end_with_accident(index, &technique, &situation, &motion, timing, &knock)
            }
            None => self.end(index, &technique, &motion, timing),
        };
        self.made.push(Made {
            board: ply.board,
            color: ply.color,
            ply: ply.ply,
            t_us: completed_us,
        });
        self.completed_before_us = self.completed_us;
        self.completed_us = self.completed_us.max(completed_us);
        self.track_lying(ply.board, &situation, motion.lies);
        if let Some(role) = played.captured.and_then(|captured| captured.role_to_reserve) {
            let since_us = match motion.passed_us {
                Some(passed_us) => timing.start_us + passed_us,
                None => completed_us + technique.hand(Place::CLOCK).hand_over(ply.color),
            };
            let held = Held { since_us, capture: index };
            self.held.entry((ply.seat().partner(), role)).or_default().push(held);
        }
    }

    /// Decides when the hand sets out.
    fn time(&mut self, index: usize, technique: &Technique<'_>, motion: &PlyMotion) -> Timing {
        let ply = &self.plan.plies[index];
        let (held_us, early) = self.take_from_partner(index);
        let floor_us = if early { self.completed_before_us } else { self.completed_us };
        let table = &self.tables[ply.board.index()];
        let due_us = (floor_us + BETWEEN_COMPLETIONS_US).max(table.pressed_us + BETWEEN_PRESSES_US);
        let other_hand = technique.happens(Behaviour::OtherHand) && !motion.castles;
        let way_us = self.way_to_clock(technique, motion, other_hand);
        let touch_us = motion.hand.first_touch_us.unwrap_or(0);

        let mut earliest_us = table.turn_us + REACTION_US;
        if table.forgotten.is_some() {
            // The opponent looks at the clock, at the board, and then moves.
            let mut rng = technique.form(Behaviour::MissedPress);
            earliest_us = table.turn_us + between_ms(&mut rng, 300, 1_500);
        }
        let think_us = ply.think_us.unwrap_or_else(|| self.think(ply));
        let ends_us = (table.turn_us + think_us).max(due_us);
        let mut start_us = earliest_us.max(ends_us.saturating_sub(way_us));
        if let Some(touch_at_us) = self.overlap(table, technique) {
            start_us = touch_at_us.saturating_sub(touch_us);
        }
        start_us = start_us.max((table.busy_us + BETWEEN_HANDS_US).saturating_sub(touch_us));
        if let (Some(held_us), Some(reserve_us)) = (held_us, motion.reserve_us) {
            start_us = start_us.max(held_us.saturating_sub(reserve_us));
        }
        Timing {
            start_us,
            placed_us: start_us + motion.placed_us,
            at_clock_us: (start_us + way_us).max(due_us),
            due_us,
            other_hand,
        }
    }

    /// From the start of a motion to the press.
    fn way_to_clock(&self, technique: &Technique<'_>, motion: &PlyMotion, other: bool) -> u64 {
        if other {
            let mut rng = technique.form(Behaviour::OtherHand);
            return motion.placed_us + between_ms(&mut rng, 40, 150);
        }
        let mut hand = motion.hand.clone();
        hand.travel(Place::CLOCK);
        hand.now_us
    }

    fn think(&self, ply: &PlannedPly) -> u64 {
        let mut rng = self.chance.topic(ply.board, ply.key, Topic::Think);
        let seconds = THINK_MEDIAN_S * libm::exp(THINK_LOG_SPREAD * normal(&mut rng));
        (seconds.clamp(0.3, 20.0) * 1e6) as u64
    }

    /// When the next player's hand touches something before the press, if it does.
    fn overlap(&self, table: &Table, technique: &Technique<'_>) -> Option<u64> {
        if !table.orderly || !technique.happens(Behaviour::Overlap) {
            return None;
        }
        let part: f64 = technique.form(Behaviour::Overlap).random_range(0.2..1.0);
        let window_us = table.pressed_us.saturating_sub(table.placed_us);
        Some(table.placed_us + (window_us as f64 * part) as u64)
    }

    /// For a drop: since when the piece is at hand, and whether it comes from the ply just before,
    /// handed over before that ply was complete.
    fn take_from_partner(&mut self, index: usize) -> (Option<u64>, bool) {
        let ply = &self.plan.plies[index];
        let Ply::Drop { role, .. } = ply.ply else { return (None, false) };
        let Some(held) = self.held.get_mut(&(ply.seat(), role)) else { return (None, false) };
        let first = (0..held.len()).min_by_key(|&nth| held[nth].since_us);
        let Some(Held { since_us, capture }) = first.map(|nth| held.swap_remove(nth)) else {
            return (None, false);
        };
        (Some(since_us), capture + 1 == index && since_us < self.completed_us)
    }

    /// The player who waits adjusts a piece.
    fn adjust_waiting(&mut self, technique: &Technique<'_>, situation: &Situation<'_>) {
        let waiting = technique.color.other();
        if technique.adjusts() == Some(waiting) {
            let mut hand = technique.hand(Place::lap(waiting));
            technique.adjust(situation, waiting, &mut hand);
            let table = &mut self.tables[technique.board.index()];
            let start_us = table.turn_us.max(table.placed_us + BETWEEN_HANDS_US);
            table.perform(&hand.acts, start_us);
        }
    }

    fn note_ply(&mut self, index: usize, motion: &PlyMotion, timing: Timing) {
        let ply = &self.plan.plies[index];
        if motion.touched {
            self.note("touch-move", ply, When::Ply(index));
        }
        if motion.passed_us.is_some() {
            self.note("early-pass", ply, When::Ply(index));
        }
        if timing.placed_us < self.tables[ply.board.index()].pressed_us {
            self.note("out-of-turn", ply, When::Ply(index));
        }
    }

    /// Dates the opponent's ply whose press was forgotten, now that this ply makes it known.
    fn settle_forgotten(&mut self, technique: &Technique<'_>, motion: &PlyMotion, timing: Timing) {
        let table = &mut self.tables[technique.board.index()];
        let Some(forgotten) = table.forgotten.take() else { return };
        let mut rng = technique.form(Behaviour::EarlyPress);
        self.made[forgotten].t_us = if rng.random_bool(NOTICED_LATE) {
            let late_us = timing.placed_us + between_ms(&mut rng, 0, 600);
            table.press(technique.color.other(), late_us);
            late_us
        } else {
            timing.start_us + motion.hand.first_touch_us.unwrap_or(0)
        };
    }

    /// Ends a ply at the clock; when it is complete.
    fn end(
        &mut self,
        index: usize,
        technique: &Technique<'_>,
        motion: &PlyMotion,
        timing: Timing,
    ) -> u64 {
        let plan = self.plan;
        let ply = &plan.plies[index];
        let may_forget = self.may_forget(index);
        let table = &mut self.tables[ply.board.index()];
        // A forgetter who noticed late has pressed in the meantime.
        let due_us = timing.due_us.max(table.pressed_us + BETWEEN_PRESSES_US);
        let mut press_us = timing.at_clock_us.max(due_us);
        table.placed_us = timing.placed_us;
        table.orderly = false;
        table.turn_us = press_us;
        if table.running != ply.color {
            return press_us;
        }
        if may_forget && technique.happens(Behaviour::MissedPress) {
            table.forgotten = Some(index);
            self.note("missed-press", ply, When::Ply(index));
            return press_us;
        }
        if technique.happens(Behaviour::EarlyPress) {
            let mut rng = technique.form(Behaviour::EarlyPress);
            let touch_us = timing.start_us + motion.hand.first_touch_us.unwrap_or(0);
            let early_us = timing.placed_us.saturating_sub(between_ms(&mut rng, 20, 250));
            press_us = early_us.max(touch_us + BETWEEN_HANDS_US).max(due_us);
        }
        table.press(ply.color, press_us);
        table.turn_us = press_us.max(timing.placed_us);
        table.orderly = press_us > timing.placed_us;
        if press_us < timing.placed_us {
            self.note("early-press", ply, When::Ply(index));
        } else if timing.other_hand {
            self.note("clock-hand", ply, When::Ply(index));
        }
        press_us
    }

    /// Whether the press of a ply may be forgotten: somebody must go on at the board, and nothing
    /// captured may be needed by the partner before the ply is known to be complete.
    fn may_forget(&self, index: usize) -> bool {
        let plies = &self.plan.plies;
        let ply = &plies[index];
        let Some(reply) = plies[index + 1..].iter().position(|next| next.board == ply.board) else {
            return false;
        };
        let between = &plies[index + 1..index + 1 + reply];
        !between.iter().any(|next| next.ply.is_drop() && next.seat() == ply.seat().partner())
    }

    /// Ends a ply in which pieces were knocked over; when it is complete.
    fn end_with_accident(
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
        let mut rng = technique.form(Behaviour::MissedPress);
        let fall_us = timing.placed_us + BETWEEN_HANDS_US;
        self.note("displaced-pieces", ply, When::At(fall_us));
        let table = &mut self.tables[ply.board.index()];
        table.perform(&knock.acts, fall_us);
        let fallen_us = table.busy_us;
        let due_us = timing.due_us.max(table.pressed_us + BETWEEN_PRESSES_US);
        let can_press = table.running == ply.color;

        let first_us = timing.at_clock_us.max(fallen_us).max(due_us);
        let pressed_first = can_press && rng.random_bool(PRESSED_AFTER_DISPLACING);
        let (mut hand, resumes_us) = if pressed_first {
            table.press(ply.color, first_us);
            let back_us = first_us + between_ms(&mut rng, 400, 1_500);
            table.press(ply.color.other(), back_us);
            self.note("press-after-displacing", ply, When::Ply(index));
            let opponent = PlannedPly { color: ply.color.other(), ..ply.clone() };
            self.note("press-without-move", &opponent, When::At(back_us));
            (technique.hand(Place::CLOCK), back_us + REACTION_US)
        } else {
            let mut hand = motion.hand.clone();
            hand.acts.clear();
            hand.now_us = 0;
            (hand, fallen_us + between_ms(&mut rng, 200, 700))
        };
        technique.put_back(situation, knock, &mut hand);
        hand.travel(Place::CLOCK);
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

    fn track_lying(&mut self, board: BoardId, situation: &Situation<'_>, lies: bool) {
        let lying = &mut self.tables[board.index()].lying;
        let gone = [situation.ply.from(), situation.victim, Some(situation.ply.to())];
        for square in gone.into_iter().flatten() {
            lying.discard(square);
        }
        if lies {
            lying.add(situation.ply.to());
        }
    }

    /// Ends the match: runs out the clock of a player who lost on time, and stops both clocks.
    fn finish(mut self, control: TimeControl, flagged: Option<Seat>, match_id: &str) -> Script {
        let last_us = self.tables.iter().fold(self.completed_us, |last_us, table| {
            last_us.max(table.busy_us).max(table.pressed_us)
        });
        let stops_us = BoardId::ALL.map(|board| {
            let mut rng = self.chance.topic(board, 1, Topic::Ceremony);
            between_ms(&mut rng, 900, 2_500)
        });
        let flagged = flagged.filter(|seat| self.tables[seat.board.index()].running == seat.color);
        // Nobody's flag falls before the loser's time is due to run out.
        let longest_us = BoardId::ALL
            .into_iter()
            .flat_map(|board| {
                let index = board.index();
                let stop_us = if flagged.is_some() { 0 } else { stops_us[index] };
                used_us(&self.tables[index].clock, last_us + stop_us)
            })
            .max()
            .unwrap_or(0);
        let base_s = control.base_s_for(longest_us);
        let base_us = u64::from(base_s) * 1_000_000;
        let over_us = flagged.map_or(last_us, |seat| {
            let used = used_us(&self.tables[seat.board.index()].clock, last_us);
            last_us + base_us.saturating_sub(used[side(seat.color)])
        });
        for (board, stop_us) in BoardId::ALL.into_iter().zip(stops_us) {
            let table = &mut self.tables[board.index()];
            let t_us = over_us + stop_us;
            let running = table.running;
            let used = used_us(&table.clock, t_us)[side(running)];
            if used >= base_us {
                let when = When::At(t_us - (used - base_us));
                self.noted.push(Noted { code: "flag-fallen", board, color: running, when });
            }
            table.clock.push(ClockAct { t_us, touch: ClockTouch::Stop });
        }
        let end_us = over_us + stops_us[0].max(stops_us[1]) + END_US;
        let chance = self.chance;
        let start = &self.plan.start;
        let board_script = |board: BoardId, table: Table| {
            let initial = start.position(board).occupied();
            let edges = contact::edges(initial, table.acts, chance, board);
            BoardScript { initial, edges, clock: table.clock }
        };
        let [a, b] = self.tables;
        let boards = [board_script(BoardId::A, a), board_script(BoardId::B, b)];
        Script {
            match_id: match_id.to_owned(),
            base_s,
            boards,
            truth: truth(start, &self.made, &self.noted),
            end_us,
        }
    }
}

/// Place of a side in a pair: White, Black.
const fn side(color: Color) -> usize {
    match color {
        Color::White => 0,
        Color::Black => 1,
    }
}

/// The time White and Black have used until a moment, microseconds.
fn used_us(clock: &[ClockAct], until_us: u64) -> [u64; 2] {
    let mut used = [0; 2];
    let mut running: Option<Color> = None;
    let mut since_us = 0;
    for act in clock.iter().copied().chain([ClockAct { t_us: until_us, touch: ClockTouch::Stop }]) {
        if let Some(color) = running {
            used[side(color)] += act.t_us.saturating_sub(since_us);
        }
        since_us = act.t_us;
        running = match act.touch {
            ClockTouch::Press(by) => Some(by.other()),
            ClockTouch::Stop => None,
        };
    }
    used
}
