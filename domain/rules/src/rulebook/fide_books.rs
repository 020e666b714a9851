//! The four books of the FIDE Laws of Chess, each as its difference from the one that they share, [`FIDE`].

use super::ladders::{MINUTE_S, by_choice};
use super::{BookId, Ladder, Offence, Penalty, Rulebook, fide_blitz, fide_rapid, terms::*};
use crate::Game;

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
