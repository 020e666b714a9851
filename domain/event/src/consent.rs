//! Consent of a child's family: how the child is named in public, and a link by which the family follows this one child.
//!
//! A link is known by the digest of its secret alone: a reader of the event's file cannot follow any child. A revoked link ends at once.

use std::collections::BTreeMap;

use rules::standings::EntrantNumber;
use serde::{Deserialize, Serialize};

use crate::{Change, Entry, Event, Names, PlayerId, Refusal, RefusalKind::Unknown, event::Handled};

/// Name of a child in public, whatever the event shows of others; the most of it first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Consent {
    /// By the whole name.
    Name,
    /// By the first name.
    FirstName,
    /// By the pairing number alone.
    Number,
}

/// Language in which a family gets its child's pairings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MessageLanguage {
    /// English.
    En,
    /// Spanish.
    Es,
}

/// A family that gets its child's pairings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Follower<'a> {
    /// The child.
    pub player: PlayerId,
    /// Digest of its link's secret.
    pub digest: &'a str,
    /// Language of the messages.
    pub language: MessageLanguage,
}

impl Event {
    /// Families that get their children's pairings: those with a valid link that have asked for it.
    pub fn followers(&self) -> impl Iterator<Item = Follower<'_>> {
        self.followed.iter().filter_map(|(&player, &language)| {
            Some(Follower { player, digest: self.links.get(&player)?, language })
        })
    }

    /// Whether a player's family gets the pairings.
    #[must_use]
    pub fn is_followed(&self, player: PlayerId) -> bool {
        self.followed.contains_key(&player) && self.has_link(player)
    }

    /// Consent of a family; none before it has chosen.
    #[must_use]
    pub fn consent(&self, player: PlayerId) -> Option<Consent> {
        self.consents.get(&player).copied()
    }

    /// Players of whom a later state of the event shows less in public, and what it shows. `otherwise`: as of [`Names::Consented`].
    #[must_use]
    pub fn narrowed_by(&self, later: &Event, otherwise: bool) -> BTreeMap<PlayerId, Consent> {
        let unchosen = if otherwise { Consent::Name } else { Consent::Number };
        let narrowed = |&player: &PlayerId| {
            let then = self.consent(player).unwrap_or(unchosen);
            let now = match later.players.contains_key(&player) {
                true => later.consent(player).unwrap_or(unchosen),
                false => Consent::Number,
            };
            (now > then).then_some((player, now))
        };
        self.players.keys().filter_map(narrowed).collect()
    }

    /// Shows less of some players' names.
    pub fn narrow(&mut self, narrowed: &BTreeMap<PlayerId, Consent>) {
        self.consents.extend(narrowed);
    }

    /// Whether a link to follow a player is out.
    #[must_use]
    pub fn has_link(&self, player: PlayerId) -> bool {
        self.links.contains_key(&player)
    }

    /// The player whom the link of this digest is for.
    #[must_use]
    pub fn linked(&self, digest: &str) -> Option<PlayerId> {
        self.links.iter().find(|(_, known)| *known == digest).map(|(player, _)| *player)
    }

    /// Name of a player for the family that follows them.
    #[must_use]
    pub fn first_name(&self, player: PlayerId) -> Option<String> {
        self.players.get(&player).map(|known| first_name(known.name.reveal()))
    }

    /// The section and pairing number with which a player plays: their own, or their team's.
    #[must_use]
    pub fn place_of_player(&self, player: PlayerId) -> Option<(&str, EntrantNumber)> {
        let of_team = self.team_of(player).map(Entry::Team);
        self.index.place_of(of_team.unwrap_or(Entry::Player(player)))
    }

    /// A player's name as far as a reader may have it.
    #[must_use]
    pub fn person_name(&self, player: PlayerId, names: Names) -> Option<String> {
        let name = self.players.get(&player)?.name.reveal();
        let whole = || Some(name.to_owned());
        match (names, self.consent(player)) {
            (Names::Hidden, _) => None,
            (Names::Shown, _) => whole(),
            (Names::Consented { .. }, Some(Consent::Name)) => whole(),
            (Names::Consented { .. }, Some(Consent::FirstName)) => Some(first_name(name)),
            (Names::Consented { .. }, Some(Consent::Number)) => None,
            (Names::Consented { otherwise }, None) => whole().filter(|_| otherwise),
        }
    }

    pub(crate) fn consent_to(&mut self, player: PlayerId, consent: Option<Consent>) -> Handled {
        self.player(player)?;
        match consent {
            Some(consent) => self.consents.insert(player, consent),
            None => self.consents.remove(&player),
        };
        Ok(vec![Change::People])
    }

    pub(crate) fn give_link(&mut self, player: PlayerId, digest: &str) -> Handled {
        self.player(player)?;
        self.check_digest(&player.to_string(), digest)?;
        self.links.insert(player, digest.to_owned());
        // The holder of the new link may not be the one who asked for messages.
        self.followed.remove(&player);
        Ok(vec![Change::People])
    }

    pub(crate) fn follow_pairings(
        &mut self,
        player: PlayerId,
        language: Option<MessageLanguage>,
    ) -> Handled {
        if !self.has_link(player) {
            let todo = "make a link for the family first";
            return Err(Refusal::new(Unknown, player, "no link is out", todo));
        }
        match language {
            Some(language) => self.followed.insert(player, language),
            None => self.followed.remove(&player),
        };
        Ok(vec![Change::People])
    }

    pub(crate) fn revoke_link(&mut self, player: PlayerId) -> Handled {
        self.player(player)?;
        match self.links.remove(&player) {
            Some(_) => Ok(vec![Change::People]),
            None => Err(Refusal::new(Unknown, player, "no link is out", "leave it at that")),
        }
    }
}

/// `Ana` of `Ana Avalos` and of `Avalos, Ana`.
fn first_name(name: &str) -> String {
    let given = name.split_once(',').map_or(name, |(_, given)| given);
    given.split_whitespace().next().unwrap_or(name).to_owned()
}
