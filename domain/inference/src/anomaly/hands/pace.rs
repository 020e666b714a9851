//! The pace of a game: a long time in blitz is none in a tournament game.
//!
//! ```text
//! T = base times of the periods for 60 moves + 60 · max(increment, delay)
//! blitz if T ≤ 10 min,  rapid if T < 60 min,  otherwise slow
//! ```
//!
//! The paces follow FIDE's definitions of blitz and rapid. The times of hands at each pace are
//! assumed: no recordings of tournament games exist. They are chosen so that two habits of slow
//! play do not alarm: to adjust pieces while thinking, and to write at the table beside the clock.

use readings::TraceHeader;
use rules::{Game, TimeControl};

/// Moves by which the time of a whole game is reckoned. Rule: FIDE's definitions of blitz and rapid.
const MOVES: u64 = 60;
/// Longest time of a blitz game, milliseconds for 60 moves. Rule: FIDE's definition of blitz.
const BLITZ_MS: u64 = 10 * 60_000;
/// Shortest time of a slow game, milliseconds for 60 moves. Rule: FIDE's definition of rapid.
const SLOW_MS: u64 = 60 * 60_000;

/// The times of hands at the pace of a game.
///
/// Two log-normal models tell for how long pieces are off their squares without being moved.
/// Assumed: at a slow pace players adjust pieces with care, and hold one for longer before they
/// think better of it. The medians for blitz, 90 ms and 0.57 s, are close to those of the
/// simulator's table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pace {
    /// Mean of the natural logarithm of the time, milliseconds, that a nudged piece is off its square.
    pub(crate) nudge_ln_ms: f64,
    /// Standard deviation of that logarithm.
    pub(crate) nudge_spread: f64,
    /// The same mean for a piece in the hand of a player who thinks better of the move.
    pub(crate) rethought_ln_ms: f64,
    /// Standard deviation of that logarithm.
    pub(crate) rethought_spread: f64,
    /// Prior odds of a second thought to a nudge, for an own piece in the own turn.
    pub(crate) rethought_odds: f64,
    /// Shortest stay of a hand at the clock after its press that is more than slow leaving,
    /// microseconds. Assumed: at a slow pace the hand writes the move down there.
    pub(crate) hover_us: u64,
    /// Shortest stay of a hand without a press that is more than waiting for the opponent's ply,
    /// microseconds. Assumed.
    pub(crate) waits_us: u64,
}

impl Pace {
    /// Ten minutes or less for 60 moves; every bughouse match.
    pub(crate) const BLITZ: Pace = Pace {
        nudge_ln_ms: 4.5,
        nudge_spread: 0.55,
        rethought_ln_ms: 6.35,
        rethought_spread: 0.5,
        rethought_odds: 1.2,
        hover_us: 2_000_000,
        waits_us: 4_000_000,
    };
    /// Less than an hour.
    pub(crate) const RAPID: Pace = Pace {
        nudge_ln_ms: 4.9,
        nudge_spread: 0.6,
        rethought_ln_ms: 6.7,
        rethought_spread: 0.6,
        rethought_odds: 0.6,
        hover_us: 5_000_000,
        waits_us: 15_000_000,
    };
    /// An hour or more.
    pub(crate) const SLOW: Pace = Pace {
        nudge_ln_ms: 5.5,
        nudge_spread: 0.7,
        rethought_ln_ms: 7.3,
        rethought_spread: 0.8,
        rethought_odds: 0.25,
        hover_us: 15_000_000,
        waits_us: 60_000_000,
    };

    /// The pace of a game with this header; blitz if its time is not known.
    pub(crate) fn of(header: &TraceHeader) -> Pace {
        match (header.game, header.time_control()) {
            (Game::Chess, Some(control)) => Pace::with(&control),
            _ => Pace::BLITZ,
        }
    }

    fn with(control: &TimeControl) -> Pace {
        let per_move_ms = 1_000 * u64::from(control.increment_s().max(control.delay_s()));
        let (mut total_ms, mut moves) = (MOVES * per_move_ms, 0);
        let last = control.periods().last().into_iter().cycle();
        for period in control.periods().iter().chain(last) {
            if moves >= MOVES {
                break;
            }
            total_ms += 1_000 * u64::from(period.base_s);
            moves += period.moves.map_or(MOVES, |moves| u64::from(moves.max(1)));
        }
        if total_ms <= BLITZ_MS {
            Pace::BLITZ
        } else if total_ms < SLOW_MS {
            Pace::RAPID
        } else {
            Pace::SLOW
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
        assert_eq!(pace(300, 0), Pace::BLITZ);
        assert_eq!(pace(480, 2), Pace::BLITZ);
        assert_eq!(pace(480, 3), Pace::RAPID);
        assert_eq!(pace(900, 10), Pace::RAPID);
        assert_eq!(pace(1_800, 30), Pace::SLOW);
        assert_eq!(pace(3_600, 0), Pace::SLOW);
    }

    #[test]
    fn periods_count_as_far_as_sixty_moves_reach() {
        let period = |base_s, moves| Period { base_s, moves };
        let pace =
            |periods| Pace::with(&TimeControl::new(periods, 0, 0, DelayKind::Us).expect("ok"));
        assert_eq!(pace(vec![period(1_500, Some(30)), period(1_500, None)]), Pace::RAPID);
        assert_eq!(pace(vec![period(1_800, Some(20))]), Pace::SLOW);
    }
}
