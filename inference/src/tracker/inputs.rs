//! The effects of changed squares, presses and displays on a match.

use rules::{BoardId, Color};

use super::Tracker;
use crate::{
    anomaly::support::allowance::Shown,
    sensing::board_input::{MAX_TRIES, Pending, Phase},
};

/// A display at most so long after a press shows the times at the press, microseconds. Assumed: set by hand.
const DISPLAY_US: u64 = 500_000;
/// The press that a display belongs to is among so many newest layers of both boards. Bound: on work; nobody presses
/// more often within [`DISPLAY_US`].
const DISPLAY_LAYERS: usize = 4;

impl Tracker {
    /// Has the clocks give for each move what directors have changed by now.
    pub(super) fn change_delays(&mut self) {
        while let Some(fact) = self.per_moves.pop_due(self.now_us) {
            let (at, per_move) = (fact.board.index(), fact.per_move);
            self.inputs[at].clock.give(per_move);
            self.clock_monitors[at].allowance.may_give(per_move);
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
        if input.is_known_press(by, now_us) {
            return;
        }
        self.stand_before_play(board);
        if by == Color::Black {
            self.restart_if_put_back(board);
        }
        let input = &mut self.inputs[board.index()];
        input.last_press = Some((by, now_us));
        self.clock_monitors[board.index()].press(now_us, by);
        match (input.phase, by) {
            (Phase::BeforeStart, Color::Black) => {
                input.start();
                input.clock.press(now_us, by);
                input.begin_turn(now_us);
                self.clock_monitors[board.index()].start(now_us, input.segment.start());
                self.hand_monitor.start(board, now_us);
                return;
            }
            (Phase::BeforeStart, Color::White) => {
                input.start_unnoticed();
                self.clock_monitors[board.index()].start(now_us, input.segment.start());
                self.hand_monitor.start(board, now_us);
            }
            (Phase::Stopped, _) => input.phase = Phase::Playing,
            (Phase::Playing, _) => {}
        }
        self.explain_pending(board);
        self.inputs[board.index()].begin_turn(now_us);
        let count = self.inputs[board.index()].segment.events().len();
        let pending = Pending { presser: by, t_us: now_us, count, tries: 0 };
        self.inputs[board.index()].pending = Some(pending);
        if self.is_calm(board) {
            self.try_close(board, pending);
        }
        self.inputs[board.index()].clock.press(now_us, by);
    }

    pub(super) fn clock_read(
        &mut self,
        board: BoardId,
        white_ms: i64,
        black_ms: i64,
        running: Option<Color>,
    ) {
        let now_us = self.now_us;
        let input = &mut self.inputs[board.index()];
        let before = input.clock.running();
        if running.is_some() && before.is_none() {
            self.stand_before_play(board);
        }
        if running == Some(Color::White) && before.is_none() {
            self.restart_if_put_back(board);
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
        let ran = before.is_some() || input.clock.remaining_ms(now_us, Color::White).is_none();
        input.clock.read(now_us, white_ms, black_ms, running);
        if input.phase != Phase::BeforeStart {
            self.clock_monitors[board.index()].start(now_us, input.segment.start());
            self.hand_monitor.start(board, now_us);
        }
        let shown = Shown { t_us: now_us, left_ms: [white_ms, black_ms], running };
        self.clock_monitors[board.index()].read_clock(shown);
        if before.is_none() && running.is_some() {
            input.begin_turn(now_us);
        }
        match (input.phase, running) {
            (Phase::Playing, None) if ran => {
                self.explain_pending(board);
                if !self.is_being_put_up(board) {
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
        let input = &self.inputs[board.index()];
        let clocks_ms = input.clocks_ms(self.now_us);
        let trellis = self.beam.trellis();
        let last = (trellis.first_open()..trellis.end())
            .rev()
            .take(DISPLAY_LAYERS)
            .find(|&index| trellis.layer(index).is_some_and(|layer| layer.board == board));
        if let Some((index, layer)) = last.and_then(|index| Some((index, trellis.layer(index)?)))
            && self.now_us.saturating_sub(layer.t_us) <= DISPLAY_US
        {
            let [white, black] = clocks_ms;
            let shown = match layer.presser {
                Some(Color::White) => [white, self.ledger.clock_ms(index, Color::Black)],
                Some(Color::Black) => [self.ledger.clock_ms(index, Color::White), black],
                None => return,
            };
            self.ledger.set_clocks(index, shown);
        }
    }
}
