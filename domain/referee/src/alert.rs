//! Alerts for tournament directors: evidence with a rule, never a ruling.

use rules::{BoardId, Color, rulebook::Cite};
use serde::{Serialize, Serializer};

use crate::ids::PlyId;

/// State of the claim that an alert is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimState {
    /// The claim window is open: a player may claim, and a director may not call it unasked.
    Open,
    /// A claim was made: by taking the king, by stopping the clock on a fallen flag, or as a director entered it.
    Claimed,
    /// The window has closed; the position is final.
    Closed,
    /// There is no such claim: evidence for the tournament director.
    NotClaimable,
}

/// A finding with its rule and evidence. Higher revisions of the same id replace lower ones.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Alert {
    /// Stable within the match, such as `illegal-move:17`.
    pub id: String,
    /// 0 for the first report; one more with every change.
    pub revision: u32,
    /// Code of a [`Finding`](rules::rulebook::Finding), or a hub's code that is not known here.
    pub code: String,
    /// The rule; none when the book has none about it.
    #[serde(serialize_with = "as_text")]
    pub rule: Option<Cite>,
    /// Other rules that bear on it.
    #[serde(serialize_with = "as_texts")]
    pub further: Vec<Cite>,
    /// The board.
    pub board: BoardId,
    /// The side whose doing it is, if one.
    #[serde(serialize_with = "side_name")]
    pub side: Option<Color>,
    /// The ply it concerns, if one.
    pub ply: Option<PlyId>,
    /// Time of the incident, microseconds of match time.
    pub t_us: u64,
    /// Probability that it happened, 0 to 1.
    pub confidence: f64,
    /// State of the claim.
    pub claim: ClaimState,
    /// Whether the rulebook forbids the tournament director to call it: players must claim.
    pub silent: bool,
    /// Evidence of boards and clocks, in words.
    pub evidence: String,
    /// Whether later readings took it back.
    pub retracted: bool,
}

fn side_name<S: Serializer>(side: &Option<Color>, serializer: S) -> Result<S::Ok, S::Error> {
    match side {
        Some(Color::White) => serializer.serialize_some("white"),
        Some(Color::Black) => serializer.serialize_some("black"),
        None => serializer.serialize_none(),
    }
}

fn as_text<S: Serializer>(rule: &Option<Cite>, serializer: S) -> Result<S::Ok, S::Error> {
    match rule {
        Some(cite) => serializer.collect_str(cite),
        None => serializer.serialize_none(),
    }
}

fn as_texts<S: Serializer>(rules: &[Cite], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(rules.iter().map(ToString::to_string))
}
