//! What a change of the squares, a press and a display do to a match.

use rules::{BoardId, Color};

use super::Tracker;
use crate::{
    anomaly::monitors::clock::Shown,
    sensing::board_input::{MAX_TRIES, Pending, Phase},
};

/// A clock's display this long after a press shows the time of the press, microseconds.
const DISPLAY_US: u64 = 500_000;

impl Tracker {
    pub(super) fn squares_changed(&mut self, board: BoardId, filled: bool) {
        let watch = &mut self.watches[board.index()];
        watch.note_set_up();
        // A square that flickers tells no more than when it was first filled.
        if let Some(pending) = watch.pending
            && filled
            && pending.tries < MAX_TRIES
            && !watch.segment.repeats_last_fill(pending.count)
        {
            let tried = Pending { tries: pending.tries + 1, ..pending };
            watch.pending = Some(tried);
            self.try_close(board, tried);
        }
    }

    pub(super) fn pressed(&mut self, board: BoardId, by: Color) {
        let now_us = self.now_us;
        let watch = &mut self.watches[board.index()];
        if watch.is_known_press(by, now_us) {
            return;
        }
        self.stand_before_play(board);
        if by == Color::Black {
            self.restart_if_put_back(board);
        }
        let watch = &mut self.watches[board.index()];
        watch.last_press = Some((by, now_us));
        self.by_readings[board.index()].press(now_us, by);
        match (watch.phase, by) {
            (Phase::BeforeStart, Color::Black) => {
                watch.start();
                watch.clock.press(now_us, by);
                watch.begin_turn(now_us);
                self.by_readings[board.index()].start(now_us, watch.segment.start());
                self.observer.start(board, now_us);
                return;
            }
            (Phase::BeforeStart, Color::White) => {
                watch.start_unnoticed();
                self.by_readings[board.index()].start(now_us, watch.segment.start());
                self.observer.start(board, now_us);
            }
            (Phase::Stopped, _) => watch.phase = Phase::Playing,
            (Phase::Playing, _) => {}
        }
        self.explain_pending(board);
        self.watches[board.index()].begin_turn(now_us);
        let count = self.watches[board.index()].segment.events().len();
        let pending = Pending { presser: by, t_us: now_us, count, tries: 0 };
        self.watches[board.index()].pending = Some(pending);
        if self.is_calm(board) {
            self.try_close(board, pending);
        }
        self.watches[board.index()].clock.press(now_us, by);
    }

    pub(super) fn clock_read(
        &mut self,
        board: BoardId,
        white_ms: i64,
        black_ms: i64,
        running: Option<Color>,
    ) {
        let now_us = self.now_us;
        let watch = &mut self.watches[board.index()];
        let before = watch.clock.running();
        if running.is_some() && before.is_none() {
            self.stand_before_play(board);
        }
        if running == Some(Color::White) && before.is_none() {
            self.restart_if_put_back(board);
        }
        let watch = &mut self.watches[board.index()];
        let unseen_press = match (watch.phase, before, running) {
            (Phase::BeforeStart, _, Some(Color::White)) => {
                watch.start();
                None
            }
            (Phase::BeforeStart, _, Some(Color::Black)) => Some(Color::White),
            (Phase::Playing, Some(before), Some(running)) if before != running => Some(before),
            _ => None,
        };
        if let Some(by) = unseen_press {
            self.pressed(board, by);
        }
        let watch = &mut self.watches[board.index()];
        // What a clock shows first may be that it was stopped.
        let ran = before.is_some() || watch.clock.remaining_ms(now_us, Color::White).is_none();
        watch.clock.read(now_us, white_ms, black_ms, running);
        if watch.phase != Phase::BeforeStart {
            self.by_readings[board.index()].start(now_us, watch.segment.start());
            self.observer.start(board, now_us);
        }
        let shown = Shown { t_us: now_us, left_ms: [white_ms, black_ms], running };
        self.by_readings[board.index()].read_clock(shown);
        if before.is_none() && running.is_some() {
            watch.begin_turn(now_us);
        }
        match (watch.phase, running) {
            (Phase::Playing, None) if ran => {
                self.explain_pending(board);
                if !self.is_being_put_up(board) {
                    self.close_stopped(board);
                }
                self.watches[board.index()].phase = Phase::Stopped;
            }
            (Phase::Stopped, Some(_)) => watch.phase = Phase::Playing,
            _ => {}
        }
        self.note_display(board);
    }

    /// The display right after a press tells the times at the press.
    fn note_display(&mut self, board: BoardId) {
        let watch = &self.watches[board.index()];
        let clocks_ms = watch.clocks_ms(self.now_us);
        let trellis = self.beam.trellis();
        let last = (trellis.first_open()..trellis.end())
            .rev()
            .take(4)
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
