//! The command line.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use readings::SensorKind;
use rules::{BoardId, Game};
use sim::{Equipment, HandsFrom, Population, Profile, Sensors};

use crate::games::file_name;

/// Games of a quick run, and its seeds.
const QUICK_GAMES: usize = 15;
const QUICK_SEEDS: usize = 2;
/// Seeds with which questions are asked about bughouse.
const ASKED_SEEDS: usize = 3;
/// More would be a slip of the finger.
const MOST_SEEDS: u64 = 1_000;

/// Prior of the tracker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Prior {
    /// All that can be done is as likely.
    Uniform,
    /// A model learnt from an engine's games.
    SelfPlay,
    /// A model learnt from the games outside the fold.
    Recorded,
    /// A model learnt from an engine's games, then from the games outside the fold.
    Learnt,
}

/// Measures how right the tracker is on recorded games played by simulated hands, and writes the document.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask accuracy")]
pub(crate) struct Arguments {
    /// bughouse, which writes the document and leaves the part about chess as it was, or chess, which writes that part.
    #[arg(long, default_value = "bughouse")]
    pub(crate) game: Game,
    /// Recorded games: BPGN of bughouse (usually ../shared/games/corpus.bpgn), PGN of chess
    /// (../shared/games/chess.pgn).
    #[arg(long)]
    games: Option<PathBuf>,
    /// Further matches in BPGN, which every fold of the prior `learnt` learns from and nobody is judged on.
    #[arg(long)]
    pub(crate) also: Vec<PathBuf>,
    /// Games of crazyhouse in PGN, of which every fold of the prior `learnt` learns the roles of drops.
    #[arg(long)]
    pub(crate) roles_from: Vec<PathBuf>,
    /// Seeds of the hands, first and last.
    #[arg(long, default_value = "1..10", value_parser = parse_seeds)]
    pub(crate) seeds: (u64, u64),
    /// Kinds of boards: reed, hall-polarity, hall-magnitude, piece-id, one for each board as in
    /// A=reed,B=piece-id, or for one as in A=reed; `+trays` at the end for reserve
    /// trays, `+hands` for hand sensors at the clocks. All priors are measured at the first. Usually reed, with trays too, and
    /// the three others; for chess reed alone.
    #[arg(long, num_args = 1..)]
    sensors: Vec<Equipment>,
    /// Kinds of players: ideal, club, scholastic; with `drawn-` before it, each match draws its own hands, with `swapped-`, kings and
    /// queens also stand swapped. Usually ideal, club and scholastic at all boards, and of bughouse drawn ones where goals are about them.
    #[arg(long, num_args = 1..)]
    players: Vec<Population>,
    /// Priors of the tracker; the last is measured at all boards. Usually all there are; for chess
    /// uniform, self-play and learnt.
    #[arg(long, num_args = 1.., value_enum)]
    priors: Vec<Prior>,
    /// Measure all priors at all boards.
    #[arg(long)]
    pub(crate) all_priors: bool,
    /// Number of seeds of the first kind of boards with which to measure also what the records are worth after
    /// a person has answered 1, 3 and 5 questions; each takes several times as long as tracking.
    /// Three by default; none for chess.
    #[arg(long)]
    asked_seeds: Option<usize>,
    /// Hypotheses kept.
    #[arg(long, default_value_t = 512, value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(crate) beam: u16,
    /// Number of parts of the games: a prior that learns from games is judged on a part by weights
    /// learnt from the others.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(2..=100))]
    pub(crate) folds: u16,
    /// A few games, two seeds and the first kind of boards: to see that all works, not to report.
    #[arg(long)]
    quick: bool,
    /// Do not measure how long tracking takes, which is most of the work where many kinds of players are measured.
    #[arg(long)]
    pub(crate) untimed: bool,
    /// Document to write: docs/accuracy.md unless the run is a quick one, which writes none by itself.
    #[arg(long)]
    out: Option<PathBuf>,
    /// All sums as JSON, too.
    #[arg(long)]
    pub(crate) json: Option<PathBuf>,
}

impl Arguments {
    /// The file of the games.
    pub(crate) fn games(&self) -> PathBuf {
        let usual = match self.game {
            Game::Bughouse => "../shared/games/corpus.bpgn",
            Game::Chess => "../shared/games/chess.pgn",
        };
        self.games.clone().unwrap_or_else(|| PathBuf::from(usual))
    }

    /// Priors of the tracker, each once.
    pub(crate) fn priors(&self) -> Vec<Prior> {
        if !self.priors.is_empty() {
            return once_each(&self.priors);
        }
        match self.game {
            Game::Bughouse => Prior::value_variants().to_vec(),
            Game::Chess => vec![Prior::Uniform, Prior::SelfPlay, Prior::Learnt],
        }
    }

    /// The document to write, if any.
    pub(crate) fn document(&self) -> Option<PathBuf> {
        let usual = (!self.quick).then(|| PathBuf::from("docs/accuracy.md"));
        self.out.clone().or(usual)
    }

    /// Every seed.
    pub(crate) fn seeds(&self) -> Vec<u64> {
        let (first, last) = self.seeds;
        let seeds = first..=last;
        if self.quick { seeds.take(QUICK_SEEDS).collect() } else { seeds.collect() }
    }

    /// Number of seeds with questions.
    pub(crate) fn asked_seeds(&self) -> usize {
        let usual = match self.game {
            Game::Bughouse => ASKED_SEEDS,
            Game::Chess => 0,
        };
        self.asked_seeds.unwrap_or(usual).min(if self.quick { 1 } else { usize::MAX })
    }

    /// Maximum number of games; further ones are skipped.
    pub(crate) fn most_games(&self) -> usize {
        if self.quick { QUICK_GAMES } else { usize::MAX }
    }

    /// Kinds of tables, each once.
    pub(crate) fn tables(&self) -> Vec<Equipment> {
        let reed = Equipment::default();
        let of_kind = |kind| Equipment { sensors: Sensors::both(kind), ..reed };
        let mut boards = once_each(&self.sensors);
        if boards.is_empty() && self.game == Game::Bughouse {
            let trays = Equipment { sensors: reed.sensors.with_trays(&BoardId::ALL), ..reed };
            let others = [SensorKind::HallPolarity, SensorKind::HallMagnitude, SensorKind::PieceId];
            boards.extend([reed, trays].into_iter().chain(others.map(of_kind)));
        } else if boards.is_empty() {
            boards.push(reed);
        }
        boards.truncate(if self.quick { 1 } else { usize::MAX });
        boards
    }

    /// Kinds of players at one kind of boards, each once.
    pub(crate) fn players_at(&self, equipment: Equipment) -> Vec<Population> {
        if !self.players.is_empty() {
            return once_each(&self.players);
        }
        let mut players: Vec<Population> = Profile::ALL.map(Population::from).to_vec();
        if self.quick || self.game == Game::Chess {
            return players;
        }
        let drawn = |profile| Population { profile, hands: HandsFrom::Drawn };
        players.push(drawn(Profile::Scholastic));
        let has_trays = equipment.sensors.board(BoardId::A).is_some_and(|board| board.trays);
        if has_trays || equipment == Equipment::default() {
            players.push(drawn(Profile::Club));
        }
        if equipment == Equipment::default() {
            players.push(drawn(Profile::Ideal));
            let hands = HandsFrom::DrawnSwapped;
            players.push(Population { profile: Profile::Scholastic, hands });
        }
        players
    }

    /// The command that does the same again.
    pub(crate) fn command(&self) -> String {
        let given: Vec<String> =
            std::env::args().skip(1).map(|argument| file_name(argument.as_ref())).collect();
        format!("cargo xtask accuracy {}", given.join(" ")).trim_end().to_owned()
    }
}

fn once_each<T: PartialEq + Copy>(all: &[T]) -> Vec<T> {
    let mut found = Vec::new();
    for each in all {
        if !found.contains(each) {
            found.push(*each);
        }
    }
    found
}

/// `101..110`, both ends included, or a single seed.
fn parse_seeds(text: &str) -> Result<(u64, u64), String> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let number = |text: &str| text.trim_start_matches('=').parse::<u64>();
    match (number(first), number(last)) {
        (Ok(first), Ok(last)) if first <= last && last - first < MOST_SEEDS => Ok((first, last)),
        _ => Err(format!(
            "expected the first and the last seed such as 101..110, at most {MOST_SEEDS} of them"
        )),
    }
}
