//! End of a round: the latest moment that the clocks allow, and the likely one with a range that holds nine times in ten.
//!
//! The latest end of a match is when the time of a board is used up: a board's two times run one after the other, and with the first board's
//! end the match is over. Nothing but an order to a clock makes it later. Time that a move adds to a clock has no such bound.
//!
//! The likely end is learnt from how much of a board's time matches use: those of this event, as they end, and before them a small
//! prior. Of a match that runs, only those count that used more than it has used by now. A round is over with its last match, whose matches end
//! without regard to each other.

use serde::Serialize;

/// Used part of a board's time in bughouse matches, in thousandths, twentieth by twentieth: half of 240 matches of engines that play like
/// children and club players, half of 75 matches of people online.
const PRIOR_THOUSANDTHS: [u16; 20] = [
    90, 150, 220, 280, 325, 360, 400, 430, 455, 480, 505, 540, 570, 600, 625, 655, 690, 735, 785,
    870,
];
/// The prior counts as much as so many matches of the event.
const PRIOR_MATCHES: f64 = 12.0;
/// Matches of the event that are learnt from: the last ones.
const LEARNT_MAX: usize = 400;
/// Thousandths of a board's time.
const WHOLE: u64 = 1000;
/// A match that takes all of its time counts as much as this part of one: rarer than matches that end somewhere.
const WHOLE_WEIGHT: f64 = 0.35;
/// Quantiles of the range that holds nine times in ten, of one match: a little wider than the middle nine tenths of the sample, which is never
/// complete.
const TAILS: [f64; 3] = [0.045, 0.5, 0.955];
/// The same of several matches. The last of many ends where the sample is thin and [`WHOLE_WEIGHT`] counts most, which makes its upper end late.
const TAILS_OF_SEVERAL: [f64; 3] = [0.05, 0.5, 0.92];
/// A match at its latest end is as good as over, but its time is still to be claimed: what is left is at least this, milliseconds.
const LEAST_LEFT_MS: u64 = 1_000;
/// Halvings in the search for the end of a round: to within a second of a day.
const HALVINGS: u32 = 17;

/// State of the match of a pairing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatchTime {
    /// The match has its result, or the pairing is not played.
    Over,
    /// Its clocks have not run yet.
    ToBegin {
        /// A board's time, both players', milliseconds.
        board_ms: u64,
        /// Whether moves add to the time.
        has_additions: bool,
    },
    /// The match runs.
    Running {
        /// A board's time at the start, both players', milliseconds.
        board_ms: u64,
        /// Time left to both players of a board, the least of the boards, milliseconds.
        left_ms: u64,
        /// Whether moves add to the time.
        has_additions: bool,
        /// Whether its clocks are stopped, such as for a claim.
        is_stopped: bool,
    },
    /// Unknown: the match has no clock that is online.
    Unknown,
}

/// End of a match or round, milliseconds from now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct EndForecast {
    /// The latest moment that the clocks allow; none while a match has not begun, is stopped or has no clock, and where moves add time.
    pub latest_ms: Option<u64>,
    /// The likely moment; none where nothing is known of a match.
    pub likely_ms: Option<u64>,
    /// The range in which it is nine times in ten.
    pub range_ms: Option<[u64; 2]>,
}

impl EndForecast {
    /// End of a match that is over.
    const OVER: EndForecast =
        EndForecast { latest_ms: Some(0), likely_ms: Some(0), range_ms: Some([0, 0]) };
}

/// Share of a board's time that matches use, as far as it was learnt.
#[derive(Clone, Debug, Default)]
pub struct TimeUse {
    /// Shares of the event's matches, in thousandths, in their order.
    used: Vec<u16>,
}

impl TimeUse {
    /// Learns from a match that has ended: what of a board's time was left.
    pub fn learn(&mut self, board_ms: u64, left_ms: u64) {
        if board_ms == 0 {
            return;
        }
        let used = board_ms.saturating_sub(left_ms).saturating_mul(WHOLE) / board_ms;
        if self.used.len() >= LEARNT_MAX {
            self.used.remove(0);
        }
        self.used.push(u16::try_from(used).unwrap_or(u16::MAX));
    }

    /// The matches that used more than a given part, with their weights, by the used part.
    fn beyond(&self, used: u16) -> Vec<(u16, f64)> {
        let each =
            PRIOR_MATCHES / f64::from(u8::try_from(PRIOR_THOUSANDTHS.len()).unwrap_or(u8::MAX));
        let prior = PRIOR_THOUSANDTHS.iter().map(|at| (*at, each));
        let own = self.used.iter().map(|at| (*at, 1.0));
        let mut beyond: Vec<(u16, f64)> = prior.chain(own).filter(|(at, _)| *at > used).collect();
        // However long a match takes, it may take all of its time.
        beyond.push((u16::try_from(WHOLE).unwrap_or(u16::MAX), WHOLE_WEIGHT));
        beyond.sort_unstable_by_key(|(at, _)| *at);
        beyond
    }

    /// Probability that a match has ended by a moment, for each match.
    fn chances(&self, matches: &[MatchTime]) -> Option<Vec<Chances>> {
        let of = |it: &MatchTime| match *it {
            MatchTime::Over => Some(Chances::default()),
            MatchTime::Unknown => None,
            MatchTime::ToBegin { board_ms, .. } => Some(self.of(board_ms, board_ms)),
            MatchTime::Running { board_ms, left_ms, .. } => Some(self.of(board_ms, left_ms)),
        };
        matches.iter().map(of).collect()
    }

    fn of(&self, board_ms: u64, left_ms: u64) -> Chances {
        let board_ms = board_ms.max(1);
        let used_ms = board_ms.saturating_sub(left_ms);
        let used = u16::try_from(used_ms.saturating_mul(WHOLE) / board_ms).unwrap_or(u16::MAX);
        let mut ends = Vec::new();
        let mut sum = 0.0;
        for (at, weight) in self.beyond(used.min(u16::try_from(WHOLE - 1).unwrap_or(u16::MAX))) {
            sum += weight;
            let at_ms = (u64::from(at) * board_ms / WHOLE).saturating_sub(used_ms);
            ends.push((at_ms.max(LEAST_LEFT_MS), sum));
        }
        Chances { ends, sum }
    }
}

/// Distribution of a match's end: moments from now, and the weight of ends by then.
#[derive(Clone, Debug, Default)]
struct Chances {
    ends: Vec<(u64, f64)>,
    sum: f64,
}

impl Chances {
    /// Probability that the match has ended by then: linear between known moments.
    fn by(&self, at_ms: u64) -> f64 {
        if self.ends.is_empty() {
            return 1.0;
        }
        let (mut before_ms, mut before) = (0, 0.0);
        for &(end_ms, weight) in &self.ends {
            if at_ms < end_ms {
                let way = as_f64(at_ms - before_ms) / as_f64((end_ms - before_ms).max(1));
                return (before + (weight - before) * way) / self.sum;
            }
            (before_ms, before) = (end_ms, weight);
        }
        1.0
    }

    fn last_ms(&self) -> u64 {
        self.ends.last().map_or(0, |(end_ms, _)| *end_ms)
    }
}

/// End of the last of these matches. One that has not begun is expected to begin now.
#[must_use]
pub fn forecast(time_use: &TimeUse, matches: &[MatchTime]) -> EndForecast {
    if matches.iter().all(|it| *it == MatchTime::Over) {
        return EndForecast::OVER;
    }
    let latest = |it: &MatchTime| match *it {
        MatchTime::Over => Some(0),
        MatchTime::Running { left_ms, has_additions: false, is_stopped: false, .. } => {
            Some(left_ms)
        }
        MatchTime::Running { .. } | MatchTime::ToBegin { .. } | MatchTime::Unknown => None,
    };
    let latest: Option<Vec<u64>> = matches.iter().map(latest).collect();
    let latest_ms = latest.and_then(|all| all.into_iter().max());
    let Some(chances) = time_use.chances(matches) else {
        return EndForecast { latest_ms, likely_ms: None, range_ms: None };
    };
    let most_ms = chances.iter().map(Chances::last_ms).max().unwrap_or(0);
    let open = matches.iter().filter(|it| **it != MatchTime::Over).count();
    let tails = if open > 1 { TAILS_OF_SEVERAL } else { TAILS };
    let [from, likely, until] = tails.map(|share| quantile(&chances, share, most_ms));
    EndForecast { latest_ms, likely_ms: Some(likely), range_ms: Some([from, until]) }
}

/// The moment by which all matches have ended with this probability.
fn quantile(chances: &[Chances], share: f64, most_ms: u64) -> u64 {
    let (mut from, mut to) = (0, most_ms);
    for _ in 0..HALVINGS {
        let middle = u64::midpoint(from, to);
        let by: f64 = chances.iter().map(|it| it.by(middle)).product();
        if by < share { from = middle } else { to = middle }
    }
    to
}

/// A time as a number: no clock has more milliseconds than are exact.
#[allow(clippy::cast_precision_loss, reason = "a clock has at most some days")]
const fn as_f64(ms: u64) -> f64 {
    ms as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARD_MS: u64 = 600_000;
    const TABLES: usize = 25;
    const ROUNDS: usize = 3;
    const EVENTS: u64 = 30;
    const STEP_MS: u64 = 40_000;

    /// Used part of a board's time in matches, twentieth by twentieth: of engines that play like children and club players, and of people
    /// online. An event is of one kind, and the forecast does not know of which.
    const USES: [[u16; 21]; 2] = [
        [
            173, 301, 338, 394, 418, 438, 460, 483, 506, 526, 555, 595, 610, 625, 649, 661, 689,
            715, 746, 779, 932,
        ],
        [
            44, 92, 158, 215, 242, 283, 341, 429, 440, 530, 561, 576, 600, 611, 678, 725, 764, 796,
            806, 868, 970,
        ],
    ];

    /// A small generator of numbers (SplitMix64): the same rounds in every run.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, end: u64) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (mixed ^ (mixed >> 31)) % end
        }

        /// End of a match.
        fn end_ms(&mut self, uses: &[u16; 21]) -> u64 {
            let at = usize::try_from(self.below(20)).unwrap();
            let [from, to] = [uses[at], uses[at + 1]].map(u64::from);
            (from + self.below((to - from).max(1))) * BOARD_MS / WHOLE
        }
    }

    /// Numbers of forecasts of a match and of the round that held, of all; errors of rounds about five minutes before.
    #[derive(Default)]
    struct Score {
        held: [usize; 2],
        made: [usize; 2],
        errors_ms: Vec<u64>,
    }

    fn at(end_ms: u64, now_ms: u64) -> MatchTime {
        match end_ms <= now_ms {
            true => MatchTime::Over,
            false => MatchTime::Running {
                board_ms: BOARD_MS,
                left_ms: BOARD_MS - now_ms,
                has_additions: false,
                is_stopped: false,
            },
        }
    }

    /// The rounds of an event, forecast again and again.
    fn event(seed: u64, uses: &[u16; 21], score: &mut Score) {
        let mut numbers = Numbers(seed);
        let mut time_use = TimeUse::default();
        for _ in 0..ROUNDS {
            let ends: Vec<u64> = (0..TABLES).map(|_| numbers.end_ms(uses)).collect();
            let last_ms = *ends.iter().max().unwrap();
            for now_ms in (0..last_ms).step_by(usize::try_from(STEP_MS).unwrap()) {
                let matches: Vec<MatchTime> =
                    ends.iter().map(|end_ms| at(*end_ms, now_ms)).collect();
                let whole = forecast(&time_use, &matches);
                assert!(now_ms + whole.latest_ms.unwrap() >= last_ms, "the latest end is passed");
                let of_one = |end_ms: &u64| (forecast(&time_use, &[at(*end_ms, now_ms)]), *end_ms);
                let made = ends.iter().take(3).map(of_one).map(|it| (0, it));
                for (kind, (made, end_ms)) in made.chain([(1, (whole, last_ms))]) {
                    if end_ms > now_ms {
                        let [from, until] = made.range_ms.unwrap();
                        score.made[kind] += 1;
                        score.held[kind] +=
                            usize::from((now_ms + from..=now_ms + until).contains(&end_ms));
                    }
                }
                if last_ms.saturating_sub(now_ms).abs_diff(300_000) < STEP_MS / 2 {
                    score.errors_ms.push((now_ms + whole.likely_ms.unwrap()).abs_diff(last_ms));
                }
            }
            for end_ms in ends {
                time_use.learn(BOARD_MS, BOARD_MS - end_ms);
            }
        }
    }

    #[test]
    fn the_range_holds_nine_times_in_ten_and_the_latest_end_is_never_passed() {
        let mut score = Score::default();
        for uses in &USES {
            (0..EVENTS).for_each(|seed| event(seed, uses, &mut score));
        }
        for kind in 0..2 {
            let share = 100.0 * as_f64(score.held[kind] as u64) / as_f64(score.made[kind] as u64);
            let of = score.made[kind];
            println!("{share:.1} % of {of} forecasts of {} held", ["a match", "a round"][kind]);
            assert!((88.0..=92.0).contains(&share), "{share} % of {of} forecasts of kind {kind}");
        }
        score.errors_ms.sort_unstable();
        let median = score.errors_ms[score.errors_ms.len() / 2];
        println!("{median} ms off, five minutes before the end (median)");
        assert!(median <= 45_000, "{median} ms, five minutes before the end");
    }

    #[test]
    fn a_round_says_no_latest_end_that_the_clocks_do_not_give() {
        let time_use = TimeUse::default();
        let running = at(BOARD_MS, 100_000);
        let latest = |it: MatchTime| forecast(&time_use, &[running.clone(), it]).latest_ms;
        assert_eq!(latest(MatchTime::Over), Some(500_000));
        assert_eq!(latest(MatchTime::ToBegin { board_ms: BOARD_MS, has_additions: false }), None);
        assert_eq!(latest(MatchTime::Unknown), None);
        let of = |has_additions, is_stopped| MatchTime::Running {
            board_ms: BOARD_MS,
            left_ms: 300_000,
            has_additions,
            is_stopped,
        };
        assert_eq!(latest(of(true, false)), None);
        assert_eq!(latest(of(false, true)), None);
        assert_eq!(latest(of(false, false)), Some(500_000));
        let unknown = forecast(&time_use, &[running, MatchTime::Unknown]);
        assert_eq!((unknown.likely_ms, unknown.range_ms), (None, None));
    }

    #[test]
    fn what_is_over_ends_now_and_what_is_at_its_latest_end_soon() {
        let time_use = TimeUse::default();
        let over = forecast(&time_use, &[MatchTime::Over]);
        assert_eq!((over.latest_ms, over.likely_ms), (Some(0), Some(0)));
        let late = MatchTime::Running {
            board_ms: BOARD_MS,
            left_ms: 0,
            has_additions: false,
            is_stopped: false,
        };
        let late = forecast(&time_use, &[late]);
        assert_eq!(late.latest_ms, Some(0));
        assert!(late.range_ms.unwrap()[1] <= LEAST_LEFT_MS);
        assert_eq!(forecast(&time_use, &[]).likely_ms, Some(0));
    }

    #[test]
    fn an_event_of_quick_matches_is_learnt_from() {
        let mut time_use = TimeUse::default();
        let before = forecast(&time_use, &[at(BOARD_MS, 0)]).likely_ms.unwrap();
        (0..60).for_each(|_| time_use.learn(BOARD_MS, BOARD_MS * 8 / 10));
        let after = forecast(&time_use, &[at(BOARD_MS, 0)]).likely_ms.unwrap();
        assert!(after < before && after.abs_diff(BOARD_MS / 5) < 30_000, "{before}, then {after}");
        (0..2 * LEARNT_MAX).for_each(|_| time_use.learn(BOARD_MS, 0));
        assert_eq!(time_use.used.len(), LEARNT_MAX);
        time_use.learn(0, 0);
    }
}
