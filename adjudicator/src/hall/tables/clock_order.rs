//! Orders to clocks: in the form of the pages, and in that of the hubs.

use proto::link::{MAX_CLOCK_MS, MAX_DELAY_MS};
use referee::Phase;
use rules::{
    BoardId, PerMove,
    rulebook::{Topic, terms::DelayKinds},
};
use serde::{Deserialize, Serialize};

use crate::hall::Game;

/// An order to a clock, in the form of the pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "clock", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ClockForm {
    /// Stop, and stand at the beginning of the time control.
    SetAnew,
    /// Time given or taken, milliseconds.
    Adjust {
        /// White's.
        white_ms: i32,
        /// Black's.
        black_ms: i32,
    },
    /// Show these times, milliseconds; the clock must stand.
    Set {
        /// White's.
        white_ms: u32,
        /// Black's.
        black_ms: u32,
    },
    /// Both times stop.
    Pause,
    /// Go on.
    Resume,
    /// Another delay from the next ply on; times stay as they are.
    Delay {
        /// Delay or increment.
        per_move: PerMove,
    },
}

/// An order to a clock, in the form of the hubs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockChange {
    /// Stop, and stand at the beginning of the time control.
    SetAnew,
    /// Time given or taken, milliseconds: White's and Black's.
    Adjust(i32, i32),
    /// Both times stop.
    Pause,
    /// Go on.
    Resume,
    /// Another delay from the next ply on.
    Delay(PerMove),
}

impl Game {
    /// The hub's form of an order, if a clock can carry it out.
    pub(in crate::hall) fn clock_change(
        &self,
        board: BoardId,
        form: ClockForm,
    ) -> Result<ClockChange, String> {
        if !self.has(board) {
            return Err(format!("board {board} has no sensors: set its clock by hand"));
        }
        if self.referee().phase() == Phase::Ended {
            return Err("the next match is being set up: this clock is not this match's any more"
                .to_owned());
        }
        let reading = self.referee().clock(board);
        let standing = reading.filter(|reading| reading.running.is_none());
        let most = i64::from(MAX_CLOCK_MS);
        Ok(match form {
            ClockForm::SetAnew => ClockChange::SetAnew,
            ClockForm::Pause => ClockChange::Pause,
            ClockForm::Resume => ClockChange::Resume,
            ClockForm::Delay { per_move } => self.delay_change(per_move)?,
            ClockForm::Set { white_ms, black_ms } => {
                let shown = standing
                    .ok_or("its times are not known while it runs: stop this clock first")?;
                let change = |to: u32, from: i64| {
                    i32::try_from(i64::from(to) - from).ok().filter(|_| i64::from(to) <= most)
                };
                let changes = (change(white_ms, shown.white_ms), change(black_ms, shown.black_ms));
                match changes {
                    (Some(white), Some(black)) => ClockChange::Adjust(white, black),
                    _ => return Err(out_of_range()),
                }
            }
            ClockForm::Adjust { white_ms: 0, black_ms: 0 } => {
                return Err("that changes nothing".to_owned());
            }
            ClockForm::Adjust { white_ms, black_ms } => {
                let in_range = |by: i32, from: Option<i64>| {
                    i64::from(by).abs() <= most
                        && from.is_none_or(|from| (0..=most).contains(&(from + i64::from(by))))
                };
                let white = in_range(white_ms, standing.map(|shown| shown.white_ms));
                let black = in_range(black_ms, standing.map(|shown| shown.black_ms));
                if !(white && black) {
                    return Err(out_of_range());
                }
                ClockChange::Adjust(white_ms, black_ms)
            }
        })
    }

    /// A delay that can be ordered.
    fn delay_change(&self, per_move: PerMove) -> Result<ClockChange, String> {
        let most_s = MAX_DELAY_MS / 1_000;
        if per_move.increment_s().max(per_move.delay_s()) > most_s {
            return Err(format!("a clock gives from 0 to {most_s} s for each move: give less"));
        }
        let book = self.rulebook.book();
        let adds_up = |per_move: PerMove| per_move.increment_s() > 0;
        // Where the event itself plays with an increment, its book was left already.
        if adds_up(per_move)
            && !adds_up(self.time.per_move())
            && book.terms.time.kinds == DelayKinds::NoneThatAddsUp
        {
            let rule =
                book.cite(Topic::DelayKind).map_or_else(String::new, |cite| format!(" ({cite})"));
            return Err(format!(
                "the delay of this rulebook does not add up{rule}: give a delay or a Bronstein delay"
            ));
        }
        Ok(ClockChange::Delay(per_move))
    }
}

fn out_of_range() -> String {
    format!("a clock shows from 0 to {} hours: give another time", MAX_CLOCK_MS / 3_600_000 + 1)
}
