//! A bus of boards that answer as DGT's public documents and public emulators have it, question by question.

use readings::ReadingKind;
use rules::Color;

use super::super::frame::answer;
use super::super::on_bus::CHANGES_EVERY_US;
use super::*;

const ADDRESS: Address = 5;
const OTHER: Address = 9;

/// Types of answers.
const BOARD: u8 = 0x83;
const CLOCK: u8 = 0x84;
const ODD: u8 = 0x85;
const EVEN: u8 = 0x8B;
const VERSION: u8 = 0x89;

const EOF: u8 = 0x6B;
/// 5:00 each, the right player's clock runs, the right side is up.
const RUNS: [u8; 7] = [0, 0x05, 0x00, 0, 0x05, 0x00, 0x0B];

/// The command that the driver sends next at `now`, and to which board.
fn asked_of(bus: &mut Bus, now: HubTime) -> (u8, Address) {
    bus.poll(now);
    let mut bytes = [0; 64];
    let sent = bus.transmit(&mut bytes);
    assert_eq!(sent, 4, "one question at a time");
    (bytes[0], u16::from(bytes[1]) << 7 | u16::from(bytes[2]))
}

fn asked(bus: &mut Bus, now: HubTime) -> u8 {
    asked_of(bus, now).0
}

fn outputs(bus: &mut Bus) -> Vec<Output> {
    std::iter::from_fn(|| bus.poll_output()).collect()
}

fn told(bus: &mut Bus) -> Vec<ReadingKind> {
    let readings = outputs(bus).into_iter().filter_map(|output| match output {
        Output::Readings { readings, .. } => Some(readings),
        _ => None,
    });
    readings.flatten().map(|(_, kind)| kind).collect()
}

fn presses(told: &[ReadingKind]) -> usize {
    told.iter().filter(|kind| matches!(kind, ReadingKind::Press { .. })).count()
}

/// A bus with empty boards that have their places, and the time.
fn admitted_boards(addresses: &[Address], settings: DgtSettings) -> (Bus, HubTime) {
    let mut bus = Bus::new(addresses.iter().map(|&address| (address, settings)));
    bus.opened(HubTime::ZERO);
    assert_eq!(asked(&mut bus, HubTime::ZERO), Command::Ping as u8);
    let mut now = HubTime::ZERO.plus_micros(PING_US);
    let mut left = 3 * addresses.len();
    while left > 0 {
        let (command, address) = asked_of(&mut bus, now);
        now = now.plus_micros(20_000);
        let reply = match command {
            0x8B => answer(VERSION, address, &[1, 7]),
            0x83 => answer(ODD, address, &[]),
            0x82 => answer(BOARD, address, &[0; 64]),
            0x81 => answer(CLOCK, address, &RUNS),
            other => panic!("{other:#04x}"),
        };
        left -= usize::from(command != 0x81);
        bus.receive(now, &reply);
        if command == 0x8B {
            bus.admit(Unit(address), ConnectionState::New { resume: None, kept: None });
        }
    }
    outputs(&mut bus);
    (bus, now)
}

fn admitted(settings: DgtSettings) -> (Bus, HubTime) {
    admitted_boards(&[ADDRESS], settings)
}

/// Answers questions with empty changes and the clock that runs, until the clock was read.
fn settle(bus: &mut Bus, now: &mut HubTime) {
    for _ in 0..6 {
        until_changes(bus, now);
        bus.receive(*now, &answer(ODD, ADDRESS, &[]));
    }
    outputs(bus);
}

/// Answers questions with empty changes and the clock that runs until the board is asked for its changes.
fn until_changes(bus: &mut Bus, now: &mut HubTime) {
    for _ in 0..8 {
        *now = now.plus_micros(CHANGES_EVERY_US);
        match asked(bus, *now) {
            0x83 => return,
            0x81 => bus.receive(*now, &answer(CLOCK, ADDRESS, &RUNS)),
            0x82 => bus.receive(*now, &answer(BOARD, ADDRESS, &[0; 64])),
            other => panic!("{other:#04x}"),
        }
    }
    panic!("changes are not asked for");
}

#[test]
fn changes_that_come_when_no_question_waits_are_told() {
    let (mut bus, mut now) = admitted(DgtSettings::default());
    until_changes(&mut bus, &mut now);
    now = now.plus_micros(ANSWER_US);
    assert_eq!(asked(&mut bus, now), Command::Repeat as u8);
    // The answer to the first question, to its repetition, and to the next one.
    let (none, one) = (answer(ODD, ADDRESS, &[]), answer(ODD, ADDRESS, &[0x41, 28]));
    bus.receive(now, &none);
    now = now.plus_micros(CHANGES_EVERY_US);
    bus.poll(now);
    bus.receive(now, &[none, one].concat());
    let told = told(&mut bus);
    assert!(matches!(told[..], [ReadingKind::Square { .. }]), "{told:?}");
}

#[test]
fn the_clock_is_read_although_changes_are_always_due() {
    let (mut bus, mut now) = admitted(DgtSettings { clock: true, ..DgtSettings::default() });
    let mut commands = Vec::new();
    for _ in 0..4 {
        let command = asked(&mut bus, now);
        commands.push(command);
        // Each answer takes longer than changes may wait.
        now = now.plus_micros(CHANGES_EVERY_US + 1);
        let reply = match command {
            0x81 => answer(CLOCK, ADDRESS, &RUNS),
            _ => answer(ODD, ADDRESS, &[]),
        };
        bus.receive(now, &reply);
    }
    let [changes, clock] = [Command::Changes as u8, Command::Clock as u8];
    assert_eq!(commands, [changes, clock, changes, changes]);
}

#[test]
fn notes_that_no_driver_knows_cost_no_change_and_are_reported_once() {
    let (mut bus, mut now) = admitted(DgtSettings { clock: true, ..DgtSettings::default() });
    // The no-operation of 2012 and the delay tags of newer boards.
    for note in [0x00, 0x12, 0x2F] {
        until_changes(&mut bus, &mut now);
        let data = [note, 0x41, 28, note, 0x40, 28, note, 0x60, 0x04, 0x58];
        bus.receive(now, &answer(ODD, ADDRESS, &data));
        let outputs = outputs(&mut bus);
        let reported = outputs.iter().filter(|it| matches!(it, Output::Unknown(_))).count();
        assert_eq!(reported, usize::from(note != 0), "{note:#04x}: {outputs:?}");
        let readings: Vec<_> = outputs
            .iter()
            .filter_map(|it| match it {
                Output::Readings { readings, .. } => Some(readings.clone()),
                _ => None,
            })
            .flatten()
            .map(|(_, kind)| kind)
            .filter(|kind| !matches!(kind, ReadingKind::Clock { .. }))
            .collect();
        assert!(
            matches!(
                readings[..],
                [
                    ReadingKind::Square { .. },
                    ReadingKind::Square { .. },
                    ReadingKind::Press { .. },
                    ..
                ]
            ),
            "{note:#04x}: {readings:?}"
        );
    }
}

#[test]
fn a_quiet_board_whose_changes_end_with_a_mark_leaves_the_line_to_the_other() {
    let (mut bus, mut now) = admitted_boards(&[ADDRESS, OTHER], DgtSettings::default());
    let mut questions = std::collections::BTreeMap::new();
    let mut piece = 0;
    for turn in 0..200 {
        now = now.plus_micros(CHANGES_EVERY_US);
        let (command, address) = asked_of(&mut bus, now);
        assert_ne!(command, Command::Repeat as u8, "turn {turn}: every question is answered");
        *questions.entry(address).or_insert(0) += 1;
        let reply = match (command, address) {
            (0x82, _) => answer(BOARD, address, &[0; 64]),
            (_, ADDRESS) => answer(ODD, address, &[EOF]),
            _ => {
                piece ^= 1;
                answer(ODD, address, &[0x40 | piece, 28, EOF])
            }
        };
        bus.receive(now, &reply);
    }
    let (quiet, plays) = (questions[&ADDRESS], questions[&OTHER]);
    assert!(plays >= 90 && quiet >= 90, "{questions:?}");
    assert!(told(&mut bus).len() >= 80);
}

#[test]
fn a_board_that_never_shows_all_squares_is_named_and_leaves_the_line_to_the_other() {
    let mut bus = Bus::new([ADDRESS, OTHER].map(|it| (it, DgtSettings::default())).into_iter());
    bus.opened(HubTime::ZERO);
    let mut now = HubTime::ZERO.plus_micros(PING_US);
    asked(&mut bus, HubTime::ZERO);
    let (mut of_silent, mut of_other, mut doubts) = (0, 0, Vec::new());
    for _ in 0..400 {
        let (command, address) = asked_of(&mut bus, now);
        now = now.plus_micros(20_000);
        let reply = match (command, address) {
            (0x8B, _) => answer(VERSION, address, &[1, 7]),
            (0x82, ADDRESS) => {
                of_silent += 1;
                now = now.plus_micros(ANSWER_US);
                continue;
            }
            (0x82, _) => answer(BOARD, address, &[0; 64]),
            (0x83 | 0x84, _) => answer(ODD, address, &[]),
            other => panic!("{other:?}"),
        };
        of_other += u32::from(address == OTHER);
        bus.receive(now, &reply);
        for output in outputs(&mut bus) {
            match output {
                Output::Present(device) => {
                    bus.admit(device.unit, ConnectionState::New { resume: None, kept: None });
                }
                Output::Doubtful { unit, detail: Some(detail) } => doubts.push((unit, detail)),
                _ => {}
            }
        }
        now = now.plus_micros(CHANGES_EVERY_US);
    }
    assert!(of_silent <= 20, "asked {of_silent} times");
    assert!(of_other >= 150, "the other was asked {of_other} times");
    assert_eq!(doubts.len(), 1, "{doubts:?}");
    assert!(doubts[0].0 == Unit(ADDRESS) && doubts[0].1.contains("0x82"), "{doubts:?}");
}

#[test]
fn a_board_whose_version_is_empty_or_longer_is_met() {
    for (data, firmware) in [(&[][..], ""), (&[1, 7], "1.07"), (&[2, 0, 13], "2.0.13")] {
        let mut bus = Bus::new([(ADDRESS, DgtSettings::default())].into_iter());
        bus.opened(HubTime::ZERO);
        asked(&mut bus, HubTime::ZERO);
        let now = HubTime::ZERO.plus_micros(PING_US);
        asked(&mut bus, now);
        bus.receive(now, &answer(VERSION, ADDRESS, data));
        let met = outputs(&mut bus).into_iter().find_map(|it| match it {
            Output::Present(device) => Some(device.firmware),
            _ => None,
        });
        assert_eq!(met.as_deref(), Some(firmware));
    }
}

#[test]
fn a_press_that_is_repeated_after_a_lost_question_counts_once() {
    let (mut bus, mut now) = admitted(DgtSettings { clock: true, ..DgtSettings::default() });
    until_changes(&mut bus, &mut now);
    let press = answer(ODD, ADDRESS, &[0x60, 0x04, 0x58]);
    bus.receive(now, &press);
    // The clock is read, and the next question for changes is lost: the board repeats its last changes.
    assert_eq!(asked(&mut bus, now), Command::Clock as u8);
    bus.receive(now, &answer(CLOCK, ADDRESS, &[0, 0x04, 0x58, 0, 0x05, 0x00, 0x11]));
    until_changes(&mut bus, &mut now);
    now = now.plus_micros(ANSWER_US);
    assert_eq!(asked(&mut bus, now), Command::Repeat as u8);
    bus.receive(now, &press);
    assert_eq!(asked(&mut bus, now), Command::Changes as u8, "the question is asked again");
    bus.receive(now, &answer(ODD, ADDRESS, &[]));
    let told = told(&mut bus);
    assert_eq!(presses(&told), 1, "{told:?}");
}

#[test]
fn a_board_that_does_not_count_empty_answers_repeats_its_last_press_and_it_counts_once() {
    let (mut bus, mut now) = admitted(DgtSettings { clock: true, ..DgtSettings::default() });
    until_changes(&mut bus, &mut now);
    let press = answer(ODD, ADDRESS, &[0x60, 0x04, 0x58]);
    bus.receive(now, &press);
    until_changes(&mut bus, &mut now);
    bus.receive(now, &answer(ODD, ADDRESS, &[]));
    until_changes(&mut bus, &mut now);
    now = now.plus_micros(ANSWER_US);
    assert_eq!(asked(&mut bus, now), Command::Repeat as u8);
    bus.receive(now, &press);
    let told = told(&mut bus);
    assert_eq!(presses(&told), 1, "{told:?}");
}

#[test]
fn repeats_without_end_give_the_line_to_the_next_board() {
    let (mut bus, mut now) = admitted_boards(&[ADDRESS, OTHER], DgtSettings::default());
    let mut of_other = 0;
    for _ in 0..60 {
        now = now.plus_micros(CHANGES_EVERY_US);
        let (command, address) = asked_of(&mut bus, now);
        match (command, address) {
            // Only repetitions are answered.
            (0x83, ADDRESS) => now = now.plus_micros(ANSWER_US),
            (_, ADDRESS) => bus.receive(now, &answer(ODD, address, &[])),
            (0x82, _) => bus.receive(now, &answer(BOARD, address, &[0; 64])),
            _ => {
                of_other += 1;
                bus.receive(now, &answer(ODD, address, &[]));
            }
        }
    }
    assert!(of_other >= 10, "{of_other}");
}

#[test]
fn the_same_changes_under_the_other_type_are_news() {
    let (mut bus, mut now) = admitted(DgtSettings::default());
    let lifted_and_put_back = [0x41, 28, 0x40, 28];
    let mut told_in_all = 0;
    for code in [EVEN, ODD, EVEN] {
        until_changes(&mut bus, &mut now);
        now = now.plus_micros(ANSWER_US);
        assert_eq!(asked(&mut bus, now), Command::Repeat as u8);
        bus.receive(now, &answer(code, ADDRESS, &lifted_and_put_back));
        told_in_all += told(&mut bus).len();
    }
    assert_eq!(told_in_all, 6);
}

#[test]
fn a_press_that_the_board_did_not_note_is_taken_from_the_lever() {
    let (mut bus, mut now) = admitted(DgtSettings { clock: true, ..DgtSettings::default() });
    settle(&mut bus, &mut now);
    let pressed = [0, 0x04, 0x58, 0, 0x05, 0x00, 0x11];
    let mut told_in_all = Vec::new();
    for _ in 0..60 {
        now = now.plus_micros(CHANGES_EVERY_US);
        let reply = match asked(&mut bus, now) {
            0x81 => answer(CLOCK, ADDRESS, &pressed),
            0x82 => answer(BOARD, ADDRESS, &[0; 64]),
            _ => answer(ODD, ADDRESS, &[]),
        };
        bus.receive(now, &reply);
        told_in_all.extend(told(&mut bus));
    }
    let pressed: Vec<_> = told_in_all
        .iter()
        .filter_map(|kind| match kind {
            ReadingKind::Press { by } => Some(*by),
            _ => None,
        })
        .collect();
    assert_eq!(pressed, [Color::White], "{told_in_all:?}");
}

#[test]
fn a_press_whose_note_comes_after_the_clock_counts_once() {
    for late in [false, true] {
        let (mut bus, mut now) = admitted(DgtSettings { clock: true, ..DgtSettings::default() });
        settle(&mut bus, &mut now);
        let pressed = [0, 0x04, 0x58, 0, 0x05, 0x00, 0x11];
        let note = answer(ODD, ADDRESS, &[0x60, 0x04, 0x58]);
        let mut told_in_all = Vec::new();
        let (mut clocks, mut after) = (0, 0);
        for _ in 0..40 {
            now = now.plus_micros(CHANGES_EVERY_US);
            let reply = match asked(&mut bus, now) {
                0x81 => {
                    clocks += 1;
                    answer(CLOCK, ADDRESS, &pressed)
                }
                0x82 => answer(BOARD, ADDRESS, &[0; 64]),
                _ if clocks > 0 => {
                    after += 1;
                    if after == 1 + u32::from(late) {
                        note.clone()
                    } else {
                        answer(ODD, ADDRESS, &[])
                    }
                }
                _ => answer(ODD, ADDRESS, &[]),
            };
            bus.receive(now, &reply);
            told_in_all.extend(told(&mut bus));
        }
        assert_eq!(presses(&told_in_all), 1, "late: {late}: {told_in_all:?}");
    }
}

#[test]
fn an_answer_of_an_unknown_type_is_reported_once_in_hex() {
    let (mut bus, mut now) = admitted(DgtSettings::default());
    let mut reports = Vec::new();
    for _ in 0..5 {
        until_changes(&mut bus, &mut now);
        bus.receive(now, &answer(0xB2, ADDRESS, &[1, 2, 0x7F]));
        bus.receive(now, &answer(ODD, ADDRESS, &[]));
        reports.extend(outputs(&mut bus).into_iter().filter_map(|it| match it {
            Output::Unknown(words) => Some(words),
            _ => None,
        }));
    }
    assert_eq!(reports.len(), 1, "{reports:?}");
    assert!(reports[0].contains("0xb2") && reports[0].contains("01 02 7f"), "{reports:?}");
}
