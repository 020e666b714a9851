//! The trial copy of an event that a reader proposes deeds to.

use rules::{Game, standings::EntrantNumber};

use super::{Mapping, Options, PROBLEMS_MAX, Preview, Problem};
use crate::{
    Deed, Entry, Event, EventAct, PairingId, PlayerId, SectionKind, SectionTerms, TeamId,
    entering::same_name,
};

/// A trial copy, the acts it has taken, and the problems so far.
pub(super) struct Draft<'options> {
    event: Event,
    options: &'options Options,
    acts: Vec<EventAct>,
    problems: Vec<Problem>,
    encoding: Option<&'static str>,
    delimiter: Option<char>,
    header: Vec<String>,
    mapping: Option<Mapping>,
}

impl<'options> Draft<'options> {
    pub(super) fn new(event: &Event, options: &'options Options) -> Draft<'options> {
        Draft {
            event: event.clone(),
            options,
            acts: Vec::new(),
            problems: Vec::new(),
            encoding: None,
            delimiter: None,
            header: Vec::new(),
            mapping: None,
        }
    }

    pub(super) fn finish(mut self) -> Preview {
        self.problems.sort_by_key(|problem| problem.line);
        Preview {
            acts: self.acts,
            problems: self.problems,
            encoding: self.encoding,
            delimiter: self.delimiter,
            header: self.header,
            mapping: self.mapping,
        }
    }

    /// The event as the deeds so far have made it.
    pub(super) const fn event(&self) -> &Event {
        &self.event
    }

    pub(super) const fn options(&self) -> &'options Options {
        self.options
    }

    pub(super) fn found(&mut self, encoding: &'static str, delimiter: char) {
        self.encoding = Some(encoding);
        self.delimiter = Some(delimiter);
    }

    pub(super) fn decoded(&mut self, encoding: &'static str) {
        self.encoding = Some(encoding);
    }

    pub(super) fn mapped(&mut self, header: Vec<String>, mapping: Mapping) {
        self.header = header;
        self.mapping = Some(mapping);
    }

    pub(super) fn remembered_mapping(&self) -> Option<Mapping> {
        self.options.mapping.clone()
    }

    /// Notes a problem, up to [`PROBLEMS_MAX`] of them.
    pub(super) fn note(&mut self, problem: Problem) {
        if self.problems.len() + 1 < PROBLEMS_MAX {
            self.problems.push(problem);
        } else if self.problems.len() < PROBLEMS_MAX {
            let what = "there are more problems than are named here";
            self.problems.push(Problem::error(None, None, what, "put these right first"));
        }
    }

    /// Proposes a deed. False when the event refuses it, with that noted.
    pub(super) fn act(&mut self, line: Option<u64>, column: Option<&str>, deed: Deed) -> bool {
        let by = self.options.author.clone();
        let act = EventAct { number: self.event.next_number(), by, deed };
        match self.event.handle(act.clone()) {
            Ok(_) => {
                self.acts.push(act);
                true
            }
            Err(refusal) => {
                let rule = refusal.rule.map(|rule| format!(" ({rule})")).unwrap_or_default();
                let what = format!("{}: {}{rule}", refusal.place, refusal.what);
                self.note(Problem::error(line, column, what, refusal.todo));
                false
            }
        }
    }

    /// The section of a row: the named one, the one of the options, or the only one. None is noted.
    pub(super) fn section(
        &mut self,
        line: Option<u64>,
        column: &str,
        named: Option<&str>,
    ) -> Option<String> {
        let known = || self.event.sections().keys();
        let options = self.options;
        let only = known().next().filter(|_| known().count() == 1).map(String::as_str);
        let Some(name) = named.or(options.section.as_deref()).or(only) else {
            let what = "the row has no section";
            let todo = "fill in a column \"section\", or say which section the file is for";
            self.note(Problem::error(line, Some(column), what, todo));
            return None;
        };
        let found = known().find(|known| same_name(known, name)).cloned();
        if found.is_none() {
            let list: Vec<&str> = known().map(String::as_str).collect();
            let todo = if list.is_empty() {
                "open it first".to_owned()
            } else {
                format!("open it first, or name one of: {}", list.join(", "))
            };
            let what = format!("there is no section {name:?}");
            self.note(Problem::error(line, Some(column), what, todo));
        }
        found
    }

    /// Opens the section that a row of people names, if the event does not know it and the options say how it is
    /// played.
    pub(super) fn open_named(&mut self, line: u64, column: &str, name: &str, teams: bool) {
        let known = self.event.sections().keys().any(|known| same_name(known, name));
        let (Some(rulebook), Some(rounds), false) =
            (self.options.rulebook, self.options.rounds, known)
        else {
            return;
        };
        let game = match rulebook.book().terms.game {
            _ if teams => SectionKind::Teams,
            Game::Bughouse => SectionKind::RotatingPartners,
            Game::Chess => SectionKind::Players,
        };
        let terms = SectionTerms::usual(game, rulebook, rounds);
        self.act(Some(line), Some(column), Deed::SectionOpened { section: name.to_owned(), terms });
    }

    pub(super) fn next_player(&self) -> PlayerId {
        PlayerId(self.event.players().keys().next_back().map_or(1, |id| id.0.saturating_add(1)))
    }

    pub(super) fn next_team(&self) -> TeamId {
        TeamId(self.event.teams().keys().next_back().map_or(1, |id| id.0.saturating_add(1)))
    }

    pub(super) fn next_pairing(&self) -> PairingId {
        PairingId(self.event.pairings().keys().next_back().map_or(1, |id| id.0.saturating_add(1)))
    }

    /// The lowest pairing number above all that a section has.
    pub(super) fn next_number(&self, section: &str) -> EntrantNumber {
        let entrants = self.event.sections().get(section).map(|section| &section.entrants);
        let last = entrants.and_then(|entrants| entrants.keys().next_back());
        EntrantNumber(last.map_or(1, |number| number.0.saturating_add(1)))
    }

    /// The first round that an entrant who comes now can play.
    pub(super) fn entry_round(&self, section: &str) -> u8 {
        let section = self.event.sections().get(section);
        section.map_or(1, |it| (it.opened + 1).min(it.terms.rounds).max(1))
    }

    /// The players with a name.
    pub(super) fn players_named(&self, name: &str) -> Vec<PlayerId> {
        let named = |player: &crate::Player| same_name(player.name.reveal(), name);
        self.event.players().iter().filter(|(_, it)| named(it)).map(|(&id, _)| id).collect()
    }

    /// The name that an entry of a section goes by.
    pub(super) fn entry_name(&self, entry: Entry) -> &str {
        match entry {
            Entry::Team(team) => self.event.teams().get(&team).map_or("", |it| it.name.as_str()),
            Entry::Player(id) => self.event.players().get(&id).map_or("", |it| it.name.reveal()),
        }
    }
}
