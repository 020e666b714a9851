//! Scores of many matches, in groups that share a player profile.

use readings::{InferredLine, TruthLine};
use serde::Serialize;

use super::{Answered, Score, ScoreError, score_match};

/// One match to be scored.
#[derive(Clone, Debug)]
pub struct MatchRecord {
    /// Match identifier.
    pub id: String,
    /// The truth.
    pub truth: Vec<TruthLine>,
    /// The tracker's lines.
    pub inferred: Vec<InferredLine>,
    /// The hobby board's lines, where its trace was available.
    pub baseline: Option<Vec<InferredLine>>,
}

/// One scored match.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MatchReport {
    /// Match identifier.
    pub id: String,
    /// The tracker.
    pub tracker: Score,
    /// The hobby board.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Score>,
}

/// Matches that share a player profile.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupReport {
    /// Name of the group, for example `club`.
    pub name: String,
    /// The tracker over all matches.
    pub tracker: Score,
    /// The hobby board over the matches it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Score>,
    /// Effect of answered questions, where they were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered: Option<Answered>,
    /// Every match.
    pub matches: Vec<MatchReport>,
}

/// A whole scoring run: print it for people, serialise it for programs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// The groups, in the order given.
    pub groups: Vec<GroupReport>,
}

impl Report {
    /// Scores one more group of matches.
    ///
    /// # Errors
    ///
    /// As [`score_match`].
    pub fn add(&mut self, name: &str, records: &[MatchRecord]) -> Result<(), ScoreError> {
        let mut group = GroupReport {
            name: name.to_owned(),
            tracker: Score::default(),
            baseline: None,
            answered: None,
            matches: Vec::with_capacity(records.len()),
        };
        for record in records {
            let tracker = score_match(&record.id, &record.truth, &record.inferred)?;
            group.tracker += &tracker;
            let baseline = match &record.baseline {
                Some(lines) => Some(score_match(&record.id, &record.truth, lines)?),
                None => None,
            };
            if let Some(score) = &baseline {
                *group.baseline.get_or_insert_default() += score;
            }
            group.matches.push(MatchReport { id: record.id.clone(), tracker, baseline });
        }
        self.groups.push(group);
        Ok(())
    }
}
