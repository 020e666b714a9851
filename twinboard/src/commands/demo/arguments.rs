//! Options of `twinboard demo`.

use std::{net::SocketAddr, path::PathBuf};

use rules::Game;
use sim::Sensors;

use super::{claims::Claiming, director::ROUNDS};
use crate::commands::sim::Players;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Number of tables, 1 to 16.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=16))]
    pub(super) tables: u8,
    /// The game at all tables; if neither this nor --chess-tables says it, that of the games given, else bughouse.
    #[arg(long, conflicts_with = "chess_tables")]
    pub(super) game: Option<Game>,
    /// Number of tables, the last ones, that play chess while the others play bughouse.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=16))]
    pub(super) chess_tables: u8,
    /// File with the games to play, BPGN of bughouse or PGN of chess; may be given for both. Without it, some of the games that
    /// are shipped. The clocks of a chess table are set as its first game says.
    #[arg(long, value_name = "FILE")]
    pub(super) games: Vec<PathBuf>,
    /// Number of matches of each table, one after the other, for a comparison of the records with the games. Without it, and without
    /// --config, the tables play an event in rounds until Ctrl-C: a simulated director pairs them and confirms the results.
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=50))]
    pub(super) matches: Option<u8>,
    /// Kind of the squares' sensors.
    #[arg(long, default_value = "reed")]
    pub(super) sensor: Sensors,
    /// Every board has reserve trays with sensed slots.
    #[arg(long)]
    pub(super) trays: bool,
    /// Players' handling of pieces and clock.
    #[arg(long, value_enum, default_value_t = Players::Club)]
    pub(super) players: Players,
    /// Speed in multiples of real time, up to 100.
    #[arg(long, default_value_t = 1.0)]
    pub(super) speed: f64,
    /// Seed of everything random.
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// Address of the pages. 0.0.0.0:8080 shows them to the whole network, port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:8080")]
    pub(super) http: SocketAddr,
    /// Rehearse with the adjudicator that `twinboard serve --config FILE` runs on this machine, its event, books and people. Its
    /// http.clock_rate must be --speed, and its database new.
    #[arg(long, value_name = "FILE", conflicts_with = "http")]
    pub(super) config: Option<PathBuf>,
    /// Rehearse on a copy of the event's database, as often as you like: it stays as it is. Stop `twinboard serve` before; paired phones find
    /// the rehearsal at the same address.
    #[arg(long, requires = "config")]
    pub(super) copy: bool,
    /// Share of offences that players claim.
    #[arg(long, value_enum, default_value_t = Claiming::Mostly)]
    pub(super) claims: Claiming,
    /// Folder for the records, the journal and the database; without it, a new temporary one.
    #[arg(long)]
    pub(super) out: Option<PathBuf>,
}

impl Arguments {
    /// Whether the tables play an event in rounds.
    pub(super) fn is_event(&self) -> bool {
        self.matches.is_none() && self.config.is_none()
    }

    /// Number of matches of each table.
    pub(super) fn matches_each(&self) -> u8 {
        self.matches.unwrap_or(if self.is_event() { ROUNDS } else { 1 })
    }
}
