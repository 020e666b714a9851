//! Offences of a player or a team.

use super::{Topic, deed::deeds};

deeds! {
    /// An offence of a player or a team. The director enters it; the ledger counts it, and the book's ladder gives the penalty.
    Offence {
        NoClock = "no-clock", "A player or a team came without a clock.";
        BoardsSwitched = "boards-switched", "Partners changed boards during a match.";
        Substitute = "substitute", "A substitute played for a member of the team.";
        HiddenPiece = "hidden-piece", "Captured pieces were hidden.";
        PartnersPieceMoved = "partners-piece-moved", "A player moved a piece of the partner's.";
        ClockHand = "clock-hand", "A player pressed with another hand than the one that moved, or used both.";
        ClockKnockedOver = "clock-knocked-over", "A player knocked the clock over.";
        ClockHover = "clock-hover", "A player kept a hand on the clock or above it.";
        ClockTouched = "clock-touched", "A player touched the clock without need.";
        EarlyPass = "early-pass", "A captured piece was handed over too early.";
        PressAfterDisplacing = "press-after-displacing", "A player displaced pieces and pressed.";
        TouchMove = "touch-move", "A player touched one piece, moved another and pressed.";
        PawnLeftOnLastRank = "pawn-left-on-last-rank", "A player pressed with a pawn on its last rank.";
        WrongDrawClaim = "wrong-draw-claim", "A claim of a repetition or of fifty moves was wrong.";
        AskedForDraw = "asked-for-draw", "A director was asked for a draw where there is none.";
        WrongLosingChances = "wrong-losing-chances", "A claim of insufficient losing chances was clearly wrong.";
        Banging = "banging", "A player banged pieces or the clock.";
        Interference = "interference", "A person outside a game interfered with it.";
        LateArrival = "late-arrival", "A player came late.";
        IllegalMove = "illegal-move", "A player completed an illegal move, or pressed without a move or after using both hands.";
        ScoreAsked = "score-asked", "A player asked to be shown the score; asking too often distracts the opponent.";
        Conduct = "conduct", "A player broke a rule of conduct.";
    }
}

impl Offence {
    /// Whether a team answers for it whichever of its players did it: what one did counts against the other.
    #[must_use]
    pub const fn is_of_team(self) -> bool {
        matches!(self, Offence::NoClock | Offence::BoardsSwitched | Offence::Substitute)
    }

    /// Whether it counts within one game: those of the event's other games are no matter.
    #[must_use]
    pub const fn is_of_game(self) -> bool {
        matches!(self, Offence::IllegalMove | Offence::ScoreAsked)
    }

    /// The topic under which it is cited when several clauses of a book keep it.
    #[must_use]
    pub const fn topic(self) -> Topic {
        match self {
            Offence::NoClock => Topic::BringClock,
            Offence::BoardsSwitched => Topic::SwitchingBoards,
            Offence::Substitute => Topic::Teams,
            Offence::HiddenPiece => Topic::Hiding,
            Offence::PartnersPieceMoved => Topic::Partners,
            Offence::ClockHand => Topic::ClockHand,
            Offence::ClockKnockedOver => Topic::ClockKnocked,
            Offence::ClockHover => Topic::ClockHover,
            Offence::ClockTouched => Topic::TouchingClock,
            Offence::EarlyPass => Topic::Passing,
            Offence::PressAfterDisplacing => Topic::Displaced,
            Offence::TouchMove => Topic::TouchMove,
            Offence::PawnLeftOnLastRank => Topic::Promotion,
            Offence::WrongDrawClaim => Topic::Repetition,
            Offence::AskedForDraw => Topic::AskingForDraw,
            Offence::WrongLosingChances => Topic::LosingChances,
            Offence::Banging | Offence::Conduct => Topic::Conduct,
            Offence::Interference => Topic::Spectators,
            Offence::LateArrival => Topic::LateArrival,
            Offence::IllegalMove => Topic::IllegalAgain,
            Offence::ScoreAsked => Topic::ScoreSheetShown,
        }
    }
}
