//! One segment's effect on the trays: first what the slots did, then what the plies did.

use rules::{Role, Seat};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::{
    contents::{Content, Loose, Origin, SeatTray, TrayBook, TraysId},
    params,
};
use crate::sensing::tray_log::TrayEvent;

/// Transitions in which slots may have come by their contents, followed for one hypothesis.
const MAX_BRANCHES: usize = 6;
/// Of these, ways less likely than this beside the likeliest are left out.
const MIN_TRAY_WEIGHT: f64 = 0.01;

/// Trays after the slots' changes, each with its likelihood.
pub(crate) type Branches = SmallVec<[(TraysId, f64); 1]>;

/// What a ply does to a tray.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TrayAction {
    /// The owner drops a piece of this role.
    Drop(Role),
    /// The owner makes a ply that drops nothing.
    Other,
    /// The owner gets a captured piece; whether it pays for one that was dropped already.
    Gets(Role, bool),
    /// The partner makes a ply that captures nothing.
    GetsNothing,
}

/// The trays of all hypotheses while a segment is explained.
pub(crate) struct TrayStep<'a> {
    book: &'a mut TrayBook,
    events: &'a [TrayEvent],
    t_us: u64,
    entered: FxHashMap<TraysId, Branches>,
    done: FxHashMap<(TraysId, usize, TrayAction), (TraysId, f64)>,
}

impl<'a> TrayStep<'a> {
    /// A segment that ends at `t_us`; `events` are the slots' changes since the last step.
    pub(crate) fn new(book: &'a mut TrayBook, events: &'a [TrayEvent], t_us: u64) -> TrayStep<'a> {
        let (entered, done) = (FxHashMap::default(), FxHashMap::default());
        TrayStep { book, events, t_us, entered, done }
    }

    /// Whether there are trays at all.
    #[inline]
    pub(crate) fn are_used(&self) -> bool {
        self.book.is_used()
    }

    /// What the slots' changes make of trays.
    pub(crate) fn enter(&mut self, id: TraysId) -> Branches {
        if !self.book.is_used() {
            return smallvec![(id, 1.0)];
        }
        if let Some(known) = self.entered.get(&id) {
            return known.clone();
        }
        let mut branches: Branches = smallvec![(id, 1.0)];
        for event in self.events {
            let mut next = Branches::new();
            for (id, weight) in branches {
                self.take(id, weight, event, &mut next);
            }
            next.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            let least = next.first().map_or(0.0, |best| best.1) * MIN_TRAY_WEIGHT;
            next.retain(|branch| branch.1 >= least);
            next.truncate(MAX_BRANCHES);
            branches = next;
        }
        for branch in &mut branches {
            *branch = self.age(*branch);
        }
        self.entered.insert(id, branches.clone());
        branches
    }

    /// What a ply makes of the trays; returns how likely that is by what the slots did.
    #[inline]
    pub(crate) fn follow(&mut self, id: &mut TraysId, seat: Seat, tray_action: TrayAction) -> f64 {
        let seat = seat.index();
        if !self.book.sensed[seat] {
            return 1.0;
        }
        self.follow_sensed(id, seat, tray_action)
    }

    fn follow_sensed(&mut self, id: &mut TraysId, seat: usize, tray_action: TrayAction) -> f64 {
        if let Some(&(after, weight)) = self.done.get(&(*id, seat, tray_action)) {
            *id = after;
            return weight;
        }
        let mut trays = *self.book.get(*id);
        let tray = &mut trays[seat];
        let weight = match tray_action {
            TrayAction::Drop(role) => self.drop(tray, role) * self.still_in_hand(tray),
            TrayAction::Other => self.still_in_hand(tray),
            TrayAction::Gets(role, paid) => {
                self.get(tray, role, paid);
                1.0
            }
            TrayAction::GetsNothing => get_nothing(tray),
        };
        let after = self.book.intern(trays, *id);
        self.done.insert((*id, seat, tray_action), (after, weight));
        *id = after;
        weight
    }

    /// Every way in which trays may have come by one change of a slot.
    fn take(&mut self, id: TraysId, weight: f64, event: &TrayEvent, out: &mut Branches) {
        let trays = *self.book.get(id);
        let tray = trays[event.seat];
        let mut branch = |book: &mut TrayBook, tray: SeatTray, share: f64| {
            let mut trays = trays;
            trays[event.seat] = tray;
            out.push((book.intern(trays, id), weight * share));
        };
        if !event.filled {
            let mut tray = tray;
            let content = match tray.slot(event.slot) {
                Content::NONE => Content::FOREIGN,
                content => content,
            };
            tray.set_slot(event.slot, Content::NONE);
            tray.add_loose(Loose::new(content, Origin::Slot, event.t_us));
            branch(self.book, tray, 1.0);
            return;
        }
        let mut arrivals: SmallVec<[(Option<usize>, Content, f64); 4]> = SmallVec::new();
        for (at, loose) in tray.loose() {
            let likely = arrival(loose, event.t_us) * letter(loose.content, event.role);
            // Of pieces alike, it does not matter which: the likeliest one stands for all.
            let alike = arrivals.iter_mut().find(|(_, content, _)| *content == loose.content);
            match alike {
                Some(known) if known.2 >= likely => {}
                Some(known) => *known = (Some(at), loose.content, likely),
                None => arrivals.push((Some(at), loose.content, likely)),
            }
        }
        let expected = arrivals.iter().any(|(.., likely)| *likely >= params::REARRANGED);
        let unknown = params::ARRIVES_EARLY * if expected { params::BESIDE_EXPECTED } else { 1.0 };
        arrivals.push((None, Content::OWED, unknown));
        let total = arrivals.iter().map(|(.., likely)| likely).sum::<f64>().max(1.0);
        for (at, content, likely) in arrivals {
            let mut tray = tray;
            if let Some(at) = at {
                tray.remove_loose(at);
            }
            tray.set_slot(event.slot, content);
            branch(self.book, tray, likely / total);
        }
    }

    /// Pieces that should have arrived by now are kept elsewhere.
    fn age(&mut self, (id, mut weight): (TraysId, f64)) -> (TraysId, f64) {
        let mut trays = *self.book.get(id);
        let mut changed = false;
        for tray in &mut trays {
            let overdue: SmallVec<[(usize, Loose); 4]> = tray
                .loose()
                .filter(|(_, loose)| {
                    loose.since_us().is_some()
                        && !loose.is_within(params::ARRIVES_WITHIN_US * 2, self.t_us)
                })
                .collect();
            for (at, loose) in overdue {
                if loose.origin == Origin::Captured {
                    weight *= params::HELD_BACK;
                }
                tray.replace_loose(at, loose.aged());
                changed = true;
            }
        }
        (if changed { self.book.intern(trays, id) } else { id }, weight)
    }

    /// A piece of this role is dropped by the owner: out of the hand that took it from a slot, out of the
    /// hand that never laid it into one, or whatever else may have been.
    fn drop(&self, tray: &mut SeatTray, role: Role) -> f64 {
        let dropped = Content::of(role);
        let from_slot = |loose: &Loose| loose.origin == Origin::Slot;
        let taken = tray.loose().find(|(_, loose)| from_slot(loose) && loose.content == dropped);
        if let Some((at, _)) = taken {
            tray.remove_loose(at);
            return 1.0 / (tray.count(dropped) + 1) as f64;
        }
        let unknown =
            tray.loose().rev().find(|(_, loose)| from_slot(loose) && loose.content.is_unknown());
        if let Some((at, _)) = unknown {
            tray.remove_loose(at);
            return params::UNKNOWN_DROPPED;
        }
        let kept = tray.loose().find(|(_, loose)| loose.content == dropped);
        let mistaken = tray.loose().rev().find(|(_, loose)| {
            from_slot(loose) && loose.is_within(params::ARRIVES_WITHIN_US * 2, self.t_us)
        });
        if let Some((at, loose)) = mistaken {
            // What was thought to be the dropped piece is the other one.
            if let Some(slot) = tray.slot_with(dropped) {
                tray.set_slot(slot, loose.content);
                tray.remove_loose(at);
            } else if let Some((kept_at, kept)) = kept {
                tray.replace_loose(kept_at, Loose { content: loose.content, ..kept });
                tray.remove_loose(at);
            }
            return params::MISTAKEN;
        }
        if let Some((at, loose)) = kept {
            tray.remove_loose(at);
            let elsewhere = 1.0 / (tray.count(dropped) + 1) as f64;
            let at_once = loose.since_us().is_some();
            return elsewhere * if at_once { params::DROPPED_FROM_HAND } else { 1.0 };
        }
        if let Some(slot) = tray.slot_with(dropped) {
            tray.set_slot(slot, Content::FOREIGN);
            return params::NOT_TAKEN;
        }
        params::FROM_NOWHERE
    }

    /// Pieces that the owner has taken out of the tray just now and that are still in the hand after the
    /// owner's ply.
    fn still_in_hand(&self, tray: &mut SeatTray) -> f64 {
        let mut weight = 1.0;
        let kept: SmallVec<[(usize, Loose); 4]> = tray
            .loose()
            .filter(|(_, loose)| loose.origin == Origin::Slot && loose.since_us().is_some())
            .collect();
        for (at, loose) in kept {
            weight *= params::NOT_DROPPED;
            tray.replace_loose(at, loose.aged());
        }
        weight
    }

    /// The owner gets a captured piece.
    fn get(&self, tray: &mut SeatTray, role: Role, paid: bool) {
        if paid {
            // It has been dropped already, on credit.
            return;
        }
        let content = Content::of(role);
        if let Some(slot) = tray.slot_with(Content::OWED) {
            tray.set_slot(slot, content);
            return;
        }
        let in_hand = tray.loose().find(|(_, loose)| loose.content == Content::OWED);
        match in_hand {
            Some((at, loose)) => tray.replace_loose(at, Loose { content, ..loose }),
            None => tray.add_loose(Loose::new(content, Origin::Captured, self.t_us)),
        }
    }
}

/// The partner has made a ply and it captured nothing: what was taken for an early arrival is none.
fn get_nothing(tray: &mut SeatTray) -> f64 {
    let mut weight = 1.0;
    while let Some(slot) = tray.slot_with(Content::OWED) {
        tray.set_slot(slot, Content::FOREIGN);
        weight *= params::NEVER_CAPTURED;
    }
    weight
}

/// How likely a loose piece is to be the one that is laid into a slot at `t_us`.
fn arrival(loose: Loose, t_us: u64) -> f64 {
    match (loose.origin, loose.since_us()) {
        (Origin::Slot, Some(_)) if loose.is_within(params::REARRANGED_WITHIN_US, t_us) => {
            params::REARRANGED
        }
        (Origin::Slot, _) => params::PUT_BACK_LATE,
        (Origin::Captured, Some(since_us)) if since_us > t_us => {
            if since_us <= t_us.saturating_add(params::EARLY_US) {
                params::ARRIVES_EARLY
            } else {
                0.0
            }
        }
        (Origin::Captured, Some(_)) if loose.is_within(params::ARRIVES_WITHIN_US, t_us) => {
            params::ARRIVES
        }
        (Origin::Captured, _) => params::ARRIVES_LATE,
    }
}

/// How likely a slot is to tell this letter of what lies in it.
fn letter(content: Content, told: Option<Role>) -> f64 {
    match told {
        Some(role) if !content.is_unknown() => {
            if Content::of(role) == content {
                1.0
            } else {
                params::WRONG_LETTER
            }
        }
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests;
