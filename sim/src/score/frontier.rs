//! Trade-off of a tracker's threshold: recall for false alarms.
//!
//! A tracker that gives each of its findings a confidence, and reports those from a threshold on, can trade what it finds for
//! false alarms by that threshold alone. Here every finding counts, also what nobody was told, and the threshold is chosen in
//! *hindsight*, on the very matches that are scored: so this is the most that a threshold could do with these confidences. If
//! they mean what they say, it is also the most that any other rule could do with the same knowledge (Neyman and Pearson 1933).

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::AddAssign,
};

use readings::{InferredAnomaly, TruthLine};

use super::{
    Calibration,
    anomalies::{events, pairs},
};

/// Thresholds that are tried, evenly in log-odds: from odds of 1 to 20 to odds of a million to 1…
const LEAST_LOG_ODDS: f64 = -3.0;
/// …of the confidences, which are rounded to so many…
const MOST_LOG_ODDS: f64 = 14.0;
/// …in steps of half a part in a hundred of the doubt.
const STEP_LOG_ODDS: f64 = 0.005;

/// Result of one threshold over all matches.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Operating {
    /// Confidence from which on a finding would be reported.
    pub threshold: f64,
    /// Reports that are true.
    pub right: u64,
    /// Reports that are not.
    pub wrong: u64,
}

/// The findings of one code at every threshold.
#[derive(Clone, Debug, Default)]
pub struct Trade {
    /// The true events.
    pub events: u64,
    /// Calibration of the confidences, also of unreported findings.
    pub reliability: Calibration,
    by_threshold: Vec<Operating>,
}

/// The findings of all codes over all matches.
#[derive(Clone, Debug, Default)]
pub struct Frontier {
    /// Matches scored.
    pub matches: u64,
    /// By code.
    pub codes: BTreeMap<String, Trade>,
}

impl Frontier {
    /// Scores what was judged of one match, matched with what happened as reports are
    /// ([`noticed`](super::noticed)), anew for each threshold.
    #[must_use]
    pub fn of_match(truth: &[TruthLine], judged: &[InferredAnomaly]) -> Frontier {
        let happened = events(truth);
        let codes: BTreeSet<&str> = happened
            .iter()
            .map(|event| event.code.as_str())
            .chain(judged.iter().map(|finding| finding.code.as_str()))
            .collect();
        let of_code = |code: &str| {
            let events: Vec<_> =
                happened.iter().filter(|event| event.code == code).cloned().collect();
            let findings: Vec<_> = judged.iter().filter(|finding| finding.code == code).collect();
            let mut trade = Trade { events: events.len() as u64, ..Trade::default() };
            let found = pairs(&events, &findings);
            for (at, finding) in findings.iter().enumerate() {
                trade
                    .reliability
                    .count(finding.confidence, found.iter().any(|&(_, used)| used == at));
            }
            for threshold in thresholds() {
                let reported: Vec<_> = findings
                    .iter()
                    .copied()
                    .filter(|finding| finding.confidence >= threshold)
                    .collect();
                let right = pairs(&events, &reported).len();
                let wrong = (reported.len() - right) as u64;
                trade.by_threshold.push(Operating { threshold, right: right as u64, wrong });
            }
            (code.to_owned(), trade)
        };
        Frontier { matches: 1, codes: codes.into_iter().map(of_code).collect() }
    }

    /// The threshold with the greatest recall of a code at a given rate of false alarms a match; none if there is no such code, or
    /// every threshold has more.
    #[must_use]
    pub fn most_found(&self, code: &str, false_a_match: f64) -> Option<Operating> {
        let borne = |at: &Operating| at.wrong as f64 <= false_a_match * self.matches as f64;
        self.codes.get(code)?.best(borne, |at| (at.right, u64::MAX - at.wrong))
    }

    /// The threshold with the fewest false alarms that finds at least this share of what happened; none if none does.
    #[must_use]
    pub fn fewest_false(&self, code: &str, recall: f64) -> Option<Operating> {
        let trade = self.codes.get(code)?;
        let enough = |at: &Operating| at.right as f64 >= recall * trade.events as f64;
        trade.best(enough, |at| (u64::MAX - at.wrong, at.right))
    }

    /// The threshold that finds most with at least this share of true reports; none if none has it.
    #[must_use]
    pub fn most_found_at_precision(&self, code: &str, precision: f64) -> Option<Operating> {
        let borne =
            |at: &Operating| at.right as f64 >= precision * (at.right + at.wrong).max(1) as f64;
        self.codes.get(code)?.best(borne, |at| (at.right, u64::MAX - at.wrong))
    }
}

impl Trade {
    fn best(
        &self,
        admitted: impl Fn(&Operating) -> bool,
        worth: impl Fn(&Operating) -> (u64, u64),
    ) -> Option<Operating> {
        self.by_threshold.iter().copied().filter(|at| admitted(at)).max_by_key(worth)
    }
}

impl AddAssign<&Frontier> for Frontier {
    fn add_assign(&mut self, other: &Frontier) {
        self.matches += other.matches;
        for (code, more) in &other.codes {
            let trade = self.codes.entry(code.clone()).or_default();
            trade.events += more.events;
            trade.reliability += &more.reliability;
            if trade.by_threshold.is_empty() {
                trade.by_threshold.clone_from(&more.by_threshold);
                continue;
            }
            for (at, more) in trade.by_threshold.iter_mut().zip(&more.by_threshold) {
                at.right += more.right;
                at.wrong += more.wrong;
            }
        }
    }
}

fn thresholds() -> impl Iterator<Item = f64> {
    let steps = ((MOST_LOG_ODDS - LEAST_LOG_ODDS) / STEP_LOG_ODDS) as u32;
    (0..=steps).map(|step| {
        let log_odds = LEAST_LOG_ODDS + STEP_LOG_ODDS * f64::from(step);
        1.0 / (1.0 + libm::exp(-log_odds))
    })
}

#[cfg(test)]
mod tests {
    use readings::TruthAnomaly;
    use rules::{BoardId, Color};

    use super::*;

    fn event(t_s: u64) -> TruthLine {
        let (code, side) = ("early-press".to_owned(), Some(Color::White));
        TruthLine::Anomaly(TruthAnomaly { code, t_us: t_s * 1_000_000, board: BoardId::A, side })
    }

    fn finding(t_s: u64, confidence: f64) -> InferredAnomaly {
        InferredAnomaly {
            code: "early-press".to_owned(),
            t_us: t_s * 1_000_000,
            board: BoardId::A,
            side: Some(Color::White),
            confidence,
            rule: None,
            ply: None,
            reason: None,
            evidence: String::new(),
            first_t_us: 0,
            retracted: false,
        }
    }

    /// Three events and four findings in two matches: in order of confidence true, false, true, and one that is true in the second.
    fn frontier() -> Frontier {
        let first = [finding(100, 0.95), finding(200, 0.8), finding(300, 0.6)];
        let mut all = Frontier::of_match(&[event(100), event(300)], &first);
        all += &Frontier::of_match(&[event(50)], &[finding(50, 0.4)]);
        all
    }

    #[test]
    fn fewer_false_alarms_cost_what_is_less_certain() {
        let all = frontier();
        let found = |false_a_match| {
            all.most_found("early-press", false_a_match).map(|at| (at.right, at.wrong))
        };
        assert_eq!(found(0.0), Some((1, 0)));
        assert_eq!(found(0.5), Some((3, 1)));
        assert_eq!(all.most_found("touch-move", 1.0), None);
    }

    #[test]
    fn what_is_to_be_found_sets_the_false_alarms_to_be_borne() {
        let all = frontier();
        let wrong = |recall| all.fewest_false("early-press", recall).map(|at| at.wrong);
        assert_eq!((wrong(0.3), wrong(0.6), wrong(1.0)), (Some(0), Some(1), Some(1)));
        assert_eq!(wrong(1.1), None);
        let precise = all.most_found_at_precision("early-press", 0.9).map(|at| at.right);
        assert_eq!(precise, Some(1));
    }

    #[test]
    fn a_threshold_lies_where_the_findings_part() {
        let at = frontier().most_found("early-press", 0.0).expect("a threshold");
        assert!(at.threshold > 0.8 && at.threshold <= 0.95, "{at:?}");
    }

    #[test]
    fn confidences_of_what_nobody_is_told_are_judged_too() {
        let trade = &frontier().codes["early-press"];
        assert_eq!((trade.events, trade.reliability.answers()), (3, 4));
        let doubtful = trade.reliability.bins.iter().find(|bin| bin.from == 0.4).expect("a bin");
        assert_eq!((doubtful.answers, doubtful.right), (1, 1));
    }
}
