//! The clock node on an emulated board: a lever clock with tilt switch, hand sensors and keys, without displays.
#![no_std]
#![no_main]

use cortex_m::singleton;
use cortex_m_rt::entry;
use emulated::{Contact, Output, contact, event_memory, start};
use node_firmware::{
    ActiveLevel, ClockConfig, ClockNode, HandPins, Identity, KeyPins, LeverPins, NoDisplay,
    WiredClock,
};
use node_runtime::Role;

type Contacts = KeyPins<HandPins<LeverPins<Contact, Contact>, Contact, Contact>, Contact>;
type Clock = WiredClock<Contacts, NoDisplay, Output>;

#[entry]
fn main() -> ! {
    let started = start(Role::Clock);
    let clock = place(&started.identity);
    started.run(clock)
}

/// Not inlined, so that what it needs of the stack is free again when the main loop runs.
#[inline(never)]
fn place(identity: &Identity) -> &'static mut Clock {
    singleton!(: Clock = wired(identity)).unwrap()
}

fn wired(identity: &Identity) -> Clock {
    let active = ActiveLevel::Low;
    let lever =
        LeverPins { white_down: Contact(contact::LEVER), tilt: Contact(contact::TILT), active };
    let hands = HandPins {
        clock: lever,
        white: Contact(contact::WHITE_HAND),
        black: Contact(contact::BLACK_HAND),
        active,
    };
    let keys = [contact::MODE, contact::MINUS, contact::PLUS, contact::PAUSE].map(Contact);
    let contacts = KeyPins { clock: hands, keys, active };
    let config = ClockConfig { hand_sensor: true, ..ClockConfig::default() };
    WiredClock::new(
        ClockNode::new(identity.clone(), config, event_memory()),
        contacts,
        NoDisplay,
        Output::BUZZER,
    )
}
