//! A whole match as it is known now, under its book: what findings and claims read.
//!
//! Below findings, claims and results, so that none of them has to know the referee that holds it all.

use rules::{
    BoardId, Color, Game, Seat,
    rulebook::{
        Cite, Finding, Rulebook, Topic,
        terms::{TdCalls, Terms},
    },
};

use crate::{
    anomalies::Anomalies,
    clocks::{Clocks, FlagFall},
    conditions::Conditions,
    decisions::Decisions,
    input::Phase,
    outcome::Proposal,
    timeline::Timeline,
};

/// A match as it is known now.
#[derive(Clone, Copy)]
pub(crate) struct Case<'a> {
    pub(crate) conditions: &'a Conditions,
    pub(crate) timeline: &'a Timeline,
    pub(crate) clocks: &'a Clocks,
    pub(crate) anomalies: &'a Anomalies,
    pub(crate) decisions: &'a Decisions,
    pub(crate) phase: Phase,
    pub(crate) now_us: u64,
    /// Whether nothing can be claimed any more: a result is confirmed, or the next match is being set up.
    pub(crate) is_over: bool,
    /// The result that the evidence points to; none before it has been looked for.
    pub(crate) proposal: Option<&'a Proposal>,
}

impl Case<'_> {
    pub(crate) fn book(&self) -> &'static Rulebook {
        self.conditions.rulebook()
    }

    pub(crate) fn terms(&self) -> &'static Terms {
        &self.book().terms
    }

    pub(crate) fn cite(&self, topic: Topic) -> Option<Cite> {
        self.book().cite(topic)
    }

    pub(crate) fn finding(&self, finding: Finding) -> Option<Cite> {
        self.book().finding(finding).map(|clause| self.book().cited(clause))
    }

    /// The other clauses that a finding comes under.
    pub(crate) fn further(&self, finding: Finding) -> Vec<Cite> {
        let book = self.book();
        let rule = book.finding(finding).map(|clause| clause.number);
        let naming = book.clauses.iter().filter(|clause| clause.does.detects.contains(&finding));
        naming
            .filter(|clause| Some(clause.number) != rule)
            .map(|clause| book.cited(clause))
            .collect()
    }

    /// Whether directors may call illegal plies and flags: never under a book that knows no such agreement.
    pub(crate) fn td_calls(&self) -> bool {
        match self.terms().td_calls {
            TdCalls::Never => false,
            TdCalls::ByAgreement => self.decisions.td_calls.unwrap_or(self.conditions.td_calls),
            TdCalls::Always => true,
        }
    }

    /// Whether everybody may see what directors call, before it is settled: where the players agreed to it. Where the book makes
    /// directors act, they do so, and neither screens nor spectators are ahead of them.
    pub(crate) fn calls_are_public(&self) -> bool {
        self.terms().td_calls == TdCalls::ByAgreement && self.td_calls()
    }

    /// Whether a board's clock gave either player more than the time control before play; none when it was not read then.
    pub(crate) fn was_set_too_long(&self, board: BoardId) -> Option<bool> {
        let set = self.clocks.first(board)?;
        let base_ms = i64::from(self.conditions.base_ms);
        Some(set.white_ms > base_ms || set.black_ms > base_ms)
    }

    /// Whether the plies of a board show a king and a queen on each other's squares.
    pub(crate) fn is_swapped(&self, board: BoardId) -> bool {
        self.timeline.start().position(board) != self.conditions.start.position(board)
    }

    /// The boards that are played on.
    pub(crate) fn boards(&self) -> &'static [BoardId] {
        match self.terms().game {
            Game::Bughouse => &BoardId::ALL,
            Game::Chess => &BoardId::ALL[..1],
        }
    }

    /// The flag of a seat.
    pub(crate) fn flag(&self, seat: Seat) -> Option<FlagFall> {
        self.clocks.flag(self.anomalies, seat)
    }

    /// The flags of a board's two seats, White's first.
    pub(crate) fn flags(&self, board: BoardId) -> [Option<FlagFall>; 2] {
        Color::ALL.map(|color| self.flag(Seat { board, color }))
    }

    /// Time up to which plies count for windows on a board: that of its clock's stop.
    pub(crate) fn as_of_us(&self, board: BoardId) -> u64 {
        self.clocks.stopped_us(board).unwrap_or(u64::MAX)
    }
}
