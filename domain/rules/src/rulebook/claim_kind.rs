//! Kinds of claims.

use super::{Topic, deed::deeds};

deeds! {
    /// A claim that a player may make, with the director's help. The system shows the evidence and the verdict of the rule; the
    /// director decides.
    ClaimKind {
        IllegalPly = "illegal-ply", "The opponent's ply was illegal.";
        FlagFall = "flag-fall", "The opponent's flag is down.";
        SetUp = "set-up", "Pieces were set up wrongly.";
        ClockSetting = "clock-setting", "A clock was set wrongly.";
        TouchMove = "touch-move", "The opponent touched one piece and moved another.";
        PawnLeftOnLastRank = "pawn-left-on-last-rank", "The opponent pressed with a pawn on its last rank.";
        Displaced = "displaced", "The opponent displaced pieces and pressed.";
        Mate = "mate", "Mate was announced before a flag was noticed.";
        Stalemate = "stalemate", "A king is stalemated.";
        BothFlags = "both-flags", "Both flags of the board are down.";
        Repetition = "repetition", "The same position stood three times.";
        FiftyMoves = "fifty-moves", "Each side has made fifty moves without a capture or a pawn move.";
        Material = "material", "The opponent cannot win with the material that is left.";
        DrawnEnding = "drawn-ending", "The book names this ending as drawn.";
        DirectorsDraw = "directors-draw", "The position is clearly drawn, and the director is asked to declare it.";
        LosingChances = "losing-chances", "The claimant has insufficient losing chances.";
    }
}

impl ClaimKind {
    /// The topic under which it is cited when several clauses of a book assist it.
    #[must_use]
    pub const fn topic(self) -> Topic {
        match self {
            ClaimKind::IllegalPly => Topic::IllegalClaim,
            ClaimKind::FlagFall => Topic::FlagClaim,
            ClaimKind::SetUp => Topic::SetUp,
            ClaimKind::ClockSetting => Topic::ClockSetting,
            ClaimKind::TouchMove => Topic::TouchMove,
            ClaimKind::PawnLeftOnLastRank => Topic::Promotion,
            ClaimKind::Displaced => Topic::Displaced,
            ClaimKind::Mate | ClaimKind::BothFlags => Topic::BothFlags,
            ClaimKind::Stalemate => Topic::Stalemate,
            ClaimKind::Repetition => Topic::Repetition,
            ClaimKind::FiftyMoves => Topic::FiftyMoves,
            ClaimKind::Material => Topic::MaterialDraw,
            ClaimKind::DrawnEnding => Topic::Drawing,
            ClaimKind::DirectorsDraw => Topic::AskingForDraw,
            ClaimKind::LosingChances => Topic::LosingChances,
        }
    }
}
