//! A tracked match as the lines of an inferred file.

use rustc_hash::FxHashMap;

use crate::{
    anomaly::Register,
    output::PlyId,
    publish::{Entry, Ledger},
    record::{
        Alternative, InferredAnomaly, InferredLine, InferredPly, LaggedAnswer, LiveAnswer, Question,
    },
};

/// Most questions asked about a match.
const MAX_QUESTIONS: usize = 10;
/// A ply more probable than this is not asked about.
const NO_QUESTION_ABOVE: f64 = 0.95;

/// Plies, anomalies and questions.
pub(crate) fn lines(ledger: &Ledger, register: &Register) -> Vec<InferredLine> {
    let entries = ledger.in_order();
    let numbers: FxHashMap<PlyId, u32> =
        entries.iter().zip(1..).map(|(entry, n)| (entry.report.id, n)).collect();
    let plies = entries.iter().zip(1..).map(|(entry, n)| InferredLine::Ply(ply(entry, n)));
    let mut anomalies: Vec<InferredAnomaly> = register
        .entries()
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
    plies
        .chain(anomalies.into_iter().map(InferredLine::Anomaly))
        .chain(questions(&entries).into_iter().map(InferredLine::Question))
        .collect()
}

/// Six decimals: more would be noise in a file that people compare.
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
        lag8: entry.lag8.map(|lagged| LaggedAnswer { p: rounded(lagged.p), ..lagged }),
    }
}

/// The least certain plies, in the order of the match.
fn questions(entries: &[&Entry]) -> Vec<Question> {
    let mut uncertain: Vec<(f64, u32, &Entry)> = entries
        .iter()
        .zip(1..)
        .filter(|(entry, _)| entry.report.p <= NO_QUESTION_ABOVE)
        .filter(|(entry, _)| !entry.report.alternatives.is_empty())
        .map(|(entry, n)| (entry.report.p, n, *entry))
        .collect();
    uncertain.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    uncertain.truncate(MAX_QUESTIONS);
    uncertain.sort_by_key(|&(_, n, _)| n);
    uncertain
        .into_iter()
        .map(|(_, n, entry)| {
            let best = Alternative { uci: entry.report.ply, p: entry.report.p };
            let candidates = std::iter::once(&best).chain(&entry.report.alternatives);
            Question { ply: n, candidates: candidates.map(candidate).collect() }
        })
        .collect()
}
