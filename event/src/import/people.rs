//! Lists of teams and of players.
//!
//! A team's row: section, team, its two players, and a pairing number or club if there are any. A player is known by
//! name, so a name in two teams is a problem: either a mistake, or two people who must be told apart.

use rules::standings::EntrantNumber;

use super::{
    Field, Problem,
    delimited::{self, Row, Table},
    draft::Draft,
    mapping::List,
};
use crate::{Deed, Entry, PersonName, PlayerId, entering::same_name};

/// Reads a list of teams.
pub(super) fn read_teams(draft: &mut Draft<'_>, bytes: &[u8]) {
    let Some(table) = delimited::read(draft, bytes, List::Teams) else { return };
    for row in &table.rows {
        read_team(draft, &table, row);
    }
}

/// Reads a list of players.
pub(super) fn read_players(draft: &mut Draft<'_>, bytes: &[u8]) {
    let Some(table) = delimited::read(draft, bytes, List::Players) else { return };
    for row in &table.rows {
        let line = Some(row.line);
        let section = section(draft, &table, row, false);
        let Some(name) = table.need(draft, row, Field::Player) else { continue };
        let (Some(section), Some(number)) = (section, number(draft, &table, row)) else { continue };
        let header = table.header(Field::Player);
        let player = match draft.players_named(name)[..] {
            [] => enter(draft, row.line, header, name, table.get(row, Field::Club)),
            [known, ..] => Some(known),
        };
        let Some(player) = player else { continue };
        add(draft, line, header, &section, number, Entry::Player(player));
    }
}

fn read_team(draft: &mut Draft<'_>, table: &Table, row: &Row) {
    let line = Some(row.line);
    let section = section(draft, table, row, true);
    let team = table.need(draft, row, Field::Team);
    let names = [Field::Player, Field::Partner].map(|field| table.need(draft, row, field));
    let number = number(draft, table, row);
    if let Some(name) = team
        && let Some(known) = draft.event().teams().values().find(|it| same_name(&it.name, name))
    {
        let what = format!("the team {:?} is there already", known.name);
        let todo = "remove this row, or give the team another name";
        draft.note(Problem::error(line, Some(table.header(Field::Team)), what, todo));
        return;
    }
    let ([Some(one), Some(other)], Some(team), Some(section), Some(number)) =
        (names, team, section, number)
    else {
        return;
    };
    let mut members = Vec::new();
    for (field, name) in [(Field::Player, one), (Field::Partner, other)] {
        let header = table.header(field);
        let taken = draft.players_named(name).into_iter().find_map(|player| {
            let team = draft.event().team_of(player)?;
            Some(draft.event().teams().get(&team)?.name.clone())
        });
        if let Some(taken) = taken {
            let what = format!("{name:?} is in the team {taken:?} already");
            let todo = "correct one of the two; if they are two people, write their names apart";
            draft.note(Problem::error(line, Some(header), what, todo));
            continue;
        }
        let member = match draft.players_named(name)[..] {
            [] => enter(draft, row.line, header, name, table.get(row, Field::Club)),
            [known, ..] => Some(known),
        };
        members.extend(member);
    }
    let Ok(members) = <[PlayerId; 2]>::try_from(members) else { return };
    let header = table.header(Field::Team);
    let id = draft.next_team();
    if draft.act(line, Some(header), Deed::TeamMade { team: id, name: team.to_owned(), members }) {
        add(draft, line, header, &section, number, Entry::Team(id));
    }
}

fn section(draft: &mut Draft<'_>, table: &Table, row: &Row, teams: bool) -> Option<String> {
    let options = draft.options();
    let named = table.get(row, Field::Section).or(options.section.as_deref());
    if let Some(name) = named {
        draft.open_named(row.line, table.header(Field::Section), name, teams);
    }
    draft.section(Some(row.line), table.header(Field::Section), named)
}

/// The pairing number of a row, if it has one. None when it is no number, with that noted.
fn number(draft: &mut Draft<'_>, table: &Table, row: &Row) -> Option<Option<EntrantNumber>> {
    let Some(text) = table.get(row, Field::Number) else { return Some(None) };
    let number = text.parse().ok().filter(|&number: &u32| number > 0);
    if number.is_none() {
        let what = format!("{text:?} is no pairing number");
        let header = table.header(Field::Number);
        draft.note(Problem::error(Some(row.line), Some(header), what, "write 1, 2, 3 or so"));
    }
    number.map(|number| Some(EntrantNumber(number)))
}

/// Enters a player; none when the event refuses, with that noted.
pub(super) fn enter(
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
