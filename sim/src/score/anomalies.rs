//! Score of anomalies: found, missed and false reports.
//!
//! A report counts as found when something of the same code happened on the same board within
//! [`ANOMALY_WINDOW_US`], by the same side where both name one. Each event and each report is used
//! once, nearest pairs first. Retracted reports are not counted. A true ply that broke the rules is an
//! `illegal-move` whether or not the truth also lists it as an anomaly. A faulty square stays so: a `sensor-fault` counts as found
//! by a report of any later time, too.

use std::{collections::BTreeMap, ops::AddAssign};

use readings::{InferredAnomaly, InferredLine, TruthAnomaly, TruthLine};
use serde::Serialize;

use super::{Calibration, Share};

/// Maximum distance of event and report, microseconds: about the time of a player's objection.
pub const ANOMALY_WINDOW_US: u64 = 10_000_000;

/// Score of one code.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AnomalyScore {
    /// Reports that were true, of all reports.
    pub precision: Share,
    /// Events that were reported, of all events.
    pub recall: Share,
    /// Events whose report that stands at the end was first made within [`ANOMALY_WINDOW_US`] after
    /// them, of all events.
    pub recall_live: Share,
    /// Reports ever made, those taken back included, that were about an event, of all such reports: what people were shown.
    pub shown: Share,
    /// Calibration of the confidence at the end.
    pub reliability: Calibration,
}

impl AddAssign<&AnomalyScore> for AnomalyScore {
    fn add_assign(&mut self, other: &AnomalyScore) {
        self.precision += other.precision;
        self.recall += other.recall;
        self.recall_live += other.recall_live;
        self.shown += other.shown;
        self.reliability += &other.reliability;
    }
}

/// An event, the report that stands for it, or both.
#[derive(Clone, Debug)]
pub struct Noticed<'a> {
    /// The incident; `None` for a false report.
    pub event: Option<TruthAnomaly>,
    /// The report; `None` for a missed incident.
    pub report: Option<&'a InferredAnomaly>,
}

impl Noticed<'_> {
    /// Whether an event was reported within [`ANOMALY_WINDOW_US`] after it.
    #[must_use]
    pub fn in_time(&self) -> bool {
        self.event.as_ref().zip(self.report).is_some_and(|(event, report)| {
            report.first_t_us <= event.t_us.saturating_add(ANOMALY_WINDOW_US)
        })
    }
}

/// The anomalies of one match: every event, with its report if there is one, and then the false reports.
#[must_use]
pub fn noticed<'a>(truth: &[TruthLine], inferred: &'a [InferredLine]) -> Vec<Noticed<'a>> {
    let events = events(truth);
    let reports: Vec<&InferredAnomaly> = inferred
        .iter()
        .filter_map(|line| match line {
            InferredLine::Anomaly(anomaly) if !anomaly.retracted => Some(anomaly),
            _ => None,
        })
        .collect();
    let found = pairs(&events, &reports);
    let is_used = |at: usize| found.iter().any(|&(_, report)| report == at);
    let wrong = (0..reports.len()).filter(|&at| !is_used(at)).map(|at| reports[at]);
    let wrong = wrong.map(|report| Noticed { event: None, report: Some(report) });
    let of_event = |(index, event): (usize, &TruthAnomaly)| {
        let report = found.iter().find(|&&(event, _)| event == index).map(|&(_, at)| reports[at]);
        Noticed { event: Some(event.clone()), report }
    };
    events.iter().enumerate().map(of_event).chain(wrong).collect()
}

/// Scores the anomalies of one match by code.
pub(super) fn score(
    truth: &[TruthLine],
    inferred: &[InferredLine],
) -> BTreeMap<String, AnomalyScore> {
    let mut scores: BTreeMap<String, AnomalyScore> = BTreeMap::new();
    for noticed in noticed(truth, inferred) {
        if let Some(event) = &noticed.event {
            let score = scores.entry(event.code.clone()).or_default();
            score.recall.count(noticed.report.is_some());
            score.recall_live.count(noticed.in_time());
        }
        if let Some(report) = noticed.report {
            let score = scores.entry(report.code.clone()).or_default();
            score.precision.count(noticed.event.is_some());
            score.reliability.count(report.confidence, noticed.event.is_some());
        }
    }
    let events = events(truth);
    for line in inferred {
        let InferredLine::Anomaly(report) = line else { continue };
        let score = scores.entry(report.code.clone()).or_default();
        score.shown.count(events.iter().any(|event| is_about(report, event)));
    }
    scores
}

/// Whether a report may be about an event.
fn is_about(report: &InferredAnomaly, event: &TruthAnomaly) -> bool {
    let same_side = event.side.is_none() || report.side.is_none() || event.side == report.side;
    event.code == report.code
        && event.board == report.board
        && same_side
        && (event.t_us.abs_diff(report.t_us) <= ANOMALY_WINDOW_US
            || event.code == LASTS && event.t_us < report.t_us)
}

/// The anomaly that goes on once it has begun.
const LASTS: &str = "sensor-fault";

/// Incidents: the listed anomalies, and the illegal plies that are not among them.
pub(super) fn events(truth: &[TruthLine]) -> Vec<TruthAnomaly> {
    let mut events: Vec<TruthAnomaly> = truth
        .iter()
        .filter_map(|line| match line {
            TruthLine::Anomaly(anomaly) => Some(anomaly.clone()),
            TruthLine::Ply(_) => None,
        })
        .collect();
    let mut unlisted = Vec::new();
    for line in truth {
        let TruthLine::Ply(ply) = line else { continue };
        let listed = events.iter().any(|event| {
            event.code == "illegal-move"
                && event.board == ply.board
                && event.side.is_none_or(|side| side == ply.side)
                && event.t_us.abs_diff(ply.t_us) <= LISTED_WITHIN_US
        });
        if !ply.legal && !listed {
            unlisted.push(TruthAnomaly {
                code: "illegal-move".to_owned(),
                t_us: ply.t_us,
                board: ply.board,
                side: Some(ply.side),
            });
        }
    }
    events.append(&mut unlisted);
    events
}

/// Maximum distance of an `illegal-move` line from its ply; well under the time between two plies.
const LISTED_WITHIN_US: u64 = 200_000;

/// Pairs of positions in the two lists, nearest in time first.
pub(super) fn pairs(events: &[TruthAnomaly], reports: &[&InferredAnomaly]) -> Vec<(usize, usize)> {
    let mut near: Vec<(u64, usize, usize)> = Vec::new();
    for (event_index, event) in events.iter().enumerate() {
        for (report_index, report) in reports.iter().enumerate() {
            let apart_us = event.t_us.abs_diff(report.t_us);
            if is_about(report, event) {
                near.push((apart_us, event_index, report_index));
            }
        }
    }
    near.sort_unstable();
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (_, event, report) in near {
        if found.iter().all(|&(used, also_used)| used != event && also_used != report) {
            found.push((event, report));
        }
    }
    found
}
