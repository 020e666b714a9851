//! FIDE's tournament report (TRF16, and what TRF26 shares with it), for chess on one board.
//!
//! [`records`] reads the lines, [`line`] the fixed columns of a player's, [`rounds`] makes pairings and byes of two players'
//! cells, [`points`] compares points. Results: `1 0 =` played, `W L D` the same without rating, `+ -` by forfeit; `F H Z U`
//! byes of a full, half, no and the odd player's full point. A report has no tables: a round's games get free tables in the
//! order of the list, by the lower starting rank.

mod line;
mod points;
mod records;
mod rounds;

use rules::{
    Game,
    standings::{EntrantNumber, TieBreak},
    text_file,
};

use super::{
    Problem,
    draft::Draft,
    encoding,
    newest::{StatedBye, StatedRound},
};
use crate::{Deed, Entry, PersonName, SectionKind, SectionTerms, names::are_alike};

use line::{Cell, Line};
use records::Report;

/// Reads a report.
pub(super) fn read(draft: &mut Draft<'_>, bytes: &[u8]) {
    if let Some(problem) = encoding::no_text(bytes) {
        draft.note(problem);
        return;
    }
    let decoded = text_file::decode(bytes);
    draft.decoded(decoded.encoding);
    draft.note_all(encoding::doubts(&decoded, &decoded.text));
    let Some(report) = Report::read(draft, &decoded.text) else { return };
    let paired = |cell: &Option<Cell>| cell.is_some_and(|cell| cell.opponent != 0);
    let count = |round: usize| {
        let cells = report.players.values().filter_map(|it| it.rounds.get(round));
        cells.filter(|cell| paired(cell)).count().div_ceil(2)
    };
    let written = report.players.values().map(|it| it.rounds.len()).max().unwrap_or(0);
    let rounds = report.rounds.unwrap_or(written).max(written).max(1);
    let Some(section) = open(draft, &report, rounds) else { return };
    if is_another_tournament(draft, &section, &report) {
        return;
    }
    let entered = report.players.values().all(|player| enter(draft, &section, player));
    if !entered {
        return;
    }
    draft.list_tables(Vec::new(), (0..written).map(count).max().unwrap_or(0));
    // Byes alone are requests for a round to come, unless they are everybody's.
    let is_all = |round: usize| {
        report.players.values().all(|it| it.rounds.get(round).is_some_and(Option::is_some))
    };
    let last = (0..written).rev().find(|&round| count(round) > 0 || is_all(round));
    let last = last.map_or(0, |round| u8::try_from(round + 1).unwrap_or(u8::MAX));
    if !draft.open_rounds(None, "XXR", &section, last) {
        return;
    }
    name_blank_rounds(draft, &report, last);
    for round in 0..written {
        let number = u8::try_from(round + 1).unwrap_or(u8::MAX);
        let stated = rounds::read_round(draft, &section, &report.players, round);
        draft.put_round(&section, number, stated);
    }
    for &(line, round, rank, bye) in &report.byes {
        let column = "240".to_owned();
        let bye = StatedBye { line: Some(line), column, number: EntrantNumber(rank), bye };
        draft.put_round(&section, round, StatedRound { byes: vec![bye], ..StatedRound::default() });
    }
    // Records that an error leaves out would be reported as missing a second time.
    if !draft.has_errors() {
        points::compare(draft, &section, &report, [written, usize::from(last)]);
    }
    report.name_unread(draft);
}

/// Warns of rounds of which no line has anything, before one that was played.
fn name_blank_rounds(draft: &mut Draft<'_>, report: &Report, last: u8) {
    for round in 0..usize::from(last) {
        let mut cells = report.players.values().map(|it| it.rounds.get(round));
        if cells.all(|cell| cell.is_none_or(Option::is_none)) {
            let what =
                format!("no line has anything in round {}, and a later one was played", round + 1);
            let todo = "if there was no such round, take its columns out of the file";
            draft.note(Problem::error(None, None, what, todo).warning());
        }
    }
}

/// The section of the report, opened where the event does not know it.
fn open(draft: &mut Draft<'_>, report: &Report, rounds: usize) -> Option<String> {
    let title = report.title.clone();
    let stated = draft.options().section.clone();
    let Some(rulebook) = draft.options().rulebook else {
        return draft.section(None, "012", stated.or(title).as_deref());
    };
    let name = stated.or(title).unwrap_or_else(|| "Open".to_owned());
    if let Some(known) = draft.event().index.section_named(&name) {
        return Some(known.to_owned());
    }
    if rulebook.book().terms.game != Game::Chess {
        let what = format!("{rulebook} is not for chess, and reports are");
        draft.note(Problem::error(None, None, what, "name a rulebook for chess"));
        return None;
    }
    let rounds = u8::try_from(rounds).unwrap_or(u8::MAX);
    let mut terms = SectionTerms::usual(SectionKind::Players, rulebook, rounds);
    if let Some((line, codes)) = &report.tie_breaks {
        let (known, unknown) = tie_breaks(codes);
        if !unknown.is_empty() {
            let what = format!("tie-breaks that are not calculated here: {}", unknown.join(", "));
            let todo = "the standings may rank otherwise; change the section's tie-breaks";
            draft.note(Problem::error(Some(*line), Some("202"), what, todo).warning());
        }
        if !known.is_empty() {
            terms.tie_breaks = known;
        }
    }
    draft
        .act(None, Some("012"), Deed::SectionOpened { section: name.clone(), terms })
        .then_some(name)
}

/// The tie-breaks of record 202: those that are calculated here, and the codes of the others.
fn tie_breaks(codes: &str) -> (Vec<TieBreak>, Vec<&str>) {
    let codes = codes.split([',', ';', ' ']).filter(|code| !code.is_empty());
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    for code in codes {
        match TieBreak::of_fide_code(code) {
            Some(tie_break) if !known.contains(&tie_break) => known.push(tie_break),
            Some(_) => {}
            None => unknown.push(code),
        }
    }
    (known, unknown)
}

/// Whether the players are others than those of the section, with that noted. One name may have been wrong, and two or
/// all of them are another tournament with the same title.
fn is_another_tournament(draft: &mut Draft<'_>, section: &str, report: &Report) -> bool {
    let Some(known) = draft.before().sections().get(section) else { return false };
    let names = report.players.values().filter_map(|line| {
        let entrant = known.entrants.get(&EntrantNumber(line.rank))?;
        Some((line, draft.entry_name(entrant.entry)))
    });
    let names: Vec<(&Line, &str)> = names.collect();
    let mut others = names.iter().filter(|(line, name)| !are_alike(name, &line.name));
    let Some((first, name)) = others.next() else { return false };
    if names.len() > 1 && others.next().is_none() {
        return false;
    }
    let what = format!(
        "number {} is {:?} in the file and {name:?} in the section {section}, and so are others",
        first.rank, first.name
    );
    let todo = "if this is another tournament, name its section (--section NAME, with --rulebook ID if it is new)";
    let problem = Problem::error(Some(first.line), Some("15-47"), what, todo);
    draft.note(problem);
    true
}

fn enter(draft: &mut Draft<'_>, section: &str, line: &Line) -> bool {
    let number = EntrantNumber(line.rank);
    let at = Some(line.line);
    let known = draft.before().sections().get(section).and_then(|it| it.entrants.get(&number));
    if let Some(entry) = known.map(|it| it.entry) {
        if let Entry::Player(player) = entry {
            draft.keep_listing(at, player, line.id.as_deref(), line.rating);
        }
        return draft.put_name(at, "15-47", section, number, &line.name);
    }
    let player = draft.next_player();
    let name = PersonName::from(line.name.as_str());
    let section = section.to_owned();
    let entry = Entry::Player(player);
    let entered = draft.act(at, Some("15-47"), Deed::PlayerEntered { player, name, club: None })
        && draft.act(at, Some("5-8"), Deed::EntrantAdded { section, number, entry, from_round: 1 });
    if entered {
        draft.keep_listing(at, player, line.id.as_deref(), line.rating);
    }
    entered
}
