//! The books, each as what it changes. This is the page to read.
//!
//! [`BUGHOUSE`] is the older federation's book, which the other bughouse books grew from; [`BLITZ`] is what the two
//! blitz books share; the books of the Laws of Chess have the page [`fide_books`](super::fide_books). Every value that is written here has a clause of the same
//! book behind it, or the book leaves it to the rules of chess. The clauses stand in one file a book.

use super::fide_books::{FIDE_BLITZ, FIDE_BLITZ_SUPERVISED, FIDE_RAPID, FIDE_RAPID_SUPERVISED};
use super::ladders::{
    BANGING, CLOCK_HAND, CLOCK_KNOCKED_OVER, DELAY_WHERE_POSSIBLE, HIDDEN_PIECE, MINUTE_S,
    NO_CLOCK, PARTNERS_PIECE, displacing, standard,
};
use super::{
    BookId, FlagOf, Ladder, Offence, Penalty, Rulebook, mcsc_bughouse, nc_blitz, nc_bughouse,
    nc_scholastic, terms::*, us_chess_blitz_2020, us_chess_bughouse_2018, uscf_bughouse,
};
use crate::Game;

impl BookId {
    /// The book itself.
    #[must_use]
    pub const fn book(self) -> &'static Rulebook {
        match self {
            BookId::UsChessBughouse2018 => &US_CHESS_BUGHOUSE_2018,
            BookId::McscBughouse => &MCSC_BUGHOUSE,
            BookId::UscfBughouse => &USCF_BUGHOUSE,
            BookId::NcBughouse => &NC_BUGHOUSE,
            BookId::UsChessBlitz2020 => &US_CHESS_BLITZ_2020,
            BookId::NcBlitz => &NC_BLITZ,
            BookId::NcScholastic => &NC_SCHOLASTIC,
            BookId::FideRapid2023 => &FIDE_RAPID,
            BookId::FideRapidSupervised2023 => &FIDE_RAPID_SUPERVISED,
            BookId::FideBlitz2023 => &FIDE_BLITZ,
            BookId::FideBlitzSupervised2023 => &FIDE_BLITZ_SUPERVISED,
        }
    }
}

/// Common terms of the bughouse books.
const BUGHOUSE: Terms = Terms {
    game: Game::Bughouse,
    time: StandardTime {
        base_s: Some(5 * MINUTE_S),
        limits: TimeLimits::None,
        delay: StandardDelay::None,
        kinds: DelayKinds::Unsaid,
    },
    completion: Completion::Pressed,
    illegal: IllegalPlyTerms {
        costs: IllegalCost::Game,
        window: IllegalWindow::AnswerPressed,
        claimed_by: IllegalClaimedBy::Stopping,
        order_with_flag: true,
    },
    king_beside_king: KingBesideKing::Illegal,
    set_up: SetUpTerms {
        claimable: true,
        long_clock_reducible: true,
        until: SetUpWindow::EachSideMoved(1),
        castling: WrongKingCastling::OtherWayRound,
        restart_by_td: false,
        new_game: false,
    },
    king_capture: KingCapture::Wins,
    passing: Passing::AfterPress,
    hiding: Hiding::Partners,
    waiting: Waiting::InBlockableCheck,
    flag: FlagTerms { own_flag: OwnFlag::UpWhenStopped, stalemate_first: false },
    both_flags: BothFlags::Draw,
    material: None,
    draws: &[DrawRule::AgreementOfTeams],
    draw_claims: DrawClaims::EitherPlayer,
    hands: Hands::OneExceptCastling,
    touch: Touch::NotRuled,
    td_calls: TdCalls::ByAgreement,
    losing_chances: LosingChances::Never,
    promotion: Promotion::PawnOnItsSide,
    bring_clock: BringClock::BothLoseGame,
    late_forfeit_s: None,
    ladders: &[
        NO_CLOCK,
        HIDDEN_PIECE,
        PARTNERS_PIECE,
        CLOCK_HAND,
        CLOCK_KNOCKED_OVER,
        displacing(FlagOf::Offender),
        BANGING,
    ],
};

const US_CHESS_2018: Terms = Terms {
    illegal: IllegalPlyTerms {
        claimed_by: IllegalClaimedBy::StoppingAndSaying,
        ..BUGHOUSE.illegal
    },
    waiting: Waiting::OnMove,
    hiding: Hiding::EitherPlayers,
    td_calls: TdCalls::Never,
    ladders: &[
        NO_CLOCK,
        HIDDEN_PIECE,
        Ladder { offence: Offence::PartnersPieceMoved, steps: &[Penalty::LosesGameOrMatch] },
        CLOCK_HAND,
        CLOCK_KNOCKED_OVER,
        displacing(FlagOf::Opponent),
        BANGING,
    ],
    ..BUGHOUSE
};

const USCF: Terms = BUGHOUSE;

const MCSC: Terms = Terms {
    time: DELAY_WHERE_POSSIBLE,
    completion: Completion::ReleasedAndPressed,
    touch: Touch::ReleasedStays,
    promotion: Promotion::SparePiecePreferred,
    bring_clock: BringClock::ByTeam,
    ladders: &[
        Ladder { offence: Offence::NoClock, steps: &[Penalty::LosesMatch] },
        HIDDEN_PIECE,
        PARTNERS_PIECE,
        CLOCK_HAND,
        CLOCK_KNOCKED_OVER,
        displacing(FlagOf::Offender),
        BANGING,
    ],
    ..BUGHOUSE
};

const NC: Terms = Terms {
    time: DELAY_WHERE_POSSIBLE,
    completion: Completion::Released,
    illegal: IllegalPlyTerms { claimed_by: IllegalClaimedBy::Saying, ..BUGHOUSE.illegal },
    king_capture: KingCapture::NoClaim,
    touch: Touch::OnBoardOnly,
    ..BUGHOUSE
};

/// Common terms of the two blitz books, beside those of bughouse.
const BLITZ: Terms = Terms {
    game: Game::Chess,
    completion: Completion::ReleasedIfLegalElsePressed,
    illegal: IllegalPlyTerms {
        window: IllegalWindow::AnswerReleased,
        claimed_by: IllegalClaimedBy::StoppingAndSaying,
        ..BUGHOUSE.illegal
    },
    passing: Passing::NoPartner,
    hiding: Hiding::NoReserve,
    waiting: Waiting::NobodySupplies,
    ..BUGHOUSE
};

const BLITZ_2020: Terms = Terms {
    king_beside_king: KingBesideKing::ClaimantLoses,
    set_up: SetUpTerms { long_clock_reducible: false, ..BLITZ.set_up },
    king_capture: KingCapture::WinsInCheck,
    flag: FlagTerms { own_flag: OwnFlag::UpWhenStoppedOrWitnessed, ..BLITZ.flag },
    material: Some(MatingMaterial::TwoMinors),
    draws: &[
        DrawRule::Stalemate,
        DrawRule::AgreementOfPlayers,
        DrawRule::NoMatingMaterial,
        DrawRule::DeadPosition,
        DrawRule::Repetition,
        DrawRule::FiftyMoves,
    ],
    hands: Hands::OneAlways,
    touch: Touch::PenaltyAfterPress,
    td_calls: TdCalls::Never,
    losing_chances: LosingChances::IfAnnounced {
        endings: &[
            DrawRule::IdenticalPieces,
            DrawRule::OppositeBishopsWithOnePawn,
            DrawRule::StoppedPawn,
            DrawRule::RookAndRookPawn,
        ],
    },
    promotion: Promotion::ClockRestarted,
    bring_clock: BringClock::BlackChooses,
    ladders: &[
        standard(Offence::ClockHand),
        standard(Offence::ClockKnockedOver),
        standard(Offence::ClockHover),
        standard(Offence::ClockTouched),
        standard(Offence::PressAfterDisplacing),
        standard(Offence::TouchMove),
        standard(Offence::PawnLeftOnLastRank),
        standard(Offence::Conduct),
    ],
    ..BLITZ
};

const NC_BLITZ_TERMS: Terms = Terms {
    time: DELAY_WHERE_POSSIBLE,
    illegal: IllegalPlyTerms { claimed_by: IllegalClaimedBy::Saying, ..BLITZ.illegal },
    king_beside_king: KingBesideKing::Forfeits,
    set_up: SetUpTerms { restart_by_td: true, ..BLITZ.set_up },
    king_capture: KingCapture::NoClaim,
    flag: FlagTerms { stalemate_first: true, ..BLITZ.flag },
    material: Some(MatingMaterial::TwoMinorsButKnights),
    draws: &[
        DrawRule::Stalemate,
        DrawRule::AgreementOfPlayers,
        DrawRule::RepetitionCounted,
        DrawRule::IdenticalPieces,
        DrawRule::NoMatingMaterial,
        DrawRule::OppositeBishopsWithOnePawn,
        DrawRule::OppositeBishopsBlockaded,
        DrawRule::StoppedPawn,
        DrawRule::RookAndRookPawn,
        DrawRule::DirectorsDraw,
        // From the rules of chess.
        DrawRule::DeadPosition,
        DrawRule::FiftyMoves,
    ],
    touch: Touch::MustMove,
    promotion: Promotion::ClockStopped,
    bring_clock: BringClock::BothLoseBothGames,
    ladders: &[
        Ladder { offence: Offence::NoClock, steps: &[Penalty::LosesBothGames] },
        CLOCK_HAND,
        CLOCK_KNOCKED_OVER,
        displacing(FlagOf::Offender),
        Ladder { offence: Offence::AskedForDraw, steps: &[Penalty::Time { penalty_s: MINUTE_S }] },
        BANGING,
    ],
    ..BLITZ
};

/// A tournament game is no blitz: nothing is taken over.
const NC_SCHOLASTIC_TERMS: Terms = Terms {
    game: Game::Chess,
    time: StandardTime {
        base_s: None,
        limits: TimeLimits::None,
        delay: StandardDelay::WithShorterBase { delay_s: 5, shorter_s: 5 * MINUTE_S },
        kinds: DelayKinds::NoneThatAddsUp,
    },
    completion: Completion::Pressed,
    illegal: IllegalPlyTerms {
        costs: IllegalCost::Reinstated { opponent_s: 2 * MINUTE_S },
        window: IllegalWindow::LastMoves(10),
        claimed_by: IllegalClaimedBy::Saying,
        order_with_flag: false,
    },
    king_beside_king: KingBesideKing::Illegal,
    set_up: SetUpTerms {
        claimable: false,
        long_clock_reducible: false,
        until: SetUpWindow::EachSideMoved(1),
        castling: WrongKingCastling::NotRuled,
        restart_by_td: false,
        new_game: false,
    },
    king_capture: KingCapture::NoClaim,
    passing: Passing::NoPartner,
    hiding: Hiding::NoReserve,
    waiting: Waiting::NobodySupplies,
    flag: FlagTerms { own_flag: OwnFlag::UpWhenClaimed, stalemate_first: false },
    both_flags: BothFlags::DrawWhenClaimed,
    // The appendix asks for mating material and does not say what it is; the rules of chess have this.
    material: Some(MatingMaterial::TwoMinorsButKnights),
    draws: &[
        DrawRule::AgreementOfPlayers,
        DrawRule::NoMatingMaterial,
        DrawRule::RepetitionOnScoreSheet,
        DrawRule::FiftyMovesOnScoreSheet,
        // From the rules of chess.
        DrawRule::Stalemate,
        DrawRule::DeadPosition,
    ],
    draw_claims: DrawClaims::EitherPlayer,
    hands: Hands::NotRuled,
    touch: Touch::MustMove,
    td_calls: TdCalls::Never,
    losing_chances: LosingChances::WithoutDelay {
        at_most_s: 2 * MINUTE_S,
        substitute_at_most_s: MINUTE_S,
    },
    promotion: Promotion::Replaced,
    bring_clock: BringClock::ByPreference,
    late_forfeit_s: Some(30 * MINUTE_S),
    ladders: &[
        Ladder {
            offence: Offence::WrongDrawClaim,
            steps: &[Penalty::TimeToOpponent { opponent_s: 2 * MINUTE_S }],
        },
        Ladder {
            offence: Offence::WrongLosingChances,
            steps: &[Penalty::TimeFromOffender { offender_s: MINUTE_S }],
        },
        Ladder { offence: Offence::LateArrival, steps: &[Penalty::LosesGame] },
        Ladder { offence: Offence::Conduct, steps: &[Penalty::ByChoice] },
    ],
};

pub(super) static US_CHESS_BUGHOUSE_2018: Rulebook = Rulebook {
    id: BookId::UsChessBughouse2018,
    title: "US Chess Scholastic Bughouse Rules, January 2018",
    terms: US_CHESS_2018,
    clauses: us_chess_bughouse_2018::CLAUSES,
};

pub(super) static MCSC_BUGHOUSE: Rulebook = Rulebook {
    id: BookId::McscBughouse,
    title: "MCSC bughouse rules: a club's local rules",
    terms: MCSC,
    clauses: mcsc_bughouse::CLAUSES,
};

pub(super) static USCF_BUGHOUSE: Rulebook = Rulebook {
    id: BookId::UscfBughouse,
    title: "USCF bughouse rules, the older ones",
    terms: USCF,
    clauses: uscf_bughouse::CLAUSES,
};

pub(super) static NC_BUGHOUSE: Rulebook = Rulebook {
    id: BookId::NcBughouse,
    title: "North Carolina bughouse rules",
    terms: NC,
    clauses: nc_bughouse::CLAUSES,
};

pub(super) static US_CHESS_BLITZ_2020: Rulebook = Rulebook {
    id: BookId::UsChessBlitz2020,
    title: "US Chess blitz rules, chapter 11 of 2020",
    terms: BLITZ_2020,
    clauses: us_chess_blitz_2020::CLAUSES,
};

pub(super) static NC_BLITZ: Rulebook = Rulebook {
    id: BookId::NcBlitz,
    title: "North Carolina blitz rules",
    terms: NC_BLITZ_TERMS,
    clauses: nc_blitz::CLAUSES,
};

pub(super) static NC_SCHOLASTIC: Rulebook = Rulebook {
    id: BookId::NcScholastic,
    title: "North Carolina scholastic tournament rules, with the USCF clock rules",
    terms: NC_SCHOLASTIC_TERMS,
    clauses: nc_scholastic::CLAUSES,
};
