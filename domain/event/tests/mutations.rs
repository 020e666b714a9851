//! Sound files of every format with a byte changed here and there: what is accepted without a warning gives the points of the
//! file's own column.
//!
//! Each format has a reader of its own here, which knows nothing of the program's: the points column of a report, the cells of a list, the
//! codes of a tournament, the Result tag of a record. `MUTATIONS=400000` tries more files than the suites do.

#![allow(clippy::disallowed_methods, reason = "who calls the test may ask for more files")]

mod support;

use event::{
    Event, Names, SectionKind,
    import::{FileKind, Options, outcomes_to_text, preview},
};
use rules::{bpgn, pgn, rulebook::BookId, text_file};
use serde_json::Value;
use support::{number, opened, options, taken};

/// Number of files of each format in the suites, and the maximum number of places that are changed in each.
const FILES: u64 = 600;
const PLACES_MAX: u64 = 3;

/// Replacement of a byte.
const BYTES: &[u8] = b" 0123456789=+-wbWDLFHUZ.,;:/\"*'()[]{}\t\nxA#";

/// A small generator of numbers (SplitMix64): the same files in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % end as u64).expect("it is below a usize")
    }
}

fn mutated(sound: &str, seed: u64) -> Vec<u8> {
    let mut numbers = Numbers(seed);
    let mut bytes = sound.as_bytes().to_vec();
    for _ in 0..=seed % PLACES_MAX {
        let at = numbers.below(bytes.len());
        let byte = BYTES[numbers.below(BYTES.len())];
        match numbers.below(4) {
            0 => bytes.insert(at, byte),
            1 => drop(bytes.remove(at)),
            _ => bytes[at] = byte,
        }
    }
    bytes
}

/// Tries mutations of a sound file. `points`: false for a file that is not accepted or not without a warning, and it panics if the
/// points differ.
fn try_all(sound: &str, points: impl Fn(&[u8]) -> bool) {
    assert!(points(sound.as_bytes()), "the file itself is accepted");
    let files = std::env::var("MUTATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(FILES);
    let accepted = (1..=files).filter(|&seed| points(&mutated(sound, seed))).count() as u64;
    assert!(accepted > files / 50, "{accepted} of {files} were accepted: too few to say anything");
    println!("{accepted} of {files} files were accepted");
}

/// The event with a file, if it is accepted without a warning.
fn accepted(event: Event, kind: FileKind, bytes: &[u8], options: &Options) -> Option<Event> {
    let mut event = event;
    let preview = preview(&event, kind, bytes, options);
    if !preview.problems.is_empty() {
        return None;
    }
    preview.apply(&mut event).expect("sound");
    Some(event)
}

#[test]
fn a_report_gives_its_points_column() {
    let line = |rank: u32, name: &str, points: &str, rounds: &str| {
        format!("001 {rank:>4}      {name:<66}{points:>4} {rank:>4}  {rounds}\n")
    };
    let report = [
        "012 Open\nXXR 3\n".to_owned(),
        line(1, "Aster, Ida", "2.5", "   3 w 1     2 b =     4 w 1"),
        line(2, "Birch, Leo", "1.5", "   4 b 1     1 w =  0000 - Z"),
        line(3, "Cedar, Mia", "0.5", "   1 b 0  0000 - H     5 w -"),
        line(4, "Dogwood, Tom", "0.0", "   2 w 0     5 b -     1 b 0"),
        line(5, "Elder, Ann", "3.0", "0000 - U     4 w +     3 b +"),
    ]
    .concat();
    let options = Options { rulebook: Some(BookId::NcScholastic), ..options() };
    try_all(&report, |bytes| {
        let Some(event) = accepted(opened(0, &[]), FileKind::Trf, bytes, &options) else {
            return false;
        };
        let section = event.sections().keys().next().expect("a section");
        let results = event.results(section, Names::Hidden).expect("results");
        let text = String::from_utf8_lossy(bytes);
        for line in text.lines().filter(|line| line.starts_with("001")) {
            let field = |from: usize, to: usize| line.get(from..to).unwrap_or_default().trim();
            let (Ok(rank), Ok(points)) = (field(4, 8).parse(), field(80, 84).parse::<f64>()) else {
                continue;
            };
            let here = results.score(number(rank), results.rounds()).map(|it| it.half_points());
            assert_eq!(here, Some((points * 2.0) as u32), "number {rank}:\n{text}");
        }
        true
    });
}

/// The results that a list's cell may have, and what they are.
const CELLS: &[(&str, &[&str])] = &[
    ("1-0", &["1-0", "1", "1:0", "1.0", "1,0", "1.0-0", "1-0.0", "1.00", "1,00"]),
    ("0-1", &["0-1", "0", "0:1", "0.0", "0.0-1", "0-1.0", "0.00", "0,00"]),
    (
        "½-½",
        &[
            "½-½", "=", "=-=", "½", "1/2", "½:½", "½;½", "½:½", ".5", ",5", "0.5", "0,5", ".50",
            ",50", "0.50", "0,50", "X-X",
        ],
    ),
    (
        "1F-0F",
        &[
            "1F-0F", "1F-0", "+-", "+/-", "+--", "+:-", "1-0F", "1:0F", "1F:0F", "1X-0F", "1-F",
            "1:F", "X-F", "X:F",
        ],
    ),
    (
        "0F-1F",
        &["0F-1F", "0F-1", "-+", "-/+", "--+", "-:+", "0-1F", "0F-1X", "F-1", "F:1", "F-X", "F:X"],
    ),
    ("0F-0F", &["0F-0F", "--", "---", "-/-", "-:-", "0-0F", "F-F", "F:F"]),
    ("0-0", &["0-0", "0:0"]),
    ("½-0", &["½-0", "½:0"]),
    ("0-½", &["0-½", "0:½"]),
    ("", &["", "*", "-", ":"]),
];

/// Tries mutations of a list of pairings of eight players below this header. `cell`: the result that a row's cells state.
fn try_list(header: &str, rows: &str, cell: fn(&[&str]) -> Option<String>) {
    let mut before = opened(4, &[("Open", SectionKind::Players, 3)]);
    let names: String =
        (1..=8).map(|it| format!("{it},Child {}\n", char::from(b'A' + it))).collect();
    taken(&mut before, FileKind::Players, &format!("No.,Name\n{names}"));
    try_all(&format!("{header}\n{rows}"), |bytes| {
        let Some(event) = accepted(before.clone(), FileKind::Pairings, bytes, &options()) else {
            return false;
        };
        let text = text_file::decode(bytes).text;
        let rows = text.strip_prefix(header).and_then(|it| it.strip_prefix('\n'));
        let Some(rows) = rows.filter(|_| !text.contains('"')) else { return true };
        let rows = rows.lines().filter_map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            let result: String = cell(&cells)?.to_uppercase().split_whitespace().collect();
            Some((cells[1].trim().to_owned(), result))
        });
        for (table, cell) in rows {
            let plain = table.trim_end_matches(".0").trim_start_matches('0');
            let found =
                event.round("Open", 1).find(|(_, it)| it.table == table || it.table == plain);
            let Some((_, pairing)) = found else { continue };
            let here = outcomes_to_text(&pairing.outcomes);
            let cell = cell.trim_start_matches('\'').trim_matches(';');
            let stated = CELLS.iter().find(|(_, forms)| forms.contains(&cell));
            assert_eq!(Some(here.as_str()), stated.map(|it| it.0), "{cell:?} at {table}:\n{text}");
        }
        true
    });
}

#[test]
fn a_list_gives_its_result_column() {
    let rows = "1,1,1,2,1-0\n1,2,3,4,½-½\n1,3,5,6,0-1\n1,4,7,8,1F-0F\n";
    try_list("Round,Table,White,Black,Result", rows, |cells| Some((*cells.get(4)?).to_owned()));
}

#[test]
fn a_list_gives_the_result_columns_of_both_sides() {
    let rows = "1,1,1,1,2,0\n1,2,3,½,4,½\n1,3,5,0,6,1\n1,4,7,+,8,-\n";
    let cell = |cells: &[&str]| {
        // A colon is a dash everywhere.
        let [own, other] = [cells.get(3)?, cells.get(5)?].map(|it| it.trim().replace(':', "-"));
        Some(if other.is_empty() { own } else { format!("{own}-{other}") })
    };
    try_list("Round,Table,White,Res,Black,Res", rows, cell);
}

#[test]
fn a_tournament_gives_its_codes() {
    let record = |name: &str, pairno: u32| {
        format!(
            r#"{{"base":{{"name":"{name}","type":"M"}},"tnmt":{{"sectionID":0,"pairno":{pairno}}}}}"#
        )
    };
    let players: Vec<String> = ["Ida A", "Leo B", "Mia C", "Tom D"]
        .iter()
        .zip(1..)
        .map(|(name, number)| record(name, number))
        .collect();
    let game = |p1: u32, board: u32, result: i32| {
        format!(
            r#"{{"p1":{p1},"p2":{},"r1":1,"r2":1,"board":{board},"color1":1,"result":{result},"type":0}}"#,
            p1 + 1
        )
    };
    let file = format!(
        r#"{{"tournament":{{"players":[{}],"sections":[{{"title":"Open","id":0,"maxRounds":3,"roundsPaired":1}}],"games":[{},{}]}}}}"#,
        players.join(","),
        game(0, 1, 1),
        game(2, 2, 0)
    );
    let options = Options { rulebook: Some(BookId::NcScholastic), ..options() };
    try_all(&file, |bytes| {
        let Some(event) = accepted(opened(4, &[]), FileKind::WinTd, bytes, &options) else {
            return false;
        };
        let text = String::from_utf8_lossy(bytes);
        let file: Value = serde_json::from_slice(bytes).expect("JSON");
        let games =
            file.as_object().and_then(|it| it.values().next()?["games"].as_array().cloned());
        let Some(section) = event.sections().keys().next() else { return true };
        for game in games.unwrap_or_default() {
            let stated = match game["result"].as_i64() {
                Some(1) => "1-0",
                Some(0) => "½-½",
                Some(-1) => "0-1",
                _ => continue,
            };
            let Some(board) = game["board"].as_u64().filter(|_| game["color1"] == 1) else {
                continue;
            };
            let found = event.round(section, 1).find(|(_, it)| it.table == board.to_string());
            let here = found.map(|(_, it)| outcomes_to_text(&it.outcomes));
            assert_eq!(here.as_deref().unwrap_or(stated), stated, "board {board}:\n{text}");
        }
        true
    });
}

/// The value of a record's only Result tag, if it is a result.
fn tag_of(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("[Result \"")?;
    let (value, rest) = rest.split_once("\"]")?;
    (["1-0", "0-1", "1/2-1/2"].contains(&value) && !rest.contains("[Result")).then_some(value)
}

#[test]
fn a_record_gives_its_result_tag() {
    let record = "[Event \"Open\"]\n[White \"Ida\"]\n[Black \"Leo\"]\n[Result \"1-0\"]\n\n1. e4 {[%clk 0:05:00]} e5 $1 2. Qh5 (2. Nf3 Nc6) 2... Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n";
    try_all(record, |bytes| {
        let games = pgn::read(bytes);
        let [(game, None)] = &games[..] else { return false };
        let text = String::from_utf8_lossy(bytes);
        if let Some(tag) = tag_of(&text).filter(|_| game.warnings.is_empty()) {
            assert_eq!(game.result.to_string(), tag, "{text}");
        }
        game.warnings.is_empty()
    });
    let record = "[WhiteA \"ida\"][BlackA \"leo\"]\n[WhiteB \"mia\"][BlackB \"tom\"]\n[Result \"1-0\"]\n\n1A. e4 {180.0} 1a. d5 {179.9} 1B. e4 {180.0} 1b. d5 {178.2}\n2A. exd5 {177.1}\n{leo forfeits on time} 1-0\n";
    try_all(record, |bytes| {
        let games = bpgn::read(bytes);
        let [Ok(game)] = &games[..] else { return false };
        let text = String::from_utf8_lossy(bytes);
        if let Some(tag) = tag_of(&text).filter(|_| game.warnings.is_empty()) {
            assert_eq!(game.result.to_string(), tag, "{text}");
        }
        game.warnings.is_empty()
    });
}
