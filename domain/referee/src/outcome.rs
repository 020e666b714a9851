//! Outcome of a match: reasons, the result that the evidence points to, and the one that people enter.

use std::fmt;

use rules::{
    BoardId, Team,
    rulebook::{Cite, ClaimKind, Topic},
};

use crate::ids::{ActId, PlyId};

/// Reason of a match's end, certain or apparent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ResultReason {
    /// The king is in a check that nothing can end.
    Mate,
    /// A king was taken after an illegal ply.
    KingCaptured,
    /// An illegal ply was claimed.
    IllegalPly,
    /// One flag fell, and the clocks were stopped.
    Flag,
    /// Both flags of a board fell without a claim.
    BothFlags,
    /// Stalemate.
    Stalemate,
    /// A flag or an illegal ply against an opponent who could not mate.
    Material,
    /// Neither side can mate.
    DeadPosition,
    /// The same position three times, or five times without a claim.
    Repetition,
    /// Fifty moves without a capture or a pawn move, or 75 without a claim.
    FiftyMoves,
    /// An ending that the book names as drawn.
    DrawnEnding,
    /// A draw by agreement.
    Agreement,
    /// A resignation.
    Resignation,
    /// A draw that a director declares: one that was asked for, or an illegal position that stood on.
    DirectorsDraw,
    /// Insufficient losing chances.
    LosingChances,
    /// A forfeit: a penalty, an absent player, no clock.
    Forfeit,
}

impl ResultReason {
    /// Every reason.
    pub const ALL: [ResultReason; 16] = [
        ResultReason::Mate,
        ResultReason::KingCaptured,
        ResultReason::IllegalPly,
        ResultReason::Flag,
        ResultReason::BothFlags,
        ResultReason::Stalemate,
        ResultReason::Material,
        ResultReason::DeadPosition,
        ResultReason::Repetition,
        ResultReason::FiftyMoves,
        ResultReason::DrawnEnding,
        ResultReason::Agreement,
        ResultReason::Resignation,
        ResultReason::DirectorsDraw,
        ResultReason::LosingChances,
        ResultReason::Forfeit,
    ];

    /// The reason as pages and records write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ResultReason::Mate => "mate",
            ResultReason::KingCaptured => "king-captured",
            ResultReason::IllegalPly => "illegal-ply",
            ResultReason::Flag => "flag",
            ResultReason::BothFlags => "both-flags",
            ResultReason::Stalemate => "stalemate",
            ResultReason::Material => "material",
            ResultReason::DeadPosition => "dead-position",
            ResultReason::Repetition => "repetition",
            ResultReason::FiftyMoves => "fifty-moves",
            ResultReason::DrawnEnding => "drawn-ending",
            ResultReason::Agreement => "agreement",
            ResultReason::Resignation => "resignation",
            ResultReason::DirectorsDraw => "directors-draw",
            ResultReason::LosingChances => "losing-chances",
            ResultReason::Forfeit => "forfeit",
        }
    }

    /// Topic of such an end in the books, if it has one.
    pub(crate) fn topic(self) -> Option<Topic> {
        Some(match self {
            ResultReason::Mate => Topic::Mate,
            ResultReason::KingCaptured | ResultReason::IllegalPly => Topic::IllegalClaim,
            ResultReason::Flag => Topic::FlagClaim,
            ResultReason::BothFlags => Topic::BothFlags,
            ResultReason::Stalemate => Topic::Stalemate,
            ResultReason::Material => Topic::MaterialDraw,
            ResultReason::DeadPosition | ResultReason::DrawnEnding => Topic::Drawing,
            ResultReason::Repetition => Topic::Repetition,
            ResultReason::FiftyMoves => Topic::FiftyMoves,
            ResultReason::Agreement => Topic::Agreement,
            ResultReason::Resignation => Topic::Resignation,
            ResultReason::DirectorsDraw => Topic::AskingForDraw,
            ResultReason::LosingChances => Topic::LosingChances,
            ResultReason::Forfeit => return None,
        })
    }

    /// Reason of the end by an upheld claim: of a loss, or of a draw.
    pub(crate) fn of_claim(kind: ClaimKind, is_draw: bool) -> ResultReason {
        match (kind, is_draw) {
            (ClaimKind::IllegalPly, false) => ResultReason::IllegalPly,
            (ClaimKind::FlagFall, false) => ResultReason::Flag,
            (ClaimKind::IllegalPly | ClaimKind::FlagFall | ClaimKind::Material, true) => {
                ResultReason::Material
            }
            (ClaimKind::Mate, false) => ResultReason::Mate,
            (ClaimKind::Stalemate, true) => ResultReason::Stalemate,
            (ClaimKind::BothFlags, true) => ResultReason::BothFlags,
            (ClaimKind::Repetition, true) => ResultReason::Repetition,
            (ClaimKind::FiftyMoves, true) => ResultReason::FiftyMoves,
            (ClaimKind::DrawnEnding, true) => ResultReason::DrawnEnding,
            (ClaimKind::DirectorsDraw, true) => ResultReason::DirectorsDraw,
            (ClaimKind::LosingChances, true) => ResultReason::LosingChances,
            (
                ClaimKind::SetUp
                | ClaimKind::ClockSetting
                | ClaimKind::TouchMove
                | ClaimKind::PawnLeftOnLastRank
                | ClaimKind::Displaced
                | ClaimKind::Mate
                | ClaimKind::Material
                | ClaimKind::Stalemate
                | ClaimKind::BothFlags
                | ClaimKind::Repetition
                | ClaimKind::FiftyMoves
                | ClaimKind::DrawnEnding
                | ClaimKind::DirectorsDraw
                | ClaimKind::LosingChances,
                _,
            ) => ResultReason::Forfeit,
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
    /// Reason.
    pub reason: ResultReason,
    /// The deciding ply, if one decided.
    pub ply: Option<PlyId>,
    /// Time, microseconds of match time.
    pub t_us: u64,
    /// Probability that it happened, 0 to 1.
    pub confidence: f64,
    /// The rule it rests on; none when the book has none.
    pub rule: Option<Cite>,
    /// Evidence of the boards, in words for everybody.
    pub text: String,
    /// Whether it rests on a claim without a ruling: then it is for directors only.
    pub is_claimed: bool,
    /// Whether it has stood long enough to be shown to everybody.
    pub settled: bool,
}

/// A result and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchResult {
    /// The winning team; none for a draw, and for a loss of both.
    pub winner: Option<Team>,
    /// Reason.
    pub reason: ResultReason,
}

/// `team-1 by resignation`, `draw by agreement`.
impl fmt::Display for MatchResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let who = match (self.winner, self.reason) {
            (Some(Team::One), _) => "team-1",
            (Some(Team::Two), _) => "team-2",
            (None, ResultReason::Forfeit) => "nobody",
            (None, _) => "draw",
        };
        write!(f, "{who} by {}", self.reason.name())
    }
}

/// A result that was entered, with its signatures and confirmation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandingResult {
    /// The act that gave it: an entry or a ruling.
    pub act: ActId,
    /// The result.
    pub result: MatchResult,
    /// Whether team 1 and team 2 have signed it.
    pub signed: [bool; 2],
    /// Whether a director has confirmed it, or it follows from a ruling.
    pub is_confirmed: bool,
}

impl StandingResult {
    /// Whether the match is over by it.
    #[must_use]
    pub fn is_final(&self) -> bool {
        self.is_confirmed || self.signed == [true, true]
    }
}
