//! Faults of a board or its clock for a whole match: each is drawn once a board.

use rand::{RngExt, seq::IndexedRandom};
use rules::{BoardId, Color, Seat};

use super::state::Staging;
use crate::{
    board_fault::BoardFault,
    profile::Behaviour,
    script::{ClockTouch, Display, Noted, When},
};

/// Faults of one board.
#[derive(Clone, Debug, Default)]
pub(super) struct Mishaps {
    display: Display,
    fault: Option<BoardFault>,
}

impl Mishaps {
    /// Fault of the clock's display.
    pub(super) const fn display(&self) -> Display {
        self.display
    }

    /// Fault of the board, if there is one.
    pub(super) const fn fault(&self) -> Option<&BoardFault> {
        self.fault.as_ref()
    }
}

impl Staging<'_> {
    /// Draws the faults of both boards, and records them.
    pub(super) fn mishaps(&mut self, end_us: u64, flagged: Option<Seat>) -> [Mishaps; 2] {
        BoardId::ALL.map(|board| {
            // A clock that is wrong would change who loses on time.
            let decides = flagged.is_some_and(|seat| seat.board == board);
            let display = if decides { Display::default() } else { self.display(board) };
            Mishaps { display, fault: self.fault(board, end_us) }
        })
    }

    fn befalls(&self, board: BoardId, behaviour: Behaviour) -> bool {
        let rate = self.players.rate(behaviour);
        rate > 0.0 && self.chance.draw(board, 0, behaviour) < rate
    }

    fn note_at(&mut self, code: &'static str, board: BoardId, color: Option<Color>, t_us: u64) {
        self.noted.push(Noted { code, board, color, when: When::At(t_us) });
    }

    fn display(&mut self, board: BoardId) -> Display {
        let mut display = Display::default();
        if self.befalls(board, Behaviour::ClockSetWrong) {
            let mut rng = self.chance.form(board, 0, Behaviour::ClockSetWrong);
            let extra_ms = 1_000 * *[10, 30, 60, 120].choose(&mut rng).unwrap_or(&60);
            let sides = [[true, true], [true, false], [false, true]];
            let given = *sides.choose(&mut rng).unwrap_or(&[true, true]);
            for (side, color) in [Color::White, Color::Black].into_iter().enumerate() {
                if given[side] {
                    display.extra_ms[side] = extra_ms;
                    self.note_at("clock-set-wrong", board, Some(color), 0);
                }
            }
        }
        let presses: Vec<(u64, Color)> = self.tables[board.index()]
            .clock
            .iter()
            .skip(1)
            .filter_map(|act| match act.touch {
                ClockTouch::Press(by) => Some((act.t_us, by)),
                _ => None,
            })
            .collect();
        if self.befalls(board, Behaviour::ClockJump) {
            let mut rng = self.chance.form(board, 0, Behaviour::ClockJump);
            if let Some(&(t_us, by)) = presses.choose(&mut rng) {
                let jump_ms = 1_000 * rng.random_range(5..=60);
                display.jump = Some((t_us, by, jump_ms));
                self.note_at("clock-jump", board, Some(by), t_us);
            }
        }
        if self.befalls(board, Behaviour::ClockDrift) {
            let mut rng = self.chance.form(board, 0, Behaviour::ClockDrift);
            display.slow_ppm = rng.random_range(10_000..=30_000);
            self.note_at("clock-drift", board, None, 0);
        }
        display
    }

    fn fault(&self, board: BoardId, end_us: u64) -> Option<BoardFault> {
        let weights = self.players.faults.of(self.sensors.kind(board)?);
        if weights.is_empty() || !self.befalls(board, Behaviour::SensorFault) {
            return None;
        }
        BoardFault::drawn(weights, end_us, self.chance.form(board, 0, Behaviour::SensorFault))
    }
}
