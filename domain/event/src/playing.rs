//! Deeds of a round: opening it, pairings, seats, matches and results.

use std::collections::BTreeSet;

use rules::{
    Seat,
    rulebook::Topic,
    standings::{EntrantNumber, Outcome},
};

use crate::{
    Change, Entry, Event, Names, Pairing, PairingId, PlayerId, Refusal,
    RefusalKind::{Contradicts, OutOfBounds, Running, Taken, TooLate, Unknown},
    ResultSource, Role, SectionKind,
    believed::{Played, Said},
    event::{Handled, check_text},
    limits::PAIRINGS_MAX,
};

impl Event {
    pub(crate) fn open_round(&mut self, section: &str, round: u8) -> Handled {
        let place = format!("section {section}, round {round}");
        let known = self.section(section)?;
        if round > known.terms.rounds {
            let what = format!("the section has {} rounds", known.terms.rounds);
            return Err(Refusal::new(OutOfBounds, place, what, "name one of them"));
        }
        if round <= known.opened {
            return Err(Refusal::new(Taken, place, "the round is open already", "go on"));
        }
        if round != known.opened + 1 {
            let what = format!("the next round is {}", known.opened + 1);
            return Err(Refusal::new(Contradicts, place, what, "open the rounds in their order"));
        }
        self.section_mut(section)?.opened = round;
        Ok(vec![Change::Section(section.to_owned())])
    }

    pub(crate) fn make_pairing(
        &mut self,
        id: PairingId,
        section: &str,
        round: u8,
        table: &str,
        board: Option<u32>,
        sides: &[Vec<EntrantNumber>; 2],
    ) -> Handled {
        let pairing = Pairing {
            section: section.to_owned(),
            round,
            table: table.to_owned(),
            board,
            sides: sides.clone(),
            seats: Vec::new(),
            running: false,
            outcomes: Vec::new(),
            confirmed: false,
            withdrawn: None,
            said: Said::default(),
            played: Played::default(),
        };
        self.section(section)?;
        if self.pairings.contains_key(&id) {
            let what = format!("{id} exists already");
            let todo = "give the new pairing another id, or change that one";
            return Err(Refusal::new(Taken, pairing.place(), what, todo));
        }
        if self.pairings.len() >= PAIRINGS_MAX {
            let what = format!("an event has at most {PAIRINGS_MAX} pairings");
            return Err(Refusal::new(OutOfBounds, pairing.place(), what, "make a second event"));
        }
        self.check_pairing(id, &pairing)?;
        self.pairings.insert(id, pairing);
        self.index.add_pairing(id, section, round);
        Ok(vec![Change::Pairing(id), Change::Standings(section.to_owned())])
    }

    pub(crate) fn change_pairing(
        &mut self,
        id: PairingId,
        table: &str,
        board: Option<u32>,
        sides: &[Vec<EntrantNumber>; 2],
    ) -> Handled {
        let known = self.pairing(id)?;
        check_unplayed(known)?;
        let mut changed = known.clone();
        table.clone_into(&mut changed.table);
        changed.board = board;
        if changed.sides != *sides {
            changed.sides.clone_from(sides);
            changed.seats.clear();
        }
        self.check_pairing(id, &changed)?;
        let section = changed.section.clone();
        self.pairings.insert(id, changed);
        Ok(vec![Change::Pairing(id), Change::Standings(section)])
    }

    pub(crate) fn withdraw_pairing(&mut self, id: PairingId, note: &str) -> Handled {
        let known = self.pairing(id)?;
        check_unplayed(known)?;
        check_text(&known.place(), note)?;
        let section = known.section.clone();
        self.pairing_mut(id)?.withdrawn = Some(note.to_owned());
        Ok(vec![Change::Pairing(id), Change::Standings(section)])
    }

    /// Checks of a pairing: round, table, and entrants who are free in the round.
    fn check_pairing(&self, id: PairingId, pairing: &Pairing) -> Result<(), Refusal> {
        let section = self.section(&pairing.section)?;
        let place = pairing.place();
        let refuse = |kind, what: String, todo: &str| Err(Refusal::new(kind, &place, what, todo));
        if !(1..=section.opened).contains(&pairing.round) {
            let what = format!("the section has opened {} rounds", section.opened);
            return refuse(Unknown, what, "open the round first, or correct it");
        }
        if !self.tables.contains(&pairing.table) {
            let what = format!("there is no table {:?}", short(&pairing.table));
            return refuse(Unknown, what, "list the table first, or correct it");
        }
        let who = |number| self.entrant_name(&pairing.section, number, Names::Hidden);
        let each = if section.terms.game == SectionKind::RotatingPartners { 2 } else { 1 };
        if pairing.sides.iter().any(|side| side.len() != each) {
            let what = format!("each side has {each} of the pairing numbers here");
            return refuse(Contradicts, what, "correct the sides");
        }
        let mut met = BTreeSet::new();
        for number in pairing.numbers() {
            let entrant = self.entrant(&pairing.section, number)?;
            if !met.insert(number) {
                let what = format!("{} is in the pairing twice", who(number));
                return refuse(Contradicts, what, "correct the sides");
            }
            if pairing.round < entrant.from_round {
                let what = format!("{} enters in round {}", who(number), entrant.from_round);
                return refuse(Contradicts, what, "pair another entrant");
            }
            if entrant.withdrawn_from.is_some_and(|from| pairing.round >= from) {
                let what = format!("{} has left", who(number));
                return refuse(Contradicts, what, "pair another entrant");
            }
            if section.byes.contains_key(&(number, pairing.round)) {
                let what = format!("{} has a bye", who(number));
                return refuse(Contradicts, what, "withdraw the bye, or pair another entrant");
            }
        }
        let versus = |known: &Pairing| {
            let side =
                |side: &Vec<EntrantNumber>| side.iter().map(|it| who(*it)).collect::<Vec<_>>();
            known.sides.each_ref().map(|it| side(it).join(" and ")).join(" and ")
        };
        for (other, known) in self.round(&pairing.section, pairing.round) {
            if other == id {
                continue;
            }
            if known.table == pairing.table {
                let what = format!("{} play at this table already", versus(known));
                return refuse(Taken, what, "choose another table, or change that pairing");
            }
            if let Some(number) = known.numbers().find(|number| met.contains(number)) {
                let what = format!("{} is paired at table {} already", who(number), known.table);
                return refuse(Taken, what, "pair another entrant, or change that pairing");
            }
        }
        Ok(())
    }

    pub(crate) fn choose_seats(
        &mut self,
        id: PairingId,
        seats: &[PlayerId],
        note: Option<&str>,
    ) -> Handled {
        let pairing = self.pairing(id)?;
        let place = pairing.place();
        let section = pairing.section.clone();
        self.check_seats(pairing, seats)?;
        match note {
            Some(note) => check_text(&place, note)?,
            None if pairing.running || !pairing.outcomes.is_empty() => {
                let what = "play has begun, and everybody stays at their board";
                let todo = "a director may correct who sits where, with a note";
                let rule = self.rule(&section, Topic::SwitchingBoards);
                return Err(Refusal::new(TooLate, place, what, todo).by_rule(rule));
            }
            None => {}
        }
        self.pairing_mut(id)?.seats = seats.to_vec();
        Ok(vec![Change::Seats(id), Change::Standings(section)])
    }

    /// Two players of different sides for chess; for bughouse all four, partners at different boards with opposite
    /// colours.
    fn check_seats(&self, pairing: &Pairing, seats: &[PlayerId]) -> Result<(), Refusal> {
        let place = pairing.place();
        let sides = self.side_players(pairing)?;
        let expected: BTreeSet<PlayerId> = sides.iter().flatten().copied().collect();
        let given: BTreeSet<PlayerId> = seats.iter().copied().collect();
        if let Some(stranger) = given.difference(&expected).next() {
            let what = format!("{stranger} is not in this pairing");
            return Err(Refusal::new(Contradicts, place, what, "seat the players of the pairing"));
        }
        if seats.len() != expected.len() || given.len() != expected.len() {
            let what = format!("the {} players of the pairing sit down once each", expected.len());
            return Err(Refusal::new(Contradicts, place, what, "name every player once"));
        }
        if seats.len() == Seat::ALL.len() {
            let with = |seat: Seat| seats[seat.index()];
            let together = |seat: Seat| {
                let partner = with(seat.partner());
                sides.iter().any(|side| side.contains(&with(seat)) && side.contains(&partner))
            };
            if !Seat::ALL.into_iter().all(together) {
                let what = "partners have opposite colours, one at each board";
                let todo = "let one partner of each side change places with the other side's";
                let rule = self.rule(&pairing.section, Topic::Colours);
                return Err(Refusal::new(Contradicts, place, what, todo).by_rule(rule));
            }
        }
        Ok(())
    }

    /// The players of some pairing numbers of a section.
    #[must_use]
    pub fn players_of(&self, section: &str, numbers: &[EntrantNumber]) -> Vec<PlayerId> {
        let mut players = Vec::new();
        for &number in numbers {
            match self.entrant(section, number).map(|entrant| entrant.entry) {
                Ok(Entry::Player(player)) => players.push(player),
                Ok(Entry::Team(team)) => {
                    players.extend(self.teams.get(&team).into_iter().flat_map(|it| it.members));
                }
                Err(_) => {}
            }
        }
        players
    }

    /// The players of each side.
    pub(crate) fn side_players(&self, pairing: &Pairing) -> Result<[Vec<PlayerId>; 2], Refusal> {
        let mut players = [Vec::new(), Vec::new()];
        for (side, into) in pairing.sides.iter().zip(&mut players) {
            for &number in side {
                match self.entrant(&pairing.section, number)?.entry {
                    Entry::Player(player) => into.push(player),
                    Entry::Team(team) => into.extend(self.team(team)?.members),
                }
            }
        }
        Ok(players)
    }

    /// Seats: the chosen ones, or else those of the pairing list. There the first side is team 1, in chess White, and of a
    /// team the first member sits at A.
    #[must_use]
    pub fn seats(&self, id: PairingId) -> Vec<PlayerId> {
        let Ok(pairing) = self.pairing(id) else { return Vec::new() };
        if !pairing.seats.is_empty() {
            return pairing.seats.clone();
        }
        match self.side_players(pairing) {
            Ok([first, second]) => match (&first[..], &second[..]) {
                (&[white_a, black_b], &[black_a, white_b]) => {
                    vec![white_a, black_a, white_b, black_b]
                }
                (&[white], &[black]) => vec![white, black],
                _ => Vec::new(),
            },
            Err(_) => Vec::new(),
        }
    }

    /// Whether the first side sits as team 1, which it does until seats are chosen otherwise; none where there is no such pairing.
    #[must_use]
    pub fn first_side_is_team_one(&self, id: PairingId) -> Option<bool> {
        let pairing = self.pairing(id).ok()?;
        if pairing.seats.is_empty() {
            return Some(true);
        }
        let sides = self.side_players(pairing).ok()?;
        // For a team whose member was replaced since, the other member decides.
        let seated = |side: usize| {
            let team_one = Seat::ALL.into_iter().filter(|seat| seat.team() == rules::Team::One);
            let mut players = team_one.filter_map(|seat| pairing.seats.get(seat.index()));
            players.any(|player| sides[side].contains(player))
        };
        [(0, true), (1, false)].into_iter().find_map(|(side, first)| seated(side).then_some(first))
    }

    pub(crate) fn start_match(&mut self, id: PairingId) -> Handled {
        let pairing = self.pairing(id)?;
        let games = usize::from(self.section(&pairing.section)?.terms.games_per_round);
        if pairing.confirmed || pairing.outcomes.len() >= games {
            let todo = "supersede the result if it is to be played again";
            return Err(Refusal::new(TooLate, pairing.place(), "it has a result", todo));
        }
        let at_table = |other: &&Pairing| other.running && other.table == pairing.table;
        if let Some(other) = self.pairings.values().find(at_table) {
            let what = format!("a match runs there: {}", other.place());
            return Err(Refusal::new(Running, pairing.place(), what, "end that one first"));
        }
        let pairing = self.pairing_mut(id)?;
        (pairing.said.running, pairing.said.ended) = (true, false);
        pairing.follow();
        Ok(vec![Change::Result(id)])
    }

    pub(crate) fn end_match(&mut self, id: PairingId) -> Handled {
        let pairing = self.pairing(id)?;
        if !pairing.running {
            let todo = "say that it started first";
            return Err(Refusal::new(Contradicts, pairing.place(), "no match runs", todo));
        }
        let pairing = self.pairing_mut(id)?;
        (pairing.said.running, pairing.said.ended) = (false, pairing.played.running);
        pairing.follow();
        Ok(vec![Change::Result(id)])
    }

    /// Players report after the match. What a director enters ends it although a clock may run; not where somebody stated that it runs.
    pub(crate) fn enter_result(
        &mut self,
        by: Role,
        id: PairingId,
        outcomes: &[Outcome],
    ) -> Handled {
        let pairing = self.pairing(id)?;
        if pairing.confirmed {
            let todo = "supersede it, with a note, or take it back";
            return Err(Refusal::new(TooLate, pairing.place(), "the result is confirmed", todo));
        }
        let runs = if by == Role::Player { pairing.running } else { pairing.said.running };
        if runs {
            let todo = "wait for its end, or have a director end it";
            return Err(Refusal::new(Running, pairing.place(), "the match still runs", todo));
        }
        self.check_terms(pairing, outcomes)?;
        let entered = Some((self.next_number(), outcomes.to_vec()));
        self.say(id, |said| (said.entered, said.confirmed) = (entered, None))
    }

    pub(crate) fn withdraw_result(&mut self, id: PairingId, note: &str) -> Handled {
        let pairing = self.pairing(id)?;
        check_text(&pairing.place(), note)?;
        if pairing.said.entered.is_none() && pairing.said.confirmed.is_none() {
            let what = "no result was entered for the pairing itself";
            let todo = "take it back where it was entered: on the page of its match";
            return Err(Refusal::new(Contradicts, pairing.place(), what, todo));
        }
        self.say(id, |said| (said.entered, said.confirmed) = (None, None))
    }

    pub(crate) fn confirm_result(&mut self, id: PairingId) -> Handled {
        let pairing = self.pairing(id)?;
        let games = usize::from(self.section(&pairing.section)?.terms.games_per_round);
        let refuse =
            |kind, what: String, todo: &str| Err(Refusal::new(kind, pairing.place(), what, todo));
        if pairing.said.running {
            return refuse(Running, "the match still runs".to_owned(), "end it first");
        }
        if pairing.confirmed {
            return refuse(Taken, "the result is confirmed already".to_owned(), "go on");
        }
        if pairing.outcomes.len() != games {
            let what = format!("{} of {games} games have a result", pairing.outcomes.len());
            return refuse(Contradicts, what, "enter the results first");
        }
        let confirmed = Some((self.next_number(), pairing.outcomes.clone()));
        // A confirmed result is kept apart from later reports of the sides.
        let is_reported = pairing.result_source() == Some(ResultSource::Sides);
        self.say(id, |said| {
            if is_reported {
                said.entered.clone_from(&confirmed);
            }
            said.confirmed = confirmed;
        })
    }

    pub(crate) fn supersede_result(
        &mut self,
        id: PairingId,
        outcomes: &[Outcome],
        note: &str,
    ) -> Handled {
        let pairing = self.pairing(id)?;
        check_text(&pairing.place(), note)?;
        if !pairing.confirmed {
            let what = "no result is confirmed yet";
            return Err(Refusal::new(Contradicts, pairing.place(), what, "enter and confirm it"));
        }
        self.check_terms(pairing, outcomes)?;
        let games = usize::from(self.section(&pairing.section)?.terms.games_per_round);
        if outcomes.len() != games {
            let what = format!("{} results stand for {games} games", outcomes.len());
            return Err(Refusal::new(Contradicts, pairing.place(), what, "give one for each"));
        }
        let superseding = Some((self.next_number(), outcomes.to_vec()));
        let confirmed = superseding.clone();
        self.say(id, |said| (said.entered, said.confirmed) = (superseding, confirmed))
    }

    /// Checks that the section's terms allow a result.
    pub(crate) fn check_terms(
        &self,
        pairing: &Pairing,
        outcomes: &[Outcome],
    ) -> Result<(), Refusal> {
        let terms = &self.section(&pairing.section)?.terms;
        let place = pairing.place();
        let games = usize::from(terms.games_per_round);
        if outcomes.is_empty() || outcomes.len() > games {
            let what = format!("{} results stand for {games} games", outcomes.len());
            return Err(Refusal::new(OutOfBounds, place, what, "give one for each game"));
        }
        if terms.game == SectionKind::RotatingPartners && pairing.seats.is_empty() {
            let what =
                "the seats of this pairing are not known, and players score by their boards here";
            let todo = "choose the seats first; a list of pairings has them in columns White A, Black A, White B and Black B";
            return Err(Refusal::new(Contradicts, place, what, todo));
        }
        Ok(())
    }

    /// Applies a statement of a pairing's result.
    pub(crate) fn say(&mut self, id: PairingId, what: impl FnOnce(&mut Said)) -> Handled {
        let pairing = self.pairing_mut(id)?;
        what(&mut pairing.said);
        pairing.follow();
        let section = pairing.section.clone();
        Ok(vec![Change::Result(id), Change::Standings(section)])
    }

    pub(crate) fn pairing(&self, id: PairingId) -> Result<&Pairing, Refusal> {
        match self.pairings.get(&id) {
            None => Err(Refusal::new(Unknown, id, "there is no such pairing", "correct the id")),
            Some(Pairing { withdrawn: Some(note), .. }) => {
                let what = format!("the pairing is withdrawn: {note}");
                Err(Refusal::new(TooLate, id, what, "make a new one"))
            }
            Some(pairing) => Ok(pairing),
        }
    }

    fn pairing_mut(&mut self, id: PairingId) -> Result<&mut Pairing, Refusal> {
        let unknown = || Refusal::new(Unknown, id, "there is no such pairing", "correct the id");
        self.pairings.get_mut(&id).ok_or_else(unknown)
    }
}

/// A pairing may be changed or withdrawn until it has a result. That a clock runs at its table does not prevent it: children play for fun there,
/// or sit at each other's tables.
pub(crate) fn check_unplayed(pairing: &Pairing) -> Result<(), Refusal> {
    check_nothing_said(pairing)?;
    refuse_result(pairing, !pairing.outcomes.is_empty())
}

/// Whether a pairing has neither a reported start nor a result.
pub(crate) fn check_nothing_said(pairing: &Pairing) -> Result<(), Refusal> {
    let said = &pairing.said;
    if said.running {
        let todo = "wait for its end";
        return Err(Refusal::new(Running, pairing.place(), "the match runs", todo));
    }
    refuse_result(pairing, said.entered.is_some() || said.confirmed.is_some())
}

fn refuse_result(pairing: &Pairing, has_result: bool) -> Result<(), Refusal> {
    let todo = "take the result back first, or supersede it";
    match has_result {
        true => Err(Refusal::new(TooLate, pairing.place(), "it has a result", todo)),
        false => Ok(()),
    }
}

/// The part of an outside text that an error quotes.
fn short(text: &str) -> String {
    text.chars().take(crate::limits::TEXT_CHARACTERS_MAX).collect()
}
