//! FIDE's tournament report (TRF16, and what TRF26 shares with it), for chess on one board.
//!
//! Lines of fixed columns ([`trf_line`](super::trf_line)). Results: `1 0 =` played, `W L D` the same without rating,
//! `+ -` by forfeit; `F H Z U` byes of a full, half, no and the odd player's full point. `012` names the tournament,
//! `XXR` or `142` the number of rounds, `202` the
//! tie-breaks of a new section, `162` or `XXS` the points of results, `240` byes of rounds to come. A report has
//! no tables: a round's games get free tables in the order of the list, by the lower starting rank. The points column is
//! compared with what the event then has, and records that are not read are named.

use std::collections::BTreeMap;

use rules::{
    Game,
    standings::{ByeKind, EntrantNumber, Outcome, Side, TieBreak},
    text_file,
};

use super::{
    Problem, ROWS_MAX,
    draft::Draft,
    encoding,
    newest::{StatedBye, StatedPairing, StatedResult, StatedRound},
    trf_line::{self, Cell, Line},
};
use crate::{
    Deed, Entry, Names, PersonName, SectionKind, SectionTerms,
    limits::PLAYERS_MAX,
    names::{are_alike, clean},
};

/// Records that change neither points nor pairings, and remarks.
const WITHOUT_EFFECT: &[&str] = &[
    "###", "022", "032", "042", "052", "062", "072", "082", "092", "102", "112", "122", "132",
    "152", "172", "182", "192", "212", "222",
];

/// Records of the format that change who has how many points, and are not read.
const CHANGING_POINTS: &[&str] = &["299", "XXP"];

/// The points of a result in halves, by the letters that `162` and `XXS` name them by.
const POINTS: &[(&str, u32)] = &[
    ("W", 2),
    ("WW", 2),
    ("BW", 2),
    ("WF", 2),
    ("FW", 2),
    ("D", 1),
    ("WD", 1),
    ("BD", 1),
    ("L", 0),
    ("WL", 0),
    ("BL", 0),
    ("P", 2),
    ("PAB", 2),
    ("FPB", 2),
    ("F", 2),
    ("U", 2),
    ("H", 1),
    ("HPB", 1),
    ("Z", 0),
    ("ZPB", 0),
    ("A", 0),
    ("X", 1),
];

/// A report as it is read, before it is put against the event.
#[derive(Default)]
struct Report {
    players: BTreeMap<u32, Line>,
    title: Option<String>,
    /// The tie-breaks of record 202 in their order, and its line.
    tie_breaks: Option<(u64, String)>,
    rounds: Option<usize>,
    /// Byes of record 240 by line: round, rank, bye.
    byes: Vec<(u64, u8, u32, ByeKind)>,
    /// Lines of players that cannot be read, after the first one.
    unreadable: Vec<u64>,
    /// Records that are not read, with the lines they are in.
    unread: BTreeMap<String, Vec<u64>>,
}

/// Reads a report.
pub(super) fn read(draft: &mut Draft<'_>, bytes: &[u8]) {
    if let Some(problem) = encoding::no_text(bytes) {
        draft.note(problem);
        return;
    }
    let decoded = text_file::decode(bytes);
    draft.decoded(decoded.encoding);
    draft.note_all(encoding::doubts(&decoded, &decoded.text));
    let Some(report) = read_records(draft, &decoded.text) else { return };
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
    for round in 0..written {
        let number = u8::try_from(round + 1).unwrap_or(u8::MAX);
        let stated = read_round(draft, &section, &report.players, round);
        draft.put_round(&section, number, stated);
    }
    for &(line, round, rank, bye) in &report.byes {
        let column = "240".to_owned();
        let bye = StatedBye { line: Some(line), column, number: EntrantNumber(rank), bye };
        draft.put_round(&section, round, StatedRound { byes: vec![bye], ..StatedRound::default() });
    }
    // What an error leaves out would be missed for a second time.
    if !draft.has_errors() {
        compare_points(draft, &section, &report, [written, usize::from(last)]);
    }
    name_unread(draft, &report.unread);
}

fn read_records(draft: &mut Draft<'_>, text: &str) -> Option<Report> {
    let mut report = Report::default();
    for (line, row) in (1..).zip(text.lines()) {
        if line > ROWS_MAX as u64 {
            let what = format!("the file has more than {ROWS_MAX} lines");
            draft.note(Problem::error(Some(line), None, what, "is it the right file?"));
            return None;
        }
        let rest = || row.get(4..).unwrap_or_default().trim().to_owned();
        match row.get(..3) {
            Some("001") => read_player(draft, line, row, &mut report),
            Some("012") => report.title = Some(clean(&rest())).filter(|title| !title.is_empty()),
            Some("202") => report.tie_breaks = Some((line, rest())),
            Some("XXR" | "142") => report.rounds = rest().parse::<usize>().ok().or(report.rounds),
            Some(record @ ("162" | "XXS")) => check_points(draft, line, record, &rest()),
            Some("240") => read_byes(draft, line, &rest(), &mut report.byes),
            Some(record) if CHANGING_POINTS.contains(&record) => {
                let what = format!("the record {record} changes points, and is not read");
                let todo = "take it out, and enter by hand what it says";
                draft.note(Problem::error(Some(line), Some(record), what, todo));
            }
            Some(record) if WITHOUT_EFFECT.contains(&record) || record.trim().is_empty() => {}
            Some(record) => {
                let record: String = record.chars().filter(|it| !it.is_control()).collect();
                if report.unread.len() < super::COLUMNS_MAX || report.unread.contains_key(&record) {
                    report.unread.entry(record).or_default().push(line);
                }
            }
            None => {}
        }
    }
    if !report.unreadable.is_empty() {
        if let [_, second, ..] = report.unreadable[..] {
            let more = report.unreadable.len() - 1;
            let what = format!("{more} more of the lines of players cannot be read");
            draft.note(Problem::error(Some(second), None, what, "correct them as the first one"));
        }
        return None;
    }
    if report.players.is_empty() {
        let what = "no line begins with 001";
        draft.note(Problem::error(None, None, what, "choose a report in the format TRF16"));
        return None;
    }
    if report.players.len() > PLAYERS_MAX {
        let what = format!(
            "there are {} players, and an event has at most {PLAYERS_MAX}",
            report.players.len()
        );
        draft.note(Problem::error(None, None, what, "make an event for each tournament"));
        return None;
    }
    if let Some(by_bytes) = report.players.values().find(|it| it.by_bytes) {
        let what = "the columns of this line, and of others perhaps, are counted in bytes, and are read so";
        let todo = "compare the names and results";
        draft.note(Problem::error(Some(by_bytes.line), None, what, todo).warning());
    }
    Some(report)
}

fn read_player(draft: &mut Draft<'_>, line: u64, row: &str, report: &mut Report) {
    let player = match trf_line::read(line, row) {
        Ok(player) => player,
        Err(wrong) => {
            if report.unreadable.is_empty() {
                let problem =
                    Problem::error(Some(line), Some(&wrong.column), wrong.what, wrong.todo);
                draft.note(problem);
            }
            report.unreadable.push(line);
            return;
        }
    };
    let rank = player.rank;
    if let Some(earlier) = report.players.insert(rank, player) {
        let what = format!("the starting rank {rank} is in line {} already", earlier.line);
        draft.note(Problem::error(Some(line), Some("5-8"), what, "give each player one"));
    }
}

/// Compares the points that a report gives for results with those that are given here.
fn check_points(draft: &mut Draft<'_>, line: u64, record: &str, rest: &str) {
    let spaced = rest.replace(['=', ':', ';', ','], " ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    for pair in words.chunks(2) {
        let [letters, points] = pair else { continue };
        let known = POINTS.iter().find(|(it, _)| it.eq_ignore_ascii_case(letters));
        let given = points.parse::<f32>().ok();
        let is_usual = known
            .zip(given)
            .is_some_and(|((_, halves), given)| f64::from(given) * 2.0 == f64::from(*halves));
        if !is_usual {
            let what = format!(
                "the report gives {points} for {letters}, and here it is a point for a win and half a point for a draw"
            );
            let todo = "enter the points by another program, or take the record out and accept the usual ones";
            draft.note(Problem::error(Some(line), Some(record), what, todo));
            return;
        }
    }
}

/// Reads a record 240: the kind of bye, the round, the starting ranks.
fn read_byes(
    draft: &mut Draft<'_>,
    line: u64,
    rest: &str,
    byes: &mut Vec<(u64, u8, u32, ByeKind)>,
) {
    let mut words = rest.split_whitespace();
    let kind = words.next().and_then(|word| word.chars().next());
    let round = words.next().and_then(|word| word.parse::<u8>().ok());
    let ranks: Option<Vec<u32>> = words.map(|word| word.parse().ok()).collect();
    match (kind.and_then(bye_kind), round, ranks) {
        (Some(bye), Some(round), Some(ranks)) => {
            byes.extend(ranks.into_iter().map(|rank| (line, round, rank, bye)));
        }
        _ => {
            let what = format!("{rest:?} is not a kind of bye, a round and starting ranks");
            draft.note(Problem::error(
                Some(line),
                Some("240"),
                what,
                "write for example 240 H   2    3",
            ));
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

fn read_round(
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

/// White and black of two lines about one game; nobody where neither says.
fn seats(
    draft: &Draft<'_>,
    section: &str,
    rank: u32,
    own: Cell,
    other: Cell,
) -> Vec<crate::PlayerId> {
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

/// What a result without an opponent gives. The list is closed.
const fn bye_kind(result: char) -> Option<ByeKind> {
    match result {
        'F' | 'U' | '+' | '1' | 'W' => Some(ByeKind::FullPoint),
        'H' | '=' | 'D' => Some(ByeKind::HalfPoint),
        'Z' | '-' | '0' | 'L' => Some(ByeKind::ZeroPoint),
        _ => None,
    }
}

/// Warns of each player whose points column says something else than the event then has: with the byes of rounds to
/// come, which some programs count, or without them. `rounds`: of the cells, and those that are open.
fn compare_points(draft: &mut Draft<'_>, section: &str, report: &Report, rounds: [usize; 2]) {
    let Ok(results) = draft.event().results(section, Names::Hidden) else { return };
    let rounds = rounds.map(|round| u8::try_from(round).unwrap_or(u8::MAX));
    let mut warnings = Vec::new();
    for player in report.players.values() {
        let Some(stated) = player.half_points else { continue };
        let after = |round| {
            results.score(EntrantNumber(player.rank), round).map_or(0, |it| it.half_points())
        };
        let [here, open] = rounds.map(after);
        if stated != here && stated != open {
            let points = |halves: u32| format!("{}.{}", halves / 2, halves % 2 * 5);
            let what = format!(
                "number {} has {} points in the file, and its games and byes give {}",
                player.rank,
                points(stated),
                points(here)
            );
            let todo = "look which of the two is right before you take it";
            warnings.push(Problem::error(Some(player.line), Some("81-84"), what, todo).warning());
        }
    }
    draft.note_all(warnings);
}

/// Names the records that are not read, once.
fn name_unread(draft: &mut Draft<'_>, unread: &BTreeMap<String, Vec<u64>>) {
    if unread.is_empty() {
        return;
    }
    let named: Vec<String> = unread
        .iter()
        .map(|(record, lines)| match lines[..] {
            [line] => format!("{record} (line {line})"),
            _ => format!("{record} ({} lines)", lines.len()),
        })
        .collect();
    let what = format!("records that are not read: {}", named.join(", "));
    let todo = "enter by hand what of them matters";
    draft.note(Problem::error(None, None, what, todo).warning());
}
