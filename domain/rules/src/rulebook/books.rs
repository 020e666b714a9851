//! The books, each as what it changes. This is the page to read.
//!
//! [`BUGHOUSE`] is the older federation's book, which the other bughouse books grew from; [`BLITZ`] is what the two
//! blitz books share, and [`FIDE`] what the four books of the Laws of Chess share. Every value that is written here has a clause of the same book behind it, or the book leaves it to
//! the rules of chess. The clauses stand in one file a book.

use super::{
    BookId, FlagOf, Ladder, Offence, Penalty, Rulebook, fide_blitz, fide_rapid, mcsc_bughouse,
    nc_blitz, nc_bughouse, nc_scholastic, terms::*, us_chess_blitz_2020, us_chess_bughouse_2018,
    uscf_bughouse,
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

/// Common terms of the four books of the FIDE Laws of Chess of 2023. They are no US blitz: nothing is taken over.
const FIDE: Terms = Terms {
    game: Game::Chess,
    time: RAPID_TIME,
    completion: Completion::Pressed,
    illegal: IllegalPlyTerms {
        costs: IllegalCost::ReinstatedThenGame { opponent_s: MINUTE_S },
        window: IllegalWindow::AnswerReleased,
        claimed_by: IllegalClaimedBy::Saying,
        order_with_flag: false,
    },
    king_beside_king: KingBesideKing::Illegal,
    set_up: SetUpTerms {
        claimable: true,
        long_clock_reducible: false,
        until: SetUpWindow::EachSideMoved(10),
        castling: WrongKingCastling::Lost,
        restart_by_td: false,
        new_game: true,
    },
    king_capture: KingCapture::NoClaim,
    passing: Passing::NoPartner,
    hiding: Hiding::NoReserve,
    waiting: Waiting::NobodySupplies,
    flag: FlagTerms { own_flag: OwnFlag::NotRuled, stalemate_first: false },
    both_flags: BothFlags::NotRuled,
    material: Some(MatingMaterial::PossibleMate),
    draws: &[
        DrawRule::Stalemate,
        DrawRule::AgreementOfPlayers,
        DrawRule::NoMatingMaterial,
        DrawRule::DeadPosition,
        DrawRule::Repetition,
        DrawRule::FivefoldRepetition,
        DrawRule::FiftyMoves,
        DrawRule::SeventyFiveMoves,
        DrawRule::IllegalPosition,
    ],
    draw_claims: DrawClaims::PlayerOnMove,
    hands: Hands::OneAlways,
    touch: Touch::MustMove,
    td_calls: TdCalls::Always,
    losing_chances: LosingChances::Never,
    promotion: Promotion::IllegalBecomesQueen,
    bring_clock: BringClock::NotRuled,
    late_forfeit_s: None,
    ladders: &const { fide_ladders(MINUTE_S) },
};

/// An arbiter watches the game and keeps its score: an illegal move is put right whenever it is found.
const FIDE_SUPERVISED: Terms = Terms {
    illegal: IllegalPlyTerms { window: IllegalWindow::WholeGame, ..FIDE.illegal },
    set_up: SetUpTerms {
        until: SetUpWindow::WholeGame,
        castling: WrongKingCastling::NotRuled,
        ..FIDE.set_up
    },
    draws: &[
        DrawRule::Stalemate,
        DrawRule::AgreementOfPlayers,
        DrawRule::NoMatingMaterial,
        DrawRule::DeadPosition,
        DrawRule::Repetition,
        DrawRule::FivefoldRepetition,
        DrawRule::FiftyMoves,
        DrawRule::SeventyFiveMoves,
    ],
    ladders: &const { fide_supervised_ladders(MINUTE_S) },
    ..FIDE
};

const FIDE_BLITZ_TERMS: Terms = Terms { time: BLITZ_TIME, ..FIDE };

/// The one minute of A.3 is not among what B.2 calls for: the two minutes of Articles 7 and 9 remain.
const FIDE_BLITZ_SUPERVISED_TERMS: Terms = Terms {
    time: BLITZ_TIME,
    illegal: IllegalPlyTerms {
        costs: IllegalCost::ReinstatedThenGame { opponent_s: 2 * MINUTE_S },
        ..FIDE_SUPERVISED.illegal
    },
    ladders: &const { fide_supervised_ladders(2 * MINUTE_S) },
    ..FIDE_SUPERVISED
};

const RAPID_TIME: StandardTime = StandardTime {
    base_s: None,
    limits: TimeLimits::Between { over_s: 10 * MINUTE_S, under_s: 60 * MINUTE_S },
    delay: StandardDelay::Announced,
    kinds: DelayKinds::Unsaid,
};

const BLITZ_TIME: StandardTime =
    StandardTime { limits: TimeLimits::AtMost { most_s: 10 * MINUTE_S }, ..RAPID_TIME };

/// Penalties under the Laws; `opponent_s` is what the opponent gets for an illegal move and for a wrong claim of a draw.
const fn fide_ladders(opponent_s: u32) -> [Ladder; 9] {
    let minutes: (&[Penalty], &[Penalty]) = match opponent_s {
        MINUTE_S => (
            &[Penalty::TimeToOpponent { opponent_s: MINUTE_S }, Penalty::LosesGame],
            &[Penalty::TimeToOpponent { opponent_s: MINUTE_S }],
        ),
        _ => (
            &[Penalty::TimeToOpponent { opponent_s: 2 * MINUTE_S }, Penalty::LosesGame],
            &[Penalty::TimeToOpponent { opponent_s: 2 * MINUTE_S }],
        ),
    };
    [
        Ladder { offence: Offence::IllegalMove, steps: minutes.0 },
        Ladder { offence: Offence::WrongDrawClaim, steps: minutes.1 },
        Ladder { offence: Offence::LateArrival, steps: &[Penalty::LosesGame] },
        by_choice(Offence::ClockHand),
        by_choice(Offence::ClockHover),
        by_choice(Offence::ClockTouched),
        by_choice(Offence::ClockKnockedOver),
        by_choice(Offence::PressAfterDisplacing),
        by_choice(Offence::Conduct),
    ]
}

/// The same, and the count of how often a player was shown the score: five times are allowed.
const fn fide_supervised_ladders(opponent_s: u32) -> [Ladder; 10] {
    let [a, b, c, d, e, f, g, h, i] = fide_ladders(opponent_s);
    let asked = Ladder {
        offence: Offence::ScoreAsked,
        steps: &[
            Penalty::Allowed,
            Penalty::Allowed,
            Penalty::Allowed,
            Penalty::Allowed,
            Penalty::Allowed,
            Penalty::ByChoice,
        ],
    };
    [a, b, c, d, e, f, g, h, i, asked]
}

const fn by_choice(offence: Offence) -> Ladder {
    Ladder { offence, steps: &[Penalty::ByChoice] }
}

/// One minute, the usual penalty, in seconds.
const MINUTE_S: u32 = 60;

const DELAY_WHERE_POSSIBLE: StandardTime = StandardTime {
    base_s: Some(5 * MINUTE_S),
    limits: TimeLimits::None,
    delay: StandardDelay::WherePossible { delay_s: 2 },
    kinds: DelayKinds::Unsaid,
};

const NO_CLOCK: Ladder = Ladder { offence: Offence::NoClock, steps: &[Penalty::LosesGame] };

const HIDDEN_PIECE: Ladder =
    Ladder { offence: Offence::HiddenPiece, steps: &[Penalty::Warning, Penalty::LosesGame] };

const PARTNERS_PIECE: Ladder =
    Ladder { offence: Offence::PartnersPieceMoved, steps: &[Penalty::LosesMatch] };

const CLOCK_HAND: Ladder = Ladder {
    offence: Offence::ClockHand,
    steps: &[Penalty::Warning, Penalty::Time { penalty_s: MINUTE_S }, Penalty::LosesGame],
};

const CLOCK_KNOCKED_OVER: Ladder = Ladder {
    offence: Offence::ClockKnockedOver,
    steps: &[Penalty::TimeToOpponent { opponent_s: MINUTE_S }],
};

const BANGING: Ladder = Ladder { offence: Offence::Banging, steps: &[Penalty::TimeByChoice] };

/// Displacing pieces and pressing; the first offence costs time when `flag` fell by it.
const fn displacing(flag: FlagOf) -> Ladder {
    Ladder {
        offence: Offence::PressAfterDisplacing,
        steps: match flag {
            FlagOf::Offender => &const { displacing_steps(FlagOf::Offender) },
            FlagOf::Opponent => &const { displacing_steps(FlagOf::Opponent) },
        },
    }
}

const fn displacing_steps(flag: FlagOf) -> [Penalty; 4] {
    [
        Penalty::WarningOrTime { opponent_s: MINUTE_S, flag },
        Penalty::TimeToOpponent { opponent_s: MINUTE_S },
        Penalty::LosesGame,
        Penalty::ByChoice,
    ]
}

/// The standard penalty of the federation's blitz rules.
const fn standard(offence: Offence) -> Ladder {
    Ladder {
        offence,
        steps: &[Penalty::TimeToOpponent { opponent_s: MINUTE_S }, Penalty::ByChoice],
    }
}

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

pub(super) static FIDE_RAPID: Rulebook = Rulebook {
    id: BookId::FideRapid2023,
    title: "FIDE Laws of Chess, 2023: rapid without full supervision (A.5)",
    terms: FIDE,
    clauses: &fide_rapid::CLAUSES,
};

pub(super) static FIDE_RAPID_SUPERVISED: Rulebook = Rulebook {
    id: BookId::FideRapidSupervised2023,
    title: "FIDE Laws of Chess, 2023: rapid with full supervision (A.4)",
    terms: FIDE_SUPERVISED,
    clauses: &fide_rapid::SUPERVISED,
};

pub(super) static FIDE_BLITZ: Rulebook = Rulebook {
    id: BookId::FideBlitz2023,
    title: "FIDE Laws of Chess, 2023: blitz without full supervision (B.3)",
    terms: FIDE_BLITZ_TERMS,
    clauses: &fide_blitz::CLAUSES,
};

pub(super) static FIDE_BLITZ_SUPERVISED: Rulebook = Rulebook {
    id: BookId::FideBlitzSupervised2023,
    title: "FIDE Laws of Chess, 2023: blitz with full supervision (B.2)",
    terms: FIDE_BLITZ_SUPERVISED_TERMS,
    clauses: &fide_blitz::SUPERVISED,
};
