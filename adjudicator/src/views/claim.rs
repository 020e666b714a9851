//! A claim as directors see it: what the rules say about it, what was decided, and whether the evidence has turned since.

use referee::{
    CaseState, ClaimCase, Entry, LedgerEntry, Points, Verdict,
    act::{ActId, Remedy},
};
use rules::rulebook::Cite;
use serde::Serialize;

use super::{QuestionView, remedy::remedy_words};
use crate::hall::{Game, acts::SeatName};

/// A claim.
#[derive(Clone, Debug, Serialize)]
pub struct ClaimView {
    /// The act that opened it.
    pub act: u64,
    /// Code of the claim.
    pub kind: &'static str,
    /// In words.
    pub about: &'static str,
    /// The claimant.
    pub by: SeatName,
    /// Time at which the clocks were stopped, microseconds of match time.
    pub stopped_us: u64,
    /// `open`, `upheld`, `denied`, `play on`, `withdrawn`.
    pub state: String,
    /// The rulebook's finding; of a claim that was ruled on, the finding at that time.
    pub verdict: VerdictView,
    /// The act that decided it last; none while it is open.
    pub ruling: Option<u64>,
    /// An undecided appeal against that decision.
    pub appeal: Option<u64>,
    /// The present finding, where the evidence now contradicts the decision.
    pub since: Option<VerdictView>,
    /// The question to a director who looks at the board, where sensors alone do not decide the claim.
    pub look_at: Option<QuestionView>,
}

/// The rulebook's finding about a claim.
#[derive(Clone, Debug, Serialize)]
pub struct VerdictView {
    /// The ply it is against.
    pub against: Option<u32>,
    /// `in time`, `late`, `too early`, `not offered`.
    pub timing: String,
    /// `upheld`, `denied`, `unclear`; none where a director decides first.
    pub points: Option<String>,
    /// The clauses, the decisive one first.
    pub because: Vec<ClauseView>,
    /// Reasons, in sentences.
    pub says: String,
    /// Remedy if it is upheld; none if there is none.
    pub if_upheld: Option<String>,
    /// Remedy if it is denied.
    pub if_denied: Option<String>,
    /// Acts that let play go on.
    pub if_play_on: Option<String>,
}

/// A clause of the book.
#[derive(Clone, Debug, Serialize)]
pub struct ClauseView {
    /// Citation: `us-chess-bughouse-2018 15d`.
    pub rule: String,
    /// Content of the rule, in our words.
    pub text: &'static str,
}

impl ClauseView {
    pub(super) fn of(cite: &Cite) -> ClauseView {
        let clause = cite.book.book().clause(cite.number);
        ClauseView { rule: cite.to_string(), text: clause.map_or("", |clause| clause.text) }
    }
}

/// The claims of a match, with the findings about them.
#[must_use]
pub fn claims(game: &Game) -> Vec<ClaimView> {
    game.referee().claims().map(|claim| ClaimView::of(game, claim, false)).collect()
}

impl ClaimView {
    pub(super) fn of(game: &Game, claim: &ClaimCase, is_hidden: bool) -> ClaimView {
        let verdict = VerdictView::of(game, &claim.verdict);
        let ruling = decided_by(game, claim.id).map(|line| line.act);
        let since = claim.since.as_ref().filter(|_| !is_hidden);
        let look_at = game.referee().ply_to_look_at(claim).filter(|_| !is_hidden);
        ClaimView {
            act: claim.id.0,
            kind: claim.kind.code(),
            about: claim.kind.about(),
            by: claim.by.into(),
            stopped_us: claim.stopped_us,
            state: match claim.state {
                CaseState::Open => "open".to_owned(),
                CaseState::Ruled(decision) => decision.to_string(),
                CaseState::Withdrawn => "withdrawn".to_owned(),
            },
            verdict: if is_hidden { verdict.without_evidence() } else { verdict },
            ruling: ruling.map(|act| act.0),
            appeal: appeal_of(game, claim.id).map(|line| line.act.0),
            since: since.map(|verdict| VerdictView::of(game, verdict)),
            look_at: look_at.map(QuestionView::at_the_board),
        }
    }
}

impl VerdictView {
    /// The finding in words.
    #[must_use]
    pub fn of(game: &Game, verdict: &Verdict) -> VerdictView {
        let words =
            |remedy: &Remedy| (*remedy != Remedy::Nothing).then(|| remedy_words(game, remedy));
        VerdictView {
            against: verdict.against,
            timing: verdict.timing.to_string(),
            points: Some(verdict.points.to_string()),
            because: verdict.because.iter().map(ClauseView::of).collect(),
            says: verdict.says.clone(),
            if_upheld: words(&verdict.if_upheld),
            if_denied: words(&verdict.if_denied),
            if_play_on: words(&verdict.if_play_on),
        }
    }

    /// The same while nothing of the table reaches us: the evidence points nowhere before all of it is here. A flag may have fallen since.
    #[must_use]
    pub fn while_unheard(self) -> VerdictView {
        if self.points.is_none() {
            return self;
        }
        VerdictView {
            points: Some(Points::Unclear.to_string()),
            says: format!(
                "No data arrives from this table: look at its board and clock, or wait. By what was heard before: {}",
                self.says
            ),
            ..self
        }
    }

    /// The book's remedies of both decisions, without the evidence's finding.
    #[must_use]
    pub fn without_evidence(self) -> VerdictView {
        VerdictView {
            points: None,
            because: Vec::new(),
            says: String::new(),
            against: None,
            ..self
        }
    }
}

/// The undecided appeal against the last decision on a claim.
#[must_use]
pub fn appeal_of(game: &Game, claim: ActId) -> Option<&LedgerEntry> {
    let decision = decided_by(game, claim)?.act;
    standing(game, |line| matches!(&line.entry, Entry::Appeal { of, .. } if *of == decision))
}

/// The line that decided a claim last.
fn decided_by(game: &Game, of: ActId) -> Option<&LedgerEntry> {
    standing(game, |line| match &line.entry {
        Entry::Ruling { claim, .. } | Entry::Decided { claim, .. } => *claim == of,
        _ => false,
    })
}

/// The last line of the ledger that is wanted and was not taken back.
fn standing(game: &Game, is_wanted: impl Fn(&LedgerEntry) -> bool) -> Option<&LedgerEntry> {
    let ledger = game.referee().ledger();
    let is_withdrawn = |act: ActId| {
        ledger.iter().any(|line| matches!(&line.entry, Entry::Withdrawn { of } if *of == act))
    };
    ledger.iter().rfind(|line| is_wanted(line) && !is_withdrawn(line.act))
}
