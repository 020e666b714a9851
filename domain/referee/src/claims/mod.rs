//! Claims as objects: who claims what against which ply, whether in time, which way the rule points and what it
//! would cost.
//!
//! [`judge`] is a function of the match as it stands. It decides nothing: a director does.

mod displaced;
mod drawn;
mod endings;
mod flag_fall;
mod illegal_ply;
mod losing_chances;
mod promotion;
mod repetition;
pub(crate) mod set_up;
mod touch_move;
pub(crate) mod window;

use std::fmt;

use rules::{
    Seat,
    rulebook::{Cite, ClaimKind, Offence, Topic},
};

use crate::{
    PlyId,
    act::{ActId, ClaimCall, Decision, Remedy},
    case::Case,
    names,
};

pub(crate) use window::Window;

/// From which probability on something that is only inferred is taken to be so.
pub(crate) const SURE_FROM: f64 = 0.9;

/// A claim that a director has opened, with what the rules say about it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimCase {
    /// The act that opened it.
    pub id: ActId,
    /// 0 for the first report; one more with every change.
    pub revision: u32,
    /// What is claimed.
    pub kind: ClaimKind,
    /// Whose claim it is.
    pub by: Seat,
    /// The ply it is against, if it is against one.
    pub against: Option<PlyId>,
    /// When the claimant stopped the clocks, microseconds of match time.
    pub stopped_us: u64,
    /// What the rules say; once it was ruled on, what they said then.
    pub verdict: Verdict,
    /// What has become of it.
    pub state: CaseState,
    /// What the rules say now, where what has become known since speaks against the decision.
    pub since: Option<Box<Verdict>>,
}

/// What has become of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseState {
    /// Nobody has ruled yet.
    Open,
    /// It has been ruled on.
    Ruled(Decision),
    /// It was taken back.
    Withdrawn,
}

/// What the rules say about a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The ply it is against, if it is against one.
    pub against: Option<PlyId>,
    /// Whether it comes in time.
    pub timing: Timing,
    /// Which way the rule points.
    pub points: Points,
    /// The clauses it rests on, the decisive one first.
    pub because: Vec<Cite>,
    /// Why, in plain sentences.
    pub says: String,
    /// What it would cost if it is upheld.
    pub if_upheld: Remedy,
    /// What it would cost if it is denied.
    pub if_denied: Remedy,
    /// What may be done so that play goes on, where the book names something.
    pub if_play_on: Remedy,
}

/// Whether a claim comes in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// It may be claimed now.
    InTime,
    /// The window has closed.
    Late,
    /// What is claimed is not complete yet.
    TooEarly,
    /// The book knows no such claim.
    NotOffered,
}

/// Which way the rule points.
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

    fn upheld(because: impl IntoIterator<Item = Option<Cite>>, says: impl Into<String>) -> Verdict {
        Verdict::new(Points::Upheld, because, says.into())
    }

    fn denied(because: impl IntoIterator<Item = Option<Cite>>, says: impl Into<String>) -> Verdict {
        Verdict::new(Points::Denied, because, says.into())
    }

    fn unclear(
        because: impl IntoIterator<Item = Option<Cite>>,
        says: impl Into<String>,
    ) -> Verdict {
        Verdict::new(Points::Unclear, because, says.into())
    }

    fn timed(self, timing: Timing) -> Verdict {
        Verdict { timing, ..self }
    }

    fn against(self, ply: PlyId) -> Verdict {
        Verdict { against: Some(ply), ..self }
    }

    fn if_upheld(self, remedy: Remedy) -> Verdict {
        Verdict { if_upheld: remedy, ..self }
    }

    fn if_denied(self, remedy: Remedy) -> Verdict {
        Verdict { if_denied: remedy, ..self }
    }

    fn if_play_on(self, remedy: Remedy) -> Verdict {
        Verdict { if_play_on: remedy, ..self }
    }

    /// What is proposed with a decision.
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
    /// When the claimant stopped the clocks, or spoke.
    pub(crate) stopped_us: u64,
    /// Whether the clocks are known to have been stopped.
    pub(crate) is_stopped: bool,
    /// Whether the match was over while nobody had ruled on it.
    pub(crate) is_after_end: bool,
}

impl Call {
    /// A claim with the moment that counts: what the act says, or what the clocks show, or the time of the act.
    pub(crate) fn new(case: &Case<'_>, call: ClaimCall, act_us: u64) -> Call {
        let stopped_us = call.stopped_us.or_else(|| case.clocks.stopped_us(call.by.board));
        Call {
            call,
            stopped_us: stopped_us.unwrap_or(act_us),
            is_stopped: stopped_us.is_some(),
            is_after_end: case.is_over,
        }
    }

    /// The same with what has become known since: clocks of which it was not heard yet that they had been stopped, and the match's
    /// end.
    pub(crate) fn as_of(self, case: &Case<'_>) -> Call {
        let stopped_us = case.clocks.stopped_us(self.call.by.board).filter(|_| !self.is_stopped);
        Call {
            stopped_us: stopped_us.unwrap_or(u64::MAX).min(self.stopped_us),
            is_stopped: self.is_stopped || stopped_us.is_some(),
            is_after_end: case.is_over,
            ..self
        }
    }

    pub(crate) fn seat(&self) -> Seat {
        self.call.by
    }

    /// How sentences name the claimant and the opponent.
    fn sides(&self) -> (&'static str, &'static str) {
        (names::side(self.call.by.color), names::side(self.call.by.color.other()))
    }
}

/// What the rules say about a claim.
pub(crate) fn judge(case: &Case<'_>, call: &Call) -> Verdict {
    let kind = call.call.kind;
    if case.book().claim(kind).is_none() {
        return not_offered(case, kind);
    }
    match kind {
        ClaimKind::IllegalPly => illegal_ply::judge(case, call),
        ClaimKind::FlagFall => flag_fall::judge(case, call),
        ClaimKind::SetUp => set_up::pieces(case, call),
        ClaimKind::ClockSetting => set_up::clock(case, call),
        ClaimKind::TouchMove => touch_move::judge(case, call),
        ClaimKind::PawnLeftOnLastRank => promotion::judge(case, call),
        ClaimKind::Displaced => displaced::judge(case, call),
        ClaimKind::Mate => endings::mate(case, call),
        ClaimKind::Stalemate => endings::stalemate(case, call),
        ClaimKind::BothFlags => endings::both_flags(case, call),
        ClaimKind::Repetition => repetition::repetition(case, call),
        ClaimKind::FiftyMoves => repetition::fifty_moves(case, call),
        ClaimKind::Material => drawn::material(case, call),
        ClaimKind::DrawnEnding => drawn::ending(case, call),
        ClaimKind::DirectorsDraw => drawn::by_director(case, call),
        ClaimKind::LosingChances => losing_chances::judge(case, call),
    }
}

/// What the rules say now about a claim that was ruled on, where they point the other way than the decision and did not do so
/// when it was given (`then`). A match that was over by then is over for it; and of a ply that a decision took back nothing
/// more is known.
pub(crate) fn since(
    case: &Case<'_>,
    claim: &Call,
    decided: Decision,
    then: &Verdict,
) -> Option<Verdict> {
    let against = then.against.and_then(|id| case.timeline.ply(id));
    if against.is_some_and(|ply| ply.is_undone) {
        return None;
    }
    let verdict = judge(&Case { is_over: claim.is_after_end, ..*case }, claim);
    let speaks_against = match (decided, verdict.points) {
        (Decision::Upheld, Points::Denied) | (Decision::Denied, Points::Upheld) => true,
        (Decision::Upheld | Decision::Denied | Decision::PlayOn, _) => false,
    };
    (speaks_against && verdict.points != then.points).then_some(verdict)
}

/// A claim that the book does not know, with what it says about the matter instead.
fn not_offered(case: &Case<'_>, kind: ClaimKind) -> Verdict {
    let says = format!("The book knows no claim of this kind ({}).", kind.code());
    Verdict::denied([case.cite(kind.topic())], says).timed(Timing::NotOffered)
}

/// The next step of the book's ladder for an offence, as a remedy against a player.
fn next_step(case: &Case<'_>, offence: Offence, whom: Seat) -> Remedy {
    match case.decisions.next_penalty(case.book(), offence, whom, 0) {
        (_, Some(penalty)) => Remedy::Penalty { whom, penalty },
        (_, None) => Remedy::Nothing,
    }
}

/// The player loses, or the game is drawn because the winner could not have mated.
fn loses_or_draws(case: &Case<'_>, loser: Seat, can_mate: bool) -> (Remedy, [Option<Cite>; 2]) {
    match can_mate {
        true => (Remedy::LosesGame(loser), [None; 2]),
        false => (
            Remedy::Draw,
            [Topic::MaterialDraw, Topic::MatingMaterial].map(|topic| case.cite(topic)),
        ),
    }
}

/// The seat across the board.
fn opponent(seat: Seat) -> Seat {
    seat.opponent()
}
