//! Lists of pairings and of results.
//!
//! A side is a pairing number or a name, two of them with `/` or `&` between where partners rotate, or a bye. A text is
//! first searched among the entrants and only then among the words for byes, and an absence gives no points. A round
//! that follows the open ones is opened. Entries that the event has already are not proposed again, so that a list may be
//! read once more with its results filled in.

use std::collections::BTreeMap;

use rules::standings::EntrantNumber;

use super::{
    Field, Problem, ROWS_MAX, bye_text,
    delimited::{self, Row, Table},
    draft::Draft,
    mapping::List,
    newest::{StatedBye, StatedPairing, StatedResult, StatedRound, meeting_of},
    number_of,
    numbers::{ROUND_WORDS, TABLE_WORDS, labelled_number},
    result_columns::{self, result},
};
use crate::{PairingId, PlayerId, Section, SectionKind};

/// Reads a list of pairings.
pub(super) fn read_pairings(draft: &mut Draft<'_>, bytes: &[u8]) {
    let Some(table) = delimited::read(draft, bytes, List::Pairings) else { return };
    let mut labels: Vec<String> =
        table.rows.iter().filter_map(|row| label(draft, &table, row)).collect();
    labels.truncate(ROWS_MAX);
    draft.list_tables(labels, 0);
    let mut rounds: BTreeMap<(String, u8), StatedRound> = BTreeMap::new();
    for row in &table.rows {
        read_pairing(draft, &table, row, &mut rounds);
    }
    for ((section, round), line, stated) in in_order(rounds) {
        let opened = draft.event().sections().get(&section).map_or(0, |it| it.opened);
        let column = table.header(Field::Round).to_owned();
        if round > opened + 1 {
            let what = format!(
                "round {round} of {section} comes after round {}, which is not open",
                opened + 1
            );
            let todo = "correct the round, or bring the rounds in their order";
            draft.note(Problem::error(line, Some(&column), what, todo));
        } else if draft.open_rounds(line, &column, &section, round) {
            result_columns::doubt_points(draft, &table, &section, round, &stated);
            draft.put_round(&section, round, stated);
        }
    }
}

/// The rounds with their first lines: sections in the order of the list, and the rounds of each in their own.
fn in_order(
    rounds: BTreeMap<(String, u8), StatedRound>,
) -> Vec<((String, u8), Option<u64>, StatedRound)> {
    let first_line = |stated: &StatedRound| {
        let of_pairings = stated.pairings.iter().map(|it| it.line);
        of_pairings.chain(stated.byes.iter().map(|it| it.line)).flatten().min()
    };
    let mut sections: BTreeMap<String, Option<u64>> = BTreeMap::new();
    for ((section, _), stated) in &rounds {
        let line = first_line(stated);
        let known = sections.entry(section.clone()).or_insert(line);
        *known = line.min(*known);
    }
    let mut rounds: Vec<_> =
        rounds.into_iter().map(|(key, stated)| (key, first_line(&stated), stated)).collect();
    rounds.sort_by_key(|((section, _), ..)| sections.get(section).copied().flatten());
    rounds
}

/// Reads a list of results.
pub(super) fn read_results(draft: &mut Draft<'_>, bytes: &[u8]) {
    let Some(table) = delimited::read(draft, bytes, List::Results) else { return };
    let mut seen: BTreeMap<PairingId, (u64, String)> = BTreeMap::new();
    for row in &table.rows {
        let Some((section, round)) = section_and_round(draft, &table, row) else { continue };
        let Some(label) = label(draft, &table, row) else {
            note(draft, &table, row, Field::Table, "the row has no table", "fill it in");
            continue;
        };
        let at =
            |pairing: &crate::Pairing| pairing.table == label || pairing.board_label() == label;
        let found = draft.event().round(&section, round).find(|(_, pairing)| at(pairing));
        let Some((pairing, known)) = found.map(|(id, it)| (id, it.clone())) else {
            let what = format!("no pairing has table {label} in round {round} of {section}");
            note(draft, &table, row, Field::Table, &what, "correct the table or the round");
            continue;
        };
        let Some(mut stated) = result(draft, &table, row, &section) else { continue };
        if !turn_to(draft, &table, row, &section, &known, &mut stated) {
            continue;
        }
        let text = [Field::Result, Field::SecondResult]
            .map(|it| table.get(row, it).unwrap_or_default())
            .join("-");
        match seen.get(&pairing) {
            Some((_, earlier)) if *earlier == text => {}
            Some((line, earlier)) => {
                let what = format!("line {line} has the result {earlier:?} for the same pairing");
                note(draft, &table, row, Field::Result, &what, "keep the line that is right");
            }
            None => {
                seen.insert(pairing, (row.line, text));
                draft.put_result(Some(row.line), table.header(Field::Result), pairing, stated);
            }
        }
    }
}

/// Compares the sides of a row of results with those of the pairing, if it has any, and turns the result where they
/// are named the other way. False when they are others, with that noted.
fn turn_to(
    draft: &mut Draft<'_>,
    table: &Table,
    row: &Row,
    section: &str,
    known: &crate::Pairing,
    stated: &mut StatedResult,
) -> bool {
    let (Some(first), Some(second)) = (table.get(row, Field::First), table.get(row, Field::Second))
    else {
        return true;
    };
    let sides = [(Field::First, first), (Field::Second, second)];
    let [Some(one), Some(other)] =
        sides.map(|(field, text)| side(draft, table, row, section, field, text))
    else {
        return false;
    };
    let sides = [one, other];
    if meeting_of(&sides) != meeting_of(&known.sides) {
        let [here, there] = [&known.sides, &sides].map(|sides| draft.meeting(section, sides));
        let what = format!("table {} has {here} and not {there}", known.table);
        note(draft, table, row, Field::First, &what, "correct the table or the sides");
        return false;
    }
    let mut first = sides[0].clone();
    let mut known = known.sides[0].clone();
    first.sort_unstable();
    known.sort_unstable();
    if first != known
        && let StatedResult::Outcomes(outcomes) = stated
    {
        outcomes.iter_mut().for_each(|outcome| *outcome = outcome.swapped());
    }
    true
}

fn read_pairing(
    draft: &mut Draft<'_>,
    table: &Table,
    row: &Row,
    rounds: &mut BTreeMap<(String, u8), StatedRound>,
) {
    let Some((section, round)) = section_and_round(draft, table, row) else { return };
    let Some(first) = table.need(draft, row, Field::First) else { return };
    let Some(second) = table.get(row, Field::Second) else {
        let what = "there is no opponent";
        let todo = format!("write who it is; if {first} does not play, {}", bye_text::LIST);
        note(draft, table, row, Field::Second, what, &todo);
        return;
    };
    let line = Some(row.line);
    match byes(draft, table, row, &section, [first, second]) {
        Some(Ok(byes)) => {
            rounds.entry((section, round)).or_default().byes.extend(byes);
            return;
        }
        Some(Err(Noted)) => return,
        None => {}
    }
    let sides = [(Field::First, first), (Field::Second, second)];
    let [Some(one), Some(other)] =
        sides.map(|(field, text)| side(draft, table, row, &section, field, text))
    else {
        return;
    };
    let sides = [one, other];
    let Some(place) = label(draft, table, row) else {
        note(draft, table, row, Field::Table, "the row has no table", "fill it in");
        return;
    };
    let board = table.get(row, Field::Board).and_then(number_of);
    let board = board.filter(|_| table.get(row, Field::Table).is_some());
    let Some(seats) = seats(draft, table, row, &section, &sides) else { return };
    let Some(result) = result(draft, table, row, &section) else { return };
    let column = table.header(Field::Table).to_owned();
    let stated = StatedPairing { line, column, sides, table: Some(place), board, seats, result };
    rounds.entry((section, round)).or_default().pairings.push(stated);
}

/// A row that cannot be read, which was noted.
struct Noted;

/// The byes of a row, if one of its sides is one. A name is a name first, whatever words it has.
fn byes(
    draft: &mut Draft<'_>,
    table: &Table,
    row: &Row,
    section: &str,
    [first, second]: [&str; 2],
) -> Option<Result<Vec<StatedBye>, Noted>> {
    for (who, word, field) in [(first, second, Field::Second), (second, first, Field::First)] {
        if !numbers(draft, section, word).is_empty() {
            continue;
        }
        match bye_text::read(word) {
            bye_text::ByeReading::Bye(bye, is_open) => {
                let beside = result_columns::beside_bye(table, row, field);
                let amount = beside.as_deref().and_then(bye_text::amount);
                let bye = amount.filter(|_| is_open).unwrap_or(bye);
                if let Some(beside) = beside.filter(|_| amount != Some(bye)) {
                    let what = format!("the row has the bye {word:?} and the result {beside:?}");
                    let todo = "leave the result out, or name the bye that it is";
                    note(draft, table, row, Field::Result, &what, todo);
                    return Some(Err(Noted));
                }
                let numbers = side(draft, table, row, section, Field::First, who);
                let (line, column) = (Some(row.line), table.header(field));
                let stated = |number| StatedBye { line, column: column.to_owned(), number, bye };
                return Some(match numbers {
                    Some(numbers) => Ok(numbers.into_iter().map(stated).collect()),
                    None => Err(Noted),
                });
            }
            bye_text::ByeReading::Unclear => {
                let what = format!(
                    "{word:?} is no entrant of section {section}, and no known kind of bye"
                );
                note(draft, table, row, field, &what, bye_text::LIST);
                return Some(Err(Noted));
            }
            bye_text::ByeReading::No => {}
        }
    }
    None
}

/// The section and round of a row.
fn section_and_round(draft: &mut Draft<'_>, table: &Table, row: &Row) -> Option<(String, u8)> {
    let named = table.get(row, Field::Section);
    let section = draft.section(Some(row.line), table.header(Field::Section), named)?;
    let text = table.need(draft, row, Field::Round)?;
    let Section { terms, .. } = draft.event().sections().get(&section)?;
    let rounds = terms.rounds;
    let round = number_of(text).or_else(|| labelled_number(text, ROUND_WORDS, 1));
    let round = round.and_then(|round| u8::try_from(round).ok());
    let round = round.filter(|round| (1..=rounds).contains(round));
    if round.is_none() {
        let what = format!("there is no round {text:?}: the section {section} has {rounds}");
        let is_double = text.split_once('.').is_some_and(|(round, game)| {
            [round, game].iter().all(|it| it.trim().parse::<u8>().is_ok())
        });
        let todo = match is_double {
            true => {
                "write the round alone, and the results of its games in one row with a blank between"
            }
            false => "correct the round",
        };
        note(draft, table, row, Field::Round, &what, todo);
    }
    Some((section, round?))
}

/// The table of a row, or else the board number, which then is the table. A table that the event lists is it; else
/// what a spreadsheet or a person made of it is taken off: `1.0`, `Table 1`.
fn label(draft: &Draft<'_>, table: &Table, row: &Row) -> Option<String> {
    let text = table.get(row, Field::Table).or_else(|| table.get(row, Field::Board))?;
    if draft.event().tables().iter().any(|it| it == text) {
        return Some(text.to_owned());
    }
    let number = number_of(text).or_else(|| labelled_number(text, TABLE_WORDS, 1));
    Some(number.map_or_else(|| text.to_owned(), |number| number.to_string()))
}

/// The pairing numbers that a text may mean: of more than one none is certain.
fn numbers(draft: &Draft<'_>, section: &str, text: &str) -> Vec<EntrantNumber> {
    let Some(known) = draft.event().sections().get(section) else { return Vec::new() };
    let by_name = named(draft, section, text);
    if !by_name.is_empty() {
        return by_name;
    }
    let number = number_of(text.trim_start_matches('#').trim()).map(EntrantNumber);
    let number = number.filter(|number| known.entrants.contains_key(number));
    if number.is_some() {
        return number.into_iter().collect();
    }
    // Some lists have points or ratings behind a name, and the number before it.
    let behind = [(')', '('), (']', '[')].iter().find_map(|&(end, start)| {
        text.strip_suffix(end)?.rsplit_once(start).filter(|it| is_figures(it.1))
    });
    if let Some((name, _)) = behind {
        return numbers(draft, section, name.trim());
    }
    let Some((number, name)) = text.split_once([' ', '.']) else { return Vec::new() };
    let number = number_of(number).map(EntrantNumber);
    let by_name = named(draft, section, name.trim_start_matches('.').trim());
    number.into_iter().filter(|number| by_name.contains(number)).collect()
}

/// The entrants with a name; else those whose surname, which a comma marks in the section or in the text, comes first in both.
fn named(draft: &Draft<'_>, section: &str, text: &str) -> Vec<EntrantNumber> {
    let named = draft.entrants_named(section, text);
    if !named.is_empty() {
        return named;
    }
    if let Some((last, first)) = text.split_once(',') {
        return draft.entrants_named(section, &format!("{} {}", last.trim(), first.trim()));
    }
    let with_comma = text.match_indices(' ').flat_map(|(at, _)| {
        let (last, first) = text.split_at(at);
        draft.entrants_named(section, &format!("{last},{first}"))
    });
    let mut all: Vec<EntrantNumber> =
        with_comma.filter(|&it| draft.side_name(section, &[it]).contains(',')).collect();
    all.dedup();
    all
}

/// Whether a text has nothing but points and ratings: `2`, `1½`, `1200 0.5`, `850P15`, `unr`.
fn is_figures(text: &str) -> bool {
    let is_figure = |word: &str| {
        matches!(word, "unr" | "unr." | "nnnn")
            || word.contains('½')
            || word.starts_with(|it: char| it.is_ascii_digit())
                && word.chars().all(|it| it.is_ascii_digit() || "½.,/Pp*".contains(it))
    };
    let mut words = text.split([' ', ',', ';']).filter(|word| !word.is_empty()).peekable();
    words.peek().is_some() && words.all(is_figure)
}

/// The pairing numbers of a side.
fn side(
    draft: &mut Draft<'_>,
    table: &Table,
    row: &Row,
    section: &str,
    field: Field,
    text: &str,
) -> Option<Vec<EntrantNumber>> {
    let rotating =
        draft.event().sections().get(section)?.terms.game == SectionKind::RotatingPartners;
    let parts: Vec<&str> =
        if rotating { text.split(['/', '&', '+']).collect() } else { vec![text] };
    let mut all = Vec::new();
    for part in parts.into_iter().map(str::trim) {
        match numbers(draft, section, part)[..] {
            [number] => all.push(number),
            [] => {
                let what = format!("{part:?} is no entrant of section {section}");
                let todo =
                    "correct the name, write the pairing number, enter them first, or name a bye";
                note(draft, table, row, field, &what, todo);
                return None;
            }
            ref several => {
                let several: Vec<String> = several.iter().map(ToString::to_string).collect();
                let what = format!("{part:?} is the name of more than one in section {section}");
                let todo = format!("write the pairing number: {}", several.join(" or "));
                note(draft, table, row, field, &what, &todo);
                return None;
            }
        }
    }
    Some(all)
}

/// Seats of the players, if the row names all players of the seats; empty if it names none. None when a name is wrong, with
/// that noted.
fn seats(
    draft: &mut Draft<'_>,
    table: &Table,
    row: &Row,
    section: &str,
    sides: &[Vec<EntrantNumber>; 2],
) -> Option<Vec<PlayerId>> {
    let fields = [Field::WhiteA, Field::BlackA, Field::WhiteB, Field::BlackB];
    let named: Vec<(Field, &str)> =
        fields.iter().filter_map(|&field| Some((field, table.get(row, field)?))).collect();
    let mut players = Vec::new();
    for side in sides {
        players.extend(draft.event().players_of(section, side));
    }
    let mut seats = Vec::new();
    for (field, name) in named {
        let known = draft.players_named(name);
        let mut here = players.iter().filter(|it| known.contains(it));
        let (Some(&player), None) = (here.next(), here.next()) else {
            let what = format!("{name:?} does not play here, or more than one is called so");
            note(draft, table, row, field, &what, "name a player of the two sides");
            return None;
        };
        seats.push(player);
    }
    Some(seats)
}

pub(super) fn note(
    draft: &mut Draft<'_>,
    table: &Table,
    row: &Row,
    field: Field,
    what: &str,
    todo: &str,
) {
    draft.note(Problem::error(Some(row.line), Some(table.header(field)), what, todo));
}
