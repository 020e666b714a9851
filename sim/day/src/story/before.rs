//! Events at a table before a game: the set-up, games for fun, and players who do not come.

use rand::RngExt as _;
use rules::{BoardId, Color, Square, Team};

use super::{Acts, BASE_MS, FORGOTTEN_PLIES, SECOND_US, SHORTER_MS, TableStory};
use crate::desk::DeskAct;
use crate::habit::Habit;
use crate::hands::{Hands, Lie};
use crate::plan::{Planned, Sitting};

impl TableStory {
    /// Pieces and clocks as they should be before a round. Whether the boards are exchanged.
    pub(super) fn prepare(&mut self, planned: Planned) -> bool {
        let clock_is_turned = self.has_display() && self.happens(Habit::TurnsClock);
        self.put_clocks_right();
        for board in &mut self.boards {
            board.stop();
            if board.lie != Lie::Straight {
                board.lie = Lie::Straight;
                board.snapshot();
            }
            board.clock_is_turned = false;
        }
        if self.happens(Habit::LostPawn) {
            let square = Square::new(self.rng.random_range(8..16));
            self.boards[0].lost = Some(square);
        }
        let swapped = self.boards.len() == 2 && self.happens(Habit::SwapsBoards);
        let ids = if swapped { [BoardId::B, BoardId::A] } else { BoardId::ALL };
        let shorter = self.has_display() && self.happens(Habit::SetsShorterTime);
        let base_ms = if shorter { SHORTER_MS } else { BASE_MS };
        for (board, id) in self.boards.iter_mut().zip(ids) {
            let is_other = board.id != id;
            board.id = id;
            board.put_back();
            board.wait(SECOND_US);
            if is_other || planned.was_carried {
                board.tell_all();
            }
            board.set_clock([base_ms; 2]);
            board.wait(9 * SECOND_US);
        }
        self.boards[0].clock_is_turned = clock_is_turned;
        self.meet();
        swapped
    }

    /// Acts of waiting children.
    pub(super) fn before_the_round(&mut self) {
        if self.happens(Habit::TriesOut) {
            let plies = self.rng.random_range(2..6);
            let with_clocks = self.has_presses() && self.rng.random();
            self.play_for_fun(plies, with_clocks);
        } else if self.happens(Habit::PlaysForFun) {
            let plies = self.rng.random_range(12..24);
            self.play_for_fun(plies, self.has_presses());
        } else if self.boards.len() == 2 && self.happens(Habit::PlaysForFunAlone) {
            self.play_alone();
        }
    }

    /// Plays something that is put back.
    pub(super) fn play_for_fun(&mut self, plies: usize, with_clocks: bool) {
        let mut running = self.running(plies, with_clocks);
        let is_seen = with_clocks || !self.has_presses();
        if with_clocks {
            self.start(&mut running);
        }
        let from_us = self.meet();
        self.segment(&mut running, 0, plies);
        let to_us = self.meet();
        if is_seen {
            self.note(running, Sitting::Fun, true);
        } else if running.plies.len() >= FORGOTTEN_PLIES {
            let known_us = running.known_us().unwrap_or(to_us);
            self.unfollowed(from_us, known_us.max(from_us), to_us);
        }
        self.set_up_again();
    }

    /// Plays at one board while the other is not set up.
    fn play_alone(&mut self) {
        let cause_us = self.meet();
        self.boards[1].clear();
        self.meet();
        let mut running = self.running(14, self.has_presses());
        running.left[1].clear();
        running.from_us = self.meet();
        if self.has_presses() {
            self.boards[0].press(Color::Black);
        }
        self.segment(&mut running, 0, 14);
        let to_us = self.meet();
        let third = running.known_us().unwrap_or(to_us);
        let with_clocks = running.known_with_clocks_us(!self.has_display());
        let known_us = if self.has_presses() { with_clocks } else { third };
        self.unfollowed(cause_us, known_us, to_us);
        self.note(running, Sitting::Fun, false);
        self.set_up_again();
    }

    /// Clocks are stopped, pieces put back and clocks set.
    fn set_up_again(&mut self) {
        let base_ms = BASE_MS;
        for board in &mut self.boards {
            board.stop();
            board.wait(4 * SECOND_US);
            board.put_back();
            board.wait(SECOND_US);
            board.set_clock([base_ms; 2]);
        }
        self.meet();
        self.wait_s(6, 9);
    }

    /// One side does not come. Returns whether they come after the forfeit, and it is taken back.
    pub(super) fn no_show(
        &mut self,
        pairing: event::PairingId,
        winner: Team,
        acts: &mut Acts,
    ) -> bool {
        let clock_runs = self.has_presses() && self.happens(Habit::NoShowClockRuns);
        if clock_runs {
            self.boards.iter_mut().for_each(|board| board.press(Color::Black));
        }
        self.wait_s(200, 340);
        self.boards.iter_mut().for_each(Hands::stop);
        let at_us = self.meet() + SECOND_US;
        acts.push((at_us, DeskAct::Forfeit { table: 0, pairing, winner }));
        self.wait_s(20, 60);
        if !self.happens(Habit::ComesAfterForfeit) {
            return false;
        }
        acts.push((self.meet() + SECOND_US, DeskAct::TakeBack { table: 0, pairing }));
        self.wait_s(5, 9);
        self.boards.iter_mut().for_each(|board| board.set_clock([BASE_MS; 2]));
        self.wait_s(5, 9);
        true
    }
}
