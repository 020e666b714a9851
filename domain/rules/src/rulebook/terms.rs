//! Terms of a book, for judging: values, without rule numbers and prose.
//!
//! [`books`](super::books) has common terms, and the changes of each book.

use super::{Ladder, Topic};
use crate::{Game, TimeControl};

pub use super::illegal_ply_terms::{
    IllegalClaimedBy, IllegalCost, IllegalPlyTerms, IllegalWindow, KingBesideKing,
};

/// The values of one book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Game of the book.
    pub game: Game,
    /// The time control that the book names.
    pub time: StandardTime,
    /// Completion of a move.
    pub completion: Completion,
    /// Illegal plies.
    pub illegal: IllegalPlyTerms,
    /// Consequence of a king beside the other king.
    pub king_beside_king: KingBesideKing,
    /// Claims about set-up and clock settings.
    pub set_up: SetUpTerms,
    /// Meaning of a king capture.
    pub king_capture: KingCapture,
    /// Time of handing a captured piece to the partner.
    pub passing: Passing,
    /// Captures that may not be hidden.
    pub hiding: Hiding,
    /// Condition for waiting for a piece of the partner's.
    pub waiting: Waiting,
    /// Conditions of a claim on time.
    pub flag: FlagTerms,
    /// Consequence of two fallen flags.
    pub both_flags: BothFlags,
    /// Material that a claimant needs; `None` if the book requires none.
    pub material: Option<MatingMaterial>,
    /// Draws, beside both flags.
    pub draws: &'static [DrawRule],
    /// Claimant of a repetition or of fifty moves.
    pub draw_claims: DrawClaims,
    /// Hand that presses.
    pub hands: Hands,
    /// Consequence of a touched piece.
    pub touch: Touch,
    /// Condition for directors' calls.
    pub td_calls: TdCalls,
    /// Condition for claims of insufficient losing chances.
    pub losing_chances: LosingChances,
    /// Treatment of a pawn left on its last rank.
    pub promotion: Promotion,
    /// Duty to bring a clock.
    pub bring_clock: BringClock,
    /// A player who is later than this, in seconds, loses; none when the book names no time.
    pub late_forfeit_s: Option<u32>,
    /// Penalties of offences.
    pub ladders: &'static [Ladder],
}

/// The time control that a book names; an event may announce another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StandardTime {
    /// Time of each player, in seconds; none when each event announces it.
    pub base_s: Option<u32>,
    /// Limits of the time that an event may announce.
    pub limits: TimeLimits,
    /// Delay, in seconds.
    pub delay: StandardDelay,
    /// Kinds of delay that the book knows.
    pub kinds: DelayKinds,
}

/// The limits of a player's time: that of all periods, and sixty times the increment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeLimits {
    /// The book names none.
    None,
    /// More than `over_s` and less than `under_s`.
    Between {
        /// Too little, in seconds.
        over_s: u32,
        /// Too much, in seconds.
        under_s: u32,
    },
    /// At most so many seconds.
    AtMost {
        /// The most, in seconds.
        most_s: u32,
    },
}

impl TimeLimits {
    /// Moves of a game for which an increment counts.
    const MOVES: u32 = 60;

    /// Whether a time control is within the limits: its periods, and the increment of sixty moves.
    #[must_use]
    pub fn allow(self, time: &TimeControl) -> bool {
        let periods = time.periods().iter().map(|period| period.base_s);
        let added_s = time.increment_s().saturating_mul(TimeLimits::MOVES);
        let total_s = periods.fold(added_s, u32::saturating_add);
        match self {
            TimeLimits::None => true,
            TimeLimits::Between { over_s, under_s } => over_s < total_s && total_s < under_s,
            TimeLimits::AtMost { most_s } => total_s <= most_s,
        }
    }
}

/// The kinds of delay that a book knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelayKinds {
    /// The book does not name kinds.
    Unsaid,
    /// Time is given for each move, before or after it, and none is saved up: no increment.
    NoneThatAddsUp,
}

/// The delay that a book names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandardDelay {
    /// None.
    None,
    /// Each event names its own, with an increment or none.
    Announced,
    /// A delay where the clock has one, none elsewhere.
    WherePossible {
        /// Seconds.
        delay_s: u32,
    },
    /// A delay; the base is then shorter by `shorter_s`.
    WithShorterBase {
        /// Seconds.
        delay_s: u32,
        /// Seconds taken from the base of a clock that delays.
        shorter_s: u32,
    },
}

/// Completion of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Completion {
    /// By starting the opponent's clock.
    Pressed,
    /// By releasing the piece and pressing the clock.
    ReleasedAndPressed,
    /// By releasing the piece.
    Released,
    /// A legal move when the piece has been released, an illegal one when the clock has been pressed.
    ReleasedIfLegalElsePressed,
}

/// Claims about set-up and clock settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetUpTerms {
    /// Whether the book knows such claims.
    pub claimable: bool,
    /// Whether a director may shorten a clock set too long, even later.
    pub long_clock_reducible: bool,
    /// End of the claim window.
    pub until: SetUpWindow,
    /// Castling of a king that was set up on the queen's square.
    pub castling: WrongKingCastling,
    /// Whether a director may restart the game.
    pub restart_by_td: bool,
    /// Whether pieces that stood wrongly are put right by a new game, not on the board.
    pub new_game: bool,
}

/// End of the window for claims about set-up and clock settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetUpWindow {
    /// Each side has completed so many moves.
    EachSideMoved(u8),
    /// The game is over.
    WholeGame,
}

/// Castling of a king that was set up on the queen's square and stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongKingCastling {
    /// The other way round.
    OtherWayRound,
    /// Not allowed.
    Lost,
    /// The book says nothing.
    NotRuled,
}

/// Meaning of a king capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KingCapture {
    /// After an unanswered illegal ply of the opponent's it wins like a claim.
    Wins,
    /// The same, if the king was in check and the taker has mating material.
    WinsInCheck,
    /// No claim: the claim has to be called.
    NoClaim,
}

/// Time of handing a captured piece to the partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Passing {
    /// After the capturing player has started the opponent's clock, whatever completes a move.
    AfterPress,
    /// Captured pieces leave the game.
    NoPartner,
}

/// Captures that may not be hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hiding {
    /// Captures of either player of the team.
    EitherPlayers,
    /// Captures of the partner.
    Partners,
    /// Captured pieces leave the game.
    NoReserve,
}

/// Condition for waiting for a piece of the partner's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Waiting {
    /// Whenever on move.
    OnMove,
    /// Only in a check that a supplied piece could block and nothing held can.
    InBlockableCheck,
    /// No supply.
    NobodySupplies,
}

/// Conditions of a claim on time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlagTerms {
    /// State of the claimant's own flag.
    pub own_flag: OwnFlag,
    /// Whether a stalemate beats a claim made at the same time.
    pub stalemate_first: bool,
}

/// State of the flag of a claimant on time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OwnFlag {
    /// Still up when the clock has been stopped.
    UpWhenStopped,
    /// The same, unless a director or an independent witness saw the opponent's flag fall.
    UpWhenStoppedOrWitnessed,
    /// Still up when the claim is made.
    UpWhenClaimed,
    /// The book does not ask for it.
    NotRuled,
}

/// Consequence of two fallen flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BothFlags {
    /// A draw, unless a mate is given before it is noticed.
    Draw,
    /// A draw when a player says so before mate or stalemate.
    DrawWhenClaimed,
    /// The book says nothing.
    NotRuled,
}

/// Sufficient mating material.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatingMaterial {
    /// Two minor pieces, a pawn, a rook or a queen.
    TwoMinors,
    /// The same, but two knights against a bare king are not enough.
    TwoMinorsButKnights,
    /// Whatever can mate by some series of legal moves.
    PossibleMate,
}

/// Claimant of a repetition or of fifty moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DrawClaims {
    /// Either player, of the position on the board.
    EitherPlayer,
    /// The player on move, of the position on the board or of the one after a move that is written down and not made.
    PlayerOnMove,
}

/// A rule that draws a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DrawRule {
    /// Agreement of both teams, while the match is played.
    AgreementOfTeams,
    /// Agreement of both players.
    AgreementOfPlayers,
    /// Stalemate.
    Stalemate,
    /// A flag or an illegal ply against an opponent without mating material.
    NoMatingMaterial,
    /// A position without a possible win.
    DeadPosition,
    /// The same position three times.
    Repetition,
    /// The same position three times, counted aloud.
    RepetitionCounted,
    /// The same position three times, shown by a score sheet.
    RepetitionOnScoreSheet,
    /// The same position five times, without a claim.
    FivefoldRepetition,
    /// Fifty moves without a capture or a pawn move.
    FiftyMoves,
    /// The same, shown by a score sheet.
    FiftyMovesOnScoreSheet,
    /// Seventy-five moves without a capture or a pawn move, without a claim.
    SeventyFiveMoves,
    /// An illegal position that still stands after the next completed move.
    IllegalPosition,
    /// One identical piece each.
    IdenticalPieces,
    /// Bishops of opposite colours with one pawn.
    OppositeBishopsWithOnePawn,
    /// Bishops of opposite colours with two pawns against one, blockaded.
    OppositeBishopsBlockaded,
    /// A pawn that the defending king stops.
    StoppedPawn,
    /// Rook and rook pawn against rook, with the pawn blockaded by the king.
    RookAndRookPawn,
    /// A clearly drawn position, put to the director.
    DirectorsDraw,
}

impl DrawRule {
    /// The topic that it is cited under. A book without a clause on it takes it over from the rules of chess, by its
    /// clause on [`Topic::Drawing`] or [`Topic::Everything`].
    #[must_use]
    pub const fn topic(self) -> Topic {
        match self {
            DrawRule::AgreementOfTeams | DrawRule::AgreementOfPlayers => Topic::Agreement,
            DrawRule::Stalemate => Topic::Stalemate,
            DrawRule::NoMatingMaterial => Topic::MaterialDraw,
            DrawRule::DeadPosition => Topic::Drawing,
            DrawRule::Repetition
            | DrawRule::RepetitionCounted
            | DrawRule::RepetitionOnScoreSheet => Topic::Repetition,
            DrawRule::FiftyMoves | DrawRule::FiftyMovesOnScoreSheet => Topic::FiftyMoves,
            DrawRule::FivefoldRepetition | DrawRule::SeventyFiveMoves => Topic::AutomaticDraw,
            DrawRule::IllegalPosition => Topic::IllegalPosition,
            DrawRule::IdenticalPieces => Topic::IdenticalPieces,
            DrawRule::OppositeBishopsWithOnePawn | DrawRule::OppositeBishopsBlockaded => {
                Topic::OppositeBishops
            }
            DrawRule::StoppedPawn => Topic::StoppedPawn,
            DrawRule::RookAndRookPawn => Topic::RookAndRookPawn,
            DrawRule::DirectorsDraw => Topic::AskingForDraw,
        }
    }
}

/// Hand that presses the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hands {
    /// The hand that moved; one hand for everything but castling.
    OneExceptCastling,
    /// The hand that moved; one hand for everything.
    OneAlways,
    /// The book says nothing.
    NotRuled,
}

/// Consequence of a touched piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Touch {
    /// No consequence.
    NotRuled,
    /// A piece that was let go stays.
    ReleasedStays,
    /// A touched piece on the board must be moved or taken; pieces beside it may be touched, and a dropped one stays.
    OnBoardOnly,
    /// Moving another piece and pressing is an offence.
    PenaltyAfterPress,
    /// The touched piece must be moved or taken.
    MustMove,
}

/// Condition for directors to call illegal plies and flags of their own accord.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TdCalls {
    /// Never.
    Never,
    /// After agreement with the players before the game.
    ByAgreement,
    /// Whenever a director sees one: the book demands it.
    Always,
}

/// Condition for claims of insufficient losing chances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LosingChances {
    /// Never.
    Never,
    /// Only where the event announced it, and in these endings.
    IfAnnounced {
        /// The endings in which it is upheld, unless there is a forced win.
        endings: &'static [DrawRule],
    },
    /// On a clock without delay, with so little time left.
    WithoutDelay {
        /// Maximum time left, in seconds.
        at_most_s: u32,
        /// Maximum time of the claimant on a substitute clock, in seconds: half of the remaining time, but no more.
        substitute_at_most_s: u32,
    },
}

/// Treatment of a pawn left on its last rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Promotion {
    /// The pawn lies on its side, is what was announced, and is a pawn again when captured.
    PawnOnItsSide,
    /// The same; a spare piece upright is preferred.
    SparePiecePreferred,
    /// The piece is put there; the opponent may start the player's clock again.
    ClockRestarted,
    /// The piece is put there; the opponent may only stop the clocks.
    ClockStopped,
    /// The piece is put there; the book says nothing more.
    Replaced,
    /// The pawn becomes a queen, and its player has made an illegal move.
    IllegalBecomesQueen,
}

/// Duty to bring a clock, and the consequence of a missing one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BringClock {
    /// Each player; without one, both lose that game.
    BothLoseGame,
    /// Each player; without one, both lose both games.
    BothLoseBothGames,
    /// Each team; a team without one loses to a team with one, and both lose without any.
    ByTeam,
    /// Black's choice, by an order of preference; a director may supply one.
    ByPreference,
    /// Black chooses among standard timers.
    BlackChooses,
    /// The book says nothing.
    NotRuled,
}
