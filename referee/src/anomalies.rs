//! What the hub reports beside plies, by id and revision.

use std::collections::BTreeMap;

use rules::{Seat, rulebook::Finding};

use crate::input::{AnomalyId, AnomalyReport, PlyId};

/// Most anomalies kept of one match, retracted ones included; reports beyond are refused.
pub const MAX_ANOMALIES: usize = 1024;

/// The anomalies of a match.
#[derive(Clone, Debug, Default)]
pub(crate) struct Anomalies(BTreeMap<AnomalyId, Known>);

#[derive(Clone, Debug)]
struct Known {
    report: AnomalyReport,
    is_retracted: bool,
}

impl Anomalies {
    /// Takes a report in; what is older than what is known is ignored, also after a retraction.
    pub(crate) fn report(&mut self, report: AnomalyReport) {
        let known = self.0.get(&report.id).map(|known| known.report.revision);
        let is_news = known.is_none_or(|revision| report.revision > revision);
        if is_news && (known.is_some() || self.0.len() < MAX_ANOMALIES) {
            self.0.insert(report.id, Known { report, is_retracted: false });
        }
    }

    /// Takes a report back.
    pub(crate) fn retract(&mut self, id: AnomalyId) {
        if let Some(known) = self.0.get_mut(&id) {
            known.is_retracted = true;
        }
    }

    /// The reports that stand.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &AnomalyReport> {
        self.0.values().filter(|known| !known.is_retracted).map(|known| &known.report)
    }

    /// The reports of a finding that stand.
    pub(crate) fn of(&self, finding: Finding) -> impl Iterator<Item = &AnomalyReport> {
        self.iter().filter(move |report| report.code == finding.code())
    }

    /// What is reported of a ply.
    pub(crate) fn about(&self, finding: Finding, ply: PlyId) -> Option<&AnomalyReport> {
        self.of(finding).find(|report| report.ply == Some(ply))
    }

    /// The fallen flag that the hub reports of a seat.
    pub(crate) fn flag_of(&self, seat: Seat) -> Option<&AnomalyReport> {
        self.of(Finding::FlagFallen)
            .find(|report| report.board == seat.board && report.side == Some(seat.color))
    }
}
