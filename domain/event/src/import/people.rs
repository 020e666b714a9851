//! Lists of teams and of players.
//!
//! A team's row: section, team, its two players, and a pairing number or club if there are any. People are known by
//! number, then by name; a club or an id tells two of one name apart. A name in two teams without any of these is a
//! problem: either a mistake, or two people who must be distinguished.

use std::collections::BTreeMap;

use rules::standings::EntrantNumber;

use super::{
    Field, Problem,
    delimited::{self, Row, Table},
    draft::Draft,
    mapping::List,
};
use crate::{
    Deed, Entry, PersonName, PlayerId, TeamId,
    limits::{PLAYERS_MAX, RATING_END, TEAMS_MAX},
    names::same_name,
};

/// Reads a list of teams.
pub(super) fn read_teams(draft: &mut Draft<'_>, bytes: &[u8]) {
    let Some(table) = delimited::read(draft, bytes, List::Teams) else { return };
    if !fits(draft, table.rows.len(), TEAMS_MAX, "teams") {
        return;
    }
    for row in &table.rows {
        read_team(draft, &table, row);
    }
}

/// Reads a list of players.
pub(super) fn read_players(draft: &mut Draft<'_>, bytes: &[u8]) {
    let Some(table) = delimited::read(draft, bytes, List::Players) else { return };
    if !fits(draft, table.rows.len(), PLAYERS_MAX, "players") {
        return;
    }
    let mut entered = Entered::default();
    for row in &table.rows {
        read_player(draft, &table, row, &mut entered);
    }
}

/// Whether a list has no more rows than an event may have; compared before anything is done with them.
fn fits(draft: &mut Draft<'_>, rows: usize, most: usize, what: &str) -> bool {
    if rows > most {
        let what = format!("the list has {rows} rows, and an event has at most {most} {what}");
        draft.note(Problem::error(None, None, what, "make a second event, and split the list"));
    }
    rows <= most
}

/// The players whom this file has named so far: their line and id.
#[derive(Default)]
struct Entered(BTreeMap<PlayerId, (u64, Option<String>)>);

fn read_player(draft: &mut Draft<'_>, table: &Table, row: &Row, entered: &mut Entered) {
    let line = Some(row.line);
    let section = section(draft, table, row, false);
    let Some(name) = person(draft, table, row, Field::Player) else { return };
    let (Some(section), Some(number)) = (section, number(draft, table, row)) else { return };
    let header = table.header(Field::Player);
    let club = table.get(row, Field::Club);
    let Some(id) = id(draft, table, row) else { return };
    let Some(rating) = rating(draft, table, row) else { return };
    let with_number = number.and_then(|number| {
        let known = draft.before().sections().get(&section)?.entrants.get(&number)?;
        matches!(known.entry, Entry::Player(_)).then_some((number, known.entry))
    });
    if let Some((number, Entry::Player(player))) = with_number {
        entered.0.insert(player, (row.line, id.map(ToOwned::to_owned)));
        draft.put_name(line, header, &section, number, name);
        draft.keep_club(line, player, club);
        draft.keep_listing(line, player, id, rating);
        return;
    }
    if draft.has_too_many_namesakes(line, header, name) {
        return;
    }
    let asked = Asked { section: &section, number, club, id };
    let mut namesake = None;
    for known in draft.players_named(name) {
        match relation(draft, entered, known, &asked) {
            Relation::Namesake(place) => {
                namesake = Some(place);
                continue;
            }
            Relation::Named(earlier) => {
                let what = format!("{name:?} is in line {earlier} already");
                let todo = "remove one of the two lines; if they are two people, give them numbers, clubs or ids";
                draft.note(Problem::error(line, Some(header), what, todo));
            }
            Relation::Here(known_number) => {
                entered.0.insert(known, (row.line, id.map(ToOwned::to_owned)));
                draft.keep_number(line, &section, name, known_number, number);
                draft.keep_listing(line, known, id, rating);
            }
            Relation::Elsewhere(at) => {
                let what = format!("{name:?} is in section {at} already");
                let todo = "remove this line; if they are two people, give their clubs";
                draft.note(Problem::error(line, Some(header), what, todo));
            }
            Relation::Free => {
                entered.0.insert(known, (row.line, id.map(ToOwned::to_owned)));
                add(draft, line, header, &section, number, Entry::Player(known));
                draft.keep_listing(line, known, id, rating);
            }
        }
        return;
    }
    if let Some(place) = namesake {
        let what = format!("another one is called {name:?}{place}");
        let todo = "if it is one person, remove one of the two";
        draft.note(Problem::error(line, Some(header), what, todo).warning());
    }
    if let Some(player) = enter(draft, row.line, header, name, club) {
        entered.0.insert(player, (row.line, id.map(ToOwned::to_owned)));
        add(draft, line, header, &section, number, Entry::Player(player));
        draft.keep_listing(line, player, id, rating);
    }
}

/// Texts in the place of a name that has yet to be given, in lower case.
const NO_NAMES: &[&str] =
    &["tbd", "tba", "n/a", "none", "vacant", "unknown", "n.n", "n.n.", "nn", "n. n."];

/// The name of a player, which every row needs; a missing one, or a text that is none, is noted.
fn person<'row>(
    draft: &mut Draft<'_>,
    table: &Table,
    row: &'row Row,
    field: Field,
) -> Option<&'row str> {
    let name = table.need(draft, row, field)?;
    let is_name =
        name.contains(char::is_alphabetic) && !NO_NAMES.contains(&name.to_lowercase().as_str());
    if !is_name {
        let what = format!("{name:?} is no name");
        let todo = "write who it is; somebody who is not known yet is entered later";
        draft.note(Problem::error(Some(row.line), Some(table.header(field)), what, todo));
    }
    Some(name).filter(|_| is_name)
}

/// The rating of a row, if it has one; a provisional one (`1234/12`) without its games. None when it is no rating, with
/// that noted.
fn rating(draft: &mut Draft<'_>, table: &Table, row: &Row) -> Option<Option<u16>> {
    let Some(text) = table.get(row, Field::Rating) else { return Some(None) };
    let is_unrated = ["unrated", "unr", "unr.", "nnnn", "-", "0", "0000"]
        .contains(&text.to_lowercase().as_str());
    if is_unrated {
        return Some(None);
    }
    let digits = text.split(['/', 'P', 'p', '*', '(']).next().unwrap_or(text).trim();
    let thousands = digits.split_once(['.', ',', '\'', ' ']).filter(|(_, rest)| rest.len() == 3);
    let digits =
        thousands.map_or_else(|| digits.to_owned(), |(some, rest)| format!("{some}{rest}"));
    let rating = super::number_of(&digits)
        .and_then(|it| u16::try_from(it).ok())
        .filter(|rating| *rating < RATING_END);
    if rating.is_none() {
        let what = format!("{text:?} is no rating");
        let header = table.header(Field::Rating);
        let todo = "write a number such as 1234, or nothing";
        draft.note(Problem::error(Some(row.line), Some(header), what, todo));
    }
    rating.map(Some)
}

/// Words in the place of an id for a player who has none yet.
const NO_ID: &[&str] = &["new", "none", "n/a", "na", "pending", "unrated", "-", "0"];

/// The id of a row, if it has one, without the `.0` that spreadsheets add. None when a spreadsheet has rounded it, with that noted.
fn id<'row>(draft: &mut Draft<'_>, table: &Table, row: &'row Row) -> Option<Option<&'row str>> {
    let Some(text) = table.get(row, Field::Id) else { return Some(None) };
    let whole = text.strip_suffix(".0").or_else(|| text.strip_suffix(",0")).unwrap_or(text);
    let is_rounded = whole.split_once(['E', 'e']).is_some_and(|(digits, exponent)| {
        digits.contains(['.', ',']) && exponent.trim_start_matches('+').parse::<u8>().is_ok()
    });
    if is_rounded {
        let what = format!("{text:?} is an id that a spreadsheet has rounded");
        let todo = "set the column's format to text and enter the id again";
        let header = table.header(Field::Id);
        draft.note(Problem::error(Some(row.line), Some(header), what, todo));
        return None;
    }
    Some(Some(whole).filter(|id| !NO_ID.contains(&id.to_lowercase().as_str())))
}

/// Data of a player in a row, beside the name.
struct Asked<'row> {
    section: &'row str,
    number: Option<EntrantNumber>,
    club: Option<&'row str>,
    id: Option<&'row str>,
}

/// Relation of a player of the same name to a row.
enum Relation {
    /// Another person, and where they are.
    Namesake(String),
    /// The same, whom this file has named in that line.
    Named(u64),
    /// The same, who is in the section.
    Here(EntrantNumber),
    /// The same, who is in another section.
    Elsewhere(String),
    /// The same, who is in no section yet.
    Free,
}

fn relation(draft: &Draft<'_>, entered: &Entered, known: PlayerId, asked: &Asked<'_>) -> Relation {
    let place = draft.event().index.place_of(Entry::Player(known));
    let club = draft.event().players().get(&known).and_then(|it| it.club.as_deref());
    let here = entered.0.get(&known);
    let other_club =
        matches!((club, asked.club), (Some(one), Some(other)) if !same_name(one, other));
    let id = here.and_then(|(_, id)| id.as_deref());
    let other_id = id.is_some() && asked.id.is_some() && id != asked.id;
    let other_number = here.is_some()
        && matches!((place, asked.number), (Some((_, one)), Some(other)) if one != other);
    if other_club || other_id || other_number {
        let place = place.map(|(at, number)| format!(", number {number} of {at}"));
        return Relation::Namesake(place.unwrap_or_default());
    }
    match (here, place) {
        (Some((earlier, _)), _) => Relation::Named(*earlier),
        (None, Some((at, number))) if at == asked.section => Relation::Here(number),
        (None, Some((at, _))) => Relation::Elsewhere(at.to_owned()),
        (None, None) => Relation::Free,
    }
}

fn read_team(draft: &mut Draft<'_>, table: &Table, row: &Row) {
    let line = Some(row.line);
    let section = section(draft, table, row, true);
    let team = table.need(draft, row, Field::Team);
    let names = [Field::Player, Field::Partner].map(|field| person(draft, table, row, field));
    let number = number(draft, table, row);
    let header = table.header(Field::Team);
    if let (Some(name), Some(section)) = (team, &section)
        && put_known_team(draft, table, row, section, name, number.flatten(), names)
    {
        return;
    }
    let ([Some(one), Some(other)], Some(team), Some(section), Some(number)) =
        (names, team, section, number)
    else {
        return;
    };
    let club = table.get(row, Field::Club);
    let mut members = Vec::new();
    for (field, name) in [(Field::Player, one), (Field::Partner, other)] {
        members.extend(new_member(draft, row.line, table.header(field), name, club));
    }
    let Ok(members) = <[PlayerId; 2]>::try_from(members) else { return };
    let id = draft.next_team();
    if draft.act(line, Some(header), Deed::TeamMade { team: id, name: team.to_owned(), members }) {
        add(draft, line, header, &section, number, Entry::Team(id));
    }
}

/// Puts a row against the team that the event or this file has already. False when it is a new one.
fn put_known_team(
    draft: &mut Draft<'_>,
    table: &Table,
    row: &Row,
    section: &str,
    name: &str,
    number: Option<EntrantNumber>,
    names: [Option<&str>; 2],
) -> bool {
    let (line, header) = (Some(row.line), table.header(Field::Team));
    let refuse = |draft: &mut Draft<'_>, what: String, todo: &str| {
        draft.note(Problem::error(line, Some(header), what, todo));
        true
    };
    let other_name = "remove this row, or give the team another name";
    let (team, known_number) = match known_team(draft, section, name, number) {
        Known::No => return false,
        Known::InThisFile(name) => {
            return refuse(draft, format!("the team {name:?} is there already"), other_name);
        }
        Known::Elsewhere(name, place) => {
            let what = format!("the team {name:?} is in section {place} already");
            return refuse(draft, what, other_name);
        }
        Known::Here(team, known_number) => (team, known_number),
    };
    if let [Some(one), Some(other)] = names
        && number.is_none()
        && draft.are_strangers(team, [one, other])
    {
        let what = format!("the team {name:?} is there already, with other players");
        let todo = "give the team another name; if its players changed, write its number";
        return refuse(draft, what, todo);
    }
    draft.keep_number(line, section, name, known_number, number);
    if draft.put_name(line, header, section, known_number, name)
        && let [Some(one), Some(other)] = names
    {
        draft.put_members(line, table.header(Field::Player), team, [one, other]);
    }
    true
}

/// Place of a list's team in the event.
enum Known {
    No,
    InThisFile(String),
    Elsewhere(String, String),
    Here(TeamId, EntrantNumber),
}

fn known_team(
    draft: &Draft<'_>,
    section: &str,
    name: &str,
    number: Option<EntrantNumber>,
) -> Known {
    let before = draft.before().sections().get(section);
    let entrant = number.and_then(|number| Some((number, before?.entrants.get(&number)?.entry)));
    if let Some((number, Entry::Team(team))) = entrant {
        return Known::Here(team, number);
    }
    let Some(team) = draft.event().index.team_named(name) else { return Known::No };
    let known = draft.entry_name(Entry::Team(team)).to_owned();
    if !draft.before().teams().contains_key(&team) {
        return Known::InThisFile(known);
    }
    match draft.event().index.place_of(Entry::Team(team)) {
        Some((at, number)) if at == section => Known::Here(team, number),
        Some((at, _)) => Known::Elsewhere(known, at.to_owned()),
        None => Known::InThisFile(known),
    }
}

/// The player whom a row of a new team names; none when the name is a member of another team, with that noted.
fn new_member(
    draft: &mut Draft<'_>,
    line: u64,
    header: &str,
    name: &str,
    club: Option<&str>,
) -> Option<PlayerId> {
    if draft.has_too_many_namesakes(Some(line), header, name) {
        return None;
    }
    let mut namesake = None;
    for known in draft.players_named(name) {
        let its_club = draft.event().players().get(&known).and_then(|it| it.club.as_deref());
        let other_club =
            matches!((its_club, club), (Some(one), Some(other)) if !same_name(one, other));
        let team = draft.event().team_of(known);
        let team = team.map(|team| draft.entry_name(Entry::Team(team)).to_owned());
        match team {
            None => return Some(known),
            Some(team) if other_club => namesake = Some(team),
            Some(team) => {
                let what = format!("{name:?} is in the team {team:?} already");
                let todo = "correct one of the two; if they are two people, write their names apart or give their clubs";
                draft.note(Problem::error(Some(line), Some(header), what, todo));
                return None;
            }
        }
    }
    if let Some(team) = namesake {
        let what = format!("another one is called {name:?}, in the team {team:?}");
        let todo = "if it is one person, correct one of the two";
        draft.note(Problem::error(Some(line), Some(header), what, todo).warning());
    }
    enter(draft, line, header, name, club)
}

fn section(draft: &mut Draft<'_>, table: &Table, row: &Row, teams: bool) -> Option<String> {
    let options = draft.options();
    let otherwise = options.section.as_deref().or(options.section_otherwise.as_deref());
    let named = table.get(row, Field::Section).or(otherwise);
    if let Some(name) = named {
        draft.open_named(row.line, table.header(Field::Section), name, teams);
    }
    draft.section(Some(row.line), table.header(Field::Section), named)
}

/// The pairing number of a row, if it has one. None when it is no number, with that noted.
fn number(draft: &mut Draft<'_>, table: &Table, row: &Row) -> Option<Option<EntrantNumber>> {
    let Some(text) = table.get(row, Field::Number) else { return Some(None) };
    let number = super::number_of(text).filter(|&number| number > 0);
    if number.is_none() {
        let what = format!("{text:?} is no pairing number");
        let header = table.header(Field::Number);
        draft.note(Problem::error(Some(row.line), Some(header), what, "write 1, 2, 3 or so"));
    }
    number.map(|number| Some(EntrantNumber(number)))
}

/// Enters a player; none when the event refuses, with that noted.
fn enter(
    draft: &mut Draft<'_>,
    line: u64,
    column: &str,
    name: &str,
    club: Option<&str>,
) -> Option<PlayerId> {
    let player = draft.next_player();
    let club = club.map(ToOwned::to_owned);
    let deed = Deed::PlayerEntered { player, name: PersonName::from(name), club };
    draft.act(Some(line), Some(column), deed).then_some(player)
}

fn add(
    draft: &mut Draft<'_>,
    line: Option<u64>,
    column: &str,
    section: &str,
    number: Option<EntrantNumber>,
    entry: Entry,
) {
    let number = number.unwrap_or_else(|| draft.next_number(section));
    let from_round = draft.entry_round(section);
    let section = section.to_owned();
    draft.act(line, Some(column), Deed::EntrantAdded { section, number, entry, from_round });
}
