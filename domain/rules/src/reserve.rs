//! The pieces a player may drop.

use std::fmt;

use shakmaty::Role;

/// The five roles a reserve can hold, cheapest first: everything but the king.
pub const RESERVE_ROLES: [Role; 5] =
    [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// Number of pieces of each role that a player holds.
///
/// Counts are signed: a reserve is in *debt* for a moment when a piece is dropped before the
/// capture that supplied it has been seen to complete. A legal reserve has no negative count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reserve([i8; 5]);

impl Reserve {
    /// A reserve with nothing in it.
    pub const EMPTY: Reserve = Reserve([0; 5]);

    /// The place of a role in [`RESERVE_ROLES`], 0 to 4; none for the king.
    #[must_use]
    pub const fn slot(role: Role) -> Option<usize> {
        match role {
            Role::Pawn => Some(0),
            Role::Knight => Some(1),
            Role::Bishop => Some(2),
            Role::Rook => Some(3),
            Role::Queen => Some(4),
            Role::King => None,
        }
    }

    /// Pieces of `role` held; negative while in debt. Kings are never held: always 0.
    #[must_use]
    pub const fn count(&self, role: Role) -> i8 {
        match Self::slot(role) {
            Some(slot) => self.0[slot],
            None => 0,
        }
    }

    /// Adds one piece of `role`. A king, taken in an illegal ply, is not kept.
    pub fn add(&mut self, role: Role) {
        if let Some(slot) = Self::slot(role) {
            self.0[slot] = self.0[slot].saturating_add(1);
        }
    }

    /// Takes one piece of `role`, going into debt when there is none.
    pub fn take(&mut self, role: Role) {
        if let Some(slot) = Self::slot(role) {
            self.0[slot] = self.0[slot].saturating_sub(1);
        }
    }

    /// Sum of the positive counts.
    #[must_use]
    pub fn total(&self) -> u32 {
        self.0.iter().map(|&count| count.max(0).unsigned_abs() as u32).sum()
    }

    /// Number of owed pieces: 0 for a reserve that is possible by the rules.
    #[must_use]
    pub fn debt(&self) -> u32 {
        self.0.iter().map(|&count| count.min(0).unsigned_abs() as u32).sum()
    }

    /// The counts in the order of [`RESERVE_ROLES`].
    #[must_use]
    pub const fn counts(&self) -> [i8; 5] {
        self.0
    }

    /// A reserve with the given counts, in the order of [`RESERVE_ROLES`].
    #[must_use]
    pub const fn from_counts(counts: [i8; 5]) -> Reserve {
        Reserve(counts)
    }
}

/// Upper-case letters, most valuable first, as FEN pockets are written: `QRNPP`. Debts are not shown.
impl fmt::Display for Reserve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for role in RESERVE_ROLES.into_iter().rev() {
            for _ in 0..self.count(role).max(0) {
                write!(f, "{}", role.upper_char())?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_role_has_its_place_among_those_of_a_reserve() {
        for (at, role) in RESERVE_ROLES.into_iter().enumerate() {
            assert_eq!(Reserve::slot(role), Some(at));
        }
        assert_eq!(Reserve::slot(Role::King), None);
    }
}
