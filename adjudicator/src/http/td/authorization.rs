//! What somebody may do, by rank and scope. What is refused here is not logged.

use event::{Deed, Names, PairingId};

use super::session::Session;
use crate::{
    hall::{Game, Hall, acts::Decided, event::staff::Rank},
    views::needs::{Need, Urgency},
};

/// What somebody does with an item of the list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SeeTo {
    Take,
    GiveBack,
    PutAway,
}

/// Most deeds about the event in one act of somebody who takes no organiser's files: pages send one.
const DEEDS_MAX: usize = 64;

/// Why somebody may not.
pub(super) type May = Result<(), String>;

impl Session {
    fn at_least(&self, rank: Rank, what: &str) -> May {
        match self.actor.rank >= rank {
            true => Ok(()),
            false => Err(format!("{what} is for a {} or higher", rank_words(rank))),
        }
    }

    /// Whether people and devices are this person's to see about.
    pub(super) fn may_manage_staff(&self) -> May {
        self.at_least(Rank::Chief, "inviting people and shutting devices out")
    }

    /// Whether this person may have the firmware of all nodes updated.
    pub(super) fn may_update_nodes(&self) -> May {
        self.at_least(Rank::Chief, "updating the firmware of all nodes")
    }

    /// Whether this person may accept hubs and place nodes.
    pub(super) fn may_set_up_hubs(&self) -> May {
        self.at_least(Rank::Chief, "accepting hubs and placing nodes")
    }

    /// Whether an organiser's file may be taken.
    pub(super) fn may_import(&self) -> May {
        self.at_least(Rank::SectionChief, "taking an organiser's file")
    }

    /// Whether a match is this person's.
    pub(super) fn may_decide(
        &self,
        hall: &Hall,
        match_id: &str,
        as_team: bool,
        decided: &Decided,
    ) -> May {
        let Some(game) = hall.game(match_id) else {
            return Err(format!("there is no match {match_id}"));
        };
        let section = hall.section_of(&game.table, Some(game));
        if !self.scope.has(&game.table, section.as_deref()) {
            return Err(format!("table {} is not yours", game.table));
        }
        let for_teams = matches!(
            decided,
            Decided::EnterResult { .. } | Decided::Confirm | Decided::Appeal { .. }
        );
        match (as_team, for_teams) {
            (true, true) => Ok(()),
            (true, false) => {
                Err("a team enters and signs results and appeals; directors do the rest".to_owned())
            }
            // Teams or a director confirm what a scorekeeper enters, and the referee lets nobody below a director take back another's.
            (false, _) => match decided {
                Decided::EnterResult { .. } | Decided::Withdraw { .. } => Ok(()),
                _ => self.at_least(Rank::Floor, "deciding"),
            },
        }
    }

    /// Whether the clocks of a match are this person's to command.
    pub(super) fn may_order(&self, hall: &Hall, match_id: &str) -> May {
        self.at_least(Rank::Floor, "asking something of a table")?;
        self.may_decide(hall, match_id, false, &Decided::Confirm)
    }

    /// Whether a match may be bound to a pairing: its result is that pairing's then, so both are to be this person's.
    pub(super) fn may_bind(&self, hall: &Hall, match_id: &str, pairing: Option<PairingId>) -> May {
        self.at_least(Rank::Floor, "saying whose match it is")?;
        self.may_decide(hall, match_id, false, &Decided::Confirm)?;
        let before = hall.game(match_id).and_then(|game| game.pairing);
        before.into_iter().chain(pairing).try_for_each(|id| self.may_see_about(hall, id))
    }

    /// Whether an item of the list is this person's to take, to give back or to put away; `need` is the item, if it is on the list.
    pub(super) fn may_see_to(&self, need: Option<&Need>, how: SeeTo) -> May {
        let Some(need) = need else {
            return Err("it is not on the list any more: nobody is needed there".to_owned());
        };
        let is_result = need.urgency == Urgency::Result;
        if !is_result || how == SeeTo::PutAway {
            self.at_least(Rank::Floor, "seeing about this")?;
        }
        if !self.scope.has(&need.table, need.section.as_deref()) {
            return Err(match need.table.as_str() {
                "" => "this concerns the whole hall, and you look after a part of it".to_owned(),
                table => format!("table {table} is not yours"),
            });
        }
        if how == SeeTo::Take {
            // Who is quicker is decided in the log.
            return Ok(());
        }
        if how == SeeTo::PutAway && !need.can_be_put_away() {
            return Err("this stays on the list until it is decided".to_owned());
        }
        let by_another = need
            .taken
            .as_ref()
            .filter(|taken| taken.person != self.actor.person && self.actor.rank <= taken.rank);
        match by_another {
            Some(taken) => Err(format!("{} sees about this", taken.person)),
            None => Ok(()),
        }
    }

    /// Whether the treatment of findings is this person's to choose, in a section or in the whole event.
    pub(super) fn may_treat(&self, section: Option<&str>) -> May {
        self.at_least(Rank::SectionChief, "choosing what becomes of findings")?;
        let is_theirs = match section {
            Some(name) => self.scope.has_section(name),
            None => self.scope.is_everything(),
        };
        match (is_theirs, section) {
            (true, _) => Ok(()),
            (false, Some(name)) => Err(format!("section {name} is not yours")),
            (false, None) => {
                Err("this concerns the whole event, and you look after a part of it".to_owned())
            }
        }
    }

    /// Whether this person may choose what the hall's screens show.
    pub(super) fn may_give_screens(&self) -> May {
        self.at_least(Rank::Floor, "choosing what a screen shows")
    }

    /// Whether this person may choose what the stream shows.
    pub(super) fn may_show(&self, hall: &Hall, table: Option<&str>) -> May {
        self.at_least(Rank::Floor, "choosing what the stream shows")?;
        // What is shown is everybody's: who looks after a part of the hall shows a table of it.
        let is_theirs = |table: &str| {
            let known = hall.tables().named(table);
            let game = known.and_then(|known| hall.game(known.match_id.as_deref()?));
            self.scope.has(table, hall.section_of(table, game).as_deref())
        };
        match table.filter(|table| !is_theirs(table)) {
            None => Ok(()),
            Some(table) => Err(format!("table {table} is not yours")),
        }
    }

    /// Whether deeds about the event are this person's, and about something that there is.
    pub(super) fn may_change_event(&self, hall: &Hall, deeds: &[Deed]) -> May {
        if self.actor.rank < Rank::SectionChief && deeds.len() > DEEDS_MAX {
            return Err(format!("an act has at most {DEEDS_MAX} deeds: split it"));
        }
        // What is made in the same act is not known yet: whoever may make pairings may go on with them.
        let made = deeds.iter().position(|deed| matches!(deed, Deed::PairingMade { .. }));
        let known = hall.event().pairings();
        deeds.iter().enumerate().try_for_each(|(at, deed)| match place_of(deed) {
            ActPlace::Pairing(id)
                if made.is_none_or(|made| at < made) && !known.contains_key(&id) =>
            {
                Err(format!("there is no {id}"))
            }
            _ => self.may_do(hall, deed),
        })
    }

    fn may_do(&self, hall: &Hall, deed: &Deed) -> May {
        let rank = match deed {
            Deed::SeatsChosen { note: None, .. }
            | Deed::ResultEntered { .. }
            | Deed::SideReported { .. } => Rank::Scorekeeper,
            Deed::SeatsChosen { .. }
            | Deed::ResultConfirmed { .. }
            | Deed::ResultWithdrawn { .. }
            | Deed::EntrantWithdrawn { .. }
            | Deed::EntrantReturned { .. }
            | Deed::ByeGiven { .. }
            | Deed::ByeTakenBack { .. }
            | Deed::PairingChanged { .. }
            | Deed::EntrantsExchanged { .. }
            | Deed::TablesExchanged { .. }
            | Deed::RoundTimed { .. }
            | Deed::PairingWithdrawn { .. } => Rank::Floor,
            _ => Rank::SectionChief,
        };
        self.at_least(rank, "this")?;
        match deed {
            Deed::PairingMade { section, table, .. } => self.may_play_at(hall, table, section)?,
            Deed::PairingChanged { pairing, table, .. } => {
                let known = hall.event().pairings().get(pairing);
                known.map_or(Ok(()), |known| self.may_play_at(hall, table, &known.section))?;
            }
            _ => {}
        }
        match place_of(deed) {
            ActPlace::Hall => match self.scope.is_everything() {
                true => Ok(()),
                false => {
                    Err("this concerns the whole event, and you look after a part of it".to_owned())
                }
            },
            ActPlace::Section(section) => match self.scope.has_section(section) {
                true => Ok(()),
                false => Err(format!("section {section} is not yours")),
            },
            ActPlace::Pairing(id) => self.may_see_about(hall, id),
            ActPlace::Pairings(ids) => {
                ids.into_iter().try_for_each(|id| self.may_see_about(hall, id))
            }
        }
    }

    /// Whether a pairing of a section may be played at a table: at one that is this person's, or at one that is no other section's.
    fn may_play_at(&self, hall: &Hall, table: &str, section: &str) -> May {
        let of = hall.section_of(table, None);
        match self.scope.has(table, of.as_deref().or(Some(section))) {
            true => Ok(()),
            false => Err(format!("table {table} is not yours")),
        }
    }

    /// Whether a match and all that is shown of it is this person's to look at: evidence and names of children are for those who look after
    /// them.
    pub(super) fn may_look_at(&self, hall: &Hall, game: &Game) -> May {
        match self.scope.has(&game.table, hall.section_of(&game.table, Some(game)).as_deref()) {
            true => Ok(()),
            false => Err(format!("table {} is not yours", game.table)),
        }
    }

    /// Whether the names of those who play in a section, or at one of its tables, are this person's to know.
    pub(super) fn names_of(&self, section: &str, table: Option<&str>) -> Names {
        let is_theirs = match table {
            Some(table) => self.scope.has(table, Some(section)),
            None => self.scope.has_section(section),
        };
        if is_theirs { Names::Shown } else { Names::Hidden }
    }

    /// Whether an item of the list is shown to this person: what a board seems to have shown, and nobody has claimed, only to whom the table
    /// belongs. All the rest is for everybody, so that somebody goes.
    pub(super) fn is_told_of(&self, need: &Need) -> bool {
        let is_of_table = matches!(need.urgency, Urgency::Silent | Urgency::Evidence);
        !is_of_table || self.scope.has(&need.table, need.section.as_deref())
    }

    fn may_see_about(&self, hall: &Hall, id: PairingId) -> May {
        // What does not exist is refused by the event, with its reason.
        let Some(pairing) = hall.event().pairings().get(&id) else { return Ok(()) };
        match self.scope.has(&pairing.table, Some(&pairing.section)) {
            true => Ok(()),
            false => Err(format!("table {} is not yours", pairing.table)),
        }
    }
}

enum ActPlace<'a> {
    Hall,
    Section(&'a str),
    Pairing(PairingId),
    Pairings([PairingId; 2]),
}

fn place_of(deed: &Deed) -> ActPlace<'_> {
    match deed {
        Deed::Named { .. }
        | Deed::TablesListed { .. }
        | Deed::PlayerEntered { .. }
        | Deed::PlayerListed { .. }
        | Deed::PlayerRenamed { .. }
        | Deed::TeamRenamed { .. }
        | Deed::TeamMade { .. }
        | Deed::MemberReplaced { .. }
        | Deed::EntrantMoved { .. }
        | Deed::SectionsMerged { .. }
        | Deed::Announced { section: None, .. }
        | Deed::AnnouncementEnded { .. }
        | Deed::ConsentGiven { .. }
        | Deed::LinkGiven { .. }
        | Deed::LinkRevoked { .. }
        | Deed::PairingsFollowed { .. }
        | Deed::TableLinkGiven { .. }
        | Deed::TableLinkRevoked { .. } => ActPlace::Hall,
        Deed::SectionOpened { section, .. }
        | Deed::SectionChanged { section, .. }
        | Deed::EntrantAdded { section, .. }
        | Deed::EntrantWithdrawn { section, .. }
        | Deed::EntrantReturned { section, .. }
        | Deed::ByeGiven { section, .. }
        | Deed::ByeTakenBack { section, .. }
        | Deed::RoundOpened { section, .. }
        | Deed::PairingMade { section, .. }
        | Deed::CoinTossHeld { section, .. }
        | Deed::CoinTossTakenBack { section, .. }
        | Deed::Announced { section: Some(section), .. }
        | Deed::RoundTimed { section, .. }
        | Deed::SectionRenamed { section, .. }
        | Deed::SectionRemoved { section }
        | Deed::EntrantRemoved { section, .. } => ActPlace::Section(section),
        Deed::EntrantsExchanged { pairings, .. } | Deed::TablesExchanged { pairings } => {
            ActPlace::Pairings(*pairings)
        }
        Deed::PairingChanged { pairing, .. }
        | Deed::PairingWithdrawn { pairing, .. }
        | Deed::SeatsChosen { pairing, .. }
        | Deed::MatchStarted { pairing }
        | Deed::MatchEnded { pairing }
        | Deed::ResultEntered { pairing, .. }
        | Deed::SideReported { pairing, .. }
        | Deed::ResultConfirmed { pairing }
        | Deed::ResultSuperseded { pairing, .. }
        | Deed::ResultWithdrawn { pairing, .. } => ActPlace::Pairing(*pairing),
    }
}

fn rank_words(rank: Rank) -> &'static str {
    match rank {
        Rank::Scorekeeper => "scorekeeper",
        Rank::Floor => "floor director",
        Rank::SectionChief => "section chief",
        Rank::Chief => "chief director",
    }
}
