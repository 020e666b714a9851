//! Rapid chess under the FIDE Laws of Chess of 2023: Appendix A, with (A.4) and without (A.5) an arbiter for at most three games.

use super::{
    ClaimKind, Clause, Entry, Finding, Offence, Setting, Topic,
    fide_laws::{
        FLAG, ILLEGAL_WHENEVER_FOUND, IRREGULARITIES, MOVES_AND_CLOCKS, PENALTIES_AND_DRAWS,
        SET_UP, TIME_OVER, joined,
    },
};

/// Rapid without the supervision of A.4.
pub(super) const CLAUSES: [Clause; 48] =
    joined(&[&WITHOUT, &[RAPID, NOTATION, TIME_PENALTY, OTHERWISE], &UNSUPERVISED, &[REGULATIONS]]);

/// Rapid with the supervision of A.4.
pub(super) const SUPERVISED: [Clause; 43] = joined(&[
    &WITH,
    &[RAPID, NOTATION, TIME_PENALTY],
    &[
        Clause::new(
            "A.4",
            &[Topic::Supervision],
            "One arbiter watches at most three games, and each is recorded, if possible by electronic means: the Articles \
             above apply as they are.",
        )
        .sets(&[Setting::Supervision]),
        Clause::new(
            "A.4.3",
            &[Topic::ScoreSheetShown],
            SHOWN,
        )
        .keeps(&[Offence::ScoreAsked]),
    ],
    &[REGULATIONS],
]);

/// Articles of the Laws where an arbiter watches each game.
pub(super) const WITH: [Clause; 37] = joined(&[
    &MOVES_AND_CLOCKS,
    &[FLAG, TIME_OVER],
    IRREGULARITIES.split_at(4).0,
    &[SET_UP],
    IRREGULARITIES.split_at(4).1.split_at(2).0,
    &[ILLEGAL_WHENEVER_FOUND, IRREGULARITIES[7]],
    &PENALTIES_AND_DRAWS,
]);

/// Articles of the Laws where arbiters watch more games than that: the appendix takes the place of some.
pub(super) const WITHOUT: [Clause; 36] = joined(&[
    &MOVES_AND_CLOCKS,
    &[FLAG],
    IRREGULARITIES.split_at(4).0,
    &[SET_UP],
    IRREGULARITIES.split_at(4).1,
    &PENALTIES_AND_DRAWS,
]);

/// A.2.
pub(super) const NOTATION: Clause = Clause::new(
    "A.2",
    &[Topic::Notation],
    "Players need not keep score, and may all the same claim what a score sheet would show. The arbiter gives them one on \
     request.",
);

/// A.3.
pub(super) const TIME_PENALTY: Clause = Clause::new(
    "A.3",
    &[Topic::TimePenalty],
    "The two minutes that Articles 7 and 9 give the opponent are one minute.",
)
.keeps(&[Offence::IllegalMove]);

/// A player is shown the score: A.4.3 and B.2.3.
pub(super) const SHOWN: &str = "A player on move may ask the arbiter to be shown the score, at most five times a game. \
     Asking more often distracts the opponent.";

/// A.5.1 to A.5.5, which blitz without supervision takes over.
pub(super) const UNSUPERVISED: [Clause; 7] = [
    Clause::new(
        "A.5.1",
        &[Topic::SetUpLapses],
        "Once each side has completed ten moves, what was wrong at the start stays.",
    )
    .assists(&[ClaimKind::SetUp, ClaimKind::ClockSetting]),
    Clause::new(
        "A.5.1.1",
        &[],
        "The setting of the clocks stays then, unless the event's schedule would suffer.",
    )
    .assists(&[ClaimKind::ClockSetting]),
    Clause::new(
        "A.5.1.2",
        &[Topic::SwappedSetUp],
        "Set-up and orientation of the board cannot be claimed then. A king that stood wrongly may not castle, nor may a king castle with a rook \
         that stood wrongly.",
    )
    .detects(&[Finding::SetupWrong])
    .assists(&[ClaimKind::SetUp]),
    Clause::new(
        "A.5.2",
        &[Topic::IllegalClaim, Topic::IllegalClaimLapses, Topic::IllegalUnnoticed],
        "An arbiter who sees an illegal move, or what counts as one, acts until the opponent has made the next move. Until then the opponent may \
         claim it, too. After that it stays, unless the players agree to put it right.",
    )
    .detects(&[Finding::IllegalMove, Finding::StoppedWithOpenClaim])
    .assists(&[ClaimKind::IllegalPly]),
    Clause::new(
        "A.5.3",
        &[Topic::FlagClaim, Topic::MaterialDraw, Topic::MatingMaterial],
        "To win on time a player may stop the clocks and tell the arbiter. The game is drawn if the claimant could not mate \
         by any series of legal moves.",
    )
    .detects(&[Finding::FlagFallen])
    .assists(&[ClaimKind::FlagFall, ClaimKind::Material]),
    Clause::new(
        "A.5.4",
        &[Topic::IllegalPosition],
        "When both kings are in check, or a pawn is on its last rank, the arbiter waits until the next move is complete. If \
         the position is illegal still, the game is drawn.",
    )
    .detects(&[Finding::IllegalPosition])
    .enters(&[Entry::Result]),
    Clause::new("A.5.5", &[Topic::FlagCalled], "An arbiter who sees a flag fall also points it out.")
        .detects(&[Finding::FlagFallen]),
];

const RAPID: Clause = Clause::new(
    "A.1",
    &[Topic::TimeControl],
    "Each player has more than ten and less than sixty minutes for the game, counting sixty times the increment.",
)
.sets(&[Setting::TimeControl]);

const OTHERWISE: Clause = Clause::new(
    "A.5",
    &[Topic::Supervision],
    "Without such supervision the following applies, and goes before the Articles above.",
)
.sets(&[Setting::Supervision]);

const REGULATIONS: Clause = Clause::new(
    "A.6",
    &[Topic::Announcement],
    "The event announces in advance which of A.4 and A.5 applies, from its first to its last round.",
)
.sets(&[Setting::Supervision]);
