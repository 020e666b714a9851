//! The trial copy of an event that a reader proposes deeds to.

use rules::{Game, standings::EntrantNumber};

use super::{
    Difference, Field, Mapping, Options, PROBLEMS_MAX, Preview, Problem, Severity, outlook::Outlook,
};
use crate::{
    Deed, Entry, Event, EventAct, PairingId, PlayerId, Refusal, SectionKind, SectionTerms, TeamId,
    names::name_key,
};

/// A trial copy, the acts it has taken, and the problems so far.
pub(super) struct Draft<'file> {
    before: &'file Event,
    event: Event,
    options: &'file Options,
    acts: Vec<EventAct>,
    problems: Vec<Problem>,
    differences: Vec<Difference>,
    encoding: Option<&'static str>,
    delimiter: Option<char>,
    header: Vec<String>,
    mapping: Option<Mapping>,
}

impl<'file> Draft<'file> {
    pub(super) fn new(event: &'file Event, options: &'file Options) -> Draft<'file> {
        Draft {
            before: event,
            event: event.clone(),
            options,
            acts: Vec::new(),
            problems: Vec::new(),
            differences: Vec::new(),
            encoding: None,
            delimiter: None,
            header: Vec::new(),
            mapping: None,
        }
    }

    pub(super) fn finish(mut self) -> Preview {
        let mut outlook = Outlook::default();
        if !self.acts.is_empty() {
            let (found, warnings) = Outlook::between(self.before, &self.event, &self.acts);
            outlook = found;
            // Content that a wrong line leaves out would be missed for a second time.
            if !self.has_errors() {
                self.note_all(warnings);
            }
        }
        self.problems.sort_by_key(|problem| problem.line);
        self.differences.sort_by_key(|difference| difference.line);
        Preview {
            acts: self.acts,
            problems: self.problems,
            differences: self.differences,
            outlook,
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

    /// The event as it was before the file.
    pub(super) const fn before(&self) -> &'file Event {
        self.before
    }

    pub(super) const fn options(&self) -> &'file Options {
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

    /// Values of the options for every row.
    pub(super) fn constants(&self) -> Vec<(Field, String)> {
        self.options.round.map(|round| (Field::Round, round.to_string())).into_iter().collect()
    }

    /// Notes a problem, up to [`PROBLEMS_MAX`] of them. An error goes before a warning that has no place left.
    pub(super) fn note(&mut self, problem: Problem) {
        if self.problems.len() + 1 < PROBLEMS_MAX {
            self.problems.push(problem);
        } else {
            let is_error = problem.severity == Severity::Error;
            if self.problems.len() < PROBLEMS_MAX {
                let what = "there are more problems than are named here";
                let more = Problem::error(None, None, what, "put these right first");
                self.problems.push(if is_error { more } else { more.warning() });
            } else if is_error && let Some(last) = self.problems.last_mut() {
                last.severity = Severity::Error;
            }
        }
    }

    pub(super) fn note_all(&mut self, problems: impl IntoIterator<Item = Problem>) {
        problems.into_iter().for_each(|problem| self.note(problem));
    }

    /// Whether an error was noted.
    pub(super) fn has_errors(&self) -> bool {
        self.problems.iter().any(|problem| problem.severity == Severity::Error)
    }

    /// Notes a change of the file to the event.
    pub(super) fn changes(&mut self, line: Option<u64>, what: String) {
        self.differ(Difference { line, what, is_taken: true, todo: None });
    }

    /// Notes what the file would change and the event keeps.
    pub(super) fn keeps(&mut self, line: Option<u64>, what: String, todo: impl Into<String>) {
        self.differ(Difference { line, what, is_taken: false, todo: Some(todo.into()) });
    }

    fn differ(&mut self, difference: Difference) {
        if self.differences.len() < super::DIFFERENCES_MAX {
            self.differences.push(difference);
        } else if self.differences.len() == super::DIFFERENCES_MAX {
            let what = "there are more changes than are named here".to_owned();
            self.differences.push(Difference { line: None, what, is_taken: true, todo: None });
        }
    }

    /// Proposes a deed. False when the event refuses it, with that noted.
    pub(super) fn act(&mut self, line: Option<u64>, column: Option<&str>, deed: Deed) -> bool {
        match self.propose(deed) {
            Ok(()) => true,
            Err(refusal) => {
                let rule = refusal.rule.map(|rule| format!(" ({rule})")).unwrap_or_default();
                let what = format!("{}: {}{rule}", refusal.place, refusal.what);
                self.note(Problem::error(line, column, what, refusal.todo));
                false
            }
        }
    }

    /// Proposes a deed that puts right what the event knew: a refusal is a difference that is kept, and no error.
    pub(super) fn mend(&mut self, line: Option<u64>, what: String, deed: Deed) -> bool {
        match self.propose(deed) {
            Ok(()) => {
                self.changes(line, what);
                true
            }
            Err(refusal) => {
                let todo = format!("not taken: {}; {}", refusal.what, refusal.todo);
                self.keeps(line, what, todo);
                false
            }
        }
    }

    fn propose(&mut self, deed: Deed) -> Result<(), Refusal> {
        let by = self.options.author.clone();
        let act = EventAct { number: self.event.next_number(), by, deed };
        self.event.handle(act.clone())?;
        self.acts.push(act);
        Ok(())
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
        let found = self.event.index.section_named(name).map(ToOwned::to_owned);
        if found.is_none() {
            let list: Vec<&str> = known().map(String::as_str).collect();
            let todo = if list.is_empty() {
                "open it first, or say which rulebook it is played by (--rulebook ID)".to_owned()
            } else {
                format!("open it first, or name one of: {}", list.join(", "))
            };
            let what = format!("there is no section {name:?}");
            self.note(Problem::error(line, Some(column), what, todo));
        }
        found
    }

    /// The section that a title means: that of the event which the whole text names, or else the part that names it.
    pub(super) fn section_of_title(&self, text: &str, part: String) -> String {
        let known =
            [text.trim(), &part].into_iter().find_map(|it| self.event.index.section_named(it));
        known.map(ToOwned::to_owned).unwrap_or(part)
    }

    pub(super) fn knows_section(&self, name: &str) -> bool {
        self.event.index.section_named(name).is_some()
    }

    /// Opens the section that a row of people names, if the event does not know it and the options say how it is
    /// played.
    pub(super) fn open_named(&mut self, line: u64, column: &str, name: &str, teams: bool) {
        let known = self.event.index.section_named(name).is_some();
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
        let letters = |name: &str| -> String {
            name_key(name).chars().filter(|it| it.is_alphanumeric()).collect()
        };
        let alike = self.event.sections().keys().find(|it| letters(it) == letters(name)).cloned();
        if let Some(alike) = alike {
            let what = format!("{name:?} is another section than {alike:?}");
            let todo = "if they are one, write its name in one way";
            self.note(Problem::error(Some(line), Some(column), what, todo).warning());
        }
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
        self.event.index.players_named(name).to_vec()
    }

    /// The entrants of a section with a name.
    pub(super) fn entrants_named(&self, section: &str, name: &str) -> Vec<EntrantNumber> {
        let players = self.event.index.players_named(name).iter().map(|&id| Entry::Player(id));
        let team = self.event.index.team_named(name).map(Entry::Team);
        let places = players.chain(team).filter_map(|entry| self.event.index.place_of(entry));
        places.filter(|(at, _)| *at == section).map(|(_, number)| number).collect()
    }

    /// The name of a player.
    pub(super) fn player_name(&self, player: PlayerId) -> &str {
        self.event.players().get(&player).map_or("", |it| it.name.reveal())
    }

    /// The name that an entry of a section goes by.
    pub(super) fn entry_name(&self, entry: Entry) -> &str {
        match entry {
            Entry::Team(team) => self.event.teams().get(&team).map_or("", |it| it.name.as_str()),
            Entry::Player(id) => self.player_name(id),
        }
    }

    /// The names of a side, with the pairing numbers before them.
    pub(super) fn side_name(&self, section: &str, side: &[EntrantNumber]) -> String {
        let entrants = self.event.sections().get(section).map(|it| &it.entrants);
        let name = |number: &EntrantNumber| {
            let entry = entrants.and_then(|it| it.get(number)).map(|it| it.entry);
            format!("{number} {}", entry.map(|it| self.entry_name(it)).unwrap_or_default())
        };
        side.iter().map(name).collect::<Vec<_>>().join(" / ")
    }
}
