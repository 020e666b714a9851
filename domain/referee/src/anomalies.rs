//! Anomalies that the hub reports, by id and revision.

use std::collections::{BTreeMap, HashMap};

use rules::{Seat, rulebook::Finding};

use crate::{
    ids::{AnomalyId, PlyId},
    input::AnomalyReport,
};

/// Maximum number of anomalies of one match, retracted ones included; reports beyond are refused.
pub const MAX_ANOMALIES: usize = 1024;

/// The anomalies of a match.
#[derive(Clone, Debug, Default)]
pub(crate) struct Anomalies {
    known: BTreeMap<AnomalyId, TrackedAnomaly>,
    /// Those about a ply, retracted ones too, so that a query about each ply does not search all.
    by_ply: HashMap<PlyId, Vec<AnomalyId>>,
}

#[derive(Clone, Debug)]
struct TrackedAnomaly {
    report: AnomalyReport,
    is_retracted: bool,
}

impl Anomalies {
    /// Adds a report; one that is older than the known one is ignored, also after a retraction.
    pub(crate) fn report(&mut self, report: AnomalyReport) {
        let before = self.known.get(&report.id);
        let is_news = before.is_none_or(|known| report.revision > known.report.revision);
        if !is_news || (before.is_none() && self.known.len() >= MAX_ANOMALIES) {
            return;
        }
        if let Some(ids) = before.and_then(|known| self.by_ply.get_mut(&known.report.ply?)) {
            ids.retain(|id| *id != report.id);
        }
        if let Some(ply) = report.ply {
            let ids = self.by_ply.entry(ply).or_default();
            ids.insert(ids.partition_point(|id| *id < report.id), report.id);
        }
        self.known.insert(report.id, TrackedAnomaly { report, is_retracted: false });
    }

    /// Takes a report back.
    pub(crate) fn retract(&mut self, id: AnomalyId) {
        if let Some(known) = self.known.get_mut(&id) {
            known.is_retracted = true;
        }
    }

    /// Number of anomalies, retracted ones too.
    pub(crate) fn count(&self) -> usize {
        self.known.len()
    }

    /// The reports that stand.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &AnomalyReport> {
        self.known.values().filter(|known| !known.is_retracted).map(|known| &known.report)
    }

    /// The reports of a finding that stand.
    pub(crate) fn of(&self, finding: Finding) -> impl Iterator<Item = &AnomalyReport> {
        self.iter().filter(move |report| report.code == finding.code())
    }

    /// Report about a ply.
    pub(crate) fn about(&self, finding: Finding, ply: PlyId) -> Option<&AnomalyReport> {
        let ids = self.by_ply.get(&ply)?.iter();
        let known = ids.filter_map(|id| self.known.get(id)).filter(|known| !known.is_retracted);
        known.map(|known| &known.report).find(|report| report.code == finding.code())
    }

    /// The fallen flag that the hub reports of a seat.
    pub(crate) fn flag_of(&self, seat: Seat) -> Option<&AnomalyReport> {
        self.of(Finding::FlagFallen)
            .find(|report| report.board == seat.board && report.side == Some(seat.color))
    }
}
