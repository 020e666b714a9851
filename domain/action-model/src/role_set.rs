//! A set of roles that a reserve can hold.

use rules::{RESERVE_ROLES, Reserve, Role};

/// Some of the five [`RESERVE_ROLES`], one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RoleSet(u8);

impl RoleSet {
    /// No role.
    pub const NONE: RoleSet = RoleSet(0);
    /// All five.
    pub const ALL: RoleSet = RoleSet(0b11111);

    /// The roles of which `reserve` holds at least one.
    #[must_use]
    pub fn held(reserve: &Reserve) -> RoleSet {
        let counts = reserve.counts();
        RoleSet((0..5).filter(|&slot| counts[slot] > 0).fold(0, |set, slot| set | 1 << slot))
    }

    /// Whether the role in this slot of [`RESERVE_ROLES`] is in the set.
    #[must_use]
    pub const fn has_slot(self, slot: usize) -> bool {
        self.0 & 1 << slot != 0
    }

    /// The set with this role. A king changes nothing, because no reserve holds one.
    #[must_use]
    pub fn with(self, role: Role) -> RoleSet {
        Reserve::slot(role).map_or(self, |slot| RoleSet(self.0 | 1 << slot))
    }

    /// Adds this role. A king changes nothing, because no reserve holds one.
    pub fn add(&mut self, role: Role) {
        *self = self.with(role);
    }

    /// Both sets together.
    #[must_use]
    pub const fn union(self, other: RoleSet) -> RoleSet {
        RoleSet(self.0 | other.0)
    }

    /// Whether all of `others` are in the set.
    #[must_use]
    pub const fn covers(self, others: RoleSet) -> bool {
        self.0 & others.0 == others.0
    }

    /// Whether the set has no role.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The roles in it, in the order of [`RESERVE_ROLES`].
    pub fn iter(self) -> impl Iterator<Item = Role> {
        RESERVE_ROLES
            .into_iter()
            .enumerate()
            .filter(move |&(slot, _)| self.has_slot(slot))
            .map(|(_, role)| role)
    }

    /// The set as the lowest five bits of a number, in the order of [`RESERVE_ROLES`].
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_debt_is_not_held_and_a_king_never_is() {
        let set = RoleSet::held(&Reserve::from_counts([2, 0, -1, 1, 0]));
        assert_eq!(set, RoleSet::NONE.with(Role::Pawn).with(Role::Rook));
        assert_eq!(set.with(Role::King), set);
        assert!(set.has_slot(3) && !set.has_slot(2));
    }
}
