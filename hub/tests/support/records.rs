//! From a table's readings to what the hub makes of them: the session's rows, and the trace as the journal gives it. In
//! virtual time.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]

use hub::HubTime;
use hub::config::TableConfig;
use hub::journal::{MatchRecord, OutgoingEvent};
use hub::journal_line::Line;
use hub::session::{Session, SessionOutput};
use inference::{Tracker, TrackerConfig};
use readings::{InferredLine, Reading, ReadingKind, TraceHeader};
use rules::BoardId;

use super::bench::Timed;

/// The hub's name.
pub const HUB: &str = "hub-1";

/// Record of a match.
pub struct Record {
    /// Its id.
    pub match_id: String,
    /// The rows for the adjudicator.
    pub rows: Vec<OutgoingEvent>,
    /// Time of its opening, microseconds of hub time: the times of its trace count from there.
    pub opened_us: u64,
    /// Its trace, as the hub's journal gives it.
    pub trace: (TraceHeader, Vec<Reading>),
}

impl Record {
    /// Inference from the whole trace.
    pub fn inferred(&self) -> Vec<InferredLine> {
        let (header, readings) = &self.trace;
        Tracker::over(header, readings, TrackerConfig::default()).record()
    }
}

/// A session and what has come of it.
struct Following {
    session: Session,
    rows: Vec<OutgoingEvent>,
    /// The one match, as it was opened last.
    opened: Option<MatchRecord>,
    ended: bool,
    /// Readings since then.
    readings: Vec<Reading>,
}

impl Following {
    fn take_outputs(&mut self) {
        while let Some(output) = self.session.poll_output() {
            match output {
                SessionOutput::Row(row) => self.rows.push(row),
                SessionOutput::Match(record) if record.ended => self.ended = true,
                SessionOutput::Notice(words) => panic!("{words}"),
                SessionOutput::Match(record) => {
                    let same = |before: &MatchRecord| before.match_id == record.match_id;
                    assert!(self.opened.as_ref().is_none_or(same), "a second match was opened");
                    self.readings.clear();
                    self.opened = Some(record);
                }
            }
        }
    }
}

/// Gives a table's readings, which are in the order of time, to the hub's session until the one match that they tell of has
/// ended.
pub fn record(table: &TableConfig, readings: &[Timed]) -> Record {
    let session = Session::new(hub::session_config(HUB, table));
    let (rows, readings_of_match) = (Vec::new(), Vec::new());
    let mut following =
        Following { session, rows, opened: None, ended: false, readings: readings_of_match };
    for (at_us, board, kind) in readings.iter().chain(&clocks_reset(table, readings)) {
        let reading = Reading { t_us: *at_us, board: Some(*board), kind: kind.clone() };
        following.session.handle(&Line::Reading(reading.clone()));
        following.take_outputs();
        // A match that it opens begins before it.
        following.readings.push(reading);
        if following.ended {
            break;
        }
    }
    assert!(following.ended, "the match has not ended");
    following.into_record()
}

/// Readings of the clocks when they are set for the next match.
fn clocks_reset(table: &TableConfig, readings: &[Timed]) -> Vec<Timed> {
    let at_us = readings.last().map_or(0, |(at_us, ..)| *at_us) + 1_000_000;
    let start_ms = i64::try_from(table.time.start_ms()).unwrap();
    let set = ReadingKind::Clock { white_ms: start_ms, black_ms: start_ms, running: None };
    BoardId::ALL.map(|board| (at_us, board, set.clone())).into()
}

impl Following {
    fn into_record(self) -> Record {
        let MatchRecord { match_id, opened, header, prologue, .. } = self.opened.unwrap();
        let prologue = prologue.lines().map(|line| serde_json::from_str(line).unwrap());
        let of_match = self.readings.into_iter().map(|reading| {
            let t_us = HubTime::from_micros(reading.t_us).micros_since(opened);
            Reading { t_us, ..reading }
        });
        let mut trace: Vec<Reading> = prologue.chain(of_match).collect();
        let t_us = trace.last().map_or(0, |reading: &Reading| reading.t_us);
        trace.push(Reading { t_us, board: None, kind: ReadingKind::End });
        let header = serde_json::from_str(&header).unwrap();
        Record { match_id, rows: self.rows, opened_us: opened.as_micros(), trace: (header, trace) }
    }
}
