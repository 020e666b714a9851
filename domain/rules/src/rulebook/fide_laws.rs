//! Articles of the FIDE Laws of Chess that the books of rapid and blitz share.
//!
//! The edition is that of 1 January 2023, with its numbers. The articles are those that a table with sensors, or a director who uses it,
//! meets; how pieces move (Articles 1 to 3) is the rules of chess. The guidelines behind the Laws are no part of them and are left out: where an
//! event announces them, claims of a draw in the last two minutes (Guidelines III) are the arbiter's.

use super::{ClaimKind, Clause, Entry, Finding, Offence, Setting, Topic};

/// Joins the parts of a book in its order. `N` is the number of clauses.
pub(super) const fn joined<const N: usize>(parts: &[&[Clause]]) -> [Clause; N] {
    let mut clauses = [parts[0][0]; N];
    let (mut part, mut filled) = (0, 0);
    while part < parts.len() {
        let mut index = 0;
        while index < parts[part].len() {
            clauses[filled] = parts[part][index];
            (index, filled) = (index + 1, filled + 1);
        }
        part += 1;
    }
    assert!(filled == N, "the number of clauses");
    clauses
}

/// Articles 4 to 6.7.
pub(super) const MOVES_AND_CLOCKS: [Clause; 12] = [
    Clause::new(
        "4.3",
        &[Topic::TouchMove],
        "A player on move who touches a piece to play it must move it, or take it if it is the opponent's, when that is legal. Adjusting is \
         announced first (4.2). A released piece stays (4.7). The opponent can point it out until \
         touching a piece to move it (4.8).",
    )
    .detects(&[Finding::TouchMove])
    .assists(&[ClaimKind::TouchMove]),
    Clause::new("5.1.1", &[Topic::Mate], "Mate by a legal move wins, and the game is over at once.")
        .detects(&[Finding::Mate]),
    Clause::new(
        "5.1.2",
        &[Topic::Resignation],
        "A player who resigns loses at once, but draws against an opponent who could not mate by any series of legal moves.",
    )
    .enters(&[Entry::Result]),
    Clause::new("5.2.1", &[Topic::Stalemate], "Stalemate draws at once.")
        .detects(&[Finding::Stalemate])
        .assists(&[ClaimKind::Stalemate]),
    Clause::new(
        "5.2.2",
        &[Topic::Drawing],
        "A position in which neither side can mate by any series of legal moves draws at once.",
    )
    .detects(&[Finding::DeadPosition]),
    Clause::new(
        "5.2.3",
        &[Topic::Agreement],
        "The players may agree on a draw once each has made a move, unless the event forbids it (9.1).",
    )
    .enters(&[Entry::Result]),
    Clause::new(
        "6.2.1",
        &[Topic::Completion],
        "A move is complete when its player has pressed. It is complete too when it ends the game, or when the player \
         has made the next move without having pressed.",
    )
    .detects(&[Finding::MissedPress, Finding::EarlyPress, Finding::OutOfTurn]),
    Clause::new(
        "6.2.3",
        &[Topic::ClockHand, Topic::ClockHover],
        "The hand that moved presses the clock. No finger rests on the clock or waits above it.",
    )
    .detects(&[Finding::ClockHand, Finding::ClockHover])
    .keeps(&[Offence::ClockHand, Offence::ClockHover]),
    Clause::new(
        "6.2.4",
        &[Topic::TouchingClock, Topic::ClockKnocked],
        "The clock is not struck, picked up, knocked over or pressed before the move is made; the arbiter penalizes it \
         by 12.9.",
    )
    .detects(&[Finding::ClockKnockedOver])
    .keeps(&[Offence::ClockTouched, Offence::ClockKnockedOver]),
    Clause::new(
        "6.3",
        &[Topic::AllMovesInTime, Topic::Delay],
        "The event announces in advance how many moves are made in which time, and what is added or delayed for each move.",
    )
    .sets(&[Setting::TimeControl]),
    Clause::new(
        "6.5",
        &[Topic::ClockSide],
        "Before the game the arbiter chooses the place of the clock.",
    ),
    Clause::new(
        "6.7.1",
        &[Topic::LateArrival],
        "A player who comes later than the event allows loses, unless the arbiter decides otherwise. An event that announces no time allows none.",
    )
    .keeps(&[Offence::LateArrival])
    .enters(&[Entry::Result]),
];

/// Article 6.8, when a flag has fallen. Each of the Laws' ways of play adds how that is claimed.
pub(super) const FLAG: Clause = Clause::new(
    "6.8",
    &[Topic::BothFlags],
    "A flag has fallen when an arbiter sees it or a player rightly claims it. The Laws do not settle two fallen flags in a game without further \
     periods.",
)
.detects(&[Finding::FlagFallen, Finding::BothFlags]);

/// Articles 6.10.1 to 7.5.4 that do not depend on the supervision.
pub(super) const IRREGULARITIES: [Clause; 8] = [
    Clause::new(
        "6.10.1",
        &[Topic::ClockChange],
        "The times on a clock count, unless the clock is plainly defective. The arbiter replaces a defective one and sets the \
         times.",
    )
    .detects(&[Finding::ClockJump, Finding::ClockDrift]),
    Clause::new(
        "6.10.2",
        &[Topic::ClockSetting],
        "A clock that is found to be set wrongly is stopped, by a player or the arbiter; the arbiter sets it right.",
    )
    .detects(&[Finding::ClockSetWrong])
    .assists(&[ClaimKind::ClockSetting])
    .enters(&[Entry::Ruling]),
    Clause::new(
        "6.11.2",
        &[Topic::CallingTd],
        "A player may stop the clocks only to call the arbiter, such as for a piece to promote to; stopping them without \
         a reason is penalized (6.11.4).",
    ),
    Clause::new(
        "6.12",
        &[Topic::Displays],
        "Screens in the hall may show position, moves and clocks. No claim of a player may rest on them alone.",
    ),
    Clause::new(
        "7.3",
        &[Topic::ReversedColours],
        "A game that was begun with the colours reversed is played again from the start if either side has made fewer than ten moves; otherwise \
         it goes on.",
    )
    .enters(&[Entry::Ruling]),
    Clause::new(
        "7.4",
        &[Topic::Displaced],
        "A player who displaces pieces puts them back on the own time, and may be penalized. Either player may stop the clocks \
         and call the arbiter.",
    )
    .detects(&[Finding::DisplacedPieces, Finding::PressAfterDisplacing])
    .assists(&[ClaimKind::Displaced])
    .keeps(&[Offence::PressAfterDisplacing]),
    Clause::new(
        "7.5.1",
        &[Topic::IllegalPly, Topic::IllegalCompletion],
        "An illegal move is complete when it has been pressed. The position before it is put back, and the touched piece \
         is moved if it can be.",
    )
    .detects(&[Finding::IllegalMove])
    .assists(&[ClaimKind::IllegalPly]),
    Clause::new(
        "7.5.2",
        &[Topic::Promotion],
        "Pressing with a pawn on its last rank is an illegal move; the pawn becomes a queen.",
    )
    .detects(&[Finding::PawnLeftOnLastRank])
    .assists(&[ClaimKind::PawnLeftOnLastRank]),
];

/// Articles 7.5.3 to 12.9 that do not depend on the supervision.
pub(super) const PENALTIES_AND_DRAWS: [Clause; 14] = [
    Clause::new(
        "7.5.3",
        &[Topic::PressWithoutMove],
        "Pressing without having moved counts as an illegal move and is penalized as one.",
    )
    .detects(&[Finding::PressWithoutMove])
    .keeps(&[Offence::IllegalMove]),
    Clause::new(
        "7.5.4",
        &[Topic::TwoHands],
        "Using both hands for one move, to castle, capture or promote, and pressing counts as an illegal move and is \
         penalized as one (4.1).",
    )
    .keeps(&[Offence::IllegalMove]),
    Clause::new(
        "7.5.5",
        &[Topic::IllegalAgain],
        "A player's first completed illegal move gives the opponent time. The second loses the game, or draws it if the opponent could not mate \
         by any series of legal moves.",
    )
    .keeps(&[Offence::IllegalMove])
    .enters(&[Entry::Ruling]),
    Clause::new(
        "8.7",
        &[Topic::Reporting],
        "Both players sign or approve the result; it counts even if it is wrong, unless the arbiter decides otherwise.",
    )
    .enters(&[Entry::Result]),
    Clause::new(
        "9.2",
        &[Topic::Repetition],
        "The player on move claims a draw when the same position occurs for the third time, or would occur after a move written down and not \
         made. Touching a piece ends that right for the move (9.4).",
    )
    .detects(&[Finding::Repetition])
    .assists(&[ClaimKind::Repetition]),
    Clause::new(
        "9.3",
        &[Topic::FiftyMoves],
        "In the same way the player on move claims a draw when each side has made fifty moves without a capture or a \
         pawn move.",
    )
    .detects(&[Finding::FiftyMoves])
    .assists(&[ClaimKind::FiftyMoves]),
    Clause::new(
        "9.5.3",
        &[Topic::WrongDrawClaim],
        "A wrong claim of these gives the opponent time, and a move that was written down must be made.",
    )
    .keeps(&[Offence::WrongDrawClaim]),
    Clause::new(
        "9.6",
        &[Topic::AutomaticDraw],
        "The game is drawn when the same position occurs for the fifth time. It is also drawn after 75 moves of each side without a capture or \
         a pawn move, unless the last one mates.",
    )
    .detects(&[Finding::FivefoldRepetition, Finding::SeventyFiveMoves]),
    Clause::new(
        "11.5",
        &[Topic::Conduct],
        "A player does not distract or annoy the opponent, by unreasonable claims and offers either. A player who keeps refusing to follow the \
         Laws loses (11.7).",
    )
    .keeps(&[Offence::Conduct]),
    Clause::new(
        "11.10",
        &[Topic::Appeal],
        "A player may appeal against a decision of the arbiter, unless the event's rules differ.",
    )
    .enters(&[Entry::Appeal]),
    Clause::new(
        "12.6",
        &[Topic::TdCalls],
        "The arbiter steps in where the Laws require it, illegal moves and fallen flags among them, and nowhere else. The arbiter does not point \
         out that a move is complete or that a clock was not pressed.",
    )
    .sets(&[Setting::TdCalls, Setting::SilentAlerts]),
    Clause::new(
        "12.7",
        &[Topic::Spectators],
        "A person who sees an irregularity tells the arbiter only. Players of other games and spectators do not interfere, and \
         may be sent out.",
    )
    .keeps(&[Offence::Interference])
    .enters(&[Entry::Ruling]),
    Clause::new(
        "12.8",
        &[Topic::PlayingArea],
        "Telephones and other devices are used only where the arbiter allows it.",
    ),
    Clause::new(
        "12.9",
        &[Topic::StandardPenalty],
        "The arbiter may warn, add time for the opponent, take time or points from the offender, declare the game lost, \
         and exclude from rounds or from the event.",
    ),
];

/// Article 6.9 where an arbiter watches each game.
pub(super) const TIME_OVER: Clause = Clause::new(
    "6.9",
    &[Topic::FlagClaim, Topic::MaterialDraw, Topic::MatingMaterial],
    "A player who has not made the moves in time loses, but draws against an opponent who could not mate by any series of legal \
     moves.",
)
.assists(&[ClaimKind::FlagFall, ClaimKind::Material]);

/// Article 7.2.1: pieces that stood wrongly at the start.
pub(super) const SET_UP: Clause = Clause::new(
    "7.2.1",
    &[Topic::SetUp],
    "When the pieces are found to have stood wrongly at the start, the game is called off and a new one is played. A board \
     that lies turned is replaced, and the game goes on (7.2.2).",
)
.detects(&[Finding::SetupWrong])
.assists(&[ClaimKind::SetUp])
.enters(&[Entry::Ruling]);

/// Article 7.5.1 where an arbiter watches each game: there is no time limit.
pub(super) const ILLEGAL_WHENEVER_FOUND: Clause = Clause {
    topics: &[
        Topic::IllegalPly,
        Topic::IllegalCompletion,
        Topic::IllegalClaim,
        Topic::IllegalClaimLapses,
        Topic::IllegalUnnoticed,
    ],
    text: "An illegal move is complete when it has been pressed. Whenever it is found during the game, the position \
           before it is put back, and the touched piece is moved if it can be.",
    ..IRREGULARITIES[6]
}
.detects(&[Finding::IllegalMove, Finding::StoppedWithOpenClaim]);
