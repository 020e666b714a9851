//! Findings: incidents that boards, clocks and plies show.

use super::{Topic, deed::deeds};

deeds! {
    /// An incident that boards and clocks show, or that follows from the plies. The tracker finds those down to
    /// [`SensorFault`](Finding::SensorFault) in the readings; the referee finds the others in plies, clocks and phase.
    Finding {
        IllegalMove = "illegal-move", "A completed ply that the rules do not allow.";
        TouchMove = "touch-move", "One piece was touched and put back, and another was moved.";
        ClockHand = "clock-hand", "The clock was pressed with another hand than the one that moved.";
        EarlyPress = "early-press", "The clock was pressed before the pieces of the ply stood.";
        MissedPress = "missed-press", "A ply was made and the clock was not pressed after it.";
        PressWithoutMove = "press-without-move", "The clock was pressed and no ply had been made.";
        DoublePress = "double-press", "The clock was pressed by the player whose opponent's time ran already.";
        OutOfTurn = "out-of-turn", "A ply was made before the opponent's ply was complete.";
        EarlyPass = "early-pass", "A captured piece was handed over before its capture was complete.";
        HiddenPiece = "hidden-piece", "A captured piece did not appear among the pieces that may be dropped.";
        DisplacedPieces = "displaced-pieces", "Pieces that the ply did not concern were knocked off their squares.";
        PressAfterDisplacing = "press-after-displacing", "The clock was pressed before displaced pieces had been put back.";
        ClockKnockedOver = "clock-knocked-over", "The clock was knocked over.";
        ClockHover = "clock-hover", "A hand was kept at the clock.";
        ClockSetWrong = "clock-set-wrong", "The clock was started with another time than the event's.";
        ClockJump = "clock-jump", "The clock showed a time that cannot have come about by running.";
        ClockDrift = "clock-drift", "The clock runs too fast or too slow.";
        FlagFallen = "flag-fallen", "A player's time has run out.";
        BothFlags = "both-flags", "Neither player of a board has time left.";
        SetupWrong = "setup-wrong", "The pieces did not stand as they should when play began.";
        BoardTurned = "board-turned", "A board lies turned from how its sensors are labelled.";
        ClockTurned = "clock-turned", "A clock was turned: its buttons are on the wrong sides.";
        SensorFault = "sensor-fault", "The readings of a board cannot be trusted.";
        Mate = "mate", "A king is in check, and neither a ply nor a supplied piece can help.";
        KingCaptured = "king-captured", "A king was taken.";
        BlockableCheck = "blockable-check", "A player in check has no ply, but a supplied piece could still block the check.";
        StoppedWithOpenClaim = "stopped-with-open-claim", "The clocks were stopped while the last ply could be claimed.";
        PliesAfterEnd = "plies-after-end", "Plies were made after the match was decided.";
        Stalemate = "stalemate", "A player who is not in check has no legal ply, and no piece is supplied.";
        Repetition = "repetition", "The same position with the same player on move stood for the third time.";
        FiftyMoves = "fifty-moves", "Each side has made fifty moves without a capture or a pawn move.";
        DeadPosition = "dead-position", "No sequence of legal plies leads to a mate.";
        DrawnEnding = "drawn-ending", "An ending stands that the book names as drawn.";
        KingBesideKing = "king-beside-king", "A king was moved beside the other king.";
        PawnLeftOnLastRank = "pawn-left-on-last-rank", "The clock was pressed with a pawn on its last rank.";
        LateArrival = "late-arrival", "A player's first press came later than the book allows.";
        FivefoldRepetition = "fivefold-repetition", "The same position with the same player on move stood for the fifth time.";
        SeventyFiveMoves = "seventy-five-moves", "Each side has made 75 moves without a capture or a pawn move.";
        IllegalPosition = "illegal-position", "Both kings were in check, or a pawn was on its last rank, and the next move left it so.";
    }
}

impl Finding {
    /// The topic under which it is cited when several clauses of a book detect it.
    #[must_use]
    pub const fn topic(self) -> Topic {
        match self {
            Finding::IllegalMove => Topic::IllegalPly,
            Finding::TouchMove => Topic::TouchMove,
            Finding::ClockHand => Topic::ClockHand,
            Finding::EarlyPress | Finding::MissedPress | Finding::OutOfTurn => Topic::Completion,
            Finding::PressWithoutMove
            | Finding::DisplacedPieces
            | Finding::PressAfterDisplacing => Topic::Displaced,
            Finding::DoublePress => Topic::ClockNotStarted,
            Finding::EarlyPass => Topic::Passing,
            Finding::HiddenPiece => Topic::Hiding,
            Finding::ClockKnockedOver => Topic::ClockKnocked,
            Finding::ClockHover => Topic::ClockHover,
            Finding::ClockSetWrong | Finding::SetupWrong => Topic::SetUp,
            Finding::BoardTurned => Topic::SetUp,
            Finding::ClockJump
            | Finding::ClockDrift
            | Finding::ClockTurned
            | Finding::SensorFault => Topic::ClockChange,
            Finding::FlagFallen => Topic::FlagClaim,
            Finding::BothFlags => Topic::BothFlags,
            Finding::Mate => Topic::Mate,
            Finding::KingCaptured | Finding::StoppedWithOpenClaim => Topic::IllegalClaim,
            Finding::BlockableCheck => Topic::Waiting,
            Finding::PliesAfterEnd => Topic::MatchEnd,
            Finding::Stalemate => Topic::Stalemate,
            Finding::Repetition => Topic::Repetition,
            Finding::FiftyMoves => Topic::FiftyMoves,
            Finding::DeadPosition | Finding::DrawnEnding => Topic::Drawing,
            Finding::KingBesideKing => Topic::KingBesideKing,
            Finding::PawnLeftOnLastRank => Topic::Promotion,
            Finding::LateArrival => Topic::LateArrival,
            Finding::FivefoldRepetition | Finding::SeventyFiveMoves => Topic::AutomaticDraw,
            Finding::IllegalPosition => Topic::IllegalPosition,
        }
    }
}
