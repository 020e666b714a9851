//! Actions at a table between the end of a game and the next round.

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use rules::{Bitboard, Board, Color, Square};

use super::{BASE_MS, TableStory};
use crate::game;
use crate::habit::Habit;
use crate::hands::Hands;
use crate::plan::{Played, Sitting};

impl TableStory {
    /// Actions of children after a game.
    pub(super) fn after_the_round(&mut self) {
        let leaves_running = self.happens(Habit::LeavesClockRunning);
        if !leaves_running {
            self.boards.iter_mut().for_each(Hands::stop);
        }
        self.wait_s(3, 10);
        if self.happens(Habit::ShowsKings) && !leaves_running && self.has_presses() {
            self.boards[0].show_kings();
            self.wait_s(2, 8);
        } else if self.happens(Habit::Analyses) {
            self.analyse(leaves_running);
        }
        if self.happens(Habit::ClearsBoards) {
            self.boards.iter_mut().for_each(Hands::clear);
            self.wait_s(10, 30);
        } else if self.happens(Habit::PutsBackAtOnce) {
            let only_one = self.happens(Habit::PutsBackOneBoard);
            let count = if only_one { 1 } else { self.boards.len() };
            self.boards[..count].iter_mut().for_each(Hands::put_back);
            self.wait_s(2, 10);
            if !self.happens(Habit::ResetsClocksLater) && !only_one {
                for board in &mut self.boards {
                    board.stop();
                    board.set_clock([BASE_MS; 2]);
                }
            }
        }
        self.meet();
    }

    /// Children look at the game once more.
    fn analyse(&mut self, clock_runs: bool) {
        let with_clock =
            self.has_display() && !clock_runs && self.happens(Habit::AnalysesWithClock);
        let from_us = self.meet();
        if with_clock {
            self.boards[0].resume(Color::White);
        }
        let moves = self.rng.random_range(2..9);
        let mut side = Color::White;
        for _ in 0..moves {
            let Some((from, to)) = any_move(&self.boards[0].pieces, side, &mut self.rng) else {
                break;
            };
            let think_us = game::think_us(&mut self.rng);
            let board = &mut self.boards[0];
            board.wait(think_us);
            board.move_piece(from, to);
            board.wait(500_000);
            if with_clock {
                board.press(side);
            }
            side = side.other();
        }
        if with_clock {
            self.boards[0].stop();
        }
        self.wait_s(2, 8);
        let (to_us, plies) = (self.meet(), Vec::new());
        let kind = Sitting::Analysis;
        self.plan.games.push(Played { kind, from_us, to_us, plies, is_followed: false });
    }
}

/// A piece of a side goes to any free square.
fn any_move(board: &Board, side: Color, rng: &mut ChaCha8Rng) -> Option<(Square, Square)> {
    let pick = |squares: Bitboard, rng: &mut ChaCha8Rng| {
        let count = squares.count();
        (count > 0).then(|| squares.into_iter().nth(rng.random_range(0..count))).flatten()
    };
    let from = pick(board.by_color(side), rng)?;
    let to = pick(!board.occupied() & Bitboard(0x0000_ffff_ffff_0000), rng)?;
    Some((from, to))
}
