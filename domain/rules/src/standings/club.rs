//! Teams in an event whose players are paired as individuals: a school or club scores with its best players.
//!
//! `score = Σ score` over the counting players, who are the best four (`nc-scholastic 18`). That rule lets the same
//! players count for the tie-breaks, so a club's value of a tie-break is the sum of theirs. Game/Match Points and US
//! Amateur Team need teams that meet as teams; a club has no value for them, and they decide nothing here.

use serde::Serialize;

use super::{
    CoinToss, CoinTossState, EntrantNumber, Explanation, NoSuchRound, Problem, Results, Score,
    Separation, TieBreak, TieBreakPoints,
    explanation::{Outline, Term, TermSource},
    ranking::{Ranking, toss_keys},
    table::{Column, coin_toss_states, refine},
};

/// A school or club whose players are entrants of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Club {
    /// Its number among the clubs, for coin tosses.
    pub number: EntrantNumber,
    /// Its name.
    pub name: String,
    /// The numbers of its players in the section.
    pub members: Vec<EntrantNumber>,
}

/// Counting players of a club, and the number that it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClubRule {
    /// Number of best scores that count.
    pub counting: u8,
    /// With fewer players in the section a club gets no rank.
    pub needed: u8,
}

/// Four scores count, two players are needed (`nc-scholastic 18`).
pub const NC_SCHOLASTIC_CLUBS: ClubRule = ClubRule { counting: 4, needed: 2 };

/// The clubs of a section, ready for standings.
#[derive(Clone, Debug)]
pub struct Clubs<'results> {
    results: &'results Results,
    rule: ClubRule,
    /// In the order of their numbers.
    clubs: Vec<Club>,
    coin_tosses: Vec<CoinToss>,
}

/// The standings of clubs after a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClubStandings {
    /// Round of the standings; 0 before the first.
    pub after_round: u8,
    /// The tie-breaks in the order in which they were applied.
    pub order: Vec<TieBreak>,
    /// Whether a result of the section has yet to be confirmed, so that ranks may still change.
    pub provisional: bool,
    /// The clubs, best first; those with too few players last.
    pub rows: Vec<ClubRow>,
}

/// One club's line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClubRow {
    /// The rank after all tie-breaks, shared by those who are still tied; none with too few players.
    pub rank: Option<u32>,
    /// The rank by score alone; none with too few players.
    pub score_rank: Option<u32>,
    /// The club's number.
    pub number: EntrantNumber,
    /// The club's name.
    pub name: String,
    /// The players who count, best first.
    pub counting: Vec<EntrantNumber>,
    /// The sum of their scores.
    pub score: Score,
    /// The value of each tie-break, in their order. None where a club has none.
    pub tie_breaks: Vec<Option<TieBreakPoints>>,
    /// Reason why this club is behind the one before.
    pub separated_by: Option<Separation>,
    /// Part of a coin toss in the rank.
    pub coin_toss: CoinTossState,
}

impl<'results> Clubs<'results> {
    /// Checks that the clubs fit the section.
    ///
    /// # Errors
    ///
    /// Every member who is not in the section or in two places, every number that two clubs have, and coin tosses among clubs that do
    /// not exist. The list is never empty.
    pub fn new(
        results: &'results Results,
        rule: ClubRule,
        mut clubs: Vec<Club>,
        coin_tosses: Vec<CoinToss>,
    ) -> Result<Clubs<'results>, Vec<Problem>> {
        clubs.sort_by(|one, other| (one.number, &one.name).cmp(&(other.number, &other.name)));
        let mut problems = Vec::new();
        for pair in clubs.windows(2).filter(|pair| pair[0].number == pair[1].number) {
            let (number, one, other) = (pair[0].number, pair[0].name.clone(), pair[1].name.clone());
            problems.push(Problem::SameClubNumber { number, one, other });
        }
        let mut club_of = vec![None; results.entrants.len()];
        for club in &clubs {
            for &number in &club.members {
                let Some(&index) = results.index.get(&number) else {
                    problems.push(Problem::UnknownMember { club: club.name.clone(), number });
                    continue;
                };
                if let Some(one) = club_of[index].replace(club.name.clone()) {
                    let entrant = results.named(index);
                    problems.push(Problem::MemberTwice { entrant, one, other: club.name.clone() });
                }
            }
        }
        for &number in coin_tosses.iter().flat_map(|toss| &toss.order) {
            if !clubs.iter().any(|club| club.number == number) {
                let reason = "is no club's number";
                problems.push(Problem::CoinToss { number, reason });
            }
        }
        let checked = Clubs { results, rule, clubs, coin_tosses };
        if problems.is_empty() { Ok(checked) } else { Err(problems) }
    }

    /// The standings of the clubs after a round, ties broken by `order`.
    ///
    /// # Errors
    ///
    /// When the section has no such round.
    pub fn standings(
        &self,
        after_round: u8,
        order: &[TieBreak],
    ) -> Result<ClubStandings, NoSuchRound> {
        let rounds = self.results.rounds();
        if after_round > rounds {
            return Err(NoSuchRound { round: after_round, rounds });
        }
        let counting: Vec<Vec<usize>> =
            self.clubs.iter().map(|club| self.counting(club, after_round, order)).collect();
        let score = |club: usize| -> Score {
            counting[club].iter().map(|&at| self.results.score_at(at, after_round)).sum()
        };
        let columns = self.columns(&counting, after_round, order);
        let enough =
            |club: &usize| self.clubs[*club].members.len() >= usize::from(self.rule.needed);
        let (eligible, others): (Vec<usize>, Vec<usize>) = (0..self.clubs.len()).partition(enough);
        let mut ranking = Ranking::new(eligible);
        ranking.refine(Separation::Score, score);
        let score_ranks = ranking.ranks();
        refine(&mut ranking, order, &columns, |tie_break, run| {
            let numbers: Vec<_> = run.iter().map(|&club| self.clubs[club].number).collect();
            (tie_break == TieBreak::CoinToss).then(|| toss_keys(&self.coin_tosses, &numbers))
        });
        let (ranks, states) = (ranking.ranks(), coin_toss_states(&ranking, order));
        let row = |(place, &club): (usize, &usize)| ClubRow {
            rank: ranks.get(place).copied(),
            score_rank: score_ranks.get(place).copied(),
            number: self.clubs[club].number,
            name: self.clubs[club].name.clone(),
            counting: counting[club].iter().map(|&at| self.results.entrants[at].number).collect(),
            score: score(club),
            tie_breaks: columns.iter().map(|column| column[club].0).collect(),
            separated_by: ranking.separated_by.get(place).copied().flatten(),
            coin_toss: states.get(place).copied().unwrap_or(CoinTossState::NotNeeded),
        };
        let rows = ranking.order.iter().chain(&others).enumerate().map(row).collect();
        let provisional = (0..self.results.entrants.len())
            .any(|index| self.results.is_provisional(index, after_round));
        Ok(ClubStandings { after_round, order: order.to_vec(), provisional, rows })
    }

    /// Terms of a club's tie-break after a round: one for each counting player, chosen with the tie-breaks of `order`. None
    /// when no club has the number. Rounds beyond the section's last add nothing.
    #[must_use]
    pub fn explain(
        &self,
        club: EntrantNumber,
        tie_break: TieBreak,
        after_round: u8,
        order: &[TieBreak],
    ) -> Option<Explanation> {
        let after_round = after_round.min(self.results.rounds());
        let club = self.clubs.iter().find(|other| other.number == club)?;
        let counting = self.counting(club, after_round, order);
        Some(self.explain_players(&counting, tie_break, after_round))
    }

    fn explain_players(
        &self,
        counting: &[usize],
        tie_break: TieBreak,
        after_round: u8,
    ) -> Explanation {
        if tie_break.needs_matches() || tie_break == TieBreak::CoinToss {
            return Outline::without_value().explain(tie_break);
        }
        let mut provisional = false;
        let term = |&index: &usize| {
            let of_player = self.results.explain_at(index, tie_break, after_round);
            provisional |= of_player.provisional;
            Term {
                round: None,
                source: TermSource::Player { player: self.results.entrants[index].number },
                amount: of_player.value.unwrap_or_default(),
                discarded: None,
            }
        };
        let terms = counting.iter().map(term).collect();
        Outline::of(terms, provisional).explain(tie_break)
    }

    fn columns(&self, counting: &[Vec<usize>], after_round: u8, order: &[TieBreak]) -> Vec<Column> {
        let of_clubs = |&tie_break: &TieBreak| {
            let of_club = |players: &Vec<usize>| {
                let explanation = self.explain_players(players, tie_break, after_round);
                (explanation.value, explanation.provisional)
            };
            counting.iter().map(of_club).collect()
        };
        order.iter().map(of_clubs).collect()
    }

    /// The places in the rows of the players who count: the best scores, and among equal scores the better tie-breaks, in their order.
    /// So a club's counting players never depend on names or numbers.
    fn counting(&self, club: &Club, after_round: u8, order: &[TieBreak]) -> Vec<usize> {
        let members = club.members.iter().filter_map(|number| self.results.index.get(number));
        let mut members: Vec<usize> = members.copied().collect();
        members.sort_unstable();
        let mut ranking = Ranking::new(members);
        ranking.refine((), |index| self.results.score_at(index, after_round));
        for &tie_break in order.iter().filter(|tie_break| !tie_break.needs_matches()) {
            ranking
                .refine((), |index| self.results.explain_at(index, tie_break, after_round).value);
        }
        ranking.order.truncate(usize::from(self.rule.counting));
        ranking.order
    }
}
