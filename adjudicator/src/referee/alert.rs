//! What a referee has to say to tournament directors: evidence with a rule, never a ruling.

use rules::{BoardId, Color, Team};
use serde::Serialize;

use super::input::PlyId;

/// Whether a player can still claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimState {
    /// The claim window is open: a player may claim, and nobody may call it unasked.
    Open,
    /// The window has closed; the position stands.
    Closed,
    /// Nothing to claim: evidence for the tournament director.
    NotClaimable,
}

/// A finding with its rule and evidence. Higher revisions of the same id replace lower ones.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Alert {
    /// Stable within the match, such as `illegal-move:17`.
    pub id: String,
    /// 0 for the first report; one more with every change.
    pub revision: u32,
    /// What was found: one of the anomaly codes, or `mate`, `king-captured`, `blockable-check`,
    /// `stopped-with-open-claim`, `plies-after-end`.
    pub code: String,
    /// The rule, in the form `us-chess-bughouse-2018 8a`.
    pub rule: String,
    /// The board.
    pub board: BoardId,
    /// The side whose doing it is, if one.
    #[serde(serialize_with = "side_name")]
    pub side: Option<Color>,
    /// The ply it concerns, if one.
    pub ply: Option<PlyId>,
    /// When it happened, microseconds of match time.
    pub t_us: u64,
    /// Probability that it happened, 0 to 1.
    pub confidence: f64,
    /// Whether a player can still claim.
    pub claim: ClaimState,
    /// Whether the rulebook forbids the tournament director to call it: players must claim.
    pub silent: bool,
    /// What boards and clocks show, in words.
    pub evidence: String,
    /// Whether later readings took it back.
    pub retracted: bool,
}

impl Alert {
    /// Whether two alerts say the same, whatever their revisions.
    pub(super) fn says_the_same(&self, other: &Alert) -> bool {
        Alert { revision: 0, ..self.clone() } == Alert { revision: 0, ..other.clone() }
    }
}

fn side_name<S: serde::Serializer>(side: &Option<Color>, serializer: S) -> Result<S::Ok, S::Error> {
    match side {
        Some(Color::White) => serializer.serialize_some("white"),
        Some(Color::Black) => serializer.serialize_some("black"),
        None => serializer.serialize_none(),
    }
}

/// How a match seems to have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultReason {
    /// The king is in a check that nothing can end.
    Mate,
    /// A king was taken after an illegal ply.
    KingCaptured,
    /// One flag fell, and the clocks were stopped.
    Flag,
    /// Both flags of a board fell, and nobody claimed.
    BothFlags,
}

impl ResultReason {
    /// The reason as pages and records write it.
    pub fn name(self) -> &'static str {
        match self {
            ResultReason::Mate => "mate",
            ResultReason::KingCaptured => "king-captured",
            ResultReason::Flag => "flag",
            ResultReason::BothFlags => "both-flags",
        }
    }
}

/// A result that the evidence points to. A tournament director confirms or refuses it.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The winning team; none for a draw.
    pub winner: Option<Team>,
    /// The board that decided.
    pub board: BoardId,
    /// Why.
    pub reason: ResultReason,
    /// The deciding ply, if one decided.
    pub ply: Option<PlyId>,
    /// When, microseconds of match time.
    pub t_us: u64,
    /// Probability that it happened, 0 to 1.
    pub confidence: f64,
    /// The rule it rests on.
    pub rule: String,
    /// What the boards show, in words for everybody.
    pub text: String,
    /// Whether it has stood long enough to be shown to everybody.
    pub settled: bool,
}
