//! Rules that several books share, each under its own number there.
//!
//! Two books share a rule when it means the same in both, in whatever words. A rule of only one book is in that book's file.

use super::{
    ClaimKind::{self, IllegalPly},
    Clause, Entry,
    Finding::{self, IllegalMove},
    Offence, Setting, Topic,
};

const fn shared(topics: &'static [Topic], text: &'static str) -> Clause {
    Clause::new("", topics, text)
}

pub(super) const TEAMS: Clause =
    shared(&[Topic::Teams], "Two players make a team. No one may stand in for either of them.")
        .keeps(&[Offence::Substitute])
        .sets(&[Setting::Seats]);

pub(super) const MATCH_FORMAT: Clause = shared(
    &[Topic::MatchFormat],
    "Two games at once, each player against one of the other team, make a match.",
)
.sets(&[Setting::Boards]);

pub(super) const COLOURS: Clause =
    shared(&[Topic::Colours], "The team settles which partner has White and which has Black.")
        .sets(&[Setting::Seats]);

pub(super) const FIVE_MINUTES_WITH_DELAY: Clause = shared(
    &[Topic::TimeControl, Topic::Delay],
    "Five minutes a side for the whole game, with a delay of two seconds where the clock can do it.",
)
.detects(&[Finding::ClockSetWrong])
.sets(&[Setting::TimeControl]);

pub(super) const CLOCK_COMPLETES: Clause = shared(
    &[Topic::Completion],
    "The clock makes the move: it is complete only when the opponent's time has begun to run.",
)
.detects(&[Finding::MissedPress, Finding::EarlyPress, Finding::OutOfTurn]);

pub(super) const MATCH_END: Clause = shared(
    &[Topic::MatchEnd],
    "The first game that is won decides the match for the winner's team.",
)
.detects(&[Finding::PliesAfterEnd]);

pub(super) const NO_CLOCK: Clause = shared(
    &[Topic::BringClock],
    "Players bring their own clocks. A game for which neither player has one is lost by both.",
)
.keeps(&[Offence::NoClock])
.enters(&[Entry::Result]);

pub(super) const ILLEGAL_LOSES: Clause = shared(
    &[Topic::IllegalPly],
    "An illegal move loses if it is noticed before anyone makes the next move.",
)
.detects(&[IllegalMove])
.assists(&[IllegalPly]);

pub(super) const ANSWERED: Clause = shared(
    &[Topic::IllegalClaimLapses],
    "A player who answers an illegal move and starts the opponent's clock can no longer claim it.",
)
.assists(&[IllegalPly]);

pub(super) const INSPECTION: Clause = shared(
    &[Topic::SetUp],
    "Players check the pieces and the clock before they begin. Once both sides have made a move, neither can be \
     claimed any more, except that a TD may shorten a clock set above five minutes.",
)
.detects(&[Finding::SetupWrong, Finding::ClockSetWrong])
.assists(&[ClaimKind::SetUp, ClaimKind::ClockSetting]);

pub(super) const UNNOTICED_AND_SWAPPED: Clause = shared(
    &[Topic::IllegalUnnoticed, Topic::SwappedSetUp],
    "An illegal move that both players missed can be neither put right nor claimed later. A king and queen set up on each other's squares stay \
     there once both sides have moved. That side castles short towards the queen's side and long towards the king's side.",
)
.detects(&[IllegalMove, Finding::SetupWrong]);

pub(super) const PASSING: Clause = shared(
    &[Topic::Passing],
    "A captured piece goes to the partner when the capturing player has started the opponent's clock, and not \
     before.",
)
.detects(&[Finding::EarlyPass])
.keeps(&[Offence::EarlyPass]);

pub(super) const MOVES_AND_DROPS: Clause = shared(
    &[Topic::MovesAndDrops],
    "On each turn a player either moves a piece on the board or drops one received from the partner.",
)
.detects(&[IllegalMove]);

pub(super) const DROP_SQUARES: Clause = shared(
    &[Topic::DropSquares],
    "Any empty square will do, but pawns may not be dropped on the first or the last rank.",
)
.detects(&[IllegalMove]);

pub(super) const DROP_CHECKS: Clause =
    shared(&[Topic::DropChecks], "A drop may give check, and it may mate.")
        .detects(&[Finding::Mate]);

pub(super) const DROP_CHECKS_AND_BLOCKS: Clause = shared(
    &[Topic::DropChecks],
    "A drop may give check, it may mate, and it may stand between a king and a checking piece.",
)
.detects(&[Finding::Mate]);

pub(super) const PROMOTED_CAPTURED: Clause =
    shared(&[Topic::PromotedCaptured], "A promoted pawn that is captured is a pawn again.")
        .detects(&[IllegalMove]);

pub(super) const PROMOTED_LIES: Clause = shared(
    &[Topic::Promotion],
    "The pawn stays on the board, laid on its side, and the player says clearly what it has become.",
)
.detects(&[IllegalMove]);

pub(super) const HIDING: Clause = shared(
    &[Topic::Hiding],
    "Pieces that the partner captured stay in the opponents' sight. Hiding any brings a warning, and the second \
     time loses the game.",
)
.detects(&[Finding::HiddenPiece])
.keeps(&[Offence::HiddenPiece]);

pub(super) const PARTNERS: Clause = shared(
    &[Topic::Partners],
    "Partners may talk and suggest moves at any time. Moving a piece of the partner's is forbidden and can cost the \
     match.",
)
.keeps(&[Offence::PartnersPieceMoved]);

pub(super) const CLOCK_HAND: Clause = shared(
    &[Topic::ClockHand],
    "The hand that moved the piece presses the clock, and captures are made with one hand; both hands may be used \
     to castle only. A warning first, then one minute, then the game.",
)
.detects(&[Finding::ClockHand])
.keeps(&[Offence::ClockHand]);

pub(super) const TOUCHING_CLOCK: Clause = shared(
    &[Topic::TouchingClock],
    "Apart from pressing it, players leave the clock alone, with the exceptions that follow.",
)
.keeps(&[Offence::ClockTouched]);

pub(super) const STRAIGHTENING: Clause =
    shared(&[Topic::ClockStraightened], "A player may straighten the clock.");

pub(super) const KNOCKED_OVER: Clause = shared(
    &[Topic::ClockKnocked],
    "One minute is added for the opponent of a player who knocks the clock over.",
)
.detects(&[Finding::ClockKnockedOver])
.keeps(&[Offence::ClockKnockedOver]);

pub(super) const NOT_STARTED: Clause = shared(
    &[Topic::ClockNotStarted],
    "If a press did not start the opponent's time, the player may press the opponent's side down and the own side again. If that does not help, \
     a TD is called.",
)
.detects(&[Finding::DoublePress]);

pub(super) const KEEPING_FREE: Clause = shared(
    &[Topic::ClockHover],
    "Everybody must be able to press after moving. No hand rests on the clock or waits above it.",
)
.detects(&[Finding::ClockHover])
.keeps(&[Offence::ClockHover]);

pub(super) const WINNING: Clause =
    shared(&[Topic::Winning], "A game is won in one of the ways that follow.");

pub(super) const MATE: Clause = shared(&[Topic::Mate], "Mate wins.").detects(&[Finding::Mate]);

pub(super) const WAITING: Clause = shared(
    &[Topic::Waiting],
    "A player in check may let time run, as long as there is time, until the partner supplies a piece. A piece must be able to stand between \
     (the checking piece is no knight and does not stand beside the king), and the player must hold none.",
)
.detects(&[Finding::BlockableCheck]);

pub(super) const RESIGNATION: Clause =
    shared(&[Topic::Resignation], "A player whose opponent resigns wins.").enters(&[Entry::Result]);

pub(super) const FLAG: Clause = shared(
    &[Topic::FlagClaim],
    "A player who notices and says that the opponent's flag fell first, and stops the clock with the own flag still up, wins unless the game was \
     over.",
)
.detects(&[Finding::FlagFallen])
.assists(&[ClaimKind::FlagFall]);

pub(super) const KING_TAKEN_OR_STOPPED: Clause = shared(
    &[Topic::IllegalClaim],
    "After an illegal move the opponent wins by taking the king or by stopping the clock.",
)
.detects(&[Finding::KingCaptured, Finding::StoppedWithOpenClaim])
.assists(&[IllegalPly]);

pub(super) const CALLED_AFTER_PRESS: Clause = shared(
    &[Topic::IllegalClaim],
    "When the opponent has made an illegal move and pressed, the player wins by calling it illegal. Taking the king \
     is no such call.",
)
.detects(&[IllegalMove, Finding::KingCaptured, Finding::StoppedWithOpenClaim])
.assists(&[IllegalPly]);

pub(super) const CLAIM_ORDER: Clause = shared(
    &[Topic::ClaimOrder],
    "An own illegal move does not prevent a claim on time that comes before the opponent's claim of that move. If both claims come together, the \
     player who made the illegal move loses.",
)
.assists(&[ClaimKind::FlagFall, IllegalPly]);

pub(super) const DRAWING: Clause =
    shared(&[Topic::Drawing], "A game is drawn in one of the ways that follow.");

pub(super) const TEAMS_AGREE: Clause =
    shared(&[Topic::Agreement], "Both teams may agree on a draw while the match is being played.")
        .enters(&[Entry::Result]);

pub(super) const BOTH_FLAGS: Clause = shared(
    &[Topic::BothFlags],
    "When both flags have fallen and no win was claimed, the game is drawn, unless someone mates before both flags are noticed. A mate that is \
     announced comes before any later claim on time.",
)
.detects(&[Finding::BothFlags])
.assists(&[ClaimKind::BothFlags, ClaimKind::Mate]);

pub(super) const DISPLACED: Clause = shared(
    &[Topic::Displaced],
    "A player who displaces pieces puts them back on the own time; the opponent may start that player's clock without moving. Knocking pieces \
     over and pressing is an offence. It costs a warning first (or a minute for the opponent if the offender's own flag fell by it), then a \
     minute, then the game. After that it costs what the TD sees fit, up to expulsion.",
)
.detects(&[Finding::DisplacedPieces, Finding::PressWithoutMove, Finding::PressAfterDisplacing])
.assists(&[ClaimKind::Displaced])
.keeps(&[Offence::PressAfterDisplacing]);

pub(super) const DISPUTE: Clause = shared(
    &[Topic::Dispute, Topic::Appeal],
    "A player may stop the clocks to call a TD. The TD hears the two players and witnesses who can be relied on. A \
     player may appeal, first to the section chief and then to the chief floor director, who has the last word.",
)
.enters(&[Entry::Ruling, Entry::Appeal]);

pub(super) const TD_AND_CLOCK: Clause =
    shared(&[Topic::TdAndClock], "A TD does not pick up a clock unless there is a dispute.");

pub(super) const SPECTATORS_AND_AGREED_CALLS: Clause = shared(
    &[Topic::Spectators, Topic::TdCalls],
    "No one outside a game may speak about it or interfere; if someone does, the TD may have it played again and send the person out. Flags and \
     illegal moves are the players' business. TDs are silent about them too, unless it was agreed with the players before the game that TDs call \
     them.",
)
.keeps(&[Offence::Interference])
.enters(&[Entry::Ruling])
.sets(&[Setting::SilentAlerts, Setting::TdCalls]);

pub(super) const DEFECTIVE_CLOCKS: Clause =
    shared(&[Topic::ClockChange], "Only a TD can declare a clock defective and change it.")
        .detects(&[Finding::ClockJump, Finding::ClockDrift]);

pub(super) const BANGING: Clause = shared(
    &[Topic::Conduct],
    "Banging pieces or the clock too hard can cost time, as much as the TD chooses.",
)
.keeps(&[Offence::Banging]);

pub(super) const NO_LOSING_CHANCES: Clause =
    shared(&[Topic::LosingChances], "No claim of insufficient losing chances can be made.")
        .sets(&[Setting::LosingChances]);

pub(super) const RULES_OF_CHESS: Clause = shared(
    &[Topic::Everything],
    "Where these rules leave something open, the federation's official rules of chess decide. A tournament may change \
     rules; players ask if nothing is posted.",
);
