//! One group of tests, what it needs, and how it ended.

use crate::prerequisite::Prerequisite;

/// A group of tests that runs or is skipped as a whole.
pub(crate) struct Suite {
    /// The name by which it can be asked for.
    pub(crate) name: &'static str,
    /// What it proves, in a few words.
    pub(crate) about: &'static str,
    /// What the machine must have.
    pub(crate) needs: &'static [Prerequisite],
    /// Runs it.
    pub(crate) run: fn() -> Result<(), String>,
}

/// How a suite ended.
pub(crate) enum Outcome {
    Passed,
    Failed(String),
    NotRun(String),
}

impl Suite {
    /// Runs the suite unless the machine lacks something. Under CI a suite that cannot run has failed:
    /// a test that silently stops running proves nothing.
    pub(crate) fn outcome(&self, under_ci: bool) -> Outcome {
        let missing: Vec<&str> = self.needs.iter().filter_map(|need| need.missing()).collect();
        if missing.is_empty() {
            return match (self.run)() {
                Ok(()) => Outcome::Passed,
                Err(reason) => Outcome::Failed(reason),
            };
        }
        let reason = missing.join("; ");
        if under_ci { Outcome::Failed(reason) } else { Outcome::NotRun(reason) }
    }
}
