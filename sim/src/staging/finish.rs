//! The end of a match: a flag that falls, both clocks stopped, and how much time everybody needed.

use inference::record::SensorKind;
use rules::{BoardId, Color, Seat};

use super::{Staging, Table};
use crate::{
    chance::{Topic, between_ms},
    contact,
    profile::Behaviour,
    script::{BoardScript, ClockAct, ClockTouch, Display, Habit, Made, Noted, Script, When, truth},
    standing::standings,
    time_control::TimeControl,
    tray::{self, SlotEdge},
};

/// From the last clock's stop to the end of the trace.
const END_US: u64 = 1_500_000;
/// A captured piece that is neither in its tray nor on the board for longer than this is hidden.
const HIDDEN_AFTER_US: u64 = 5_000_000;
/// How long before an unrecorded flag the clock at the other board is stopped.
const STOPPED_BEFORE_FLAG_US: u64 = 1_000_000;

impl Staging<'_> {
    /// Ends the match: runs out the clock of a player who lost on time, and stops both clocks.
    pub(super) fn finish(
        mut self,
        control: TimeControl,
        flagged: Option<Seat>,
        match_id: &str,
        least_base_s: u32,
    ) -> Script {
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
        let base_s = control.base_s_for(longest_us).max(least_base_s);
        let base_us = u64::from(base_s) * 1_000_000;
        let over_us = flagged.map_or(last_us, |seat| {
            let used = used_us(&self.tables[seat.board.index()].clock, last_us);
            last_us + base_us.saturating_sub(used[side(seat.color)])
        });
        for (board, stop_us) in BoardId::ALL.into_iter().zip(stops_us) {
            self.stop_clock(board, over_us + stop_us, last_us, base_us, flagged);
        }
        let end_us = over_us + stops_us[0].max(stops_us[1]) + END_US;
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
        let noted_at_clocks: Vec<Noted> = BoardId::ALL
            .into_iter()
            .flat_map(|board| {
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
        let sensors = self.sensors;
        let board_script = |board: BoardId, table: Table, trays| {
            let initial = start.position(board).occupied();
            let edges = contact::edges(initial, &table.acts, chance, board);
            let standings = match sensors.board(board).kind {
                SensorKind::Reed => Vec::new(),
                _ => standings(start.position(board), &table.acts),
            };
            let clock = table.beside_clock.join(table.clock, end_us);
            let mishap = mishaps[board.index()].clone();
            mishap.befall(BoardScript {
                initial,
                edges,
                standings,
                trays,
                clock,
                display: Display::default(),
                lost: None,
            })
        };
        let [a, b] = self.tables;
        let boards = [board_script(BoardId::A, a, trays_a), board_script(BoardId::B, b, trays_b)];
        Script {
            match_id: match_id.to_owned(),
            base_s,
            sensors: self.sensors,
            boards,
            start: start.clone(),
            chance: chance.clone(),
            truth: truth(start, &self.made, &self.noted),
            end_us,
            habits,
        }
    }

    /// Notes the captured pieces that stayed out of sight for long.
    fn note_hidden(&mut self, end_us: u64) {
        for piece in &self.passed {
            let Seat { board, color } = piece.owner;
            let hidden_us = piece.since_us + HIDDEN_AFTER_US;
            let shown_us = piece.laid_us.or(piece.taken_us).unwrap_or(end_us);
            if self.sensors.board(board).trays && shown_us > hidden_us {
                let when = When::At(hidden_us);
                self.noted.push(Noted { code: "hidden-piece", board, color: Some(color), when });
            }
        }
    }

    /// What happens in both trays of a board, until the end of the trace; none without trays.
    fn trays(&self, board: BoardId, end_us: u64, habits: &mut Vec<Habit>) -> Option<Vec<SlotEdge>> {
        if !self.sensors.board(board).trays {
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

    /// Stops a board's clock, at `t_us` if no flag falls before that.
    fn stop_clock(
        &mut self,
        board: BoardId,
        mut t_us: u64,
        last_us: u64,
        base_us: u64,
        flagged: Option<Seat>,
    ) {
        let table = &mut self.tables[board.index()];
        let color = table.running;
        let used = used_us(&table.clock, last_us)[side(color)];
        let flag_us = last_us + base_us.saturating_sub(used);
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
            ClockTouch::Tilt(_) | ClockTouch::Hand(..) => running,
        };
    }
    used
}
