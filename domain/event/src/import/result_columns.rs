//! Result columns of pairings and results: one column seen from the first side, or one of each side.

use rules::standings::Side;

use super::{
    Field, Problem,
    delimited::{Row, Table},
    draft::Draft,
    newest::{StatedPairing, StatedResult, StatedRound},
    outcome_text,
    pairings::note,
};
use crate::Names;

/// Result of a row. None when it cannot be read, with that noted.
pub(super) fn result(
    draft: &mut Draft<'_>,
    table: &Table,
    row: &Row,
    section: &str,
) -> Option<StatedResult> {
    if !table.has(Field::Result) && !table.has(Field::SecondResult) {
        return Some(StatedResult::Unsaid);
    }
    let own = table.get(row, Field::Result).unwrap_or_default();
    if own.is_empty() && table.get(row, Field::SecondResult).is_some() {
        let what = "only the second side has a result";
        note(draft, table, row, Field::Result, what, "fill in the first side's");
        return None;
    }
    let text = match table.get(row, Field::SecondResult) {
        Some(other) if !own.is_empty() => format!("{own}-{other}"),
        _ => own.to_owned(),
    };
    let games = draft.event().sections().get(section).map_or(1, |it| it.terms.games_per_round);
    match outcome_text::read(&text, games) {
        outcome_text::OutcomeReading::NoneYet => Some(StatedResult::NoneYet),
        outcome_text::OutcomeReading::Outcomes(outcomes) => Some(StatedResult::Outcomes(outcomes)),
        outcome_text::OutcomeReading::MadeADate(outcomes) => {
            let result = outcome_text::outcomes_to_text(&outcomes);
            let what = format!("{text:?} is what a spreadsheet makes of {result}, and is read so");
            let todo = "set the column's format to text";
            let header = Some(table.header(Field::Result));
            draft.note(Problem::error(Some(row.line), header, what, todo).warning());
            Some(StatedResult::Outcomes(outcomes))
        }
        outcome_text::OutcomeReading::Wrong(what, todo) => {
            note(draft, table, row, Field::Result, &what, todo);
            None
        }
    }
}

/// The result beside a bye as its entrant sees it; none where there is none yet. `word_at`: the side with the bye's word.
pub(super) fn beside_bye(table: &Table, row: &Row, word_at: Field) -> Option<String> {
    let is_first = word_at == Field::First;
    let text = match is_first && table.has(Field::SecondResult) {
        true => table.get(row, Field::SecondResult)?.to_owned(),
        false if is_first => turned(table.get(row, Field::Result)?),
        false => table.get(row, Field::Result)?.to_owned(),
    };
    Some(text).filter(|text| !matches!(text.as_str(), "*" | "-"))
}

/// A result seen from the other side, where it has both.
fn turned(text: &str) -> String {
    let dash = |it: char| matches!(it, '-' | ':' | '–');
    match text.split_once(dash).filter(|(_, other)| !other.contains(dash)) {
        Some((one, other)) => format!("{}-{}", other.trim(), one.trim()),
        None => text.to_owned(),
    }
}

/// Warns of a round whose results, in a column of each side, are the points that the sides have before it: some lists of
/// pairings have such columns.
pub(super) fn doubt_points(
    draft: &mut Draft<'_>,
    table: &Table,
    section: &str,
    round: u8,
    stated: &StatedRound,
) {
    let Ok(results) = draft.event().results(section, Names::Hidden) else { return };
    let are_points = |pairing: &StatedPairing| {
        let StatedResult::Outcomes(outcomes) = &pairing.result else { return false };
        [Side::First, Side::Second].into_iter().zip(&pairing.sides).all(|(side, numbers)| {
            let stated: u32 = outcomes.iter().map(|it| it.points(side).half_points()).sum();
            let before = |&number| {
                results.score(number, round.saturating_sub(1)).map_or(0, |it| it.half_points())
            };
            numbers.iter().all(|number| before(number) == stated)
        })
    };
    let has_two = table.has(Field::SecondResult) && !stated.pairings.is_empty();
    if has_two && stated.pairings.iter().all(are_points) {
        let what = format!(
            "{section}, round {round}: each result is the number of points that the two have before the round"
        );
        let todo = "if the columns are points and no results, take them out of the file";
        let column = Some(table.header(Field::Result));
        draft.note(Problem::error(None, column, what, todo).warning());
    }
}
