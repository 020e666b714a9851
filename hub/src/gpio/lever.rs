//! A lever on the hub's own pin: a press without a clock node. Pure.

use std::time::Duration;

use hub_core::time::after;
use proto::link::HubTime;
use rules::Color;

/// Time for which a lever must lie still before it counts: its contact bounces for some milliseconds.
pub(super) const SETTLE: Duration = Duration::from_millis(20);

/// One lever over both sides of a clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lever {
    /// The side that is down, settled.
    down: Color,
    /// The side that is down at this instant, and when the contact last changed.
    contact: Color,
    changed: Option<HubTime>,
    /// Time at which it left the settled side.
    left: Option<HubTime>,
}

impl Lever {
    /// A lever that lies like this now; that is no press.
    pub(super) fn new(down: Color) -> Lever {
        Lever { down, contact: down, changed: None, left: None }
    }

    /// The contact changed.
    pub(super) fn change(&mut self, at: HubTime, down: Color) {
        if down == self.contact {
            return;
        }
        self.contact = down;
        self.changed = Some(at);
        self.left.get_or_insert(at);
    }

    /// Time at which [`Self::press`] next has a result.
    pub(super) fn due(&self) -> Option<HubTime> {
        self.changed.map(|changed| after(changed, SETTLE))
    }

    /// The press that has settled by `now`: when the lever left its side, and whose side it went down on.
    pub(super) fn press(&mut self, now: HubTime) -> Option<(HubTime, Color)> {
        self.due().filter(|&due| due <= now)?;
        self.changed = None;
        let left = self.left.take()?;
        if self.contact == self.down {
            return None;
        }
        self.down = self.contact;
        Some((left, self.down))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> HubTime {
        HubTime::from_micros(ms * 1_000)
    }

    #[test]
    fn a_press_counts_once_from_its_first_contact_however_it_bounces() {
        let mut lever = Lever::new(Color::White);
        for (at, down) in [(100, Color::Black), (101, Color::White), (103, Color::Black)] {
            lever.change(ms(at), down);
            assert_eq!(lever.press(ms(at)), None);
        }
        assert_eq!(lever.due(), Some(ms(123)));
        assert_eq!(lever.press(ms(122)), None);
        assert_eq!(lever.press(ms(123)), Some((ms(100), Color::Black)));
        assert_eq!((lever.press(ms(500)), lever.due()), (None, None));
    }

    #[test]
    fn a_touch_that_does_not_move_the_lever_is_no_press() {
        let mut lever = Lever::new(Color::White);
        lever.change(ms(100), Color::Black);
        lever.change(ms(104), Color::White);
        assert_eq!(lever.press(ms(200)), None);
        lever.change(ms(300), Color::Black);
        assert_eq!(lever.press(ms(320)), Some((ms(300), Color::Black)));
    }
}
