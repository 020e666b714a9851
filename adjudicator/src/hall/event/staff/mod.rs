//! Directors and scorekeepers: who was invited, on which devices they act, and what is theirs.
//!
//! A person is invited with a token that works once and a PIN that is given by word of mouth. The device that brings
//! both gets two secrets: a cookie that its pages cannot read, and a key that its pages keep and send along. Either
//! alone opens nothing, so that a cookie that was copied to another device is of no use. The log keeps digests only.

mod secret;

use std::collections::BTreeMap;

use crate::limits::INVITATIONS_MAX;
use event::PlayerId;
use serde::{Deserialize, Serialize};

pub use secret::{Digest, pin_digest};

/// Longest name of a person, of a section or a table in a scope, and of a device, characters.
pub const NAME_CHARACTERS_MAX: usize = 60;
/// Maximum number of sections and tables of a scope.
pub const SCOPE_MAX: usize = 600;
/// Wrong PINs after which an invitation is void.
pub const PIN_TRIES_MAX: u32 = 5;

/// A device, by its number in the event. 0 is the holder of the configuration's token.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default,
)]
#[serde(transparent)]
pub struct DeviceId(pub u32);

/// First number of the devices that stand for links on paper: people's devices are counted from 1. Those of tables come before those of children.
const LINKS_FROM: u32 = 1 << 31;
const CHILDREN_FROM: u32 = LINKS_FROM | 1 << 30;

impl DeviceId {
    /// A link of a table, by the act that gave it.
    #[must_use]
    pub fn of_link(given_by: u64) -> DeviceId {
        let number = u32::try_from(given_by).unwrap_or(u32::MAX);
        DeviceId(LINKS_FROM | (number & !CHILDREN_FROM))
    }

    /// A link of a child.
    #[must_use]
    pub fn of_child(player: PlayerId) -> DeviceId {
        DeviceId(CHILDREN_FROM | player.0)
    }

    /// Whether it stands for a link on paper.
    #[must_use]
    pub fn is_link(self) -> bool {
        self.0 >= LINKS_FROM
    }
}

/// Rank of a person. Each may do what the ones before may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rank {
    /// Enters seats and results, and lets teams sign.
    Scorekeeper,
    /// Rules at the tables.
    Floor,
    /// Hears appeals of a section.
    SectionChief,
    /// Hears the last appeal, and invites the others.
    Chief,
}

/// Scope of a person: all tables, those of sections, or some.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Scope {
    /// Sections, by name.
    pub sections: Vec<String>,
    /// Tables, by name.
    pub tables: Vec<String>,
}

impl Scope {
    /// Whether all of the hall is meant.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.sections.is_empty() && self.tables.is_empty()
    }

    /// Whether a table of a section belongs to it.
    #[must_use]
    pub fn has(&self, table: &str, section: Option<&str>) -> bool {
        self.is_everything()
            || self.tables.iter().any(|known| known == table)
            || section.is_some_and(|section| self.has_section(section))
    }

    /// Whether all of a section belongs to it.
    #[must_use]
    pub fn has_section(&self, section: &str) -> bool {
        self.is_everything() || self.sections.iter().any(|known| known == section)
    }
}

/// An invitation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invitation {
    /// The name under which they act.
    pub person: String,
    /// Rank.
    pub rank: Rank,
    /// Sections and tables of the person.
    pub scope: Scope,
    /// End of the invitation, Unix milliseconds.
    pub until_ms: u64,
    /// End of the device's pairing, Unix milliseconds.
    pub device_until_ms: u64,
    /// Wrong PINs that were brought for it.
    pub missed: u32,
    token: Digest,
    pin: Digest,
    /// Whether it was used or is void.
    is_spent: bool,
}

/// A director's device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Its person.
    pub person: String,
    /// Rank.
    pub rank: Rank,
    /// Sections and tables of the person.
    pub scope: Scope,
    /// Its own name.
    pub label: String,
    /// Time of its admission, Unix milliseconds.
    pub paired_ms: u64,
    /// End of its admission, Unix milliseconds.
    pub until_ms: u64,
    /// Whether it was shut out.
    pub is_revoked: bool,
    cookie: Digest,
    key: Digest,
}

impl Device {
    /// Whether it may act at a moment.
    #[must_use]
    pub fn works(&self, now_ms: u64) -> bool {
        !self.is_revoked && now_ms < self.until_ms
    }
}

/// A deed about people and devices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum StaffDeed {
    /// A person is invited.
    Invited {
        /// The name under which they act.
        person: String,
        /// Rank.
        rank: Rank,
        /// Sections and tables of the person.
        scope: Scope,
        /// Digest of the token.
        token: Digest,
        /// Digest of token and PIN.
        pin: Digest,
        /// End of the invitation, Unix milliseconds.
        until_ms: u64,
        /// End of the device's pairing, Unix milliseconds.
        device_until_ms: u64,
    },
    /// A device has used an invitation.
    Paired {
        /// The invitation.
        invitation: u32,
        /// Digest of the cookie's secret.
        cookie: Digest,
        /// Digest of the page's key.
        key: Digest,
        /// The device's own name.
        label: String,
    },
    /// A wrong PIN for an invitation: logged, so that a restart gives no more tries.
    Missed {
        /// Which.
        invitation: u32,
    },
    /// An invitation works no more.
    Voided {
        /// Which.
        invitation: u32,
    },
    /// A device is shut out.
    Revoked {
        /// Which.
        device: DeviceId,
    },
}

/// Invitations and devices.
#[derive(Clone, Debug, Default)]
pub struct Staff {
    invitations: BTreeMap<u32, Invitation>,
    devices: BTreeMap<DeviceId, Device>,
}

impl Staff {
    /// Carries a deed out at a moment.
    ///
    /// # Errors
    ///
    /// In words why it cannot be; nothing is changed then.
    pub fn handle(&mut self, now_ms: u64, deed: &StaffDeed) -> Result<(), String> {
        match deed {
            StaffDeed::Invited { person, rank, scope, token, pin, until_ms, device_until_ms } => {
                check_name("the person", person)?;
                check_scope(scope)?;
                if self.invitations.len() >= INVITATIONS_MAX {
                    return Err(format!("an event has at most {INVITATIONS_MAX} invitations"));
                }
                let invitation = Invitation {
                    person: person.clone(),
                    rank: *rank,
                    scope: scope.clone(),
                    until_ms: *until_ms,
                    device_until_ms: *device_until_ms,
                    missed: 0,
                    token: *token,
                    pin: *pin,
                    is_spent: false,
                };
                let id = self.invitations.last_key_value().map_or(1, |(id, _)| id + 1);
                self.invitations.insert(id, invitation);
            }
            StaffDeed::Paired { invitation, cookie, key, label } => {
                let open = self.open_mut(*invitation)?;
                open.is_spent = true;
                let device = Device {
                    person: open.person.clone(),
                    rank: open.rank,
                    scope: open.scope.clone(),
                    label: label.chars().take(NAME_CHARACTERS_MAX).collect(),
                    paired_ms: now_ms,
                    until_ms: open.device_until_ms,
                    is_revoked: false,
                    cookie: *cookie,
                    key: *key,
                };
                self.devices.insert(self.next_device(), device);
            }
            StaffDeed::Missed { invitation } => {
                let open = self.open_mut(*invitation)?;
                open.missed += 1;
                open.is_spent = open.missed >= PIN_TRIES_MAX;
            }
            StaffDeed::Voided { invitation } => self.open_mut(*invitation)?.is_spent = true,
            StaffDeed::Revoked { device } => {
                let known = self.devices.get_mut(device);
                known.ok_or_else(|| format!("there is no device {}", device.0))?.is_revoked = true;
            }
        }
        Ok(())
    }

    fn next_device(&self) -> DeviceId {
        DeviceId(self.devices.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }

    /// An unused invitation. Its expiry is checked before a deed is logged, by a monotonic clock: the log has times of
    /// one that may be.
    fn open_mut(&mut self, id: u32) -> Result<&mut Invitation, String> {
        let open = self.invitations.get_mut(&id).filter(|it| !it.is_spent);
        open.ok_or_else(|| "this invitation was used or is void".to_owned())
    }

    /// The unused invitation of a token.
    #[must_use]
    pub fn invitation(&self, now_ms: u64, token: &str) -> Option<(u32, &Invitation)> {
        let digest = Digest::of(token);
        let open = self.invitations.iter().filter(|(_, it)| !it.is_spent && now_ms < it.until_ms);
        open.filter(|(_, it)| it.token == digest).map(|(&id, it)| (id, it)).next()
    }

    /// Whether the PIN is the invitation's.
    #[must_use]
    pub fn has_pin(invitation: &Invitation, token: &str, pin: &str) -> bool {
        invitation.pin == pin_digest(token, pin)
    }

    /// A device that brings both of its secrets and may act.
    #[must_use]
    pub fn device(&self, now_ms: u64, id: DeviceId, cookie: &str, key: &str) -> Option<&Device> {
        let device = self.devices.get(&id).filter(|device| device.works(now_ms))?;
        let is_it = device.cookie == Digest::of(cookie) && device.key == Digest::of(key);
        is_it.then_some(device)
    }

    /// The device that was given these secrets.
    #[must_use]
    pub fn paired(&self, cookie: &str, key: &str) -> Option<(DeviceId, &Device)> {
        let (cookie, key) = (Digest::of(cookie), Digest::of(key));
        self.devices().find(|(_, device)| device.cookie == cookie && device.key == key)
    }

    /// Whether a device may still act, for streams that began before.
    #[must_use]
    pub fn still_works(&self, now_ms: u64, id: DeviceId) -> bool {
        id == DeviceId::default() || self.devices.get(&id).is_some_and(|it| it.works(now_ms))
    }

    /// All devices, those that were shut out too.
    pub fn devices(&self) -> impl Iterator<Item = (DeviceId, &Device)> {
        self.devices.iter().map(|(&id, device)| (id, device))
    }

    /// Unused invitations.
    pub fn open_invitations(&self, now_ms: u64) -> impl Iterator<Item = (u32, &Invitation)> {
        let open = move |it: &Invitation| !it.is_spent && now_ms < it.until_ms;
        self.invitations.iter().filter(move |(_, it)| open(it)).map(|(&id, it)| (id, it))
    }
}

fn check_name(what: &str, name: &str) -> Result<(), String> {
    let is_odd = |character: char| character.is_control() || event::is_invisible(character);
    let is_plain = !name.trim().is_empty() && !name.chars().any(is_odd);
    if !is_plain || name.chars().count() > NAME_CHARACTERS_MAX {
        return Err(format!(
            "{what} needs a name of 1 to {NAME_CHARACTERS_MAX} characters on one line"
        ));
    }
    Ok(())
}

fn check_scope(scope: &Scope) -> Result<(), String> {
    if scope.sections.len() + scope.tables.len() > SCOPE_MAX {
        return Err(format!("a scope has at most {SCOPE_MAX} sections and tables"));
    }
    scope.sections.iter().try_for_each(|name| check_name("a section", name))?;
    scope.tables.iter().try_for_each(|name| check_name("a table", name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn invited(token: &str, pin: &str) -> StaffDeed {
        StaffDeed::Invited {
            person: "Ann".to_owned(),
            rank: Rank::Floor,
            scope: Scope { sections: vec!["K-6".to_owned()], tables: Vec::new() },
            token: Digest::of(token),
            pin: pin_digest(token, pin),
            until_ms: 1_000,
            device_until_ms: 9_000,
        }
    }

    fn paired() -> StaffDeed {
        let (cookie, key) = (Digest::of("cookie"), Digest::of("key"));
        StaffDeed::Paired { invitation: 1, cookie, key, label: "phone".to_owned() }
    }

    #[test]
    fn an_invitation_works_once() {
        let mut staff = Staff::default();
        staff.handle(0, &invited("token", "1234")).unwrap();
        let (id, invitation) = staff.invitation(5, "token").unwrap();
        assert_eq!(id, 1);
        assert!(Staff::has_pin(invitation, "token", "1234"));
        assert!(!Staff::has_pin(invitation, "token", "1235"));
        staff.handle(5, &paired()).unwrap();
        assert!(staff.invitation(5, "token").is_none());
        assert!(staff.handle(6, &paired()).is_err());
        assert_eq!(staff.devices().count(), 1);
    }

    #[test]
    fn an_invitation_expires() {
        let mut staff = Staff::default();
        staff.handle(0, &invited("token", "1234")).unwrap();
        assert!(staff.invitation(999, "token").is_some());
        assert!(staff.invitation(1_000, "token").is_none());
    }

    #[test]
    fn wrong_pins_are_counted_in_the_log() {
        let mut staff = Staff::default();
        staff.handle(0, &invited("token", "1234")).unwrap();
        for missed in 0..PIN_TRIES_MAX {
            assert_eq!(staff.invitation(5, "token").unwrap().1.missed, missed);
            staff.handle(5, &StaffDeed::Missed { invitation: 1 }).unwrap();
        }
        assert!(staff.invitation(5, "token").is_none());
        assert!(staff.handle(5, &paired()).is_err());
    }

    #[test]
    fn a_device_needs_its_cookie_and_its_key_and_works_until_it_is_shut_out() {
        let mut staff = Staff::default();
        staff.handle(0, &invited("token", "1234")).unwrap();
        staff.handle(5, &paired()).unwrap();
        let id = DeviceId(1);
        assert!(staff.device(6, id, "cookie", "key").is_some());
        for (cookie, key) in [("cookie", "other"), ("other", "key"), ("", "")] {
            assert!(staff.device(6, id, cookie, key).is_none());
        }
        assert!(staff.device(9_000, id, "cookie", "key").is_none());
        staff.handle(7, &StaffDeed::Revoked { device: id }).unwrap();
        assert!(staff.device(8, id, "cookie", "key").is_none());
        assert!(!staff.still_works(8, id));
    }

    #[test]
    fn a_scope_has_its_sections_and_its_tables() {
        let scope = Scope { sections: vec!["K-6".to_owned()], tables: vec!["9".to_owned()] };
        assert!(scope.has("9", None) && scope.has("1", Some("K-6")));
        assert!(!scope.has("1", Some("Open")) && !scope.has_section("Open"));
        assert!(Scope::default().has("1", None) && Scope::default().has_section("Open"));
    }
}
