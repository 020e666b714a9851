//! The programs that have run at the hub with a floor, one after the other; and the rows of its tables, which are what these say of the journalled
//! lines, each once.
//!
//! A hub that comes back in mid-match as another release, or with another configuration, says other rows of the same lines. Published rows
//! stay valid. So the final view is the last program's, or the match is closed where it is, with a notice to people. Either way nothing
//! that comes later is swallowed.

use std::collections::BTreeSet;

use hub_core::HubTime;
use hub_core::journal::{Entry, MatchRecord, OutgoingEvent, told_of};
use hub_core::journal_line::Line;
use hub_core::revisions::PublishedMatch;
use hub_core::session::{Session, SessionOutput};
use hub_core::table::{TableSettings, session_config};
use proto::mqtt::message::{MatchState, row::Event};
use rules::TimeControl;

use super::{Floor, follower};
use crate::journal::Journal;

/// Time of each player in the one configuration and in the other, seconds.
const BASES_S: [u32; 2] = [180, 90];
/// Words for people, in the log and in the record of the closed match.
const TOLD: &str = "is another release, or has another configuration";
const CLOSED: &str = "another release, or with another configuration";

/// A program that runs from some entry of the journal on.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    from_entry: usize,
    tables: Vec<TableSettings>,
}

impl Floor {
    /// The hub starts when its journal has so many entries.
    pub(super) fn note_program(&mut self, entries: usize) {
        // A journal that was set back has no entries of later programs.
        self.programs.retain(|program| program.from_entry <= entries);
        self.programs.push(Program { from_entry: entries, tables: self.tables.clone() });
    }

    /// The hub is another release from now on, or has another configuration.
    pub(crate) fn become_other(&mut self, is_release: bool) {
        for settings in &mut self.tables {
            if is_release {
                let is_other = settings.release != "sim";
                settings.release = if is_other { "sim" } else { "other" }.to_owned();
                settings.follower = if is_other { follower::stub } else { follower::other_stub };
            } else {
                let is_first = settings.table.time.periods()[0].base_s == BASES_S[0];
                let base_s = BASES_S[usize::from(is_first)];
                settings.table.time = TimeControl::sudden_death(base_s, 0).expect("a time control");
            }
        }
    }
}

/// Checks the rows of one table.
pub(super) fn check_rows(floor: &Floor, table: usize, journal: &Journal) -> Result<(), String> {
    let name = &floor.tables[table].table.name;
    let of_table = |(_, entry): &(usize, &Entry)| entry.table == *name;
    let entries = journal.entries().iter().map(|entry| &**entry).enumerate().filter(of_table);
    let entries: Vec<(usize, &Entry)> = entries.collect();
    let settings = |number: usize| {
        let ran = floor.programs.iter().rev().find(|program| program.from_entry <= number);
        ran.map_or(&floor.tables[table], |program| &program.tables[table])
    };
    check_ends(floor, table, &entries)?;
    let programs: BTreeSet<String> =
        entries.iter().map(|(number, _)| settings(*number).said_by()).collect();
    let checked = match programs.len() {
        0 | 1 => {
            let settings = entries.first().map_or(&floor.tables[table], |it| settings(it.0));
            check_one_program(settings, &entries)
        }
        _ => check_programs(settings, &entries).and_then(|changed| {
            let is_told = |words: &&String| {
                words.starts_with(&format!("table {name}: ")) && words.contains(TOLD)
            };
            let told = floor.warnings.iter().filter(is_told).count();
            match told < changed {
                true => Err(format!(
                    "another program found rows {changed} times, and people are told {told} times"
                )),
                false => Ok(()),
            }
        }),
    };
    checked.map_err(|what| format!("table {name}: {what}"))
}

/// Every match ends, nothing is published of it after that unless the end is taken back before the next match is opened, and at most the last one
/// is open in the end.
fn check_ends(floor: &Floor, table: usize, entries: &[(usize, &Entry)]) -> Result<(), String> {
    let (mut open, mut ended, mut last_ended) = (BTreeSet::new(), BTreeSet::new(), None);
    for row in entries.iter().flat_map(|(_, entry)| &entry.rows) {
        let Some(match_id) = proto::mqtt::match_of(&row.event) else { continue };
        if last_ended == Some(match_id) && takes_back(&row.event) {
            ended.remove(match_id);
            open.insert(match_id);
            last_ended = None;
        }
        if ended.contains(match_id) {
            return Err(format!("{:?} is published for a match that has ended", row.event));
        }
        match &row.event {
            Event::MatchOpened(_) => {
                open.insert(match_id);
                last_ended = None;
            }
            Event::MatchStateChanged(changed) if changed.state() == MatchState::Ended => {
                open.remove(match_id);
                ended.insert(match_id);
                last_ended = Some(match_id);
            }
            _ => {}
        }
    }
    if let Some(process) = &floor.process {
        open.retain(|match_id| process.match_id(table) != Some(match_id));
    }
    match open.first() {
        Some(match_id) => Err(format!("match {match_id} is open for good")),
        None => Ok(()),
    }
}

/// Whether an event pauses a match that had ended.
fn takes_back(event: &Event) -> bool {
    matches!(event, Event::MatchStateChanged(changed) if changed.state() == MatchState::Paused)
}

fn drain(session: &mut Session, said: &mut Vec<OutgoingEvent>) {
    while let Some(output) = session.poll_output() {
        if let SessionOutput::Row(row) = output {
            said.push(row);
        }
    }
}

fn give(session: &mut Session, line: &str, said: &mut Vec<OutgoingEvent>) -> Result<(), String> {
    let line: Line = serde_json::from_str(line).map_err(|error| error.to_string())?;
    session.handle(&line);
    drain(session, said);
    Ok(())
}

/// A session as it starts from a checkpoint.
fn session(settings: &TableSettings, checkpoint: Option<&str>) -> Result<Session, String> {
    let config = session_config(&settings.hub_id, &settings.table);
    let mut session = match checkpoint {
        Some(text) => Session::restore(config, text).map_err(|error| error.to_string())?,
        None => Session::new(config),
    };
    session.follow_with(settings.follower);
    Ok(session)
}

/// The rows are those of one session for the lines, each once.
fn check_one_program(settings: &TableSettings, entries: &[(usize, &Entry)]) -> Result<(), String> {
    let mut session = session(settings, None)?;
    let mut said = Vec::new();
    for input in entries.iter().flat_map(|(_, entry)| &entry.inputs) {
        give(&mut session, &input.line, &mut said)?;
    }
    let told: Vec<&OutgoingEvent> = entries.iter().flat_map(|(_, entry)| &entry.rows).collect();
    check_open(session, said, &told)
}

/// At the end of the lines time alone may have given more rows, which were published.
fn check_open(
    mut session: Session,
    mut said: Vec<OutgoingEvent>,
    told: &[&OutgoingEvent],
) -> Result<(), String> {
    let by_lines = said.len();
    session.advance(HubTime::from_micros(u64::MAX / 2));
    drain(&mut session, &mut said);
    let same = told.iter().zip(&said).take_while(|(told, said)| **told == *said).count();
    if same == told.len() && told.len() >= by_lines {
        return Ok(());
    }
    Err(format!(
        "its session gives {by_lines} rows of the journalled lines, {} are journalled, the first {same} are the same; then {:?} instead of {:?}",
        told.len(),
        told.get(same),
        said.get(same)
    ))
}

/// Lines and rows since the last checkpoint.
struct Since<'a> {
    checkpoint: Option<&'a str>,
    lines: Vec<&'a str>,
    told: Vec<&'a OutgoingEvent>,
    said: Vec<OutgoingEvent>,
    session: Session,
    /// Several programs have told these rows: the last one found so many there.
    found: Option<usize>,
}

/// The rows are those of the programs for the lines. Returns how often one of them found rows of another.
fn check_programs<'a>(
    settings: impl Fn(usize) -> &'a TableSettings,
    entries: &[(usize, &'a Entry)],
) -> Result<usize, String> {
    let Some((first, _)) = entries.first() else { return Ok(0) };
    let mut program = settings(*first);
    let mut since = Since {
        checkpoint: None,
        lines: Vec::new(),
        told: Vec::new(),
        said: Vec::new(),
        session: session(program, None)?,
        found: None,
    };
    let mut changed = 0;
    for &(number, entry) in entries {
        let now = settings(number);
        if now.said_by() != program.said_by() {
            program = now;
            // Several programs with rows of one match are counted once.
            changed += usize::from(!since.told.is_empty() && since.found.is_none());
            since.begin_again(program)?;
        }
        for input in &entry.inputs {
            since.lines.push(&input.line);
            give(&mut since.session, &input.line, &mut since.said)?;
        }
        since.told.extend(&entry.rows);
        if let Some(checkpoint) = &entry.checkpoint {
            since.session.advance(entry.reached);
            drain(&mut since.session, &mut since.said);
            since.check(entry)?;
            since.checkpoint = Some(checkpoint);
            since.lines.clear();
            since.told.clear();
            since.said.clear();
            since.found = None;
            since.session = session(program, since.checkpoint)?;
        }
    }
    if since.found.is_none() {
        check_open(since.session, since.said, &since.told)?;
    }
    Ok(changed)
}

impl<'a> Since<'a> {
    /// Another program reads the same lines.
    fn begin_again(&mut self, program: &TableSettings) -> Result<(), String> {
        self.session = session(program, self.checkpoint)?;
        self.said.clear();
        // A match that was just opened is another one for another configuration.
        drain(&mut self.session, &mut self.said);
        for line in &self.lines {
            give(&mut self.session, line, &mut self.said)?;
        }
        if !self.told.is_empty() || !self.said.is_empty() {
            self.found = Some(self.told.len());
        }
        Ok(())
    }

    /// No match is open any more.
    fn check(&self, entry: &Entry) -> Result<(), String> {
        let Some(found) = self.found else {
            let same = self.told.iter().zip(&self.said).take_while(|(told, said)| **told == *said);
            let same = same.count();
            return match same == self.told.len() && same == self.said.len() {
                true => Ok(()),
                false => Err(format!(
                    "until its checkpoint its session gives {} rows, {} are journalled, the first {same} are the same; then {:?} instead of {:?}",
                    self.said.len(),
                    self.told.len(),
                    self.told.get(same),
                    self.said.get(same)
                )),
            };
        };
        if entry.inputs.is_empty() && (entry.rows.is_empty() || is_closed(entry)) {
            return Ok(());
        }
        let told_later = self.told[found..].iter();
        let ended = told_later.filter_map(|row| match &row.event {
            Event::MatchStateChanged(changed) if changed.state() == MatchState::Ended => {
                Some(changed.match_id.as_str())
            }
            _ => None,
        });
        for match_id in ended {
            let of = |rows: Vec<Event>| plies(&told_of(match_id, rows));
            let told = of(self.told.iter().map(|row| row.event.clone()).collect());
            let said = of(self.said.iter().map(|row| row.event.clone()).collect());
            if told != said {
                return Err(format!(
                    "match {match_id}: in the end {told:?} are shown, and the last program says {said:?}"
                ));
            }
        }
        Ok(())
    }
}

/// Whether a match is closed here before its end.
fn is_closed(entry: &Entry) -> bool {
    let says_so = |row: &OutgoingEvent| matches!(&row.event, Event::AnomalyReported(it) if it.evidence.contains(CLOSED));
    let has_ended = |(_, record): &(usize, MatchRecord)| record.ended;
    entry.rows.iter().any(says_so) && entry.matches.iter().any(has_ended)
}

/// The plies that are shown, whatever their ids.
fn plies(told: &[Event]) -> Vec<(u64, i32, i32, String)> {
    let shown = PublishedMatch::of(told).plies.into_values();
    let mut plies: Vec<_> = shown.map(|ply| (ply.t_us, ply.board, ply.side, ply.uci)).collect();
    plies.sort();
    plies
}
