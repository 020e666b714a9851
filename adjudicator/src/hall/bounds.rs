//! What a hub may say of a match of its own, so that no row, however wrong, can do harm beyond the row.
//!
//! A revision replaces all lower ones, and a time settles everything before it. So one row with the highest revision, or with a time
//! far ahead, would silence the ply or the match for good.

use std::collections::HashMap;

use referee::Input;

/// How far above the known one a revision may be: a hub gives each report the next, and few are refused in between.
const REVISION_JUMP_MAX: u32 = 100;

/// Longest match time, microseconds: a match is over within a day.
const MATCH_TIME_MAX_US: u64 = 24 * 60 * 60 * 1_000_000;

/// How far a row's match time may be ahead of the hub time that has passed since the match was opened, microseconds.
const TIME_AHEAD_MAX_US: u64 = 1_000_000;

/// Most plies, and most anomalies, of one match.
const REPORTS_MAX: usize = 16_384;

/// What is known of a match's reports.
#[derive(Debug)]
pub(super) struct Bounds {
    /// Hub time of the row that opened the match, microseconds.
    opened_us: u64,
    plies: HashMap<u32, u32>,
    anomalies: HashMap<u32, u32>,
}

impl Bounds {
    pub(super) fn new(opened_us: u64) -> Bounds {
        Bounds { opened_us, plies: HashMap::new(), anomalies: HashMap::new() }
    }

    /// Takes a report of a row that was made at `hub_time_us`, about match time `t_us`.
    ///
    /// # Errors
    ///
    /// In words why it cannot be.
    pub(super) fn check(
        &mut self,
        hub_time_us: u64,
        t_us: u64,
        report: &Input,
    ) -> Result<(), String> {
        let passed_us = hub_time_us.saturating_sub(self.opened_us);
        if t_us > passed_us.saturating_add(TIME_AHEAD_MAX_US).min(MATCH_TIME_MAX_US) {
            return Err(format!(
                "it is of match time {t_us} µs, but its hub has counted {passed_us} µs since it opened the match"
            ));
        }
        match report {
            Input::Ply(ply) => advance(&mut self.plies, "ply", ply.id, ply.revision),
            Input::Anomaly(anomaly) => {
                advance(&mut self.anomalies, "anomaly", anomaly.id, anomaly.revision)
            }
            _ => Ok(()),
        }
    }
}

fn advance(
    known: &mut HashMap<u32, u32>,
    what: &str,
    id: u32,
    revision: u32,
) -> Result<(), String> {
    let before = known.get(&id).copied();
    if before.is_none() && known.len() >= REPORTS_MAX {
        return Err(format!("{what} {id} is one too many: a match has at most {REPORTS_MAX}"));
    }
    let highest = before.unwrap_or(0);
    if revision > highest.saturating_add(REVISION_JUMP_MAX) {
        return Err(format!("revision {revision} of {what} {id} follows {highest}"));
    }
    known.insert(id, revision.max(highest));
    Ok(())
}
