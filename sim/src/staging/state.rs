//! State of a match while it is staged: both tables, pieces in hands, plies made so far.

use std::collections::HashMap;

use rand::RngExt;
use rules::{Bitboard, BoardId, Color, Game, Match, Role, Seat};

use super::beside_clock::BesideClock;
use crate::{
    chance::{Chance, Topic, between_ms},
    contact::Act,
    plan::{Plan, PlannedPly, boards_of},
    players::Players,
    profile::Behaviour,
    script::{ClockAct, ClockTouch, Made, Noted, When},
    sensors::Sensors,
    technique::Technique,
    tray::Passed,
};

/// Shortest time between the opponent's press and the hand setting out.
pub(super) const REACTION_US: u64 = 60_000;
/// Least time between a piece landing and another hand touching the board.
pub(super) const BETWEEN_HANDS_US: u64 = 20_000;
/// Least time between two presses of one clock.
pub(super) const BETWEEN_PRESSES_US: u64 = 80_000;

/// One board while the match is staged.
pub(super) struct StagedTable {
    /// Time at which the side to move got the turn.
    pub(super) turn_us: u64,
    /// Time at which the last ply's pieces had landed.
    pub(super) placed_us: u64,
    /// Time until which hands are busy on the board.
    pub(super) busy_us: u64,
    /// Time at which the last press was seen.
    pub(super) pressed_us: u64,
    /// Whether the last ply ended with a press, after its pieces had settled.
    pub(super) orderly: bool,
    /// Player whose time runs.
    pub(super) running: Color,
    pub(super) lying: Bitboard,
    /// Promoted pieces for which the pawn still stands or lies.
    pub(super) pawns: Bitboard,
    /// The ply whose press was forgotten, by its place in the list of plies made.
    pub(super) forgotten: Option<usize>,
    pub(super) acts: Vec<Act>,
    pub(super) clock: Vec<ClockAct>,
    pub(super) beside_clock: BesideClock,
}

impl StagedTable {
    pub(super) fn perform(&mut self, acts: &[Act], start_us: u64) {
        for act in acts {
            self.acts.push(act.clone().shifted(start_us));
            self.busy_us = self.busy_us.max(act.t_us + start_us);
        }
    }

    /// The press of a ply, which may slip; when the lever last moved.
    pub(super) fn press_or_slip(&mut self, technique: &Technique<'_>, press_us: u64) -> u64 {
        if !technique.happens(Behaviour::PressSlips) {
            self.press(technique.color, press_us);
            return press_us;
        }
        let mut rng = technique.form(Behaviour::PressSlips);
        if rng.random_bool(0.5) {
            let late_us = press_us + between_ms(&mut rng, 150, 900);
            self.press(technique.color, late_us);
            return late_us;
        }
        self.press(technique.color, press_us);
        let back_us = press_us + between_ms(&mut rng, 80, 180);
        self.press(technique.color.other(), back_us);
        let again_us = back_us + between_ms(&mut rng, 150, 600);
        self.press(technique.color, again_us);
        again_us
    }

    /// A press that the lever shows.
    pub(super) fn press(&mut self, by: Color, t_us: u64) {
        self.clock.push(ClockAct { t_us, touch: ClockTouch::Press(by) });
        self.running = by.other();
        self.pressed_us = t_us;
    }
}

/// A captured piece in its new owner's hands.
pub(super) struct Held {
    pub(super) since_us: u64,
    /// The capture, by its place among the planned plies.
    pub(super) capture: usize,
    /// Its place among the pieces passed.
    pub(super) passed: usize,
}

pub(crate) struct Staging<'a> {
    pub(super) players: &'a Players,
    pub(super) chance: &'a Chance,
    pub(super) plan: &'a Plan,
    pub(super) sensors: Sensors,
    pub(super) game: Game,
    pub(super) now: Match,
    pub(super) tables: [StagedTable; 2],
    pub(super) held: HashMap<(Seat, Role), Vec<Held>>,
    /// Every captured piece, in the order of the captures.
    pub(super) passed: Vec<Passed>,
    /// Latest completion, and the latest before the previous ply.
    pub(super) completed_us: u64,
    pub(super) completed_before_us: u64,
    pub(super) made: Vec<Made>,
    pub(super) noted: Vec<Noted>,
    /// Behaviours, each with the place of its ply in the list of plies made.
    pub(super) shown: Vec<(Behaviour, usize)>,
}

impl<'a> Staging<'a> {
    pub(super) fn new(
        players: &'a Players,
        chance: &'a Chance,
        plan: &'a Plan,
        sensors: Sensors,
        game: Game,
    ) -> Staging<'a> {
        let tables = BoardId::ALL.map(|board| {
            let mut rng = chance.topic(board, 0, Topic::Ceremony);
            let start_us = between_ms(&mut rng, 1_500, 2_200);
            let press = ClockAct { t_us: start_us, touch: ClockTouch::Press(Color::Black) };
            StagedTable {
                turn_us: start_us,
                placed_us: 0,
                busy_us: 0,
                pressed_us: start_us,
                orderly: false,
                running: Color::White,
                lying: Bitboard::EMPTY,
                pawns: Bitboard::EMPTY,
                forgotten: None,
                acts: Vec::new(),
                clock: vec![press],
                beside_clock: BesideClock::default(),
            }
        });
        let mut noted = Vec::new();
        for &board in boards_of(game) {
            if plan.swapped[board.index()] {
                noted.extend([Color::White, Color::Black].map(|color| Noted {
                    code: "setup-wrong",
                    board,
                    color: Some(color),
                    when: When::At(0),
                }));
            }
        }
        Staging {
            players,
            chance,
            plan,
            sensors,
            game,
            now: plan.start.clone(),
            tables,
            held: HashMap::new(),
            passed: Vec::new(),
            completed_us: 0,
            completed_before_us: 0,
            made: Vec::new(),
            noted,
            shown: Vec::new(),
        }
    }

    pub(super) fn technique(&self, ply: &PlannedPly) -> Technique<'a> {
        let (players, chance) = (self.players, self.chance);
        let (game, board, color, key) = (self.game, ply.board, ply.color, ply.key);
        Technique { players, chance, game, board, color, key }
    }

    pub(super) fn note(&mut self, code: &'static str, ply: &PlannedPly, when: When) {
        self.noted.push(Noted { code, board: ply.board, color: Some(ply.color), when });
    }
}
