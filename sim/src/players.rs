//! Players of a match: as careful as a profile's, with the table's hands or with drawn hands.

use std::{fmt, str::FromStr};

use rules::BoardId;

use crate::{
    board_fault::FaultMix,
    chance::{Chance, Topic},
    hands::{Factors, Hands},
    profile::{Behaviour, ParseProfileError, Profile, TABLE},
};

/// Population of players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Population {
    /// Their profile.
    pub profile: Profile,
    /// Source of their rates and hands.
    pub hands: HandsFrom,
}

/// Source of rates and hands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HandsFrom {
    /// The table: all matches of a profile have the same.
    Table,
    /// Each match [draws its own](Players::drawn).
    Drawn,
    /// Each match draws its own, and kings and queens stand swapped on both sides of both boards.
    DrawnSwapped,
}

impl From<Profile> for Population {
    fn from(profile: Profile) -> Population {
        Population { profile, hands: HandsFrom::Table }
    }
}

impl Population {
    /// The players of one match.
    #[must_use]
    pub fn players(self, seed: u64, match_id: &str) -> Players {
        self.players_within(Factors::USUAL, seed, match_id)
    }

    /// The same, with the durations of hands that are drawn within these factors: to measure what becomes of a
    /// tracker that expects others. Everything else is drawn as in [`players`](Self::players).
    #[must_use]
    pub fn players_within(self, factors: Factors, seed: u64, match_id: &str) -> Players {
        let drawn = || Players::drawn_within(factors, self.profile, seed, match_id);
        match self.hands {
            HandsFrom::Table => self.profile.into(),
            HandsFrom::Drawn => drawn(),
            HandsFrom::DrawnSwapped => drawn().with_rate(Behaviour::SetupSwapped, 1.0),
        }
    }
}

impl fmt::Display for Population {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = match self.hands {
            HandsFrom::Table => "",
            HandsFrom::Drawn => DRAWN,
            HandsFrom::DrawnSwapped => SWAPPED,
        };
        write!(f, "{prefix}{}", self.profile)
    }
}

/// Prefix of a profile's name: drawn hands…
const DRAWN: &str = "drawn-";
/// …and at boards that are set up wrong.
const SWAPPED: &str = "swapped-";

impl FromStr for Population {
    type Err = ParseProfileError;

    /// A profile's name, with `drawn-` before it for hands drawn anew, or `swapped-` for such hands at boards with kings and queens
    /// swapped.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (hands, name) = match (text.strip_prefix(DRAWN), text.strip_prefix(SWAPPED)) {
            (Some(name), _) => (HandsFrom::Drawn, name),
            (_, Some(name)) => (HandsFrom::DrawnSwapped, name),
            _ => (HandsFrom::Table, text),
        };
        Ok(Population { profile: name.parse()?, hands })
    }
}

/// The players of a match: a profile, and rates that differ from its own for an experiment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Players {
    /// Profile of the table; it also names the random streams.
    pub profile: Profile,
    rates: [f64; TABLE.len()],
    /// Their hands.
    pub(crate) hands: Hands,
    /// Faults of their boards.
    pub(crate) faults: FaultMix,
}

impl From<Profile> for Players {
    fn from(profile: Profile) -> Players {
        let rates = TABLE.map(|(_, rates)| rates[profile as usize]);
        Players { profile, rates, hands: Hands::TABLE, faults: FaultMix::TABLE }
    }
}

/// No drawn rate is greater: whatever happens, also does not.
const MOST_DRAWN_RATE: f64 = 0.9;
/// Captures that are swapped and those that are knocked aside exclude each other; most of a drawn match, each.
const MOST_DRAWN_CAPTURE_RATE: f64 = 0.45;
/// Rates that are multiplied by what is drawn, of ideal, club and scholastic players: of what the table's hands never do, of pieces
/// that never get into a slot, which hands drawn anew keep more often, and of boards that fail, which are one in thirty so that the
/// boards of one match in fourteen do.
#[rustfmt::skip]
const OUTSIDE_THE_TABLE: [(Behaviour, [f64; 3]); 7] = [
    (Behaviour::HeldOverBoard,       [0.0, 0.03,   0.08]),
    (Behaviour::PassedLate,          [0.0, 0.10,   0.25]),
    (Behaviour::TakenEarly,          [0.0, 0.10,   0.25]),
    (Behaviour::PressSlips,          [0.0, 0.003,  0.01]),
    (Behaviour::Tidies,              [0.0, 0.002,  0.008]),
    (Behaviour::HeldBack,            [0.0, 0.05,   0.15]),
    (Behaviour::SensorFault,         [0.0, 0.03,   0.03]),
];

impl Players {
    /// The same players, of whom one behaviour is seen at this rate instead of the table's: to measure what
    /// is too rare to be measured at its own.
    #[must_use]
    pub fn with_rate(mut self, behaviour: Behaviour, rate: f64) -> Players {
        self.rates[behaviour as usize] = rate;
        self
    }

    /// Players of one match, as careful as a profile's, whose rates and [hands](Hands::drawn) are drawn anew: every rate is 0.3 to 3 times the
    /// table's, all match long, and they do what the table's hands never do.
    #[must_use]
    pub fn drawn(profile: Profile, seed: u64, match_id: &str) -> Players {
        Players::drawn_within(Factors::USUAL, profile, seed, match_id)
    }

    fn drawn_within(factors: Factors, profile: Profile, seed: u64, match_id: &str) -> Players {
        let chance = Chance::new(seed, match_id, profile);
        let rng = &mut chance.topic(BoardId::A, 0, Topic::Hands);
        let mut players = Players {
            hands: Hands::drawn(rng, factors),
            faults: FaultMix::DRAWN,
            ..profile.into()
        };
        for (behaviour, rates) in OUTSIDE_THE_TABLE {
            players = players.with_rate(behaviour, rates[profile as usize]);
        }
        for rate in &mut players.rates {
            *rate = (*rate * Factors::USUAL.draw(rng)).min(MOST_DRAWN_RATE);
        }
        for behaviour in [Behaviour::CaptureSwapped, Behaviour::CaptureKnockedAside] {
            let rate = players.rate(behaviour).min(MOST_DRAWN_CAPTURE_RATE);
            players = players.with_rate(behaviour, rate);
        }
        players
    }

    /// Rate of a behaviour, as [`Profile::rate`].
    #[must_use]
    pub const fn rate(&self, behaviour: Behaviour) -> f64 {
        self.rates[behaviour as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_rates_keep_within_their_factors_and_differ_from_match_to_match() {
        let table: Players = Profile::Scholastic.into();
        let drawn: Vec<Players> =
            (0..50).map(|seed| Players::drawn(Profile::Scholastic, seed, "m")).collect();
        // Hands from the lap are played only at a rate that is asked for.
        let of_hands = TABLE.into_iter().filter(|row| row.0 != Behaviour::OtherHandFromLap);
        for (behaviour, _) in of_hands {
            let is_outside = OUTSIDE_THE_TABLE.iter().any(|&(outside, _)| outside == behaviour);
            let rates: Vec<f64> = drawn.iter().map(|players| players.rate(behaviour)).collect();
            assert!(rates.iter().any(|&rate| rate != rates[0]), "{behaviour:?}");
            for rate in rates.into_iter().filter(|_| !is_outside) {
                let factor = rate / table.rate(behaviour);
                assert!(Factors::USUAL.admits(factor), "{behaviour:?}: {factor}");
            }
        }
        assert_eq!(drawn[3], Players::drawn(Profile::Scholastic, 3, "m"));
        assert_ne!(drawn[3], Players::drawn(Profile::Scholastic, 3, "n"));
    }

    #[test]
    fn wider_factors_change_the_durations_of_hands_and_nothing_else() {
        let population = Population { profile: Profile::Scholastic, hands: HandsFrom::Drawn };
        let usual = population.players(3, "m");
        assert_eq!(population.players_within(Factors::USUAL, 3, "m"), usual);
        let wider = population.players_within("0.15..6".parse().expect("factors"), 3, "m");
        assert_ne!(wider.hands, usual.hands);
        assert_eq!(Players { hands: usual.hands, ..wider }, usual);
    }

    #[test]
    fn ideal_players_who_are_drawn_do_nothing_wrong_either() {
        let players = Players::drawn(Profile::Ideal, 1, "m");
        assert!(TABLE.iter().all(|&(behaviour, _)| players.rate(behaviour) == 0.0));
        assert_ne!(players.hands, Hands::TABLE);
    }

    #[test]
    fn a_population_is_read_as_it_is_written() {
        for text in ["ideal", "drawn-club", "swapped-scholastic"] {
            assert_eq!(
                text.parse::<Population>().map(|found| found.to_string()),
                Ok(text.to_owned())
            );
        }
        assert!("drawn-grandmaster".parse::<Population>().is_err());
    }
}
