//! The positions that directors have had put up again, and the progress of each.

use rules::{Bitboard, BoardId};

use crate::facts::{Fact, Facts, StandsFact, Unreconciled};

/// The squares must show the position for so long before it stands, microseconds: hands pass over squares.
/// Assumed: set by hand.
const STANDS_US: u64 = 1_000_000;

/// A position on its way to a board.
#[derive(Clone, Debug)]
pub(super) struct PutUp {
    pub(super) fact: StandsFact,
    /// Whether the clock has stood still since the order: until then play has not been stopped.
    pub(super) was_stopped: bool,
    /// Since when the squares have shown it without a break, microseconds.
    pub(super) shown_since: Option<u64>,
    /// The squares that read otherwise when it stood.
    pub(super) stood: Option<Bitboard>,
}

/// The positions that were put up again, in the order of their times.
#[derive(Clone, Debug, Default)]
pub(super) struct PutUps(pub(super) Vec<PutUp>);

impl PutUps {
    pub(super) fn of(facts: &Facts) -> PutUps {
        let stands = facts.iter().filter_map(|fact| match fact {
            Fact::Stands(fact) => Some(fact.clone()),
            _ => None,
        });
        let put_up = |fact| PutUp { fact, was_stopped: false, shown_since: None, stood: None };
        let mut put_ups: Vec<PutUp> = stands.map(put_up).collect();
        put_ups.sort_by_key(|put_up| put_up.fact.t_us);
        PutUps(put_ups)
    }

    /// The position that is being put up on `board` at a time. A later order replaces the earlier ones.
    pub(super) fn waiting(&self, board: BoardId, now_us: u64) -> Option<&PutUp> {
        let begun = |put_up: &&PutUp| put_up.fact.board == board && put_up.fact.t_us <= now_us;
        self.0.iter().rev().find(begun).filter(|put_up| put_up.stood.is_none())
    }

    /// The same, to change it.
    pub(super) fn waiting_mut(&mut self, board: BoardId, now_us: u64) -> Option<&mut PutUp> {
        let begun = |put_up: &&mut PutUp| put_up.fact.board == board && put_up.fact.t_us <= now_us;
        self.0.iter_mut().rev().find(begun).filter(|put_up| put_up.stood.is_none())
    }

    /// When the position that `board` shows at a time will stand if no square changes, microseconds.
    pub(super) fn due_us(&self, board: BoardId, now_us: u64) -> Option<u64> {
        Some(self.waiting(board, now_us)?.shown_since?.saturating_add(STANDS_US))
    }

    /// The facts among these that do not agree with the match.
    pub(super) fn unreconciled(&self) -> impl Iterator<Item = Unreconciled> + '_ {
        self.0.iter().filter_map(|put_up| {
            let reason = match put_up.stood {
                None => "play did not go on from it".to_owned(),
                Some(differing) if differing.any() => {
                    let squares = differing.into_iter().map(|square| square.to_string());
                    format!("{} read otherwise", squares.collect::<Vec<_>>().join(", "))
                }
                Some(_) => return None,
            };
            Some(Unreconciled { fact: Fact::Stands(put_up.fact.clone()), reason })
        })
    }
}
