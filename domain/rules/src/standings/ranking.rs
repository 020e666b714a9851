//! Ranking by one criterion after the other: each one orders only those whom the earlier ones left equal.

use std::{cmp::Reverse, ops::Range};

use super::{CoinToss, EntrantNumber};

/// Items in an order that gets finer with each criterion `C`.
pub(super) struct Ranking<C> {
    /// The items, best first.
    pub(super) order: Vec<usize>,
    /// For each place, what put its item behind the one before; none where the two are equal, and at the first.
    pub(super) separated_by: Vec<Option<C>>,
}

impl<C: Copy> Ranking<C> {
    /// All items equal, in the order in which they are shown while they are.
    pub(super) fn new(order: Vec<usize>) -> Ranking<C> {
        let separated_by = vec![None; order.len()];
        Ranking { order, separated_by }
    }

    /// Orders the items that are still equal by a key, the greatest first.
    pub(super) fn refine<K: Ord>(&mut self, criterion: C, key: impl Fn(usize) -> K) {
        self.refine_runs(criterion, |run| run.iter().map(|&item| key(item)).collect());
    }

    /// Orders each run of equal items by keys that may depend on who else is in it.
    pub(super) fn refine_runs<K: Ord>(&mut self, criterion: C, keys: impl Fn(&[usize]) -> Vec<K>) {
        for run in self.runs() {
            let items = &self.order[run.clone()];
            let mut keyed: Vec<(K, usize)> =
                keys(items).into_iter().zip(items.iter().copied()).collect();
            keyed.sort_by(|(one, _), (other, _)| other.cmp(one));
            for (offset, (_, item)) in keyed.iter().enumerate() {
                self.order[run.start + offset] = *item;
            }
            for (offset, pair) in keyed.windows(2).enumerate() {
                if pair[0].0 != pair[1].0 {
                    self.separated_by[run.start + offset + 1] = Some(criterion);
                }
            }
        }
    }

    /// The runs of more than one equal item.
    pub(super) fn runs(&self) -> Vec<Range<usize>> {
        let mut runs = Vec::new();
        let mut start = 0;
        for place in 1..=self.order.len() {
            if self.separated_by.get(place).is_none_or(Option::is_some) {
                if place - start > 1 {
                    runs.push(start..place);
                }
                start = place;
            }
        }
        runs
    }

    /// The rank of each place, from 1; equal items share the best rank of their run.
    pub(super) fn ranks(&self) -> Vec<u32> {
        let mut ranks = Vec::with_capacity(self.order.len());
        for (place, number) in (1..).zip(0..self.order.len()) {
            let shared = number > 0 && self.separated_by[number].is_none();
            ranks.push(if shared { ranks[number - 1] } else { place });
        }
        ranks
    }
}

/// The keys that a recorded coin toss gives to tied entrants: their places in it. A toss counts when all of them took
/// part; else all keys are equal.
pub(super) fn toss_keys(tosses: &[CoinToss], tied: &[EntrantNumber]) -> Vec<Reverse<usize>> {
    let places = |toss: &CoinToss| {
        let place = |number| toss.order.iter().position(|other| other == number).map(Reverse);
        tied.iter().map(place).collect::<Option<Vec<_>>>()
    };
    tosses.iter().find_map(places).unwrap_or_else(|| vec![Reverse(0); tied.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_items_share_the_best_rank_and_the_next_is_skipped() {
        let scores = [5, 7, 5, 7, 3];
        let mut ranking = Ranking::new((0..scores.len()).collect());
        ranking.refine("score", |item| scores[item]);
        assert_eq!(ranking.order, [1, 3, 0, 2, 4]);
        assert_eq!(ranking.ranks(), [1, 1, 3, 3, 5]);
        assert_eq!(ranking.runs(), [0..2, 2..4]);
    }

    #[test]
    fn a_later_criterion_orders_only_who_is_still_equal() {
        let scores = [5, 7, 5];
        let other = [1, 0, 9];
        let mut ranking = Ranking::new((0..3).collect());
        ranking.refine("score", |item| scores[item]);
        ranking.refine("other", |item| other[item]);
        assert_eq!(ranking.order, [1, 2, 0]);
        assert_eq!(ranking.separated_by, [None, Some("score"), Some("other")]);
        assert!(ranking.runs().is_empty());
    }

    #[test]
    fn a_toss_without_one_of_the_tied_decides_nothing() {
        let numbers = [1, 2, 3].map(EntrantNumber);
        let toss = CoinToss { order: vec![numbers[1], numbers[0]] };
        let keys = toss_keys(std::slice::from_ref(&toss), &numbers);
        assert!(keys.iter().all(|key| *key == keys[0]));
        let keys = toss_keys(&[toss], &numbers[..2]);
        assert!(keys[1] > keys[0], "the winner of the toss comes first");
    }
}
