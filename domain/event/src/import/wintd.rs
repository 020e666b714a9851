//! WinTD's tournament file: sections, players, bughouse pairs (type `P`), pairings with boards, results.
//!
//! A game's result: `1`, `-1`, `0` as played, seen from the first player; `2`, `-2` won by forfeit; `-98` forfeited by
//! both; `99` not known; for a bye `1`, `0`, `-1` for a whole, half or no point and `3` for the odd player's.
//! The file says neither rulebook nor seats.

use std::collections::{BTreeMap, BTreeSet};

use rules::{
    Game,
    standings::{ByeKind, EntrantNumber, Outcome, Side},
};
use serde::Deserialize;
use serde_json::Value;

use super::{
    Problem, ROWS_MAX,
    draft::Draft,
    encoding,
    newest::{StatedBye, StatedPairing, StatedResult, StatedRound},
    wintd_file::{Base, FileGame, FileSection, Lists, Tnmt, lists, part},
};
use crate::{
    Deed, Entry, PersonName, PlayerId, SectionKind, SectionTerms,
    limits::{PLAYERS_MAX, RATING_END, TEAMS_MAX},
    names::clean,
};

/// Section and number of a record of the file.
#[derive(Clone)]
struct RecordPlace {
    section: String,
    number: EntrantNumber,
}

/// Reads a tournament.
pub(super) fn read(draft: &mut Draft<'_>, bytes: &[u8]) {
    if let Some(problem) = encoding::no_text(bytes) {
        draft.note(problem);
        return;
    }
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
    let count = lists.players.len();
    if count > TEAMS_MAX + PLAYERS_MAX {
        let what =
            format!("there are {count} records, and an event has at most {PLAYERS_MAX} players");
        draft.note(Problem::error(None, Some("players"), what, "split the tournament"));
        return;
    }
    let sections = read_sections(draft, &lists);
    let places = read_players(draft, &lists, &sections);
    let mut rounds = Rounds::new();
    for (index, game) in lists.games.iter().enumerate() {
        let at = format!("games[{index}]");
        match FileGame::deserialize(game) {
            Ok(game) => read_game(draft, &at, &game, &places, &mut rounds),
            Err(error) => note(draft, &at, &error.to_string(), "save the tournament again"),
        }
    }
    list_boards(draft, &rounds);
    for ((section, round), stated) in rounds {
        if draft.open_rounds(None, "games", &section, round) {
            draft.put_round(&section, round, stated);
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
    let title = &clean(title);
    if let Some(known) = draft.event().index.section_named(title) {
        return Some(known.to_owned());
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

/// Lists the boards of the file as tables in an event that has none.
fn list_boards(draft: &mut Draft<'_>, rounds: &Rounds) {
    let stated = rounds.values().flat_map(|round| &round.pairings);
    let named: BTreeSet<String> = stated.filter_map(|it| it.table.clone()).collect();
    let most = rounds.values().map(|round| round.pairings.len()).max().unwrap_or(0);
    draft.list_tables(named.into_iter().collect(), most);
}

/// The place of each record, entered where the event does not know it.
fn read_players(
    draft: &mut Draft<'_>,
    lists: &Lists,
    sections: &[Option<String>],
) -> Vec<Option<RecordPlace>> {
    let mut places = vec![None; lists.players.len()];
    let mut people = People::default();
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
        let number =
            u32::try_from(tnmt.pairno).ok().filter(|&number| number > 0).map(EntrantNumber);
        let before = draft.before().sections().get(section);
        let known =
            number.filter(|number| before.is_some_and(|it| it.entrants.contains_key(number)));
        let is_pair = matches!(base.kind.as_str(), "P" | "T");
        if let Some(number) = known {
            if put_known(draft, &at, section, number, lists, &base, &tnmt, is_pair) {
                places[index] = Some(RecordPlace { section: section.clone(), number });
            }
            continue;
        }
        let entry = if is_pair {
            read_pair(draft, &at, lists, &base, &tnmt, &mut people)
        } else {
            person(draft, &at, &base.name, &base.club, Some(index), &mut people)
                .inspect(|&player| keep_listing(draft, player, &base))
                .map(Entry::Player)
        };
        let Some(entry) = entry else { continue };
        places[index] = add(draft, &at, section, entry, number);
    }
    places
}

/// The players whom this file has named so far, and the records that they are.
#[derive(Default)]
struct People {
    by_record: BTreeMap<usize, PlayerId>,
    named: BTreeSet<PlayerId>,
}

/// Puts a record whose pairing number the event knows against it: names, and members of a pair. False when its number
/// is another one's, with that noted.
#[allow(clippy::too_many_arguments, reason = "a record and where it is")]
fn put_known(
    draft: &mut Draft<'_>,
    at: &str,
    section: &str,
    number: EntrantNumber,
    lists: &Lists,
    base: &Base,
    tnmt: &Tnmt,
    is_pair: bool,
) -> bool {
    let known = draft.before().sections().get(section).and_then(|it| it.entrants.get(&number));
    let Some(entry) = known.map(|it| it.entry) else { return false };
    if let (Entry::Player(player), false) = (entry, is_pair) {
        keep_listing(draft, player, base);
    }
    let (Entry::Team(team), true) = (entry, is_pair) else {
        return draft.put_name(None, at, section, number, &base.name);
    };
    if !names_persons(base) && !draft.put_name(None, at, section, number, &base.name) {
        return false;
    }
    let members = members(lists, base, tnmt);
    if let [(_, one), (_, other)] = &members[..] {
        draft.put_members(None, at, team, [one, other]);
    }
    true
}

fn add(
    draft: &mut Draft<'_>,
    at: &str,
    section: &str,
    entry: Entry,
    stated: Option<EntrantNumber>,
) -> Option<RecordPlace> {
    let place = draft.event().index.place_of(entry);
    let section = section.to_owned();
    if let Some((_, number)) = place.filter(|(known, _)| *known == section) {
        let name = draft.entry_name(entry).to_owned();
        draft.keep_number(None, &section, &name, number, stated);
        return Some(RecordPlace { section, number });
    }
    let number = stated.unwrap_or_else(|| draft.next_number(&section));
    let deed = Deed::EntrantAdded { section: section.clone(), number, entry, from_round: 1 };
    draft.act(None, Some(at), deed).then_some(RecordPlace { section, number })
}

/// Whether the name of a pair names persons, such as "Doe/Roe": a team's name is public.
fn names_persons(base: &Base) -> bool {
    base.name.contains(['/', '&'])
}

/// The members of a pair: records of their own with their index, or the names in its own name.
fn members(lists: &Lists, base: &Base, tnmt: &Tnmt) -> Vec<(Option<usize>, String)> {
    let listed = tnmt.members.iter().filter_map(|member| {
        let index = member.as_u64().and_then(|it| usize::try_from(it).ok());
        let record = match index {
            Some(index) => lists.players.get(index)?,
            None => member,
        };
        part::<Base>(record, "base").ok().map(|base| (index, base.name))
    });
    let members: Vec<_> = listed.filter(|(_, name)| !name.is_empty()).collect();
    if !members.is_empty() {
        return members;
    }
    base.name.split(['/', '&']).map(|name| (None, name.trim().to_owned())).collect()
}

/// A bughouse pair, or a team of two.
fn read_pair(
    draft: &mut Draft<'_>,
    at: &str,
    lists: &Lists,
    base: &Base,
    tnmt: &Tnmt,
    people: &mut People,
) -> Option<Entry> {
    let known = draft.event().index.team_named(&base.name);
    if let Some(team) = known.filter(|team| draft.before().teams().contains_key(team)) {
        if let [(_, one), (_, other)] = &members(lists, base, tnmt)[..] {
            draft.put_members(None, at, team, [one, other]);
        }
        return Some(Entry::Team(team));
    }
    let team = draft.next_team();
    let label = if names_persons(base) { format!("Pair {}", team.0) } else { base.name.clone() };
    let members = members(lists, base, tnmt);
    let [one, other] = &members[..] else {
        let what = format!("the pair {:?} has {} members", base.name, members.len());
        note(draft, at, &what, "give it two in WinTD, or write both names with / between");
        return None;
    };
    let members = [
        person(draft, at, &one.1, &base.club, one.0, people)?,
        person(draft, at, &other.1, &base.club, other.0, people)?,
    ];
    for (player, record) in members.iter().zip([one.0, other.0]) {
        let record = record.and_then(|index| lists.players.get(index));
        if let Some(Ok(base)) = record.map(|record| part::<Base>(record, "base")) {
            keep_listing(draft, *player, &base);
        }
    }
    if let Some(known) = draft.event().team_of(members[0])
        && draft.event().team_of(members[1]) == Some(known)
    {
        return Some(Entry::Team(known));
    }
    let deed = Deed::TeamMade { team, name: label, members };
    draft.act(None, Some(at), deed).then_some(Entry::Team(team))
}

/// Keeps the id and rating of a person's record.
fn keep_listing(draft: &mut Draft<'_>, player: PlayerId, base: &Base) {
    let id = Some(base.id.trim()).filter(|id| !id.is_empty());
    let is_rating = |rating: &f64| *rating >= 1.0 && *rating < f64::from(RATING_END);
    let rating = base.rating.filter(is_rating).map(|rating| rating.round() as u16);
    draft.keep_listing(None, player, id, rating);
}

/// The player of a record or a name. Two records are two people, though they have one name.
fn person(
    draft: &mut Draft<'_>,
    at: &str,
    name: &str,
    club: &str,
    record: Option<usize>,
    people: &mut People,
) -> Option<PlayerId> {
    if let Some(&known) = record.and_then(|record| people.by_record.get(&record)) {
        return Some(known);
    }
    if draft.has_too_many_namesakes(None, at, name) {
        return None;
    }
    let namesakes = draft.players_named(name);
    let free = namesakes.iter().copied().find(|it| record.is_none() || !people.named.contains(it));
    if free.is_none() && !namesakes.is_empty() {
        let what = format!("two are called {name:?}");
        let todo = "if it is one person, correct it in WinTD";
        draft.note(Problem::error(None, Some(at), what, todo).warning());
    }
    let player = match free {
        Some(known) => known,
        None => {
            let player = draft.next_player();
            let club = Some(club.to_owned()).filter(|club| !club.is_empty());
            let deed = Deed::PlayerEntered { player, name: PersonName::from(name), club };
            draft.act(None, Some(at), deed).then_some(player)?
        }
    };
    people.named.insert(player);
    people.by_record.extend(record.map(|record| (record, player)));
    Some(player)
}

/// Statements of a file on each round of a section.
type Rounds = BTreeMap<(String, u8), StatedRound>;

fn read_game(
    draft: &mut Draft<'_>,
    at: &str,
    game: &FileGame,
    places: &[Option<RecordPlace>],
    rounds: &mut Rounds,
) {
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
    let RecordPlace { section, number } = place;
    let column = at.to_owned();
    let Some(opponent) = opponent else {
        let bye = match if game.p1 < 0 { -game.result } else { game.result } {
            1 | 3 | -3 => ByeKind::FullPoint,
            0 => ByeKind::HalfPoint,
            -1 => ByeKind::ZeroPoint,
            other => {
                let what = format!("{other} is no result of a bye");
                note(draft, at, &what, "correct it in WinTD: 1, 0, -1 or 3");
                return;
            }
        };
        let stated = StatedBye { line: None, column, number, bye };
        rounds.entry((section, round)).or_default().byes.push(stated);
        return;
    };
    let sides = [vec![number], vec![opponent]];
    let Some(result) = outcome(draft, at, game, &section) else { return };
    let players = sides.clone().map(|side| draft.event().players_of(&section, &side));
    let seats = match (&players[0][..], &players[1][..], game.color1) {
        (&[one], &[other], 1) => vec![one, other],
        (&[one], &[other], -1) => vec![other, one],
        _ => Vec::new(),
    };
    let table = game.board.filter(|&board| board > 0).map(|board| board.to_string());
    let stated = StatedPairing { line: None, column, sides, table, board: None, seats, result };
    rounds.entry((section, round)).or_default().pairings.push(stated);
}

/// The result of a game. None when it cannot be read, with that noted.
fn outcome(
    draft: &mut Draft<'_>,
    at: &str,
    game: &FileGame,
    section: &str,
) -> Option<StatedResult> {
    let outcome = match game.result {
        1 => Outcome::Win(Side::First),
        -1 => Outcome::Win(Side::Second),
        0 => Outcome::Draw,
        2 => Outcome::ForfeitWin(Side::First),
        -2 => Outcome::ForfeitWin(Side::Second),
        -98 => Outcome::DoubleForfeit,
        99 => return Some(StatedResult::NoneYet),
        other => {
            let what = format!("the result {other} has no meaning here");
            note(draft, at, &what, "correct it in WinTD, or enter the result by hand");
            return None;
        }
    };
    let terms = draft.event().sections().get(section).map(|it| it.terms.games_per_round);
    if game.kind != 0 && terms.is_some_and(|games| games > 1) {
        let what = "the results of a match of several games are not read";
        let todo = "enter them by hand";
        draft.note(Problem::error(None, Some(at), what, todo).warning());
        return Some(StatedResult::Unsaid);
    }
    Some(StatedResult::Outcomes(vec![outcome]))
}

/// An inactive player has left after the rounds that are paired.
fn withdraw_inactive(draft: &mut Draft<'_>, lists: &Lists, places: &[Option<RecordPlace>]) {
    for (index, (record, place)) in lists.players.iter().zip(places).enumerate() {
        let inactive = part::<Tnmt>(record, "tnmt").is_ok_and(|tnmt| tnmt.status == 1);
        let Some(RecordPlace { section, number }) = place.clone().filter(|_| inactive) else {
            continue;
        };
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
