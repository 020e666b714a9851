//! `twinboard event open`: the event's name, its tables, its sections.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::ValueEnum;
use event::{Deed, SectionKind, SectionTerms};
use rules::{
    Game,
    rulebook::BookId,
    standings::{Scoring, TieBreak},
};

use super::file;
use crate::stdout;

#[derive(clap::Args)]
pub(super) struct Open {
    /// The event's file, or the configuration (.toml) of the adjudicator that serves it.
    event: PathBuf,
    /// The event's name.
    #[arg(long)]
    name: Option<String>,
    /// Number of tables; they are called 1, 2, 3 and so on.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    tables: Option<u16>,
    /// A section to be opened.
    #[arg(long, value_name = "NAME", requires = "rounds")]
    section: Option<String>,
    /// The section's rulebook.
    #[arg(long, value_name = "ID", default_value_t)]
    rulebook: BookId,
    /// Entrants; without it teams for bughouse and players for chess.
    #[arg(long)]
    kind: Option<EntrantKind>,
    /// Number of rounds.
    #[arg(long, value_name = "N")]
    rounds: Option<u8>,
    /// Games of a pairing in a round.
    #[arg(long, value_name = "N", default_value_t = 1)]
    games: u8,
    /// Score a round as a match instead of its games.
    #[arg(long)]
    match_points: bool,
    /// Directors call of their own accord, where the rulebook lets an event agree on that.
    #[arg(long)]
    td_calls: bool,
    /// The tie-breaks in their order, such as modified-median,solkoff; without it the usual ones.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    tie_breaks: Vec<String>,
}

/// Entrants of a section.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EntrantKind {
    /// Teams of two who stay together.
    Teams,
    /// Players who change partners and score alone.
    RotatingPartners,
    /// Players of chess.
    Players,
}

/// Makes or extends an event's file.
pub(super) fn open(arguments: &Open) -> Result<()> {
    let mut event = file::read_or_begin(&arguments.event)?;
    let before = event.acts().len();
    if let Some(name) = &arguments.name {
        file::act(&mut event, Deed::Named { name: name.clone() })?;
    }
    if let Some(tables) = arguments.tables {
        let tables = (1..=tables).map(|table| table.to_string()).collect();
        file::act(&mut event, Deed::TablesListed { tables })?;
    }
    if let (Some(section), Some(rounds)) = (&arguments.section, arguments.rounds) {
        let terms = terms(arguments, rounds)?;
        file::act(&mut event, Deed::SectionOpened { section: section.clone(), terms })?;
    }
    file::keep(&arguments.event, &event, before)?;
    let added = event.acts().len() - before;
    stdout::print_line(format_args!("{} acts added to {}", added, arguments.event.display()))
}

fn terms(arguments: &Open, rounds: u8) -> Result<SectionTerms> {
    let game = match (arguments.kind, arguments.rulebook.book().terms.game) {
        (Some(EntrantKind::Teams), _) | (None, Game::Bughouse) => SectionKind::Teams,
        (Some(EntrantKind::RotatingPartners), _) => SectionKind::RotatingPartners,
        (Some(EntrantKind::Players), _) | (None, Game::Chess) => SectionKind::Players,
    };
    let named = arguments.tie_breaks.iter().map(|name| tie_break(name));
    let named = named.collect::<Result<Vec<_>>>()?;
    let usual = SectionTerms::usual(game, arguments.rulebook, rounds);
    Ok(SectionTerms {
        td_calls: arguments.td_calls,
        games_per_round: arguments.games,
        scoring: if arguments.match_points { Scoring::MatchPoints } else { Scoring::GamePoints },
        tie_breaks: if named.is_empty() { usual.tie_breaks.clone() } else { named },
        ..usual
    })
}

fn tie_break(name: &str) -> Result<TieBreak> {
    serde_json::from_value(name.trim().into())
        .with_context(|| format!("{name:?} is no tie-break; write for example modified-median"))
}
