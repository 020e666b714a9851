//! US Chess blitz rules: chapter 11 of the rules of 2020.
//!
//! The chapter's tips for directors are included in the rule that they explain, except the numbered list after 8d: its entries are
//! `8d tip 1` to `8d tip 5`.

use super::{ClaimKind, Clause, Entry, Finding, Offence, Setting, Topic, common};

pub(super) const CLAUSES: &[Clause] = &[
    Clause::new("1", &[Topic::AllMovesInTime], "Each player makes all moves in the given time.")
        .detects(&[Finding::FlagFallen]),
    Clause::new(
        "1a",
        &[Topic::TimeControl, Topic::Delay],
        "Five minutes a side for the whole game, without delay, are the standard.",
    )
    .detects(&[Finding::ClockSetWrong])
    .sets(&[Setting::TimeControl]),
    Clause::new(
        "1b",
        &[Topic::Announcement],
        "The time control, with delay or increment, stands in all advance publicity and is announced or posted at \
         the site. A game should not take more than ten minutes a player.",
    )
    .sets(&[Setting::TimeControl]),
    Clause::new("2", &[Topic::ClockKind], "Every clock shows when a flag has fallen."),
    Clause::new("2a", &[], "The clock goes on for both sides when the time of one is over.")
        .detects(&[Finding::BothFlags]),
    Clause::new(
        "2b",
        &[Topic::ClockPreference],
        "A digital clock is preferred, if it goes on for both sides; an analog one will do where there is none.",
    ),
    Clause::new("2c", &[Topic::BringClock], "Black chooses the clock."),
    Clause::new(
        "3",
        &[Topic::SetUp],
        "Players check the pieces and the clock before they begin. After a completed move of each, position and \
         times stay as they are.",
    )
    .detects(&[Finding::SetupWrong, Finding::ClockSetWrong])
    .assists(&[ClaimKind::SetUp, ClaimKind::ClockSetting]),
    Clause::new(
        "3a",
        &[Topic::SwappedSetUp],
        "A king and queen that were set up on each other's squares castle short towards the queen's side and long \
         towards the king's side.",
    )
    .detects(&[Finding::SetupWrong]),
    Clause::new(
        "3b",
        &[Topic::IllegalClaimLapses],
        "An illegal move or position that the opponent did not claim stays. It can be claimed until the opponent's \
         next move is determined.",
    )
    .detects(&[Finding::IllegalMove])
    .assists(&[ClaimKind::IllegalPly]),
    Clause::new(
        "4",
        &[Topic::ClockHand],
        "One hand moves the pieces and presses the clock, to castle and to capture, too.",
    )
    .detects(&[Finding::ClockHand])
    .keeps(&[Offence::ClockHand]),
    Clause::new(
        "5",
        &[Topic::ClockSide],
        "The TD may say at the start of the event which way the clocks face; on which side of the table to sit is \
         Black's choice.",
    ),
    common::TOUCHING_CLOCK.at("6"),
    common::STRAIGHTENING.at("6a"),
    Clause::new(
        "6b",
        &[Topic::ClockKnocked],
        "A player who knocks the clock over may be penalized.",
    )
    .detects(&[Finding::ClockKnockedOver])
    .keeps(&[Offence::ClockKnockedOver]),
    common::NOT_STARTED.at("6c"),
    Clause::new("6d", &[], "Everybody must be able to press after moving.")
        .keeps(&[Offence::ClockHover]),
    Clause::new("6e", &[Topic::ClockHover], "No hand rests on the clock or waits above it.")
        .detects(&[Finding::ClockHover])
        .keeps(&[Offence::ClockHover]),
    common::WINNING.at("7"),
    Clause::new("7a", &[Topic::Mate], "A legal mate wins.").detects(&[Finding::Mate]),
    common::RESIGNATION.at("7b"),
    Clause::new(
        "7c",
        &[Topic::FlagClaim, Topic::MatingMaterial],
        "A player with material to mate wins who correctly points out, before the game is over, that the opponent's flag fell first. Such \
         material is at least a queen, a rook, a pawn or two minor pieces, and not in a position that could be claimed as drawn. If the own flag \
         falls before the clock is stopped, the claim is void, unless a \
         director or an independent witness saw the opponent's flag fall.",
    )
    .detects(&[Finding::FlagFallen])
    .assists(&[ClaimKind::FlagFall]),
    Clause::new(
        "7d",
        &[Topic::IllegalClaim, Topic::IllegalPly, Topic::KingBesideKing],
        "After a completed illegal move the opponent, before determining a move and with material to mate, wins in two ways. One is taking a \
         king that is in check; the other is claiming the win and stopping the clock. A player who moves the king beside the other king and then \
         claims the check that was not noticed loses.",
    )
    .detects(&[
        Finding::IllegalMove,
        Finding::KingCaptured,
        Finding::StoppedWithOpenClaim,
        Finding::KingBesideKing,
    ])
    .assists(&[ClaimKind::IllegalPly]),
    common::CLAIM_ORDER.at("7e"),
    Clause::new(
        "8",
        &[Topic::Drawing, Topic::Repetition, Topic::FiftyMoves],
        "Draws that the rules of chess know can be claimed in blitz too, with the exceptions given here.",
    )
    .detects(&[Finding::DeadPosition, Finding::Repetition, Finding::FiftyMoves])
    .assists(&[ClaimKind::Repetition, ClaimKind::FiftyMoves]),
    Clause::new("8a", &[Topic::Stalemate], "Stalemate draws.")
        .detects(&[Finding::Stalemate])
        .assists(&[ClaimKind::Stalemate]),
    Clause::new("8b", &[Topic::Agreement], "The players may agree on a draw.")
        .enters(&[Entry::Result]),
    Clause::new(
        "8c",
        &[Topic::BothFlags],
        "When the second flag has fallen, too, and no win was claimed, the game is drawn, unless someone mates \
         before both flags are noticed.",
    )
    .detects(&[Finding::BothFlags])
    .assists(&[ClaimKind::BothFlags, ClaimKind::Mate]),
    Clause::new(
        "8d",
        &[Topic::MaterialDraw, Topic::LosingChances],
        "If a flag falls, or an illegal move is made, against a player without material to mate, the game is drawn. \
         Claims of insufficient losing chances are not heard, unless the event announced them; they are then upheld \
         only as follows.",
    )
    .assists(&[ClaimKind::Material, ClaimKind::LosingChances])
    .sets(&[Setting::LosingChances]),
    Clause::new(
        "8d tip 1",
        &[Topic::IdenticalPieces],
        "Each player has one piece, both the same, and neither can show a forced win.",
    )
    .assists(&[ClaimKind::LosingChances]),
    Clause::new(
        "8d tip 2",
        &[Topic::OppositeBishops],
        "Each player has one bishop, they are of opposite colours, only one pawn is left, and there is no forced \
         win.",
    )
    .assists(&[ClaimKind::LosingChances]),
    Clause::new(
        "8d tip 3",
        &[Topic::StoppedPawn],
        "A rook pawn is the last pawn, and the lone king is on its file and before it; or another pawn is the last \
         one, not on its seventh rank, and the lone king is on the square before it.",
    )
    .assists(&[ClaimKind::LosingChances]),
    Clause::new(
        "8d tip 4",
        &[Topic::RookAndRookPawn],
        "Rook and rook pawn are against a rook, the king blocks the pawn, and nothing wins at once.",
    )
    .assists(&[ClaimKind::LosingChances]),
    Clause::new(
        "8d tip 5",
        &[Topic::ClaimantAhead],
        "The claimant has clearly more material and the clearly better position.",
    )
    .assists(&[ClaimKind::LosingChances]),
    Clause::new(
        "9",
        &[Topic::Displaced],
        "A player who displaces pieces by accident puts them back on the own time; the opponent may press without moving. \
         Pressing after displacing may be penalized.",
    )
    .detects(&[Finding::DisplacedPieces, Finding::PressWithoutMove, Finding::PressAfterDisplacing])
    .assists(&[ClaimKind::Displaced])
    .keeps(&[Offence::PressAfterDisplacing]),
    Clause::new(
        "10",
        &[Topic::TouchMove],
        "When a player touched one piece, moved another and pressed, the opponent may press back, so that the \
         touched piece is moved, or may stop the clock and claim. It may be penalized.",
    )
    .detects(&[Finding::TouchMove])
    .assists(&[ClaimKind::TouchMove])
    .keeps(&[Offence::TouchMove]),
    Clause::new(
        "11",
        &[Topic::Dispute],
        "A player may stop the clock to call a TD. The TD hears the two players and witnesses who can be relied on.",
    )
    .enters(&[Entry::Ruling]),
    Clause::new(
        "12",
        &[Topic::TdAndClock],
        "A TD picks up a clock only in a dispute, to give penalties or to correct times.",
    ),
    Clause::new(
        "13",
        &[Topic::Spectators],
        "No one outside a game may speak about it or interfere. If that may change the result, such as by pointing out flags or illegal moves, \
         the TD may have the game played again and send the person out. A player of the event may be penalized, up to expulsion.",
    )
    .keeps(&[Offence::Interference])
    .enters(&[Entry::Ruling])
    .sets(&[Setting::SilentAlerts]),
    Clause::new(
        "14",
        &[Topic::IllegalCompletion, Topic::IllegalUnnoticed],
        "Before the press an illegal move is taken back, and the touched piece makes a legal move if it has one. An \
         illegal move is complete with the press. One that both players missed cannot be put right later.",
    )
    .detects(&[Finding::IllegalMove]),
    Clause::new(
        "15",
        &[Topic::Completion],
        "Releasing the piece completes a legal move.",
    ),
    Clause::new(
        "16",
        &[Topic::Promotion],
        "A player without the piece to promote to may stop both clocks to fetch it. Pressing while the pawn stands \
         on the last rank is improper, and the opponent may start the player's clock again without moving.",
    )
    .detects(&[Finding::PawnLeftOnLastRank])
    .assists(&[ClaimKind::PawnLeftOnLastRank])
    .keeps(&[Offence::PawnLeftOnLastRank]),
    Clause::new(
        "17",
        &[Topic::StandardPenalty, Topic::Conduct],
        "A first offence costs one minute, given to the opponent. The TD may choose otherwise, as after repeated \
         offences. Illegal moves are not meant: they lose when they are claimed correctly.",
    )
    .keeps(&[Offence::Conduct]),
    Clause::new(
        "18",
        &[Topic::Appeal],
        "The decision of the chief TD is final; the decision of another TD can be appealed to the chief.",
    )
    .enters(&[Entry::Appeal]),
];
