//! One game performed once, and what each contender makes of it.

use std::{fmt, sync::Arc};

use inference::{
    Tracker, TrackerConfig,
    prior::ActionPrior,
    record::{InferredLine, ReadingKind, TruthLine},
};
use nix::time::{ClockId, clock_gettime};
use rules::bpgn::BpgnGame;

use crate::{
    Equipment, Performance, Profile, SimError, baseline, perform_with,
    score::{ScoreError, Share, interview, score_match},
};

use super::tally::{Effort, QUESTIONS, Tally};

/// What sits at the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// How boards and clocks sense.
    pub equipment: Equipment,
    /// How careful the players are.
    pub players: Profile,
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", equipment_name(self.equipment), self.players)
    }
}

/// What a kind of table is called.
pub(super) fn equipment_name(equipment: Equipment) -> String {
    let hands = if equipment.hand_sensors { " and hand sensors" } else { "" };
    format!("{}{hands}", equipment.sensors)
}

/// How a contender makes plies of readings.
#[derive(Clone, Debug)]
pub enum Mind {
    /// The tracker; one prior for all games, or one for each fold of them.
    Tracker(Vec<Arc<dyn ActionPrior>>),
    /// One position a board and the unique legal move that fits.
    HobbyBoard,
}

/// Something that follows matches.
#[derive(Clone, Debug)]
pub struct Contender {
    /// What it is called in tables.
    pub name: String,
    /// What it is.
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
        game: &BpgnGame,
        id: &str,
        setting: Setting,
        seed: u64,
        fold: usize,
    ) -> Result<Trial, SimError> {
        let performance =
            perform_with(game, &setting.players.into(), &setting.equipment, seed, id)?;
        Ok(Trial { id: id.to_owned(), fold, performance })
    }

    /// What a contender makes of it; `beam` hypotheses are kept. Where `is_asked`, a person who was there also
    /// answers the tracker's questions after the match.
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
                let prior = priors.get(self.fold).or(priors.first());
                let prior = prior.map_or_else(|| TrackerConfig::default().prior, Arc::clone);
                let config = TrackerConfig { beam, prior, ..TrackerConfig::default() };
                if is_asked {
                    tally.exact_after = self.ask(&config)?;
                }
                let (inferred, effort) = self.track(config);
                tally.effort = effort;
                inferred
            }
        };
        let plies = truth.iter().filter(|line| matches!(line, TruthLine::Ply(_))).count() as u64;
        tally.effort.plies = plies;
        tally.effort.worst_match_ns_per_ply = tally.effort.tracking_ns / plies.max(1);
        tally.score = score_match(&self.id, truth, &inferred)?;
        Ok(tally)
    }

    /// Whether the record is exact after as many answers as [`QUESTIONS`] says.
    fn ask(&self, config: &TrackerConfig) -> Result<[Share; QUESTIONS.len()], ScoreError> {
        let Performance { header, readings, truth } = &self.performance;
        let most = QUESTIONS.into_iter().max().unwrap_or(0);
        let records = interview(header, readings, config, truth, most);
        let mut exact = [Share::default(); QUESTIONS.len()];
        for (share, answers) in exact.iter_mut().zip(QUESTIONS) {
            if let Some(record) = records.get(answers) {
                *share = score_match(&self.id, truth, record)?.exact;
            }
        }
        Ok(exact)
    }

    fn track(&self, config: TrackerConfig) -> (Vec<InferredLine>, Effort) {
        let mut tracker = Tracker::new(&self.performance.header, config);
        let mut effort = Effort::default();
        for reading in &self.performance.readings {
            let took_ns = processor_ns(|| {
                tracker.handle(reading);
                while tracker.poll_output().is_some() {}
            });
            effort.tracking_ns += took_ns;
            effort.worst_step_ns = effort.worst_step_ns.max(took_ns);
            if matches!(reading.kind, ReadingKind::Press { .. }) {
                effort.memory_bytes = effort.memory_bytes.max(tracker.memory_bytes());
            }
        }
        effort.worst_finish_ns = processor_ns(|| {
            tracker.finish();
            while tracker.poll_output().is_some() {}
        });
        effort.tracking_ns += effort.worst_finish_ns;
        (tracker.record(), effort)
    }
}

/// Time that this thread was on a processor; 0 where the system does not tell.
fn processor_ns(work: impl FnOnce()) -> u64 {
    let now = || clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).ok();
    let began = now();
    work();
    match (began, now()) {
        (Some(began), Some(ended)) => {
            let took = ended - began;
            u64::try_from(took.tv_sec() * 1_000_000_000 + took.tv_nsec()).unwrap_or(0)
        }
        _ => 0,
    }
}
