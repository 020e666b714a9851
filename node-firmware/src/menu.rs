//! Menu for setting the clock by its keys: a small state machine. Every sequence of keys leaves a time control that is valid for the
//! clock.

use proto::link::{DelayKind, TimeControl};

/// A setting key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Held: opens the menu. In the menu: takes the value and goes to the next item.
    Mode,
    /// In the menu: the value below. Held while no time runs: resets the clock.
    Minus,
    /// In the menu: the value above.
    Plus,
    /// Stops both times, goes on, starts White's time. In the menu: leaves it, and nothing is changed.
    Pause,
}

impl Key {
    /// All of them, in the order of [`crate::ClockInputs::keys`].
    pub const ALL: [Self; 4] = [Self::Mode, Self::Minus, Self::Plus, Self::Pause];
}

/// Settings that the keys can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The time control.
    pub control: TimeControl,
    /// Whether the buzzer sounds when a flag falls.
    pub sound: bool,
}

/// Item of the menu, with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MenuItem {
    /// Minutes for each player.
    BaseMinutes(u16),
    /// Seconds of delay or increment.
    DelaySeconds(u16),
    /// Kind of the delay.
    Kind(DelayKind),
    /// Whether the buzzer sounds when a flag falls.
    Sound(bool),
}

/// Effect of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MenuOutcome {
    /// The menu stays open.
    Open,
    /// The menu is closed; nothing is changed.
    Left,
    /// The menu is closed; the clock is to be set to this.
    Accepted(Settings),
}

/// Base times to choose from, in minutes.
const BASES_MIN: [u16; 23] =
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 40, 45, 50, 60, 75, 90, 105, 120];
/// Delays to choose from, in seconds.
const DELAYS_S: [u16; 15] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30, 60];
const KINDS: [DelayKind; 3] = [DelayKind::Delay, DelayKind::Bronstein, DelayKind::Increment];

/// An open menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Menu {
    base_min: u16,
    delay_s: u16,
    kind: DelayKind,
    sound: bool,
    item: u8,
}

impl Menu {
    /// A menu that begins with the present settings. A time that it cannot show (from a command) begins as White's next smaller one.
    pub fn new(settings: Settings) -> Self {
        let TimeControl { white_ms, delay_ms, delay_kind, .. } = settings.control;
        Self {
            base_min: nearest(&BASES_MIN, white_ms / 60_000),
            delay_s: nearest(&DELAYS_S, delay_ms / 1_000),
            kind: delay_kind,
            sound: settings.sound,
            item: 0,
        }
    }

    /// Returns the shown item.
    pub const fn item(&self) -> MenuItem {
        match self.item {
            0 => MenuItem::BaseMinutes(self.base_min),
            1 => MenuItem::DelaySeconds(self.delay_s),
            2 => MenuItem::Kind(self.kind),
            _ => MenuItem::Sound(self.sound),
        }
    }

    /// Takes a key.
    pub fn press(&mut self, key: Key) -> MenuOutcome {
        match key {
            Key::Pause => return MenuOutcome::Left,
            Key::Minus => self.change(false),
            Key::Plus => self.change(true),
            // Without a delay there is nothing to ask about its kind.
            Key::Mode => self.item += if self.item == 1 && self.delay_s == 0 { 2 } else { 1 },
        }
        if self.item > 3 { MenuOutcome::Accepted(self.settings()) } else { MenuOutcome::Open }
    }

    fn change(&mut self, up: bool) {
        match self.item {
            0 => self.base_min = neighbour(&BASES_MIN, self.base_min, up),
            1 => self.delay_s = neighbour(&DELAYS_S, self.delay_s, up),
            2 => self.kind = neighbour(&KINDS, self.kind, up),
            _ => self.sound = up,
        }
    }

    fn settings(&self) -> Settings {
        let base_ms = u32::from(self.base_min) * 60_000;
        let delay_ms = u32::from(self.delay_s) * 1_000;
        let control = TimeControl { delay_ms, delay_kind: self.kind, ..TimeControl::even(base_ms) };
        Settings { control, sound: self.sound }
    }
}

/// The greatest of `values` that is not above `value`; the first if all are.
fn nearest(values: &[u16], value: u32) -> u16 {
    let below = values.iter().rev().find(|&&known| u32::from(known) <= value);
    below.or(values.first()).copied().unwrap_or(0)
}

/// The value beside `value`; at an end, `value` itself.
fn neighbour<T: Copy + PartialEq>(values: &[T], value: T, up: bool) -> T {
    let at = values.iter().position(|&known| known == value).unwrap_or(0);
    let beside = if up { at + 1 } else { at.saturating_sub(1) };
    values.get(beside).copied().unwrap_or(value)
}
