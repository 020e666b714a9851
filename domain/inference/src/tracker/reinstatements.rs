//! The positions that directors have ordered to be reinstated, and the progress of each.

use rules::Bitboard;

use crate::{
    anomaly::findings::finding::words,
    facts::{Fact, Facts, StandsFact, Unreconciled},
};

/// A position on its way to a board.
#[derive(Clone, Debug)]
pub(super) struct Reinstatement {
    pub(super) fact: StandsFact,
    /// Whether the clock has been still since the order: until then play has not been stopped.
    pub(super) was_stopped: bool,
    /// Time since which the squares have shown it without a break, microseconds.
    pub(super) shown_since: Option<u64>,
    /// The squares that read otherwise when it stood.
    pub(super) stood: Option<Bitboard>,
}

/// The positions that were reinstated, in the order of their times.
pub(super) fn in_order(facts: &Facts) -> Vec<Reinstatement> {
    let stands = facts.iter().filter_map(|fact| match fact {
        Fact::Stands(fact) => Some(fact.clone()),
        _ => None,
    });
    let reinstatement =
        |fact| Reinstatement { fact, was_stopped: false, shown_since: None, stood: None };
    let mut reinstatements: Vec<Reinstatement> = stands.map(reinstatement).collect();
    reinstatements.sort_by_key(|reinstatement| reinstatement.fact.t_us);
    reinstatements
}

impl Reinstatement {
    /// Its fact, if it does not agree with the match.
    pub(super) fn unreconciled(&self) -> Option<Unreconciled> {
        let reason = match self.stood {
            None => "play did not go on from it".to_owned(),
            Some(differing) if differing.any() => {
                format!("{} read otherwise", words::list(differing))
            }
            Some(_) => return None,
        };
        Some(Unreconciled { fact: Fact::Stands(self.fact.clone()), reason })
    }
}
