//! MCSC bughouse rules: a club's rules with local changes. The source has no rule 7.

use super::{Clause, Entry, Finding, Offence, Setting, Topic, common};

pub(super) const CLAUSES: &[Clause] = &[
    Clause::new(
        "1",
        &[Topic::Teams],
        "Exactly two players make a team. No one may stand in for either of them during the whole tournament.",
    )
    .keeps(&[Offence::Substitute])
    .sets(&[Setting::Seats]),
    Clause::new(
        "2",
        &[Topic::MatchFormat, Topic::MatchEnd, Topic::ClockPreference],
        "Partners play against partners on two boards, one with White and one with Black, each board with a clock, \
         digital rather than analog. The first mate or fall of a flag on either board ends the game, and the winner's \
         team has won it.",
    )
    .detects(&[Finding::PliesAfterEnd])
    .sets(&[Setting::Boards]),
    Clause::new(
        "3",
        &[Topic::Colours, Topic::SwitchingBoards],
        "The team settles which partner has White and which has Black. Once a game has begun, partners do not change \
         boards.",
    )
    .keeps(&[Offence::BoardsSwitched])
    .sets(&[Setting::Seats]),
    common::FIVE_MINUTES_WITH_DELAY.at("4"),
    Clause::new(
        "5",
        &[Topic::BringClock],
        "Each team brings a clock. A team without one loses to a team that has one; without any clock both teams lose.",
    )
    .keeps(&[Offence::NoClock])
    .enters(&[Entry::Result]),
    Clause::new(
        "6",
        &[Topic::Completion, Topic::TouchMove],
        "A piece that was let go stays, unless the move is illegal. A move is complete when the piece is let go and the \
         clock is pressed; before the press the opponent may not move.",
    )
    .detects(&[Finding::MissedPress, Finding::EarlyPress, Finding::OutOfTurn]),
    common::ILLEGAL_LOSES.at("8"),
    common::ANSWERED.at("8 I"),
    common::INSPECTION.at("8 II"),
    common::UNNOTICED_AND_SWAPPED.at("8 III"),
    common::PASSING.at("9"),
    common::MOVES_AND_DROPS.at("10"),
    common::DROP_SQUARES.at("10 I"),
    common::DROP_CHECKS_AND_BLOCKS.at("10 II"),
    common::PROMOTED_CAPTURED.at("10 III"),
    common::HIDING.at("11"),
    common::PARTNERS.at("12"),
    common::CLOCK_HAND.at("13"),
    common::TOUCHING_CLOCK.at("14"),
    common::STRAIGHTENING.at("14 I"),
    common::KNOCKED_OVER.at("14 II"),
    common::NOT_STARTED.at("14 III"),
    common::KEEPING_FREE.at("14 IV"),
    common::WINNING.at("15"),
    common::MATE.at("15 I"),
    common::WAITING.at("15 II"),
    common::RESIGNATION.at("15 III"),
    common::FLAG.at("15 IV"),
    common::KING_TAKEN_OR_STOPPED.at("15 V"),
    common::CLAIM_ORDER.at("15 VI"),
    common::DRAWING.at("16"),
    common::TEAMS_AGREE.at("16 I"),
    common::BOTH_FLAGS.at("16 II"),
    common::DISPLACED.at("17"),
    common::DISPUTE.at("18"),
    common::TD_AND_CLOCK.at("19"),
    common::SPECTATORS_AND_AGREED_CALLS.at("20"),
    Clause::new(
        "21",
        &[Topic::Promotion],
        "The pawn stays on the board, laid on its side, and the player says clearly what it has become. By the club's local \
         rule a spare piece is put there upright instead, if one is quickly found; a rook upside down is a queen.",
    )
    .detects(&[Finding::IllegalMove]),
    common::DEFECTIVE_CLOCKS.at("22"),
    common::BANGING.at("23"),
    common::NO_LOSING_CHANCES.at("24"),
    Clause::new(
        "25",
        &[Topic::Everything],
        "Where these rules leave something open, the federation's official rules of chess, fifth edition, decide.",
    ),
];
