//! Topic of a rule, in any book and with any number.
//!
//! Code asks a book for a topic and never for a number. All books share this one list, so that a book
//! which is silent on a topic shows as an empty place in the comparison.

use super::deed::deeds;

deeds! {
    /// Topic of a clause. The order is the order of the comparison.
    Topic {
        Teams = "teams", "Members of a team, without substitutes.";
        MatchFormat = "match-format", "Number of games in a match or a round.";
        Colours = "colours", "Choice of the partners' colours.";
        SwitchingBoards = "switching-boards", "Players stay at their boards once a match has begun.";
        AllMovesInTime = "all-moves-in-time", "Every move is made within the player's time.";
        TimeControl = "time-control", "The time that each player has.";
        Delay = "delay", "The delay of each move.";
        DelayKind = "delay-kind", "The kind of delay, and its first move.";
        ShorterBase = "shorter-base", "Whether a clock with delay is set to less time.";
        Periods = "periods", "Several time controls in one game.";
        Announcement = "announcement", "Duties of an event to announce its time control.";
        BringClock = "bring-clock", "Duty to bring a clock, and the consequence of a missing one.";
        ClockPreference = "clock-preference", "Which of several clocks is used.";
        ClockKind = "clock-kind", "Required abilities of a clock.";
        ClockSide = "clock-side", "The side of the board for the clock.";
        ClockRules = "clock-rules", "The federation's clock rules, which the book prints as an appendix.";
        Completion = "completion", "When a move is complete.";
        TouchMove = "touch-move", "A piece that was touched, or let go, binds its player.";
        MatchEnd = "match-end", "The first game won ends the match.";
        IllegalPly = "illegal-moves", "Penalty of an illegal move.";
        IllegalCompletion = "illegal-completion", "Correction of an own illegal move, and the time from which it counts.";
        IllegalClaimLapses = "illegal-claim-lapses", "End of the time to claim an illegal move.";
        PressWithoutMove = "press-without-move", "Pressing without having moved.";
        TwoHands = "two-hands", "Using both hands for one move.";
        IllegalAgain = "illegal-again", "Penalties of a first and of a second illegal move.";
        TimePenalty = "time-penalty", "Time given as a penalty for illegal moves and wrong claims.";
        IllegalUnnoticed = "illegal-unnoticed", "Illegal moves that were not noticed.";
        KingBesideKing = "king-beside-king", "A move that puts the king beside the other king.";
        SetUp = "set-up", "Checking pieces and clocks before play, and until when that can be claimed.";
        SetUpLapses = "set-up-lapses", "From when on neither set-up nor clock settings can be claimed.";
        ClockSetting = "clock-setting", "A clock that is found to be set wrongly.";
        ReversedColours = "reversed-colours", "A game that was begun with the wrong colours.";
        SwappedSetUp = "swapped-set-up", "King and queen set up on each other's squares.";
        Passing = "passing", "When a captured piece may be handed to the partner.";
        MovesAndDrops = "moves-and-drops", "A player's choices on a turn.";
        DropSquares = "drop-squares", "Where a piece may be dropped.";
        DropChecks = "drop-checks", "Drops may check and mate.";
        Promotion = "promotion", "Showing a promotion, also where the piece is missing.";
        PromotedCaptured = "promoted-captured", "A promoted pawn that is captured.";
        Hiding = "hiding", "Captured pieces stay in sight.";
        Partners = "partners", "Partners may talk, and may not touch each other's pieces.";
        ClockHand = "clock-hand", "Which hand presses the clock.";
        TouchingClock = "touching-clock", "When a player may touch the clock.";
        ClockStraightened = "clock-straightened", "Straightening the clock.";
        ClockKnocked = "clock-knocked", "Knocking the clock over.";
        ClockNotStarted = "clock-not-started", "A clock that a press did not start.";
        ClockHover = "clock-hover", "A hand that stays on the clock or above it.";
        Winning = "winning", "What wins a game.";
        Mate = "mate", "Mate.";
        Waiting = "waiting", "Waiting for a piece of the partner's.";
        Resignation = "resignation", "Resignation.";
        FlagClaim = "flag-claim", "Winning on time.";
        FlagCalled = "flag-called", "Whether an arbiter says that a flag fell.";
        IllegalClaim = "illegal-claim", "Winning by an illegal move of the opponent's, and what taking the king means.";
        ClaimOrder = "claim-order", "Which of a claim on time and a claim of an illegal move comes first.";
        MatingMaterial = "mating-material", "Material that a player needs to win on time or by a claim.";
        Drawing = "drawing", "What draws a game.";
        Agreement = "agreement", "Draw by agreement.";
        BothFlags = "both-flags", "Both flags down.";
        Stalemate = "stalemate", "Stalemate.";
        Repetition = "repetition", "The same position three times.";
        FiftyMoves = "fifty-moves", "Fifty moves without a capture or a pawn move.";
        MaterialDraw = "material-draw", "A flag or an illegal move against an opponent without mating material.";
        IdenticalPieces = "identical-pieces", "Endings with one identical piece each.";
        OppositeBishops = "opposite-bishops", "Endings with bishops of opposite colours.";
        StoppedPawn = "stopped-pawn", "Endings with one pawn that the defending king stops.";
        RookAndRookPawn = "rook-and-rook-pawn", "Endings with a rook and a rook pawn against a rook.";
        ClaimantAhead = "claimant-ahead", "Draws for a claimant who stands clearly better.";
        AskingForDraw = "asking-for-draw", "Asking a director for a draw.";
        LosingChances = "losing-chances", "Claims of insufficient losing chances.";
        SubstituteClock = "substitute-clock", "A delay clock put in the place of another after such a claim.";
        WrongDrawClaim = "wrong-draw-claim", "Penalty of a wrong claim of a draw.";
        AutomaticDraw = "automatic-draw", "Draws that need no claim: five times the same position, 75 moves.";
        IllegalPosition = "illegal-position", "An illegal position that neither player has noticed.";
        Displaced = "displaced-pieces", "Pieces that were displaced.";
        CallingTd = "calling-a-director", "Calling a director.";
        Dispute = "dispute", "Disputes.";
        Appeal = "appeal", "Appeals.";
        TdAndClock = "directors-and-clocks", "When a director may pick up a clock.";
        Spectators = "spectators", "People outside a game.";
        TdCalls = "directors-calls", "Events that directors call of their own accord.";
        ClockChange = "defective-clocks", "The right to declare a clock defective.";
        Displays = "displays", "Screens and boards that show a game to the hall.";
        Supervision = "supervision", "Number of games that an arbiter watches, and the keeping of score.";
        ScoreSheetShown = "score-sheet-shown", "A player asks to be shown the score.";
        Conduct = "conduct", "Banging of pieces or clock, and other conduct.";
        StandardPenalty = "standard-penalty", "The penalty where a rule names none.";
        Reporting = "reporting", "How results are reported.";
        AnnouncingCheck = "announcing-check", "Announcing check.";
        Notation = "notation", "Keeping score.";
        RecordingDevice = "recording-device", "Devices for keeping score.";
        Sections = "sections", "Combining sections.";
        LateArrival = "late-arrival", "Players who come late.";
        Pairings = "pairings", "Pairings.";
        Byes = "byes", "Byes.";
        PlayingArea = "playing-area", "People allowed in the playing hall.";
        SchoolTeams = "school-teams", "Teams of a school.";
        TieBreaks = "tie-breaks", "The order of the tie-breaks.";
        Everything = "everything-else", "Questions that the book leaves open.";
    }
}

impl Topic {
    /// The topic in a few words: its code with spaces and a capital.
    #[must_use]
    pub fn heading(self) -> String {
        let mut heading = self.code().replace('-', " ");
        if let Some(first) = heading.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        heading
    }
}
