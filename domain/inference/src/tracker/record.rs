//! A tracked match as the lines of an inferred file, and all findings of a finished match, however doubtful.

use readings::{Alternative, InferredAnomaly, InferredLine, InferredPly, LiveAnswer, Question};
use rustc_hash::FxHashMap;

use super::Tracker;
use crate::{
    anomaly::findings::{
        register,
        register::{Occasion, Register, ReportedAnomaly},
    },
    answers::published_plies::{Entry, PublishedPlies},
    questions::{Asked, Asking},
    report::{AnomalyReport, PlyId},
};

/// Maximum number of questions in a record. Bound: on the work of a record.
const MAX_QUESTIONS: usize = 5;

/// Plies, anomalies and questions; the question that settles most comes first.
fn lines(published: &PublishedPlies, register: &Register, asked: &[Asked]) -> Vec<InferredLine> {
    let entries = published.in_order();
    let numbers: FxHashMap<PlyId, u32> =
        entries.iter().zip(1..).map(|(entry, n)| (entry.report.id, n)).collect();
    let plies = entries.iter().zip(1..).map(|(entry, n)| InferredLine::Ply(ply(entry, n)));
    let mut anomalies: Vec<InferredAnomaly> = register
        .entries
        .iter()
        .map(|ReportedAnomaly { report, first_t_us, retracted, .. }| InferredAnomaly {
            ply: report.ply.and_then(|id| numbers.get(&id).copied()),
            retracted: *retracted,
            ..anomaly(report, *first_t_us)
        })
        .collect();
    anomalies.sort_by_key(|anomaly| anomaly.t_us);
    let questions = asked.iter().filter_map(|asked| question(asked, published, &numbers));
    plies
        .chain(anomalies.into_iter().map(InferredLine::Anomaly))
        .chain(questions.map(InferredLine::Question))
        .collect()
}

/// A probability with six decimals: more would be noise in a file that people compare.
fn rounded(p: f64) -> f64 {
    libm::round(p * 1e6) / 1e6
}

fn candidate(other: &Alternative) -> Alternative {
    Alternative { uci: other.uci, p: rounded(other.p) }
}

fn ply(entry: &Entry, n: u32) -> InferredPly {
    let report = &entry.report;
    InferredPly {
        n,
        board: report.board,
        side: report.side,
        t_us: report.t_us,
        uci: report.ply,
        p: rounded(report.p),
        legal: report.legal,
        alternatives: report.alternatives.iter().map(candidate).collect(),
        live: entry.live.map(|live| LiveAnswer { p: rounded(live.p), ..live }),
        lag8: entry.lag8.map(|lagged| Alternative { p: rounded(lagged.p), ..lagged }),
    }
}

/// An anomaly that was first reported at this time, without the number of its ply.
fn anomaly(report: &AnomalyReport, first_t_us: u64) -> InferredAnomaly {
    InferredAnomaly {
        code: report.code.code().to_owned(),
        t_us: report.t_us,
        board: report.board,
        side: report.side,
        confidence: rounded(report.confidence),
        rule: report.rule.clone(),
        ply: None,
        reason: report.reason.clone(),
        evidence: report.evidence.clone(),
        first_t_us,
        retracted: false,
    }
}

/// A question with the number of its ply in the record.
fn question(
    asked: &Asked,
    published: &PublishedPlies,
    numbers: &FxHashMap<PlyId, u32>,
) -> Option<Question> {
    let entry = published.entries(asked.layer).get(asked.slot)?;
    let candidates = asked.candidates.iter().map(candidate).collect();
    Some(Question { ply: *numbers.get(&entry.report.id)?, candidates })
}

impl Tracker {
    /// The match as lines of an inferred file: plies in order with their answers at each stage,
    /// anomalies, and questions about the least certain plies. Complete after
    /// [`finish`](Self::finish).
    #[must_use]
    pub fn record(&self) -> Vec<InferredLine> {
        let evidence = self.evidence();
        let (trellis, answers) = (&self.beam.filter.trellis, self.final_answers(&evidence));
        let asking = Asking { trellis, answers: &answers, known: &self.facts };
        let asked = asking.choose(&evidence, MAX_QUESTIONS);
        lines(&self.published, &self.register, &asked)
    }

    /// The findings in the finished match, given all of it, with every confidence above 0. The
    /// [`record`](Self::record) has those that reach the threshold of their code. These show the
    /// reports of any other threshold, and how true the confidence of unreported findings is.
    ///
    /// The order is arbitrary, and rules and numbers of plies are missing. Findings of clocks and
    /// contacts are left out, because they are judged when they are read. So are the plies of
    /// closed layers, which only a match longer than any real one has.
    #[must_use]
    pub fn judged(&self) -> Vec<InferredAnomaly> {
        let mut judging = self.clone();
        let evidence = self.evidence();
        let answers = self.final_answers(&evidence);
        let mut judged = Vec::new();
        let line = |board, finding| {
            let occasion = Occasion::of_reading(board, self.now_us);
            anomaly(&register::report(None, finding, occasion), self.now_us)
        };
        for (index, (board, answer)) in (self.beam.filter.trellis.first_open()..).zip(&answers) {
            let (mut findings, _) = judging.judge_layer(index, answer);
            self.register.keep_seen(*board, &mut findings);
            judged.extend(findings.into_iter().map(|finding| line(*board, finding)));
        }
        let hidden = judging.hand_monitor.hidden(self.now_us).into_iter();
        judged.extend(hidden.map(|(board, finding)| line(board, finding)));
        judged.retain(|anomaly| anomaly.confidence > 0.0);
        judged
    }
}
