//! Rulings on claims, appeals against them, and what they do to the match.

use rules::rulebook::{Cite, Entry as Entered, Topic};

use super::planner::{Planner, check_length};
use crate::{
    act::{Decision, MatchResult, Remedy, Role, Ruling},
    claim::{CaseState, Verdict},
    claims,
    decisions::{Claim, Effect, ledger::Entry, refusal::Refusal},
    ids::ActId,
    outcome::ResultReason,
};

impl Planner<'_> {
    pub(super) fn rule(&self, ruling: &Ruling) -> Result<Vec<Effect>, Refusal> {
        self.director()?;
        check_length(&ruling.note)?;
        let claim = self.case.decisions.claims.get(&ruling.on);
        let claim = claim.ok_or(Refusal::NoSuchAct(ruling.on))?;
        match claim.state {
            CaseState::Open => {}
            CaseState::Ruled(_) => return Err(Refusal::AlreadyRuled(ruling.on)),
            CaseState::Withdrawn => return Err(Refusal::NoSuchAct(ruling.on)),
        }
        self.check_seen(claim.changed)?;
        let remedy = ruling.remedy.clone().unwrap_or_else(|| self.proposed(claim, ruling.decision));
        let rules = self.rules_of(claim, ruling.decision);
        if matches!(remedy, Remedy::LosesGame(_) | Remedy::Draw) {
            self.check_may_replace_result()?;
        }
        let mut effects = self.carry_out(claim, &remedy)?;
        effects.push(Effect::Settle(ruling.on, CaseState::Ruled(ruling.decision)));
        let entry = Entry::Ruling {
            claim: ruling.on,
            decision: ruling.decision,
            remedy,
            note: ruling.note.clone(),
        };
        effects.push(self.write(rules, entry, None));
        Ok(effects)
    }

    /// Remedy that the referee proposes with a decision at present.
    fn proposed(&self, claim: &Claim, decision: Decision) -> Remedy {
        self.verdict(claim).remedy(decision)
    }

    /// Last verdict about a claim. A decided claim is not judged again: an appeal is about the same matter.
    fn verdict(&self, claim: &Claim) -> Verdict {
        match &claim.said {
            Some(said) => said.verdict.clone(),
            None => claims::judge(self.case, &claim.call),
        }
    }

    /// The clauses that a ruling comes under: what the claim rests on, what the book says a ruling on it does, and how disputes are
    /// settled.
    fn rules_of(&self, claim: &Claim, decision: Decision) -> Vec<Cite> {
        let book = self.case.book();
        let mut rules = self.verdict(claim).because;
        if let Some(claimed) = book.claim(claim.call.call.kind) {
            let parts = book.parts(claimed.number).filter(|part| {
                // The offences that a clause counts matter for a denied claim.
                let for_denied = !part.does.keeps.is_empty();
                let enters = part.does.enters.contains(&Entered::Ruling) || for_denied;
                enters && for_denied == (decision == Decision::Denied)
            });
            rules.extend(parts.map(|part| book.cited(part)));
        }
        rules.extend(self.cite(Topic::Dispute));
        rules
    }

    fn carry_out(&self, claim: &Claim, remedy: &Remedy) -> Result<Vec<Effect>, Refusal> {
        let kind = claim.call.call.kind;
        let result = |winner: Option<rules::Team>| {
            let reason = ResultReason::of_claim(kind, winner.is_none());
            let result = MatchResult { winner, reason };
            vec![Effect::Result(Some(self.confirmed(result)))]
        };
        Ok(match remedy {
            Remedy::LosesGame(loser) => result(Some(loser.opponent().team())),
            Remedy::Draw => result(None),
            Remedy::Reinstate(reinstatement) => {
                let before = reinstatement.before;
                self.case.timeline.ply(before).ok_or(Refusal::NoSuchPly(before))?;
                vec![Effect::Reinstate { before }]
            }
            Remedy::Nothing
            | Remedy::Penalty { .. }
            | Remedy::SetRight
            | Remedy::ReduceClock
            | Remedy::Restart
            | Remedy::RestartClock(_)
            | Remedy::ClocksStand
            | Remedy::MoveTouched(_)
            | Remedy::SubstituteClock { .. } => Vec::new(),
        })
    }

    pub(super) fn appeal(&self, of: ActId, to: Role) -> Result<Vec<Effect>, Refusal> {
        let book = self.case.book();
        let clause =
            book.clauses.iter().find(|clause| clause.does.enters.contains(&Entered::Appeal));
        let clause = clause.ok_or_else(|| Refusal::NoAppeal(self.cite(Topic::Appeal)))?;
        let next = match &self.line(of)?.entry {
            Entry::Ruling { .. } => match self.line(of)?.by.role {
                Role::FloorChief => return Err(Refusal::Final),
                Role::SectionChief => Role::FloorChief,
                Role::TeamOne | Role::TeamTwo | Role::Scorekeeper | Role::Director => {
                    Role::SectionChief
                }
            },
            Entry::Decided { .. } => match self.line(of)?.by.role {
                Role::FloorChief => return Err(Refusal::Final),
                _ => Role::FloorChief,
            },
            _ => return Err(Refusal::NoSuchAct(of)),
        };
        if to != next {
            return Err(Refusal::WrongInstance(next));
        }
        Ok(vec![self.write(Some(book.cited(clause)), Entry::Appeal { of, to }, None)])
    }

    pub(super) fn decide(
        &self,
        appeal: ActId,
        decision: Decision,
        remedy: Option<Remedy>,
        note: &str,
    ) -> Result<Vec<Effect>, Refusal> {
        check_length(note)?;
        let line = self.line(appeal)?;
        let Entry::Appeal { of, to } = line.entry else { return Err(Refusal::NoSuchAct(appeal)) };
        // Where an event has no section chief, the floor chief hears it; that is final then.
        if self.act.by.role < to {
            return Err(Refusal::WrongInstance(to));
        }
        if self.is_decided(appeal) {
            return Err(Refusal::AlreadyRuled(appeal));
        }
        let id = self.claim_of(of)?;
        let claim = self.case.decisions.claims.get(&id).ok_or(Refusal::NoSuchAct(id))?;
        self.check_seen(claim.changed)?;
        let remedy = remedy.unwrap_or_else(|| self.proposed(claim, decision));
        let mut effects = vec![Effect::Undo(of)];
        effects.extend(self.carry_out(claim, &remedy)?);
        effects.push(Effect::Settle(id, CaseState::Ruled(decision)));
        let entry = Entry::Decided { appeal, claim: id, decision, remedy, note: note.to_owned() };
        let rules = line.rules.clone().into_iter().chain(self.rules_of(claim, decision));
        effects.push(self.write(rules, entry, Some(of)));
        Ok(effects)
    }

    pub(super) fn is_decided(&self, appeal: ActId) -> bool {
        self.case.decisions.ledger.iter().any(|line| {
            matches!(line.entry, Entry::Decided { appeal: decided, .. } if decided == appeal)
        })
    }

    pub(super) fn is_appealed(&self, ruling: ActId) -> bool {
        let decisions = self.case.decisions;
        let mut standing =
            decisions.ledger.iter().filter(|line| !decisions.withdrawn.contains(&line.act));
        standing.any(|line| matches!(line.entry, Entry::Appeal { of, .. } if of == ruling))
    }

    /// The claim that a ruling or a decision on an appeal is about.
    fn claim_of(&self, act: ActId) -> Result<ActId, Refusal> {
        match self.line(act)?.entry {
            Entry::Ruling { claim, .. } | Entry::Decided { claim, .. } => Ok(claim),
            _ => Err(Refusal::NoSuchAct(act)),
        }
    }
}
