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

mod beside_clock;
mod finish;
mod lever;
mod mishaps;
mod state;
mod timing;

use rules::{BoardId, Game, Role, TimeControl};

use self::{
    state::{BETWEEN_HANDS_US, Held, StagedTable, Staging},
    timing::Timing,
};
use crate::{
    RecordedGame, SimError,
    chance::{Chance, Topic, between_ms},
    place::Place,
    plan::Plan,
    players::Players,
    profile::Behaviour,
    script::{Made, Script, When},
    sensors::Sensors,
    technique::{PlyMotion, Situation, Technique},
    tray::{self, Passed},
};

/// A captured piece is kept in the captor's hand so long after the press, milliseconds: least and most, evenly.
const PASSED_LATE_MS: (u64, u64) = (1_000, 7_000);
/// Stages a recorded game. Clocks are set as `time` says, with more time in the first period if the hands need it.
pub(crate) fn stage(
    game: &RecordedGame,
    players: &Players,
    sensors: Sensors,
    seed: u64,
    match_id: &str,
    time: &TimeControl,
) -> Result<Script, SimError> {
    let sensors = sensors.for_game(game.game)?;
    let chance = Chance::new(seed, match_id, players.profile);
    let plan = Plan::new(game, players, &chance)?;
    let mut staging = Staging::new(players, &chance, &plan, sensors, game.game);
    for index in 0..plan.plies.len() {
        staging.play(index);
    }
    // A claim ended the match before the recorded flag fell.
    let flagged = game.flagged.filter(|_| !plan.is_claimed);
    Ok(staging.finish(time, flagged, match_id))
}

impl Staging<'_> {
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
            pawns: self.tables[ply.board.index()].pawns,
            stays_pawn: self.game == Game::Bughouse && technique.stays_pawn(),
        };
        let motion = technique.make(&situation);
        let mut timing = self.time(index, &technique, &motion);
        let leaves_us = timing.start_us;
        self.tables[ply.board.index()].beside_clock.hand_leaves(ply.color, leaves_us);
        if ply.slip {
            self.shown.push((Behaviour::IllegalPly, index));
        }
        if timing.touch_us < self.tables[ply.board.index()].pressed_us {
            self.shown.push((Behaviour::Overlap, index));
        }
        self.tables[ply.board.index()].perform(&motion.hand.acts, timing.start_us);
        self.adjust_waiting(index, &technique, &situation);
        self.note_ply(index, &motion, timing);
        timing.due_us = self.settle_forgotten(&technique, timing);
        let captured = played.captured.and_then(|captured| captured.role_to_reserve);
        let knock = Some(()).filter(|()| technique.happens(Behaviour::KnockOver));
        let completed_us = match knock.and_then(|()| technique.knock_over(&situation)) {
            Some(knock) => {
                self.end_with_accident(index, &technique, &situation, &motion, timing, &knock)
            }
            None => self.end(index, &technique, timing, captured),
        };
        if motion.corrects {
            self.correct_promotion(index, &technique, &situation, completed_us);
        }
        let passed_us = motion.passed_us.map(|passed_us| timing.start_us + passed_us);
        // A king is handed to nobody.
        if captured.is_some() && passed_us.is_some_and(|passed_us| passed_us < completed_us) {
            self.note("early-pass", ply, When::Ply(index));
        }
        self.made.push(Made {
            board: ply.board,
            color: ply.color,
            ply: ply.ply,
            t_us: completed_us,
        });
        self.completed_before_us = self.completed_us;
        self.completed_us = self.completed_us.max(completed_us);
        self.track_lying(ply.board, &situation, motion.lies);
        if let Some(role) = captured {
            let since_us = match motion.passed_us {
                Some(passed_us) => timing.start_us + passed_us,
                None => self.passes_us(index, &technique, completed_us),
            };
            self.pass(index, role, completed_us, since_us);
        }
    }

    /// Time at which a piece that was not handed over before the press is handed over.
    fn passes_us(&mut self, index: usize, technique: &Technique<'_>, completed_us: u64) -> u64 {
        let clock = self.players.hands.clock;
        let mut hand = technique.hand(clock, Topic::TravelToPass);
        let at_once_us = completed_us + hand.hand_over(technique.color);
        let owner = self.plan.plies[index].seat().partner();
        if self.players.rate(Behaviour::PassedLate) == 0.0 {
            return at_once_us;
        }
        // Pieces that are still in the captor's hand go to the partner together with this one.
        let kept = self.passed.iter().rfind(|piece| piece.owner == owner);
        let with_kept_us = kept.map_or(0, |kept| kept.since_us);
        if !technique.happens(Behaviour::PassedLate) {
            return at_once_us.max(with_kept_us);
        }
        self.shown.push((Behaviour::PassedLate, index));
        let mut rng = technique.form(Behaviour::PassedLate);
        let late_us = between_ms(&mut rng, PASSED_LATE_MS.0, PASSED_LATE_MS.1);
        (at_once_us + late_us).max(with_kept_us)
    }

    /// A captured piece comes into the partner's hands.
    fn pass(&mut self, index: usize, role: Role, captured_us: u64, since_us: u64) {
        let ply = &self.plan.plies[index];
        let owner = ply.seat().partner();
        let trays = self.sensors.trays(owner.board);
        let laid_us = Some(())
            .filter(|()| trays)
            .and_then(|()| tray::laid_us(self.players, self.chance, owner, ply.key, since_us));
        if trays && laid_us.is_none() {
            self.shown.push((Behaviour::HeldBack, index));
        }
        let piece = Passed {
            owner,
            captured_us,
            since_us,
            laid_us,
            taken_us: None,
            dropped_us: None,
            key: ply.key,
        };
        let held = Held {
            since_us: piece.at_hand_us().unwrap_or(since_us),
            capture: index,
            passed: self.passed.len(),
        };
        self.passed.push(piece);
        self.held.entry((owner, role)).or_default().push(held);
    }

    /// The player who waits adjusts a piece.
    fn adjust_waiting(
        &mut self,
        index: usize,
        technique: &Technique<'_>,
        situation: &Situation<'_>,
    ) {
        let waiting = technique.color.other();
        if technique.adjusts() == Some(waiting) {
            let mut hand = technique.hand(Place::lap(waiting), Topic::TravelToAdjust);
            technique.adjust(situation, waiting, &mut hand);
            let table = &mut self.tables[technique.board.index()];
            let start_us = table.turn_us.max(table.placed_us + BETWEEN_HANDS_US);
            table.perform(&hand.acts, start_us);
            self.shown.extend(hand.shows.iter().map(|&behaviour| (behaviour, index)));
        }
    }

    /// The player who pressed with a promoted pawn on the board exchanges it, in the opponent's time.
    fn correct_promotion(
        &mut self,
        index: usize,
        technique: &Technique<'_>,
        situation: &Situation<'_>,
        pressed_us: u64,
    ) {
        let mut hand = technique.hand(self.players.hands.clock, Topic::TravelToPutBack);
        technique.exchange_late(situation, &mut hand);
        let table = &mut self.tables[technique.board.index()];
        let start_us = pressed_us.max(table.placed_us).max(table.busy_us);
        table.perform(&hand.acts, start_us);
        // Nobody moves before the piece stands.
        table.orderly = false;
        self.shown.push((Behaviour::PromotedLate, index));
    }

    fn note_ply(&mut self, index: usize, motion: &PlyMotion, timing: Timing) {
        let ply = &self.plan.plies[index];
        if motion.hand.shows.contains(&Behaviour::TouchMove) {
            self.note("touch-move", ply, When::Ply(index));
        }
        if timing.placed_us < self.tables[ply.board.index()].pressed_us {
            self.note("out-of-turn", ply, When::Ply(index));
        }
        let shows = motion.hand.shows.iter();
        self.shown.extend(shows.map(|&behaviour| (behaviour, index)));
    }

    fn track_lying(&mut self, board: BoardId, situation: &Situation<'_>, lies: bool) {
        let StagedTable { lying, pawns, .. } = &mut self.tables[board.index()];
        let was_pawn = situation.ply.from().is_some_and(|from| pawns.contains(from));
        let gone = [situation.ply.from(), situation.victim, Some(situation.ply.to())];
        for square in gone.into_iter().flatten() {
            lying.discard(square);
            pawns.discard(square);
        }
        if lies {
            lying.add(situation.ply.to());
        }
        if was_pawn || situation.promotes && (lies || situation.stays_pawn) {
            pawns.add(situation.ply.to());
        }
    }
}
