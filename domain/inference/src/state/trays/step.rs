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
//! `f` runs over the slots that fill: each piece in the hand may be the arriving one, and so may a
//! piece whose capture is not complete yet. `o` is the number of captured pieces that should have
//! arrived by now; `d` runs over the drops; `k` is the number of pieces that were taken out of the
//! tray and not dropped; `n` is the number of early arrivals for which the partner's ply captures
//! nothing.
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

/// Maximum number of contents that one hypothesis branches into. Bound: on work.
const MAX_BRANCHES: usize = 6;
/// Minimum likelihood of a branch relative to the likeliest one. Bound: on work.
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
    /// The owner gets a captured piece of this role.
    Gets(Role),
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

    /// Applies a ply to the trays. Returns the likelihood of its effect, 0 to 1, given the changes
    /// of the slots.
    #[inline]
    pub(crate) fn follow(&mut self, id: &mut TraysId, seat: Seat, tray_action: TrayAction) -> f64 {
        let seat = seat.index();
        if !self.book.sensed[seat] {
            return 1.0;
        }
        if let Some(&(after, weight)) = self.done.get(&(*id, seat, tray_action)) {
            *id = after;
            return weight;
        }
        let mut trays = *self.book.known.get(*id);
        let tray = &mut trays[seat];
        let weight = match tray_action {
            TrayAction::Drop(role) => self.drop(tray, role) * still_in_hand(tray),
            TrayAction::Other => still_in_hand(tray),
            TrayAction::Gets(role) => {
                self.get(tray, role);
                1.0
            }
            TrayAction::GetsNothing => get_nothing(tray),
        };
        let after = self.book.known.intern(trays).unwrap_or(*id);
        self.done.insert((*id, seat, tray_action), (after, weight));
        *id = after;
        weight
    }

    /// Adds to `out` every explanation of one change of a slot.
    fn take(&mut self, id: TraysId, weight: f64, event: &TrayEvent, out: &mut Branches) {
        let known = &mut self.book.known;
        let trays = *known.get(id);
        let tray = trays[event.seat];
        let mut branch = |tray: SeatTray, share: f64| {
            let mut trays = trays;
            trays[event.seat] = tray;
            out.push((known.intern(trays).unwrap_or(id), weight * share));
        };
        if !event.filled {
            let mut tray = tray;
            let content = match tray.slot(event.slot) {
                Content::NOTHING => Content::FOREIGN,
                content => content,
            };
            tray.set_slot(event.slot, Content::NOTHING);
            tray.add_loose(Loose::new(content, Origin::Slot, event.t_us));
            branch(tray, 1.0);
            return;
        }
        let mut arrivals: SmallVec<[(Option<usize>, Content, f64); 4]> = SmallVec::new();
        for (at, &loose) in tray.loose().enumerate() {
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
            branch(tray, likely / total);
        }
    }

    /// Pieces that should have arrived by now are kept elsewhere: their times are forgotten.
    fn age(&mut self, (id, mut weight): (TraysId, f64)) -> (TraysId, f64) {
        let mut trays = *self.book.known.get(id);
        let mut is_changed = false;
        for loose in trays.iter_mut().flat_map(|tray| &mut tray.loose) {
            if loose.eighths > 0 && !loose.is_within(params::ARRIVES_WITHIN_US * 2, self.t_us) {
                if loose.origin == Origin::Captured {
                    weight *= params::HELD_BACK;
                }
                loose.eighths = 0;
                is_changed = true;
            }
        }
        let after = if is_changed { self.book.known.intern(trays) } else { None };
        (after.unwrap_or(id), weight)
    }

    /// The owner drops a piece of this role. Returns p_d. The piece was taken out of a slot, or was kept in
    /// the hand since its capture, or came from elsewhere.
    fn drop(&self, tray: &mut SeatTray, role: Role) -> f64 {
        let dropped = Content::of(role);
        let from_slot = |loose: &Loose| loose.origin == Origin::Slot;
        let (in_slots, in_slot) = (tray.count(dropped), tray.slot_with(dropped));
        let loose = &tray.loose;
        let taken = |loose: &Loose| from_slot(loose) && loose.content == dropped;
        if let Some(at) = loose.iter().position(taken) {
            tray.remove_loose(at);
            return 1.0 / (in_slots + 1) as f64;
        }
        let unknown = |loose: &Loose| from_slot(loose) && loose.content.is_unknown();
        if let Some(at) = loose.iter().rposition(unknown) {
            tray.remove_loose(at);
            return params::UNKNOWN_DROPPED;
        }
        let kept = loose.iter().position(|loose| loose.content == dropped);
        let mistaken = loose.iter().rposition(|loose| {
            from_slot(loose) && loose.is_within(params::ARRIVES_WITHIN_US * 2, self.t_us)
        });
        if let Some(at) = mistaken {
            // The two pieces were confused, so they change places.
            let content = loose[at].content;
            if let Some(slot) = in_slot {
                tray.set_slot(slot, content);
                tray.remove_loose(at);
            } else if let Some(kept) = kept {
                tray.loose[kept].content = content;
                tray.remove_loose(at);
            }
            return params::MISTAKEN;
        }
        if let Some(at) = kept {
            let at_once = tray.remove_loose(at).eighths > 0;
            let elsewhere = 1.0 / (in_slots + 1) as f64;
            return elsewhere * if at_once { params::DROPPED_FROM_HAND } else { 1.0 };
        }
        if let Some(slot) = in_slot {
            tray.set_slot(slot, Content::FOREIGN);
            return params::NOT_TAKEN;
        }
        params::FROM_NOWHERE
    }

    /// The owner gets a captured piece.
    fn get(&self, tray: &mut SeatTray, role: Role) {
        let content = Content::of(role);
        if let Some(slot) = tray.slot_with(Content::OWED) {
            tray.set_slot(slot, content);
        } else if let Some(loose) =
            tray.loose.iter_mut().find(|loose| loose.content == Content::OWED)
        {
            loose.content = content;
        } else {
            tray.add_loose(Loose::new(content, Origin::Captured, self.t_us));
        }
    }
}

/// The factor for pieces that the owner took out of the tray just now and still has in the hand
/// after the ply.
fn still_in_hand(tray: &mut SeatTray) -> f64 {
    let mut weight = 1.0;
    for loose in &mut tray.loose {
        if loose.origin == Origin::Slot && loose.eighths > 0 {
            weight *= params::NOT_DROPPED;
            loose.eighths = 0;
        }
    }
    weight
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
    let is_within = |us| loose.is_within(us, t_us);
    match (loose.origin, loose.since_us()) {
        (Origin::Slot, _) if is_within(params::REARRANGED_WITHIN_US) => params::REARRANGED,
        (Origin::Slot, _) => params::PUT_BACK_LATE,
        (Origin::Captured, Some(us)) if us > t_us.saturating_add(params::EARLIEST_US) => 0.0,
        (Origin::Captured, Some(us)) if us > t_us => params::ARRIVES_EARLY,
        (Origin::Captured, _) if is_within(params::ARRIVES_WITHIN_US) => params::ARRIVES,
        (Origin::Captured, _) => params::ARRIVES_LATE,
    }
}

/// Probability that a slot with this content reads this letter, 0 to 1.
fn letter(content: Content, read: Option<Role>) -> f64 {
    let is_other = |role| !content.is_unknown() && Content::of(role) != content;
    if read.is_some_and(is_other) { params::WRONG_LETTER } else { 1.0 }
}

#[cfg(test)]
mod tests;
