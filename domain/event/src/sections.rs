//! Deeds about a section: its terms, who is in it, byes, withdrawals, coin tosses.

use std::collections::{BTreeMap, BTreeSet};

use rules::{
    Game,
    rulebook::{Topic, terms::TdCalls},
    standings::{ByeKind, CoinToss, EntrantNumber, GAMES_PER_ROUND_MAX, ROUNDS_MAX, Results},
};

use crate::{
    Change, Entrant, Entry, Event, Names, Refusal,
    RefusalKind::{Contradicts, NotAllowed, OutOfBounds, Taken, TooLate, Unknown},
    Section, SectionKind, SectionTerms,
    corrections::{check_rounds, only_rounds_change},
    event::{Handled, check_text},
    limits::SECTIONS_MAX,
};

impl Event {
    pub(crate) fn open_section(&mut self, section: &str, terms: &SectionTerms) -> Handled {
        let place = format!("section {section}");
        check_text("section", section)?;
        if self.index.section_named(section).is_some() {
            let what = "there is a section of that name already";
            return Err(Refusal::new(Taken, place, what, "give it another name"));
        }
        if self.sections.len() >= SECTIONS_MAX {
            let what = format!("an event has at most {SECTIONS_MAX} sections");
            return Err(Refusal::new(OutOfBounds, place, what, "make a second event"));
        }
        check_terms(&place, terms)?;
        let opened = Section {
            terms: terms.clone(),
            entrants: BTreeMap::new(),
            opened: 0,
            byes: BTreeMap::new(),
            coin_tosses: Vec::new(),
            starts: BTreeMap::new(),
        };
        self.sections.insert(section.to_owned(), opened);
        self.index.add_section(section);
        Ok(vec![Change::Section(section.to_owned())])
    }

    pub(crate) fn change_section(&mut self, section: &str, terms: &SectionTerms) -> Handled {
        let place = format!("section {section}");
        let known = self.section(section)?;
        check_terms(&place, terms)?;
        check_rounds(&place, known, terms.rounds)?;
        if known.opened > 0 && !only_rounds_change(known, terms) {
            let what = "its first round is open, and its terms were announced";
            let todo = "change the number of rounds alone, or open another section";
            return Err(Refusal::new(TooLate, place, what, todo));
        }
        if known.terms.game != terms.game && !known.entrants.is_empty() {
            let what = "those who are in it play another way";
            return Err(Refusal::new(Contradicts, place, what, "open another section"));
        }
        let rounds =
            known.entrants.values().flat_map(|it| [Some(it.from_round), it.withdrawn_from]);
        let byes = known.byes.keys().map(|&(_, round)| round);
        let last = rounds.flatten().chain(byes).max().unwrap_or(0);
        if last > terms.rounds {
            let what = format!("the section has entries of round {last}");
            return Err(Refusal::new(Contradicts, place, what, "plan as many rounds at least"));
        }
        self.section_mut(section)?.terms = terms.clone();
        Ok(vec![Change::Section(section.to_owned()), Change::Standings(section.to_owned())])
    }

    pub(crate) fn add_entrant(
        &mut self,
        section: &str,
        number: EntrantNumber,
        entry: Entry,
        from_round: u8,
    ) -> Handled {
        let place = format!("section {section}, number {number}");
        let known = self.section(section)?;
        match entry {
            Entry::Team(team) => {
                self.team(team)?;
            }
            Entry::Player(player) => {
                self.player(player)?;
            }
        }
        let is_team = matches!(entry, Entry::Team(_));
        if is_team != (known.terms.game == SectionKind::Teams) {
            let what = if is_team { "players enter here, not teams" } else { "teams enter here" };
            return Err(Refusal::new(Contradicts, place, what, "enter them in another section"));
        }
        if known.entrants.contains_key(&number) {
            let what = "another entrant has this pairing number";
            return Err(Refusal::new(Taken, place, what, "give them another"));
        }
        if let Some((other, taken)) = self.index.place_of(entry) {
            let what = format!("they are in section {other} already, as number {taken}");
            let todo = "enter them once; if they are two people, enter the second one by their own";
            return Err(Refusal::new(Taken, place, what, todo));
        }
        if let Entry::Player(player) = entry
            && let Some(team) = self.team_of(player)
        {
            let what = format!("{player} is a member of {team}");
            return Err(Refusal::new(Taken, place, what, "enter them once"));
        }
        if !(1..=known.terms.rounds).contains(&from_round) {
            let what = format!("round {from_round} is not one of the {}", known.terms.rounds);
            return Err(Refusal::new(OutOfBounds, place, what, "name the first round they play"));
        }
        let entrant = Entrant { entry, from_round, withdrawn_from: None };
        self.section_mut(section)?.entrants.insert(number, entrant);
        self.index.add_entrant(section, number, entry);
        Ok(vec![Change::Section(section.to_owned()), Change::Standings(section.to_owned())])
    }

    pub(crate) fn withdraw_entrant(
        &mut self,
        section: &str,
        number: EntrantNumber,
        from_round: u8,
    ) -> Handled {
        let place = format!("section {section}, number {number}");
        let known = self.section(section)?;
        let entrant = self.entrant(section, number)?;
        if let Some(from) = entrant.withdrawn_from {
            let what = format!("they are withdrawn from round {from} on already");
            return Err(Refusal::new(Taken, place, what, "leave it at that"));
        }
        if !(1..=known.terms.rounds).contains(&from_round) {
            let what = format!("round {from_round} is not one of the {}", known.terms.rounds);
            let todo = "name the first round without them";
            return Err(Refusal::new(OutOfBounds, place, what, todo));
        }
        let bye = known.byes.keys().find(|&&(who, round)| who == number && round >= from_round);
        if let Some((_, round)) = bye {
            let what = format!("they have a bye in round {round}");
            return Err(Refusal::new(Contradicts, place, what, "take the bye back first"));
        }
        let paired = self.pairings.values().find(|pairing| {
            pairing.section == section
                && pairing.round >= from_round
                && pairing.withdrawn.is_none()
                && pairing.numbers().any(|who| who == number)
        });
        if let Some(pairing) = paired {
            let what = format!("they are paired in round {}", pairing.round);
            let todo = "withdraw or change the pairing first, or withdraw them from a later round";
            return Err(Refusal::new(Contradicts, place, what, todo));
        }
        if let Some(entrant) = self.section_mut(section)?.entrants.get_mut(&number) {
            entrant.withdrawn_from = Some(from_round);
        }
        Ok(vec![Change::Section(section.to_owned()), Change::Standings(section.to_owned())])
    }

    pub(crate) fn return_entrant(&mut self, section: &str, number: EntrantNumber) -> Handled {
        if self.entrant(section, number)?.withdrawn_from.is_none() {
            let place = format!("section {section}, number {number}");
            return Err(Refusal::new(Contradicts, place, "they have not left", "go on"));
        }
        if let Some(entrant) = self.section_mut(section)?.entrants.get_mut(&number) {
            entrant.withdrawn_from = None;
        }
        Ok(vec![Change::Section(section.to_owned()), Change::Standings(section.to_owned())])
    }

    pub(crate) fn give_bye(
        &mut self,
        section: &str,
        number: EntrantNumber,
        round: u8,
        bye: ByeKind,
    ) -> Handled {
        let place = format!("section {section}, round {round}, number {number}");
        let known = self.section(section)?;
        let entrant = self.entrant(section, number)?;
        if !(1..=known.terms.rounds).contains(&round) {
            let what = format!("the section has {} rounds", known.terms.rounds);
            return Err(Refusal::new(OutOfBounds, place, what, "name one of them"));
        }
        if entrant.withdrawn_from.is_some_and(|from| round >= from) {
            return Err(Refusal::new(Contradicts, place, "they have left", "give no bye"));
        }
        if known.byes.contains_key(&(number, round)) {
            let what = "they have a bye already";
            return Err(Refusal::new(Taken, place, what, "take it back first"));
        }
        if self.round(section, round).any(|(_, pairing)| pairing.numbers().any(|who| who == number))
        {
            let what = "they are paired";
            return Err(Refusal::new(Contradicts, place, what, "withdraw the pairing first"));
        }
        self.section_mut(section)?.byes.insert((number, round), bye);
        Ok(vec![Change::Section(section.to_owned()), Change::Standings(section.to_owned())])
    }

    pub(crate) fn take_back_bye(
        &mut self,
        section: &str,
        number: EntrantNumber,
        round: u8,
    ) -> Handled {
        if self.section_mut(section)?.byes.remove(&(number, round)).is_none() {
            let place = format!("section {section}, round {round}, number {number}");
            let todo = "name a round in which they have one";
            return Err(Refusal::new(Unknown, place, "they have no bye", todo));
        }
        Ok(vec![Change::Section(section.to_owned()), Change::Standings(section.to_owned())])
    }

    pub(crate) fn hold_coin_toss(&mut self, section: &str, order: &[EntrantNumber]) -> Handled {
        let place = format!("section {section}, coin toss");
        if order.len() < 2 {
            let todo = "name everybody who took part, the winner first";
            return Err(Refusal::new(OutOfBounds, place, "fewer than two took part", todo));
        }
        let toss = CoinToss { order: order.to_vec() };
        let mut reported = self.reported(section, Names::Hidden)?;
        reported.coin_tosses.push(toss.clone());
        if let Err(problems) = Results::new(&reported) {
            let what = problems.first().map(ToString::to_string).unwrap_or_default();
            return Err(Refusal::new(Contradicts, place, what, "correct the coin toss"));
        }
        self.section_mut(section)?.coin_tosses.push(toss);
        Ok(vec![Change::Standings(section.to_owned())])
    }

    pub(crate) fn take_back_coin_toss(
        &mut self,
        section: &str,
        order: &[EntrantNumber],
    ) -> Handled {
        let known = self.section_mut(section)?;
        let Some(at) = known.coin_tosses.iter().rposition(|toss| toss.order == order) else {
            let place = format!("section {section}, coin toss");
            let what = "no such toss is recorded";
            return Err(Refusal::new(Unknown, place, what, "name the recorded order"));
        };
        known.coin_tosses.remove(at);
        Ok(vec![Change::Standings(section.to_owned())])
    }

    pub(crate) fn entrant(&self, section: &str, number: EntrantNumber) -> Result<Entrant, Refusal> {
        self.section(section)?.entrants.get(&number).copied().ok_or_else(|| {
            let place = format!("section {section}, number {number}");
            let todo = "enter them first or correct the number";
            Refusal::new(Unknown, place, "no entrant has this pairing number", todo)
        })
    }

    pub(crate) fn section_mut(&mut self, name: &str) -> Result<&mut Section, Refusal> {
        self.section(name)?;
        let gone = || Refusal::new(Unknown, "section", "there is no such section", "open it first");
        self.sections.get_mut(name).ok_or_else(gone)
    }
}

fn check_terms(place: &str, terms: &SectionTerms) -> Result<(), Refusal> {
    let refuse = |kind, what: String, todo: &str| Err(Refusal::new(kind, place, what, todo));
    let book = terms.rulebook.book();
    let game = match terms.game {
        SectionKind::Teams | SectionKind::RotatingPartners => Game::Bughouse,
        SectionKind::Players => Game::Chess,
    };
    if book.terms.game != game {
        let what = format!("{} is for {}, not for {game}", book.id, book.terms.game);
        return refuse(Contradicts, what, "choose another rulebook or another kind of section");
    }
    if terms.td_calls && book.terms.td_calls == TdCalls::Never {
        let what = "directors never call here".to_owned();
        let todo = "leave td_calls out, or choose another rulebook";
        return Err(Refusal::new(NotAllowed, place, what, todo).by_rule(book.cite(Topic::TdCalls)));
    }
    if let Some(time) = terms.time.as_ref().filter(|time| !book.terms.time.limits.allow(time)) {
        let limits = book.terms.value(Topic::TimeControl).unwrap_or_default();
        let what = format!(
            "{} is not the time of {}: {limits} a player, with sixty times the increment",
            time.to_pgn_tag(),
            book.id
        );
        let todo = "correct the time control, or choose another rulebook";
        let refusal = Refusal::new(Contradicts, place, what, todo);
        return Err(refusal.by_rule(book.cite(Topic::TimeControl)));
    }
    if !(1..=ROUNDS_MAX).contains(&terms.rounds) {
        let what = format!("a section has 1 to {ROUNDS_MAX} rounds, not {}", terms.rounds);
        return refuse(OutOfBounds, what, "correct the number of rounds");
    }
    let games_max =
        if terms.game == SectionKind::RotatingPartners { 1 } else { GAMES_PER_ROUND_MAX };
    if !(1..=games_max).contains(&terms.games_per_round) {
        let what = format!(
            "a round has 1 to {games_max} games a pairing here, not {}",
            terms.games_per_round
        );
        return refuse(OutOfBounds, what, "correct the number of games a round");
    }
    let distinct: BTreeSet<_> = terms.tie_breaks.iter().collect();
    if distinct.len() < terms.tie_breaks.len() {
        let what = "a tie-break stands twice in the order".to_owned();
        return refuse(Taken, what, "keep only its first place");
    }
    Ok(())
}
