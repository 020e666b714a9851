//! A tracked match as the lines of an inferred file.

use readings::{Alternative, InferredAnomaly, InferredLine, InferredPly, LiveAnswer, Question};
use rustc_hash::FxHashMap;

use crate::{
    anomaly::support::register::Register,
    answers::ledger::{Entry, Ledger},
    questions::Asked,
    report::PlyId,
};

/// Plies, anomalies and questions; the question that settles most comes first.
pub(crate) fn lines(ledger: &Ledger, register: &Register, asked: &[Asked]) -> Vec<InferredLine> {
    let entries = ledger.in_order();
    let numbers: FxHashMap<PlyId, u32> =
        entries.iter().zip(1..).map(|(entry, n)| (entry.report.id, n)).collect();
    let plies = entries.iter().zip(1..).map(|(entry, n)| InferredLine::Ply(ply(entry, n)));
    let mut anomalies: Vec<InferredAnomaly> = register
        .entries
        .iter()
        .map(|entry| InferredAnomaly {
            code: entry.report.code.code().to_owned(),
            t_us: entry.report.t_us,
            board: entry.report.board,
            side: entry.report.side,
            confidence: rounded(entry.report.confidence),
            rule: entry.report.rule.clone(),
            ply: entry.report.ply.and_then(|id| numbers.get(&id).copied()),
            reason: entry.report.reason.clone(),
            evidence: entry.report.evidence.clone(),
            first_t_us: entry.first_t_us,
            retracted: entry.retracted,
        })
        .collect();
    anomalies.sort_by_key(|anomaly| anomaly.t_us);
    let questions = asked.iter().filter_map(|asked| question(asked, ledger, &numbers));
    plies
        .chain(anomalies.into_iter().map(InferredLine::Anomaly))
        .chain(questions.map(InferredLine::Question))
        .collect()
}

/// A probability with six decimals: more would be noise in a file that people compare.
pub(crate) fn rounded(p: f64) -> f64 {
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

/// A question with the number of its ply in the record.
fn question(asked: &Asked, ledger: &Ledger, numbers: &FxHashMap<PlyId, u32>) -> Option<Question> {
    let entry = ledger.entries(asked.layer).get(asked.slot)?;
    let candidates = asked.candidates.iter().map(candidate).collect();
    Some(Question { ply: *numbers.get(&entry.report.id)?, candidates })
}
