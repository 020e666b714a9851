//! Which rule of which book an anomaly serves.

use crate::output::AnomalyCode;

/// The rule that an anomaly serves, as `<rulebook> <number>`; none where the book has no such rule.
pub(super) fn rule(rulebook: &str, code: AnomalyCode) -> Option<String> {
    // Books that are known in whole say it themselves.
    if let Some(book) = rules::rulebook::rulebook(rulebook) {
        return book.anomaly_rule(code.code()).map(|number| book.cite(number));
    }
    let number = match rulebook {
        "mcsc-bughouse" => mcsc_bughouse(code),
        "uscf-bughouse" => uscf_bughouse(code),
        "nc-bughouse" => nc_bughouse(code),
        "us-chess-blitz-2020" => us_chess_blitz_2020(code),
        "nc-blitz" => nc_blitz(code),
        "nc-scholastic" => nc_scholastic(code),
        _ => None,
    }?;
    Some(format!("{rulebook} {number}"))
}

fn mcsc_bughouse(code: AnomalyCode) -> Option<&'static str> {
    use AnomalyCode::*;
    match code {
        IllegalMove | ClockSetWrong | SetupWrong => Some("8"),
        MissedPress | EarlyPress | OutOfTurn => Some("6"),
        EarlyPass => Some("9"),
        HiddenPiece => Some("11"),
        ClockHand => Some("13"),
        ClockKnockedOver | DoublePress | ClockHover => Some("14"),
        FlagFallen => Some("15"),
        BothFlags => Some("16"),
        DisplacedPieces | PressWithoutMove | PressAfterDisplacing => Some("17"),
        ClockJump | ClockDrift => Some("22"),
        TouchMove | SensorFault => None,
    }
}

fn uscf_bughouse(code: AnomalyCode) -> Option<&'static str> {
    use AnomalyCode::*;
    match code {
        IllegalMove => Some("8"),
        MissedPress | EarlyPress | OutOfTurn => Some("6"),
        ClockSetWrong | SetupWrong => Some("8b"),
        EarlyPass => Some("9"),
        HiddenPiece => Some("11"),
        ClockHand => Some("13"),
        ClockKnockedOver => Some("14b"),
        DoublePress => Some("14c"),
        ClockHover => Some("14d"),
        FlagFallen => Some("15"),
        BothFlags => Some("16b"),
        DisplacedPieces | PressWithoutMove | PressAfterDisplacing => Some("17"),
        ClockJump | ClockDrift => Some("22"),
        TouchMove | SensorFault => None,
    }
}

fn nc_bughouse(code: AnomalyCode) -> Option<&'static str> {
    use AnomalyCode::*;
    match code {
        IllegalMove | ClockSetWrong | SetupWrong => Some("8"),
        // A move is complete when the piece is released, and a piece on the board must stay there.
        TouchMove | EarlyPress => Some("6"),
        EarlyPass => Some("9"),
        HiddenPiece => Some("11"),
        ClockHand => Some("13"),
        ClockKnockedOver | DoublePress | ClockHover => Some("14"),
        FlagFallen => Some("15"),
        BothFlags => Some("16"),
        DisplacedPieces | PressWithoutMove | PressAfterDisplacing => Some("17"),
        ClockJump | ClockDrift => Some("22"),
        MissedPress | OutOfTurn | SensorFault => None,
    }
}

fn us_chess_blitz_2020(code: AnomalyCode) -> Option<&'static str> {
    use AnomalyCode::*;
    match code {
        IllegalMove => Some("3b"),
        ClockSetWrong => Some("3"),
        SetupWrong => Some("3a"),
        ClockHand => Some("4"),
        ClockKnockedOver => Some("6b"),
        DoublePress => Some("6c"),
        ClockHover => Some("6e"),
        FlagFallen => Some("7"),
        BothFlags => Some("8c"),
        DisplacedPieces | PressWithoutMove | PressAfterDisplacing => Some("9"),
        TouchMove => Some("10"),
        MissedPress | EarlyPress | OutOfTurn | EarlyPass | HiddenPiece | ClockJump | ClockDrift
        | SensorFault => None,
    }
}

fn nc_blitz(code: AnomalyCode) -> Option<&'static str> {
    use AnomalyCode::*;
    match code {
        IllegalMove => Some("14"),
        ClockSetWrong => Some("2"),
        SetupWrong => Some("19"),
        ClockHand => Some("3"),
        ClockKnockedOver | DoublePress | ClockHover => Some("5"),
        FlagFallen => Some("6"),
        BothFlags => Some("8"),
        DisplacedPieces | PressWithoutMove | PressAfterDisplacing => Some("9"),
        TouchMove => Some("15"),
        ClockJump | ClockDrift => Some("18"),
        MissedPress | EarlyPress | OutOfTurn | EarlyPass | HiddenPiece | SensorFault => None,
    }
}

fn nc_scholastic(code: AnomalyCode) -> Option<&'static str> {
    use AnomalyCode::*;
    match code {
        TouchMove => Some("4"),
        IllegalMove => Some("5"),
        FlagFallen | BothFlags => Some("9"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_cited_with_its_book() {
        let cited = rule("us-chess-bughouse-2018", AnomalyCode::ClockHand);
        assert_eq!(cited.as_deref(), Some("us-chess-bughouse-2018 13"));
        assert_eq!(rule("nc-blitz", AnomalyCode::ClockHand).as_deref(), Some("nc-blitz 3"));
    }

    #[test]
    fn touching_a_piece_is_an_offence_only_where_a_book_says_so() {
        assert_eq!(rule("us-chess-bughouse-2018", AnomalyCode::TouchMove), None);
        let cited = rule("us-chess-blitz-2020", AnomalyCode::TouchMove);
        assert_eq!(cited.as_deref(), Some("us-chess-blitz-2020 10"));
    }

    #[test]
    fn an_unknown_rulebook_has_no_rules_to_cite() {
        assert_eq!(rule("house-rules", AnomalyCode::IllegalMove), None);
    }
}
