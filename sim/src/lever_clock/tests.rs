//! Unit tests of the staged clock, with the nodes' firmware as the oracle.

use node_firmware::Countdown;
use proto::link::{NodeTime, Side as NodeSide};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::device::clock_control;

const S: u64 = 1_000_000;

fn plain(base_s: u32) -> TimeControl {
    TimeControl::sudden_death(base_s, 0).expect("a time control")
}

fn periods() -> TimeControl {
    let periods = vec![Period { base_s: 60, moves: Some(2) }, Period { base_s: 30, moves: None }];
    TimeControl::new(periods, 0, 0, DelayKind::Us).expect("a time control")
}

fn presses(clock: &mut LeverClock, at_s: &[u64]) -> Vec<Option<(Color, u32)>> {
    let sides = [Color::Black, Color::White].into_iter().cycle();
    let press = |(&t_s, by)| ClockAct { t_us: t_s * S, touch: ClockTouch::Press(by) };
    at_s.iter().zip(sides).map(press).map(|act| clock.take(act)).collect()
}

#[test]
fn clock_shows_what_the_firmwares_countdown_shows_for_every_kind_of_move_time() {
    let whole = vec![Period { base_s: 300, moves: None }];
    let of = |increment_s, delay_s, kind| {
        TimeControl::new(whole.clone(), increment_s, delay_s, kind).expect("a time control")
    };
    let times = [
        of(0, 0, DelayKind::Us),
        of(2, 0, DelayKind::Us),
        of(0, 5, DelayKind::Us),
        of(0, 3, DelayKind::Bronstein),
    ];
    for (seed, time) in (0..).zip(&times) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut clock = LeverClock::new(time, [0, 7_000]);
        let mut firmware = Countdown::new(clock_control(time, [0, 7_000]));
        let (mut t_us, mut by) = (0, Color::Black);
        for _ in 0..60 {
            t_us += rng.random_range(1..9_000_000);
            clock.take(ClockAct { t_us, touch: ClockTouch::Press(by) });
            firmware.advance(NodeTime::from_micros(t_us), |_, _| ());
            firmware.press(if by.is_white() { NodeSide::White } else { NodeSide::Black });
            let shown = firmware.display();
            let ms = |color| (clock.left_us(color).max(0) as u64).div_ceil(1_000);
            let both = [shown.white_ms, shown.black_ms].map(u64::from);
            assert_eq!([ms(Color::White), ms(Color::Black)], both, "{time:?}");
            by = by.other();
        }
    }
}

#[test]
fn next_period_comes_with_its_press_and_only_once() {
    let mut clock = LeverClock::new(&periods(), [0; 2]);
    let given = presses(&mut clock, &[1, 11, 12, 22, 23, 33, 34]);
    let bonus = |color| Some((color, 30_000));
    assert_eq!(given, [None, None, None, bonus(Color::White), bonus(Color::Black), None, None]);
    assert_eq!(clock.left_us(Color::White), 60 * 1_000_000);
}

#[test]
fn base_time_is_raised_to_the_next_whole_minute_that_suffices() {
    let after = |used_s: u64| {
        let mut clock = LeverClock::new(&plain(180), [0; 2]);
        presses(&mut clock, &[0, used_s]);
        base_s(&clock.sufficient())
    };
    assert_eq!([100, 180, 239, 240].map(after), [180, 240, 240, 300]);
}

#[test]
fn first_period_is_raised_by_what_was_missing_before_the_next_began() {
    let mut clock = LeverClock::new(&periods(), [0; 2]);
    presses(&mut clock, &[0, 40, 41, 81, 82]);
    assert_eq!(clock.sufficient().to_pgn_tag(), "2/120:30");
}

#[test]
fn flag_falls_when_the_delay_and_the_time_left_are_over() {
    let time = TimeControl::sudden_death(60, 5).expect("a time control");
    let mut clock = LeverClock::new(&time, [0; 2]);
    presses(&mut clock, &[1]);
    assert_eq!(clock.flag_us(2 * S, Color::White), 66 * S);
    clock.run_until(16 * S);
    assert_eq!(clock.flag_us(16 * S, Color::White), 66 * S);
}
