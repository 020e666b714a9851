//! One act beside the match that it is about: who may act, what was seen, and how the ledger records it.

use rules::rulebook::{Cite, Topic};

use crate::{
    act::{Act, MAX_TEXT, MatchResult, Role},
    case::Case,
    decisions::{
        Effect,
        ledger::{Entry, LedgerEntry},
        refusal::Refusal,
    },
    ids::ActId,
    outcome::StandingResult,
};

pub(super) fn check_length(text: &str) -> Result<(), Refusal> {
    if text.len() > MAX_TEXT { Err(Refusal::TooLong(MAX_TEXT)) } else { Ok(()) }
}

/// One act, looked at in the light of the match.
pub(super) struct Planner<'a> {
    pub(super) case: &'a Case<'a>,
    pub(super) act: &'a Act,
}

impl Planner<'_> {
    pub(super) fn director(&self) -> Result<(), Refusal> {
        let role = self.act.by.role;
        if role.is_director() { Ok(()) } else { Err(Refusal::Role(role)) }
    }

    pub(super) fn cite(&self, topic: Topic) -> Option<Cite> {
        self.case.cite(topic)
    }

    pub(super) fn write(
        &self,
        rules: impl IntoIterator<Item = Cite>,
        entry: Entry,
        supersedes: Option<ActId>,
    ) -> Effect {
        let mut cites: Vec<Cite> = Vec::new();
        for cite in rules {
            if !cites.contains(&cite) {
                cites.push(cite);
            }
        }
        Effect::Write(Box::new(LedgerEntry {
            number: 0,
            act: self.act.id,
            by: self.act.by.clone(),
            t_us: self.act.t_us,
            seen: self.act.seen,
            rules: cites,
            entry,
            supersedes,
        }))
    }

    pub(super) fn line(&self, act: ActId) -> Result<&LedgerEntry, Refusal> {
        let decisions = self.case.decisions;
        let mut lines = decisions.ledger.iter();
        let line = lines.find(|line| line.act == act).ok_or(Refusal::NoSuchAct(act))?;
        match decisions.withdrawn.contains(&act) {
            true => Err(Refusal::NoSuchAct(act)),
            false => Ok(line),
        }
    }

    pub(super) fn check_seen(&self, changed: u64) -> Result<(), Refusal> {
        if changed > self.act.seen { Err(Refusal::Outdated { changed }) } else { Ok(()) }
    }

    pub(super) fn confirmed(&self, result: MatchResult) -> StandingResult {
        StandingResult { act: self.act.id, result, signed: [false; 2], is_confirmed: true }
    }

    /// Checks that the author's rank is not below the ranks behind the current result.
    pub(super) fn check_may_replace_result(&self) -> Result<(), Refusal> {
        let decisions = self.case.decisions;
        let Some(standing) = &decisions.result else { return Ok(()) };
        let confirms = |line: &&LedgerEntry| {
            let is_of_it = line.act == standing.act
                || (line.act > standing.act && line.entry == Entry::Confirmed);
            is_of_it && !decisions.withdrawn.contains(&line.act)
        };
        let highest = decisions.ledger.iter().filter(confirms).map(|line| line.by.role).max();
        self.check_not_above(highest)
    }

    /// Checks that no rank above the author's is involved.
    pub(super) fn check_not_above(&self, highest: Option<Role>) -> Result<(), Refusal> {
        match highest.filter(|&role| role.is_director() && role > self.act.by.role) {
            Some(role) => Err(Refusal::Above(role)),
            None => Ok(()),
        }
    }
}
