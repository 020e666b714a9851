//! Which pairing a match is of, who sits there, and how its result reaches the event.
//!
//! A table has no names. A match gets the pairing that is to be played at its table when it is set up, and a director
//! can bind it to another. What the referee's result comes to for the two sides is entered for the pairing as soon as
//! the seats say which side is which team; a result that is final is confirmed with it, and one that changes afterwards
//! supersedes it.

use event::{Author, Change, Deed, EventAct, Names, PairingId, Role, SectionKind};
use referee::{Phase, ResultReason, act::ActId};
use rules::{
    Seat, Team,
    standings::{EntrantNumber, Outcome, Side},
};
use serde::Serialize;

use super::{EventId, Game, Hall, Partition, Table};

/// Who plays at a table, as far as it may be said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct People {
    /// The section.
    pub section: Option<String>,
    /// The round.
    pub round: Option<u8>,
    /// The two sides in the order of the pairing list.
    pub sides: Option<[String; 2]>,
    /// Team 1 and team 2, once it is known which side is which.
    pub teams: Option<[String; 2]>,
    /// The players in the order of [`Seat::ALL`].
    #[serde(skip)]
    pub players: [Option<String>; 4],
}

impl People {
    /// The sides and the players, as far as they are known.
    pub fn everybody(&self) -> impl Iterator<Item = &String> {
        self.sides.iter().flatten().chain(self.players.iter().flatten())
    }

    /// What team 1 and team 2 are called.
    #[must_use]
    pub fn team_labels(&self) -> [String; 2] {
        self.teams.clone().unwrap_or_else(|| ["Team 1".to_owned(), "Team 2".to_owned()])
    }
}

impl Hall {
    /// The event.
    #[must_use]
    pub fn event(&self) -> &event::Event {
        &self.event
    }

    /// The pairing that is to be played at a table next: of the earliest round that has one without all its results. One that was played to its
    /// end, and whose result nobody has entered yet, is left behind once another waits at the table.
    #[must_use]
    pub fn pairing_at(&self, table: &str) -> Option<PairingId> {
        let pairings = self.event.pairings();
        let here = self.seating.at_table(table).filter_map(|id| pairings.get_key_value(&id));
        let open = here.filter(|(_, pairing)| {
            pairing.table == table
                && pairing.withdrawn.is_none()
                && !pairing.confirmed
                && pairing.outcomes.len() < self.games_of(pairing)
        });
        let mut open: Vec<_> = open.collect();
        open.sort_by_key(|(id, pairing)| (pairing.round, **id));
        let waits = open.iter().find(|(id, pairing)| !self.is_played(**id, pairing));
        waits.or(open.first()).map(|(id, _)| **id)
    }

    fn games_of(&self, pairing: &event::Pairing) -> usize {
        self.event.section(&pairing.section).map_or(1, |it| it.terms.games_per_round).into()
    }

    /// Whether as many of its matches have come to an end as it has games.
    fn is_played(&self, id: PairingId, pairing: &event::Pairing) -> bool {
        let over = self.matches.of_pairing(id).filter(|game| game.is_done());
        over.count() >= self.games_of(pairing)
    }

    /// Who plays a match, or is to play at a table that has none.
    #[must_use]
    pub fn people(&self, table: &str, game: Option<&Game>, names: Names) -> People {
        let pairing = match game {
            Some(game) => game.pairing,
            None => self.pairing_at(table),
        };
        match pairing {
            Some(pairing) => self.people_of(pairing, names),
            // Before an organiser has said who plays, the configuration may.
            None if self.event.sections().is_empty() => {
                let player = |seat| self.disclosure.player(table, seat).map(str::to_owned);
                People {
                    section: self.disclosure.section(table),
                    teams: self.disclosure.teams(table),
                    players: Seat::ALL.map(player),
                    ..People::default()
                }
            }
            None => People { section: self.disclosure.section(table), ..People::default() },
        }
    }

    fn people_of(&self, id: PairingId, names: Names) -> People {
        let Some(pairing) = self.event.pairings().get(&id) else { return People::default() };
        let kind = self.event.section(&pairing.section).map(|section| section.terms.game);
        let side = |numbers: &[EntrantNumber]| {
            let name =
                |number: &EntrantNumber| self.event.entrant_name(&pairing.section, *number, names);
            numbers.iter().map(name).collect::<Vec<_>>().join(" and ")
        };
        let [first, second] = [side(&pairing.sides[0]), side(&pairing.sides[1])];
        let teams = self.event.first_side_is_team_one(id).map(|is_first| match is_first {
            true => [first.clone(), second.clone()],
            false => [second.clone(), first.clone()],
        });
        let player = |seat: Seat| {
            let player = self.event.players().get(pairing.seats.get(seat.index())?)?;
            (names == Names::Shown).then(|| player.name.reveal().to_owned())
        };
        People {
            section: Some(pairing.section.clone()),
            round: Some(pairing.round),
            sides: Some([first, second]),
            // In chess the players are the sides.
            teams: teams.filter(|_| kind != Ok(SectionKind::Players)),
            players: Seat::ALL.map(player),
        }
    }

    /// A section of a table now: its pairing's, or else the configuration's.
    #[must_use]
    pub fn section_of(&self, table: &str, game: Option<&Game>) -> Option<String> {
        let pairing = match game {
            Some(game) => game.pairing,
            None => self.pairing_at(table),
        };
        let known = pairing.and_then(|id| self.event.pairings().get(&id));
        known.map(|pairing| pairing.section.clone()).or_else(|| self.disclosure.section(table))
    }

    /// A match is of this pairing, as a director says.
    pub(super) fn bind(
        &mut self,
        input: u64,
        match_id: &str,
        pairing: Option<PairingId>,
    ) -> Result<(), String> {
        if let Some(id) = pairing
            && !self.event.pairings().contains_key(&id)
        {
            return Err(format!("there is no {id}"));
        }
        if !self.matches.bind(match_id, pairing) {
            return Err(format!("there is no match {match_id}"));
        }
        self.move_changes(match_id);
        if let Some(pairing) = pairing {
            self.report_result(pairing, ActId(input));
        }
        Ok(())
    }

    /// A match may be in another section than before: where its changes are counted, too.
    fn move_changes(&mut self, match_id: &str) {
        let Some(game) = self.matches.get(match_id) else { return };
        let partition = self.partition_of(game);
        let event = EventId::of_plies(self.partitions.change(partition));
        let slot = self.slot_of(&game.table);
        if game.changes().last().is_some_and(|(before, _)| before != partition)
            && let Some(game) = self.matches.get_mut(match_id)
        {
            game.move_to(partition, event);
            self.partitions.note(partition, event);
        }
        if let Some(slot) = slot {
            self.touch_table(slot);
        }
    }

    /// Who is at each table, slot by slot.
    pub(super) fn people_at_tables(&self) -> Vec<People> {
        let at = |table: &Table| {
            let game = table.match_id.as_deref().and_then(|id| self.matches.get(id));
            self.people(&table.name, game, Names::Shown)
        };
        self.tables.slots().map(at).collect()
    }

    /// Notes what acts about the event changed, for those who watch. `before`: who was at the tables.
    pub(super) fn note_event_changes(&mut self, input: u64, changes: &[Change], before: &[People]) {
        self.seating.follow(&self.event, changes);
        for change in changes {
            self.partitions.touch_event(self.partition_of_change(change));
            match change {
                Change::Pairing(id) => {
                    let pairing = self.event.pairings().get(id);
                    let table = pairing.map(|pairing| pairing.table.clone());
                    self.show_tables(table);
                }
                Change::Seats(id) => self.report_result(*id, ActId(input)),
                Change::Tables => self.show_tables(self.event.tables().to_vec()),
                Change::People
                | Change::Name
                | Change::Section(_)
                | Change::Result(_)
                | Change::Standings(_) => {}
            }
        }
        // A table that shows the same as before is not told of: something may have changed in a section that is shown later.
        for (slot, now) in self.people_at_tables().into_iter().enumerate() {
            if before.get(slot).is_some_and(|before| *before != now) {
                self.touch_table(slot);
            }
        }
    }

    fn partition_of_change(&self, change: &Change) -> Partition {
        match change {
            Change::Name | Change::Tables | Change::People => Partition::GENERAL,
            Change::Section(section) | Change::Standings(section) => {
                self.partitions.of_section(Some(section))
            }
            Change::Pairing(id) | Change::Seats(id) | Change::Result(id) => {
                self.partition_of_pairing(*id)
            }
        }
    }

    fn partition_of_pairing(&self, id: PairingId) -> Partition {
        let pairing = self.event.pairings().get(&id);
        self.partitions.of_section(pairing.map(|pairing| pairing.section.as_str()))
    }

    /// A table that a hub has yet to speak of is shown as soon as somebody is to play there.
    fn show_tables(&mut self, names: impl IntoIterator<Item = String>) {
        for name in names.into_iter().filter(|name| crate::config::is_segment(name)) {
            self.table_slot(&name);
        }
    }

    /// Tells the event that a match of a pairing runs, or runs no more.
    pub(super) fn note_phase(&mut self, match_id: &str) {
        let Some(game) = self.matches.get(match_id) else { return };
        let Some(id) = game.pairing else { return };
        let referee = game.referee();
        let runs = referee.phase() == Phase::Playing && referee.result().is_none();
        let is_done = referee.is_over() || referee.phase() == Phase::Ended;
        let Some(pairing) = self.event.pairings().get(&id) else { return };
        if runs && !pairing.running && !pairing.confirmed {
            self.derive(Deed::MatchStarted { pairing: id });
        } else if is_done && pairing.running {
            self.derive(Deed::MatchEnded { pairing: id });
        }
    }

    /// Enters what the referees' results come to for a pairing, after one of them changed.
    pub(super) fn report_result(&mut self, id: PairingId, act: ActId) {
        let Some(pairing) = self.event.pairings().get(&id) else { return };
        let games = self.matches.of_pairing(id);
        let results: Vec<_> = games.filter_map(|game| game.referee().result()).collect();
        if results.is_empty() {
            return;
        }
        let Some(first_is_one) = self.event.first_side_is_team_one(id) else {
            let place = pairing.place();
            self.pairing_troubles.insert(
                id,
                format!("{place}: who sat where has not been said, so that the result is nobody's yet: choose the seats"),
            );
            return;
        };
        let outcomes: Vec<Outcome> =
            results.iter().map(|standing| outcome(standing.result, first_is_one)).collect();
        let games_per_round =
            self.event.section(&pairing.section).map_or(1, |it| it.terms.games_per_round);
        let is_whole = outcomes.len() == usize::from(games_per_round)
            && results.iter().all(|standing| standing.is_final());
        let (was_running, was_confirmed) = (pairing.running, pairing.confirmed);
        let is_entered = pairing.outcomes == outcomes;
        if was_running {
            self.derive(Deed::MatchEnded { pairing: id });
        }
        match (was_confirmed, is_whole, is_entered) {
            (true, true, false) => {
                let note = format!("decided at the table, act {act} of the log");
                self.derive(Deed::ResultSuperseded { pairing: id, outcomes, note });
            }
            (true, ..) => {}
            (false, whole, entered) => {
                if !entered {
                    self.derive(Deed::ResultEntered { pairing: id, outcomes });
                }
                if whole {
                    self.derive(Deed::ResultConfirmed { pairing: id });
                }
            }
        }
    }

    /// A deed that follows from what happened at a table.
    fn derive(&mut self, deed: Deed) {
        let id = match &deed {
            Deed::MatchStarted { pairing }
            | Deed::MatchEnded { pairing }
            | Deed::ResultEntered { pairing, .. }
            | Deed::ResultConfirmed { pairing }
            | Deed::ResultSuperseded { pairing, .. } => *pairing,
            _ => return,
        };
        let by = Author { name: "hall".to_owned(), role: Role::Director };
        let act = EventAct { number: self.event.next_number(), by, deed };
        match self.event.handle(act) {
            Ok(_) => {
                self.pairing_troubles.remove(&id);
                self.partitions.touch_event(self.partition_of_pairing(id));
            }
            Err(refusal) => {
                self.pairing_troubles.insert(id, refusal.to_string());
            }
        }
    }
}

/// What a result comes to, seen from the pairing's first side.
fn outcome(result: referee::act::MatchResult, first_is_one: bool) -> Outcome {
    let side = |team: Team| match (team == Team::One) == first_is_one {
        true => Side::First,
        false => Side::Second,
    };
    match (result.winner, result.reason) {
        (Some(team), ResultReason::Forfeit) => Outcome::ForfeitWin(side(team)),
        (Some(team), _) => Outcome::Win(side(team)),
        (None, ResultReason::Forfeit) => Outcome::DoubleForfeit,
        (None, _) => Outcome::Draw,
    }
}
