//! Common parts of the examples that track simulated matches: games, players, boards,
//! and the tracker's prior.

use std::{error::Error, path::PathBuf, sync::Arc};

use action_model::{ActionPrior, Weights};
use clap::Args;
use inference::{Tracker, TrackerConfig};
use rayon::prelude::*;
use rules::bpgn;
use sim::{
    Equipment, Factors, Performance, Population, RecordedGame,
    profile::{self, Behaviour},
};

/// The matches that an example plays and tracks.
#[derive(Debug, Args)]
pub(crate) struct Matches {
    /// Recorded games in BPGN.
    games: PathBuf,
    /// Players: ideal, club or scholastic, or as in drawn-club with hands drawn again for each match.
    #[arg(long, default_value = "scholastic")]
    pub(crate) players: Population,
    /// Seeds of the hands, first and last, as in 2..4; or one.
    #[arg(long, default_value = "1", value_parser = seeds)]
    seeds: (u64, u64),
    /// Sensors of boards and clocks: reed, hall-polarity+trays, A=reed,B=piece-id+hands.
    #[arg(long, default_value = "reed")]
    sensors: Equipment,
    /// Hypotheses kept.
    #[arg(long, default_value_t = 512)]
    pub(crate) beam: usize,
    /// Another rate of a behaviour than the players' own, as in --rate ClockHover=0.1.
    #[arg(long = "rate", value_parser = rate)]
    rates: Vec<(Behaviour, f64)>,
    /// Smallest and largest factor between the durations of drawn hands and those of average hands, as in
    /// --factors 0.15..6.
    #[arg(long, default_value = "0.3..3")]
    factors: Factors,
    /// Only the games of these names, as in --only g012,g034.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Only every n-th game.
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// Prior of players' choices: uniform, shipped, a file of weights, or a folder with
    /// fold-0.weights and so on, as `cross_validate --out` makes it; game number n is then tracked with those of
    /// fold n modulo their number, which have not seen it.
    #[arg(long, default_value = "shipped", value_parser = priors)]
    prior: Priors,
}

/// One prior, or one for each fold of the games.
#[derive(Clone, Debug)]
struct Priors(Vec<Arc<ActionPrior>>);

/// One match as it was played, and what it is to be tracked with.
pub(crate) struct Played {
    /// The game's name and the seed.
    #[allow(dead_code)] // Not every example names them.
    pub(crate) id: String,
    pub(crate) performance: Performance,
    pub(crate) config: TrackerConfig,
}

impl Played {
    /// The match tracked to its end.
    #[allow(dead_code)] // Not every example wants no more than that.
    pub(crate) fn track(&self) -> Tracker {
        Tracker::over(&self.performance.header, &self.performance.readings, self.config.clone())
    }
}

impl Matches {
    /// Plays every match and makes something of each, several at a time; in the order of seeds and games.
    ///
    /// # Errors
    ///
    /// If the file of games cannot be read. Games that cannot be played are reported on stderr and left out.
    pub(crate) fn each<T: Send>(
        &self,
        make: impl Fn(&Played) -> T + Sync,
    ) -> Result<Vec<T>, Box<dyn Error>> {
        let bytes = std::fs::read(&self.games)
            .map_err(|error| format!("{}: {error}", self.games.display()))?;
        let games: Vec<(usize, RecordedGame)> = (1..)
            .zip(bpgn::read(&bytes))
            .filter_map(|(at, game)| Some((at, RecordedGame::try_from(&game.ok()?).ok()?)))
            .collect();
        let stem = self.games.file_stem().map_or("m".into(), |stem| stem.to_string_lossy());
        let names = sim::games::match_names(&stem, &games);
        let wanted = |at: usize, name: &String| {
            at.is_multiple_of(self.every) && (self.only.is_empty() || self.only.contains(name))
        };
        let tasks: Vec<(u64, usize)> = (self.seeds.0..=self.seeds.1)
            .flat_map(|seed| (0..games.len()).map(move |at| (seed, at)))
            .filter(|&(_, at)| wanted(at, &names[at]))
            .collect();
        let of_task =
            |&(seed, at): &(u64, usize)| match self.play(&games[at].1, &names[at], seed, at) {
                Ok(played) => Some(make(&played)),
                Err(error) => {
                    eprintln!("{}: {error}", names[at]);
                    None
                }
            };
        Ok(tasks.par_iter().filter_map(of_task).collect())
    }

    fn play(
        &self,
        game: &RecordedGame,
        name: &str,
        seed: u64,
        at: usize,
    ) -> Result<Played, sim::SimError> {
        let rates = self.rates.iter();
        let players = self.players.players_within(self.factors, seed, name);
        let players = rates.fold(players, |players, &(of, rate)| players.with_rate(of, rate));
        let performance = sim::perform_with(game, &players, &self.sensors, seed, name)?;
        let prior = self.prior.0.get(at % self.prior.0.len().max(1)).map(Arc::clone);
        let config = TrackerConfig { beam: self.beam, prior, ..TrackerConfig::default() };
        Ok(Played { id: format!("{name} seed {seed}"), performance, config })
    }
}

fn seeds(text: &str) -> Result<(u64, u64), String> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    match (first.parse(), last.parse()) {
        (Ok(first), Ok(last)) if first <= last => Ok((first, last)),
        _ => Err("expected one seed, or the first and the last as in 2..4".to_owned()),
    }
}

fn rate(text: &str) -> Result<(Behaviour, f64), String> {
    let (name, rate) = text.split_once('=').ok_or("expected a behaviour and a rate, NAME=0.1")?;
    let mut behaviours = profile::TABLE.iter().map(|(behaviour, _)| *behaviour);
    let behaviour = behaviours.find(|known| format!("{known:?}") == name);
    let behaviour =
        behaviour.ok_or_else(|| format!("{name} is no behaviour of sim/src/profile.rs"))?;
    match rate.parse::<f64>() {
        Ok(rate) if (0.0..=1.0).contains(&rate) => Ok((behaviour, rate)),
        _ => Err(format!("{rate} is no rate between 0 and 1")),
    }
}

fn priors(name: &str) -> Result<Priors, String> {
    let learnt = |path: &str| -> Result<Arc<ActionPrior>, String> {
        let bytes = std::fs::read(path).map_err(|error| format!("{path}: {error}"))?;
        let weights = Weights::from_bytes(&bytes).map_err(|error| format!("{path}: {error}"))?;
        Ok(Arc::new(ActionPrior::new(weights)))
    };
    Ok(Priors(match name {
        "uniform" => vec![Arc::new(ActionPrior::uniform())],
        "shipped" => Vec::new(),
        folder if std::path::Path::new(folder).is_dir() => {
            let paths = (0..).map(|fold| format!("{folder}/fold-{fold}.weights"));
            let paths = paths.take_while(|path| std::path::Path::new(path).is_file());
            let folds = paths.map(|path| learnt(&path)).collect::<Result<Vec<_>, _>>()?;
            if folds.is_empty() {
                return Err(format!("{folder} holds no fold-0.weights"));
            }
            folds
        }
        file => vec![learnt(file)?],
    }))
}
