//! The fate of each captured piece: the arrival in a tray that is its own, or its drop from the hand.
//!
//! A tray is filled only by the captures of its owner's partner. The captures are believed from the partner's board;
//! slots tell only when something was laid down. A piece that is dropped out of a slot had been shown before. Only a
//! dropped piece that no slot gave up can have been in the hand since its capture.
//!
//! [`tray_assignment`](super::tray_assignment) finds the likeliest assignment. Captures whose pieces cannot be the same
//! are assigned apart.

use std::ops::RangeInclusive;

use rules::Role;

use super::tray_assignment::{self, EARLY_FROM_S, Group, LATE_UNTIL_S, Sight};

/// Longest time from its capture's press for which a piece may be out of sight without being hidden, microseconds.
/// Assumed: five seconds were too short (decision 0023).
pub(crate) const HIDDEN_US: u64 = 10_000_000;
/// Changes, captures and drops remembered of each tray, the latest. Bound: on memory; twice the pieces that a tray
/// holds and that can be waiting.
const REMEMBERED: usize = 64;
/// Shortest and longest time for which a piece that is moved to another slot is out of the tray, microseconds.
/// Assumed.
const REARRANGED_US: (u64, u64) = (150_000, 750_000);
/// Longest time from taking a piece out of a slot to its landing on the board, microseconds. Assumed: some players
/// take it into the hand while the opponent thinks.
const DROPPED_US: u64 = 7_000_000;
/// Longest time from the press to the drop of a piece kept in the hand that still counts as shown, microseconds.
/// Assumed: the piece was on its way when it was due to be hidden.
const DROPPED_LATE_US: u64 = HIDDEN_US + 350_000;

/// Longest usual time from an early arrival to the press of its capture, microseconds.
pub(crate) const EARLY_FROM_US: u64 = (EARLY_FROM_S * 1e6) as u64;

/// A capture, as believed now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Capture {
    /// Layer of the trellis and place in it.
    pub(crate) place: (usize, usize),
    /// When the segment began, microseconds. Its piece cannot be dropped before.
    pub(crate) begun_us: u64,
    /// Its own press, microseconds.
    pub(crate) press_us: u64,
    /// The role that the partner may drop.
    pub(crate) role: Role,
    /// Probability that the ply was made, 0 to 1.
    pub(crate) p: f64,
}

/// A drop by the tray's owner, as believed now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dropped {
    /// Layer of the trellis and place in it.
    pub(crate) place: (usize, usize),
    /// When the piece stood on its square, microseconds.
    pub(crate) landed_us: u64,
    pub(crate) role: Role,
    /// Probability that the ply was made, 0 to 1. Mostly the doubt is about the role.
    pub(crate) p: f64,
}

/// A capture, and the fate of its piece as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Matched {
    pub(crate) capture: Capture,
    /// When it was laid into the tray, microseconds.
    pub(crate) arrival_us: Option<u64>,
    /// When it stood on the board, microseconds, if it was dropped without having lain in the tray.
    pub(crate) dropped_us: Option<u64>,
    /// Probability of that fate, 0 to 1, if the piece was not seen in time or laid down before the press.
    pub(crate) p: f64,
}

/// The changes of a tray's slots, with those removed that other changes or drops explain.
struct Changes {
    /// When a piece came into the tray that had not just been in another slot, microseconds.
    arrivals_us: Vec<u64>,
    /// The drops of pieces that no slot gave up.
    from_hand: Vec<Dropped>,
}

/// Where a captured piece was seen.
#[derive(Clone, Copy, Debug)]
enum Shown {
    /// Laid into the tray at this time, microseconds.
    Laid(u64),
    /// Dropped out of the hand.
    Dropped(Dropped),
}

impl Shown {
    /// This sight, if it can be the captured piece.
    fn of(self, capture: &Capture) -> Option<Sight> {
        match self {
            Shown::Laid(t_us) => {
                let s = (t_us as f64 - capture.press_us as f64) / 1e6;
                let is_early = s >= -EARLY_FROM_S || t_us >= capture.begun_us;
                (is_early && s <= LATE_UNTIL_S).then_some(Sight::Laid(s))
            }
            Shown::Dropped(Dropped { landed_us, role, p, .. }) => {
                let until_us = capture.press_us.saturating_add(DROPPED_LATE_US);
                let in_time = (capture.begun_us..=until_us).contains(&landed_us);
                let of_role = if role == capture.role { p } else { 1.0 - p };
                in_time.then_some(Sight::Dropped(of_role))
            }
        }
    }
}

/// The captures with their possible sights, in groups that have no sight in common.
fn grouped(captures: &[Capture], shown: &[Shown]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut until_us = 0;
    for capture in captures {
        let possible = shown.iter().enumerate();
        let possible = possible.filter_map(|(at, shown)| Some((at, shown.of(capture)?))).collect();
        let since_us = capture.press_us.saturating_sub(EARLY_FROM_US).min(capture.begun_us);
        match groups.last_mut().filter(|_| since_us <= until_us) {
            Some(group) => group.push(possible),
            None => groups.push(vec![possible]),
        }
        until_us = until_us.max(capture.press_us.saturating_add(DROPPED_LATE_US));
    }
    groups
}

/// The captures, drops and slot changes of one tray.
#[derive(Clone, Debug, Default)]
pub(crate) struct Passing {
    captures: Vec<Capture>,
    drops: Vec<Dropped>,
    /// Times at which slots were filled and emptied, microseconds.
    filled_us: Vec<u64>,
    emptied_us: Vec<u64>,
    /// The latest change of the slots that is not remembered any more, microseconds. For captures before it nobody
    /// can tell whether the piece was shown.
    forgotten_us: Option<u64>,
    /// The fates as far as they are known; none if something has changed since they were found.
    matched: Option<Vec<Matched>>,
}

fn remember<T>(list: &mut Vec<T>, item: T) {
    if list.len() == REMEMBERED {
        list.remove(0);
    }
    list.push(item);
}

impl Passing {
    /// A slot was filled or emptied.
    pub(crate) fn slot(&mut self, t_us: u64, filled: bool) {
        self.matched = None;
        let list = if filled { &mut self.filled_us } else { &mut self.emptied_us };
        if list.len() == REMEMBERED {
            self.forgotten_us = self.forgotten_us.max(list.first().copied());
        }
        remember(list, t_us);
    }

    /// Replaces the capture believed for one slot of a layer.
    pub(crate) fn believe_capture(&mut self, place: (usize, usize), capture: Option<Capture>) {
        if self.captures.iter().find(|known| known.place == place) == capture.as_ref() {
            return;
        }
        self.matched = None;
        self.captures.retain(|known| known.place != place);
        if let Some(capture) = capture {
            remember(&mut self.captures, capture);
            self.captures.sort_by_key(|capture| capture.press_us);
        }
    }

    /// Replaces the owner's drop believed for one slot of a layer.
    pub(crate) fn believe_drop(&mut self, place: (usize, usize), drop: Option<Dropped>) {
        if self.drops.iter().find(|known| known.place == place) == drop.as_ref() {
            return;
        }
        self.matched = None;
        self.drops.retain(|known| known.place != place);
        if let Some(drop) = drop {
            remember(&mut self.drops, drop);
            self.drops.sort_by_key(|drop| drop.landed_us);
        }
    }

    /// When a piece was last taken out between these times, microseconds. A piece that came into a slot soon after
    /// was only moved to it; only times up to `until_us` are looked at.
    pub(crate) fn taken_out(&self, since_us: u64, until_us: u64) -> Option<u64> {
        self.emptied_us.iter().copied().rfind(|&out_us| {
            let moved_us = out_us + REARRANGED_US.0..=(out_us + REARRANGED_US.1).min(until_us);
            (since_us..=until_us).contains(&out_us)
                && !self.filled_us.iter().any(|filled_us| moved_us.contains(filled_us))
        })
    }

    /// Whether all changes of the slots since this time are remembered.
    pub(crate) fn remembers(&self, since_us: u64) -> bool {
        self.forgotten_us.is_none_or(|forgotten_us| since_us > forgotten_us)
    }

    /// The captures since which every change of the slots is remembered, each with the fate of its piece.
    pub(crate) fn matched(&mut self) -> &[Matched] {
        let found = self.matched.take().unwrap_or_else(|| self.found());
        self.matched.insert(found)
    }

    fn found(&self) -> Vec<Matched> {
        let Changes { arrivals_us, from_hand } = self.changes();
        let arrivals = arrivals_us.into_iter().map(Shown::Laid);
        let shown: Vec<Shown> = arrivals.chain(from_hand.into_iter().map(Shown::Dropped)).collect();
        let captures =
            self.captures.iter().filter(|capture| self.remembers(capture.begun_us)).copied();
        let captures: Vec<Capture> = captures.collect();
        let groups = grouped(&captures, &shown);
        let fates = tray_assignment::fates(&groups, shown.len()).into_iter().flatten();
        let matched = captures.into_iter().zip(fates).map(|(capture, fate)| {
            let seen = fate.sight.map(|at| shown[at]);
            let arrival_us = seen.and_then(|seen| match seen {
                Shown::Laid(t_us) => Some(t_us),
                Shown::Dropped(_) => None,
            });
            let dropped_us = seen.and_then(|seen| match seen {
                Shown::Laid(_) => None,
                Shown::Dropped(drop) => Some(drop.landed_us),
            });
            Matched { capture, arrival_us, dropped_us, p: fate.p }
        });
        matched.collect()
    }

    /// The arrivals that are no rearrangement, and the drops that no slot explains. A piece is mostly taken out shortly
    /// before it is dropped, and its slot or another is not filled right after.
    fn changes(&self) -> Changes {
        let mut taken_out = self.emptied_us.clone();
        let mut from_hand = self.drops.clone();
        from_hand.retain(|drop| {
            let in_time = |t_us: u64| (t_us..=t_us + DROPPED_US).contains(&drop.landed_us);
            let last = taken_out.iter().rposition(|&t_us| in_time(t_us) && !self.is_moved(t_us));
            let last = last.or_else(|| taken_out.iter().rposition(|&t_us| in_time(t_us)));
            last.map(|at| taken_out.remove(at)).is_none()
        });
        let arrivals = self.filled_us.iter().copied().filter(|&t_us| {
            let moved = taken_out.iter().position(|&out_us| moved_us(out_us).contains(&t_us));
            moved.map(|at| taken_out.remove(at)).is_none()
        });
        Changes { arrivals_us: arrivals.collect(), from_hand }
    }

    /// Whether a piece came into a slot when one that was taken out at this time may have been moved there.
    fn is_moved(&self, out_us: u64) -> bool {
        self.filled_us.iter().any(|filled_us| moved_us(out_us).contains(filled_us))
    }
}

/// When a piece that was taken out at a time may lie in another slot, microseconds.
fn moved_us(out_us: u64) -> RangeInclusive<u64> {
    out_us + REARRANGED_US.0..=out_us + REARRANGED_US.1
}

#[cfg(test)]
mod tests;
