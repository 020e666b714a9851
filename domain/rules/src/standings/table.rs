//! The standings after a round: ranks, scores, tie-breaks, and what put each entrant behind the one before.

use std::cmp::Reverse;

use serde::Serialize;
use thiserror::Error;

use super::{
    EntrantNumber, Results, Score, TieBreak, TieBreakPoints, direct_encounter,
    ranking::{Ranking, toss_keys},
};

/// The standings of a section after a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Standings {
    /// Round after which they are computed; 0 before the first.
    pub after_round: u8,
    /// The tie-breaks in the order in which they were applied.
    pub order: Vec<TieBreak>,
    /// Whether any result up to that round has yet to be confirmed, so that ranks may still change.
    pub provisional: bool,
    /// The entrants, best first; those who share a rank by their numbers.
    pub rows: Vec<StandingsRow>,
}

/// One entrant's line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StandingsRow {
    /// The rank after all tie-breaks, shared by those who are still tied: 1, 2, 2, 4.
    pub rank: u32,
    /// The rank by score alone, shared by all with that score. Tie-breaks are for prizes that cannot be divided.
    pub score_rank: u32,
    /// The entrant's number.
    pub number: EntrantNumber,
    /// The name.
    pub name: String,
    /// The players, when the entrant is a team; else the name alone.
    pub players: Vec<String>,
    /// The score.
    pub score: Score,
    /// The value of each tie-break, in their order. None for a coin toss.
    pub tie_breaks: Vec<Option<TieBreakPoints>>,
    /// Reason why this entrant is behind the one before; `None` for the first and for one who shares the rank.
    pub separated_by: Option<Separation>,
    /// State of the coin toss for this rank.
    pub coin_toss: CoinTossState,
    /// Whether a result that went into the score or a tie-break has yet to be confirmed.
    pub provisional: bool,
}

/// Separation of two entrants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Separation {
    /// The score.
    Score,
    /// A tie-break.
    TieBreak(TieBreak),
}

/// State of the coin toss for a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CoinTossState {
    /// No toss is needed.
    NotNeeded,
    /// All other tie-breaks leave a tie: a toss has to be held and recorded.
    Needed,
    /// A recorded toss decided the rank.
    Held,
}

/// Standings were asked for after a round that the section does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "standings after round {round} were asked for, but the section has {rounds} rounds: ask for 0 to {rounds}"
)]
pub struct NoSuchRound {
    /// The round asked for.
    pub round: u8,
    /// Number of rounds of the section.
    pub rounds: u8,
}

impl Results {
    /// The standings after a round, ties broken by `order`.
    ///
    /// # Errors
    ///
    /// When the section has no such round.
    pub fn standings(&self, after_round: u8, order: &[TieBreak]) -> Result<Standings, NoSuchRound> {
        if after_round > self.rounds {
            return Err(NoSuchRound { round: after_round, rounds: self.rounds });
        }
        let columns = self.columns(after_round, order);
        let mut ranking = Ranking::new((0..self.entrants.len()).collect());
        ranking.refine(Separation::Score, |index| self.score_at(index, after_round));
        let score_ranks = ranking.ranks();
        refine(&mut ranking, order, &columns, |tie_break, run| match tie_break {
            TieBreak::CoinToss => {
                let numbers: Vec<_> =
                    run.iter().map(|&index| self.entrants[index].number).collect();
                Some(toss_keys(&self.coin_tosses, &numbers))
            }
            TieBreak::DirectEncounter => Some(direct_encounter::keys(self, run, after_round)),
            _ => None,
        });
        let states = coin_toss_states(&ranking, order);
        let ranks = ranking.ranks();
        let rows = ranking.order.iter().enumerate().map(|(place, &index)| {
            let entrant = &self.entrants[index];
            StandingsRow {
                rank: ranks[place],
                score_rank: score_ranks[place],
                number: entrant.number,
                name: entrant.name.clone(),
                players: entrant.players().to_vec(),
                score: self.score_at(index, after_round),
                tie_breaks: columns.iter().map(|column| column[index].0).collect(),
                separated_by: ranking.separated_by[place],
                coin_toss: states[place],
                provisional: self.is_provisional(index, after_round)
                    || columns.iter().any(|column| column[index].1),
            }
        });
        Ok(Standings {
            after_round,
            order: order.to_vec(),
            provisional: (0..self.entrants.len())
                .any(|index| self.is_provisional(index, after_round)),
            rows: rows.collect(),
        })
    }

    /// For each tie-break of an order and each entrant: the value and whether it is provisional.
    pub(super) fn columns(&self, after_round: u8, order: &[TieBreak]) -> Vec<Column> {
        let of_entrants = |&tie_break: &TieBreak| {
            let of_entrant = |index| {
                let explanation = self.explain_at(index, tie_break, after_round);
                (explanation.value, explanation.provisional)
            };
            (0..self.entrants.len()).map(of_entrant).collect()
        };
        order.iter().map(of_entrants).collect()
    }
}

/// The values of one tie-break for all entrants, and whether they are provisional.
pub(super) type Column = Vec<(Option<TieBreakPoints>, bool)>;

/// Applies the tie-breaks in their order; `among` gives the keys of those that depend on who is tied.
pub(super) fn refine(
    ranking: &mut Ranking<Separation>,
    order: &[TieBreak],
    columns: &[Column],
    among: impl Fn(TieBreak, &[usize]) -> Option<Vec<Reverse<usize>>>,
) {
    for (&tie_break, column) in order.iter().zip(columns) {
        let separation = Separation::TieBreak(tie_break);
        if matches!(tie_break, TieBreak::CoinToss | TieBreak::DirectEncounter) {
            let keys = |run: &[usize]| {
                among(tie_break, run).unwrap_or_else(|| vec![Reverse(0); run.len()])
            };
            ranking.refine_runs(separation, keys);
        } else {
            ranking.refine(separation, |index| column[index].0);
        }
    }
}

/// States of the coin tosses for the places of a ranking.
pub(super) fn coin_toss_states(
    ranking: &Ranking<Separation>,
    order: &[TieBreak],
) -> Vec<CoinTossState> {
    let by_toss = Some(Separation::TieBreak(TieBreak::CoinToss));
    let mut states = vec![CoinTossState::NotNeeded; ranking.order.len()];
    for place in 1..states.len() {
        if ranking.separated_by[place] == by_toss {
            states[place - 1..=place].fill(CoinTossState::Held);
        }
    }
    if order.contains(&TieBreak::CoinToss) {
        for run in ranking.runs() {
            states[run].fill(CoinTossState::Needed);
        }
    }
    states
}
