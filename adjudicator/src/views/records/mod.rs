//! Records of matches for people and other programs: BPGN, PGN, JSON and CSV.
//!
//! Written from the same referee that the pages show, so that a record and the page cannot differ. Results
//! follow the convention of BPGN (`1-0` is team 1: White at A, Black at B) and are what the evidence proposes,
//! which each record states. Its content depends on the reader: see [`Reader`].

mod archive;
mod bpgn;
pub mod feed;
mod incidents;
mod kept;
mod pgn;
mod portable;
mod standing;
mod tables;

use std::{fmt, str::FromStr};

pub use archive::archive;
pub use kept::KeptRecords;
use referee::StandingResult;

use crate::{
    config::Config,
    hall::{Game, Hall, People},
    views::read_view::Shown,
};

/// Reader of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// The public, perhaps while the match is played: nothing silent is in it.
    Public,
    /// The organiser: everything that is known, except names without consent.
    Organiser,
}

impl Reader {
    /// Whether the record marks the ply at `index` as illegal, if the boards before it show it to be. A king that is taken as a
    /// claim is taken rightly.
    fn may_mark(self, game: &Game, index: usize) -> bool {
        let plies = game.referee().timeline().plies();
        plies.get(index).is_some_and(|ply| ply.illegal.is_some())
            && (self == Reader::Organiser || game.referee().may_be_said(index))
    }

    /// The mover's remaining time after the ply at `index`, milliseconds.
    fn clock_ms(self, game: &Game, index: usize) -> Option<i64> {
        match self {
            Reader::Organiser => game.referee().timeline().plies().get(index)?.report.clock_ms,
            Reader::Public => game.referee().shown_clock_ms(index),
        }
    }
}

/// A format of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Bughouse: both boards in order of play, with clock times.
    Bpgn,
    /// Games of chess, and of bughouse one game per board, for programs that know no bughouse.
    Pgn,
    /// One array of matches with their plies.
    Json,
    /// One line per ply.
    Csv,
    /// BPGN in which every ply is legal: a further game begins after an illegal one.
    PortableBpgn,
    /// PGN in which every ply is legal, each board of bughouse as crazyhouse.
    PortablePgn,
}

impl Format {
    /// All formats, the longest names first: a file's name may end with that of another.
    pub const ALL: [Format; 6] = [
        Format::PortableBpgn,
        Format::PortablePgn,
        Format::Bpgn,
        Format::Pgn,
        Format::Json,
        Format::Csv,
    ];

    /// The name on the command line and the file's extension.
    pub fn name(self) -> &'static str {
        match self {
            Format::Bpgn => "bpgn",
            Format::Pgn => "pgn",
            Format::Json => "json",
            Format::Csv => "csv",
            Format::PortableBpgn => "portable.bpgn",
            Format::PortablePgn => "portable.pgn",
        }
    }

    /// Its media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Format::Json => "application/json",
            Format::Csv => "text/csv; charset=utf-8",
            _ => "application/x-chess-pgn; charset=utf-8",
        }
    }

    /// Whether it can tell a match of this game: BPGN knows no game of one board.
    fn tells(self, game: rules::Game) -> bool {
        game == rules::Game::Bughouse || !matches!(self, Format::Bpgn | Format::PortableBpgn)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A format that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no format {0:?}: use bpgn, pgn, json, csv, portable.bpgn or portable.pgn")]
pub struct ParseFormatError(String);

impl FromStr for Format {
    type Err = ParseFormatError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let format = Format::ALL.into_iter().find(|format| format.name() == text);
        format.ok_or_else(|| ParseFormatError(text.chars().take(16).collect()))
    }
}

/// One match.
pub fn write_match(config: &Config, shown: Shown<'_>, format: Format, reader: Reader) -> String {
    write_all(config, &[shown], format, reader)
}

/// Choice of the hall's matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Which {
    /// Only this section.
    pub section: Option<String>,
    /// At this table alone.
    pub table: Option<String>,
    /// Only this team, or this player where players meet: by the public name.
    pub team: Option<String>,
    /// Only this round.
    pub round: Option<u8>,
    /// Only those whose result is final: both teams have signed it, or a director has confirmed it.
    pub confirmed: bool,
}

impl Which {
    /// The matches among these that are asked for and have begun.
    fn begun<'a>(&self, games: &[Shown<'a>]) -> Vec<Shown<'a>> {
        let mut games = games.to_vec();
        games.retain(|shown| {
            !shown.game.referee().timeline().plies().is_empty() && self.is(shown.hall, shown.game)
        });
        games
    }

    fn is(&self, hall: &Hall, game: &Game) -> bool {
        let people = hall.people(&game.table, Some(game), hall.disclosure().names());
        self.section.as_ref().is_none_or(|wanted| people.section.as_ref() == Some(wanted))
            && self.team.as_ref().is_none_or(|wanted| is_of(hall, game, &people, wanted))
            && self.table.as_ref().is_none_or(|wanted| game.table == *wanted)
            && self.round.is_none_or(|wanted| people.round == Some(wanted))
            && (!self.confirmed || game.referee().result().is_some_and(StandingResult::is_final))
    }
}

/// Whether one of the two sides is called so, or one of the partners where they change.
fn is_of(hall: &Hall, game: &Game, people: &People, wanted: &str) -> bool {
    let (event, names) = (hall.event(), hall.disclosure().names());
    let pairing = game.pairing.and_then(|id| event.pairings().get(&id));
    let is_entrant = pairing.is_some_and(|pairing| {
        let mut numbers = pairing.numbers();
        numbers.any(|number| event.entrant_name(&pairing.section, number, names) == wanted)
    });
    let sides = people.sides.iter().chain(&people.teams).flatten();
    is_entrant || sides.into_iter().any(|side| side == wanted)
}

/// Records of all matches among these that are asked for and have begun. As BPGN, those of bughouse.
pub fn write(
    config: &Config,
    games: &[Shown<'_>],
    which: &Which,
    format: Format,
    reader: Reader,
) -> String {
    let mut games = which.begun(games);
    games.retain(|shown| format.tells(shown.game.game));
    write_all(config, &games, format, reader)
}

fn write_all(config: &Config, games: &[Shown<'_>], format: Format, reader: Reader) -> String {
    file(format, games.iter().map(|shown| part(config, *shown, format, reader)))
}

/// The part of a match in a file.
fn part(config: &Config, shown: Shown<'_>, format: Format, reader: Reader) -> String {
    let Shown { hall, game } = shown;
    match format {
        Format::Bpgn => bpgn::write(config, hall, game, reader),
        Format::Pgn => pgn::write(config, hall, game, reader),
        Format::Json => tables::json(hall, game, reader),
        Format::Csv => tables::csv(game, reader),
        Format::PortableBpgn => portable::write_bpgn(config, hall, game, reader),
        Format::PortablePgn => portable::write_pgn(config, hall, game, reader),
    }
}

/// A file of such parts.
fn file(format: Format, parts: impl Iterator<Item = impl AsRef<str>>) -> String {
    let mut text = String::new();
    for part in parts {
        if format == Format::Json && !text.is_empty() {
            text.push_str(",\n");
        }
        text.push_str(part.as_ref());
    }
    match format {
        Format::Json if text.is_empty() => "[]".to_owned(),
        Format::Json => format!("[\n{text}\n]"),
        Format::Csv => format!("{}{text}", tables::CSV_HEAD),
        _ => text,
    }
}
