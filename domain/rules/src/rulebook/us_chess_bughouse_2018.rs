//! US Chess Scholastic Bughouse Rules, January 2018: the default for scholastic bughouse.

use super::{ClaimKind, Clause, Entry, Finding, Offence, Setting, Topic, common};

pub(super) const CLAUSES: &[Clause] = &[
    common::TEAMS.at("1"),
    common::MATCH_FORMAT.at("2"),
    common::COLOURS.at("3"),
    Clause::new(
        "4",
        &[Topic::TimeControl, Topic::Delay],
        "Five minutes a side for the whole game, without delay.",
    )
    .detects(&[Finding::ClockSetWrong])
    .sets(&[Setting::TimeControl]),
    common::NO_CLOCK.at("5"),
    common::CLOCK_COMPLETES.at("6"),
    common::MATCH_END.at("7"),
    Clause::new(
        "8",
        &[Topic::IllegalPly],
        "A player who completes an illegal move loses if the opponent claims it in the proper way.",
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
    Clause::new(
        "10c",
        &[Topic::Promotion, Topic::PromotedCaptured],
        "The pawn stays on the board, laid on its side, and the player announces what it has become. When it is \
         captured, it is a pawn again.",
    )
    .detects(&[Finding::IllegalMove]),
    Clause::new(
        "11",
        &[Topic::Hiding],
        "Pieces that either player of the team captured stay in sight. Hiding any brings a warning, and the second \
         time loses the game.",
    )
    .detects(&[Finding::HiddenPiece])
    .keeps(&[Offence::HiddenPiece]),
    Clause::new(
        "12",
        &[Topic::Partners],
        "Partners may talk and suggest moves at any time. Moving a piece of the partner's is forbidden and can cost \
         the game or the match.",
    )
    .keeps(&[Offence::PartnersPieceMoved]),
    common::CLOCK_HAND.at("13"),
    Clause::new(
        "14",
        &[Topic::TouchingClock, Topic::ClockStraightened],
        "Apart from pressing it after a move and straightening it, players leave the clock alone.",
    )
    .keeps(&[Offence::ClockTouched]),
    common::KNOCKED_OVER.at("14a"),
    common::NOT_STARTED.at("14b"),
    common::KEEPING_FREE.at("14c"),
    common::WINNING.at("15"),
    Clause::new(
        "15a",
        &[Topic::Mate, Topic::Waiting],
        "Mate wins. A player on move may let time run while waiting for the partner to supply a piece, as long as \
         there is time.",
    )
    .detects(&[Finding::Mate, Finding::BlockableCheck]),
    common::RESIGNATION.at("15b"),
    Clause::new(
        "15c",
        &[Topic::FlagClaim, Topic::ClaimOrder],
        "A player who notices and says that the opponent's flag is down, and stops the clock with the own flag still up, wins unless the game \
         was over. An own illegal move does not prevent it if the time claim comes \
         first; if both claims come together, the illegal move loses.",
    )
    .detects(&[Finding::FlagFallen])
    .assists(&[ClaimKind::FlagFall, ClaimKind::IllegalPly]),
    Clause::new(
        "15d",
        &[Topic::IllegalClaim],
        "After an illegal move the opponent wins by taking the king, or by stopping the clock and saying so.",
    )
    .detects(&[Finding::KingCaptured, Finding::StoppedWithOpenClaim])
    .assists(&[ClaimKind::IllegalPly]),
    common::DRAWING.at("16"),
    common::TEAMS_AGREE.at("16a"),
    common::BOTH_FLAGS.at("16b"),
    Clause::new(
        "17",
        &[Topic::Displaced],
        "A player who displaces pieces puts them back on the own time; the opponent may start that player's clock without moving. Knocking \
         pieces over and pressing is an offence. It costs a warning first (or a minute for the opponent whose flag fell by it), then a minute, \
         then the game. After that it costs what the TD sees fit, up to expulsion.",
    )
    .detects(&[Finding::DisplacedPieces, Finding::PressWithoutMove, Finding::PressAfterDisplacing])
    .assists(&[ClaimKind::Displaced])
    .keeps(&[Offence::PressAfterDisplacing]),
    Clause::new(
        "18",
        &[Topic::Dispute, Topic::Appeal],
        "A player may stop the clock to call a TD. The TD hears the two players and witnesses who are unbiased and \
         can be relied on. A player may appeal, first to the section chief and then to the floor chief, who has the \
         last word.",
    )
    .enters(&[Entry::Ruling, Entry::Appeal]),
    common::TD_AND_CLOCK.at("19"),
    Clause::new(
        "20",
        &[Topic::Spectators, Topic::TdCalls],
        "No one outside a game may speak about it or interfere; if someone does, the TD may have it played again \
         and send the person out. Pointing out flags and illegal moves is up to the players, and TDs do not do it.",
    )
    .keeps(&[Offence::Interference])
    .enters(&[Entry::Ruling])
    .sets(&[Setting::SilentAlerts]),
    common::DEFECTIVE_CLOCKS.at("21"),
    common::BANGING.at("22"),
    common::NO_LOSING_CHANCES.at("23"),
    Clause::new(
        "24",
        &[Topic::Everything],
        "Where these rules leave something open, the federation's current rules of chess and their published changes decide.",
    ),
];
