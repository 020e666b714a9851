//! Deeds about people before play: tables, players and teams.

use std::collections::BTreeSet;

use rules::rulebook::Topic;

use crate::{
    Author, Change, Entry, Event, Pairing, PersonName, Player, PlayerId, Refusal,
    RefusalKind::{Contradicts, OutOfBounds, Running, Taken, TooLate, Unknown},
    Role, Team, TeamId,
    event::{Handled, check_text},
    limits::{PLAYERS_MAX, TABLES_MAX, TEAMS_MAX},
};

impl Event {
    pub(crate) fn list_tables(&mut self, tables: &[String]) -> Handled {
        let place = "tables";
        if tables.len() > TABLES_MAX {
            let what = format!("{} tables are more than {TABLES_MAX}", tables.len());
            return Err(Refusal::new(OutOfBounds, place, what, "list fewer"));
        }
        let mut known = BTreeSet::new();
        for table in tables {
            check_text(place, table)?;
            if !known.insert(table) {
                let what = format!("table {table} is listed twice");
                return Err(Refusal::new(Taken, place, what, "list it once"));
            }
        }
        let open = |pairing: &&Pairing| pairing.withdrawn.is_none() && pairing.outcomes.is_empty();
        if let Some(pairing) =
            self.pairings.values().filter(open).find(|pairing| !known.contains(&pairing.table))
        {
            let what = format!("table {} is not in the new list", pairing.table);
            let todo = "keep it until the pairing is played, or change the pairing";
            return Err(Refusal::new(Contradicts, pairing.place(), what, todo));
        }
        self.tables = tables.to_vec();
        Ok(vec![Change::Tables])
    }

    pub(crate) fn enter_player(
        &mut self,
        player: PlayerId,
        name: &PersonName,
        club: Option<&str>,
    ) -> Handled {
        check_text(&player.to_string(), name.reveal())?;
        if let Some(club) = club {
            check_text(&player.to_string(), club)?;
        }
        if self.players.contains_key(&player) {
            let todo = "give the new player another id";
            return Err(Refusal::new(Taken, player, "another entry has this id", todo));
        }
        if self.players.len() >= PLAYERS_MAX {
            let what = format!("an event has at most {PLAYERS_MAX} players");
            return Err(Refusal::new(OutOfBounds, player, what, "make a second event"));
        }
        let club = club.map(ToOwned::to_owned);
        self.players.insert(player, Player { name: name.clone(), club, id: None, rating: None });
        self.index.add_player(player, name.reveal());
        Ok(vec![Change::People])
    }

    pub(crate) fn list_player(
        &mut self,
        player: PlayerId,
        id: Option<&str>,
        rating: Option<u16>,
    ) -> Handled {
        if let Some(id) = id {
            check_text(&player.to_string(), id)?;
        }
        self.player(player)?;
        if let Some(known) = self.players.get_mut(&player) {
            known.id = id.map(ToOwned::to_owned);
            known.rating = rating;
        }
        Ok(vec![Change::People])
    }

    pub(crate) fn rename_player(
        &mut self,
        by: &Author,
        player: PlayerId,
        name: &PersonName,
        note: Option<&str>,
    ) -> Handled {
        check_text(&player.to_string(), name.reveal())?;
        self.player(player)?;
        if let Some(team) = self.team_of(player) {
            self.check_team_may_change(by, team, note)?;
        }
        if let Some(known) = self.players.get_mut(&player) {
            self.index.rename_player(player, known.name.reveal(), name.reveal());
            known.name = name.clone();
        }
        Ok(vec![Change::People])
    }

    pub(crate) fn make_team(
        &mut self,
        team: TeamId,
        name: &str,
        members: [PlayerId; 2],
    ) -> Handled {
        check_text(&team.to_string(), name)?;
        if self.teams.contains_key(&team) {
            return Err(Refusal::new(
                Taken,
                team,
                "another entry has this id",
                "give the new team another id",
            ));
        }
        if self.teams.len() >= TEAMS_MAX {
            let what = format!("an event has at most {TEAMS_MAX} teams");
            return Err(Refusal::new(OutOfBounds, team, what, "make a second event"));
        }
        self.check_team_name(team, name)?;
        if members[0] == members[1] {
            let what = format!("{} is both members", members[0]);
            return Err(Refusal::new(Contradicts, team, what, "name two players"));
        }
        for member in members {
            self.check_free_for_a_team(team, member)?;
        }
        self.teams.insert(team, Team { name: name.to_owned(), members });
        self.index.add_team(team, name, members);
        Ok(vec![Change::People])
    }

    pub(crate) fn rename_team(
        &mut self,
        by: &Author,
        team: TeamId,
        name: &str,
        note: Option<&str>,
    ) -> Handled {
        check_text(&team.to_string(), name)?;
        self.team(team)?;
        self.check_team_name(team, name)?;
        self.check_team_may_change(by, team, note)?;
        if let Some(known) = self.teams.get_mut(&team) {
            self.index.rename_team(team, &known.name, name);
            name.clone_into(&mut known.name);
        }
        Ok(vec![Change::People])
    }

    fn check_team_name(&self, team: TeamId, name: &str) -> Result<(), Refusal> {
        match self.index.team_named(name).filter(|&other| other != team) {
            None => Ok(()),
            Some(_) => {
                let what = format!("there is a team {name:?} already");
                Err(Refusal::new(Taken, team, what, "give it another name"))
            }
        }
    }

    pub(crate) fn replace_member(
        &mut self,
        by: &Author,
        team: TeamId,
        leaves: PlayerId,
        joins: PlayerId,
        note: Option<&str>,
    ) -> Handled {
        let members = self.team(team)?.members;
        let Some(at) = members.iter().position(|&member| member == leaves) else {
            let what = format!("{leaves} is not a member");
            return Err(Refusal::new(Contradicts, team, what, "name one of its members"));
        };
        self.check_free_for_a_team(team, joins)?;
        self.check_team_may_change(by, team, note)?;
        let plays = |pairing: &&Pairing| pairing.running && pairing.seats.contains(&leaves);
        if let Some(pairing) = self.pairings.values().find(plays) {
            let what = format!("{leaves} plays there now");
            return Err(Refusal::new(Running, pairing.place(), what, "wait for the end"));
        }
        for pairing in self.pairings.values_mut() {
            if pairing.outcomes.is_empty() && pairing.seats.contains(&leaves) {
                pairing.seats.clear();
            }
        }
        let id = team;
        if let Some(team) = self.teams.get_mut(&team) {
            team.members[at] = joins;
        }
        self.index.replace_member(id, leaves, joins);
        Ok(vec![Change::People])
    }

    /// A team may change until its section starts; then the rule holds, and only the chief may go beyond it.
    fn check_team_may_change(
        &self,
        by: &Author,
        team: TeamId,
        note: Option<&str>,
    ) -> Result<(), Refusal> {
        let place = self.index.place_of(Entry::Team(team));
        let started = |name: &str| self.sections.get(name).is_some_and(|it| it.opened > 0);
        let Some((name, _)) = place.filter(|(name, _)| started(name)) else {
            return Ok(());
        };
        let place = format!("section {name}, {team}");
        let rule = self.rule(name, Topic::Teams);
        let Some(note) = note.filter(|_| by.role == Role::Chief) else {
            let what = "the section has started, and a team stays as it is";
            let todo = "ask the chief, who may allow it with a note";
            return Err(Refusal::new(TooLate, place, what, todo).by_rule(rule));
        };
        check_text(&place, note)
    }

    fn check_free_for_a_team(&self, team: TeamId, player: PlayerId) -> Result<(), Refusal> {
        self.player(player)?;
        if let Some(other) = self.team_of(player) {
            let what = format!("{player} is a member of {other} already");
            return Err(Refusal::new(Taken, team, what, "name somebody else"));
        }
        if self.index.place_of(Entry::Player(player)).is_some() {
            let what = format!("{player} plays for themselves in a section");
            return Err(Refusal::new(Taken, team, what, "name somebody else"));
        }
        Ok(())
    }

    pub(crate) fn team_of(&self, player: PlayerId) -> Option<TeamId> {
        self.index.team_of(player)
    }

    pub(crate) fn player(&self, player: PlayerId) -> Result<&Player, Refusal> {
        let unknown = || Refusal::new(Unknown, player, "no player has this id", "enter them first");
        self.players.get(&player).ok_or_else(unknown)
    }

    pub(crate) fn team(&self, team: TeamId) -> Result<&Team, Refusal> {
        let unknown = || Refusal::new(Unknown, team, "there is no such team", "make it first");
        self.teams.get(&team).ok_or_else(unknown)
    }
}
