//! WinTD's tournament file: sections, players, bughouse pairs (type `P`), pairings with boards, results.
//!
//! A game's result: `1`, `-1`, `0` as played, seen from the first player; `2`, `-2` won by forfeit; `-98` forfeited by
//! both; `99` not known; for a bye `1`, `0`, `-1` for a whole, half or no point and `3` for the odd player's.
//! The file says neither rulebook nor seats.

use rules::{
    Game,
    standings::{ByeKind, EntrantNumber, Outcome, Side},
};
use serde::Deserialize;
use serde_json::Value;

use super::{
    Problem, ROWS_MAX,
    draft::Draft,
    wintd_file::{Base, FileGame, FileSection, Lists, Tnmt, lists, part},
};
use crate::{Deed, Entry, PersonName, PlayerId, SectionKind, SectionTerms, entering::same_name};

/// Where a record of the file plays.
#[derive(Clone)]
struct Place {
    section: String,
    number: EntrantNumber,
}

/// Reads a tournament.
pub(super) fn read(draft: &mut Draft<'_>, bytes: &[u8]) {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let file: Value = match serde_json::from_slice(bytes) {
        Ok(file) => file,
        Err(error) => {
            let line = u64::try_from(error.line()).ok();
            let todo = "save the tournament from WinTD again";
            draft.note(Problem::error(line, None, format!("no JSON: {error}"), todo));
            return;
        }
    };
    let Some(lists) = lists(&file) else {
        let todo = "choose the tournament file that WinTD saved";
        draft.note(Problem::error(None, None, "there is no list of players", todo));
        return;
    };
    for (name, list) in
        [("players", &lists.players), ("sections", &lists.sections), ("games", &lists.games)]
    {
        if list.len() > ROWS_MAX {
            let what = format!("there are more than {ROWS_MAX}");
            draft.note(Problem::error(None, Some(name), what, "split the tournament"));
            return;
        }
    }
    let sections = read_sections(draft, &lists);
    let places = read_players(draft, &lists, &sections);
    for (index, game) in lists.games.iter().enumerate() {
        let at = format!("games[{index}]");
        match FileGame::deserialize(game) {
            Ok(game) => read_game(draft, &at, &game, &places),
            Err(error) => note(draft, &at, &error.to_string(), "save the tournament again"),
        }
    }
    withdraw_inactive(draft, &lists, &places);
}

fn note(draft: &mut Draft<'_>, at: &str, what: &str, todo: &str) {
    draft.note(Problem::error(None, Some(at), what, todo));
}

/// The sections by their place in the file, opened where the event does not know them.
fn read_sections(draft: &mut Draft<'_>, lists: &Lists) -> Vec<Option<String>> {
    let mut sections = Vec::new();
    for (index, section) in lists.sections.iter().enumerate() {
        let at = format!("sections[{index}]");
        let name = match FileSection::deserialize(section) {
            Ok(section) if section.id < 0 => None,
            Ok(section) => read_section(draft, &at, &section),
            Err(error) => {
                note(draft, &at, &error.to_string(), "save the tournament again");
                None
            }
        };
        sections.push(name);
    }
    sections
}

fn read_section(draft: &mut Draft<'_>, at: &str, section: &FileSection) -> Option<String> {
    let title = if section.title.is_empty() { &section.abbrev } else { &section.title };
    let known = draft.event().sections().keys().find(|known| same_name(known, title)).cloned();
    if known.is_some() {
        return known;
    }
    let Some(rulebook) = draft.options().rulebook else {
        let todo = "open it first, or say which rulebook the sections of the file play by";
        note(draft, at, &format!("there is no section {title:?}"), todo);
        return None;
    };
    let game = match rulebook.book().terms.game {
        Game::Bughouse => SectionKind::Teams,
        Game::Chess => SectionKind::Players,
    };
    let rounds = u8::try_from(section.max_rounds.max(section.rounds_paired)).unwrap_or(0);
    let games_per_round = u8::try_from(section.games_per_match.max(1)).unwrap_or(0);
    let terms = SectionTerms { games_per_round, ..SectionTerms::usual(game, rulebook, rounds) };
    let deed = Deed::SectionOpened { section: title.clone(), terms };
    draft.act(None, Some(at), deed).then(|| title.clone())
}

/// The place of each record, entered where the event does not know it.
fn read_players(
    draft: &mut Draft<'_>,
    lists: &Lists,
    sections: &[Option<String>],
) -> Vec<Option<Place>> {
    let mut places = vec![None; lists.players.len()];
    for (index, record) in lists.players.iter().enumerate() {
        let at = format!("players[{index}]");
        let (base, tnmt) = match (part::<Base>(record, "base"), part::<Tnmt>(record, "tnmt")) {
            (Ok(base), Ok(tnmt)) => (base, tnmt),
            (Err(error), _) | (_, Err(error)) => {
                note(draft, &at, &error.to_string(), "save the tournament again");
                continue;
            }
        };
        if tnmt.section_id < 0 || tnmt.status < 0 {
            continue;
        }
        let section = usize::try_from(tnmt.section_id).ok().and_then(|it| sections.get(it));
        let Some(Some(section)) = section else {
            let what = format!("the section {} of the file is not known", tnmt.section_id);
            note(draft, &at, &what, "open the section first");
            continue;
        };
        let entry = match base.kind.as_str() {
            "P" | "T" => read_pair(draft, &at, lists, &base, &tnmt),
            _ => person(draft, &at, &base.name, &base.club).map(Entry::Player),
        };
        let Some(entry) = entry else { continue };
        places[index] = add(draft, &at, section, entry, tnmt.pairno);
    }
    places
}

fn add(draft: &mut Draft<'_>, at: &str, section: &str, entry: Entry, pairno: i64) -> Option<Place> {
    let entrants = &draft.event().sections().get(section)?.entrants;
    let known = entrants.iter().find(|(_, it)| it.entry == entry).map(|(&number, _)| number);
    let section = section.to_owned();
    if let Some(number) = known {
        return Some(Place { section, number });
    }
    let stated = u32::try_from(pairno).ok().filter(|&number| number > 0).map(EntrantNumber);
    let number = stated.unwrap_or_else(|| draft.next_number(&section));
    let deed = Deed::EntrantAdded { section: section.clone(), number, entry, from_round: 1 };
    draft.act(None, Some(at), deed).then_some(Place { section, number })
}

/// A bughouse pair, or a team of two: its members are records of their own, or stand in its name with `/` between.
fn read_pair(
    draft: &mut Draft<'_>,
    at: &str,
    lists: &Lists,
    base: &Base,
    tnmt: &Tnmt,
) -> Option<Entry> {
    let teams = draft.event().teams();
    if let Some((&team, _)) = teams.iter().find(|(_, it)| same_name(&it.name, &base.name)) {
        return Some(Entry::Team(team));
    }
    let listed = tnmt.members.iter().filter_map(|member| {
        let record = match member.as_u64().and_then(|it| usize::try_from(it).ok()) {
            Some(index) => lists.players.get(index)?,
            None => member,
        };
        part::<Base>(record, "base").ok().map(|base| base.name)
    });
    let mut names: Vec<String> = listed.filter(|name| !name.is_empty()).collect();
    // A name such as "Doe/Roe" names persons, and a team's name is public.
    let team = draft.next_team();
    let names_persons = base.name.contains(['/', '&']);
    let label = if names_persons { format!("Pair {}", team.0) } else { base.name.clone() };
    if names.is_empty() {
        names = base.name.split(['/', '&']).map(|name| name.trim().to_owned()).collect();
    }
    let [one, other] = &names[..] else {
        let what = format!("the pair {:?} has {} members", base.name, names.len());
        note(draft, at, &what, "give it two in WinTD, or write both names with / between");
        return None;
    };
    let members = [person(draft, at, one, &base.club)?, person(draft, at, other, &base.club)?];
    if let Some(known) = draft.event().team_of(members[0])
        && draft.event().team_of(members[1]) == Some(known)
    {
        return Some(Entry::Team(known));
    }
    let deed = Deed::TeamMade { team, name: label, members };
    draft.act(None, Some(at), deed).then_some(Entry::Team(team))
}

fn person(draft: &mut Draft<'_>, at: &str, name: &str, club: &str) -> Option<PlayerId> {
    if let [known, ..] = draft.players_named(name)[..] {
        return Some(known);
    }
    let player = draft.next_player();
    let club = Some(club.to_owned()).filter(|club| !club.is_empty());
    let deed = Deed::PlayerEntered { player, name: PersonName::from(name), club };
    draft.act(None, Some(at), deed).then_some(player)
}

fn read_game(draft: &mut Draft<'_>, at: &str, game: &FileGame, places: &[Option<Place>]) {
    // The games of a match belong to it; its own record stands for them.
    if game.kind == 4 {
        return;
    }
    let place = |index: i64| usize::try_from(index).ok().and_then(|it| places.get(it).cloned());
    let (first, second) = (place(game.p1).flatten(), place(game.p2).flatten());
    let (place, round, opponent) = match (first, second) {
        (Some(first), Some(second)) if game.r1 == game.r2 && first.section == second.section => {
            (first, game.r1, Some(second.number))
        }
        (Some(first), None) if game.p2 < 0 => (first, game.r1, None),
        (None, Some(second)) if game.p1 < 0 => (second, game.r2, None),
        _ => {
            let what = "the two players are not known, or not of one section and round";
            note(draft, at, what, "correct the game in WinTD");
            return;
        }
    };
    let Some(round) = u8::try_from(round).ok().filter(|&round| round > 0) else {
        note(draft, at, &format!("there is no round {round}"), "correct the game in WinTD");
        return;
    };
    let Place { section, number } = place;
    let Some(opponent) = opponent else {
        let bye = match if game.p1 < 0 { -game.result } else { game.result } {
            -1 => ByeKind::ZeroPoint,
            0 => ByeKind::HalfPoint,
            _ => ByeKind::FullPoint,
        };
        let known = draft.event().sections().get(&section);
        if known.and_then(|it| it.byes.get(&(number, round))) != Some(&bye) {
            draft.act(None, Some(at), Deed::ByeGiven { section, number, round, bye });
        }
        return;
    };
    read_pairing(draft, at, game, &section, round, [vec![number], vec![opponent]]);
}

fn read_pairing(
    draft: &mut Draft<'_>,
    at: &str,
    game: &FileGame,
    section: &str,
    round: u8,
    sides: [Vec<EntrantNumber>; 2],
) {
    let known = draft.event().round(section, round).find(|(_, it)| it.sides == sides);
    let pairing = match known.map(|(id, _)| id) {
        Some(id) => id,
        None => {
            let Some(board) = game.board.filter(|&board| board > 0) else {
                note(draft, at, "the game has no board", "assign boards in WinTD");
                return;
            };
            let opened = draft.event().sections().get(section).map_or(0, |it| it.opened);
            for next in opened.saturating_add(1)..=round {
                let deed = Deed::RoundOpened { section: section.to_owned(), round: next };
                if !draft.act(None, Some(at), deed) {
                    return;
                }
            }
            let (id, section) = (draft.next_pairing(), section.to_owned());
            let table = board.to_string();
            let deed = Deed::PairingMade { pairing: id, section, round, table, board: None, sides };
            if !draft.act(None, Some(at), deed) {
                return;
            }
            id
        }
    };
    let Some(known) = draft.event().pairings().get(&pairing) else { return };
    let Ok(players) = draft.event().side_players(known) else { return };
    let seats = match (&players[0][..], &players[1][..], game.color1) {
        (&[one], &[other], 1) => vec![one, other],
        (&[one], &[other], -1) => vec![other, one],
        _ => Vec::new(),
    };
    if !seats.is_empty() && known.seats != seats {
        draft.act(None, Some(at), Deed::SeatsChosen { pairing, seats, note: None });
    }
    enter_result(draft, at, game, pairing);
}

fn enter_result(draft: &mut Draft<'_>, at: &str, game: &FileGame, pairing: crate::PairingId) {
    let outcome = match game.result {
        1 => Outcome::Win(Side::First),
        -1 => Outcome::Win(Side::Second),
        0 => Outcome::Draw,
        2 => Outcome::ForfeitWin(Side::First),
        -2 => Outcome::ForfeitWin(Side::Second),
        -98 => Outcome::DoubleForfeit,
        99 => return,
        other => {
            let what = format!("the result {other} has no meaning here");
            note(draft, at, &what, "correct it in WinTD, or enter the result by hand");
            return;
        }
    };
    let Some(known) = draft.event().pairings().get(&pairing) else { return };
    if game.kind != 0 {
        let terms = draft.event().sections().get(&known.section).map(|it| it.terms.games_per_round);
        if terms.is_some_and(|games| games > 1) {
            let what = "the results of a match of several games are not read";
            let todo = "enter them by hand";
            draft.note(Problem::error(None, Some(at), what, todo).warning());
            return;
        }
    }
    let outcomes = vec![outcome];
    if known.confirmed && known.outcomes == outcomes {
        return;
    }
    if draft.act(None, Some(at), Deed::ResultEntered { pairing, outcomes }) {
        draft.act(None, Some(at), Deed::ResultConfirmed { pairing });
    }
}

/// Who is inactive has left after the rounds that are paired.
fn withdraw_inactive(draft: &mut Draft<'_>, lists: &Lists, places: &[Option<Place>]) {
    for (index, (record, place)) in lists.players.iter().zip(places).enumerate() {
        let inactive = part::<Tnmt>(record, "tnmt").is_ok_and(|tnmt| tnmt.status == 1);
        let Some(Place { section, number }) = place.clone().filter(|_| inactive) else { continue };
        let Some(known) = draft.event().sections().get(&section) else { continue };
        let gone = known.entrants.get(&number).is_some_and(|it| it.withdrawn_from.is_some());
        let from_round = known.opened.saturating_add(1);
        if !gone && from_round <= known.terms.rounds {
            let at = format!("players[{index}]");
            let deed = Deed::EntrantWithdrawn { section, number, from_round };
            draft.act(None, Some(&at), deed);
        }
    }
}
