//! Which contender meets which players at which boards, over which games and seeds.

use rules::bpgn::BpgnGame;
use serde::Serialize;

use super::{
    figure::Figure,
    folds::Folds,
    interval::Interval,
    tally::Tally,
    trial::{Contender, Setting, Trial, TrialError},
};
use crate::score::Share;

/// Everything that is to be measured.
#[derive(Debug)]
pub struct Matrix {
    /// The games, each with the name that its hands go by.
    pub games: Vec<(String, BpgnGame)>,
    /// How the games are split.
    pub folds: Folds,
    /// Who is measured in which setting.
    pub rows: Vec<Row>,
    /// Who is measured.
    pub contenders: Vec<Contender>,
    /// Each game is performed once for each.
    pub seeds: Vec<u64>,
    /// With so many of the seeds, the first ones, questions are asked where rows say so.
    pub asked_seeds: usize,
    /// Hypotheses kept.
    pub beam: usize,
}

/// One setting and who is measured in it.
#[derive(Clone, Debug)]
pub struct Row {
    /// Sensors and players.
    pub setting: Setting,
    /// Places in [`Matrix::contenders`].
    pub contenders: Vec<usize>,
    /// Place of the contender whose questions are answered.
    pub asked: Option<usize>,
}

impl Matrix {
    /// One piece of work for each row and game, as places in the lists; neighbours differ in the row,
    /// so that progress is even.
    #[must_use]
    pub fn tasks(&self) -> Vec<(usize, usize)> {
        let games = 0..self.games.len();
        games.flat_map(|game| (0..self.rows.len()).map(move |row| (row, game))).collect()
    }

    /// How often a contender is to follow a performance.
    #[must_use]
    pub fn trackings(&self) -> usize {
        let contenders: usize = self.rows.iter().map(|row| row.contenders.len()).sum();
        contenders * self.games.len() * self.seeds.len()
    }

    /// Performs a game with every seed in a setting: a tally for each contender measured there, in their
    /// order. `done` is called after each performance.
    ///
    /// # Errors
    ///
    /// If the game cannot be performed or scored.
    pub fn measure(
        &self,
        (row, game): (usize, usize),
        done: impl Fn(),
    ) -> Result<Vec<Tally>, TrialError> {
        let Row { setting, contenders, asked } = &self.rows[row];
        let (id, record) = &self.games[game];
        let mut tallies = vec![Tally::default(); contenders.len()];
        for (place, &seed) in self.seeds.iter().enumerate() {
            let trial = Trial::perform(record, id, *setting, seed, self.folds.of(game))?;
            for (tally, &contender) in tallies.iter_mut().zip(contenders) {
                let is_asked = place < self.asked_seeds && *asked == Some(contender);
                *tally += &trial.measure(&self.contenders[contender], self.beam, is_asked)?;
            }
            done();
        }
        Ok(tallies)
    }

    /// The cells of the matrix from what [`measure`](Self::measure) gave, in any order of tasks; a game that
    /// failed in some setting is left out there.
    #[must_use]
    pub fn cells(&self, measured: Vec<((usize, usize), Vec<Tally>)>) -> Vec<Cell> {
        let mut measured = measured;
        measured.sort_by_key(|&((row, game), _)| (row, game));
        let mut cells = Vec::new();
        for (place, Row { setting, contenders, .. }) in self.rows.iter().enumerate() {
            for (column, &contender) in contenders.iter().enumerate() {
                let games = measured
                    .iter()
                    .filter(|((row, _), _)| *row == place)
                    .map(|(_, tallies)| tallies[column].clone())
                    .collect();
                let contender = self.contenders[contender].name.clone();
                cells.push(Cell::new(*setting, contender, games));
            }
        }
        cells
    }
}

/// One contender in one setting.
#[derive(Clone, Debug, Serialize)]
pub struct Cell {
    /// Sensors and players.
    #[serde(serialize_with = "as_text")]
    pub setting: Setting,
    /// Name of the contender.
    pub contender: String,
    /// Over all games and seeds.
    pub total: Tally,
    /// Over all seeds of each game.
    #[serde(skip)]
    pub games: Vec<Tally>,
}

impl Cell {
    fn new(setting: Setting, contender: String, games: Vec<Tally>) -> Cell {
        let mut total = Tally::default();
        for game in &games {
            total += game;
        }
        Cell { setting, contender, total, games }
    }

    /// A share with its interval; none without any count.
    #[must_use]
    pub fn figure(&self, figure: Figure) -> Option<(Share, Interval)> {
        let games: Vec<Share> = self.games.iter().map(|game| figure.of(game)).collect();
        let performances =
            self.games.iter().map(|game| figure.performances(game)).max().unwrap_or(1);
        Some((figure.of(&self.total), Interval::over_games(&games, performances)?))
    }
}

fn as_text<S: serde::Serializer>(setting: &Setting, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(setting)
}
