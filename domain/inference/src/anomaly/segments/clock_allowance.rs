//! Time that the time control lets each player's clock gain, and certainty that a display without
//! time is a fallen flag.
//!
//! ```text
//! gain of a side between two readings = Σ over its presses (adds + min(time used, gives back))
//!                                     + base time of a period that began between them
//!                                       (a delay of unknown kind is added in full with each press)
//! flag = 1            in the last period, or if more than MISCOUNT moves of the period are missing
//!      = FEW_MISSING  if one to MISCOUNT moves are missing
//!      = 0            if none is missing: a period ends
//! ```
//!
//! A period begins when a player has made its moves. Clocks that count moves add the time of the
//! next period with the press of the last move; other clocks add it when the display reaches zero.
//! Moves are counted by presses, so the count may be wrong by a few.
//!
//! Once a director has given a clock another delay, it may go by the old or by the new: nobody sees
//! when it took it.

use std::collections::VecDeque;

use rules::{Color, PerMove, TimeControl};

use crate::sensing::clock::DisplayReading;

/// Moves by which the count of presses may be wrong, by forgotten presses and presses without a
/// move. Assumed.
const MISCOUNT: u32 = 3;
/// Longest delay until a clock shows the time that a press has added, microseconds. Assumed.
const SHOWN_LATE_US: u64 = 2_000_000;
/// Presses remembered. Bound: on memory; as many as fit between two readings and SHOWN_LATE_US.
const MAX_PRESSES: usize = 64;
/// Largest apparent error of a period's added time, milliseconds, by late readings and rounding
/// displays. Assumed.
const TOLERANCE_MS: i64 = 2_500;
/// Certainty of a fallen flag if up to MISCOUNT moves are missing. Assumed.
const FEW_MISSING: f64 = 0.6;

/// A press and the time that it may have added.
#[derive(Clone, Copy, Debug)]
struct AllowedPress {
    t_us: u64,
    side: usize,
    adds_ms: i64,
}

/// Maximum allowance of a clock for each move.
#[derive(Clone, Copy, Debug, Default)]
struct Giving {
    /// A press adds so much, milliseconds.
    adds_ms: i64,
    /// Maximum time that a press gives back of the time used, milliseconds.
    gives_back_ms: i64,
    /// Time after a press in which a display may stand while time passes, microseconds.
    uneven_us: u64,
}

impl Giving {
    fn of(per_move: PerMove) -> Giving {
        Giving {
            adds_ms: seconds_ms(per_move.increment_s()),
            gives_back_ms: seconds_ms(per_move.given_back_s()),
            uneven_us: u64::from(per_move.delay_s()) * 1_000_000,
        }
    }
}

/// One player's moves and periods.
#[derive(Clone, Copy, Debug, Default)]
struct Player {
    moves: u32,
    /// Number of the period that the clock shows, from 0.
    period: usize,
}

/// The time that a board's clock may gain.
#[derive(Clone, Debug)]
pub(crate) struct Allowance {
    /// None if only the delay is known.
    control: Option<TimeControl>,
    giving: Giving,
    players: [Player; 2],
    presses: VecDeque<AllowedPress>,
    /// Time of the last press, or of the beginning of play, microseconds.
    pub(crate) turn_us: u64,
}

/// Two adjacent readings, the earlier one first.
pub(crate) type Interval = [DisplayReading; 2];

/// The time that passed in an interval, microseconds.
pub(crate) fn passed_us([before, after]: Interval) -> u64 {
    after.t_us.saturating_sub(before.t_us)
}

/// Whole milliseconds.
pub(crate) fn ms(us: u64) -> i64 {
    i64::try_from(us / 1_000).unwrap_or(i64::MAX / 4)
}

fn seconds_ms(seconds: u32) -> i64 {
    i64::from(seconds) * 1_000
}

impl Allowance {
    /// The allowance under this control, or under a delay of `delay_s` seconds whose kind is not
    /// known if the control is none.
    pub(crate) fn new(control: Option<TimeControl>, delay_s: u32) -> Allowance {
        let giving = match &control {
            Some(control) => Giving::of(control.per_move()),
            // It may hold time back or give it back.
            None => Giving {
                adds_ms: seconds_ms(delay_s),
                gives_back_ms: 0,
                uneven_us: u64::from(delay_s) * 1_000_000,
            },
        };
        let (players, presses) = Default::default();
        Allowance { control, giving, players, presses, turn_us: 0 }
    }

    /// The clock was given another delay, or is about to be.
    pub(crate) fn may_give(&mut self, per_move: PerMove) {
        let (known, new) = (self.giving, Giving::of(per_move));
        self.giving = Giving {
            adds_ms: known.adds_ms.max(new.adds_ms),
            gives_back_ms: known.gives_back_ms.max(new.gives_back_ms),
            uneven_us: known.uneven_us.max(new.uneven_us),
        };
    }

    /// A player presses and thereby completes a move.
    pub(crate) fn press(&mut self, t_us: u64, by: Color) {
        let side = usize::from(by.is_black());
        let used_ms = ms(t_us.saturating_sub(self.turn_us));
        self.players[side].moves = self.players[side].moves.saturating_add(1);
        self.turn_us = t_us;
        let adds_ms = self.giving.adds_ms + self.giving.gives_back_ms.min(used_ms);
        if adds_ms > 0 {
            if self.presses.len() == MAX_PRESSES {
                self.presses.pop_front();
            }
            self.presses.push_back(AllowedPress { t_us, side, adds_ms });
        }
    }

    /// The time that each side may have gained in an interval, milliseconds. A period that began in
    /// it counts as begun afterwards.
    pub(crate) fn gained_ms(&mut self, interval: Interval) -> [i64; 2] {
        let since_us = interval[0].t_us.saturating_sub(SHOWN_LATE_US);
        [0, 1].map(|side| {
            let presses = self.presses.iter();
            let pressed = presses.filter(|press| press.side == side && press.t_us >= since_us);
            let added_ms: i64 = pressed.map(|press| press.adds_ms).sum();
            added_ms + self.begins_period(side, interval, added_ms)
        })
    }

    /// The base time of the period that began for a side in an interval, milliseconds; 0 if none
    /// began. `added_ms`: the time that the side may have gained besides.
    fn begins_period(&mut self, side: usize, interval: Interval, added_ms: i64) -> i64 {
        let Player { moves, period } = self.players[side];
        let Some(control) = &self.control else { return 0 };
        let Some(next_ms) = control.gain_at_zero_ms(period) else { return 0 };
        let next_ms = i64::try_from(next_ms).unwrap_or(i64::MAX / 4);
        let passed_ms = ms(passed_us(interval));
        let [before_ms, after_ms] = interval.map(|shown| shown.left_ms[side]);
        let least_ms = next_ms - passed_ms - TOLERANCE_MS;
        let gains_ms = least_ms..=next_ms + added_ms + TOLERANCE_MS;
        let is_due = moves.saturating_add(MISCOUNT) >= moves_due(control, period)
            || before_ms <= passed_ms + TOLERANCE_MS;
        if next_ms > 0 && gains_ms.contains(&after_ms.saturating_sub(before_ms)) && is_due {
            self.players[side].period += 1;
            return next_ms;
        }
        0
    }

    /// For each side the certainty, 0 to 1, that a display without time is a fallen flag.
    pub(crate) fn flags(&self) -> [f64; 2] {
        self.players.map(|Player { moves, period }| match &self.control {
            Some(control) if control.gain_at_zero_ms(period).is_some() => {
                match moves_due(control, period).saturating_sub(moves) {
                    0 => 0.0,
                    1..=MISCOUNT => FEW_MISSING,
                    _ => 1.0,
                }
            }
            _ => 1.0,
        })
    }

    /// Memory taken beside the struct itself, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.presses.capacity() * size_of::<AllowedPress>()
    }

    /// Whether the display counts exactly the time that passes in this interval: nothing is added,
    /// and no delay holds the clock.
    pub(crate) fn runs_evenly(&self, interval: Interval) -> bool {
        let Giving { adds_ms, uneven_us, .. } = self.giving;
        let per_press = adds_ms > 0 || uneven_us > 0;
        let settled_us = self.turn_us.saturating_add(SHOWN_LATE_US).saturating_add(uneven_us);
        !per_press || interval[0].t_us >= settled_us
    }
}

/// Moves that a player has completed when period number `period`, from 0, ends. The last period is repeated.
fn moves_due(control: &TimeControl, period: usize) -> u32 {
    let periods = control.periods();
    let of = |at: usize| periods.get(at).or(periods.last()).and_then(|period| period.moves);
    (0..=period).filter_map(of).fold(0, u32::saturating_add)
}

#[cfg(test)]
mod tests {
    use rules::{DelayKind, Period};

    use super::*;

    const WHITE: Color = Color::White;

    fn two_periods() -> Allowance {
        let periods =
            vec![Period { base_s: 5_400, moves: Some(40) }, Period { base_s: 1_800, moves: None }];
        let control = TimeControl::new(periods, 0, 0, DelayKind::Us).expect("a time control");
        Allowance::new(Some(control), 0)
    }

    /// One second in which White's clock goes from one time to another.
    fn second(before_ms: i64, after_ms: i64) -> Interval {
        [(10_000_000, before_ms), (11_000_000, after_ms)].map(|(t_us, white_ms)| DisplayReading {
            t_us,
            left_ms: [white_ms, 60_000],
            running: Some(WHITE),
        })
    }

    /// Time from `t_us` on with the same displays, microseconds.
    fn from(t_us: u64, lasts_us: u64) -> Interval {
        [t_us, t_us + lasts_us].map(|t_us| DisplayReading { t_us, ..second(0, 0)[0] })
    }

    #[test]
    fn increment_may_be_gained_with_each_press_and_not_without_one() {
        let mut allowance = Allowance::new(TimeControl::fischer(180, 2).ok(), 0);
        assert_eq!(allowance.gained_ms(second(9_000, 11_000)), [0, 0]);
        allowance.press(10_500_000, WHITE);
        assert_eq!(allowance.gained_ms(second(9_000, 11_000)), [2_000, 0]);
        let later = second(9_000, 11_000).map(|shown| DisplayReading { t_us: 20_000_000, ..shown });
        assert_eq!(allowance.gained_ms(later), [0, 0]);
    }

    #[test]
    fn bronstein_delay_gives_back_what_was_used_and_no_more() {
        let whole = vec![Period { base_s: 300, moves: None }];
        let control = TimeControl::new(whole, 0, 10, DelayKind::Bronstein).expect("it is one");
        for (used_us, given_back_ms) in [(1_200_000, 1_200), (50_000_000, 10_000)] {
            let mut allowance = Allowance::new(Some(control.clone()), 10);
            allowance.turn_us = 100_000_000;
            allowance.press(100_000_000 + used_us, WHITE);
            let now_us = 100_000_000 + used_us;
            assert_eq!(allowance.gained_ms(from(now_us, 1_000_000)), [given_back_ms, 0]);
        }
    }

    #[test]
    fn clock_that_was_given_another_delay_may_go_by_the_old_or_by_the_new() {
        let mut allowance = Allowance::new(TimeControl::fischer(180, 2).ok(), 0);
        let five = rules::PerMove::new(0, 5, DelayKind::Us).expect("a delay");
        allowance.may_give(five);
        allowance.press(10_500_000, WHITE);
        assert_eq!(allowance.gained_ms(second(9_000, 11_000)), [2_000, 0], "the increment still");
        assert!(!allowance.runs_evenly(from(14_000_000, 1_000_000)), "the new delay may hold it");
        let added = rules::PerMove::new(8, 0, DelayKind::Us).expect("an increment");
        allowance.may_give(added);
        allowance.press(30_000_000, WHITE);
        assert_eq!(allowance.gained_ms(from(30_000_000, 1_000_000)), [8_000, 0]);
    }

    #[test]
    fn next_period_is_added_once_when_its_moves_are_made() {
        let mut allowance = two_periods();
        let added = second(60_000, 60_000 + 1_799_000);
        assert_eq!(allowance.gained_ms(added), [0, 0], "no move is made yet");
        (0..40).for_each(|_| allowance.press(0, WHITE));
        assert_eq!(allowance.flags(), [0.0, 1.0]);
        assert_eq!(allowance.gained_ms(added), [1_800_000, 0]);
        assert_eq!(allowance.gained_ms(added), [0, 0], "there is no third period");
        assert_eq!(allowance.flags(), [1.0, 1.0], "the last period ends with a fallen flag");
    }

    #[test]
    fn clock_that_counts_no_moves_adds_the_next_period_at_zero() {
        let mut allowance = two_periods();
        assert_eq!(allowance.gained_ms(second(800, 1_799_800)), [1_800_000, 0]);
    }

    #[test]
    fn flag_at_the_end_of_a_period_is_doubtful_where_presses_may_have_been_forgotten() {
        let mut allowance = two_periods();
        (0..37).for_each(|_| allowance.press(0, WHITE));
        assert_eq!(allowance.flags(), [FEW_MISSING, 1.0]);
    }

    #[test]
    fn moves_are_due_at_the_end_of_each_period_and_of_the_last_again_and_again() {
        let periods =
            [(7_200, 40), (3_600, 20)].map(|(base_s, moves)| Period { base_s, moves: Some(moves) });
        let control = TimeControl::new(periods.to_vec(), 0, 0, DelayKind::Us).expect("it is one");
        assert_eq!([0, 1, 2, 3].map(|period| moves_due(&control, period)), [40, 60, 80, 100]);
    }

    #[test]
    fn clock_runs_evenly_where_nothing_is_added_and_after_the_delay() {
        let interval = |since_s: u64| from(since_s * 1_000_000, 500_000);
        assert!(Allowance::new(None, 0).runs_evenly(interval(0)));
        let mut delayed = Allowance::new(TimeControl::sudden_death(300, 5).ok(), 5);
        delayed.turn_us = 20_000_000;
        assert!(!delayed.runs_evenly(interval(26)) && delayed.runs_evenly(interval(27)));
    }
}
