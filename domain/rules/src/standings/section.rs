//! A section of an event as it is reported: who is in it, how it is scored, and what happened in each round.

use serde::{Deserialize, Serialize};

use super::{Bye, CoinToss, Entrant, Pairing, Withdrawal};

/// The most rounds a section may state. No event comes near it; it bounds every sum.
pub const ROUNDS_MAX: u8 = 99;

/// The most games a pairing may have in one round.
pub const GAMES_PER_ROUND_MAX: u8 = 99;

/// A section: the input of standings. The order within the lists means nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Number of rounds: 1 to [`ROUNDS_MAX`].
    pub rounds: u8,
    /// Number of games that the two sides of a pairing play in a round: 1 to [`GAMES_PER_ROUND_MAX`]. One for players and for
    /// bughouse teams that play one match a round; two where they exchange boards; four for a team match on four boards.
    pub games_per_round: u8,
    /// Scoring.
    pub scoring: Scoring,
    /// Entrants of the section.
    pub entrants: Vec<Entrant>,
    /// Pairings of the rounds. The same pairing may be reported more than once if the reports agree, as far as they go: one with fewer
    /// games may come beside one with more.
    pub pairings: Vec<Pairing>,
    /// Rounds that entrants do not play.
    pub byes: Vec<Bye>,
    /// Entrants who have left.
    pub withdrawals: Vec<Withdrawal>,
    /// Coin tosses that were held.
    pub coin_tosses: Vec<CoinToss>,
}

/// Unit of an entrant's score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scoring {
    /// One point for each game won, half for each drawn.
    GamePoints,
    /// One point for each round in which the entrant got more of the games than the opponent, half when both got
    /// the same.
    MatchPoints,
}
