//! The effects of changed squares, presses and displays on a match.

use rules::{BoardId, Color};

use super::Tracker;
use crate::sensing::{
    board_input::{MAX_TRIES, Pending, Phase},
    clock::DisplayReading,
};

/// Time after a press within which a display shows the times at the press, microseconds. Assumed: set by hand.
const DISPLAY_US: u64 = 500_000;
/// The press that a display belongs to is among so many newest layers of both boards. Bound: on
/// work; nobody presses more often within [`DISPLAY_US`].
const DISPLAY_LAYERS: usize = 4;

/// A press within this time of a known press of the same player is the same press, microseconds: the lever
/// and the display both show it. Assumed: set by hand.
const SAME_PRESS_US: u64 = 300_000;

impl Tracker {
    /// Applies the delays and increments that directors have changed by now.
    pub(super) fn change_delays(&mut self) {
        while let Some(fact) = self.per_moves.pop_front_if(|fact| fact.t_us <= self.now_us) {
            let at = fact.board.index();
            self.inputs[at].clock.per_move = Some(fact.per_move);
            self.clock_monitors[at].may_give(fact.per_move);
        }
    }

    pub(super) fn squares_changed(&mut self, board: BoardId, filled: bool) {
        let input = &mut self.inputs[board.index()];
        input.note_set_up();
        // A square that flickers tells nothing new after its first fill.
        if let Some(pending) = input.pending
            && filled
            && pending.tries < MAX_TRIES
            && !input.segment.repeats_last_fill(pending.count)
        {
            let tried = Pending { tries: pending.tries + 1, ..pending };
            input.pending = Some(tried);
            self.try_close(board, tried);
        }
    }

    pub(super) fn pressed(&mut self, board: BoardId, by: Color) {
        let now_us = self.now_us;
        let input = &mut self.inputs[board.index()];
        // The lever and the display both show a press.
        let is_known = |(known, at)| known == by && now_us.saturating_sub(at) <= SAME_PRESS_US;
        if input.last_press.is_some_and(is_known) {
            return;
        }
        self.stand_before_play(board);
        let input = &mut self.inputs[board.index()];
        input.last_press = Some((by, now_us));
        self.clock_monitors[board.index()].press(now_us, by);
        if input.phase == Phase::BeforeStart && by == Color::Black {
            input.start();
            input.clock.press(now_us, by);
            input.begin_turn(now_us);
            self.start_monitors(board);
            return;
        }
        if input.phase == Phase::BeforeStart {
            input.start_unnoticed();
            self.start_monitors(board);
        }
        self.inputs[board.index()].phase = Phase::Playing;
        self.explain_pending(board);
        let input = &mut self.inputs[board.index()];
        input.begin_turn(now_us);
        let count = input.segment.events.len();
        let pending = Pending { presser: by, t_us: now_us, count, tries: 0 };
        input.pending = Some(pending);
        if self.is_calm(board) {
            self.try_close(board, pending);
        }
        self.inputs[board.index()].clock.press(now_us, by);
    }

    /// Tells the monitors of a board that play has begun there.
    fn start_monitors(&mut self, board: BoardId) {
        if self.clock_monitors[board.index()].started_us.is_none() {
            self.read_set_up(board);
        }
        let set_up = self.inputs[board.index()].segment.start;
        self.clock_monitors[board.index()].start(self.now_us, set_up);
        self.hand_monitor.start(board, self.now_us);
    }

    /// Takes the set-up of a board from its sensors.
    fn read_set_up(&mut self, board: BoardId) {
        let mut is_read = false;
        for side in Color::ALL {
            let rank = self.inputs[board.index()].named_rank(side);
            is_read |= rank.is_some_and(|rank| self.beam.read_rank(board, side, rank));
        }
        let input = &self.inputs[board.index()];
        let named = |square| input.identity.named(square);
        is_read |= self.beam.read_squares(board, input.segment.start, named);
        if is_read {
            self.publish(0);
        }
    }

    pub(super) fn clock_read(&mut self, board: BoardId, shown: DisplayReading) {
        let (now_us, running) = (self.now_us, shown.running);
        let before = self.inputs[board.index()].clock.running();
        if running.is_some() && before.is_none() {
            self.stand_before_play(board);
        }
        let input = &mut self.inputs[board.index()];
        let unseen_press = match (input.phase, before, running) {
            (Phase::BeforeStart, _, Some(Color::White)) => {
                input.start();
                None
            }
            (Phase::BeforeStart, _, Some(Color::Black)) => Some(Color::White),
            (Phase::Playing, Some(before), Some(running)) if before != running => Some(before),
            _ => None,
        };
        if let Some(by) = unseen_press {
            self.pressed(board, by);
        }
        let input = &mut self.inputs[board.index()];
        // The first display of a clock may show that it was stopped.
        let ran = before.is_some() || input.clock.shown.is_none();
        input.clock.shown = Some(shown);
        if input.phase != Phase::BeforeStart {
            self.start_monitors(board);
        }
        self.clock_monitors[board.index()].read_clock(shown);
        let input = &mut self.inputs[board.index()];
        if before.is_none() && running.is_some() {
            input.begin_turn(now_us);
        }
        match (input.phase, running) {
            (Phase::Playing, None) if ran => {
                self.explain_pending(board);
                if !self.is_being_reinstated(board) {
                    self.close_stopped(board);
                }
                self.inputs[board.index()].phase = Phase::Stopped;
            }
            (Phase::Stopped, Some(_)) => input.phase = Phase::Playing,
            _ => {}
        }
        self.note_display(board);
    }

    /// Corrects the times of the last press by the display right after it.
    fn note_display(&mut self, board: BoardId) {
        let trellis = &self.beam.filter.trellis;
        let newest = (trellis.first_open()..trellis.end()).rev().take(DISPLAY_LAYERS);
        let mut layers = newest.filter_map(|index| Some((index, trellis.layer(index)?)));
        if let Some((index, layer)) = layers.find(|(_, layer)| layer.board == board)
            && self.now_us.saturating_sub(layer.t_us) <= DISPLAY_US
            && let Some(presser) = layer.presser
        {
            let mut clocks_ms = self.inputs[board.index()].clock.left_ms(self.now_us);
            let waiting = presser.other();
            clocks_ms[usize::from(waiting.is_black())] = self.published.clock_ms(index, waiting);
            self.published.set_clocks(index, clocks_ms);
        }
    }
}
