//! The fate of each captured piece: the arrival in a tray that is its own, or its drop from the hand.
//!
//! A tray is filled only by the captures of its owner's partner. The captures are believed from the partner's board;
//! slots tell only when something was laid down. A piece that is dropped out of a slot had been shown before. Only a
//! dropped piece that no slot gave up can have been in the hand since its capture.
//!
//! The assignment is a maximum bipartite matching of captures with arrivals and drops. Where this leaves a choice,
//! ordinary explanations come before a piece that was laid down just before its press, that before slow ones, slow
//! ones before longer forbidden ones, and earlier captures before later ones. There is no probability here: the windows below are hard.

use rules::Role;

/// Longest time from its capture's press for which a piece may be out of sight without being hidden, microseconds.
/// Assumed: five seconds were too short (decision 0023).
pub(crate) const HIDDEN_US: u64 = 10_000_000;
/// Changes, captures and drops remembered of each tray, the latest. Bound: on memory; twice the pieces that a tray
/// holds and that can be waiting.
const REMEMBERED: usize = 64;
/// Longest time from an arrival to the press of its capture at which an early pass is likelier than a slow arrival of an
/// earlier capture, microseconds. Fitted: on children's hands, reed boards with trays, seeds 1 to 4 (decision 0023).
const JUST_BEFORE_US: u64 = 700_000;
/// Longest time from the press to an ordinary arrival, microseconds: the way of two slow hands. Assumed.
const ARRIVES_US: u64 = 2_500_000;
/// Longest time from the press to a late arrival, microseconds. After it the piece counts as hidden. Assumed.
const ARRIVES_LATE_US: u64 = HIDDEN_US;
/// Shortest and longest time for which a piece that is moved to another slot is out of the tray, microseconds.
/// Assumed.
const REARRANGED_US: (u64, u64) = (150_000, 750_000);
/// Longest time from taking a piece out of a slot to its landing on the board, microseconds. Assumed: some players
/// take it into the hand while the opponent thinks.
const DROPPED_US: u64 = 7_000_000;
/// Longest time from the press to the drop of a piece kept in the hand that still counts as shown, microseconds.
/// Assumed: the piece was on its way when it was due to be hidden.
const DROPPED_LATE_US: u64 = HIDDEN_US + 350_000;

/// A capture, as believed now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Capture {
    /// Layer of the trellis and place in it.
    pub(crate) place: (usize, usize),
    /// Earliest possible arrival of its piece, microseconds.
    pub(crate) begun_us: u64,
    /// Its own press, microseconds.
    pub(crate) press_us: u64,
    /// The role that the partner may drop.
    pub(crate) role: Role,
    /// Probability that the ply was made, 0 to 1.
    pub(crate) p: f64,
}

/// A drop by the tray's owner, as believed now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dropped {
    /// Layer of the trellis and place in it.
    pub(crate) place: (usize, usize),
    /// When the piece stood on its square, microseconds.
    pub(crate) landed_us: u64,
    pub(crate) role: Role,
}

/// A capture, and the fate of its piece as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Matched {
    pub(crate) capture: Capture,
    /// When it was laid into the tray, microseconds.
    pub(crate) arrival_us: Option<u64>,
    /// When it stood on the board, microseconds, if it was dropped without having lain in the tray.
    pub(crate) dropped_us: Option<u64>,
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

/// How a captured piece came to be seen, in the order in which explanations are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    /// Laid down soon after the press.
    Ordinary,
    /// Laid down at most JUST_BEFORE_US before the press.
    JustBefore,
    /// Laid down late, or dropped from the hand.
    Slow,
    /// Laid down longer before the press.
    Early,
}

impl Way {
    const ALL: [Way; 4] = [Way::Ordinary, Way::JustBefore, Way::Slow, Way::Early];
}

impl Shown {
    /// How this sight can be the captured piece; none if it cannot.
    fn way(self, capture: &Capture) -> Option<Way> {
        match self {
            Shown::Laid(t_us) if t_us < capture.begun_us => None,
            Shown::Laid(t_us) if t_us < capture.press_us => {
                let is_just = capture.press_us - t_us <= JUST_BEFORE_US;
                Some(if is_just { Way::JustBefore } else { Way::Early })
            }
            Shown::Laid(t_us) => {
                let after_us = t_us - capture.press_us;
                let way = if after_us <= ARRIVES_US { Way::Ordinary } else { Way::Slow };
                (after_us <= ARRIVES_LATE_US).then_some(way)
            }
            Shown::Dropped(Dropped { landed_us, role, .. }) => {
                let until_us = capture.press_us.saturating_add(DROPPED_LATE_US);
                let in_time = (capture.begun_us..=until_us).contains(&landed_us);
                (in_time && role == capture.role).then_some(Way::Slow)
            }
        }
    }
}

/// The index of the sight assigned to each capture. As many captures as possible get one, no sight is given twice,
/// and earlier captures choose first.
fn assignment(
    captures: usize,
    shown: usize,
    way: &dyn Fn(usize, usize) -> Option<Way>,
) -> Vec<Option<usize>> {
    let mut of_shown: Vec<Option<usize>> = vec![None; shown];
    for wanted in Way::ALL {
        for capture in 0..captures {
            if of_shown.contains(&Some(capture)) {
                continue;
            }
            let free = |&at: &usize| of_shown[at].is_none() && way(capture, at) == Some(wanted);
            if let Some(at) = (0..shown).find(free) {
                of_shown[at] = Some(capture);
            }
        }
    }
    for capture in 0..captures {
        if !of_shown.contains(&Some(capture)) {
            let mut tried = vec![false; shown];
            make_room(capture, way, &mut of_shown, &mut tried);
        }
    }
    (0..captures).map(|capture| of_shown.iter().position(|&of| of == Some(capture))).collect()
}

/// Finds a sight for a capture, if need be by moving other captures to other sights: an augmenting path (Kuhn 1955).
/// Whether there is one.
fn make_room(
    capture: usize,
    way: &dyn Fn(usize, usize) -> Option<Way>,
    of_shown: &mut [Option<usize>],
    tried: &mut [bool],
) -> bool {
    for at in 0..of_shown.len() {
        if tried[at] || way(capture, at).is_none() {
            continue;
        }
        tried[at] = true;
        let other = of_shown[at];
        if other.is_none_or(|other| make_room(other, way, of_shown, tried)) {
            of_shown[at] = Some(capture);
            return true;
        }
    }
    false
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
        let list = if filled { &mut self.filled_us } else { &mut self.emptied_us };
        if list.len() == REMEMBERED {
            self.forgotten_us = self.forgotten_us.max(list.first().copied());
        }
        remember(list, t_us);
    }

    /// Replaces the capture believed for one slot of a layer.
    pub(crate) fn believe_capture(&mut self, place: (usize, usize), capture: Option<Capture>) {
        self.captures.retain(|known| known.place != place);
        if let Some(capture) = capture {
            remember(&mut self.captures, capture);
            self.captures.sort_by_key(|capture| capture.press_us);
        }
    }

    /// Replaces the owner's drop believed for one slot of a layer.
    pub(crate) fn believe_drop(&mut self, place: (usize, usize), drop: Option<Dropped>) {
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
    pub(crate) fn matched(&self) -> Vec<Matched> {
        let mut matched: Vec<Matched> = self
            .captures
            .iter()
            .filter(|capture| self.remembers(capture.begun_us))
            .map(|&capture| Matched { capture, arrival_us: None, dropped_us: None })
            .collect();
        let Changes { arrivals_us, from_hand } = self.changes();
        let shown = arrivals_us
            .into_iter()
            .map(Shown::Laid)
            .chain(from_hand.into_iter().map(Shown::Dropped));
        let shown: Vec<Shown> = shown.collect();
        let found = {
            let way =
                |capture: usize, shown_at: usize| shown[shown_at].way(&matched[capture].capture);
            assignment(matched.len(), shown.len(), &way)
        };
        for (matched, at) in matched.iter_mut().zip(found) {
            match at.map(|at| shown[at]) {
                Some(Shown::Laid(t_us)) => matched.arrival_us = Some(t_us),
                Some(Shown::Dropped(drop)) => matched.dropped_us = Some(drop.landed_us),
                None => {}
            }
        }
        matched
    }

    /// The arrivals that are no rearrangement, and the drops that no slot explains.
    fn changes(&self) -> Changes {
        let mut from_hand = self.drops.clone();
        let mut taken_out: Vec<u64> = self
            .emptied_us
            .iter()
            .copied()
            .filter(|&t_us| {
                let dropped = from_hand
                    .iter()
                    .position(|drop| (t_us..=t_us + DROPPED_US).contains(&drop.landed_us));
                dropped.map(|at| from_hand.remove(at)).is_none()
            })
            .collect();
        let arrivals = self.filled_us.iter().copied().filter(|&t_us| {
            let moved = taken_out.iter().position(|&out_us| {
                (out_us + REARRANGED_US.0..=out_us + REARRANGED_US.1).contains(&t_us)
            });
            moved.map(|at| taken_out.remove(at)).is_none()
        });
        Changes { arrivals_us: arrivals.collect(), from_hand }
    }
}

#[cfg(test)]
mod tests;
