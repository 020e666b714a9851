//! Mate, stalemate, and both flags down.
//!
//! Topics: `Mate`, `Waiting`, `Stalemate`, `BothFlags`.

use rules::{
    BoardState,
    rulebook::{
        Topic,
        terms::{BothFlags, DrawRule},
    },
};

use crate::{
    act::Remedy,
    case::Case,
    claim::{Call, Timing, Verdict},
    draws,
    offences::illegality::is_illegal,
};

pub(super) fn mate(case: &Case<'_>, call: &Call) -> Verdict {
    let board = call.seat().board;
    let rule = case.cite(Topic::Mate);
    let Some((_, last)) = case.timeline.on_board(board).next_back() else {
        return Verdict::denied([rule], "Nothing has been played on this board.");
    };
    let loser = last.report.seat().opponent();
    if last.state == BoardState::BlockableCheck {
        let says =
            format!("After {} a piece from the partner could still block the check.", last.san);
        return Verdict::denied([case.cite(Topic::Waiting), rule], says);
    }
    if last.state != BoardState::Mate {
        let says = format!("After {} the king can get out of it.", last.san);
        return Verdict::denied([rule], says);
    }
    if is_illegal(case, last) {
        let says = format!("{} mates, but it was illegal and has not been answered.", last.san);
        let because = [rule, case.cite(Topic::IllegalClaim)];
        return Verdict::unclear(because, says).if_upheld(Remedy::LosesGame(loser));
    }
    let flags = case.flags(board).iter().any(Option::is_some);
    let says = match flags {
        true => format!("{} is mate, whatever the flags show.", last.san),
        false => format!("{} is mate.", last.san),
    };
    let over_flags = case.cite(Topic::BothFlags).filter(|_| flags);
    Verdict::upheld([rule, over_flags], says).if_upheld(Remedy::LosesGame(loser))
}

pub(super) fn stalemate(case: &Case<'_>, call: &Call) -> Verdict {
    let rule = case.cite(Topic::Stalemate);
    let board = call.seat().board;
    let Some((_, last)) = case.timeline.on_board(board).next_back() else {
        return Verdict::denied([rule], "Nothing has been played on this board.");
    };
    if last.state != BoardState::Stalemate {
        return Verdict::denied([rule], format!("After {} it is no stalemate.", last.san));
    }
    match draws::has_any(case, &[DrawRule::Stalemate]) {
        true => {
            let says = format!("{} leaves no legal ply and no check.", last.san);
            Verdict::upheld([rule], says).if_upheld(Remedy::Draw)
        }
        false => Verdict::denied([rule], "Stalemate draws no game under this book."),
    }
}

pub(super) fn both_flags(case: &Case<'_>, call: &Call) -> Verdict {
    let board = call.seat().board;
    let rule = case.cite(Topic::BothFlags);
    let last = case.timeline.on_board(board).next_back().map(|(_, ply)| ply);
    let ended = last.filter(|ply| match ply.state {
        BoardState::Mate => true,
        BoardState::Stalemate => case.terms().both_flags == BothFlags::DrawWhenClaimed,
        _ => false,
    });
    if let Some(ply) = ended {
        let says = format!("{} ended the game before the flags were noticed.", ply.san);
        let remedy = match ply.state {
            BoardState::Mate => Remedy::LosesGame(ply.report.seat().opponent()),
            _ => Remedy::Draw,
        };
        return Verdict::denied([rule], says).if_denied(remedy);
    }
    let down = case.flags(board).map(|flag| flag.is_some_and(|flag| flag.t_us <= call.stopped_us));
    match down {
        [true, true] => Verdict::upheld([rule], "Both flags are down.").if_upheld(Remedy::Draw),
        _ if case.clocks.reading(board).is_none() => {
            Verdict::unclear([rule], "No reading of the clock is known.").if_upheld(Remedy::Draw)
        }
        _ => Verdict::denied([rule], "Not both flags are down.").timed(Timing::TooEarly),
    }
}
