//! Penalties of offences.

use std::fmt;

use super::Offence;

/// Penalties of repeated offences of one kind. An offence without a ladder costs what the TD chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ladder {
    /// The offence.
    pub offence: Offence,
    /// The penalty for the first offence, the second and so on; the last one repeats.
    pub steps: &'static [Penalty],
}

impl Ladder {
    /// The penalty the book gives for the `count`th offence, from 1.
    #[must_use]
    pub fn step(&self, count: usize) -> Option<Penalty> {
        self.steps.get(count.saturating_sub(1)).or(self.steps.last()).copied()
    }
}

impl fmt::Display for Ladder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.steps.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", then " };
            write!(f, "{comma}{step}")?;
        }
        Ok(())
    }
}

/// A penalty that a TD may confirm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Penalty {
    /// No penalty: it is counted, and so often allowed.
    Allowed,
    /// A warning.
    Warning,
    /// A warning, or time for the opponent when the offence made a flag fall.
    WarningOrTime {
        /// Added to the opponent's clock in that case, in seconds.
        opponent_s: u32,
        /// Owner of the flag.
        flag: FlagOf,
    },
    /// Time added to the opponent's clock, in seconds.
    TimeToOpponent {
        /// Added time, seconds.
        opponent_s: u32,
    },
    /// Time taken from the offender's clock, in seconds.
    TimeFromOffender {
        /// Added time, seconds.
        offender_s: u32,
    },
    /// A time penalty the book does not say how to apply, in seconds.
    Time {
        /// Added time, seconds.
        penalty_s: u32,
    },
    /// Loss of time, as much as the TD chooses.
    TimeByChoice,
    /// The game is lost.
    LosesGame,
    /// Both games of the pairing are lost.
    LosesBothGames,
    /// The match is lost.
    LosesMatch,
    /// The game or the match is lost, as the TD chooses.
    LosesGameOrMatch,
    /// The TD's choice, up to expulsion.
    ByChoice,
}

/// Owner of a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FlagOf {
    /// The offender's own.
    Offender,
    /// The opponent's.
    Opponent,
}

impl fmt::Display for Penalty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Penalty::Allowed => f.write_str("allowed"),
            Penalty::Warning => f.write_str("warning"),
            Penalty::WarningOrTime { opponent_s, flag } => {
                let flag = match flag {
                    FlagOf::Offender => "own",
                    FlagOf::Opponent => "opponent's",
                };
                write!(
                    f,
                    "warning (or {opponent_s} s to the opponent if the {flag} flag fell by it)"
                )
            }
            Penalty::TimeToOpponent { opponent_s } => write!(f, "{opponent_s} s to the opponent"),
            Penalty::TimeFromOffender { offender_s } => {
                write!(f, "{offender_s} s from the offender")
            }
            Penalty::Time { penalty_s } => write!(f, "{penalty_s} s"),
            Penalty::TimeByChoice => f.write_str("loss of time, the TD's choice"),
            Penalty::LosesGame => f.write_str("loss of the game"),
            Penalty::LosesBothGames => f.write_str("loss of both games"),
            Penalty::LosesMatch => f.write_str("loss of the match"),
            Penalty::LosesGameOrMatch => f.write_str("loss of the game or the match"),
            Penalty::ByChoice => f.write_str("the TD's choice"),
        }
    }
}
