//! Blitz under the FIDE Laws of Chess of 2023: Appendix B, with (B.2) and without (B.3) an arbiter for each game.
//!
//! B.3 takes over A.2, A.3 and A.5 of rapid chess, which keep their numbers. B.2 takes over nothing of Appendix A: so the penalties of
//! Articles 7 and 9 are two minutes there. (In the edition of 2018 they were one minute in all blitz, and the numbers were one higher.)

use super::{
    Clause, Offence, Setting, Topic,
    fide_laws::joined,
    fide_rapid::{NOTATION, SHOWN, TIME_PENALTY, UNSUPERVISED, WITH, WITHOUT},
};

/// Blitz without the supervision of B.2.
pub(super) const CLAUSES: [Clause; 48] = joined(&[
    &WITHOUT,
    &[NOTATION, TIME_PENALTY],
    &UNSUPERVISED,
    &[
        BLITZ,
        Clause::new(
            "B.3",
            &[Topic::Supervision],
            "Without such supervision A.2, A.3 and A.5 of rapid chess apply, and go before the Articles above.",
        )
        .sets(&[Setting::Supervision]),
        REGULATIONS,
    ],
]);

/// Blitz with the supervision of B.2.
pub(super) const SUPERVISED: [Clause; 42] = joined(&[
    &WITH,
    &[
        BLITZ,
        Clause::new(
            "B.2",
            &[Topic::Supervision, Topic::TimePenalty],
            "One arbiter watches one game, and it is recorded, if possible by electronic means: the Articles above apply as \
             they are, with their penalties of two minutes.",
        )
        .keeps(&[Offence::IllegalMove])
        .sets(&[Setting::Supervision]),
        Clause::new(
            "B.2.2",
            &[Topic::Notation],
            "The arbiter or an assistant keeps score of the game.",
        ),
        Clause::new("B.2.3", &[Topic::ScoreSheetShown], SHOWN).keeps(&[Offence::ScoreAsked]),
        REGULATIONS,
    ],
]);

const BLITZ: Clause = Clause::new(
    "B.1",
    &[Topic::TimeControl],
    "Each player has ten minutes or less for the game, counting sixty times the increment.",
)
.sets(&[Setting::TimeControl]);

const REGULATIONS: Clause = Clause::new(
    "B.4",
    &[Topic::Announcement],
    "The event announces in advance which of B.2 and B.3 applies, from its first to its last round.",
)
.sets(&[Setting::Supervision]);
