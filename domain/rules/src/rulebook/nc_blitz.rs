//! North Carolina's blitz rules.

use super::{ClaimKind, Clause, Entry, Finding, Offence, Topic, common};

pub(super) const CLAUSES: &[Clause] = &[
    common::FIVE_MINUTES_WITH_DELAY.at("1"),
    common::INSPECTION.at("2"),
    common::CLOCK_HAND.at("3"),
    Clause::new(
        "4",
        &[Topic::ClockSide],
        "The TD says at the start of the event which way the clocks face; on which side of the table to sit is \
         Black's choice.",
    ),
    common::TOUCHING_CLOCK.at("5"),
    common::STRAIGHTENING.at("5 I"),
    common::KNOCKED_OVER.at("5 II"),
    common::NOT_STARTED.at("5 III"),
    common::KEEPING_FREE.at("5 IV"),
    common::WINNING.at("6"),
    common::MATE.at("6 I"),
    common::RESIGNATION.at("6 II"),
    Clause::new(
        "6 III",
        &[Topic::FlagClaim],
        "A player with material to mate wins who notices and says that the opponent's flag fell first, and stops the clock with the own flag \
         still up. The game must not have been over already.",
    )
    .detects(&[Finding::FlagFallen])
    .assists(&[ClaimKind::FlagFall]),
    Clause { topics: &[Topic::IllegalClaim, Topic::IllegalPly], ..common::CALLED_AFTER_PRESS }
        .at("6 IV"),
    common::CLAIM_ORDER.at("6 V"),
    Clause::new(
        "7",
        &[Topic::MatingMaterial],
        "Two minor pieces (but not two knights against a bare king), a queen, a rook or a pawn are enough to mate \
         with. A lone knight or bishop is enough only if a forced win can be shown.",
    )
    .assists(&[ClaimKind::FlagFall, ClaimKind::IllegalPly]),
    common::DRAWING
        .at("8")
        .detects(&[Finding::DrawnEnding])
        .assists(&[ClaimKind::DrawnEnding]),
    Clause::new(
        "8 I",
        &[Topic::Stalemate],
        "Stalemate draws, and a claim on time made at the same moment does not change that.",
    )
    .detects(&[Finding::Stalemate])
    .assists(&[ClaimKind::Stalemate]),
    Clause::new(
        "8 II",
        &[Topic::Agreement],
        "The players may agree on a draw while the game is being played.",
    )
    .enters(&[Entry::Result]),
    Clause::new(
        "8 III",
        &[Topic::BothFlags],
        "When both flags have fallen and no win was claimed, the game is drawn, unless someone mates before both flags are noticed. Mate comes \
         before any later claim on time.",
    )
    .detects(&[Finding::BothFlags])
    .assists(&[ClaimKind::BothFlags, ClaimKind::Mate]),
    Clause::new(
        "8 IV",
        &[Topic::Repetition],
        "Perpetual check draws after three repetitions, which the claimant counts aloud; after the third the \
         claimant stops the clock.",
    )
    .detects(&[Finding::Repetition])
    .assists(&[ClaimKind::Repetition]),
    Clause::new(
        "8 V",
        &[Topic::IdenticalPieces],
        "When each player has one piece and both are the same, either may stop the clock and claim a draw, unless \
         the opponent shows a forced win.",
    )
    .detects(&[Finding::DrawnEnding])
    .assists(&[ClaimKind::DrawnEnding]),
    Clause::new(
        "8 VI",
        &[Topic::MaterialDraw],
        "If a flag falls, or an illegal move is made, against a player without material to mate, the game is drawn.",
    )
    .assists(&[ClaimKind::Material]),
    Clause::new(
        "8 VII",
        &[Topic::OppositeBishops],
        "With one bishop each, of opposite colours, and one pawn, or two pawns against one in a clearly blocked \
         position, a player may stop the clocks, call a TD and claim a draw, unless a forced win is proved.",
    )
    .detects(&[Finding::DrawnEnding])
    .assists(&[ClaimKind::DrawnEnding]),
    Clause::new(
        "8 VIII",
        &[Topic::StoppedPawn],
        "King and rook pawn against a king can be claimed as a draw when the defending king is on the pawn's file and before it. King and \
         another pawn, not on its seventh rank, can be when the defending king is on the square before it.",
    )
    .detects(&[Finding::DrawnEnding])
    .assists(&[ClaimKind::DrawnEnding]),
    Clause::new(
        "8 IX",
        &[Topic::RookAndRookPawn],
        "King, rook and rook pawn against king and rook draw when the king blocks the pawn and nothing wins at once.",
    )
    .detects(&[Finding::DrawnEnding])
    .assists(&[ClaimKind::DrawnEnding]),
    common::DISPLACED.at("9"),
    common::DISPUTE.at("10"),
    common::TD_AND_CLOCK.at("11"),
    common::SPECTATORS_AND_AGREED_CALLS.at("12"),
    Clause::new(
        "13",
        &[Topic::AskingForDraw],
        "A player who thinks a position clearly drawn may stop the clocks and ask the TD for a draw.",
    )
    .assists(&[ClaimKind::DirectorsDraw]),
    Clause::new("13 I", &[], "If the TD rules a draw, the game is over.").enters(&[Entry::Ruling]),
    Clause::new("13 II", &[], "If not, who stopped the clocks is penalized by one minute.")
        .keeps(&[Offence::AskedForDraw]),
    Clause::new(
        "14",
        &[Topic::IllegalUnnoticed, Topic::IllegalClaimLapses],
        "An illegal move that both players missed can be neither put right nor claimed later.",
    )
    .detects(&[Finding::IllegalMove])
    .assists(&[ClaimKind::IllegalPly]),
    Clause::new(
        "15",
        &[Topic::Completion, Topic::TouchMove, Topic::IllegalCompletion],
        "Touch move: releasing the piece completes a legal move. An illegal one can be put right until the press.",
    )
    .detects(&[Finding::TouchMove])
    .assists(&[ClaimKind::TouchMove]),
    Clause::new(
        "16",
        &[Topic::KingBesideKing],
        "A king that moves beside the other king loses the game: it is an illegal move.",
    )
    .detects(&[Finding::KingBesideKing])
    .assists(&[ClaimKind::IllegalPly]),
    Clause::new(
        "17",
        &[Topic::Promotion],
        "When a player leaves the pawn on the last rank, the opponent may only stop the clocks while a piece is \
         fetched.",
    )
    .detects(&[Finding::PawnLeftOnLastRank])
    .assists(&[ClaimKind::PawnLeftOnLastRank]),
    common::DEFECTIVE_CLOCKS.at("18"),
    Clause::new(
        "19",
        &[Topic::SwappedSetUp],
        "A king and queen that were set up on each other's squares castle short towards the queen's side and long \
         towards the king's side. Once each side has moved, a wrong set-up stays, unless a TD allows the game to be started again.",
    )
    .detects(&[Finding::SetupWrong])
    .enters(&[Entry::Ruling]),
    common::BANGING.at("20"),
    Clause::new(
        "21",
        &[Topic::BringClock],
        "Players bring their own clocks and know how to set them. If neither player has one, both lose both games.",
    )
    .keeps(&[Offence::NoClock])
    .enters(&[Entry::Result]),
    common::NO_LOSING_CHANCES.at("22"),
    common::RULES_OF_CHESS.at("23").detects(&[Finding::DeadPosition, Finding::FiftyMoves]).assists(
        &[ClaimKind::FiftyMoves],
    ),
];
