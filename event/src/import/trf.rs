//! FIDE's tournament report (TRF16), for chess on one board.
//!
//! Lines of fixed columns, from 1: `001` in 1–3, starting rank 5–8, name 15–47; each round from 92 on has ten columns:
//! opponent 92–95, colour 97, result 99. Opponent `0000` is none. Results: `1 0 =` played, `W L D` the same without
//! rating, `+ -` by forfeit, `F H Z U` byes of a full, half, no and the odd player's full point. `012` names the
//! tournament, `XXR` or `142` the number of rounds. A report has no tables: each round's games get the tables in the
//! order of the list, by the lower starting rank.

use std::collections::BTreeMap;

use rules::{
    Game,
    standings::{ByeKind, EntrantNumber, Outcome, Side},
};

use super::{Problem, ROWS_MAX, draft::Draft, encoding};
use crate::{Deed, Entry, PersonName, SectionKind, SectionTerms, entering::same_name};

/// Where the rounds begin, and how many columns each has.
const ROUNDS_AT: usize = 91;
const ROUND_COLUMNS: usize = 10;

/// A player's line.
struct Line {
    line: u64,
    rank: u32,
    name: String,
    rounds: Vec<Option<Cell>>,
}

/// What a player's line says of a round.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Cell {
    opponent: u32,
    color: char,
    result: char,
}

/// Reads a report.
pub(super) fn read(draft: &mut Draft<'_>, bytes: &[u8]) {
    let (text, encoding) = encoding::decode(bytes);
    draft.decoded(encoding);
    let mut players: BTreeMap<u32, Line> = BTreeMap::new();
    let (mut title, mut stated_rounds) = (None, None);
    for (line, row) in (1..).zip(text.lines()) {
        if line > ROWS_MAX as u64 {
            let what = format!("the file has more than {ROWS_MAX} lines");
            draft.note(Problem::error(Some(line), None, what, "is it the right file?"));
            return;
        }
        let rest = || row.get(4..).unwrap_or_default().trim().to_owned();
        match row.get(..3) {
            Some("001") => read_player(draft, line, row, &mut players),
            Some("012") => title = Some(rest()).filter(|title| !title.is_empty()),
            Some("XXR" | "142") => stated_rounds = rest().parse::<usize>().ok(),
            _ => {}
        }
    }
    if players.is_empty() {
        let what = "no line begins with 001";
        draft.note(Problem::error(None, None, what, "choose a report in the format TRF16"));
        return;
    }
    let told = players.values().map(|it| it.rounds.len()).max().unwrap_or(0);
    let rounds = stated_rounds.unwrap_or(told).max(told).max(1);
    let Some(section) = open(draft, title, rounds) else { return };
    let mut entered = true;
    for player in players.values() {
        entered &= enter(draft, &section, player);
    }
    if entered {
        for round in 0..told {
            read_round(draft, &section, &players, round);
        }
    }
}

fn read_player(draft: &mut Draft<'_>, line: u64, row: &str, players: &mut BTreeMap<u32, Line>) {
    let characters: Vec<char> = row.chars().collect();
    let columns = |from: usize, to: usize| -> String {
        characters.iter().take(to).skip(from).collect::<String>().trim().to_owned()
    };
    let rank = columns(4, 8).parse::<u32>().ok().filter(|&rank| rank > 0);
    let Some(rank) = rank else {
        let what = format!("{:?} is no starting rank", columns(4, 8));
        draft.note(Problem::error(Some(line), Some("5-8"), what, "write a number from 1"));
        return;
    };
    let name = columns(14, 47);
    if name.is_empty() {
        draft.note(Problem::error(Some(line), Some("15-47"), "there is no name", "fill it in"));
        return;
    }
    let mut rounds = Vec::new();
    for at in (ROUNDS_AT..characters.len()).step_by(ROUND_COLUMNS) {
        let single = |column: usize| characters.get(column).copied().unwrap_or(' ');
        let opponent = columns(at, at + 4);
        let (color, result) = (single(at + 5), single(at + 7).to_ascii_uppercase());
        if opponent.is_empty() && result == ' ' {
            rounds.push(None);
            continue;
        }
        let Ok(opponent) = opponent.parse::<u32>() else {
            let what = format!("{opponent:?} is no opponent");
            let column = format!("{}-{}", at + 1, at + 4);
            let todo = "write a starting rank, or 0000 for none";
            draft.note(Problem::error(Some(line), Some(&column), what, todo));
            return;
        };
        rounds.push(Some(Cell { opponent, color: color.to_ascii_lowercase(), result }));
    }
    while rounds.last() == Some(&None) {
        rounds.pop();
    }
    let player = Line { line, rank, name, rounds };
    if let Some(earlier) = players.insert(rank, player) {
        let what = format!("the starting rank {rank} stands in line {} already", earlier.line);
        draft.note(Problem::error(Some(line), Some("5-8"), what, "give each player one"));
    }
}

/// The section of the report, opened where the event does not know it.
fn open(draft: &mut Draft<'_>, title: Option<String>, rounds: usize) -> Option<String> {
    let stated = draft.options().section.clone();
    let Some(rulebook) = draft.options().rulebook else {
        return draft.section(None, "012", stated.or(title).as_deref());
    };
    let name = stated.or(title).unwrap_or_else(|| "Open".to_owned());
    let known = draft.event().sections().keys().find(|known| same_name(known, &name)).cloned();
    if known.is_some() {
        return known;
    }
    if rulebook.book().terms.game != Game::Chess {
        let what = format!("{rulebook} is not for chess, and reports are");
        draft.note(Problem::error(None, None, what, "name a rulebook for chess"));
        return None;
    }
    let rounds = u8::try_from(rounds).unwrap_or(u8::MAX);
    let terms = SectionTerms::usual(SectionKind::Players, rulebook, rounds);
    draft
        .act(None, Some("012"), Deed::SectionOpened { section: name.clone(), terms })
        .then_some(name)
}

fn enter(draft: &mut Draft<'_>, section: &str, line: &Line) -> bool {
    let number = EntrantNumber(line.rank);
    let entrants = draft.event().sections().get(section).map(|it| &it.entrants);
    if let Some(known) = entrants.and_then(|it| it.get(&number)) {
        if same_name(draft.entry_name(known.entry), &line.name) {
            return true;
        }
        let what = format!("number {number} is somebody else in the section {section}");
        draft.note(Problem::error(Some(line.line), Some("5-8"), what, "correct one of the two"));
        return false;
    }
    let player = draft.next_player();
    let name = PersonName::from(line.name.as_str());
    let at = Some(line.line);
    let section = section.to_owned();
    let entry = Entry::Player(player);
    draft.act(at, Some("15-47"), Deed::PlayerEntered { player, name, club: None })
        && draft.act(at, Some("5-8"), Deed::EntrantAdded { section, number, entry, from_round: 1 })
}

fn read_round(draft: &mut Draft<'_>, section: &str, players: &BTreeMap<u32, Line>, index: usize) {
    let round = u8::try_from(index + 1).unwrap_or(u8::MAX);
    let cell = |rank: u32| players.get(&rank).and_then(|line| *line.rounds.get(index)?);
    let mut tables = draft.event().tables().to_vec().into_iter();
    let column = format!("round {round}");
    for (&rank, line) in players {
        let Some(own) = cell(rank) else { continue };
        let at = Some(line.line);
        if own.opponent == 0 {
            give_bye(draft, section, line, round, own.result);
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
        let Some(outcome) = outcome(own, other) else {
            let what = format!(
                "the results {:?} and {:?} of {rank} and {} contradict each other, or the colours do",
                own.result, other.result, own.opponent
            );
            draft.note(Problem::error(at, Some(&column), what, "correct one of the two lines"));
            continue;
        };
        let Some(table) = tables.next() else {
            let what = "the event has fewer tables than the round has games";
            draft.note(Problem::error(at, Some(&column), what, "list more tables"));
            return;
        };
        pair(draft, section, line, round, table, own, outcome);
    }
}

/// The outcome for the first of two lines about one game; none when they contradict each other. The inner one is none
/// while there is no result.
fn outcome(own: Cell, other: Cell) -> Option<Option<Outcome>> {
    let colors_fit = own.color != other.color || own.color == '-' || own.color == ' ';
    if !colors_fit {
        return None;
    }
    Some(Some(match (own.result, other.result) {
        ('1' | 'W', '0' | 'L') => Outcome::Win(Side::First),
        ('0' | 'L', '1' | 'W') => Outcome::Win(Side::Second),
        ('=' | 'D', '=' | 'D') => Outcome::Draw,
        ('+', '-') => Outcome::ForfeitWin(Side::First),
        ('-', '+') => Outcome::ForfeitWin(Side::Second),
        ('-', '-') => Outcome::DoubleForfeit,
        (' ' | '*', ' ' | '*') => return Some(None),
        _ => return None,
    }))
}

fn give_bye(draft: &mut Draft<'_>, section: &str, line: &Line, round: u8, result: char) {
    let bye = match result {
        'F' | 'U' | '+' | '1' => ByeKind::FullPoint,
        'H' | '=' => ByeKind::HalfPoint,
        _ => ByeKind::ZeroPoint,
    };
    let number = EntrantNumber(line.rank);
    let known = draft.event().sections().get(section);
    if known.and_then(|it| it.byes.get(&(number, round))) != Some(&bye) {
        let (section, column) = (section.to_owned(), format!("round {round}"));
        let deed = Deed::ByeGiven { section, number, round, bye };
        draft.act(Some(line.line), Some(&column), deed);
    }
}

fn pair(
    draft: &mut Draft<'_>,
    section: &str,
    line: &Line,
    round: u8,
    table: String,
    own: Cell,
    outcome: Option<Outcome>,
) {
    let (at, column) = (Some(line.line), format!("round {round}"));
    let sides = [vec![EntrantNumber(line.rank)], vec![EntrantNumber(own.opponent)]];
    if draft.event().round(section, round).any(|(_, known)| known.sides == sides) {
        return;
    }
    let opened = draft.event().sections().get(section).map_or(0, |it| it.opened);
    if opened < round {
        let deed = Deed::RoundOpened { section: section.to_owned(), round };
        if !draft.act(at, Some(&column), deed) {
            return;
        }
    }
    let (pairing, section) = (draft.next_pairing(), section.to_owned());
    let deed = Deed::PairingMade { pairing, section, round, table, board: None, sides };
    if !draft.act(at, Some(&column), deed) {
        return;
    }
    let Some(known) = draft.event().pairings().get(&pairing) else { return };
    let Ok(players) = draft.event().side_players(known) else { return };
    let mut seats: Vec<_> = players.into_iter().flatten().collect();
    if own.color == 'b' {
        seats.reverse();
    }
    if matches!(own.color, 'w' | 'b') {
        draft.act(at, Some(&column), Deed::SeatsChosen { pairing, seats, note: None });
    }
    if let Some(outcome) = outcome {
        let outcomes = vec![outcome];
        if draft.act(at, Some(&column), Deed::ResultEntered { pairing, outcomes }) {
            draft.act(at, Some(&column), Deed::ResultConfirmed { pairing });
        }
    }
}
