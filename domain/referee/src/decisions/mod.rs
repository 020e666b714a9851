//! Decisions of people about a match, the current ones, and the ledger of how they came about.

pub(crate) mod ledger;
pub(crate) mod refusal;

use std::collections::{BTreeMap, BTreeSet};

use rules::{
    Ply, Seat,
    rulebook::{ClaimKind, Offence, Penalty, Rulebook},
};

use crate::{
    act::Decision,
    claim::{Call, CaseState, ClaimCase, Timing, Verdict},
    ids::{ActId, PlyId},
    outcome::StandingResult,
    timeline::Timeline,
};
use ledger::{Entry, LedgerEntry};

/// Maximum number of acts of one match.
pub const MAX_ACTS: usize = 1024;

/// Maximum number of claims of one match: each is judged again at every input.
pub const MAX_CLAIMS: usize = 64;

/// A claim that a director opened.
#[derive(Clone)]
pub(crate) struct Claim {
    pub(crate) call: Call,
    /// The ply that it is against, as far as known.
    pub(crate) against: Option<PlyId>,
    /// The player whose doing is claimed, as far as known.
    pub(crate) offender: Seat,
    /// Whether it was in time, as far as known: a late claim does not affect the window.
    pub(crate) in_time: bool,
    pub(crate) state: CaseState,
    /// Last published case, and its version.
    pub(crate) said: Option<ClaimCase>,
    pub(crate) changed: u64,
}

/// One thing that an act does.
pub(crate) enum Effect {
    Open(Box<Claim>),
    Settle(ActId, CaseState),
    Result(Option<StandingResult>),
    Pin {
        ply: PlyId,
        said: Ply,
    },
    Unpin {
        ply: PlyId,
    },
    Reinstate {
        before: PlyId,
    },
    /// The result and the reinstatement that an act led to are no more.
    Undo(ActId),
    TdCalls(Option<bool>),
    /// An act counts no more.
    TakeBack(ActId),
    Write(Box<LedgerEntry>),
}

/// Current decisions of people.
#[derive(Clone, Default)]
pub(crate) struct Decisions {
    /// Acts that were accepted.
    pub(crate) known: BTreeSet<ActId>,
    pub(crate) claims: BTreeMap<ActId, Claim>,
    pub(crate) ledger: Vec<LedgerEntry>,
    /// Acts that were withdrawn.
    pub(crate) withdrawn: BTreeSet<ActId>,
    pub(crate) result: Option<StandingResult>,
    /// Version in which the result changed last.
    pub(crate) result_changed: u64,
    /// Whether directors call, if that was chosen during the match.
    pub(crate) td_calls: Option<bool>,
}

impl Decisions {
    /// Claims without a ruling.
    pub(crate) fn open_claims(&self) -> impl Iterator<Item = &Call> {
        let open = self.claims.values().filter(|claim| claim.state == CaseState::Open);
        open.map(|claim| &claim.call)
    }

    /// Whether a ply has been claimed, and if so, whether that was ruled on.
    pub(crate) fn claim_against(&self, kind: ClaimKind, ply: PlyId) -> Option<bool> {
        self.find_claim(|claim| claim.call.call.kind == kind && claim.against == Some(ply))
    }

    /// Whether a player has claimed something, and if so, whether that was ruled on.
    pub(crate) fn claim_by(&self, kind: ClaimKind, by: Seat) -> Option<bool> {
        self.find_claim(|claim| claim.call.call.kind == kind && claim.call.seat() == by)
    }

    fn find_claim(&self, is_it: impl Fn(&Claim) -> bool) -> Option<bool> {
        let mut standing = self.claims.values().rev().filter(|claim| {
            // A claim after which play went on is as if it had never been.
            let stands =
                !matches!(claim.state, CaseState::Withdrawn | CaseState::Ruled(Decision::PlayOn));
            stands && claim.in_time
        });
        standing.find(|claim| is_it(claim)).map(|claim| claim.state != CaseState::Open)
    }

    /// Number that a player's next offence of its kind would have, from 1, and its penalty by the book's ladder. `earlier`
    /// counts offences in other matches, which matter unless the offence counts within one game.
    pub(crate) fn next_penalty(
        &self,
        book: &Rulebook,
        offence: Offence,
        whom: Seat,
        earlier: u32,
    ) -> (u32, Option<Penalty>) {
        let partners = match offence.is_of_team() {
            true => self.offences(offence, whom.partner()),
            false => 0,
        };
        let here = self.offences(offence, whom).saturating_add(partners);
        let earlier = if offence.is_of_game() { 0 } else { earlier };
        let count = here.saturating_add(earlier).saturating_add(1);
        let step = usize::try_from(count).unwrap_or(usize::MAX);
        (count, book.ladder(offence).and_then(|ladder| ladder.step(step)))
    }

    /// Offences of a kind that a player has been penalised for in this match.
    pub(crate) fn offences(&self, offence: Offence, whom: Seat) -> u32 {
        let counted = self.ledger.iter().filter(|line| !self.withdrawn.contains(&line.act));
        let of_kind = counted.filter(|line| {
            matches!(line.entry, Entry::Penalty { offence: of, whom: by, .. } if of == offence && by == whom)
        });
        // An illegal move counts, whether it was entered or claimed and ruled to be one.
        let is_claimed = |claim: &&Claim| {
            matches!(claim.call.call.kind, ClaimKind::IllegalPly | ClaimKind::PawnLeftOnLastRank)
                && claim.state == CaseState::Ruled(Decision::Upheld)
                && claim.offender == whom
        };
        let claimed = match offence {
            Offence::IllegalMove => self.claims.values().filter(is_claimed).count(),
            _ => 0,
        };
        u32::try_from(of_kind.count().saturating_add(claimed)).unwrap_or(u32::MAX)
    }

    /// Notes what is known by now of an open claim.
    pub(crate) fn follow_claim(
        &mut self,
        id: ActId,
        call: Call,
        verdict: &Verdict,
        offender: Seat,
    ) {
        let Some(claim) = self.claims.get_mut(&id) else { return };
        claim.call = call;
        // The end of the match closes what was claimed in time, and does not make it late.
        if verdict.timing != Timing::Late || !call.is_after_end {
            claim.against = verdict.against;
            claim.offender = offender;
            claim.in_time = verdict.timing == Timing::InTime;
        }
    }

    /// Notes the published case of a claim.
    pub(crate) fn note_claim(&mut self, case: ClaimCase, version: u64) {
        if let Some(claim) = self.claims.get_mut(&case.id) {
            claim.said = Some(case);
            claim.changed = version;
        }
    }

    /// Notes in which version the result changed.
    pub(crate) fn note_result(&mut self, version: u64) {
        self.result_changed = version;
    }

    /// Carries an act out. Returns the position from which plies changed.
    pub(crate) fn apply(
        &mut self,
        act: ActId,
        t_us: u64,
        effects: Vec<Effect>,
        timeline: &mut Timeline,
    ) -> Option<usize> {
        self.known.insert(act);
        let mut changed = None;
        for effect in effects {
            changed = match (changed, self.apply_one(act, t_us, effect, timeline)) {
                (Some(before), Some(now)) => Some(usize::min(before, now)),
                (before, now) => before.or(now),
            };
        }
        changed
    }

    fn apply_one(
        &mut self,
        act: ActId,
        t_us: u64,
        effect: Effect,
        timeline: &mut Timeline,
    ) -> Option<usize> {
        match effect {
            Effect::Open(claim) => {
                self.claims.insert(act, *claim);
                None
            }
            Effect::Settle(claim, state) => {
                if let Some(claim) = self.claims.get_mut(&claim) {
                    claim.state = state;
                }
                None
            }
            Effect::Result(result) => {
                self.result = result;
                None
            }
            Effect::Pin { ply, said } => timeline.pin(ply, said),
            Effect::Unpin { ply } => timeline.unpin(ply),
            Effect::Reinstate { before } => timeline.reinstate(act, t_us, before),
            Effect::Undo(act) => {
                if self.result.as_ref().is_some_and(|result| result.act == act) {
                    self.result = None;
                }
                timeline.take_back_reinstatement(act)
            }
            Effect::TdCalls(choice) => {
                self.td_calls = choice;
                None
            }
            Effect::TakeBack(act) => {
                self.withdrawn.insert(act);
                None
            }
            Effect::Write(mut line) => {
                line.number = self.ledger.len() + 1;
                self.ledger.push(*line);
                None
            }
        }
    }
}
