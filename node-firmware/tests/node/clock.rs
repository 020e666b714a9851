//! The clock node.

use node_firmware::{ClockConfig, ClockInputs, ClockNode, CountdownMode, EventMemory, TimeControl};
use proto::link::{
    ClockDisplay, ClockReading, Hand, HandFrom, HandOrigin, Message, NodeState, Press, PressKind,
    Side, Tilt,
};

use crate::host::{Hub, at, identity};

const DEBOUNCE_US: u32 = 5_000;
const FIVE_MINUTES_MS: u32 = 300_000;

fn config(press: PressKind, control: TimeControl) -> ClockConfig {
    ClockConfig {
        debounce_us: DEBOUNCE_US,
        press,
        hand_sensor: true,
        control,
        ..ClockConfig::default()
    }
}

/// A lever clock that has sent its first reading, with White's side down.
fn lever(control: TimeControl) -> (ClockNode, Hub) {
    let mut node =
        ClockNode::new(identity(), config(PressKind::Lever, control), EventMemory::default());
    let mut hub = Hub::new();
    node.observe(at(0), ClockInputs::lever(Side::White));
    hub.talk(&mut node);
    (node, hub)
}

fn press(us: u64, by: Side) -> Message {
    Message::Press(Press { time: at(us), by })
}

fn reading(us: u64, white_ms: u32, black_ms: u32, running: Option<Side>) -> Message {
    let display = ClockDisplay { white_ms, black_ms, delay_left_ms: 0, running, first_flag: None };
    Message::ClockReading(ClockReading { time: at(us), display })
}

/// Presses the lever at `us` and lets the press count.
fn press_at(node: &mut ClockNode, us: u64, by: Side) {
    node.observe(at(us), ClockInputs::lever(by));
    node.advance(at(us + u64::from(DEBOUNCE_US)));
}

#[test]
fn a_new_clock_shows_the_base_time_and_stands() {
    let control = TimeControl::even(FIVE_MINUTES_MS);
    let mut node: ClockNode =
        ClockNode::new(identity(), config(PressKind::Lever, control), EventMemory::default());
    node.observe(at(9_000), ClockInputs::lever(Side::White));
    let expected = reading(9_000, FIVE_MINUTES_MS, FIVE_MINUTES_MS, None);
    assert_eq!(Hub::new().events(&mut node), vec![expected]);
}

#[test]
fn blacks_press_starts_whites_time() {
    let (mut node, mut hub) = lever(TimeControl::even(FIVE_MINUTES_MS));
    press_at(&mut node, 2_000_000, Side::Black);
    assert_eq!(
        hub.events(&mut node),
        vec![
            press(2_000_000, Side::Black),
            reading(2_000_000, FIVE_MINUTES_MS, FIVE_MINUTES_MS, Some(Side::White)),
        ]
    );
}

#[test]
fn whites_press_before_the_start_is_told_but_starts_nothing() {
    let control = TimeControl::even(FIVE_MINUTES_MS);
    let mut node: ClockNode =
        ClockNode::new(identity(), config(PressKind::Lever, control), EventMemory::default());
    let mut hub = Hub::new();
    node.observe(at(0), ClockInputs::lever(Side::Black));
    hub.talk(&mut node);
    press_at(&mut node, 100_000, Side::White);
    let expected = [press(100_000, Side::White), reading(100_000, 300_000, 300_000, None)];
    assert_eq!(hub.events(&mut node), expected);
    assert_eq!(node.mode(), CountdownMode::Set);
}

#[test]
fn a_press_takes_effect_at_the_instant_it_began_to_the_millisecond() {
    let (mut node, mut hub) = lever(TimeControl::even(FIVE_MINUTES_MS));
    press_at(&mut node, 1_000_000, Side::Black);
    node.observe(at(1_734_000), ClockInputs::lever(Side::White));
    node.observe(at(1_735_000), ClockInputs::lever(Side::Black));
    node.observe(at(1_737_000), ClockInputs::lever(Side::White));
    node.advance(at(1_800_000));
    let events = hub.events(&mut node);
    // The lever bounced; it stays down from 1.737 s on.
    assert_eq!(events[2], press(1_737_000, Side::White));
    assert_eq!(events[3], reading(1_737_000, 299_263, 300_000, Some(Side::Black)));
    assert_eq!(events.len(), 4);
}

#[test]
fn a_running_clock_tells_its_time_every_second() {
    let (mut node, mut hub) = lever(TimeControl::even(FIVE_MINUTES_MS));
    press_at(&mut node, 1_000_000, Side::Black);
    hub.events(&mut node);
    node.advance(at(3_500_000));
    let running = Some(Side::White);
    let expected = [
        reading(2_000_000, 299_000, 300_000, running),
        reading(3_000_000, 298_000, 300_000, running),
    ];
    assert_eq!(hub.events(&mut node), expected);
}

#[test]
fn the_next_due_time_is_when_the_clock_has_something_to_tell() {
    let (mut node, mut hub) = lever(TimeControl::even(FIVE_MINUTES_MS));
    press_at(&mut node, 1_500_000, Side::Black);
    node.advance(at(2_200_000));
    hub.talk(&mut node);
    assert_eq!(node.next_due(), at(2_505_000), "the reading, one debounce time late");
    node.advance(node.next_due());
    let events = hub.events(&mut node);
    assert_eq!(events, vec![reading(2_500_000, 299_000, 300_000, Some(Side::White))]);
}

#[test]
fn a_flag_falls_at_its_exact_time_and_is_told_at_once() {
    let (mut node, mut hub) = lever(TimeControl::even(1_500));
    press_at(&mut node, 1_000_000, Side::Black);
    hub.events(&mut node);
    node.advance(at(9_000_000));
    let events = hub.events(&mut node);
    let display = ClockDisplay {
        white_ms: 0,
        black_ms: 1_500,
        delay_left_ms: 0,
        running: Some(Side::White),
        first_flag: Some(Side::White),
    };
    let flag = Message::ClockReading(ClockReading { time: at(2_500_000), display });
    assert_eq!(events, vec![reading(2_000_000, 500, 1_500, Some(Side::White)), flag]);
}

#[test]
fn the_first_flag_stays_the_first_when_both_fall() {
    let (mut node, mut hub) = lever(TimeControl::even(1_000));
    press_at(&mut node, 1_000_000, Side::Black);
    node.advance(at(3_000_000));
    press_at(&mut node, 3_000_000, Side::White);
    node.advance(at(5_000_000));
    hub.events(&mut node);
    let display = node.display();
    assert_eq!((display.white_ms, display.black_ms), (0, 0));
    assert_eq!(display.first_flag, Some(Side::White));
}

#[test]
fn time_counts_only_after_the_delay() {
    let control = TimeControl { delay_ms: 2_000, ..TimeControl::even(FIVE_MINUTES_MS) };
    let (mut node, _) = lever(control);
    press_at(&mut node, 1_000_000, Side::Black);
    node.advance(at(2_505_000));
    assert_eq!((node.display().white_ms, node.display().delay_left_ms), (300_000, 500));
    node.advance(at(3_505_000));
    assert_eq!((node.display().white_ms, node.display().delay_left_ms), (299_500, 0));
    press_at(&mut node, 4_000_000, Side::White);
    assert_eq!((node.display().white_ms, node.display().delay_left_ms), (299_000, 2_000));
}

#[test]
fn a_paused_clock_stands_and_goes_on_for_the_same_side() {
    let (mut node, mut hub) = lever(TimeControl::even(FIVE_MINUTES_MS));
    press_at(&mut node, 1_000_000, Side::Black);
    hub.events(&mut node);
    node.pause(at(1_400_000));
    assert_eq!(hub.events(&mut node), vec![reading(1_400_000, 299_600, 300_000, None)]);
    node.advance(at(60_000_000));
    assert_eq!(hub.events(&mut node), vec![]);
    node.start(at(60_000_000));
    let running = Some(Side::White);
    assert_eq!(hub.events(&mut node), vec![reading(60_000_000, 299_600, 300_000, running)]);
    node.advance(at(61_200_000));
    assert_eq!(hub.events(&mut node), vec![reading(61_000_000, 298_600, 300_000, running)]);
}

#[test]
fn a_press_while_paused_decides_who_goes_on() {
    let (mut node, _) = lever(TimeControl::even(FIVE_MINUTES_MS));
    press_at(&mut node, 1_000_000, Side::Black);
    node.pause(at(1_400_000));
    press_at(&mut node, 2_000_000, Side::White);
    assert_eq!(node.mode(), CountdownMode::Paused(Side::Black));
    node.start(at(3_000_000));
    assert_eq!(node.mode(), CountdownMode::Running(Side::Black));
}

#[test]
fn a_clock_set_anew_waits_for_blacks_press() {
    let (mut node, mut hub) = lever(TimeControl::even(1_000));
    press_at(&mut node, 1_000_000, Side::Black);
    node.advance(at(5_000_000));
    node.pause(at(5_000_000));
    hub.events(&mut node);
    let control = TimeControl { black_ms: 90_000, ..TimeControl::even(60_000) };
    node.set(at(6_000_000), control);
    assert_eq!(hub.events(&mut node), vec![reading(6_000_000, 60_000, 90_000, None)]);
    // The lever is still down on Black's side: it must be put back before it can be pressed.
    press_at(&mut node, 7_000_000, Side::White);
    assert_eq!(node.mode(), CountdownMode::Set);
    press_at(&mut node, 8_000_000, Side::Black);
    assert_eq!(node.mode(), CountdownMode::Running(Side::White));
}

#[test]
fn a_clock_whose_lever_is_down_on_blacks_side_is_started_by_hand() {
    let control = TimeControl::even(FIVE_MINUTES_MS);
    let mut node: ClockNode =
        ClockNode::new(identity(), config(PressKind::Lever, control), EventMemory::default());
    node.observe(at(0), ClockInputs::lever(Side::Black));
    node.start(at(1_000_000));
    let expected = reading(1_000_000, 300_000, 300_000, Some(Side::White));
    assert_eq!(Hub::new().events(&mut node).last(), Some(&expected));
}

#[test]
fn buttons_show_a_second_press_of_the_same_side() {
    let control = TimeControl::even(FIVE_MINUTES_MS);
    let mut node: ClockNode =
        ClockNode::new(identity(), config(PressKind::Buttons, control), EventMemory::default());
    let mut hub = Hub::new();
    let released = ClockInputs::default();
    let black = ClockInputs { black_down: true, ..released };
    node.observe(at(0), released);
    hub.talk(&mut node);
    for us in [1_000_000, 1_300_000] {
        node.observe(at(us), black);
        node.observe(at(us + 100_000), released);
    }
    node.advance(at(1_500_000));
    let events = hub.events(&mut node);
    let presses = events.iter().filter(|event| matches!(event, Message::Press(_))).count();
    assert_eq!(presses, 2);
    assert_eq!(node.mode(), CountdownMode::Running(Side::White));
}

#[test]
fn tilt_and_hands_are_told() {
    let (mut node, mut hub) = lever(TimeControl::even(FIVE_MINUTES_MS));
    let inputs = ClockInputs { tilted: true, black_hand: true, ..ClockInputs::lever(Side::White) };
    node.observe(at(100_000), inputs);
    node.observe(at(300_000), ClockInputs { white_hand: true, ..ClockInputs::lever(Side::White) });
    node.advance(at(310_000));
    let tilt = |us, on| Message::Tilt(Tilt { time: at(us), on });
    let hand = |us, side, near| Message::Hand(Hand { time: at(us), side, near });
    let expected = [
        tilt(100_000, true),
        hand(100_000, Side::Black, true),
        tilt(300_000, false),
        hand(300_000, Side::White, true),
        hand(300_000, Side::Black, false),
    ];
    assert_eq!(hub.events(&mut node), expected);
}

#[test]
fn two_hand_sensors_for_each_player_show_the_side_of_the_hand() {
    let config = config(PressKind::Lever, TimeControl::even(FIVE_MINUTES_MS));
    let config = ClockConfig { hand_sides: true, ..config };
    let mut node = ClockNode::new(identity(), config, EventMemory::default());
    let mut hub = Hub::new();
    let still = ClockInputs::lever(Side::White);
    node.observe(at(0), still);
    hub.events(&mut node);
    node.observe(at(100_000), ClockInputs { white_hand_away: true, ..still });
    node.observe(at(200_000), ClockInputs { white_hand_away: true, white_hand: true, ..still });
    node.observe(at(300_000), ClockInputs { black_hand: true, ..still });
    node.observe(at(400_000), ClockInputs { black_hand_away: true, ..still });
    node.advance(at(500_000));
    let hand =
        |us, side, near, from| Message::HandFrom(HandFrom { time: at(us), side, near, from });
    let (white, black) = (Side::White, Side::Black);
    let (board, away) = (HandOrigin::Board, HandOrigin::Away);
    let expected = [
        hand(100_000, white, true, away),
        hand(200_000, white, true, board),
        hand(300_000, white, false, board),
        hand(300_000, black, true, board),
        hand(300_000, white, false, away),
        hand(400_000, black, false, board),
        hand(400_000, black, true, away),
    ];
    assert_eq!(hub.events(&mut node), expected);
    let NodeState::Clock(state) = Hub::new().snapshot(&mut node).unwrap().state else { panic!() };
    assert!(state.black_hand && !state.white_hand);
}

#[test]
fn a_snapshot_shows_everything_the_clock_knows() {
    let (mut node, mut hub) = lever(TimeControl::even(FIVE_MINUTES_MS));
    node.observe(at(500_000), ClockInputs { tilted: true, ..ClockInputs::lever(Side::Black) });
    node.advance(at(1_000_000));
    let snapshot = hub.snapshot(&mut node).unwrap();
    assert_eq!(snapshot.time, at(995_000));
    let NodeState::Clock(state) = snapshot.state else { panic!("{snapshot:?}") };
    assert_eq!(state.display.white_ms, 299_505);
    assert_eq!(state.pressed, Some(Side::Black));
    assert!(state.tilted && !state.white_hand && !state.black_hand);
}

#[test]
fn a_clock_is_in_use_from_its_start_until_a_flag_falls() {
    let (mut node, _) = lever(TimeControl::even(60_000));
    assert!(!node.is_in_use(), "it is set and waits");
    press_at(&mut node, 2_000_000, Side::Black);
    assert!(node.is_in_use());
    node.advance(at(63_000_000));
    assert!(!node.is_in_use(), "White's flag has fallen");
}
