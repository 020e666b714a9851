//! Everything that judging reads from a book: values, without numbers and without prose.
//!
//! Each book is written in [`books`](super::books) as what it changes against what it shares.

use super::{Ladder, Topic};
use crate::Game;

pub use super::illegal_ply_terms::{
    IllegalClaimedBy, IllegalCost, IllegalPlyTerms, IllegalWindow, KingBesideKing,
};

/// The values of one book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Which game the book is for.
    pub game: Game,
    /// The time control that the book names.
    pub time: StandardTime,
    /// When a move is complete.
    pub completion: Completion,
    /// What an illegal ply costs and until when it can be claimed.
    pub illegal: IllegalPlyTerms,
    /// What a king beside the other king means.
    pub king_beside_king: KingBesideKing,
    /// Claims about set-up and clock settings.
    pub set_up: SetUpTerms,
    /// What taking a king means.
    pub king_capture: KingCapture,
    /// When a captured piece may be handed to the partner.
    pub passing: Passing,
    /// Whose captures may not be hidden.
    pub hiding: Hiding,
    /// When a player may let time run for a piece of the partner's.
    pub waiting: Waiting,
    /// What a claim on time needs.
    pub flag: FlagTerms,
    /// What two fallen flags mean.
    pub both_flags: BothFlags,
    /// What a claimant must be able to mate with; none when the book asks for nothing.
    pub material: Option<MatingMaterial>,
    /// What draws a game, beside both flags.
    pub draws: &'static [DrawRule],
    /// Which hand presses.
    pub hands: Hands,
    /// What a touched piece means.
    pub touch: Touch,
    /// Whether directors may call.
    pub td_calls: TdCalls,
    /// Whether insufficient losing chances can be claimed.
    pub losing_chances: LosingChances,
    /// What is done about a pawn left on its last rank.
    pub promotion: Promotion,
    /// Who brings a clock.
    pub bring_clock: BringClock,
    /// A player who is later than this, in seconds, loses; none when the book names no time.
    pub late_forfeit_s: Option<u32>,
    /// What offences cost.
    pub ladders: &'static [Ladder],
}

/// The time control that a book names; an event may announce another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StandardTime {
    /// Time of each player, in seconds; none when each event announces it.
    pub base_s: Option<u32>,
    /// Delay, in seconds.
    pub delay: StandardDelay,
    /// Which kinds of delay the book knows.
    pub kinds: DelayKinds,
}

/// The kinds of delay that a book knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelayKinds {
    /// It says nothing of kinds.
    Unsaid,
    /// Time is given for each move, before or after it, and none is saved up: no increment.
    NoneThatAddsUp,
}

/// The delay that a book names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandardDelay {
    /// None.
    None,
    /// So much where the clock can do it, none elsewhere.
    WherePossible {
        /// Seconds.
        delay_s: u32,
    },
    /// So much; the base is then shorter by `shorter_s`.
    WithShorterBase {
        /// Seconds.
        delay_s: u32,
        /// Seconds taken from the base of a clock that delays.
        shorter_s: u32,
    },
}

/// When a move is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Completion {
    /// When the opponent's clock has been started.
    Pressed,
    /// When the piece has been released and the clock pressed.
    ReleasedAndPressed,
    /// When the piece has been released.
    Released,
    /// A legal move when the piece has been released, an illegal one when the clock has been pressed.
    ReleasedIfLegalElsePressed,
}

/// Claims about set-up and clock settings: until each side has completed a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetUpTerms {
    /// Whether the book knows such claims.
    pub claimable: bool,
    /// Whether a director may shorten a clock set too long, even later.
    pub long_clock_reducible: bool,
    /// Whether a king and queen on each other's squares stay, and castle the other way round.
    pub swapped_castling: bool,
    /// Whether a director may have the game begun anew.
    pub restart_by_td: bool,
}

/// What taking a king means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KingCapture {
    /// After an unanswered illegal ply of the opponent's it wins like a claim.
    Wins,
    /// The same, if the king was in check and the taker has mating material.
    WinsInCheck,
    /// It is no claim: the claim has to be called.
    NoClaim,
}

/// When a captured piece may be handed to the partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Passing {
    /// When the capturing player has started the opponent's clock, whatever completes a move.
    AfterPress,
    /// Captured pieces leave the game.
    NoPartner,
}

/// Whose captures may not be hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hiding {
    /// Those of either player of the team.
    EitherPlayers,
    /// Those of the partner.
    Partners,
    /// Captured pieces leave the game.
    NoReserve,
}

/// When a player may let time run for a piece of the partner's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Waiting {
    /// Whenever on move.
    OnMove,
    /// Only in a check that a supplied piece could block and nothing held can.
    InBlockableCheck,
    /// Nobody supplies pieces.
    NobodySupplies,
}

/// What a claim on time needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlagTerms {
    /// What the claimant's own flag must be.
    pub own_flag: OwnFlag,
    /// Whether a stalemate beats a claim made at the same time.
    pub stalemate_first: bool,
}

/// What the flag of a claimant on time must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OwnFlag {
    /// Still up when the clock has been stopped.
    UpWhenStopped,
    /// The same, unless a director or an independent witness saw the opponent's flag fall.
    UpWhenStoppedOrWitnessed,
    /// Still up when the claim is made.
    UpWhenClaimed,
}

/// What two fallen flags mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BothFlags {
    /// A draw, unless somebody mates before it is noticed.
    Draw,
    /// A draw when a player says so before mate or stalemate.
    DrawWhenClaimed,
}

/// What is enough to mate with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatingMaterial {
    /// Two minor pieces, a pawn, a rook or a queen.
    TwoMinors,
    /// The same, but two knights against a bare king are not enough.
    TwoMinorsButKnights,
}

/// What draws a game.
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
    /// A position that nobody can win.
    DeadPosition,
    /// The same position three times.
    Repetition,
    /// The same position three times, counted aloud.
    RepetitionCounted,
    /// The same position three times, shown by a score sheet.
    RepetitionOnScoreSheet,
    /// Fifty moves without a capture or a pawn move.
    FiftyMoves,
    /// The same, shown by a score sheet.
    FiftyMovesOnScoreSheet,
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

/// Which hand presses the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hands {
    /// The hand that moved; one hand for everything but castling.
    OneExceptCastling,
    /// The hand that moved; one hand for everything.
    OneAlways,
    /// The book says nothing.
    NotRuled,
}

/// What a touched piece means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Touch {
    /// Nothing.
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

/// Whether directors may call illegal plies and flags of their own accord.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TdCalls {
    /// Never.
    Never,
    /// When it was agreed with the players before the game.
    ByAgreement,
}

/// Whether insufficient losing chances can be claimed.
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
        /// Most time left, in seconds.
        at_most_s: u32,
        /// Most time that the claimant keeps on a substitute clock, in seconds: half of what is left, but no more.
        substitute_at_most_s: u32,
    },
}

/// What is done about a pawn left on its last rank.
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
}

/// Who brings a clock, and what happens when there is none.
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
}
