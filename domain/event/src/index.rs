//! The index of an event: who is called what and is where, so that no act compares itself with all before.

use std::collections::BTreeMap;

use rules::standings::EntrantNumber;

use crate::{Entry, PairingId, PersonName, PlayerId, TeamId, names::name_key};

/// Maps that follow from the event's acts alone. Names are keyed by [`name_key`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Index {
    players: BTreeMap<PersonName, Vec<PlayerId>>,
    teams: BTreeMap<String, TeamId>,
    sections: BTreeMap<String, String>,
    team_of: BTreeMap<PlayerId, TeamId>,
    places: BTreeMap<Entry, (String, EntrantNumber)>,
    rounds: BTreeMap<String, BTreeMap<u8, Vec<PairingId>>>,
}

impl Index {
    pub(crate) fn players_named(&self, name: &str) -> &[PlayerId] {
        self.players.get(&person_key(name)).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn team_named(&self, name: &str) -> Option<TeamId> {
        self.teams.get(&name_key(name)).copied()
    }

    pub(crate) fn section_named(&self, name: &str) -> Option<&str> {
        self.sections.get(&name_key(name)).map(String::as_str)
    }

    pub(crate) fn team_of(&self, player: PlayerId) -> Option<TeamId> {
        self.team_of.get(&player).copied()
    }

    /// The section and pairing number of an entry.
    pub(crate) fn place_of(&self, entry: Entry) -> Option<(&str, EntrantNumber)> {
        self.places.get(&entry).map(|(section, number)| (section.as_str(), *number))
    }

    /// The pairings of a round, the withdrawn ones too.
    pub(crate) fn round(&self, section: &str, round: u8) -> &[PairingId] {
        let rounds = self.rounds.get(section);
        rounds.and_then(|rounds| rounds.get(&round)).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn add_player(&mut self, player: PlayerId, name: &str) {
        self.players.entry(person_key(name)).or_default().push(player);
    }

    pub(crate) fn rename_player(&mut self, player: PlayerId, before: &str, after: &str) {
        if let Some(players) = self.players.get_mut(&person_key(before)) {
            players.retain(|&it| it != player);
        }
        self.add_player(player, after);
    }

    pub(crate) fn add_team(&mut self, team: TeamId, name: &str, members: [PlayerId; 2]) {
        self.teams.insert(name_key(name), team);
        self.team_of.extend(members.map(|member| (member, team)));
    }

    pub(crate) fn rename_team(&mut self, team: TeamId, before: &str, after: &str) {
        self.teams.remove(&name_key(before));
        self.teams.insert(name_key(after), team);
    }

    pub(crate) fn replace_member(&mut self, team: TeamId, leaves: PlayerId, joins: PlayerId) {
        self.team_of.remove(&leaves);
        self.team_of.insert(joins, team);
    }

    pub(crate) fn add_section(&mut self, name: &str) {
        self.sections.insert(name_key(name), name.to_owned());
    }

    pub(crate) fn add_entrant(&mut self, section: &str, number: EntrantNumber, entry: Entry) {
        self.places.insert(entry, (section.to_owned(), number));
    }

    pub(crate) fn rename_section(&mut self, before: &str, after: &str) {
        self.remove_section(before);
        self.add_section(after);
        for (section, _) in self.places.values_mut().filter(|(section, _)| section == before) {
            after.clone_into(section);
        }
        if let Some(rounds) = self.rounds.remove(before) {
            self.rounds.insert(after.to_owned(), rounds);
        }
    }

    pub(crate) fn remove_section(&mut self, name: &str) {
        self.sections.remove(&name_key(name));
    }

    pub(crate) fn remove_entrant(&mut self, entry: Entry) {
        self.places.remove(&entry);
    }

    pub(crate) fn remove_team(&mut self, name: &str, members: [PlayerId; 2]) {
        self.teams.remove(&name_key(name));
        self.team_of.retain(|player, _| !members.contains(player));
    }

    pub(crate) fn remove_player(&mut self, player: PlayerId, name: &str) {
        let key = person_key(name);
        if let Some(players) = self.players.get_mut(&key) {
            players.retain(|&it| it != player);
            if players.is_empty() {
                self.players.remove(&key);
            }
        }
    }

    pub(crate) fn add_pairing(&mut self, id: PairingId, section: &str, round: u8) {
        let rounds = self.rounds.entry(section.to_owned()).or_default();
        let ids = rounds.entry(round).or_default();
        // Ids are read back in their order, as the map of pairings has them.
        let at = ids.partition_point(|&known| known < id);
        ids.insert(at, id);
    }
}

/// The key of a person: `Aster, Ida` is `Ida Aster`.
fn person_key(name: &str) -> PersonName {
    let key = name_key(name);
    let halves = key.split_once(',').map(|(last, first)| (last.trim(), first.trim()));
    match halves {
        Some((last, first)) if !last.is_empty() && !first.is_empty() && !first.contains(',') => {
            PersonName::from(format!("{first} {last}").as_str())
        }
        _ => PersonName::from(key.as_str()),
    }
}
