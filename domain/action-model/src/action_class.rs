//! Classes of actions whose share of a player's choices depends on the circumstances.
//!
//! The weight of an action is a product of two factors. The position gives the first one. The action's class gives the
//! second one, from reserves, arrivals and clocks. So a position is weighed once for all its joint hypotheses, and each
//! hypothesis costs one multiplication a class.

/// Number of classes: two kinds of moves, and two kinds of drops of each of five roles.
pub const ACTION_CLASSES: usize = 12;

/// The class of an action: two kinds of moves, and for each role two kinds of drops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ActionClass(u8);

impl ActionClass {
    /// A move that captures nothing.
    pub const QUIET: ActionClass = ActionClass(0);
    /// A move that captures.
    pub const CAPTURE: ActionClass = ActionClass(1);

    /// A drop of the role in this slot of [`RESERVE_ROLES`](rules::RESERVE_ROLES), 0 to 4.
    #[must_use]
    pub const fn drop(slot: usize, check: bool) -> ActionClass {
        ActionClass(2 + 2 * slot as u8 + check as u8)
    }

    /// Its number, below [`ACTION_CLASSES`].
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Every class in order.
    #[must_use]
    pub fn all() -> [ActionClass; ACTION_CLASSES] {
        std::array::from_fn(|index| ActionClass(index as u8))
    }

    /// The slot of the role that it drops. None for moves.
    #[must_use]
    pub const fn slot(self) -> Option<usize> {
        if self.0 < 2 { None } else { Some((self.0 as usize - 2) / 2) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_a_number_of_its_own() {
        let mut numbers = vec![ActionClass::QUIET.index(), ActionClass::CAPTURE.index()];
        for slot in 0..5 {
            numbers.extend([false, true].map(|check| ActionClass::drop(slot, check).index()));
        }
        assert_eq!(numbers, (0..ACTION_CLASSES).collect::<Vec<_>>());
        assert_eq!(ActionClass::drop(1, true).slot(), Some(1));
        assert_eq!(ActionClass::CAPTURE.slot(), None);
    }
}
