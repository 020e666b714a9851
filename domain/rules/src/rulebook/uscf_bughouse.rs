//! The federation's older bughouse rules, which the other bughouse books grew from.

use super::{ClaimKind, Clause, Finding, Setting, Topic, common};

pub(super) const CLAUSES: &[Clause] = &[
    common::TEAMS.at("1"),
    common::MATCH_FORMAT.at("2"),
    common::COLOURS.at("3"),
    Clause::new(
        "4",
        &[Topic::TimeControl, Topic::Delay],
        "Five minutes a side for the whole game. No delay is named.",
    )
    .detects(&[Finding::ClockSetWrong])
    .sets(&[Setting::TimeControl]),
    common::NO_CLOCK.at("5"),
    common::CLOCK_COMPLETES.at("6"),
    common::MATCH_END.at("7"),
    Clause::new(
        "8",
        &[Topic::IllegalPly],
        "An illegal move loses if it is caught on the first move after it.",
    )
    .detects(&[Finding::IllegalMove])
    .assists(&[ClaimKind::IllegalPly]),
    common::ANSWERED.at("8a"),
    common::INSPECTION.at("8b"),
    common::UNNOTICED_AND_SWAPPED.at("8c"),
    common::PASSING.at("9"),
    common::MOVES_AND_DROPS.at("10"),
    common::DROP_SQUARES.at("10a"),
    common::DROP_CHECKS.at("10b"),
    common::PROMOTED_CAPTURED.at("10c"),
    common::HIDING.at("11"),
    common::PARTNERS.at("12"),
    common::CLOCK_HAND.at("13"),
    common::TOUCHING_CLOCK.at("14"),
    common::STRAIGHTENING.at("14a"),
    common::KNOCKED_OVER.at("14b"),
    common::NOT_STARTED.at("14c"),
    common::KEEPING_FREE.at("14d"),
    common::WINNING.at("15"),
    Clause::new("15a", &[], "A player wins in these ways."),
    common::MATE.at("15a1"),
    common::WAITING.at("15a1a"),
    common::RESIGNATION.at("15a2"),
    common::FLAG.at("15a3"),
    common::KING_TAKEN_OR_STOPPED.at("15a4"),
    common::CLAIM_ORDER.at("15a5"),
    common::DRAWING.at("16"),
    common::TEAMS_AGREE.at("16a"),
    common::BOTH_FLAGS.at("16b"),
    common::DISPLACED.at("17"),
    common::DISPUTE.at("18"),
    common::TD_AND_CLOCK.at("19"),
    common::SPECTATORS_AND_AGREED_CALLS.at("20"),
    common::PROMOTED_LIES.at("21"),
    common::DEFECTIVE_CLOCKS.at("22"),
    common::BANGING.at("23"),
    common::NO_LOSING_CHANCES.at("24"),
];
