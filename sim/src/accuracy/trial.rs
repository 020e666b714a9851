//! One game performed once, and what each contender makes of it.

use std::{fmt, sync::Arc};

use action_model::ActionPrior;
use inference::{Tracker, TrackerConfig};
use readings::{InferredLine, ReadingKind, TruthLine};

use crate::{
    Equipment, Performance, Population, RecordedGame, SimError, baseline, perform_with,
    score::{ScoreError, Share, interview, score_match},
};

use super::{
    effort::Steps,
    tally::{QUESTIONS, Single, Tally},
};

/// Setting of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Sensors of boards and clocks.
    pub equipment: Equipment,
    /// Players.
    pub players: Population,
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", equipment_name(self.equipment), self.players)
    }
}

/// Name of a kind of table.
pub(super) fn equipment_name(equipment: Equipment) -> String {
    let hands = if equipment.hand_sensors { " and hand sensors" } else { "" };
    let sides = if equipment.hand_sides { " and hand sensors on both sides" } else { "" };
    format!("{}{hands}{sides}", equipment.sensors)
}

/// Kind of a contender.
#[derive(Clone, Debug)]
pub enum Mind {
    /// The tracker; one prior for all games, or one for each fold of them.
    Tracker(Vec<Arc<ActionPrior>>),
    /// One position a board and the unique legal move that fits.
    HobbyBoard,
}

/// A program that follows matches.
#[derive(Clone, Debug)]
pub struct Contender {
    /// Name in tables.
    pub name: String,
    /// Its kind.
    pub mind: Mind,
}

impl Contender {
    /// A contender of this name.
    #[must_use]
    pub fn new(name: &str, mind: Mind) -> Contender {
        Contender { name: name.to_owned(), mind }
    }
}

/// A performance that could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// The game cannot be performed.
    #[error(transparent)]
    Perform(#[from] SimError),
    /// The result cannot be scored.
    #[error(transparent)]
    Score(#[from] ScoreError),
}

/// One performance of a game.
#[derive(Clone, Debug)]
pub struct Trial {
    id: String,
    fold: usize,
    performance: Performance,
}

impl Trial {
    /// Performs a game. `id` names it, and with `seed` decides what the hands do; `fold` says which prior a
    /// contender may use on it.
    ///
    /// # Errors
    ///
    /// As [`perform_with`].
    pub fn perform(
        game: &RecordedGame,
        id: &str,
        setting: Setting,
        seed: u64,
        fold: usize,
    ) -> Result<Trial, SimError> {
        let players = setting.players.players(seed, id);
        let performance = perform_with(game, &players, &setting.equipment, seed, id)?;
        Ok(Trial { id: id.to_owned(), fold, performance })
    }

    /// Result of a contender; it keeps `beam` hypotheses. If `is_asked`, the truth also answers the tracker's questions after
    /// the match.
    ///
    /// # Errors
    ///
    /// As [`score_match`].
    pub fn measure(
        &self,
        contender: &Contender,
        beam: usize,
        is_asked: bool,
    ) -> Result<Tally, ScoreError> {
        let truth = &self.performance.truth;
        let mut tally = Tally { matches: 1, ..Tally::default() };
        let inferred = match &contender.mind {
            Mind::HobbyBoard => baseline::track(&self.performance.readings),
            Mind::Tracker(priors) => {
                let config = self.config(priors, beam);
                if is_asked {
                    tally.exact_after = self.ask(&config)?;
                }
                let (inferred, most_bytes) = self.track(config);
                tally.memory_bytes = most_bytes;
                inferred
            }
        };
        tally.score = score_match(&self.id, truth, &inferred)?;
        tally.each = vec![Single::of(&tally.score)];
        Ok(tally)
    }

    /// Whether the record is exact after as many answers as [`QUESTIONS`] says.
    fn ask(&self, config: &TrackerConfig) -> Result<[Share; QUESTIONS.len()], ScoreError> {
        let Performance { header, readings, truth } = &self.performance;
        let most = QUESTIONS.into_iter().max().unwrap_or(0);
        let rounds = interview(header, readings, config, truth, most);
        let mut exact = [Share::default(); QUESTIONS.len()];
        for (share, answers) in exact.iter_mut().zip(QUESTIONS) {
            if let Some(round) = rounds.get(answers) {
                *share = score_match(&self.id, truth, &round.record)?.exact;
            }
        }
        Ok(exact)
    }

    /// Lines of the tracker, and its maximum memory after a press, bytes.
    fn track(&self, config: TrackerConfig) -> (Vec<InferredLine>, usize) {
        let mut tracker = Tracker::new(&self.performance.header, config);
        let mut most_bytes = 0;
        for reading in &self.performance.readings {
            tracker.handle(reading);
            while tracker.poll_output().is_some() {}
            if matches!(reading.kind, ReadingKind::Press { .. }) {
                most_bytes = most_bytes.max(tracker.memory_bytes());
            }
        }
        tracker.finish();
        (tracker.record(), most_bytes)
    }

    /// Time of a contender; `None` for one that is no tracker.
    #[must_use]
    pub fn time(&self, contender: &Contender, beam: usize) -> Option<Steps> {
        let Mind::Tracker(priors) = &contender.mind else { return None };
        let Performance { header, readings, .. } = &self.performance;
        Some(Steps::of(header, readings, self.config(priors, beam)))
    }

    fn config(&self, priors: &[Arc<ActionPrior>], beam: usize) -> TrackerConfig {
        let prior = priors.get(self.fold).or(priors.first());
        TrackerConfig { beam, prior: prior.map(Arc::clone), ..TrackerConfig::default() }
    }

    /// Number of plies.
    #[must_use]
    pub fn plies(&self) -> u64 {
        let truth = &self.performance.truth;
        truth.iter().filter(|line| matches!(line, TruthLine::Ply(_))).count() as u64
    }
}
