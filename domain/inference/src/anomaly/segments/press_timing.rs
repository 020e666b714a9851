//! Forgotten presses: presses that came only after the opponent's answer had begun.
//!
//! ```text
//! share = O · F · B_f / (O · F · B_f + I · B_i),   O = FORGOTTEN_ODDS
//!
//! I = U(w) / ((1 − SETS_OUT_FROM) · w) · [N(a − l; flight) + READ_LATE / LATE_MS.1]       impatient
//! F = look(l − x)           · [N(a − l; flight) + READ_LATE / LATE_MS.1] · woke(a)   forgotten
//! B_i = own(s) + P(back by 0) · uniform(s; AT_ONCE_MS)
//! B_f = own(s) · (UNSURPRISED if s < SURPRISED_MS.0, else 1)
//!       + P(back by the middle of SURPRISED_MS) · uniform(s; SURPRISED_MS)
//! ```
//!
//! Times are milliseconds since the press: x when the ply landed (w = −x), l when the answer's
//! piece was lifted, a when the answer was read on its target, s when the opponent pressed. N is a
//! normal density.
//!
//! - U(w): density of a press that was not forgotten. It mixes the player's own way and exponential delays.
//! - look(t): skewed log-normal density; its median is the usual way (LAID_ASIDE times that after a
//!   capture) plus LOOK_MS.
//! - woke(a): 1 / WAKES_WITHIN_MS if −WAKES_WITHIN_MS ≤ a ≤ 0, otherwise WAKES_OTHERWISE times that.
//! - own(s): density of the opponent's own way to the clock after the answer, with late and
//!   unexplained presses. "Back by t": the probability that the opponent's hand is at the clock by
//!   t. B_i = B_f = 1 if the second press is not known.
//!
//! The answer may lack a time. A drop has no lift: F then has look(a − x), and both are without the
//! bracket. An answer that is not read has no bracket either. Where the landing is not read before
//! the press, woke(a) is the probability that the piece landed within WAKES_WITHIN_MS before it, at
//! least WAKES_OTHERWISE, over WAKES_WITHIN_MS; F then has READ_LATE / LATE_MS.1 for the bracket if
//! the answer is read later.
//!
//! Two paths have the same plies and presses. *Impatient*: the opponent's hand set out while the
//! player's hand was on its way to the clock. *Forgotten*: the opponent looked at the clock, moved
//! all the same, and the forgetter woke up at that. The times decide, by the quickness that both
//! players have shown ([`ReachTimes`](super::reach_time::ReachTimes)).

use rules::{Color, Ply, Square};

use crate::anomaly::{
    hands::density::{UNUSUAL, below, even, exponential, normal, skewed_ms},
    segments::context::DetectorContext,
};
use crate::hand_times::{ANSWER_READ_US, LATE_MS, READ_LATE};

/// Prior odds of a forgotten press that is made up for, to an answer that is begun before the
/// press. Assumed: for children 40 % of 1.5 % of the plies to 8 %, for a club 40 % of 0.2 % to 2 %.
const FORGOTTEN_ODDS: f64 = 0.05;
/// Part of the time from landing to press after which an impatient hand sets out. Assumed: as in
/// the simulator's table.
const SETS_OUT_FROM: f64 = 0.2;
/// Part of the presses that are delayed for reasons off the board or on the way, and their mean
/// delay, milliseconds. Assumed.
const DELAYED: (f64, f64) = (0.1, 1_500.0);
/// Way to the clock of a hand that lays a captured piece aside first, as a multiple of the usual
/// way. Assumed.
const LAID_ASIDE: f64 = 2.1;
/// Median time from when the press was due until an opponent who finds the own clock standing lifts a piece,
/// milliseconds: a look at clock and board, often a thought, and the way of the hand. Assumed.
const LOOK_MS: f64 = 1_700.0;
/// Spread of its natural logarithm, below the median and above it. Assumed: the opponent may think for long.
const LOOK_SPREAD_LN: (f64, f64) = (0.35, 0.6);
/// Time after the answer's landing within which the forgetter wakes up, milliseconds. Assumed: the
/// simulator has 600.
const WAKES_WITHIN_MS: f64 = 620.0;
/// Relative density of waking up before the answer has landed, or later than that. Assumed.
const WAKES_OTHERWISE: f64 = 0.02;
/// Time from a late press to the press of an opponent who waits surprised at the clock,
/// milliseconds, uniform. Assumed.
const SURPRISED_MS: (f64, f64) = (140.0, 520.0);
/// The same for an opponent who was only impatient, milliseconds, uniform. Assumed.
const AT_ONCE_MS: (f64, f64) = (60.0, 120.0);
/// Relative density of an earlier press by a surprised opponent. Assumed.
const UNSURPRISED: f64 = 0.05;
/// Standard deviation of the opponent's way to the clock, relative to its mean. Assumed: wide, for
/// other errands.
const WAY_SPREAD: f64 = 0.3;
/// Standard deviation of carrying a piece, relative to its mean. Assumed.
const FLIGHT_SPREAD: f64 = 0.25;
/// Minimum standard deviation of carrying a piece, and half the least one of a way, milliseconds. Assumed.
const LEAST_SPREAD_MS: f64 = 30.0;
/// Part of the second presses that come late, and their mean delay, milliseconds. Assumed.
const SECOND_LATE: (f64, f64) = (0.1, 1_500.0);
/// Up to this time after the press a reading on the answer's target counts as the answer,
/// milliseconds. Assumed: a later one is mostly the next ply.
const READ_SOON_MS: f64 = 300.0;
/// Part of its usual time in which a hand may at best come back from the clock and land a piece. Assumed.
const QUICK: f64 = 0.7;

/// Times around a press, milliseconds since the press, and the usual times of the two players, milliseconds.
#[derive(Clone, Copy, Debug)]
struct Times {
    /// Time at which the ply landed: before the press, so 0 or less.
    landed_ms: f64,
    /// Time at which the answer's piece was lifted from the board: 0 or less. None for a drop.
    lifted_ms: Option<f64>,
    /// Time at which the answer was read on its target.
    answered_ms: Option<f64>,
    /// Time at which the opponent pressed, if that was the next press.
    pressed_ms: Option<f64>,
    /// Mean time from landing the ply to its press.
    way_ms: f64,
    /// Standard deviation of that time.
    spread_ms: f64,
    /// Whether the ply captured: the piece may have to be laid aside before the press.
    captures: bool,
    /// Mean time from lifting the answer's piece to landing it; 0 for a drop.
    flight_ms: f64,
    /// Mean time from landing the answer to its press.
    answer_way_ms: f64,
}

/// `share` of the module's formula, 0 to 1: the probability that the press after the segment's
/// first ply was forgotten and came late, given that the ply and its answer are as believed. 0 if
/// the answer had not begun when the press came.
pub(crate) fn forgotten_share(context: DetectorContext<'_>) -> f64 {
    times(context).map_or(0.0, |times| share(&times))
}

/// The times, if the answer had begun before the press.
fn times(context: DetectorContext<'_>) -> Option<Times> {
    let DetectorContext { layer, answer, history, hands, presses, .. } = context;
    let press_us = layer.t_us;
    let first = answer.plies.first().filter(|first| Some(first.side) == layer.presser)?;
    let (player, opponent) = (first.side, first.side.other());
    let reply = match answer.plies.as_slice() {
        [_, second] => second.ply,
        [_] => answer.reply.filter(|reply| reply.side == opponent)?.ply,
        _ => return None,
    };
    let landed_us = context.way(first.ply, press_us).map_or(first.landed_us, |way| way.1);
    let landed_us = landed_us.min(press_us);
    let lifts = |from: Square| history.lifted(from, (landed_us, press_us));
    let lifted_us = reply.from().and_then(|from| lifts(from).next_back());
    let until_us = press_us.saturating_add(ANSWER_READ_US);
    let answered_us = history.filled(reply.to(), (lifted_us.unwrap_or(landed_us), until_us)).next();
    if lifted_us.is_none() && answered_us.is_none_or(|t_us| t_us > press_us) {
        return None;
    }
    let since_press = |t_us: u64| (t_us as f64 - press_us as f64) / 1_000.0;
    let way_ms = hands.press_ms(player, first.ply.to());
    let flight_ms = |from: Square| hands.flight_ms(opponent, Some(from), reply.to());
    let next_press = presses.next_press.filter(|(side, _)| *side == opponent);
    Some(Times {
        landed_ms: since_press(landed_us),
        lifted_ms: lifted_us.map(since_press),
        answered_ms: answered_us.map(since_press),
        pressed_ms: next_press.map(|(_, t_us)| since_press(t_us)),
        way_ms,
        spread_ms: hands.spread * way_ms,
        captures: first.captured.is_some(),
        flight_ms: reply.from().map_or(0.0, flight_ms),
        answer_way_ms: hands.press_ms(opponent, reply.to()),
    })
}

fn share(times: &Times) -> f64 {
    let (second_impatient, second_forgotten) = second_press(times);
    let impatient = impatient(times) * second_impatient;
    let forgotten = FORGOTTEN_ODDS * forgotten(times) * second_forgotten;
    if forgotten > 0.0 { forgotten / (forgotten + impatient) } else { 0.0 }
}

/// I of the module's formula.
fn impatient(times: &Times) -> f64 {
    let waited_ms = (-times.landed_ms).max(1.0);
    let own = normal(waited_ms, times.way_ms, times.spread_ms);
    // U(w) of the module's formula, per millisecond.
    let usual =
        (1.0 - DELAYED.0) * own + DELAYED.0 * exponential(waited_ms - times.way_ms, DELAYED.1);
    let begun = usual / ((1.0 - SETS_OUT_FROM) * waited_ms);
    match (times.lifted_ms, times.answered_ms) {
        (Some(lifted_ms), Some(answered_ms)) => begun * flown(answered_ms - lifted_ms, times),
        (None, None) => 0.0,
        _ => begun,
    }
}

/// F of the module's formula.
fn forgotten(times: &Times) -> f64 {
    let aside = if times.captures { LAID_ASIDE } else { 1.0 };
    let look_ms = aside * times.way_ms + LOOK_MS;
    let looked = |begun_ms: f64| skewed_ms(begun_ms - times.landed_ms, look_ms, LOOK_SPREAD_LN);
    let woke = |landed_ms: f64| {
        let in_time = (0.0..=WAKES_WITHIN_MS).contains(&-landed_ms);
        if in_time { 1.0 / WAKES_WITHIN_MS } else { WAKES_OTHERWISE / WAKES_WITHIN_MS }
    };
    let Some(lifted_ms) = times.lifted_ms else {
        return times
            .answered_ms
            .map_or(0.0, |answered_ms| looked(answered_ms) * woke(answered_ms));
    };
    // The landing may be read late or not at all. It then lies one flight after the lift.
    let spread_ms = flight_spread_ms(times);
    let landed_by = |t_ms: f64| below(t_ms, lifted_ms + times.flight_ms, spread_ms);
    let woke_unread =
        (landed_by(0.0) - landed_by(-WAKES_WITHIN_MS)).max(WAKES_OTHERWISE) / WAKES_WITHIN_MS;
    match times.answered_ms {
        Some(answered_ms) if answered_ms <= 0.0 => {
            looked(lifted_ms) * flown(answered_ms - lifted_ms, times) * woke(answered_ms)
        }
        Some(_) => looked(lifted_ms) * READ_LATE / LATE_MS.1 * woke_unread,
        None => looked(lifted_ms) * woke_unread,
    }
}

fn flight_spread_ms(times: &Times) -> f64 {
    (FLIGHT_SPREAD * times.flight_ms).max(LEAST_SPREAD_MS)
}

/// Density per millisecond of carrying the answer's piece for this time, or of reading it late.
fn flown(ms: f64, times: &Times) -> f64 {
    normal(ms, times.flight_ms, flight_spread_ms(times)) + READ_LATE / LATE_MS.1
}

/// B_i and B_f of the module's formula, per millisecond; 1 if the second press is not known.
fn second_press(times: &Times) -> (f64, f64) {
    let Some(pressed_ms) = times.pressed_ms else { return (1.0, 1.0) };
    let read_ms = times.answered_ms.filter(|&answered_ms| answered_ms <= READ_SOON_MS);
    let flown_ms = times.lifted_ms.map(|lifted_ms| lifted_ms + times.flight_ms);
    let landed_ms = read_ms.or(flown_ms).unwrap_or(0.0);
    let way_ms = times.answer_way_ms;
    let spread_ms = (WAY_SPREAD * way_ms).max(2.0 * LEAST_SPREAD_MS);
    let at_clock_by = |t_ms: f64| below(t_ms, landed_ms + way_ms, spread_ms);
    let since_ms = pressed_ms - landed_ms;
    let own = (1.0 - SECOND_LATE.0) * normal(since_ms, way_ms, spread_ms)
        + SECOND_LATE.0 * exponential(since_ms, SECOND_LATE.1)
        + UNUSUAL;
    let at_once = at_clock_by(0.0) * even(pressed_ms, AT_ONCE_MS);
    let middle_ms = (SURPRISED_MS.0 + SURPRISED_MS.1) / 2.0;
    let surprised = at_clock_by(middle_ms) * even(pressed_ms, SURPRISED_MS);
    let sooner = if pressed_ms < SURPRISED_MS.0 { UNSURPRISED } else { 1.0 };
    (own + at_once, own * sooner + surprised)
}

/// Whether a piece that a player landed right after the own press was on its way when the press
/// came. The hand could not have come from the clock and fetched it in that time.
pub(crate) fn was_on_its_way(
    player: Color,
    ply: Ply,
    press_us: u64,
    context: DetectorContext<'_>,
) -> bool {
    let (hands, to) = (context.hands, ply.to());
    let back_ms = match ply.from() {
        Some(from) => hands.press_ms(player, from) + hands.flight_ms(player, Some(from), to),
        // To the reserve, which lies beside the clock, and about as far to the square.
        None => 2.0 * hands.press_ms(player, to),
    };
    let until_us = press_us.saturating_add((QUICK * back_ms * 1_000.0) as u64);
    context.history.filled(to, (press_us, until_us)).next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hand that takes half a second to the clock, and an opponent who carries a piece in 350 ms
    /// and takes half a second too.
    const USUAL: Times = Times {
        landed_ms: 0.0,
        lifted_ms: None,
        answered_ms: None,
        pressed_ms: None,
        way_ms: 500.0,
        spread_ms: 110.0,
        captures: false,
        flight_ms: 350.0,
        answer_way_ms: 500.0,
    };

    fn times(landed_ms: f64, lifted_ms: f64, answered_ms: f64, pressed_ms: f64) -> Times {
        Times {
            landed_ms,
            lifted_ms: Some(lifted_ms),
            answered_ms: Some(answered_ms),
            pressed_ms: Some(pressed_ms),
            ..USUAL
        }
    }

    #[test]
    fn a_press_that_comes_as_quickly_as_ever_was_not_forgotten() {
        assert!(share(&times(-520.0, -400.0, -30.0, 470.0)) < 0.01);
    }

    #[test]
    fn a_press_after_an_answer_that_was_long_in_coming_was_forgotten() {
        assert!(share(&times(-2_900.0, -650.0, -300.0, 330.0)) > 0.9);
    }

    #[test]
    fn a_delayed_press_that_an_answer_was_begun_right_before_is_more_doubtful() {
        let late = share(&times(-2_900.0, -650.0, -300.0, 330.0));
        let soon = share(&times(-2_900.0, -2_300.0, -1_950.0, 90.0));
        assert!(soon < 0.2 && soon < late, "{soon} {late}");
    }

    #[test]
    fn an_answer_that_was_never_read_counts_by_when_it_was_begun() {
        let unread =
            |landed_ms, lifted_ms| Times { landed_ms, lifted_ms: Some(lifted_ms), ..USUAL };
        assert!(share(&unread(-2_700.0, -600.0)) > 0.7);
        assert!(share(&unread(-500.0, -100.0)) < 0.05);
    }

    #[test]
    fn who_lays_a_captured_piece_aside_has_not_forgotten_the_press() {
        let slow = times(-1_300.0, -700.0, -340.0, 160.0);
        let capture = Times { captures: true, ..slow };
        assert!(share(&capture) < share(&slow));
    }

    #[test]
    fn an_opponent_who_waits_at_the_clock_presses_at_once_unless_surprised() {
        let waits = |pressed_ms| share(&times(-2_300.0, -1_100.0, -600.0, pressed_ms));
        assert!(waits(330.0) > waits(90.0));
    }
}
