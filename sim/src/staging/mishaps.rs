//! What may be wrong with a board or its clock for a whole match: each is drawn once a board.

use rand::{RngExt, seq::IndexedRandom};
use readings::SensorKind;
use rules::{BoardId, Color, Seat, Square};

use super::Staging;
use crate::{
    chance::between_ms,
    contact::Edge,
    profile::Behaviour,
    script::{BoardScript, ClockTouch, Display, Noted, When},
};

/// What befalls one board.
#[derive(Clone, Debug, Default)]
pub(super) struct Mishaps {
    display: Display,
    fault: Option<Fault>,
}

/// What a board's sensors or its line do wrong.
#[derive(Clone, Debug)]
enum Fault {
    /// A contact stays as it is from a moment on.
    Stuck { square: Square, t_us: u64, closed: bool },
    /// A contact opens and closes at these moments.
    Chatters { square: Square, toggles_us: Vec<u64> },
    /// Readings are lost from a moment until another.
    Lost { from_us: u64, until_us: u64 },
}

impl Mishaps {
    /// The board's script with what befalls it.
    pub(super) fn befall(self, mut script: BoardScript) -> BoardScript {
        script.display = self.display;
        match self.fault {
            None => {}
            Some(Fault::Lost { from_us, until_us }) => script.lost = Some((from_us, until_us)),
            Some(Fault::Stuck { square, t_us, closed }) => {
                script.edges.retain(|edge| edge.square != square || edge.t_us < t_us);
                script.edges.push(Edge { t_us, square, closed });
                script.edges.sort_by_key(|edge| (edge.t_us, edge.square));
            }
            Some(Fault::Chatters { square, toggles_us }) => {
                for t_us in toggles_us {
                    let of_square = script.edges.iter().filter(|edge| edge.square == square);
                    let before = of_square.take_while(|edge| edge.t_us <= t_us).last();
                    let closed = before.map_or(script.initial.contains(square), |edge| edge.closed);
                    let again_us = t_us + CHATTER_US;
                    script.edges.push(Edge { t_us, square, closed: !closed });
                    script.edges.push(Edge { t_us: again_us, square, closed });
                    script.edges.sort_by_key(|edge| (edge.t_us, edge.square));
                }
            }
        }
        script
    }
}

/// How long a chattering contact reads wrong each time, microseconds: longer than any debounce.
const CHATTER_US: u64 = 25_000;

impl Staging<'_> {
    /// Draws what befalls both boards, and notes it.
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

    fn fault(&mut self, board: BoardId, end_us: u64) -> Option<Fault> {
        // Only reed contacts are known to fail in these ways.
        let reed = self.sensors.kind(board) == Some(SensorKind::Reed);
        if !reed || !self.befalls(board, Behaviour::SensorFault) {
            return None;
        }
        let mut rng = self.chance.form(board, 0, Behaviour::SensorFault);
        let t_us = rng.random_range(2_000_000..=(end_us / 2).max(2_000_001));
        let square = Square::new(rng.random_range(0..64));
        let fault = match rng.random_range(0..3) {
            0 => Fault::Stuck { square, t_us, closed: rng.random_bool(0.5) },
            1 => {
                let until_us = t_us + between_ms(&mut rng, 2_000, 10_000);
                let mut toggles_us = Vec::new();
                let mut at_us = t_us;
                while at_us < until_us {
                    toggles_us.push(at_us);
                    at_us += CHATTER_US + between_ms(&mut rng, 30, 200);
                }
                Fault::Chatters { square, toggles_us }
            }
            _ => Fault::Lost { from_us: t_us, until_us: t_us + between_ms(&mut rng, 300, 2_000) },
        };
        self.note_at("sensor-fault", board, None, t_us);
        Some(fault)
    }
}
