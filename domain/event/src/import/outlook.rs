//! The event after an import: sections, people, tables, pairings, and the points that an organiser should look
//! at in the rounds that the file touches.

use std::collections::{BTreeMap, BTreeSet};

use rules::standings::EntrantNumber;
use serde::Serialize;

use super::{Problem, newest::bye_words, outcome_text::outcomes_to_text};
use crate::{Deed, Entry, Event, EventAct, Pairing, PairingId, RoundFinding, Section, SectionKind};

/// Maximum number of lines of a part; the rest is counted.
pub(super) const PART_LINES_MAX: usize = 1_000;

/// Maximum number of warnings of one kind in a round.
const NAMED_MAX: usize = 12;

/// Subject of a part of the outlook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartKind {
    /// The tables of the hall.
    Tables,
    /// A section with those who enter it.
    Section,
    /// A round of a section with its pairings and byes.
    Round,
}

/// A part of the outlook: a title and lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Subject.
    pub kind: PartKind,
    /// Its title.
    pub title: String,
    /// Whether the event does not have it yet.
    pub is_new: bool,
    /// A line for each entrant or pairing, up to [`PART_LINES_MAX`].
    pub lines: Vec<String>,
    /// Number of lines left off.
    pub left_off: usize,
}

/// The event after the import, as far as the file touches it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Outlook {
    /// The parts: tables, sections, rounds.
    pub parts: Vec<Part>,
}

impl Outlook {
    /// The lines for a terminal.
    pub fn lines(&self) -> impl Iterator<Item = String> + '_ {
        self.parts.iter().flat_map(|part| {
            let new = if part.is_new { " (new)" } else { "" };
            let head = std::iter::once(format!("{}{new}:", part.title));
            let more = (part.left_off > 0).then(|| format!("  and {} more", part.left_off));
            head.chain(part.lines.iter().map(|line| format!("  {line}"))).chain(more)
        })
    }

    /// The outlook between two states of an event and the acts from one to the other, and warnings about the rounds
    /// that they touch.
    pub(super) fn between(
        before: &Event,
        after: &Event,
        acts: &[EventAct],
    ) -> (Outlook, Vec<Problem>) {
        let touched = Touched::by(acts, after);
        let mut parts = Vec::new();
        if touched.tables {
            parts.push(part(
                PartKind::Tables,
                "Tables".to_owned(),
                before.tables().is_empty(),
                [after.tables().join(", ")],
            ));
        }
        for (name, numbers) in &touched.sections {
            let Some(section) = after.sections().get(name) else { continue };
            let is_new = !before.sections().contains_key(name);
            let title = section_title(name, section, numbers.len());
            let lines = numbers.iter().map(|&number| entrant_line(after, section, number));
            parts.push(part(PartKind::Section, title, is_new, lines));
        }
        let mut warnings = Vec::new();
        for (section, round) in &touched.rounds {
            let was_open = before.sections().get(section).is_some_and(|it| it.opened >= *round);
            let title = format!("{section}, round {round}");
            parts.push(part(
                PartKind::Round,
                title,
                !was_open,
                round_lines(after, section, *round),
            ));
            let paired = touched.paired.contains(&(section.clone(), *round));
            if paired {
                warnings.extend(warnings_of(before, after, section, *round));
            }
        }
        (Outlook { parts }, warnings)
    }
}

fn part(
    kind: PartKind,
    title: String,
    is_new: bool,
    lines: impl IntoIterator<Item = String>,
) -> Part {
    let mut lines: Vec<String> = lines.into_iter().collect();
    let left_off = lines.len().saturating_sub(PART_LINES_MAX);
    lines.truncate(PART_LINES_MAX);
    Part { kind, title, is_new, lines, left_off }
}

/// Entries that acts touch.
#[derive(Default)]
struct Touched {
    tables: bool,
    sections: BTreeMap<String, BTreeSet<EntrantNumber>>,
    rounds: BTreeSet<(String, u8)>,
    /// Rounds in which pairings or byes change, and not only results.
    paired: BTreeSet<(String, u8)>,
}

impl Touched {
    fn by(acts: &[EventAct], after: &Event) -> Touched {
        let mut touched = Touched::default();
        for act in acts {
            match &act.deed {
                Deed::TablesListed { .. } => touched.tables = true,
                Deed::SectionOpened { section, .. } | Deed::SectionChanged { section, .. } => {
                    touched.sections.entry(section.clone()).or_default();
                }
                Deed::EntrantAdded { section, number, .. }
                | Deed::EntrantWithdrawn { section, number, .. }
                | Deed::EntrantReturned { section, number } => {
                    touched.sections.entry(section.clone()).or_default().insert(*number);
                }
                Deed::PlayerRenamed { player, .. } => touched.entry(after, Entry::Player(*player)),
                Deed::TeamRenamed { team, .. } | Deed::MemberReplaced { team, .. } => {
                    touched.entry(after, Entry::Team(*team));
                }
                Deed::RoundOpened { section, round } => {
                    touched.rounds.insert((section.clone(), *round));
                }
                Deed::ByeGiven { section, round, .. }
                | Deed::ByeTakenBack { section, round, .. } => {
                    touched.round(section, *round);
                }
                Deed::PairingMade { section, round, .. } => touched.round(section, *round),
                Deed::PairingChanged { pairing, .. } | Deed::PairingWithdrawn { pairing, .. } => {
                    if let Some(pairing) = after.pairings().get(pairing) {
                        touched.round(&pairing.section, pairing.round);
                    }
                }
                Deed::SeatsChosen { pairing, .. }
                | Deed::ResultEntered { pairing, .. }
                | Deed::ResultConfirmed { pairing }
                | Deed::ResultSuperseded { pairing, .. } => touched.result(after, *pairing),
                _ => {}
            }
        }
        touched
    }

    fn entry(&mut self, after: &Event, entry: Entry) {
        let entry = match entry {
            Entry::Player(player) => after.team_of(player).map_or(entry, Entry::Team),
            Entry::Team(_) => entry,
        };
        if let Some((section, number)) = after.index.place_of(entry) {
            self.sections.entry(section.to_owned()).or_default().insert(number);
        }
    }

    fn round(&mut self, section: &str, round: u8) {
        self.rounds.insert((section.to_owned(), round));
        self.paired.insert((section.to_owned(), round));
    }

    fn result(&mut self, after: &Event, pairing: PairingId) {
        if let Some(pairing) = after.pairings().get(&pairing) {
            self.rounds.insert((pairing.section.clone(), pairing.round));
        }
    }
}

fn section_title(name: &str, section: &Section, count: usize) -> String {
    let terms = &section.terms;
    let (one, several) = match terms.game {
        SectionKind::Teams => ("team", "teams"),
        SectionKind::RotatingPartners | SectionKind::Players => ("player", "players"),
    };
    let entrants = if count == 1 { one } else { several };
    let book = terms.rulebook.book().title;
    let rounds =
        if terms.rounds == 1 { "1 round".to_owned() } else { format!("{} rounds", terms.rounds) };
    format!(
        "Section {name}, {book}, {rounds}: {count} {entrants} here, {} in all",
        section.entrants.len()
    )
}

fn entrant_line(event: &Event, section: &Section, number: EntrantNumber) -> String {
    let Some(entrant) = section.entrants.get(&number) else { return number.to_string() };
    let person = |id| {
        let player = event.players().get(&id);
        let club = player.and_then(|it| it.club.as_ref()).map(|club| format!(" ({club})"));
        format!("{}{}", player.map_or("", |it| it.name.reveal()), club.unwrap_or_default())
    };
    let gone = entrant.withdrawn_from.map(|round| format!(", left before round {round}"));
    let name = match entrant.entry {
        Entry::Player(player) => person(player),
        Entry::Team(team) => match event.teams().get(&team) {
            Some(team) => format!("{}: {}", team.name, team.members.map(person).join(", ")),
            None => String::new(),
        },
    };
    format!("{number} {name}{}", gone.unwrap_or_default())
}

fn side(event: &Event, section: &Section, numbers: &[EntrantNumber]) -> String {
    let name = |number: &EntrantNumber| {
        let entry = section.entrants.get(number).map(|it| it.entry);
        let name = match entry {
            Some(Entry::Player(player)) => event.players().get(&player).map(|it| it.name.reveal()),
            Some(Entry::Team(team)) => event.teams().get(&team).map(|it| it.name.as_str()),
            None => None,
        };
        format!("{number} {}", name.unwrap_or_default())
    };
    numbers.iter().map(name).collect::<Vec<_>>().join(" / ")
}

fn round_lines(event: &Event, name: &str, round: u8) -> Vec<String> {
    let Some(section) = event.sections().get(name) else { return Vec::new() };
    let mut pairings: Vec<&Pairing> = event.round(name, round).map(|(_, it)| it).collect();
    pairings.sort_by_cached_key(|it| (it.table.parse().unwrap_or(u32::MAX), it.table.clone()));
    let pairing = |it: &Pairing| {
        let [one, other] = [0, 1].map(|at| side(event, section, &it.sides[at]));
        let result = match it.outcomes.is_empty() {
            true => String::new(),
            false => format!(", {}", outcomes_to_text(&it.outcomes)),
        };
        format!("Table {}: {one} – {other}{result}", it.table)
    };
    let byes = section.byes.iter().filter(|((_, at), _)| *at == round);
    let bye =
        |(&(number, _), &bye)| format!("{}: {}", side(event, section, &[number]), bye_words(bye));
    pairings.into_iter().map(pairing).chain(byes.map(bye)).collect()
}

/// Warnings for a round whose pairings the file makes.
fn warnings_of(before: &Event, event: &Event, name: &str, round: u8) -> Vec<Problem> {
    let Some(section) = event.sections().get(name) else { return Vec::new() };
    let (mut unpaired, mut again) = (Vec::new(), Vec::new());
    let mut shared: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for finding in event.round_findings(name, round) {
        let pairing = |id| event.pairings().get(&id);
        match finding {
            RoundFinding::Unpaired { number } => unpaired.push(side(event, section, &[number])),
            RoundFinding::Rematch { pairing: id, met } if !before.pairings().contains_key(&id) => {
                again.extend(pairing(id).map(|it| {
                    let [one, other] = [0, 1].map(|at| side(event, section, &it.sides[at]));
                    format!("{one} – {other} (round {met})")
                }));
            }
            RoundFinding::SharedTable { pairing: id, section: other } => {
                let table = pairing(id).map(|it| it.table.clone());
                shared.entry(other).or_default().extend(table);
            }
            RoundFinding::Rematch { .. } | RoundFinding::Colour { .. } => {}
        }
    }
    let mut warnings = Vec::new();
    let mut warn = |what: String, all: &[String], todo: &str| {
        if !all.is_empty() {
            let what = format!("{what} {}", listed(all));
            warnings.push(Problem::error(None, None, what, todo).warning());
        }
    };
    let what = format!("{name}, round {round}: in no pairing and without a bye:");
    warn(what, &unpaired, "pair them, give them a bye, or withdraw them");
    let what = format!("{name}, round {round}: met before:");
    warn(what, &again, "pair other entrants, unless this is intended");
    for (other, tables) in shared {
        let what = format!("{name} and {other} both have in round {round}: table");
        let todo = "choose other tables unless they play one after the other (--first-table N for a report)";
        warn(what, &tables, todo);
    }
    warnings
}

fn listed(all: &[String]) -> String {
    let named = all.iter().take(NAMED_MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
    match all.len().saturating_sub(NAMED_MAX) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}
