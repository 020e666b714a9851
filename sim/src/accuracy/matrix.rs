//! Matrix of contenders, players and boards, over games and seeds.

use serde::Serialize;

use super::{
    effort::{Effort, Steps, TIMES},
    figure::Figure,
    folds::Folds,
    interval::Interval,
    tally::Tally,
    trial::{Contender, Setting, Trial, TrialError},
};
use crate::{RecordedGame, score::Share};

/// A plan of measurements.
#[derive(Debug)]
pub struct Matrix {
    /// The games, each with the name that its hands go by.
    pub games: Vec<(String, RecordedGame)>,
    /// Split of the games.
    pub folds: Folds,
    /// Rows: settings with their contenders.
    pub rows: Vec<Row>,
    /// Contenders.
    pub contenders: Vec<Contender>,
    /// Each game is performed once for each.
    pub seeds: Vec<u64>,
    /// Number of seeds, the first ones, with which questions are asked in rows that want them.
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
    /// Places of the contenders whose questions are answered.
    pub asked: Vec<usize>,
}

impl Matrix {
    /// One piece of work for each row and game, as places in the lists; neighbours differ in the row,
    /// so that progress is even.
    #[must_use]
    pub fn tasks(&self) -> Vec<(usize, usize)> {
        let games = 0..self.games.len();
        games.flat_map(|game| (0..self.rows.len()).map(move |row| (row, game))).collect()
    }

    /// Number of trackings.
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
                let is_asked = place < self.asked_seeds && asked.contains(&contender);
                *tally += &trial.measure(&self.contenders[contender], self.beam, is_asked)?;
            }
            done();
        }
        Ok(tallies)
    }

    /// Number of performances to be [timed](Self::time), repetitions included.
    #[must_use]
    pub fn timings(&self) -> usize {
        TIMES * self.timed().len()
    }

    /// Times each contender in each row for [`cells`](Self::cells), one performance after the other, [`TIMES`] times: with the
    /// first seed. A game that cannot be performed is left out. `done` is called after each performance.
    #[must_use]
    pub fn time(&self, done: impl Fn()) -> Vec<Effort> {
        let timed = self.timed();
        let mut shortest: Vec<Option<(Steps, u64)>> = vec![None; timed.len()];
        for _ in 0..TIMES {
            for (&TimedPerformance { row, contender, game, seed, .. }, known) in
                timed.iter().zip(&mut shortest)
            {
                let (id, record) = &self.games[game];
                let trial = Trial::perform(record, id, row.setting, seed, self.folds.of(game)).ok();
                let again = trial.and_then(|trial| {
                    let steps = trial.time(&self.contenders[contender], self.beam)?;
                    Some((steps, trial.plies()))
                });
                if let Some((steps, plies)) = again {
                    let before = known.take().unwrap_or_default().0;
                    *known = Some((steps.shorter(&before), plies));
                }
                done();
            }
        }
        let mut efforts = vec![Effort::default(); self.columns().count()];
        for (TimedPerformance { column, .. }, shortest) in timed.iter().zip(shortest) {
            if let Some((steps, plies)) = shortest {
                efforts[*column] += Effort::of(&steps, plies);
            }
        }
        efforts
    }

    fn timed(&self) -> Vec<TimedPerformance<'_>> {
        let mut timed = Vec::new();
        for (column, (row, contender)) in self.columns().enumerate() {
            for game in 0..self.games.len() {
                let seed = self.seeds.first();
                timed.extend(seed.map(|&seed| TimedPerformance {
                    column,
                    row,
                    contender,
                    game,
                    seed,
                }));
            }
        }
        timed
    }

    /// Each row with each of its contenders: the cells in their order.
    fn columns(&self) -> impl Iterator<Item = (&Row, usize)> {
        self.rows
            .iter()
            .flat_map(|row| row.contenders.iter().map(move |&contender| (row, contender)))
    }

    /// The cells of the matrix from what [`measure`](Self::measure) gave, in any order of tasks, and [`time`](Self::time); a game that
    /// failed in some setting is left out there.
    #[must_use]
    pub fn cells(
        &self,
        measured: Vec<((usize, usize), Vec<Tally>)>,
        efforts: &[Effort],
    ) -> Vec<Cell> {
        let mut measured = measured;
        measured.sort_by_key(|&((row, game), _)| (row, game));
        let mut cells = Vec::new();
        let mut efforts = efforts.iter();
        for (place, Row { setting, contenders, .. }) in self.rows.iter().enumerate() {
            for (column, &contender) in contenders.iter().enumerate() {
                let games = measured
                    .iter()
                    .filter(|((row, _), _)| *row == place)
                    .map(|(_, tallies)| tallies[column].clone())
                    .collect();
                let contender = self.contenders[contender].name.clone();
                let effort = efforts.next().copied().unwrap_or_default();
                cells.push(Cell::new(*setting, contender, games, effort));
            }
        }
        cells
    }
}

/// A performance to be timed.
struct TimedPerformance<'a> {
    /// Place of its cell.
    column: usize,
    row: &'a Row,
    contender: usize,
    game: usize,
    seed: u64,
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
    /// Cost.
    pub effort: Effort,
    /// Over all seeds of each game.
    #[serde(skip)]
    pub games: Vec<Tally>,
}

impl Cell {
    fn new(setting: Setting, contender: String, games: Vec<Tally>, effort: Effort) -> Cell {
        let mut total = Tally::default();
        for game in &games {
            total += game;
        }
        Cell { setting, contender, total, effort, games }
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
