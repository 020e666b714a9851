//! Another delay for a clock in the middle of a game.

use node_firmware::{Countdown, CountdownMode, DelayOutOfRange};
use proptest::prelude::*;
use proto::link::{ClockDelay, ClockDisplay, DelayKind, MAX_DELAY_MS, Side, TimeControl};

use crate::host::at;

const NONE: ClockDelay = ClockDelay { delay_ms: 0, delay_kind: DelayKind::Delay };

fn any_delay() -> impl Strategy<Value = ClockDelay> {
    let kind =
        prop_oneof![Just(DelayKind::Delay), Just(DelayKind::Bronstein), Just(DelayKind::Increment)];
    (0..=MAX_DELAY_MS, kind).prop_map(|(delay_ms, delay_kind)| ClockDelay { delay_ms, delay_kind })
}

fn five_minutes(delay: ClockDelay) -> TimeControl {
    let ClockDelay { delay_ms, delay_kind } = delay;
    TimeControl { delay_ms, delay_kind, ..TimeControl::even(300_000) }
}

/// Event at a clock between two orders.
#[derive(Clone, Copy, Debug)]
enum Event {
    Pass(u64),
    Press(Side),
    Start,
    Pause,
    Delay(ClockDelay),
}

fn any_event() -> impl Strategy<Value = Event> {
    prop_oneof![
        (1_u64..30_000_000).prop_map(Event::Pass),
        prop_oneof![Just(Side::White), Just(Side::Black)].prop_map(Event::Press),
        Just(Event::Start),
        Just(Event::Pause),
        any_delay().prop_map(Event::Delay),
    ]
}

/// A countdown and its time.
#[derive(Clone)]
struct Bench {
    clock: Countdown,
    now_us: u64,
}

impl Bench {
    fn new(delay: ClockDelay) -> Self {
        Self { clock: Countdown::new(five_minutes(delay)), now_us: 0 }
    }

    fn pass(&mut self, us: u64) -> ClockDisplay {
        self.now_us += us;
        self.clock.advance(at(self.now_us), |_, _| {});
        self.clock.display()
    }

    /// A ply of `by` that takes so long.
    fn ply(&mut self, by: Side, ms: u64) -> ClockDisplay {
        self.pass(ms * 1_000);
        self.clock.press(by);
        self.clock.display()
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Pass(us) => _ = self.pass(us),
            Event::Press(by) => self.clock.press(by),
            Event::Start => self.clock.start(),
            Event::Pause => self.clock.pause(),
            Event::Delay(delay) => self.clock.set_delay(delay).unwrap(),
        }
    }
}

proptest! {
    #[test]
    fn another_delay_changes_nothing_that_is_shown_whatever_the_clock_does(
        first in any_delay(), events in prop::collection::vec(any_event(), 0..60), delay in any_delay(),
    ) {
        let mut bench = Bench::new(first);
        events.into_iter().for_each(|event| bench.take(event));
        let (shown, mode) = (bench.clock.display(), bench.clock.mode());
        bench.clock.set_delay(delay).unwrap();
        prop_assert_eq!(bench.clock.display(), shown);
        prop_assert_eq!(bench.clock.mode(), mode);
        let control = bench.clock.control();
        prop_assert_eq!(control.delay(), delay);
    }

    #[test]
    fn the_ply_under_way_ends_as_if_nothing_had_been_ordered(
        first in any_delay(), delay in any_delay(), before_ms in 0_u64..120_000, after_ms in 0_u64..120_000,
    ) {
        let mut untouched = Bench::new(first);
        untouched.clock.press(Side::Black);
        untouched.pass(before_ms * 1_000);
        let mut changed = untouched.clone();
        changed.clock.set_delay(delay).unwrap();
        let [untouched, changed] = [&mut untouched, &mut changed]
            .map(|bench| bench.ply(Side::White, after_ms));
        prop_assert_eq!((changed.white_ms, changed.black_ms), (untouched.white_ms, untouched.black_ms));
    }

    #[test]
    fn plies_that_begin_after_it_are_given_the_new_delay(
        first in any_delay(), delay in any_delay(), ply_ms in 0_u64..250_000,
    ) {
        let mut bench = Bench::new(first);
        bench.clock.press(Side::Black);
        bench.clock.set_delay(delay).unwrap();
        let before_ms = u64::from(bench.ply(Side::White, 1_000).black_ms);
        let shown_ms = u64::from(bench.ply(Side::Black, ply_ms).black_ms);
        let delay_ms = u64::from(delay.delay_ms);
        let expected_ms = match delay.delay_kind {
            DelayKind::Delay => before_ms.saturating_sub(ply_ms.saturating_sub(delay_ms)),
            // A flag that has fallen is given nothing.
            _ if ply_ms >= before_ms => 0,
            DelayKind::Bronstein => before_ms - ply_ms + ply_ms.min(delay_ms),
            DelayKind::Increment => before_ms - ply_ms + delay_ms,
        };
        prop_assert_eq!(shown_ms, expected_ms);
    }
}

#[test]
fn a_clock_that_is_set_or_paused_takes_the_delay_for_its_next_ply() {
    let five = ClockDelay { delay_ms: 5_000, delay_kind: DelayKind::Delay };
    let mut set = Bench::new(NONE);
    set.clock.set_delay(five).unwrap();
    assert_eq!(set.clock.mode(), CountdownMode::Set);
    set.clock.press(Side::Black);
    assert_eq!(set.pass(4_000_000).white_ms, 300_000, "White's first ply has it");
    let mut paused = Bench::new(NONE);
    paused.clock.press(Side::Black);
    paused.pass(1_000_000);
    paused.clock.pause();
    paused.clock.set_delay(five).unwrap();
    paused.clock.start();
    assert_eq!(paused.pass(4_000_000).white_ms, 295_000, "White's ply began without it");
    paused.ply(Side::White, 0);
    assert_eq!(paused.pass(4_000_000).black_ms, 300_000, "Black's ply has it");
}

#[test]
fn the_next_game_has_the_delay_that_the_clock_was_set_to() {
    let two = ClockDelay { delay_ms: 2_000, delay_kind: DelayKind::Delay };
    let mut bench = Bench::new(two);
    bench.clock.set_delay(NONE).unwrap();
    assert_eq!(bench.clock.control().delay(), NONE);
    assert_eq!(bench.clock.set_to(), five_minutes(two));
    bench.clock.set(bench.clock.set_to());
    assert_eq!(bench.clock.control(), five_minutes(two));
}

#[test]
fn a_longer_delay_than_a_clock_has_is_refused_and_changes_nothing() {
    let two = ClockDelay { delay_ms: 2_000, delay_kind: DelayKind::Bronstein };
    let mut bench = Bench::new(two);
    let longer = ClockDelay { delay_ms: MAX_DELAY_MS + 1, delay_kind: DelayKind::Increment };
    assert_eq!(bench.clock.set_delay(longer), Err(DelayOutOfRange));
    assert_eq!(bench.clock.control(), five_minutes(two));
}
