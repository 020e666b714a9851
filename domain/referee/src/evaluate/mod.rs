//! Evaluation of an act: its effects, or why it is refused. A function of the match and the act that changes nothing.

mod planner;
mod rulings;

use rules::{
    Ply, Seat,
    rulebook::{
        Offence, Penalty, Topic,
        terms::{BringClock, TdCalls},
    },
};

use crate::{
    act::{Act, Choice, ClaimCall, MatchResult, PenaltyCall, What},
    case::Case,
    claim::{CaseState, Timing},
    claims,
    decisions::{
        Claim, Effect, MAX_ACTS, MAX_CLAIMS,
        ledger::{Entry, LedgerEntry},
        refusal::Refusal,
    },
    draws,
    ids::{ActId, PlyId},
    outcome::{ResultReason, StandingResult},
};
use planner::{Planner, check_length};

/// Plans the act's effects.
///
/// # Errors
///
/// Why it is refused.
pub(crate) fn plan(case: &Case<'_>, act: &Act) -> Result<Vec<Effect>, Refusal> {
    let decisions = case.decisions;
    if decisions.known.contains(&act.id) {
        return Err(Refusal::Known(act.id));
    }
    if decisions.known.len() >= MAX_ACTS {
        return Err(Refusal::TooMany(MAX_ACTS));
    }
    check_length(&act.by.id)?;
    let planner = Planner { case, act };
    match &act.what {
        What::Claim(call) => planner.claim(*call),
        What::Rule(ruling) => planner.rule(ruling),
        What::Appeal { of, to } => planner.appeal(*of, *to),
        What::Decide { appeal, decision, remedy, note } => {
            planner.decide(*appeal, *decision, remedy.clone(), note)
        }
        What::Penalise(call) => planner.penalise(call),
        What::EnterResult(result) => planner.enter_result(*result),
        What::Confirm => planner.confirm(),
        What::Correct { ply, said } => planner.correct(*ply, *said),
        What::NotPlayed { ply } => planner.not_played(*ply),
        What::Reinstate { before } => planner.reinstate(*before),
        What::Set(choice) => planner.set(*choice),
        What::Withdraw(of) => planner.withdraw(*of),
    }
}

impl Planner<'_> {
    fn claim(&self, call: ClaimCall) -> Result<Vec<Effect>, Refusal> {
        self.director()?;
        if self.case.decisions.claims.len() >= MAX_CLAIMS {
            return Err(Refusal::TooMany(MAX_CLAIMS));
        }
        if let Some(ply) = call.against.filter(|&ply| self.case.timeline.ply(ply).is_none()) {
            return Err(Refusal::NoSuchPly(ply));
        }
        let call = claims::call(self.case, call, self.act.t_us);
        let verdict = claims::judge(self.case, &call);
        let ClaimCall { kind, by, .. } = call.call;
        let rule = self.case.book().claim(kind).map(|clause| self.case.book().cited(clause));
        let entry = Entry::Claim { kind, by, against: verdict.against };
        let claim = Claim {
            call,
            against: verdict.against,
            offender: claims::offender(self.case, &call, verdict.against),
            in_time: verdict.timing == Timing::InTime,
            state: CaseState::Open,
            said: None,
            changed: 0,
        };
        Ok(vec![Effect::Open(Box::new(claim)), self.write(rule, entry, None)])
    }

    fn penalise(&self, call: &PenaltyCall) -> Result<Vec<Effect>, Refusal> {
        self.director()?;
        check_length(&call.note)?;
        let (book, decisions) = (self.case.book(), self.case.decisions);
        let PenaltyCall { offence, whom, earlier, penalty, .. } = *call;
        let (count, proposed) = decisions.next_penalty(book, offence, whom, earlier);
        let given = penalty.or(proposed);
        if given.is_none() {
            return Err(Refusal::NoLadder(offence));
        }
        let first = book.offence(offence).map(|clause| book.cited(clause));
        let keeping = book.clauses.iter().filter(|clause| clause.does.keeps.contains(&offence));
        let rules = first.into_iter().chain(keeping.map(|clause| book.cited(clause)));
        let note = call.note.clone();
        let entry = Entry::Penalty { offence, whom, count, proposed, given, note };
        let mut effects = vec![self.write(rules, entry, None)];
        if matches!(given, Some(Penalty::LosesGame | Penalty::LosesMatch | Penalty::LosesBothGames))
        {
            // If neither side has brought a clock, neither wins.
            let both_lose = offence == Offence::NoClock
                && matches!(
                    self.case.terms().bring_clock,
                    BringClock::BothLoseGame | BringClock::BothLoseBothGames
                );
            let winner = (!both_lose).then(|| whom.opponent().team());
            let result = match offence == Offence::IllegalMove && !self.can_mate(whom.opponent()) {
                true => MatchResult { winner: None, reason: ResultReason::Material },
                false => MatchResult { winner, reason: ResultReason::Forfeit },
            };
            self.check_may_replace_result()?;
            effects.push(Effect::Result(Some(self.confirmed(result))));
        }
        Ok(effects)
    }

    /// Whether a player has, in the book's terms, what it takes to mate.
    fn can_mate(&self, seat: Seat) -> bool {
        let position = self.case.timeline.now().boards.position(seat.board);
        draws::can_mate(self.case, position, seat.color)
    }

    fn enter_result(&self, result: MatchResult) -> Result<Vec<Effect>, Refusal> {
        let decisions = self.case.decisions;
        self.check_seen(decisions.result_changed)?;
        let role = self.act.by.role;
        let standing = if role.is_director() {
            self.check_may_replace_result()?;
            self.confirmed(result)
        } else if decisions.result.as_ref().is_some_and(StandingResult::is_final) {
            return Err(Refusal::Final);
        } else {
            // A scorekeeper does not sign: teams or a director do.
            let signed = [rules::Team::One, rules::Team::Two].map(|team| role.team() == Some(team));
            StandingResult { act: self.act.id, result, signed, is_confirmed: false }
        };
        let supersedes = decisions.result.as_ref().map(|result| result.act);
        let rule = result.reason.topic().and_then(|topic| self.cite(topic));
        let rules = rule.into_iter().chain(self.cite(Topic::Reporting));
        Ok(vec![
            Effect::Result(Some(standing)),
            self.write(rules, Entry::Result(result), supersedes),
        ])
    }

    fn confirm(&self) -> Result<Vec<Effect>, Refusal> {
        let decisions = self.case.decisions;
        let mut standing = decisions.result.clone().ok_or(Refusal::NoResult)?;
        self.check_seen(decisions.result_changed)?;
        match self.act.by.role.team() {
            Some(rules::Team::One) => standing.signed[0] = true,
            Some(rules::Team::Two) => standing.signed[1] = true,
            None => {
                self.director()?;
                standing.is_confirmed = true;
            }
        }
        let rule = self.cite(Topic::Reporting);
        Ok(vec![Effect::Result(Some(standing)), self.write(rule, Entry::Confirmed, None)])
    }

    fn correct(&self, ply: PlyId, said: Ply) -> Result<Vec<Effect>, Refusal> {
        self.director()?;
        self.case.timeline.ply(ply).ok_or(Refusal::NoSuchPly(ply))?;
        let supersedes = self.pinned_by(ply);
        let entry = Entry::Correction { ply, said };
        Ok(vec![Effect::Pin { ply, said }, self.write(None, entry, supersedes)])
    }

    /// The plies stay as they are until the hub has followed the match again: the later ones belong to another position.
    fn not_played(&self, ply: PlyId) -> Result<Vec<Effect>, Refusal> {
        self.director()?;
        self.case.timeline.ply(ply).ok_or(Refusal::NoSuchPly(ply))?;
        if let Some(before) = self.pinned_by(ply) {
            return Err(Refusal::SaidBefore(before));
        }
        Ok(vec![self.write(None, Entry::NotPlayed { ply }, None)])
    }

    /// The correction of a ply that is in effect.
    fn pinned_by(&self, ply: PlyId) -> Option<ActId> {
        let decisions = self.case.decisions;
        let mut lines = decisions.ledger.iter().rev();
        let corrects = |line: &&LedgerEntry| {
            matches!(line.entry, Entry::Correction { ply: corrected, .. } if corrected == ply)
                && !decisions.withdrawn.contains(&line.act)
        };
        lines.find(corrects).map(|line| line.act)
    }

    fn reinstate(&self, before: PlyId) -> Result<Vec<Effect>, Refusal> {
        self.director()?;
        self.case.timeline.ply(before).ok_or(Refusal::NoSuchPly(before))?;
        let rule = self.cite(Topic::IllegalPly);
        let entry = Entry::Reinstated { before };
        Ok(vec![Effect::Reinstate { before }, self.write(rule, entry, None)])
    }

    fn set(&self, choice: Choice) -> Result<Vec<Effect>, Refusal> {
        self.director()?;
        let Choice::TdCalls(calls) = choice;
        let rule = self.cite(Topic::TdCalls);
        match self.case.terms().td_calls {
            TdCalls::Never if calls => return Err(Refusal::NoAgreement(rule)),
            TdCalls::Always if !calls => return Err(Refusal::AlwaysCalled(rule)),
            TdCalls::Never | TdCalls::ByAgreement | TdCalls::Always => {}
        }
        Ok(vec![Effect::TdCalls(Some(calls)), self.write(rule, Entry::Chosen(choice), None)])
    }

    fn withdraw(&self, of: ActId) -> Result<Vec<Effect>, Refusal> {
        let line = self.line(of)?;
        if !self.act.by.role.is_director() && line.by != self.act.by {
            return Err(Refusal::Role(self.act.by.role));
        }
        self.check_not_above(match &line.entry {
            // Its author may have touched the wrong button; the director whose ruling it is against may not withdraw it.
            Entry::Appeal { to, .. } if line.by.id != self.act.by.id => Some(*to),
            Entry::Appeal { .. } => None,
            _ => Some(line.by.role),
        })?;
        let mut effects = match &line.entry {
            Entry::Claim { .. } => {
                match self.case.decisions.claims.get(&of).map(|claim| claim.state) {
                    Some(CaseState::Open) => vec![Effect::Settle(of, CaseState::Withdrawn)],
                    _ => return Err(Refusal::AlreadyRuled(of)),
                }
            }
            Entry::Ruling { .. } if self.is_appealed(of) => {
                return Err(Refusal::CannotWithdraw(of));
            }
            Entry::Ruling { claim, .. } => {
                vec![Effect::Undo(of), Effect::Settle(*claim, CaseState::Open)]
            }
            Entry::Result(_) | Entry::Reinstated { .. } | Entry::Penalty { .. } => {
                vec![Effect::Undo(of)]
            }
            // Only the correction in effect holds the ply.
            Entry::Correction { ply, .. } => match self.pinned_by(*ply) == Some(of) {
                true => vec![Effect::Unpin { ply: *ply }],
                false => Vec::new(),
            },
            Entry::Chosen(Choice::TdCalls(_)) => vec![Effect::TdCalls(None)],
            Entry::Appeal { .. } if self.is_decided(of) => return Err(Refusal::CannotWithdraw(of)),
            Entry::Appeal { .. } => Vec::new(),
            Entry::NotPlayed { .. } => Vec::new(),
            Entry::Confirmed => self.without_signature(line),
            Entry::Decided { .. } | Entry::Withdrawn { .. } => {
                return Err(Refusal::CannotWithdraw(of));
            }
        };
        effects.push(Effect::TakeBack(of));
        effects.push(self.write(line.rules.clone(), Entry::Withdrawn { of }, Some(of)));
        Ok(effects)
    }

    /// The result without what a confirmation added.
    fn without_signature(&self, line: &LedgerEntry) -> Vec<Effect> {
        let Some(mut standing) = self.case.decisions.result.clone() else { return Vec::new() };
        match line.by.role.team() {
            Some(rules::Team::One) => standing.signed[0] = false,
            Some(rules::Team::Two) => standing.signed[1] = false,
            None => standing.is_confirmed = false,
        }
        vec![Effect::Result(Some(standing))]
    }
}
