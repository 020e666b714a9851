//! The records of a report, line by line.
//!
//! `012` names the tournament, `XXR` or `142` the number of rounds, `202` the tie-breaks of a new section, `240` byes of
//! rounds to come. Records that change points are verified or refused, and others that are not read are named.

use std::collections::BTreeMap;

use rules::standings::ByeKind;

use super::{line, line::Line, points, rounds::bye_kind};
use crate::{
    import::{COLUMNS_MAX, Problem, ROWS_MAX, draft::Draft},
    limits::PLAYERS_MAX,
    names::{clean, same_name},
};

/// Records that change neither points nor pairings, and remarks.
const WITHOUT_EFFECT: &[&str] = &[
    "###", "022", "032", "042", "052", "062", "072", "082", "092", "102", "112", "122", "132",
    "152", "172", "182", "192", "212", "222",
];

/// Records of the format that change who has how many points, and are not read.
const CHANGING_POINTS: &[&str] = &["299"];

/// Records of bbpPairings with the points of one result each, and the letters of that result.
const POINTS_BY_RESULT: &[(&str, &str)] =
    &[("BBW", "W"), ("BBD", "D"), ("BBL", "L"), ("BBZ", "ZPB"), ("BBF", "FL"), ("BBU", "PAB")];

/// A report as it is read, before it is put against the event.
#[derive(Default)]
pub(super) struct Report {
    pub(super) players: BTreeMap<u32, Line>,
    pub(super) title: Option<String>,
    /// The tie-breaks of record 202 in their order, and its line.
    pub(super) tie_breaks: Option<(u64, String)>,
    pub(super) rounds: Option<usize>,
    /// Byes of record 240 by line: round, rank, bye.
    pub(super) byes: Vec<(u64, u8, u32, ByeKind)>,
    /// Lines of players that cannot be read, after the first one.
    pub(super) unreadable: Vec<u64>,
    /// Records that are not read, with the lines they are in.
    pub(super) unread: BTreeMap<String, Vec<u64>>,
}

impl Report {
    /// Reads the records. None when no report can be made of them, with that noted.
    pub(super) fn read(draft: &mut Draft<'_>, text: &str) -> Option<Report> {
        let mut report = Report::default();
        for (line, row) in (1..).zip(text.lines()) {
            if line > ROWS_MAX as u64 {
                let what = format!("the file has more than {ROWS_MAX} lines");
                draft.note(Problem::error(Some(line), None, what, "is it the right file?"));
                return None;
            }
            if let Some(record) = row.get(..3) {
                report.read_record(draft, line, record, row);
            }
        }
        report.verified(draft)
    }

    fn read_record(&mut self, draft: &mut Draft<'_>, line: u64, record: &str, row: &str) {
        let rest = row.get(4..).unwrap_or_default().trim().to_owned();
        let of_result = POINTS_BY_RESULT.iter().find(|(it, _)| *it == record);
        match record {
            "001" => self.read_player(draft, line, row),
            "012" => self.read_title(draft, line, clean(&rest)),
            "202" => self.tie_breaks = Some((line, rest)),
            "XXR" | "142" => self.rounds = rest.parse::<usize>().ok().or(self.rounds),
            "162" | "XXS" => points::check(draft, line, record, &rest),
            "240" => read_byes(draft, line, &rest, &mut self.byes),
            _ if let Some((_, letters)) = of_result => {
                points::check(draft, line, record, &format!("{letters} {rest}"));
            }
            _ if CHANGING_POINTS.contains(&record) => {
                let what = format!("the record {record} changes points, and is not read");
                let todo = "take it out, and enter its points by hand";
                draft.note(Problem::error(Some(line), Some(record), what, todo));
            }
            _ if WITHOUT_EFFECT.contains(&record) || record.trim().is_empty() => {}
            _ => {
                let record: String = record.chars().filter(|it| !it.is_control()).collect();
                if self.unread.len() < COLUMNS_MAX || self.unread.contains_key(&record) {
                    self.unread.entry(record).or_default().push(line);
                }
            }
        }
    }

    fn read_title(&mut self, draft: &mut Draft<'_>, line: u64, title: String) {
        if title.is_empty() {
            return;
        }
        if let Some(earlier) = self.title.as_ref().filter(|it| !same_name(it, &title)) {
            let what = format!("{title:?} begins here, and the file has {earlier:?} already");
            let todo = "make a file of each tournament";
            draft.note(Problem::error(Some(line), Some("012"), what, todo));
        }
        self.title = Some(title);
    }

    fn read_player(&mut self, draft: &mut Draft<'_>, line: u64, row: &str) {
        let player = match line::read(line, row) {
            Ok(player) => player,
            Err(wrong) => {
                if self.unreadable.is_empty() {
                    let problem =
                        Problem::error(Some(line), Some(&wrong.column), wrong.what, wrong.todo);
                    draft.note(problem);
                }
                self.unreadable.push(line);
                return;
            }
        };
        let rank = player.rank;
        if let Some(earlier) = self.players.insert(rank, player) {
            let what = format!("the starting rank {rank} is in line {} already", earlier.line);
            draft.note(Problem::error(Some(line), Some("5-8"), what, "give each player one"));
        }
    }

    /// The report, if it has players who can be read and are not too many.
    fn verified(self, draft: &mut Draft<'_>) -> Option<Report> {
        if !self.unreadable.is_empty() {
            if let [_, second, ..] = self.unreadable[..] {
                let more = self.unreadable.len() - 1;
                let what = format!("{more} more of the lines of players cannot be read");
                draft.note(Problem::error(
                    Some(second),
                    None,
                    what,
                    "correct them as the first one",
                ));
            }
            return None;
        }
        if self.players.is_empty() {
            let what = "no line begins with 001";
            draft.note(Problem::error(None, None, what, "choose a report in the format TRF16"));
            return None;
        }
        if self.players.len() > PLAYERS_MAX {
            let what = format!(
                "there are {} players, and an event has at most {PLAYERS_MAX}",
                self.players.len()
            );
            draft.note(Problem::error(None, None, what, "make an event for each tournament"));
            return None;
        }
        if let Some(by_bytes) = self.players.values().find(|it| it.by_bytes) {
            let what = "the columns of this line, and of others perhaps, are counted in bytes, and are read so";
            let todo = "compare the names and results";
            draft.note(Problem::error(Some(by_bytes.line), None, what, todo).warning());
        }
        Some(self)
    }

    /// Names the records that are not read, once.
    pub(super) fn name_unread(&self, draft: &mut Draft<'_>) {
        if self.unread.is_empty() {
            return;
        }
        let named: Vec<String> = self
            .unread
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
