//! ```text
//! arrival of a capture:  laid at t with t >= press - EARLY_FROM or t >= begun, and t <= press + LATE_UNTIL
//! drop of a capture:     stood at t with begun <= t <= press + DROPPED_LATE, and no slot gave its piece up
//! moved:                 filled at t with out + REARRANGED.0 <= t <= out + REARRANGED.1: no arrival
//! p(role of a drop is the captured one) = p   if it is believed to be of that role,   1 - p   otherwise
//! ```
//!
//! The fate of each captured piece: the arrival in a tray that is its own, or its drop from the
//! hand. `begun` is the beginning of the segment of a capture and `press` its press; `out` is when
//! a slot was emptied.
//!
//! A tray is filled only by the captures of its owner's partner. The captures are believed from the
//! partner's board; slots tell only when something was laid down. A piece that is dropped out of a
//! slot had been shown before. Only a dropped piece that left no slot can have been in the hand
//! since its capture.
//!
//! [`tray_assignment`](super::tray_assignment) finds the likeliest assignment. Captures whose
//! pieces cannot be the same are assigned apart.

use std::ops::RangeInclusive;

use rules::Role;

use crate::anomaly::trays::assignment::{self, EARLY_FROM_S, Group, LATE_UNTIL_S, Sighting};

/// Longest time from its capture's press for which a piece may be out of sight without being
/// hidden, microseconds. Assumed: five seconds were too short (decision 0023).
pub(crate) const HIDDEN_US: u64 = 10_000_000;
/// Changes, captures and drops remembered of each tray, the latest. Bound: on memory; twice the
/// pieces that a tray holds and that can be waiting.
pub(crate) const REMEMBERED: usize = 64;
/// Shortest and longest time for which a piece that is moved to another slot is out of the tray,
/// microseconds. Assumed.
const REARRANGED_US: (u64, u64) = (150_000, 750_000);
/// Longest time from taking a piece out of a slot to its landing on the board, microseconds.
/// Assumed: some players take it into the hand while the opponent thinks.
const DROPPED_US: u64 = 7_000_000;
/// Longest time from the press to the drop of a piece kept in the hand that still counts as shown,
/// microseconds. Assumed: the piece was on its way when it was due to be hidden.
const DROPPED_LATE_US: u64 = HIDDEN_US + 350_000;

/// Longest usual time from an early arrival to the press of its capture, microseconds.
pub(crate) const EARLY_FROM_US: u64 = (EARLY_FROM_S * 1e6) as u64;

/// A capture, as believed now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Capture {
    /// Layer of the trellis and place in it.
    pub(crate) place: (usize, usize),
    /// Time at which the segment began, microseconds. Its piece cannot be dropped before.
    pub(crate) begun_us: u64,
    /// Its own press, microseconds.
    pub(crate) press_us: u64,
    /// The role that the partner may drop.
    pub(crate) role: Role,
    /// Probability that the ply was made, 0 to 1.
    pub(crate) p: f64,
}

/// A piece that was seen, and may have been captured before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TrayPiece {
    /// Time at which it was laid into the tray, or stood on its square after a drop, microseconds.
    pub(crate) t_us: u64,
    /// The role of a drop, and the probability that the ply was made, 0 to 1. Mostly the doubt is
    /// about the role.
    pub(crate) dropped: Option<(Role, f64)>,
}

/// A capture, and the fate of its piece as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Matched {
    pub(crate) capture: Capture,
    /// Place where it was seen in time: laid into the tray, or dropped without having lain there.
    pub(crate) shown: Option<TrayPiece>,
    /// Probability of that fate, 0 to 1, if the piece was not seen in time or laid down before the press.
    pub(crate) p: f64,
}

impl TrayPiece {
    /// This sight, if it can be the captured piece.
    fn of(self, capture: &Capture) -> Option<Sighting> {
        let TrayPiece { t_us, dropped } = self;
        let Some((role, p)) = dropped else {
            let s = (t_us as f64 - capture.press_us as f64) / 1e6;
            let is_early = s >= -EARLY_FROM_S || t_us >= capture.begun_us;
            return (is_early && s <= LATE_UNTIL_S).then_some(Sighting::Laid(s));
        };
        let until_us = capture.press_us.saturating_add(DROPPED_LATE_US);
        let of_role = if role == capture.role { p } else { 1.0 - p };
        (capture.begun_us..=until_us).contains(&t_us).then_some(Sighting::Dropped(of_role))
    }
}

/// The captures with their possible sights, in groups that have no sight in common.
fn grouped(captures: &[Capture], shown: &[TrayPiece]) -> Vec<Group> {
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
    /// The owner's drops, each with its layer.
    drops: Vec<(usize, TrayPiece)>,
    /// Times at which slots were filled and emptied, microseconds.
    filled_us: Vec<u64>,
    emptied_us: Vec<u64>,
    /// The latest change of the slots that is not remembered any more, microseconds. For captures
    /// before it nobody can tell whether the piece was shown.
    forgotten_us: Option<u64>,
    /// The fates as far as they are known; none if something has changed since they were found.
    matched: Option<Vec<Matched>>,
}

/// Adds items to a list of which the latest are remembered. The latest one that is not remembered any more.
fn remember<T>(list: &mut Vec<T>, items: impl IntoIterator<Item = T>) -> Option<T> {
    list.extend(items);
    list.drain(..list.len().saturating_sub(REMEMBERED)).last()
}

impl Passing {
    /// A slot was filled or emptied.
    pub(crate) fn slot(&mut self, t_us: u64, filled: bool) {
        self.matched = None;
        let list = if filled { &mut self.filled_us } else { &mut self.emptied_us };
        self.forgotten_us = self.forgotten_us.max(remember(list, [t_us]));
    }

    /// Replaces the partner's captures and the owner's drops that are believed of a layer.
    pub(crate) fn believe(&mut self, layer: usize, captures: Vec<Capture>, drops: Vec<TrayPiece>) {
        let known = self.captures.iter().filter(|capture| capture.place.0 == layer);
        if !known.eq(&captures) {
            self.matched = None;
            self.captures.retain(|capture| capture.place.0 != layer);
            remember(&mut self.captures, captures);
            self.captures.sort_by_key(|capture| capture.press_us);
        }
        let drops: Vec<_> = drops.into_iter().map(|drop| (layer, drop)).collect();
        if !self.drops.iter().filter(|drop| drop.0 == layer).eq(&drops) {
            self.matched = None;
            self.drops.retain(|drop| drop.0 != layer);
            remember(&mut self.drops, drops);
            self.drops.sort_by_key(|drop| drop.1.t_us);
        }
    }

    /// Time at which a piece was last taken out between these times, microseconds. A piece that came into a
    /// slot soon after was only moved to it; only times up to `until_us` count.
    pub(crate) fn taken_out(&self, since_us: u64, until_us: u64) -> Option<u64> {
        let mut emptied_us = self.emptied_us.iter().copied();
        emptied_us.rfind(|out_us| {
            (since_us..=until_us).contains(out_us) && !self.is_moved(*out_us, until_us)
        })
    }

    /// The captures believed, by their presses.
    pub(crate) fn captures(&self) -> &[Capture] {
        &self.captures
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
        let shown = self.shown();
        let remembered = self.captures.iter().filter(|capture| self.remembers(capture.begun_us));
        let captures: Vec<Capture> = remembered.copied().collect();
        let fates = assignment::fates(&grouped(&captures, &shown));
        let matched = captures.into_iter().zip(fates).map(|(capture, fate)| {
            let shown = fate.sight.map(|at| shown[at]);
            Matched { capture, shown, p: fate.p }
        });
        matched.collect()
    }

    /// Memory taken beside the struct itself, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        let times = self.filled_us.capacity() + self.emptied_us.capacity();
        times * size_of::<u64>()
            + self.captures.capacity() * size_of::<Capture>()
            + self.drops.capacity() * size_of::<(usize, TrayPiece)>()
            + self.matched.as_ref().map_or(0, Vec::capacity) * size_of::<Matched>()
    }

    /// The arrivals that are no rearrangement, and the drops that no slot explains. A piece is
    /// mostly taken out shortly before it is dropped, and its slot or another is not filled right
    /// after.
    fn shown(&self) -> Vec<TrayPiece> {
        let mut taken_out = self.emptied_us.clone();
        let mut drops: Vec<TrayPiece> = self.drops.iter().map(|(_, drop)| *drop).collect();
        drops.retain(|drop| {
            let in_time = |t_us: u64| (t_us..=t_us + DROPPED_US).contains(&drop.t_us);
            let is_of = |t_us: u64| in_time(t_us) && !self.is_moved(t_us, u64::MAX);
            let last = taken_out.iter().rposition(|&t_us| is_of(t_us));
            let last = last.or_else(|| taken_out.iter().rposition(|&t_us| in_time(t_us)));
            last.map(|at| taken_out.remove(at)).is_none()
        });
        let mut arrivals_us = self.filled_us.clone();
        arrivals_us.retain(|t_us| {
            let moved = taken_out.iter().position(|&out_us| moved_us(out_us).contains(t_us));
            moved.map(|at| taken_out.remove(at)).is_none()
        });
        let arrivals = arrivals_us.into_iter().map(|t_us| TrayPiece { t_us, dropped: None });
        arrivals.chain(drops).collect()
    }

    /// Whether a piece came into a slot, up to `until_us`, when one that was taken out at a time
    /// may have been moved there.
    fn is_moved(&self, out_us: u64, until_us: u64) -> bool {
        let mut filled_us = self.filled_us.iter().filter(|filled_us| **filled_us <= until_us);
        filled_us.any(|filled_us| moved_us(out_us).contains(filled_us))
    }
}

/// Time at which a piece that was taken out at a time may lie in another slot, microseconds.
fn moved_us(out_us: u64) -> RangeInclusive<u64> {
    out_us + REARRANGED_US.0..=out_us + REARRANGED_US.1
}

#[cfg(test)]
mod tests;
