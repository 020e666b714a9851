//! The clock node: contacts, the countdowns they drive, and the link.
//!
//! A contact counts one debounce time after it closed, but a press takes effect at the instant it closed. The countdowns run one
//! debounce time behind the node's time. So every press is known before they reach it, and displayed times are exact.

mod commands;
mod contacts;

use proto::link::{
    BoardHealth, ClockDisplay, ClockKind, ClockReading, ClockState, Hand, HandFrom, Message,
    NodeKind, NodeState, NodeTime, Press, PressKind, Side, Tilt, TimeControl,
};

pub use contacts::ClockInputs;
use contacts::{
    BLACK_DOWN, BLACK_HAND, BLACK_HAND_AWAY, CHANNELS, KEYS, TILTED, WHITE_DOWN, WHITE_HAND,
    WHITE_HAND_AWAY, hand, side_down,
};

use crate::countdown::{Countdown, CountdownMode};
use crate::debounce::{Change, Debouncer};
use crate::event_buffer::EventMemory;
use crate::face::{BLINK_US, Face, Showing, SideFace};
use crate::inputs::InputError;
use crate::link::{Identity, LinkSession, SensorHealth, Status};
use crate::menu::{Key, Menu, MenuOutcome, Settings};
use crate::pins::ReadClock;

/// Time for which the mode key is held to open the menu, in µs.
pub const MENU_HOLD_US: u64 = 1_000_000;
/// Time for which the minus key is held to reset the clock, in µs: longer, because the displayed times are lost then.
pub const RESET_HOLD_US: u64 = 2_000_000;
/// Duration of the flag's sound, in µs.
pub const FLAG_SOUND_US: u64 = 1_000_000;

/// Build and settings of a clock node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockConfig {
    /// Time for which a contact must keep its reading before it counts, in µs.
    pub debounce_us: u32,
    /// Lever or buttons.
    pub press: PressKind,
    /// Whether it has hand sensors.
    pub hand_sensor: bool,
    /// Whether it has two of them for each player: on the board's side of the clock, and away from the board.
    pub hand_sides: bool,
    /// Time control at the start, and again after a loss of power.
    pub control: TimeControl,
    /// Whether the buzzer sounds when a flag falls.
    pub sound: bool,
}

impl Default for ClockConfig {
    /// A lever clock with five minutes for each player, no delay, and silent: ready for play at once, without disturbing the other
    /// tables.
    fn default() -> Self {
        Self {
            debounce_us: crate::DEFAULT_DEBOUNCE_US,
            press: PressKind::Lever,
            hand_sensor: false,
            hand_sides: false,
            control: TimeControl::even(300_000),
            sound: false,
        }
    }
}

/// A clock node.
#[derive(Debug)]
#[cfg_attr(feature = "alloc", derive(Clone))]
pub struct ClockNode {
    sensors: ClockSensors,
    link: LinkSession,
}

#[derive(Clone, Debug)]
struct ClockSensors {
    contacts: Debouncer<CHANNELS>,
    countdown: Countdown,
    pressed: Option<Side>,
    menu: Option<Menu>,
    /// A key that is held, and when holding it has an effect.
    held: Option<(Key, NodeTime)>,
    hand_sides: bool,
    sound: bool,
    sounds_until: NodeTime,
    /// Whether anybody has done anything to the clock since it got power.
    touched: bool,
    last_scan: Option<NodeTime>,
    longest_scan_gap_us: u32,
}

impl ClockNode {
    /// A node before its first reading.
    pub const fn new(identity: Identity, config: ClockConfig, memory: EventMemory) -> Self {
        let kind = ClockKind { press: config.press, hand_sensor: config.hand_sensor };
        Self {
            sensors: ClockSensors {
                contacts: Debouncer::new(config.debounce_us),
                countdown: Countdown::new(config.control),
                pressed: None,
                menu: None,
                held: None,
                hand_sides: config.hand_sides,
                sound: config.sound,
                sounds_until: NodeTime::ZERO,
                touched: false,
                last_scan: None,
                longest_scan_gap_us: 0,
            },
            link: LinkSession::new(identity, NodeKind::Clock(kind), memory),
        }
    }

    /// Reads the contacts and lets time pass to `now`.
    ///
    /// # Errors
    /// If a pin cannot be read: time passes, the reading before it holds.
    pub fn poll<C: ReadClock>(
        &mut self,
        now: NodeTime,
        contacts: &mut C,
    ) -> Result<(), InputError> {
        match contacts.read() {
            Ok(inputs) => {
                let gap = self.sensors.last_scan.map_or(0, |last| now.micros_since(last));
                let gap = u32::try_from(gap).unwrap_or(u32::MAX);
                self.sensors.longest_scan_gap_us = self.sensors.longest_scan_gap_us.max(gap);
                self.sensors.last_scan = Some(now);
                self.observe(now, inputs);
                Ok(())
            }
            Err(error) => {
                self.advance(now);
                Err(error)
            }
        }
    }

    /// Processes the contacts' readings at `now`, as a scan would. They are assumed to hold until the next call.
    pub fn observe(&mut self, now: NodeTime, inputs: ClockInputs) {
        self.take(now, inputs.bits());
    }

    /// Lets time pass to `now` with the contacts unchanged. Before the first reading nothing happens.
    pub fn advance(&mut self, now: NodeTime) {
        if self.sensors.contacts.is_started() {
            self.take(now, self.sensors.contacts.raw());
        }
    }

    fn take(&mut self, now: NodeTime, bits: u64) {
        self.link.poll(now);
        if !self.sensors.contacts.is_started() {
            let ClockSensors { contacts, countdown, pressed, .. } = &mut self.sensors;
            contacts.observe(now, bits, |_| {});
            *pressed = side_down(bits);
            countdown.advance(now, |_, _| {});
            self.link.push(&reading_now(countdown));
            return;
        }
        let mut changes = heapless::Vec::<Change, CHANNELS>::new();
        // Each channel changes once at most.
        self.sensors.contacts.observe(now, bits, |change| _ = changes.push(change));
        for change in changes {
            self.count_to(change.time);
            self.take_change(change);
        }
        self.count_to(now.minus_micros(u64::from(self.sensors.contacts.debounce_us())));
    }

    /// Advances the countdown to `to`, and does the act of a key that has been held by then.
    fn count_to(&mut self, to: NodeTime) {
        if let Some((key, due)) = self.sensors.held.filter(|&(_, due)| due <= to) {
            self.sensors.held = None;
            self.advance_countdown(due);
            self.hold(key);
        }
        self.advance_countdown(to);
    }

    fn advance_countdown(&mut self, to: NodeTime) {
        let ClockSensors { countdown, sound, sounds_until, .. } = &mut self.sensors;
        let link = &mut self.link;
        let flags_before = countdown.display().first_flag;
        countdown.advance(to, |time, display| {
            if *sound && flags_before.is_none() && display.first_flag.is_some() {
                *sounds_until = time.plus_micros(FLAG_SOUND_US);
            }
            link.push(&reading(time, display));
        });
    }

    fn take_change(&mut self, change: Change) {
        // A command may have taken the countdown past the beginning of this change.
        let time = change.time.max(self.sensors.countdown.now());
        let on = change.on;
        match change.channel {
            WHITE_DOWN | BLACK_DOWN if on => {
                let by = if change.channel == WHITE_DOWN { Side::White } else { Side::Black };
                self.sensors.pressed = Some(by);
                self.sensors.touch();
                self.sensors.countdown.press(by);
                self.link.push(&Message::Press(Press { time, by }));
                self.tell();
            }
            TILTED => self.link.push(&Message::Tilt(Tilt { time, on })),
            channel => {
                if let Some((side, from)) = hand(channel) {
                    self.link.push(&match self.sensors.hand_sides {
                        true => Message::HandFrom(HandFrom { time, side, near: on, from }),
                        false => Message::Hand(Hand { time, side, near: on }),
                    });
                } else if let Some(&key) = Key::ALL.get(usize::from(channel.wrapping_sub(KEYS))) {
                    self.take_key(time, key, on);
                }
                // Else a button released, or the side of a lever that goes up.
            }
        }
    }

    fn take_key(&mut self, time: NodeTime, key: Key, on: bool) {
        self.sensors.held = None;
        if !on {
            return;
        }
        self.sensors.touched = true;
        let running = matches!(self.sensors.countdown.mode(), CountdownMode::Running(_));
        if let Some(menu) = &mut self.sensors.menu {
            match menu.press(key) {
                MenuOutcome::Open => {}
                MenuOutcome::Left => self.sensors.menu = None,
                MenuOutcome::Accepted(Settings { control, sound }) => {
                    self.sensors.menu = None;
                    self.sensors.sound = sound;
                    self.sensors.countdown.set(control);
                    self.tell();
                }
            }
            return;
        }
        match key {
            Key::Pause if running => self.sensors.countdown.pause(),
            Key::Pause => self.sensors.countdown.start(),
            Key::Mode if !running => return self.hold_until(key, time.plus_micros(MENU_HOLD_US)),
            Key::Minus if !running => return self.hold_until(key, time.plus_micros(RESET_HOLD_US)),
            Key::Mode | Key::Minus | Key::Plus => return,
        }
        self.tell();
    }

    fn hold_until(&mut self, key: Key, due: NodeTime) {
        self.sensors.held = Some((key, due));
    }

    /// A key has been held.
    fn hold(&mut self, key: Key) {
        if matches!(self.sensors.countdown.mode(), CountdownMode::Running(_)) {
            return;
        }
        match key {
            Key::Mode => self.sensors.menu = Some(Menu::new(self.settings())),
            Key::Minus => {
                let control = self.sensors.countdown.set_to();
                self.sensors.countdown.set(control);
                self.tell();
            }
            Key::Plus | Key::Pause => {}
        }
    }

    /// Tells what the displays show now.
    fn tell(&mut self) {
        self.link.push(&reading_now(&self.sensors.countdown));
    }

    /// Time of the next work of [`Self::advance`]: a contact comes to count, the countdown has a new reading, or something is due on
    /// the link.
    pub fn next_due(&self) -> NodeTime {
        let ClockSensors { contacts, countdown, held, .. } = &self.sensors;
        let debounce_us = u64::from(contacts.debounce_us());
        let counted = [countdown.next_due(), held.map(|(_, due)| due)].into_iter().flatten();
        let told = counted.map(|due| due.plus_micros(debounce_us));
        told.chain(contacts.next_due()).fold(self.link.next_due(), NodeTime::min)
    }

    /// Returns the settings for the next game: by keys, commands, or from the start. They do not include a delay that was changed in
    /// the middle of a game.
    pub const fn settings(&self) -> Settings {
        Settings { control: self.sensors.countdown.set_to(), sound: self.sensors.sound }
    }

    /// Returns the contents of the displays.
    pub fn face(&self) -> Face {
        let ClockSensors { countdown, menu, touched, .. } = &self.sensors;
        let display = countdown.display();
        let side = |side, ms| SideFace {
            ms,
            delay_left_ms: if display.running == Some(side) { display.delay_left_ms } else { 0 },
            runs: display.running == Some(side),
            flag: display.first_flag == Some(side),
        };
        let showing = match menu {
            Some(menu) => Showing::Menu(menu.item()),
            None if !touched => Showing::PowerLost,
            None if countdown.paused().is_some() => Showing::Paused,
            None => Showing::Times,
        };
        Face {
            white: side(Side::White, display.white_ms),
            black: side(Side::Black, display.black_ms),
            showing,
            lit: (countdown.now().as_micros() / BLINK_US).is_multiple_of(2),
        }
    }

    /// Whether the buzzer sounds now.
    pub fn sounds(&self) -> bool {
        self.sensors.countdown.now() < self.sensors.sounds_until
    }

    /// Returns the displayed times (as of one debounce time ago).
    pub fn display(&self) -> ClockDisplay {
        self.sensors.countdown.display()
    }

    /// Returns the countdown's mode.
    pub const fn mode(&self) -> CountdownMode {
        self.sensors.countdown.mode()
    }

    /// Takes bytes from the line.
    pub fn receive(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(order) = self.link.receive(&mut rest) {
            self.obey(order);
        }
    }

    /// Moves bytes for the line into `out`; returns how many. Call again until it returns 0.
    pub fn transmit(&mut self, out: &mut [u8]) -> usize {
        self.link.transmit(out, &mut self.sensors)
    }

    /// Whether [`Self::transmit`] has something to say.
    pub fn wants_transmit(&self) -> bool {
        self.link.wants_transmit()
    }

    /// The node's end of the link.
    pub const fn link(&self) -> &LinkSession {
        &self.link
    }

    /// The node's end of the link.
    pub const fn link_mut(&mut self) -> &mut LinkSession {
        &mut self.link
    }

    /// Whether a match is played with this clock: it was started, is not set again, and no flag has fallen.
    pub fn is_in_use(&self) -> bool {
        self.mode() != CountdownMode::Set && self.display().first_flag.is_none()
    }
}

impl ClockSensors {
    /// Closes an open menu after any act other than setting, and notes that the clock was touched.
    const fn touch(&mut self) {
        self.touched = true;
        self.menu = None;
        self.held = None;
    }
}

const fn reading(time: NodeTime, display: ClockDisplay) -> Message {
    Message::ClockReading(ClockReading { time, display })
}

fn reading_now(countdown: &Countdown) -> Message {
    reading(countdown.now(), countdown.display())
}

fn flickering(contacts: &mut Debouncer<CHANNELS>) -> u64 {
    let flickering = contacts.quality().chattering();
    contacts.begin_report();
    flickering
}

impl Status for ClockSensors {
    fn state(&self) -> (NodeTime, NodeState) {
        let contacts = self.contacts.settled();
        let on = |channel: u8| contacts >> channel & 1 == 1;
        let state = NodeState::Clock(ClockState {
            display: self.countdown.display(),
            pressed: self.pressed,
            tilted: on(TILTED),
            white_hand: on(WHITE_HAND) || on(WHITE_HAND_AWAY),
            black_hand: on(BLACK_HAND) || on(BLACK_HAND_AWAY),
            control: self.countdown.control(),
            paused: self.countdown.paused(),
        });
        (self.countdown.now(), state)
    }

    fn take_sensor_health(&mut self) -> SensorHealth {
        SensorHealth {
            longest_scan_gap_us: core::mem::take(&mut self.longest_scan_gap_us),
            flickering: flickering(&mut self.contacts),
        }
    }

    fn take_board_health(&mut self) -> Option<BoardHealth> {
        None
    }
}
