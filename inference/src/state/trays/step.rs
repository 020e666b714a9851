//! ```text
//! p(trays) = Π_f a_f / max(1, Σ a)  ·  HELD_BACK^o  ·  Π_d p_d  ·  NOT_DROPPED^k  ·  NEVER_CAPTURED^n
//! a = p(arrival | origin of the piece, time) · p(letter | content)
//! p_d = 1 / (pieces of this type in slots + 1)   if a piece of the type was just taken out of a slot,
//!     = the same, · DROPPED_FROM_HAND if it is new, if it came from the hand,
//!     = UNKNOWN_DROPPED, MISTAKEN, NOT_TAKEN or FROM_NOWHERE otherwise
//! ```
//!
//! One step of the tray model: first the changes of the slots act on the trays, then the plies do.
//!
//! `f` runs over the slots that fill: each piece in the hand may be the arriving one, and so may a piece whose
//! capture is not complete yet. `o` is the number of captured pieces that should have arrived by now; `d` runs
//! over the drops; `k` is the number of pieces that were taken out of the tray and not dropped; `n` is the
//! number of early arrivals for which the partner's ply captures nothing.
//!
//! Every change of a slot may have several explanations. So one hypothesis branches into several contents.

use rules::{Role, Seat};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::{
    contents::{Content, Loose, Origin, SeatTray, TrayBook, TraysId},
    params,
};
use crate::sensing::tray_log::TrayEvent;

/// Most contents that one hypothesis branches into. Bound: on work.
const MAX_BRANCHES: usize = 6;
/// Least likelihood of a branch relative to the likeliest one. Bound: on work.
const MIN_TRAY_WEIGHT: f64 = 0.01;

/// Contents after the changes of the slots, each with its likelihood, 0 to 1.
pub(crate) type Branches = SmallVec<[(TraysId, f64); 1]>;

/// The effect of a ply on a tray.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TrayAction {
    /// The owner drops a piece of this role.
    Drop(Role),
    /// The owner makes a ply that drops nothing.
    Other,
    /// The owner gets a captured piece of this role. True if it pays for a piece that was dropped on credit.
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
    /// A segment that ends at `t_us`. `events` are the changes of the slots since the last step.
    pub(crate) fn new(book: &'a mut TrayBook, events: &'a [TrayEvent], t_us: u64) -> TrayStep<'a> {
        let (entered, done) = (FxHashMap::default(), FxHashMap::default());
        TrayStep { book, events, t_us, entered, done }
    }

    /// Whether any seat has a tray.
    #[inline]
    pub(crate) fn are_used(&self) -> bool {
        self.book.is_used()
    }

    /// The contents into which these trays branch by the changes of the slots.
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

    /// Applies a ply to the trays. Returns the likelihood of its effect, 0 to 1, given the changes of the slots.
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

    /// Adds to `out` every explanation of one change of a slot.
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
            // Pieces with the same content are interchangeable: the likeliest one stands for all.
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

    /// Pieces that should have arrived by now are kept elsewhere: their times are forgotten.
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

    /// The owner drops a piece of this role. Returns p_d. The piece was taken out of a slot, or was kept in
    /// the hand since its capture, or came from elsewhere.
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
            // The two pieces were confused, so they change places.
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

    /// The factor for pieces that the owner took out of the tray just now and still has in the hand after the
    /// ply.
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

/// The partner's ply captured nothing: a piece that was taken for an early arrival is foreign.
fn get_nothing(tray: &mut SeatTray) -> f64 {
    let mut weight = 1.0;
    while let Some(slot) = tray.slot_with(Content::OWED) {
        tray.set_slot(slot, Content::FOREIGN);
        weight *= params::NEVER_CAPTURED;
    }
    weight
}

/// Probability that a loose piece is the one that arrives in a slot at `t_us`, 0 to 1.
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

/// Probability that a slot with this content reads this letter, 0 to 1.
fn letter(content: Content, read: Option<Role>) -> f64 {
    match read {
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
