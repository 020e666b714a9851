//! Checks of the hub's own pins in a configuration: each pin once, and only those of the header.

use std::collections::HashMap;

use rules::BoardId;

use super::check::Problems;
use super::{CallButton, Gpio, LeverPin, Rs485, raw};

/// Highest BCM number on a Raspberry Pi's header.
const PIN_MAX: u32 = 27;

/// The pins that are used, and the key that uses each.
#[derive(Default)]
pub(super) struct UsedPins(HashMap<u8, String>);

impl UsedPins {
    fn pin(&mut self, key: &str, value: i64, problems: &mut Problems) -> u8 {
        let pin = problems.number(key, value, 0, PIN_MAX) as u8;
        if let Some(first) = self.0.insert(pin, key.to_owned()) {
            problems.add(
                key,
                value,
                format!("is the pin of {first} too"),
                "a pin has one use: give one of the two another pin",
            );
        }
        pin
    }
}

pub(super) fn check_gpio(
    raw: Option<raw::RawGpio>,
    taken: &mut UsedPins,
    problems: &mut Problems,
) -> Gpio {
    let Some(raw) = raw else { return Gpio::default() };
    let mut pin = |name: &str, value: Option<i64>, problems: &mut Problems| {
        value.map(|value| taken.pin(&format!("gpio.{name}"), value, problems))
    };
    Gpio {
        ok_led: pin("ok_led", raw.ok_led, problems),
        trouble_led: pin("trouble_led", raw.trouble_led, problems),
        recording_led: pin("recording_led", raw.recording_led, problems),
        buzzer: pin("buzzer", raw.buzzer, problems),
        rs485: check_rs485(raw.rs485, taken, problems),
        call_buttons: check_call_buttons(raw.call_button, taken, problems),
    }
}

fn check_call_buttons(
    raw: Vec<raw::RawCallButton>,
    taken: &mut UsedPins,
    problems: &mut Problems,
) -> Vec<CallButton> {
    let button = |(index, button): (usize, raw::RawCallButton)| {
        let key = format!("gpio.call_button[{}].pin", index + 1);
        CallButton { pin: taken.pin(&key, button.pin, problems), table: button.table }
    };
    raw.into_iter().enumerate().map(button).collect()
}

/// Reports buttons of tables that this hub does not have.
pub(super) fn check_tables_of_buttons(gpio: &Gpio, tables: &[String], problems: &mut Problems) {
    for (index, button) in gpio.call_buttons.iter().enumerate() {
        if !tables.contains(&button.table) {
            problems.add(
                &format!("gpio.call_button[{}].table", index + 1),
                format!("{:?}", button.table),
                "no table of this hub",
                "name a [[table]] of this file",
            );
        }
    }
}

fn check_rs485(
    raw: Vec<raw::RawRs485>,
    taken: &mut UsedPins,
    problems: &mut Problems,
) -> Vec<Rs485> {
    let mut ports = HashMap::new();
    let mut lines = Vec::new();
    for (index, line) in raw.into_iter().enumerate() {
        let key = format!("gpio.rs485[{}]", index + 1);
        let direction = match line.direction {
            raw::LineDirection::Pin(pin) => {
                Some(taken.pin(&format!("{key}.direction"), pin, problems))
            }
            raw::LineDirection::Word(word) => {
                if word != "rts" {
                    problems.add(
                        &format!("{key}.direction"),
                        format!("{word:?}"),
                        "is no pin".to_owned(),
                        "give the BCM number of a pin, or \"rts\" where the line's own RTS switches and the kernel lowers it",
                    );
                }
                None
            }
        };
        if let Some(first) = ports.insert(line.port.clone(), key.clone()) {
            problems.add(
                &format!("{key}.port"),
                format!("{:?}", line.port.to_string_lossy()),
                format!("is the port of {first} too"),
                "a line has one direction pin: remove one of the two",
            );
        }
        lines.push(Rs485 { port: line.port, direction });
    }
    lines
}

pub(super) fn check_levers(
    table: &str,
    raw: &[raw::RawLever],
    taken: &mut UsedPins,
    problems: &mut Problems,
) -> Vec<LeverPin> {
    let mut levers: Vec<LeverPin> = Vec::new();
    for (index, lever) in raw.iter().enumerate() {
        let key = format!("{table}.lever[{}]", index + 1);
        let pin = taken.pin(&format!("{key}.pin"), lever.pin, problems);
        let Ok(board) = lever.board.parse::<BoardId>() else {
            problems.add(
                &format!("{key}.board"),
                format!("{:?}", lever.board),
                "no board of a table",
                "write \"A\" or \"B\"",
            );
            continue;
        };
        if levers.iter().any(|other| other.board == board) {
            problems.add(
                &key,
                format!("pin {pin}"),
                format!("a second lever for board {board}"),
                "a clock has one lever: remove one of the two",
            );
        }
        levers.push(LeverPin { board, pin });
    }
    levers
}
