//! Topic of a rule, in any book and with any number.
//!
//! Code asks a book for a topic and never for a number. All books share this one list, so that a book
//! which is silent on a topic shows as an empty place in the comparison.

use super::deed::deeds;

deeds! {
    /// Topic of a clause. The order is the order of the comparison.
    Topic {
        Teams = "teams", "Who makes a team, and that nobody stands in.";
        MatchFormat = "match-format", "How many games make a match or a round.";
        Colours = "colours", "Who decides which partner has which colour.";
        SwitchingBoards = "switching-boards", "Players stay at their boards once a match has begun.";
        AllMovesInTime = "all-moves-in-time", "Every move is made within the player's time.";
        TimeControl = "time-control", "The time that each player has.";
        Delay = "delay", "The delay of each move.";
        DelayKind = "delay-kind", "How a clock gives the delay, and from which move on.";
        ShorterBase = "shorter-base", "Whether a clock with delay is set to less time.";
        Periods = "periods", "Several time controls in one game.";
        Announcement = "announcement", "What an event must announce about its time control.";
        BringClock = "bring-clock", "Who brings a clock, and what happens when there is none.";
        ClockPreference = "clock-preference", "Which of several clocks is used.";
        ClockKind = "clock-kind", "What a clock must be able to do.";
        ClockSide = "clock-side", "On which side of the board the clock stands.";
        ClockRules = "clock-rules", "The federation's clock rules, which the book prints as an appendix.";
        Completion = "completion", "When a move is complete.";
        TouchMove = "touch-move", "A piece that was touched, or let go, binds its player.";
        MatchEnd = "match-end", "The first game won ends the match.";
        IllegalPly = "illegal-moves", "What an illegal move costs.";
        IllegalCompletion = "illegal-completion", "Until when a player may put an own illegal move right, and when it counts.";
        IllegalClaimLapses = "illegal-claim-lapses", "Until when an illegal move can be claimed.";
        PressWithoutMove = "press-without-move", "Pressing without having moved.";
        TwoHands = "two-hands", "Using both hands for one move.";
        IllegalAgain = "illegal-again", "What a first illegal move costs, and what a second one costs.";
        TimePenalty = "time-penalty", "How much time the penalties for illegal moves and wrong claims give.";
        IllegalUnnoticed = "illegal-unnoticed", "Illegal moves that nobody noticed.";
        KingBesideKing = "king-beside-king", "A move that puts the king beside the other king.";
        SetUp = "set-up", "Checking pieces and clocks before play, and until when that can be claimed.";
        SetUpLapses = "set-up-lapses", "From when on neither set-up nor clock settings can be claimed.";
        ClockSetting = "clock-setting", "A clock that is found to be set wrongly.";
        ReversedColours = "reversed-colours", "A game that was begun with the wrong colours.";
        SwappedSetUp = "swapped-set-up", "King and queen set up on each other's squares.";
        Passing = "passing", "When a captured piece may be handed to the partner.";
        MovesAndDrops = "moves-and-drops", "What a player may do on a turn.";
        DropSquares = "drop-squares", "Where a piece may be dropped.";
        DropChecks = "drop-checks", "Drops may check and mate.";
        Promotion = "promotion", "How a promotion is shown, and what happens without the piece.";
        PromotedCaptured = "promoted-captured", "What a promoted pawn is when it is captured.";
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
        MatingMaterial = "mating-material", "What a player needs to be able to win on time or by a claim.";
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
        WrongDrawClaim = "wrong-draw-claim", "What a wrong claim of a draw costs.";
        AutomaticDraw = "automatic-draw", "Draws that nobody has to claim: five times the same position, 75 moves.";
        IllegalPosition = "illegal-position", "An illegal position that neither player has noticed.";
        Displaced = "displaced-pieces", "Pieces that were displaced.";
        CallingTd = "calling-a-director", "How a player calls a director.";
        Dispute = "dispute", "Disputes.";
        Appeal = "appeal", "Appeals.";
        TdAndClock = "directors-and-clocks", "When a director may pick up a clock.";
        Spectators = "spectators", "People outside a game.";
        TdCalls = "directors-calls", "What directors call of their own accord.";
        ClockChange = "defective-clocks", "Who may declare a clock defective.";
        Displays = "displays", "Screens and boards that show a game to the hall.";
        Supervision = "supervision", "How many games an arbiter watches, and who keeps score.";
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
        PlayingArea = "playing-area", "Who may be in the playing hall.";
        SchoolTeams = "school-teams", "Teams of a school.";
        TieBreaks = "tie-breaks", "The order of the tie-breaks.";
        Everything = "everything-else", "What the book leaves open.";
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
