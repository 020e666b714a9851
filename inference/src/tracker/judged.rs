//! All that is judged of a finished match, however doubtful: what another threshold would report, and whether the confidence of
//! what nobody is told can be believed.

use rules::BoardId;

use super::Tracker;
use readings::InferredAnomaly;

use crate::{anomaly::support::finding::Finding, tracker::record};

impl Tracker {
    /// What is found in the finished match with all of it known, from the least confidence on: what is said to people
    /// ([`record`](Self::record)) is of this what reaches the threshold of its code. In no particular order, without rules and the
    /// numbers of plies. What readings show by themselves (clocks, contacts) is judged as it is read and not in here, nor are
    /// plies of a match too long to be kept whole.
    #[must_use]
    pub fn judged(&self) -> Vec<InferredAnomaly> {
        let mut judging = self.clone();
        let evidence = self.evidence();
        let answers = self.final_answers(&evidence);
        let mut judged = Vec::new();
        for (index, (board, answer)) in (self.beam.trellis().first_open()..).zip(&answers) {
            let mut findings = judging.judge_layer(index, answer).unwrap_or_default();
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
