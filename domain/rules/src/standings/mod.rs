//! Standings of an event: scores, tie-breaks with their explanations, charts. No pairing is made here.
//!
//! An event reports a [`Section`]. [`Results::new`] checks it and lays it out by entrant and round. [`Results`] answer all
//! queries: standings after a round, explanations of tie-breaks, wall chart and crosstable. [`Clubs`] ranks schools by the
//! players they have in the section.
//!
//! The tie-breaks are those of `uscf-tiebreaks` and `nc-scholastic`, and FIDE's (C.07 of 2024). Each module lists the rules that it
//! takes from US Chess where the first two are silent. The organiser chooses the tie-breaks and their order, and announces them before
//! the first round. Nothing is left to chance here: a coin toss is held by people and recorded as a [`CoinToss`]. Until then the
//! standings show that one is needed.
//!
//! Results that a TD has not confirmed count like others, and everything that depends on them is marked as provisional.
//!
//! ```
//! use rules::standings::*;
//!
//! let numbers = [1, 2].map(EntrantNumber);
//! let player = |number: EntrantNumber| Entrant {
//!     number,
//!     name: format!("Player {number}"),
//!     kind: EntrantKind::Player,
//!     rating: None,
//! };
//! let game = PairingGame { outcome: Outcome::Win(Side::Second), white: Some(Side::First) };
//! let section = Section {
//!     rounds: 3,
//!     games_per_round: 1,
//!     scoring: Scoring::GamePoints,
//!     entrants: numbers.map(player).to_vec(),
//!     pairings: vec![Pairing {
//!         round: 1,
//!         first: numbers[0],
//!         second: numbers[1],
//!         games: vec![game],
//!         confirmation: Confirmation::Provisional,
//!     }],
//!     byes: vec![Bye { round: 2, entrant: numbers[1], kind: ByeKind::HalfPoint }],
//!     withdrawals: Vec::new(),
//!     coin_tosses: Vec::new(),
//! };
//! let results = Results::new(&section).expect("nothing contradicts");
//! let standings = results.standings(2, INDIVIDUAL_SWISS_ORDER).expect("there are three rounds");
//! assert_eq!(standings.rows[0].name, "Player 2");
//! assert_eq!(standings.rows[0].score.to_string(), "1½");
//! assert!(standings.provisional);
//! assert_eq!(results.wall_chart(2).rows[1].cells[1].to_string(), "H---");
//! let solkoff = results.explain(numbers[0], TieBreak::Solkoff, 2).expect("an entrant");
//! assert_eq!(solkoff.terms[0].amount.to_string(), "1½");
//! ```

mod chart;
mod check;
mod club;
mod cumulative;
mod direct_encounter;
mod entrant;
mod explanation;
mod fide;
mod opposition;
mod pairing;
mod problem;
mod products;
mod ranking;
mod results;
mod score;
mod section;
mod table;
mod tie_break;
mod tie_break_values;

pub use chart::{Cell, Chart, ChartRow};
pub use club::{Club, ClubRow, ClubRule, ClubStandings, Clubs, NC_SCHOLASTIC_CLUBS};
pub use entrant::{Entrant, EntrantKind, EntrantNumber};
pub use explanation::{Discard, Explanation, ScoreClass, Term, TermSource};
pub use pairing::{
    Bye, ByeKind, CoinToss, Confirmation, Outcome, Pairing, PairingGame, Side, Withdrawal,
};
pub use problem::{Named, Problem};
pub use results::{ResultKind, Results, RoundResult};
pub use score::{Score, TieBreakPoints};
pub use section::{GAMES_PER_ROUND_MAX, ROUNDS_MAX, Scoring, Section};
pub use table::{CoinTossState, NoSuchRound, Separation, Standings, StandingsRow};
pub use tie_break::{
    FIDE_TIE_BREAKS, INDIVIDUAL_SWISS_ORDER, ROUND_ROBIN_ORDER, TEAM_SWISS_ORDER, TieBreak,
};
