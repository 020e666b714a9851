//! A claim as an object: who claims what against which ply, when, and what the rules say about it.

use std::fmt;

use rules::{
    Seat,
    rulebook::{Cite, ClaimKind},
};

use crate::{
    act::{ClaimCall, Decision, Remedy},
    ids::{ActId, PlyId},
    names,
};

/// A claim that a director has opened, with its verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimCase {
    /// The act that opened it.
    pub id: ActId,
    /// 0 for the first report; one more with every change.
    pub revision: u32,
    /// Kind of the claim.
    pub kind: ClaimKind,
    /// The claimant.
    pub by: Seat,
    /// The ply it is against, if it is against one.
    pub against: Option<PlyId>,
    /// Time at which the claimant stopped the clocks, microseconds of match time.
    pub stopped_us: u64,
    /// Verdict by the rules; after a ruling, the verdict at that time.
    pub verdict: Verdict,
    /// State of the claim.
    pub state: CaseState,
    /// New verdict, if later evidence speaks against the decision.
    pub since: Option<Box<Verdict>>,
}

/// State of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseState {
    /// No ruling yet.
    Open,
    /// Ruled on.
    Ruled(Decision),
    /// Withdrawn by an act.
    Withdrawn,
}

/// Verdict of the rules about a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The ply it is against, if it is against one.
    pub against: Option<PlyId>,
    /// Timeliness.
    pub timing: Timing,
    /// Direction in which the rule points.
    pub points: Points,
    /// The clauses it rests on, the decisive one first.
    pub because: Vec<Cite>,
    /// Reasons, in plain sentences.
    pub says: String,
    /// Consequence if the claim is upheld.
    pub if_upheld: Remedy,
    /// Consequence if the claim is denied.
    pub if_denied: Remedy,
    /// Remedy with which play goes on, where the book names one.
    pub if_play_on: Remedy,
}

/// Timeliness of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// The window is open.
    InTime,
    /// The window has closed.
    Late,
    /// The offence is not complete yet.
    TooEarly,
    /// The book knows no such claim.
    NotOffered,
}

/// Direction in which the rule points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Points {
    /// The claim is right.
    Upheld,
    /// The claim is wrong.
    Denied,
    /// Boards and clocks do not tell: the director has to look or to ask.
    Unclear,
}

impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Timing::InTime => "in time",
            Timing::Late => "late",
            Timing::TooEarly => "too early",
            Timing::NotOffered => "not offered",
        })
    }
}

impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Points::Upheld => "upheld",
            Points::Denied => "denied",
            Points::Unclear => "unclear",
        })
    }
}

/// `in time, upheld. White played e5: the piece does not move that way. Costs: A loses the game.`
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}. {}", self.timing, self.points, self.says)?;
        let (word, costs) = match self.points {
            Points::Upheld => ("Costs", &self.if_upheld),
            Points::Unclear => ("If upheld", &self.if_upheld),
            Points::Denied => ("Costs", &self.if_denied),
        };
        if *costs != Remedy::Nothing {
            write!(f, " {word}: {costs}.")?;
        }
        if self.points == Points::Unclear && self.if_denied != Remedy::Nothing {
            write!(f, " If denied: {}.", self.if_denied)?;
        }
        if self.if_play_on != Remedy::Nothing {
            write!(f, " Or: {}.", self.if_play_on)?;
        }
        if self.points == Points::Denied && self.if_upheld != Remedy::Nothing {
            write!(f, " If upheld all the same: {}.", self.if_upheld)?;
        }
        Ok(())
    }
}

impl Verdict {
    /// A verdict in time that costs nothing.
    fn new(
        points: Points,
        because: impl IntoIterator<Item = Option<Cite>>,
        says: String,
    ) -> Verdict {
        let mut cites: Vec<Cite> = Vec::new();
        for cite in because.into_iter().flatten() {
            if !cites.contains(&cite) {
                cites.push(cite);
            }
        }
        Verdict {
            against: None,
            timing: Timing::InTime,
            points,
            because: cites,
            says,
            if_upheld: Remedy::Nothing,
            if_denied: Remedy::Nothing,
            if_play_on: Remedy::Nothing,
        }
    }

    pub(crate) fn upheld(
        because: impl IntoIterator<Item = Option<Cite>>,
        says: impl Into<String>,
    ) -> Verdict {
        Verdict::new(Points::Upheld, because, says.into())
    }

    pub(crate) fn denied(
        because: impl IntoIterator<Item = Option<Cite>>,
        says: impl Into<String>,
    ) -> Verdict {
        Verdict::new(Points::Denied, because, says.into())
    }

    pub(crate) fn unclear(
        because: impl IntoIterator<Item = Option<Cite>>,
        says: impl Into<String>,
    ) -> Verdict {
        Verdict::new(Points::Unclear, because, says.into())
    }

    pub(crate) fn timed(self, timing: Timing) -> Verdict {
        Verdict { timing, ..self }
    }

    pub(crate) fn against(self, ply: PlyId) -> Verdict {
        Verdict { against: Some(ply), ..self }
    }

    pub(crate) fn if_upheld(self, remedy: Remedy) -> Verdict {
        Verdict { if_upheld: remedy, ..self }
    }

    pub(crate) fn if_denied(self, remedy: Remedy) -> Verdict {
        Verdict { if_denied: remedy, ..self }
    }

    pub(crate) fn if_play_on(self, remedy: Remedy) -> Verdict {
        Verdict { if_play_on: remedy, ..self }
    }

    /// Remedy that is proposed with a decision.
    #[must_use]
    pub fn remedy(&self, decision: Decision) -> Remedy {
        match decision {
            Decision::Upheld => self.if_upheld.clone(),
            Decision::Denied => self.if_denied.clone(),
            Decision::PlayOn => self.if_play_on.clone(),
        }
    }
}

/// A claim with the moment at which the clocks stood: what every kind of claim looks at.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    pub(crate) call: ClaimCall,
    /// Time at which the claimant stopped the clocks, or spoke.
    pub(crate) stopped_us: u64,
    /// Whether the clocks are known to have been stopped.
    pub(crate) is_stopped: bool,
    /// Whether the match was over before a ruling.
    pub(crate) is_after_end: bool,
}

impl Call {
    pub(crate) fn seat(&self) -> Seat {
        self.call.by
    }

    /// Names of the claimant and the opponent in sentences.
    pub(crate) fn sides(&self) -> (&'static str, &'static str) {
        (names::side(self.call.by.color), names::side(self.call.by.color.other()))
    }
}
