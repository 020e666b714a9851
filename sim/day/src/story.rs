//! One table through a day: its children's rounds, one after the other.

mod after;
mod before;

use std::collections::VecDeque;

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rules::standings::{Outcome, Side};
use rules::{BoardId, Color, Game, Ply, Seat, Square, Team};

use crate::desk::DeskAct;
use crate::game;
use crate::habit::{Habit, Rates};
use crate::hands::{Hands, Lie, Senses};
use crate::plan::{
    Equipment, MORNING_US, Notice, Planned, Played, Sitting, TablePlan, UnfollowedPlay, outcome,
};

const SECOND_US: u64 = 1_000_000;
const BASE_MS: i64 = 300_000;
const SHORTER_MS: i64 = 180_000;
/// Time from a ply to its press.
const PRESSED_AFTER_US: u64 = 500_000;
/// Plies after which the clock counts as forgotten: the last of them is one when it is answered.
const FORGOTTEN_PLIES: usize = 3;
/// Clear plies of a table after which clocks in each other's place must be noticed. A ply is clear if no ply at the other board comes between
/// it and its press, nor it between the other and its press.
const SWAPPED_PLIES: usize = 8;

/// A table and what happens at it.
pub(crate) struct TableStory {
    plan: TablePlan,
    boards: Vec<Hands>,
    rng: ChaCha8Rng,
    /// Draws what came later than the other habits, so that their days stay what they were.
    swaps: ChaCha8Rng,
    rates: Rates,
}

/// A game while it is played: what each board has still to play.
struct Running {
    left: Vec<VecDeque<Ply>>,
    turns: Vec<Color>,
    plies: Vec<(u64, BoardId, Ply)>,
    from_us: u64,
    has_clocks: bool,
}

impl Running {
    /// Time at which enough plies were made at one board without its clock to know this.
    fn known_us(&self) -> Option<u64> {
        let at = |board: BoardId| {
            let here = self.plies.iter().filter(|(_, on, _)| *on == board);
            here.map(|(at_us, ..)| *at_us).nth(FORGOTTEN_PLIES)
        };
        BoardId::ALL.into_iter().filter_map(at).min()
    }

    /// Time at which clocks in each other's place can be known.
    fn swap_known_us(&self) -> Option<u64> {
        let is_near = |at_us: u64, board: BoardId| {
            let mut others = self.plies.iter().filter(|(_, on, _)| *on != board);
            others.any(|(other_us, ..)| at_us.abs_diff(*other_us) <= PRESSED_AFTER_US)
        };
        let clear = self.plies.iter().filter(|(at_us, board, _)| !is_near(*at_us, *board));
        let mut times: Vec<u64> = clear.map(|(at_us, ..)| at_us + PRESSED_AFTER_US).collect();
        times.sort_unstable();
        times.get(SWAPPED_PLIES - 1).copied()
    }

    /// Time at which play with clocks can be known: at once, but one lever alone may have been put right until it is answered.
    fn known_with_clocks_us(&self, is_one_lever: bool) -> u64 {
        let answered = self.plies.iter().map(|(at_us, ..)| at_us + PRESSED_AFTER_US).min();
        answered.filter(|_| is_one_lever).unwrap_or(self.from_us)
    }
}

type Acts = Vec<(u64, DeskAct)>;

impl TableStory {
    pub(crate) fn new(
        name: String,
        hub: String,
        equipment: Equipment,
        game: Game,
        rng: ChaCha8Rng,
        rates: Rates,
    ) -> TableStory {
        let senses = Senses {
            knows_pieces: equipment == Equipment::Makers,
            has_presses: equipment != Equipment::Clockless,
            has_display: matches!(equipment, Equipment::Displays | Equipment::Makers),
        };
        let ids = &BoardId::ALL[..game.boards()];
        let boards = ids.iter().map(|&id| Hands::new(id, senses, MORNING_US)).collect();
        let plan = TablePlan {
            name,
            hub,
            equipment,
            game,
            has_stuck_square: false,
            readings: Vec::new(),
            games: Vec::new(),
            unfollowed: Vec::new(),
            habits: Vec::new(),
        };
        let swaps = ChaCha8Rng::from_seed(rng.get_seed().map(|byte| !byte));
        let mut story = TableStory { plan, boards, rng, swaps, rates };
        if !story.boards[0].senses.knows_pieces && story.happens(Habit::StuckSquare) {
            let square = Square::new(story.rng.random_range(24..40));
            story.boards[0].stuck = Some(square);
            story.plan.has_stuck_square = true;
        }
        for board in &mut story.boards {
            board.clock.left_ms = [BASE_MS; 2];
            board.tell_all();
        }
        story
    }

    pub(crate) fn finish(mut self) -> TablePlan {
        self.put_clocks_right();
        let mut readings: Vec<_> =
            self.boards.iter_mut().flat_map(|board| std::mem::take(&mut board.readings)).collect();
        readings.sort_by_key(|reading| reading.t_us);
        self.plan.readings = readings;
        self.plan
    }

    fn happens(&mut self, habit: Habit) -> bool {
        let happens = self.rates.happens(habit, &mut self.rng);
        self.note_habit(habit, happens)
    }

    fn note_habit(&mut self, habit: Habit, happens: bool) -> bool {
        if happens {
            let now_us = self.boards.iter().map(|board| board.now_us).max();
            self.plan.habits.push((now_us.unwrap_or(MORNING_US), habit));
        }
        happens
    }

    /// The clocks of the two boards are put in each other's place.
    fn swaps_clocks(&mut self) -> bool {
        let happens = self.rates.happens(Habit::SwapsClocks, &mut self.swaps);
        let can_happen = self.boards.len() == 2 && self.has_presses();
        if !self.note_habit(Habit::SwapsClocks, happens && can_happen) {
            return false;
        }
        for board in &mut self.boards {
            board.other_clock = Some(board.id.other());
        }
        true
    }

    /// Clocks that stood in each other's place are put right; what was pressed on them since the game shows it, too.
    fn put_clocks_right(&mut self) {
        if self.boards.iter().all(|board| board.other_clock.is_none()) {
            return;
        }
        let until_us = self.meet();
        self.boards.iter_mut().for_each(|board| board.other_clock = None);
        let notice = Notice::Doubtful;
        let of_game = self.plan.unfollowed.iter().rev().find(|play| play.notice == notice);
        let cause_us = of_game.map_or(until_us, |play| play.until_us);
        self.plan.unfollowed.push(UnfollowedPlay {
            cause_us,
            known_us: until_us,
            until_us,
            notice,
        });
    }

    fn between_s(&mut self, least_s: u64, most_s: u64) -> u64 {
        self.rng.random_range(least_s * SECOND_US..most_s * SECOND_US)
    }

    /// All boards are at one time.
    fn meet(&mut self) -> u64 {
        let now_us = self.boards.iter().map(|board| board.now_us).max().unwrap_or(MORNING_US);
        self.wait_until(now_us);
        now_us
    }

    fn wait_until(&mut self, until_us: u64) {
        self.boards.iter_mut().for_each(|board| board.wait_until(until_us));
    }

    fn wait_s(&mut self, least_s: u64, most_s: u64) {
        let now_us = self.meet();
        let us = self.between_s(least_s, most_s);
        self.wait_until(now_us + us);
    }

    fn has_display(&self) -> bool {
        self.boards[0].senses.has_display
    }

    fn has_presses(&self) -> bool {
        self.boards[0].senses.has_presses
    }

    /// A round of the table; its outcome, and what directors do about it.
    pub(crate) fn round(&mut self, planned: Planned) -> (Outcome, Acts) {
        let mut acts = Acts::new();
        let before_us = self.between_s(60, 200);
        self.meet();
        self.wait_until(planned.start_us - before_us);
        let swapped = self.prepare(planned);
        self.before_the_round();
        let late_us = match self.happens(Habit::StartsLate) {
            true => self.between_s(60, 250),
            false => self.between_s(0, 20),
        };
        self.meet();
        self.wait_until(planned.start_us + late_us);
        if self.happens(Habit::NeverComes) {
            let winner = if self.rng.random() { Team::One } else { Team::Two };
            if !self.no_show(planned.pairing, winner, &mut acts) {
                let side = if winner == Team::One { Side::First } else { Side::Second };
                return (Outcome::ForfeitWin(side), acts);
            }
        }
        let reversed = self.happens(Habit::SitsReversed) ^ swapped;
        if reversed && !planned.is_elsewhere {
            let at_us = self.meet() + 5 * SECOND_US;
            acts.push((at_us, DeskAct::TurnSeats { pairing: planned.pairing }));
        }
        let (winner, reason, is_followed) = self.play_round(planned.pairing);
        let to_us = self.meet();
        let result = outcome(winner, reversed);
        let delay_us = match self.happens(Habit::ReportsLate) {
            true => self.between_s(200, 650),
            false => self.between_s(5, 150),
        };
        let on_paper = self.happens(Habit::ReportsOnPaper) || planned.is_elsewhere || !is_followed;
        let act = match on_paper {
            true => DeskAct::Paper { pairing: planned.pairing, outcome: result },
            false => {
                let paper = (planned.pairing, result);
                DeskAct::Result { table: 0, played_until_us: to_us, winner, reason, paper }
            }
        };
        acts.push((to_us + delay_us, act));
        self.after_the_round();
        (result, acts)
    }

    /// Plays the game of a pairing: who wins, how, and whether it can be followed.
    fn play_round(&mut self, pairing: event::PairingId) -> (Option<Team>, &'static str, bool) {
        if self.happens(Habit::StartsAnew) {
            let plies = self.rng.random_range(2..5);
            self.play_for_fun(plies, self.has_presses());
        }
        if self.has_display() && self.happens(Habit::WrongSideStarts) {
            self.boards.iter_mut().for_each(|board| board.press(Color::White));
            self.wait_s(2, 5);
            for board in &mut self.boards {
                let left_ms = board
                    .clock
                    .left_ms
                    .map(|ms| if ms > SHORTER_MS { BASE_MS } else { SHORTER_MS });
                board.stop();
                board.set_clock(left_ms);
            }
            self.wait_s(2, 5);
        }
        let turned_us = self.meet();
        let lie = self.turn_a_board();
        let (deciding, mut running, ending) = self.game_of_round();
        let plies = running.left[deciding].len();
        let forgets = self.has_presses() && lie == Lie::Straight && plies > 8;
        let never_starts = forgets && self.happens(Habit::NeverStartsClock);
        let forgets = forgets && !never_starts && self.happens(Habit::ForgetsClock);
        let is_swapped = lie == Lie::Straight && !never_starts && !forgets && self.swaps_clocks();
        let is_followed = lie == Lie::Straight && !never_starts && !is_swapped;
        let from_us = self.meet();
        running.from_us = from_us;
        if never_starts {
            running.has_clocks = false;
            self.segment(&mut running, deciding, plies);
        } else {
            if forgets {
                self.forget_clock(&mut running, deciding);
            } else {
                self.start(&mut running);
            }
            let first = running.left[deciding].len() / 2;
            self.segment(&mut running, deciding, first);
            if first > 2 {
                self.pause(&mut running);
            }
            let rest = running.left[deciding].len();
            self.segment(&mut running, deciding, rest);
        }
        let to_us = self.meet();
        if is_swapped {
            let (known_us, notice) = (running.swap_known_us().unwrap_or(to_us), Notice::Doubtful);
            let swapped = UnfollowedPlay { cause_us: from_us, known_us, until_us: to_us, notice };
            self.plan.unfollowed.push(swapped);
        } else if !is_followed {
            let cause_us = if lie == Lie::Straight { from_us } else { turned_us };
            self.unfollowed(cause_us, self.known_us(&running, never_starts, to_us), to_us);
        }
        self.note(running, Sitting::Round(pairing), is_followed);
        let board = self.boards[deciding].id;
        let winner = ending.map(|(color, _)| Seat { board, color }.team());
        (winner, ending.map_or("agreement", |(_, reason)| reason), is_followed)
    }

    /// Time at which play that is not followed can be known.
    fn known_us(&self, running: &Running, never_starts: bool, to_us: u64) -> u64 {
        if never_starts || !self.has_presses() {
            return running.known_us().unwrap_or(to_us);
        }
        running.known_with_clocks_us(!self.has_display() && self.boards.len() == 1)
    }

    /// A board is turned: how it lies then.
    fn turn_a_board(&mut self) -> Lie {
        let quarter = self.happens(Habit::TurnsQuarter);
        let half = self.plan.equipment == Equipment::Makers && self.happens(Habit::TurnsHalf);
        let lie = match (quarter, half) {
            (true, _) => Lie::Quarter,
            (false, true) => Lie::Half,
            (false, false) => return Lie::Straight,
        };
        let at = self.rng.random_range(0..self.boards.len());
        // It is turned before the pieces come onto it.
        self.boards[at].clear();
        self.boards[at].lie = lie;
        self.boards[at].put_back();
        self.wait_s(3, 6);
        lie
    }

    /// The board that decides, the game, and who wins how; a draw has no winner.
    #[allow(clippy::type_complexity, reason = "three things of one drawing")]
    fn game_of_round(&mut self) -> (usize, Running, Option<(Color, &'static str)>) {
        let deciding = self.rng.random_range(0..self.boards.len());
        let plies = self.rng.random_range(14..40);
        let mut running = self.running(plies, self.has_presses());
        let kind: f64 = self.rng.random();
        let unseen = self.boards[deciding].unseen();
        let mate = game::mating(unseen, &mut self.rng).filter(|_| kind < 0.3);
        if let Some((plies, winner)) = mate {
            running.left[deciding] = plies.into();
            return (deciding, running, Some((winner, "mate")));
        }
        let winner = if self.rng.random() { Color::White } else { Color::Black };
        let ending = (kind < 0.9).then_some((winner, "resignation"));
        (deciding, running, ending)
    }

    /// Games for all boards, of so many plies or more.
    fn running(&mut self, plies: usize, has_clocks: bool) -> Running {
        let mut left = Vec::new();
        for board in &self.boards {
            left.push(game::plain(plies, board.unseen(), &mut self.rng).into());
        }
        let turns = vec![Color::White; self.boards.len()];
        Running { left, turns, plies: Vec::new(), from_us: self.meet(), has_clocks }
    }

    /// Black starts each clock.
    fn start(&mut self, running: &mut Running) {
        running.from_us = self.meet();
        for board in &mut self.boards {
            board.wait(200_000);
            if running.has_clocks {
                board.press(Color::Black);
            }
        }
    }

    /// Some plies at one board before anybody starts the clocks.
    fn forget_clock(&mut self, running: &mut Running, deciding: usize) {
        let has_clocks = std::mem::replace(&mut running.has_clocks, false);
        let plies = self.rng.random_range(FORGOTTEN_PLIES..7);
        for _ in 0..plies {
            self.ply(running, deciding);
        }
        running.has_clocks = has_clocks;
        let known_us = running.known_us().unwrap_or(self.boards[deciding].now_us);
        for at in 0..self.boards.len() {
            let now_us = self.boards[deciding].now_us;
            let by = running.turns[at].other();
            self.boards[at].wait_until(now_us + 1_500_000);
            self.boards[at].press(by);
        }
        // From its press on it is followed, whenever the other board's clock is started.
        let until_us = self.boards[deciding].now_us;
        self.meet();
        self.unfollowed(running.from_us, known_us, until_us);
    }

    fn unfollowed(&mut self, cause_us: u64, known_us: u64, until_us: u64) {
        let notice = Notice::NotFollowed;
        self.plan.unfollowed.push(UnfollowedPlay { cause_us, known_us, until_us, notice });
    }

    /// The clocks are stopped in play; somebody resets them by mistake, or they lose their power.
    fn pause(&mut self, running: &mut Running) {
        let by_mistake = self.happens(Habit::ResetsByMistake);
        let loses_power = self.happens(Habit::LosesPower);
        if !running.has_clocks || !(by_mistake || loses_power) {
            return;
        }
        self.meet();
        let before: Vec<_> = self.boards.iter().map(|board| board.clock).collect();
        self.boards.iter_mut().for_each(Hands::stop);
        self.wait_s(5, 30);
        self.boards.iter_mut().for_each(|board| board.set_clock([BASE_MS; 2]));
        if loses_power {
            self.boards.iter_mut().for_each(Hands::tell_all);
        }
        self.wait_s(5, 60);
        if !self.happens(Habit::LeavesReset) {
            for (board, before) in self.boards.iter_mut().zip(&before) {
                board.set_clock(before.left_ms);
            }
            self.wait_s(2, 10);
        }
        for (board, before) in self.boards.iter_mut().zip(before) {
            before.running.into_iter().for_each(|side| board.resume(side));
        }
    }

    /// One board plays so many plies, the others as many as fit into that time.
    fn segment(&mut self, running: &mut Running, deciding: usize, plies: usize) {
        for _ in 0..plies {
            self.ply(running, deciding);
        }
        let until_us = self.boards[deciding].now_us;
        for at in (0..self.boards.len()).filter(|&at| at != deciding) {
            // A ply takes at most seven seconds.
            while self.boards[at].now_us + 7 * SECOND_US < until_us && !running.left[at].is_empty()
            {
                self.ply(running, at);
            }
        }
        self.meet();
    }

    fn ply(&mut self, running: &mut Running, at: usize) {
        let Some(ply) = running.left[at].pop_front() else { return };
        let think_us = game::think_us(&mut self.rng);
        let board = &mut self.boards[at];
        board.wait(think_us);
        board.play(ply);
        running.plies.push((board.now_us, board.id, ply));
        board.wait(PRESSED_AFTER_US);
        if running.has_clocks {
            board.press(running.turns[at]);
        }
        running.turns[at] = running.turns[at].other();
    }

    fn note(&mut self, running: Running, kind: Sitting, is_followed: bool) {
        let to_us = self.meet();
        let mut plies = running.plies;
        plies.sort_by_key(|(at_us, ..)| *at_us);
        let from_us = running.from_us;
        self.plan.games.push(Played { kind, from_us, to_us, plies, is_followed });
    }
}
