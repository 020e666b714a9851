//! Setting the clock by its keys.

use node_firmware::{
    ClockConfig, ClockInputs, ClockNode, CountdownMode, EventMemory, FLAG_SOUND_US, Key,
    MENU_HOLD_US, Menu, MenuItem, MenuOutcome, RESET_HOLD_US, Settings, Showing, TimeControl,
};
use proptest::prelude::*;
use proto::link::{
    ClockAdjustment, ClockDelay, CommandResult, DelayKind, MAX_CLOCK_MS, MAX_DELAY_MS, Message,
    Order, Side,
};

use crate::host::{Hub, at, identity};

const TAP_US: u64 = 50_000;

fn any_key() -> impl Strategy<Value = Key> {
    prop::sample::select(&Key::ALL[..])
}

fn any_settings() -> impl Strategy<Value = Settings> {
    let kind =
        prop_oneof![Just(DelayKind::Delay), Just(DelayKind::Bronstein), Just(DelayKind::Increment)];
    (1..=MAX_CLOCK_MS, 1..=MAX_CLOCK_MS, 0..=MAX_DELAY_MS, kind, any::<bool>()).prop_map(
        |(white_ms, black_ms, delay_ms, delay_kind, sound)| Settings {
            control: TimeControl { white_ms, black_ms, delay_ms, delay_kind },
            sound,
        },
    )
}

proptest! {
    #[test]
    fn every_sequence_of_keys_leaves_a_time_control_the_clock_can_be_set_to(
        settings in any_settings(), keys in prop::collection::vec(any_key(), 0..200),
    ) {
        let mut menu = Menu::new(settings);
        for key in keys {
            match menu.press(key) {
                MenuOutcome::Open => {}
                MenuOutcome::Left => menu = Menu::new(settings),
                MenuOutcome::Accepted(accepted) => {
                    prop_assert!(accepted.control.is_valid(), "{accepted:?}");
                    prop_assert_eq!(accepted.control.white_ms, accepted.control.black_ms);
                    menu = Menu::new(accepted);
                    // The menu can show the accepted settings without a change.
                    let shown = [(); 4].iter().fold(None, |done, ()| done.or_else(|| match menu.press(Key::Mode) {
                        MenuOutcome::Accepted(again) => Some(again),
                        _ => None,
                    }));
                    prop_assert_eq!(shown, Some(accepted));
                    menu = Menu::new(accepted);
                }
            }
        }
    }

    #[test]
    fn whatever_is_done_to_a_clock_it_stays_one(
        acts in prop::collection::vec((0_u8..10, 1_u64..3_000_000), 1..120), adjustment in -400_000..400_000_i32,
    ) {
        let mut clock = Clock::new(ClockConfig::default());
        for (act, us) in acts {
            match act {
                0..4 => clock.inputs.keys[usize::from(act)] ^= true,
                4 => clock.lever(Side::Black),
                5 => clock.lever(Side::White),
                6 => clock.order(Order::PauseClock),
                7 => clock.order(Order::AdjustClock(ClockAdjustment { white_ms: adjustment, black_ms: -adjustment })),
                8 => clock.order(Order::SetDelay(ClockDelay { delay_ms: adjustment.unsigned_abs(), delay_kind: DelayKind::Increment })),
                _ => clock.order(Order::SetClock(TimeControl::even(90_000))),
            }
            clock.pass(us);
            let (face, display) = (clock.node.face(), clock.node.display());
            prop_assert!(clock.node.settings().control.is_valid());
            prop_assert!(display.white_ms <= MAX_CLOCK_MS && display.black_ms <= MAX_CLOCK_MS);
            prop_assert_eq!(display.running.is_some(), face.white.runs || face.black.runs);
            let menu = matches!(face.showing, Showing::Menu(_));
            prop_assert!(!(menu && display.running.is_some()), "no menu while a time runs");
        }
    }
}

/// A clock with keys.
struct Clock {
    node: ClockNode,
    hub: Hub,
    now_us: u64,
    inputs: ClockInputs,
}

impl Clock {
    fn new(config: ClockConfig) -> Self {
        let inputs = ClockInputs::lever(Side::White);
        let mut clock = Self {
            node: ClockNode::new(identity(), config, EventMemory::default()),
            hub: Hub::new(),
            now_us: 0,
            inputs,
        };
        clock.pass(TAP_US);
        clock
    }

    fn pass(&mut self, us: u64) {
        self.node.observe(at(self.now_us), self.inputs);
        self.now_us += us;
        self.node.advance(at(self.now_us));
    }

    fn lever(&mut self, side: Side) {
        self.inputs = ClockInputs { keys: self.inputs.keys, ..ClockInputs::lever(side) };
    }

    fn press(&mut self, side: Side) {
        self.lever(side);
        self.pass(TAP_US);
    }

    fn hold(&mut self, key: Key, us: u64) {
        self.inputs.keys[key as usize] = true;
        self.pass(us);
        self.inputs.keys[key as usize] = false;
        self.pass(TAP_US);
    }

    fn tap(&mut self, key: Key) {
        self.hold(key, TAP_US);
    }

    fn order(&mut self, order: Order) {
        let _ = self.answer(order);
    }

    fn answer(&mut self, order: Order) -> Option<CommandResult> {
        self.hub.ask_for_snapshot();
        self.hub.talk(&mut self.node);
        self.hub.command(order);
        let events = self.hub.events(&mut self.node);
        events.into_iter().find_map(|event| match event {
            Message::Answer(answer) => Some(answer.result),
            _ => None,
        })
    }
}

#[test]
fn a_time_control_is_set_by_keys() {
    let mut clock = Clock::new(ClockConfig::default());
    clock.hold(Key::Mode, MENU_HOLD_US + TAP_US);
    assert_eq!(clock.node.face().showing, Showing::Menu(MenuItem::BaseMinutes(5)));
    clock.tap(Key::Minus);
    clock.tap(Key::Minus);
    assert_eq!(clock.node.face().showing, Showing::Menu(MenuItem::BaseMinutes(3)));
    clock.tap(Key::Mode);
    for _ in 0..2 {
        clock.tap(Key::Plus);
    }
    assert_eq!(clock.node.face().showing, Showing::Menu(MenuItem::DelaySeconds(2)));
    clock.tap(Key::Mode);
    clock.tap(Key::Plus);
    assert_eq!(clock.node.face().showing, Showing::Menu(MenuItem::Kind(DelayKind::Bronstein)));
    clock.tap(Key::Mode);
    clock.tap(Key::Plus);
    assert_eq!(clock.node.face().showing, Showing::Menu(MenuItem::Sound(true)));
    clock.tap(Key::Mode);
    let control = TimeControl {
        delay_ms: 2_000,
        delay_kind: DelayKind::Bronstein,
        ..TimeControl::even(180_000)
    };
    assert_eq!(clock.node.settings(), Settings { control, sound: true });
    assert_eq!(clock.node.mode(), CountdownMode::Set);
    assert_eq!(clock.node.display().white_ms, 182_000);
}

#[test]
fn without_a_delay_nobody_asks_for_its_kind() {
    let mut menu = Menu::new(Settings { control: TimeControl::even(300_000), sound: false });
    menu.press(Key::Mode);
    assert_eq!(menu.press(Key::Mode), MenuOutcome::Open);
    assert_eq!(menu.item(), MenuItem::Sound(false));
}

#[test]
fn a_short_press_opens_no_menu_and_a_running_clock_has_none() {
    let mut clock = Clock::new(ClockConfig::default());
    clock.tap(Key::Mode);
    clock.pass(2 * MENU_HOLD_US);
    assert_eq!(clock.node.face().showing, Showing::Times);
    clock.press(Side::Black);
    clock.hold(Key::Mode, 2 * MENU_HOLD_US);
    clock.hold(Key::Minus, 2 * RESET_HOLD_US);
    assert_eq!(clock.node.face().showing, Showing::Times);
    assert!(clock.node.face().white.runs);
    assert!(clock.node.display().white_ms < 300_000);
}

#[test]
fn a_press_of_the_clock_closes_the_menu_and_counts() {
    let mut clock = Clock::new(ClockConfig::default());
    clock.hold(Key::Mode, 2 * MENU_HOLD_US);
    clock.tap(Key::Plus);
    clock.press(Side::Black);
    let face = clock.node.face();
    assert_eq!(face.showing, Showing::Times);
    assert!(face.white.runs);
    assert_eq!(clock.node.settings().control, TimeControl::even(300_000));
}

#[test]
fn the_pause_key_stops_goes_on_and_starts() {
    let mut clock = Clock::new(ClockConfig::default());
    clock.press(Side::Black);
    clock.pass(1_000_000);
    clock.tap(Key::Pause);
    assert_eq!(clock.node.mode(), CountdownMode::Paused(Side::White));
    assert_eq!(clock.node.face().showing, Showing::Paused);
    let left_ms = clock.node.display().white_ms;
    clock.pass(5_000_000);
    assert_eq!(clock.node.display().white_ms, left_ms);
    clock.tap(Key::Pause);
    assert_eq!(clock.node.mode(), CountdownMode::Running(Side::White));
    let mut untouched = Clock::new(ClockConfig::default());
    untouched.tap(Key::Pause);
    assert_eq!(untouched.node.mode(), CountdownMode::Running(Side::White));
}

#[test]
fn the_minus_key_held_sets_the_clock_anew_for_the_next_game() {
    let mut clock = Clock::new(ClockConfig::default());
    clock.press(Side::Black);
    clock.pass(10_000_000);
    clock.tap(Key::Pause);
    clock.hold(Key::Minus, RESET_HOLD_US - TAP_US);
    assert!(clock.node.display().white_ms < 300_000, "not long enough");
    clock.hold(Key::Minus, RESET_HOLD_US + TAP_US);
    assert_eq!((clock.node.display().white_ms, clock.node.mode()), (300_000, CountdownMode::Set));
}

#[test]
fn a_loss_of_power_shows_until_somebody_does_something() {
    let mut clock = Clock::new(ClockConfig::default());
    assert_eq!(clock.node.face().showing, Showing::PowerLost);
    clock.pass(60_000_000);
    assert_eq!(clock.node.face().showing, Showing::PowerLost);
    assert_eq!(clock.node.display().running, None, "it waits");
    clock.tap(Key::Plus);
    assert_eq!(clock.node.face().showing, Showing::Times);
    let mut commanded = Clock::new(ClockConfig::default());
    commanded.order(Order::SetClock(TimeControl::even(60_000)));
    assert_eq!(commanded.node.face().showing, Showing::Times);
}

#[test]
fn a_flag_is_heard_only_if_somebody_wanted_it() {
    for sound in [false, true] {
        let config =
            ClockConfig { control: TimeControl::even(1_000), sound, ..ClockConfig::default() };
        let mut clock = Clock::new(config);
        clock.press(Side::Black);
        clock.pass(900_000);
        assert!(!clock.node.sounds());
        clock.pass(200_000);
        assert_eq!(clock.node.sounds(), sound);
        clock.pass(FLAG_SOUND_US);
        assert!(!clock.node.sounds());
    }
}

#[test]
fn a_director_sets_adjusts_pauses_and_resumes() {
    let mut clock = Clock::new(ClockConfig::default());
    let control = TimeControl { black_ms: 60_000, ..TimeControl::even(120_000) };
    assert_eq!(clock.answer(Order::SetClock(control)), Some(CommandResult::Done));
    clock.press(Side::Black);
    clock.pass(10_000_000);
    assert_eq!(clock.answer(Order::PauseClock), Some(CommandResult::Done));
    let before = clock.node.display();
    let more = ClockAdjustment { white_ms: 30_000, black_ms: -20_000 };
    assert_eq!(clock.answer(Order::AdjustClock(more)), Some(CommandResult::Done));
    let after = clock.node.display();
    assert_eq!((after.white_ms, after.black_ms), (before.white_ms + 30_000, 40_000));
    let too_much = ClockAdjustment { white_ms: 0, black_ms: -40_000 };
    assert_eq!(clock.answer(Order::AdjustClock(too_much)), Some(CommandResult::OutOfRange));
    assert_eq!(clock.node.display(), after);
    assert_eq!(clock.answer(Order::ResumeClock), Some(CommandResult::Done));
    assert_eq!(clock.node.mode(), CountdownMode::Running(Side::White));
    let delay = ClockDelay { delay_ms: 5_000, delay_kind: DelayKind::Delay };
    assert_eq!(clock.answer(Order::SetDelay(delay)), Some(CommandResult::Done));
    clock.press(Side::White);
    assert!(clock.node.display().delay_left_ms > 4_000, "{:?}", clock.node.display());
    let longer = ClockDelay { delay_ms: MAX_DELAY_MS + 1, ..delay };
    assert_eq!(clock.answer(Order::SetDelay(longer)), Some(CommandResult::OutOfRange));
    let never = TimeControl { white_ms: 0, ..control };
    assert_eq!(clock.answer(Order::SetClock(never)), Some(CommandResult::OutOfRange));
    let nonsense = Order::LearnBaseline(proto::link::Standing::SetUp);
    assert_eq!(clock.answer(nonsense), Some(CommandResult::Unsupported));
}

#[test]
fn the_answer_comes_before_the_reading_that_follows_from_it() {
    let mut clock = Clock::new(ClockConfig::default());
    clock.hub.ask_for_snapshot();
    clock.hub.talk(&mut clock.node);
    clock.hub.command(Order::SetClock(TimeControl::even(60_000)));
    let events = clock.hub.events(&mut clock.node);
    assert!(
        matches!(&events[..], [Message::Answer(_), Message::ClockReading(reading)] if reading.display.white_ms == 60_000),
        "{events:?}"
    );
}

#[test]
fn time_given_to_a_fallen_flag_puts_it_up_again() {
    let config = ClockConfig { control: TimeControl::even(1_000), ..ClockConfig::default() };
    let mut clock = Clock::new(config);
    clock.press(Side::Black);
    clock.pass(2_000_000);
    assert_eq!(clock.node.display().first_flag, Some(Side::White));
    clock.order(Order::AdjustClock(ClockAdjustment { white_ms: 60_000, black_ms: 0 }));
    assert_eq!(clock.node.display().first_flag, None);
}

/// Time that a player has left after plies of these durations, by arithmetic alone; `None` when the flag fell.
fn left_ms(base_ms: u64, kind: DelayKind, delay_ms: u64, plies_ms: &[u64]) -> Option<u64> {
    plies_ms.iter().try_fold(base_ms, |left_ms, &ply_ms| {
        let (limit_ms, after_ms) = match kind {
            DelayKind::Delay | DelayKind::Bronstein => {
                (left_ms + delay_ms, left_ms.saturating_sub(ply_ms.saturating_sub(delay_ms)))
            }
            DelayKind::Increment => (left_ms, (left_ms + delay_ms).saturating_sub(ply_ms)),
        };
        (ply_ms < limit_ms).then_some(after_ms)
    })
}

proptest! {
    /// Bronstein and delay leave the same time and let the flag fall at the same moment, because Bronstein's first delay is there
    /// from the start.
    #[test]
    fn delays_leave_what_arithmetic_says(
        plies_ms in prop::collection::vec(1_u64..9_000, 1..40), delay_s in 0_u32..6,
        kind in prop_oneof![Just(DelayKind::Delay), Just(DelayKind::Bronstein), Just(DelayKind::Increment)],
    ) {
        let delay_ms = delay_s * 1_000;
        let control = TimeControl { delay_ms, delay_kind: kind, black_ms: 3_600_000, ..TimeControl::even(30_000) };
        let mut countdown = node_firmware::Countdown::new(control);
        countdown.press(Side::Black);
        let mut now_ms = 0;
        for (nth, ply_ms) in plies_ms.iter().enumerate() {
            now_ms += ply_ms;
            countdown.advance(at(now_ms * 1_000), |_, _| {});
            countdown.press(Side::White);
            now_ms += 100;
            countdown.advance(at(now_ms * 1_000), |_, _| {});
            countdown.press(Side::Black);
            let first = match kind {
                DelayKind::Increment => u64::from(delay_ms),
                _ => 0,
            };
            let expected = left_ms(30_000 + first, kind, delay_ms.into(), &plies_ms[..=nth]);
            // Bronstein shows the delay of the next ply with the time.
            let shown_with_it = if kind == DelayKind::Bronstein { u64::from(delay_ms) } else { 0 };
            let shown = countdown.display();
            match expected {
                Some(left) => prop_assert_eq!(u64::from(shown.white_ms), left + shown_with_it),
                None => {
                    prop_assert_eq!((shown.white_ms, shown.first_flag), (0, Some(Side::White)));
                    break;
                }
            }
        }
    }
}
