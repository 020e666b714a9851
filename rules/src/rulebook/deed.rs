//! What the system can do about a clause: references to things that exist in code.
//!
//! A clause names findings, claims, offences and settings. Its class (detected, assisted, ledger,
//! configured, human) follows from what it names, so that no clause can claim a class. The referee
//! matches on each of these enums without a catch-all, so that none of them can be named and not exist.

/// Something that shows on boards and clocks, or follows from the plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Finding {
    // From the readings: the tracker finds them.
    /// A ply that the rules do not allow.
    IllegalMove,
    /// One piece touched, another moved.
    TouchMove,
    /// The clock pressed with another hand.
    ClockHand,
    /// The clock pressed before the piece stood.
    EarlyPress,
    /// A press forgotten.
    MissedPress,
    /// A press without a ply.
    PressWithoutMove,
    /// A side pressed again.
    DoublePress,
    /// A ply out of turn.
    OutOfTurn,
    /// A captured piece handed over before the ply was complete.
    EarlyPass,
    /// A captured piece that is kept from view.
    HiddenPiece,
    /// Pieces that were displaced.
    DisplacedPieces,
    /// The clock pressed after displacing pieces.
    PressAfterDisplacing,
    /// A clock knocked over.
    ClockKnockedOver,
    /// A hand that stays at the clock.
    ClockHover,
    /// A clock set to another time than the time control.
    ClockSetWrong,
    /// A clock that jumps.
    ClockJump,
    /// A clock that runs too fast or too slowly.
    ClockDrift,
    /// A flag that fell.
    FlagFallen,
    /// Both flags of a board down.
    BothFlags,
    /// Pieces set up wrongly.
    SetupWrong,
    /// A sensor that is not to be trusted.
    SensorFault,
    // From the plies, the clocks and the phase: the referee finds them.
    /// Mate.
    Mate,
    /// A king that was taken.
    KingCaptured,
    /// A check without a reply, which a supplied piece could still block.
    BlockableCheck,
    /// Clocks stopped while a claim against the last ply is open.
    StoppedWithOpenClaim,
    /// Plies after the match was decided.
    PliesAfterEnd,
    /// Stalemate.
    Stalemate,
    /// The same position three times.
    Repetition,
    /// Fifty moves without a capture or a pawn move.
    FiftyMoves,
    /// A position that nobody can win.
    DeadPosition,
    /// An ending that the book names as drawn.
    DrawnEnding,
    /// A move that put the king beside the other king.
    KingBesideKing,
    /// A pawn on its last rank when the clock was pressed.
    PawnLeftOnLastRank,
    /// A first press later than the book allows.
    LateArrival,
}

/// What a player may claim, with the director's help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ClaimKind {
    /// The opponent's ply was illegal.
    IllegalPly,
    /// The opponent's flag is down.
    FlagFall,
    /// Pieces were set up wrongly.
    SetUp,
    /// A clock was set wrongly.
    ClockSetting,
    /// The opponent touched one piece and moved another.
    TouchMove,
    /// The opponent pressed with a pawn on its last rank.
    PawnLeftOnLastRank,
    /// The opponent displaced pieces and pressed.
    Displaced,
    /// Mate, announced.
    Mate,
    /// Stalemate.
    Stalemate,
    /// Both flags are down.
    BothFlags,
    /// The same position three times.
    Repetition,
    /// Fifty moves without a capture or a pawn move.
    FiftyMoves,
    /// The opponent cannot win with what is left.
    Material,
    /// An ending that the book names as drawn.
    DrawnEnding,
    /// A clearly drawn position, put to the director.
    DirectorsDraw,
    /// Insufficient losing chances.
    LosingChances,
}

/// What a player or a team does wrong, and what the ledger counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Offence {
    /// Coming without a clock.
    NoClock,
    /// Partners changing boards in a match.
    BoardsSwitched,
    /// Somebody else playing for a member of the team.
    Substitute,
    /// Hiding captured pieces.
    HiddenPiece,
    /// Moving a piece of the partner's.
    PartnersPieceMoved,
    /// Pressing with another hand.
    ClockHand,
    /// Knocking the clock over.
    ClockKnockedOver,
    /// Keeping a hand on the clock or above it.
    ClockHover,
    /// Touching the clock without need.
    ClockTouched,
    /// Handing a captured piece over too early.
    EarlyPass,
    /// Displacing pieces and pressing.
    PressAfterDisplacing,
    /// Touching one piece, moving another and pressing.
    TouchMove,
    /// Pressing with a pawn on its last rank.
    PawnLeftOnLastRank,
    /// A wrong claim of a repetition or of fifty moves.
    WrongDrawClaim,
    /// Asking the director for a draw where there is none.
    AskedForDraw,
    /// A wrong claim of insufficient losing chances.
    WrongLosingChances,
    /// Banging.
    Banging,
    /// Interference from outside the game.
    Interference,
    /// Coming late.
    LateArrival,
    /// Conduct against the rules, in general.
    Conduct,
}

/// What is chosen or entered for an event, a section or a match, and checked by the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Setting {
    /// The four seats of a match.
    Seats,
    /// The time control.
    TimeControl,
    /// Whether directors call illegal plies and flags, by agreement.
    TdCalls,
    /// Silent alerts: never public before the claim window has closed.
    SilentAlerts,
    /// Whether claims of insufficient losing chances are heard.
    LosingChances,
    /// A match with one board or with two.
    Boards,
    /// The order of tie-breaks.
    TieBreaks,
}
