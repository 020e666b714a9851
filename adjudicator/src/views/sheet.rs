//! Sections, rounds, pairings and standings as pages read them.

use event::{
    Consent, Entry, Event, Names, Pairing, PairingId, ResultSource, RoundFinding, SectionKind,
    SectionTerms,
};
use rules::standings::{ByeKind, Chart, EntrantNumber, Explanation, Standings};
use serde::Serialize;

use crate::{hall::Hall, views::read_view::Sight};

/// The event.
#[derive(Clone, Debug, Serialize)]
pub struct EventSheet {
    /// Its name.
    pub name: String,
    /// The hall's tables.
    pub tables: Vec<String>,
    /// Tables whose link is out, for directors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub linked_tables: Vec<String>,
    /// Tables that hubs told of and nobody listed.
    pub heard: Vec<String>,
    /// Its sections.
    pub sections: Vec<SectionSheet>,
}

/// Whether people are named to a reader: of a section, and of those who play at a table of it.
pub(crate) type NamesOf<'a> = &'a dyn Fn(&str, Option<&str>) -> Names;

/// A section.
#[derive(Clone, Debug, Serialize)]
pub struct SectionSheet {
    /// Its name.
    pub section: String,
    /// The pairings.
    pub game: SectionKind,
    /// Id of its rulebook.
    pub rulebook: &'static str,
    /// Rounds that are planned.
    pub rounds: u8,
    /// The last round that was opened.
    pub opened: u8,
    /// Games of a pairing.
    pub games_per_round: u8,
    /// Announcements of it, in the form of a deed.
    pub terms: SectionTerms,
    /// The entrants.
    pub entrants: Vec<EntrantSheet>,
    /// The pairings, by round and table.
    pub pairings: Vec<PairingSheet>,
    /// Entrants who do not play a round.
    pub byes: Vec<ByeSheet>,
    /// Checks of the round that was opened last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<RoundFinding>,
}

/// Someone with a pairing number.
#[derive(Clone, Debug, Serialize)]
pub struct EntrantSheet {
    /// The number.
    pub number: EntrantNumber,
    /// A team's name, or a player's where persons may be named.
    pub name: String,
    /// The team's id, where teams play.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<u32>,
    /// The players, where persons may be named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub players: Vec<PlayerSheet>,
    /// The first round without them.
    pub withdrawn_from: Option<u8>,
}

/// A player.
#[derive(Clone, Debug, Serialize)]
pub struct PlayerSheet {
    /// The player's id.
    pub player: u32,
    /// The name.
    pub name: String,
    /// The child's public name by the family's consent, for directors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consent: Option<Consent>,
    /// Whether a family's link is out, for directors.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_followed: bool,
}

/// A pairing.
#[derive(Clone, Debug, Serialize)]
pub struct PairingSheet {
    /// Its id.
    pub pairing: PairingId,
    /// The round.
    pub round: u8,
    /// The table.
    pub table: String,
    /// The board number of the pairing programme.
    pub board: Option<u32>,
    /// The numbers of each side.
    pub sides: [Vec<EntrantNumber>; 2],
    /// Names of the sides.
    pub names: [String; 2],
    /// Seats, White and Black at A and at B, once they were chosen; ids are no names.
    pub seats: Vec<u32>,
    /// Whether the seats are those of the list of pairings, unchanged by a director.
    pub seats_as_paired: bool,
    /// Whether its match runs.
    pub running: bool,
    /// Score of its games, from the first side's view, such as `1-0`.
    pub result: Option<String>,
    /// Whether a director has confirmed that.
    pub confirmed: bool,
    /// Whether it comes from paper, a file or its sides, not from a match.
    pub on_paper: bool,
    /// Its matches.
    pub matches: Vec<String>,
}

/// A round that an entrant does not play.
#[derive(Clone, Debug, Serialize)]
pub struct ByeSheet {
    /// The entrant.
    pub number: EntrantNumber,
    /// The round.
    pub round: u8,
    /// Points that it gives.
    pub bye: ByeKind,
}

/// The standings of a section, and how each number came about.
#[derive(Clone, Debug, Serialize)]
pub struct StandingsSheet {
    /// The section.
    pub section: String,
    /// The standings.
    pub standings: Standings,
    /// The clubs, where players have some.
    pub clubs: Option<rules::standings::ClubStandings>,
    /// Cross table, in the order of the standings.
    pub crosstable: Chart,
    /// Cross table, in the order of the pairing numbers.
    pub wall_chart: Chart,
    /// For each row of the standings, how each tie-break came about.
    pub explanations: Vec<Vec<Option<Explanation>>>,
}

impl EventSheet {
    /// Present state of the event, with persons named or not.
    #[must_use]
    pub fn of(hall: &Hall, names: NamesOf<'_>) -> EventSheet {
        let mut sheet = EventSheet::with(hall, |_| Some(hall), names);
        let linked = sheet.tables.iter().filter(|table| hall.event().has_table_link(table));
        sheet.linked_tables = linked.cloned().collect();
        for section in &mut sheet.sections {
            section.findings = hall.event().round_findings(&section.section, section.opened);
        }
        sheet
    }

    /// The event as an audience sees it: each section as it stood that section's delay ago.
    #[must_use]
    pub fn seen(sight: &Sight) -> Option<EventSheet> {
        let hall = sight.latest()?;
        let names = hall.disclosure().names();
        Some(EventSheet::with(hall, |section| sight.of_section(section), &|_, _| names))
    }

    fn with<'a>(
        hall: &Hall,
        of_section: impl Fn(&str) -> Option<&'a Hall>,
        names: NamesOf<'_>,
    ) -> EventSheet {
        let event = hall.event();
        EventSheet {
            name: event.name().to_owned(),
            tables: event.tables().to_vec(),
            linked_tables: Vec::new(),
            heard: heard(hall),
            sections: event
                .sections()
                .keys()
                .filter_map(|section| SectionSheet::of(of_section(section)?, section, names))
                .collect(),
        }
    }
}

fn heard(hall: &Hall) -> Vec<String> {
    let names = hall.tables().iter().map(|table| &table.name);
    names.filter(|name| !hall.event().tables().contains(name)).cloned().collect()
}

impl SectionSheet {
    fn of(hall: &Hall, name: &str, names_of: NamesOf<'_>) -> Option<SectionSheet> {
        let (event, names) = (hall.event(), names_of(name, None));
        let section = event.section(name).ok()?;
        let entrants = section.entrants.iter().map(|(&number, entrant)| EntrantSheet {
            number,
            name: event.entrant_name(name, number, names),
            team: match entrant.entry {
                Entry::Team(team) => Some(team.0),
                Entry::Player(_) => None,
            },
            players: players(event, entrant.entry, names),
            withdrawn_from: entrant.withdrawn_from,
        });
        let mut pairings: Vec<PairingSheet> = event
            .pairings()
            .iter()
            .filter(|(_, pairing)| pairing.section == name && pairing.withdrawn.is_none())
            .map(|(&id, pairing)| {
                let names = names_of(name, Some(&pairing.table));
                PairingSheet::of(hall, id, pairing, names)
            })
            .collect();
        pairings
            .sort_by_key(|it| (it.round, it.table.parse().unwrap_or(u32::MAX), it.table.clone()));
        let byes =
            section.byes.iter().map(|(&(number, round), &bye)| ByeSheet { number, round, bye });
        Some(SectionSheet {
            section: name.to_owned(),
            game: section.terms.game,
            rulebook: section.terms.rulebook.name(),
            rounds: section.terms.rounds,
            opened: section.opened,
            games_per_round: section.terms.games_per_round,
            terms: section.terms.clone(),
            entrants: entrants.collect(),
            pairings,
            byes: byes.collect(),
            findings: Vec::new(),
        })
    }
}

fn players(event: &Event, entry: Entry, names: Names) -> Vec<PlayerSheet> {
    let ids = match entry {
        Entry::Player(player) => vec![player],
        Entry::Team(team) => {
            event.teams().get(&team).map(|it| it.members.to_vec()).unwrap_or_default()
        }
    };
    let sheet = |id: event::PlayerId| {
        let for_directors = names == Names::Shown;
        Some(PlayerSheet {
            player: id.0,
            name: event.person_name(id, names)?,
            consent: event.consent(id).filter(|_| for_directors),
            is_followed: for_directors && event.has_link(id),
        })
    };
    ids.into_iter().filter_map(sheet).collect()
}

impl PairingSheet {
    fn of(hall: &Hall, id: PairingId, pairing: &Pairing, names: Names) -> PairingSheet {
        let event = hall.event();
        let games: Vec<_> = hall.games_of_pairing(id).collect();
        PairingSheet {
            pairing: id,
            round: pairing.round,
            table: pairing.table.clone(),
            board: pairing.board,
            sides: pairing.sides.clone(),
            names: hall.sides_of(id, names),
            seats: event.seats(id).iter().map(|player| player.0).collect(),
            seats_as_paired: pairing.seats.is_empty(),
            running: pairing.running,
            result: (!pairing.outcomes.is_empty())
                .then(|| event::import::outcomes_to_text(&pairing.outcomes)),
            confirmed: pairing.confirmed,
            on_paper: matches!(
                pairing.result_source(),
                Some(ResultSource::Paper | ResultSource::Sides)
            ),
            matches: games.into_iter().map(|game| game.id.clone()).collect(),
        }
    }
}

impl StandingsSheet {
    /// The standings of a section after a round, or after the last one with a pairing or result.
    ///
    /// # Errors
    ///
    /// There is no such section or round: in words.
    pub fn of(
        event: &Event,
        section: &str,
        after: Option<u8>,
        names: Names,
    ) -> Result<StandingsSheet, String> {
        let words = |refusal: event::Refusal| refusal.to_string();
        let standings = event.standings(section, after, names).map_err(words)?;
        let clubs = event.club_standings(section, after).map_err(words)?;
        let results = event.results(section, names).map_err(words)?;
        let explanations = standings.rows.iter().map(|row| {
            let order = standings.order.iter();
            order.map(|&by| results.explain(row.number, by, standings.after_round)).collect()
        });
        Ok(StandingsSheet {
            section: section.to_owned(),
            crosstable: results.crosstable(&standings),
            wall_chart: results.wall_chart(standings.after_round),
            explanations: explanations.collect(),
            clubs,
            standings,
        })
    }
}
