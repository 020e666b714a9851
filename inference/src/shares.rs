//! The probability of a ply among all that could have been done, for every joint hypothesis.
//!
//! What can be done in a position is [surveyed](crate::prior::Survey) once; who holds what, what has just
//! arrived and what the opponent holds make [factors](crate::prior::Factors) of it, once for all
//! hypotheses that agree on these. So the sum over everything that could have been done instead is found
//! once for each pair of both.

use rules::{BoardId, Color, Reserve, Role};
use rustc_hash::FxHashMap;

use crate::{
    joint::JointState,
    legality,
    prior::{ActionClass, ActionPrior, Circumstances, Factors, Menu, RoleSet, Weighed, slot},
};

/// What the clocks say about a ply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Timing {
    /// Time from the opponent's press to the mover's, milliseconds.
    pub(crate) thought_ms: Option<u32>,
    /// What both players had left when the mover's time began to run, milliseconds, White's first.
    pub(crate) left_ms: [Option<u32>; 2],
}

/// A ply that was made, as the survey of the position it was made in weighs it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Made {
    pub(crate) weighed: Weighed,
    /// Which of the menus is that of the position.
    pub(crate) menu: u32,
    pub(crate) drop: Option<Role>,
}

/// Everything that a player could have done.
#[derive(Clone, Copy, Debug)]
struct Total {
    sum: f64,
    count: usize,
}

type CircumstancesKey = (u32, u32, Color, bool);

/// Shares of plies in one segment of one board.
pub(crate) struct Shares<'a> {
    prior: &'a dyn ActionPrior,
    board: BoardId,
    timing: Timing,
    menus: &'a [Menu],
    numbers: FxHashMap<CircumstancesKey, u32>,
    factors: Vec<(Factors, RoleSet)>,
    totals: FxHashMap<(u32, u32), Total>,
    /// The last of both that were asked for: the ways of a hypothesis mostly ask for the same.
    last_number: Option<(CircumstancesKey, u32)>,
    last_total: Option<((u32, u32), Total)>,
}

impl<'a> Shares<'a> {
    /// Shares in a segment of `board` whose positions have these menus.
    pub(crate) fn new(
        prior: &'a dyn ActionPrior,
        board: BoardId,
        timing: Timing,
        menus: &'a [Menu],
    ) -> Shares<'a> {
        Shares {
            prior,
            board,
            timing,
            menus,
            numbers: FxHashMap::default(),
            factors: Vec::new(),
            totals: FxHashMap::default(),
            last_number: None,
            last_total: None,
        }
    }

    /// The number of the circumstances in which `side` makes a ply in `state`. What the clocks say is
    /// about the first ply of a segment only.
    pub(crate) fn circumstances(&mut self, state: &JointState, side: Color, first: bool) -> u32 {
        let held = state.holding(self.board, side);
        let against = state.holding(self.board, side.other()).settled();
        let key = (held.bits(), against.bits(), side, first);
        if let Some((last, number)) = self.last_number
            && last == key
        {
            return number;
        }
        let next = self.factors.len() as u32;
        let number = *self.numbers.entry(key).or_insert_with(|| {
            let [white, black] = self.timing.left_ms;
            let left = if side.is_white() { white.zip(black) } else { black.zip(white) };
            let circumstances = Circumstances {
                held: without_debts(held.reserve()),
                fresh: held.fresh(),
                against: without_debts(against.reserve()),
                thought_ms: self.timing.thought_ms.filter(|_| first),
                left_ms: left.filter(|_| first).map(|(own, other)| [own, other]),
            };
            self.factors.push((self.prior.factors(&circumstances), held.held()));
            next
        });
        self.last_number = Some((key, number));
        number
    }

    /// The probability of a legal ply in these circumstances, at most 1. A dropped role that is not held
    /// has the share it would have if it were.
    pub(crate) fn share(&mut self, made: &Made, circumstances: u32) -> f64 {
        let (factors, held) = &self.factors[circumstances as usize];
        let menu = &self.menus[made.menu as usize];
        let key = (made.menu, circumstances);
        let mut total = match self.last_total {
            Some((last, total)) if last == key => total,
            _ => *self.totals.entry(key).or_insert_with(|| Total {
                sum: menu.total(factors, *held),
                count: menu.count(*held),
            }),
        };
        self.last_total = Some((key, total));
        if let Some(slot) = made.drop.and_then(slot)
            && !held.has_slot(slot)
        {
            total.sum += on_credit(menu, factors, slot);
            total.count += usize::from(menu.drops[slot]);
        }
        let weight = made.weighed.weight * factors[made.weighed.class.index()];
        let chosen = if total.sum > 0.0 { (weight / total.sum).min(1.0) } else { 0.0 };
        let any = 1.0 / total.count.max(1) as f64;
        (1.0 - legality::WHIM) * chosen + legality::WHIM * any
    }
}

/// What the drops of a role that is not held would add.
fn on_credit(menu: &Menu, factors: &Factors, slot: usize) -> f64 {
    [false, true]
        .map(|check| ActionClass::drop(slot, check).index())
        .into_iter()
        .map(|class| menu.sums[class] * factors[class])
        .sum()
}

fn without_debts(reserve: Reserve) -> Reserve {
    Reserve::from_counts(reserve.counts().map(|count| count.max(0)))
}
