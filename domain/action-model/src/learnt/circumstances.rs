//! ```text
//! ln factor(class) = Σ over shared clues c of w(c, class) + w(clue of the dropped role, class)   (drops only)
//! ```
//!
//! The clues of circumstances: reserves, arrivals and clocks. The first sum is over the clues that bear on all
//! classes.

use rules::Reserve;
use smallvec::SmallVec;

use super::{
    super::{ACTION_CLASSES, ActionClass, Circumstances, RoleSet},
    tables::circumstance as tables,
};

/// Lower bounds of the classes of thought time, milliseconds. Assumed: set by hand.
const THOUGHT_MS: [u32; 7] = [250, 600, 1_200, 2_200, 4_000, 8_000, 16_000];
/// Lower bounds of the classes of remaining time, milliseconds. Assumed: set by hand.
const LEFT_MS: [u32; 4] = [10_000, 30_000, 60_000, 120_000];

/// The numbers of the clues that bear on every class, and of the clues that bear on the drops of one role.
pub(crate) struct CircumstanceClues {
    shared: SmallVec<[u16; 16]>,
    of_role: [u16; 5],
}

impl CircumstanceClues {
    /// The clues of some circumstances.
    pub(crate) fn of(circumstances: &Circumstances) -> CircumstanceClues {
        let Circumstances { held, fresh, against, thought_ms, left_ms } = circumstances;
        let mut shared = SmallVec::new();
        shared.push(tables::HELD.at(amount(held)));
        shared.push(tables::AGAINST.at(amount(against)));
        let (threats, choice) = (RoleSet::held(against), RoleSet::held(held));
        for slot in 0..5 {
            shared.push(tables::HELD_ROLE.at(2 * slot + usize::from(choice.has_slot(slot))));
            shared.push(tables::AGAINST_ROLE.at(2 * slot + usize::from(threats.has_slot(slot))));
        }
        let thought = bucket(*thought_ms, &THOUGHT_MS);
        let any_fresh = usize::from(*fresh != RoleSet::NONE);
        shared.push(tables::THOUGHT.at(9 * any_fresh + thought));
        shared.push(tables::LEFT.at(bucket(left_ms.map(|[mover, _]| mover), &LEFT_MS)));
        let counts = held.counts();
        let of_role = std::array::from_fn(|slot| {
            let many = counts[slot].clamp(1, 3).unsigned_abs() as usize - 1;
            tables::OF_ROLE.at(2 * many + usize::from(fresh.has_slot(slot)))
        });
        CircumstanceClues { shared, of_role }
    }

    /// The clues that bear on a class.
    pub(crate) fn for_class(&self, class: ActionClass) -> impl Iterator<Item = u16> + '_ {
        let own = class.slot().map(|slot| self.of_role[slot]);
        self.shared.iter().copied().chain(own)
    }

    /// Logarithm of the factor of each class.
    pub(crate) fn sums(&self, weights: &[[f32; ACTION_CLASSES]]) -> [f32; ACTION_CLASSES] {
        ActionClass::all().map(|class| {
            self.for_class(class).map(|clue| weights[usize::from(clue)][class.index()]).sum()
        })
    }
}

/// The class of the number of pieces held: 0, 1, 2, 3 to 4, 5 to 7, more.
fn amount(reserve: &Reserve) -> usize {
    match reserve.total() {
        few @ 0..=2 => few as usize,
        3..=4 => 3,
        5..=7 => 4,
        _ => 5,
    }
}

/// The class of a time: 0 for unknown, otherwise one more than the number of bounds reached.
fn bucket(value: Option<u32>, bounds: &[u32]) -> usize {
    value.map_or(0, |value| 1 + bounds.iter().filter(|&&bound| value >= bound).count())
}
