//! The end of a match: a flag that falls, both clocks stopped, and how much time everybody needed.

use readings::SensorKind;
use rules::{BoardId, Color, Seat, TimeControl};

use super::state::Staging;
use crate::{
    board_fault::BoardFault,
    chance::{Topic, between_ms},
    contact::{self, Act},
    lever_clock::{self, LeverClock},
    plan::boards_of,
    profile::Behaviour,
    script::{BoardScript, ClockAct, ClockTouch, Habit, Made, Noted, Script, When, truth},
    standing::standings,
    tray::{self, SlotEdge},
};

/// From the last clock's stop to the end of the trace.
const END_US: u64 = 1_500_000;
/// A captured piece that is neither in its tray nor on the board for longer than this after its capture is hidden.
const HIDDEN_AFTER_US: u64 = 10_000_000;
/// Time before an unrecorded flag at which the clock at the other board is stopped.
const STOPPED_BEFORE_FLAG_US: u64 = 1_000_000;

impl Staging<'_> {
    /// Ends the match: runs out the clock of a player who lost on time, and stops both clocks.
    pub(super) fn finish(
        mut self,
        time: &TimeControl,
        flagged: Option<Seat>,
        match_id: &str,
    ) -> Script {
        let played = boards_of(self.game);
        let last_us = self.tables.iter().fold(self.completed_us, |last_us, table| {
            last_us.max(table.busy_us).max(table.pressed_us)
        });
        let stops_us = BoardId::ALL.map(|board| {
            let mut rng = self.chance.topic(board, 1, Topic::Ceremony);
            between_ms(&mut rng, 900, 2_500)
        });
        let flagged = flagged.filter(|seat| self.tables[seat.board.index()].running == seat.color);
        // Nobody's flag falls before the loser's time is due to run out.
        let time = played.iter().fold(time.clone(), |time, &board| {
            let stop_us = if flagged.is_some() { 0 } else { stops_us[board.index()] };
            let acts = &self.tables[board.index()].clock;
            LeverClock::after(&time, acts, last_us + stop_us).sufficient()
        });
        let over_us = flagged.map_or(last_us, |seat| self.flag_us(seat, last_us, &time));
        for &board in played {
            self.stop_clock(board, over_us + stops_us[board.index()], last_us, &time, flagged);
        }
        let stop_us = played.iter().map(|board| stops_us[board.index()]).max().unwrap_or(0);
        let end_us = over_us + stop_us + END_US;
        self.note_hidden(end_us);
        let chance = self.chance;
        let start = &self.plan.start;
        let habits = self.shown.iter().map(|&(behaviour, index)| {
            let Made { board, t_us, .. } = self.made[index];
            Habit { behaviour, board, t_us }
        });
        let mut habits: Vec<Habit> = habits.collect();
        let trays = BoardId::ALL.map(|board| self.trays(board, end_us, &mut habits));
        let [trays_a, trays_b] = trays;
        let mishaps = self.mishaps(end_us, flagged);
        let noted_at_clocks: Vec<Noted> = played
            .iter()
            .flat_map(|&board| {
                let hovers = self.tables[board.index()].beside_clock.hovers(end_us);
                hovers.into_iter().map(move |(color, t_us)| Noted {
                    code: "clock-hover",
                    board,
                    color: Some(color),
                    when: When::At(t_us),
                })
            })
            .collect();
        self.noted.extend(noted_at_clocks);
        let mut boards = <[BoardScript; 2]>::default();
        for ((&board, trays), mishaps) in played.iter().zip([trays_a, trays_b]).zip(&mishaps) {
            let table = &mut self.tables[board.index()];
            let acts = std::mem::take(&mut table.acts);
            let clock = std::mem::take(&mut table.clock);
            let clock = std::mem::take(&mut table.beside_clock).join(clock, end_us);
            let (script, fault_us) = self.squares(board, acts, mishaps.fault());
            let display = mishaps.display();
            boards[board.index()] = BoardScript { trays, clock, display, ..script };
            if let Some(t_us) = fault_us.filter(|&t_us| t_us < end_us) {
                let (code, when) = ("sensor-fault", When::At(t_us));
                self.noted.push(Noted { code, board, color: None, when });
            }
        }
        Script {
            match_id: match_id.to_owned(),
            game: self.game,
            base_s: lever_clock::base_s(&time),
            time,
            sensors: self.sensors,
            boards,
            start: start.clone(),
            chance: chance.clone(),
            truth: truth(start, &self.made, &self.noted, self.sensors),
            end_us,
            habits,
        }
    }

    /// Changes that a board's squares read, and the time of their first wrong reading, microseconds.
    fn squares(
        &self,
        board: BoardId,
        mut acts: Vec<Act>,
        fault: Option<&BoardFault>,
    ) -> (BoardScript, Option<u64>) {
        let start = self.plan.start.position(board);
        let weak_us = fault.and_then(|fault| fault.seen_acts(&mut acts));
        let initial = start.occupied();
        let mut edges = contact::edges(initial, &acts, self.chance, board);
        let mut seen = match self.sensors.kind(board) {
            None | Some(SensorKind::Reed) => Vec::new(),
            Some(_) => standings(start, &acts),
        };
        let wrong_us = fault.and_then(|fault| {
            let square = fault.square()?;
            let is_closed = initial.contains(square);
            match self.sensors.kind(board)? {
                SensorKind::Reed => fault.seen_edges(is_closed, &mut edges),
                _ => fault.seen_standings(start.piece_at(square), &mut seen),
            }
        });
        let lost = fault.and_then(BoardFault::lost);
        let (drift, drift_us) = fault.and_then(BoardFault::drift).unzip();
        let first_us = weak_us.or(wrong_us).or(drift_us).or(lost.map(|(from_us, _)| from_us));
        let script =
            BoardScript { initial, edges, standings: seen, drift, lost, ..BoardScript::default() };
        (script, first_us)
    }

    /// Notes the captured pieces that stayed out of sight for long.
    fn note_hidden(&mut self, end_us: u64) {
        for piece in &self.passed {
            let Seat { board, color } = piece.owner;
            let hidden_us = piece.captured_us + HIDDEN_AFTER_US;
            let shown_us = piece.laid_us.or(piece.dropped_us).unwrap_or(end_us);
            if self.sensors.trays(board) && shown_us > hidden_us {
                let when = When::At(hidden_us);
                self.noted.push(Noted { code: "hidden-piece", board, color: Some(color), when });
            }
        }
    }

    /// Events in both trays of a board, until the end of the trace; none without trays.
    fn trays(&self, board: BoardId, end_us: u64, habits: &mut Vec<Habit>) -> Option<Vec<SlotEdge>> {
        if !self.sensors.trays(board) {
            return None;
        }
        let mut all = Vec::new();
        for color in [Color::White, Color::Black] {
            let owner = Seat { board, color };
            let (edges, rearranged) = tray::edges(&self.passed, owner, self.players, self.chance);
            all.extend(edges);
            habits.extend(rearranged.into_iter().map(|t_us| Habit {
                behaviour: Behaviour::Rearranged,
                board,
                t_us,
            }));
        }
        // Stable: what happens in one tray keeps its order.
        all.sort_by_key(|edge| edge.t_us);
        all.retain(|edge| edge.t_us < end_us);
        Some(all)
    }

    /// Time at which the flag of a player falls whose time runs on after `last_us`.
    fn flag_us(&self, Seat { board, color }: Seat, last_us: u64, time: &TimeControl) -> u64 {
        LeverClock::after(time, &self.tables[board.index()].clock, last_us).flag_us(last_us, color)
    }

    /// Stops a board's clock, at `t_us` if no flag falls before that.
    fn stop_clock(
        &mut self,
        board: BoardId,
        mut t_us: u64,
        last_us: u64,
        time: &TimeControl,
        flagged: Option<Seat>,
    ) {
        let color = self.tables[board.index()].running;
        let flag_us = self.flag_us(Seat { board, color }, last_us, time);
        let table = &mut self.tables[board.index()];
        if flag_us <= t_us && flagged == Some(Seat { board, color }) {
            let when = When::At(flag_us);
            self.noted.push(Noted { code: "flag-fallen", board, color: Some(color), when });
        } else if flag_us <= t_us {
            // The record does not say what went on here until the flag fell at the other board: the
            // players stop their clock before it decides anything.
            t_us = last_us.max(flag_us.saturating_sub(STOPPED_BEFORE_FLAG_US));
        }
        table.clock.push(ClockAct { t_us, touch: ClockTouch::Stop });
    }
}
