//! The world of a device: the pieces on one board and the clock beside it, as time passes.

use link_sim::devices::Scene;
use rules::{BoardId, Color, Piece, Square};

use crate::{
    lever_clock::LeverClock,
    script::{ClockAct, ClockTouch, Script},
};

#[derive(Clone, Copy, Debug)]
enum Happens {
    Stands(Square, Option<Piece>),
    Touch(ClockTouch),
    /// The clock is set for the next match.
    Set,
}

/// Time after a match at which its clocks are set for the next one.
pub const CLOCKS_SET_AFTER_US: u64 = 6_000_000;

/// One board of a script.
#[derive(Clone, Debug)]
pub struct World {
    timeline: Vec<(u64, Happens)>,
    next: usize,
    now_us: u64,
    pieces: [Option<Piece>; 64],
    clock: LeverClock,
    /// The clock as it is set for the next match.
    set_clock: LeverClock,
    white_down: bool,
}

impl World {
    /// A board of a script that begins at `offset_us` of the world's time; before that its pieces stand set up and its
    /// clock is set, and [some time after the match](CLOCKS_SET_AFTER_US) its clock is set anew. The script must be one
    /// for boards that know their pieces: no other tells which piece stands where.
    #[must_use]
    pub fn new(script: &Script, board: BoardId, offset_us: u64) -> World {
        let of_board = &script.boards[board.index()];
        let stands = of_board.standings.iter().map(|standing| {
            (offset_us + standing.t_us, Happens::Stands(standing.square, standing.piece))
        });
        let touches =
            of_board.clock.iter().map(|act| (offset_us + act.t_us, Happens::Touch(act.touch)));
        let set = (offset_us + script.end_us + CLOCKS_SET_AFTER_US, Happens::Set);
        let mut timeline: Vec<(u64, Happens)> = stands.chain(touches).chain([set]).collect();
        // Stable: of one instant, pieces come before the clock.
        timeline.sort_by_key(|&(t_us, _)| t_us);
        let start = script.start.position(board);
        World {
            timeline,
            next: 0,
            now_us: 0,
            pieces: Square::ALL.map(|square| start.piece_at(square)),
            clock: LeverClock::new(&script.time, of_board.display.extra_ms),
            set_clock: LeverClock::new(&script.time, [0; 2]),
            white_down: true,
        }
    }
}

impl Scene for World {
    fn run_until(&mut self, now_us: u64) {
        while let Some(&(t_us, happens)) = self.timeline.get(self.next)
            && t_us <= now_us
        {
            self.next += 1;
            self.now_us = t_us;
            match happens {
                Happens::Stands(square, piece) => self.pieces[usize::from(square)] = piece,
                Happens::Touch(touch) => {
                    if let ClockTouch::Press(by) = touch {
                        self.white_down = by.is_white();
                    }
                    self.clock.take(ClockAct { t_us, touch });
                }
                Happens::Set => self.clock = self.set_clock.clone(),
            }
        }
        self.now_us = self.now_us.max(now_us);
        self.clock.run_until(self.now_us);
    }

    fn piece(&self, square: Square) -> Option<Piece> {
        self.pieces[usize::from(square)]
    }

    fn left_us(&self, color: Color) -> u64 {
        u64::try_from(self.clock.left_us(color)).unwrap_or(0)
    }

    fn running(&self) -> Option<Color> {
        self.clock.running()
    }

    fn white_down(&self) -> bool {
        self.white_down
    }
}
