//! The rounds of a report: two players' cells about one game make a pairing, and a cell without opponent is a bye.

use std::collections::BTreeMap;

use rules::standings::{ByeKind, EntrantNumber, Outcome, Side};

use super::{Cell, Line};
use crate::{
    PlayerId,
    import::{
        Problem,
        draft::Draft,
        newest::{StatedBye, StatedPairing, StatedResult, StatedRound},
    },
};

pub(super) fn read_round(
    draft: &mut Draft<'_>,
    section: &str,
    players: &BTreeMap<u32, Line>,
    index: usize,
) -> StatedRound {
    let cell = |rank: u32| players.get(&rank).and_then(|line| *line.rounds.get(index)?);
    let column = format!("round {}", index + 1);
    let mut stated = StatedRound::default();
    for (&rank, line) in players {
        let Some(own) = cell(rank) else { continue };
        let at = Some(line.line);
        if own.opponent == 0 {
            match bye_kind(own.result) {
                Some(bye) => {
                    let number = EntrantNumber(rank);
                    stated.byes.push(StatedBye { line: at, column: column.clone(), number, bye });
                }
                None => {
                    let what = format!("{:?} is no bye", own.result);
                    let todo = "write F, H, U or Z, or a blank for a round that is not played";
                    draft.note(Problem::error(at, Some(&column), what, todo));
                }
            }
            continue;
        }
        let Some(other) = cell(own.opponent).filter(|other| other.opponent == rank) else {
            let what = format!("the line of {} does not say that they met", own.opponent);
            draft.note(Problem::error(at, Some(&column), what, "correct one of the two lines"));
            continue;
        };
        if own.opponent < rank {
            continue;
        }
        let result = match result_of(rank, own, other) {
            Ok(result) => result,
            Err((what, todo)) => {
                draft.note(Problem::error(at, Some(&column), what, todo));
                continue;
            }
        };
        let sides = [vec![EntrantNumber(rank)], vec![EntrantNumber(own.opponent)]];
        let seats = seats(draft, section, rank, own, other);
        let (table, board) = (None, None);
        let column = column.clone();
        stated.pairings.push(StatedPairing {
            line: at,
            column,
            sides,
            table,
            board,
            seats,
            result,
        });
    }
    stated
}

/// The result of two lines about one game, or what is wrong and what to do.
fn result_of(rank: u32, own: Cell, other: Cell) -> Result<StatedResult, (String, &'static str)> {
    let opponent = own.opponent;
    if opponent == rank {
        let what = "the opponent is the player's own starting rank".to_owned();
        return Err((what, "write the opponent's"));
    }
    if own.color == other.color && matches!(own.color, 'w' | 'b') {
        let what = format!("{rank} and {opponent} have the same colour");
        return Err((what, "correct one of the two lines"));
    }
    outcome(own.result, other.result).ok_or_else(|| {
        let (one, other) = (own.result, other.result);
        let what = format!(
            "the results {one:?} and {other:?} of {rank} and {opponent} contradict each other"
        );
        (what, "correct one of the two lines")
    })
}

/// White and black of two lines about one game; none where neither states it.
fn seats(draft: &Draft<'_>, section: &str, rank: u32, own: Cell, other: Cell) -> Vec<PlayerId> {
    let first_is_white = match (own.color, other.color) {
        ('w', _) | (_, 'b') => true,
        ('b', _) | (_, 'w') => false,
        _ => return Vec::new(),
    };
    let mut seats =
        draft.event().players_of(section, &[EntrantNumber(rank), EntrantNumber(own.opponent)]);
    if !first_is_white {
        seats.reverse();
    }
    seats
}

/// The outcome for the first of two lines about one game; none when they contradict each other.
fn outcome(own: char, other: char) -> Option<StatedResult> {
    Some(StatedResult::Outcomes(vec![match (own, other) {
        ('1' | 'W', '0' | 'L') => Outcome::Win(Side::First),
        ('0' | 'L', '1' | 'W') => Outcome::Win(Side::Second),
        ('=' | 'D', '=' | 'D') => Outcome::Draw,
        ('0' | 'L', '0' | 'L') => Outcome::BothLose,
        ('=' | 'D', '0' | 'L') => Outcome::HalfAndNone(Side::First),
        ('0' | 'L', '=' | 'D') => Outcome::HalfAndNone(Side::Second),
        ('+', '-') => Outcome::ForfeitWin(Side::First),
        ('-', '+') => Outcome::ForfeitWin(Side::Second),
        ('-', '-') => Outcome::DoubleForfeit,
        (' ' | '*', ' ' | '*') => return Some(StatedResult::NoneYet),
        _ => return None,
    }]))
}

/// Points of a result without an opponent. The list is closed.
pub(super) const fn bye_kind(result: char) -> Option<ByeKind> {
    match result {
        'F' | 'U' | '+' | '1' | 'W' => Some(ByeKind::FullPoint),
        'H' | '=' | 'D' => Some(ByeKind::HalfPoint),
        'Z' | '-' | '0' | 'L' => Some(ByeKind::ZeroPoint),
        _ => None,
    }
}
