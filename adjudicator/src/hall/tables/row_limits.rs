//! Limits of a hub's rows about its own matches, so that no wrong row can do harm beyond the row.
//!
//! A revision replaces all lower ones, and a time settles everything before it. So one row with the highest revision, or with a time
//! far ahead, would silence the ply or the match for good.

use referee::Input;

/// Largest step of a revision: a hub gives each report the next one, and few are refused in between.
const REVISION_JUMP_MAX: u32 = 100;

/// Longest match time, microseconds: a match is over within a day.
pub(crate) const MATCH_TIME_MAX_US: u64 = 24 * 60 * 60 * 1_000_000;

/// Largest lead of a row's match time over the hub time since the match was opened, microseconds.
pub(crate) const TIME_AHEAD_MAX_US: u64 = 1_000_000;

/// Maximum number of plies of one match: retracted plies count, too.
const PLIES_MAX: usize = 16_384;

/// Maximum number of anomalies of one match, each with its evidence in words.
const ANOMALIES_MAX: usize = referee::MAX_ANOMALIES;

/// Maximum number of reports of one match, with all revisions of each.
const REVISIONS_MAX: u32 = 100_000;

/// State of a match's reports.
#[derive(Clone, Debug)]
pub(in crate::hall) struct Bounds {
    /// Hub time of the row that opened the match, microseconds.
    opened_us: u64,
    /// The highest revision of each by its id, sorted: ids mostly grow, and a list costs little to copy.
    plies: Vec<(u32, u32)>,
    anomalies: Vec<(u32, u32)>,
    /// Number of reports.
    reports: u32,
}

impl Bounds {
    pub(in crate::hall) fn new(opened_us: u64) -> Bounds {
        Bounds { opened_us, plies: Vec::new(), anomalies: Vec::new(), reports: 0 }
    }

    /// Takes a report of a row that was made at `hub_time_us`, about match time `t_us`.
    ///
    /// # Errors
    ///
    /// In words why it cannot be.
    pub(in crate::hall) fn check(
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
        let (id, revision, known) = match report {
            Input::Ply(ply) => {
                let revisions = &mut self.plies;
                (ply.id, ply.revision, KnownReports { what: "ply", most: PLIES_MAX, revisions })
            }
            Input::Anomaly(anomaly) => {
                let revisions = &mut self.anomalies;
                let known = KnownReports { what: "anomaly", most: ANOMALIES_MAX, revisions };
                (anomaly.id, anomaly.revision, known)
            }
            _ => return Ok(()),
        };
        if self.reports >= REVISIONS_MAX {
            return Err(format!("a match has at most {REVISIONS_MAX} reports with all revisions"));
        }
        known.advance(id, revision)?;
        self.reports += 1;
        Ok(())
    }
}

/// State of reports of one kind.
struct KnownReports<'a> {
    what: &'static str,
    most: usize,
    /// The highest of each, by its id.
    revisions: &'a mut Vec<(u32, u32)>,
}

impl KnownReports<'_> {
    fn advance(self, id: u32, revision: u32) -> Result<(), String> {
        let KnownReports { what, most, revisions } = self;
        let place = revisions.binary_search_by_key(&id, |&(known, _)| known);
        let before = place.ok().map(|at| revisions[at].1);
        if before.is_none() && revisions.len() >= most {
            return Err(format!("{what} {id} is one too many: a match has at most {most}"));
        }
        let highest = before.unwrap_or(0);
        if revision > highest.saturating_add(REVISION_JUMP_MAX) {
            return Err(format!("revision {revision} of {what} {id} follows {highest}"));
        }
        match place {
            Ok(at) => revisions[at].1 = revision.max(highest),
            Err(at) => revisions.insert(at, (id, revision)),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use referee::{AnomalyReport, PlyReport};
    use rules::{BoardId, Color};

    use super::*;

    fn ply(id: u32, revision: u32) -> Input {
        Input::Ply(PlyReport {
            id,
            revision,
            board: BoardId::A,
            side: Color::White,
            t_us: 0,
            released_us: None,
            touched_us: None,
            ply: "e2e4".parse().unwrap(),
            p: 1.0,
            legal: true,
            alternatives: Vec::new(),
            clock_ms: None,
        })
    }

    fn anomaly(id: u32) -> Input {
        Input::Anomaly(AnomalyReport {
            id,
            revision: 0,
            code: "touch-move".to_owned(),
            board: BoardId::A,
            side: None,
            t_us: 0,
            confidence: 0.9,
            ply: None,
            reason: None,
            evidence: String::new(),
        })
    }

    #[test]
    fn a_match_has_so_many_reports_and_no_more() {
        let mut bounds = Bounds::new(0);
        for revision in 0..REVISIONS_MAX {
            assert_eq!(bounds.check(0, 0, &ply(1, revision)), Ok(()));
        }
        assert!(bounds.check(0, 0, &ply(1, REVISIONS_MAX)).is_err());
        assert!(bounds.check(0, 0, &ply(2, 0)).is_err());
        assert_eq!(bounds.check(0, 0, &Input::PlyRetracted(1)), Ok(()), "it is no report");
    }

    #[test]
    fn a_match_has_so_many_plies_and_so_many_anomalies() {
        let mut bounds = Bounds::new(0);
        for id in 0..PLIES_MAX as u32 {
            assert_eq!(bounds.check(0, 0, &ply(id, 0)), Ok(()));
        }
        assert!(bounds.check(0, 0, &ply(PLIES_MAX as u32, 0)).is_err());
        assert_eq!(bounds.check(0, 0, &ply(0, 1)), Ok(()), "of a known one more may be said");
        for id in 0..ANOMALIES_MAX as u32 {
            assert_eq!(bounds.check(0, 0, &anomaly(id)), Ok(()));
        }
        assert!(bounds.check(0, 0, &anomaly(ANOMALIES_MAX as u32)).is_err());
    }
}
