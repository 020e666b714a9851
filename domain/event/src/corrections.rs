//! Deeds that put entries right before they are played: a section renamed, merged or removed, an entrant moved or removed, two pairings
//! exchanged. Played pairings stay: a correction of them is refused, with the remedy.

use std::collections::BTreeSet;

use rules::standings::EntrantNumber;

use crate::{
    Change, Entrant, Entry, Event, Pairing, PairingId, Refusal,
    RefusalKind::{Contradicts, OutOfBounds, Taken},
    Section,
    event::{Handled, check_text},
    playing::{check_nothing_said, check_unplayed},
};

impl Event {
    pub(crate) fn rename_section(&mut self, section: &str, name: &str) -> Handled {
        let place = format!("section {section}");
        self.section(section)?;
        check_text(&place, name)?;
        if self.index.section_named(name).is_some_and(|known| known != section) {
            let what = format!("there is a section {name:?} already");
            return Err(Refusal::new(Taken, place, what, "give it another name, or merge them"));
        }
        if let Some(known) = self.sections.remove(section) {
            self.sections.insert(name.to_owned(), known);
        }
        for pairing in self.pairings.values_mut().filter(|it| it.section == section) {
            name.clone_into(&mut pairing.section);
        }
        self.index.rename_section(section, name);
        let announced = self.announcements.iter_mut();
        for it in announced.filter(|it| it.section.as_deref() == Some(section)) {
            it.section = Some(name.to_owned());
        }
        let mut changes = vec![Change::People];
        for of in [section, name] {
            changes.extend([Change::Section(of.to_owned()), Change::Standings(of.to_owned())]);
        }
        let pairings = self.pairings.iter().filter(|(_, pairing)| pairing.section == name);
        changes.extend(pairings.map(|(&id, _)| Change::Pairing(id)));
        Ok(changes)
    }

    pub(crate) fn remove_section(&mut self, section: &str) -> Handled {
        let known = self.section(section)?;
        self.check_nobody_paired(section)?;
        let numbers: Vec<EntrantNumber> = known.entrants.keys().copied().collect();
        for number in numbers {
            self.take_out(section, number);
        }
        self.forget_section(section);
        Ok(changes_of([section]))
    }

    pub(crate) fn merge_sections(&mut self, section: &str, into: &str) -> Handled {
        let place = format!("section {section}");
        let (from, to) = (self.section(section)?, self.section(into)?);
        if section == into {
            let todo = "name the section that stays";
            return Err(Refusal::new(Contradicts, place, "it is the same section", todo));
        }
        if from.terms.game != to.terms.game {
            let what = format!("those of {into} play another way");
            return Err(Refusal::new(Contradicts, place, what, "move nobody there"));
        }
        self.check_nobody_paired(section)?;
        let last = from.byes.keys().map(|&(_, round)| round).max().unwrap_or(0);
        let left = from.entrants.values().filter_map(|it| it.withdrawn_from).max().unwrap_or(0);
        let (rounds, opened) = (to.terms.rounds, to.opened.max(1));
        if last.max(left) > rounds {
            let what = format!("something is recorded of round {}", last.max(left));
            let todo = format!("{into} has {rounds} rounds: plan as many there first");
            return Err(Refusal::new(Contradicts, place, what, todo));
        }
        let moved: Vec<(EntrantNumber, Entrant)> =
            from.entrants.iter().map(|(number, entrant)| (*number, *entrant)).collect();
        let byes = from.byes.clone();
        for (number, entrant) in moved {
            let to = self.section_mut(into)?;
            let next = to.entrants.keys().last().map_or(1, |last| last.0.saturating_add(1));
            let is_free = !to.entrants.contains_key(&number);
            let new = if is_free { number } else { EntrantNumber(next) };
            let from_round = entrant.from_round.max(opened);
            to.entrants.insert(new, Entrant { from_round, ..entrant });
            let theirs = byes.iter().filter(|((of, _), _)| *of == number);
            to.byes.extend(theirs.map(|(&(_, round), &bye)| ((new, round), bye)));
            self.index.add_entrant(into, new, entrant.entry);
        }
        self.forget_section(section);
        Ok(changes_of([section, into]))
    }

    pub(crate) fn remove_entrant(&mut self, section: &str, number: EntrantNumber) -> Handled {
        self.entrant(section, number)?;
        self.check_never_paired(section, number)?;
        self.take_out(section, number);
        Ok(changes_of([section]))
    }

    pub(crate) fn move_entrant(
        &mut self,
        section: &str,
        number: EntrantNumber,
        to: &str,
        as_number: EntrantNumber,
        from_round: u8,
    ) -> Handled {
        let entrant = self.entrant(section, number)?;
        self.section(to)?;
        self.check_never_paired(section, number)?;
        let known = self.section_mut(section)?;
        known.entrants.remove(&number);
        self.index.remove_entrant(entrant.entry);
        if let Err(refusal) = self.add_entrant(to, as_number, entrant.entry, from_round) {
            self.section_mut(section)?.entrants.insert(number, entrant);
            self.index.add_entrant(section, number, entrant.entry);
            return Err(refusal);
        }
        // A bye was of a round of that section.
        self.section_mut(section)?.byes.retain(|&(of, _), _| of != number);
        Ok(changes_of([section, to]))
    }

    pub(crate) fn exchange_entrants(
        &mut self,
        pairings: [PairingId; 2],
        numbers: [EntrantNumber; 2],
    ) -> Handled {
        let section = self.check_exchange(pairings, check_unplayed)?;
        for (id, number) in pairings.into_iter().zip(numbers) {
            let pairing = self.pairing(id)?;
            if !pairing.numbers().any(|known| known == number) {
                let what = format!("number {number} is not in this pairing");
                return Err(Refusal::new(Contradicts, pairing.place(), what, "name one who is"));
            }
        }
        for (id, [leaves, comes]) in pairings.into_iter().zip([numbers, [numbers[1], numbers[0]]]) {
            if let Some(pairing) = self.pairings.get_mut(&id) {
                let places = pairing.sides.iter_mut().flatten();
                places.filter(|number| **number == leaves).for_each(|number| *number = comes);
                pairing.seats.clear();
            }
        }
        Ok(exchanged(pairings, section))
    }

    /// Results of matches stay with the tables; a result that was entered for a pairing itself would not.
    pub(crate) fn exchange_tables(&mut self, pairings: [PairingId; 2]) -> Handled {
        let section = self.check_exchange(pairings, check_nothing_said)?;
        let [one, other] = [self.pairing(pairings[0])?, self.pairing(pairings[1])?];
        let tables = [other.table.clone(), one.table.clone()];
        for (id, table) in pairings.into_iter().zip(tables) {
            if let Some(pairing) = self.pairings.get_mut(&id) {
                pairing.table = table;
            }
        }
        Ok(exchanged(pairings, section))
    }

    /// Two pairings of one round that are free to change; their section.
    fn check_exchange(
        &self,
        [one, other]: [PairingId; 2],
        is_free: fn(&Pairing) -> Result<(), Refusal>,
    ) -> Result<String, Refusal> {
        let (first, second) = (self.pairing(one)?, self.pairing(other)?);
        if one == other {
            let todo = "name two pairings";
            return Err(Refusal::new(Contradicts, first.place(), "it is the same pairing", todo));
        }
        if (&first.section, first.round) != (&second.section, second.round) {
            let what = format!("the other one is in {}", second.place());
            let todo = "name two pairings of one round";
            return Err(Refusal::new(Contradicts, first.place(), what, todo));
        }
        is_free(first)?;
        is_free(second)?;
        Ok(first.section.clone())
    }

    /// Pairings of a section that were not withdrawn.
    fn pairings_of(&self, section: &str) -> impl Iterator<Item = &Pairing> {
        let pairings = self.pairings.values();
        pairings.filter(move |it| it.section == section && it.withdrawn.is_none())
    }

    fn check_nobody_paired(&self, section: &str) -> Result<(), Refusal> {
        match self.pairings_of(section).next() {
            None => Ok(()),
            Some(pairing) => {
                let what = format!("round {} is paired", pairing.round);
                let todo = "withdraw its pairings first; a section that has been played stays";
                Err(Refusal::new(Contradicts, pairing.place(), what, todo))
            }
        }
    }

    fn check_never_paired(&self, section: &str, number: EntrantNumber) -> Result<(), Refusal> {
        let place = format!("section {section}, number {number}");
        let paired = self.pairings_of(section).find(|it| it.numbers().any(|one| one == number));
        if let Some(pairing) = paired {
            let what = format!("they are paired in round {}", pairing.round);
            let todo = "withdraw that pairing if it is not played; who has played is withdrawn and not removed";
            return Err(Refusal::new(Contradicts, place, what, todo));
        }
        if self.section(section)?.coin_tosses.iter().any(|toss| toss.order.contains(&number)) {
            let todo = "take the coin toss back first";
            return Err(Refusal::new(Contradicts, place, "they took part in a coin toss", todo));
        }
        Ok(())
    }

    fn forget_section(&mut self, section: &str) {
        self.sections.remove(section);
        self.index.remove_section(section);
        self.announcements.retain(|it| it.section.as_deref() != Some(section));
    }

    /// Removes an entrant from a section and from the event, together with players who have no other entry.
    fn take_out(&mut self, section: &str, number: EntrantNumber) {
        let Some(known) = self.sections.get_mut(section) else { return };
        let Some(entrant) = known.entrants.remove(&number) else { return };
        known.byes.retain(|&(of, _), _| of != number);
        self.index.remove_entrant(entrant.entry);
        let players = match entrant.entry {
            Entry::Player(player) => vec![player],
            Entry::Team(team) => match self.teams.remove(&team) {
                Some(known) => {
                    self.index.remove_team(&known.name, known.members);
                    known.members.to_vec()
                }
                None => Vec::new(),
            },
        };
        for player in players {
            self.consents.remove(&player);
            self.links.remove(&player);
            if let Some(known) = self.players.remove(&player) {
                self.index.remove_player(player, known.name.reveal());
            }
        }
    }
}

/// The number of rounds may change as long as the event runs: what was played stays as it was announced.
pub(crate) fn only_rounds_change(known: &Section, terms: &crate::SectionTerms) -> bool {
    let same = crate::SectionTerms { rounds: known.terms.rounds, ..terms.clone() };
    same == known.terms
}

/// Reason why a section cannot have this number of rounds.
pub(crate) fn check_rounds(place: &str, known: &Section, rounds: u8) -> Result<(), Refusal> {
    match rounds < known.opened {
        false => Ok(()),
        true => {
            let what = format!("round {} is open", known.opened);
            Err(Refusal::new(OutOfBounds, place, what, "plan as many rounds at least"))
        }
    }
}

fn changes_of<const N: usize>(sections: [&str; N]) -> Vec<Change> {
    let of = |section: &str| {
        [Change::Section(section.to_owned()), Change::Standings(section.to_owned())]
    };
    [Change::People].into_iter().chain(sections.into_iter().flat_map(of)).collect()
}

fn exchanged(pairings: [PairingId; 2], section: String) -> Vec<Change> {
    let distinct: BTreeSet<PairingId> = pairings.into();
    let changed = distinct.into_iter().map(Change::Pairing);
    changed.chain([Change::Standings(section)]).collect()
}
