//! The reserve of one player as one number, and the roles that came in since the player's own last ply.
//!
//! ```text
//! bits = Σ over roles r of (count(r) + 15) · 2^(5 r)  +  Σ over fresh roles r of 2^(25 + r)
//! ```
//!
//! Reserves are most of a joint hypothesis, and hundreds of hypotheses are hashed, compared and changed at
//! every ply. So a reserve is one number here, with a field of five bits for each role.

use std::fmt;

use action_model::RoleSet;
use rules::{Color, RESERVE_ROLES, Reserve, Role, Supply};

/// Bits of one count. Bound: counts from -15 to 15 fit.
const WIDTH: u32 = 5;
/// The field of a count of 0.
const NONE: u32 = 15;
/// The lowest bit of every field.
const LOWEST: u32 = 0b00001_00001_00001_00001_00001;
/// The counts of all roles.
const COUNTS: u32 = (1 << (5 * WIDTH)) - 1;
/// Most pieces of one role, held or owed. Bound: such counts fit a field.
const MOST: i8 = 15;

/// The roles that both players of a board may drop, and where the pieces come from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Droppable {
    pub(crate) supply: Supply,
    /// The roles of each colour, White's first.
    pub(crate) roles: [RoleSet; 2],
}

impl Droppable {
    /// The roles of one colour.
    pub(crate) fn of(self, color: Color) -> RoleSet {
        self.roles[usize::from(color.is_black())]
    }
}

/// A player's reserve, each count from -15 (owed) to 15, and the roles that have arrived in it since the
/// player's own last ply.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PackedReserve(u32);

impl PackedReserve {
    /// Nothing.
    pub(crate) const EMPTY: PackedReserve = PackedReserve(NONE * LOWEST);

    /// A reserve whose pieces all came before the player's last ply.
    pub(crate) fn of(reserve: &Reserve) -> PackedReserve {
        let mut holding = PackedReserve::EMPTY;
        for role in RESERVE_ROLES {
            let count = reserve.count(role);
            (0..count).for_each(|_| holding.add(role));
            (count..0).for_each(|_| holding.take(role));
        }
        holding.settle();
        holding
    }

    /// Pieces of this role that are held. Owed pieces count below 0.
    pub(crate) fn count(self, role: Role) -> i8 {
        slot(role).map_or(0, |slot| self.count_of(slot))
    }

    fn count_of(self, slot: u32) -> i8 {
        let field = self.0 >> (slot * WIDTH) & ((1 << WIDTH) - 1);
        field.cast_signed() as i8 - NONE as i8
    }

    /// A piece arrives. A king never does.
    pub(crate) fn add(&mut self, role: Role) {
        if let Some(slot) = slot(role) {
            if self.count_of(slot) < MOST {
                self.0 += 1 << (slot * WIDTH);
            }
            self.0 |= 1 << (5 * WIDTH + slot);
        }
    }

    /// A piece is dropped, on credit if none is held. A king never is.
    pub(crate) fn take(&mut self, role: Role) {
        if let Some(slot) = slot(role)
            && self.count_of(slot) > -MOST
        {
            self.0 -= 1 << (slot * WIDTH);
        }
    }

    /// The roles of which at least one is held.
    pub(crate) fn held(self) -> RoleSet {
        RESERVE_ROLES
            .into_iter()
            .filter(|&role| self.count(role) > 0)
            .fold(RoleSet::NONE, RoleSet::with)
    }

    /// The roles that may be dropped with this supply.
    pub(crate) fn droppable(self, supply: Supply) -> RoleSet {
        match supply {
            Supply::Partner => self.held(),
            Supply::Unseen => RoleSet::ALL,
            Supply::Nobody => RoleSet::NONE,
        }
    }

    /// Number of owed pieces.
    pub(crate) fn debt(self) -> u32 {
        (0..5).map(|slot| self.count_of(slot).min(0).unsigned_abs() as u32).sum()
    }

    /// The roles that have arrived since the player's own last ply.
    pub(crate) fn fresh(self) -> RoleSet {
        RoleSet::from_bits((self.0 >> (5 * WIDTH)) as u8)
    }

    /// The player has made a ply: nothing is fresh any more.
    pub(crate) fn settle(&mut self) {
        self.0 &= COUNTS;
    }

    /// The same reserve with nothing fresh.
    pub(crate) fn settled(self) -> PackedReserve {
        PackedReserve(self.0 & COUNTS)
    }

    /// As a reserve.
    pub(crate) fn reserve(self) -> Reserve {
        Reserve::from_counts([0, 1, 2, 3, 4].map(|slot| self.count_of(slot)))
    }

    /// As a number below 2³⁰.
    pub(crate) const fn bits(self) -> u32 {
        self.0
    }
}

impl fmt::Debug for PackedReserve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PackedReserve({:?}, fresh {:?})", self.reserve().counts(), self.fresh())
    }
}

fn slot(role: Role) -> Option<u32> {
    Reserve::slot(role).map(|slot| slot as u32)
}

#[cfg(test)]
impl Droppable {
    /// These roles for both, supplied by partners.
    pub(crate) const fn by_both(roles: RoleSet) -> Droppable {
        Droppable { supply: Supply::Partner, roles: [roles; 2] }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rules::RESERVE_ROLES;

    use super::*;

    proptest! {
        #[test]
        fn a_holding_counts_like_a_reserve(
            steps in proptest::collection::vec((0usize..5, any::<bool>()), 0..60)
        ) {
            let (mut holding, mut reserve) = (PackedReserve::EMPTY, Reserve::EMPTY);
            let mut fresh = [false; 5];
            for (slot, adds) in steps {
                let role = RESERVE_ROLES[slot];
                if adds && reserve.count(role) < MOST {
                    holding.add(role);
                    reserve.add(role);
                    fresh[slot] = true;
                } else if !adds && reserve.count(role) > -MOST {
                    holding.take(role);
                    reserve.take(role);
                }
                prop_assert_eq!(holding.reserve(), reserve);
                prop_assert_eq!(holding.debt(), reserve.debt());
                prop_assert_eq!(holding.held(), RoleSet::held(&reserve));
                prop_assert_eq!(holding.count(role), reserve.count(role));
            }
            for (slot, fresh) in fresh.into_iter().enumerate() {
                prop_assert_eq!(holding.fresh().has_slot(slot), fresh);
            }
            holding.settle();
            prop_assert!(holding.fresh().is_empty());
            prop_assert_eq!(holding.reserve(), reserve);
        }
    }

    #[test]
    fn a_count_stops_at_its_bounds_and_leaves_the_others_alone() {
        let mut holding = PackedReserve::EMPTY;
        for _ in 0..40 {
            holding.add(Role::Knight);
            holding.take(Role::Bishop);
        }
        assert_eq!(holding.reserve(), Reserve::from_counts([0, MOST, -MOST, 0, 0]));
        assert_eq!(holding.debt(), MOST as u32);
        assert_eq!(holding.settled().reserve(), holding.reserve());
    }

    #[test]
    fn a_king_is_never_held() {
        let mut holding = PackedReserve::EMPTY;
        holding.add(Role::King);
        holding.take(Role::King);
        assert_eq!(holding, PackedReserve::EMPTY);
    }
}
