//! One group of tests, what it needs, and how it ended.

use crate::prerequisite::Prerequisite;

/// A group of tests that runs or is skipped as a whole.
pub(crate) struct Suite {
    /// The name by which it can be asked for.
    pub(crate) name: &'static str,
    /// Subject, in a few words.
    pub(crate) about: &'static str,
    /// Prerequisites.
    pub(crate) needs: &'static [Prerequisite],
    /// Prerequisites of parts; without them these parts are reported and skipped.
    pub(crate) uses: &'static [Prerequisite],
    /// Runs it.
    pub(crate) run: fn() -> Result<(), String>,
}

/// Outcome of a suite.
pub(crate) enum Outcome {
    /// All that ran passed; `without` says what a part that did not run would need.
    Passed { without: Option<String> },
    /// A failure.
    Failed(String),
    /// The suite did not run.
    NotRun(String),
}

impl Suite {
    /// Runs the suite unless the machine lacks something. Under CI a suite that cannot run as a whole
    /// has failed: a test that silently stops running proves nothing.
    pub(crate) fn outcome(&self, under_ci: bool) -> Outcome {
        let (needed, used) = (missing(self.needs), missing(self.uses));
        if under_ci && let Some(reason) = needed.clone().or(used.clone()) {
            return Outcome::Failed(reason);
        }
        if let Some(reason) = needed {
            return Outcome::NotRun(reason);
        }
        match (self.run)() {
            Ok(()) => Outcome::Passed { without: used },
            Err(reason) => Outcome::Failed(reason),
        }
    }
}

/// Cure for missing prerequisites.
fn missing(prerequisites: &[Prerequisite]) -> Option<String> {
    let missing: Vec<&str> = prerequisites.iter().filter_map(|one| one.missing()).collect();
    (!missing.is_empty()).then(|| missing.join("; "))
}
