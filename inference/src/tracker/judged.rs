//! All findings of a finished match, however doubtful.
//!
//! They show the reports of any other threshold, and how true the confidence of unreported findings is.

use rules::BoardId;

use super::Tracker;
use readings::InferredAnomaly;

use crate::{anomaly::support::finding::Finding, tracker::record};

impl Tracker {
    /// The findings in the finished match, given all of it, with every confidence above 0. The
    /// [`record`](Self::record) has those that reach the threshold of their code.
    ///
    /// The order is arbitrary, and rules and numbers of plies are missing. Findings of clocks and contacts are
    /// left out, because they are judged when they are read. So are the plies of closed layers, which only a match
    /// longer than any real one has.
    #[must_use]
    pub fn judged(&self) -> Vec<InferredAnomaly> {
        let mut judging = self.clone();
        let evidence = self.evidence();
        let answers = self.final_answers(&evidence);
        let mut judged = Vec::new();
        for (index, (board, answer)) in (self.beam.trellis().first_open()..).zip(&answers) {
            let (mut findings, _) = judging.judge_layer(index, answer);
            self.register.keep_seen(*board, &mut findings);
            judged.extend(findings.into_iter().map(|finding| self.line(*board, finding)));
        }
        let hidden = judging.hand_monitor.hidden(self.now_us).into_iter();
        judged.extend(hidden.map(|(board, finding)| self.line(board, finding)));
        judged.retain(|anomaly| anomaly.confidence > 0.0);
        judged
    }

    fn line(&self, board: BoardId, finding: Finding) -> InferredAnomaly {
        InferredAnomaly {
            code: finding.code.code().to_owned(),
            t_us: finding.t_us,
            board,
            side: finding.side,
            confidence: record::rounded(finding.confidence.min(1.0)),
            rule: None,
            ply: None,
            reason: finding.reason.map(str::to_owned),
            evidence: finding.evidence,
            first_t_us: self.now_us,
            retracted: false,
        }
    }
}
