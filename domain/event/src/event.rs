//! The event: the fold over its acts.

use std::collections::BTreeMap;

use rules::rulebook::{Cite, Topic};

use crate::{
    Announcement, Change, Consent, Deed, EventAct, MessageLanguage, PairingId, Player, PlayerId,
    Refusal, RefusalKind, Section, TableLink, Team, TeamId,
    index::Index,
    invisible::is_invisible,
    limits::{ACTS_MAX, TEXT_CHARACTERS_MAX},
    state::Pairing,
};

/// The state that an event's acts have made. Replaying [`acts`](Event::acts) makes the same event again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    acts: Vec<EventAct>,
    pub(crate) name: String,
    pub(crate) tables: Vec<String>,
    pub(crate) players: BTreeMap<PlayerId, Player>,
    pub(crate) teams: BTreeMap<TeamId, Team>,
    pub(crate) sections: BTreeMap<String, Section>,
    pub(crate) pairings: BTreeMap<PairingId, Pairing>,
    pub(crate) announcements: Vec<Announcement>,
    pub(crate) consents: BTreeMap<PlayerId, Consent>,
    /// Digests of the links by which families follow their children.
    pub(crate) links: BTreeMap<PlayerId, String>,
    /// Children whose families get their pairings.
    pub(crate) followed: BTreeMap<PlayerId, MessageLanguage>,
    /// Links by which sides report at their tables, by table.
    pub(crate) table_links: BTreeMap<String, TableLink>,
    pub(crate) index: Index,
}

/// The outcome of one deed.
pub(crate) type Handled = Result<Vec<Change>, Refusal>;

impl Event {
    /// Applies one act, and returns its changes. A repeated act changes nothing.
    ///
    /// # Errors
    ///
    /// When the act cannot be; the event is then as it was.
    pub fn handle(&mut self, act: EventAct) -> Handled {
        let next = self.next_number();
        let place = format!("act {}", act.number);
        let index = usize::try_from(act.number).ok().and_then(|number| number.checked_sub(1));
        if index.and_then(|index| self.acts.get(index)) == Some(&act) {
            return Ok(Vec::new());
        }
        if act.number != next {
            let what = format!("the next act has the number {next}");
            let todo = "read the log again and give the act that number";
            return Err(Refusal::new(RefusalKind::Taken, place, what, todo));
        }
        if self.acts.len() >= ACTS_MAX {
            let what = format!("an event has at most {ACTS_MAX} acts");
            return Err(Refusal::new(
                RefusalKind::OutOfBounds,
                place,
                what,
                "go on in another event",
            ));
        }
        check_text("author", &act.by.name)?;
        let least = act.deed.least_role();
        if act.by.role < least {
            let what = "players may only choose seats and enter results";
            let todo = "ask a director to do it";
            return Err(Refusal::new(RefusalKind::NotAllowed, place, what, todo));
        }
        let changes = self.take(&act)?;
        self.acts.push(act);
        Ok(changes)
    }

    /// Takes all acts or none.
    ///
    /// # Errors
    ///
    /// The index of the first act that cannot be, and why; the event is then as it was.
    pub fn apply_all(
        &mut self,
        acts: impl IntoIterator<Item = EventAct>,
    ) -> Result<Vec<Change>, (usize, Refusal)> {
        let mut trial = self.clone();
        let mut changes = Vec::new();
        for (index, act) in acts.into_iter().enumerate() {
            changes.extend(trial.handle(act).map_err(|refusal| (index, refusal))?);
        }
        *self = trial;
        changes.sort_unstable();
        changes.dedup();
        Ok(changes)
    }

    /// Dispatch of deeds to their functions.
    fn take(&mut self, act: &EventAct) -> Handled {
        match &act.deed {
            Deed::Named { name } => {
                check_text("event", name)?;
                self.name.clone_from(name);
                Ok(vec![Change::Name])
            }
            Deed::TablesListed { tables } => self.list_tables(tables),
            Deed::PlayerEntered { player, name, club } => {
                self.enter_player(*player, name, club.as_deref())
            }
            Deed::PlayerListed { player, id, rating } => {
                self.list_player(*player, id.as_deref(), *rating)
            }
            Deed::PlayerRenamed { player, name, note } => {
                self.rename_player(&act.by, *player, name, note.as_deref())
            }
            Deed::TeamRenamed { team, name, note } => {
                self.rename_team(&act.by, *team, name, note.as_deref())
            }
            Deed::TeamMade { team, name, members } => self.make_team(*team, name, *members),
            Deed::MemberReplaced { team, leaves, joins, note } => {
                self.replace_member(&act.by, *team, *leaves, *joins, note.as_deref())
            }
            Deed::SectionOpened { section, terms } => self.open_section(section, terms),
            Deed::SectionChanged { section, terms } => self.change_section(section, terms),
            Deed::EntrantAdded { section, number, entry, from_round } => {
                self.add_entrant(section, *number, *entry, *from_round)
            }
            Deed::EntrantWithdrawn { section, number, from_round } => {
                self.withdraw_entrant(section, *number, *from_round)
            }
            Deed::EntrantReturned { section, number } => self.return_entrant(section, *number),
            Deed::ByeGiven { section, number, round, bye } => {
                self.give_bye(section, *number, *round, *bye)
            }
            Deed::ByeTakenBack { section, number, round } => {
                self.take_back_bye(section, *number, *round)
            }
            Deed::CoinTossHeld { section, order } => self.hold_coin_toss(section, order),
            Deed::CoinTossTakenBack { section, order } => self.take_back_coin_toss(section, order),
            Deed::RoundOpened { section, round } => self.open_round(section, *round),
            Deed::PairingMade { pairing, section, round, table, board, sides } => {
                self.make_pairing(*pairing, section, *round, table, *board, sides)
            }
            Deed::PairingChanged { pairing, table, board, sides } => {
                self.change_pairing(*pairing, table, *board, sides)
            }
            Deed::PairingWithdrawn { pairing, note } => self.withdraw_pairing(*pairing, note),
            Deed::SeatsChosen { pairing, seats, note } => {
                self.choose_seats(*pairing, seats, note.as_deref())
            }
            Deed::MatchStarted { pairing } => self.start_match(*pairing),
            Deed::MatchEnded { pairing } => self.end_match(*pairing),
            Deed::ResultEntered { pairing, outcomes } => {
                self.enter_result(act.by.role, *pairing, outcomes)
            }
            Deed::ResultConfirmed { pairing } => self.confirm_result(*pairing),
            Deed::ResultSuperseded { pairing, outcomes, note } => {
                self.supersede_result(*pairing, outcomes, note)
            }
            Deed::ResultWithdrawn { pairing, note } => self.withdraw_result(*pairing, note),
            Deed::SectionRenamed { section, name } => self.rename_section(section, name),
            Deed::SectionRemoved { section } => self.remove_section(section),
            Deed::SectionsMerged { section, into } => self.merge_sections(section, into),
            Deed::EntrantRemoved { section, number } => self.remove_entrant(section, *number),
            Deed::EntrantMoved { section, number, to, as_number, from_round } => {
                self.move_entrant(section, *number, to, *as_number, *from_round)
            }
            Deed::EntrantsExchanged { pairings, numbers } => {
                self.exchange_entrants(*pairings, *numbers)
            }
            Deed::TablesExchanged { pairings } => self.exchange_tables(*pairings),
            Deed::Announced { text, section } => self.announce(text, section.as_deref()),
            Deed::AnnouncementEnded { text } => self.end_announcement(text),
            Deed::RoundTimed { section, round, starts_ms } => {
                self.time_round(section, *round, *starts_ms)
            }
            Deed::ConsentGiven { player, consent } => self.consent_to(*player, *consent),
            Deed::LinkGiven { player, digest } => self.give_link(*player, digest),
            Deed::LinkRevoked { player } => self.revoke_link(*player),
            Deed::PairingsFollowed { player, language } => self.follow_pairings(*player, *language),
            Deed::SideReported { pairing, side, outcomes } => {
                self.report_side(*pairing, *side, outcomes)
            }
            Deed::TableLinkGiven { table, digest } => self.give_table_link(table, digest),
            Deed::TableLinkRevoked { table } => self.revoke_table_link(table),
        }
    }

    /// The acts so far.
    #[must_use]
    pub fn acts(&self) -> &[EventAct] {
        &self.acts
    }

    /// The number that the next act has.
    #[must_use]
    pub fn next_number(&self) -> u64 {
        self.acts.last().map_or(1, |act| act.number + 1)
    }

    /// The event's name; empty until it has one.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The tables of the hall.
    #[must_use]
    pub fn tables(&self) -> &[String] {
        &self.tables
    }

    /// The players by id.
    #[must_use]
    pub const fn players(&self) -> &BTreeMap<PlayerId, Player> {
        &self.players
    }

    /// The teams by id.
    #[must_use]
    pub const fn teams(&self) -> &BTreeMap<TeamId, Team> {
        &self.teams
    }

    /// The sections by name.
    #[must_use]
    pub const fn sections(&self) -> &BTreeMap<String, Section> {
        &self.sections
    }

    /// The pairings by id, those that were withdrawn too.
    #[must_use]
    pub const fn pairings(&self) -> &BTreeMap<PairingId, Pairing> {
        &self.pairings
    }

    /// The section with a name.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn section(&self, name: &str) -> Result<&Section, Refusal> {
        self.sections.get(name).ok_or_else(|| unknown_section(self.sections.keys(), name))
    }

    /// The pairings of a round of a section that are to be played, by id.
    pub fn round<'event>(
        &'event self,
        section: &'event str,
        round: u8,
    ) -> impl Iterator<Item = (PairingId, &'event Pairing)> {
        let ids = self.index.round(section, round).iter();
        let known = ids.filter_map(|&id| Some((id, self.pairings.get(&id)?)));
        known.filter(|(_, pairing)| pairing.withdrawn.is_none())
    }

    /// A rule of a section's rulebook.
    pub(crate) fn rule(&self, section: &str, topic: Topic) -> Option<Cite> {
        self.sections.get(section)?.terms.rulebook.book().cite(topic)
    }
}

fn unknown_section<'a>(known: impl Iterator<Item = &'a String>, name: &str) -> Refusal {
    let known: Vec<&str> = known.map(String::as_str).collect();
    let todo = if known.is_empty() {
        "open it first".to_owned()
    } else {
        format!("open it first, or name one of: {}", known.join(", "))
    };
    let name: String = name.chars().take(TEXT_CHARACTERS_MAX).collect();
    let what = "there is no such section";
    Refusal::new(RefusalKind::Unknown, format!("section {name}"), what, todo)
}

/// A text from outside: not empty, not too long, on one line.
pub(crate) fn check_text(place: &str, text: &str) -> Result<(), Refusal> {
    let refuse = |what: String| {
        let todo = "write it again";
        Err(Refusal::new(RefusalKind::OutOfBounds, place, what, todo))
    };
    if text.trim().is_empty() {
        return refuse("a text is empty".to_owned());
    }
    if text.chars().nth(TEXT_CHARACTERS_MAX).is_some() {
        return refuse(format!("a text is longer than {TEXT_CHARACTERS_MAX} characters"));
    }
    if text.chars().any(char::is_control) {
        return refuse("a text has a control character or a line break".to_owned());
    }
    if let Some(hidden) = text.chars().find(|character| is_invisible(*character)) {
        let number = u32::from(hidden);
        return refuse(format!(
            "a text has an invisible character (U+{number:04X}), which can show it as another"
        ));
    }
    Ok(())
}
