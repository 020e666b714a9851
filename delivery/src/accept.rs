//! Selection of the new rows among those that arrived.

/// Rows of one boot, divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accepted {
    /// Sequence up to which the store has the boot afterwards.
    pub position: u64,
    /// Number of new rows; they follow the duplicates.
    pub accepted: usize,
    /// Number of rows that were committed before.
    pub duplicates: usize,
    /// Whether rows are left out because earlier ones are missing.
    pub gap: bool,
    /// First and last of the rows that will never come: the hub does not have them any more.
    pub lost: Option<(u64, u64)>,
}

impl Accepted {
    /// The sequences of the rows to commit, each once.
    pub fn taken(&self) -> impl Iterator<Item = u64> + use<> {
        let before = self.position - self.accepted as u64;
        (before..self.position).map(|before| before + 1)
    }

    /// Whether there is something to commit.
    #[must_use]
    pub fn is_news(&self) -> bool {
        self.accepted > 0 || self.lost.is_some()
    }
}

/// Rows below the boot's position are duplicates; the first row that is not the next one is a gap, and it and all after it are
/// left out. Rows before the first that the hub still has (`first_available`; 0 when it does not say) will never come: the boot
/// goes on behind them.
///
/// `known`: sequence up to which the store has the boot, 0 for none.
#[must_use]
pub fn accept(known: u64, first_available: u64, sequences: &[u64]) -> Accepted {
    let before = known.max(first_available.saturating_sub(1));
    let mut position = before;
    for &sequence in sequences.iter().filter(|&&sequence| sequence > before) {
        if position.checked_add(1) != Some(sequence) {
            break;
        }
        position = sequence;
    }
    let accepted = usize::try_from(position - before).unwrap_or(usize::MAX);
    Accepted {
        position,
        accepted,
        duplicates: sequences.iter().filter(|&&sequence| sequence <= before).count(),
        gap: sequences.iter().any(|&sequence| sequence > position),
        lost: (before > known).then(|| (known + 1, before)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_rows_are_taken_and_nothing_twice_or_behind_a_gap() {
        let next = Accepted { position: 3, accepted: 3, ..Accepted::default() };
        assert_eq!(accept(0, 1, &[1, 2, 3]), next);
        let some = Accepted { position: 4, accepted: 1, duplicates: 2, ..Accepted::default() };
        assert_eq!(accept(3, 1, &[2, 3, 4]), some);
        let gap = Accepted { position: 4, gap: true, ..Accepted::default() };
        assert_eq!(accept(4, 1, &[6, 7]), gap);
        let torn = Accepted { position: 5, accepted: 1, gap: true, ..Accepted::default() };
        assert_eq!(accept(4, 1, &[5, 7]), torn);
        assert!(accept(0, 1, &[1, 1, 2]).taken().eq([1]), "a row that is there twice");
    }

    #[test]
    fn rows_that_the_hub_no_longer_has_are_told_as_lost_and_the_boot_goes_on() {
        let lost = accept(2, 6, &[6, 7]);
        assert_eq!(lost.lost, Some((3, 5)));
        assert_eq!((lost.position, lost.accepted), (7, 2));
        assert_eq!(accept(2, 6, &[]).position, 5);
    }

    #[test]
    fn the_largest_numbers_overflow_nothing() {
        assert_eq!(accept(u64::MAX, u64::MAX, &[u64::MAX]).duplicates, 1);
        assert_eq!(accept(0, 1, &[u64::MAX]).position, 0);
        assert_eq!(accept(u64::MAX - 1, 0, &[u64::MAX]).position, u64::MAX);
    }
}
