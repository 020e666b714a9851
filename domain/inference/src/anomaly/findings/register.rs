//! All anomalies reported of a match: identifiers, and when a changed confidence is worth a
//! revision or a retraction.
//!
//! ```text
//! report  if confidence ≥ report_above
//! retract if confidence < retract_below, and the readings behind it are still known
//! report_above  = the threshold of the code
//! retract_below = report_above − HYSTERESIS while a match is followed, report_above at its end
//! revise  if it had been retracted, if side, ply, reason or the words of the evidence change, if
//!         confidence crosses CERTAIN, or at the end of a match if confidence changes by more than SHIFT
//! ```

use std::collections::VecDeque;

use readings::{BoardHeader, TraceHeader};
use rules::{
    BoardId,
    rulebook::{BookId, Rulebook},
};

use crate::{
    anomaly::findings::finding::Finding,
    report::{AnomalyCode, AnomalyId, AnomalyReport, PlyId, Stage, TrackerOutput},
};

/// Threshold of all codes without their own, 0 to 1: likelier than not. Assumed.
pub(crate) const LIKELIER_THAN_NOT: f64 = 0.5;
/// Threshold of touched pieces. Fitted: drawn scholastic hands, seeds 1 to 22; .94 of the reports
/// from there on are true.
const TOUCH_MOVE: f64 = 0.52;
/// Threshold of the other hand at the clock. Assumed: it accuses a player, so it must be clearly
/// likelier than not.
const CLOCK_HAND: f64 = 0.58;
/// Threshold of illegal moves while a match is followed; one that is shown and taken back has
/// accused a child. Fitted: drawn hands of clubs and of children, seeds 1 to 22.
const ILLEGAL_MOVE_LIVE: f64 = 0.57;
/// Threshold of pieces passed early. Fitted: drawn scholastic hands, reed boards with trays, seeds 1 to 8.
const EARLY_PASS: f64 = 0.87;
/// Difference between reporting and retracting while a match is followed, so that reports do not
/// come and go with every press. Assumed.
const HYSTERESIS: f64 = 0.2;

/// Crossing this confidence, either way, is worth a revision. Assumed.
const CERTAIN: f64 = 0.9;
/// A change of confidence by more than this at the end of a match is worth a revision. Assumed:
/// people read two decimals.
const SHIFT: f64 = 0.01;

/// Scan time of a board, milliseconds, from which its readings do not tell which hand pressed or
/// whether a piece stood at the press. Assumed: smaller differences of time tell these apart.
const LATE_FROM_MS: u32 = 50;

/// Codes that boards with late readings cannot show: what a hand did around a press.
const OF_MOMENTS: &[AnomalyCode] = &[AnomalyCode::ClockHand, AnomalyCode::EarlyPress];
/// Codes that a board without a clock cannot show: nobody presses there, and what completes a ply is no press.
const OF_PRESSES: &[AnomalyCode] = &[
    AnomalyCode::ClockHand,
    AnomalyCode::ClockHover,
    AnomalyCode::ClockTurned,
    AnomalyCode::DoublePress,
    AnomalyCode::EarlyPass,
    AnomalyCode::EarlyPress,
    AnomalyCode::MissedPress,
    AnomalyCode::OutOfTurn,
    AnomalyCode::PressAfterDisplacing,
    AnomalyCode::PressWithoutMove,
];

/// Maximum number of anomalies reported of one match, with those taken back. Bound: on memory; an adjudicator
/// keeps as many. Findings beyond it are not reported.
const ENTRIES_MAX: usize = 1024;
/// Maximum number of those that rest on single readings. Bound: a clock or contact that is out of order leaves
/// room for the players' anomalies.
const READINGS_ENTRIES_MAX: usize = ENTRIES_MAX / 2;

/// An anomaly as last reported.
#[derive(Clone, Debug)]
pub(crate) struct ReportedAnomaly {
    pub(crate) report: AnomalyReport,
    pub(crate) first_t_us: u64,
    pub(crate) retracted: bool,
    /// The layer of the finding; none for findings from a reading.
    pub(crate) layer: Option<usize>,
    slot: Option<usize>,
    /// Whether no later finding is about it: the match was followed again since.
    is_over: bool,
}

/// All anomalies reported so far.
#[derive(Clone, Debug)]
pub(crate) struct Register {
    /// None when the header names a rulebook that this release does not have: then nothing can be cited.
    book: Option<BookId>,
    /// Codes that each board cannot show.
    unseen: [&'static [AnomalyCode]; 2],
    /// All anomalies ever reported, those taken back included, in the order of identifiers.
    pub(crate) entries: Vec<ReportedAnomaly>,
}

/// Places and times of findings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Occasion<'a> {
    pub(crate) board: BoardId,
    /// The layer they were found in; none for findings from a reading.
    pub(crate) layer: Option<usize>,
    /// The plies of that layer as reported.
    pub(crate) plies: &'a [PlyId],
    pub(crate) stage: Stage,
    pub(crate) now_us: u64,
    /// Whether all readings behind the findings are still known. If not, earlier findings stand.
    pub(crate) remembered: bool,
}

impl Occasion<'_> {
    /// Findings that belong to no layer, at `now_us`.
    pub(crate) const fn of_reading(board: BoardId, now_us: u64) -> Self {
        let stage = Stage::Live;
        Occasion { board, layer: None, plies: &[], stage, now_us, remembered: true }
    }
}

impl Register {
    /// An empty register for a match with this header.
    pub(crate) fn of(header: &TraceHeader) -> Register {
        let unseen = BoardId::ALL.map(|board| match header.boards.get(&board) {
            Some(board) if board.clockless => OF_PRESSES,
            Some(BoardHeader { scan_ms: Some(LATE_FROM_MS..), .. }) => OF_MOMENTS,
            _ => &[],
        });
        Register { book: header.rulebook.parse().ok(), unseen, entries: Vec::new() }
    }

    /// Takes the present findings of one place and puts out what is new: reports, revisions and retractions.
    pub(crate) fn update(
        &mut self,
        mut findings: Vec<Finding>,
        occasion: Occasion<'_>,
        out: &mut VecDeque<TrackerOutput>,
    ) {
        self.keep_seen(occasion.board, &mut findings);
        if !occasion.remembered {
            findings.retain(|finding| !rests_on_changes(finding.code));
        }
        let is_likely =
            |finding: &Finding| finding.confidence >= retract_below(finding.code, occasion.stage);
        for entry in &mut self.entries {
            let same_layer = occasion.layer.is_some() && entry.layer == occasion.layer;
            let stands = (findings.iter())
                .any(|finding| entry.is_about(finding, occasion) && is_likely(finding));
            let known = occasion.remembered || !rests_on_changes(entry.report.code);
            if same_layer && known && !stands {
                entry.retract(occasion.now_us, out);
            }
        }
        for finding in findings {
            let is_reported = finding.confidence >= report_above(finding.code, occasion.stage);
            let doubted = occasion.layer.is_none() && !is_likely(&finding);
            let has_room = self.has_room(occasion.layer);
            let (layer, slot, first_t_us) = (occasion.layer, finding.slot, occasion.now_us);
            match self.entries.iter_mut().find(|entry| entry.is_about(&finding, occasion)) {
                Some(entry) if doubted => entry.retract(occasion.now_us, out),
                Some(entry) if !entry.retracted || is_reported => {
                    entry.revise(report(self.book, finding, occasion), occasion.stage, out);
                }
                None if is_reported && !doubted && has_room => {
                    let id = AnomalyId(self.entries.len() as u32);
                    let report = AnomalyReport { id, ..report(self.book, finding, occasion) };
                    out.push_back(TrackerOutput::Anomaly(report.clone()));
                    self.entries.push(ReportedAnomaly {
                        report,
                        first_t_us,
                        retracted: false,
                        layer,
                        slot,
                        is_over: false,
                    });
                }
                _ => {}
            }
        }
    }

    /// Takes back every anomaly from this number on. Later findings are about others.
    pub(crate) fn end_since(
        &mut self,
        from: usize,
        now_us: u64,
        out: &mut VecDeque<TrackerOutput>,
    ) {
        for entry in self.entries.iter_mut().skip(from) {
            entry.retract(now_us, out);
            entry.is_over = true;
        }
    }

    /// Drops findings that the board's readings cannot show.
    pub(crate) fn keep_seen(&self, board: BoardId, findings: &mut Vec<Finding>) {
        findings.retain(|finding| !self.unseen[board.index()].contains(&finding.code));
    }

    /// Whether there is room for another anomaly, of a layer or of a reading.
    fn has_room(&self, layer: Option<usize>) -> bool {
        let by_readings = || self.entries.iter().filter(|entry| entry.layer.is_none()).count();
        self.entries.len() < ENTRIES_MAX
            && (layer.is_some() || by_readings() < READINGS_ENTRIES_MAX)
    }

    /// Memory taken beside the struct itself, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        let of_entry = |entry: &ReportedAnomaly| {
            let AnomalyReport { rule, reason, evidence, .. } = &entry.report;
            let texts = [rule.as_ref(), reason.as_ref(), Some(evidence)];
            texts.into_iter().flatten().map(String::capacity).sum::<usize>()
        };
        self.entries.capacity() * size_of::<ReportedAnomaly>()
            + self.entries.iter().map(of_entry).sum::<usize>()
    }
}

/// The confidence from which an anomaly is reported, 0 to 1.
fn report_above(code: AnomalyCode, stage: Stage) -> f64 {
    match code {
        AnomalyCode::TouchMove => TOUCH_MOVE,
        AnomalyCode::IllegalMove if stage != Stage::Final => ILLEGAL_MOVE_LIVE,
        AnomalyCode::ClockHand => CLOCK_HAND,
        AnomalyCode::EarlyPass => EARLY_PASS,
        _ => LIKELIER_THAN_NOT,
    }
}

/// The confidence below which a report is taken back, 0 to 1.
fn retract_below(code: AnomalyCode, stage: Stage) -> f64 {
    report_above(code, stage) - if stage == Stage::Final { 0.0 } else { HYSTERESIS }
}

/// The first report of a finding. It cites the rule that the anomaly serves; none where the book
/// has no such rule.
pub(crate) fn report(
    book: Option<BookId>,
    finding: Finding,
    occasion: Occasion<'_>,
) -> AnomalyReport {
    let Finding { code, side, t_us, confidence, slot, reason, evidence } = finding;
    let cited = |book: &'static Rulebook| Some(book.cited(book.finding(code)?).to_string());
    AnomalyReport {
        id: AnomalyId(0),
        revision: 0,
        code,
        t_us,
        board: occasion.board,
        side,
        confidence: confidence.min(1.0),
        rule: book.and_then(|book| cited(book.book())),
        ply: slot.and_then(|slot| occasion.plies.get(slot).copied()),
        reason: reason.map(str::to_owned),
        evidence,
    }
}

/// Whether an anomaly of a layer rests on the times at which squares and slots changed, not on
/// plies and presses alone.
const fn rests_on_changes(code: AnomalyCode) -> bool {
    !matches!(code, AnomalyCode::IllegalMove | AnomalyCode::DoublePress)
}

/// Whether an anomaly from readings lasts once it was found. A later finding is then about the same one.
const fn lasts(code: AnomalyCode) -> bool {
    matches!(code, AnomalyCode::FlagFallen | AnomalyCode::BothFlags)
}

/// The evidence without its probability, which changes with every ply.
fn stated(evidence: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(evidence);
    std::iter::from_fn(move || {
        let (before, after) = match rest?.split_once(PROBABILITY) {
            None => (rest?, None),
            Some((before, after)) => (before, after.split_once(')').map(|(_, after)| after)),
        };
        rest = after;
        Some(before)
    })
}

/// Words before the probability in an evidence, which ends with a bracket.
const PROBABILITY: &str = "(probability ";

impl ReportedAnomaly {
    fn is_about(&self, finding: &Finding, occasion: Occasion<'_>) -> bool {
        !self.is_over
            && self.report.code == finding.code
            && self.report.board == occasion.board
            && self.layer == occasion.layer
            && self.slot == finding.slot
            && (occasion.layer.is_some()
                || self.report.side == finding.side
                    && self.report.reason.as_deref() == finding.reason
                    && (self.report.t_us == finding.t_us || lasts(finding.code)))
    }

    /// Takes it back, unless that has been done.
    fn retract(&mut self, now_us: u64, out: &mut VecDeque<TrackerOutput>) {
        if !std::mem::replace(&mut self.retracted, true) {
            let id = self.report.id;
            out.push_back(TrackerOutput::AnomalyRetracted { id, t_us: now_us });
        }
    }

    /// Replaces the report by a new one, if that is worth saying.
    fn revise(&mut self, new: AnomalyReport, stage: Stage, out: &mut VecDeque<TrackerOutput>) {
        let old = &self.report;
        let worth_saying = self.retracted
            || (&old.reason, old.side, old.ply) != (&new.reason, new.side, new.ply)
            || (old.confidence >= CERTAIN) != (new.confidence >= CERTAIN)
            || !stated(&old.evidence).eq(stated(&new.evidence))
            || (stage == Stage::Final && (old.confidence - new.confidence).abs() > SHIFT);
        if worth_saying {
            // What was taken back and is found again is dated at its new reading.
            let t_us = if self.retracted && self.layer.is_none() { new.t_us } else { old.t_us };
            let (id, revision) = (old.id, old.revision + 1);
            self.retracted = false;
            self.report = AnomalyReport { id, revision, t_us, ..new };
            out.push_back(TrackerOutput::Anomaly(self.report.clone()));
        }
    }
}

#[cfg(test)]
mod tests;
