//! Lists of pairings and of results.
//!
//! A side is a pairing number or a name, two of them with `/` or `&` between where partners rotate, or a bye. A round
//! that follows the open ones is opened. What the event knows already is not told again, so that a list may be read
//! once more with its results filled in.

use rules::standings::{ByeKind, EntrantNumber, Outcome};

use super::{
    Field, Problem,
    delimited::{self, Row, Table},
    draft::Draft,
    mapping::List,
    outcome_text::outcomes_from_text,
};
use crate::{Deed, PairingId, Section, SectionKind, entering::same_name};

/// Reads a list of pairings.
pub(super) fn read_pairings(draft: &mut Draft<'_>, bytes: &[u8]) {
    let Some(table) = delimited::read(draft, bytes, List::Pairings) else { return };
    for row in &table.rows {
        read_pairing(draft, &table, row);
    }
}

/// Reads a list of results.
pub(super) fn read_results(draft: &mut Draft<'_>, bytes: &[u8]) {
    let Some(table) = delimited::read(draft, bytes, List::Results) else { return };
    for row in &table.rows {
        let Some((section, round)) = section_and_round(draft, &table, row) else { continue };
        let Some(outcomes) = result(draft, &table, row) else { continue };
        let Some(label) = table_label(&table, row) else {
            note(draft, &table, row, Field::Table, "the row has no table", "fill it in");
            continue;
        };
        let at =
            |pairing: &crate::Pairing| pairing.table == label || pairing.board_label() == label;
        let found = draft.event().round(&section, round).find(|(_, pairing)| at(pairing));
        let Some((pairing, _)) = found else {
            let what = format!("nobody is paired at table {label} in round {round} of {section}");
            note(draft, &table, row, Field::Table, &what, "correct the table or the round");
            continue;
        };
        enter_result(draft, &table, row, pairing, outcomes);
    }
}

fn read_pairing(draft: &mut Draft<'_>, table: &Table, row: &Row) {
    let Some((section, round)) = section_and_round(draft, table, row) else { return };
    let Some(first) = table.need(draft, row, Field::First) else { return };
    let second = table.get(row, Field::Second).unwrap_or("bye");
    if let Some(bye) = bye(second) {
        give_bye(draft, table, row, &section, round, first, bye);
        return;
    }
    let sides = [(Field::First, first), (Field::Second, second)];
    let [Some(one), Some(other)] =
        sides.map(|(field, text)| side(draft, table, row, &section, field, text))
    else {
        return;
    };
    let sides = [one, other];
    let Some(place) = table_label(table, row) else {
        note(draft, table, row, Field::Table, "the row has no table", "fill it in");
        return;
    };
    let board = table.get(row, Field::Board).and_then(|text| text.parse().ok());
    let board = board.filter(|_| table.get(row, Field::Table).is_some());
    let known = draft.event().round(&section, round).find(|(_, pairing)| pairing.sides == sides);
    let known = known.map(|(id, pairing)| (id, pairing.table.clone()));
    let place = place.to_owned();
    let column = Some(table.header(Field::Table));
    let pairing = match known {
        Some((id, at)) if at == place => id,
        Some((id, _)) => {
            let deed = Deed::PairingChanged { pairing: id, table: place, board, sides };
            if !draft.act(Some(row.line), column, deed) {
                return;
            }
            id
        }
        None => {
            let id = draft.next_pairing();
            let deed =
                Deed::PairingMade { pairing: id, section, round, table: place, board, sides };
            if !draft.act(Some(row.line), column, deed) {
                return;
            }
            id
        }
    };
    seat(draft, table, row, pairing);
    if table.get(row, Field::Result).is_some_and(|text| text != "*")
        && let Some(outcomes) = result(draft, table, row)
    {
        enter_result(draft, table, row, pairing, outcomes);
    }
}

/// The section and round of a row; the round is opened if it is the next one.
fn section_and_round(draft: &mut Draft<'_>, table: &Table, row: &Row) -> Option<(String, u8)> {
    let named = table.get(row, Field::Section);
    let section = draft.section(Some(row.line), table.header(Field::Section), named)?;
    let text = table.need(draft, row, Field::Round)?;
    let Section { terms, opened, .. } = draft.event().sections().get(&section)?;
    let (rounds, opened) = (terms.rounds, *opened);
    let round = text.parse::<u8>().ok().filter(|round| (1..=rounds).contains(round));
    let Some(round) = round else {
        let what = format!("there is no round {text:?}: the section {section} has {rounds}");
        note(draft, table, row, Field::Round, &what, "correct the round");
        return None;
    };
    if round > opened {
        let deed = Deed::RoundOpened { section: section.clone(), round };
        if !draft.act(Some(row.line), Some(table.header(Field::Round)), deed) {
            return None;
        }
    }
    Some((section, round))
}

/// The table of a row, or else the board number, which then is the table.
fn table_label<'row>(table: &Table, row: &'row Row) -> Option<&'row str> {
    table.get(row, Field::Table).or_else(|| table.get(row, Field::Board))
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
    let mut numbers = Vec::new();
    for part in parts.into_iter().map(str::trim) {
        let entrants = &draft.event().sections().get(section)?.entrants;
        let by_number = part.trim_start_matches('#').parse().map(EntrantNumber).ok();
        let number = by_number.filter(|number| entrants.contains_key(number)).or_else(|| {
            let named = |entry| same_name(draft.entry_name(entry), part);
            let mut found = entrants.iter().filter(|(_, it)| named(it.entry)).map(|(&it, _)| it);
            found.next().filter(|_| found.next().is_none())
        });
        let Some(number) = number else {
            let what = format!("{part:?} is nobody, or more than one, in section {section}");
            note(draft, table, row, field, &what, "write the pairing number, or enter them first");
            return None;
        };
        numbers.push(number);
    }
    Some(numbers)
}

/// A side that is no side but a bye.
fn bye(text: &str) -> Option<ByeKind> {
    let text = text.to_lowercase();
    if !text.split(|it: char| !it.is_alphanumeric()).any(|word| word == "bye") {
        return None;
    }
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    Some(if has(&["half", "½", "0.5", "1/2"]) {
        ByeKind::HalfPoint
    } else if has(&["zero", "0"]) {
        ByeKind::ZeroPoint
    } else {
        ByeKind::FullPoint
    })
}

fn give_bye(
    draft: &mut Draft<'_>,
    table: &Table,
    row: &Row,
    section: &str,
    round: u8,
    who: &str,
    bye: ByeKind,
) {
    let Some(numbers) = side(draft, table, row, section, Field::First, who) else { return };
    for number in numbers {
        let known = draft.event().sections().get(section);
        if known.and_then(|it| it.byes.get(&(number, round))) == Some(&bye) {
            continue;
        }
        let section = section.to_owned();
        let deed = Deed::ByeGiven { section, number, round, bye };
        draft.act(Some(row.line), Some(table.header(Field::First)), deed);
    }
}

/// Who sits where, if the row names all players of the seats.
fn seat(draft: &mut Draft<'_>, table: &Table, row: &Row, pairing: PairingId) {
    let fields = [Field::WhiteA, Field::BlackA, Field::WhiteB, Field::BlackB];
    let named: Vec<(Field, &str)> =
        fields.iter().filter_map(|&field| Some((field, table.get(row, field)?))).collect();
    if named.is_empty() {
        return;
    }
    let Some(known) = draft.event().pairings().get(&pairing) else { return };
    let Ok(sides) = draft.event().side_players(known) else { return };
    let mut seats = Vec::new();
    for (field, name) in named {
        let players = draft.players_named(name);
        let Some(&player) = players.iter().find(|it| sides.iter().flatten().any(|at| at == *it))
        else {
            let what = format!("{name:?} does not play here");
            note(draft, table, row, field, &what, "name a player of the two sides");
            return;
        };
        seats.push(player);
    }
    if known.seats != seats {
        let column = Some(table.header(Field::WhiteA));
        draft.act(Some(row.line), column, Deed::SeatsChosen { pairing, seats, note: None });
    }
}

fn result(draft: &mut Draft<'_>, table: &Table, row: &Row) -> Option<Vec<Outcome>> {
    let text = table.need(draft, row, Field::Result)?;
    let outcomes = outcomes_from_text(text);
    if outcomes.is_none() {
        let what = format!("{text:?} is no result");
        note(draft, table, row, Field::Result, &what, "write 1-0, 0-1, ½-½, 1F-0F or 0F-0F");
    }
    outcomes
}

/// Enters and confirms a result, unless it is known.
fn enter_result(
    draft: &mut Draft<'_>,
    table: &Table,
    row: &Row,
    pairing: PairingId,
    outcomes: Vec<Outcome>,
) {
    let Some(known) = draft.event().pairings().get(&pairing) else { return };
    if known.confirmed && known.outcomes == outcomes {
        return;
    }
    let (line, column) = (Some(row.line), Some(table.header(Field::Result)));
    if draft.act(line, column, Deed::ResultEntered { pairing, outcomes }) {
        draft.act(line, column, Deed::ResultConfirmed { pairing });
    }
}

fn note(draft: &mut Draft<'_>, table: &Table, row: &Row, field: Field, what: &str, todo: &str) {
    draft.note(Problem::error(Some(row.line), Some(table.header(field)), what, todo));
}
