//! How slowly a game is played: what is a long time in blitz is none in a tournament game.
//!
//! Three kinds by the time that a player has for sixty moves, as FIDE's laws divide them (appendix A: rapid, B: blitz). The times of
//! hands at a slower pace are assumptions: no recordings of tournament games exist. They are chosen so that the habits of slow
//! play, to adjust pieces while thinking and to write at the table beside the clock, do not alarm.

use readings::TraceHeader;
use rules::{Game, TimeControl};

/// Moves by which the time of a whole game is reckoned.
const MOVES: u64 = 60;
/// Longest time of a blitz game, milliseconds for sixty moves.
const BLITZ_MS: u64 = 10 * 60_000;
/// From this time on a game is slow, milliseconds for sixty moves.
const SLOW_MS: u64 = 60 * 60_000;

/// How slowly a game is played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Pace {
    /// Ten minutes or less for sixty moves; every bughouse match.
    #[default]
    Blitz,
    /// Less than an hour.
    Rapid,
    /// An hour or more.
    Slow,
}

/// How long pieces are off their squares without being moved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touching {
    /// A nudged piece is off its square for so long, logarithm of milliseconds…
    pub(crate) nudge_ln_ms: f64,
    /// …with this spread.
    pub(crate) nudge_spread: f64,
    /// A piece in the hand of a player who thinks better of it, logarithm of milliseconds…
    pub(crate) rethought_ln_ms: f64,
    /// …with this spread.
    pub(crate) rethought_spread: f64,
    /// Second thoughts for each nudge of an own piece in the own turn, where nothing else is known.
    pub(crate) rethought_odds: f64,
}

impl Pace {
    /// The pace of a game with this header; blitz if its time is not known.
    pub(crate) fn of(header: &TraceHeader) -> Pace {
        match (header.game, header.time_control()) {
            (Game::Chess, Some(control)) => Pace::with(&control),
            _ => Pace::Blitz,
        }
    }

    fn with(control: &TimeControl) -> Pace {
        let per_move_ms = 1_000 * u64::from(control.increment_s().max(control.delay_s()));
        let periods = control.periods();
        let (mut total_ms, mut moves) = (MOVES * per_move_ms, 0);
        let mut at = 0;
        while moves < MOVES {
            let Some(period) = periods.get(at).or(periods.last()) else { break };
            total_ms += 1_000 * u64::from(period.base_s);
            let Some(lasts) = period.moves else { break };
            moves += u64::from(lasts.max(1));
            at += 1;
        }
        if total_ms <= BLITZ_MS {
            Pace::Blitz
        } else if total_ms < SLOW_MS {
            Pace::Rapid
        } else {
            Pace::Slow
        }
    }

    /// Habits of touching pieces. At a slow pace players adjust pieces with care, and hold one for longer before they think
    /// better of it.
    pub(crate) const fn touching(self) -> Touching {
        match self {
            Pace::Blitz => Touching {
                nudge_ln_ms: 4.5,
                nudge_spread: 0.55,
                rethought_ln_ms: 6.35,
                rethought_spread: 0.5,
                rethought_odds: 1.2,
            },
            Pace::Rapid => Touching {
                nudge_ln_ms: 4.9,
                nudge_spread: 0.6,
                rethought_ln_ms: 6.7,
                rethought_spread: 0.6,
                rethought_odds: 0.6,
            },
            Pace::Slow => Touching {
                nudge_ln_ms: 5.5,
                nudge_spread: 0.7,
                rethought_ln_ms: 7.3,
                rethought_spread: 0.8,
                rethought_odds: 0.25,
            },
        }
    }

    /// A hand that stays at the clock for less than this after its press, microseconds, was only slow to leave: at a slow pace it
    /// writes the move down there.
    pub(crate) const fn hover_us(self) -> u64 {
        match self {
            Pace::Blitz => 2_000_000,
            Pace::Rapid => 5_000_000,
            Pace::Slow => 15_000_000,
        }
    }

    /// A hand that has not pressed may wait for the other one to move; this long, microseconds, is too long for that.
    pub(crate) const fn waits_us(self) -> u64 {
        match self {
            Pace::Blitz => 4_000_000,
            Pace::Rapid => 15_000_000,
            Pace::Slow => 60_000_000,
        }
    }
}

#[cfg(test)]
mod tests {
    use rules::{DelayKind, Period};

    use super::*;

    #[test]
    fn pace_is_that_of_sixty_moves_with_what_each_adds() {
        let pace = |base_s, increment_s| {
            Pace::with(&TimeControl::fischer(base_s, increment_s).expect("a time control"))
        };
        assert_eq!(pace(300, 0), Pace::Blitz);
        assert_eq!(pace(480, 2), Pace::Blitz);
        assert_eq!(pace(480, 3), Pace::Rapid);
        assert_eq!(pace(900, 10), Pace::Rapid);
        assert_eq!(pace(1_800, 30), Pace::Slow);
        assert_eq!(pace(3_600, 0), Pace::Slow);
    }

    #[test]
    fn periods_count_as_far_as_sixty_moves_reach() {
        let period = |base_s, moves| Period { base_s, moves };
        let pace =
            |periods| Pace::with(&TimeControl::new(periods, 0, 0, DelayKind::Us).expect("ok"));
        assert_eq!(pace(vec![period(1_500, Some(30)), period(1_500, None)]), Pace::Rapid);
        assert_eq!(pace(vec![period(1_800, Some(20))]), Pace::Slow);
    }
}
