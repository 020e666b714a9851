//! Names and members of known entrants: changed spellings in a newer file, and teams' players.

use rules::standings::EntrantNumber;

use super::{Problem, draft::Draft};
use crate::{
    Deed, Entry, PersonName, PlayerId, TeamId,
    names::{are_alike, same_name},
};

/// Maximum number of people of one name in an event.
const NAMESAKES_MAX: usize = 50;

impl Draft<'_> {
    /// Renames the entrant of a number if the file spells the name otherwise. False when the name is that of another
    /// number: then the file's numbers are others than the event's, which is noted.
    pub(super) fn put_name(
        &mut self,
        line: Option<u64>,
        column: &str,
        section: &str,
        number: EntrantNumber,
        name: &str,
    ) -> bool {
        let known = self.before().sections().get(section).and_then(|it| it.entrants.get(&number));
        let Some(entry) = known.map(|it| it.entry) else { return true };
        let before = self.entry_name(entry).to_owned();
        if before == name {
            return true;
        }
        let mut others = self.entrants_named(section, name);
        others.retain(|&other| other != number);
        if !same_name(&before, name)
            && let Some(other) = others.first()
        {
            let what = format!(
                "number {number} of {section} is {before:?} here and {name:?} in the file, where {name:?} is number {other} here"
            );
            let todo = "the numbers were assigned again: bring the file with the numbers of this event, or begin a new section";
            self.note(Problem::error(line, Some(column), what, todo));
            return false;
        }
        let what = format!("{section}, number {number}: {before} becomes {name}");
        if !same_name(&before, name) && !are_alike(&before, name) {
            let warned =
                format!("number {number} of {section} was {before:?} and is {name:?} in the file");
            let todo = "take it if only the name was wrong; if it is another person, withdraw the one and enter the other";
            self.note(Problem::error(line, Some(column), warned, todo).warning());
        }
        let note = Some(
            self.options().note.clone().unwrap_or_else(|| "as a newer file spells it".to_owned()),
        );
        let deed = match entry {
            Entry::Team(team) => Deed::TeamRenamed { team, name: name.to_owned(), note },
            Entry::Player(player) => {
                Deed::PlayerRenamed { player, name: PersonName::from(name), note }
            }
        };
        self.mend(line, what, deed);
        true
    }

    /// Puts the members of a team against the file's: a name that is alike was mended, another one is another person.
    pub(super) fn put_members(
        &mut self,
        line: Option<u64>,
        column: &str,
        team: TeamId,
        names: [&str; 2],
    ) {
        let Some(known) = self.event().teams().get(&team).cloned() else { return };
        let mut members: Vec<PlayerId> = known.members.to_vec();
        let mut open: Vec<&str> = Vec::new();
        for name in names {
            let at = members.iter().position(|&it| same_name(self.player_name(it), name));
            match at {
                Some(at) => {
                    let member = members.remove(at);
                    self.rename_member(line, &known.name, member, name);
                }
                None => open.push(name),
            }
        }
        // Similar names belong together; the rest in the order of the file.
        open.sort_by_key(|name| !members.iter().any(|&it| are_alike(self.player_name(it), name)));
        for name in open {
            let alike = members.iter().position(|&it| are_alike(self.player_name(it), name));
            if let Some(at) = alike {
                let member = members.remove(at);
                self.rename_member(line, &known.name, member, name);
            } else if !members.is_empty() {
                let leaves = members.remove(0);
                self.replace(line, column, team, leaves, name);
            }
        }
    }

    /// Whether none of the names is, or may be, that of a member.
    pub(super) fn are_strangers(&self, team: TeamId, names: [&str; 2]) -> bool {
        let members = self.event().teams().get(&team).map(|it| it.members);
        members
            .into_iter()
            .flatten()
            .all(|member| names.iter().all(|name| !are_alike(self.player_name(member), name)))
    }

    fn rename_member(&mut self, line: Option<u64>, team: &str, player: PlayerId, name: &str) {
        let before = self.player_name(player).to_owned();
        if before == name {
            return;
        }
        let what = format!("team {team}: {before} becomes {name}");
        let note = Some(
            self.options().note.clone().unwrap_or_else(|| "as a newer file spells it".to_owned()),
        );
        self.mend(line, what, Deed::PlayerRenamed { player, name: PersonName::from(name), note });
    }

    fn replace(
        &mut self,
        line: Option<u64>,
        column: &str,
        team: TeamId,
        leaves: PlayerId,
        name: &str,
    ) {
        let team_name = self.entry_name(Entry::Team(team)).to_owned();
        let what = format!("team {team_name}: {name} plays for {}", self.player_name(leaves));
        let place = self.event().index.place_of(Entry::Team(team)).map(|(at, _)| at.to_owned());
        let started = place
            .is_some_and(|at| self.event().sections().get(&at).is_some_and(|it| it.opened > 0));
        let note = self.options().note.clone();
        if started && note.is_none() {
            self.keeps(
                line,
                what,
                "the section has started: say why (--note WHY, or the field on the page), and the chief may take it",
            );
            return;
        }
        let free = self.players_named(name).into_iter().find(|&it| {
            self.event().team_of(it).is_none()
                && self.event().index.place_of(Entry::Player(it)).is_none()
        });
        let joins = match free {
            Some(player) => player,
            None => {
                let player = self.next_player();
                let deed = Deed::PlayerEntered { player, name: PersonName::from(name), club: None };
                if !self.act(line, Some(column), deed) {
                    return;
                }
                player
            }
        };
        self.mend(line, what, Deed::MemberReplaced { team, leaves, joins, note });
    }

    /// Names a number that the file gives otherwise: numbers stay.
    pub(super) fn keep_number(
        &mut self,
        line: Option<u64>,
        section: &str,
        name: &str,
        known: EntrantNumber,
        stated: Option<EntrantNumber>,
    ) {
        if let Some(stated) = stated.filter(|it| *it != known) {
            let what = format!("{section}: {name} has number {known}, in the file {stated}");
            self.keeps(line, what, "the number stays");
        }
    }

    /// Whether more people have a name than anybody could tell apart, with that noted.
    pub(super) fn has_too_many_namesakes(
        &mut self,
        line: Option<u64>,
        column: &str,
        name: &str,
    ) -> bool {
        let is_bounded = self.event().index.players_named(name).len() < NAMESAKES_MAX;
        if !is_bounded {
            let what = format!("{NAMESAKES_MAX} people are called {name:?} already");
            let todo = "is it the right column?";
            self.note(Problem::error(line, Some(column), what, todo));
        }
        !is_bounded
    }

    /// Stores a federation's data of a player. Data missing in the file stay; different ones are a change.
    pub(super) fn keep_listing(
        &mut self,
        line: Option<u64>,
        player: PlayerId,
        id: Option<&str>,
        rating: Option<u16>,
    ) {
        let Some(known) = self.event().players().get(&player) else { return };
        let (new_id, new_rating) =
            (id.map(ToOwned::to_owned).or_else(|| known.id.clone()), rating.or(known.rating));
        if (&new_id, new_rating) == (&known.id, known.rating) {
            return;
        }
        let is_new = !self.before().players().contains_key(&player)
            || (known.id.is_none() && known.rating.is_none());
        let shown = |id: &Option<String>, rating: Option<u16>| {
            let id = id.clone().unwrap_or_else(|| "no id".to_owned());
            let rating = rating.map_or_else(|| "unrated".to_owned(), |it| it.to_string());
            format!("{id}, {rating}")
        };
        let what = format!(
            "{}: {} becomes {}",
            known.name.reveal(),
            shown(&known.id, known.rating),
            shown(&new_id, new_rating)
        );
        let deed = Deed::PlayerListed { player, id: new_id, rating: new_rating };
        if is_new {
            self.act(line, None, deed);
        } else {
            self.mend(line, what, deed);
        }
    }

    pub(super) fn keep_club(&mut self, line: Option<u64>, player: PlayerId, club: Option<&str>) {
        let known = self.event().players().get(&player);
        let (Some(known), Some(club)) = (known, club) else { return };
        if known.club.as_deref().is_some_and(|it| same_name(it, club)) {
            return;
        }
        let before = known.club.clone().unwrap_or_else(|| "no club".to_owned());
        let what = format!("{}: {before}, in the file {club}", known.name.reveal());
        self.keeps(line, what, format!("{before} stays"));
    }
}
