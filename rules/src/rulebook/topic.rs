//! What a rule is about, whichever book it stands in and whatever its number is there.
//!
//! Code asks a book for a topic and never for a number. All books share this one list, so that a book
//! which is silent on a topic shows as an empty place in the comparison.


/// What a clause is about. The order is the order of the comparison table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Topic {
    /// Who makes a team, and that nobody stands in.
    Teams,
    /// How many games make a match or a round.
    MatchFormat,
    /// Who decides which partner has which colour.
    Colours,
    /// Players stay at their boards once a match has begun.
    SwitchingBoards,
    /// The time that each player has.
    TimeControl,
    /// Delay or increment, and from when on.
    Delay,
    /// Who brings a clock, and what happens when there is none.
    BringClock,
    /// Which of several clocks is used, and who chooses.
    ClockPreference,
    /// What a clock must be able to do.
    ClockKind,
    /// On which side of the board the clock stands.
    ClockSide,
    /// When a move is complete.
    Completion,
    /// A touched piece, or a piece let go, binds its player.
    TouchMove,
    /// The first game won ends the match.
    MatchEnd,
    /// What an illegal move costs.
    IllegalPly,
    /// Until when an illegal move can be claimed.
    IllegalClaimLapses,
    /// Illegal moves that nobody noticed.
    IllegalUnnoticed,
    /// A move that puts the king beside the other king.
    KingBesideKing,
    /// Checking pieces and clocks before play, and until when that can be claimed.
    SetUp,
    /// King and queen set up on each other's squares.
    SwappedSetUp,
    /// When a captured piece may be handed to the partner.
    Passing,
    /// Moves and drops.
    MovesAndDrops,
    /// Where a piece may be dropped.
    DropSquares,
    /// Drops may check and mate.
    DropChecks,
    /// What a promoted pawn is, and how it is shown.
    Promotion,
    /// Captured pieces stay in sight.
    Hiding,
    /// Partners may talk, and may not touch each other's pieces.
    Partners,
    /// Which hand presses the clock.
    ClockHand,
    /// When a player may touch the clock.
    TouchingClock,
    /// Straightening the clock.
    ClockStraightened,
    /// Knocking the clock over.
    ClockKnocked,
    /// A clock that a press did not start.
    ClockNotStarted,
    /// A hand that stays on the clock or above it.
    ClockHover,
    /// What wins a game, in general.
    Winning,
    /// Mate.
    Mate,
    /// Waiting for a piece of the partner's.
    Waiting,
    /// Resignation.
    Resignation,
    /// Winning on time.
    FlagClaim,
    /// Winning by an illegal move of the opponent's.
    IllegalClaim,
    /// Which of a claim on time and a claim of an illegal move comes first.
    ClaimOrder,
    /// What a player needs to be able to win on time or by a claim.
    MatingMaterial,
    /// What draws a game, in general.
    Drawing,
    /// Draw by agreement.
    Agreement,
    /// Both flags down.
    BothFlags,
    /// Stalemate.
    Stalemate,
    /// The same position three times.
    Repetition,
    /// Fifty moves without a capture or a pawn move.
    FiftyMoves,
    /// A flag or an illegal move against an opponent without mating material.
    MaterialDraw,
    /// Endings that the book names as drawn.
    DrawnEnding,
    /// Asking a director for a draw.
    AskingForDraw,
    /// Claims of insufficient losing chances.
    LosingChances,
    /// A delay clock put in the place of another after such a claim.
    SubstituteClock,
    /// Pieces that were displaced.
    Displaced,
    /// Disputes.
    Dispute,
    /// Appeals.
    Appeal,
    /// Directors and clocks.
    TdAndClock,
    /// Spectators.
    Spectators,
    /// What directors call of their own accord.
    TdCalls,
    /// Defective clocks.
    ClockChange,
    /// Banging of pieces or clock, and other conduct.
    Conduct,
    /// The penalty where a rule names none.
    StandardPenalty,
    /// Calling a director.
    CallingTd,
    /// How results are reported.
    Reporting,
    /// Announcing check.
    AnnouncingCheck,
    /// Keeping score.
    Notation,
    /// Devices for keeping score.
    RecordingDevice,
    /// Combining sections.
    Sections,
    /// Players who come late.
    LateArrival,
    /// Pairings.
    Pairings,
    /// Byes.
    Byes,
    /// The playing hall.
    PlayingArea,
    /// Teams of a school.
    SchoolTeams,
    /// Tie-breaks.
    TieBreaks,
    /// What the book leaves open.
    Everything,
}
